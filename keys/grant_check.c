#include "keys/grant_check.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "keys/field.h"

/* One row while it is judged. */
struct judged {
	struct at_grant_verdict *out;
	struct at_grant_ground *ground;
	const struct at_ledger_row *row;
	const struct at_bytes *cells;
	struct at_error *err;
};

static bool fail_named(struct judged *j, const char *after)
{
	struct at_buf shown = { 0 };

	at_grant_repr(&shown, at_field_strip(j->cells[AT_GRANT_ID]), 80);
	at_fail(j->err, AT_EINVALID, "grant %s %s", at_buf_text(&shown), after);
	at_buf_free(&shown);
	return false;
}

static bool has_fields(struct judged *j)
{
	for (unsigned c = AT_GRANT_ID; c <= AT_GRANT_REASON; c++) {
		if (!at_field_is_blank(j->cells[c]))
			continue;
		at_fail(j->err, AT_EINVALID, "grant is missing required field '%s'",
			at_grant_kind.columns[c]);
		at_error_field(j->err, at_grant_kind.columns[c]);
		return false;
	}
	return true;
}

static const unsigned char signed_columns[] = {
	AT_GRANT_ID, AT_GRANT_ISSUER, AT_GRANT_HOLDER, AT_GRANT_TARGET, AT_GRANT_OPS,
	AT_GRANT_EXPIRES, AT_GRANT_MAX_USES, AT_GRANT_USES, AT_GRANT_APPROVER, AT_GRANT_TICKET,
	AT_GRANT_REASON, AT_GRANT_ISSUER_ROOT, AT_GRANT_PREV, AT_GRANT_SCHEME, AT_GRANT_KEY_ID,
};

/* Printable ASCII without the delimiter needs no closer look: almost every cell. */
static bool is_plain(struct at_bytes value)
{
	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)(value.data[i] - 0x20) > 0x5e || value.data[i] == '|')
			return false;
	return true;
}

static bool is_clear(struct judged *j)
{
	for (size_t i = 0; i < AT_LEN(signed_columns); i++) {
		unsigned c = signed_columns[i];
		struct at_buf text = { 0 };
		enum at_field_fault fault;

		if (is_plain(j->cells[c]))
			continue;
		fault = at_field_check(at_field_strip(j->cells[c]));
		if (fault == AT_FIELD_FINE)
			continue;
		at_buf_printf(&text, "is ambiguous: its %s %s", at_grant_kind.columns[c],
			at_field_fault_text(fault));
		fail_named(j, at_buf_text(&text));
		at_error_field(j->err, at_grant_kind.columns[c]);
		at_error_name(j->err, "grant-ambiguous");
		at_buf_free(&text);
		return false;
	}
	return true;
}

static bool has_scheme(struct judged *j)
{
	if (!j->out->writes || j->out->scheme == AT_GRANT_ED25519)
		return true;
	at_grant_fail_hmac_write(j->err, at_field_strip(j->cells[AT_GRANT_ID]));
	return false;
}

/* The digits of `text` in lower case against `mac`, in constant time. */
static bool is_mac(const struct at_digest *mac, struct at_bytes text)
{
	struct at_digest given;
	unsigned char differs = 0;

	if (!at_hex_get(given.byte, sizeof(given.byte), text))
		return false;
	for (size_t i = 0; i < sizeof(given.byte); i++)
		differs |= (unsigned char)(given.byte[i] ^ mac->byte[i]);
	return differs == 0;
}

static bool is_sealed(struct judged *j)
{
	struct at_bytes signature = at_field_strip(j->cells[AT_GRANT_SIGNATURE]);
	struct at_digest mac;

	if (j->ground->hmac_key.len == 0) {
		at_fail(j->err, AT_EREFUSED, "%s", at_grant_no_key);
		at_error_name(j->err, "grant-no-key");
		return false;
	}
	mac = at_digest_keyed(j->ground->hmac_key, j->row->payload);
	return is_mac(&mac, signature) || fail_named(j, "has an invalid signature");
}

static bool fail_key(struct judged *j, const char *why)
{
	struct at_buf text = { 0 };

	at_buf_printf(&text, "cannot be Ed25519-verified: %s", why);
	fail_named(j, at_buf_text(&text));
	at_error_name(j->err, "grant-key");
	at_error_field(j->err, "key_id");
	at_buf_free(&text);
	return false;
}

