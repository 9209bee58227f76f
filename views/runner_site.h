/* runner_site.h - the session as the runner and its clients want it.
 *
 * Makes the setup of a runner, and asks for something by the way that fits: the queue, the
 * operator's socket, or a runner opened for the one act where none serves. (RUN-1, STG-4)
 */
#ifndef AT_RUNNER_SITE_H
#define AT_RUNNER_SITE_H

#include "runner/serve/client.h"
#include "runner/serve/serve.h"
#include "views/session.h"

/* What a runner of this session is opened with. `out` and what it names live as long as the
 * session. */
void at_runner_site_setup(struct at_runner_setup *out, struct at_session *session);

enum at_ask_way {
	AT_ASK_QUEUE,    /* a runner that serves, or a refusal */
	AT_ASK_OPERATOR, /* the socket, or one of our own; an agent session's way is the queue */
};

/* Asks and waits `seconds` at most. `result` gets the text of the result file. Fails as the way
 * does; a refusal by the runner is a result. */
bool at_runner_site_ask(struct at_buf *result, struct at_session *session,
	const struct at_request_words *words, enum at_ask_way way, unsigned seconds,
	struct at_error *err);

#endif
