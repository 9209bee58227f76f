#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/state.h"

static char *home;
static struct at_state found;
static struct at_error err;

static int set_up(void **state)
{
	home = test_tree_new();
	return 0;
}

static int tear_down(void **state)
{
	at_state_close(&found);
	test_tree_remove(home);
	umask(022);
	return 0;
}

static bool find(const char *project)
{
	at_state_close(&found);
	return at_state_find(&found, project, home, NULL, &err);
}

/* WIRE-2: <name>-<first 12 hex of the physical path's SHA-256>. */
static void wire_2_names_the_directory(void **state)
{
	static const struct { const char *project, *want; } rows[] = {
		{ "/srv/my project", "my-project-0dab8028dcfb" },
		{ "/", "root-8a5edab28263" },
		{ "/a/..x;\n\xc3\xa9", "..x-----" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		assert_row(i, find(rows[i].project));
		assert_row(i, strncmp(strrchr(found.path, '/') + 1, rows[i].want,
			strlen(rows[i].want)) == 0);
	}
	assert_true(find("/srv/my project"));
	assert_int_equal(strlen(strrchr(found.path, '/') + 1), strlen("my-project-") + 12);
	assert_true(find("/x/aaaaaaaaaabbbbbbbbbbccccccccccddddddddddTOO-LONG"));
	assert_int_equal(strlen(strrchr(found.path, '/') + 1), 40 + 1 + 12);
}

static void two_projects_of_one_name_are_two(void **state)
{
	char first[PATH_MAX];

	assert_true(find("/a/project"));
	strcpy(first, found.path);
	assert_true(find("/b/project"));
	assert_string_not_equal(first, found.path);
}

/* Case 43: looking creates nothing. */
static void looking_creates_nothing(void **state)
{
	uint64_t before = test_tree_fingerprint(home);

	assert_true(find("/srv/p"));
	assert_int_equal(found.fd, -1);
	assert_true(before == test_tree_fingerprint(home));
}

static void made_private_whatever_the_umask(void **state)
{
	struct stat st;

	umask(0);
	assert_true(find("/srv/p"));
	assert_true(at_state_create(&found, &err));
	assert_true(found.fd >= 0);
	assert_int_equal(stat(found.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(test_path(home, ".local/state/agentteams"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(test_path(home, ".local"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_true(find("/srv/p"));
	assert_true(found.fd >= 0);
	assert_true(at_state_create(&found, &err));
}

static void xdg_state_home_when_absolute(void **state)
{
	char want[PATH_MAX];

	snprintf(want, sizeof(want), "%s/else/agentteams/p-", home);
	assert_true(at_state_find(&found, "/srv/p", home, test_path(home, "else/"), &err));
	assert_int_equal(strncmp(found.path, want, strlen(want)), 0);
	snprintf(want, sizeof(want), "%s/.local/state/agentteams/p-", home);
	assert_true(at_state_find(&found, "/srv/p", home, "else", &err));
	assert_int_equal(strncmp(found.path, want, strlen(want)), 0);
	assert_true(at_state_find(&found, "/srv/p", home, "", &err));
	assert_int_equal(strncmp(found.path, want, strlen(want)), 0);
}

static void refused(const char *word)
{
	assert_false(find("/srv/p"));
	assert_int_equal(err.code, AT_EUNSAFE);
	assert_string_equal(err.id, "unsafe-state");
	assert_non_null(strstr(err.message, word));
	assert_string_not_equal(err.hint, "");
	assert_int_equal(found.fd, -1);
}

/* WIRE-2: what another user may have prepared is not used. */
static void wire_2_refuses_unsafe_directories(void **state)
{
	char dir[PATH_MAX], away[PATH_MAX];

	assert_true(find("/srv/p"));
	assert_true(at_state_create(&found, &err));
	strcpy(dir, found.path);
	assert_int_equal(chmod(dir, 0750), 0);
	refused("open to other users");
	assert_int_equal(chmod(dir, 0701), 0);
	refused("open to other users");
	assert_int_equal(chmod(dir, 0700), 0);
	assert_int_equal(chmod(test_path(home, ".local/state/agentteams"), 0777), 0);
	refused("open to other users");
	assert_int_equal(chmod(test_path(home, ".local/state/agentteams"), 0755), 0);
	assert_true(find("/srv/p"));
	snprintf(away, sizeof(away), "%s/away", home);
	assert_int_equal(rename(dir, away), 0);
	assert_int_equal(symlink(away, dir), 0);
	refused("symbolic link");
	assert_int_equal(unlink(dir), 0);
	test_write("", dir, "a file");
	refused("no directory");
}

/* WIRE-2: the state lies outside the project, also where a link leads back into it. */
static void wire_2_apart_from_the_project(void **state)
{
	const char *xdg = test_path(home, "project/state");

	test_write(home, "project/brief.json", "{}");
	assert_false(at_state_find(&found, test_path(home, "project"), home, xdg, &err));
	assert_string_equal(err.id, "unsafe-state");
	assert_non_null(strstr(err.hint, "XDG_STATE_HOME"));
	assert_int_equal(found.fd, -1);
	assert_false(at_state_find(&found, home, home, NULL, &err));
	assert_int_equal(symlink("project", test_path(home, "link")), 0);
	xdg = test_path(home, "link/state");
	assert_false(at_state_find(&found, test_path(home, "project"), home, xdg, &err));
	assert_true(at_state_find(&found, test_path(home, "project"), home, NULL, &err));
	assert_true(at_state_find(&found, test_path(home, "proj"), home, xdg, &err));
}

static void another_owner_is_refused(void **state)
{
	if (geteuid() != 0)
		skip_because("only root can make a directory of another owner");
	assert_true(find("/srv/p"));
	assert_true(at_state_create(&found, &err));
	assert_int_equal(chown(found.path, 65534, 65534), 0);
	refused("another user");
}

/* WIRE-2: what `exclusive` masks. */
static void wire_2_mask_path(void **state)
{
	static const struct { const char *xdg, *want; } rows[] = {
		{ NULL, "~/.local/state/agentteams" }, { "", "~/.local/state/agentteams" },
		{ "relative", "~/.local/state/agentteams" },
		{ "/home/me/.local/state/", "~/.local/state/agentteams" },
		{ "/var/state/../s", "/var/s/agentteams" },
	};
	char out[PATH_MAX];

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		at_state_mask_path(out, "/home/me", rows[i].xdg);
		assert_row(i, strcmp(out, rows[i].want) == 0);
	}
}

/* WIRE-2: a home that is not there is said, and not made. */
static void wire_2_no_home_is_made(void **state)
{
	char *dir = test_tree_new();
	struct at_state s;

	assert_true(at_state_find(&s, "/srv/shop", test_path(dir, "nobody/here"), NULL, &err));
	assert_false(at_state_create(&s, &err));
	assert_non_null(strstr(err.message, "home"));
	assert_false(test_exists(dir, "nobody"));
	at_state_close(&s);
	test_tree_remove(dir);
}

int test_state(void)
{
	found.fd = -1;
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_2_no_home_is_made),
		cmocka_unit_test_setup_teardown(wire_2_names_the_directory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_projects_of_one_name_are_two, set_up, tear_down),
		cmocka_unit_test_setup_teardown(looking_creates_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(made_private_whatever_the_umask, set_up, tear_down),
		cmocka_unit_test_setup_teardown(xdg_state_home_when_absolute, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wire_2_refuses_unsafe_directories, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wire_2_apart_from_the_project, set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_owner_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wire_2_mask_path, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
