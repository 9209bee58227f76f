#include "keys/decision_sign.h"

#include <string.h>

#include "core/control_plane.h"
#include "core/file.h"
#include "core/mem.h"
#include "keys/decision_row.h"
#include "keys/field.h"
#include "keys/gate.h"

/* A row in the making. */
struct signing {
	struct at_gate gate; /* with the new row at the end of its decisions */
	const struct at_clearance_ground *ground;
	const struct at_decision_spec *spec;
	struct at_arena *arena;
	struct at_decision_signed *out;
	struct at_bytes cells[AT_DECISION_COLUMNS];
	struct at_decision *row;
};

/* A decision belongs to a team: where nothing was emitted there is none. */
static bool check_team(const struct at_clearance_ground *ground, struct at_error *err)
{
	if (ground->team >= 0
		&& (at_file_type(ground->team, AT_SWITCH) == AT_FILE_REGULAR
			|| at_file_type(ground->team, AT_TEAM_MARKER) == AT_FILE_REGULAR))
		return true;
	at_fail(err, AT_ENOENT,
		"`%s` is no team: neither " AT_SWITCH " nor " AT_TEAM_MARKER " is there",
		ground->team_path);
	at_error_hint(err, "Run atconsole --update first, or name the team with --output.");
	return false;
}

/* A column that is not there would lose its cell, and the signature with it. The four of the Python
 * tool, and the chain's: a ledger that has rows and no chain cannot get one by a row at its end. */
static bool check_columns(const struct signing *in, struct at_error *err)
{
	static const enum at_decision_column needed[] = { AT_DECISION_SIGNATURE, AT_DECISION_SCHEME,
		AT_DECISION_KEY_ID, AT_DECISION_DERIVES, AT_DECISION_PREV };
	const struct at_table *table = &in->gate.decisions.table;
	bool is_needed[AT_DECISION_COLUMNS] = { false };

	if (!table->exists)
		return true;
	for (size_t i = 0; i < AT_LEN(needed); i++)
		is_needed[needed[i]] = true;
	for (size_t i = 0; i < AT_DECISION_COLUMNS; i++) {
		const char *name = at_decision_columns[i];

		if (!(is_needed[i] || in->cells[i].len)
			|| at_table_column(table, name) != AT_NO_COLUMN)
			continue;
		at_fail(err, AT_EREFUSED,
			"`" AT_DECISIONS "` has no column `%s`: a signed row would "
			"lose what its signature covers",
			name);
		at_error_hint(err,
			"Add signature, sig_scheme, key_id, derives_from and prev_digest, "
			"and what the row fills, to its header. Rows without a signature then clear "
			"nothing.");
		return false;
	}
	return true;
}

/* The spec's fields under the names that this ledger's header has. */
static void fill_cells(struct signing *in, struct at_time now, const char *prev)
{
	static const struct {
		enum at_decision_column to, other; /* the second where the header lacks the first */
		enum at_spec_field from;
	} places[] = {
		{ AT_DECISION_ACTION, AT_DECISION_DECISION, AT_SPEC_ACTION },
		{ AT_DECISION_VERDICT, AT_DECISION_STATUS, AT_SPEC_VERDICT },
		{ AT_DECISION_CONDITIONS, AT_DECISION_CONDITIONS, AT_SPEC_CONDITIONS },
		{ AT_DECISION_VERIFIED, AT_DECISION_VERIFIED, AT_SPEC_VERIFIED },
		{ AT_DECISION_EVIDENCE, AT_DECISION_EVIDENCE, AT_SPEC_EVIDENCE },
		{ AT_DECISION_DERIVES, AT_DECISION_DERIVES, AT_SPEC_DERIVES },
		{ AT_DECISION_KEY_ID, AT_DECISION_KEY_ID, AT_SPEC_KEY_ID },
		{ AT_DECISION_SCOPE, AT_DECISION_SCOPE, AT_SPEC_EXTENSION },
	};
	static const enum at_decision_column authors[] = { AT_DECISION_REQUESTING,
		AT_DECISION_OWNER, AT_DECISION_AUTHOR };
	const struct at_table *table = &in->gate.decisions.table;
	enum at_decision_column author = AT_DECISION_AUTHOR, date = AT_DECISION_DATE;
	struct at_buf text = { 0 };

	for (size_t i = 0; i < AT_DECISION_COLUMNS; i++)
		in->cells[i] = at_bytes_of("");
	for (size_t i = 0; i < AT_LEN(places); i++) {
		bool is_other = table->exists
			&& at_table_column(table, at_decision_columns[places[i].to])
				== AT_NO_COLUMN;

		in->cells[is_other ? places[i].other : places[i].to] =
			in->spec->field[places[i].from];
	}
	for (size_t i = AT_EXT_CLASS; i < AT_EXT_COUNT; i++)
		in->cells[AT_DECISION_EFFECTS + i - AT_EXT_CLASS] =
			in->spec->field[AT_SPEC_EXTENSION + i];
	for (size_t i = AT_LEN(authors); table->exists && i-- > 0;)
		if (at_table_column(table, at_decision_columns[authors[i]]) != AT_NO_COLUMN)
			author = authors[i];
	if (table->exists && at_table_column(table, "date") == AT_NO_COLUMN)
		date = AT_DECISION_TIMESTAMP;
	at_time_put(&text, now);
	in->out->date = at_arena_strdup(in->arena, at_buf_text(&text));
	at_buf_free(&text);
	in->cells[author] = in->spec->field[AT_SPEC_AUTHOR];
	in->cells[date] = at_bytes_of(in->out->date);
	in->cells[AT_DECISION_SCHEME] = at_bytes_of("ed25519");
	in->cells[AT_DECISION_PREV] =
		at_bytes_of(in->out->prev_digest = at_arena_strdup(in->arena, prev));
}

