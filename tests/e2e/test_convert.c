/* --convert-from, --interop-from and --fleet as an operator runs them. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e/project.h"

#define ROOT " --accept-write-root ../demo-shop-build"
#define REFS ".goose/recipes/references/"
#define HEADER "timestamp,requesting_agent,action_reviewed,verdict,conditions,conditions_verified\n"
#define PASS_ROW "2026-01-01T00:00:00Z,@security,overwrite,PASS,,\n"
#define HALT_ROW "2026-01-01T00:00:00Z,@security,overwrite,HALT,,\n"

static void must_say(const char *text, const char *word)
{
	if (!strstr(text, word))
		fail_msg("no '%s' in\n%s", word, text);
}

/* What it says on either stream. */
static void expect_error(const struct test_project *p, const char *variable, int status,
	const char *words, const char *says)
{
	struct test_run run = test_run_with(p, variable, words);

	if (run.status != status || (!strstr(at_buf_text(&run.err), says) &&
		!strstr(at_buf_text(&run.out), says)))
		fail_msg("%s: exit %d, not %d and '%s'\n%s\n%s", words, run.status, status, says,
			at_buf_text(&run.out), at_buf_text(&run.err));
	test_run_free(&run);
}

static void brief_with(const struct test_project *p, const char *name, const char *more)
{
	char text[512];

	snprintf(text, sizeof(text), "{\"privilege_profile\": \"confined\", "
		"\"enforce_decision_signing\": false%s}", more);
	test_write(p->stage, name, text);
}

/* IOP-3, EMIT-18: to every harness, with boundary and record; a second run has nothing to do, and
 * undo leaves the project as it was. */
