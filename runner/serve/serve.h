/* serve.h - the runner: the only holder of the ledger's key, one request after the other.
 *
 * Opened it holds the project's lock, the key, the policy as it was read, and the digests of all
 * that the policy came from; any of them changed, it stops. Requests that wait at one wake-up and
 * only stage share one ledger write; everything else is alone. No result is readable before the
 * sync that covers its row. The console may host one: it turns the loop itself and asks as the
 * operator through at_runner_ask(). (RUN-1 to RUN-4, STG-4; reference-ledgers 3.6)
 */
#ifndef AT_SERVE_H
#define AT_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/bytes.h"
#include "core/error.h"
#include "core/state.h"
#include "keys/custody.h"
#include "runner/serve/request.h"

#define AT_RUNNER_LOCK AT_GROUND "/runner.lock"
#define AT_RUNNER_HEARTBEAT AT_GROUND "/runner.heartbeat"
#define AT_RUNNER_BEAT_S 3
#define AT_RUNNER_STALE_S 15
#define AT_RUNNER_GROUP 256u /* requests of one group at most */

/* Borrowed, all of it, for the runner's life. */
struct at_runner_setup {
	const char *project;     /* physical path */
	int root;                /* a descriptor of it */
	struct at_state *state;  /* of core/state.h, for the journal; made when needed */
	const char *home;
	char *const *environment;
	const char *brief;       /* absolute path */
	const char *brief_place; /* below the project, "" outside */
	struct at_custody_place place; /* where no key may lie */
	bool polls;              /* without inotify */
	bool ungrouped;          /* every request with a ledger write of its own: for measuring */
};

struct at_runner;

/* All refusals to start of 3.6 in their order, each with an id "runner-…", then whatever an earlier
 * run left: its half-done write is ended, its claims answered, rows without their act told by rows
 * of their own. Fails with AT_EDENIED, AT_EREFUSED or the fault's own code. */
bool at_runner_open(struct at_runner **out, const struct at_runner_setup *setup,
	struct at_error *err);
/* The heartbeat goes, the lock's file stays. NULL is fine. */
void at_runner_close(struct at_runner *runner);

/* Serves what waits now, at most `most` requests (0: all). False when serving has to stop, for good:
 * a pin changed, the ledger was touched. `served` counts. */
bool at_runner_turn(struct at_runner *runner, size_t most, size_t *served, struct at_error *err);
/* Waits for the next turn, at most `ms`, and beats the heart. */
void at_runner_wait(struct at_runner *runner, int ms);
/* To wait on elsewhere: descriptors that become readable when a turn is worth it. Returns how many
 * were set; 0 where the runner polls. */
#define AT_RUNNER_FDS 2
size_t at_runner_fds(const struct at_runner *runner, int out[AT_RUNNER_FDS]);
void at_runner_beat(struct at_runner *runner);

/* Turns until `*stop` is set (by a signal's handler), or once. True for an orderly end. */
bool at_runner_serve(struct at_runner *runner, bool once, const volatile sig_atomic_t *stop,
	size_t *served, struct at_error *err);

/* One request as the operator, answered at once: `result` gets the text of a result file.
 * False only when serving has to stop; a refusal is a result. (STG-4) */
bool at_runner_ask(struct at_runner *runner, struct at_bytes request, struct at_buf *result,
	struct at_error *err);

/* Lines for the operator since the last call: what was served, set aside, noticed. Appended. */
void at_runner_said(struct at_buf *out, struct at_runner *runner);

/* Is somebody serving? Looks at lock and heartbeat; takes nothing. */
struct at_runner_sight {
	bool is_locked; /* a live process holds the lock */
	bool has_lock_file, has_beat, is_fresh;
	long long age;  /* seconds since the last beat */
};
void at_runner_look(struct at_runner_sight *out, int root);

#endif
