/* client.h - asking the runner without a key: leave a request, wait for its result.
 *
 * The orchestrator's end of the queue and the operator's socket. It judges nothing: what comes back
 * is the runner's word, which only the owner of .agentteams can have written. (RUN-1, STG-4;
 * reference-ledgers 3.5, 3.16)
 */
#ifndef AT_SERVE_CLIENT_H
#define AT_SERVE_CLIENT_H

#include <stdbool.h>

#include "core/bytes.h"
#include "core/error.h"
#include "core/json_read.h"
#include "core/state.h"
#include "runner/serve/queue.h"

#define AT_CLIENT_WAIT_S 60u /* where nobody says; a run request may take its timeout */

/* Publishes a request in the orchestrator's directory by temp and rename. Fails with AT_EREFUSED
 * (no-runner) and the reference's text where no runner beats. */
bool at_client_queue(char id[AT_QUEUE_ID], int root, struct at_bytes request,
	struct at_error *err);

/* Waits until the result is there, at most `seconds`, and acknowledges it. AT_EREFUSED, its id
 * "no-result", when it does not come. */
bool at_client_wait(struct at_buf *result, int root, const char *id, unsigned seconds,
	struct at_error *err);

/* Asks as the operator: over the runner's socket in the state directory. AT_ENOENT (no-runner)
 * where none listens: the caller may open a runner of its own for the one act. */
bool at_client_operator(struct at_buf *result, const struct at_state *state,
	struct at_bytes request, unsigned seconds, struct at_error *err);

/* A result, read. Borrowed from the text; release with at_client_result_free(). */
struct at_client_result {
	struct at_json doc;
	struct at_arena *arena;
	bool ok;
	int exit; /* 0, 1 or 3 */
	const char *id, *kind, *error, *error_id; /* "" where absent */
	uint32_t result; /* node, or AT_JSON_NONE */
};
bool at_client_result_read(struct at_client_result *out, struct at_bytes text,
	struct at_error *err);
void at_client_result_free(struct at_client_result *result);

#endif
