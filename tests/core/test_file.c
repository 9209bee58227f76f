#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/fault.h"
#include "core/file.h"

/* Every test runs twice: with the kernel's own resolution and with the walk. */
static char *tree;
static int root;

static void make_socket(const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	close(fd);
}

static int set_up(const char *fault)
{
	at_fault_set(fault);
	tree = test_tree_new();
	test_write(tree, "dir/sub/file", "hello");
	test_write(tree, "outside", "secret");
	test_write(tree, "root/plain", "text");
	test_write(tree, "root/empty", "");
	test_write(tree, "root/d/e/deep", "deep");
	test_write_bytes(tree, "root/nul", "a\0b", 3);
	assert_int_equal(symlink("plain", test_path(tree, "root/link")), 0);
	assert_int_equal(symlink("nowhere", test_path(tree, "root/dangling")), 0);
	assert_int_equal(symlink("d", test_path(tree, "root/dlink")), 0);
	assert_int_equal(symlink("..", test_path(tree, "root/up")), 0);
	assert_int_equal(mkfifo(test_path(tree, "root/fifo"), 0600), 0);
	make_socket(test_path(tree, "root/socket"));
	assert_int_equal(link(test_path(tree, "root/plain"), test_path(tree, "twice")), 0);
	root = open(test_path(tree, "root"), O_RDONLY | O_DIRECTORY);
	return root < 0;
}

static int by_kernel(void **state)
{
	return set_up(NULL);
}

static int by_walk(void **state)
{
	return set_up("no-openat2");
}

static int tear_down(void **state)
{
	close(root);
	test_tree_remove(tree);
	at_fault_set(NULL);
	return 0;
}

/* STG-3: links, specials and ways out are refused and never waited for. */
static void stg_3_refuses_what_is_no_plain_file(void **state)
{
	static const struct { const char *path; enum at_code want; } rows[] = {
		{ "plain", AT_OK }, { "empty", AT_OK }, { "d/e/deep", AT_OK }, { "d//e/deep", AT_OK },
		{ "nul", AT_OK }, { "link", AT_EUNSAFE }, { "dangling", AT_EUNSAFE },
		{ "dlink/e/deep", AT_EUNSAFE }, { "up/outside", AT_EUNSAFE },
		{ "../outside", AT_EUNSAFE }, { "d/../plain", AT_EUNSAFE },
		{ "d/..", AT_EUNSAFE }, { "", AT_EUNSAFE }, { "/etc/passwd", AT_EUNSAFE },
		{ "fifo", AT_EUNSAFE }, { "socket", AT_EUNSAFE }, { "d", AT_EUNSAFE },
		{ "plain/x", AT_EUNSAFE }, { "fifo/x", AT_EUNSAFE }, { "absent", AT_ENOENT },
		{ "absent/x", AT_ENOENT },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_error err = { 0 };
		struct at_file file;
		bool ok = at_file_read(&file, root, rows[i].path, 100, 0, &err);

		if (ok != (rows[i].want == AT_OK) || (!ok && err.code != rows[i].want))
			fail_msg("row %zu %s: code %d, %s", i, rows[i].path, err.code, err.message);
		assert_row(i, file.exists == ok);
		at_file_free(&file);
	}
}

/* A link is called one, whichever way the kernel opens. */
static void a_linked_directory_is_called_a_link(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct at_error err;

		at_fault_set(i ? "no-openat2" : NULL);
		assert_int_equal(at_file_open_dir(root, "dlink", &err), -1);
		assert_string_equal(err.id, "unsafe-link");
		assert_int_equal(at_file_open_dir(root, "plain", &err), -1);
		assert_string_equal(err.id, "unsafe-special");
	}
}

static void absent_may_be_fine(void **state)
{
	struct at_error err;
	struct at_file file;

	assert_true(at_file_read(&file, root, "absent", 9, AT_FILE_MAY_BE_ABSENT, &err));
	assert_false(file.exists);
	assert_true(at_file_read(&file, root, "no/dir", 9, AT_FILE_MAY_BE_ABSENT, &err));
	assert_false(file.exists);
	assert_false(at_file_read(&file, root, "dangling", 9, AT_FILE_MAY_BE_ABSENT, &err));
	assert_int_equal(err.code, AT_EUNSAFE);
	assert_string_equal(err.id, "unsafe-link");
	assert_string_equal(err.path, "dangling");
}

static void the_cap_is_exact(void **state)
{
	static const struct { size_t cap; bool ok; } rows[] = {
		{ 3, true }, { 2, false }, { 0, false }, { 4, true },
	};
	struct at_digest want = at_digest_of((struct at_bytes){ "a\0b", 3 });

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_error err;
		struct at_file file;

		assert_row(i, at_file_read(&file, root, "nul", rows[i].cap, 0, &err) == rows[i].ok);
		assert_row(i, rows[i].ok || err.code == AT_ELIMIT);
		assert_row(i, !rows[i].ok || (file.bytes.len == 3 && file.bytes.data[3] == '\0'));
		assert_row(i, !rows[i].ok || at_digest_equal(&file.digest, &want));
		at_file_free(&file);
	}
}

