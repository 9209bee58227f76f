#include "runner/runs_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/runs/worktree.h"

#define GIT "git -c user.name=t -c user.email=t@t -c gc.auto=0 -c maintenance.auto=false "

/* A repository with a file of each kind; what was written is old enough to be trusted. */
static void tree_open(struct ground *g)
{
	runs_open(g, false);
	ground_sh(g,
		"unset GIT_DIR GIT_WORK_TREE; " GIT "init -q . && echo '*.o' >.gitignore && "
		"mkdir -p src/deep lib .claude .agentteams out && echo a >src/a && echo b >src/b && "
		"echo c >lib/c && echo d >src/deep/d && ln -s a src/link && echo s >.claude/s && "
		"echo old >lib/old.o && " GIT "add -A && " GIT "add -f lib/old.o && " GIT
		"commit -qm all && rm -f .git/hooks/* && echo new >lib/new && echo x >src/x.o && "
		"echo staged >lib/staged && " GIT "add lib/staged && "
		"echo .agentteams >>.git/info/exclude && echo l >.agentteams/ledger");
}

static struct at_worktree *take(struct ground *g)
{
	struct at_worktree *tree;

	if (!at_worktree_take(&tree, g->project, &g->err))
		fail_msg("%s", g->err.message);
	return tree;
}

static void assert_changes(size_t row, struct ground *g, const struct at_worktree *before,
	const struct at_worktree_rules *rules, const char *want)
{
	struct at_worktree *after = take(g);
	struct at_worktree_list list;
	struct at_buf text = { 0 };

	assert_true(at_worktree_changes(&list, before, after, rules, &g->err));
	for (size_t i = 0; i < list.count; i++)
		at_buf_printf(&text, "%s%s", i ? " " : "", list.items[i]);
	if (strcmp(at_buf_text(&text), want) != 0)
		fail_msg("row %zu: `%s`, not `%s`", row, at_buf_text(&text), want);
	at_buf_free(&text);
	at_worktree_list_free(&list);
	at_worktree_free(after);
}

/* 3.9: what a command can change, and what of it is seen. Twice: of files that had just been
 * written, and of files whose times can be trusted. */
static void run_3_changes_are_seen(void **state)
{
	static const struct {
		const char *line, *want;
	} rows[] = {
		{ "true", "" },
		{ "touch src/a lib/new lib/staged; " GIT "status >/dev/null", "" },
		{ "echo A >src/a", "src/a" },
		{ "touch -r src/a ../ref; echo A >src/a; touch -r ../ref src/a", "src/a" },
		{ "echo A >src/t; mv src/t src/a", "src/a" },
		{ "cp -p src/a src/t; mv src/t src/a", "" },
		{ "echo NEW >lib/new", "lib/new" },
		{ "touch -r lib/new ../ref; echo NEW >lib/new; touch -r ../ref lib/new",
			"lib/new" },
		{ "echo STAGED >lib/staged", "lib/staged" },
		{ "rm src/a", "src/a" },
		{ "rm lib/new", "lib/new" },
		{ "rm -r src", "src/.keep src/a src/b src/deep/d src/link" },
		{ "mv src/a src/z", "src/a src/z" },
		{ "chmod +x src/a", "src/a" },
		{ "ln -sf b src/link", "src/link" },
		{ "ln -sf /etc/passwd src/a", "src/a" },
		{ "mkdir t; mv src/deep t/; ln -s ../t/deep src/deep",
			"src/deep src/deep/d t/deep/d" },
		{ "mkfifo pipe", "pipe" },
		{ "mkdir -p new/dir; echo 1 >new/dir/f", "new/dir/f" },
		{ "mkdir -p new/dir", "" },
		/* A commit hides nothing. */
		{ "echo A >src/a; " GIT "commit -qam hide", "src/a" },
		{ "echo N >src/n; " GIT "add -A; " GIT "commit -qm hide", "src/n" },
		{ GIT "add lib/new; " GIT "commit -qm as-it-was", "" },
		/* Ignored: not seen, as of git status; unless it is tracked. */
		{ "echo y >src/y.o; echo X >src/x.o", "" },
		{ "echo OLD >lib/old.o", "lib/old.o" },
		{ "mkdir -p out; echo '*' >out/.gitignore; echo 1 >out/f", "out/.gitignore" },
		{ "echo '*' >.gitignore; echo 1 >hidden", ".gitignore" },
		/* The control directories, ignored or not, touched or changed. */
		{ "echo S >.claude/s", ".claude/s" },
		{ "touch .claude/s", ".claude/s" },
		{ "echo L >>.agentteams/ledger", ".agentteams/ledger" },
		{ "mkdir -p sandbox .github/hooks; echo 1 >sandbox/r.o; echo 1 >.github/hooks/h",
			".github/hooks/h sandbox/r.o" },
		{ "mv .claude .c; ln -s .c .claude", ".c/s .claude .claude/s" },
		/* Git's own. */
		{ "echo '#' >.git/hooks/post-checkout", ".git/hooks/post-checkout" },
		{ GIT "config core.fsmonitor /bin/false", ".git/config" },
		{ "echo x >>.git/info/exclude", ".git/info/exclude" },
		{ "rm -r .git/hooks; ln -s ../src .git/hooks", ".git/hooks" },
		/* Names of any bytes. */
		{ "echo 1 >\"$(printf 'a\\nb')\"; echo 1 >\"$(printf 'c\\377')\"", "a\nb c\xFF" },
		{ "i=0; while [ $i -lt 100 ]; do echo 1 >src/a; i=$((i+1)); done", "src/a" },
		/* A repository in the work tree. */
		{ "mkdir sub; " GIT
		  "init -q sub; echo 1 >sub/f; rm -rf sub/.git/hooks sub/.git/info",
			"sub/.git sub/.git/config sub/f" },
		{ "mkdir src/.git; echo A >src/a", "src/.git src/a" },
	};

	for (int is_old = 0; is_old < 2; is_old++) {
		struct ground g;

		tree_open(&g);
		if (is_old) {
			sleep(4);
			ground_sh(&g, GIT "update-index -q --refresh");
		}
		for (size_t i = 0; i < AT_LEN(rows); i++) {
			struct at_worktree *before;

			/* The same ground for each: a copy of it, with its times. */
			ground_sh(&g, "rm -rf ../kept && cp -a . ../kept");
			before = take(&g);
			ground_sh(&g, "exec >/dev/null; %s", rows[i].line);
			assert_changes(i, &g, before, NULL, rows[i].want);
			at_worktree_free(before);
			ground_sh(&g,
				"find . -mindepth 1 -maxdepth 1 -exec rm -rf {} + && "
				"cp -a ../kept/. .");
		}
		runs_close(&g);
	}
}

