/* The view of any diff: golden screens, reading on, and what hostile bytes do to it. */
#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/screen.h"
#include "views/view_diff.h"

static int64_t now_ms(void *user)
{
	(void)user;
	return 0;
}

static void begin_text(
	struct at_app *app, struct at_bytes text, const char *name, int width, int height)
{
	const struct at_view_diff_arg arg = { .name = name, .text = text, .fd = -1, .is_alone = true };
	struct at_app_hooks hooks = { .now_ms = now_ms };

	at_app_init(app, &hooks, width, height);
	assert_true(at_app_push(app, &at_view_diff, &arg, NULL));
}

static void begin(struct at_app *app, const char *file, int width, int height)
{
	char path[64];
	struct at_buf text;

	snprintf(path, sizeof(path), "patches/%s", file);
	text = test_read(NULL, path);
	begin_text(app, at_buf_bytes(&text), file, width, height);
	at_buf_free(&text);
}

/* UI-5, UI-4: below each other, side by side, folded, without white space. */
static void ui_5_golden_screens(void **state)
{
	static const struct {
		const char *name, *file, *keys;
		int least; /* width it is drawn from */
	} scenes[] = {
		{ "start", "sample.diff", "", 0 },
		{ "sides", "sample.diff", "| }", 120 },
		{ "sides-scrolled", "sample.diff", "| } l l", 120 },
		{ "folded", "sample.diff", "Z", 80 },
		{ "folded-sides", "sample.diff", "| Z", 120 },
		{ "opened", "sample.diff", "} Z Enter", 120 },
		{ "space", "sample.diff", "} W", 80 },
		{ "space-sides", "sample.diff", "} } W |", 120 },
		{ "space-folded", "sample.diff", "} W Z", 120 },
		{ "hostile", "hostile.diff", "", 0 },
		{ "hostile-sides", "hostile.diff", "|", 120 },
		{ "help", "sample.diff", "?", 80 },
	};
	static const int sizes[][2] = { { 120, 40 }, { 200, 60 }, { 80, 24 }, { 40, 10 } };
	static const struct {
		const char *name;
		enum at_theme_id id;
	} themes[] = { { "dark", AT_THEME_DARK }, { "light", AT_THEME_LIGHT },
		{ "mono", AT_THEME_MONO } };

	for (size_t s = 0; s < AT_LEN(sizes); s++) {
		for (size_t i = 0; i < AT_LEN(scenes); i++) {
			for (size_t t = 0; t < AT_LEN(themes) && sizes[s][0] >= scenes[i].least;
				t++) {
				struct at_app app;
				char name[96];

				begin(&app, scenes[i].file, sizes[s][0], sizes[s][1]);
				screen_keys(&app, scenes[i].keys);
				snprintf(name, sizeof(name), "diff-%s-%dx%d-%s", scenes[i].name,
					sizes[s][0], sizes[s][1], themes[t].name);
				screen_golden(&app, themes[t].id, name);
				at_app_free(&app);
			}
		}
	}
}

static void expect(struct at_app *app, const char *text)
{
	if (!strstr(screen_text(app), text))
		fail_msg("no \"%s\" in\n%s", text, screen_text(app));
}

/* UI-5: the motions, and the place kept over every change of mode. */
static void ui_5_motions_and_place(void **state)
{
	struct at_app app;

	begin(&app, "sample.diff", 120, 20);
	screen_keys(&app, "}");
	expect(&app, "src/limits.c   file 1/4");
	screen_keys(&app, "} }");
	expect(&app, "tools/check.sh   file 3/4   hunk 3/5");
	screen_keys(&app, "]");
	expect(&app, "hunk 4/5");
	screen_keys(&app, "{ {");
	expect(&app, "README.md   file 2/4");
	for (size_t i = 0; i < 2; i++) { /* on and off again */
		screen_keys(&app, "|");
		expect(&app, "README.md   file 2/4");
		screen_keys(&app, "Z");
		expect(&app, "README.md   file 2/4");
		screen_keys(&app, "W");
		expect(&app, "README.md   file 2/4");
	}
	screen_keys(&app, "{ {");
	expect(&app, "This is the first file.");
	screen_keys(&app, "G }");
	expect(&app, "Every file further on is on the screen.");
	at_app_free(&app);
}

/* UI-5: a search finds what a fold hides, and survives a change of mode. */
static void ui_5_search_in_folds(void **state)
{
	struct at_app app;

	begin(&app, "sample.diff", 120, 12);
	screen_keys(&app, "Z / b y t e s : Enter");
	expect(&app, "\"bytes:\": 1 of 1");
	expect(&app, "… 3 unchanged");
	screen_keys(&app, "Enter");
	expect(&app, "* bytes: how large");
	screen_keys(&app, "| n");
	expect(&app, "\"bytes:\": 1 of 1");
	expect(&app, "* bytes: how large");
	at_app_free(&app);
}

