#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/path.h"

static void normalising(void **state)
{
	static const struct { const char *in, *want; } rows[] = {
		{ "", "." }, { ".", "." }, { "/", "/" }, { "//", "/" }, { "a", "a" },
		{ "a/", "a" }, { "./a//b/.", "a/b" }, { "a/../b", "b" }, { "a/..", "." },
		{ "..", ".." }, { "../a/../..", "../.." }, { "/..", "/" }, { "/../a/../..", "/" },
		{ "/a/b/../../..", "/" }, { "a/b/../../..", ".." }, { "...", "..." },
		{ "a/..b", "a/..b" }, { "..a/..", "." },
	};
	char out[PATH_MAX], big[PATH_MAX + 8];

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, at_path_normalise(out, rows[i].in) && !strcmp(out, rows[i].want));
	memset(big, 'a', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	assert_false(at_path_normalise(out, big));
	big[PATH_MAX - 1] = '\0';
	assert_true(at_path_normalise(out, big));
}

static void inside_goes_by_whole_components(void **state)
{
	static const struct { const char *path, *root; bool want; } rows[] = {
		{ "/a/b", "/a", true }, { "/a", "/a", true }, { "/ab", "/a", false },
		{ "/", "/a", false }, { "/a", "/", true }, { "/", "/", true },
		{ "a", ".", true }, { "../a", ".", false }, { "..", ".", false },
		{ "/a", ".", false }, { "..a", ".", true }, { "a/b", "a/b/c", false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, at_path_is_inside(rows[i].path, rows[i].root) == rows[i].want);
}

static void absolute_expands(void **state)
{
	static const struct { const char *in, *want; } rows[] = {
		{ "/x/../y", "/y" }, { "~", "/home/me" }, { "~/k", "/home/me/k" },
		{ "~/../you", "/home/you" }, { "a", "/base/a" }, { "../..", "/" },
		{ ".", "/base" }, { "~root", NULL }, { "~root/x", NULL }, { "a/~", "/base/a/~" },
	};
	char out[PATH_MAX];

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		bool ok = at_path_absolute(out, rows[i].in, "/base", "/home/me");

		assert_row(i, ok == (rows[i].want != NULL));
		assert_row(i, !ok || strcmp(out, rows[i].want) == 0);
	}
}

/* REQ-3: a ban on a place must see through links, dangling ones too. */
static void physical_sees_through_links(void **state)
{
	static const struct { const char *in, *want; } rows[] = {
		{ "", "" }, { "/real/x", "/real/x" }, { "/link/x", "/real/x" },
		{ "/chain/x", "/real/x" }, { "/dangling/y", "/gone/z/y" },
		{ "/link/../real", "/real" }, { "/deep/..", "/real" },
		{ "/gone/../link", "/real" }, { "/file/below", "/file/below" },
		{ "//real/./x/", "/real/x" }, { "/loop/x", NULL },
	};
	char *tree = test_tree_new(), in[PATH_MAX], want[PATH_MAX], out[PATH_MAX];

	test_write(tree, "real/x", "");
	test_write(tree, "real/sub/y", "");
	test_write(tree, "file", "");
	assert_int_equal(symlink("real", test_path(tree, "link")), 0);
	assert_int_equal(symlink(test_path(tree, "link"), test_path(tree, "chain")), 0);
	assert_int_equal(symlink("./real/sub", test_path(tree, "deep")), 0);
	assert_int_equal(symlink("gone/z", test_path(tree, "dangling")), 0);
	assert_int_equal(symlink("loop", test_path(tree, "loop")), 0);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		snprintf(in, sizeof(in), "%s%s", tree, rows[i].in);
		snprintf(want, sizeof(want), "%s%s", tree, rows[i].want ? rows[i].want : "");
		assert_row(i, at_path_physical(out, in) == (rows[i].want != NULL));
		assert_row(i, !rows[i].want || strcmp(out, want) == 0);
	}
	assert_true(at_path_physical(out, "/"));
	assert_string_equal(out, "/");
	assert_false(at_path_physical(out, "relative"));
	test_tree_remove(tree);
}

static void quoting_for_a_shell(void **state)
{
	static const struct { const char *in, *want; } rows[] = {
		{ "a/b.c", "a/b.c" }, { "", "''" }, { "a b", "'a b'" }, { "it's", "'it'\\''s'" },
		{ "$(x)", "'$(x)'" }, { "~/x", "'~/x'" }, { "a\nb", "'a\nb'" },
	};
	char out[64], small[6];

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_string_equal(at_path_shell_quote(out, sizeof(out), rows[i].in), rows[i].want);
	at_path_shell_quote(small, sizeof(small), "a 'very' long one");
	assert_true(strlen(small) < sizeof(small));
}

/* A walk that begins in the middle ends where the whole walk does. */
static void physical_below_a_place_that_was_walked(void **state)
{
	static const char *const rests[] = { "a", "a/b", "gone/x", "in/b", "out", "up/a", "./a//b",
		"in/../a", "" };
	char *tree = test_tree_new(), base[PATH_MAX], whole[PATH_MAX], part[PATH_MAX],
	     path[2 * PATH_MAX];

	(void)state;
	test_write(tree, "top/a/b", "");
	assert_int_equal(symlink("a", test_path(tree, "top/in")), 0);
	assert_int_equal(symlink("/usr/..", test_path(tree, "top/out")), 0);
	assert_int_equal(symlink("../top", test_path(tree, "top/up")), 0);
	assert_true(at_path_physical(base, test_path(tree, "top")));
	for (size_t i = 0; i < AT_LEN(rests); i++) {
		snprintf(path, sizeof(path), "%s/%s", base, rests[i]);
		assert_row(i, at_path_physical(whole, path) &&
			at_path_physical_below(part, base, rests[i]) &&
			strcmp(whole, part) == 0);
	}
	test_tree_remove(tree);
}

int test_paths(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(normalising),
		cmocka_unit_test(inside_goes_by_whole_components),
		cmocka_unit_test(absolute_expands),
		cmocka_unit_test(physical_sees_through_links),
		cmocka_unit_test(physical_below_a_place_that_was_walked),
		cmocka_unit_test(quoting_for_a_shell),
	};

	return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