static bool is_brief(void *user, const char *path)
{
	return strcmp(path, user) == 0;
}

/* Changed, less expected, less what a write root excuses: never the brief or what is protected. */
static void run_3_undeclared_writes(void **state)
{
	static const char *const expected[] = { "lib/c", NULL };
	static const char *const own[] = { ".agentteams/", "src/log", NULL };
	static const char *const write[] = { "src", "out/", NULL };
	static const struct {
		bool expected, own, write, is_protected;
		const char *want;
	} rows[] = {
		{ false, false, false, false,
			".agentteams/ledger lib/c out/f src/a src/log srcs/f" },
		{ true, false, false, false, ".agentteams/ledger out/f src/a src/log srcs/f" },
		{ false, true, false, false, "lib/c out/f src/a srcs/f" },
		{ false, false, true, false, ".agentteams/ledger lib/c srcs/f" },
		{ true, true, true, false, "srcs/f" },
		{ true, true, true, true, "src/a srcs/f" },
	};
	struct at_worktree *before;
	struct ground g;

	tree_open(&g);
	before = take(&g);
	ground_sh(&g,
		"mkdir -p out srcs; for f in .agentteams/ledger lib/c out/f src/a src/log srcs/f; "
		"do echo changed >$f; done");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char brief[] = "src/a";
		const struct at_worktree_rules rules = {
			.expected = rows[i].expected ? expected : NULL,
			.own = rows[i].own ? own : NULL,
			.write = rows[i].write ? write : NULL,
			.is_protected = rows[i].is_protected ? is_brief : NULL,
			.user = brief,
		};

		assert_changes(i, &g, before, &rules, rows[i].want);
	}
	at_worktree_free(before);
	runs_close(&g);
}

/* What cannot be seen whole is refused. */
static void run_3_not_a_worktree(void **state)
{
	static const struct {
		const char *line, *says;
	} rows[] = {
		{ "true", "is not a git worktree" },
		{ "git init -q --bare .", "is not a git worktree" },
		{ "git init -q . && echo garbage >.git/index", "cannot be read whole" },
		{ "git init -q . && git config core.worktree /usr", "is not in the work tree" },
		{ "git init -q . && echo 1 >f && git add f && git update-index --split-index",
			"cannot be read whole" },
		{ "git init -q .. && echo /project >../.gitignore", "git ignores it" },
	};
	struct at_worktree *tree;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct ground g;

		runs_open(&g, false);
		ground_sh(&g, "%s", rows[i].line);
		assert_row(i, !at_worktree_take(&tree, g.project, &g.err));
		if (!strstr(g.err.message, rows[i].says))
			print_message("%s\n", g.err.message);
		assert_row(i, strstr(g.err.message, rows[i].says));
		runs_close(&g);
	}
}

