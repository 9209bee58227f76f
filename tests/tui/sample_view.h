/* sample_view.h - a small screen on the toolkit: a list at the left, a diff at the right. */
#ifndef AT_SAMPLE_VIEW_H
#define AT_SAMPLE_VIEW_H

#include "tui/app.h"

extern const struct at_view_class sample_view;   /* the two panes */
extern const struct at_view_class sample_result; /* what `=` opens: a whole text */

enum { SAMPLE_WRITE = 1 };

struct sample_hooks {
	int64_t now;
	int written; /* AT_FX_DO performed */
	int reread;
};

/* Hooks whose clock is `now` of the struct; `real` uses the machine's. */
struct at_app_hooks sample_app_hooks(struct sample_hooks *state, bool real);

#endif