/* Its size says 0, its bytes go on: as a file that grows while it is read. */
static void a_file_that_grows_is_cut_by_the_cap(void **state)
{
	int proc = open("/proc/self", O_RDONLY | O_DIRECTORY);
	struct at_error err;
	struct at_file file;

	if (proc < 0)
		skip_because("no /proc");
	assert_false(at_file_read(&file, proc, "status", 16, 0, &err));
	assert_int_equal(err.code, AT_ELIMIT);
	assert_null(file.bytes.data);
	assert_true(at_file_read(&file, proc, "status", 1 << 20, 0, &err));
	assert_true(file.bytes.len > 16);
	at_file_free(&file);
	close(proc);
}

static void a_second_name_matters_when_asked(void **state)
{
	struct at_error err;
	struct at_file file;

	assert_true(at_file_read(&file, root, "plain", 99, 0, &err));
	assert_int_equal(file.links, 2);
	at_file_free(&file);
	assert_false(at_file_read(&file, root, "plain", 99, AT_FILE_SINGLE_LINK, &err));
	assert_int_equal(err.code, AT_EUNSAFE);
	assert_string_equal(err.id, "unsafe-hard-link");
}

static void facts_come_from_the_descriptor(void **state)
{
	struct at_error err;
	struct at_file file;
	struct stat st;

	assert_int_equal(chmod(test_path(tree, "root/empty"), 0640), 0);
	assert_int_equal(stat(test_path(tree, "root/empty"), &st), 0);
	assert_true(at_file_read(&file, root, "empty", 0, AT_FILE_SINGLE_LINK, &err));
	assert_int_equal(file.mode, 0640);
	assert_int_equal(file.owner, st.st_uid);
	assert_int_equal(file.group, st.st_gid);
	assert_true(file.inode == st.st_ino && file.device == st.st_dev);
	at_file_free(&file);
}

static void unreadable_says_so(void **state)
{
	struct at_error err;
	struct at_file file;

	if (geteuid() == 0)
		skip_because("root may read everything");
	assert_int_equal(chmod(test_path(tree, "root/empty"), 0), 0);
	assert_false(at_file_read(&file, root, "empty", 9, AT_FILE_MAY_BE_ABSENT, &err));
	assert_int_equal(err.code, AT_EIO);
	assert_int_equal(err.sys, EACCES);
}

static void directories(void **state)
{
	static const struct { const char *path; enum at_code want; } rows[] = {
		{ ".", AT_OK }, { "d/e", AT_OK }, { "d/e/", AT_OK }, { "/", AT_OK },
		{ "plain", AT_EUNSAFE }, { "dlink", AT_EUNSAFE }, { "dlink/e", AT_EUNSAFE },
		{ "up", AT_EUNSAFE }, { "..", AT_EUNSAFE }, { "/..", AT_EUNSAFE },
		{ "gone", AT_ENOENT }, { "", AT_EUNSAFE },
	};
	struct at_error err;
	int fd;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		err.code = AT_OK;
		fd = at_file_open_dir(root, rows[i].path, &err);
		assert_row(i, (fd >= 0) == (rows[i].want == AT_OK));
		assert_row(i, fd >= 0 || err.code == rows[i].want);
		if (fd >= 0)
			close(fd);
	}
	fd = at_file_open_dir(-1, test_path(tree, "root/d"), &err);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(at_file_open_dir(-1, test_path(tree, "root/dlink"), &err), -1);
	assert_int_equal(err.code, AT_EUNSAFE);
}

