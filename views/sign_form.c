#include "views/sign_form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/mem.h"
#include "core/write_root.h"
#include "keys/field.h"
#include "keys/verify_store.h"
#include "views/operator_key.h"

#define DAYS_TO_BEGIN_WITH 30

const struct at_sign_field_info at_sign_fields[AT_SIGN_FIELDS] = {
	[AT_SIGN_HOLDER] = { "holder_team", "The team that is let in: its team_id. A name must be one "
		"team's alone among all your workspaces.", false },
	[AT_SIGN_TARGET] = { "target_path", "The directory that opens, absolute, or relative to the "
		"holder's workspace.", false },
	[AT_SIGN_OPS] = { "permitted_ops", "`write`, `read`, or both divided by `;`. Only `write` "
		"widens a sandbox.", false },
	[AT_SIGN_EXPIRES] = { "expires_at", "When it ends: 2026-12-31T00:00:00Z. A day alone ends at "
		"its first instant, UTC.", false },
	[AT_SIGN_ISSUER] = { "issuer_team", "The team whose ground it is.", false },
	[AT_SIGN_ISSUER_ROOT] = { "issuer_root", "An absolute directory that the target must lie in, "
		"links followed; or nothing.", true },
	[AT_SIGN_APPROVER] = { "approver", "Who says yes: a name on the team's roster, "
		"references/security-approvers.txt.", false },
	[AT_SIGN_TICKET] = { "ticket_id", "Where it was asked for.", false },
	[AT_SIGN_REASON] = { "reason_code", "Why, in a word or a sentence.", false },
	[AT_SIGN_MAX_USES] = { "max_uses", "A number of at least 1. Nothing counts uses: it is a "
		"record of intent.", false },
	[AT_SIGN_KEY] = { "key_id", "The key that signs. Its public half must be installed in this "
		"team.", false },
};

static void put(struct at_sign_form *form, enum at_sign_field field, const char *text)
{
	form->values[field].len = 0;
	at_buf_puts(&form->values[field], text);
}

static void begin_with_approver(struct at_sign_form *form, const struct at_open_site *site)
{
	struct at_roster roster;

	if (site->team >= 0
		&& at_roster_load(&roster, form->arena, site->team, AT_APPROVERS, NULL)
		&& roster.count)
		put(form, AT_SIGN_APPROVER, roster.names[0]);
}

static void begin_with_expiry(struct at_sign_form *form, const struct at_open_site *site)
{
	time_t then = (time_t)site->site.now.seconds + DAYS_TO_BEGIN_WITH * 86400;
	struct tm tm;
	char text[32];

	gmtime_r(&then, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	put(form, AT_SIGN_EXPIRES, text);
}

/* One whose public half this team already trusts is the best guess. */
static void begin_with_key(struct at_sign_form *form, struct at_session *session)
{
	struct at_operator_key operator_key;
	struct at_key_list keys = { 0 };
	struct at_public_key there;
	bool done = at_operator_key_open(&operator_key, session, NULL)
		&& at_keystore_list(&keys, operator_key.arena, &operator_key.store, NULL);

	for (size_t i = 0; done && i < keys.count; i++) {
		const struct at_key_entry *key = &keys.items[i];
		bool is_trusted = at_verify_key_load(&there, session->project.fd,
			session->project.team_dir, at_bytes_of(key->name), NULL);

		if (key->is_sound && (is_trusted || !form->values[AT_SIGN_KEY].len))
			put(form, AT_SIGN_KEY, key->name);
	}
	at_operator_key_close(&operator_key);
}

static struct at_bytes value(const struct at_sign_form *form, enum at_sign_field field)
{
	return at_buf_bytes(&form->values[field]);
}

static bool make_spec(struct at_grant_spec *out, struct at_sign_form *form)
{
	const char *uses = at_buf_text(&form->values[AT_SIGN_MAX_USES]);
	char *end;

	*out = (struct at_grant_spec){
		.issuer_team = value(form, AT_SIGN_ISSUER),
		.holder_team = value(form, AT_SIGN_HOLDER),
		.target_path = value(form, AT_SIGN_TARGET),
		.permitted_ops = value(form, AT_SIGN_OPS),
		.expires_at = value(form, AT_SIGN_EXPIRES),
		.approver = value(form, AT_SIGN_APPROVER),
		.ticket_id = value(form, AT_SIGN_TICKET),
		.reason_code = value(form, AT_SIGN_REASON),
		.key_id = value(form, AT_SIGN_KEY),
	};
	if (!at_field_is_blank(value(form, AT_SIGN_ISSUER_ROOT)))
		out->issuer_root = value(form, AT_SIGN_ISSUER_ROOT);
	out->max_uses = strtoll(uses, &end, 10);
	return *uses && !*end && out->max_uses > 0 && out->max_uses < INT32_MAX;
}

static int field_named(const char *name)
{
	for (int f = 0; f < AT_SIGN_FIELDS; f++)
		if (strcmp(at_sign_fields[f].name, name) == 0)
			return f;
	return -1;
}

/* A field that is still empty is the first thing to say. */
static int first_blank(const struct at_sign_form *form)
{
	for (int f = 0; f < AT_SIGN_FIELDS; f++)
		if (!at_sign_fields[f].may_be_empty && at_field_is_blank(value(form, f)))
			return f;
	return -1;
}

void at_sign_form_judge(struct at_sign_form *form)
{
	struct at_grant_spec spec;
	struct at_open_site site;
	bool has_number = make_spec(&spec, form);

	at_arena_free(form->arena);
	form->arena = at_arena_new();
	form->fault = (struct at_error){ 0 };
	form->is_ready = false;
	form->fault_field = first_blank(form);
	if (form->fault_field >= 0) {
		at_fail(&form->fault, AT_EINVALID, "%s is still empty",
			at_sign_fields[form->fault_field].name);
		return;
	}
	if (!has_number) {
		form->fault_field = AT_SIGN_MAX_USES;
		at_fail(&form->fault, AT_EINVALID, "max_uses must be a number of at least 1");
		return;
	}
	at_site_open(&site, form->session);
	form->is_ready = at_grant_prepare(&form->draft, form->arena, &spec, AT_GRANT_ED25519,
		&site.site, &form->fault);
	at_site_close(&site);
	if (!form->is_ready)
		form->fault_field = field_named(form->fault.field);
}

void at_sign_form_open(struct at_sign_form *form, struct at_session *session)
{
	struct at_open_site site;

	*form = (struct at_sign_form){ .session = session, .arena = at_arena_new() };
	at_site_open(&site, session);
	for (int f = 0; f < AT_SIGN_FIELDS; f++)
		put(form, f, "");
	put(form, AT_SIGN_HOLDER, session->request.team_id);
	put(form, AT_SIGN_OPS, "write");
	put(form, AT_SIGN_MAX_USES, "1");
	begin_with_expiry(form, &site);
	begin_with_approver(form, &site);
	begin_with_key(form, session);
	at_site_close(&site);
	at_sign_form_judge(form);
}

void at_sign_form_take(struct at_sign_form *form, const struct at_bytes *cells)
{
	static const struct {
		enum at_sign_field field;
		enum at_grant_column column;
	} rows[] = {
		{ AT_SIGN_HOLDER, AT_GRANT_HOLDER }, { AT_SIGN_TARGET, AT_GRANT_TARGET },
		{ AT_SIGN_OPS, AT_GRANT_OPS }, { AT_SIGN_ISSUER, AT_GRANT_ISSUER },
		{ AT_SIGN_ISSUER_ROOT, AT_GRANT_ISSUER_ROOT },
		{ AT_SIGN_APPROVER, AT_GRANT_APPROVER }, { AT_SIGN_TICKET, AT_GRANT_TICKET },
		{ AT_SIGN_REASON, AT_GRANT_REASON }, { AT_SIGN_MAX_USES, AT_GRANT_MAX_USES },
		{ AT_SIGN_EXPIRES, AT_GRANT_EXPIRES },
	};
	struct at_time end;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_bytes cell = at_field_strip(cells[rows[i].column]);

		if (rows[i].field == AT_SIGN_EXPIRES
			&& (!at_time_read(&end, cell, NULL)
				|| !at_time_is_after(end, at_time_now())))
			continue;
		form->values[rows[i].field].len = 0;
		at_buf_puts(&form->values[rows[i].field], "");
		at_buf_put(&form->values[rows[i].field], cell.data, cell.len);
	}
	at_sign_form_judge(form);
}