/* A project below the top, a linked work tree with its hooks elsewhere, and no commit yet. */
static void run_3_where_a_worktree_can_be(void **state)
{
	struct at_worktree *before;
	struct ground g;

	runs_open(&g, false);
	ground_sh(&g, "git init -q ..");
	before = take(&g);
	ground_sh(&g, "echo 1 >src/f; echo 1 >../home/g; mkdir .claude; echo 1 >.claude/s");
	assert_changes(0, &g, before, NULL, "../home/g .claude/s src/f");
	at_worktree_free(before);
	runs_close(&g);

	runs_open(&g, false);
	ground_sh(&g,
		"rm -r ../project; git init -q ../home && cd ../home && git add -A && " GIT
		"commit -qm all && git worktree add -q ../project");
	before = take(&g);
	ground_sh(&g, "echo 1 >f; cd ../home; echo '#' >.git/hooks/pre-push; echo g >g");
	{
		char want[600];

		snprintf(want, sizeof(want), "%s/home/.git/hooks/pre-push f", g.dir);
		assert_changes(1, &g, before, NULL, want);
	}
	at_worktree_free(before);
	runs_close(&g);
}

/* Nothing the repository names is run, and the index stays as it was. */
static void run_3_a_snapshot_runs_nothing(void **state)
{
	struct at_worktree *tree;
	uint64_t was;
	struct ground g;

	tree_open(&g);
	ground_sh(&g,
		"printf '#!/bin/sh\\necho ran >%s/ran\\n' >../evil && chmod 755 ../evil && "
		"git config core.fsmonitor '%s/evil' && git config core.hooksPath '%s' && "
		"git config filter.f.clean '%s/evil' && git config filter.f.process '%s/evil' && "
		"echo '* filter=f' >.gitattributes && cp ../evil ../post-index-change && "
		"echo changed >src/a",
		g.dir, g.dir, g.dir, g.dir, g.dir);
	was = test_tree_fingerprint(g.project);
	tree = take(&g);
	assert_changes(0, &g, tree, NULL, "");
	at_worktree_free(tree);
	assert_true(was == test_tree_fingerprint(g.project));
	assert_false(test_exists(g.dir, "ran"));
	runs_close(&g);
}

/* RUN-3, RUN-5 together: what a confined command writes is either its own or undeclared. */
static void run_3_around_a_confined_run(void **state)
{
	static const char *const src[] = { "src", NULL };
	static const struct at_worktree_rules rules = { .write = src };
	struct at_worktree *before;
	struct at_run_end end;
	struct ground g;

	tree_open(&g);
	ground_need_sandbox(&g);
	before = take(&g);
	assert_true(ground_run(&end, &g, src,
		"for i in 0 1 2 3 4 5 6 7 8 9; do for j in 0 1 2 3 4 5 6 7 8 9; do echo $i$j >src/f$i$j; "
		"done; done; echo x 2>/dev/null >lib/c; exit 0"));
	assert_int_equal(end.exit, 0);
	assert_true(test_exists(g.project, "src/f99"));
	assert_changes(0, &g, before, &rules, "");
	at_run_end_free(&end);
	at_worktree_free(before);
	runs_close(&g);
}

/* More files than one thread walks: each is there once, and what changed is found among them. */
static void run_3_many_files(void **state)
{
	struct at_worktree *before;
	struct ground g;
	char path[64];

	runs_open(&g, false);
	for (int i = 0; i < 5000; i++) {
		snprintf(path, sizeof(path), "many/%02d/%d/f%d", i % 40, i % 7, i);
		test_write(g.project, path, path);
	}
	ground_sh(&g, "git init -q . && " GIT "add -A");
	before = take(&g);
	/* .git/HEAD and kin are not of them; hooks, config and info are. */
	assert_true(at_worktree_count(before) > 5001 && at_worktree_count(before) < 5040);
	ground_sh(&g, "echo x >many/03/0/f3003x; echo x >many/39/1/f239; rm many/00/0/f0");
	assert_changes(0, &g, before, NULL, "many/00/0/f0 many/03/0/f3003x many/39/1/f239");
	at_worktree_free(before);
	runs_close(&g);
}

int test_worktree(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_3_changes_are_seen),
		cmocka_unit_test(run_3_undeclared_writes),
		cmocka_unit_test(run_3_not_a_worktree),
		cmocka_unit_test(run_3_where_a_worktree_can_be),
		cmocka_unit_test(run_3_a_snapshot_runs_nothing),
		cmocka_unit_test(run_3_many_files),
		cmocka_unit_test(run_3_around_a_confined_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
