/* The real program without a terminal. */
#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e/project.h"

#define ROOT " --accept-write-root ../demo-shop-build"
#define LIVE ".claude/settings.json"

static void begin_emitted(struct test_project *p)
{
	test_project_begin(p, NULL);
	test_expect(p, 0, "--update" ROOT);
}

/* EMIT-15, EMIT-21: a first --update writes, --check then agrees, a second changes nothing. */
static void emit_15_update_then_idle(void **state)
{
	struct test_project p;
	uint64_t after;

	test_project_begin(&p, NULL);
	test_expect(&p, 1, "--check" ROOT);
	test_expect(&p, 0, "--update --dry-run" ROOT);
	assert_false(test_exists(p.shop, ".claude/settings.hooks.example.json"));
	test_expect(&p, 0, "--update" ROOT);
	after = test_tree_fingerprint(p.stage);
	assert_non_null(strstr(test_expect(&p, 0, "--update" ROOT), "nothing to do"));
	test_expect(&p, 0, "--check" ROOT);
	assert_true(after == test_tree_fingerprint(p.stage));
	test_project_end(&p);
}

/* REQ-4: an outside root needs the operator's word; nothing is written without it. */
static void req_4_outside_root_needs_a_word(void **state)
{
	struct test_project p;
	uint64_t before;
	struct test_run run;

	test_project_begin(&p, NULL);
	before = test_tree_fingerprint(p.stage);
	run = test_run(&p, "--update");
	assert_int_equal(run.status, 1);
	assert_non_null(strstr(at_buf_text(&run.err), "--accept-write-root"));
	assert_true(before == test_tree_fingerprint(p.stage));
	test_run_free(&run);
	test_project_end(&p);
}

static void copy_word(char *out, size_t size, const char *text, const char *before)
{
	const char *at = strstr(text, before);
	size_t len;

	if (!at)
		fail_msg("no '%s' in\n%s", before, text);
	at += strlen(before);
	len = strcspn(at, " \n");
	assert_true(len < size);
	memcpy(out, at, len);
	out[len] = '\0';
}

/* WIRE-2, WIRE-3: listing writes nothing, taking writes just that, undo gives the bytes back. */
static void wire_2_merge_and_undo(void **state)
{
	struct test_project p;
	struct at_buf before, after;
	uint64_t tree;

	begin_emitted(&p);
	before = test_read(p.shop, LIVE);
	tree = test_tree_fingerprint(p.stage);
	assert_non_null(strstr(test_expect(&p, 0, "--merge" ROOT), "WIDENS"));
	assert_true(tree == test_tree_fingerprint(p.stage));
	test_expect(&p, 0, "--merge --accept-safe" ROOT);
	after = test_read(p.shop, LIVE);
	assert_non_null(strstr(at_buf_text(&after), "\"failIfUnavailable\": true"));
	assert_null(strstr(at_buf_text(&after), "demo-shop-build"));
	assert_non_null(strstr(at_buf_text(&after), "\"env\": {\"SHOP_STAGE\": \"dev\", \"PRICE_FACTOR\": \"1e0\"}"));
	tree = test_tree_fingerprint(p.stage);
	assert_non_null(strstr(test_expect(&p, 0, "--merge --accept-safe" ROOT), "nothing was written"));
	assert_true(tree == test_tree_fingerprint(p.stage));
	at_buf_free(&after);
	test_expect(&p, 0, "--undo" ROOT);
	after = test_read(p.shop, LIVE);
	assert_true(at_bytes_equal(at_buf_bytes(&before), at_buf_bytes(&after)));
	at_buf_free(&before);
	at_buf_free(&after);
	test_project_end(&p);
}

