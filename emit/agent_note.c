#include "emit/agent_note.h"

#include <stdio.h>
#include <string.h>

#include "core/json_read.h"
#include "core/json_write.h"
#include "core/mem.h"
#include "emit/agent.h"

#define OPEN "<!-- "
#define CLOSE " -->\n"

static int edge(char out[80], const char *word, const char *harness, const char *version)
{
	return snprintf(out, 80, OPEN "AGENTTEAMS:%s %s_translation%s" CLOSE, word, harness,
		version);
}

static bool says_something(const struct at_agent_note *note)
{
	return note->name || note->description || note->has_tools_said || note->adds_title ||
		note->adds_end;
}

static struct at_json_value *note_to_json(const struct at_agent_note *note)
{
	struct at_json_value *json = at_json_object(), *list;

	if (note->name)
		at_json_add_text(json, "name", note->name);
	if (note->description)
		at_json_add_text(json, "description", note->description);
	if (note->has_tools_said && !note->has_tools) {
		at_json_add_null(json, "tools");
	} else if (note->has_tools_said) {
		list = at_json_add_array(json, "tools");
		for (size_t i = 0; i < note->tools.count; i++)
			at_json_add_text(list, NULL, note->tools.items[i]);
	}
	if (note->adds_title)
		at_json_add_bool(json, "adds_title", true);
	if (note->adds_end)
		at_json_add_bool(json, "adds_end", true);
	return json;
}

/* Neither `>` nor `--` stands in it, or the comment would end there. Both stand in strings
 * alone. */
static void put_json(struct at_buf *out, struct at_json_value *json)
{
	struct at_buf text = { 0 };

	at_json_print(&text, json, AT_JSON_COMPACT);
	at_json_value_free(json);
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '>')
			at_buf_puts(out, "\\u003e");
		else if (text.data[i] == '-' && i > 0 && text.data[i - 1] == '-')
			at_buf_puts(out, "\\u002d");
		else
			at_buf_putc(out, text.data[i]);
	}
	at_buf_free(&text);
}

void at_agent_note_put(struct at_buf *out, const char *harness, const struct at_agent_note *note)
{
	char line[80];

	if (!says_something(note))
		return;
	edge(line, "BEGIN", harness, " v=1");
	at_buf_puts(out, line);
	at_buf_puts(out, OPEN);
	put_json(out, note_to_json(note));
	at_buf_puts(out, CLOSE);
	edge(line, "END", harness, "");
	at_buf_puts(out, line);
}

static bool starts(struct at_bytes text, const char *with)
{
	size_t len = strlen(with);

	return text.len >= len && memcmp(text.data, with, len) == 0;
}

static const char *text_of(const struct at_json *doc, const char *key, bool *fine,
	struct at_arena *arena)
{
	uint32_t node = at_json_member(doc, AT_JSON_ROOT, key);
	struct at_bytes text;

	if (node == AT_JSON_NONE)
		return NULL;
	if (!at_json_is(doc, node, AT_JSON_STRING)) {
		*fine = false;
		return NULL;
	}
	text = at_json_string(doc, node, arena);
	*fine &= memchr(text.data, '\0', text.len) == NULL;
	return text.data;
}

static bool read_tools(struct at_agent_note *out, const struct at_json *doc, struct at_arena *arena)
{
	uint32_t list = at_json_member(doc, AT_JSON_ROOT, "tools");
	size_t count = 0;

	out->has_tools_said = list != AT_JSON_NONE;
	if (!out->has_tools_said || at_json_is(doc, list, AT_JSON_NULL))
		return true;
	if (!at_json_is(doc, list, AT_JSON_ARRAY))
		return false;
	out->has_tools = true;
	out->tools.items = at_arena_alloc(
		arena, (doc->nodes[list].count + 1) * sizeof(*out->tools.items));
	at_json_each(doc, i, list) {
		struct at_bytes text;

		if (!at_json_is(doc, i, AT_JSON_STRING))
			return false;
		text = at_json_string(doc, i, arena);
		if (text.len == 0 || memchr(text.data, '\0', text.len))
			return false;
		out->tools.items[count++] = text.data;
	}
	out->tools.count = count;
	return true;
}

static bool read_note(struct at_agent_note *out, struct at_bytes text, struct at_arena *arena)
{
	static const struct at_json_limits limits = { (size_t)256 << 10, 4 };
	struct at_json doc;
	bool fine;

	if (!at_json_read(&doc, text, &limits, 0, NULL))
		return false;
	fine = at_json_is(&doc, AT_JSON_ROOT, AT_JSON_OBJECT);
	if (fine) {
		out->name = text_of(&doc, "name", &fine, arena);
		out->description = text_of(&doc, "description", &fine, arena);
		fine &= read_tools(out, &doc, arena);
		out->adds_title = at_json_is(
			&doc, at_json_member(&doc, AT_JSON_ROOT, "adds_title"), AT_JSON_TRUE);
		out->adds_end = at_json_is(
			&doc, at_json_member(&doc, AT_JSON_ROOT, "adds_end"), AT_JSON_TRUE);
	}
	at_json_free(&doc);
	return fine;
}

bool at_agent_note_take(struct at_agent_note *out, struct at_bytes *body, const char *harness,
	struct at_arena *arena, struct at_error *err)
{
	struct at_bytes rest = *body, json;
	char begin[80], end[80];
	const char *stop;

	*out = (struct at_agent_note){ 0 };
	edge(begin, "BEGIN", harness, " v=1");
	edge(end, "END", harness, "");
	if (!starts(rest, begin))
		return true;
	rest.data += strlen(begin);
	rest.len -= strlen(begin);
	if (!starts(rest, OPEN "{"))
		return true; /* the Python tool's own section of this name: part of the body */
	json = (struct at_bytes){ rest.data + strlen(OPEN), rest.len - strlen(OPEN) };
	stop = memmem(json.data, json.len, CLOSE, strlen(CLOSE));
	if (stop) {
		json.len = (size_t)(stop - json.data);
		stop += strlen(CLOSE);
		rest.len -= (size_t)(stop - rest.data);
		rest.data = stop;
	}
	if (!stop || !starts(rest, end) || !read_note(out, json, arena))
		return at_agent_fail(err, 1, "agent-translation",
			"its translation section does not read; mend or remove it whole");
	body->data = rest.data + strlen(end);
	body->len = rest.len - strlen(end);
	return true;
}
