#include "core/request.h"

#include <string.h>

#include "core/json_read.h"
#include "core/mem.h"

static const char *const profile_names[] = {
	[AT_COOPERATIVE] = "cooperative",
	[AT_CONFINED] = "confined",
	[AT_EXCLUSIVE] = "exclusive",
};

const char *at_profile_name(enum at_profile profile)
{
	return profile_names[profile];
}

struct reading {
	struct at_request *out;
	const struct at_json *doc;
	struct at_arena *arena;
	struct at_error *err;
};

static bool fail_at(const struct reading *r, size_t offset, const char *id)
{
	unsigned line, column;

	at_json_position(r->doc->text, offset, &line, &column);
	at_error_at(r->err, line, column);
	at_error_name(r->err, id);
	return false;
}

static bool fail_type(const struct reading *r, uint32_t node, const struct at_field *field,
	const char *wanted)
{
	static const char *const kinds[] = { "null", "false", "true", "a number", "a string",
		"an array", "an object" };

	at_fail(r->err, AT_EINVALID, "`%s` must be %s, not %s", field->name, wanted,
		kinds[r->doc->nodes[node].kind]);
	return fail_at(r, r->doc->nodes[node].start, "brief-type");
}

/* A text with a NUL would be cut short by whoever uses it: refused before it is used. */
static bool read_text(const struct reading *r, const char **out, uint32_t node,
	const struct at_field *field)
{
	struct at_bytes text = at_json_string(r->doc, node, r->arena);
	size_t offset = r->doc->nodes[node].start;

	if (strlen(text.data) != text.len) {
		at_fail(r->err, AT_EINVALID, "`%s` holds a NUL character", field->name);
		return fail_at(r, offset, "brief-nul");
	}
	if (field->rule && !field->rule->holds(text.data)) {
		at_fail(r->err, AT_EINVALID, "`%s` is `%.200s`: it must be %s", field->name,
			text.data, field->rule->must);
		return fail_at(r, offset, "brief-value");
	}
	*out = text.data;
	return true;
}

static void *target(const struct reading *r, const struct at_field *field)
{
	return (char *)r->out + field->offset;
}

static bool take_text(const struct reading *r, uint32_t node, const struct at_field *field)
{
	if (!at_json_is(r->doc, node, AT_JSON_STRING))
		return fail_type(r, node, field, "a string");
	return read_text(r, target(r, field), node, field);
}

static bool take_bool(const struct reading *r, uint32_t node, const struct at_field *field)
{
	bool is_true = at_json_is(r->doc, node, AT_JSON_TRUE);

	if (!is_true && !at_json_is(r->doc, node, AT_JSON_FALSE))
		return fail_type(r, node, field, "true or false");
	*(bool *)target(r, field) = is_true;
	return true;
}

static bool fail_count(const struct reading *r, uint32_t node, const struct at_field *field)
{
	at_fail(r->err, AT_ELIMIT, "`%s` holds %u items: at most %d are read", field->name,
		r->doc->nodes[node].count, AT_REQUEST_LIST_MAX);
	return fail_at(r, r->doc->nodes[node].start, "brief-count");
}

static bool take_texts(const struct reading *r, uint32_t node, const struct at_field *field)
{
	struct at_texts texts = { 0 };

	if (!at_json_is(r->doc, node, AT_JSON_ARRAY))
		return fail_type(r, node, field, "an array of strings");
	if (r->doc->nodes[node].count > AT_REQUEST_LIST_MAX)
		return fail_count(r, node, field);
	texts.items =
		at_arena_alloc(r->arena, r->doc->nodes[node].count * sizeof(*texts.items));
	at_json_each(r->doc, i, node) {
		if (!at_json_is(r->doc, i, AT_JSON_STRING))
			return fail_type(r, i, field, "an array of strings alone");
		if (!read_text(r, &texts.items[texts.count], i, field))
			return false;
		texts.count++;
	}
	*(struct at_texts *)target(r, field) = texts;
	return true;
}

static bool fail_profile(const struct reading *r, uint32_t node, const char *given)
{
	at_fail(r->err, AT_EINVALID, "`privilege_profile` is %.200s: it must be one of "
		"`cooperative`, `confined`, `exclusive`", given);
	at_error_hint(r->err, "Spell it exactly, in lower case. Left out, it is `confined`.");
	return fail_at(r, r->doc->nodes[node].start, "brief-profile");
}

/* REQ-1: null and "" are the default and not explicit. REQ-2: the rest is named or refused. */
static bool take_profile(const struct reading *r, uint32_t node, const struct at_field *field)
{
	struct at_bytes given = at_json_raw(r->doc, node);

	(void)field;
	if (at_json_is(r->doc, node, AT_JSON_NULL) || at_json_string_is(r->doc, node, ""))
		return true;
	for (size_t p = 0; p < AT_LEN(profile_names); p++) {
		if (!at_json_string_is(r->doc, node, profile_names[p]))
			continue;
		r->out->profile = (enum at_profile)p;
		r->out->profile_is_explicit = true;
		return true;
	}
	return fail_profile(r, node, at_arena_strndup(r->arena, given.data, given.len));
}