/* WIRE-17: a widening item needs its id and the review's digest, and the digest is bound. */
static void wire_17_widening_needs_its_review(void **state)
{
	struct test_project p;
	struct at_buf live;
	char block[64], root[64], review[80], words[512];
	const char *list;

	begin_emitted(&p);
	list = test_expect(&p, 0, "--merge" ROOT);
	copy_word(block, sizeof(block), strstr(list, "the whole sandbox block"), "\n      ");
	copy_word(root, sizeof(root), strstr(list, "allowWrite  ../demo-shop-build"), "\n      ");
	snprintf(words, sizeof(words), "--merge --accept %s --accept %s" ROOT, block, root);
	test_expect(&p, 1, words);
	snprintf(words, sizeof(words), "--merge --dry-run --accept %s --accept %s" ROOT, block, root);
	copy_word(review, sizeof(review), test_expect(&p, 0, words), "review sha256: ");
	snprintf(words, sizeof(words), "--merge --accept %s --confirm-review-sha256 %s" ROOT, block, review);
	test_expect(&p, 1, words); /* another selection */
	snprintf(words, sizeof(words), "--merge --accept %s --accept %s --confirm-review-sha256 %s" ROOT, block,
		root, review);
	test_expect(&p, 0, words);
	live = test_read(p.shop, LIVE);
	assert_non_null(strstr(at_buf_text(&live), "\"../demo-shop-build\""));
	at_buf_free(&live);
	test_expect(&p, 2, "--merge --accept no-such-item" ROOT);
	test_project_end(&p);
}

/* WIRE-17: no live settings are written from inside an agent session. */
static void wire_17_refuses_agent_sessions(void **state)
{
	static const char *const marks[] = { "CLAUDECODE=1", "AI_AGENT=x", "AGENTTEAMS_CODEX_CONFINED=1" };
	struct test_project p;
	uint64_t before;

	begin_emitted(&p);
	before = test_tree_fingerprint(p.stage);
	for (size_t i = 0; i < AT_LEN(marks); i++) {
		struct test_run run = test_run_with(&p, marks[i], "--merge --accept-safe" ROOT);
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(marks[i], "="), marks[i]);
		assert_row(i, run.status == 2);
		assert_row(i, strstr(at_buf_text(&run.err), name));
		test_run_free(&run);
		run = test_run_with(&p, marks[i], "--undo");
		assert_row(i, run.status == 2);
		test_run_free(&run);
	}
	assert_true(before == test_tree_fingerprint(p.stage));
	test_project_end(&p);
}

static void make_fifo(const char *shop)
{
	unlink(test_path(shop, LIVE));
	assert_int_equal(mkfifo(test_path(shop, LIVE), 0600), 0);
}

static void make_directory(const char *shop)
{
	unlink(test_path(shop, LIVE));
	assert_int_equal(mkdir(test_path(shop, LIVE), 0755), 0);
}

static void make_outside_link(const char *shop)
{
	unlink(test_path(shop, LIVE));
	test_write(shop, "../home/other.json", "{}\n");
	assert_int_equal(symlink("../../home/other.json", test_path(shop, LIVE)), 0);
}

static void make_dangling_link(const char *shop)
{
	unlink(test_path(shop, LIVE));
	assert_int_equal(symlink("nowhere.json", test_path(shop, LIVE)), 0);
}

static void make_linked_directory(const char *shop)
{
	assert_int_equal(rename(test_path(shop, ".claude"), test_path(shop, "real")), 0);
	assert_int_equal(symlink("real", test_path(shop, ".claude")), 0);
}

static void make_hard_link(const char *shop)
{
	test_write(shop, "../home/twin.json", "{}\n");
	unlink(test_path(shop, LIVE));
	assert_int_equal(link(test_path(shop, "../home/twin.json"), test_path(shop, LIVE)), 0);
}

