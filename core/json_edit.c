#include "core/json_edit.h"

#include <stdlib.h>
#include <string.h>

#include "core/json_splice.h"
#include "core/json_style.h"
#include "core/json_text.h"
#include "core/mem.h"

enum op_kind { APPEND, ADD_MEMBER, REPLACE, REMOVE };

struct op {
	enum op_kind kind;
	uint32_t node;
	char *key; /* ADD_MEMBER only */
	struct at_buf value;
};

struct at_json_edit {
	const struct at_json *doc;
	struct op *ops;
	size_t count, cap;
};

struct at_json_edit *at_json_edit_new(const struct at_json *doc)
{
	struct at_json_edit *edit = at_alloc(sizeof(*edit));

	edit->doc = doc;
	return edit;
}

void at_json_edit_free(struct at_json_edit *edit)
{
	if (!edit)
		return;
	for (size_t i = 0; i < edit->count; i++) {
		free(edit->ops[i].key);
		at_buf_free(&edit->ops[i].value);
	}
	free(edit->ops);
	free(edit);
}

static struct op *add(
	struct at_json_edit *edit, enum op_kind kind, uint32_t node, struct at_bytes value)
{
	struct op *op;

	edit->ops = at_grow(edit->ops, &edit->cap, edit->count, sizeof(*edit->ops));
	op = &edit->ops[edit->count++];
	*op = (struct op){ .kind = kind, .node = node };
	at_buf_put(&op->value, value.data, value.len);
	return op;
}

void at_json_edit_append(struct at_json_edit *edit, uint32_t array, struct at_bytes value)
{
	add(edit, APPEND, array, value);
}

void at_json_edit_add_member(
	struct at_json_edit *edit, uint32_t object, const char *key, struct at_bytes value)
{
	add(edit, ADD_MEMBER, object, value)->key = at_strdup(key);
}

void at_json_edit_replace(struct at_json_edit *edit, uint32_t node, struct at_bytes value)
{
	add(edit, REPLACE, node, value);
}

void at_json_edit_remove(struct at_json_edit *edit, uint32_t node)
{
	add(edit, REMOVE, node, (struct at_bytes){ "", 0 });
}

/* What becomes of a node. */
enum fate { REMOVED = 1, REPLACED = 2, INSIDE = 4 };

/* An edit of a container's children: what is to be added, or just that one is removed. */
struct child_edit {
	uint32_t container;
	size_t op;
};

struct apply {
	const struct at_json_edit *edit;
	const struct at_json *doc;
	struct at_json_style style;
	struct at_json *values; /* of each op; empty for REMOVE */
	unsigned char *fates; /* of each node */
	struct child_edit *children;
	size_t child_count;
	struct at_splices splices;
	struct at_error *err;
};

static bool conflict(const struct apply *a, uint32_t node, const char *what)
{
	unsigned line = 0, column = 0;

	if (node >= a->doc->count)
		return at_fail(a->err, AT_ECONFLICT, "%s", what);
	at_json_position(a->doc->text, at_json_begin(a->doc, node), &line, &column);
	at_fail(a->err, AT_ECONFLICT, "%s (the value at line %u, column %u)", what, line, column);
	at_error_at(a->err, line, column);
	return false;
}

static bool read_value(struct apply *a, size_t i)
{
	const struct op *op = &a->edit->ops[i];
	struct at_error why;

	if (op->kind == REMOVE)
		return true;
	if (at_json_read(&a->values[i], at_buf_bytes(&op->value), &at_json_settings_limits,
		    AT_JSON_ALLOW_DUPLICATES, &why))
		return true;
	return at_fail(a->err, AT_ECONFLICT, "a new value is not JSON: %s", why.message);
}

