/* gatelog_filter.h - which rows of the gate's log are asked for.
 *
 * Terms that all have to hold: `deny`, `decision=deny`, `tool=Bash`, `reason=ID`, `checked=none`,
 * `gaps`, or any text that stands in a row. Judged once for each kind of call, so that a filter
 * over every row costs a few milliseconds. It reads no file.
 */
#ifndef AT_GATELOG_FILTER_H
#define AT_GATELOG_FILTER_H

#include "views/gatelog.h"

struct at_gatelog_filter {
	struct at_buf text; /* as it was typed; "" for none */
	char **terms;
	size_t count, cap;
	bool is_literal; /* the one term is text, whatever it looks like */
	bool *holds; /* for each word of the log that was judged */
	size_t judged, holds_cap;
};

void at_gatelog_filter_set(struct at_gatelog_filter *filter, struct at_bytes text); /* by spaces */
void at_gatelog_filter_literal(struct at_gatelog_filter *filter, struct at_bytes text);
void at_gatelog_filter_add(struct at_gatelog_filter *filter, const char *key, const char *value);
void at_gatelog_filter_free(struct at_gatelog_filter *filter); /* leaves it empty and usable */
void at_gatelog_filter_anew(struct at_gatelog_filter *filter); /* the log is another */

bool at_gatelog_filter_holds(struct at_gatelog_filter *filter, const struct at_gatelog *log,
	const struct at_gatelog_row *row);

#endif
