#include "core/apply_fixture.h"

#include <stdio.h>

#include "core/file.h"

static struct fixture f;
static struct at_plan plan;

static int set_up(void **state)
{
	fixture_open(&f);
	at_plan_init(&plan);
	return 0;
}

static int tear_down(void **state)
{
	at_plan_free(&plan);
	fixture_close(&f);
	return 0;
}

/* EMIT: the plan knows what would change, by bytes and execute bits. */
static void emit_kinds_by_bytes_and_mode(void **state)
{
	static const struct {
		const char *path, *text;
		mode_t mode;
		enum at_plan_rule rule;
		enum at_change_kind want;
	} rows[] = {
		{ "new", "x", 0, AT_PLAN_WRITE, AT_CREATE },
		{ "new/dir/deep", "x", 0, AT_PLAN_WRITE, AT_CREATE },
		{ "plain", "x", 0, AT_PLAN_WRITE, AT_SAME },
		{ "plain", "x", 0644, AT_PLAN_WRITE, AT_SAME },
		{ "plain", "y", 0, AT_PLAN_WRITE, AT_REPLACE },
		{ "plain", "", 0, AT_PLAN_WRITE, AT_REPLACE },
		{ "plain", "x", 0755, AT_PLAN_WRITE, AT_REPLACE },
		{ "tool", "x", 0755, AT_PLAN_WRITE, AT_SAME },
		{ "tool", "x", 0644, AT_PLAN_WRITE, AT_SAME }, /* more bits than asked stay */
		{ "private", "x", 0644, AT_PLAN_WRITE, AT_SAME },
		{ "private", "x", 0755, AT_PLAN_WRITE, AT_REPLACE },
		{ "new", "x", 0, AT_PLAN_STUB, AT_CREATE },
		{ "plain", "y", 0, AT_PLAN_STUB, AT_KEPT },
	};

	test_write(f.project, "plain", "x");
	test_write(f.project, "tool", "x");
	test_write(f.project, "private", "x");
	chmod(test_path(f.project, "tool"), 0755);
	chmod(test_path(f.project, "private"), 0600);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_plan one;

		at_plan_init(&one);
		assert_row(i, at_plan_add(&one, f.root, AT_IN_PROJECT, rows[i].path,
			at_bytes_of(rows[i].text), rows[i].mode, rows[i].rule, "r", &f.err));
		assert_row(i, one.changes[0].kind == rows[i].want);
		assert_row(i, at_plan_pending(&one)
			== (rows[i].want == AT_CREATE || rows[i].want == AT_REPLACE));
		at_plan_free(&one);
	}
}

static void emit_never_through_a_link(void **state)
{
	static const struct { const char *path; enum at_code want; } rows[] = {
		{ "link", AT_EUNSAFE }, { "dangling", AT_EUNSAFE }, { "dlink/x", AT_EUNSAFE },
		{ "fifo", AT_EUNSAFE }, { "dir", AT_EUNSAFE }, { "plain/x", AT_EUNSAFE },
		{ "../x", AT_EUNSAFE }, { "/x", AT_EUNSAFE }, { "a/../b", AT_EUNSAFE },
		{ "a//b", AT_EUNSAFE }, { "./a", AT_EUNSAFE }, { "a/", AT_EUNSAFE },
		{ "", AT_EUNSAFE }, { ".", AT_EUNSAFE },
	};
	uint64_t before;

	test_write(f.project, "plain", "x");
	test_write(f.project, "dir/y", "x");
	assert_int_equal(symlink("plain", test_path(f.project, "link")), 0);
	assert_int_equal(symlink("gone", test_path(f.project, "dangling")), 0);
	assert_int_equal(symlink("dir", test_path(f.project, "dlink")), 0);
	assert_int_equal(mkfifo(test_path(f.project, "fifo"), 0600), 0);
	before = test_tree_fingerprint(f.tree);
	for (size_t i = 0; i < 2 * AT_LEN(rows); i++) {
		enum at_plan_rule rule = i % 2 ? AT_PLAN_STUB : AT_PLAN_WRITE;

		assert_row(i / 2, !at_plan_add(&plan, f.root, AT_IN_PROJECT, rows[i / 2].path,
			at_bytes_of("x"), 0, rule, "r", &f.err));
		assert_row(i / 2, f.err.code == rows[i / 2].want);
	}
	assert_int_equal(plan.count, 0);
	assert_true(before == test_tree_fingerprint(f.tree));
}

