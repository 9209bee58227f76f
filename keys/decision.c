#include "keys/decision.h"

#include <string.h>
#include <strings.h>

#include "core/mem.h"
#include "keys/decision_row.h"
#include "keys/field.h"
#include "keys/roster.h"

#define GRANT_TAG "agentteams-grant-v1"

const char *const at_extension_names[AT_EXT_COUNT] = {
	"scope",
	"effect_class",
	"effect_grants",
	"effect_targets",
	"effect_relaxes",
	"effect_destructive",
	"effect_cross_repo",
	"effect_bulk",
};

static const char *const legacy[] = { "timestamp", "requesting_agent", "action_reviewed", "verdict",
	"conditions", "conditions_verified", NULL };
static const char *const current[] = { "date", "plan_slug", "step", "decision", "status",
	"conditions", "conditions_verified", "evidence", "owner", NULL };
/* What the rows of --sign-decision cannot do without. */
static const char *const signed_form[] = { "date", "action_reviewed", "verdict",
	"conditions_verified", "author", "derives_from", "sig_scheme", "key_id", "prev_digest",
	"signature", NULL };
static const char *const *const forms[] = { legacy, current, signed_form };

static bool has_all(const struct at_table *table, const char *const *names)
{
	for (; *names; names++)
		if (at_table_column(table, *names) == AT_NO_COLUMN)
			return false;
	return true;
}

static bool check_header(const struct at_table *table, struct at_error *err)
{
	bool is_known = false;

	for (size_t i = 0; i < AT_LEN(forms); i++)
		is_known |= has_all(table, forms[i]);
	if (is_known && !table->is_padded)
		return true;
	at_fail(err, AT_EPARSE,
		"security decisions log is malformed: expected either the legacy "
		"header timestamp,requesting_agent,action_reviewed,verdict,conditions,"
		"conditions_verified or the current repository header date,plan_slug,step,decision,"
		"status,conditions,conditions_verified,evidence,owner");
	at_error_at(err, 1, 0);
	at_error_name(err, "decisions-malformed");
	if (is_known)
		at_error_hint(err, "A name in its header has space around it.");
	return false;
}

static bool is_word(struct at_bytes text, const char *word)
{
	return text.len == strlen(word) && strncasecmp(text.data, word, text.len) == 0;
}

/* The first of two columns that is not empty, as it stands: the Python tool's `or`. */
static struct at_bytes either(
	const struct at_bytes *cells, enum at_decision_column first, enum at_decision_column second)
{
	return cells[first].len ? cells[first] : cells[second];
}

static struct at_bytes author_cell(const struct at_bytes *cells)
{
	static const enum at_decision_column columns[] = { AT_DECISION_REQUESTING,
		AT_DECISION_OWNER, AT_DECISION_AUTHOR };
	struct at_bytes cell = { "", 0 };

	for (size_t i = 0; i < AT_LEN(columns) && at_field_is_blank(cell); i++)
		cell = cells[columns[i]];
	return cell;
}

static enum at_verdict verdict_of(struct at_bytes text)
{
	static const struct {
		const char *word;
		enum at_verdict verdict;
	} words[] = {
		{ "PASS", AT_VERDICT_PASS },
		{ "CONDITIONAL PASS", AT_VERDICT_CONDITIONAL },
		{ "HALT", AT_VERDICT_HALT },
		{ "HALT-RETRACTED", AT_VERDICT_RETRACTED },
		{ "USED", AT_VERDICT_USED },
	};

	for (size_t i = 0; i < AT_LEN(words); i++)
		if (is_word(text, words[i].word))
			return words[i].verdict;
	return AT_VERDICT_OTHER;
}

bool at_verdict_authorises(enum at_verdict verdict)
{
	return verdict == AT_VERDICT_PASS || verdict == AT_VERDICT_CONDITIONAL
		|| verdict == AT_VERDICT_RETRACTED;
}

static enum at_consumed consumed_of(struct at_bytes text)
{
	static const struct {
		const char *word;
		enum at_consumed means;
	} words[] = {
		{ "", AT_CONSUMED_NO },
		{ "no", AT_CONSUMED_NO },
		{ "false", AT_CONSUMED_NO },
		{ "0", AT_CONSUMED_NO },
		{ "yes", AT_CONSUMED_YES },
		{ "true", AT_CONSUMED_YES },
		{ "1", AT_CONSUMED_YES },
	};

