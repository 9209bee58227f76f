/* search.h - literal search over rows of text, shared by list and pager.
 *
 * A text without capitals finds both cases (of ASCII letters). It keeps the rows that match, so
 * that "3 of 17" costs nothing. A search of many rows goes on in pieces between two keys: from
 * the row where one looks to the end, then from the start to that row.
 */
#ifndef AT_SEARCH_H
#define AT_SEARCH_H

#include "tui/view.h"

#define AT_ASK_SEARCH (-1) /* the id of a widget's search prompt */
#define AT_SEARCH_NONE ((size_t)-1)

#define AT_SEARCH_LATER ((size_t)-2) /* not known before more rows were looked at */

/* Rows that follow one another, looked at from the first on. */
struct at_search_part {
	size_t *rows; /* ascending: [0, count) match, [seen, old) matched a shorter text */
	size_t count, seen, old, cap;
	size_t next; /* the row to look at after those */
};

struct at_search {
	struct at_buf text; /* empty: no search */
	bool fold;
	size_t first; /* row that it began at */
	struct at_search_part below, above; /* from `first` on, and before it */
};

struct at_search_source {
	void *user;
	size_t count; /* of rows */
	struct at_bytes (*text)(void *user, size_t row); /* borrowed until the next call */
	/* The same where the texts of all rows lie in one buffer, in order, with anything between
	 * them: then it is searched in one go. No data or NULL: they do not. */
	struct at_bytes (*flat)(void *user, size_t row);
};

/* Begins a search at row `first`. Where the last one began there too and its text is part of
 * this one, only the rows that it found are looked at again. */
void at_search_start(struct at_search *search, struct at_bytes text, size_t first);
/* Looks at about `budget` bytes; true when nothing is left. The source may have more rows the
 * next time, the rows before stay as they were. */
bool at_search_more(
	struct at_search *search, const struct at_search_source *source, size_t budget);
bool at_search_is_done(const struct at_search *search, size_t row_count);
size_t at_search_left(const struct at_search *search, size_t row_count); /* rows to look at */
/* Forgets the rows, which are others now, and begins anew at row `first`. */
void at_search_restart(struct at_search *search, size_t first);

/* A whole search at once: the rows are in `below`. */
void at_search_run(struct at_search *search, struct at_bytes text,
	const struct at_search_source *source);
void at_search_clear(struct at_search *search);
size_t at_search_count(const struct at_search *search); /* rows that match, so far */

/* The matching row at or after `from` (`forward`), or before it; wraps and says so.
 * AT_SEARCH_NONE, or AT_SEARCH_LATER as long as a row that is nearer may come. */
size_t at_search_step(const struct at_search *search, size_t row_count, size_t from, bool forward,
	bool *wrapped);

/* Where the text first matches at or after `from`; AT_SEARCH_NONE if it does not. */
size_t at_search_find(const struct at_search *search, struct at_bytes text, size_t from);

/* Tells "3 of 17", wrapped or not, or that nothing matches. */
enum at_search_state {
	AT_SEARCH_ALL,     /* every row was looked at */
	AT_SEARCH_GROWING, /* and more rows may come */
	AT_SEARCH_PART,    /* some were */
};
void at_search_tell(const struct at_search *search, size_t row, bool wrapped,
	enum at_search_state state, struct at_fx *fx);

/* Opens the prompt. */
void at_search_ask(struct at_fx *fx);

/* Gives the cells of matches in a drawn line the match style. `skip` as for painting. */
struct at_line;
void at_search_highlight(const struct at_search *search, const struct at_line *line,
	const struct at_canvas *canvas, int y, int skip);

#endif