static bool take_team_id(const struct reading *r, uint32_t node, const struct at_field *field)
{
	r->out->team_id_is_given = true;
	return take_text(r, node, field);
}

static bool take_any(const struct reading *r, uint32_t node, const struct at_field *field)
{
	(void)r;
	(void)node;
	(void)field;
	return true;
}

static bool (*const takers[])(const struct reading *, uint32_t, const struct at_field *) = {
	[AT_FIELD_TEXT] = take_text,
	[AT_FIELD_BOOL] = take_bool,
	[AT_FIELD_TEXTS] = take_texts,
	[AT_FIELD_PROFILE] = take_profile,
	[AT_FIELD_TEAM_ID] = take_team_id,
	[AT_FIELD_ANY] = take_any,
};

static bool fail_banned(const struct reading *r, uint32_t node, const char *key, const char *why)
{
	at_fail(r->err, AT_EREFUSED, "the brief holds `%.200s`: %s", key, why);
	at_error_hint(r->err, "Remove the key. To accept a write root outside the project, give "
		"--accept-write-root PATH on the command line.");
	return fail_at(r, r->doc->nodes[node].key_start, "brief-authority");
}

static bool take_member(const struct reading *r, uint32_t node)
{
	struct at_bytes key = at_json_key(r->doc, node, r->arena);
	const struct at_field *field;
	const char *ban = at_request_key_ban(key.data);
	struct at_texts *unknown = &r->out->unknown_keys;

	if (ban)
		return fail_banned(r, node, key.data, ban);
	/* "team_id\0x" is not team_id */
	field = strlen(key.data) == key.len ? at_request_field(key.data) : NULL;
	if (field) {
		if (takers[field->type](r, node, field))
			return true;
		at_error_field(r->err, field->name);
		return false;
	}
	unknown->items[unknown->count++] = key.data;
	return true;
}

/* REQ-5: what is empty or said twice adds nothing. */
static void drop_empty_and_double(struct at_texts *texts)
{
	size_t kept = 0;

	for (size_t i = 0; i < texts->count; i++) {
		bool is_wanted = *texts->items[i] != '\0';

		for (size_t k = 0; k < kept && is_wanted; k++)
			is_wanted = strcmp(texts->items[k], texts->items[i]) != 0;
		if (is_wanted)
			texts->items[kept++] = texts->items[i];
	}
	texts->count = kept;
}

static void set_defaults(struct at_request *out)
{
	memset(out, 0, sizeof(*out));
	out->profile = AT_CONFINED;
	out->project_name = "";
	out->enforce_decision_signing = true;
	out->write_policy = "";
	out->goose_egress_proxy = "";
}

static void complete(struct at_request *out, const char *fallback_name, struct at_arena *arena)
{
	out->write_roots_are_given = out->write_roots.count > 0;
	if (!out->write_roots_are_given) {
		out->write_roots.items = at_arena_alloc(arena, sizeof(*out->write_roots.items));
		out->write_roots.items[0] = ".";
		out->write_roots.count = 1;
	}
	drop_empty_and_double(&out->protected_read_paths);
	if (!out->team_id_is_given)
		out->team_id = at_request_slug(
			*out->project_name ? out->project_name : fallback_name, arena);
}

void at_request_default(struct at_request *out, const char *fallback_name, struct at_arena *arena)
{
	set_defaults(out);
	complete(out, fallback_name, arena);
}

static bool read_document(const struct reading *r)
{
	const struct at_json_node *root = &r->doc->nodes[AT_JSON_ROOT];

	if (root->kind != AT_JSON_OBJECT) {
		at_fail(r->err, AT_EINVALID, "the brief must be a JSON object");
		return fail_at(r, root->start, "brief-type");
	}
	r->out->unknown_keys.items =
		at_arena_alloc(r->arena, root->count * sizeof(*r->out->unknown_keys.items));
	at_json_each(r->doc, i, AT_JSON_ROOT)
		if (!take_member(r, i))
			return false;
	return true;
}

bool at_request_read(struct at_request *out, struct at_bytes brief, const char *fallback_name,
	struct at_arena *arena, struct at_error *err)
{
	struct at_json doc;
	struct reading r = { out, &doc, arena, err };
	bool is_read;

	set_defaults(out);
	if (!at_json_read(&doc, brief, &at_json_brief_limits, 0, err))
		return false;
	is_read = read_document(&r);
	at_json_free(&doc);
	if (is_read)
		complete(out, fallback_name, arena);
	return is_read;
}

/* The Python tool's rule: letters, digits, blanks and `-` stay, runs of blanks become one `-`,
 * leading `-` go. */
const char *at_request_slug(const char *name, struct at_arena *arena)
{
	char *slug = at_arena_alloc(arena, strlen(name) + 1);
	size_t len = 0;
	bool is_gap = false;

	for (; *name; name++) {
		char c = *name >= 'A' && *name <= 'Z' ? (char)(*name + 32) : *name;

		if (strchr(" \t\r\n\v\f", c)) {
			is_gap = true;
			continue;
		}
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-", c))
			continue;
		if (is_gap && len > 0)
			slug[len++] = '-';
		is_gap = false;
		if (c != '-' || len > 0)
			slug[len++] = c;
	}
	slug[len] = '\0';
	return len > 0 ? slug : "team";
}
