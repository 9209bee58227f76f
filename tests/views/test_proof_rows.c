/* The launcher's proof in the evidence, in the Wiring view and in its plain twins. */
#include "views/fixture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/json_write.h"
#include "core/launch_line.h"
#include "runner/selftest/store.h"
#include "support/support.h"
#include "views/view_wiring.h"
#include "views/wiring_rows.h"

#define DAY 86400

static const struct fixture_plan launcher_team = { .is_emitted = true, .framework = "codex" };
static const struct fixture_plan claude_team = { .is_emitted = true };

/* A proof made on this host just now, of the project's launcher, kept as a run keeps it. */
static void store(struct fixture *f, int fact, int days, enum at_case_word word)
{
	const struct at_proof_run run = { .caller = 1000, .milliseconds = 2000 };
	const struct at_proof_case cases[] = {
		{ "W1", "write outside", "create a file in the home directory", "inside", "",
			"refused: EROFS", AT_NEED_MUST, AT_HOLDS, 0 },
		{ "R1", "credentials", "read ~/.ssh", "outside", "", "what was seen", AT_NEED_MUST,
			word, 0 },
		{ "R5", "credentials", "read the log-ins of netrc", "outside",
			"only with --mask-toolchain", "works, as expected", AT_NEED_OPEN,
			AT_RESIDUAL, 0 },
	};
	struct at_launcher_text text;
	struct at_tools tools;
	struct at_proof proof;
	struct at_error err;
	const char *path = getenv("PATH");

	assert_true(at_launcher_text_read(&text, &f->session, &err));
	at_tools_find(&tools, path ? path : "");
	tools.launcher = text.bytes;
	tools.launcher_from = text.from;
	at_proof_init(&proof);
	at_tools_facts(&proof, &tools, false);
	proof.time = (int64_t)time(NULL) - (int64_t)days * DAY;
	if (fact >= 0)
		at_proof_set_fact(&proof, (enum at_proof_fact)fact, "another");
	at_proof_add_run(&proof, &run);
	for (size_t i = 0; i < AT_LEN(cases); i++)
		at_proof_add_case(&proof, &cases[i]);
	if (!at_store_proof(&proof, f->session.project.fd, &f->session.state, &err))
		fail_msg("%s", err.message);
	at_proof_free(&proof);
	at_launcher_text_free(&text);
	at_collected_free(&f->collected);
	at_collect(&f->collected, &f->session);
}

static bool report_says(const struct fixture *f, const char *what)
{
	struct at_buf text = { 0 };
	bool found;

	at_wiring_report_print(&f->session, &f->collected, &text);
	found = strstr(at_buf_text(&text), what) != NULL;
	at_buf_free(&text);
	return found;
}

static bool json_says(const struct fixture *f, const char *what)
{
	struct at_json_value *json = at_json_object();
	struct at_buf text = { 0 };
	bool found;

	at_wiring_report_json(&f->session, &f->collected, json);
	at_json_print(&text, json, AT_JSON_COMPACT);
	found = strstr(at_buf_text(&text), what) != NULL;
	at_json_value_free(json);
	at_buf_free(&text);
	return found;
}

/* WIRE-13: what was proven here counts until host, kernel, launcher or bwrap is another one, or
 * it is thirty days old; a run that found a leak is no proof at all. Report and JSON say the
 * same word. */
static void wire_13_state_of_the_proof(void **state)
{
	static const struct {
		int fact, days;
		enum at_case_word word;
		enum at_mechanism_state state;
		const char *why;
	} rows[] = {
		{ -1, 0, AT_HOLDS, AT_STATE_VERIFIED_HERE, "" },
		{ -1, 29, AT_HOLDS, AT_STATE_VERIFIED_HERE, "" },
		{ -1, 31, AT_HOLDS, AT_STATE_STALE, "older than 30 days" },
		{ AT_PROOF_HOST_ID, 0, AT_HOLDS, AT_STATE_STALE, "the machine is another" },
		{ AT_PROOF_KERNEL, 0, AT_HOLDS, AT_STATE_STALE, "the kernel is another" },
		{ AT_PROOF_LAUNCHER, 0, AT_HOLDS, AT_STATE_STALE, "the launcher is another" },
		{ AT_PROOF_BWRAP, 0, AT_HOLDS, AT_STATE_STALE, "bwrap is another" },
		{ AT_PROOF_BATTERY, 0, AT_HOLDS, AT_STATE_STALE, "the list of cases is another" },
		{ AT_PROOF_DISTRO, 0, AT_HOLDS, AT_STATE_VERIFIED_HERE, "" },
		{ -1, 0, AT_LEAKS, AT_STATE_UNVERIFIED, "1 case that must hold does not" },
		{ -1, 0, AT_INCONCLUSIVE, AT_STATE_UNVERIFIED, "1 case that must hold does not" },
	};
	struct fixture f;

	fixture_begin(&f, &launcher_team, &at_view_wiring, 5, 80, 24);
	assert_int_equal(f.collected.evidence.state, AT_STATE_UNVERIFIED);
	assert_true(report_says(&f, "no self-test was run on this host"));
	assert_true(json_says(&f, "\"report\":null"));
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_evidence *e = &f.collected.evidence;
		const char *word = at_mechanism_state_name(rows[i].state);

		store(&f, rows[i].fact, rows[i].days, rows[i].word);
		assert_row(i, e->state == rows[i].state);
		assert_row(i, strstr(f.collected.proof.why, rows[i].why) != NULL);
		assert_row(i, e->proof_date && strlen(e->proof_date) == 10);
		assert_row(i, e->cases[AT_RESIDUAL] == 1 && e->cases[rows[i].word] >= 1);
		assert_row(i, report_says(&f, word));
		assert_row(i, json_says(&f, word) && json_says(&f, "\"report\":{"));
		/* Nobody sees from here whether the agent is inside. */
		assert_row(i, f.collected.pipeline.truth == AT_TRUTH_LAUNCHER);
	}
	fixture_end(&f);
}

