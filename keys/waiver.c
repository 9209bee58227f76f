#include "keys/waiver.h"

#include <string.h>
#include <strings.h>

#include "core/digest.h"
#include "core/mem.h"
#include "keys/decision.h"
#include "keys/field.h"
#include "keys/isotime.h"

static const char *const names[AT_WAIVER_FIELDS] = {
	"waiver_id",
	"action_reviewed",
	"expires_at",
	"max_uses",
	"uses",
	"approver",
	"ticket_id",
	"reason_code",
	"conditions_verified",
};

bool at_waivers_load(struct at_waivers *out, struct at_arena *arena, int root, struct at_error *err)
{
	bool is_known = true;

	*out = (struct at_waivers){ 0 };
	if (!at_table_load(&out->table, arena, root, AT_WAIVERS, err))
		return false;
	if (!out->table.exists)
		return true;
	for (size_t i = 0; i < AT_WAIVER_FIELDS; i++) {
		out->column[i] = at_table_column(&out->table, names[i]);
		is_known &= out->column[i] != AT_NO_COLUMN;
	}
	out->signature = at_table_column(&out->table, "signature");
	is_known &= out->signature != AT_NO_COLUMN && !out->table.is_padded
		&& at_table_column(&out->table, "timestamp") != AT_NO_COLUMN;
	if (is_known)
		return true;
	at_fail(err, AT_EPARSE,
		"security waiver log is malformed: expected header timestamp,"
		"waiver_id,action_reviewed,expires_at,max_uses,uses,approver,ticket_id,reason_code,"
		"conditions_verified,signature");
	at_error_path(err, AT_WAIVERS);
	at_error_name(err, "waivers-malformed");
	return false;
}

static void read_row(struct at_waiver *out, const struct at_waivers *waivers, size_t row)
{
	const struct at_table_row *from = &waivers->table.rows[row];

	out->row = row;
	for (size_t i = 0; i < AT_WAIVER_FIELDS; i++)
		out->field[i] = at_field_strip(at_table_cell(from, waivers->column[i]));
	out->signature = at_field_strip(at_table_cell(from, waivers->signature));
}

bool at_waiver_find(struct at_waiver *out, const struct at_waivers *waivers, struct at_bytes action)
{
	for (size_t i = waivers->table.count; i-- > 0;) {
		const struct at_table_row *row = &waivers->table.rows[i];

		if (row->is_torn
			|| !at_action_matches(
				at_table_cell(row, waivers->column[AT_WAIVER_ACTION]), action))
			continue;
		read_row(out, waivers, i);
		return true;
	}
	return false;
}

static struct at_digest seal(const struct at_waiver *waiver, struct at_bytes key)
{
	struct at_buf payload = { 0 };
	struct at_digest digest;

	at_field_join(&payload, waiver->field, AT_WAIVER_FIELDS);
	digest = at_digest_keyed(key, at_buf_bytes(&payload));
	at_buf_free(&payload);
	return digest;
}

static bool check_signature(
	const struct at_waiver *waiver, struct at_bytes key, struct at_error *err)
{
	struct at_digest mine, given;

	for (size_t i = 0; i < AT_WAIVER_FIELDS; i++) {
		enum at_field_fault fault = at_field_check(waiver->field[i]);

		if (fault)
			return at_fail(err, AT_EREFUSED, "waiver is ambiguous: `%s` %s", names[i],
				at_field_fault_text(fault));
	}
	if (!key.len)
		return at_fail(err, AT_EREFUSED, "waiver signing key is not configured");
	mine = seal(waiver, key);
	if (!at_hex_get(given.byte, sizeof(given.byte), waiver->signature)
		|| !at_digest_equal(&mine, &given))
		return at_fail(err, AT_EREFUSED, "waiver signature verification failed");
	return true;
}

