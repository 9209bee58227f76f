/* What happens to an act in its middle: somebody writes, the disk is full, a directory
 * becomes a link. Killing it is in test_kill.c. */
#include "core/apply_fixture.h"

#include <sched.h>
#include <sys/mount.h>

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

static bool apply_plan(struct fixture *fix)
{
	return apply(fix, &plan);
}

static void four_set_up(void)
{
	at_plan_free(&plan);
	four_lay(&f);
	four_plan(&f, &plan);
}

/* Stops the act before each of its steps in turn and lets `meanwhile` happen. False when
 * the act has no such step. */
static bool pause_at(unsigned at, const char *lacks, void (*meanwhile)(void), int *status)
{
	char spec[64];
	pid_t pid;

	snprintf(spec, sizeof(spec), "no-sync%s,pause:%u", lacks, at);
	pid = start(&f, spec, apply_plan);
	*status = wait_for(pid);
	if (!WIFSTOPPED(*status))
		return false;
	meanwhile();
	kill(pid, SIGCONT);
	*status = wait_for(pid);
	return true;
}

static bool tool_was_there;

static void swap_parent(void)
{
	tool_was_there = test_exists(f.project, "conf/tool");
	assert_int_equal(rename(test_path(f.project, "conf"), test_path(f.project, "moved")), 0);
	assert_int_equal(symlink("../victim", test_path(f.project, "conf")), 0);
}

static void case_48_parent_becomes_a_link_at_any_step(void **state)
{
	unsigned at, refused = 0, late = 0;
	int status;

	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (at = 1;; at++) {
		char victim[PATH_MAX];
		uint64_t before;
		bool paused;

		tear_down(NULL);
		set_up(NULL);
		test_write(f.tree, "victim/settings", "precious\n");
		test_write(f.tree, "victim/new/deep/x", "precious too\n");
		snprintf(victim, sizeof(victim), "%s/victim", f.tree);
		before = test_tree_fingerprint(victim);
		four_set_up();
		paused = pause_at(at, "", swap_parent, &status);
		if (!paused)
			break;
		if (before != test_tree_fingerprint(victim))
			fail_msg("step %u: the victim was changed", at);
		if (!ended_with(status, 0)) {
			refused++;
			if (!has_text(f.project, "moved/settings", four[0].old))
				fail_msg("step %u: refused, but changed", at);
		}
		/* Only the very step that puts the last file of `conf` in place is too late. */
		late += ended_with(status, 0) && !tool_was_there;
		if (count_temps(f.project) != 0)
			fail_msg("step %u: temps were left", at);
	}
	assert_true(ended_with(status, 0));
	assert_true(at > 20 && refused > 10 && late <= 1);
}

static void save_settings(void)
{
	test_write(f.project, "saved", "theirs\n");
	assert_int_equal(rename(test_path(f.project, "saved"),
		test_path(f.project, "conf/settings")), 0);
}

static void write_settings(void)
{
	test_write(f.project, "conf/settings", "theirs\n");
}

static void save_tool(void)
{
	test_write(f.project, "saved", "theirs\n");
	assert_int_equal(rename(test_path(f.project, "saved"), test_path(f.project, "conf/tool")),
		0);
}

static void close_settings(void)
{
	assert_int_equal(chmod(test_path(f.project, "conf/settings"), 0600), 0);
}

static bool has_theirs(const char *path)
{
	return has_text(f.project, path, "theirs\n");
}

static bool is_closed(const char *path)
{
	return mode_of(f.project, path) == 0600;
}

/* WIRE-2: what somebody writes at any step of the act is there afterwards. */
static void wire_2_loses_nothing_that_others_write(void **state)
{
	static const struct {
		void (*meanwhile)(void);
		bool (*is_there)(const char *path);
		const char *path;
		const char *lacks;
		unsigned may_lose; /* the window that has a name */
	} rows[] = {
		{ save_settings, has_theirs, "conf/settings", "", 0 },
		{ write_settings, has_theirs, "conf/settings", "", 0 },
		{ close_settings, is_closed, "conf/settings", "", 0 },
		{ save_tool, has_theirs, "conf/tool", "", 0 },
		{ save_tool, has_theirs, "conf/tool", ",no-noreplace", 0 },
		{ save_settings, has_theirs, "conf/settings", ",no-exchange", 1 },
	};

	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		unsigned lost = 0, refused = 0, after = 0;

		for (unsigned at = 1;; at++) {
			size_t old, new;
			int status;

			tear_down(NULL);
			set_up(NULL);
			four_set_up();
			if (!pause_at(at, rows[i].lacks, rows[i].meanwhile, &status))
				break;
			lost += !rows[i].is_there(rows[i].path);
			old = four_count(&f, four_is_old);
			new = four_count(&f, four_is_new);
			if (ended_with(status, AT_ESTALE))
				refused++;
			else if (ended_with(status, 0))
				after++;
			else
				fail_msg("row %zu step %u: status %d", i, at, status);
			/* The other three are all on one side. */
			if (ended_with(status, 0) ? new < 3 : old != 3)
				fail_msg("row %zu step %u: %zu old, %zu new", i, at, old, new);
			assert_row(i, count_temps(f.tree) == 0);
			assert_row(i, !is_half_done(&f));
		}
		if (lost > rows[i].may_lose)
			fail_msg("row %zu: lost %u times", i, lost);
		assert_row(i, refused > 5 && after > 1);
	}
}

