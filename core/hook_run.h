/* hook_run.h - what a hook really does, found out by running it.
 *
 * Starts a command the way the client does (a shell, the call as JSON on standard input, the
 * project's directory in a variable) from a directory that is not the project, with a home of
 * its own and no keys, and judges its answers to a call that must be stopped and to one that
 * must not. It chooses no hooks: it runs what it is given. (WIRE-10)
 */
#ifndef AT_HOOK_RUN_H
#define AT_HOOK_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/child.h"

#define AT_HOOK_TIMEOUT_MS 2000 /* for each of the two calls */

enum at_hook_result {
	AT_HOOK_STOPS,  /* the bad call is stopped, the good one is not */
	AT_HOOK_SILENT, /* the bad call passes without a word */
	AT_HOOK_OPENS,  /* it allows: what would have been asked for runs */
	AT_HOOK_BROKEN, /* it does not work: see the direction */
};
const char *at_hook_result_name(enum at_hook_result result); /* stops silent opens broken */

/* What a broken hook does to every call. */
enum at_hook_direction { AT_HOOK_AS_MEANT, AT_HOOK_ALLOWS, AT_HOOK_DENIES };
const char *at_hook_direction_name(enum at_hook_direction direction); /* "" allows denies */

/* Plain data: may be sent through a pipe. */
struct at_hook_verdict {
	enum at_hook_result result;
	enum at_hook_direction direction;
	char text[240]; /* one sentence; quotes nothing the hook said */
};

struct at_hook_call {
	const char *command;
	const char *project;     /* CLAUDE_PROJECT_DIR, absolute */
	const char *search_path; /* PATH for it; NULL: the system's */
	int timeout_ms;          /* 0: AT_HOOK_TIMEOUT_MS */
};

/* The answer to one call, as the measured client reads it. */
enum at_hook_answer {
	AT_ANSWER_NONE,   /* silence, or words that are no JSON */
	AT_ANSWER_DENY,   /* also exit 2 */
	AT_ANSWER_ASK,
	AT_ANSWER_ALLOW,
	AT_ANSWER_DEFER,
	AT_ANSWER_FAULT,  /* a status, a signal, a timeout or JSON that lets the call pass */
};
enum at_hook_answer at_hook_answer_of(const struct at_child_end *end);

/* Runs the command twice. Fails when nothing could be run: no home of its own could be made,
 * no process started. */
bool at_hook_judge(struct at_hook_verdict *out, const struct at_hook_call *call,
	struct at_error *err);

#endif
