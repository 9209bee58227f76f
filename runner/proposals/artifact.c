#include "runner/proposals/artifact.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_keys.h"
#include "core/json_text.h"
#include "core/mem.h"
#include "keys/field.h"
#include "runner/proposals/canonical.h"
#include "runner/proposals/site.h"

const struct at_json_limits at_artifact_limits = { AT_REQUEST_CAP, 32 };

/* A key, and of which kinds: needed, or allowed. In the order of the names. */
static const struct {
	const char *key;
	unsigned needed, allowed;
} keys[] = {
	{ "agent", 0, AT_CHANGE_PROPOSAL | AT_DELETE_PROPOSAL | AT_COMMAND_REQUEST },
	{ "argv", AT_COMMAND_REQUEST, 0 },
	{ "base_sha256", AT_CHANGE_PROPOSAL | AT_DELETE_PROPOSAL, 0 },
	{ "content", AT_CHANGE_PROPOSAL, 0 },
	{ "cwd", 0, AT_COMMAND_REQUEST },
	{ "dispatch", AT_CHANGE_PROPOSAL | AT_DELETE_PROPOSAL | AT_COMMAND_REQUEST, 0 },
	{ "expected_writes", 0, AT_COMMAND_REQUEST },
	{ "gates", 0, AT_CHANGE_PROPOSAL },
	{ "kind", AT_CHANGE_PROPOSAL | AT_DELETE_PROPOSAL | AT_COMMAND_REQUEST, 0 },
	{ "path", AT_CHANGE_PROPOSAL | AT_DELETE_PROPOSAL, 0 },
	{ "purpose", AT_COMMAND_REQUEST, 0 },
	{ "rationale", AT_CHANGE_PROPOSAL | AT_DELETE_PROPOSAL, 0 },
	{ "stdin_from_content", 0, AT_COMMAND_REQUEST },
};

static const struct {
	enum at_artifact_kind kind;
	const char *name;
} kinds_of[] = {
	{ AT_CHANGE_PROPOSAL, "change-proposal" },
	{ AT_DELETE_PROPOSAL, "delete-proposal" },
	{ AT_COMMAND_REQUEST, "command-request" },
};

const char *at_artifact_kind_name(enum at_artifact_kind kind)
{
	for (size_t i = 0; i < AT_LEN(kinds_of); i++)
		if (kinds_of[i].kind == kind)
			return kinds_of[i].name;
	return "?";
}

static bool __attribute__((format(printf, 3, 4)))
fail(struct at_error *err, const char *id, const char *format, ...)
{
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	at_fail(err, AT_EINVALID, "%s", text);
	at_error_name(err, id);
	return false;
}

/* No key and no text may hold a lone surrogate: there are no bytes for one. */
static bool is_unicode(struct at_json_text text)
{
	const char *p = text.data, *end = p + text.len;

	if (!text.escaped)
		return true;
	while (p < end) {
		uint32_t code = at_json_text_next(&p, end);

		if (code >= 0xd800 && code <= 0xdfff)
			return false;
	}
	return true;
}

static bool is_unicode_below(const struct at_json *doc, uint32_t node)
{
	if (at_json_is(doc, node, AT_JSON_STRING))
		return is_unicode(at_json_string_text(doc, node));
	at_json_each(doc, i, node)
		if ((at_json_is(doc, node, AT_JSON_OBJECT) && !is_unicode(at_json_key_text(doc, i)))
			|| !is_unicode_below(doc, i))
			return false;
	return true;
}

/* "not a change-proposal or delete-proposal": what the caller has a use for. */
static bool fail_kind(unsigned kinds, struct at_error *err)
{
	struct at_buf want = { 0 };

	for (size_t i = 0; i < AT_LEN(kinds_of); i++)
		if (kinds & kinds_of[i].kind)
			at_buf_printf(&want, "%s%s", want.len ? " or " : "", kinds_of[i].name);
	fail(err, "artifact-kind", "not a %s", at_buf_text(&want));
	at_buf_free(&want);
	return false;
}