static void one_change_a_path(void **state)
{
	static const struct { const char *path; enum at_place place; bool ok; } rows[] = {
		{ "a/b", AT_IN_PROJECT, true }, { "a/b", AT_IN_PROJECT, false },
		{ "a/b", AT_IN_STATE, true }, { "a/bc", AT_IN_PROJECT, true },
		{ "a", AT_IN_PROJECT, false }, { "a/b/c", AT_IN_PROJECT, false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		assert_row(i, at_plan_add(&plan, f.root, rows[i].place, rows[i].path,
			at_bytes_of("x"), 0, AT_PLAN_WRITE, "r", &f.err) == rows[i].ok);
		assert_row(i, rows[i].ok || f.err.code == AT_ECONFLICT);
	}
}

static void owns_what_it_was_given(void **state)
{
	char path[] = "some/path", text[] = "text", reason[] = "because";

	assert_true(at_plan_add(&plan, -1, AT_IN_STATE, path, at_bytes_of(text), 0, AT_PLAN_WRITE,
		reason, &f.err));
	memset(path, 'X', sizeof(path) - 1);
	memset(text, 'X', sizeof(text) - 1);
	memset(reason, 'X', sizeof(reason) - 1);
	assert_string_equal(plan.changes[0].path, "some/path");
	assert_true(at_bytes_equal_text(plan.changes[0].bytes, "text"));
	assert_string_equal(plan.changes[0].reason, "because");
	assert_int_equal(plan.changes[0].kind, AT_CREATE); /* no state directory yet */
	at_plan_keep(&plan, "x", "not ours");
	assert_int_equal(at_plan_pending(&plan), 1);
	assert_string_equal(at_change_word(plan.changes[1].kind), "kept");
}

/* Case 34: execute bits asked for go to whoever may read; nothing is taken away. */
static void modes(void **state)
{
	static const struct {
		enum at_place place;
		enum at_change_kind kind;
		mode_t asked, old, want;
	} rows[] = {
		{ AT_IN_PROJECT, AT_CREATE, 0, 0, 0644 },
		{ AT_IN_PROJECT, AT_CREATE, 0755, 0, 0755 },
		{ AT_IN_PROJECT, AT_CREATE, 06755, 0, 0755 },
		{ AT_IN_PROJECT, AT_REPLACE, 0, 0640, 0640 },
		{ AT_IN_PROJECT, AT_REPLACE, 0644, 0600, 0600 },
		{ AT_IN_PROJECT, AT_REPLACE, 0755, 0640, 0750 },
		{ AT_IN_PROJECT, AT_REPLACE, 0755, 0600, 0700 },
		{ AT_IN_PROJECT, AT_REPLACE, 0644, 0755, 0755 },
		{ AT_IN_PROJECT, AT_REPLACE, 0, 04755, 0755 },
		{ AT_IN_STATE, AT_CREATE, 0755, 0, 0600 },
		{ AT_IN_STATE, AT_REPLACE, 0755, 0644, 0600 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_change change = {
			.place = rows[i].place, .kind = rows[i].kind, .mode = rows[i].asked,
		};

		assert_row(i, at_change_mode(&change, rows[i].old) == rows[i].want);
	}
}

static void too_large(void **state)
{
	char *big = at_alloc(AT_FILE_CAP + 1);

	assert_false(at_plan_add(&plan, f.root, AT_IN_PROJECT, "big",
		(struct at_bytes){ big, AT_FILE_CAP + 1 }, 0, AT_PLAN_WRITE, "r", &f.err));
	assert_int_equal(f.err.code, AT_ELIMIT);
	free(big);
}

int test_plan(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(emit_kinds_by_bytes_and_mode, set_up, tear_down),
		cmocka_unit_test_setup_teardown(emit_never_through_a_link, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_change_a_path, set_up, tear_down),
		cmocka_unit_test_setup_teardown(owns_what_it_was_given, set_up, tear_down),
		cmocka_unit_test_setup_teardown(modes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_large, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
