#include "keys/grant.h"

#include <stdio.h>
#include <string.h>

#include "core/digest.h"
#include "core/path.h"
#include "core/utf8.h"
#include "keys/field.h"

static const char *const columns[AT_GRANT_COLUMNS] = {
	"timestamp", "grant_id", "issuer_team", "holder_team", "target_path", "permitted_ops",
	"expires_at", "max_uses", "uses", "approver", "ticket_id", "reason_code", "issuer_root",
	"prev_digest", "signature", "sig_scheme", "key_id",
};

#define EVERY (AT_COLUMN(AT_GRANT_COLUMNS) - 1)
#define LATER \
	(AT_COLUMN(AT_GRANT_ISSUER_ROOT) | AT_COLUMN(AT_GRANT_SCHEME) | AT_COLUMN(AT_GRANT_KEY_ID))

static void put(struct at_buf *out, const char *label, struct at_bytes value)
{
	value = at_field_strip(value);
	if (value.len == 0)
		return;
	at_buf_putc(out, '|');
	at_buf_puts(out, label);
	at_buf_put(out, value.data, value.len);
}

/* Twelve values always, three more where they are filled: a row of old has its old payload.
 * (reference-ledgers 1.3) */
static void payload(struct at_buf *out, const struct at_bytes *cells)
{
	at_field_join(out, cells + AT_GRANT_ID, AT_GRANT_REASON - AT_GRANT_ID + 1);
	at_buf_putc(out, '|');
	at_field_join(out, cells + AT_GRANT_PREV, 1);
	put(out, "", cells[AT_GRANT_ISSUER_ROOT]);
	put(out, "sig_scheme=", cells[AT_GRANT_SCHEME]);
	put(out, "key_id=", cells[AT_GRANT_KEY_ID]);
}

const struct at_ledger_kind at_grant_kind = {
	.log = "capability-grants log",
	.ledger = "capability-grant ledger",
	.row = "a grant row",
	.columns = columns,
	.column_count = AT_GRANT_COLUMNS,
	.written = EVERY,
	.required = { EVERY & ~LATER },
	.prev = AT_GRANT_PREV,
	.tag = AT_GRANT_TAG,
	.payload = payload,
};

enum at_grant_scheme at_grant_scheme(const struct at_bytes *cells)
{
	struct at_bytes scheme = at_field_strip(cells[AT_GRANT_SCHEME]);

	if (scheme.len == 0 || at_bytes_equal_text(scheme, "hmac"))
		return AT_GRANT_HMAC;
	return at_bytes_equal_text(scheme, "ed25519") ? AT_GRANT_ED25519 : AT_GRANT_UNKNOWN;
}

/* Takes the next operation off `rest`, stripped; false at the end. */
static bool next_op(struct at_bytes *op, struct at_bytes *rest)
{
	while (rest->len) {
		const char *semicolon = memchr(rest->data, ';', rest->len);
		size_t len = semicolon ? (size_t)(semicolon - rest->data) : rest->len;
		size_t over = len + (semicolon != NULL);

		*op = at_field_strip((struct at_bytes){ rest->data, len });
		rest->data += over;
		rest->len -= over;
		if (op->len)
			return true;
	}
	return false;
}

bool at_grant_has_op(struct at_bytes ops, const char *wanted)
{
	struct at_bytes op;

	while (next_op(&op, &ops))
		if (at_bytes_equal_text(op, wanted))
			return true;
	return false;
}

struct at_bytes at_grant_odd_op(struct at_bytes ops)
{
	struct at_bytes op;

	while (next_op(&op, &ops))
		if (!at_bytes_equal_text(op, "read") && !at_bytes_equal_text(op, "write"))
			return op;
	return (struct at_bytes){ "", 0 };
}

bool at_grant_is_for(const struct at_bytes *cells, const char *team)
{
	return at_bytes_equal_text(at_field_strip(cells[AT_GRANT_HOLDER]), team);
}

