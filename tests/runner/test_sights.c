#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/selftest/sights.h"

static void lay(const char *dir)
{
	test_write(dir, "file", "as it was");
	test_write(dir, "deep/er/file", "as it was");
	test_write(dir, "w6", "as it was");
}

static char last[256];
static size_t told;

static void count(void *user, const char *path, const char *how)
{
	(void)user;
	snprintf(last, sizeof(last), "%s %s", path, how);
	told++;
}

static size_t changes(const char *dir, const struct at_snapshot *before)
{
	struct at_snapshot after;

	told = 0;
	at_snapshot_take(&after, dir);
	at_snapshot_compare(before, &after, count, NULL);
	at_snapshot_free(&after);
	return told;
}

/* LAU-8: an act is seen although it was taken back: nobody sets the time of change. */
static void lau_8_what_was_taken_back_is_seen(void **state)
{
	char *dir = test_tree_new();
	struct at_snapshot before;
	struct timespec old[2] = { { 1, 0 }, { 1, 0 } };
	const char *file;

	lay(dir);
	file = test_path(dir, "deep/er/file");
	at_snapshot_take(&before, dir);
	assert_int_equal(changes(dir, &before), 0);
	usleep(20000); /* the kernel's clock has to move */
	assert_int_equal(chmod(file, 0600), 0);
	assert_int_equal(chmod(file, 0644), 0);
	assert_int_equal(changes(dir, &before), 1);
	assert_string_equal(last, "deep/er/file changed");
	at_snapshot_free(&before);

	at_snapshot_take(&before, dir);
	usleep(20000);
	test_write(dir, "file", "as it is!");
	assert_int_equal(utimensat(-1, test_path(dir, "file"), old, 0), 0);
	assert_true(changes(dir, &before) > 0);
	at_snapshot_free(&before);

	at_snapshot_take(&before, dir);
	usleep(20000);
	assert_int_equal(rename(test_path(dir, "deep"), test_path(dir, "moved")), 0);
	assert_true(changes(dir, &before) > 0);
	at_snapshot_free(&before);
	test_tree_remove(dir);
}

/* Adds a file to a directory of the kind and says whose it is. */
static const char *owner_of(enum at_sight_place place, const char *path, bool *other)
{
	struct at_sights sights = { .cases = at_alloc(at_case_count * sizeof(*sights.cases)) };
	struct at_snapshot before, after;
	char *dir = test_tree_new();
	const char *found = NULL;
	char copy[256], *slash;

	snprintf(copy, sizeof(copy), "%s", path);
	slash = strrchr(copy, '/');
	if (slash) { /* its directory is there before */
		snprintf(slash, sizeof(copy) - (size_t)(slash - copy), "/.keep");
		test_write(dir, copy, "");
	}
	at_snapshot_take(&before, dir);
	usleep(5000);
	test_write(dir, path, "new");
	at_snapshot_take(&after, dir);
	at_sights_add(&sights, place, &before, &after);
	at_sights_end(&sights);
	*other = *sights.other;
	for (size_t i = 0; i < at_case_count; i++)
		if (sights.cases[i].host == AT_HOST_TOUCHED && strstr(sights.cases[i].trace, path))
			found = at_cases[i].id;
	free(sights.cases);
	at_snapshot_free(&before);
	at_snapshot_free(&after);
	test_tree_remove(dir);
	return found;
}

/* LAU-8: each change goes to its case; in the workspace only protected files count, elsewhere
 * everything does. */
static void lau_8_whose_change_it_is(void **state)
{
	static const struct {
		enum at_sight_place place;
		const char *path, *id;
		bool other;
	} rows[] = {
		{ AT_SIGHT_OUTSIDE, "at-W1", "W1", false },
		{ AT_SIGHT_OUTSIDE, "at-W10-mapped", "W10", false },
		{ AT_SIGHT_OUTSIDE, "w10", "W10", false },
		{ AT_SIGHT_OUTSIDE, "l1", "L1", false },
		{ AT_SIGHT_OUTSIDE, ".bashrc", "W2", false },
		{ AT_SIGHT_OUTSIDE, "nobody-knows", NULL, true },
		{ AT_SIGHT_OUTSIDE, "w100", NULL, true },
		{ AT_SIGHT_SCRATCH, "sandbox/confine-run.sh", "CP14", false },
		{ AT_SIGHT_SCRATCH, ".claude/hooks/constitutional-gate.sh", "CP1", false },
		{ AT_SIGHT_SCRATCH, ".claude/settings.json", "CP15", false },
		{ AT_SIGHT_SCRATCH, ".git/hooks/pre-commit", "CP9", false },
		{ AT_SIGHT_SCRATCH, ".git/modules/sub/hooks/x", "CP10", false },
		{ AT_SIGHT_SCRATCH, ".git/modules/sub/objects/at-CP10", NULL, false },
		{ AT_SIGHT_SCRATCH, ".git/index", NULL, false },
		{ AT_SIGHT_SCRATCH, "at-W1", NULL, false },
		{ AT_SIGHT_SCRATCH, "src/new.c", NULL, false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		bool other;
		const char *id = owner_of(rows[i].place, rows[i].path, &other);

		assert_row(i, other == rows[i].other);
		assert_row(i, (id != NULL) == (rows[i].id != NULL));
		assert_row(i, !id || strcmp(id, rows[i].id) == 0);
	}
}

int test_sights(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_8_what_was_taken_back_is_seen),
		cmocka_unit_test(lau_8_whose_change_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