static bool take_kind(enum at_artifact_kind *out, const struct at_json *doc, uint32_t node,
	unsigned kinds, struct at_error *err)
{
	uint32_t kind = at_json_member(doc, node, "kind");

	for (size_t i = 0; i < AT_LEN(kinds_of); i++) {
		if (!(kinds & kinds_of[i].kind) || !at_json_string_is(doc, kind, kinds_of[i].name))
			continue;
		*out = kinds_of[i].kind;
		return true;
	}
	return fail_kind(kinds, err);
}

static int row_of(struct at_json_text key)
{
	for (size_t i = 0; i < AT_LEN(keys); i++)
		if (at_json_text_equal(
			    key, (struct at_json_text){ keys[i].key, strlen(keys[i].key), false }))
			return (int)i;
	return -1;
}

/* As Python prints a list of texts. */
static void put_name(struct at_buf *out, const char *name, size_t len)
{
	at_buf_printf(out, "%s'%.*s'", out->len ? ", " : "", (int)(len > 60 ? 60 : len), name);
}

static int by_name(const void *a, const void *b)
{
	const struct at_json_key *one = a, *other = b;

	return at_json_text_compare(one->text, other->text);
}

/* Who it was is in the staged record, not in the artifact. */
static bool is_identity(const char *key)
{
	return strcmp(key, "dispatch") == 0 || strcmp(key, "agent") == 0;
}

static bool is_allowed(int row, enum at_artifact_kind kind, bool is_staged)
{
	return row >= 0 && ((keys[row].needed | keys[row].allowed) & kind)
		&& !(is_staged && is_identity(keys[row].key));
}

static bool check_keys(const struct at_json *doc, uint32_t node, enum at_artifact_kind kind,
	bool is_staged, struct at_error *err)
{
	struct at_buf missing = { 0 }, unknown = { 0 };
	struct at_json_keys found;
	unsigned long seen = 0;
	bool done;

	at_json_keys_of(&found, doc, node);
	if (found.count)
		qsort(found.key, found.count, sizeof(*found.key), by_name);
	for (size_t i = 0; i < found.count; i++) {
		int row = row_of(found.key[i].text);
		struct at_json_text text = found.key[i].text;

		if (is_allowed(row, kind, is_staged))
			seen |= 1ul << row;
		else if (unknown.len < 256)
			put_name(&unknown, text.data, text.len);
	}
	for (size_t i = 0; i < AT_LEN(keys); i++)
		if ((keys[i].needed & kind) && is_allowed((int)i, kind, is_staged)
			&& !(seen & 1ul << i))
			put_name(&missing, keys[i].key, strlen(keys[i].key));
	done = !missing.len && !unknown.len;
	if (!done)
		fail(err, "artifact-shape", "%s: missing [%s], unknown [%s]",
			at_artifact_kind_name(kind), at_buf_text(&missing), at_buf_text(&unknown));
	at_json_keys_free(&found);
	at_buf_free(&missing);
	at_buf_free(&unknown);
	return done;
}

static struct at_artifact_text text_of(
	const struct at_json *doc, uint32_t object, const char *key, struct at_arena *arena)
{
	uint32_t node = at_json_member(doc, object, key);
	struct at_artifact_text text = { .exists = node != AT_JSON_NONE };

	if (at_json_is(doc, node, AT_JSON_STRING))
		text.text = at_json_string(doc, node, arena);
	return text;
}

static bool take_stdin(struct at_artifact *out, struct at_arena *arena, struct at_error *err)
{
	uint32_t node = at_json_member(out->doc, out->node, "stdin_from_content");

	if (node == AT_JSON_NONE)
		return true;
	if (at_json_is(out->doc, node, AT_JSON_OBJECT) && out->doc->nodes[node].count == 2) {
		out->stdin_path = text_of(out->doc, node, "path", arena);
		out->stdin_content = text_of(out->doc, node, "content", arena);
	}
	return (out->stdin_path.text.data && out->stdin_content.text.data)
		|| fail(err, "artifact-stdin",
			"stdin_from_content must be {path, content}, both text");
}

