/* hunks.h - a proposed text in parts that are decided one by one.
 *
 * A part is a run of lines that were taken out, put in, or both. Any choice of them makes one exact
 * text: all of them the proposed one, none the old one, byte for byte, line ends included. What comes
 * of a choice is new content and is checked as such by whoever writes it. (STG-4)
 */
#ifndef AT_REVIEW_HUNKS_H
#define AT_REVIEW_HUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/error.h"

struct at_hunk {
	size_t old_first, old_count; /* lines of the old text, from 0 */
	size_t new_first, new_count; /* of the proposed one */
};

struct at_hunks {
	struct at_bytes old_text, new_text; /* borrowed */
	struct at_hunk *items; /* ascending, and apart by at least one line that is the same */
	size_t count, cap;
	size_t *old_lines, *new_lines; /* where each begins; one more at the end */
	size_t old_count, new_count;
};

/* Fails as at_diff_make(), and with AT_EINVALID on what is no text. Released either way. */
bool at_hunks_make(struct at_hunks *out, struct at_bytes old_text, struct at_bytes new_text,
	struct at_error *err);
void at_hunks_free(struct at_hunks *hunks);

/* The text of a choice: `accept` has one entry a hunk. Appended. */
void at_hunks_result(struct at_buf *out, const struct at_hunks *hunks, const bool *accept);

/* The hunk that a line of the proposed text (from 1) belongs to; hunks->count for none. */
size_t at_hunk_of_line(const struct at_hunks *hunks, size_t new_line);

#endif