void at_grant_message(struct at_buf *out, const struct at_bytes *cells)
{
	if (at_grant_scheme(cells) == AT_GRANT_ED25519)
		at_buf_puts(out, AT_GRANT_TAG "|");
	payload(out, cells);
}

void at_grant_hmac(struct at_buf *out, struct at_bytes key, struct at_bytes message)
{
	struct at_digest mac = at_digest_keyed(key, message);

	at_hex_put(out, mac.byte, sizeof(mac.byte));
}

static bool refuse_target(struct at_error *err, const char *why, struct at_bytes target)
{
	struct at_buf shown = { 0 };

	at_grant_repr(&shown, target, 200);
	at_fail(err, AT_EINVALID, "grant target_path %s %s", at_buf_text(&shown), why);
	at_error_name(err, "grant-target");
	at_error_field(err, "target_path");
	at_buf_free(&shown);
	return false;
}

static bool has_parent_segment(const char *path)
{
	while (*path) {
		size_t len = strcspn(path, "/\\");

		if (len == 2 && path[0] == '.' && path[1] == '.')
			return true;
		path += len + (path[len] != '\0');
	}
	return false;
}

bool at_grant_target_check(struct at_bytes target, struct at_error *err)
{
	char path[PATH_MAX], plain[PATH_MAX];

	target = at_field_strip(target);
	if (target.len == 0) {
		at_fail(err, AT_EINVALID,
			"grant target_path is empty; a grant must name a scoped path");
		at_error_field(err, "target_path");
		return false;
	}
	if (at_field_check(target) != AT_FIELD_FINE || target.len >= sizeof(path))
		return refuse_target(err, "holds characters that no path of a "
			"grant may hold", target);
	memcpy(path, target.data, target.len);
	path[target.len] = '\0';
	if (*path == '~')
		return refuse_target(err, "is home-rooted; refusing a grant "
			"across the operator's home directory", target);
	if (!at_path_normalise(plain, path) || strcmp(plain, "/") == 0)
		return refuse_target(err, "would widen write access to the "
			"filesystem root", target);
	if (*path != '/' && has_parent_segment(path))
		return refuse_target(err, "escapes its workspace via '..'",
			target);
	if (has_parent_segment(path))
		return refuse_target(err, "leads through '..'; name the place "
			"itself", target);
	if (strcmp(plain, ".") == 0)
		return refuse_target(err, "is the whole workspace; a grant must "
			"name a scoped path", target);
	if (strpbrk(path, "$*?[]{}"))
		return refuse_target(err, "holds a wildcard or a variable; name "
			"one directory as it is", target);
	return true;
}

static bool to_path(char out[PATH_MAX], struct at_bytes text)
{
	if (text.len >= PATH_MAX || memchr(text.data, '\0', text.len))
		return false;
	memcpy(out, text.data, text.len);
	out[text.len] = '\0';
	return true;
}

bool at_grant_anchor_check(struct at_bytes issuer_root, struct at_bytes target,
	struct at_error *err)
{
	char root[PATH_MAX], path[PATH_MAX], real_root[PATH_MAX], real_path[PATH_MAX];
	struct at_bytes anchor = at_field_strip(issuer_root);
	struct at_buf shown = { 0 };

	target = at_field_strip(target);
	if (anchor.len == 0)
		return true;
	if (anchor.data[0] != '/' || !to_path(root, anchor)) {
		at_grant_repr(&shown, anchor, 200);
		at_fail(err, AT_EINVALID, "grant issuer_root %s is not an absolute path",
			at_buf_text(&shown));
	} else if (target.len == 0 || target.data[0] != '/') {
		return true;
	} else if (!to_path(path, target) || !at_path_physical(real_root, root) ||
		   !at_path_physical(real_path, path) || !at_path_is_inside(real_path, real_root)) {
		at_buf_puts(&shown, "grant target_path ");
		at_grant_repr(&shown, target, 200);
		at_buf_puts(&shown, " leads outside its issuer_root ");
		at_grant_repr(&shown, anchor, 200);
		at_fail(err, AT_EINVALID, "%s", at_buf_text(&shown));
	} else {
		return true;
	}
	at_error_name(err, "grant-anchor");
	at_error_field(err, "issuer_root");
	at_buf_free(&shown);
	return false;
}

