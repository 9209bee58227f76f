/* list.h - a list with a cursor, headings, search and a filter.
 *
 * A filter leaves rows out of sight and changes nothing else: rows keep their numbers, and
 * whoever counts what is undecided counts all of them.
 */
#ifndef AT_LIST_H
#define AT_LIST_H

#include "tui/line.h"
#include "tui/search.h"

struct at_list_source {
	void *user;
	size_t (*count)(void *user);
	/* Fills a cleared line, without the cursor's mark. */
	void (*row)(void *user, size_t row, struct at_line *out);
	bool (*is_heading)(void *user, size_t row); /* the cursor passes over it; may be NULL */
};

#define AT_ASK_FILTER (-2) /* the id of the filter's prompt */
#define AT_LIST_NONE ((size_t)-1)

struct at_list {
	struct at_list_source source;
	size_t cursor; /* a row; AT_LIST_NONE while the filter leaves none */
	size_t top;    /* of the rows that are shown, from 0 */
	int width, height;
	struct at_search search;
	size_t origin; /* where the cursor was when a search or a filter began */
	struct at_search filter;
	struct at_buf filter_before; /* what Esc brings back */
	size_t *shown; /* with a filter: rows that match and their headings, ascending */
	size_t shown_count, shown_cap;
};

void at_list_init(struct at_list *list, const struct at_list_source *source);
void at_list_free(struct at_list *list);
void at_list_layout(struct at_list *list, int width, int height);

/* After the rows changed: the cursor stays on its row number, or the nearest there is. */
void at_list_refresh(struct at_list *list);
/* To a row, or the nearest that is shown. */
void at_list_go(struct at_list *list, size_t row);

void at_list_filter(struct at_list *list, struct at_bytes text); /* empty: every row is shown */
bool at_list_is_filtered(const struct at_list *list);
bool at_list_is_shown(const struct at_list *list, size_t row);
/* "[filter: x] 3/120", headings not counted; "" without one. The text is what was typed. */
void at_list_filter_status(const struct at_list *list, char *out, size_t size);

/* Movement, search and filter; AT_PASS for all else. */
enum at_take at_list_act(struct at_list *list, enum at_action action, struct at_fx *fx);
/* The events of its prompts (AT_ASK_SEARCH, AT_ASK_FILTER), AT_EVENT_GO, and mouse: the wheel
 * moves, a click selects. */
enum at_take at_list_event(struct at_list *list, const struct at_event *event, struct at_fx *fx);

/* `focused`: the list has the keys. The row at the cursor starts with "> " either way. */
void at_list_paint(const struct at_list *list, const struct at_canvas *canvas, bool focused);

#endif