static void iop_3_converts_and_undoes(void **state)
{
	static const struct { const char *to, *agent, *says; } rows[] = {
		{ "goose", ".goose/recipes/pricer.yaml", "title: \"pricer\"" },
		{ "codex", ".codex/agents/pricer.toml", "name = \"pricer\"" },
		{ "copilot-vscode", ".github/agents/pricer.agent.md", "tools: [\"read\", " },
		{ "copilot-cli", ".github/agents/pricer.agent.md", "name: " },
		{ "agents-md", ".agents/pricer.md", "# pricer\n" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char words[512];
		struct test_project p;
		struct at_buf text;
		uint64_t before, after;
		const char *out;

		test_project_begin(&p, NULL);
		before = test_tree_fingerprint(p.shop);
		snprintf(words, sizeof(words), "--framework %s --convert-from shop" ROOT " --dry-run",
			rows[i].to);
		must_say(test_expect(&p, 0, words), "nothing was written");
		assert_true(before == test_tree_fingerprint(p.shop));
		words[strlen(words) - strlen(" --dry-run")] = '\0';
		must_say(test_expect(&p, 0, words), "2 agents of claude");
		text = test_read(p.shop, rows[i].agent);
		must_say(at_buf_text(&text), rows[i].says);
		at_buf_free(&text);
		assert_int_equal(access(test_path(p.shop, "sandbox/confine-run.sh"), X_OK), 0);
		after = test_tree_fingerprint(p.shop);
		must_say(test_expect(&p, 0, words), "nothing to do");
		assert_true(after == test_tree_fingerprint(p.shop));
		snprintf(words, sizeof(words), "--framework %s --check" ROOT, rows[i].to);
		test_expect(&p, 0, words);
		snprintf(words, sizeof(words), "--framework %s --convert-from shop" ROOT " --json",
			rows[i].to);
		out = test_expect(&p, 0, words);
		must_say(out, "\"agents\": 2");
		must_say(out, "\"from\": \"claude\"");
		must_say(test_expect(&p, 0, "--undo"), "undone: convert");
		assert_true(before == test_tree_fingerprint(p.shop));
		test_project_end(&p);
	}
}

/* IOP-3, DEC-7: where nothing can confine the target it warns and exits 0. */
static void dec_7_unenforceable_warns(void **state)
{
	struct test_project p;

	(void)state;
	test_project_begin(&p, NULL);
	test_expect(&p, 1, "--framework goose --platform windows --check" ROOT);
	must_say(test_expect(&p, 0, "--framework goose --platform windows --dry-run --json "
		"--convert-from shop" ROOT), "\"privilege-profile-unenforced-host\"");
	test_project_end(&p);
}

/* KEY-12: an agent that is there stays; --overwrite replaces it once the decisions clear it, and
 * the row is spent then alone. */
static void key_12_overwrite_asks(void **state)
{
	struct test_project p;
	uint64_t before;

	(void)state;
	test_project_begin(&p, NULL);
	brief_with(&p, "brief.json", "");
	test_expect(&p, 0, "--framework goose --description brief.json --convert-from shop");
	test_write(p.shop, ".goose/recipes/orders.yaml", "mine\n");
	must_say(test_expect(&p, 0, "--framework goose --description brief.json --convert-from shop"),
		"1 that differ were kept");
	before = test_tree_fingerprint(p.shop);
	expect_error(&p, NULL, 1, "--framework goose --description brief.json --overwrite "
		"--convert-from shop", "overwrite is not cleared (no-decision)");
	test_write(p.shop, REFS "security-decisions.log.csv", HEADER HALT_ROW);
	expect_error(&p, NULL, 1, "--framework goose --description brief.json --overwrite "
		"--convert-from shop", "open-halt");
	unlink(test_path(p.shop, REFS "security-decisions.log.csv"));
	assert_true(before == test_tree_fingerprint(p.shop));
	test_write(p.shop, REFS "security-decisions.log.csv", HEADER PASS_ROW);
	before = test_tree_fingerprint(p.shop);
	test_expect(&p, 0, "--framework goose --description brief.json --overwrite --dry-run "
		"--convert-from shop");
	assert_true(before == test_tree_fingerprint(p.shop));
	must_say(test_expect(&p, 0, "--framework goose --description brief.json --overwrite "
		"--convert-from shop"), "changed  .goose/recipes/orders.yaml");
	test_write(p.shop, ".goose/recipes/orders.yaml", "mine\n");
	expect_error(&p, NULL, 1, "--framework goose --description brief.json --overwrite "
		"--convert-from shop", "not cleared");
	test_project_end(&p);
}

/* IOP-2: a team under the switch; which way is left depends on the target. */
static void iop_2_refusals(void **state)
{
	static const struct { const char *words, *says; } rows[] = {
		{ "--framework claude --convert-from other" ROOT,
			"--framework claude --interop-from other --description " },
		{ "--framework goose --convert-from other" ROOT,
			"--framework goose --interop-from other --description " },
		{ "--framework codex --convert-from other" ROOT, "regenerate natively" },
		{ "--framework agents-md --convert-from other" ROOT, "regenerate natively" },
		{ "--framework codex --description policy.json --interop-from other",
			"regenerate natively" },
		{ "--framework claude --description shop/brief.json --interop-from other" ROOT,
			"the brief is not" },
		{ "--framework goose --description policy.json --interop-from other",
			"AGENTTEAMS_ALLOW_UNENFORCED_GOOSE_SWITCH=1" },
		{ "--framework claude --description narrow.json --interop-from other",
			"write_policy_frameworks" },
	};
	static const char *const logs[] = { "{", "[]", "{\"write_policy\": 1}", "\xff" };
	struct test_project p;
	uint64_t before;

	(void)state;
	test_project_begin(&p, NULL);
	brief_with(&p, "policy.json", ", \"write_policy\": \"orchestrator-only\"");
	brief_with(&p, "narrow.json", ", \"write_policy\": \"orchestrator-only\", "
		"\"write_policy_frameworks\": [\"goose\"]");
	test_write(p.stage, "other/.codex/agents/a.toml",
		"name = 'a'\ndescription = 'b'\ndeveloper_instructions = 'c'\n");
	test_write(p.stage, "other/.codex/agents/references/build-log.json",
		"{\"write_policy\": \"orchestrator-only\"}");
	before = test_tree_fingerprint(p.stage);
	for (size_t i = 0; i < AT_LEN(rows); i++)
		expect_error(&p, NULL, 1, rows[i].words, rows[i].says);
	/* The brief alone says so, too. */
	expect_error(&p, NULL, 1, "--framework goose --description policy.json --convert-from "
		"shop/.claude/agents", "--interop-from shop/.claude/agents --description policy.json");
	assert_true(before == test_tree_fingerprint(p.stage));
	for (size_t i = 0; i < AT_LEN(logs); i++) {
		test_write(p.stage, "other/.codex/agents/references/build-log.json", logs[i]);
		expect_error(&p, NULL, 1, "--framework goose --convert-from other" ROOT,
			"build-log.json");
	}
	unlink(test_path(p.stage, "other/.codex/agents/references/build-log.json"));
	expect_error(&p, NULL, 0, "--framework goose --convert-from other" ROOT,
		"seen only through the brief of --description");
	test_project_end(&p);
}

/* IOP-1, WP-2: interop keeps the limit: nobody but the orchestrator keeps more than reading. */
static void iop_1_interop_keeps_the_switch(void **state)
{
	static const char variable[] = "AGENTTEAMS_ALLOW_UNENFORCED_GOOSE_SWITCH=1";
	struct test_project p;
	struct at_buf text;

	(void)state;
	test_project_begin(&p, NULL);
	brief_with(&p, "policy.json", ", \"write_policy\": \"orchestrator-only\"");
	test_write(p.stage, "other/.agents/a.md", "# A\n\nb\n\nbody\n");
	test_write(p.stage, "other/.agents/orchestrator.md", "# O\n\nb\n\nbody");
	expect_error(&p, NULL, 2, "--framework claude --interop-from other", "--description BRIEF");
	unlink(test_path(p.shop, ".claude/agents/pricer.md"));
	unlink(test_path(p.shop, ".claude/agents/orders.md"));
	rmdir(test_path(p.shop, ".claude/agents"));
	must_say(test_expect(&p, 0, "--framework claude --description policy.json --interop-from "
		"other"), "2 agents of agents-md");
	text = test_read(p.shop, ".claude/agents/a.md");
	must_say(at_buf_text(&text), "\ntools: Read, Grep, Glob\n");
	must_say(at_buf_text(&text), "body\n\n## Write Policy: Return Proposals, Never Write\n");
	at_buf_free(&text);
	text = test_read(p.shop, ".claude/agents/orchestrator.md");
	assert_null(strstr(at_buf_text(&text), "tools:"));
	must_say(at_buf_text(&text), "body\n\n## Write Policy: Applying Proposals\n");
	at_buf_free(&text);
	text = test_read(p.shop, ".claude/agents/references/build-log.json");
	must_say(at_buf_text(&text), "\"origin\": \"interop\"");
	must_say(at_buf_text(&text), "\"write_policy\": \"orchestrator-only\"");
	at_buf_free(&text);
	expect_error(&p, variable, 0, "--framework goose --description policy.json --interop-from "
		"other", "UNENFORCED");
	must_say(test_expect(&p, 0, "--undo"), "undone: interop");
	test_project_end(&p);
}

/* WIRE-17: not from an agent's session, whose variable is named; not with --readonly. */
static void wire_17_convert_is_the_operators(void **state)
{
	static const char *const words[] = { "--framework goose --convert-from shop" ROOT,
		"--framework claude --description shop/brief.json --interop-from other" ROOT };
	struct test_project p;
	uint64_t before;

	(void)state;
	test_project_begin(&p, NULL);
	test_write(p.stage, "list", "shop\n");
	test_write(p.stage, "other/.agents/a.md", "# A\n\nb\n\nbody\n");
	before = test_tree_fingerprint(p.stage);
	for (size_t i = 0; i < AT_LEN(words); i++) {
		char more[512];

		expect_error(&p, "CLAUDECODE=1", 2, words[i], "CLAUDECODE is set");
		snprintf(more, sizeof(more), "--readonly %s", words[i]);
		expect_error(&p, NULL, 2, more, "exclude each other");
	}
	expect_error(&p, "AI_AGENT=x", 2, "--fleet list" ROOT, "AI_AGENT is set");
	expect_error(&p, NULL, 2, "--overwrite --update", "--overwrite belongs to");
	assert_true(before == test_tree_fingerprint(p.stage));
	test_project_end(&p);
}

/* IOP-2, EMIT-18: what is not as it should be is named with its path, and nothing is written. */
static void iop_2_bad_teams(void **state)
{
	static const struct { const char *path, *text, *says; int status; } rows[] = {
		{ "other/.agents/a.md", "no heading\n", ".agents/a.md:1:1", 1 },
		{ "other/.agents/a b.md", "# A\n\nb\n", "file name is none", 1 },
		{ "other/.agents/README.txt", "x", "no agent file", 1 },
		{ "other/x", "", "no team of another harness", 1 },
		{ "other/.codex/agents/a.toml", "name = 1\n", ".codex/agents/a.toml:1:1", 1 },
		{ "other/.goose/recipes/a.yaml", "a: &x b\n", "anchor", 1 },
		{ "other/.github/agents/a.agent.md", "\xEF\xBB\xBF---\n", "byte order mark", 1 },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct test_project p;
		uint64_t before;

		test_project_begin(&p, NULL);
		test_write(p.stage, rows[i].path, rows[i].text);
		before = test_tree_fingerprint(p.stage);
		expect_error(&p, NULL, rows[i].status, "--framework claude --convert-from other"
			ROOT, rows[i].says);
		assert_true(before == test_tree_fingerprint(p.stage));
		test_project_end(&p);
	}
}

/* EMIT-1: links do not lead the reading or the writing elsewhere. */
static void iop_2_links_are_refused(void **state)
{
	struct test_project p;

	(void)state;
	test_project_begin(&p, NULL);
	test_write(p.stage, "real/a.md", "# A\n\nb\n");
	test_write(p.stage, "other/.keep", "");
	assert_int_equal(symlink("../real", test_path(p.stage, "other/.agents")), 0);
	expect_error(&p, NULL, 1, "--framework goose --convert-from other/.agents" ROOT,
		"symbolic link");
	expect_error(&p, NULL, 1, "--framework goose --convert-from other" ROOT, "no team");
	assert_int_equal(mkdir(test_path(p.shop, ".agents"), 0755), 0);
	assert_int_equal(symlink("../../real/a.md", test_path(p.shop, ".agents/a.md")), 0);
	expect_error(&p, NULL, 1, "--framework goose --convert-from shop/.agents" ROOT, "a.md");
	assert_int_equal(symlink("real", test_path(p.shop, ".goose")), 0);
	expect_error(&p, NULL, 1, "--framework goose --convert-from shop/.claude/agents" ROOT,
		".goose");
	expect_error(&p, NULL, 2, "--framework claude --convert-from shop/.claude/agents" ROOT,
		"itself");
	test_project_end(&p);
}

/* IOP-3: each project by itself; one that fails stops no other and makes the exit status 1. */
static void iop_3_fleet(void **state)
{
	struct test_project p;
	const char *out;

	(void)state;
	test_project_begin(&p, NULL);
	brief_with(&p, "one/brief.json", "");
	brief_with(&p, "two/brief.json", "");
	test_write(p.stage, "three/brief.json", "{\"privilege_profile\": \"Confined\"}");
	test_write(p.stage, "list", "# all of them\none\n\nthree\r\nmissing\ntwo\n~nobody/x\n");
	must_say(test_expect(&p, 1, "--fleet list --dry-run"), "nothing was written");
	assert_int_equal(access(test_path(p.stage, "one/.claude"), F_OK), -1);
	out = test_expect(&p, 1, "--fleet list");
	must_say(out, "/one: 11 written\n");
	must_say(out, "/two: 11 written\n");
	must_say(out, "/three: ");
	must_say(out, "/missing: cannot open the project");
	must_say(out, "FAILED  ~nobody/x: the line is no path");
	must_say(out, "5 projects, 3 failed\n");
	out = test_expect(&p, 1, "--fleet list --json");
	must_say(out, "\"failed\": 3");
	must_say(out, "\"pending\": 0");
	test_write(p.stage, "list", "one\ntwo");
	must_say(test_expect(&p, 0, "--fleet list"), "2 projects, 0 failed\n");
	test_write(p.stage, "list", "# nobody\n");
	expect_error(&p, NULL, 1, "--fleet list", "names no project");
	expect_error(&p, NULL, 1, "--fleet nowhere", "nowhere");
	test_write_bytes(p.stage, "list", "one\0\n", 5);
	expect_error(&p, NULL, 1, "--fleet list", "NUL");
	test_project_end(&p);
}

int test_convert(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(iop_3_converts_and_undoes),
		cmocka_unit_test(dec_7_unenforceable_warns),
		cmocka_unit_test(key_12_overwrite_asks),
		cmocka_unit_test(iop_2_refusals),
		cmocka_unit_test(iop_1_interop_keeps_the_switch),
		cmocka_unit_test(wire_17_convert_is_the_operators),
		cmocka_unit_test(iop_2_bad_teams),
		cmocka_unit_test(iop_2_links_are_refused),
		cmocka_unit_test(iop_3_fleet),
	};

	return cmocka_run_group_tests_name("convert", tests, NULL, NULL);
}
