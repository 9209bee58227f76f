/* launch_check.h - what of a launch line is ready, and what would refuse it.
 *
 * Looks at the paths that the line names, at the launcher, and for a sandbox of the agent's own
 * that is switched on in the tree. It changes nothing and starts nothing. (WIRE-15, LAU-12)
 */
#ifndef AT_LAUNCH_CHECK_H
#define AT_LAUNCH_CHECK_H

#include "core/launch_line.h"
#include "core/pipeline.h"

struct at_arena;
struct at_json_value;

enum at_launcher_state { AT_LAUNCHER_ABSENT, AT_LAUNCHER_UNCHECKED, AT_LAUNCHER_GENUINE };

struct at_launch_place {
	int root;            /* the project */
	const char *project; /* its physical path */
	const char *home;
	bool is_genuine;     /* the wiring check found the launcher to be ours */
};

struct at_launch {
	struct at_arena *arena;
	const char *line; /* "" when there is none: see `why` */
	struct at_error why;
	const char *command;  /* what it ends with: the agent's */
	const char *run_in;   /* the directory to run it in */
	struct at_launch_paths paths;
	const char **missing; /* one a path: "create X first", or NULL */
	size_t missing_count;
	const char *own_sandbox; /* the file that switches the agent's own sandbox on, or NULL */
	const char *boundaries;  /* what follows: two do not nest */
	enum at_launcher_state launcher;
	const char *launcher_text; /* its state in words, never "done" */
};

/* Fills all of it. A line that cannot be written is no failure here: `line` is "". */
void at_launch_look(struct at_launch *out, const struct at_manifest *manifest,
	const struct at_launch_place *place);
void at_launch_free(struct at_launch *launch); /* one that is zeroed too */

/* The line alone first, so that a script can take it. Texts may quote names. */
void at_launch_print(const struct at_launch *launch, struct at_buf *out);
void at_launch_to_json(const struct at_launch *launch, struct at_json_value *out);

/* Nothing of ours starts it. A constant. */
const char *at_launch_starts(void);

#endif
