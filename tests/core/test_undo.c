#include "core/apply_fixture.h"

static struct fixture f;

static int set_up(void **state)
{
	fixture_open(&f);
	return 0;
}

static int tear_down(void **state)
{
	fixture_close(&f);
	return 0;
}

static bool apply_as(const char *what, const char *path, const char *text)
{
	struct at_plan plan;
	bool ok;

	at_plan_init(&plan);
	ok = add(&f, &plan, AT_IN_PROJECT, path, text, 0)
		&& at_plan_apply(&plan, f.root, &f.state, what, &f.applied, &f.err);
	at_plan_free(&plan);
	return ok;
}

/* STG-3: exact bytes, exact modes, new files and directories gone. */
static void stg_3_restores_the_tree(void **state)
{
	struct at_plan plan;
	uint64_t before;

	four_lay(&f);
	before = test_tree_fingerprint(f.project);
	four_plan(&f, &plan);
	assert_true(apply(&f, &plan));
	at_plan_free(&plan);
	assert_true(undo(&f, NULL));
	assert_int_equal(f.applied.written, AT_LEN(four));
	assert_true(before == test_tree_fingerprint(f.project));
	assert_int_equal(four_count(&f, four_is_old), AT_LEN(four));
	assert_false(test_exists(f.state.path, "base"));
}

static void a_directory_in_use_stays(void **state)
{
	assert_true(apply_as("update", "made/deep/file", "x"));
	test_write(f.project, "made/mine", "y");
	assert_true(undo(&f, NULL));
	assert_false(test_exists(f.project, "made/deep"));
	assert_true(has_text(f.project, "made/mine", "y"));
}

static void nothing_to_undo(void **state)
{
	uint64_t before = test_tree_fingerprint(f.tree);

	assert_false(undo(&f, NULL));
	assert_int_equal(f.err.code, AT_ENOENT);
	assert_true(before == test_tree_fingerprint(f.tree));
	assert_true(apply_as("update", "a", "1"));
	assert_false(undo(&f, "merge"));
	assert_int_equal(f.err.code, AT_ENOENT);
	assert_true(has_text(f.project, "a", "1"));
}

/* An undone entry is not undone twice, and an undo is not undone. */
static void each_undo_goes_further_back(void **state)
{
	struct at_journal_state now;

	assert_true(apply_as("update", "a", "1"));
	assert_true(apply_as("update", "a", "2"));
	assert_true(apply_as("merge", "a", "3"));
	assert_true(at_journal_look(&f.state, &now, &f.err));
	assert_string_equal(now.id, f.applied.id);
	assert_string_equal(now.what, "merge");
	assert_int_equal(now.files, 1);
	assert_true(undo(&f, NULL));
	assert_true(has_text(f.project, "a", "2"));
	assert_true(at_journal_look(&f.state, &now, &f.err));
	assert_string_equal(now.what, "update"); /* not the undo: that cannot be undone */
	assert_true(undo(&f, NULL));
	assert_true(has_text(f.project, "a", "1"));
	assert_true(apply_as("update", "a", "4"));
	assert_true(undo(&f, NULL));
	assert_true(has_text(f.project, "a", "1"));
	assert_true(undo(&f, NULL));
	assert_false(test_exists(f.project, "a"));
	assert_false(undo(&f, NULL));
	assert_true(at_journal_look(&f.state, &now, &f.err));
	assert_string_equal(now.id, "");
}

/* STG-3: an undo that was cut short is finished, and nothing else is taken back with it. */
static void stg_3_cut_short_is_one_undo(void **state)
{
	bool survived = false;
	unsigned finished = 0;

	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (unsigned at = 1; !survived && at < 200; at++) {
		char spec[32];
		bool half_done;

		snprintf(spec, sizeof(spec), "no-sync,kill:%u", at);
		tear_down(NULL);
		set_up(NULL);
		assert_true(apply_as("update", "a", "1"));
		assert_true(apply_as("merge", "a", "2"));
		survived = !was_killed(run(&f, spec, undo_any));
		half_done = is_half_done(&f);
		finished += half_done && has_text(f.project, "a", "1");
		if (!half_done && has_text(f.project, "a", "1"))
			continue; /* it had ended */
		assert_true(undo(&f, NULL));
		assert_string_equal(f.applied.undone, "merge");
		assert_int_equal(f.applied.written, 1);
		assert_true(has_text(f.project, "a", "1"));
		assert_true(undo(&f, NULL));
		assert_string_equal(f.applied.undone, "update");
		assert_false(test_exists(f.project, "a"));
	}
	assert_true(survived && finished > 0);
}

/* WIRE-13: what a self-test found is not taken back on the way to another act. */
static void wire_13_a_proof_is_not_undone(void **state)
{
	assert_true(apply_as("merge", "a", "1"));
	assert_true(apply_as("self-test", "b", "leaks"));
	assert_true(undo(&f, NULL));
	assert_false(test_exists(f.project, "a"));
	assert_true(test_exists(f.project, "b"));
	assert_false(undo(&f, NULL));
	assert_true(undo(&f, "self-test"));
}

