/* Direct grants as records: read from the file, made for an agent, written back. */
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
#include "runner/proposals/site.h"

#define DAY 86400

static const struct at_json_limits limits = { AT_MCP_GRANTS_CAP, 8 };

bool at_direct_list_check(const struct at_json *doc, struct at_error *err)
{
	bool is_list = at_json_is(doc, AT_JSON_ROOT, AT_JSON_ARRAY)
		&& doc->nodes[AT_JSON_ROOT].count <= AT_DIRECT_RECORDS;

	at_json_each(doc, i, AT_JSON_ROOT)
		is_list = is_list && at_json_is(doc, i, AT_JSON_OBJECT);
	if (is_list)
		return true;
	at_fail(err, AT_EINVALID,
		"the direct-grants file must be a JSON list of at most 64 objects");
	at_error_name(err, "direct-file");
	return false;
}

enum type { TEXT, TEXTS, GATES, NUMBER };

static const struct {
	const char *key;
	enum type type;
	size_t offset;
} fields[] = {
	{ "grant_id", TEXT, offsetof(struct at_direct_grant, grant_id) },
	{ "agent", TEXT, offsetof(struct at_direct_grant, agent) },
	{ "server", TEXT, offsetof(struct at_direct_grant, server) },
	{ "map_version", TEXT, offsetof(struct at_direct_grant, map_version) },
	{ "tools", TEXTS, offsetof(struct at_direct_grant, tools) },
	{ "approval", TEXT, offsetof(struct at_direct_grant, approval) },
	{ "write_scopes", TEXTS, offsetof(struct at_direct_grant, write_scopes) },
	{ "gates", GATES, 0 },
	{ "server_sha256", TEXT, offsetof(struct at_direct_grant, server_sha256) },
	{ "issued", TEXT, offsetof(struct at_direct_grant, issued) },
	{ "expires", TEXT, offsetof(struct at_direct_grant, expires) },
	{ "max_writes", NUMBER, 0 },
	{ "key_id", TEXT, offsetof(struct at_direct_grant, key_id) },
	{ "signature", TEXT, offsetof(struct at_direct_grant, signature) },
};

static bool take_text(
	const char **out, const struct at_json *doc, uint32_t node, struct at_arena *arena)
{
	struct at_bytes text;

	if (!at_json_is(doc, node, AT_JSON_STRING))
		return false;
	text = at_json_string(doc, node, arena);
	*out = text.data;
	return memchr(text.data, '\0', text.len) == NULL;
}

static bool take_texts(
	struct at_strings *out, const struct at_json *doc, uint32_t node, struct at_arena *arena)
{
	const char **items;
	size_t count = 0;

	if (!at_json_is(doc, node, AT_JSON_ARRAY))
		return false;
	items = at_arena_alloc(arena, (doc->nodes[node].count + 1) * sizeof(*items));
	at_json_each(doc, i, node)
		if (!take_text(&items[count++], doc, i, arena))
			return false;
	*out = (struct at_strings){ items, count };
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct at_direct_gate *one = a, *other = b;

	return strcmp(one->name, other->name);
}

static bool take_gates(struct at_direct_grant *out, const struct at_json *doc, uint32_t node,
	struct at_arena *arena)
{
	struct at_direct_gate *gates;

	if (!at_json_is(doc, node, AT_JSON_OBJECT))
		return false;
	gates = at_arena_alloc(arena, (doc->nodes[node].count + 1) * sizeof(*gates));
	at_json_each(doc, i, node) {
		struct at_bytes name = at_json_key(doc, i, arena);
		const char *sha256;

		if (memchr(name.data, '\0', name.len) || !take_text(&sha256, doc, i, arena)
			|| !at_is_lower_hex(at_bytes_of(sha256), AT_DIGEST_HEX - 1))
			return false;
		gates[out->gate_count].name = name.data;
		memcpy(gates[out->gate_count++].sha256, sha256, AT_DIGEST_HEX);
	}
	if (out->gate_count)
		qsort(gates, out->gate_count, sizeof(*gates), by_name);
	out->gates = gates;
	return true;
}

/* A number out of its bounds is told later, in its turn; one that is no integer is none. */
static bool take_number(long long *out, const struct at_json *doc, uint32_t node)
{
	struct at_bytes raw;

	if (!at_json_is(doc, node, AT_JSON_NUMBER))
		return false;
	raw = at_json_raw(doc, node);
	if (raw.len > 12)
		return false;
	for (size_t i = 0; i < raw.len; i++)
		if ((raw.data[i] < '0' || raw.data[i] > '9') && !(i == 0 && raw.data[i] == '-'))
			return false;
	*out = strtoll(raw.data, NULL, 10);
	return true;
}