/* Keys, and their absence, are remembered by id: a file is read once for all rows of one signer. */
static const struct at_public_key *key_of(struct judged *j, struct at_bytes id)
{
	struct at_grant_ground *g = j->ground;
	size_t at = 0;

	if (!at_key_id_is_sound(id))
		return fail_key(j, "its key_id is no name of a key"), NULL;
	if (!g->cache)
		g->cache = at_alloc(AT_GRANT_KEY_CACHE * sizeof(*g->cache));
	while (at < g->cached && !at_bytes_equal_text(id, g->cache[at].key_id))
		at++;
	if (at == g->cached) {
		if (g->cached < AT_GRANT_KEY_CACHE)
			g->cached++;
		else
			at = g->cache_turn++ % AT_GRANT_KEY_CACHE;
		memset(&g->cache[at], 0, sizeof(g->cache[at]));
		memcpy(g->cache[at].key_id, id.data, id.len);
		g->cache[at].found = g->keys.find && g->keys.find(g->keys.context,
			&g->cache[at].key, g->cache[at].key_id, &g->cache[at].why);
	}
	if (!g->cache[at].found) {
		struct at_buf why = { 0 };

		at_buf_printf(&why, "no key `%s` in the team's store", g->cache[at].key_id);
		if (*g->cache[at].why.message)
			at_buf_printf(&why, ": %s", g->cache[at].why.message);
		fail_key(j, at_buf_text(&why));
		at_buf_free(&why);
		return NULL;
	}
	return &g->cache[at].key;
}

static bool is_signed(struct judged *j)
{
	const struct at_public_key *key;
	struct at_signature signature;

	if (j->out->scheme == AT_GRANT_HMAC)
		return is_sealed(j);
	if (j->out->scheme == AT_GRANT_UNKNOWN) {
		struct at_buf text = { 0 };

		at_buf_puts(&text, "declares unknown sig_scheme ");
		at_grant_repr(&text, at_field_strip(j->cells[AT_GRANT_SCHEME]), 80);
		fail_named(j, at_buf_text(&text));
		at_buf_free(&text);
		return false;
	}
	key = key_of(j, at_field_strip(j->cells[AT_GRANT_KEY_ID]));
	if (!key)
		return false;
	return (at_hex_get(signature.byte, sizeof(signature.byte),
			at_field_strip(j->cells[AT_GRANT_SIGNATURE])) &&
		       at_ed25519_verify(key, j->row->message, &signature)) ||
	       fail_named(j, "has an invalid signature");
}

static bool has_date(struct judged *j)
{
	struct at_bytes text = j->cells[AT_GRANT_EXPIRES];
	struct at_error why = { 0 };
	struct at_buf after = { 0 };

	j->out->has_expiry = at_time_read(&j->out->expires, text, &why);
	if (j->out->has_expiry) {
		j->out->days_left = at_time_days(j->ground->now, j->out->expires);
		return true;
	}
	at_buf_puts(&after, "has a malformed expires_at (");
	at_grant_repr(&after, text, 80);
	at_buf_printf(&after, "): %s", why.message);
	fail_named(j, at_buf_text(&after));
	at_error_field(j->err, "expires_at");
	at_buf_free(&after);
	return false;
}

static bool is_to_come(struct judged *j)
{
	struct at_bytes text = j->cells[AT_GRANT_EXPIRES];
	struct at_buf after = { 0 };

	if (at_time_is_after(j->out->expires, j->ground->now))
		return true;
	at_buf_printf(&after, "has expired (%.*s)", (int)(text.len < 80 ? text.len : 80), text.data);
	fail_named(j, at_buf_text(&after));
	at_error_field(j->err, "expires_at");
	at_buf_free(&after);
	return false;
}

/* An integer as Python's int() reads one of ASCII digits; one too large is the largest. */
static bool integer(int64_t *out, struct at_bytes text)
{
	bool is_negative, after_digit = false;
	size_t i;

	text = at_field_strip(text);
	is_negative = text.len && text.data[0] == '-';
	i = text.len && (is_negative || text.data[0] == '+');
	for (*out = 0; i < text.len; i++) {
		char c = text.data[i];

		if (c == '_' && after_digit) {
			after_digit = false;
			continue;
		}
		if (c < '0' || c > '9')
			return false;
		after_digit = true;
		*out = *out > (INT64_MAX - 9) / 10 ? INT64_MAX : *out * 10 + (c - '0');
	}
	*out = is_negative ? -*out : *out;
	return after_digit;
}

static bool has_numbers(struct judged *j)
{
	int64_t ignored;

	return (integer(&ignored, j->cells[AT_GRANT_MAX_USES]) &&
		       integer(&ignored, j->cells[AT_GRANT_USES])) ||
	       fail_named(j, "has non-integer max_uses/uses");
}

