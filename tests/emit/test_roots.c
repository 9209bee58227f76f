#include "emit/fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* REQ-3: one error names every bad root; notices hold all when they do not fit. */
static void req_3_names_every_bad_root(void **state)
{
	static const char *const bad[] = { "/", "~", "~/.ssh", "~user", ".claude", "a;b",
		"~/.config/agentteams/keys/x", "../../home", ".git/hooks", "build/../.codex" };
	struct at_buf brief = { 0 };
	struct fixture f;

	at_buf_puts(&brief, "{\"workspace_write_roots\": [\"src\"");
	for (size_t i = 0; i < AT_LEN(bad); i++)
		at_buf_printf(&brief, ", \"%s\"", bad[i]);
	at_buf_puts(&brief, "]}");
	fixture_begin(&f, at_buf_text(&brief));
	assert_false(fixture_plan(&f));
	assert_int_equal(f.err.code, AT_EREFUSED);
	assert_string_equal(f.err.id, "root-banned");
	for (size_t i = 0; i < AT_LEN(bad); i++) {
		char quoted[128];
		bool told;

		snprintf(quoted, sizeof(quoted), "'%s' (", bad[i]);
		told = strstr(f.err.message, quoted) != NULL;
		for (size_t k = 0; k < f.notices.count; k++)
			told |= strncmp(f.notices.items[k].text, quoted, strlen(quoted)) == 0;
		assert_row(i, told);
	}
	assert_null(strstr(f.err.message, "'src'"));
	assert_int_equal(f.plan.count, 0);
	at_buf_free(&brief);
	fixture_end(&f);
}

/* REQ-3, WIRE-2: no root reaches this program's own records, wherever they are kept. */
static void req_3_state_is_no_root(void **state)
{
	static const char *const roots[] = { "/srv/states", "/srv", "/srv/states/agentteams",
		"/srv/states/agentteams/x" };
	struct fixture f;

	for (size_t i = 0; i < AT_LEN(roots); i++) {
		char brief[128];

		snprintf(brief, sizeof(brief), "{\"workspace_write_roots\": [\"%s\"]}", roots[i]);
		fixture_begin(&f, brief);
		f.accepted[0] = roots[i];
		fixture_must_plan(&f);
		snprintf(f.host.xdg_state_home, sizeof(f.host.xdg_state_home), "/srv/states");
		assert_row(i, !fixture_plan(&f));
		assert_string_equal(f.err.id, "root-banned");
		assert_row(i, strstr(f.err.message, "records and backups"));
		snprintf(f.host.xdg_state_home, sizeof(f.host.xdg_state_home), "/srv-states");
		assert_row(i, fixture_plan(&f));
		fixture_end(&f);
	}
}

/* REQ-3: many bad roots overflow a message: what does not fit is counted. */
static void req_3_overflow_is_counted(void **state)
{
	struct at_buf brief = { 0 };
	struct fixture f;

	at_buf_puts(&brief, "{\"workspace_write_roots\": [\"src\"");
	for (size_t i = 0; i < 100; i++)
		at_buf_printf(&brief, ", \".claude/%zu\"", i);
	at_buf_puts(&brief, "]}");
	fixture_begin(&f, at_buf_text(&brief));
	assert_false(fixture_plan(&f));
	assert_non_null(strstr(f.err.message, "more, all listed in the notices"));
	assert_int_equal(fixture_notice_count(&f, "root-banned"), 100);
	at_buf_free(&brief);
	fixture_end(&f);
}

/* REQ-4: refused without the flag, which is given quoted; accepted with it, and told. */
static void req_4_external_needs_acceptance(void **state)
{
	struct fixture f;

	fixture_begin(&f, "{\"workspace_write_roots\": [\".\", \"/srv/it's\", \"~/scratch\"]}");
	assert_false(fixture_plan(&f)); /* the quote is banned: nothing else is asked */
	assert_string_equal(f.err.id, "root-banned");
	fixture_brief(&f, "{\"workspace_write_roots\": [\".\", \"/srv/a b\", \"~/.hidden\"],"
		"\"coordination_write_roots\": [\"../sibling\"]}");
	assert_false(fixture_plan(&f));
	assert_string_equal(f.err.id, "root-not-accepted");
	assert_non_null(strstr(f.err.message, "--accept-write-root '/srv/a b'"));
	assert_non_null(strstr(f.err.message, "--accept-write-root '~/.hidden'"));
	assert_non_null(strstr(f.err.message, "--accept-write-root ../sibling"));
	assert_non_null(strstr(f.err.message, "coordination"));
	assert_null(strstr(f.err.message, "'.' "));
	assert_int_equal(f.plan.count, 0);
	f.accepted[0] = "/srv/a b/";
	f.accepted[1] = at_arena_printf(f.arena, "%s/.hidden", f.host.home);
	f.accepted[2] = "../sibling";
	fixture_must_plan(&f);
	assert_int_equal(fixture_notice_count(&f, "sandbox-widening"), 3);
	assert_true(f.manifest.roots[1].external && f.manifest.roots[1].accepted);
	assert_false(f.manifest.roots[0].external);
	assert_null(strstr(fixture_notice(&f, "sandbox-widening"), "hidden home"));
	fixture_end(&f);
}

