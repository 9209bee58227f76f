/* search.h - literal search over rows of text, shared by list and pager.
 *
 * A text without capitals finds both cases (of ASCII letters). It keeps the rows that match, so
 * that "3 of 17" costs nothing.
 */
#ifndef AT_SEARCH_H
#define AT_SEARCH_H

#include "tui/view.h"

#define AT_ASK_SEARCH (-1) /* the id of a widget's search prompt */
#define AT_SEARCH_NONE ((size_t)-1)

struct at_search {
	struct at_buf text; /* empty: no search */
	bool fold;
	size_t *rows; /* ascending */
	size_t count, cap;
};

/* The text of row `i`: borrowed until the next call. */
typedef struct at_bytes at_search_text(void *user, size_t row);

void at_search_run(struct at_search *search, struct at_bytes text, size_t row_count,
	at_search_text *text_of, void *user);
void at_search_clear(struct at_search *search);

/* The matching row at or after `from` (`forward`), or before it; wraps and says so. */
size_t at_search_step(const struct at_search *search, size_t from, bool forward, bool *wrapped);

/* Where the text first matches at or after `from`; AT_SEARCH_NONE if it does not. */
size_t at_search_find(const struct at_search *search, struct at_bytes text, size_t from);

/* Tells "3 of 17", wrapped or not, or that nothing matches. */
void at_search_tell(const struct at_search *search, size_t row, bool wrapped, struct at_fx *fx);

/* Opens the prompt. */
void at_search_ask(struct at_fx *fx);

/* Gives the cells of matches in a drawn line the match style. `skip` as for painting. */
struct at_line;
void at_search_highlight(const struct at_search *search, const struct at_line *line,
	const struct at_canvas *canvas, int y, int skip);

#endif
