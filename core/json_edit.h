/* json_edit.h - changes to a JSON text that leave every other byte alone.
 *
 * Edits are collected against one read document and applied at once: array elements
 * and object members appended, values replaced, elements and members removed. New
 * text follows the style found around it (indentation, line ends, spaces after colons,
 * one line or many). It knows nothing of what the settings mean. (WIRE-3)
 */
#ifndef AT_JSON_EDIT_H
#define AT_JSON_EDIT_H

#include "core/json_read.h"

struct at_json_edit;

/* `doc` and its text must outlive the edit. */
struct at_json_edit *at_json_edit_new(const struct at_json *doc);
void at_json_edit_free(struct at_json_edit *edit);

/* `value` is a JSON value in any layout, copied; it is laid out again in the style of
 * its new place, with strings and numbers as spelled. `key` is plain text, escaped
 * here. Several edits of one container are kept in the order given. Naming a node that
 * is itself removed or replaced, or inside one that is, fails in apply with
 * AT_ECONFLICT. */
void at_json_edit_append(struct at_json_edit *edit, uint32_t array, struct at_bytes value);
void at_json_edit_add_member(struct at_json_edit *edit, uint32_t object, const char *key,
	struct at_bytes value);
void at_json_edit_replace(struct at_json_edit *edit, uint32_t node, struct at_bytes value);

/* Takes out the element or member with the comma and the white space that go with it:
 * taking out what append or add_member put in gives back the original bytes. One
 * exception: a container that held a line end and the indentation of its closing bracket,
 * and nothing else, comes back as [] or {}. */
void at_json_edit_remove(struct at_json_edit *edit, uint32_t node);

/* The exact new text, appended to `out`. With no edits, the old bytes. Linear in text and
 * edits. Fails with AT_ECONFLICT, `out` untouched, as above, when a value is not JSON, when
 * a new member's key is there already, and when the result would not be read again under
 * at_json_settings_limits (the error then has the reader's id). */
bool at_json_edit_apply(const struct at_json_edit *edit, struct at_buf *out, struct at_error *err);

#endif
