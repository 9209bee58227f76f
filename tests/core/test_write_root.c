#include "support/support.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/write_root.h"

/* A home with a project in it, and links of every bad kind. */
static char *home;
static char project[PATH_MAX];

static void link_to(const char *name, const char *target)
{
	if (symlink(target, test_path(project, name)) < 0)
		fail_msg("symlink %s", name);
}

static int set_up(void **state)
{
	home = test_tree_new();
	test_write(home, ".ssh/id", "");
	test_write(home, "real-keys/id", "");
	test_write(home, "code/app/src/main.c", "");
	test_write(home, "code/app/docs/a/b/x", "");
	test_write(home, "code/app/.git/config", "");
	test_write(home, "code/app/conf/claude/settings.json", "");
	test_write(home, "code/other/x", "");
	snprintf(project, sizeof(project), "%s/code/app", home);
	link_to("to-ssh", test_path(home, ".ssh"));
	link_to("to-home", home);
	link_to("to-root", "/");
	link_to("to-git", ".git");
	link_to("to-src", "src");
	link_to("to-other", "../other");
	link_to("deep", "docs/a/b");
	link_to("up", test_path(home, "code/other"));
	link_to("loop", "loop");
	link_to(".claude", "conf/claude");
	if (symlink("real-keys", test_path(home, ".aws")) < 0)
		fail_msg("symlink .aws");
	return 0;
}

static int tear_down(void **state)
{
	test_tree_remove(home);
	return 0;
}

static struct at_root_place place_on(enum at_platform platform)
{
	return (struct at_root_place){ project, home, platform };
}

/* "%P" stands for the project, "%H" for home. */
static const char *spelled(const char *pattern)
{
	static char out[2 * PATH_MAX];
	size_t len = 0;

	for (; *pattern; pattern++) {
		if (pattern[0] == '%' && (pattern[1] == 'P' || pattern[1] == 'H')) {
			len += (size_t)snprintf(out + len, sizeof(out) - len, "%s",
				pattern[1] == 'P' ? project : home);
			pattern++;
		} else {
			out[len++] = *pattern;
		}
	}
	out[len] = '\0';
	return out;
}

