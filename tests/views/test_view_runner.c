#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "views/fixture.h"
#include "views/gate_lines.h"
#include "views/gatelog_find.h"
#include "views/view_runner.h"

static struct gate_lines sample, hostile;

static int begin(void **state)
{
	gate_lines_sample(&sample);
	gate_lines_add(&hostile, "pass", "Ba\nsh\x1b[31m",
		"\xe2\x80\xae"
		"evil",
		"custody", false);
	at_buf_puts(&hostile.text, "\x1b]0;title\x07 not JSON \xff\xfe\n");
	at_buf_puts(&hostile.text, "{\"tool_use_id\":\"\\ud800\"}\n");
	gate_lines_add(&hostile, "deny", "mcp__a_very_long_name_of_a_server__and_its_tool",
		"a-reason-that-is-longer-than-its-column", "none\x1b", true);
	at_buf_put(&hostile.text, "a\0b", 3);
	return 0;
}

static int end(void **state)
{
	at_buf_free(&sample.text);
	at_buf_free(&hostile.text);
	return 0;
}

static struct fixture_plan plan_of(const struct gate_lines *lines)
{
	return (struct fixture_plan){ .gate_log = at_buf_bytes(&lines->text) };
}

/* UI-4, GATE-10. */
static void ui_4_golden_screens(void **state)
{
	static const struct fixture_plan none = { 0 };
	static const struct fixture_plan inside = {
		.live = "{\"env\": {\"AGENTTEAMS_GATE_LOG\": \"gate.log\"}}"
	};
	struct fixture_plan open = plan_of(&sample), bad = plan_of(&hostile);

	fixture_golden(&none, &at_view_runner, 9, "runner-none", "");
	fixture_golden(&inside, &at_view_runner, 9, "runner-refused", "");
	fixture_golden(&open, &at_view_runner, 9, "runner-start", "j j");
	fixture_golden(&open, &at_view_runner, 9, "runner-filter", "f d e n y Enter j");
	fixture_golden(&open, &at_view_runner, 9, "runner-search", "/ a s k Enter");
	fixture_golden(&open, &at_view_runner, 9, "runner-call", "j Enter");
	fixture_golden(&open, &at_view_runner, 9, "runner-end", "G");
	fixture_golden(&bad, &at_view_runner, 9, "runner-hostile", "j");
}

