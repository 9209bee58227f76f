/* verify_store.h - the public keys that a team trusts:
 * <team dir>/references/authorized-verify-keys/<key_id>.pub.pem.
 *
 * Reads one by its id and plans the installing of one; core/apply writes it. A file that is there
 * is never replaced. Knows no private key. (KEY-1, KEY-4, EMIT-7; reference-ledgers 1.1)
 */
#ifndef AT_KEYS_VERIFY_STORE_H
#define AT_KEYS_VERIFY_STORE_H

#include <stdbool.h>

#include "core/bytes.h"
#include "core/error.h"
#include "keys/ed25519.h"

struct at_plan;

/* The key that `key_id` names in the store of `team_dir`, both below the directory `root`. Fails
 * with AT_EINVALID for an id that can name none, AT_ENOENT where there is none, AT_EUNSAFE on a
 * link or a special file, and as at_pem_read_public(). */
bool at_verify_key_load(struct at_public_key *out, int root, const char *team_dir,
	struct at_bytes key_id, struct at_error *err);

/* Adds the file to `plan`: new, or the same where this key stands there already, whatever the
 * bytes of its file. AT_EEXIST where the id holds another key. */
bool at_verify_key_plan(struct at_plan *plan, int root, const char *team_dir, const char *key_id,
	const struct at_public_key *key, struct at_error *err);

#endif
