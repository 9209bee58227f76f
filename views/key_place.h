/* key_place.h - what the session knows that custody of keys asks: where agents write, and which
 * variables could hold a key. (KEY-1, WIRE-16)
 */
#ifndef AT_KEY_PLACE_H
#define AT_KEY_PLACE_H

#include "keys/custody.h"
#include "views/session.h"

/* The project and its write roots, physical. A directory in which nothing says that it is a project
 * (no brief, no team, not named by --project) is none: a key can be made from a home. In the
 * session's arena. */
struct at_custody_place at_key_place(struct at_session *session);

/* One line for every variable here whose name is that of a key, name only; nothing where none is.
 * And the same as an array of {name, signs}. */
void at_key_variables_print(const struct at_session *session, struct at_buf *out);
void at_key_variables_to_json(const struct at_session *session, struct at_json_value *array);

#endif
