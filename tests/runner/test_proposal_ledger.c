/* reference-ledgers 3.10: the proposal ledger, its head, and what verification says. */
#include "runner/ground.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEDGER ".agentteams/proposal-ledger.jsonl"
#define HEAD ".agentteams/proposal-ledger.head"
#define DISPATCHES ".agentteams/dispatches.jsonl"

static void says(struct ground *g, size_t row, const char *want)
{
	struct at_proposal_state state = ground_verify(g);

	if (strcmp(at_buf_text(&state.problems), want) != 0)
		fail_msg("row %zu: \"%s\", not \"%s\"", row, at_buf_text(&state.problems), want);
	at_proposal_state_free(&state);
}

static void run_1_ledger_vectors_verify(void **unused)
{
	struct at_proposal_state state;
	struct ground g;

	ground_open(&g);
	ground_vectors(&g);
	state = ground_verify(&g);
	assert_string_equal(at_buf_text(&state.problems), "");
	assert_int_equal(state.rows, 3);
	assert_int_equal(state.anchored, 3);
	assert_int_equal(state.head, AT_PROPOSAL_HEAD_GOOD);
	at_proposal_state_free(&state);
	ground_close(&g);
}

/* The same bytes, from the values. */
static void run_1_ledger_vectors_come_out_again(void **unused)
{
	struct at_buf want = test_read(NULL, "vectors/derived/proposal-ledger.jsonl"), got;
	struct at_canonical_object row[3] = { { 0 } }, *rows[] = { &row[0], &row[1], &row[2] };
	struct at_proposal_ledger *ledger;
	struct ground g;

	ground_open(&g);
	at_canonical_set_text(&row[0], "action", at_bytes_of("issue-dispatch"));
	at_canonical_set_text(&row[0], "agent", at_bytes_of("tester"));
	at_canonical_set_text(&row[0], "id", at_bytes_of("e2df2a8cc4ee"));
	at_canonical_set_text(&row[1], "action", at_bytes_of("stage-proposal"));
	at_canonical_set_text(&row[1], "agent", at_bytes_of("tester"));
	at_canonical_set_text(&row[1], "path", at_bytes_of("docs/\xc3\xa9.md"));
	at_canonical_set_text(&row[1], "sid", at_bytes_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
	at_canonical_set_text(&row[1], "kind", at_bytes_of("change-proposal"));
	at_canonical_set_text(&row[1], "base", at_bytes_of("absent"));
	at_canonical_set_text(&row[1], "new",
		at_bytes_of("98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4"));
	at_canonical_set_number(&row[1], "bytes", 3);
	at_canonical_set_raw(&row[1], "gates",
		at_bytes_of("[{\"confined\": \"bwrap\", \"duration_ms\": 12, \"exit\": 0, "
			    "\"gate\": \"docs-lint\"}]"));
	at_canonical_set_text(&row[1], "rationale", at_bytes_of("first \xe2\x80\xa8 line"));
	at_canonical_set_text(&row[2], "action", at_bytes_of("stage-proposal-refused"));
	at_canonical_set_text(&row[2], "agent", at_bytes_of("tester"));
	at_canonical_set_text(
		&row[2], "reason", at_bytes_of("docs/x is a protected path (docs/x)"));
	assert_true(at_proposal_ledger_open(&ledger, &g.site, NULL, NULL, &g.err));
	if (!at_proposal_ledger_append(ledger, rows, 3, ground_then(), &g.err))
		fail_msg("%s", g.err.message);
	at_proposal_ledger_close(ledger);
	got = test_read(g.project, LEDGER);
	assert_string_equal(at_buf_text(&got), at_buf_text(&want));
	at_buf_free(&got);
	at_buf_free(&want);
	got = test_read(g.project, HEAD);
	want = test_read(NULL, "vectors/derived/proposal-ledger.head");
	assert_string_equal(at_buf_text(&got), at_buf_text(&want));
	at_buf_free(&got);
	at_buf_free(&want);
	for (size_t i = 0; i < 3; i++)
		at_canonical_object_free(&row[i]);
	ground_close(&g);
}

/* One edit of the vectors each, and every problem it makes. */
enum edit { REPLACE, DROP_ROW, SWAP, CUT, NO_HEAD, NO_LEDGER, NO_BOTH, ADD, NOTHING };

static const struct {
	enum edit edit;
	size_t row; /* from 0 */
	const char *from, *to;
	const char *problems;
} edits[] = {
	{ NOTHING, 0, NULL, NULL, "" },
	{ REPLACE, 0, "\"tester\"", "\"tested\"",
		"row 1: signature invalid (edited, or written without the key)\n"
		"row 2: chain broken (a row was removed or reordered)\n" },
	{ REPLACE, 2, "protected", "project's",
		"row 3: signature invalid (edited, or written without the key)\n"
		"head anchor says 3 rows; the ledger has 3 (truncated or appended unsigned)\n" },
	/* Spaces and the order of keys are nothing to the MAC, and are to the chain. */
	{ REPLACE, 0, "{\"action\": \"issue-dispatch\", \"agent\": \"tester\",",
		"{\"agent\":\"tester\",\"action\":\"issue-dispatch\",",
		"row 2: chain broken (a row was removed or reordered)\n" },
	{ REPLACE, 2, "{\"action\"", "{\"action\": \"x\", \"action\"",
		"head anchor says 3 rows; the ledger has 3 (truncated or appended unsigned)\n" },
	{ REPLACE, 1, "{", "[",
		"row 2: signature invalid (edited, or written without the key)\n"
		"row 3: chain broken (a row was removed or reordered)\n" },
	{ DROP_ROW, 1, NULL, NULL,
		"row 2: chain broken (a row was removed or reordered)\n"
		"head anchor says 3 rows; the ledger has 2 (truncated or appended unsigned)\n" },
	{ DROP_ROW, 0, NULL, NULL,
		"row 1: chain broken (a row was removed or reordered)\n"
		"head anchor says 3 rows; the ledger has 2 (truncated or appended unsigned)\n" },
	{ SWAP, 0, NULL, NULL,
		"row 1: chain broken (a row was removed or reordered)\n"
		"row 2: chain broken (a row was removed or reordered)\n"
		"row 3: chain broken (a row was removed or reordered)\n" },
	{ CUT, 2, NULL, NULL,
		"head anchor says 3 rows; the ledger has 2 (truncated or appended unsigned)\n" },
	{ NO_HEAD, 0, NULL, NULL, "head anchor missing or its signature invalid\n" },
	{ NO_LEDGER, 0, NULL, NULL,
		"head anchor says 3 rows; the ledger has 0 (truncated or appended unsigned)\n" },
	{ NO_BOTH, 0, NULL, NULL,
		"ledger and head are missing but dispatch records exist (ledger removed)\n" },
	{ ADD, 0, NULL, "{\"action\": \"x\"}\n",
		"row 4: signature invalid (edited, or written without the key)\n"
		"row 4: chain broken (a row was removed or reordered)\n"
		"head anchor says 3 rows; the ledger has 4 (truncated or appended unsigned)\n" },
	{ ADD, 0, NULL, "\n",
		"row 4: signature invalid (edited, or written without the key)\n"
		"head anchor says 3 rows; the ledger has 4 (truncated or appended unsigned)\n" },
	/* A head is signed with the same key, and is no row. */
	{ ADD, 0, NULL, "HEAD",
		"row 4: chain broken (a row was removed or reordered)\n"
		"head anchor says 3 rows; the ledger has 4 (truncated or appended unsigned)\n" },
	/* A torn last line is no row, and no problem. */
	{ ADD, 0, NULL, "{\"action\": \"iss", "" },
};

static void replace(
	struct at_buf *out, const char *line, size_t len, const char *from, const char *to)
{
	const char *at = memmem(line, len, from, strlen(from));

	assert_non_null(at);
	at_buf_put(out, line, (size_t)(at - line));
	at_buf_puts(out, to);
	at_buf_put(out, at + strlen(from), len - (size_t)(at - line) - strlen(from));
}

static void edit_ledger(struct ground *g, size_t row)
{
	struct at_buf text = test_read(g->project, LEDGER), out = { 0 }, head;
	const char *line[3], *p = at_buf_text(&text);
	size_t len[3], order[] = { 0, 1, 2 };

	for (size_t i = 0; i < 3; i++) {
		line[i] = p;
		len[i] = (size_t)(strchr(p, '\n') + 1 - p);
		p += len[i];
	}
	if (edits[row].edit == SWAP) {
		order[0] = 1;
		order[1] = 0;
	}
	for (size_t i = 0; i < 3; i++) {
		size_t at = order[i];

		if ((edits[row].edit == DROP_ROW || edits[row].edit == CUT) && at == edits[row].row)
			continue;
		if (edits[row].edit == REPLACE && at == edits[row].row)
			replace(&out, line[at], len[at], edits[row].from, edits[row].to);
		else
			at_buf_put(&out, line[at], len[at]);
	}
	if (edits[row].edit == ADD && strcmp(edits[row].to, "HEAD") == 0) {
		head = test_read(g->project, HEAD);
		at_buf_put(&out, head.data, head.len);
		at_buf_free(&head);
	} else if (edits[row].edit == ADD) {
		at_buf_puts(&out, edits[row].to);
	}
	test_write_bytes(g->project, LEDGER, out.data, out.len);
	if (edits[row].edit == NO_HEAD || edits[row].edit == NO_BOTH)
		unlink(test_path(g->project, HEAD));
	if (edits[row].edit == NO_LEDGER || edits[row].edit == NO_BOTH)
		unlink(test_path(g->project, LEDGER));
	at_buf_free(&out);
	at_buf_free(&text);
}

static void run_1_ledger_problems(void **unused)
{
	for (size_t i = 0; i < AT_LEN(edits); i++) {
		struct ground g;

		ground_open(&g);
		ground_vectors(&g);
		edit_ledger(&g, i);
		says(&g, i, edits[i].problems);
		ground_close(&g);
	}
}

static void run_1_nothing_there_is_intact(void **unused)
{
	struct ground g;

	ground_open(&g);
	says(&g, 0, "");
	test_write(g.project, ".agentteams/other", "");
	says(&g, 1, "");
	ground_close(&g);
}

static void run_1_another_key_signs_nothing(void **unused)
{
	struct ground g;

	ground_open(&g);
	ground_vectors(&g);
	g.site.key = at_bytes_of("another");
	says(&g, 0,
		"row 1: signature invalid (edited, or written without the key)\n"
		"row 2: signature invalid (edited, or written without the key)\n"
		"row 3: signature invalid (edited, or written without the key)\n"
		"head anchor missing or its signature invalid\n");
	assert_false(ground_row(&g, "x"));
	assert_string_equal(g.err.id, "proposal-ledger-problems");
	ground_close(&g);
}

/* Links, directories, FIFOs and second names are refused, never waited for. */
static void run_1_hostile_ledger_files(void **unused)
{
	static const char *const names[] = { LEDGER, HEAD };

	for (size_t i = 0; i < 8; i++) {
		const char *name = names[i % 2];
		struct at_proposal_state state;
		struct ground g;

		if (i >= 6 && strcmp(name, HEAD) == 0)
			continue; /* the head is replaced whole: its other name is no way in */
		ground_open(&g);
		ground_vectors(&g);
		test_write(g.dir, "elsewhere", "");
		if (i < 6)
			unlink(test_path(g.project, name));
		if (i / 2 == 0)
			assert_int_equal(symlink("../../elsewhere", test_path(g.project, name)), 0);
		else if (i / 2 == 1)
			assert_int_equal(mkdir(test_path(g.project, name), 0700), 0);
		else if (i / 2 == 2)
			assert_int_equal(mkfifo(test_path(g.project, name), 0600), 0);
		else
			assert_int_equal(
				link(test_path(g.project, name), test_path(g.dir, "second")), 0);
		assert_row(i, !at_proposal_ledger_verify(&state, &g.site, NULL, NULL, &g.err));
		at_proposal_state_free(&state);
		assert_row(i, !ground_row(&g, "x"));
		ground_close(&g);
	}
}

static void run_1_rows_are_appended_and_chained(void **unused)
{
	struct at_proposal_ledger *ledger;
	struct at_proposal_state state;
	struct stat st;
	struct ground g;

	ground_open(&g);
	assert_true(at_proposal_ledger_open(&ledger, &g.site, NULL, NULL, &g.err));
	assert_int_equal(stat(test_path(g.project, ".agentteams"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	says(&g, 0, "");
	for (size_t i = 0; i < 5; i++) {
		assert_row(i, ground_append(&g, ledger, "x"));
		assert_row(i, at_proposal_ledger_rows(ledger) == i + 1);
		assert_row(i, at_proposal_ledger_is_still(ledger));
		says(&g, i, "");
	}
	at_proposal_ledger_close(ledger);
	assert_int_equal(stat(test_path(g.project, LEDGER), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_true(ground_row(&g, "y"));
	state = ground_verify(&g);
	assert_int_equal(state.rows, 6);
	at_proposal_state_free(&state);
	ground_close(&g);
}

/* 3.9: a command that touched the ledger. */
static void run_3_a_touched_ledger_is_told(void **unused)
{
	static const char *const names[] = { LEDGER, HEAD };

	for (size_t i = 0; i < AT_LEN(names); i++) {
		struct at_proposal_ledger *ledger;
		struct at_buf text;
		struct ground g;

		ground_open(&g);
		ground_vectors(&g);
		assert_true(at_proposal_ledger_open(&ledger, &g.site, NULL, NULL, &g.err));
		text = test_read(g.project, names[i]);
		test_write_bytes(g.project, names[i], text.data, text.len);
		at_buf_free(&text);
		assert_row(i, !at_proposal_ledger_is_still(ledger));
		assert_row(i, !ground_append(&g, ledger, "x"));
		assert_string_equal(g.err.id, "proposal-ledger-changed");
		at_proposal_ledger_close(ledger);
		ground_close(&g);
	}
}

static bool count_rows(
	void *context, const struct at_json *row, size_t number, struct at_error *err)
{
	*(size_t *)context += at_json_is(row, AT_JSON_ROOT, AT_JSON_OBJECT);
	return number < 3 || at_fail(err, AT_EINVALID, "enough");
}

static void run_1_rows_are_visited(void **unused)
{
	struct at_proposal_state state;
	struct ground g;
	size_t count = 0;

	ground_open(&g);
	ground_vectors(&g);
	assert_false(at_proposal_ledger_verify(&state, &g.site, count_rows, &count, &g.err));
	assert_string_equal(g.err.message, "enough");
	assert_int_equal(count, 3);
	at_proposal_state_free(&state);
	ground_close(&g);
}

/* A roll-back of ledger, head and dispatches together, which the reference does not see. */
static void run_1_rolled_back_as_a_whole(void **unused)
{
	struct at_proposal_ledger *ledger;
	struct ground g;

	ground_open(&g);
	g.site.state = open(test_path(g.dir, "state"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ground_vectors(&g);
	assert_true(at_proposal_ledger_open(&ledger, &g.site, NULL, NULL, &g.err));
	assert_true(ground_append(&g, ledger, "x"));
	assert_true(at_proposal_ledger_anchor(ledger, &g.err));
	assert_true(ground_append(&g, ledger, "y"));
	at_proposal_ledger_close(ledger);
	says(&g, 0, "");
	ground_vectors(&g);
	says(&g, 1,
		"this machine noted 4 rows of this ledger; the ledger has 3, or others (rolled "
		"back to an older copy)\n");
	assert_false(ground_row(&g, "z"));
	ground_close(&g);
}

/* A row that was written and a head that was not: verified, and mended by name. */
static void run_1_a_head_that_is_behind_is_repaired(void **unused)
{
	struct at_proposal_repair repair;
	struct at_proposal_state state;
	struct ground g;

	ground_open(&g);
	ground_vectors(&g);
	assert_true(ground_row(&g, "x"));
	ground_vector(&g, "proposal-ledger.head", "proposal-ledger.head");
	state = ground_verify(&g);
	assert_int_equal(state.head, AT_PROPOSAL_HEAD_BEHIND);
	at_proposal_state_free(&state);
	says(&g, 0, "head anchor says 3 rows; the ledger has 4 (truncated or appended unsigned)\n");
	assert_false(ground_row(&g, "y"));
	assert_string_equal(g.err.id, "proposal-ledger-behind");
	assert_true(at_proposal_ledger_repair(&repair, &g.site, &g.err));
	assert_int_equal(repair.rows, 4);
	assert_int_equal(repair.counted, 1);
	assert_non_null(strstr(at_buf_text(&repair.said), "counted 3 rows and counts 4 now"));
	at_proposal_repair_free(&repair);
	says(&g, 1, "");
	assert_true(at_proposal_ledger_repair(&repair, &g.site, &g.err));
	assert_string_equal(at_buf_text(&repair.said), "nothing to repair\n");
	at_proposal_repair_free(&repair);
	assert_true(ground_row(&g, "y"));
	ground_close(&g);
}

/* A signed head of another ledger counts fewer rows, and is not behind: the row it names is not
 * there. */
static void run_1_a_head_of_another_ledger_is_not_behind(void **unused)
{
	struct at_proposal_repair repair;
	struct at_proposal_state state;
	struct at_buf head;
	struct ground g;

	ground_open(&g);
	assert_true(ground_row(&g, "another"));
	head = test_read(g.project, HEAD);
	ground_vectors(&g);
	test_write_bytes(g.project, HEAD, head.data, head.len);
	state = ground_verify(&g);
	assert_int_equal(state.head, AT_PROPOSAL_HEAD_BAD);
	assert_string_equal(at_buf_text(&state.problems),
		"head anchor says 1 rows; the ledger has 3 (truncated or appended unsigned)\n");
	assert_false(at_proposal_ledger_repair(&repair, &g.site, &g.err));
	assert_string_equal(g.err.id, "proposal-ledger-problems");
	at_proposal_repair_free(&repair);
	at_proposal_state_free(&state);
	at_buf_free(&head);
	ground_close(&g);
}

/* What no cut-off run explains is left as it is. */
static void run_1_repair_mends_no_tampering(void **unused)
{
	for (size_t i = 1; i < AT_LEN(edits); i++) {
		struct at_proposal_repair repair;
		uint64_t before;
		struct ground g;

		if (!*edits[i].problems)
			continue;
		ground_open(&g);
		ground_vectors(&g);
		edit_ledger(&g, i);
		before = test_tree_fingerprint(g.project);
		assert_row(i, !at_proposal_ledger_repair(&repair, &g.site, &g.err));
		assert_string_equal(g.err.id, "proposal-ledger-problems");
		assert_row(i, test_tree_fingerprint(g.project) == before);
		at_proposal_repair_free(&repair);
		ground_close(&g);
	}
}

/* Cut at every byte of the last row and its line end. */
static void run_1_torn_lines_are_set_aside(void **unused)
{
	struct at_buf whole = test_read(NULL, "vectors/derived/proposal-ledger.jsonl");
	const char *cut = strrchr(at_buf_text(&whole), '{');
	struct at_buf text;
	struct ground g;

	ground_open(&g);
	for (size_t len = (size_t)(cut - whole.data) + 1; len < whole.len; len += 37) {
		struct at_proposal_state state;
		struct at_canonical_object head = { 0 };
		struct at_proposal_repair repair;

		ground_vectors(&g);
		assert_true(ground_row(&g, "x"));
		text = test_read(g.project, LEDGER);
		at_buf_put(&text, cut, len - (size_t)(cut - whole.data));
		test_write_bytes(g.project, LEDGER, text.data, text.len);
		state = ground_verify(&g);
		assert_row(len, state.rows == 4 && state.problem_count == 0);
		assert_row(len, state.torn == len - (size_t)(cut - whole.data));
		at_proposal_state_free(&state);
		if (len % 2) {
			assert_true(at_proposal_ledger_repair(&repair, &g.site, &g.err));
			assert_row(len, repair.torn == len - (size_t)(cut - whole.data));
			at_proposal_repair_free(&repair);
		}
		assert_true(ground_row(&g, "y"));
		state = ground_verify(&g);
		assert_row(len, state.rows == 5 && state.problem_count == 0 && state.torn == 0);
		at_proposal_state_free(&state);
		assert_true(test_exists(g.project, LEDGER ".torn"));
		at_canonical_object_free(&head);
		at_buf_free(&text);
	}
	ground_close(&g);
	at_buf_free(&whole);
}

/* All of a row but its line end is a row. */
static void run_1_a_row_without_its_line_end(void **unused)
{
	struct at_proposal_state state;
	struct at_proposal_repair repair;
	struct at_buf text;
	struct ground g;

	for (size_t i = 0; i < 2; i++) {
		ground_open(&g);
		ground_vectors(&g);
		text = test_read(g.project, LEDGER);
		test_write_bytes(g.project, LEDGER, text.data, text.len - 1);
		at_buf_free(&text);
		state = ground_verify(&g);
		assert_row(i, state.rows == 3 && state.problem_count == 0 && state.lacks_end);
		at_proposal_state_free(&state);
		if (i) {
			assert_true(at_proposal_ledger_repair(&repair, &g.site, &g.err));
			assert_non_null(strstr(at_buf_text(&repair.said), "ended the last line"));
			at_proposal_repair_free(&repair);
		}
		assert_true(ground_row(&g, "x"));
		state = ground_verify(&g);
		assert_row(i, state.rows == 4 && state.problem_count == 0 && state.torn == 0);
		at_proposal_state_free(&state);
		ground_close(&g);
	}
}

static void run_1_operator_file_names(void **unused)
{
	static const struct {
		const char *project, *want;
	} rows[] = {
		{ "/home/a/demo-shop", "demo-shop-b843aefc574c.json" },
		{ "/", "root-8a5edab28263.json" },
		{ "/srv/a b\xc3\xa9+", "a_b__-" },
	};
	char name[NAME_MAX + 1];

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		assert_row(i, at_operator_file_name(name, rows[i].project));
		if (strncmp(name, rows[i].want, strlen(rows[i].want)) != 0)
			fail_msg("row %zu: %s", i, name);
	}
}

int test_proposal_ledger(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_1_ledger_vectors_verify),
		cmocka_unit_test(run_1_ledger_vectors_come_out_again),
		cmocka_unit_test(run_1_ledger_problems),
		cmocka_unit_test(run_1_nothing_there_is_intact),
		cmocka_unit_test(run_1_another_key_signs_nothing),
		cmocka_unit_test(run_1_hostile_ledger_files),
		cmocka_unit_test(run_1_rows_are_appended_and_chained),
		cmocka_unit_test(run_3_a_touched_ledger_is_told),
		cmocka_unit_test(run_1_rows_are_visited),
		cmocka_unit_test(run_1_rolled_back_as_a_whole),
		cmocka_unit_test(run_1_a_head_that_is_behind_is_repaired),
		cmocka_unit_test(run_1_a_head_of_another_ledger_is_not_behind),
		cmocka_unit_test(run_1_repair_mends_no_tampering),
		cmocka_unit_test(run_1_torn_lines_are_set_aside),
		cmocka_unit_test(run_1_a_row_without_its_line_end),
		cmocka_unit_test(run_1_operator_file_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
