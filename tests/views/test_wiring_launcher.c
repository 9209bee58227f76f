/* The Wiring view and the truth line of a team whose boundary is the launcher. */
#include "views/fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "core/json_write.h"
#include "core/launch_line.h"
#include "support/support.h"
#include "views/view_wiring.h"
#include "views/wiring_rows.h"

static const struct fixture_plan genuine = { .is_emitted = true, .framework = "codex" };

/* UI-4, WIRE-5: what is shown of a launcher that is as emitted. */
static void ui_4_golden_screens(void **state)
{
	static const struct fixture_plan several = { .is_emitted = true, .all_teams = true,
		.framework = "goose" }, seatbelt = { .is_emitted = true, .framework = "goose",
		.platform = "darwin", .brief = "{\"privilege_profile\": \"confined\"}" };

	fixture_golden(&genuine, &at_view_wiring, 5, "wiring-launcher", "");
	fixture_golden(&several, &at_view_wiring, 5, "wiring-teams", "");
	fixture_golden(&seatbelt, &at_view_wiring, 5, "wiring-seatbelt", "");
}

static void spoil(struct fixture *f, const char *how)
{
	const char *path = test_path(f->options.project, AT_LAUNCHER);

	if (strcmp(how, "edited") == 0)
		test_write(f->options.project, AT_LAUNCHER, "#!/bin/sh\n");
	else if (strcmp(how, "missing") == 0)
		assert_int_equal(unlink(path), 0);
	else if (strcmp(how, "not-executable") == 0)
		assert_int_equal(chmod(path, 0644), 0);
	at_collected_free(&f->collected);
	at_collect(&f->collected, &f->session);
}

/* WIRE-5, WIRE-15: the same word in answer, plain report and JSON; the truth line calls the
 * launcher genuine only when it is, and WIRE is never done. Settings of a claude team beside it
 * say nothing. */
static void wire_15_never_more_than_genuine(void **state)
{
	static const struct {
		const char *how, *word, *truth;
		enum at_stage_state wire;
	} rows[] = {
		{ "genuine", "YES", "launcher", AT_UNKNOWN },
		{ "edited", "EDITED", "not-emitted", AT_NOT_DONE },
		{ "missing", "MISSING", "not-emitted", AT_NOT_DONE },
		{ "not-executable", "NO", "not-emitted", AT_NOT_DONE },
	};
	static const char *const frameworks[] = { "goose", "codex", "copilot-vscode", "copilot-cli",
		"agents-md" };

	for (size_t row = 0; row < AT_LEN(rows) * AT_LEN(frameworks); row++) {
		const size_t i = row / AT_LEN(frameworks);
		const struct fixture_plan plan = { .is_emitted = true, .live = "{ broken",
			.framework = frameworks[row % AT_LEN(frameworks)] };
		struct at_json_value *json = at_json_object();
		struct at_buf text = { 0 }, printed = { 0 };
		struct at_wiring_answer answer;
		struct fixture f;

		fixture_begin(&f, &plan, &at_view_wiring, 5, 80, 24);
		spoil(&f, rows[i].how);
		at_wiring_answer(&answer, &f.collected);
		assert_row(row, strcmp(answer.word, rows[i].word) == 0);
		assert_row(row, answer.style != AT_STYLE_TRUTH_OK);
		assert_row(row, *answer.why);
		assert_row(row, f.collected.pipeline.stages[AT_WIRE] == rows[i].wire);
		assert_row(row, strcmp(at_truth_id(f.collected.pipeline.truth), rows[i].truth) == 0);
		assert_row(row, f.collected.pipeline.gate == AT_GATE_NONE);
		assert_row(row, !!strstr(f.collected.pipeline.sentence, "cannot be seen from here")
			== (i == 0));
		at_wiring_report_print(&f.session, &f.collected, &text);
		assert_row(row, strstr(at_buf_text(&text), answer.why));
		assert_row(row, !strstr(at_buf_text(&text), "claude"));
		at_wiring_report_json(&f.session, &f.collected, json);
		at_json_print(&printed, json, AT_JSON_COMPACT);
		assert_row(row, strstr(at_buf_text(&printed), rows[i].how));
		assert_row(row, strstr(at_buf_text(&printed), "\"would_load\":null"));
		at_json_value_free(json);
		at_buf_free(&text);
		at_buf_free(&printed);
		fixture_end(&f);
	}
}

/* EMIT-9: a claude team's report names the launcher too, beside its own first question. */
static void emit_9_claude_sees_the_launcher(void **state)
{
	const struct fixture_plan plan = { .is_emitted = true };
	struct fixture f;

	fixture_begin(&f, &plan, &at_view_wiring, 5, 80, 24);
	assert_string_equal(at_wiring_launcher_word(&f.collected), "genuine");
	spoil(&f, "edited");
	assert_string_equal(at_wiring_launcher_word(&f.collected), "edited");
	assert_non_null(at_wiring_find(&f.collected.wiring, "launcher-edited"));
	assert_int_equal(f.collected.pipeline.truth, AT_TRUTH_NOT_EMITTED);
	fixture_end(&f);
}

/* WIRE-5, DEC-2: where nothing can be had, the check says so and fails nobody; the decision
 * still refuses to generate. */
static void wire_5_not_enforceable_here(void **state)
{
	static const char *const platforms[] = { "windows", "other" };

	for (size_t i = 0; i < AT_LEN(platforms); i++) {
		const struct fixture_plan plan = { .framework = "goose", .platform = platforms[i] };
		const struct at_finding *found;
		struct at_wiring_answer answer;
		struct fixture f;

		fixture_begin(&f, &plan, &at_view_wiring, 5, 80, 24);
		assert_row(i, !f.collected.is_planned && f.collected.is_checked);
		found = at_wiring_find(&f.collected.wiring, "not-enforceable-here");
		assert_row(i, found && strstr(found->text, "NOT ENFORCEABLE HERE"));
		assert_row(i, at_wiring_worst(&f.collected.wiring) != AT_FAIL);
		assert_row(i, f.collected.pipeline.truth == AT_TRUTH_REFUSED);
		at_wiring_answer(&answer, &f.collected);
		assert_string_equal(answer.word, "NOT HERE");
		assert_null(at_wiring_launcher_word(&f.collected));
		fixture_end(&f);
	}
}

int test_wiring_launcher(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_4_golden_screens),
		cmocka_unit_test(wire_15_never_more_than_genuine),
		cmocka_unit_test(emit_9_claude_sees_the_launcher),
		cmocka_unit_test(wire_5_not_enforceable_here),
	};

	return cmocka_run_group_tests_name("wiring_launcher", tests, NULL, NULL);
}
