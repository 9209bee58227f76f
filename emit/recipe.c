#include "emit/recipe.h"

#include <string.h>
#include <yaml.h>

#include "core/mem.h"
#include "core/utf8.h"
#include "emit/agent.h"

const char *const at_recipe_keys[AT_RECIPE_OTHER] = {
	[AT_RECIPE_TITLE] = "title",
	[AT_RECIPE_DESCRIPTION] = "description",
	[AT_RECIPE_INSTRUCTIONS] = "instructions",
	[AT_RECIPE_EXTENSIONS] = "extensions",
};

struct reading {
	struct at_recipe *out;
	struct at_bytes text;
	struct at_arena *arena;
	struct at_error *err;
	size_t piece_cap, extension_cap;
	size_t chars, bytes; /* the same place of the text, counted both ways */
	unsigned depth;
	bool is_map[AT_RECIPE_DEPTH + 1], wants_key[AT_RECIPE_DEPTH + 1];
	enum at_recipe_key key; /* of the root, whose value is being read */
	bool is_name;           /* the value that comes is the name of an extension */
	size_t documents;
};

static unsigned line_of(const yaml_mark_t *mark)
{
	return (unsigned)mark->line + 1;
}

/* libyaml counts characters. Marks come in order, so this is one pass in all. */
static size_t offset_of(struct reading *in, size_t chars)
{
	while (in->chars < chars && in->bytes < in->text.len) {
		do
			in->bytes++;
		while (in->bytes < in->text.len && (in->text.data[in->bytes] & 0xC0) == 0x80);
		in->chars++;
	}
	return in->bytes;
}

static void add_piece(struct reading *in, enum at_recipe_key key, size_t offset)
{
	struct at_recipe *out = in->out;
	struct at_recipe_piece *old = out->pieces;

	if (out->count == in->piece_cap) {
		in->piece_cap = in->piece_cap ? in->piece_cap * 2 : 16;
		out->pieces = at_arena_alloc(in->arena, in->piece_cap * sizeof(*old));
		if (out->count)
			memcpy(out->pieces, old, out->count * sizeof(*old));
	}
	if (out->count) {
		struct at_bytes *last = &out->pieces[out->count - 1].text;

		last->len = offset - (size_t)(last->data - in->text.data);
	} else {
		out->lead = (struct at_bytes){ in->text.data, offset };
	}
	out->pieces[out->count++] = (struct at_recipe_piece){ key,
		{ in->text.data + offset, in->text.len - offset } };
}

static bool take_root_key(struct reading *in, const yaml_event_t *event)
{
	const char *name = (const char *)event->data.scalar.value;
	unsigned line = line_of(&event->start_mark);

	in->key = AT_RECIPE_OTHER;
	for (int i = 0; i < AT_RECIPE_OTHER; i++)
		if (strcmp(name, at_recipe_keys[i]) == 0)
			in->key = (enum at_recipe_key)i;
	if (event->start_mark.column != 0)
		return at_agent_fail(in->err, line, "agent-yaml",
			"`%.60s` does not stand at the left margin", name);
	for (size_t i = 0; in->key != AT_RECIPE_OTHER && i < in->out->count; i++)
		if (in->out->pieces[i].key == in->key)
			return at_agent_fail(in->err, line, "agent-yaml",
				"`%s` is given a second time", name);
	add_piece(in, in->key, offset_of(in, event->start_mark.index));
	return true;
}

static bool take_root_text(struct reading *in, const yaml_event_t *event)
{
	const char *value = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;

	if (in->key == AT_RECIPE_OTHER)
		return true;
	if (in->key == AT_RECIPE_EXTENSIONS) {
		in->out->has_extensions = true;
		return len == 0 || at_agent_fail(in->err, line_of(&event->start_mark), "agent-yaml",
			"`extensions` must be a list");
	}
	if (memchr(value, '\0', len))
		return at_agent_fail(in->err, line_of(&event->start_mark), "agent-nul",
			"`%s` holds a NUL", at_recipe_keys[in->key]);
	in->out->texts[in->key] = (struct at_bytes){ at_arena_strndup(in->arena, value, len), len };
	return true;
}

static void add_extension(struct reading *in, const yaml_event_t *event)
{
	struct at_texts *list = &in->out->extensions;
	const char **old = list->items;

	if (list->count == in->extension_cap) {
		in->extension_cap = in->extension_cap ? in->extension_cap * 2 : 8;
		list->items = at_arena_alloc(in->arena, in->extension_cap * sizeof(*old));
		if (list->count)
			memcpy(list->items, old, list->count * sizeof(*old));
	}
	list->items[list->count++] =
		at_arena_strdup(in->arena, (const char *)event->data.scalar.value);
}

static bool take_scalar(struct reading *in, const yaml_event_t *event)
{
	const char *value = (const char *)event->data.scalar.value;
	bool *wants_key = &in->wants_key[in->depth];
	bool is_key = in->depth && in->is_map[in->depth] && *wants_key, fine = true;

	if (in->depth == 0)
		return at_agent_fail(in->err, line_of(&event->start_mark), "agent-yaml",
			"a recipe is a mapping of `key: value` lines");
	if (is_key && in->depth == 1)
		fine = take_root_key(in, event);
	else if (is_key)
		in->is_name = in->depth == 3 && in->key == AT_RECIPE_EXTENSIONS &&
			!in->is_map[2] && strcmp(value, "name") == 0;
	else if (in->depth == 1)
		fine = take_root_text(in, event);
	else if (in->is_name && in->depth == 3 && *value)
		add_extension(in, event);
	*wants_key = !is_key;
	return fine;
}

