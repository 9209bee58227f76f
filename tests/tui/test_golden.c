#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "support/screen.h"
#include "tui/sample_view.h"

static const struct {
	const char *name, *keys;
} scenes[] = {
	{ "start", "" },
	{ "accepted", "j j a" },
	{ "confirm", "j j a w" },
	{ "diff", "Tab ] j l" },
	{ "result", "=" },
	{ "help", "?" },
	{ "help-filter", "? u n d o" },
	{ "search", "/ t i" },
	{ "message", "u" },
};
static const struct {
	int width, height;
} sizes[] = { { 80, 24 }, { 40, 10 }, { 120, 40 } };

static void run_scene(struct at_app *app, struct sample_hooks *state, const char *keys, int width,
	int height)
{
	struct at_app_hooks hooks = sample_app_hooks(state, false);

	at_app_init(app, &hooks, width, height);
	assert_true(at_app_push(app, &sample_view, NULL, NULL));
	screen_keys(app, keys);
}

static void screens_are_what_they_were(void **state)
{
	for (size_t s = 0; s < AT_LEN(sizes); s++) {
		for (size_t i = 0; i < AT_LEN(scenes); i++) {
			for (int theme = 0; theme < 2; theme++) {
				struct sample_hooks hooks = { 0 };
				struct at_app app;
				char name[96];

				snprintf(name, sizeof(name), "sample-%s-%dx%d-%s", scenes[i].name,
					sizes[s].width, sizes[s].height, theme ? "mono" : "dark");
				run_scene(&app, &hooks, scenes[i].keys, sizes[s].width,
					sizes[s].height);
				screen_golden(&app, theme ? AT_THEME_MONO : AT_THEME_DARK, name);
				at_app_free(&app);
			}
		}
	}
}

/* Colour is never the only sign: the words alone tell all of this. */
static void text_alone_tells_the_state(void **state)
{
	static const char *const said[] = { "> [x] WIDENS", "[ ] tightens", "[ ] RELAXES",
		"-     \"enabled\": false", "+     \"enabled\": true", "<U+202E RLO>", "^[", "WIRE ○",
		"EMIT ●", "ENFORCE ?", "not wired" };
	struct sample_hooks hooks = { 0 };
	struct at_app app;

	run_scene(&app, &hooks, "j j a", 120, 40);
	for (size_t i = 0; i < AT_LEN(said); i++) {
		if (!strstr(screen_text(&app), said[i]))
			fail_msg("\"%s\" is not said in\n%s", said[i], screen_text(&app));
	}
	at_app_free(&app);
}

static void an_ascii_screen_is_ascii(void **state)
{
	struct sample_hooks hooks = { 0 };
	struct at_app app;

	run_scene(&app, &hooks, "Tab", 120, 40);
	app.ascii = true;
	for (const char *p = screen_text(&app); *p; p++)
		assert_true((unsigned char)*p < 0x80);
	assert_non_null(strstr(screen_text(&app), "caf<U+00E9>"));
	at_app_free(&app);
}

int test_golden(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens_are_what_they_were),
		cmocka_unit_test(text_alone_tells_the_state),
		cmocka_unit_test(an_ascii_screen_is_ascii),
	};

	return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
