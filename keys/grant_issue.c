#include "keys/grant_issue.h"

#include <stdlib.h>
#include <string.h>

#include "core/json_write.h"
#include "core/mem.h"
#include "keys/field.h"

static struct at_bytes keep(struct at_arena *arena, struct at_bytes bytes)
{
	return (struct at_bytes){ at_arena_strndup(arena, bytes.data, bytes.len), bytes.len };
}

static struct at_bytes take(struct at_arena *arena, struct at_buf *text)
{
	struct at_bytes out = keep(arena, (struct at_bytes){ at_buf_text(text), text->len });

	at_buf_free(text);
	return out;
}

/* Rows that stand there have to be whose they say they are. (reference-ledgers 5, row 9) */
static bool is_authentic(void *context, const struct at_ledger_row *row, struct at_error *err)
{
	struct at_grant_verdict verdict;

	at_grant_check(&verdict, context, row);
	if (verdict.is_valid)
		return true;
	at_fail(err, AT_EREFUSED, "row %zu: %s", row->number, verdict.fault.message);
	at_error_name(err, "ledger-row");
	at_error_at(err, (unsigned)row->line, 0);
	at_error_hint(err, "Nothing is appended behind a row that does not verify.");
	return false;
}

static bool begin(struct at_ledger_writer **out, const struct at_grants_site *site,
	struct at_error *err)
{
	struct at_grant_ground ground = { .mode = AT_GRANT_AUTHENTIC, .hmac_key = site->hmac_key,
		.keys = site->keys, .now = site->now };
	bool done = at_ledger_begin(out, &at_grant_kind, site->ledger_root, AT_GRANTS_PATH, site->keys,
		is_authentic, &ground, err);

	at_grant_ground_free(&ground);
	return done;
}

static struct at_bytes grant_id(struct at_arena *arena)
{
	unsigned char random[8];
	struct at_buf text = { 0 };

	at_random_bytes(random, sizeof(random));
	at_buf_puts(&text, "grant-");
	at_hex_put(&text, random, sizeof(random));
	return take(arena, &text);
}

static void fill(struct at_grant_draft *d, struct at_arena *arena,
	const struct at_grants_site *site, const char *prev)
{
	const struct at_grant_spec *s = &d->spec;
	struct at_buf timestamp = { 0 }, uses = { 0 }, message = { 0 };
	bool is_ed25519 = d->scheme == AT_GRANT_ED25519;
	const struct at_bytes none = { "", 0 };

	at_time_put(&timestamp, site->now);
	at_buf_printf(&uses, "%lld", (long long)s->max_uses);
	d->cells[AT_GRANT_TIMESTAMP] = take(arena, &timestamp);
	d->cells[AT_GRANT_ID] = grant_id(arena);
	d->cells[AT_GRANT_ISSUER] = s->issuer_team;
	d->cells[AT_GRANT_HOLDER] = s->holder_team;
	d->cells[AT_GRANT_TARGET] = s->target_path;
	d->cells[AT_GRANT_OPS] = s->permitted_ops;
	d->cells[AT_GRANT_EXPIRES] = s->expires_at;
	d->cells[AT_GRANT_MAX_USES] = take(arena, &uses);
	d->cells[AT_GRANT_USES] = at_bytes_of("0");
	d->cells[AT_GRANT_APPROVER] = s->approver;
	d->cells[AT_GRANT_TICKET] = s->ticket_id;
	d->cells[AT_GRANT_REASON] = s->reason_code;
	d->cells[AT_GRANT_ISSUER_ROOT] = s->issuer_root.data ? at_field_strip(s->issuer_root) : none;
	d->cells[AT_GRANT_PREV] = keep(arena, at_bytes_of(prev));
	d->cells[AT_GRANT_SIGNATURE] = none;
	d->cells[AT_GRANT_SCHEME] = is_ed25519 ? at_bytes_of("ed25519") : none;
	d->cells[AT_GRANT_KEY_ID] = is_ed25519 ? s->key_id : none;
	at_grant_message(&message, d->cells);
	d->message = take(arena, &message);
}

/* Compact JSON with sorted keys: what the operator confirms when no terminal asks. It holds nothing
 * that changes from one try to the next. (reference-ledgers 1.10) */
