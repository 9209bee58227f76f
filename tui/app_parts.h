/* app_parts.h - what the files of the application share; nobody else includes it. */
#ifndef AT_APP_PARTS_H
#define AT_APP_PARTS_H

#include "tui/app.h"

/* Where things stand on a screen of this size. */
struct at_app_layout {
	int frame;   /* rows on top */
	int view_y, view_height;
	int rule_y;  /* -1: none; a message is written over it, or over the footer */
	int footer_y;
};
struct at_app_layout at_app_layout(const struct at_app *app);

/* app.c */
void at_app_perform(struct at_app *app, struct at_view *from, struct at_fx *fx);
bool at_app_has(const struct at_app *app, const struct at_view *view); /* is it still open? */

/* app_modal.c: the open question, prompt or help */
void at_app_ask(struct at_app *app, struct at_view *asker, const struct at_fx_item *item);
void at_app_ask_to_leave(struct at_app *app);
void at_app_close_modal(struct at_app *app);
void at_app_modal_event(struct at_app *app, const struct at_event *event);

/* confirm.c, help.c: drawing and their lists */
void at_confirm_paint(struct at_app *app, const struct at_canvas *canvas);
void at_help_paint(struct at_app *app, const struct at_canvas *canvas);
size_t at_help_count(const struct at_app *app);
enum at_action at_help_action(const struct at_app *app, size_t row);

/* app_paint.c */
void at_app_paint_footer(const struct at_app *app, const struct at_canvas *canvas, int y);

#endif