static void parents(void **state)
{
	static const struct { const char *path, *name; } rows[] = {
		{ "plain", "plain" }, { "d/e/new", "new" }, { "d/e/", NULL }, { "d/.", NULL },
		{ "d/..", NULL }, { "dlink/x", NULL }, { "/abs", NULL }, { "gone/x", NULL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_error err;
		const char *name;
		int fd = at_file_open_parent(root, rows[i].path, &name, &err);

		assert_row(i, (fd >= 0) == (rows[i].name != NULL));
		assert_row(i, fd < 0 || strcmp(name, rows[i].name) == 0);
		if (fd >= 0)
			close(fd);
	}
}

static void types(void **state)
{
	static const struct { const char *path; enum at_file_type want; } rows[] = {
		{ "plain", AT_FILE_REGULAR }, { "d", AT_FILE_DIRECTORY }, { "link", AT_FILE_LINK },
		{ "dangling", AT_FILE_LINK }, { "fifo", AT_FILE_SPECIAL },
		{ "socket", AT_FILE_SPECIAL }, { "gone", AT_FILE_ABSENT },
		{ "gone/x", AT_FILE_ABSENT }, { "dlink/e", AT_FILE_BLOCKED },
		{ "plain/x", AT_FILE_BLOCKED }, { "../outside", AT_FILE_BLOCKED },
		{ "dangling/x", AT_FILE_BLOCKED },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, at_file_type(root, rows[i].path) == rows[i].want);
}

/* WIRE-2: a settings file that is a link into a dotfiles directory. */
static void wire_2_tells_where_a_link_leads(void **state)
{
	struct at_error err;
	struct at_link link;
	const char *project = test_path(tree, "root");

	assert_true(at_file_link(&link, root, project, "plain", &err));
	assert_false(link.is_link);
	assert_true(at_file_link(&link, root, project, "gone", &err));
	assert_false(link.is_link);
	assert_true(at_file_link(&link, root, project, "link", &err));
	assert_true(link.is_link && link.inside && link.type == AT_FILE_REGULAR);
	assert_string_equal(link.target, "plain");
	assert_int_equal(link.owner, geteuid());
	assert_false(link.way_open);
	assert_true(at_file_link(&link, root, project, "dangling", &err));
	assert_true(link.inside && link.type == AT_FILE_ABSENT);
	assert_int_equal(symlink("../dir/sub/file", test_path(tree, "root/out")), 0);
	assert_true(at_file_link(&link, root, project, "out", &err));
	assert_true(link.is_link && !link.inside && !link.way_open);
	assert_string_equal(link.target, test_path(tree, "dir/sub/file"));
	assert_int_equal(chmod(test_path(tree, "dir"), 0777), 0);
	assert_true(at_file_link(&link, root, project, "out", &err));
	assert_true(link.way_open);
	assert_false(at_file_link(&link, root, project, "dlink/e", &err));
	assert_int_equal(err.code, AT_EUNSAFE);
	assert_int_equal(symlink("loop", test_path(tree, "root/loop")), 0);
	assert_false(at_file_link(&link, root, project, "loop", &err));
}

static void same_size(void)
{
	test_write(tree, "root/plain", "TEXT");
}

static void more_bytes(void)
{
	test_write(tree, "root/plain", "text and more");
}

static void renamed_over(void)
{
	test_write(tree, "root/other", "text");
	assert_int_equal(renameat(root, "other", root, "plain"), 0);
}

static void removed(void)
{
	assert_int_equal(unlinkat(root, "plain", 0), 0);
}

static void other_mode(void)
{
	assert_int_equal(fchmodat(root, "plain", 0640, 0), 0);
}

static void other_times(void)
{
	const struct timespec then[2] = { { 1, 0 }, { 1, 0 } };

	test_write(tree, "root/plain", "TEXT");
	assert_int_equal(utimensat(root, "plain", then, 0), 0);
}

static void linked(void)
{
	removed();
	assert_int_equal(symlinkat("d/e/deep", root, "plain"), 0);
}

static void nothing(void)
{
}

/* By the stamp where it is old enough, else by the bytes: no change is missed. */
static void no_change_of_a_file_is_missed(void **state)
{
	static const struct {
		void (*change)(void);
		bool still;
	} rows[] = {
		{ nothing, true }, { same_size, false }, { more_bytes, false },
		{ renamed_over, false }, { removed, false }, { other_mode, false },
		{ other_times, false }, { linked, false },
	};
	struct at_error err;

	for (size_t i = 0; i < 2 * AT_LEN(rows); i++) {
		struct at_file file;

		unlinkat(root, "plain", 0);
		test_write(tree, "root/plain", "text");
		assert_true(at_file_read(&file, root, "plain", 100, 0, &err));
		assert_false(file.stamp.is_settled);
		usleep(20000);
		file.stamp.is_settled = i % 2;
		rows[i / 2].change();
		assert_row(i, at_file_is_still(&file, root, "plain") == rows[i / 2].still);
		at_file_free(&file);
	}
	(void)state;
}

static void absent_is_still_absent(void **state)
{
	struct at_error err;
	struct at_file file;

	(void)state;
	assert_true(at_file_read(&file, root, "none", 100, AT_FILE_MAY_BE_ABSENT, &err));
	assert_true(at_file_is_still(&file, root, "none"));
	test_write(tree, "root/none", "");
	assert_false(at_file_is_still(&file, root, "none"));
}

#define BOTH_WAYS(test)                                                                            \
	{ #test " (kernel)", test, by_kernel, tear_down, NULL },                                   \
	{ #test " (walk)", test, by_walk, tear_down, NULL }

int test_file(void)
{
	static const struct CMUnitTest tests[] = {
		BOTH_WAYS(stg_3_refuses_what_is_no_plain_file),
		BOTH_WAYS(a_linked_directory_is_called_a_link),
		BOTH_WAYS(absent_may_be_fine),
		BOTH_WAYS(the_cap_is_exact),
		BOTH_WAYS(a_file_that_grows_is_cut_by_the_cap),
		BOTH_WAYS(a_second_name_matters_when_asked),
		BOTH_WAYS(facts_come_from_the_descriptor),
		BOTH_WAYS(unreadable_says_so),
		BOTH_WAYS(directories),
		BOTH_WAYS(parents),
		BOTH_WAYS(types),
		BOTH_WAYS(wire_2_tells_where_a_link_leads),
		BOTH_WAYS(no_change_of_a_file_is_missed),
		BOTH_WAYS(absent_is_still_absent),
	};

	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
