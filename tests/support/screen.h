/* screen.h - an application driven by key names, and its screen held against golden texts. */
#ifndef AT_TEST_SCREEN_H
#define AT_TEST_SCREEN_H

#include "tui/app.h"
#include "tui/backend.h"

/* Steps the application with keys by name, separated by spaces ("j j a w"). */
void screen_keys(struct at_app *app, const char *keys);

/* Paints, tells the application that it was seen, and gives the screen as text (static). */
const char *screen_text(struct at_app *app);

/* Compares the screen with tests/data/golden/NAME.grid; with AT_UPDATE_GOLDEN=1 writes it. */
void screen_golden(struct at_app *app, enum at_theme_id theme, const char *name);

#endif