/* GATE-10: whose word about the log counts, and what the gate would make of it. */
static void gate_10_where_the_log_is(void **state)
{
	static const struct {
		const char *project, *local, *environment;
		const char *path, *origin, *fault; /* "" path: none is set */
	} rows[] = {
		{ NULL, NULL, NULL, "", "", NULL },
		{ NULL, NULL, "/e/log", "/e/log", "the environment", NULL },
		{ "{\"env\":{\"AGENTTEAMS_GATE_LOG\":\"/p/log\"}}", NULL, "/e/log", "/p/log",
			".claude/settings.json (project)", NULL },
		{ "{\"env\":{\"AGENTTEAMS_GATE_LOG\":\"/p/log\"}}",
			"{\"env\":{\"AGENTTEAMS_GATE_LOG\":\"/l/log\"}}", NULL, "/l/log",
			".claude/settings.local.json (local)", NULL },
		{ "{\"env\":{\"AGENTTEAMS_GATE_LOG\":\"/p/log\"}}", "{\"env\":{}}", NULL, "/p/log",
			"(project)", NULL },
		{ "{\"env\":{\"AGENTTEAMS_GATE_LOG\":\"\"}}", NULL, "/e/log", "", "(project)",
			NULL },
		{ "{\"env\":{\"AGENTTEAMS_GATE_LOG\":\"log\"}}", NULL, NULL, "log", "(project)",
			"no plain absolute path" },
		{ "{\"env\":{\"AGENTTEAMS_GATE_LOG\":\"/a/../log\"}}", NULL, NULL, "/a/../log",
			"(project)", "no plain absolute path" },
		/* a file that the client drops says nothing */
		{ "{\"env\":{\"AGENTTEAMS_GATE_LOG\":\"/p/log\"},}", NULL, "/e/log", "/e/log",
			"the environment", NULL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture_plan plan = { .live = rows[i].project };
		struct at_gatelog_place place;
		char variable[64], *environment[] = { variable, NULL };
		struct fixture f;

		fixture_begin(&f, &plan, &at_view_runner, 9, 80, 24);
		if (!rows[i].project)
			unlink(test_path(f.options.project, ".claude/settings.json"));
		if (rows[i].local)
			test_write(f.options.project, ".claude/settings.local.json", rows[i].local);
		snprintf(variable, sizeof(variable), "AGENTTEAMS_GATE_LOG=%s",
			rows[i].environment ? rows[i].environment : "");
		if (rows[i].environment)
			f.session.host.environment = environment;
		at_gatelog_find(&place, &f.session);
		if (place.is_set != (*rows[i].path != '\0') || strcmp(place.path, rows[i].path) != 0
			|| !strstr(place.origin, rows[i].origin)
			|| (rows[i].fault != NULL) != (place.fault != NULL)
			|| (place.fault && !strstr(place.fault, rows[i].fault)))
			fail_msg("row %zu: `%s` from %s: %s", i, place.path, place.origin,
				place.fault ? place.fault : "good");
		f.session.host.environment = NULL;
		fixture_end(&f);
	}
}

/* GATE-10: a log in the project may be there; the gate writes nothing to it, and it is said. */
static void gate_10_a_log_in_the_project(void **state)
{
	struct fixture_plan plan = { 0 };
	struct at_gatelog_place place;
	char variable[4200], *environment[] = { variable, NULL };
	struct fixture f;

	fixture_begin(&f, &plan, &at_view_runner, 9, 80, 24);
	snprintf(variable, sizeof(variable), "AGENTTEAMS_GATE_LOG=%s/log", f.session.path);
	f.session.host.environment = environment;
	at_gatelog_find(&place, &f.session);
	assert_string_equal(place.fault, "its path is inside the project");
	f.session.host.environment = NULL;
	fixture_end(&f);
}

static void append(const struct fixture *f, const char *text, size_t len)
{
	FILE *file = fopen(f->environment[0] + strlen("AGENTTEAMS_GATE_LOG="), "a");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	fclose(file);
}

static void tick(struct fixture *f)
{
	const struct at_event event = { .kind = AT_EVENT_TICK };

	at_app_step(&f->app, &event);
	while (at_app_idle(&f->app))
		screen_text(&f->app);
}

static char *marked_row(struct fixture *f)
{
	static char row[512];
	const char *at = strstr(screen_text(&f->app), "\n> ");

	assert_non_null(at);
	snprintf(row, sizeof(row), "%.*s", (int)strcspn(at + 1, "|\n"), at + 1);
	return row;
}

/* UI-4: lines that come are told, and take nobody's cursor. */
static void ui_4_growth_leaves_the_cursor(void **state)
{
	struct gate_lines more = { .count = 100 };
	struct fixture_plan plan = plan_of(&sample);
	struct fixture f;
	char before[512];

	memcpy(more.prev, sample.prev, sizeof(more.prev));
	for (int i = 0; i < 30; i++)
		gate_lines_add(&more, "ask", "Newest", "r", "custody", false);
	fixture_begin(&f, &plan, &at_view_runner, 9, 80, 24);
	screen_keys(&f.app, "j j j");
	snprintf(before, sizeof(before), "%s", marked_row(&f));
	tick(&f);
	assert_string_equal(marked_row(&f), before);
	assert_null(strstr(screen_text(&f.app), "new above"));
	append(&f, more.text.data, more.text.len - 40); /* the last one is half written */
	tick(&f);
	assert_string_equal(marked_row(&f), before);
	assert_non_null(strstr(screen_text(&f.app), "30 new above"));
	append(&f, more.text.data + more.text.len - 40, 40);
	tick(&f);
	assert_string_equal(marked_row(&f), before);
	assert_non_null(strstr(screen_text(&f.app), "70 calls"));
	screen_keys(&f.app, "g");
	assert_non_null(strstr(marked_row(&f), "Newest"));
	assert_null(strstr(screen_text(&f.app), "new above"));
	fixture_end(&f);
	at_buf_free(&more.text);
}

/* UI-4: the same with a filter, which counts what it lets through of what came. */
static void ui_4_growth_under_a_filter(void **state)
{
	struct gate_lines more = { .count = 100 };
	struct fixture_plan plan = plan_of(&sample);
	struct fixture f;
	char before[512];

	memcpy(more.prev, sample.prev, sizeof(more.prev));
	gate_lines_add(&more, "deny", "Newest", "r", "custody", false);
	gate_lines_add(&more, "pass", "Other", "", "custody", false);
	fixture_begin(&f, &plan, &at_view_runner, 9, 80, 24);
	screen_keys(&f.app, "f d e n y Enter j");
	assert_non_null(strstr(screen_text(&f.app), "[filter: deny] 4 of 42"));
	snprintf(before, sizeof(before), "%s", marked_row(&f));
	append(&f, more.text.data, more.text.len);
	tick(&f);
	assert_string_equal(marked_row(&f), before);
	assert_non_null(strstr(screen_text(&f.app), "[filter: deny] 5 of 44"));
	assert_non_null(strstr(screen_text(&f.app), "1 new above"));
	screen_keys(&f.app, "f Esc"); /* leaves it as it was */
	assert_non_null(strstr(screen_text(&f.app), "[filter: deny] 5 of 44"));
	fixture_end(&f);
	at_buf_free(&more.text);
}

/* GATE-10: what becomes of the file while it is looked at is shown as it is. */
static void gate_10_a_log_that_changes(void **state)
{
	static const struct {
		const char *act, *says;
	} rows[] = {
		{ "rm gate.log", "not read" },
		{ ": >gate.log", "0 calls" },
		{ "rm gate.log; mkfifo gate.log", "no regular file" },
		{ "mv gate.log x; ln -s x gate.log", "is a link" },
		{ "head -n 5 gate.log >x; mv x gate.log", "5 calls" },
		{ "printf 'x' >gate.log", "1 gap" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture_plan plan = plan_of(&sample);
		struct fixture f;
		char command[4300];

		fixture_begin(&f, &plan, &at_view_runner, 9, 80, 24);
		screen_keys(&f.app, "j j j j j");
		snprintf(command, sizeof(command), "cd '%s' && { %s; }", f.session.host.home,
			rows[i].act);
		assert_int_equal(system(command), 0);
		tick(&f);
		if (!strstr(screen_text(&f.app), rows[i].says))
			fail_msg("row %zu: %s", i, screen_text(&f.app));
		screen_keys(&f.app, "j k G g Enter");
		fixture_end(&f);
	}
}

/* UI-3: what plain output tells: where, whether the chain holds, the rows, the ceilings. */
static void ui_3_in_words(void **state)
{
	static const char *const want[] = { "from the environment of this console",
		"3 gaps, no evidence there", "40 calls: 33 pass", "not inspected",
		"no evidence: lines are missing here", "leaves no line", "CEIL-5 The gate sees" };
	struct fixture_plan plan = plan_of(&sample);
	struct at_buf all = { 0 };
	const struct at_view *view;
	struct fixture f;

	fixture_begin(&f, &plan, &at_view_runner, 9, 200, 60);
	view = at_app_top(&f.app);
	for (size_t i = 0; i < view->class->rows(view); i++) {
		struct at_spans spans = { 0 };

		view->class->row(view, i, &spans);
		at_buf_printf(&all, "%s\n", at_buf_text(&spans.text));
		at_spans_free(&spans);
	}
	for (size_t i = 0; i < AT_LEN(want); i++)
		if (!strstr(at_buf_text(&all), want[i]))
			fail_msg("row %zu: %s", i, at_buf_text(&all));
	at_buf_free(&all);
	fixture_end(&f);
}

/* UI-6: a large log is there at once, keys go on while it is read, and it ends whole. */
static void ui_6_a_large_log_in_slices(void **state)
{
	struct gate_lines lines = { 0 };
	struct fixture_plan plan;
	struct fixture f;
	size_t slices = 0;

	for (int i = 0; i < 10000; i++)
		gate_lines_add(&lines, i % 10 ? "pass" : "deny", "Bash", "", "custody", false);
	plan = plan_of(&lines);
	fixture_begin(&f, &plan, &at_view_runner, 9, 80, 24);
	assert_non_null(strstr(screen_text(&f.app), "reading"));
	assert_non_null(strstr(screen_text(&f.app), "chain: reading"));
	assert_null(strstr(screen_text(&f.app), "chain whole"));
	screen_keys(&f.app, "j j f d e n y Enter");
	for (; f.app.idle_due; slices++) {
		at_app_idle(&f.app);
		screen_text(&f.app);
	}
	assert_true(slices > 3);
	assert_non_null(strstr(screen_text(&f.app), "chain whole"));
	assert_non_null(strstr(screen_text(&f.app), "[filter: deny] 1000 of 10000"));
	assert_non_null(strstr(marked_row(&f), "deny"));
	fixture_end(&f);
	at_buf_free(&lines.text);
}

int test_view_runner(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_4_golden_screens),
		cmocka_unit_test(gate_10_where_the_log_is),
		cmocka_unit_test(gate_10_a_log_in_the_project),
		cmocka_unit_test(ui_4_growth_leaves_the_cursor),
		cmocka_unit_test(ui_4_growth_under_a_filter),
		cmocka_unit_test(gate_10_a_log_that_changes),
		cmocka_unit_test(ui_3_in_words),
		cmocka_unit_test(ui_6_a_large_log_in_slices),
	};

	return cmocka_run_group_tests_name("view_runner", tests, begin, end);
}
