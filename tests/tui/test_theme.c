#include "support/support.h"

#include <string.h>

#include "tui/theme.h"

static void letters_and_names_are_unique(void **state)
{
	for (int i = 0; i < AT_STYLE_COUNT; i++) {
		assert_true(*at_style_name((enum at_style)i));
		for (int k = i + 1; k < AT_STYLE_COUNT; k++) {
			assert_true(at_style_letter((enum at_style)i) != at_style_letter((enum at_style)k));
			assert_string_not_equal(at_style_name((enum at_style)i),
				at_style_name((enum at_style)k));
		}
	}
}

static void no_color_and_few_colours_make_mono(void **state)
{
	static const struct {
		int colours;
		const char *no_color;
		enum at_theme_id want;
		int steps;
	} rows[] = {
		{ 256, NULL, AT_THEME_DARK, 256 }, { 256, "", AT_THEME_DARK, 256 },
		{ 256, "1", AT_THEME_MONO, 0 },    { 256, "0", AT_THEME_MONO, 0 },
		{ 88, NULL, AT_THEME_DARK, 16 },   { 8, NULL, AT_THEME_DARK, 8 },
		{ 2, NULL, AT_THEME_MONO, 0 },     { -1, NULL, AT_THEME_MONO, 0 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_theme theme =
			at_theme_pick(AT_THEME_DARK, rows[i].colours, rows[i].no_color);

		assert_row(i, theme.id == rows[i].want && theme.colours == rows[i].steps);
	}
}

static void looks_keep_to_the_colours_there_are(void **state)
{
	static const int steps[] = { 0, 8, 16, 256 };

	for (int id = 0; id < AT_THEME_COUNT; id++) {
		for (size_t c = 0; c < AT_LEN(steps); c++) {
			struct at_theme theme = { (enum at_theme_id)id, steps[c] };

			for (int i = 0; i < AT_STYLE_COUNT; i++) {
				struct at_look look = at_theme_look(&theme, (enum at_style)i);

				assert_true(look.fg < (steps[c] ? steps[c] : 0));
				assert_true(look.bg < (steps[c] ? steps[c] : 0));
				/* On a background that nobody chose, no black and no grey of 8 colours. */
				if (steps[c] == 8)
					assert_true(look.fg != 0 || look.bg > 0);
				assert_true(look.fg < 0 || look.fg != look.bg);
				if (id == AT_THEME_MONO)
					assert_true(look.fg == -1 && look.bg == -1);
			}
			assert_int_equal(at_theme_look(&theme, AT_STYLE_NORMAL).bg, -1);
		}
	}
}

/* Even where no colour is, these pairs look different (their words differ as well). */
static void mono_tells_states_apart(void **state)
{
	static const enum at_style pairs[][2] = {
		{ AT_STYLE_ADDED, AT_STYLE_REMOVED },      { AT_STYLE_ADDED, AT_STYLE_ADDED_WORD },
		{ AT_STYLE_REMOVED, AT_STYLE_REMOVED_WORD }, { AT_STYLE_NORMAL, AT_STYLE_SELECTED },
		{ AT_STYLE_SELECTED, AT_STYLE_SELECTED_FAR }, { AT_STYLE_TIGHTENS, AT_STYLE_WIDENS },
		{ AT_STYLE_WIDENS, AT_STYLE_RELAXES },     { AT_STYLE_TRUTH_OK, AT_STYLE_TRUTH_BAD },
		{ AT_STYLE_TRUTH_OK, AT_STYLE_TRUTH_UNKNOWN }, { AT_STYLE_NORMAL, AT_STYLE_CONTROL },
		{ AT_STYLE_TAB, AT_STYLE_TAB_CURRENT },    { AT_STYLE_NORMAL, AT_STYLE_ERROR },
	};
	const struct at_theme mono = { AT_THEME_MONO, 0 };

	for (size_t i = 0; i < AT_LEN(pairs); i++)
		assert_row(i, at_theme_look(&mono, pairs[i][0]).attributes !=
				at_theme_look(&mono, pairs[i][1]).attributes);
}

static void names_parse(void **state)
{
	enum at_theme_id id;

	for (int i = 0; i < AT_THEME_COUNT; i++) {
		assert_true(at_theme_parse(&id, at_theme_name((enum at_theme_id)i)));
		assert_int_equal(id, i);
	}
	assert_false(at_theme_parse(&id, "pink"));
}

static void plain_where_there_is_no_screen(void **state)
{
	assert_true(at_theme_has_screen(true, "xterm-256color"));
	assert_false(at_theme_has_screen(true, "dumb"));
	assert_false(at_theme_has_screen(true, ""));
	assert_false(at_theme_has_screen(true, NULL));
	assert_false(at_theme_has_screen(false, "xterm"));
}

int test_theme(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_and_names_are_unique),
		cmocka_unit_test(no_color_and_few_colours_make_mono),
		cmocka_unit_test(looks_keep_to_the_colours_there_are),
		cmocka_unit_test(mono_tells_states_apart),
		cmocka_unit_test(names_parse),
		cmocka_unit_test(plain_where_there_is_no_screen),
	};

	return cmocka_run_group_tests_name("theme", tests, NULL, NULL);
}
