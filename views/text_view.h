/* text_view.h - any text, scrolled: a whole resulting file, one item in full.
 *
 * Shows bytes as they are, by lines; it knows nothing of where they come from.
 */
#ifndef AT_TEXT_VIEW_H
#define AT_TEXT_VIEW_H

#include "core/bytes.h"
#include "tui/view.h"

struct at_view_text_arg {
	const char *title;
	struct at_bytes text; /* copied when the view opens */
	bool is_prose;        /* wrapped, without line numbers */
	bool wrap;            /* how the pager starts */
	unsigned tab;         /* cells between tab stops, 0: its default */
};

/* Opened with a struct at_view_text_arg. */
extern const struct at_view_class at_view_text;

#endif