/* The decisions as they will be: the gate is asked about those. */
static void add_row(struct signing *in)
{
	struct at_decisions *decisions = &in->gate.decisions;
	struct at_decision *rows =
		at_arena_alloc(in->arena, (decisions->count + 1) * sizeof(*rows));
	size_t kept = 0;

	for (size_t i = 0; i < decisions->count; i++)
		if (!decisions->rows[i].is_torn)
			rows[kept++] = decisions->rows[i];
	in->row = &rows[kept];
	at_decision_of_cells(in->row, in->arena, in->cells);
	in->row->number = in->out->row = kept + 1;
	decisions->rows = rows;
	decisions->count = kept + 1;
	decisions->has_signature = in->gate.is_signing = true;
	decisions->has_chain = decisions->has_lineage = true;
	at_decisions_index(decisions, in->arena);
}

static bool begin(struct signing *in, struct at_time now, const char *prev, struct at_error *err)
{
	struct at_buf payload = { 0 };

	if (!at_gate_open(&in->gate, in->arena, in->ground, err))
		return false;
	fill_cells(in, now, prev);
	if (!check_columns(in, err))
		return false;
	add_row(in);
	at_decision_payload_extended(&payload, in->row);
	in->out->payload = at_arena_strndup(in->arena, payload.data, payload.len);
	at_buf_free(&payload);
	return true;
}

/* What the gate will say of the row, and a lineage it names. */
static bool check_row(const struct signing *in, struct at_error *err)
{
	if (in->row->ambiguous)
		return at_fail(err, AT_EREFUSED, "the row is ambiguous: %s", in->row->ambiguous);
	if (!at_decisions_lineage(&in->gate.decisions, in->arena, in->row->action, err))
		return false;
	if (!at_verdict_authorises(in->row->kind))
		return true;
	return at_gate_trusts(&in->gate, in->row, in->row->action, false, err);
}

/* In a ledger that is appended to no Ed25519 row may be false. HMAC rows need a key that a signing
 * console does not have. */
static bool check_old_row(void *context, const struct at_ledger_row *row, struct at_error *err)
{
	const struct signing *in = context;
	struct at_decision decision = { 0 };
	enum at_seal seal;

	at_decision_of_cells(&decision, in->arena, row->cells);
	if (!decision.scheme.len || !decision.signature.len)
		return true;
	seal = at_decision_seal(&decision, &in->ground->keys, NULL);
	if (seal == AT_SEAL_ED25519 || seal == AT_SEAL_OUTSIDE || seal == AT_SEAL_HMAC
		|| seal == AT_SEAL_NO_KEY)
		return true;
	return at_fail(err, AT_EREFUSED,
		"row %zu of `" AT_DECISIONS "` does not hold (%s): nothing is "
		"appended to it",
		row->number, at_seal_name(seal));
}

