#include "core/json_style.h"

#include <string.h>

/* Indentation longer than this is no style but padding, and is not multiplied. */
enum { GAP_MAX = 256 };

/* How many siblings are asked for their layout: the first that has one answers, and a
 * hostile row of empty ones must not cost a walk each time. */
enum { SAMPLE_MAX = 64 };

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool ends_line(char c)
{
	return c == '\n' || c == '\r';
}

static struct at_bytes between(const struct at_json *doc, uint32_t from, uint32_t to)
{
	return (struct at_bytes){ doc->text.data + from, to - from };
}

uint32_t at_json_begin(const struct at_json *doc, uint32_t node)
{
	const struct at_json_node *n = &doc->nodes[node];

	return n->key_end ? n->key_start : n->start;
}

struct at_bytes at_json_gap(const struct at_json *doc, uint32_t node)
{
	uint32_t to = at_json_begin(doc, node), from = to;

	while (from > 0 && is_space(doc->text.data[from - 1]))
		from--;
	return between(doc, from, to);
}

size_t at_json_line_ends(struct at_bytes space)
{
	size_t count = 0;

	for (size_t i = 0; i < space.len; i++)
		count += space.data[i] == '\n' ||
			(space.data[i] == '\r' &&
				(i + 1 == space.len || space.data[i + 1] != '\n'));
	return count;
}

/* What follows the last line end of white space. */
static struct at_bytes last_line(struct at_bytes space)
{
	size_t from = space.len;

	while (from > 0 && !ends_line(space.data[from - 1]))
		from--;
	return (struct at_bytes){ space.data + from, space.len - from };
}

static bool has_line_end(struct at_bytes space)
{
	return last_line(space).len != space.len;
}

static bool is_on_own_line(const struct at_json *doc, uint32_t node)
{
	return has_line_end(at_json_gap(doc, node));
}

static struct at_bytes capped(struct at_bytes space)
{
	return space.len > GAP_MAX ? (struct at_bytes){ "", 0 } : space;
}

struct at_bytes at_json_indent(const struct at_json *doc, uint32_t node)
{
	struct at_bytes gap = at_json_gap(doc, node);

	while (!has_line_end(gap) && node != AT_JSON_ROOT) {
		node = doc->nodes[node].parent;
		gap = at_json_gap(doc, node);
	}
	return capped(last_line(gap));
}

/* What a child is indented by beyond its container, or nothing. */
static struct at_bytes unit_of(const struct at_json *doc, uint32_t container)
{
	static const struct at_bytes none = { "", 0 };
	uint32_t child = at_json_first(doc, container);
	struct at_bytes outer, inner;

	if (child == AT_JSON_NONE || !is_on_own_line(doc, child))
		return none;
	outer = at_json_indent(doc, container);
	inner = at_json_indent(doc, child);
	if (inner.len <= outer.len || (outer.len && memcmp(inner.data, outer.data, outer.len) != 0))
		return none;
	return (struct at_bytes){ inner.data + outer.len, inner.len - outer.len };
}

/* The colon with its white space, or nothing where it is no style for one line. */
static struct at_bytes colon_of(const struct at_json *doc, uint32_t node)
{
	const struct at_json_node *n = &doc->nodes[node];
	struct at_bytes colon = between(doc, n->key_end, n->start);

	return n->key_end && !has_line_end(colon) ? capped(colon) : (struct at_bytes){ "", 0 };
}

static struct at_bytes comma_of(const struct at_json *doc, uint32_t node)
{
	uint32_t next = doc->nodes[node].next;
	struct at_bytes comma;

	if (next == AT_JSON_NONE)
		return (struct at_bytes){ "", 0 };
	comma = between(doc, doc->nodes[node].end, at_json_begin(doc, next));
	return has_line_end(comma) ? (struct at_bytes){ "", 0 } : capped(comma);
}