bool at_artifact_take(struct at_artifact *out, const struct at_json *doc, uint32_t node,
	unsigned kinds, struct at_arena *arena, struct at_error *err)
{
	*out = (struct at_artifact){ .doc = doc,
		.node = node,
		.gates = AT_JSON_NONE,
		.argv = AT_JSON_NONE,
		.expected_writes = AT_JSON_NONE };
	if (!take_kind(&out->kind, doc, node, kinds, err)
		|| !check_keys(doc, node, out->kind, kinds & AT_STAGED_FORM, err))
		return false;
	if (!is_unicode_below(doc, node))
		return fail(err, "artifact-text", "%s: holds a lone surrogate, which is no text",
			at_artifact_kind_name(out->kind));
	out->dispatch = text_of(doc, node, "dispatch", arena);
	out->agent = text_of(doc, node, "agent", arena);
	out->path = text_of(doc, node, "path", arena);
	out->base = text_of(doc, node, "base_sha256", arena);
	out->content = text_of(doc, node, "content", arena);
	out->why = text_of(
		doc, node, out->kind == AT_COMMAND_REQUEST ? "purpose" : "rationale", arena);
	out->cwd = text_of(doc, node, "cwd", arena);
	out->gates = at_json_member(doc, node, "gates");
	out->argv = at_json_member(doc, node, "argv");
	out->expected_writes = at_json_member(doc, node, "expected_writes");
	return take_stdin(out, arena, err);
}

bool at_artifact_strings(const char *const **out, size_t *count, const struct at_json *doc,
	uint32_t node, struct at_arena *arena)
{
	const char **items;

	*count = 0;
	*out = NULL;
	if (!at_json_is(doc, node, AT_JSON_ARRAY))
		return false;
	items = at_arena_alloc(arena, (doc->nodes[node].count + 1) * sizeof(*items));
	at_json_each(doc, i, node) {
		struct at_bytes text;

		if (!at_json_is(doc, i, AT_JSON_STRING))
			return false;
		text = at_json_string(doc, i, arena);
		if (memchr(text.data, '\0', text.len))
			return false;
		items[(*count)++] = text.data;
	}
	*out = items;
	return true;
}

struct at_bytes at_artifact_kept(struct at_bytes text)
{
	const char *p, *end;
	uint32_t code;

	text = at_field_strip(text);
	p = text.data;
	end = p + text.len;
	for (unsigned i = 0; i < AT_RATIONALE_KEPT && p < end; i++)
		at_utf8_take(&p, end, &code);
	text.len = (size_t)(p - text.data);
	return text;
}

bool at_artifact_base(bool *is_absent, struct at_digest *out, struct at_bytes base)
{
	*is_absent = base.data && at_bytes_equal_text(base, "absent");
	return *is_absent
		|| (at_is_lower_hex(base, AT_DIGEST_HEX - 1) && at_digest_from_hex(out, base.data));
}

const char *at_artifact_path_fault(struct at_bytes path)
{
	if (!path.data || path.len == 0)
		return "it is empty, or no text";
	if (path.len >= PATH_MAX)
		return "it is too long";
	if (*path.data == '/' || *path.data == '~')
		return "it is absolute, or below a home";
	for (size_t i = 0, part = 0; i < path.len; i++) {
		unsigned char c = (unsigned char)path.data[i];

		if (c < 0x20 || c == 0x7f)
			return "it holds a control character";
		if (c == '\\')
			return "it holds a backslash";
		part = c == '/' ? 0 : part + 1;
		if (part > NAME_MAX)
			return "a name in it is too long";
	}
	return NULL;
}

void at_artifact_put_staged(
	struct at_buf *out, const struct at_artifact *artifact, const char *path)
{
	struct at_canonical_object object = { 0 };
	const struct at_json *doc = artifact->doc;
	struct at_buf value = { 0 };

	for (size_t i = 0; i < AT_LEN(keys); i++) {
		uint32_t node = at_json_member(doc, artifact->node, keys[i].key);

		if (node == AT_JSON_NONE || is_identity(keys[i].key))
			continue;
		value.len = 0;
		at_canonical_put(&value, doc, node, AT_CANONICAL_SPACED);
		at_canonical_set_raw(&object, keys[i].key, at_buf_bytes(&value));
	}
	if (artifact->path.exists)
		at_canonical_set_text(&object, "path", at_bytes_of(path));
	at_canonical_object_put(out, &object, AT_CANONICAL_SPACED);
	at_canonical_object_free(&object);
	at_buf_free(&value);
}