/* WIRE-13: never borrowed: the launcher's proof is nothing to a claude team. */
static void wire_13_claude_borrows_nothing(void **state)
{
	struct fixture f;

	fixture_begin(&f, &claude_team, &at_view_wiring, 5, 80, 24);
	store(&f, -1, 0, AT_HOLDS);
	assert_int_not_equal(f.collected.evidence.state, AT_STATE_VERIFIED_HERE);
	assert_null(f.collected.evidence.proof_date);
	assert_int_equal(f.collected.evidence.cases[AT_HOLDS], 0);
	assert_false(report_says(&f, "Proof of the launcher"));
	assert_true(json_says(&f, "\"proof\":null"));
	fixture_end(&f);
}

/* WIRE-13: a launcher that was changed after the proof makes it stale, and one that is not as
 * emitted is not wired, whatever was proven. */
static void wire_13_an_edited_launcher(void **state)
{
	struct fixture f;

	fixture_begin(&f, &launcher_team, &at_view_wiring, 5, 80, 24);
	store(&f, -1, 0, AT_HOLDS);
	test_write(f.options.project, AT_LAUNCHER, "#!/bin/sh\nexec \"$@\"\n");
	at_collected_free(&f.collected);
	at_collect(&f.collected, &f.session);
	assert_int_equal(f.collected.proof.state, AT_STATE_STALE);
	assert_string_equal(f.collected.proof.why, "the launcher is another one");
	assert_int_not_equal(f.collected.evidence.state, AT_STATE_VERIFIED_HERE);
	fixture_end(&f);
}

/* WIRE-13: a file of somebody else's is no proof, and is told. */
static void wire_13_a_foreign_file_is_told(void **state)
{
	struct fixture f;

	fixture_begin(&f, &launcher_team, &at_view_wiring, 5, 80, 24);
	store(&f, -1, 0, AT_HOLDS);
	test_write(f.session.state.path, AT_STORE_FILE, "{\"sha256\": \"\", \"proof\": {}}");
	at_collected_free(&f.collected);
	at_collect(&f.collected, &f.session);
	assert_int_equal(f.collected.evidence.state, AT_STATE_UNVERIFIED);
	assert_true(report_says(&f, "not as this program writes it"));
	fixture_end(&f);
}

/* UI-3: what failed has a row of its own, each group has one that opens on its cases. */
static void ui_3_rows_of_the_proof(void **state)
{
	struct at_wiring_rows rows = { 0 };
	struct at_buf text = { 0 };
	size_t cases = 0, groups = 0;
	struct fixture f;

	fixture_begin(&f, &launcher_team, &at_view_wiring, 5, 120, 40);
	store(&f, -1, 0, AT_LEAKS);
	at_wiring_rows_make(&rows, &f.session, &f.collected);
	for (size_t i = 0; i < rows.count; i++) {
		struct at_line line = { 0 };

		at_wiring_row_line(&rows, i, &line);
		text.len = 0;
		at_wiring_row_text(&rows, i, 60, &text);
		if (rows.rows[i].kind == AT_ROW_PROOF_CASE) {
			cases++;
			assert_non_null(strstr(at_buf_text(&line.spans.text), "LEAKS"));
			assert_non_null(strstr(at_buf_text(&text), "what was seen"));
		} else if (rows.rows[i].kind == AT_ROW_PROOF_GROUP) {
			groups++;
			assert_non_null(strstr(at_buf_text(&text), "control: "));
		} else if (rows.rows[i].kind == AT_ROW_PROOF) {
			assert_non_null(strstr(at_buf_text(&text), "the kernel: "));
		}
		at_line_free(&line);
	}
	assert_int_equal(cases, 1);
	assert_int_equal(groups, 2);
	at_buf_free(&text);
	at_wiring_rows_free(&rows);
	fixture_end(&f);
}

int test_proof_rows(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_13_state_of_the_proof),
		cmocka_unit_test(wire_13_claude_borrows_nothing),
		cmocka_unit_test(wire_13_an_edited_launcher),
		cmocka_unit_test(wire_13_a_foreign_file_is_told),
		cmocka_unit_test(ui_3_rows_of_the_proof),
	};

	return cmocka_run_group_tests_name("proof_rows", tests, NULL, NULL);
}
