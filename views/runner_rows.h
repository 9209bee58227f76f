/* runner_rows.h - the list of the Runner view: calls, gaps, and what the log cannot say.
 *
 * Holds the log, its filter and its cursor. Rows that come, at either end, leave the cursor on its
 * call and the screen where it is. It knows no keys and paints nothing.
 */
#ifndef AT_RUNNER_ROWS_H
#define AT_RUNNER_ROWS_H

#include "tui/list.h"
#include "views/acts.h"
#include "views/gatelog_filter.h"
#include "views/gatelog_find.h"

enum at_runner_kind { AT_RUNNER_ROW, AT_RUNNER_REMARK, AT_RUNNER_READING, AT_RUNNER_CEILING };

struct at_runner_extra {
	enum at_runner_kind kind;
	const char *id; /* "CEIL-5", or "" */
	char *text;
};

struct at_runner_rows {
	const struct at_view_arg *arg;
	struct at_gatelog_place place;
	struct at_gatelog log;
	bool is_open;
	struct at_error error; /* why not, where a log is set */
	struct at_gatelog_filter filter, search;
	uint32_t *shown; /* with a filter: indices of log.rows, ascending */
	size_t shown_count, shown_cap, judged;
	struct at_runner_extra *extras; /* below the calls */
	size_t extra_count, extra_cap;
	size_t fresh; /* rows that came above the cursor and were not gone to */
	uint64_t anchor; /* the call that the cursor goes back to once it is read again */
	bool has_anchor;
	struct at_list list;
};

void at_runner_rows_init(struct at_runner_rows *rows, const struct at_view_arg *arg);
void at_runner_rows_free(struct at_runner_rows *rows);
void at_runner_rows_layout(struct at_runner_rows *rows, int width, int height);

/* Finds the log again; opens it again when it is another one. */
void at_runner_rows_refresh(struct at_runner_rows *rows);
/* Reads a slice; true while there is more. */
bool at_runner_rows_more(struct at_runner_rows *rows);
/* True when something is to be drawn: the file grew, or is another. */
bool at_runner_rows_look(struct at_runner_rows *rows);

size_t at_runner_rows_calls(const struct at_runner_rows *rows); /* shown, gaps counted */
/* A row of the list, or NULL where it is one of the console's own. */
const struct at_gatelog_row *at_runner_rows_at(const struct at_runner_rows *rows, size_t row);
const struct at_runner_extra *at_runner_rows_extra(const struct at_runner_rows *rows, size_t row);

bool at_runner_rows_is_filtered(const struct at_runner_rows *rows);
/* `from`: the index of log.rows to stay near, or AT_LIST_NONE for the one at the cursor. */
void at_runner_rows_filter(struct at_runner_rows *rows, struct at_bytes text, size_t from);
size_t at_runner_rows_here(const struct at_runner_rows *rows); /* index of log.rows, or NONE */

/* To the next row that holds the text of `search`, at or after `from`, or before it; tells. */
void at_runner_rows_step(struct at_runner_rows *rows, size_t from, bool forward, struct at_fx *fx);
void at_runner_rows_search(struct at_runner_rows *rows, struct at_bytes text);

/* A row as the list shows it. */
void at_runner_rows_line(struct at_runner_rows *rows, size_t row, struct at_line *out);
/* All that is known of it. */
void at_runner_rows_details(const struct at_runner_rows *rows, size_t row, struct at_buf *out);

#endif
