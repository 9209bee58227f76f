/* pager.h - rows of any number, scrolled: help, a whole file, a diff.
 *
 * Rows come from callbacks and only those on screen are asked for, so a million of them open
 * as fast as ten. Long rows scroll sideways or wrap.
 */
#ifndef AT_PAGER_H
#define AT_PAGER_H

#include "tui/line.h"
#include "tui/search.h"

struct at_pager_source {
	void *user;
	size_t (*count)(void *user);
	void (*row)(void *user, size_t row, struct at_line *out); /* fills a cleared line */
	/* What search looks at; NULL: the text of row(). */
	struct at_bytes (*text)(void *user, size_t row);
	/* The same where all lie in one buffer, see struct at_search_source; may be NULL. */
	struct at_bytes (*flat)(void *user, size_t row);
	/* Rows that stay as they are while more come; NULL: all of them. */
	size_t (*settled)(void *user);
	/* Rows that `]` and `[` go to, ascending, borrowed; may be NULL. */
	size_t (*hunks)(void *user, const uint32_t **rows);
	size_t (*files)(void *user, const uint32_t **rows); /* the same for `}` and `{` */
	/* True when it scrolled sideways by itself; rows [from, to) are on the screen. Or NULL. */
	bool (*aside)(void *user, int by, size_t from, size_t to);
};

struct at_pager {
	struct at_pager_source source;
	size_t top; /* first row */
	int skip;   /* cells of it that are above (wrapped) */
	int left;   /* cells scrolled off at the left */
	bool wrap;
	unsigned tab; /* of its lines: 0 is their own default */
	int width, height;
	size_t slice; /* bytes that one key or one idle event searches; 0: all at once */
	bool growing; /* more rows are to come */
	struct at_search search;
	bool counting, wrapped; /* the message tells of a match that has no number yet */
	bool seeking, seek_forward; /* a match that is not found yet is waited for */
	size_t seek_from;
	size_t found; /* row of the match gone to last */
	size_t origin;
	int origin_skip;
};

void at_pager_init(struct at_pager *pager, const struct at_pager_source *source);
void at_pager_free(struct at_pager *pager);
void at_pager_layout(struct at_pager *pager, int width, int height); /* keeps the top row */
void at_pager_refresh(struct at_pager *pager); /* after the rows changed: searches again */

/* There are more rows, after the settled ones; `end`: and no more will come. */
void at_pager_grown(struct at_pager *pager, bool end);

/* With a slice: a part of a search is still to be done. at_pager_work() does one slice of it in
 * an idle event and goes to the match that somebody waits for; true when there is more. */
bool at_pager_is_busy(const struct at_pager *pager);
bool at_pager_work(struct at_pager *pager, struct at_fx *fx);
void at_pager_progress(const struct at_pager *pager, char *out, size_t size); /* "searching, 40%" */
void at_pager_go(struct at_pager *pager, size_t row); /* to the top, as far as that goes */

enum at_take at_pager_act(struct at_pager *pager, enum at_action action, struct at_fx *fx);
enum at_take at_pager_event(struct at_pager *pager, const struct at_event *event,
	struct at_fx *fx);
void at_pager_paint(const struct at_pager *pager, const struct at_canvas *canvas);

/* The row after the last that is on the screen, whole or in part. */
size_t at_pager_bottom(const struct at_pager *pager);
/* "hunk 2/5": the hunk at or above the top, from 1; 0 when there is none. */
size_t at_pager_hunk(const struct at_pager *pager, size_t *count);
/* The same for files. */
size_t at_pager_file(const struct at_pager *pager, size_t *count);
/* "lines 12-34 of 200", "all", "empty". */
void at_pager_status(const struct at_pager *pager, char *out, size_t size);

#endif
