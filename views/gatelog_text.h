/* gatelog_text.h - the words of the gate's log, for the screen and for reports alike. (UI-3) */
#ifndef AT_GATELOG_TEXT_H
#define AT_GATELOG_TEXT_H

#include "tui/line.h"
#include "views/gatelog.h"

struct at_json_value;

const char *at_gatelog_inspected(bool is_inspected); /* "custody", "not inspected" */
const char *at_gatelog_gap(int kind); /* "no evidence: …", one clause */

/* One row in columns, for that many cells. */
void at_gatelog_line_of(const struct at_gatelog *log, const struct at_gatelog_row *row, int width,
	struct at_line *out);
/* The same in words on one safe line, without a newline. */
void at_gatelog_words_of(
	const struct at_gatelog *log, const struct at_gatelog_row *row, struct at_buf *out);

/* How many calls, what was decided, and whether the chain holds. */
void at_gatelog_chain(const struct at_gatelog *log, struct at_buf *out);
void at_gatelog_totals(const struct at_gatelog *log, struct at_buf *out);

/* Every field of a call, or what is known of a gap; lines of text that may quote anything, escaped
 * as in JSON. */
void at_gatelog_details(
	const struct at_gatelog *log, const struct at_gatelog_row *row, struct at_buf *out);

void at_gatelog_totals_json(const struct at_gatelog *log, struct at_json_value *out);
void at_gatelog_row_json(
	const struct at_gatelog *log, const struct at_gatelog_row *row, struct at_json_value *out);

#endif