static struct at_digest review_of(const struct at_grant_draft *d,
	const struct at_grants_site *site)
{
	const struct at_grant_spec *s = &d->spec;
	struct at_json_value *object = at_json_object(), *spec;
	struct at_buf text = { 0 };
	struct at_digest digest;

	at_json_add_bytes(object, "key_id", s->key_id.data ? s->key_id : (struct at_bytes){ "", 0 });
	at_json_add_text(object, "kind", "grant");
	at_json_add_text(object, "ledger_root", site->ledger_root_path);
	spec = at_json_add_object(object, "spec");
	at_json_add_bytes(spec, "approver", s->approver);
	at_json_add_bytes(spec, "expires_at", s->expires_at);
	at_json_add_bytes(spec, "holder_team", s->holder_team);
	if (s->issuer_root.data)
		at_json_add_bytes(spec, "issuer_root", s->issuer_root);
	at_json_add_bytes(spec, "issuer_team", s->issuer_team);
	if (s->key_id.data)
		at_json_add_bytes(spec, "key_id", s->key_id);
	at_json_add_number(spec, "max_uses", s->max_uses);
	at_json_add_bytes(spec, "permitted_ops", s->permitted_ops);
	at_json_add_bytes(spec, "reason_code", s->reason_code);
	at_json_add_bytes(spec, "target_path", s->target_path);
	at_json_add_bytes(spec, "ticket_id", s->ticket_id);
	at_json_add_text(object, "team_dir", site->team_dir_path);
	at_json_print(&text, object, AT_JSON_COMPACT);
	digest = at_digest_of(at_buf_bytes(&text));
	at_json_value_free(object);
	at_buf_free(&text);
	return digest;
}

static struct at_digest payload_digest(const struct at_grant_draft *d)
{
	struct at_buf payload = { 0 };
	struct at_digest digest;

	at_grant_kind.payload(&payload, d->cells);
	digest = at_digest_of(at_buf_bytes(&payload));
	at_buf_free(&payload);
	return digest;
}

static bool load_roster(struct at_roster *out, struct at_arena *arena,
	const struct at_grants_site *site, struct at_error *err)
{
	*out = (struct at_roster){ 0 };
	return site->team_dir < 0 || at_roster_load(out, arena, site->team_dir, AT_APPROVERS, err);
}

bool at_grant_prepare(struct at_grant_draft *out, struct at_arena *arena,
	const struct at_grant_spec *spec, enum at_grant_scheme scheme,
	const struct at_grants_site *site, struct at_error *err)
{
	struct at_ledger_writer *writer;
	struct at_grants warned;
	struct at_roster roster;

	*out = (struct at_grant_draft){ .spec = *spec, .scheme = scheme };
	if (!load_roster(&roster, arena, site, err) ||
		!at_grant_spec_check(spec, scheme, &roster, site->now, err) ||
		!begin(&writer, site, err))
		return false;
	fill(out, arena, site, at_ledger_prev(writer));
	out->head.count = at_ledger_rows(writer) + 1;
	at_ledger_end(writer);
	out->head.last = payload_digest(out);
	if (scheme == AT_GRANT_ED25519)
		memcpy(out->head.key_id, spec->key_id.data, spec->key_id.len);
	out->review = review_of(out, site);
	at_grants_warn(&warned, site);
	memcpy(out->warning, warned.warning, sizeof(out->warning));
	return true;
}

bool at_grant_sign(struct at_grant_draft *d, struct at_arena *arena,
	const struct at_secret *seed, struct at_error *err)
{
	struct at_signature signature;
	struct at_buf text = { 0 };

	if (d->scheme != AT_GRANT_ED25519)
		return at_fail(err, AT_EINVALID, "this grant is to be issued by HMAC, not signed");
	if (!at_ed25519_sign(&signature, seed, d->message, err) ||
		!at_head_sign(&d->head, seed, err))
		return false;
	at_hex_put(&text, signature.byte, sizeof(signature.byte));
	d->cells[AT_GRANT_SIGNATURE] = take(arena, &text);
	d->is_signed = true;
	return true;
}

bool at_grant_seal(struct at_grant_draft *d, struct at_arena *arena, struct at_bytes key,
	struct at_error *err)
{
	struct at_buf text = { 0 };