static bool check_op(struct apply *a, size_t i)
{
	const struct op *op = &a->edit->ops[i];

	if (op->node >= a->doc->count)
		return conflict(a, op->node, "an edit names a value that is not there");
	if (op->kind == APPEND && !at_json_is(a->doc, op->node, AT_JSON_ARRAY))
		return conflict(a, op->node, "only an array can be appended to");
	if (op->kind == ADD_MEMBER && !at_json_is(a->doc, op->node, AT_JSON_OBJECT))
		return conflict(a, op->node, "only an object can get a member");
	if (op->kind == REMOVE && op->node == AT_JSON_ROOT)
		return conflict(a, op->node, "the whole document cannot be removed");
	if (op->kind == REMOVE || op->kind == REPLACE) {
		if (a->fates[op->node])
			return conflict(a, op->node, "two edits remove or replace one value");
		a->fates[op->node] = op->kind == REMOVE ? REMOVED : REPLACED;
	}
	return read_value(a, i);
}

static bool check_ops(struct apply *a)
{
	for (size_t i = 0; i < a->edit->count; i++)
		if (!check_op(a, i))
			return false;
	for (uint32_t i = 1; i < a->doc->count; i++)
		if (a->fates[a->doc->nodes[i].parent])
			a->fates[i] |= INSIDE;
	for (size_t i = 0; i < a->edit->count; i++) {
		const struct op *op = &a->edit->ops[i];
		bool adds = op->kind == APPEND || op->kind == ADD_MEMBER;

		if (a->fates[op->node] & (adds ? REMOVED | REPLACED | INSIDE : INSIDE))
			return conflict(a, op->node,
				"one edit changes a value that another removes or replaces");
	}
	return true;
}

static void put_child(struct apply *a, const struct at_json_place *in, const struct child_edit *c)
{
	const struct op *op = &a->edit->ops[c->op];
	struct at_json_place place;

	if (op->key) {
		at_json_text_quote(&a->splices.text, at_bytes_of(op->key), false);
		at_buf_put(&a->splices.text, in->colon.data, in->colon.len);
	}
	at_json_place_child(&place, in, c->container, &a->values[c->op]);
	at_json_lay_out(&a->splices.text, &a->values[c->op], &place);
}

/* Takes out the children from `first` on that stand before `next`. Of the white space on
 * either side the one with more lines stays: blank lines that part two groups survive. */
static void cut_before(struct apply *a, uint32_t kept, uint32_t first, uint32_t next)
{
	struct at_bytes left = at_json_gap(a->doc, first), right = at_json_gap(a->doc, next);
	size_t start = at_json_begin(a->doc, first), end = at_json_begin(a->doc, next);

	if (kept != AT_JSON_NONE && at_json_line_ends(right) > at_json_line_ends(left)) {
		start -= left.len;
		end -= right.len;
	}
	at_splices_put(&a->splices, start, end, a->splices.text.len);
}

/* The white space that fill() found between the brackets, told from the white space it left
 * around the children: `left` of the first one, `right` of the last. What was on one line
 * still follows the opening bracket; what held line ends precedes the closing one. Where
 * that is just what fill() writes itself there was nothing, as far as one can see: a
 * container of one empty line, closed as we close, is the one thing not given back. */
static struct at_bytes found_inside(
	const struct apply *a, uint32_t container, struct at_bytes left, struct at_bytes right)
{
	struct at_bytes newline = a->style.newline, indent = at_json_indent(a->doc, container);
	struct at_bytes lead = left;
	bool is_ours = right.len == newline.len + indent.len &&
		memcmp(right.data, newline.data, newline.len) == 0 &&
		memcmp(right.data + newline.len, indent.data, indent.len) == 0;

	if (at_json_line_ends(right) && !is_ours)
		return right;
	for (lead.len = 0; lead.len < left.len; lead.len++)
		if (left.data[lead.len] == '\n' || left.data[lead.len] == '\r')
			return lead;
	if (!at_json_line_ends(right) && !at_bytes_equal(left, right))
		lead.len = 0;
	return lead;
}

static void cut_all(struct apply *a, uint32_t container, uint32_t first, uint32_t last)
{
	const struct at_json_node *n = &a->doc->nodes[container];
	size_t end = a->doc->nodes[last].end, from = a->splices.text.len;
	struct at_bytes right = { a->doc->text.data + end, n->end - 1 - end };
	struct at_bytes stays = found_inside(a, container, at_json_gap(a->doc, first), right);

	at_buf_put(&a->splices.text, stays.data, stays.len);
	at_splices_put(&a->splices, n->start + 1, n->end - 1, from);
}