/* A negative count of uses was let pass by the reference. */
static bool has_uses(struct judged *j)
{
	struct at_buf after = { 0 };
	int64_t most, uses;

	integer(&most, j->cells[AT_GRANT_MAX_USES]);
	integer(&uses, j->cells[AT_GRANT_USES]);
	if (most > 0 && uses >= 0 && uses < most)
		return true;
	at_buf_printf(&after, "is exhausted (uses=%lld, max_uses=%lld)", (long long)uses,
		(long long)most);
	fail_named(j, at_buf_text(&after));
	at_error_field(j->err, "max_uses");
	at_buf_free(&after);
	return false;
}

static bool is_approved(struct judged *j)
{
	struct at_bytes approver = at_field_strip(j->cells[AT_GRANT_APPROVER]);

	if (!j->ground->roster || !j->ground->roster->exists || !j->ground->roster->count) {
		at_fail(j->err, AT_EREFUSED, "%s", at_grant_no_roster);
		at_error_name(j->err, "grant-no-roster");
		return false;
	}
	if (at_roster_has(j->ground->roster, approver))
		return true;
	at_grant_fail_roster(j->err, approver);
	return false;
}

static bool has_target(struct judged *j)
{
	return at_grant_target_check(j->out->target, j->err);
}

static bool is_anchored(struct judged *j)
{
	return at_grant_anchor_check(j->cells[AT_GRANT_ISSUER_ROOT], j->out->target, j->err);
}

/* The order of reference-ledgers 1.8; CLEAR, TARGET and ANCHOR are section 5's. */
static const struct {
	bool (*holds)(struct judged *j);
	const char *name, *help;
} checks[AT_GRANT_CHECKS] = {
	[AT_GRANT_CHECK_FIELDS] = { has_fields, "fields", "no field that has to be there is blank" },
	[AT_GRANT_CHECK_CLEAR] = { is_clear, "clear text",
		"no delimiter, control or hiding character in what is signed" },
	[AT_GRANT_CHECK_SCHEME] = { has_scheme, "scheme", "a grant to write is signed by Ed25519" },
	[AT_GRANT_CHECK_SIGNATURE] = { is_signed, "signature",
		"the signature is that of these values, by a key of the team's store" },
	[AT_GRANT_CHECK_DATE] = { has_date, "date", "expires_at is a time" },
	[AT_GRANT_CHECK_EXPIRY] = { is_to_come, "expiry", "expires_at is to come" },
	[AT_GRANT_CHECK_NUMBERS] = { has_numbers, "numbers", "max_uses and uses are integers" },
	[AT_GRANT_CHECK_USES] = { has_uses, "uses", "uses are left; nothing consumes them" },
	[AT_GRANT_CHECK_APPROVER] = { is_approved, "approver",
		"the approver stands on the team's roster" },
	[AT_GRANT_CHECK_TARGET] = { has_target, "target",
		"the target is one place: no root, home, `..`, variable or wildcard" },
	[AT_GRANT_CHECK_ANCHOR] = { is_anchored, "anchor",
		"an absolute target leads into issuer_root, where one is given" },
};

/* What each mode asks; the rest stays AT_GRANT_NOT_REACHED. */
static const unsigned asked[] = {
	[AT_GRANT_FULL] = ~0u,
	[AT_GRANT_MIGRATION] = ~(1u << AT_GRANT_CHECK_SCHEME),
	[AT_GRANT_AUTHENTIC] = 1u << AT_GRANT_CHECK_SIGNATURE,
};

const char *at_grant_check_name(enum at_grant_check check)
{
	return checks[check].name;
}

const char *at_grant_check_help(enum at_grant_check check)
{
	return checks[check].help;
}

void at_grant_check(struct at_grant_verdict *out, struct at_grant_ground *ground,
	const struct at_ledger_row *row)
{
	struct judged j = { out, ground, row, row->cells, &out->fault };

	*out = (struct at_grant_verdict){ .failed = AT_GRANT_CHECKS };
	out->scheme = at_grant_scheme(row->cells);
	out->writes = at_grant_has_op(row->cells[AT_GRANT_OPS], "write");
	out->target = at_field_strip(row->cells[AT_GRANT_TARGET]);
	out->is_absolute = out->target.len && out->target.data[0] == '/';
	for (unsigned c = 0; c < AT_GRANT_CHECKS; c++) {
		bool holds;

		if (!(asked[ground->mode] >> c & 1))
			continue;
		holds = checks[c].holds(&j);
		out->results[c] = holds ? AT_GRANT_PASS : AT_GRANT_FAIL;
		if (holds)
			continue;
		out->failed = (enum at_grant_check)c;
		return;
	}
	out->is_valid = true;
	out->widens = ground->mode == AT_GRANT_FULL && out->writes &&
		      out->scheme == AT_GRANT_ED25519;
}

void at_grant_ground_free(struct at_grant_ground *ground)
{
	free(ground->cache);
	ground->cache = NULL;
	ground->cached = 0;
}
