/* A project in which all six teams live at once, from the command line. (EMIT-3, EMIT-9) */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_read.h"
#include "core/mem.h"
#include "e2e/project.h"

#define ROOT " --accept-write-root ../demo-shop-build"

static const char *const names[] = { "claude", "goose", "codex", "copilot-vscode", "copilot-cli",
	"agents-md" };

static const char *run(const struct test_project *p, size_t team, int want, const char *words)
{
	char line[256];

	snprintf(line, sizeof(line), "--framework %s" ROOT " %s", names[team], words);
	return test_expect(p, want, line);
}

static void emit_all(const struct test_project *p, bool backwards)
{
	for (size_t i = 0; i < AT_LEN(names); i++)
		run(p, backwards ? AT_LEN(names) - 1 - i : i, 0, "--update");
}

/* Either way round each is at rest and passes its check; claude, emitted first, has only to see
 * its neighbours once. */
static void emit_3_all_six(void **state)
{
	for (size_t backwards = 0; backwards < 2; backwards++) {
		struct test_project p;
		const char *out;

		test_project_begin(&p, NULL);
		emit_all(&p, backwards);
		if (!backwards) {
			out = run(&p, 0, 1, "--check");
			assert_non_null(strstr(out, "settings.hooks.example.json"));
			run(&p, 0, 0, "--update");
		}
		for (size_t i = 0; i < AT_LEN(names); i++) {
			out = run(&p, i, 0, "--check");
			assert_row(i, !strstr(out, "planted"));
			if (i == 0)
				continue;
			out = run(&p, i, 0, "--check-wiring");
			assert_row(i, strstr(out, "ENFORCEABLE (must still be wrapped)"));
		}
		emit_all(&p, !backwards); /* and again, the other way: nothing is left to do */
		for (size_t i = 0; i < AT_LEN(names); i++)
			run(&p, i, 0, "--check");
		test_project_end(&p);
	}
}

static bool denies(const struct at_json *doc, const char *entry)
{
	uint32_t list = at_json_at(doc, "sandbox.filesystem.denyWrite");

	assert_true(at_json_is(doc, list, AT_JSON_ARRAY));
	at_json_each(doc, i, list)
		if (at_json_string_is(doc, i, entry))
			return true;
	return false;
}

/* EMIT-3: claude's example denies each neighbour, and a merge puts it in force; a team that goes
 * away leaves an entry that every run tells of. */
static void emit_3_claude_denies_its_neighbours(void **state)
{
	static const char *const dirs[] = { ".codex", ".github/agents", ".goose" };
	struct test_project p;
	struct at_buf text;
	struct at_json doc;
	struct at_error err;
	struct test_run told;

	test_project_begin(&p, NULL);
	emit_all(&p, true);
	run(&p, 0, 0, "--merge --accept-safe");
	text = test_read(p.shop, ".claude/settings.json");
	assert_true(at_json_read(&doc, at_buf_bytes(&text), &at_json_settings_limits, 0, &err));
	for (size_t i = 0; i < AT_LEN(dirs); i++)
		assert_row(i, denies(&doc, dirs[i]));
	assert_false(denies(&doc, ".github") || denies(&doc, ".agents"));
	at_json_free(&doc);
	at_buf_free(&text);
	for (size_t gone = 0; gone < 2; gone++) {
		for (size_t i = 0; i < AT_LEN(names); i++) {
			char line[128];

			if (gone && strcmp(names[i], "codex") == 0)
				continue; /* its own run would make it again */
			snprintf(line, sizeof(line), "--framework %s" ROOT " --check", names[i]);
			told = test_run(&p, line);
			assert_row(i, !strstr(at_buf_text(&told.err), "denyWrite lacks"));
			assert_row(i, !!strstr(at_buf_text(&told.err), "denyWrite names '.codex', "
				"which does not exist") == (gone == 1));
			test_run_free(&told);
		}
		if (!gone)
			test_tree_remove(at_strdup(test_path(p.shop, ".codex")));
	}
	test_project_end(&p);
}

/* WIRE-5: with a brief that stays inside the project and the gate in place, claude's own check
 * passes as well, beside five neighbours. */
static void wire_5_claude_beside_five(void **state)
{
	static const char *const steps[] = { "--update", "--merge --accept-safe", "--check",
		"--check-wiring" };
	const char *gate = getenv("AT_GATE");
	struct test_project p;
	char words[1024];

	if (!gate)
		fail_msg("AT_GATE is not set: run through meson test");
	test_project_begin(&p, NULL);
	test_write(p.shop, "brief.json", "{\"privilege_profile\": \"confined\"}");
	for (size_t i = AT_LEN(names); i-- > 1;)
		run(&p, i, 0, "--update");
	for (size_t i = 0; i < AT_LEN(steps); i++) {
		snprintf(words, sizeof(words), "--framework claude --gate-program %s %s", gate,
			steps[i]);
		test_expect(&p, 0, words);
	}
	for (size_t i = 1; i < AT_LEN(names); i++) {
		run(&p, i, 0, "--check");
		run(&p, i, 0, "--check-wiring");
	}
	test_project_end(&p);
}

int test_six_teams(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_3_all_six),
		cmocka_unit_test(emit_3_claude_denies_its_neighbours),
		cmocka_unit_test(wire_5_claude_beside_five),
	};

	return cmocka_run_group_tests_name("six_teams", tests, NULL, NULL);
}