/* Fills an empty container. White space in it stays where it is: that of a line follows
 * the opening bracket, that of many lines precedes the closing one. */
static void fill(
	struct apply *a, const struct at_json_place *in, const struct child_edit *c, size_t count)
{
	const struct at_json_node *n = &a->doc->nodes[c->container];
	struct at_bytes inside = { a->doc->text.data + n->start + 1, n->end - n->start - 2 };
	bool has_lines = at_json_line_ends(inside) > 0;
	size_t from = a->splices.text.len, at = has_lines ? n->start + 1 : n->end - 1;

	for (size_t i = 0; i < count; i++) {
		if (i)
			at_buf_put(&a->splices.text, in->lines ? "," : in->style->comma.data,
				in->lines ? 1 : in->style->comma.len);
		if (in->lines)
			at_json_put_line(&a->splices.text, in, 0);
		put_child(a, in, &c[i]);
	}
	if (in->lines && !has_lines)
		at_json_put_line(&a->splices.text, in, 1);
	else if (!in->lines)
		at_buf_put(&a->splices.text, inside.data, inside.len);
	at_splices_put(&a->splices, at, at, from);
}

/* Puts new children after the last one that stays, in the place of those from `run` to
 * `last` when these are removed. */
static void put_tail(struct apply *a, const struct at_json_place *in, const struct child_edit *c,
	size_t count, uint32_t kept, uint32_t run, uint32_t last)
{
	size_t from = a->splices.text.len;
	size_t start = kept == AT_JSON_NONE ? at_json_begin(a->doc, run) : a->doc->nodes[kept].end;
	size_t end = run == AT_JSON_NONE ? start : a->doc->nodes[last].end;
	struct at_buf separator = { 0 };

	if (in->wrap) {
		at_buf_putc(&separator, ',');
		at_json_put_line(&separator, in, 0);
	} else {
		at_json_put_separator(&separator, in, c->container);
	}
	for (size_t i = 0; i < count; i++) {
		if (i || kept != AT_JSON_NONE)
			at_buf_put(&a->splices.text, separator.data, separator.len);
		put_child(a, in, &c[i]);
	}
	at_buf_free(&separator);
	at_splices_put(&a->splices, start, end, from);
}

#define LINE_MAX_BYTES 120

/* Would these additions make one line of a text of many lines too long to read, or to
 * review? Then each stands on a line of its own; the bytes that are there stay. */
static bool is_crowded(const struct apply *a, const struct child_edit *c, size_t additions)
{
	struct at_bytes text = a->doc->text;
	size_t at = a->doc->nodes[c->container].end, start = at, end = at, added = 0;

	while (start && text.data[start - 1] != '\n' && text.data[start - 1] != '\r')
		start--;
	while (end < text.len && text.data[end] != '\n' && text.data[end] != '\r')
		end++;
	if (additions < 2 || (start == 0 && end >= text.len - (text.len > 0)))
		return false;
	for (size_t i = 0; i < additions; i++)
		added += a->edit->ops[c[i].op].value.len + 2;
	return end - start + added > LINE_MAX_BYTES;
}

/* All edits of one container's children; the additions come first in `c`. */
static void edit_children(struct apply *a, const struct child_edit *c, size_t additions)
{
	uint32_t kept = AT_JSON_NONE, run = AT_JSON_NONE, last = AT_JSON_NONE;
	struct at_json_place in;
	bool flat = true;

	at_json_each(a->doc, i, c->container) {
		last = i;
		if (a->fates[i] & REMOVED) {
			if (run == AT_JSON_NONE)
				run = i;
			continue;
		}
		if (run != AT_JSON_NONE)
			cut_before(a, kept, run, i);
		run = AT_JSON_NONE;
		kept = i;
	}
	for (size_t i = 0; i < additions; i++)
		flat = flat && a->values[c[i].op].nodes[AT_JSON_ROOT].count == 0;
	at_json_place_in(&in, &a->style, c->container, flat);
	if (!in.lines && is_crowded(a, c, additions)) {
		in.wrap = true;
		in.lines = last == AT_JSON_NONE;
		in.steps = 1;
	}
	if (last == AT_JSON_NONE)
		fill(a, &in, c, additions);
	else if (kept == AT_JSON_NONE && !additions)
		cut_all(a, c->container, run, last);
	else if (additions || run != AT_JSON_NONE)
		put_tail(a, &in, c, additions, kept, run, last);
}