static bool open_container(struct reading *in, const yaml_event_t *event, bool is_map, bool is_flow)
{
	unsigned line = line_of(&event->start_mark);

	if (in->depth == 0 && (!is_map || is_flow))
		return at_agent_fail(in->err, line, "agent-yaml",
			"a recipe is a mapping of `key: value` lines");
	if (in->depth == AT_RECIPE_DEPTH)
		return at_agent_fail(in->err, line, "agent-yaml-size",
			"more than %d levels lie inside each other", AT_RECIPE_DEPTH);
	if (in->depth && in->is_map[in->depth] && in->wants_key[in->depth])
		return at_agent_fail(in->err, line, "agent-yaml", "a key must be plain text");
	if (in->depth == 1 && in->key < AT_RECIPE_EXTENSIONS)
		return at_agent_fail(in->err, line, "agent-yaml", "`%s` must be a text",
			at_recipe_keys[in->key]);
	if (in->depth == 1 && in->key == AT_RECIPE_EXTENSIONS) {
		if (is_map)
			return at_agent_fail(
				in->err, line, "agent-yaml", "`extensions` must be a list");
		in->out->has_extensions = true;
	}
	in->depth++;
	in->is_map[in->depth] = in->wants_key[in->depth] = is_map;
	return true;
}

static void close_container(struct reading *in)
{
	in->depth--;
	in->is_name = false;
	if (in->depth && in->is_map[in->depth])
		in->wants_key[in->depth] = true;
}

static bool refuse_reference(struct reading *in, const yaml_event_t *event, const void *anchor,
	const void *tag)
{
	if (anchor)
		return at_agent_fail(in->err, line_of(&event->start_mark), "agent-yaml-anchor",
			"it uses an anchor or an alias; write the value where it is meant");
	if (tag)
		return at_agent_fail(in->err, line_of(&event->start_mark), "agent-yaml-tag",
			"it uses a tag; write the value as plain text");
	return true;
}

static bool take(struct reading *in, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return refuse_reference(in, event, event, NULL);
	case YAML_DOCUMENT_START_EVENT:
		if (event->data.document_start.version_directive ||
			event->data.document_start.tag_directives.start !=
				event->data.document_start.tag_directives.end)
			return refuse_reference(in, event, NULL, event);
		return in->documents++ == 0 || at_agent_fail(in->err, line_of(&event->start_mark),
			"agent-yaml", "a second document begins");
	case YAML_SCALAR_EVENT:
		return refuse_reference(in, event, event->data.scalar.anchor,
			       event->data.scalar.tag) &&
			take_scalar(in, event);
	case YAML_SEQUENCE_START_EVENT:
		return refuse_reference(in, event, event->data.sequence_start.anchor,
			       event->data.sequence_start.tag) &&
			open_container(in, event, false,
				event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
	case YAML_MAPPING_START_EVENT:
		return refuse_reference(in, event, event->data.mapping_start.anchor,
			       event->data.mapping_start.tag) &&
			open_container(in, event, true,
				event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		close_container(in);
		return true;
	default:
		return true;
	}
}

static bool read_events(struct reading *in, yaml_parser_t *parser)
{
	bool fine = true, done = false;

	for (size_t events = 0; fine && !done; events++) {
		yaml_event_t event;

		if (!yaml_parser_parse(parser, &event))
			return at_agent_fail(in->err, line_of(&parser->problem_mark), "agent-yaml",
				"%s", parser->problem ? parser->problem : "it is no YAML");
		done = event.type == YAML_STREAM_END_EVENT;
		fine = events < AT_RECIPE_EVENTS ? take(in, &event)
			: at_agent_fail(in->err, line_of(&event.start_mark), "agent-yaml-size",
				  "it has more than %d values", AT_RECIPE_EVENTS);
		yaml_event_delete(&event);
	}
	return fine;
}

bool at_recipe_read(struct at_recipe *out, struct at_bytes text, struct at_arena *arena,
	struct at_error *err)
{
	struct reading in = { .out = out, .text = text, .arena = arena, .err = err };
	yaml_parser_t parser;
	bool done;

	*out = (struct at_recipe){ 0 };
	if (!at_agent_check_text(text, err))
		return false;
	if (!yaml_parser_initialize(&parser))
		return at_fail(err, AT_EIO, "libyaml does not start");
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text.data, text.len);
	done = read_events(&in, &parser);
	yaml_parser_delete(&parser);
	return done;
}

/* What a reader of YAML folds, refuses or takes for a line's end. */
static bool is_odd(uint32_t code)
{
	return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
		code == 0xFEFF || code == 0xFFFE || code == 0xFFFF;
}

void at_recipe_quote(struct at_buf *out, struct at_bytes text)
{
	const char *p = text.data, *end = text.data + text.len;

	at_buf_putc(out, '"');
	while (p < end) {
		const char *from = p;
		uint32_t code;

		at_utf8_take(&p, end, &code);
		if (code == '"' || code == '\\')
			at_buf_printf(out, "\\%c", (char)code);
		else if (code == '\n')
			at_buf_puts(out, "\\n");
		else if (code == '\t')
			at_buf_puts(out, "\\t");
		else if (is_odd(code))
			at_buf_printf(out, "\\u%04X", (unsigned)code);
		else
			at_buf_put(out, from, (size_t)(p - from));
	}
	at_buf_putc(out, '"');
}

bool at_recipe_is_literal(struct at_bytes text)
{
	const char *p = text.data, *end = text.data + text.len;
	bool has_words = false;

	while (p < end) {
		uint32_t code;

		if (!at_utf8_take(&p, end, &code) ||
			(is_odd(code) && code != '\n' && code != '\t'))
			return false;
		has_words |= code > ' ';
	}
	return has_words;
}
