#include "emit/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* EMIT-15: outside a sandbox all is well; nothing is left behind, no time is changed. */
static void emit_15_leaves_nothing(void **state)
{
	struct fixture f;
	struct stat before, after;
	uint64_t print;

	fixture_begin(&f, "{}");
	assert_true(at_emit_probe(&f.project, &f.err)); /* no team yet: cannot tell */
	fixture_update(&f);
	print = test_tree_fingerprint(f.project_path);
	assert_int_equal(stat(test_path(f.project_path, REFS "agent-privilege.json"), &before), 0);
	assert_true(at_emit_probe(&f.project, &f.err));
	assert_int_equal(stat(test_path(f.project_path, REFS "agent-privilege.json"), &after), 0);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	assert_int_equal(before.st_size, after.st_size);
	assert_true(test_tree_fingerprint(f.project_path) == print);
	fixture_end(&f);
}

/* EMIT-15: FIFOs, links and directories in the way are not waited for and not judged. */
static void emit_15_odd_files(void **state)
{
	struct fixture f;

	fixture_begin(&f, "{}");
	fixture_write(&f, REFS "x", "");
	assert_int_equal(mkfifo(test_path(f.project_path, REFS "agent-privilege.json"), 0644), 0);
	assert_int_equal(symlink("/etc/shadow",
		test_path(f.project_path, REFS "security-approvers.txt")), 0);
	fixture_write(&f, REFS "authorized-managers.txt/x", "");
	assert_true(at_emit_probe(&f.project, &f.err));
	fixture_end(&f);
}

/* In a child that is nobody, or sees the path read-only: 0 when the probe passed, 1 when it
 * was denied as it should be, 2 otherwise, 77 when the child could not be set up. */
static int probe_in_child(struct fixture *f, bool as_nobody, const char *read_only)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct at_project project = f->project;

		if (read_only && (unshare(CLONE_NEWNS) != 0 ||
			mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
			mount(read_only, read_only, NULL, MS_BIND, NULL) != 0 ||
			mount(NULL, read_only, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) != 0))
			_exit(77);
		if (as_nobody && geteuid() == 0 && setuid(65534) != 0)
			_exit(77);
		project.fd = open(project.path, O_RDONLY | O_DIRECTORY);
		if (project.fd < 0)
			_exit(77);
		if (at_emit_probe(&project, &f->err))
			_exit(0);
		_exit(f->err.code == AT_EDENIED && strstr(f->err.message, "write-denied") ? 1 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* EMIT-15: a team directory that may not be written is a refusal; a control file that its
 * mode alone protects is not. */
static void emit_15_denied_by_mode(void **state)
{
	struct fixture f;
	int got;

	fixture_begin(&f, "{}");
	fixture_update(&f);
	assert_int_equal(chmod(f.top, 0755), 0);
	assert_int_equal(chmod(test_path(f.project_path, ".claude/agents"), 0555), 0);
	got = probe_in_child(&f, true, NULL);
	if (got == 77)
		skip_because("the user cannot be changed here");
	assert_int_equal(got, 1);
	assert_int_equal(chmod(test_path(f.project_path, ".claude/agents"), 0777), 0);
	assert_int_equal(chmod(test_path(f.project_path, ".claude/agents/references"), 0777), 0);
	assert_int_equal(chmod(test_path(f.project_path, REFS "agent-privilege.json"), 0444), 0);
	assert_int_equal(probe_in_child(&f, true, NULL), 0);
	fixture_end(&f);
}

/* EMIT-15: what a sandbox does: read-only mounts on single control files. */
static void emit_15_denied_by_mount(void **state)
{
	static const char *const rows[] = { ".claude", ".claude/agents",
		".claude/agents/references", REFS "agent-privilege.json",
		REFS "authorized-verify-keys/README.md", REFS "security-approvers.txt",
		REFS "authorized-managers.txt", REFS "management-authority.json" };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;
		int got;

		fixture_begin(&f, "{}");
		fixture_update(&f);
		got = probe_in_child(&f, false, test_path(f.project_path, rows[i]));
		fixture_end(&f);
		if (got == 77)
			skip_because("no private mounts here (needs root)");
		assert_row(i, got == 1);
	}
}

int test_probe(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_15_leaves_nothing),
		cmocka_unit_test(emit_15_odd_files),
		cmocka_unit_test(emit_15_denied_by_mode),
		cmocka_unit_test(emit_15_denied_by_mount),
	};

	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