static bool take_field(struct at_direct_grant *out, size_t row, const struct at_json *doc,
	uint32_t node, struct at_arena *arena)
{
	char *at = (char *)out + fields[row].offset;

	switch (fields[row].type) {
	case TEXT:
		return take_text((const char **)(void *)at, doc, node, arena);
	case TEXTS:
		return take_texts((struct at_strings *)(void *)at, doc, node, arena);
	case GATES:
		return take_gates(out, doc, node, arena);
	case NUMBER:
		return take_number(&out->max_writes, doc, node);
	}
	return false;
}

bool at_direct_take(struct at_direct_grant *out, const struct at_json *doc, uint32_t node,
	struct at_arena *arena, struct at_error *err)
{
	const char *wrong = NULL;

	*out = (struct at_direct_grant){ .grant_id = "?",
		.agent = "?",
		.server = "",
		.map_version = "",
		.approval = "",
		.server_sha256 = "",
		.issued = "",
		.expires = "",
		.key_id = "",
		.signature = "" };
	for (size_t i = 0; i < AT_LEN(fields); i++)
		if (!take_field(out, i, doc, at_json_member(doc, node, fields[i].key), arena)
			&& !wrong)
			wrong = fields[i].key;
	if (!at_is_lower_hex(at_bytes_of(out->grant_id), 16)) {
		out->grant_id = "?";
		wrong = wrong ? wrong : "grant_id";
	}
	if (!wrong && doc->nodes[node].count == AT_LEN(fields))
		return true;
	at_fail(err, AT_EREFUSED, "grant '%s': %s%s", out->grant_id,
		wrong ? "missing or malformed " : "holds a field that is not signed",
		wrong ? wrong : "");
	at_error_name(err, "direct-fields");
	return false;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct at_strings sorted(struct at_strings texts, struct at_arena *arena)
{
	const char **items = at_arena_alloc(arena, (texts.count + 1) * sizeof(*items));

	if (texts.count) {
		memcpy(items, texts.items, texts.count * sizeof(*items));
		qsort(items, texts.count, sizeof(*items), by_text);
	}
	return (struct at_strings){ items, texts.count };
}

bool at_direct_bind(struct at_direct_grant *out, const char *agent,
	const struct at_direct_live *live, struct at_arena *arena)
{
	const struct at_policy_mcp *mcp = at_policy_mcp(live->policy, agent);
	const struct at_policy_agent *of = at_policy_agent(live->policy, agent);
	const char **tools = at_arena_alloc(arena, AT_MCP_TOOL_COUNT * sizeof(*tools));
	struct at_direct_gate *gates =
		at_arena_alloc(arena, (live->policy->gate_count + 1) * sizeof(*gates));

	if (!mcp)
		return false;
	out->agent = agent;
	out->server = AT_DIRECT_SERVER;
	out->map_version = "1";
	out->approval = mcp->direct ? "direct" : "staged";
	for (unsigned t = 0; t < AT_MCP_TOOL_COUNT; t++)
		if (mcp->tools & 1u << t)
			tools[out->tools.count++] = at_mcp_tools[t];
	out->tools.items = tools;
	out->write_scopes = sorted(of ? of->write_scopes : (struct at_strings){ NULL, 0 }, arena);
	for (size_t i = 0; i < live->policy->gate_count; i++) {
		gates[i].name = live->policy->gates[i].name;
		at_digest_hex(gates[i].sha256, &live->policy->gates[i].object);
	}
	out->gate_count = live->policy->gate_count;
	if (out->gate_count)
		qsort(gates, out->gate_count, sizeof(*gates), by_name);
	out->gates = gates;
	out->server_sha256 = live->server_sha256;
	return true;
}

static bool __attribute__((format(printf, 3, 4)))
refuse(struct at_error *err, const char *id, const char *format, ...)
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

/* A wish of 0 is one, and is refused: no default stands in for it. */
static bool is_possible(const struct at_direct_wish *wish, struct at_error *err)
{
	if (!at_agent_slug_is_sound(at_bytes_of(wish->agent)))
		return refuse(err, "agent-slug", "malformed agent slug: '%.80s'", wish->agent);
	if (wish->days < 1 || wish->days > AT_DIRECT_DAYS_MOST)
		return refuse(err, "direct-long", "%s", "a direct grant runs 1 to 30 days");
	return (wish->max_writes >= 1 && wish->max_writes <= AT_DIRECT_WRITES_MOST)
		|| refuse(err, "direct-max-writes", "%s", "a direct grant is for 1 to 500 writes");
}

static void new_id(struct at_direct_grant *out, struct at_arena *arena)
{
	struct at_buf hex = { 0 };
	unsigned char random[8];

	at_random_bytes(random, sizeof(random));
	at_hex_put(&hex, random, sizeof(random));
	out->grant_id = at_arena_strdup(arena, at_buf_text(&hex));
	at_buf_free(&hex);
}

bool at_direct_grant_make(struct at_direct_grant *out, const struct at_direct_wish *wish,
	const struct at_direct_live *live, struct at_arena *arena, struct at_error *err)
{
	struct at_time expires = live->now;
	char stamp[AT_STAMP];

	*out = (struct at_direct_grant){ .signature = "" };
	if (!is_possible(wish, err))
		return false;
	if (!at_key_id_is_sound(at_bytes_of(wish->key_id)))
		return refuse(err, "direct-key-id", "malformed key_id: '%.80s'", wish->key_id);
	if (!at_direct_bind(out, at_arena_strdup(arena, wish->agent), live, arena))
		return refuse(err, "direct-binding", "mcp_grants does not name '%s'", wish->agent);
	if (strcmp(out->approval, "direct") != 0)
		return refuse(err, "direct-binding",
			"mcp_grants.%s.approval is not \"direct\": set it in the brief first",
			wish->agent);
	if (!at_direct_is_bounded(out))
		return refuse(err, "direct-unbounded",
			"'%s' needs write_scopes, and a gate or scopes that are single files",
			wish->agent);
	new_id(out, arena);
	expires.seconds += (int64_t)wish->days * DAY;
	at_stamp_text(stamp, live->now);
	out->issued = at_arena_strdup(arena, stamp);
	at_stamp_text(stamp, expires);
	out->expires = at_arena_strdup(arena, stamp);
	out->max_writes = wish->max_writes;
	out->key_id = at_arena_strdup(arena, wish->key_id);
	return true;
}

bool at_direct_grant_sign(struct at_direct_grant *grant, const struct at_secret *seed,
	struct at_arena *arena, struct at_error *err)
{
	struct at_buf message = { 0 }, hex = { 0 };
	struct at_signature signature;
	bool done;