	for (size_t i = 0; i < AT_LEN(words); i++)
		if (is_word(text, words[i].word))
			return words[i].means;
	return AT_CONSUMED_UNCLEAR;
}

/* An empty link, or a digest: anything else would be a place to hide a field in. */
static bool is_link(struct at_bytes text)
{
	unsigned char digest[32];

	return text.len == 0 || at_hex_get(digest, sizeof(digest), text);
}

/* All that may stand between two `|` of what is signed, raw, in the payload's order. */
static void find_ambiguity(struct at_decision *row, struct at_arena *arena, struct at_bytes author)
{
	const struct {
		const char *name;
		struct at_bytes value;
	} fields[] = {
		{ "date", row->date },
		{ "action", row->action },
		{ "verdict", row->verdict },
		{ "conditions_verified", row->conditions_verified },
		{ "author", at_field_strip(author) },
		{ "prev_digest", row->prev_digest },
		{ "derives_from", row->derives_from },
		{ "sig_scheme", row->scheme },
		{ "key_id", row->key_id },
	};
	enum at_field_fault fault = AT_FIELD_FINE;
	const char *name = NULL;

	for (size_t i = 0; i < AT_LEN(fields) && !fault; i++) {
		fault = at_field_check(fields[i].value);
		name = fields[i].name;
	}
	for (size_t i = 0; i < AT_EXT_COUNT && !fault; i++) {
		fault = at_field_check(row->extension[i]);
		name = at_extension_names[i];
	}
	if (fault)
		row->ambiguous =
			at_arena_printf(arena, "`%s` %s", name, at_field_fault_text(fault));
	else if (!is_link(row->prev_digest))
		row->ambiguous = "`prev_digest` is no digest";
}

static struct at_bytes author_of(struct at_arena *arena, struct at_bytes cell)
{
	struct at_bytes name = at_field_strip(at_bytes_of(at_roster_name(arena, cell)));
	char *lower;

	if (name.len)
		return name;
	cell = at_field_strip(cell); /* nothing but `@` */
	lower = at_arena_strndup(arena, cell.data, cell.len);
	return (struct at_bytes){ lower, cell.len };
}

void at_decision_of_cells(
	struct at_decision *out, struct at_arena *arena, const struct at_bytes *cells)
{
	const struct {
		struct at_bytes *to;
		enum at_decision_column column;
	} plain[] = {
		{ &out->conditions_verified, AT_DECISION_VERIFIED },
		{ &out->prev_digest, AT_DECISION_PREV },
		{ &out->derives_from, AT_DECISION_DERIVES },
		{ &out->scheme, AT_DECISION_SCHEME },
		{ &out->key_id, AT_DECISION_KEY_ID },
		{ &out->signature, AT_DECISION_SIGNATURE },
		{ &out->extension[AT_EXT_SCOPE], AT_DECISION_SCOPE },
	};
	struct at_bytes author = author_cell(cells);

	for (size_t i = 0; i < AT_LEN(plain); i++)
		*plain[i].to = at_field_strip(cells[plain[i].column]);
	for (size_t i = AT_EXT_CLASS; i < AT_EXT_COUNT; i++)
		out->extension[i] = at_field_strip(cells[AT_DECISION_EFFECTS + i - AT_EXT_CLASS]);
	out->date = at_field_strip(either(cells, AT_DECISION_DATE, AT_DECISION_TIMESTAMP));
	out->action = at_field_strip(either(cells, AT_DECISION_ACTION, AT_DECISION_DECISION));
	out->verdict = at_field_strip(either(cells, AT_DECISION_VERDICT, AT_DECISION_STATUS));
	out->evidence = at_field_strip(either(cells, AT_DECISION_EVIDENCE, AT_DECISION_CONDITIONS));
	out->author = author_of(arena, author);
	out->kind = verdict_of(out->verdict);
	out->consumed = consumed_of(at_field_strip(cells[AT_DECISION_CONSUMED]));
	find_ambiguity(out, arena, author);
}