/* `Z` or `+01:00`. Without one the Python tool fails in a waiver and reads UTC in a grant. */
static bool has_offset(struct at_bytes text)
{
	size_t at = 0;

	while (at < text.len && text.data[at] != 'T' && text.data[at] != ' ')
		at++;
	for (; at < text.len; at++)
		if (strchr("+-Z", text.data[at]) && text.data[at])
			return true;
	return false;
}

static bool check_time(const struct at_waiver *waiver, int64_t now, struct at_error *err)
{
	struct at_time until;

	if (!has_offset(waiver->field[AT_WAIVER_EXPIRES])
		|| !at_time_read(&until, waiver->field[AT_WAIVER_EXPIRES], NULL))
		return at_fail(
			err, AT_EREFUSED, "waiver expires_at is not a valid ISO-8601 timestamp");
	return until.seconds > now || at_fail(err, AT_EREFUSED, "waiver has expired");
}

static bool parse_count(long *out, struct at_bytes text)
{
	*out = 0;
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] < '0' || text.data[i] > '9' || i > 9)
			return false;
		*out = *out * 10 + (text.data[i] - '0');
	}
	return *out <= INT32_MAX;
}

static bool check_uses(const struct at_waiver *waiver, struct at_error *err)
{
	long most, uses;

	if (!parse_count(&most, waiver->field[AT_WAIVER_MAX_USES])
		|| !parse_count(&uses, waiver->field[AT_WAIVER_USES]))
		return at_fail(err, AT_EREFUSED, "waiver use counters are not numeric");
	return uses < most || at_fail(err, AT_EREFUSED, "waiver use limit has been reached");
}

static bool check_approver(
	const struct at_waiver *waiver, const struct at_approvers *approvers, struct at_error *err)
{
	struct at_bytes approver = waiver->field[AT_WAIVER_APPROVER];
	struct at_buf list = { 0 };

	if (at_roster_has(&approvers->roster, approver))
		return true;
	at_approvers_print(&list, approvers, false);
	at_fail(err, AT_EREFUSED,
		"waiver approver '%.*s' is not on the approved roster (%s); see " AT_APPROVERS,
		(int)approver.len, approver.data, at_buf_text(&list));
	at_buf_free(&list);
	return false;
}

bool at_waiver_check(const struct at_waiver *waiver, const struct at_approvers *approvers,
	struct at_bytes key, int64_t now, struct at_error *err)
{
	const struct at_bytes *field = waiver->field;

	if (!check_signature(waiver, key, err))
		return false;
	if (field[AT_WAIVER_CONDITIONS].len != 8
		|| strncasecmp(field[AT_WAIVER_CONDITIONS].data, "verified", 8) != 0)
		return at_fail(err, AT_EREFUSED, "waiver conditions are not verified");
	if (!field[AT_WAIVER_APPROVER].len || !field[AT_WAIVER_TICKET].len
		|| !field[AT_WAIVER_REASON].len)
		return at_fail(
			err, AT_EREFUSED, "waiver is missing approver, ticket_id, or reason_code");
	return check_approver(waiver, approvers, err) && check_time(waiver, now, err)
		&& check_uses(waiver, err);
}

void at_waiver_spend(struct at_waivers *waivers, struct at_arena *arena,
	const struct at_waiver *waiver, struct at_bytes key)
{
	struct at_table_row *row = &waivers->table.rows[waiver->row];
	struct at_waiver used = *waiver;
	char hex[AT_DIGEST_HEX];
	struct at_digest digest;
	long uses = 0;

	parse_count(&uses, waiver->field[AT_WAIVER_USES]);
	used.field[AT_WAIVER_USES] = at_bytes_of(at_arena_printf(arena, "%ld", uses + 1));
	digest = seal(&used, key);
	at_digest_hex(hex, &digest);
	at_table_set(row, waivers->column[AT_WAIVER_USES], used.field[AT_WAIVER_USES]);
	at_table_set(row, waivers->signature, at_bytes_of(at_arena_strdup(arena, hex)));
}