static void without_exchange_the_window_is_named(void **state)
{
	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	at_fault_set("no-sync,no-exchange,no-noreplace,no-openat2");
	four_set_up();
	assert_true(apply(&f, &plan));
	assert_true(f.applied.window);
	assert_int_equal(four_count(&f, four_is_new), AT_LEN(four));
	assert_true(undo(&f, NULL));
	assert_int_equal(four_count(&f, four_is_old), AT_LEN(four));
	assert_int_equal(count_temps(f.tree), 0);
}

/* Every write fails once: all old and nothing left, or all new where the act stood. */
static void stg_3_disk_trouble_at_any_step(void **state)
{
	static const char *const kinds[] = { "enospc", "erofs" };

	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (size_t i = 0; i < AT_LEN(kinds); i++) {
		unsigned at, failed = 0, untouched = 0;

		for (at = 1; at < 400; at++) {
			char spec[64];
			uint64_t before;
			int status;

			tear_down(NULL);
			set_up(NULL);
			four_set_up();
			before = test_tree_fingerprint(f.project);
			snprintf(spec, sizeof(spec), "no-sync,%s:%u", kinds[i], at);
			status = run(&f, spec, apply_plan);
			if (ended_with(status, 0)) {
				if (four_count(&f, four_is_new) != AT_LEN(four))
					fail_msg("%s %u: not all new", kinds[i], at);
				assert_true(recover(&f));
				untouched = count_temps(f.tree) == 0 ? untouched + 1 : 0;
			} else {
				failed++;
				if (before != test_tree_fingerprint(f.project))
					fail_msg("%s %u: failed, but changed", kinds[i], at);
				assert_int_equal(four_count(&f, four_is_old), AT_LEN(four));
			}
			assert_int_equal(count_temps(f.tree), 0);
			if (is_half_done(&f))
				fail_msg("%s %u: half done (%s)", kinds[i], at, f.err.message);
			if (untouched > 12)
				break;
		}
		assert_true(failed > 20 && at < 400);
	}
}

/* An act cut short, then somebody edits: nothing is changed, and the way out is told. */
static void half_done_and_edited_is_refused(void **state)
{
	struct at_journal_state now;
	uint64_t before;
	unsigned at;

	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (at = 1; at < 400; at++) {
		char spec[64];

		tear_down(NULL);
		set_up(NULL);
		four_set_up();
		snprintf(spec, sizeof(spec), "no-sync,kill:%u", at);
		run(&f, spec, apply_plan);
		if (four_is_new(&f, 0) && four_is_old(&f, 2))
			break;
	}
	assert_true(at < 400);
	write_settings();
	before = test_tree_fingerprint(f.project);
	assert_true(at_journal_look(&f.state, &now, &f.err));
	assert_true(now.half_done);
	assert_string_equal(now.what, "test");
	assert_int_equal(now.files, AT_LEN(four));
	assert_false(recover(&f));
	assert_int_equal(f.err.code, AT_ESTALE);
	assert_non_null(strstr(f.err.hint, "old-0"));
	assert_false(write_one(&f, "unrelated", "x", 0));
	assert_int_equal(f.err.code, AT_ESTALE);
	assert_true(before == test_tree_fingerprint(f.project));
	test_write(f.project, four[0].path, four[0].old);
	assert_true(recover(&f));
	assert_int_equal(four_count(&f, four_is_new), AT_LEN(four));
	assert_int_equal(count_temps(f.tree), 0);
}

/* In a mount namespace of its own: a tmpfs of 64 KiB that fills, then read-only. */
static int on_real_file_systems(void)
{
	static char big[256 * 1024];
	struct at_plan own;
	uint64_t before;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0
		|| mount("none", f.project, "tmpfs", 0, "size=64k,mode=755") < 0)
		return 77;
	close(f.root);
	f.root = open(f.project, O_RDONLY | O_DIRECTORY);
	test_write(f.project, "a", "old\n");
	before = test_tree_fingerprint(f.project);
	memset(big, 'x', sizeof(big));
	at_plan_init(&own);
	if (!add(&f, &own, AT_IN_PROJECT, "a", "new\n", 0)
		|| !add(&f, &own, AT_IN_PROJECT, "new/small", "x", 0)
		|| !at_plan_add(&own, f.root, AT_IN_PROJECT, "new/big",
			(struct at_bytes){ big, sizeof(big) }, 0, AT_PLAN_WRITE, "r", &f.err))
		return 2;
	if (apply(&f, &own) || f.err.sys != ENOSPC)
		return 3;
	if (before != test_tree_fingerprint(f.project) || is_half_done(&f))
		return 4;
	if (mount(NULL, f.project, NULL, MS_REMOUNT | MS_RDONLY, NULL) < 0)
		return 77;
	if (write_one(&f, "a", "new\n", 0) || f.err.sys != EROFS)
		return 5;
	if (before != test_tree_fingerprint(f.project) || is_half_done(&f))
		return 6;
	return 0;
}

static void stg_3_real_full_and_read_only(void **state)
{
	int status;
	pid_t pid;

	if (geteuid() != 0)
		skip_because("mounting needs root");
	assert_true(at_state_create(&f.state, &f.err));
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(on_real_file_systems());
	status = wait_for(pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip_because("no private mounts here");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int test_faults(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(case_48_parent_becomes_a_link_at_any_step),
		CASE(wire_2_loses_nothing_that_others_write),
		CASE(without_exchange_the_window_is_named),
		CASE(stg_3_disk_trouble_at_any_step),
		CASE(half_done_and_edited_is_refused),
		CASE(stg_3_real_full_and_read_only),
	};

	return cmocka_run_group_tests_name("faults", tests, trees_in_memory, trees_on_disk);
}
