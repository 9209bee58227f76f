/* acknowledged.h - which advisories the operator has marked as read.
 *
 * One code a line in the project's state directory. It changes nothing but a count: an
 * acknowledged advisory stays listed and stays true.
 */
#ifndef AT_ACKNOWLEDGED_H
#define AT_ACKNOWLEDGED_H

#include "views/session.h"

bool at_is_acknowledged(const struct at_session *session, const char *code);

/* Turns it around and writes the list. */
bool at_acknowledge(struct at_session *session, const char *code, struct at_error *err);

/* Advisories of the manifest that are not marked. */
size_t at_unacknowledged(const struct at_session *session);

#endif
