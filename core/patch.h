/* patch.h - the text of a unified diff, indexed row by row.
 *
 * Takes any bytes that claim to be a patch, of one file or a thousand, slice by slice, and
 * tells of each line what an applier would make of it: inside a hunk by the hunk's own counts,
 * so that no line of a file can pass for a header. What does not add up gets a row of ours that
 * says so. Nothing is dropped, and nothing is ever applied. (UI-5)
 */
#ifndef AT_PATCH_H
#define AT_PATCH_H

#include "core/diff.h"

#define AT_PATCH_BYTES ((size_t)1 << 30)  /* of a text; more is not read */
#define AT_PATCH_LINES ((size_t)16 << 20) /* rows; more are not indexed */

/* What an AT_DIFF_NOTE is, in its old_no. From AT_NOTE_CUT on it is a row of our own without
 * text, about the lines before it. */
enum at_patch_note {
	AT_NOTE_TEXT,   /* between the files: a message, an index line, a binary's letters */
	AT_NOTE_HEADER, /* part of a file's header */
	AT_NOTE_STRAY,  /* looks like a change and is in no hunk: nothing would apply it */
	AT_NOTE_BROKEN, /* looks like a hunk's header and cannot be read as one */
	AT_NOTE_CUT,    /* the hunk ends early: new_no removed or unchanged, len added or unchanged
	                   lines are missing */
	AT_NOTE_NAMES,  /* the header's names are not the same file's */
	AT_NOTE_NO_FILE, /* the hunk after it has no file header */
	AT_NOTE_COMBINED, /* a merge's own format: shown as it stands, not taken apart */
	AT_NOTE_NO_END,  /* the text ends in the middle of a line */
	AT_NOTE_TOO_LONG, /* more bytes or lines follow than are shown */
};

struct at_patch {
	struct at_diff diff; /* rows so far; both its texts are `text` */
	struct at_buf text;  /* every byte read so far */
	size_t indexed;      /* bytes of it that are rows */
	bool ended;          /* all is read and indexed */
	size_t faults;       /* rows from AT_NOTE_STRAY on */
	size_t byte_cap, line_cap; /* AT_PATCH_BYTES, AT_PATCH_LINES; for tests to lower */

	/* Where the index stands. */
	int place;
	size_t scanned; /* no line ends between `indexed` and here */
	uint32_t old_no, new_no, old_left, new_left;
	uint32_t old_name; /* row of the header's "---" line */
	bool has_old_name, has_file;
};

/* `size`: what is expected, so that memory is asked for once; 0 when unknown. */
void at_patch_init(struct at_patch *patch, size_t size);
void at_patch_free(struct at_patch *patch);

/* Appends bytes and indexes every line that is whole. Rows that are there stay as they are. */
void at_patch_add(struct at_patch *patch, struct at_bytes more);
/* Nothing follows: indexes the rest. */
void at_patch_end(struct at_patch *patch);

/* Reads at most `most` bytes of `fd`, adds them, and ends at its end. False when the system
 * refuses; what was read stays. */
bool at_patch_read(struct at_patch *patch, int fd, size_t most, struct at_error *err);

/* A row of our own, not of the text. */
bool at_patch_is_own(const struct at_diff_line *line);
/* Tells of something wrong. */
bool at_patch_is_fault(const struct at_diff_line *line);

/* What is wrong, in words that stand before the row's text; nothing where nothing is. */
void at_patch_note_words(const struct at_diff_line *line, struct at_buf *out);

/* "cut-hunk": a stable name of what is wrong; "" for rows where nothing is. */
const char *at_patch_note_id(const struct at_diff_line *line);

/* The name of the file that header `file` (from 0) is about, as it stands there, borrowed; the
 * new one unless that is /dev/null. Untrusted. */
struct at_bytes at_patch_name(const struct at_diff *diff, size_t file);
/* The header above a row: from 1; 0 when there is none. */
size_t at_patch_file_at(const struct at_diff *diff, size_t row);

/* One row through core/safetext with its sign and a newline, for a terminal or a pipe. */
void at_patch_print_row(const struct at_diff *diff, size_t row, struct at_buf *out);

#endif
