/* key_names.h - environment names that look like secrets.
 *
 * For findings and for what may not be handed on. Names only, a value is never looked at.
 * (WIRE-16)
 */
#ifndef AT_KEY_NAMES_H
#define AT_KEY_NAMES_H

#include "core/bytes.h"

/* A whole word of the name, between underscores, says key, token, password or the like. */
bool at_name_is_key_like(struct at_bytes name);

/* A key that signs grants or decisions of ours. */
bool at_name_is_signing_key(struct at_bytes name);

#endif