static void by_name_of_the_act(void **state)
{
	assert_true(apply_as("merge", "settings", "merged"));
	assert_true(apply_as("update", "other", "x"));
	assert_true(undo(&f, "merge"));
	assert_false(test_exists(f.project, "settings"));
	assert_true(has_text(f.project, "other", "x"));
	/* A later act on the same file stands in the way. */
	assert_true(apply_as("merge", "settings", "merged"));
	assert_true(apply_as("update", "settings", "updated"));
	assert_false(undo(&f, "merge"));
	assert_int_equal(f.err.code, AT_ESTALE);
	assert_true(has_text(f.project, "settings", "updated"));
}

/* WIRE-2: a file that was changed since is not overwritten; nor are its companions. */
static void wire_2_changed_since_is_refused(void **state)
{
	static const char *const paths[] = { "conf/settings", "conf/tool", "conf/new/deep/file" };

	for (size_t i = 0; i < AT_LEN(paths); i++) {
		struct at_plan plan;
		uint64_t before;

		if (i) {
			tear_down(NULL);
			set_up(NULL);
		}
		four_lay(&f);
		four_plan(&f, &plan);
		assert_true(apply(&f, &plan));
		at_plan_free(&plan);
		test_write(f.project, paths[i], "changed since");
		before = test_tree_fingerprint(f.project);
		assert_row(i, !undo(&f, NULL));
		assert_row(i, f.err.code == AT_ESTALE);
		assert_row(i, strcmp(f.err.path, paths[i]) == 0);
		assert_row(i, before == test_tree_fingerprint(f.project));
		unlink(test_path(f.project, paths[i]));
		assert_row(i, !undo(&f, NULL));
		assert_row(i, f.err.code == AT_ESTALE);
		assert_int_equal(symlink("bystander", test_path(f.project, paths[i])), 0);
		assert_row(i, !undo(&f, NULL));
		assert_row(i, f.err.code == AT_EUNSAFE);
	}
}

/* STG-3: the old mode comes back, but for one that was set since: an undo opens no file that
 * its owner closed. */
static void stg_3_a_mode_set_since_stays(void **state)
{
	struct stat st;

	for (int i = 0; i < 2; i++) {
		test_write(f.project, "a", "1");
		assert_int_equal(chmod(test_path(f.project, "a"), 0644), 0);
		assert_true(apply_as("merge", "a", "2"));
		if (i)
			assert_int_equal(chmod(test_path(f.project, "a"), 0600), 0);
		assert_true(undo(&f, NULL));
		assert_true(has_text(f.project, "a", "1"));
		assert_int_equal(stat(test_path(f.project, "a"), &st), 0);
		assert_int_equal(st.st_mode & 07777, i ? 0600 : 0644);
	}
}

static void a_damaged_backup_is_not_restored(void **state)
{
	char old[PATH_MAX + 16];

	assert_true(apply_as("update", "a", "first"));
	assert_true(apply_as("update", "a", "second"));
	snprintf(old, sizeof(old), "%s/old-0", f.applied.backup);
	test_write("", old, "tampered");
	assert_false(undo(&f, NULL));
	assert_int_equal(f.err.code, AT_EPARSE);
	assert_true(has_text(f.project, "a", "second"));
	assert_int_equal(unlink(old), 0);
	assert_false(undo(&f, NULL));
	assert_true(has_text(f.project, "a", "second"));
}

static void a_clock_that_jumps_does_not_matter(void **state)
{
	char from[PATH_MAX], to[PATH_MAX + 64];

	assert_true(apply_as("update", "a", "1"));
	snprintf(from, sizeof(from), "%s", f.applied.backup);
	snprintf(to, sizeof(to), "%s/journal/29990101T000000Z-1", f.state.path);
	assert_int_equal(rename(from, to), 0);
	assert_true(apply_as("update", "a", "2"));
	assert_true(undo(&f, NULL));
	assert_true(has_text(f.project, "a", "1"));
}

/* Case 43: looking and recovering where nothing is half done write nothing. */
static void case_43_looking_writes_nothing(void **state)
{
	struct at_journal_state now;
	uint64_t before;

	assert_true(apply_as("update", "a", "1"));
	before = test_tree_fingerprint(f.tree);
	assert_true(at_journal_look(&f.state, &now, &f.err));
	assert_true(recover(&f));
	assert_true(before == test_tree_fingerprint(f.tree));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int test_undo(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(stg_3_restores_the_tree),
		CASE(a_directory_in_use_stays),
		CASE(nothing_to_undo),
		CASE(each_undo_goes_further_back),
		CASE(stg_3_cut_short_is_one_undo),
		CASE(wire_13_a_proof_is_not_undone),
		CASE(by_name_of_the_act),
		CASE(wire_2_changed_since_is_refused),
		CASE(stg_3_a_mode_set_since_stays),
		CASE(a_damaged_backup_is_not_restored),
		CASE(a_clock_that_jumps_does_not_matter),
		CASE(case_43_looking_writes_nothing),
	};

	return cmocka_run_group_tests_name("undo", tests, NULL, NULL);
}
