/* reference-ledgers 3.8, 3.11: scopes, globs, the control plane, and patterns of arguments. */
#include "support/support.h"

#include <string.h>

#include "runner/proposals/pattern.h"
#include "runner/proposals/scope.h"

static const struct {
	const char *scope, *path;
	bool covers;
} scopes[] = {
	{ "docs/a.md", "docs/a.md", true },
	{ "docs/a.md", "docs/a.mdx", false },
	{ "docs/a.md", "docs/a.md/b", false },
	{ "docs", "docs/a.md", false },
	{ "docs/", "docs/a.md", true },
	{ "docs/", "docs/sub/deep/a.md", true },
	{ "docs/", "docs", false },
	{ "docs/", "docs2/a", false },
	{ "docs/", ".docs/a", false },
	{ "Docs/", "dOCS/A.md", true },
	{ "\xc3\x89tude/", "\xc3\xa9tude/a", true },
	{ "stra\xc3\x9f"
	  "e/",
		"STRASSE/a", true },
	/* What is invisible opens nothing. */
	{ "docs/",
		"do\xe2\x80\x8b"
		"cs/a",
		false },
	{ "./docs//", "docs/a", true },
	{ "docs/./a", "docs/a", true },
	{ "", "docs/a", false },
	{ ".", "docs/a", false },
	{ "./", "docs/a", false },
	{ "/", "docs/a", false },
	{ "..", "docs/a", false },
	{ "../", "docs/a", false },
	{ "docs/../", "docs/a", false },
	{ "/docs/", "docs/a", false },
	{ "~/", "~/a", false },
	/* Segment by segment. */
	{ "docs/*.md", "docs/a.md", true },
	{ "docs/*.md", "docs/sub/a.md", false },
	{ "docs/*.md", "docs/.a.md", false },
	{ "docs/.*.md", "docs/.a.md", true },
	{ "docs/*/a.md", "docs/x/a.md", true },
	{ "docs/*/a.md", "docs/a.md", false },
	{ "docs/*/a.md", "docs/.x/a.md", false },
	{ "docs/*/", "docs/x/y/z", true },
	{ "docs/*/", "docs/x", false },
	{ "docs/*/", "docs/x/.hidden", true },
	{ "docs/?.md", "docs/a.md", true },
	{ "docs/?.md", "docs/\xc3\xa9.md", true },
	{ "docs/?.md", "docs/.md", false },
	{ "docs/[ab].md", "docs/b.md", true },
	{ "docs/[!ab].md", "docs/b.md", false },
	{ "docs/[!ab].md", "docs/c.md", true },
	{ "docs/[a-c].md", "docs/B.md", true },
	{ "docs/[].md", "docs/[].md", true },
	{ "docs/[]x].md", "docs/].md", true },
	/* Unsafe ones match nothing. */
	{ "*/a.md", "docs/a.md", false },
	{ "docs/**", "docs/a.md", false },
	{ "docs/../*.md", "docs/a.md", false },
	{ ".claude/*", ".claude/x", false },
};

static void run_6_scopes(void **state)
{
	for (size_t i = 0; i < AT_LEN(scopes); i++)
		assert_row(i, at_scope_covers(scopes[i].scope, scopes[i].path) == scopes[i].covers);
}

static const struct {
	const char *scope, *fault;
} patterns[] = {
	{ "docs/*.md", NULL },
	{ "docs/*/", NULL },
	{ "docs", NULL },
	{ "/etc/*", "is an absolute pattern" },
	{ "~/x/*", "is a pattern below a home" },
	{ "docs/**", "holds `**`" },
	{ "docs/**/x", "holds `**`" },
	{ "*.md", "has a wildcard in its first segment" },
	{ "d?cs/x", "has a wildcard in its first segment" },
	{ "docs//*.md", "has an empty, `.` or `..` segment" },
	{ "docs/./*.md", "has an empty, `.` or `..` segment" },
	{ "docs/../*.md", "has an empty, `.` or `..` segment" },
	{ "../*", "has an empty, `.` or `..` segment" },
	{ ".claude/*", "begins in the project control plane" },
	{ ".GIT/*", "begins in the project control plane" },
	{ ".github/workflows/*", "begins in the project control plane" },
	{ "sandbox/*", "begins in the project control plane" },
};

