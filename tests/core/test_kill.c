/* STG-3, WIRE-2: killed at any instant, every file is wholly old or wholly new, and the
 * journal finishes or drops what was begun. */
#include "core/apply_fixture.h"

#define MOST 400 /* no act here has more steps */

static struct at_plan plan;

static bool apply_four(struct fixture *f)
{
	return apply(f, &plan);
}

static void set_up(struct fixture *f)
{
	fixture_open(f);
	four_lay(f);
	four_plan(f, &plan);
}

static void tear_down(struct fixture *f)
{
	at_plan_free(&plan);
	fixture_close(f);
}

static const char *fault(const char *kind, unsigned at, const char *more)
{
	static char text[2][64];
	static unsigned turn;
	char *out = text[turn++ % 2];

	snprintf(out, sizeof(text[0]), "no-sync%s,%s:%u", more, kind, at);
	return out;
}

static void assert_whole(const struct fixture *f, unsigned at)
{
	for (size_t i = 0; i < AT_LEN(four); i++)
		if (!four_is_old(f, i) && !four_is_new(f, i))
			fail_msg("kill %u: `%s` is neither old nor new", at, four[i].path);
	if (!has_text(f->project, "conf/bystander", "untouched\n"))
		fail_msg("kill %u: the bystander was changed", at);
}

/* All old or all new, nothing left beside; true for new. */
static bool assert_one_side(struct fixture *f, unsigned at)
{
	size_t old = four_count(f, four_is_old), new = four_count(f, four_is_new);

	if (!(old == AT_LEN(four) && new == 0) && !(new == AT_LEN(four) && old == 0))
		fail_msg("kill %u: %zu old, %zu new", at, old, new);
	if (count_temps(f->tree) != 0)
		fail_msg("kill %u: temps were left", at);
	if (is_half_done(f))
		fail_msg("kill %u: the journal is still half done", at);
	return new > 0;
}

static void recover_in_a_new_process(struct fixture *f, unsigned at)
{
	if (!ended_with(run(f, "no-sync", recover), 0))
		fail_msg("kill %u: recovery failed", at);
}

static void assert_back(struct fixture *f, uint64_t before, unsigned at)
{
	if (test_tree_fingerprint(f->project) != before)
		fail_msg("kill %u: the project is not what it was", at);
}

static void kill_apply(const char *lacks)
{
	bool survived = false, seen_old = false, seen_new = false;

	for (unsigned at = 1; !survived && at < MOST; at++) {
		struct fixture f;
		uint64_t before;
		int status;

		set_up(&f);
		before = test_tree_fingerprint(f.project);
		status = run(&f, fault("kill", at, lacks), apply_four);
		survived = !was_killed(status);
		if (survived && !ended_with(status, 0))
			fail_msg("kill %u: ended with %d", at, status);
		assert_whole(&f, at);
		recover_in_a_new_process(&f, at);
		if (assert_one_side(&f, at)) {
			seen_new = true;
			if (!undo_any(&f))
				fail_msg("kill %u: undo: %s", at, f.err.message);
		} else {
			seen_old = true;
			assert_false(undo_any(&f));
			assert_int_equal(f.err.code, AT_ENOENT);
		}
		assert_back(&f, before, at);
		tear_down(&f);
	}
	assert_true(survived && seen_old && seen_new);
}

static void stg_3_killed_while_applying(void **state)
{
	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	kill_apply("");
}

/* The same on a file system that knows neither exchange nor no-replace. */
static void stg_3_killed_while_applying_without_exchange(void **state)
{
	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	kill_apply(",no-exchange,no-noreplace,no-openat2");
}

static void stg_3_killed_while_undoing(void **state)
{
	bool survived = false;

	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (unsigned at = 1; !survived && at < MOST; at++) {
		struct fixture f;
		uint64_t before;

		set_up(&f);
		before = test_tree_fingerprint(f.project);
		assert_true(apply_four(&f));
		survived = !was_killed(run(&f, fault("kill", at, ""), undo_any));
		assert_whole(&f, at);
		recover_in_a_new_process(&f, at);
		if (assert_one_side(&f, at) && !undo_any(&f))
			fail_msg("kill %u: undo: %s", at, f.err.message);
		assert_back(&f, before, at);
		/* Undone once: there is nothing left to undo. */
		assert_false(undo_any(&f));
		assert_int_equal(f.err.code, AT_ENOENT);
		tear_down(&f);
	}
	assert_true(survived);
}

/* Kills one recovery after the other, each a step later, until one survives. */
static void stg_3_killed_while_recovering(void **state)
{
	bool survived = false;

	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (unsigned at = 1; !survived && at < MOST; at++) {
		struct fixture f;
		uint64_t before;
		bool ended = false;

		set_up(&f);
		before = test_tree_fingerprint(f.project);
		survived = !was_killed(run(&f, fault("kill", at, ""), apply_four));
		for (unsigned again = 1; !ended && again < MOST; again++) {
			ended = !was_killed(run(&f, fault("kill", again, ""), recover));
			assert_whole(&f, at);
		}
		assert_true(ended);
		if (assert_one_side(&f, at))
			assert_true(undo_any(&f));
		assert_back(&f, before, at);
		tear_down(&f);
	}
	assert_true(survived);
}