/* REQ-4, EMIT-15: the words of the widening, and that `.` is none. */
static void req_4_widening_text(void **state)
{
	struct fixture f;

	fixture_begin(&f, "{\"workspace_write_roots\": [\"./\", \"src\", \"~/.hidden\"]}");
	f.accepted[0] = "~/.hidden";
	fixture_must_plan(&f);
	assert_int_equal(fixture_notice_count(&f, "sandbox-widening"), 2);
	assert_string_equal(fixture_notice(&f, "sandbox-widening"),
		at_arena_printf(f.arena, "SANDBOX WIDENING: allowWrite gains 'src' (source: %s). "
			"Review it before you merge.", at_root_source_name(AT_ROOT_BRIEF)));
	for (size_t i = 0; i < f.notices.count; i++)
		if (strstr(f.notices.items[i].text, "~/.hidden"))
			assert_non_null(strstr(f.notices.items[i].text,
				"; EXTERNAL; a hidden home dir)."));
	fixture_end(&f);
}

/* REQ-4: the baseline is the project's own live file, in compare form, and nothing else. */
static void req_4_baseline(void **state)
{
	static const struct { const char *file, *allow; bool want; } rows[] = {
		{ LIVE, "/srv/x", true },
		{ LIVE, "/srv/./x/", true },
		{ LIVE, "/srv", false },
		{ LIVE, "/srv/x/y", false },
		{ LOCAL, "/srv/x", false },
		{ "settings.json", "/srv/x", false },
		{ EXAMPLE, "/srv/x", false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;
		char text[256];

		fixture_begin(&f, "{\"workspace_write_roots\": [\"/srv/x\"]}");
		snprintf(text, sizeof(text),
			"{\"sandbox\": {\"filesystem\": {\"allowWrite\": [\"%s\", 5]}}}",
			rows[i].allow);
		fixture_write(&f, rows[i].file, text);
		assert_row(i, fixture_plan(&f) == rows[i].want);
		assert_row(i, (fixture_notice(&f, "external-root-kept") != NULL) == rows[i].want);
		if (rows[i].want)
			assert_non_null(strstr(fixture_notice(&f, "external-root-kept"),
				"keeps external root '/srv/x'"));
		fixture_end(&f);
	}
}

/* REQ-4: a home-relative baseline counts; a planted one does not lift a ban. */
static void req_4_baseline_lifts_no_ban(void **state)
{
	struct fixture f;

	fixture_begin(&f, "{\"workspace_write_roots\": [\"~/scratch\"]}");
	fixture_write(&f, LIVE, at_arena_printf(f.arena,
		"{\"sandbox\": {\"filesystem\": {\"allowWrite\": [\"%s/scratch\", \"~/.ssh\"]}}}",
		f.host.home));
	fixture_must_plan(&f);
	fixture_brief(&f, "{\"workspace_write_roots\": [\"~/.ssh\"]}");
	f.accepted[0] = "~/.ssh";
	assert_false(fixture_plan(&f));
	assert_string_equal(f.err.id, "root-banned");
	fixture_end(&f);
}

/* REQ-4: a link inside the project that leads out is external. */
static void req_4_link_out(void **state)
{
	struct fixture f;

	fixture_begin(&f, "{\"workspace_write_roots\": [\"out\"]}");
	test_write(f.top, "elsewhere/x", "");
	assert_int_equal(symlink("../../elsewhere", test_path(f.project_path, "out")), 0);
	assert_false(fixture_plan(&f));
	assert_string_equal(f.err.id, "root-not-accepted");
	fixture_end(&f);
}

/* REQ-4: not confined, nothing is asked and nothing said; bans stay (REQ-3). */
static void req_4_not_confined(void **state)
{
	struct fixture f;

	fixture_begin(&f, "{\"privilege_profile\": \"cooperative\","
		"\"workspace_write_roots\": [\"/srv/x\"]}");
	fixture_must_plan(&f);
	assert_null(fixture_notice(&f, "sandbox-widening"));
	fixture_brief(&f, "{\"privilege_profile\": \"cooperative\","
		"\"workspace_write_roots\": [\"/\"]}");
	assert_false(fixture_plan(&f));
	fixture_end(&f);
}

int test_roots(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(req_3_names_every_bad_root),
		cmocka_unit_test(req_3_state_is_no_root),
		cmocka_unit_test(req_3_overflow_is_counted),
		cmocka_unit_test(req_4_external_needs_acceptance),
		cmocka_unit_test(req_4_widening_text),
		cmocka_unit_test(req_4_baseline),
		cmocka_unit_test(req_4_baseline_lifts_no_ban),
		cmocka_unit_test(req_4_link_out),
		cmocka_unit_test(req_4_not_confined),
	};

	return cmocka_run_group_tests_name("roots", tests, NULL, NULL);
}
