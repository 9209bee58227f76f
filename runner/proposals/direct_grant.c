#include "runner/proposals/direct_grant.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "keys/ed25519.h"
#include "keys/field.h"
#include "runner/proposals/canonical.h"
#include "runner/proposals/direct_grant_impl.h"
#include "runner/proposals/operator_file.h"
#include "runner/proposals/scope.h"
#include "runner/proposals/site.h"

#define DAY 86400
#define AHEAD 300 /* seconds that an issuing clock may be ahead */

static const struct at_json_limits limits = { AT_MCP_GRANTS_CAP, 8 };

/* The 13 fields that are signed, in SPACED or COMPACT; with the signature for the file. */
void at_direct_put(struct at_buf *out, const struct at_direct_grant *grant, bool with_signature)
{
	const enum at_canonical form = AT_CANONICAL_COMPACT;
	struct at_canonical_object object = { 0 }, gates = { 0 };
	const struct {
		const char *key, *text;
	} texts[] = {
		{ "grant_id", grant->grant_id },
		{ "agent", grant->agent },
		{ "server", grant->server },
		{ "map_version", grant->map_version },
		{ "approval", grant->approval },
		{ "server_sha256", grant->server_sha256 },
		{ "issued", grant->issued },
		{ "expires", grant->expires },
		{ "key_id", grant->key_id },
	};
	struct at_buf value = { 0 };

	for (size_t i = 0; i < AT_LEN(texts); i++)
		at_canonical_set_text(&object, texts[i].key, at_bytes_of(texts[i].text));
	at_canonical_set_number(&object, "max_writes", grant->max_writes);
	at_canonical_put_texts(&value, grant->tools.items, grant->tools.count, form);
	at_canonical_set_raw(&object, "tools", at_buf_bytes(&value));
	value.len = 0;
	at_canonical_put_texts(&value, grant->write_scopes.items, grant->write_scopes.count, form);
	at_canonical_set_raw(&object, "write_scopes", at_buf_bytes(&value));
	for (size_t i = 0; i < grant->gate_count; i++)
		at_canonical_set_text(
			&gates, grant->gates[i].name, at_bytes_of(grant->gates[i].sha256));
	value.len = 0;
	at_canonical_object_put(&value, &gates, form);
	at_canonical_set_raw(&object, "gates", at_buf_bytes(&value));
	if (with_signature)
		at_canonical_set_text(&object, "signature", at_bytes_of(grant->signature));
	at_canonical_object_put(out, &object, form);
	at_canonical_object_free(&object);
	at_canonical_object_free(&gates);
	at_buf_free(&value);
}

void at_direct_message(struct at_buf *out, const struct at_direct_grant *grant)
{
	at_buf_puts(out, AT_DIRECT_TAG "|");
	at_direct_put(out, grant, false);
}

static bool __attribute__((format(printf, 3, 4)))
fail(struct at_error *err, const char *id, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	at_fail(err, AT_EREFUSED, "%s", text);
	at_error_name(err, id);
	return false;
}

static bool is_key_id(struct at_bytes id)
{
	return at_key_id_is_sound(id)
		&& ((id.data[0] >= '0' && id.data[0] <= '9')
			|| ((id.data[0] | 0x20) >= 'a' && (id.data[0] | 0x20) <= 'z'));
}

/* The key first: what it signed is nothing until it is known. */
static bool is_signed(
	const struct at_direct_grant *g, const struct at_direct_live *live, struct at_error *err)
{
	struct at_signature signature;
	struct at_public_key key;
	struct at_buf message = { 0 };
	struct at_error why = { 0 };
	bool done;

	if (!is_key_id(at_bytes_of(g->key_id)))
		return fail(err, "direct-key-id", "grant '%.16s': malformed key_id", g->grant_id);
	if (!live->keys.find || !live->keys.find(live->keys.context, &key, g->key_id, &why))
		return fail(err, "direct-key", "grant '%.16s': no usable public key '%s'%s%.200s",
			g->grant_id, g->key_id, *why.message ? ": " : "", why.message);
	at_direct_message(&message, g);
	done = at_is_lower_hex(at_bytes_of(g->signature), 2 * sizeof(signature.byte))
		&& at_hex_get(signature.byte, sizeof(signature.byte), at_bytes_of(g->signature))
		&& at_ed25519_verify(&key, at_buf_bytes(&message), &signature);
	at_buf_free(&message);
	return done
		|| fail(err, "direct-signature", "grant '%.16s': signature invalid", g->grant_id);
}