static void run_6_unsafe_patterns(void **state)
{
	for (size_t i = 0; i < AT_LEN(patterns); i++) {
		const char *fault = at_scope_fault(patterns[i].scope);

		if ((fault == NULL) != (patterns[i].fault == NULL)
			|| (fault && strcmp(fault, patterns[i].fault) != 0))
			fail_msg("row %zu: %s", i, fault);
	}
}

static const struct {
	const char *path, *plane;
} planes[] = {
	{ "docs/a.md", NULL },
	{ "references.md", NULL },
	{ ".gitignore", NULL },
	{ ".claude", ".claude" },
	{ ".claude/settings.json", ".claude" },
	{ ".CLAUDE/Settings.json", ".claude" },
	{ ".cla\xe2\x80\x8cude/settings.json", ".claude" },
	{ ".agentteam\xc5\xbf/staged/x", ".agentteams" },
	{ ".agentteams-queue/requests/x", ".agentteams-queue" },
	{ "references/security-approvers.txt", "references/security-approvers.txt" },
	{ ".git/hooks/pre-commit", ".git/hooks" },
	{ ".git/HEAD", ".git" },
	{ "vendor/lib/.git/config", ".git" },
	{ ".github/agents/x.md", ".github/agents/references/agent-privilege.json" },
	{ ".github/workflows/ci.yml", NULL },
	{ "sandbox/confine-run.sh", "sandbox" },
	{ "sandboxes/x", NULL },
};

static void run_6_control_plane(void **state)
{
	for (size_t i = 0; i < AT_LEN(planes); i++) {
		char out[256];
		const char *plane = at_scope_plane(out, sizeof(out), planes[i].path);

		if ((plane == NULL) != (planes[i].plane == NULL))
			fail_msg("row %zu: %s", i, plane);
		if (plane && i != 13 && strcmp(plane, planes[i].plane) != 0)
			fail_msg("row %zu: %s", i, plane);
	}
}

static const struct {
	const char *glob, *path;
	bool covers;
} protects[] = {
	{ "CHANGELOG.md", "changelog.md", true },
	{ "CHANGELOG.md", "docs/CHANGELOG.md", false },
	{ "data", "data/x/y", true },
	{ "data/", "data/x/y", true },
	{ "data/", "data", true },
	{ "data", "database", false },
	{ "*.lock", "deep/down/yarn.lock", true },
	{ "docs/*", "docs/a/b/c", true },
	{ "do\xe2\x80\x8b"
	  "cs",
		"docs/a", true },
	{ "docs",
		"do\xe2\x80\x8b"
		"cs/a",
		true },
	{ "./docs", "docs/a", true },
};

static void run_6_protected_paths(void **state)
{
	for (size_t i = 0; i < AT_LEN(protects); i++)
		assert_row(i,
			(at_scope_protected(&protects[i].glob, 1, protects[i].path) != NULL)
				== protects[i].covers);
}

/* A glob of many stars is no way to keep the runner busy. */
static void run_6_globs_take_their_time(void **state)
{
	char glob[201], path[4001];

	memset(glob, '*', 200);
	for (size_t i = 1; i < 200; i += 2)
		glob[i] = 'a';
	glob[200] = '\0';
	memset(path, 'a', 4000);
	path[4000] = '\0';
	path[3999] = 'b';
	assert_false(at_glob_covers("*a*a*a*a*a*a*a*a*a*a*a*c", path));
	assert_false(at_glob_covers(glob, path));
}

