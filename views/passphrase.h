/* passphrase.h - a passphrase typed at the terminal, straight into secret memory.
 *
 * Echo is off while it is typed and as it was afterwards, also when a signal ends or stops the
 * program meanwhile. Never from standard input, argv or the environment. (KEY-1, KEY-2)
 */
#ifndef AT_PASSPHRASE_H
#define AT_PASSPHRASE_H

#include <stdbool.h>

#include "core/error.h"
#include "keys/secret.h"

#define AT_PASSPHRASE_MOST 1024u /* bytes */

/* For a key that there is; an at_ask_passphrase of keys/keystore.h, its context unused. Fails with
 * AT_EUSAGE where there is no terminal, AT_EREFUSED when nothing or too much was typed. Release
 * with at_secret_free(). */
bool at_passphrase_ask(
	void *context, struct at_secret *out, const char *path, struct at_error *err);

/* For a new one: asked twice, AT_EREFUSED when the two differ. */
bool at_passphrase_ask_new(struct at_secret *out, const char *name, struct at_error *err);

#endif