static bool same_texts(struct at_strings a, struct at_strings b)
{
	bool same = a.count == b.count;

	for (size_t i = 0; same && i < a.count; i++)
		same = strcmp(a.items[i], b.items[i]) == 0;
	return same;
}

static bool same_gates(const struct at_direct_grant *a, const struct at_direct_grant *b)
{
	bool same = a->gate_count == b->gate_count;

	for (size_t i = 0; same && i < a->gate_count; i++)
		same = strcmp(a->gates[i].name, b->gates[i].name) == 0
			&& strcmp(a->gates[i].sha256, b->gates[i].sha256) == 0;
	return same;
}

/* The first field that is not what the brief and the server say now; NULL when all are. */
static const char *unbound(const struct at_direct_grant *g, const struct at_direct_live *live)
{
	struct at_arena *arena = at_arena_new();
	struct at_direct_grant now = { 0 };
	const char *field = "agent";

	if (at_direct_bind(&now, g->agent, live, arena))
		field = strcmp(g->server, now.server) != 0                 ? "server"
			: strcmp(g->map_version, now.map_version) != 0     ? "map_version"
			: !same_texts(g->tools, now.tools)                 ? "tools"
			: strcmp(g->approval, now.approval) != 0           ? "approval"
			: !same_texts(g->write_scopes, now.write_scopes)   ? "write_scopes"
			: !same_gates(g, &now)                             ? "gates"
			: strcmp(g->server_sha256, now.server_sha256) != 0 ? "server_sha256"
									   : NULL;
	at_arena_free(arena);
	return field;
}

/* Is what it may write bounded: by a gate, or by naming every file? */
bool at_direct_is_bounded(const struct at_direct_grant *g)
{
	bool all_files = true;

	for (size_t i = 0; i < g->write_scopes.count; i++)
		all_files &= at_scope_is_file(g->write_scopes.items[i]);
	return g->write_scopes.count && (g->gate_count || all_files);
}

static bool is_timely(const struct at_direct_grant *g, struct at_time now, struct at_error *err)
{
	struct at_time issued, expires;

	if (!at_time_read(&issued, at_bytes_of(g->issued), NULL)
		|| !at_time_read(&expires, at_bytes_of(g->expires), NULL))
		return fail(err, "direct-times", "grant '%.16s': malformed times", g->grant_id);
	if (!at_time_is_after(expires, now))
		return fail(err, "direct-expired", "grant '%.16s': expired", g->grant_id);
	if (expires.seconds - issued.seconds > (int64_t)AT_DIRECT_DAYS_MOST * DAY)
		return fail(
			err, "direct-long", "grant '%.16s': runs longer than 30 days", g->grant_id);
	return issued.seconds <= now.seconds + AHEAD
		|| fail(err, "direct-ahead", "grant '%.16s': issued in the future", g->grant_id);
}

/* 3.13, in its order; the fields are all there. */
static bool holds(
	const struct at_direct_grant *g, const struct at_direct_live *live, struct at_error *err)
{
	const char *field;

	if (!is_signed(g, live, err))
		return false;
	field = unbound(g, live);
	if (field)
		return fail(err, "direct-binding",
			"grant '%.16s': %s no longer matches the brief or the installed server; "
			"re-sign it",
			g->grant_id, field);
	if (!at_direct_is_bounded(g))
		return fail(err, "direct-unbounded",
			"grant '%.16s': needs write scopes, and a gate or scopes that are single "
			"files",
			g->grant_id);
	return is_timely(g, live->now, err)
		&& ((g->max_writes >= 1 && g->max_writes <= AT_DIRECT_WRITES_MOST)
			|| fail(err, "direct-max-writes",
				"grant '%.16s': max_writes must be an integer from 1 to 500",
				g->grant_id));
}

static void __attribute__((format(printf, 2, 3)))
add_problem(struct at_direct_grants *out, const char *format, ...)
{
	char text[600];
	const char **items;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	items = at_arena_alloc(out->arena, (out->problems.count + 1) * sizeof(*items));
	if (out->problems.count)
		memcpy(items, out->problems.items, out->problems.count * sizeof(*items));
	items[out->problems.count] = at_arena_strdup(out->arena, text);
	out->problems = (struct at_strings){ items, out->problems.count + 1 };
}

