#include "core/brief_edit.h"

#include "core/json_edit.h"
#include "core/json_text.h"
#include "core/mem.h"

/* What a missing brief is edited from; the editor follows its layout. */
#define EMPTY_BRIEF "{\n}\n"

/* Is a JSON value of this kind what the field wants, or what its error is to be about? */
static bool takes_json(const struct at_field *field, enum at_json_kind kind)
{
	switch (field->type) {
	case AT_FIELD_TEXT:
	case AT_FIELD_TEAM_ID:
		return kind == AT_JSON_STRING;
	case AT_FIELD_PROFILE:
		return kind == AT_JSON_STRING || kind == AT_JSON_NULL;
	case AT_FIELD_TEXTS:
		return kind == AT_JSON_STRING || kind == AT_JSON_ARRAY;
	case AT_FIELD_BOOL:
	case AT_FIELD_ANY:
		return true;
	}
	return false;
}

bool at_brief_value(struct at_buf *out, const struct at_field *field, const char *words,
	struct at_error *err)
{
	struct at_json doc;
	bool is_list = field->type == AT_FIELD_TEXTS, is_json;
	struct at_bytes raw;

	if (!at_utf8_is_valid(at_bytes_of(words), NULL)) {
		at_fail(err, AT_EINVALID, "the value of `%s` is not UTF-8", field->name);
		at_error_field(err, field->name);
		return false;
	}
	is_json = at_json_read(&doc, at_bytes_of(words), &at_json_brief_limits,
		AT_JSON_ALLOW_DUPLICATES, NULL);
	if (is_json && takes_json(field, doc.nodes[AT_JSON_ROOT].kind)) {
		raw = at_json_raw(&doc, AT_JSON_ROOT);
		is_list = is_list && !at_json_is(&doc, AT_JSON_ROOT, AT_JSON_ARRAY);
		at_buf_puts(out, is_list ? "[" : "");
		at_buf_put(out, raw.data, raw.len);
	} else {
		at_buf_puts(out, is_list ? "[" : "");
		at_json_text_quote(out, at_bytes_of(words), false);
	}
	at_buf_puts(out, is_list ? "]" : "");
	if (is_json)
		at_json_free(&doc);
	return true;
}

bool at_brief_check(const struct at_field *field, struct at_bytes value, struct at_error *err)
{
	struct at_arena *arena = at_arena_new();
	struct at_request request;
	struct at_buf brief = { 0 };
	bool ok;

	at_buf_printf(&brief, "{\"%s\":", field->name);
	at_buf_put(&brief, value.data, value.len);
	at_buf_putc(&brief, '}');
	ok = at_request_read(&request, at_buf_bytes(&brief), "", arena, err);
	if (!ok) {
		at_error_at(err, 0, 0); /* a place in this text means nothing to anybody */
		at_error_field(err, field->name);
	}
	at_buf_free(&brief);
	at_arena_free(arena);
	return ok;
}

/* Of two lists of one length each element is one that stays or was changed; else elements
 * were taken out and others added at the end. */
static void edit_list(struct at_json_edit *edit, const struct at_json *doc, uint32_t array,
	const struct at_json *want)
{
	uint32_t next = at_json_first(want, AT_JSON_ROOT);
	bool in_place = doc->nodes[array].count == want->nodes[AT_JSON_ROOT].count;

	at_json_each(doc, i, array) {
		bool stays = next != AT_JSON_NONE && at_json_equal(doc, i, want, next);

		if (!stays && !in_place) {
			at_json_edit_remove(edit, i);
			continue;
		}
		if (!stays)
			at_json_edit_replace(edit, i, at_json_raw(want, next));
		next = want->nodes[next].next;
	}
	for (; next != AT_JSON_NONE; next = want->nodes[next].next)
		at_json_edit_append(edit, array, at_json_raw(want, next));
}

static void edit_value(struct at_json_edit *edit, const struct at_json *doc,
	const struct at_field *field, const struct at_json *want)
{
	uint32_t node = at_json_member(doc, AT_JSON_ROOT, field->name);

	if (node == AT_JSON_NONE)
		at_json_edit_add_member(edit, AT_JSON_ROOT, field->name,
			at_json_raw(want, AT_JSON_ROOT));
	else if (at_json_equal(doc, node, want, AT_JSON_ROOT))
		return;
	else if (field->type == AT_FIELD_TEXTS && at_json_is(doc, node, AT_JSON_ARRAY))
		edit_list(edit, doc, node, want);
	else
		at_json_edit_replace(edit, node, at_json_raw(want, AT_JSON_ROOT));
}

static bool open_brief(struct at_json *doc, struct at_bytes brief, struct at_error *err)
{
	if (!at_json_read(doc, brief, &at_json_brief_limits, 0, err))
		return false;
	if (at_json_is(doc, AT_JSON_ROOT, AT_JSON_OBJECT))
		return true;
	at_json_free(doc);
	return at_fail(err, AT_EINVALID, "the brief must be a JSON object");
}

static bool is_within_limit(size_t len, const struct at_field *field, struct at_error *err)
{
	if (len <= at_json_brief_limits.bytes)
		return true;
	at_fail(err, AT_ELIMIT, "with this `%s` the brief would be larger than %zu bytes",
		field->name, at_json_brief_limits.bytes);
	at_error_field(err, field->name);
	return false;
}

bool at_brief_set(struct at_buf *out, struct at_bytes brief, const struct at_field *field,
	struct at_bytes value, struct at_error *err)
{
	struct at_json doc, want;
	struct at_json_edit *edit;
	size_t before = out->len;
	bool ok;

	if (!at_brief_check(field, value, err))
		return false;
	if (!open_brief(&doc, brief.len ? brief : at_bytes_of(EMPTY_BRIEF), err))
		return false;
	ok = at_json_read(&want, value, &at_json_brief_limits, 0, err);
	if (ok) {
		edit = at_json_edit_new(&doc);
		edit_value(edit, &doc, field, &want);
		ok = at_json_edit_apply(edit, out, err);
		at_json_edit_free(edit);
		at_json_free(&want);
	}
	at_json_free(&doc);
	if (ok && !is_within_limit(out->len - before, field, err)) {
		out->len = before;
		out->data[before] = '\0';
		return false;
	}
	return ok;
}

bool at_brief_unset(struct at_buf *out, struct at_bytes brief, const struct at_field *field,
	struct at_error *err)
{
	struct at_json doc;
	struct at_json_edit *edit;
	uint32_t node;
	bool ok;

	if (!brief.len)
		return true;
	if (!open_brief(&doc, brief, err))
		return false;
	node = at_json_member(&doc, AT_JSON_ROOT, field->name);
	edit = at_json_edit_new(&doc);
	if (node != AT_JSON_NONE)
		at_json_edit_remove(edit, node);
	ok = at_json_edit_apply(edit, out, err);
	at_json_edit_free(edit);
	at_json_free(&doc);
	return ok;
}