static struct at_bytes newline_of(const struct at_json *doc)
{
	for (size_t i = 0; i < doc->text.len; i++) {
		if (!ends_line(doc->text.data[i]))
			continue;
		if (doc->text.data[i] == '\n')
			break;
		return at_bytes_of(
			i + 1 < doc->text.len && doc->text.data[i + 1] == '\n' ? "\r\n" : "\r");
	}
	return at_bytes_of("\n");
}

void at_json_style_of(struct at_json_style *out, const struct at_json *doc)
{
	*out = (struct at_json_style){ .doc = doc, .newline = newline_of(doc) };
	for (uint32_t i = 0; i < doc->count; i++) {
		if (!out->unit.len)
			out->unit = unit_of(doc, i);
		if (!out->colon.len)
			out->colon = colon_of(doc, i);
		if (!out->comma.len)
			out->comma = comma_of(doc, i);
		if (out->unit.len && out->colon.len && out->comma.len)
			return;
	}
	if (!out->unit.len)
		out->unit = at_bytes_of("  ");
	if (!out->colon.len)
		out->colon = at_bytes_of(": ");
	if (!out->comma.len)
		out->comma = at_bytes_of(", ");
}

bool at_json_is_flat(const struct at_json *value)
{
	for (uint32_t i = 1; i < value->count; i++)
		if (value->nodes[i].count)
			return false;
	return true;
}

/* A child of `parent` that shows how its kind is laid out, or AT_JSON_NONE. */
static uint32_t sample(const struct at_json *doc, uint32_t parent, enum at_json_kind kind)
{
	unsigned seen = 0;

	at_json_each(doc, i, parent) {
		if (doc->nodes[i].kind == kind && doc->nodes[i].count)
			return i;
		if (++seen == SAMPLE_MAX)
			break;
	}
	return AT_JSON_NONE;
}

/* Whether a container of `kind` has its children on lines, as its neighbours in `parent`
 * show it; `otherwise` where none does. Only a flat one follows neighbours of one line:
 * a block of settings on one line is for nobody to read. */
static bool has_lines(const struct at_json *doc, uint32_t parent, enum at_json_kind kind, bool flat,
	bool otherwise)
{
	uint32_t shown = sample(doc, parent, kind);

	if (shown == AT_JSON_NONE)
		return otherwise;
	if (is_on_own_line(doc, shown + 1))
		return true;
	return !flat && otherwise;
}

static bool empty_has_lines(const struct at_json *doc, uint32_t node, bool flat)
{
	const struct at_json_node *n = &doc->nodes[node];

	if (has_line_end(between(doc, n->start + 1, n->end - 1)) || node == AT_JSON_ROOT)
		return true;
	return has_lines(doc, n->parent, n->kind, flat, is_on_own_line(doc, node));
}

static uint32_t last_child(const struct at_json *doc, uint32_t container, uint32_t *before)
{
	uint32_t last = AT_JSON_NONE;

	*before = AT_JSON_NONE;
	at_json_each(doc, i, container) {
		*before = last;
		last = i;
	}
	return last;
}

void at_json_place_in(
	struct at_json_place *out, const struct at_json_style *style, uint32_t container, bool flat)
{
	const struct at_json *doc = style->doc;
	uint32_t before, last = last_child(doc, container, &before);

	*out = (struct at_json_place){ .style = style, .unit = unit_of(doc, container) };
	if (!out->unit.len)
		out->unit = style->unit;
	if (last == AT_JSON_NONE) {
		out->lines = empty_has_lines(doc, container, flat);
		out->indent = at_json_indent(doc, container);
		out->steps = out->lines;
	} else {
		out->lines = is_on_own_line(doc, last);
		out->indent = at_json_indent(doc, last);
		out->colon = colon_of(doc, last);
	}
	if (!out->colon.len)
		out->colon = style->colon;
}

void at_json_place_child(struct at_json_place *out, const struct at_json_place *in,
	uint32_t container, const struct at_json *value)
{
	*out = *in;
	out->lines = has_lines(in->style->doc, container, value->nodes[AT_JSON_ROOT].kind,
		at_json_is_flat(value), in->lines);
}

