/* setup_state.h - what the Setup view holds, shared by view_setup.c, the other
 * setup_*.c that draw, ask and plan.
 *
 * The model is the truth; what it would emit is planned when nobody types, and shown as the
 * difference to what is emitted without it.
 */
#ifndef AT_SETUP_STATE_H
#define AT_SETUP_STATE_H

#include "core/diff.h"
#include "tui/diff_rows.h"
#include "tui/list.h"
#include "views/acts.h"
#include "views/setup_effect.h"
#include "views/setup_rows.h"
#include "views/text_view.h"

enum setup_about {
	SETUP_ABOUT_DRAFT,  /* the whole draft, against the brief on disk */
	SETUP_ABOUT_CHOICE, /* what Enter would change, against the draft */
};

struct setup_state {
	const struct at_view_arg *arg;
	struct at_setup_draft own; /* where the application keeps none */
	struct at_setup_model model;
	struct at_setup_roots roots;
	struct at_setup_rows rows;
	struct at_error refusal;   /* the last change that was not taken */
	struct at_buf refused;     /* what was typed then: the next try begins with it */
	int refused_by;            /* and in answer to what */
	struct at_list list;

	/* The question that is open. */
	const struct at_field *asked;
	size_t asked_index;
	struct at_buf pending;     /* the value that waits for a root to be accepted */
	struct at_buf root, word;  /* that root, and what is to be typed */
	struct at_buf saving;      /* the bytes of the question to save */
	struct at_bytes save;
	int framework;             /* asked of the application */

	/* Planned outside of the key path. */
	bool effects_are_stale, pane_is_stale;
	struct at_setup_effect saved, drafted, chosen;
	enum setup_about about;
	size_t files;              /* that would change */
	struct at_buf names;       /* theirs */
	struct at_buf old_text, new_text; /* the example, before and after */
	struct at_diff diff;
	struct at_diff_rows diff_rows;
	struct at_pager pager;
	struct at_view_text_arg text_arg;

	bool in_pane, zoomed;
	int width, height;
};

const struct at_setup_row *setup_current(const struct setup_state *s); /* NULL: none */

/* The draft, or what is shown of it, changed: rows now, plans after the next paint. */
void setup_changed(struct setup_state *s, struct at_fx *fx);
void setup_moved(struct setup_state *s, struct at_fx *fx);

/* setup_pane.c: on idle. */
void setup_plan(struct setup_state *s);
void setup_drop_plans(struct setup_state *s);

/* setup_acts.c */
enum setup_question {
	SETUP_ASK_TEXT,
	SETUP_ASK_JSON,
	SETUP_ASK_ADD,
	SETUP_ASK_ITEM,
	SETUP_ASK_ROOT,
	SETUP_ASK_SAVE,
	SETUP_ASK_UNDO,
	SETUP_ASK_LEAVE,
};
void setup_open(struct setup_state *s, struct at_fx *fx);  /* Enter */
void setup_edit(struct setup_state *s, struct at_fx *fx);
void setup_add(struct setup_state *s, struct at_fx *fx);
void setup_remove(struct setup_state *s, struct at_fx *fx);
void setup_undo(struct setup_state *s, struct at_fx *fx);
/* REQ-4: asks for the word of this root; `pending` is taken once it was typed. */
void setup_ask_root(struct setup_state *s, const char *root, struct at_fx *fx);
/* Replaces what is in the buffer; `text` may be a part of it. */
void setup_keep(struct at_buf *buf, struct at_bytes text);
enum at_take setup_answered(struct setup_state *s, const struct at_event *event, struct at_fx *fx);
/* The application accepted the root that was asked about, or did not. */
void setup_root_was_accepted(struct setup_state *s, bool yes, struct at_fx *fx);

/* setup_save.c */
void setup_ask_save(struct setup_state *s, struct at_fx *fx);
void setup_ask_leave(struct at_fx *fx);

/* setup_why.c: the class's why_not. */
bool setup_why_not(const struct at_view *view, enum at_action action, char *out, size_t size);

/* setup_paint.c */
#define SETUP_CARDS 16      /* rows of a list that shows what each profile buys */
void setup_layout(struct setup_state *s, int width, int height);
int setup_list_width(const struct setup_state *s); /* for the rows, 0: not shown */
void setup_paint(const struct setup_state *s, const struct at_canvas *canvas);

#endif