void at_grant_repr(struct at_buf *out, struct at_bytes text, size_t cap)
{
	bool has_single = text.len && memchr(text.data, '\'', text.len);
	char quote = has_single && !memchr(text.data, '"', text.len) ? '"' : '\'';
	int32_t code;

	at_buf_putc(out, quote);
	for (size_t i = 0, len; i < cap && (len = at_utf8_next(text, i, &code)); i += len) {
		struct at_bytes one = { text.data + i, len };

		if (code == '\n' || code == '\r' || code == '\t')
			at_buf_printf(out, "\\%c", code == '\n' ? 'n' : code == '\r' ? 'r' : 't');
		else if (code < 0)
			at_buf_printf(out, "\\x%02x", (unsigned char)text.data[i]);
		else if (code == '\\' || code == quote)
			at_buf_printf(out, "\\%c", (char)code);
		else if (code != ' ' && (at_field_is_blank(one) || code == 0x7f || code < 0x20 ||
						at_field_check(one) != AT_FIELD_FINE) && code != '|')
			at_buf_printf(out, code < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)code);
		else
			at_buf_put(out, one.data, one.len);
	}
	if (text.len > cap)
		at_buf_puts(out, "…");
	at_buf_putc(out, quote);
}

const char at_grant_no_roster[] =
	"cross-workspace grant authorization requires an explicit approver roster; "
	"references/security-approvers.txt is absent or names no approver (refusing the built-in "
	"security/@security self-clear fallback — add at least one approver to the roster before "
	"issuing or honouring a grant)";

const char at_grant_no_key[] = AT_GRANT_HMAC_KEY_ENV
	" is not set; refusing to sign or verify a capability grant without a signing key "
	"(fail-closed).";

const char at_grant_latency_note[] =
	"A grant opens its path at the next --update, and a revoked or expired one closes it at the "
	"next --update: until then the sandbox stays as it was written. It never overrides a HALT.";

void at_grant_fail_roster(struct at_error *err, struct at_bytes approver)
{
	struct at_buf shown = { 0 };

	at_grant_repr(&shown, approver, 200);
	at_fail(err, AT_EREFUSED, "grant approver %s is not on the security-approver roster "
		"(references/security-approvers.txt)", at_buf_text(&shown));
	at_error_name(err, "grant-approver");
	at_error_field(err, "approver");
	at_buf_free(&shown);
}

void at_grant_fail_hmac_write(struct at_error *err, struct at_bytes grant_id)
{
	struct at_buf shown = { 0 };

	at_grant_repr(&shown, grant_id, 80);
	at_fail(err, AT_EREFUSED, "grant %s permits 'write' but is hmac-signed: whoever can read the "
		"key could have made it. REFUSED. Migrate: re-issue it with an operator's Ed25519 key "
		"by --sign-grant SPEC.json", at_buf_text(&shown));
	at_error_name(err, "grant-hmac-write");
	at_error_hint(err, "--sign-grant with the same values and a key_id of the team's store.");
	at_buf_free(&shown);
}

void at_grant_uses_note(struct at_buf *out, struct at_bytes grant_id, int64_t max_uses)
{
	at_buf_puts(out, "NOTE: grant ");
	at_grant_repr(out, grant_id, 80);
	at_buf_printf(out, " sets max_uses=%lld; the use counter is validated but not consumed by "
		"generation-time widening (expiry is the active bound). Use a short expires_at to "
		"limit the window.", (long long)max_uses);
}
