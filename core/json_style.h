/* json_style.h - how a JSON text is laid out, and laying out a value the same way.
 *
 * Looks at the white space of a read document and gives it back as pieces to write
 * with. For core/json_edit; it changes nothing and decides nothing about content.
 */
#ifndef AT_JSON_STYLE_H
#define AT_JSON_STYLE_H

#include "core/json_read.h"

/* The habits of a whole document, used where a container has none of its own. All
 * borrowed from its text, or literals. */
struct at_json_style {
	const struct at_json *doc;
	struct at_bytes newline; /* its first line end; "\n" where it has none */
	struct at_bytes unit; /* one step of indentation; two spaces where none is seen */
	struct at_bytes colon; /* between key and value; ": " */
	struct at_bytes comma; /* between two values of one line; ", " */
};

void at_json_style_of(struct at_json_style *out, const struct at_json *doc);

/* Where a value goes. */
struct at_json_place {
	const struct at_json_style *style;
	struct at_bytes indent; /* of the line the value starts on */
	unsigned steps; /* units added to it */
	struct at_bytes unit, colon;
	bool lines; /* children on lines of their own */
	bool wrap;  /* new children are, though the others are not: the line grew too long */
};

/* Where a new child of `container` goes, before a value is known; `lines` tells whether
 * the child itself stands on a line of its own. `flat` tells that no new child has
 * children, which matters for an empty container only. */
void at_json_place_in(struct at_json_place *out, const struct at_json_style *style,
	uint32_t container, bool flat);

/* How a child `value` is laid out inside `in`, a place from at_json_place_in() for
 * `container`, whose children tell how their kind is laid out. */
void at_json_place_child(struct at_json_place *out, const struct at_json_place *in,
	uint32_t container, const struct at_json *value);

/* Where a value that replaces `node` goes. */
void at_json_place_of(struct at_json_place *out, const struct at_json_style *style, uint32_t node,
	const struct at_json *value);

/* Writes `value`, its strings and numbers as spelled. */
void at_json_lay_out(
	struct at_buf *out, const struct at_json *value, const struct at_json_place *place);

/* A line end and the indentation of `place`, less `less` units. */
void at_json_put_line(struct at_buf *out, const struct at_json_place *place, unsigned less);

/* What stands between a last child and a new one: comma and white space. */
void at_json_put_separator(struct at_buf *out, const struct at_json_place *in, uint32_t container);

/* Where the child starts: its key, or the value outside objects. */
uint32_t at_json_begin(const struct at_json *doc, uint32_t node);

/* The white space in front of a child. */
struct at_bytes at_json_gap(const struct at_json *doc, uint32_t node);

/* Indentation of the line on which `node` starts: its own, or that of what it stands in. */
struct at_bytes at_json_indent(const struct at_json *doc, uint32_t node);

size_t at_json_line_ends(struct at_bytes space); /* CR LF is one */

/* No value that is an array or object with children stands in it. */
bool at_json_is_flat(const struct at_json *value);

#endif
