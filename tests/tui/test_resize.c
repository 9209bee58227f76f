#include "support/support.h"

#include "support/screen.h"
#include "tui/sample_view.h"

/* Any size, in any state, down to one cell: nothing is written outside and nothing acts. */
static void a_storm_of_sizes(void **state)
{
	static const char *const scenes[] = { "", "Tab", "z", "=", "= \\", "?", "/ t i", "a w", "u" };
	unsigned seed = 3;

	for (size_t s = 0; s < AT_LEN(scenes); s++) {
		struct sample_hooks hooks = { 0 };
		struct at_app_hooks app_hooks = sample_app_hooks(&hooks, false);
		struct at_app app;

		at_app_init(&app, &app_hooks, 80, 24);
		assert_true(at_app_push(&app, &sample_view, NULL, NULL));
		screen_keys(&app, scenes[s]);
		for (int i = 0; i < 400; i++) {
			struct at_event size = { .kind = AT_EVENT_RESIZE };

			seed = seed * 1103515245u + 12345u;
			size.width = i < 60 ? 60 - i : 1 + (int)(seed >> 16) % 200;
			size.height = i < 60 ? 1 + (60 - i) / 3 : 1 + (int)(seed >> 8) % 60;
			at_app_step(&app, &size);
			screen_text(&app);
			screen_keys(&app, i % 3 ? "Down" : "PgUp");
			screen_text(&app);
		}
		assert_int_equal(hooks.written, 0);
		assert_false(app.done);
		at_app_free(&app);
	}
}

int test_resize(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_storm_of_sizes),
	};

	return cmocka_run_group_tests_name("resize", tests, NULL, NULL);
}