static void replace(struct apply *a, size_t i)
{
	uint32_t node = a->edit->ops[i].node;
	size_t from = a->splices.text.len;
	struct at_json_place place;

	at_json_place_of(&place, &a->style, node, &a->values[i]);
	at_json_lay_out(&a->splices.text, &a->values[i], &place);
	at_splices_put(&a->splices, a->doc->nodes[node].start, a->doc->nodes[node].end, from);
}

/* By container, additions first, each in the order given. */
static int compare_children(const void *left, const void *right)
{
	const struct child_edit *a = left, *b = right;

	if (a->container != b->container)
		return a->container < b->container ? -1 : 1;
	return (a->op > b->op) - (a->op < b->op);
}

static void collect(struct apply *a)
{
	a->children = at_resize(NULL, a->edit->count, sizeof(*a->children));
	for (size_t i = 0; i < a->edit->count; i++) {
		const struct op *op = &a->edit->ops[i];
		struct child_edit *c = &a->children[a->child_count];

		if (op->kind == REPLACE) {
			replace(a, i);
			continue;
		}
		a->child_count++;
		*c = (struct child_edit){ op->node, i };
		if (op->kind == REMOVE)
			*c = (struct child_edit){ a->doc->nodes[op->node].parent, SIZE_MAX };
	}
	qsort(a->children, a->child_count, sizeof(*a->children), compare_children);
	for (size_t i = 0, end; i < a->child_count; i = end) {
		size_t additions = 0;

		for (end = i; end < a->child_count; end++) {
			if (a->children[end].container != a->children[i].container)
				break;
			additions += a->children[end].op != SIZE_MAX;
		}
		edit_children(a, &a->children[i], additions);
	}
}

/* A wrong result must not reach a file: it is read again as the client will. */
static bool check_result(const struct apply *a, struct at_bytes result)
{
	uint32_t duplicates = a->doc->duplicates;
	unsigned flags = a->doc->bom ? AT_JSON_ALLOW_BOM : 0;
	struct at_json doc;
	struct at_error why;
	bool more;

	for (size_t i = 0; i < a->edit->count; i++)
		duplicates += a->values[i].duplicates;
	if (duplicates)
		flags |= AT_JSON_ALLOW_DUPLICATES;
	if (!at_json_read(&doc, result, &at_json_settings_limits, flags, &why)) {
		at_fail(a->err, AT_ECONFLICT, "the edited text cannot be read: %s", why.message);
		at_error_name(a->err, why.id);
		return false;
	}
	more = doc.duplicates > duplicates;
	at_json_free(&doc);
	return !more ||
		at_fail(a->err, AT_ECONFLICT, "a new member has a key that is there already");
}

static void apply_free(struct apply *a)
{
	for (size_t i = 0; i < a->edit->count; i++)
		at_json_free(&a->values[i]);
	free(a->values);
	free(a->fates);
	free(a->children);
	at_splices_free(&a->splices);
}

bool at_json_edit_apply(const struct at_json_edit *edit, struct at_buf *out, struct at_error *err)
{
	const struct at_json *doc = edit->doc;
	struct apply a = { .edit = edit, .doc = doc, .err = err };
	size_t before = out->len;
	bool ok;

	if (edit->count == 0) {
		at_buf_put(out, doc->text.data, doc->text.len);
		return true;
	}
	a.values = at_alloc(edit->count * sizeof(*a.values));
	a.fates = at_alloc(doc->count);
	at_json_style_of(&a.style, doc);
	ok = check_ops(&a);
	if (ok) {
		collect(&a);
		at_splices_write(&a.splices, doc->text, out);
		ok = check_result(&a, (struct at_bytes){ out->data + before, out->len - before });
	}
	if (!ok && out->data) {
		out->len = before;
		out->data[before] = '\0';
	}
	apply_free(&a);
	return ok;
}