static const struct {
	const char *pattern, *text;
	bool matches;
} matches[] = {
	{ "abc", "abc", true },
	{ "abc", "xabc", false },
	{ "abc", "abc\n", false },
	{ "a|bc", "a", true },
	{ "a|bc", "ac", false },
	{ "[a-z]+\\.tex", "main.tex", true },
	{ "[a-z]+\\.tex", "mainxtex", false },
	{ "[\\w.-]+", "a-b_c.9", true },
	{ "[\\w.-]+", "a\\b", false },
	{ "[^/]+", "a]b", true },
	{ "[^/]+", "a/b", false },
	{ "[]a]+", "a]", true },
	{ "[\\]\\[^-]+", "]-[^", true },
	{ "\\d{1,3}", "123", true },
	{ "\\d{1,3}", "1234", false },
	{ "\\d{2,}", "12345", true },
	{ "(?:ab)+", "abab", true },
	{ "(ab)?c", "c", true },
	{ "a.c", "a\nc", false },
	{ "a.c", "abc", true },
	{ "\\$x\\^", "$x^", true },
	{ "^abc$", "abc", true },
	{ "[\\^]", "^", true },
	{ "[\\^]", "\\", false },
	{ "a\\tb", "a\tb", true },
	{ "a]b}", "a]b}", true },
	{ "\\S+", "ab", true },
	{ "\\S+", "a b", false },
	/* An argument with a `..` segment never matches. */
	{ "[a-z./]+", "a/../b", false },
	{ "[a-z./]+", "a/..b", true },
	{ "", "", true },
	{ "", "a", false },
};

static void run_6_patterns_match_all_of_an_argument(void **state)
{
	for (size_t i = 0; i < AT_LEN(matches); i++) {
		char why[160] = "";
		regex_t regex;

		if (!at_pattern_compile(&regex, matches[i].pattern, why, sizeof(why)))
			fail_msg("row %zu: %s", i, why);
		assert_row(i, at_pattern_matches(&regex, matches[i].text) == matches[i].matches);
		regfree(&regex);
	}
}

/* What POSIX would read differently than Python, or not at all. */
static void run_6_patterns_that_are_refused(void **state)
{
	static const char *const bad[] = { "(", ")", "a)", "[", "[a", "[]", "*", "a**", "a*?",
		"a++", "a{,3}", "a{3", "a{3,2}", "a{256}", "(?=x)", "(?P<n>x)", "(?i)x", "\\bx",
		"\\1", "a\\", "[z-a]", "[\xc3\xa9]", "[[:alpha:]]", "[\\D]", "|a", "a|", "()",
		"a||b", "((a{1,200}){1,200}){1,200}", "(((((((((((((((((a)))))))))))))))))", "\\Z",
		"\\x41" };
	char long_one[600];

	memset(long_one, 'a', sizeof(long_one) - 1);
	long_one[sizeof(long_one) - 1] = '\0';
	for (size_t i = 0; i <= AT_LEN(bad); i++) {
		char why[160] = "";
		regex_t regex;

		assert_row(i,
			!at_pattern_compile(
				&regex, i < AT_LEN(bad) ? bad[i] : long_one, why, sizeof(why)));
		assert_row(i, *why);
	}
}

static void run_6_patterns_that_are_too_wide(void **state)
{
	static const struct {
		const char *pattern;
		bool wide;
	} rows[] = {
		{ ".*", true },
		{ ".+", true },
		{ "[a-z-]+", true },
		{ "[^ ]+", true },
		{ "[\\w./]+", true },
		{ "/.*", true },
		{ "~.*", true },
		{ "\\.\\.|x", true },
		{ "--option", true },
		{ "-.", true },
		{ "[a-z]+", false },
		{ "[\\w][\\w.-]*", false },
		{ "(docs|src)/[a-z]+\\.md", false },
		{ "--check|--fix", false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char why[160];
		regex_t regex;

		assert_row(i, at_pattern_compile(&regex, rows[i].pattern, why, sizeof(why)));
		assert_row(i, (at_pattern_is_wide(&regex) != NULL) == rows[i].wide);
		regfree(&regex);
	}
}

int test_scope(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_6_scopes),
		cmocka_unit_test(run_6_unsafe_patterns),
		cmocka_unit_test(run_6_control_plane),
		cmocka_unit_test(run_6_protected_paths),
		cmocka_unit_test(run_6_globs_take_their_time),
		cmocka_unit_test(run_6_patterns_match_all_of_an_argument),
		cmocka_unit_test(run_6_patterns_that_are_refused),
		cmocka_unit_test(run_6_patterns_that_are_too_wide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