/* REQ-3: what may never be a write root, and the word of the reason. */
static void req_3_refused(void **state)
{
	static const struct {
		const char *root, *why;
	} rows[] = {
		/* the text */
		{ "", "empty" },
		{ " x", "whitespace" }, { "x ", "whitespace" }, { "x\n", "whitespace" },
		{ "\tx", "whitespace" }, { "x\xc2\xa0", "whitespace" }, { "\xe3\x80\x80x", "whitespace" },
		{ "a\nb", "control" }, { "a\x01" "b", "control" }, { "a\x7f" "b", "control" },
		{ "a\xc2\x85" "b", "control" }, { "a\x1b[2Jb", "control" },
		{ "a*b", "forbidden" }, { "a?b", "forbidden" }, { "a[b]", "forbidden" },
		{ "{a,b}", "forbidden" }, { "$HOME/x", "forbidden" }, { "`id`", "forbidden" },
		{ "a\"b", "forbidden" }, { "a'b", "forbidden" }, { "a\\b", "forbidden" },
		{ "a;b", "forbidden" }, { "a&b", "forbidden" }, { "a|b", "forbidden" },
		{ "a>b", "forbidden" }, { "a<b", "forbidden" }, { "(a)", "forbidden" },
		{ "a!b", "forbidden" }, { "#a", "forbidden" },
		{ "~bob/x", "~user" }, { "~root", "~user" }, { "~.ssh", "~user" },
		{ "~", "home or filesystem root" }, { "~/", "home or filesystem root" },
		{ "~//", "home or filesystem root" }, { "/", "home or filesystem root" },
		{ "///", "home or filesystem root" }, { "//x", "home or filesystem root" },
		/* roots and homes */
		{ "/.", "filesystem root" }, { "/usr/..", "filesystem root" },
		{ "to-root", "filesystem root" },
		{ "~/.", "home directory" }, { "%H", "home directory" }, { "%H/", "home directory" },
		{ "~/..", "home directory" }, { "../..", "home directory" },
		{ "to-home", "home directory" }, { "%H/code/..", "home directory" },
		/* credentials and persistence: at, inside, above */
		{ "~/.ssh", "~/.ssh" }, { "~/.ssh/x", "~/.ssh" }, { "%H/.ssh/x", "~/.ssh" },
		{ "../../.ssh", "~/.ssh" }, { "to-ssh", "~/.ssh" }, { "to-ssh/new", "~/.ssh" },
		{ "to-home/.ssh", "~/.ssh" }, { "~/.config", "above the protected" },
		{ "~/.local", "above the protected" }, { "~/.local/share", "above the protected" },
		{ "~/.config/agentteams", "~/.config/agentteams" },
		{ "~/.config/agentteams/keys", "~/.config/agentteams" },
		{ "~/.config/agentteams/confined", "~/.config/agentteams" },
		{ "~/.config/agentteams/mcp-grants/x", "~/.config/agentteams" },
		{ "~/.local/state", "above the protected" },
		{ "~/.local/state/agentteams", "~/.local/state/agentteams" },
		{ "~/.local/bin", "~/.local/bin" }, { "~/.bashrc", "~/.bashrc" },
		{ "~/.config/systemd/user", "~/.config/systemd" }, { "~/.config/git", "~/.config/git" },
		{ "~/Library", "above the protected" },
		{ "~/Library/LaunchAgents", "~/Library/LaunchAgents" }, { "~/.vscode", "~/.vscode" },
		{ "~/.cargo/bin", "~/.cargo" }, { "~/.claude", "~/.claude" },
		{ "~/.netrc", "~/.netrc" }, { "~/.kube", "~/.kube" },
		/* a protected path that is itself a link: its target is as good */
		{ "~/.aws", "~/.aws" }, { "~/real-keys", "~/.aws" }, { "~/real-keys/new", "~/.aws" },
		/* the control plane, by text and by place */
		{ ".git", "(.git)" }, { ".git/hooks", "(.git)" }, { "./.git/", "(.git)" },
		{ "./.claude/../.claude", "(.claude)" }, { "src/../.git", "(.git)" },
		{ "%P/.git/x", "(.git)" }, { "../app/.git", "(.git)" }, { "to-git", "(.git)" },
		{ "to-git/hooks", "(.git)" }, { ".claude", "(.claude)" }, { ".claude/agents", "(.claude)" },
		{ "conf/claude", "(.claude)" }, { ".goose/recipes", "(.goose)" }, { ".codex", "(.codex)" },
		{ ".github/agents/x", "(.github/agents)" }, { ".github/hooks", "(.github/hooks)" },
		{ "sandbox", "(sandbox)" }, { ".agentteams/bin", "(.agentteams)" },
		{ "references/security-approvers.txt", "security-approvers" },
		/* above the project, also where only the kernel sees it */
		{ "..", "ancestor of the project" }, { "~/code", "ancestor of the project" },
		{ "%P/..", "ancestor of the project" }, { "up/..", "ancestor of the project" },
		{ "deep/../../../.git", "(.git)" }, /* read as text it lies in the home directory */
		{ "loop", "cannot be resolved" }, { "loop/x", "cannot be resolved" },
	};
	struct at_root_place place = place_on(AT_LINUX);
	size_t refused = 0;
	char why[256];

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *root = spelled(rows[i].root);

		if (!at_write_root_ban(why, sizeof(why), root, &place))
			fail_msg("row %zu: `%s` was accepted", i, root);
		if (!strstr(why, rows[i].why))
			fail_msg("row %zu: `%s`: %s", i, root, why);
		refused++;
	}
	assert_true(refused >= 50);
}

/* REQ-3: what may, and REQ-4: which of them lie outside. */
static void req_3_req_4_allowed(void **state)
{
	static const struct {
		const char *root;
		bool is_external;
	} rows[] = {
		{ ".", false }, { "./", false }, { "src", false }, { "./docs", false },
		{ "build/out", false }, { "not/yet/there", false }, { ".github/workflows", false },
		{ ".github", false }, { "to-src", false }, { "%P", false }, { "%P/", false },
		{ "%P/src", false }, { ".gitignore", false }, { ".claudette", false },
		{ "sandboxes", false }, { "src/.git", false }, { "src/../docs", false }, { "-x", false },
		{ "caf\xc3\xa9 bar", false }, { "references", false }, { ".SSH", false },
		{ "../sibling", true }, { "../other", true }, { "/srv/x", true }, { "~/scratch", true },
		{ "~/.config/mytool", true }, { "%H/scratch", true }, { "../app2", true },
		{ "%P2", true }, { "to-other", true }, { "to-other/new", true },
		{ "~/code/app/src", true }, /* spelled from home: asked about all the same */
		{ "../app/src", true }, { "~/.sshx", true }, { "~/.SSH", true },
	};
	struct at_root_place place = place_on(AT_LINUX);
	char why[256];

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *root = spelled(rows[i].root);

		if (at_write_root_ban(why, sizeof(why), root, &place))
			fail_msg("row %zu: `%s` was refused: %s", i, root, why);
		assert_row(i, at_write_root_is_external(root, &place) == rows[i].is_external);
	}
}

