/* run.h - one command of a run request, from its words to what came of it.
 *
 * argv[0] is found, an environment is built, the launcher is checked and started, and everything
 * that is left is killed. Whether the command may run at all, and what it changed in the work
 * tree, is decided elsewhere. (RUN-3, RUN-5; reference-ledgers 3.9)
 */
#ifndef AT_RUNS_RUN_H
#define AT_RUNS_RUN_H

#include <stdint.h>

#include "core/bytes.h"
#include "runner/runs/confine.h"

#define AT_RUN_OUTPUT_CAP ((size_t)256 << 10) /* kept of each stream */
#define AT_RUN_TIMEOUT_MAX 7200 /* seconds */
#define AT_RUN_TIMEOUT 600 /* when the entry says nothing */
#define AT_RUN_MCP_TIMEOUT_MAX 120

struct at_run_call {
	const char *const *argv; /* ended by NULL */
	const char *cwd; /* below the project; NULL: the project */
	struct at_confine_entry entry;
	struct at_bytes input; /* standard input; empty: none. 16 MiB at most */
	int timeout; /* seconds, 1 to 7200; others are AT_EINVALID */
	const char *tmp; /* from at_confine_make_tmp(), stays; NULL: one of its own */
	bool (*go_on)(void *user); /* asked every few milliseconds; false ends the run. Or NULL */
	void *user;
};

struct at_run_end {
	int exit; /* the command's own status; 128 + signal when one ended it */
	int signal; /* or 0 */
	bool timed_out, stopped; /* then `exit` is of what was killed */
	bool survivors; /* processes were left when it had ended; they were killed */
	bool is_left; /* and some could not be: told apart, for it is worse */
	bool truncated; /* more came than is kept */
	int64_t duration_ms;
	enum at_confined how;
	char program[PATH_MAX]; /* what argv[0] was found as */
	struct at_buf out, err; /* any bytes */
};

/* Runs it and waits. False when the command was never started, with the reason: AT_EREFUSED,
 * AT_EUNSAFE, AT_EINVALID, or AT_EIO with the launcher's own words. Released by
 * at_run_end_free() either way. */
bool at_run_command(struct at_run_end *out, struct at_confine *confine,
	const struct at_run_call *call, struct at_error *err);
void at_run_end_free(struct at_run_end *end);

/* Everything at_run_command() refuses for, without a start: what comes before a dry run ends. */
bool at_run_check(struct at_confine *confine, const struct at_run_call *call, struct at_error *err);

/* Ours, never the command's: 0, or 3 after a timeout, a stop or survivors. (3.9, rule 18) */
int at_run_status(const struct at_run_end *end);

#endif