void at_sign_form_close(struct at_sign_form *form)
{
	for (int f = 0; f < AT_SIGN_FIELDS; f++)
		at_buf_free(&form->values[f]);
	at_arena_free(form->arena);
}

void at_sign_form_set(struct at_sign_form *form, enum at_sign_field field, const char *value)
{
	put(form, field, value);
	at_sign_form_judge(form);
}

void at_sign_form_opens(struct at_buf *out, const struct at_grant_draft *draft,
	const struct at_session *session)
{
	const struct at_bytes *cells = draft->cells;
	struct at_root_place place = { session->path, session->host.home,
		session->host.platform };
	struct at_bytes target = at_field_strip(cells[AT_GRANT_TARGET]);
	struct at_arena *arena = at_arena_new();
	const char *path = at_arena_strndup(arena, target.data, target.len);
	char form[PATH_MAX], why[256];
	const char *ban;

	if (!at_grant_has_op(cells[AT_GRANT_OPS], "write")) {
		at_buf_puts(out, "It opens nothing: only `write` widens a sandbox.\n");
	} else if (!at_grant_is_for(cells, session->request.team_id)) {
		at_buf_printf(out, "It opens nothing in this project, whose team is `%s`. The ledger "
				   "of the holder's own workspace is the one that counts.\n",
			session->request.team_id);
	} else {
		at_buf_printf(out, "Agents of `%s` write in %s, and below it, from the next --update "
				   "and merge on.\n",
			session->request.team_id,
			at_write_root_compare_form(form, path, &place) ? form : path);
		ban = at_write_root_ban(why, sizeof(why), path, &place);
		if (ban)
			at_buf_printf(out, "But it may not be a write root: %s. --update would refuse.\n",
				ban);
		if (session->manifest.framework != AT_CLAUDE || !session->manifest.boundary_is_emitted)
			at_buf_puts(out, "But this team has no sandbox of claude's, and no other reads "
					 "grants.\n");
	}
	at_buf_printf(out, "%s\n", at_grant_latency_note);
	at_grant_uses_note(out, cells[AT_GRANT_ID], draft->spec.max_uses);
	at_buf_putc(out, '\n');
	at_arena_free(arena);
}

void at_sign_word(struct at_buf *out, const struct at_grant_draft *draft)
{
	struct at_bytes target = at_field_strip(draft->cells[AT_GRANT_TARGET]);
	size_t start;

	while (target.len > 1 && target.data[target.len - 1] == '/')
		target.len--;
	for (start = target.len; start > 0 && target.data[start - 1] != '/'; start--)
		;
	at_buf_puts(out, "");
	at_buf_put(out, target.data + start, target.len - start);
}
