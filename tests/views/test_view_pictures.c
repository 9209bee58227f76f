/* The README's pictures: screens of the sample project, one table. `ninja screenshots` draws them
 * anew; the test holds them current. (UI-8) */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>

#include "views/fixture.h"
#include "views/gate_lines.h"
#include "views/view_advisories.h"
#include "views/view_emit.h"
#include "views/view_grants.h"
#include "views/view_integrity.h"
#include "views/view_merge.h"
#include "views/view_proposals.h"
#include "views/view_runner.h"
#include "views/view_setup.h"
#include "views/view_wiring.h"

static const struct fixture_plan fresh = { .is_emitted = false };
static const struct fixture_plan emitted = { .is_emitted = true };
static const struct fixture_plan teams = { .is_emitted = true, .all_teams = true,
	.framework = "codex" };
static const struct fixture_plan goose = { .is_emitted = true, .framework = "goose" };

#define TEAM_A "{\"project_name\": \"demo-shop\", \"team_id\": \"team-a\"}"
static const struct fixture_plan granted = { .brief = TEAM_A, .is_emitted = true,
	.has_grants = true };
static const struct fixture_plan tampered = { .is_emitted = true, .is_tampered = true };
static const struct fixture_plan staged = { .is_emitted = true, .is_staged = true };
static struct fixture_plan logged = { .is_emitted = true };

static const struct picture {
	const char *file, *title;
	const struct fixture_plan *plan;
	const struct at_view_class *class;
	int digit;
	const char *keys;
	int width, height;
	enum at_theme_id theme;
} pictures[] = {
	{ "setup", "the Setup view", &fresh, &at_view_setup, 1, "j", 120, 40, AT_THEME_DARK },
	{ "advisories", "the Advisories view", &fresh, &at_view_advisories, 2, "", 80, 24,
		AT_THEME_DARK },
	{ "emit", "the Emit view", &fresh, &at_view_emit, 3, "", 120, 40, AT_THEME_DARK },
	{ "merge", "the Merge view", &emitted, &at_view_merge, 4, "j", 120, 40, AT_THEME_DARK },
	{ "merge-light", "the Merge view, 80 by 24, light", &emitted, &at_view_merge, 4, "", 80, 24,
		AT_THEME_LIGHT },
	{ "widens", "what widens asks for itself", &emitted, &at_view_merge, 4, "j a", 80, 24,
		AT_THEME_BLIND },
	{ "confirm", "before anything is written", &emitted, &at_view_merge, 4, "w", 80, 24,
		AT_THEME_DARK },
	{ "result", "the whole resulting file", &emitted, &at_view_merge, 4, "=", 80, 24,
		AT_THEME_DARK },
	{ "help", "the keys that can be pressed now", &emitted, &at_view_merge, 4, "?", 80, 24,
		AT_THEME_MONO },
	{ "wiring", "the Wiring view", &emitted, &at_view_wiring, 5, "j j", 120, 40, AT_THEME_DARK },
	{ "launcher", "the Wiring view of a team behind the launcher", &goose, &at_view_wiring, 5, "", 120,
		40, AT_THEME_DARK },
	{ "teams", "the Wiring view where several teams live", &teams, &at_view_wiring, 5, "j", 120,
		24, AT_THEME_DARK },
	{ "proposals", "the Proposals view", &staged, &at_view_proposals, 6, "Tab", 120, 24,
		AT_THEME_DARK },
	{ "grants", "the Grants & keys view", &granted, &at_view_grants, 7, "", 120, 40,
		AT_THEME_DARK },
	{ "integrity", "the Integrity view: an edited launcher", &tampered, &at_view_integrity, 8,
		"/ c o n f i n e - r u n Enter", 120, 40, AT_THEME_DARK },
	{ "runner", "the Runner view: the gate's log", &logged, &at_view_runner, 9, "j j j j", 120, 40,
		AT_THEME_DARK },
};

static void draw(const struct picture *picture, struct at_buf *out)
{
	struct at_backend *backend = at_backend_memory(256, picture->theme);
	struct at_grid grid = { 0 };
	struct fixture f;
	char title[96];

	snprintf(title, sizeof(title), "atconsole: %s", picture->title);
	fixture_begin(&f, picture->plan, picture->class, picture->digit, picture->width,
		picture->height);
	screen_keys(&f.app, picture->keys);
	at_app_idle(&f.app);
	at_app_paint(&f.app, &grid);
	at_dump_svg(&grid, &backend->theme, title, out);
	at_grid_free(&grid);
	backend->close(backend);
	fixture_end(&f);
}

static void ui_8_pictures_are_current(void **state)
{
	const char *source = getenv("AT_TEST_SOURCE"), *update = getenv("AT_UPDATE_PICTURES");
	struct gate_lines lines = { 0 };

	gate_lines_sample(&lines);
	logged.gate_log = at_buf_bytes(&lines.text);
	for (size_t i = 0; i < AT_LEN(pictures); i++) {
		struct at_buf svg = { 0 };
		char file[64];

		draw(&pictures[i], &svg);
		snprintf(file, sizeof(file), "screenshots/%s.svg", pictures[i].file);
		if (update && *update) {
			test_write_bytes(source, file, svg.data, svg.len);
		} else {
			struct at_buf kept = test_read(source, file);

			if (!at_bytes_equal(at_buf_bytes(&kept), at_buf_bytes(&svg)))
				fail_msg("%s is not the screen any more: ninja -C build screenshots draws it anew",
					file);
			at_buf_free(&kept);
		}
		at_buf_free(&svg);
	}
	at_buf_free(&lines.text);
}

int test_view_pictures(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_8_pictures_are_current),
	};

	return cmocka_run_group_tests_name("view_pictures", tests, NULL, NULL);
}
