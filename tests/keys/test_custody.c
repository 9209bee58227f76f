/* Where a private key may lie, and what is opened there. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "keys/custody.h"
#include "support/support.h"

#define FOREIGN 4242

struct ground {
	char *dir;
	const char *agents[2];
	struct at_custody_place place;
};

static void write_key(const char *dir, const char *path, mode_t mode)
{
	test_write(dir, path, "a key's text");
	assert_int_equal(chmod(test_path(dir, path), mode), 0);
}

static void make_dir(const char *dir, const char *path, mode_t mode)
{
	assert_true(mkdir(test_path(dir, path), 0700) == 0 || test_exists(dir, path));
	assert_int_equal(chmod(test_path(dir, path), mode), 0);
}

static void ground_begin(struct ground *g)
{
	static char project[600], root[600];

	g->dir = test_tree_new();
	assert_int_equal(chmod(g->dir, 0755), 0);
	make_dir(g->dir, "keys", 0700);
	make_dir(g->dir, "project", 0755);
	snprintf(project, sizeof(project), "%s/project", g->dir);
	snprintf(root, sizeof(root), "%s/not/yet", g->dir);
	g->agents[0] = project;
	g->agents[1] = root;
	g->place = (struct at_custody_place){ g->agents, 2 };
}

static void plain(const char *d)
{
	write_key(d, "keys/op.pem", 0600);
}

static void read_only(const char *d)
{
	write_key(d, "keys/op.pem", 0400);
}

static void group_readable(const char *d)
{
	write_key(d, "keys/op.pem", 0640);
}

static void world_readable(const char *d)
{
	write_key(d, "keys/op.pem", 0604);
}

static void set_id(const char *d)
{
	write_key(d, "keys/op.pem", 04600);
}

static void foreign(const char *d)
{
	write_key(d, "keys/op.pem", 0600);
	assert_int_equal(chown(test_path(d, "keys/op.pem"), FOREIGN, FOREIGN), 0);
}

static void foreign_dir(const char *d)
{
	write_key(d, "keys/op.pem", 0600);
	assert_int_equal(chown(test_path(d, "keys"), FOREIGN, FOREIGN), 0);
}

static void link_to_key(const char *d)
{
	write_key(d, "keys/real.pem", 0600);
	assert_int_equal(symlink("real.pem", test_path(d, "keys/op.pem")), 0);
}

static void link_to_nothing(const char *d)
{
	assert_int_equal(symlink("/nowhere", test_path(d, "keys/op.pem")), 0);
}

static void link_above(const char *d)
{
	make_dir(d, "real", 0700);
	write_key(d, "real/op.pem", 0600);
	assert_int_equal(rmdir(test_path(d, "keys")), 0);
	assert_int_equal(symlink("real", test_path(d, "keys")), 0);
}

static void hard_link(const char *d)
{
	char other[600];

	write_key(d, "keys/op.pem", 0600);
	snprintf(other, sizeof(other), "%s/elsewhere", d);
	assert_int_equal(link(test_path(d, "keys/op.pem"), other), 0);
}

static void fifo(const char *d)
{
	assert_int_equal(mkfifo(test_path(d, "keys/op.pem"), 0600), 0);
}

static void directory(const char *d)
{
	make_dir(d, "keys/op.pem", 0700);
}

static void socket_file(const char *d)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(name.sun_path, sizeof(name.sun_path), "%.100s", test_path(d, "keys/op.pem"));
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	close(fd);
}

static void huge(const char *d)
{
	write_key(d, "keys/op.pem", 0600);
	assert_int_equal(truncate(test_path(d, "keys/op.pem"), (off_t)1 << 30), 0);
}

static void at_the_cap(const char *d)
{
	write_key(d, "keys/op.pem", 0600);
	assert_int_equal(truncate(test_path(d, "keys/op.pem"), 65536), 0);
}

static void empty(const char *d)
{
	test_write(d, "keys/op.pem", "");
	assert_int_equal(chmod(test_path(d, "keys/op.pem"), 0600), 0);
}

static void open_dir(const char *d)
{
	write_key(d, "keys/op.pem", 0600);
	make_dir(d, "keys", 0770);
}

static void open_above(const char *d)
{
	write_key(d, "keys/op.pem", 0600);
	assert_int_equal(chmod(d, 0757), 0);
}

static void own_sticky(const char *d)
{
	write_key(d, "keys/op.pem", 0600);
	make_dir(d, "keys", 01777);
	if (geteuid() == 0)
		assert_int_equal(chown(test_path(d, "keys"), FOREIGN, FOREIGN), 0);
}

static void root_s_sticky(const char *d)
{
	write_key(d, "keys/op.pem", 0600);
	make_dir(d, "keys", 01777);
}

static void in_project(const char *d)
{
	write_key(d, "project/op.pem", 0600);
}

static void below_project(const char *d)
{
	make_dir(d, "project/deep", 0700);
	write_key(d, "project/deep/op.pem", 0600);
}

static void nothing(const char *d)
{
	(void)d;
}

static const struct {
	void (*make)(const char *dir);
	const char *path, *id; /* NULL: it is read; "": AT_ENOENT */
	bool as_root;
} rows[] = {
	{ plain, "keys/op.pem", NULL, false },
	{ plain, "keys/../keys//op.pem", NULL, false },
	{ read_only, "keys/op.pem", NULL, false },
	{ empty, "keys/op.pem", NULL, false },
	{ at_the_cap, "keys/op.pem", NULL, false },
	{ root_s_sticky, "keys/op.pem", NULL, true },
	{ nothing, "keys/op.pem", "", false },
	{ nothing, "nowhere/op.pem", "", false },
	{ group_readable, "keys/op.pem", "custody-mode", false },
	{ world_readable, "keys/op.pem", "custody-mode", false },
	{ set_id, "keys/op.pem", "custody-mode", false },
	{ foreign, "keys/op.pem", "custody-owner", true },
	{ foreign_dir, "keys/op.pem", "custody-directory", true },
	{ link_to_key, "keys/op.pem", "custody-link", false },
	{ link_to_nothing, "keys/op.pem", "custody-link", false },
	{ link_above, "keys/op.pem", "custody-link", false },
	{ hard_link, "keys/op.pem", "custody-hard-link", false },
	{ fifo, "keys/op.pem", "custody-kind", false },
	{ directory, "keys/op.pem", "custody-kind", false },
	{ socket_file, "keys/op.pem", "custody-kind", false },
	{ plain, "keys/op.pem/x", "custody-kind", false },
	{ huge, "keys/op.pem", "custody-size", false },
	{ open_dir, "keys/op.pem", "custody-directory", false },
	{ open_above, "keys/op.pem", "custody-directory", false },
	{ own_sticky, "keys/op.pem", "custody-directory", false },
	{ in_project, "project/op.pem", "custody-place", false },
	{ below_project, "project/deep/op.pem", "custody-place", false },
};

