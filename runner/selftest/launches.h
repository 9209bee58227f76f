/* launches.h - the cases that take a start of the launcher of their own.
 *
 * A table from id to function: other options, a start that must be refused, a process that must
 * not live on. Each fills what was seen; the verdict is made elsewhere. (LAU-8)
 */
#ifndef AT_LAUNCHES_H
#define AT_LAUNCHES_H

#include "runner/selftest/launch.h"
#include "runner/selftest/verdict.h"

/* What the functions share; made once for caller and mode. */
struct at_launches {
	const struct at_launcher *launcher;
	struct at_fixture *fixture; /* a fresh one */
	enum at_selftest_mode mode;
	const char *search_path;
	bool works; /* a plain start ran its command: the control of most */
	char marker[AT_FIXTURE_PATH + 16]; /* a file the commands make, so that a start is seen */
};

/* Slow, and the same in every mode: tried in the first, what was seen is told of the others. */
bool at_launches_is_once(const struct at_case *one);

/* Tries the control that all share. */
void at_launches_begin(struct at_launches *launches);

/* False when no function stands for the case. */
bool at_launches_try(
	struct at_launches *launches, const struct at_case *one, struct at_evidence_of_case *out);

/* The parts, for the two files of functions. */
void at_launch_said(struct at_seen_act *out, enum at_seen seen, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Starts with `more` options and the command `sh -c SCRIPT sh MARKER`; `env` NULL: as usual.
 * The status, -1 when nothing could be started; was the marker made? */
int at_launch_script(struct at_launches *l, const char *const *more, const char *script,
	const char *const *env, bool *ran);
extern const char at_launch_mark[]; /* a script that makes the marker */

typedef void at_launch_case(struct at_launches *launches, struct at_evidence_of_case *out);
at_launch_case at_launch_n15, at_launch_y1, at_launch_y2, at_launch_y3, at_launch_y4, at_launch_y5,
	at_launch_y6, at_launch_y7;

#endif
