/* diff.h - what lines differ between two texts.
 *
 * With core/git_repo.c the only user of libgit2, which is initialised on the first call and
 * never on the way to a first screen. It compares buffers, touches no file, and keeps offsets
 * into the two texts instead of copies: both must outlive the diff. It applies nothing. Comparing
 * two texts of a million lines takes more than a second and cannot be cancelled.
 */
#ifndef AT_DIFF_H
#define AT_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/error.h"

enum at_diff_kind {
	AT_DIFF_HUNK,    /* a header: old_no/new_no are the first lines, offset/len the line counts */
	AT_DIFF_SAME,    /* text in the new one */
	AT_DIFF_ADDED,   /* text in the new one */
	AT_DIFF_REMOVED, /* text in the old one */
	AT_DIFF_NO_EOL,  /* the line before this one has no newline at its end */
	AT_DIFF_BINARY,  /* "binary files differ": a NUL is in one of them; the only line */
	/* Only from the text of a patch (core/patch.h), where every row but its own notes has the
	 * text that stands there: */
	AT_DIFF_FILE, /* the first line of a file's header */
	AT_DIFF_NOTE, /* any other line; old_no is an enum at_patch_note */
};

struct at_diff_line {
	uint32_t old_no, new_no; /* from 1; 0 where the line is not in that text */
	uint32_t offset, len;    /* bytes, without the newline; a carriage return belongs to it */
	enum at_diff_kind kind;
};

struct at_diff {
	struct at_bytes old_text, new_text; /* borrowed */
	struct at_diff_line *lines;
	size_t count, cap;
	uint32_t *hunks; /* the index of every AT_DIFF_HUNK line, ascending */
	size_t hunk_count, hunk_cap;
	uint32_t *files; /* the same of AT_DIFF_FILE */
	size_t file_count, file_cap;
	uint32_t last_no; /* no line has a higher number */
	bool is_text;     /* of a patch: offset and len of a hunk are its header's text */
	size_t added, removed; /* lines */
};

/* Compares, with `context` unchanged lines around each change. Equal texts give no lines.
 * Fails with AT_ELIMIT on a text of 1 GiB or more. Freed with at_diff_free() either way. */
bool at_diff_make(struct at_diff *out, struct at_bytes old_text, struct at_bytes new_text,
	unsigned context, struct at_error *err);
void at_diff_free(struct at_diff *diff);

/* The text of a line; empty for headers and notes. Borrowed from the texts compared. */
struct at_bytes at_diff_text(const struct at_diff *diff, size_t line);

/* What stands for a line in front of its text: ' ', '+', '-', '\\', '@'. */
char at_diff_sign(enum at_diff_kind kind);

enum at_diff_form {
	AT_DIFF_RAW,  /* the exact bytes, a patch for a file or a pipe */
	AT_DIFF_SAFE, /* through core/safetext, for a terminal */
};

/* A unified diff; nothing at all for equal texts. A NULL name prints as /dev/null. */
void at_diff_print(const struct at_diff *diff, const char *old_name, const char *new_name,
	enum at_diff_form form, struct at_buf *out);

#endif