/* UI-5: what does not add up is counted, and `!` walks over it. */
static void ui_5_walks_over_warnings(void **state)
{
	struct at_app app;

	begin(&app, "hostile.diff", 80, 10);
	expect(&app, "!6 .git/hooks/post-checkout");
	screen_keys(&app, "!");
	expect(&app, "! The names of this header");
	screen_keys(&app, "!");
	expect(&app, "! in no hunk: +curl");
	screen_keys(&app, "! !");
	expect(&app, "! in no hunk: -looks removed");
	at_app_free(&app);
	begin(&app, "sample.diff", 80, 24);
	screen_keys(&app, "!");
	expect(&app, "nothing here does not add up");
	at_app_free(&app);
}

static void ui_5_off_keys_say_why(void **state)
{
	static const struct {
		const char *keys, *says;
		int width;
	} rows[] = {
		{ "|", "side by side needs 100 columns, here are 80", 80 },
		{ "| \\", "side by side long lines are cut", 120 },
		{ "Z G Enter", "no fold is on the screen", 120 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_app app;

		begin_text(&app, at_bytes_of("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n"), "x",
			rows[i].width, 24);
		screen_keys(&app, rows[i].keys);
		expect(&app, rows[i].says);
		at_app_free(&app);
	}
}

/* UI-5: side by side goes where there is no room for it and comes back with the room. */
static void ui_5_sides_follow_the_width(void **state)
{
	struct at_event narrow = { .kind = AT_EVENT_RESIZE, .width = 90, .height = 30 };
	struct at_event wide = { .kind = AT_EVENT_RESIZE, .width = 140, .height = 30 };
	struct at_app app;

	begin(&app, "sample.diff", 120, 30);
	screen_keys(&app, "| } }");
	expect(&app, "side by side");
	at_app_step(&app, &narrow);
	expect(&app, "README.md   file 2/4");
	assert_null(strstr(screen_text(&app), "│"));
	at_app_step(&app, &wide);
	expect(&app, "README.md   file 2/4");
	expect(&app, "│");
	at_app_free(&app);
}

/* UI-5: a file is read on between two keys: the first screen at once, the rest in idle events. */
static void ui_5_reads_on_while_it_is_looked_at(void **state)
{
	char *dir = test_tree_new(), done[64];
	struct at_app_hooks hooks = { .now_ms = now_ms };
	struct at_view_diff_arg arg = { .name = "big" };
	struct at_buf text = { 0 };
	struct at_app app;
	int idles = 0;

	for (int i = 0; i < 40000; i++)
		at_buf_printf(&text,
			"--- f%d\n+++ f%d\n@@ -%d,4 +%d,4 @@\n same\n"
			"-old line number %d of a file\n+new\n"
			" same\n same\n",
			i, i, i + 1, i + 1, i);
	test_write_bytes(dir, "big", text.data, text.len);
	arg.fd = open(test_path(dir, "big"), O_RDONLY);
	at_app_init(&app, &hooks, 120, 40);
	assert_true(at_app_push(&app, &at_view_diff, &arg, NULL));
	expect(&app, "reading, ");
	expect(&app, "old line number 0 of");
	screen_keys(&app, "| }");
	expect(&app, "file 2/"); /* keys work meanwhile */
	while (at_app_idle(&app) && app.idle_due)
		idles++;
	assert_true(idles >= 1 && idles < 20);
	assert_null(strstr(screen_text(&app), "reading"));
	snprintf(done, sizeof(done), "file 2/%d", 40000);
	expect(&app, done);
	screen_keys(&app, "G");
	expect(&app, "/40000   hunk ");
	expect(&app, "old line number 39999");
	at_app_free(&app);
	close(arg.fd);
	at_buf_free(&text);
	test_tree_remove(dir);
}

static void work(struct at_app *app)
{
	int idles = 0;

	while (at_app_idle(app) && app->idle_due)
		assert_true(idles++ < 1000);
	assert_false(app->idle_due); /* and nothing wakes it any more */
}

/* UI-5: on a large diff keys are answered at once, and what takes longer is told and follows. */
static void ui_5_large_diffs_are_worked_through_between_keys(void **state)
{
	struct at_app_hooks hooks = { .now_ms = now_ms };
	struct at_view_diff_arg arg = { .name = "big", .fd = -1 };
	struct at_buf text = { 0 };
	struct at_app app;

	at_buf_puts(&text, "--- a\n+++ b\n@@ -1,300000 +1,300000 @@\n");
	for (int i = 0; i < 300000; i++)
		at_buf_printf(&text, i == 290000 ? "-old one\n+new one\n" : " same %d\n", i);
	arg.text = at_buf_bytes(&text);
	at_app_init(&app, &hooks, 120, 20);
	assert_true(at_app_push(&app, &at_view_diff, &arg, NULL));
	work(&app);
	screen_keys(&app, "Z");
	expect(&app, "laying out, ");
	expect(&app, "same 0\n"); /* the lines as they were */
	work(&app);
	expect(&app, "290000 unchanged");
	assert_null(strstr(screen_text(&app), "laying out"));
	screen_keys(&app, "Enter");
	expect(&app, "laying out, "); /* as many lines as that are not put there in one go */
	work(&app);
	expect(&app, "same 0\n");
	screen_keys(&app, "Z");
	screen_keys(&app, "/ w");
	expect(&app, "searching, ");
	expect(&app, "same 0\n");
	work(&app);
	expect(&app, "+ new one");
	expect(&app, "\"w\": 1 of 1");
	screen_keys(&app, "Esc");
	expect(&app, "same 0\n");
	at_app_free(&app);
	at_buf_free(&text);
}

/* UI-5: a pipe is read when it has something, and never waited for. */
static void ui_5_reads_a_pipe(void **state)
{
	const struct at_event wake = { .kind = AT_EVENT_WAKE };
	struct at_app_hooks hooks = { .now_ms = now_ms };
	int ends[2], wake_fd;
	struct at_view_diff_arg arg = { .name = "-", .is_stream = true, .wake_fd = &wake_fd };
	struct at_app app;

	assert_int_equal(pipe(ends), 0);
	arg.fd = wake_fd = ends[0];
	at_app_init(&app, &hooks, 80, 24);
	assert_true(at_app_push(&app, &at_view_diff, &arg, NULL));
	at_app_idle(&app);
	expect(&app, "Waiting for the diff.");
	assert_int_equal(write(ends[1], "--- a\n+++ b\n@@ -1 +1 @@\n-a\n", 28), 28);
	at_app_step(&app, &wake);
	expect(&app, "- a");
	expect(&app, "reading, 0 KiB");
	assert_int_equal(write(ends[1], "+b\n", 3), 3);
	close(ends[1]);
	at_app_step(&app, &wake);
	at_app_step(&app, &wake);
	expect(&app, "+ b");
	assert_null(strstr(screen_text(&app), "reading"));
	assert_int_equal(wake_fd, -1);
	at_app_free(&app);
	close(ends[0]);
}

/* STG-2: any bytes at any size: nothing but safe text, no crash. */
static void stg_2_hostile_storm(void **state)
{
	static const char *const keys[] = { "|", "Z", "W", "Enter", "}", "{", "]", "[", "!", "G",
		"g", "l", "\\", "Space", "/ a Enter", "n" };
	static const char alphabet[] = "@-+ \n\n\r\t\x1b\x9b\xe2\x80\xae"
				       "a0,\\d";
	unsigned seed = 11;
	char text[4000];

	for (int round = 0; round < 30; round++) {
		struct at_app app;

		for (size_t i = 0; i < sizeof(text); i++) {
			seed = seed * 1103515245u + 12345u;
			text[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
		}
		memcpy(text, "--- a\n+++ b\n@@ -1,90 +1,90 @@\n", 30);
		begin_text(&app, (struct at_bytes){ text, sizeof(text) }, "\x1b[31m", 140, 30);
		for (int i = 0; i < 60; i++) {
			struct at_event resize = { .kind = AT_EVENT_RESIZE };

			seed = seed * 1103515245u + 12345u;
			screen_keys(&app, keys[(seed >> 16) % AT_LEN(keys)]);
			resize.width = (int)(seed >> 8) % 160 + 1;
			resize.height = (int)(seed >> 20) % 50 + 1;
			if (i % 5 == 0)
				at_app_step(&app, &resize);
			for (const char *p = screen_text(&app); *p; p++)
				assert_true((unsigned char)*p >= 0x20 || *p == '\n');
			assert_null(strstr(screen_text(&app), "\xe2\x80\xae"));
		}
		at_app_free(&app);
	}
}

int test_view_diff(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_5_golden_screens),
		cmocka_unit_test(ui_5_motions_and_place),
		cmocka_unit_test(ui_5_search_in_folds),
		cmocka_unit_test(ui_5_walks_over_warnings),
		cmocka_unit_test(ui_5_off_keys_say_why),
		cmocka_unit_test(ui_5_sides_follow_the_width),
		cmocka_unit_test(ui_5_reads_on_while_it_is_looked_at),
		cmocka_unit_test(ui_5_large_diffs_are_worked_through_between_keys),
		cmocka_unit_test(ui_5_reads_a_pipe),
		cmocka_unit_test(stg_2_hostile_storm),
	};

	return cmocka_run_group_tests_name("view_diff", tests, NULL, NULL);
}