/* REQ-3: a file system without case does not tell these from the real ones. */
static void req_3_darwin_folds(void **state)
{
	static const char *const rows[] = { "~/.SSH", "~/.Ssh/x", ".GIT/hooks", ".Claude", "SANDBOX",
		".GitHub/Agents", "~/.CONFIG/agentteams", "~/library/launchagents",
		"~/.\xc5\xbf\xc5\xbfh", /* two long s */
		"~/.\xc3\x9fh",		/* a sharp s */
		"~/.\xe2\x84\252ube", /* a Kelvin sign */
		"~/.con\xef\xac\x81g/git", /* a ligature */
		".g\xe2\x80\x8cit", /* a joiner that HFS+ does not see */ };
	struct at_root_place darwin = place_on(AT_DARWIN), linux_place = place_on(AT_LINUX);
	char why[256];

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		assert_row(i, at_write_root_ban(why, sizeof(why), rows[i], &darwin));
		assert_row(i, !at_write_root_ban(why, sizeof(why), rows[i], &linux_place));
	}
	assert_null(at_write_root_ban(why, sizeof(why), "Src", &darwin));
	assert_null(at_write_root_ban(why, sizeof(why), ".", &darwin));
}

/* A project that is the home directory has no root of its own; one at / neither. */
static void req_3_project_is_home(void **state)
{
	struct at_root_place place = { home, home, AT_LINUX };
	char why[256];

	assert_non_null(at_write_root_ban(why, sizeof(why), ".", &place));
	assert_null(at_write_root_ban(why, sizeof(why), "scratch", &place));
	place.project = "/";
	assert_non_null(at_write_root_ban(why, sizeof(why), ".", &place));
}

static void too_long(void **state)
{
	struct at_root_place place = place_on(AT_LINUX);
	char *root = at_alloc(3 * PATH_MAX), why[256], out[PATH_MAX];

	memset(root, 'x', 3 * PATH_MAX - 1);
	assert_non_null(at_write_root_ban(why, sizeof(why), root, &place));
	assert_true(at_write_root_is_external(root, &place));
	assert_false(at_write_root_compare_form(out, root, &place));
	root[PATH_MAX - 10] = '\0';
	assert_non_null(at_write_root_ban(why, sizeof(why), root, &place));
	assert_non_null(at_write_root_ban(why, 4, "/", &place)); /* a short buffer cuts the clause */
	assert_string_equal(why, "it ");
	free(root);
}

/* REQ-4: forms that mean the same directory compare equal. */
static void req_4_compare_form(void **state)
{
	static const struct {
		const char *a, *b;
		bool is_same;
	} rows[] = {
		{ "~/x", "%H/x/", true },    { "~/x", "../../x", true }, { "src", "./src/", true },
		{ "%P/src", "src", true },   { ".", "%P", true },	 { "a/../b", "b", true },
		{ "src", "srcs", false },    { "~/x", "x", false },
	};
	struct at_root_place place = place_on(AT_LINUX);

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char a[PATH_MAX], b[PATH_MAX];

		assert_row(i, at_write_root_compare_form(a, spelled(rows[i].a), &place));
		assert_row(i, at_write_root_compare_form(b, spelled(rows[i].b), &place));
		assert_row(i, (strcmp(a, b) == 0) == rows[i].is_same);
	}
}

int test_write_root(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(req_3_refused),
		cmocka_unit_test(req_3_req_4_allowed),
		cmocka_unit_test(req_3_darwin_folds),
		cmocka_unit_test(req_3_project_is_home),
		cmocka_unit_test(too_long),
		cmocka_unit_test(req_4_compare_form),
	};

	return cmocka_run_group_tests_name("write_root", tests, set_up, tear_down);
}