static bool sign_row(struct signing *in, const struct at_secret *seed, struct at_error *err)
{
	struct at_public_key mine, team;
	struct at_signature signature;
	struct at_buf hex = { 0 };
	const char *id = at_arena_strndup(in->arena, in->row->key_id.data, in->row->key_id.len);
	const struct at_keys *keys = &in->ground->keys.verify;

	if (!keys->find || !keys->find(keys->context, &team, id, err))
		return keys->find ? false : at_fail(err, AT_ENOENT, "the team has no verify keys");
	if (!at_ed25519_public(&mine, seed, err))
		return false;
	if (!at_public_key_equal(&mine, &team))
		return at_fail(err, AT_EREFUSED,
			"the team's key `%s` is not the public half of the "
			"key that signs",
			id);
	if (!at_ed25519_sign(&signature, seed, at_bytes_of(in->out->payload), err))
		return false;
	at_hex_put(&hex, signature.byte, sizeof(signature.byte));
	in->cells[AT_DECISION_SIGNATURE] =
		at_bytes_of(at_arena_strdup(in->arena, at_buf_text(&hex)));
	in->row->signature = in->cells[AT_DECISION_SIGNATURE];
	at_buf_free(&hex);
	if (at_decision_seal(in->row, &in->ground->keys, NULL) == AT_SEAL_ED25519)
		return true;
	return at_fail(err, AT_EREFUSED, "what was signed does not verify against the team's key");
}

static bool make_head(struct at_ledger_head *out, const struct signing *in, size_t rows,
	const struct at_secret *seed, struct at_error *err)
{
	*out = (struct at_ledger_head){ .count = rows + 1, .last = at_decision_digest(in->row) };
	memcpy(out->key_id, in->row->key_id.data, in->row->key_id.len);
	return at_head_sign(out, seed, err);
}

bool at_decision_preview(struct at_decision_signed *out, struct at_arena *arena,
	const struct at_clearance_ground *ground, const struct at_decision_spec *spec,
	struct at_time now, struct at_error *err)
{
	struct signing in = { .ground = ground, .spec = spec, .arena = arena, .out = out };
	struct at_ledger_state state;
	char prev[AT_DIGEST_HEX] = "";

	*out = (struct at_decision_signed){ .time = now };
	if (!check_team(ground, err)
		|| !at_ledger_walk(&state, &at_decision_ledger, ground->team, AT_DECISIONS,
			ground->keys.verify, check_old_row, &in, err))
		return false;
	if (state.verdict != AT_LEDGER_GOOD && state.verdict != AT_LEDGER_ABSENT) {
		*err = state.fault;
		return false;
	}
	if (state.rows)
		at_digest_hex(prev, &state.last);
	return begin(&in, now, prev, err);
}

static bool is_what_was_shown(
	const struct signing *in, const struct at_decision_signed *shown, struct at_error *err)
{
	if (strcmp(in->out->payload, shown->payload) == 0)
		return true;
	at_fail(err, AT_ESTALE,
		"`" AT_DECISIONS "` has another last row than when the bytes to be "
		"signed were shown");
	at_error_hint(err, "Look at them again.");
	return false;
}

bool at_decision_sign(struct at_decision_signed *out, struct at_arena *arena,
	const struct at_clearance_ground *ground, const struct at_decision_spec *spec,
	const struct at_decision_signed *shown, const struct at_secret *seed, struct at_error *err)
{
	struct signing in = { .ground = ground, .spec = spec, .arena = arena, .out = out };
	struct at_ledger_writer *writer;
	struct at_ledger_head head;
	bool done;

	*out = (struct at_decision_signed){ .time = shown->time };
	if (!check_team(ground, err)
		|| !at_ledger_begin(&writer, &at_decision_ledger, ground->team, AT_DECISIONS,
			ground->keys.verify, check_old_row, &in, err))
		return false;
	done = begin(&in, shown->time, at_ledger_prev(writer), err)
		&& is_what_was_shown(&in, shown, err) && sign_row(&in, seed, err)
		&& check_row(&in, err) && make_head(&head, &in, at_ledger_rows(writer), seed, err)
		&& at_ledger_commit(writer, in.cells, &head, &out->appended, err);
	at_ledger_end(writer);
	return done;
}
