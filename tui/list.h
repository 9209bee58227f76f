/* list.h - a list with a cursor, headings and search. */
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

struct at_list {
	struct at_list_source source;
	size_t cursor, top;
	int width, height;
	struct at_search search;
	size_t origin; /* where the cursor was when a search began */
};

void at_list_init(struct at_list *list, const struct at_list_source *source);
void at_list_free(struct at_list *list);
void at_list_layout(struct at_list *list, int width, int height);

/* After the rows changed: the cursor stays on its row number, or the nearest there is. */
void at_list_refresh(struct at_list *list);
void at_list_go(struct at_list *list, size_t row);

/* Movement and search; AT_PASS for all else. */
enum at_take at_list_act(struct at_list *list, enum at_action action, struct at_fx *fx);
/* The search prompt's events, AT_EVENT_GO, and mouse: the wheel moves, a click selects. */
enum at_take at_list_event(struct at_list *list, const struct at_event *event, struct at_fx *fx);

/* `focused`: the list has the keys. The row at the cursor starts with "> " either way. */
void at_list_paint(const struct at_list *list, const struct at_canvas *canvas, bool focused);

#endif
