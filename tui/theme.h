/* theme.h - named styles and how a terminal shows them.
 *
 * Code names a style, never a colour. A theme and a number of colours turn the name into a
 * look. The terminal's own background is kept wherever a style does not need another one.
 */
#ifndef AT_THEME_H
#define AT_THEME_H

#include <stdbool.h>
#include <stdint.h>

enum at_style {
#define AT_STYLE(id, name, letter, dark, light, blind, mono) AT_STYLE_##id,
#include "tui/styles.def"
#undef AT_STYLE
	AT_STYLE_COUNT,
};

enum at_theme_id { AT_THEME_DARK, AT_THEME_LIGHT, AT_THEME_BLIND, AT_THEME_MONO, AT_THEME_COUNT };

enum at_attribute { AT_ATTR_BOLD = 1, AT_ATTR_UNDERLINE = 2, AT_ATTR_REVERSE = 4 };

struct at_theme {
	enum at_theme_id id;
	int colours; /* 0, 8, 16 or 256; 0 shows any theme as mono */
};

struct at_look {
	int16_t fg, bg; /* -1: the terminal's own */
	uint8_t attributes;
};

struct at_look at_theme_look(const struct at_theme *theme, enum at_style style);

const char *at_theme_name(enum at_theme_id id); /* "dark", "light", "colour-blind", "mono" */
bool at_theme_parse(enum at_theme_id *out, const char *name);

/* A non-empty NO_COLOR makes any theme mono. Pass the variable as the environment has it. */
struct at_theme at_theme_pick(enum at_theme_id wish, int colours, const char *no_color);

/* False where nothing but plain lines may be written: no terminal, or TERM unset, empty or
 * "dumb". */
bool at_theme_has_screen(bool is_tty, const char *term);

const char *at_style_name(enum at_style style);
char at_style_letter(enum at_style style);

/* Red, green and blue of one of the 256 colours. */
uint32_t at_colour_rgb(int colour);

#endif