	at_direct_message(&message, grant);
	done = at_ed25519_sign(&signature, seed, at_buf_bytes(&message), err);
	if (done) {
		at_hex_put(&hex, signature.byte, sizeof(signature.byte));
		grant->signature = at_arena_strdup(arena, at_buf_text(&hex));
	}
	at_buf_free(&message);
	at_buf_free(&hex);
	return done;
}

static bool put_list(
	struct at_buf *list, struct at_bytes old, const char *agent, struct at_error *err)
{
	struct at_json doc;
	bool done;

	if (!old.data)
		return true;
	if (!at_json_read(&doc, old, &limits, 0, err))
		return false;
	done = at_direct_list_check(&doc, err);
	at_json_each(&doc, i, AT_JSON_ROOT) {
		if (!done || at_json_string_is(&doc, at_json_member(&doc, i, "agent"), agent))
			continue;
		at_buf_puts(list, list->len > 1 ? "," : "");
		at_canonical_put(list, &doc, i, AT_CANONICAL_COMPACT);
	}
	at_json_free(&doc);
	return done;
}

bool at_direct_grants_print(struct at_buf *out, struct at_bytes old, const char *agent,
	const struct at_direct_grant *grant, struct at_error *err)
{
	struct at_buf list = { 0 };
	struct at_json doc;
	bool done;

	at_buf_putc(&list, '[');
	done = put_list(&list, old, agent, err);
	if (done && grant) {
		at_buf_puts(&list, list.len > 1 ? "," : "");
		at_direct_put(&list, grant, true);
	}
	at_buf_putc(&list, ']');
	done = done && at_json_read(&doc, at_buf_bytes(&list), &limits, 0, err);
	if (done) {
		at_canonical_put(out, &doc, AT_JSON_ROOT, AT_CANONICAL_PRETTY);
		at_buf_putc(out, '\n');
		at_json_free(&doc);
	}
	at_buf_free(&list);
	return done;
}
