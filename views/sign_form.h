/* sign_form.h - a grant while it is filled in: fields, what is wrong, what it would open.
 *
 * One table says what each field is called, what it is for and what it begins with. The form judges
 * itself as the signer will, so that what is wrong stands beside its field before any key is asked
 * for. It reads the roster and the ledger, signs nothing and writes nothing. (KEY-4, KEY-7)
 */
#ifndef AT_SIGN_FORM_H
#define AT_SIGN_FORM_H

#include "keys/grant_issue.h"
#include "views/grants_site.h"

enum at_sign_field {
	AT_SIGN_HOLDER,
	AT_SIGN_TARGET,
	AT_SIGN_OPS,
	AT_SIGN_EXPIRES,
	AT_SIGN_ISSUER,
	AT_SIGN_ISSUER_ROOT,
	AT_SIGN_APPROVER,
	AT_SIGN_TICKET,
	AT_SIGN_REASON,
	AT_SIGN_MAX_USES,
	AT_SIGN_KEY,
	AT_SIGN_FIELDS
};

struct at_sign_field_info {
	const char *name; /* as in the spec: "target_path" */
	const char *help; /* one sentence */
	bool may_be_empty;
};
extern const struct at_sign_field_info at_sign_fields[AT_SIGN_FIELDS];

struct at_sign_form {
	const struct at_session *session;
	struct at_arena *arena; /* of the draft */
	struct at_buf values[AT_SIGN_FIELDS];
	bool is_ready;          /* `draft` is what would be signed */
	struct at_grant_draft draft;
	struct at_error fault;  /* why not */
	int fault_field;        /* enum at_sign_field, or -1 */
};

/* Begins with what is known: this team, the first approver, the newest key, 30 days. */
void at_sign_form_open(struct at_sign_form *form, struct at_session *session);
/* Takes over what a row says, but for its expiry when that is past: a grant by HMAC signed anew.
 * (KEY-10) */
void at_sign_form_take(struct at_sign_form *form, const struct at_bytes *cells);
void at_sign_form_close(struct at_sign_form *form);

/* Sets one and judges all again. */
void at_sign_form_set(struct at_sign_form *form, enum at_sign_field field, const char *value);
/* The same with nothing set: the ledger or the roster may be others now. */
void at_sign_form_judge(struct at_sign_form *form);

/* What the grant opens, or why it opens nothing: some sentences. Appended. */
void at_sign_form_opens(struct at_buf *out, const struct at_grant_draft *draft,
	const struct at_session *session);

/* The word to be typed before it is signed: the last segment of the target. Appended. */
void at_sign_word(struct at_buf *out, const struct at_grant_draft *draft);

#endif