	if (d->scheme != AT_GRANT_HMAC)
		return at_fail(err, AT_EINVALID, "this grant is to be signed, not issued by HMAC");
	if (key.len == 0) {
		at_fail(err, AT_EREFUSED, "%s", at_grant_no_key);
		at_error_name(err, "grant-no-key");
		return false;
	}
	at_grant_hmac(&text, key, d->message);
	d->cells[AT_GRANT_SIGNATURE] = take(arena, &text);
	d->is_signed = true;
	return true;
}

bool at_grant_verify(struct at_grant_verdict *out, const struct at_grant_draft *d,
	const struct at_grants_site *site, struct at_error *err)
{
	struct at_arena *arena = at_arena_new();
	struct at_roster roster;
	struct at_grant_ground ground = { .hmac_key = site->hmac_key, .keys = site->keys,
		.roster = &roster, .now = site->now };
	struct at_buf message = { 0 };
	struct at_ledger_row row = { .cells = d->cells, .number = d->head.count, .line = 1 };
	bool done = load_roster(&roster, arena, site, err);

	*out = (struct at_grant_verdict){ .failed = AT_GRANT_CHECKS };
	if (done) {
		at_buf_puts(&message, AT_GRANT_TAG "|");
		at_grant_kind.payload(&message, d->cells);
		row.message = at_buf_bytes(&message);
		row.payload = (struct at_bytes){ message.data + sizeof(AT_GRANT_TAG),
			message.len - sizeof(AT_GRANT_TAG) };
		at_grant_check(out, &ground, &row);
		if (!out->is_valid && err)
			*err = out->fault;
		done = out->is_valid;
	}
	at_grant_ground_free(&ground);
	at_buf_free(&message);
	at_arena_free(arena);
	return done;
}

bool at_grant_append(struct at_ledger_appended *out, const struct at_grant_draft *d,
	const struct at_grants_site *site, struct at_error *err)
{
	struct at_ledger_writer *writer;
	struct at_grant_verdict verdict;
	bool done;

	*out = (struct at_ledger_appended){ 0 };
	if (!d->is_signed)
		return at_fail(err, AT_EINVALID, "the grant is not signed");
	if (!at_grant_verify(&verdict, d, site, err) || !begin(&writer, site, err))
		return false;
	done = at_ledger_commit(writer, d->cells, d->scheme == AT_GRANT_ED25519 ? &d->head : NULL, out,
		err);
	at_ledger_end(writer);
	return done;
}

static void put(struct at_buf *out, struct at_bytes value)
{
	at_buf_put(out, value.data, value.len);
}

void at_grant_issued(struct at_buf *out, const struct at_grant_draft *d,
	const struct at_ledger_appended *appended, const struct at_grants_site *site)
{
	bool is_ed25519 = d->scheme == AT_GRANT_ED25519;

	at_buf_puts(out, "Issued capability grant ");
	put(out, d->cells[AT_GRANT_ID]);
	at_buf_printf(out, " (%s): ", is_ed25519 ? "ed25519" : "hmac");
	put(out, d->spec.issuer_team);
	at_buf_puts(out, " → ");
	put(out, d->spec.holder_team);
	at_buf_puts(out, " may ");
	put(out, d->spec.permitted_ops);
	at_buf_putc(out, ' ');
	put(out, d->spec.target_path);
	at_buf_puts(out, " (expires ");
	put(out, d->spec.expires_at);
	at_buf_printf(out, ", max_uses %lld)\n", (long long)d->spec.max_uses);
	if (is_ed25519)
		at_buf_printf(out, "  verified against team dir %s\n", site->team_dir_path);
	at_buf_printf(out, "  appended to %s/%s\n", site->ledger_root_path, AT_GRANTS_PATH);
	if (appended->torn)
		at_buf_printf(out, "  a torn last line of %zu bytes was moved to %s.torn\n",
			appended->torn, AT_GRANTS_PATH);
	if (appended->rewritten)
		at_buf_puts(out, "  the header was widened: the file was written anew\n");
	if (*appended->head_fault.message)
		at_buf_printf(out, "  WARNING: %s\n", appended->head_fault.message);
	else if (appended->head != AT_HEAD_ANCHORED)
		at_buf_puts(out, "  unanchored: no signed head counts this row, so that its removal would "
			"not show\n");
	at_buf_printf(out, "  %s\n", at_grant_latency_note);
}