bool at_decisions_read(struct at_decisions *out, struct at_arena *arena,
	const struct at_table *table, struct at_error *err)
{
	size_t columns[AT_DECISION_COLUMNS];
	struct at_bytes cells[AT_DECISION_COLUMNS];

	*out = (struct at_decisions){ .table = *table };
	if (!table->exists)
		return true;
	if (!check_header(table, err))
		return false;
	out->has_signature = at_table_column(table, "signature") != AT_NO_COLUMN;
	out->has_chain = at_table_column(table, "prev_digest") != AT_NO_COLUMN;
	out->has_lineage = at_table_column(table, "derives_from") != AT_NO_COLUMN;
	out->count = table->count;
	out->rows = at_arena_alloc(arena, (table->count + 1) * sizeof(*out->rows));
	for (size_t k = 0; k < AT_DECISION_COLUMNS; k++)
		columns[k] = at_table_column(table, at_decision_columns[k]);
	for (size_t i = 0; i < table->count; i++) {
		for (size_t k = 0; k < AT_DECISION_COLUMNS; k++)
			cells[k] = at_table_cell(&table->rows[i], columns[k]);
		at_decision_of_cells(&out->rows[i], arena, cells);
		out->rows[i].number = i + 1;
		out->rows[i].line = table->rows[i].line;
		out->rows[i].is_torn = table->rows[i].is_torn;
	}
	at_decisions_index(out, arena);
	return true;
}

bool at_decisions_load(
	struct at_decisions *out, struct at_arena *arena, int root, struct at_error *err)
{
	struct at_table table;

	*out = (struct at_decisions){ 0 };
	if (!at_table_load(&table, arena, root, AT_DECISIONS, err))
		return false;
	if (at_decisions_read(out, arena, &table, err))
		return true;
	at_error_path(err, AT_DECISIONS);
	return false;
}

static void put_labelled(struct at_buf *out, const char *name, struct at_bytes value)
{
	if (!value.len)
		return;
	at_buf_printf(out, "|%s=", name);
	at_buf_put(out, value.data, value.len);
}

void at_decision_payload(struct at_buf *out, const struct at_decision *row)
{
	const struct at_bytes fields[] = { row->date, row->action, row->verdict,
		row->conditions_verified, row->author, row->prev_digest };

	at_field_join(out, fields, AT_LEN(fields));
	put_labelled(out, "derives_from", row->derives_from);
	put_labelled(out, "sig_scheme", row->scheme);
	put_labelled(out, "key_id", row->key_id);
}

void at_decision_payload_extended(struct at_buf *out, const struct at_decision *row)
{
	at_decision_payload(out, row);
	for (size_t i = 0; i < AT_EXT_COUNT; i++)
		put_labelled(out, at_extension_names[i], row->extension[i]);
}

bool at_decision_is_extended(const struct at_decision *row)
{
	for (size_t i = 0; i < AT_EXT_COUNT; i++)
		if (row->extension[i].len)
			return true;
	return false;
}

struct at_digest at_decision_digest(const struct at_decision *row)
{
	struct at_buf payload = { 0 };
	struct at_digest digest;

	at_decision_payload(&payload, row);
	digest = at_digest_of(at_buf_bytes(&payload));
	at_buf_free(&payload);
	return digest;
}

bool at_decisions_check_chain(const struct at_decisions *decisions, struct at_error *err)
{
	char wanted[AT_DIGEST_HEX] = "";

	if (!decisions->has_chain)
		return true;
	for (size_t i = 0; i < decisions->count; i++) {
		const struct at_decision *row = &decisions->rows[i];
		struct at_digest digest;

		if (row->is_torn)
			continue;
		if (!at_bytes_equal_text(row->prev_digest, wanted)) {
			at_fail(err, AT_EREFUSED,
				"security decision log chain broken at row %zu: "
				"prev_digest is '%.*s', expected '%s'. A row has been removed, "
				"reordered, or edited.",
				row->number, (int)row->prev_digest.len, row->prev_digest.data,
				wanted);
			at_error_name(err, "decisions-chain");
			return false;
		}
		digest = at_decision_digest(row);
		at_digest_hex(wanted, &digest);
	}
	return true;
}

bool at_seal_holds(enum at_seal seal)
{
	return seal == AT_SEAL_HMAC || seal == AT_SEAL_ED25519;
}

