/* merge_state.h - what the Merge view holds, shared by view_merge.c, merge_decisions.c and
 * merge_paint.c alone.
 *
 * The model's selection is the truth; beside it stand what the operator decided and the
 * way back. The diff is made outside of painting, after the frame that needs it.
 */
#ifndef AT_MERGE_STATE_H
#define AT_MERGE_STATE_H

#include "core/diff.h"
#include "tui/diff_pane.h"
#include "tui/list.h"
#include "views/acts.h"
#include "views/merge_rows.h"
#include "views/view_merge.h"
#include "views/text_view.h"

struct merge_state {
	const struct at_view_arg *arg;
	struct at_merge_model model;
	bool is_open;
	struct at_error error; /* why not */
	char agreed[PATH_MAX]; /* the target of a link that the operator said yes to, or "" */
	struct at_merge_rows rows;
	bool *decided;         /* per item: the operator said so, it did not only start so */
	char **history;        /* decisions before each act, newest last */
	size_t history_count;
	size_t asked_item;

	struct at_list list;
	struct at_bytes result; /* the diff's new side: the model's, until the selection changes */
	struct at_diff diff;
	struct at_diff_pane pane;
	bool diff_is_stale;
	struct at_buf result_title; /* texts that an effect borrows */
	struct at_buf result_text;
	struct at_view_text_arg text_arg;

	bool in_diff; /* the diff has the keys */
	bool zoomed;
};

/* The item at the cursor, or AT_ROW_NO_ITEM; and as an item, or NULL. */
size_t merge_current(const struct merge_state *s);
const struct at_merge_item *merge_current_item(const struct merge_state *s);

/* merge_decisions.c */
#define MERGE_UNDO_DEPTH 200
void merge_decide(struct merge_state *s, size_t item, bool accept, struct at_fx *fx);
void merge_choose_safe(struct merge_state *s, struct at_fx *fx);
bool merge_decision_undo(struct merge_state *s); /* false: there is none to undo */
void merge_forget_decisions(struct merge_state *s);
void merge_carry_over(struct merge_state *s, const struct at_merge *old, const bool *old_decided);
void merge_tell_unsaved(const struct merge_state *s, struct at_fx *fx);
void merge_go_to_undecided(struct merge_state *s, struct at_fx *fx);

/* Something of the selection changed: the diff is due after the next paint. */
void merge_changed(struct merge_state *s, struct at_fx *fx);

/* merge_why.c */
bool merge_why_not(const struct at_view *view, enum at_action action, char *out, size_t size);
/* Enter in the diff opens a fold where one is; else it means the item. */
bool merge_opens_a_fold(const struct merge_state *s);

/* merge_paint.c */
void merge_layout(struct merge_state *s, int width, int height);
void merge_paint(const struct merge_state *s, int width, int height,
	const struct at_canvas *canvas);
/* The wheel moves in the pane it is over, a click goes there; nothing is decided. */
enum at_take merge_mouse(struct merge_state *s, int width, int height,
	const struct at_event *event, struct at_fx *fx);

#endif
