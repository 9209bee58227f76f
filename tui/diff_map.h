/* diff_map.h - which rows stand for the lines of a diff, where it is not simply each its own.
 *
 * Side by side puts two lines in a row, a fold puts many in one, and lines that differ in white
 * space alone become one. The map grows with the diff and holds numbers only.
 */
#ifndef AT_DIFF_MAP_H
#define AT_DIFF_MAP_H

#include "core/diff.h"

enum at_diff_mode {
	AT_DIFF_SIDES = 1,   /* old and new side by side */
	AT_DIFF_FOLDED = 2,  /* unchanged lines in one row */
	AT_DIFF_NO_SPACE = 4, /* changes of white space alone as unchanged lines */
};

enum at_diff_row_kind {
	AT_ROW_LINE,  /* a: the line */
	AT_ROW_PAIR,  /* a: a line of the old side, b: of the new one; AT_NO_LINE for none */
	AT_ROW_SPACE, /* a: a removed line, b: the added one that is the same but for white space */
	AT_ROW_FOLD,  /* b rows, line a first */
};
#define AT_NO_LINE 0x3fffffffu

struct at_diff_map_row {
	uint32_t a : 30;
	uint32_t kind : 2;
	uint32_t b;
};

struct at_diff_map {
	unsigned modes; /* none: every line is its own row, and the map is empty */
	struct at_diff_map_row *rows;
	size_t count, cap;
	uint32_t *hunks, *files; /* rows */
	size_t hunk_count, hunk_cap, file_count, file_cap;
	size_t lines; /* of the diff that are mapped */
	uint32_t *opened; /* the first line of every fold that was opened */
	size_t opened_count, opened_cap;
	size_t run_start, run_lines; /* rows at the end that may become a fold */
	struct at_diff_block {
		size_t middle, end; /* the old lines end at `middle`; no block is begun: 0 */
		size_t tail;        /* pairs at the end that differ in white space alone */
		bool has_tail;      /* `tail` is all of them */
		size_t a, b;        /* compared next, from the front */
		size_t from, other; /* the first ones that are no row yet */
	} block; /* the one at `lines` */
};

void at_diff_map_free(struct at_diff_map *map);

/* Begins anew with other modes, or on another diff (`forget` the folds that were opened). */
void at_diff_map_reset(struct at_diff_map *map, unsigned modes, bool forget);
/* Maps the lines that came since the last call. Before the `end` a block that may go on waits. */
void at_diff_map_grow(struct at_diff_map *map, const struct at_diff *diff, bool end);
/* The same, but only about `most` lines now: true when it is done with what there is. */
bool at_diff_map_some(
	struct at_diff_map *map, const struct at_diff *diff, bool end, size_t most);
/* The fold that begins with `line` stays open from the next reset on. */
void at_diff_map_open(struct at_diff_map *map, uint32_t line);
/* Puts the lines of the fold at `row` in its place. False, and nothing changes, when more than
 * about `most` lines have to be looked at for that. */
bool at_diff_map_unfold(
	struct at_diff_map *map, const struct at_diff *diff, size_t row, size_t most);
size_t at_diff_map_done(const struct at_diff_map *map); /* lines looked at */

/* The line that a row begins with; for the row after the last the lines that are mapped. */
size_t at_diff_map_line(const struct at_diff_map *map, size_t row);
/* The row that shows a line. */
size_t at_diff_map_row(const struct at_diff_map *map, size_t line);

/* Equal but for blanks, tabs and carriage returns. */
bool at_diff_same_but_space(struct at_bytes a, struct at_bytes b);

#endif
