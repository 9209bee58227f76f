#include "tui/theme.h"

#include <stddef.h>
#include <string.h>

struct colours {
	int16_t fg, fg16, bg, bg16;
	uint8_t attributes;
};

enum { B = AT_ATTR_BOLD, U = AT_ATTR_UNDERLINE, R = AT_ATTR_REVERSE };
#define LOOK(fg, fg16, bg, bg16, attributes) { fg, fg16, bg, bg16, attributes }

static const struct row {
	const char *name;
	char letter;
	struct colours by[3]; /* dark, light, colour-blind */
	uint8_t mono;
} rows[] = {
#define AT_STYLE(id, name, letter, dark, light, blind, mono)                                       \
	{ name, letter, { dark, light, blind }, mono },
#include "tui/styles.def"
#undef AT_STYLE
};

static const char *const names[] = { "dark", "light", "colour-blind", "mono" };

/* A terminal of 8 colours has no bright ones; its grey would be black, which may be the
 * background: that becomes the terminal's own. */
static int16_t fit(int16_t colour, int colours)
{
	if (colour == 8 && colours < 16)
		return -1;
	return colour >= 0 && colours < 16 ? colour & 7 : colour;
}

struct at_look at_theme_look(const struct at_theme *theme, enum at_style style)
{
	const struct row *row = &rows[style < AT_STYLE_COUNT ? style : AT_STYLE_NORMAL];
	const struct colours *look;

	if (theme->id == AT_THEME_MONO || theme->colours < 8)
		return (struct at_look){ -1, -1, row->mono };
	look = &row->by[theme->id];
	if (theme->colours >= 256)
		return (struct at_look){ look->fg, look->bg, look->attributes };
	return (struct at_look){ fit(look->fg16, theme->colours), fit(look->bg16, theme->colours),
		look->attributes };
}

const char *at_theme_name(enum at_theme_id id)
{
	return names[id];
}

bool at_theme_parse(enum at_theme_id *out, const char *name)
{
	for (int i = 0; i < AT_THEME_COUNT; i++) {
		if (strcmp(names[i], name) == 0) {
			*out = (enum at_theme_id)i;
			return true;
		}
	}
	return false;
}

struct at_theme at_theme_pick(enum at_theme_id wish, int colours, const char *no_color)
{
	int steps = colours >= 256 ? 256 : colours >= 16 ? 16 : colours >= 8 ? 8 : 0;

	if ((no_color && *no_color) || !steps || wish == AT_THEME_MONO)
		return (struct at_theme){ AT_THEME_MONO, 0 };
	return (struct at_theme){ wish, steps };
}

bool at_theme_has_screen(bool is_tty, const char *term)
{
	return is_tty && term && *term && strcmp(term, "dumb") != 0;
}

const char *at_style_name(enum at_style style)
{
	return rows[style].name;
}

char at_style_letter(enum at_style style)
{
	return rows[style].letter;
}

uint32_t at_colour_rgb(int colour)
{
	static const uint32_t first[16] = {
		0x1d1f21, 0xcc6666, 0x9fb36b, 0xd7a65f, 0x7f9fbf, 0xb294bb, 0x8abeb7, 0xc5c8c6,
		0x707880, 0xe08c8c, 0xb5d080, 0xf0c674, 0x9fc0e0, 0xc8a8d0, 0xa0d0c8, 0xffffff,
	};
	static const uint32_t step[6] = { 0, 0x5f, 0x87, 0xaf, 0xd7, 0xff };

	if (colour < 0)
		return 0;
	if (colour < 16)
		return first[colour];
	if (colour < 232) {
		colour -= 16;
		return step[colour / 36] << 16 | step[colour / 6 % 6] << 8 | step[colour % 6];
	}
	return (uint32_t)(8 + 10 * (colour - 232)) * 0x010101u;
}