/* WIRE-2, WIRE-3: what is no plain strict file is refused, in words, and stays untouched. */
static void wire_3_refused_live_files(void **state)
{
	static const struct {
		const char *text; /* of the live file, or NULL: `make` */
		void (*make)(const char *shop);
		const char *says;
	} rows[] = {
		{ "{\n  // rules\n  \"a\": 1\n}\n", NULL, "settings.json:2:3" },
		{ "{\"a\": [1,]}\n", NULL, "settings.json:1:9" },
		{ "{\"a\": 1, }\n", NULL, "settings.json:1:8" },
		{ "[]\n", NULL, "object" },
		{ "", NULL, "settings.json:1:1" },
		{ "{\"a\": \"\xff\"}\n", NULL, "settings.json:1:8" },
		{ "\xff\xfe{\0}\0", NULL, "UTF-16" },
		{ NULL, make_fifo, "settings.json" },
		{ NULL, make_directory, "settings.json" },
		{ NULL, make_outside_link, "outside the project" },
		{ NULL, make_dangling_link, "leads nowhere" },
		{ NULL, make_linked_directory, ".claude" },
		{ NULL, make_hard_link, "link" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct test_project p;
		struct test_run run;
		uint64_t before;

		begin_emitted(&p);
		if (rows[i].text)
			test_write(p.shop, LIVE, rows[i].text);
		else
			rows[i].make(p.shop);
		before = test_tree_fingerprint(p.shop); /* the lock's note may change */
		run = test_run(&p, "--merge --accept-safe" ROOT);
		if (run.status != 1 || !strstr(at_buf_text(&run.err), rows[i].says))
			fail_msg("row %zu: exit %d: %s", i, run.status, at_buf_text(&run.err));
		assert_row(i, before == test_tree_fingerprint(p.shop));
		test_run_free(&run);
		test_project_end(&p);
	}
}

/* WIRE-3: a file that may not be read is not taken for an absent one. */
static void wire_3_unreadable_live_file(void **state)
{
	struct test_project p;
	struct test_run run;

	if (geteuid() == 0)
		skip_because("root reads every file");
	begin_emitted(&p);
	assert_int_equal(chmod(test_path(p.shop, LIVE), 0), 0);
	run = test_run(&p, "--merge --accept-safe" ROOT);
	assert_int_equal(run.status, 1);
	assert_non_null(strstr(at_buf_text(&run.err), "settings.json"));
	test_run_free(&run);
	test_project_end(&p);
}

/* CEIL-1 to CEIL-8: a report that names a mechanism names the ceilings that stand beside it. */
static void ceil_1_beside_every_mechanism(void **state)
{
	static const char *const words[] = { "--status" ROOT, "--check-wiring" ROOT };
	static const char *const json[] = { "--status --json" ROOT, "--check-wiring --json" ROOT };
	static const char *const ids[] = { "CEIL-1", "CEIL-2", "CEIL-3", "CEIL-4", "CEIL-5", "CEIL-6",
		"CEIL-7", "CEIL-8" };
	struct test_project p;

	begin_emitted(&p);
	for (size_t w = 0; w < AT_LEN(words); w++) {
		struct test_run plain = test_run(&p, words[w]), data = test_run(&p, json[w]);

		assert_row(w, strstr(at_buf_text(&plain.out), "mechanism: claude-native"));
		for (size_t i = 0; i < AT_LEN(ids); i++) {
			assert_row(i, strstr(at_buf_text(&plain.out), ids[i]));
			assert_row(i, strstr(at_buf_text(&data.out), ids[i]));
		}
		assert_row(w, !strstr(at_buf_text(&data.out), "\"framework\": \"goose\""));
		test_run_free(&plain);
		test_run_free(&data);
	}
	test_project_end(&p);
}

/* --color: a diff is coloured when asked, plain in a pipe. */
static void color_is_for_those_who_want_it(void **state)
{
	struct test_project p;

	begin_emitted(&p);
	assert_non_null(strstr(test_expect(&p, 0, "--merge --color always" ROOT), "\033[32m+"));
	assert_null(strchr(test_expect(&p, 0, "--merge" ROOT), '\033'));
	assert_null(strchr(test_expect(&p, 0, "--merge --color never" ROOT), '\033'));
	test_project_end(&p);
}

/* DEC-8: another platform is previewed with a mode that writes nothing, and only so. */
static void dec_8_platform_is_a_preview(void **state)
{
	struct test_project p;
	uint64_t before;

	test_project_begin(&p, NULL);
	before = test_tree_fingerprint(p.stage);
	assert_non_null(strstr(test_expect(&p, 0, "--manifest --platform darwin" ROOT), "on darwin"));
	test_expect(&p, 0, "--update --dry-run --platform windows" ROOT);
	test_expect(&p, 2, "--update --platform darwin" ROOT);
	test_expect(&p, 2, "--merge --platform darwin" ROOT);
	test_expect(&p, 2, "--manifest --platform amiga" ROOT);
	assert_true(before == test_tree_fingerprint(p.stage));
	test_project_end(&p);
}

/* WIRE-2: a link at the file itself, into the project, is written beside its target. */
static void wire_2_link_inside_is_kept(void **state)
{
	struct test_project p;
	struct stat st;
	struct at_buf text;

	begin_emitted(&p);
	assert_int_equal(mkdir(test_path(p.shop, "dot"), 0755), 0);
	assert_int_equal(rename(test_path(p.shop, LIVE), test_path(p.shop, "dot/settings.json")), 0);
	assert_int_equal(chmod(test_path(p.shop, "dot/settings.json"), 0640), 0);
	assert_int_equal(symlink("../dot/settings.json", test_path(p.shop, LIVE)), 0);
	test_expect(&p, 0, "--merge --accept-safe" ROOT);
	assert_int_equal(lstat(test_path(p.shop, LIVE), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(test_path(p.shop, "dot/settings.json"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	text = test_read(p.shop, "dot/settings.json");
	assert_non_null(strstr(at_buf_text(&text), "\"sandbox\""));
	at_buf_free(&text);
	test_project_end(&p);
}

/* REQ-2, REQ-12: a bad brief is said with its place, and nothing is decided or written. */
static void req_12_bad_briefs(void **state)
{
	static const struct {
		const char *brief, *says;
	} rows[] = {
		{ "{\"privilege_profile\": \"Confined\"}", "cooperative" },
		{ "{\"privilege_profile\": 3}", "brief.json:1:23" },
		{ "{\"workspace_write_roots\": \"src\"}", "brief.json:1:27" },
		{ "{\"privilege_profile\": \"confined\", \"privilege_profile\": \"cooperative\"}", "brief.json:1" },
		{ "\xef\xbb\xbf{}", "byte order mark" },
		{ "{} {}", "brief.json:1:4" },
		{ "{\"accept_write_roots\": [\"/\"]}", "--accept-write-root" },
		{ "{\"_x\": 1}", "_x" },
		{ "{\"workspace_write_roots\": [\"~/.ssh\", \"/\", \"ok\"]}", "~/.ssh" },
		{ "{\"project_name\": \"\xff\"}", "brief.json:1:19" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct test_project p;
		struct test_run run;
		uint64_t before;

		test_project_begin(&p, NULL);
		test_write(p.shop, "brief.json", rows[i].brief);
		before = test_tree_fingerprint(p.stage);
		run = test_run(&p, "--update");
		if (run.status != 1 || !strstr(at_buf_text(&run.err), rows[i].says))
			fail_msg("row %zu: exit %d: %s", i, run.status, at_buf_text(&run.err));
		assert_row(i, before == test_tree_fingerprint(p.stage));
		test_run_free(&run);
		test_project_end(&p);
	}
}

/* REQ-12: 5 MiB is too large, 65 deep is too deep. */
static void req_12_huge_and_deep_briefs(void **state)
{
	struct test_project p;
	struct at_buf text = { 0 };

	test_project_begin(&p, NULL);
	at_buf_puts(&text, "{\"project_goal\": \"");
	at_buf_pad(&text, 'x', 5 << 20);
	at_buf_puts(&text, "\"}");
	test_write_bytes(p.shop, "brief.json", text.data, text.len);
	test_expect(&p, 1, "--update");
	text.len = 0;
	at_buf_puts(&text, "{\"components\": ");
	at_buf_pad(&text, '[', 70);
	at_buf_pad(&text, ']', 70);
	at_buf_puts(&text, "}");
	test_write_bytes(p.shop, "brief.json", text.data, text.len);
	test_expect(&p, 1, "--update");
	at_buf_free(&text);
	test_project_end(&p);
}

/* The exit status table, and that nothing needs a terminal (UI-7). */
static void ui_7_exit_statuses(void **state)
{
	static const struct {
		const char *words;
		int want;
	} rows[] = {
		{ "--help", 0 }, { "--version", 0 }, { "--ceilings", 0 }, { "--ceilings --json", 0 },
		{ "--schema brief", 0 }, { "--schema manifest", 0 }, { "--schema other", 2 },
		{ "--manifest" ROOT, 0 }, { "--manifest --json" ROOT, 0 }, { "--status --json" ROOT, 0 },
		{ "--list-keys", 0 }, { "" ROOT, 0 }, { "--batch" ROOT, 0 },
		{ "--check-wiring --no-probes" ROOT, 1 }, { "--check-wiring --json" ROOT, 1 },
		{ "--merge --json" ROOT, 0 }, { "--merge" ROOT, 0 }, { "--undo --dry-run", 0 }, { "--undo --dry-run --json", 0 },
		{ "--nonsense", 2 }, { "stray", 2 }, { "--merge --update", 2 }, { "--accept x", 2 },
		{ "--framework nobody --status", 2 }, { "--platform darwin --update" ROOT, 2 },
		{ "--platform darwin --update --dry-run" ROOT, 0 }, { "--color sometimes --status", 2 },
		{ "--project", 2 }, { "--target-host-features nonsense --manifest", 2 },
		{ "--framework goose --merge" ROOT, 1 }, { "--description nothing.json --update", 1 },
		{ "--description /dev/zero --update", 1 }, { "--output ../elsewhere --update", 2 },
		{ "--output .git/hooks --update", 2 }, { "--output docs/../.git --update", 2 },
	};
	struct test_project p;

	begin_emitted(&p);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct test_run run = test_run(&p, rows[i].words);

		if (run.status != rows[i].want)
			fail_msg("row %zu: atconsole %s: exit %d: %s", i, rows[i].words, run.status,
				at_buf_text(&run.err));
		test_run_free(&run);
	}
	test_project_end(&p);
}

/* STG-2: nothing an agent wrote reaches a terminal raw: names and values with escapes. */
static void stg_2_no_raw_bytes_in_reports(void **state)
{
	static const char live[] = "{\"permissions\":{\"deny\":[\"Read(\\u001b]0;owned\\u0007)\"]},"
				   "\"sandbox\":{\"filesystem\":{\"denyWrite\":[\"x\\u001b[2Jy\\u202e\"]}}}";
	static const char *const words[] = { "--check-wiring" ROOT, "--merge" ROOT, "--status" ROOT,
		"--check-wiring --json" ROOT, "--merge --json" ROOT };
	struct test_project p;

	begin_emitted(&p);
	test_write(p.shop, LIVE, live);
	for (size_t i = 0; i < AT_LEN(words); i++) {
		struct test_run run = test_run(&p, words[i]);

		for (int stream = 0; stream < 2; stream++) {
			const struct at_buf *text = stream ? &run.err : &run.out;

			for (size_t k = 0; k < text->len; k++) {
				unsigned char c = (unsigned char)text->data[k];

				assert_row(i, c >= 0x20 || c == '\n');
				assert_row(i, c != 0x7f);
			}
			assert_row(i, !strstr(at_buf_text(text), "\xe2\x80\xae"));
		}
		test_run_free(&run);
	}
	test_project_end(&p);
}

/* WIRE-8 to WIRE-11: the modes and options of the wiring, and what they refuse. */
static void wire_9_modes(void **state)
{
	static const struct {
		const char *words;
		int status;
		const char *says; /* on standard output; NULL: nothing in particular */
	} rows[] = {
		{ "--effective" ROOT, 0, "sandbox.excludedCommands[] = \"git\"  (local: " },
		{ "--effective --json" ROOT, 0, "\"overridden_by\"" },
		{ "--check-wiring" ROOT, 1, "Would claude load .claude/settings.json? YES." },
		{ "--check-wiring --no-probes" ROOT, 1, "In force: sandbox" },
		{ "--check-wiring --json" ROOT, 1, "\"would_load\": \"YES\"" },
		{ "--check-wiring --ask-client" ROOT, 1, "client-" },
		{ "--managed-example", 0, "\"bwrapPath\"" },
		{ "--ask-client" ROOT, 2, NULL },
		{ "--status --run-hooks" ROOT, 2, NULL },
		{ "--check-wiring --run-hooks --no-probes" ROOT, 2, NULL },
		{ "--effective --framework goose", 1, NULL },
	};
	struct test_project p;

	test_project_begin(&p, NULL);
	test_expect(&p, 0, "--update" ROOT);
	test_write(p.shop, ".claude/settings.local.json",
		"{\"sandbox\": {\"excludedCommands\": [\"git\"]}}");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *out = test_expect(&p, rows[i].status, rows[i].words);

		assert_row(i, !rows[i].says || strstr(out, rows[i].says));
	}
	test_project_end(&p);
}

/* WIRE-10: with --run-hooks, and only then, a hook that is not ours is run. */
static void wire_10_run_hooks(void **state)
{
	struct test_project p;
	struct at_buf settings = { 0 };
	const char *out;

	test_project_begin(&p, NULL);
	test_expect(&p, 0, "--update" ROOT);
	at_buf_printf(&settings,
		"{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", "
		"\"timeout\": 9, \"command\": \"touch %s/ran; exit 2\"}]}]}}", p.stage);
	test_write(p.shop, ".claude/settings.json", at_buf_text(&settings));
	at_buf_free(&settings);
	test_expect(&p, 1, "--check-wiring" ROOT);
	assert_false(test_exists(p.stage, "ran"));
	out = test_expect(&p, 1, "--check-wiring --run-hooks" ROOT);
	assert_non_null(strstr(out, "DENIES ALL Bash  not ours"));
	assert_true(test_exists(p.stage, "ran"));
	test_project_end(&p);
}

int test_cli(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_15_update_then_idle),
		cmocka_unit_test(req_4_outside_root_needs_a_word),
		cmocka_unit_test(wire_2_merge_and_undo),
		cmocka_unit_test(wire_17_widening_needs_its_review),
		cmocka_unit_test(wire_17_refuses_agent_sessions),
		cmocka_unit_test(wire_3_refused_live_files),
		cmocka_unit_test(wire_3_unreadable_live_file),
		cmocka_unit_test(ceil_1_beside_every_mechanism),
		cmocka_unit_test(color_is_for_those_who_want_it),
		cmocka_unit_test(dec_8_platform_is_a_preview),
		cmocka_unit_test(wire_2_link_inside_is_kept),
		cmocka_unit_test(req_12_bad_briefs),
		cmocka_unit_test(req_12_huge_and_deep_briefs),
		cmocka_unit_test(ui_7_exit_statuses),
		cmocka_unit_test(stg_2_no_raw_bytes_in_reports),
		cmocka_unit_test(wire_9_modes),
		cmocka_unit_test(wire_10_run_hooks),
	};

	return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
