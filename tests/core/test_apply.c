#include "core/apply_fixture.h"

#include "core/act.h"
#include "core/disk.h"

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
	at_lock_patience = 5000;
	at_plan_free(&plan);
	fixture_close(&f);
	return 0;
}

static void four_set_up(void)
{
	at_plan_free(&plan);
	four_lay(&f);
	four_plan(&f, &plan);
}

/* STG-3, case 34: mode kept, programs executable, state files private, old bytes kept. */
static void stg_3_applies_and_keeps_modes(void **state)
{
	char old[PATH_MAX + 16];
	struct stat st;

	four_set_up();
	assert_true(apply(&f, &plan));
	assert_int_equal(four_count(&f, four_is_new), AT_LEN(four));
	assert_int_equal(f.applied.written, AT_LEN(four));
	assert_false(f.applied.window);
	assert_int_equal(count_temps(f.tree), 0);
	snprintf(old, sizeof(old), "%s/old-0", f.applied.backup);
	assert_true(has_text("", old, four[0].old));
	assert_int_equal(stat(old, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(f.applied.backup, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
}

/* EMIT, case 43: nothing to do, nothing written, no state directory either. */
static void emit_nothing_changed_nothing_written(void **state)
{
	uint64_t before;

	test_write(f.project, "same", "x");
	assert_true(add(&f, &plan, AT_IN_PROJECT, "same", "x", 0));
	at_plan_keep(&plan, "other", "kept");
	before = test_tree_fingerprint(f.tree);
	assert_true(apply(&f, &plan));
	assert_string_equal(f.applied.id, "");
	assert_int_equal(f.applied.written, 0);
	assert_int_equal(f.state.fd, -1);
	assert_true(before == test_tree_fingerprint(f.tree));
	assert_true(recover(&f));
	assert_false(is_half_done(&f));
	assert_true(before == test_tree_fingerprint(f.tree));
}

static void keeps_owner_and_private_mode(void **state)
{
	struct stat st;

	test_write(f.project, "p", "old");
	chmod(test_path(f.project, "p"), 0600);
	if (geteuid() == 0)
		assert_int_equal(chown(test_path(f.project, "p"), 1234, 4321), 0);
	assert_true(write_one(&f, "p", "new", 0755));
	assert_int_equal(stat(test_path(f.project, "p"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	if (geteuid() == 0)
		assert_true(st.st_uid == 1234 && st.st_gid == 4321);
	assert_true(undo(&f, NULL));
	assert_int_equal(stat(test_path(f.project, "p"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	if (geteuid() != 0)
		skip_because("another owner needs root; modes were tested");
	assert_true(st.st_uid == 1234 && st.st_gid == 4321);
}

static void only_the_mode_changes(void **state)
{
	test_write(f.project, "hook", "#!/bin/sh\n");
	assert_true(write_one(&f, "hook", "#!/bin/sh\n", 0755));
	assert_int_equal(mode_of(f.project, "hook"), 0755);
	assert_true(undo(&f, NULL));
	assert_int_equal(mode_of(f.project, "hook"), 0644);
}

/* What somebody does to `conf/settings` between plan and apply. */
static void to_other_text(const char *path)
{
	test_write("", path, "other");
}

static void to_nothing(const char *path)
{
	unlink(path);
}

static void to_link(const char *path)
{
	unlink(path);
	assert_int_equal(symlink("bystander", path), 0);
}

static void to_fifo(const char *path)
{
	unlink(path);
	assert_int_equal(mkfifo(path, 0640), 0);
}

static void to_directory(const char *path)
{
	unlink(path);
	mkdir(path, 0755);
}

static void to_two_names(const char *path)
{
	char second[PATH_MAX];

	snprintf(second, sizeof(second), "%s-too", path);
	assert_int_equal(link(path, second), 0);
}

/* And to `conf/tool`, which the plan is to create. */
static void to_dangling(const char *path)
{
	assert_int_equal(symlink("../../victim", path), 0);
}

/* Case 78, STG-3: all files are looked at before the first write. */
static void stg_3_refuses_what_changed_since(void **state)
{
	static const struct {
		size_t file;
		void (*change)(const char *path);
		enum at_code want;
	} rows[] = {
		{ 0, to_other_text, AT_ESTALE }, { 0, to_nothing, AT_ESTALE },
		{ 0, to_link, AT_EUNSAFE }, { 0, to_fifo, AT_EUNSAFE },
		{ 0, to_directory, AT_EUNSAFE }, { 0, to_two_names, AT_EUNSAFE },
		{ 2, to_other_text, AT_ESTALE }, { 2, to_dangling, AT_EUNSAFE },
		{ 2, to_directory, AT_EUNSAFE }, { 1, to_other_text, AT_ESTALE },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		uint64_t before;

		if (i) {
			tear_down(NULL);
			set_up(NULL);
		}
		four_set_up();
		rows[i].change(test_path(f.project, four[rows[i].file].path));
		before = test_tree_fingerprint(f.project);
		assert_row(i, !apply(&f, &plan));
		assert_row(i, f.err.code == rows[i].want);
		assert_row(i, strstr(f.err.path, four[rows[i].file].path) != NULL);
		assert_row(i, before == test_tree_fingerprint(f.project));
		assert_row(i, !test_exists(f.tree, "victim"));
		assert_row(i, !is_half_done(&f) && !undo(&f, NULL));
	}
}

/* Case 48: a link planted under a likely name, a parent swapped for a link. */
static void case_48_planted_links_lead_nowhere(void **state)
{
	char victim[PATH_MAX];
	uint64_t before;

	test_write(f.tree, "victim/settings", "precious\n");
	snprintf(victim, sizeof(victim), "%s/victim", f.tree);
	before = test_tree_fingerprint(victim);
	four_set_up();
	assert_int_equal(symlink("../../victim/settings",
		test_path(f.project, "conf/.settings.tmp.4242")), 0);
	assert_int_equal(symlink("../../victim/settings",
		test_path(f.project, "conf/.atconsole-0000000000000000")), 0);
	assert_true(apply(&f, &plan));
	assert_true(before == test_tree_fingerprint(victim));
	assert_true(undo(&f, NULL));
	assert_int_equal(rename(test_path(f.project, "conf"), test_path(f.project, "moved")), 0);
	assert_int_equal(symlink("../victim", test_path(f.project, "conf")), 0);
	assert_false(apply(&f, &plan));
	assert_int_equal(f.err.code, AT_EUNSAFE);
	assert_true(before == test_tree_fingerprint(victim));
}

/* Case 48: a new file is never opened through what lies at its name. */
static void case_48_a_taken_name_is_not_opened(void **state)
{
	struct at_bytes text = at_bytes_of("new");

	test_write(f.project, "taken", "precious");
	assert_int_equal(symlink("taken", test_path(f.project, "link")), 0);
	assert_int_equal(symlink("nowhere", test_path(f.project, "dangling")), 0);
	assert_false(at_disk_create(f.root, "taken", text, 0600, AT_NO_OWNER, AT_NO_GROUP));
	assert_int_equal(errno, EEXIST);
	assert_false(at_disk_create(f.root, "link", text, 0600, AT_NO_OWNER, AT_NO_GROUP));
	assert_false(at_disk_create(f.root, "dangling", text, 0600, AT_NO_OWNER, AT_NO_GROUP));
	assert_true(has_text(f.project, "taken", "precious"));
	assert_false(test_exists(f.project, "nowhere"));
	assert_true(at_disk_create(f.root, "free", text, 0640, AT_NO_OWNER, AT_NO_GROUP));
	assert_false(at_disk_move(f.root, "free", "taken"));
	assert_true(has_text(f.project, "taken", "precious"));
	assert_int_equal(mode_of(f.project, "free"), 0640);
}

/* Two at once: one wins, the other is told that its base changed; no mixture. */
static bool apply_a(struct fixture *fix)
{
	struct at_plan own;

	at_plan_init(&own);
	for (size_t i = 0; i < plan.count; i++)
		if (!add(fix, &own, AT_IN_PROJECT, plan.changes[i].path, "from a\n", 0))
			return false;
	raise(SIGSTOP);
	return apply(fix, &own);
}

static bool apply_b(struct fixture *fix)
{
	struct at_plan own;

	at_plan_init(&own);
	for (size_t i = plan.count; i-- > 0;)
		if (!add(fix, &own, AT_IN_PROJECT, plan.changes[i].path, "from b\n", 0))
			return false;
	raise(SIGSTOP);
	return apply(fix, &own);
}

static void two_at_once_do_not_mix(void **state)
{
	static const char *const paths[] = { "one", "two", "three/x" };

	for (unsigned round = 0; round < 20; round++) {
		bool (*const acts[])(struct fixture *) = { apply_a, apply_b };
		int status[2];
		pid_t pid[2];
		bool a;

		tear_down(NULL);
		set_up(NULL);
		assert_true(at_state_create(&f.state, &f.err));
		for (size_t i = 0; i < AT_LEN(paths); i++) {
			test_write(f.project, paths[i], "base\n");
			assert_true(add(&f, &plan, AT_IN_PROJECT, paths[i], "x", 0));
		}
		for (size_t i = 0; i < 2; i++) {
			pid[i] = start(&f, "no-sync", acts[i]);
			assert_true(WIFSTOPPED(wait_for(pid[i])));
		}
		for (size_t i = 0; i < 2; i++)
			kill(pid[(i + round) % 2], SIGCONT);
		for (size_t i = 0; i < 2; i++)
			status[i] = wait_for(pid[i]);
		a = ended_with(status[0], 0);
		assert_true(ended_with(status[a], AT_ESTALE));
		assert_true(ended_with(status[!a], 0));
		for (size_t i = 0; i < AT_LEN(paths); i++)
			assert_true(has_text(f.project, paths[i], a ? "from a\n" : "from b\n"));
	}
}

static bool hold_lock(struct fixture *fix)
{
	return at_lock_take(&fix->state, &fix->err) >= 0 && raise(SIGSTOP) == 0;
}

static void a_busy_project_names_the_other(void **state)
{
	char name[32];
	uint64_t before;
	pid_t other;

	four_set_up();
	before = test_tree_fingerprint(f.project);
	other = start(&f, "no-sync", hold_lock);
	assert_true(WIFSTOPPED(wait_for(other)));
	at_lock_patience = 60;
	assert_false(apply(&f, &plan));
	assert_int_equal(f.err.code, AT_EEXIST);
	snprintf(name, sizeof(name), "process %ld", (long)other);
	assert_non_null(strstr(f.err.message, name));
	assert_true(before == test_tree_fingerprint(f.project));
	kill(other, SIGKILL);
	wait_for(other);
	assert_true(apply(&f, &plan));
}

static void a_damaged_record_is_said(void **state)
{
	char record[PATH_MAX + 16];
	struct at_buf text;

	four_set_up();
	assert_true(apply(&f, &plan));
	snprintf(record, sizeof(record), "%s/done", f.applied.backup);
	text = test_read("", record);
	for (size_t i = 0; i < text.len; i += 7) {
		text.data[i] ^= 1;
		test_write_bytes("", record, text.data, text.len);
		assert_row(i, !undo(&f, NULL));
		assert_row(i, f.err.code == AT_EPARSE);
		text.data[i] ^= 1;
	}
	for (size_t len = 0; len < text.len; len += 11) {
		test_write_bytes("", record, text.data, len);
		assert_row(len, !undo(&f, NULL) && f.err.code == AT_EPARSE);
	}
	test_write_bytes("", record, text.data, text.len);
	assert_true(undo(&f, NULL));
	at_buf_free(&text);
}

static void odd_names_survive_the_journal(void **state)
{
	static const char *const names[] = {
		"with space", "new\nline", "per%cent %0a", "\x01\x7f", "\xff\xfe", "a/b c/d\n/e",
		"end 0000",
	};
	uint64_t before = test_tree_fingerprint(f.project);

	for (size_t i = 0; i < AT_LEN(names); i++)
		assert_row(i, add(&f, &plan, AT_IN_PROJECT, names[i], names[i], 0));
	assert_true(apply(&f, &plan));
	for (size_t i = 0; i < AT_LEN(names); i++)
		assert_row(i, has_text(f.project, names[i], names[i]));
	assert_true(undo(&f, NULL));
	assert_true(before == test_tree_fingerprint(f.project));
}

static void the_journal_is_not_for_plans(void **state)
{
	static const char *const paths[] = { "lock", "journal", "journal/x", "journal/1-1/done" };

	for (size_t i = 0; i < AT_LEN(paths); i++) {
		struct at_plan one;

		at_plan_init(&one);
		if (add(&f, &one, AT_IN_STATE, paths[i], "x", 0))
			assert_row(i, !apply(&f, &one));
		at_plan_free(&one);
	}
	assert_true(add(&f, &plan, AT_IN_PROJECT, "x", "x", 0));
	assert_false(at_plan_apply(&plan, f.root, &f.state, "Not a name", &f.applied, &f.err));
	assert_false(at_plan_apply(&plan, f.root, &f.state, "", &f.applied, &f.err));
	assert_false(test_exists(f.project, "x"));
}

static void the_journal_forgets_the_oldest(void **state)
{
	char text[16], path[PATH_MAX + 16];
	const struct dirent *item;
	size_t entries = 0;
	DIR *dir;

	for (int i = 0; i < 60; i++) {
		snprintf(text, sizeof(text), "%d\n", i);
		assert_true(write_one(&f, "counter", text, 0));
	}
	snprintf(path, sizeof(path), "%s/journal", f.state.path);
	dir = opendir(path);
	assert_non_null(dir);
	while ((item = readdir(dir)))
		entries += item->d_name[0] != '.';
	closedir(dir);
	assert_int_equal(entries, 50);
	for (int i = 58; i >= 50; i--) {
		assert_true(undo(&f, NULL));
		snprintf(text, sizeof(text), "%d\n", i);
		assert_true(has_text(f.project, "counter", text));
	}
}

static void a_foreign_file_is_not_taken_over(void **state)
{
	uint64_t before;
	int status;
	pid_t pid;

	if (geteuid() != 0)
		skip_because("needs root to lay a file of another owner");
	assert_true(at_state_create(&f.state, &f.err));
	test_write(f.project, "theirs", "old");
	assert_int_equal(chown(f.tree, 65534, 65534), 0);
	assert_int_equal(chown(f.project, 65534, 65534), 0);
	assert_int_equal(chown(f.state.path, 65534, 65534), 0);
	assert_true(add(&f, &plan, AT_IN_PROJECT, "theirs", "new", 0));
	before = test_tree_fingerprint(f.project);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(99);
		_exit(apply(&f, &plan) ? 0 : 100 + (int)f.err.code);
	}
	status = wait_for(pid);
	assert_true(ended_with(status, AT_EUNSAFE));
	assert_true(before == test_tree_fingerprint(f.project));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int test_apply(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(stg_3_applies_and_keeps_modes),
		CASE(emit_nothing_changed_nothing_written),
		CASE(keeps_owner_and_private_mode),
		CASE(only_the_mode_changes),
		CASE(stg_3_refuses_what_changed_since),
		CASE(case_48_planted_links_lead_nowhere),
		CASE(case_48_a_taken_name_is_not_opened),
		CASE(two_at_once_do_not_mix),
		CASE(a_busy_project_names_the_other),
		CASE(a_damaged_record_is_said),
		CASE(odd_names_survive_the_journal),
		CASE(the_journal_is_not_for_plans),
		CASE(the_journal_forgets_the_oldest),
		CASE(a_foreign_file_is_not_taken_over),
	};

	return cmocka_run_group_tests_name("apply", tests, NULL, NULL);
}