/* Every pair of a kill of the act (each third) and a kill of its recovery. */
static void stg_3_killed_twice(void **state)
{
	bool survived = false;

	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (unsigned at = 1; !survived && at < MOST; at += 3) {
		bool ended = false;

		for (unsigned again = 1; !ended && again < MOST; again++) {
			struct fixture f;
			uint64_t before;

			set_up(&f);
			before = test_tree_fingerprint(f.project);
			survived = !was_killed(run(&f, fault("kill", at, ""), apply_four));
			ended = !was_killed(run(&f, fault("kill", again, ""), recover));
			assert_whole(&f, at);
			recover_in_a_new_process(&f, at);
			if (assert_one_side(&f, at))
				assert_true(undo_any(&f));
			assert_back(&f, before, at);
			tear_down(&f);
		}
	}
	assert_true(survived);
}

static bool is_in_state(const struct fixture *f, const char *name)
{
	char path[PATH_MAX];
	struct at_journal_state now;

	if (!at_journal_look(&f->state, &now, NULL) || !now.half_done)
		return false;
	snprintf(path, sizeof(path), "journal/%s/%s", now.id, name);
	return test_exists(f->state.path, path);
}

/* Somebody saves a file in the middle of the commit, and the program is killed on its way
 * back: what they saved stays, and the other files are whole. */
static void wire_2_killed_while_going_back(void **state)
{
	unsigned tried = 0, prepared = 0;

	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (unsigned pause = 1, ended = 0; !ended && pause < MOST; pause++) {
		bool survived = false;

		for (unsigned at = pause + 1; !survived && at < MOST; at++) {
			char spec[64];
			struct fixture f;
			int status;
			pid_t pid;

			set_up(&f);
			snprintf(spec, sizeof(spec), "no-sync,pause:%u,kill:%u", pause, at);
			pid = start(&f, spec, apply_four);
			status = wait_for(pid);
			if (!WIFSTOPPED(status)) {
				ended = 1;
				survived = true;
			} else if (!is_in_state(&f, "prepared")) {
				kill(pid, SIGKILL);
				wait_for(pid);
				survived = true; /* this step is not in the commit */
			} else {
				prepared += at == pause + 1;
				tried++;
				test_write(f.project, "saved", "theirs\n");
				rename(test_path(f.project, "saved"),
					test_path(f.project, four[0].path));
				kill(pid, SIGCONT);
				survived = !was_killed(wait_for(pid));
				/* The first may have to go back, and say so. */
				run(&f, "no-sync", recover);
				status = run(&f, "no-sync", recover);
				assert_true(ended_with(status, 0)
					|| ended_with(status, AT_ESTALE));
				assert_true(is_half_done(&f) == !ended_with(status, 0));
				assert_true(is_half_done(&f) || count_temps(f.tree) == 0);
				if (!has_text(f.project, four[0].path, "theirs\n"))
					fail_msg("pause %u, kill %u: their file is lost", pause, at);
				for (size_t i = 1; i < AT_LEN(four); i++)
					assert_true(four_is_old(&f, i) || four_is_new(&f, i));
			}
			tear_down(&f);
		}
	}
	assert_true(prepared > 4 && tried > prepared);
}

/* The name of a temp beside the settings, or NULL. */
static const char *find_temp(const struct fixture *f)
{
	static char path[PATH_MAX];
	DIR *dir = opendir(test_path(f->project, "conf"));
	const struct dirent *item;
	bool found = false;

	while (dir && !found && (item = readdir(dir))) {
		found = strncmp(item->d_name, ".atconsole-", 11) == 0;
		snprintf(path, sizeof(path), "conf/%s", item->d_name);
	}
	if (dir)
		closedir(dir);
	return found ? path : NULL;
}

/* Bytes that came out in a second race on the way back: nobody else has them. */
static void wire_2_unknown_bytes_are_never_deleted(void **state)
{
	unsigned kept = 0;

	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (unsigned pause = 1, ended = 0; !ended && pause < MOST; pause++) {
		for (unsigned at = pause + 1; at < pause + 12; at++) {
			char spec[64];
			struct fixture f;
			pid_t pid;

			set_up(&f);
			snprintf(spec, sizeof(spec), "no-sync,pause:%u,kill:%u", pause, at);
			pid = start(&f, spec, apply_four);
			ended = !WIFSTOPPED(wait_for(pid));
			if (!ended) {
				test_write(f.project, four[0].path, "theirs\n");
				kill(pid, SIGCONT);
				wait_for(pid);
			}
			if (is_in_state(&f, "rollback") && find_temp(&f)
				&& has_text(f.project, four[0].path, "theirs\n")) {
				char temp[PATH_MAX];

				strcpy(temp, find_temp(&f));
				test_write(f.project, temp, "theirs too\n");
				assert_true(recover(&f));
				assert_false(is_half_done(&f));
				assert_true(has_text(f.project, four[0].path, "theirs\n"));
				assert_true(has_text(f.project, temp, "theirs too\n"));
				kept++;
			}
			tear_down(&f);
		}
	}
	assert_true(kept > 2);
}

int test_kill(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stg_3_killed_while_applying),
		cmocka_unit_test(stg_3_killed_while_applying_without_exchange),
		cmocka_unit_test(stg_3_killed_while_undoing),
		cmocka_unit_test(stg_3_killed_while_recovering),
		cmocka_unit_test(stg_3_killed_twice),
		cmocka_unit_test(wire_2_killed_while_going_back),
		cmocka_unit_test(wire_2_unknown_bytes_are_never_deleted),
	};

	return cmocka_run_group_tests_name("kill", tests, trees_in_memory, trees_on_disk);
}
