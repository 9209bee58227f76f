/* runner_impl.h - what the files of the runner share. Internal to runner/serve. */
#ifndef AT_RUNNER_IMPL_H
#define AT_RUNNER_IMPL_H

#include "core/file.h"
#include "core/mem.h"
#include "runner/proposals/check.h"
#include "runner/proposals/direct_grant.h"
#include "runner/proposals/ledger.h"
#include "runner/proposals/operator_file.h"
#include "runner/proposals/policy.h"
#include "runner/runs/confine.h"
#include "runner/serve/history.h"
#include "runner/serve/serve.h"
#include "runner/serve/staged.h"
#include "runner/serve/wake.h"

#define AT_SERVERS_MOST 8u

struct at_runner {
	struct at_runner_setup setup;
	int lock, staged, ground; /* ground: AT_GROUND */
	struct at_queue *queue;
	struct at_wake *wake;
	struct at_secret key;
	struct at_proposal_site site;
	struct at_proposal_ledger *ledger;
	struct at_dispatches *dispatches;
	struct at_check_ground checks;

	/* Pins: any of these changed, serving stops. (RUN-2, MCP-3) */
	int brief_dir;
	const char *brief_name; /* borrowed from setup */
	struct at_file brief;
	char confined_path[PATH_MAX], grants_path[PATH_MAX];
	struct at_operator_file confined, grants;
	struct at_file servers[AT_SERVERS_MOST];

	struct at_policy policy;
	bool operator_decides; /* staged_review: "operator" */
	struct at_direct_grants direct;
	struct at_history history;

	struct at_confine *confine; /* NULL until something is started */
	char private_dir[PATH_MAX], key_dir[PATH_MAX];

	int socket; /* the operator's, or -1 */
	int64_t beat_s; /* of the last heartbeat, monotonic */
	int64_t aged_s; /* of the last look for old results */
	bool is_broken; /* an act ended in a way that serving cannot go on after */
	struct at_error broken;
	struct at_buf said;
};

/* One request on its way to its answer. */
struct at_job {
	struct at_queued claim;
	enum at_asker asker;
	struct at_arena *arena;
	struct at_json own_doc; /* where the claim has none */
	struct at_asked asked;
	bool is_known; /* the kind */
	int64_t begun_ms;

	struct at_check check;
	struct at_buf gates; /* what they said, canonical */

	/* What a grouped request leaves to its group. */
	struct at_canonical_object row;
	bool has_row;
	char sid[AT_STAGED_ID], expires[AT_STAMP];
	struct at_buf record;

	struct at_canonical_object result; /* SPACED */
	struct at_error err;
	bool refused;
	int exit; /* 3: ran, but …; else 0 or 1 by `refused` */
};

int64_t at_clock_ms(void);    /* real */
int64_t at_steady_ms(void);   /* monotonic */

/* open.c */
bool at_runner_pins_hold(struct at_runner *runner, struct at_error *err);

/* acts.c: one request but for a grouped one; fills the answer. */
void at_job_serve(struct at_runner *runner, struct at_job *job);
/* A grouped one: as far as its row and its record. False when it has to be served alone. */
bool at_job_prepare(struct at_runner *runner, struct at_job *job);
/* Once its row and its record stand. */
void at_job_staged(struct at_job *job);
void at_job_refuse(struct at_job *job, const struct at_error *err);
/* The row of a grouped refusal, in job->row with has_row set, where one is due. */
void at_job_refusal_row(struct at_job *job);

/* decide.c: staged records. */
void at_job_apply_staged(struct at_runner *runner, struct at_job *job);
void at_job_reject_staged(struct at_runner *runner, struct at_job *job);
void at_job_list_staged(struct at_runner *runner, struct at_job *job);
void at_job_show_staged(struct at_runner *runner, struct at_job *job);

/* write.c: the write-ahead row and the write. `action` names the row; `grant` and `sid` may be
 * NULL. Counts a use of the nonce unless `sid` says that staging did. On failure the row, where it
 * stands, is followed by one that takes it back. */
struct at_write_call {
	const char *action;
	const char *sid, *grant;
};
bool at_runner_write(struct at_runner *runner, struct at_job *job,
	const struct at_write_call *call, struct at_error *err);
void at_job_undo(struct at_runner *runner, struct at_job *job);
/* Tells what an ended run left half said: rows whose act never came. */
bool at_runner_reconcile(struct at_runner *runner, struct at_error *err);
/* Row members that several rows share. */
void at_row_begin(struct at_canonical_object *row, const char *action, const char *agent);
void at_row_base(struct at_canonical_object *row, const struct at_check *check);
void at_put_base(struct at_canonical_object *object, const char *key, bool is_absent,
	const struct at_digest *digest);
/* Appends one row alone; a failure breaks the runner off. */
bool at_runner_record(struct at_runner *runner, struct at_canonical_object *row,
	struct at_error *err);

/* gates.c: what starts a command shares the launcher, made ready at the first. */
bool at_runner_confine(struct at_runner *runner, struct at_error *err);
bool at_runner_goes_on(void *runner); /* beats; false when the runner is to stop */
const char *const *at_strings_ended(struct at_strings list, struct at_arena *arena);
/* One gate over `content` as `path`; a line of what it said goes to job->gates. */
bool at_runner_gate(struct at_runner *runner, struct at_job *job,
	const struct at_policy_gate *gate, const char *path, struct at_bytes content,
	struct at_error *err);
/* All that the check asks for, in order. */
bool at_runner_gates(struct at_runner *runner, struct at_job *job, struct at_bytes content,
	struct at_error *err);
void at_runner_gates_close(struct at_runner *runner);

/* runs.c */
void at_runner_run(struct at_runner *runner, struct at_job *job);

/* answer.c: the text of a result file, at most AT_RESULT_CAP. Appended. */
void at_job_answer(struct at_buf *out, struct at_job *job, const char *id);
void at_job_free(struct at_job *job);

/* socket.c: the operator's. Where it cannot be had that is told, no failure. */
void at_socket_open(struct at_runner *runner);
void at_socket_close(struct at_runner *runner);
/* Answers whoever waits there. */
bool at_socket_serve(struct at_runner *runner, size_t *served, struct at_error *err);

#endif
