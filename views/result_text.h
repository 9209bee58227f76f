/* result_text.h - what the verbs of the queue print of a result, and the status they end with.
 *
 * 0 done, 1 refused, 3 ran but with undeclared writes, a timeout or survivors; a command's own
 * status is told apart. (reference-ledgers 3.16, 5 row 18)
 */
#ifndef AT_RESULT_TEXT_H
#define AT_RESULT_TEXT_H

#include "runner/serve/client.h"
#include "views/session.h"

/* "[FLAG] WHAT: reason" and the hint on standard error; the status. */
int at_result_refused(const char *flag, const char *what, const struct at_error *err);

/* A text member of the result; "" where it is none. Borrowed. */
const char *at_result_text(const struct at_client_result *result, const char *key);

/* Prints it: as JSON with --json (the result file), else what `put` makes of the result, or the
 * result's JSON where `put` is NULL, without the streams of a command, which follow. */
typedef void at_result_put(struct at_buf *out, const struct at_client_result *result);
int at_result_report(const struct at_session *session, const char *flag, struct at_bytes text,
	at_result_put *put);
/* The result file as it is, laid out. */
int at_result_whole(struct at_bytes text);

/* --wait-timeout, or `seconds`; 0 and words that are no number become `seconds`: main has refused
 * them. */
unsigned at_result_wait(const struct at_session *session, unsigned seconds);

#endif