static void drop(
	struct at_direct_grants *out, struct at_direct_grant *g, const char *id, const char *why)
{
	if (!g->is_active)
		return;
	g->is_active = false;
	out->active--;
	fail(&g->why, id, "%s", why);
}

/* Two for one agent, or too many: it is not said which the operator meant, so none. */
static void judge_all(struct at_direct_grants *out)
{
	char why[160];

	for (size_t i = 0; i < out->count; i++) {
		const char *agent = out->items[i].agent;
		size_t same = 0;

		for (size_t k = 0; out->items[i].is_active && k < out->count; k++)
			same += out->items[k].is_active && strcmp(out->items[k].agent, agent) == 0;
		if (same < 2)
			continue;
		snprintf(why, sizeof(why), "two grants for agent '%s'; neither is used", agent);
		add_problem(out, "%s", why);
		for (size_t k = out->count; k-- > 0;)
			if (strcmp(out->items[k].agent, agent) == 0)
				drop(out, &out->items[k], "direct-twice", why);
	}
	if (out->active <= AT_DIRECT_ACTIVE)
		return;
	snprintf(why, sizeof(why), "%zu active grants, more than 3; none is used", out->active);
	at_direct_grants_drop(out, why);
}

bool at_direct_grants_read(struct at_direct_grants *out, struct at_bytes text,
	const struct at_direct_live *live, struct at_error *err)
{
	struct at_json doc;
	bool done;

	*out = (struct at_direct_grants){ .arena = at_arena_new() };
	if (!text.data)
		return true;
	if (!at_json_read(&doc, text, &limits, 0, err))
		return false;
	done = at_direct_list_check(&doc, err);
	if (done) {
		out->items = at_arena_alloc(
			out->arena, (doc.nodes[AT_JSON_ROOT].count + 1) * sizeof(*out->items));
		at_json_each(&doc, i, AT_JSON_ROOT) {
			struct at_direct_grant *g = &out->items[out->count++];

			g->is_active = at_direct_take(g, &doc, i, out->arena, &g->why)
				&& holds(g, live, &g->why);
			out->active += g->is_active;
			if (!g->is_active)
				add_problem(out, "%s", g->why.message);
		}
		judge_all(out);
	}
	at_json_free(&doc);
	return done;
}

void at_direct_grants_free(struct at_direct_grants *grants)
{
	at_arena_free(grants->arena);
	*grants = (struct at_direct_grants){ 0 };
}

void at_direct_grants_drop(struct at_direct_grants *grants, const char *why)
{
	add_problem(grants, "%s", why);
	for (size_t i = 0; i < grants->count; i++)
		drop(grants, &grants->items[i], "direct-none", why);
}

struct at_direct_grant *at_direct_grant_of(const struct at_direct_grants *grants, const char *agent)
{
	for (size_t i = 0; i < grants->count; i++)
		if (grants->items[i].is_active && strcmp(grants->items[i].agent, agent) == 0)
			return &grants->items[i];
	return NULL;
}

bool at_direct_grants_count(
	void *context, const struct at_json *row, size_t number, struct at_error *err)
{
	struct at_direct_grants *grants = context;
	uint32_t action = at_json_member(row, AT_JSON_ROOT, "action");
	uint32_t id = at_json_member(row, AT_JSON_ROOT, "grant");

	if (!at_json_string_is(row, action, "apply-direct"))
		return true;
	for (size_t i = 0; i < grants->count; i++)
		grants->items[i].used += at_json_string_is(row, id, grants->items[i].grant_id);
	return true;
}

bool at_direct_grant_may(const struct at_direct_grant *g, struct at_time now, struct at_error *err)
{
	struct at_time expires;

	if (!g->is_active) {
		if (err)
			*err = g->why;
		return false;
	}
	if (!at_time_read(&expires, at_bytes_of(g->expires), err))
		return false;
	if (!at_time_is_after(expires, now))
		return fail(err, "direct-expired",
			"direct grant '%s' has expired; stage further writes", g->grant_id);
	return g->used < (size_t)g->max_writes
		|| fail(err, "direct-used",
			"direct grant '%s' has used its %lld writes; stage further writes",
			g->grant_id, g->max_writes);
}
