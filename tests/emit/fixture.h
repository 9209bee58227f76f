/* fixture.h - one project, one home, one brief: what the emitter's tests begin with. */
#ifndef AT_EMIT_FIXTURE_H
#define AT_EMIT_FIXTURE_H

#include "support/support.h"

#include "core/apply.h"
#include "core/decide.h"
#include "emit/framework.h"
#include "emit/texts.h"

struct fixture {
	char *top, *project_path;
	struct at_arena *arena;
	struct at_host host;
	struct at_project project;
	struct at_decide_options options;
	struct at_request request;
	struct at_manifest manifest;
	struct at_plan plan;
	struct at_notices notices;
	struct at_state state;
	struct at_error err;
	const char *accepted[8];
	const char *places[2];
};

/* An empty project and home below one new directory; linux, claude. */
void fixture_begin(struct fixture *f, const char *brief);
void fixture_end(struct fixture *f);

void fixture_brief(struct fixture *f, const char *brief);

/* Decides and plans afresh; false with f->err set. */
bool fixture_plan(struct fixture *f);
void fixture_must_plan(struct fixture *f);

/* Plans, applies, and plans again, which must have nothing to do. */
void fixture_update(struct fixture *f);

/* Writes below the project. */
void fixture_write(struct fixture *f, const char *path, const char *text);
struct at_buf fixture_read(struct fixture *f, const char *path);

const struct at_change *fixture_change(const struct fixture *f, const char *path);
const char *fixture_notice(const struct fixture *f, const char *id); /* its text or NULL */
size_t fixture_notice_count(const struct fixture *f, const char *id);

/* Puts a stand-in for the gate program in place: a shell script of this body, or one that
 * stops a forced push and nothing else when it is NULL. */
void fixture_gate(struct fixture *f, const char *body);

/* Asserts that the planned example's array at `dotted` is exactly this (ended by NULL). */
void fixture_assert_list(const struct fixture *f, const char *dotted, const char *const *want);

/* The planned example as a document (its text belongs to the plan). */
struct at_json fixture_example(const struct fixture *f);

#define EXAMPLE ".claude/settings.hooks.example.json"
#define HOOK ".claude/hooks/constitutional-gate.sh"
#define HOOK_PY ".claude/hooks/constitutional-gate.py"
#define REFS ".claude/agents/references/"
#define LIVE ".claude/settings.json"
#define LOCAL ".claude/settings.local.json"

#endif