static void check_row(size_t i)
{
	struct at_error err = { 0 }, looked = { 0 };
	struct at_secret text;
	struct ground g;
	const char *path;
	bool done, fine;

	ground_begin(&g);
	rows[i].make(g.dir);
	path = test_path(g.dir, rows[i].path);
	done = at_custody_read(&text, path, &g.place, &err);
	fine = at_custody_check(path, &g.place, &looked);
	if (done != !rows[i].id || fine != done)
		fail_msg("row %zu: %s", i, done ? "read" : err.message);
	if (done) {
		at_secret_free(&text);
	} else {
		if (strcmp(err.id, rows[i].id) || strcmp(looked.id, rows[i].id))
			fail_msg("row %zu: %s (%s)", i, err.id, err.message);
		assert_row(i, *rows[i].id || err.code == AT_ENOENT);
		assert_row(i, !text.bytes && strstr(err.message, g.dir));
	}
	test_tree_remove(g.dir);
}

static void key_1_custody(void **state)
{
	time_t start = time(NULL);
	size_t skipped = 0;

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		if (rows[i].as_root && geteuid() != 0)
			skipped++;
		else
			check_row(i);
	}
	assert_true(time(NULL) - start < 20); /* nothing was waited for */
	if (skipped)
		skip_because("%zu rows of custody need root, to give a file away", skipped);
}

/* Case 84: the message says which file and what to type. */
static void key_1_case_84(void **state)
{
	struct at_error err = { 0 };
	struct at_secret text;
	struct ground g;
	char want[600];

	(void)state;
	ground_begin(&g);
	make_dir(g.dir, "keys", 0755);
	write_key(g.dir, "keys/op.key", 0644);
	make_dir(g.dir, "keys2", 0700);
	write_key(g.dir, "keys2/op.key", 0600);
	assert_false(at_custody_read(&text, test_path(g.dir, "keys/op.key"), &g.place, &err));
	snprintf(want, sizeof(want), "chmod 600 %s/keys/op.key", g.dir);
	assert_string_equal(err.hint, want);
	assert_non_null(strstr(err.message, "its mode is 0644"));
	assert_true(at_custody_read(&text, test_path(g.dir, "keys2/op.key"), &g.place, &err));
	assert_true(at_bytes_equal_text(at_secret_bytes(&text), "a key's text"));
	at_secret_free(&text);
	assert_false(at_custody_read(&text, "keys2/op.key", &g.place, &err));
	assert_non_null(strstr(err.message, "absolute"));
	test_tree_remove(g.dir);
}

/* The same directory under another path is still the project. */
static void key_1_a_bind_mount_hides_no_project(void **state)
{
	struct at_error err = { 0 };
	struct at_secret text;
	struct ground g;
	const char *agents[1];
	static char through[600];

	(void)state;
	ground_begin(&g);
	write_key(g.dir, "project/op.pem", 0600);
	/* A caller's path through a link stands for the second mount: text alone would not do. */
	assert_int_equal(symlink("project", test_path(g.dir, "alias")), 0);
	snprintf(through, sizeof(through), "%s/alias", g.dir);
	agents[0] = through;
	g.place = (struct at_custody_place){ agents, 1 };
	assert_false(at_custody_read(&text, test_path(g.dir, "project/op.pem"), &g.place, &err));
	assert_string_equal(err.id, "custody-place");
	test_tree_remove(g.dir);
}

int test_custody(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_1_custody),
		cmocka_unit_test(key_1_case_84),
		cmocka_unit_test(key_1_a_bind_mount_hides_no_project),
	};

	return cmocka_run_group_tests_name("custody", tests, NULL, NULL);
}
