/* framework.h - one interface a harness, and the list of them.
 *
 * A framework knows where its team lives, how its agents are written, what is emitted
 * for it and how its wiring is checked. Adding one is a file and a line. Frameworks
 * print nothing and write nothing: they add to plans and fill reports.
 */
#ifndef AT_FRAMEWORK_H
#define AT_FRAMEWORK_H

#include <stdbool.h>

#include "core/decide.h"
#include "core/host.h"
#include "core/plan.h"
#include "core/wiring.h"

/* A notice on stderr: SANDBOX WIDENING, stale deny entry, FAILS OPEN, … (EMIT-15) */
struct at_notice {
	const char *id;   /* stable: "sandbox-widening" */
	const char *text; /* one line, may quote untrusted names */
};
struct at_notices {
	struct at_arena *arena;
	struct at_notice *items;
	size_t count, cap;
};
void at_notices_init(struct at_notices *notices);
void at_notices_free(struct at_notices *notices);
void at_notice(struct at_notices *notices, const char *id, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

struct at_hook_book;
struct at_scopes;
struct at_sight;

/* What an emission may look at. */
struct at_project {
	const char *path; /* physical, absolute */
	int fd;
	const char *team_dir; /* below the project: --output, or the framework's default */
	const struct at_host *host;
	const char *const *accepted_roots; /* --accept-write-root, argv only */
	size_t accepted_root_count;
	const char *const *gate_places; /* where the gate program may be, absolute, ended by
	                                   NULL; NULL: this build's own list */
	const char *managed_dir;        /* where managed settings are; NULL: the client's place */
	const struct at_hook_book *hooks; /* what hooks did when they were run; NULL: none was */
	struct at_sight *sight; /* settings files that were read before; NULL: none is kept */
	const struct at_scopes *scopes; /* all of them, as one look saw them; NULL: each asker looks */
	const char *origin; /* how the agents came, for the record: "convert", "interop"; or NULL */
};

/* One agent in canonical form. (EMIT-18) */
struct at_agent {
	const char *slug; /* the file's name without its ending; NULL: made of the name */
	const char *name, *description;
	bool has_tools;
	struct at_texts tools; /* as the harness spells them */
	struct at_bytes body;  /* everything after the front matter */
	struct at_bytes head;  /* other front matter lines, kept as they are */
	struct at_bytes front; /* the front matter as it was read, delimiters included; empty
	                          for an agent made from another harness. What did not change
	                          is rendered from here byte for byte */
	struct at_bytes text;  /* the same for a format without front matter: the whole file */
};

struct at_effective;
struct at_hook_list;

struct at_framework {
	enum at_framework_id id;
	const char *agent_ext;
	bool (*plan)(struct at_plan *plan, struct at_notices *notices,
		const struct at_manifest *manifest, const struct at_project *project,
		struct at_error *err);
	bool (*check_wiring)(struct at_wiring *report, const struct at_manifest *manifest,
		const struct at_project *project, const struct at_plan *plan, struct at_error *err);
	/* Of a framework that is wired in settings files; NULL where the launcher is all there
	 * is to wire. What the files of every scope say together (WIRE-9). */
	void (*effective)(struct at_effective *out, const struct at_project *project);
	/* The hooks that can stop a call, ours among them even when it is wired nowhere, and
	 * which of them may be run unasked (WIRE-10). Runs nothing. */
	void (*hooks)(struct at_hook_list *out, const struct at_manifest *manifest,
		const struct at_project *project, const struct at_plan *plan);
	/* Asks the client itself what it would not load; runs it. */
	void (*ask_client)(struct at_wiring *report, const struct at_project *project);
	/* Hardening to offer, never to choose: settings as JSON. And an example of managed
	 * settings, to be read and put in place by hand. (WIRE-11) */
	const char *optional, *managed_example;
	bool (*parse_agent)(struct at_agent *out, struct at_bytes text, struct at_arena *arena,
		struct at_error *err);
	void (*render_agent)(struct at_buf *out, const struct at_agent *agent);
};
extern const struct at_framework *const at_frameworks[AT_FRAMEWORK_COUNT];

/* EMIT-3: every component a real directory, the marker a regular file. */
bool at_team_is_present(const struct at_project *project, enum at_framework_id framework);

/* REQ-3, REQ-4: validates every root, classifies it, fills `external` and `accepted`,
 * and says SANDBOX WIDENING for every root the live file does not have. One error names
 * every bad root; another lists every external root that nobody accepted, with the flag
 * that would. */
bool at_roots_resolve(struct at_manifest *manifest, struct at_notices *notices,
	const struct at_project *project, struct at_error *err);

/* Everything `--update` would write for the manifest's framework, and every notice.
 * Resolves the roots itself. Refuses when the decision is fatal, a root is, or the team
 * directory cannot be protected. `--check` is the
 * same call and looks at at_plan_pending(). (EMIT-1 to EMIT-21) */
bool at_emit_plan(struct at_plan *plan, struct at_notices *notices, struct at_manifest *manifest,
	const struct at_project *project, struct at_error *err);

/* EMIT-15: may this process write the team's control files? False with AT_EDENIED and one
 * message when the kernel denies it (EROFS, EACCES, EPERM): we are inside a sandbox. */
bool at_emit_probe(const struct at_project *project, struct at_error *err);

#endif
