/* brief_edit.h - changes to a brief that leave every other byte alone.
 *
 * A brief is text in, text out: one field set, changed or taken out at a time, lists element
 * by element, everything else as the operator wrote it. A value that a brief may not hold is
 * refused before it gets there. It reads and writes no file. (REQ-12, REQ-14)
 */
#ifndef AT_BRIEF_EDIT_H
#define AT_BRIEF_EDIT_H

#include "core/request.h"

/* The JSON value that words of a command line or a form mean for a field, appended to `out`:
 * JSON where it is of a kind that the field takes, else plain text; plain text for a list is
 * a list of one. AT_EINVALID for words that are no UTF-8. Nothing else is judged. */
bool at_brief_value(struct at_buf *out, const struct at_field *field, const char *words,
	struct at_error *err);

/* May the field have this value? The error names the field; it has no place. */
bool at_brief_check(const struct at_field *field, struct at_bytes value, struct at_error *err);

/* Appends to `out` the brief with the field set. A brief of no bytes is a missing one and is
 * made, laid out over lines. A value that equals the one there keeps its bytes; a list keeps
 * those elements that stay. Other fields are not judged: a brief with a fault elsewhere can
 * be mended field by field. Fails, `out` untouched, as at_brief_check() does, and where the
 * brief is no JSON object, holds a key twice, or would grow past its limit. */
bool at_brief_set(struct at_buf *out, struct at_bytes brief, const struct at_field *field,
	struct at_bytes value, struct at_error *err);

/* The same with the field taken out; where it is not there, the old bytes. */
bool at_brief_unset(struct at_buf *out, struct at_bytes brief, const struct at_field *field,
	struct at_error *err);

#endif
