/* grant_spec.h - what an operator wants to grant: the JSON of --issue-grant and --sign-grant.
 *
 * Reads it strictly (a duplicate, an unknown member, a wrong type is refused) and checks it as the
 * reference does, in its order, then what the reference let pass. It signs and writes nothing.
 * (KEY-5, KEY-7; reference-ledgers 1.7, 5 rows 2 to 5)
 */
#ifndef AT_KEYS_GRANT_SPEC_H
#define AT_KEYS_GRANT_SPEC_H

#include "keys/grant.h"
#include "keys/isotime.h"
#include "keys/roster.h"

struct at_arena;

/* Texts as given, padding kept; in the arena. */
struct at_grant_spec {
	struct at_bytes issuer_team, holder_team, target_path, permitted_ops, expires_at;
	struct at_bytes approver, ticket_id, reason_code;
	int64_t max_uses;
	struct at_bytes issuer_root, key_id; /* .data NULL when not given */
};

#define AT_GRANT_SPEC_CAP ((size_t)1 << 20)

/* Of a text. `path` is for messages. AT_EPARSE or AT_EINVALID, the member in err->field. */
bool at_grant_spec_read(struct at_grant_spec *out, struct at_arena *arena, struct at_bytes text,
	const char *path, struct at_error *err);
/* Of a file the operator named: any path, no special file. */
bool at_grant_spec_load(struct at_grant_spec *out, struct at_arena *arena, const char *path,
	struct at_error *err);

/* As JSON text, members in the reference's order: a form's way back to a file. Appended. */
void at_grant_spec_print(struct at_buf *out, const struct at_grant_spec *spec);

/* Every check of an issue but the ledger and the key. */
bool at_grant_spec_check(const struct at_grant_spec *spec, enum at_grant_scheme scheme,
	const struct at_roster *roster, struct at_time now, struct at_error *err);

#endif