void at_json_place_of(struct at_json_place *out, const struct at_json_style *style, uint32_t node,
	const struct at_json *value)
{
	const struct at_json *doc = style->doc;
	const struct at_json_node *n = &doc->nodes[node];
	enum at_json_kind kind = value->nodes[AT_JSON_ROOT].kind;
	uint32_t child = at_json_first(doc, node);

	*out = (struct at_json_place){ .style = style,
		.unit = unit_of(doc, node),
		.indent = at_json_indent(doc, node),
		.colon = colon_of(doc, node) };
	if (child != AT_JSON_NONE)
		out->lines = is_on_own_line(doc, child);
	else
		out->lines = node == AT_JSON_ROOT ||
			has_lines(doc, n->parent, kind, at_json_is_flat(value),
				is_on_own_line(doc, node));
	if (!out->unit.len)
		out->unit = style->unit;
	if (!out->colon.len)
		out->colon = style->colon;
}

static void put(struct at_buf *out, struct at_bytes bytes)
{
	at_buf_put(out, bytes.data, bytes.len);
}

static void put_line(struct at_buf *out, const struct at_json_place *place, unsigned steps)
{
	put(out, place->style->newline);
	put(out, place->indent);
	while (steps--)
		put(out, place->unit);
}

void at_json_put_line(struct at_buf *out, const struct at_json_place *place, unsigned less)
{
	put_line(out, place, place->steps - less);
}

/* White space as it stands, its line ends cut to one of the document's: a blank line
 * before the last child is no habit to repeat. */
static void put_gap(struct at_buf *out, const struct at_json_style *style, struct at_bytes gap)
{
	if (has_line_end(gap))
		put(out, style->newline);
	put(out, capped(last_line(gap)));
}

void at_json_put_separator(struct at_buf *out, const struct at_json_place *in, uint32_t container)
{
	const struct at_json *doc = in->style->doc;
	uint32_t before, last = last_child(doc, container, &before);
	struct at_bytes gap;

	if (before == AT_JSON_NONE) {
		put(out, in->lines ? at_bytes_of(",") : in->style->comma);
		if (in->lines)
			at_json_put_line(out, in, 0);
		return;
	}
	gap = at_json_gap(doc, last);
	put_gap(out, in->style,
		between(doc, doc->nodes[before].end,
			at_json_begin(doc, last) - (uint32_t)gap.len - 1));
	at_buf_putc(out, ',');
	put_gap(out, in->style, gap);
}

/* Between a bracket or comma and a child, or a child and the closing bracket. */
static void put_break(struct at_buf *out, const struct at_json_place *place, unsigned depth)
{
	if (place->lines)
		put_line(out, place, place->steps + depth);
}

void at_json_lay_out(
	struct at_buf *out, const struct at_json *value, const struct at_json_place *place)
{
	uint32_t i = AT_JSON_ROOT;
	unsigned depth = 0;

	for (;;) {
		const struct at_json_node *n = &value->nodes[i];

		if (n->key_end) {
			put(out, between(value, n->key_start, n->key_end));
			put(out, place->colon);
		}
		if (n->count) {
			at_buf_putc(out, n->kind == AT_JSON_ARRAY ? '[' : '{');
			put_break(out, place, ++depth);
			i++;
			continue;
		}
		if (n->kind == AT_JSON_ARRAY || n->kind == AT_JSON_OBJECT)
			at_buf_puts(out, n->kind == AT_JSON_ARRAY ? "[]" : "{}");
		else
			put(out, at_json_raw(value, i));
		while (i != AT_JSON_ROOT && value->nodes[i].next == AT_JSON_NONE) {
			i = value->nodes[i].parent;
			put_break(out, place, --depth);
			at_buf_putc(out, value->nodes[i].kind == AT_JSON_ARRAY ? ']' : '}');
		}
		if (i == AT_JSON_ROOT)
			return;
		put(out, place->lines ? at_bytes_of(",") : place->style->comma);
		put_break(out, place, depth);
		i = value->nodes[i].next;
	}
}