const char *at_seal_name(enum at_seal seal)
{
	static const char *const names[AT_SEAL_COUNT] = {
		[AT_SEAL_HMAC] = "hmac",
		[AT_SEAL_ED25519] = "ed25519",
		[AT_SEAL_NONE] = "unsigned",
		[AT_SEAL_WRONG] = "wrong signature",
		[AT_SEAL_NO_KEY] = "hmac key not set",
		[AT_SEAL_NO_VERIFY_KEY] = "no verify key",
		[AT_SEAL_SCHEME] = "unknown scheme",
		[AT_SEAL_TAG] = "reads as a grant",
		[AT_SEAL_OUTSIDE] = "scope or effect unsigned",
	};

	return names[seal];
}

/* A grant's signature covers its tag and `|` first: no decision may begin so. */
static bool begins_as_grant(struct at_bytes payload)
{
	size_t len = sizeof(GRANT_TAG) - 1;

	return payload.len >= len && memcmp(payload.data, GRANT_TAG, len) == 0
		&& (payload.len == len || payload.data[len] == '|');
}

static bool verifies(const struct at_decision *row, struct at_bytes payload, struct at_bytes hmac,
	const struct at_public_key *key)
{
	struct at_signature signature;
	struct at_digest mine, given;

	if (key)
		return at_hex_get(signature.byte, sizeof(signature.byte), row->signature)
			&& at_ed25519_verify(key, payload, &signature);
	mine = at_digest_keyed(hmac, payload);
	return at_hex_get(given.byte, sizeof(given.byte), row->signature)
		&& at_digest_equal(&mine, &given);
}

static enum at_seal seal_with(
	const struct at_decision *row, struct at_bytes hmac, const struct at_public_key *key)
{
	struct at_buf plain = { 0 }, extended = { 0 };
	enum at_seal seal = AT_SEAL_WRONG;

	at_decision_payload(&plain, row);
	at_decision_payload_extended(&extended, row);
	if (begins_as_grant(at_buf_bytes(&plain)))
		seal = AT_SEAL_TAG;
	else if (verifies(row, at_buf_bytes(&extended), hmac, key))
		seal = key ? AT_SEAL_ED25519 : AT_SEAL_HMAC;
	else if (at_decision_is_extended(row) && verifies(row, at_buf_bytes(&plain), hmac, key))
		seal = AT_SEAL_OUTSIDE;
	at_buf_free(&plain);
	at_buf_free(&extended);
	return seal;
}

static bool find_key(struct at_public_key *out, const struct at_decision *row,
	const struct at_decision_keys *keys, struct at_error *why)
{
	char id[AT_KEY_ID_CAP + 1];

	if (!at_key_id_is_sound(row->key_id))
		return at_fail(why, AT_EINVALID,
			"the row names no key, or one whose name is not made of letters, digits "
			"and `._-`");
	memcpy(id, row->key_id.data, row->key_id.len);
	id[row->key_id.len] = '\0';
	if (!keys->verify.find)
		return at_fail(why, AT_ENOENT, "the team has no verify keys");
	return keys->verify.find(keys->verify.context, out, id, why);
}

enum at_seal at_decision_seal(
	const struct at_decision *row, const struct at_decision_keys *keys, struct at_error *why)
{
	struct at_public_key key;

	if (!row->signature.len)
		return AT_SEAL_NONE;
	if (is_word(row->scheme, "ed25519"))
		return find_key(&key, row, keys, why) ? seal_with(row, keys->hmac, &key)
						      : AT_SEAL_NO_VERIFY_KEY;
	if (row->scheme.len && !is_word(row->scheme, "hmac"))
		return AT_SEAL_SCHEME;
	return keys->hmac.len ? seal_with(row, keys->hmac, NULL) : AT_SEAL_NO_KEY;
}

size_t at_decisions_unsigned(const struct at_decisions *decisions)
{
	size_t count = 0;

	for (size_t i = 0; i < decisions->count; i++) {
		const struct at_decision *row = &decisions->rows[i];
		bool is_spent = row->consumed == AT_CONSUMED_YES &&
				row->kind != AT_VERDICT_RETRACTED;

		count += at_verdict_authorises(row->kind) && !row->signature.len &&
			 !row->is_torn && !is_spent;
	}
	return count;
}
