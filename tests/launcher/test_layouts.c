/* What the launcher makes of the layouts people have, seen from inside and afterwards. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launcher/ground.h"
#include "support/support.h"

#define GIT "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a " \
	"GIT_COMMITTER_EMAIL=a@b; "
#define GIT_ENV "--setenv GIT_AUTHOR_NAME=a --setenv GIT_AUTHOR_EMAIL=a@b " \
	"--setenv GIT_COMMITTER_NAME=a --setenv GIT_COMMITTER_EMAIL=a@b "
#define REPO GIT "git init -q s; cd s; echo x >f; git add f; git commit -qm x; cd ..; "
#define IN "sh ./cr.sh --scratch s "

/* `act` is run in the ground; its output must hold `says` and its status be `status`. `after`
 * must end with 0 there when it is over. */
static const struct layout {
	const char *name, *setup, *act;
	int status;
	const char *says, *after;
} layouts[] = {
	{ "a plain directory", "", IN "-- sh -c 'echo x >s/in && echo y >out; echo rc=$?'", 0, "rc=2",
		"[ -f s/in ] && [ ! -e out ]" },
	{ "the command's own status", "", IN "-- sh -c 'exit 7'", 7, "", "" },
	{ "a signal's status", "", IN "-- sh -c 'kill -TERM $$'", 143, "", "" },
	{ "a command that is not there", "", IN "-- no-such-command", 1, "no-such-command", "" },
	{ "standard input goes through", "", "echo hello | " IN "-- cat", 0, "hello", "" },
	{ "streams that are closed", "", IN "-- sh -c 'echo >s/in' <&- >&- 2>&-", 0, "", "[ -f s/in ]" },
	{ "arguments as they are", "", IN "-- printf '<%s>' 'a  b' '' '*' \"$(printf 'x\\ny')\"", 0,
		"<a  b><><*><x\ny>", "" },
	{ "starts where the caller is", "mkdir s/deep", "cd s/deep; sh ../../cr.sh --scratch .. -- "
		"sh -c 'pwd -P; echo x >made'", 0, "/s/deep\n", "[ -f s/deep/made ]" },
	{ "starts in the scratch where the caller's place is not there", "d=$(mktemp -d /tmp/atXXXXXX); "
		"echo $d >where", "g=$PWD; cd $(cat where); sh $g/cr.sh --scratch $g/s -- pwd", 0, "/s\n",
		"rmdir $(cat where)" },
	{ "a harness away from its settings", "mkdir s/.codex s/sub", "cd s/sub; "
		"sh ../../cr.sh --scratch .. -- true", 0, "settings are in", "" },
	/* LAU-2, LAU-10 */
	{ "no network", "", IN "-- sh -c 'cat /proc/net/dev | wc -l'", 0, "3\n", "" },
	{ "no other process", "", IN "-- sh -c 'set -- /proc/[0-9]*; echo $# processes'", 0,
		"processes", "" },
	{ "empty /run and /tmp", "", IN "-- sh -c 'ls -A /run /tmp | wc -w'", 0, "2\n", "" },
	{ "no capability, no new privileges", "", IN "-- grep -E 'CapEff|CapBnd|NoNewPrivs' "
		"/proc/self/status", 0, "CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\n"
		"NoNewPrivs:\t1", "" },
	{ "no user namespace inside", "", IN "-- unshare -Ur true", 1, "unshare", "" },
	{ "one inside with --allow-nested", "", IN "--allow-nested -- unshare -Ur echo nested", 0,
		"nested", "" },
	{ "hidden environment", "", "SECRET=hush " IN "-- sh -c 'env; cat /proc/1/environ "
		"/proc/1/cmdline | tr \"\\0\" \"\\n\" | grep -c h[u]sh; :'", 0, "0\n", "" },
	{ "variables that are passed on", "", "A=1 B=2 home=h names=n path=p check=c " IN
		"--env-allow A --env-allow home --env-allow names --env-allow path --env-allow check -- "
		"sh -c 'echo $A-$B-$home-$names-$path-$check'", 0, "1--h-n-p-c\n", "" },
	{ "a set variable wins, and keeps its lines", "", "A=1 " IN "--env-allow A --setenv "
		"\"A=x\ny\" -- sh -c 'echo \"[$A]\"'", 0, "[x\ny]", "" },
	{ "a value is on no command line", "", IN "--setenv A=hush -- sh -c "
		"'tr \"\\0\" \" \" </proc/1/cmdline'", 0, "--args 9", "" },
	{ "TMPDIR in the scratch", "mkdir s/t", "TMPDIR=$PWD/s/t " IN "-- sh -c 'echo ${TMPDIR-none}'",
		0, "/s/t\n", "" },
	{ "TMPDIR elsewhere", "", "TMPDIR=$PWD/home " IN "-- sh -c 'echo ${TMPDIR-none}'", 0, "none",
		"" },
	{ "descriptors of one digit", "echo hush >secret", IN "-- sh -c 'cat <&5' 5<secret", 2,
		"5: ", "" },
	{ "descriptors of two digits", "echo hush >secret", "bash -c 'exec 23<secret; " IN "-- ls "
		"/proc/self/fd' | tr '\\n' ' '", 0, "0 1 2 3 ", "" },
	/* LAU-11 */
	{ "limits act", "", IN "--cpu-max 5 --mem-max 512 --nproc-max 40 -- sh -c "
		"'echo $(ulimit -t) $(ulimit -v) $(ulimit -p)'", 0, "5 524288 40", "" },
	{ "processes are counted inside alone", "", IN "--nproc-max 3 -- sh -c 'for i in 1 2 3 4 5 6; do "
		"sleep 1 & done; wait' 2>&1 | grep -m1 -i fork", 0, "ork", "" },
	/* reference-later 1.10, one by one */
	{ "1: scratch through a link below /tmp", TEAM "d=$(mktemp -d /tmp/atXXXXXX); echo $d >where; "
		"ln -s $PWD/s $d/l", "l=$(cat where)/l; sh ./cr.sh --scratch $l -- sh -c \"echo x >>$l/"
		".claude/agents/references/agent-privilege.json\"; echo; "
		"sh ./cr.sh --scratch $l -- sh -c 'echo x >>" REF "agent-privilege.json'", 2, "Read-only",
		"rm -r $(cat where); [ $(cat " REF "agent-privilege.json) = {} ]" },
	{ "2: scratch through an absolute link", "ln -s $PWD/s l", "sh ./cr.sh --scratch l -- sh -c "
		"'echo x >s/in; echo ok'", 0, "ok", "[ -f s/in ]" },
	{ "3: a credential directory that is a link", "mkdir keys; echo hush >keys/id; "
		"ln -s ../keys home/.ssh", IN "-- sh -c 'cat keys/id home/.ssh/id; echo rc=$?'", 0, "rc=1",
		"" },
	{ "3: a credential file that is a link", "echo hush >tok; ln -s ../tok home/.netrc", IN
		"--mask-toolchain -- sh -c 'cat tok; echo rc=$?'", 0, "rc=1", "" },
	{ "4: paths as the shell knows them", "mkdir w x; echo hush >x/f", "cd s; sh ../cr.sh --scratch "
		". --writable ../w/ --exclude ../x -- sh -c 'echo x >../w/in; cat ../x/f; echo rc=$?'", 0,
		"rc=1", "[ -f w/in ]" },
	{ "5: a hidden directory takes no writes", "mkdir secret", IN "--exclude secret -- sh -c "
		"'echo x >secret/f; echo rc=$?'", 0, "rc=2", "[ -z \"$(ls -A secret)\" ]" },
	{ "5: a hidden file", "echo hush >f", IN "--exclude f -- sh -c 'cat f; echo rc=$?'", 0, "rc=1",
		"" },
	{ "6: a writable directory inside a hidden one", "mkdir -p op/proj op/other; echo hush >op/other/f",
		"sh ./cr.sh --scratch op/proj --exclude op -- sh -c 'echo x >op/proj/in; cat op/other/f; "
		"echo y >op/new; ls op'", 0, "proj\n", "[ -f op/proj/in ] && [ ! -e op/new ]" },
	{ "6: hidden, writable, hidden, writable", "mkdir -p s/h/w/g; echo hush >s/h/w/g/f; echo hush >s/h/f",
		IN "--exclude s/h --writable s/h/w --exclude s/h/w/g -- sh -c 'cat s/h/f s/h/w/g/f; "
		"echo x >s/h/w/in; echo x >s/in; ls s/h'", 0, "w\n", "[ -f s/h/w/in ] && [ -f s/in ]" },
	{ "7: the runner's ground", "mkdir s/.agentteams; echo x >s/.agentteams/f", IN "-- sh -c "
		"'echo y >s/.agentteams/f; mv s/.agentteams s/x; echo rc=$?'", 0, "rc=1",
		"[ $(cat s/.agentteams/f) = x ]" },
	{ "10: a file that is hidden stays a file", "echo hush >home/.pgpass", IN
		"--mask-toolchain -- sh -c 'test -d home/.pgpass; echo rc=$?'", 0, "rc=1", "" },
	/* LAU-3 */
	{ "a team's files", TEAM, IN "-- sh -c 'for f in agents/references/agent-privilege.json "
		"agents/references/build-log.json agents/references/authorized-verify-keys/new "
		"hooks/constitutional-gate.sh agents/references/security-approvers.txt; do "
		"echo x >>s/.claude/$f && echo WRITTEN $f; done; mv s/.claude s/c; mv s/.claude/agents s/a; "
		"mv s/.claude/agents/references s/r; rm -f " REF "build-log.json; echo ok >s/.claude/free; "
		"echo done'", 0, "done", "[ -f s/.claude/free ] && [ ! -e s/c ] && [ -d s/.claude/hooks ] && [ -f " REF "build-log.json ] && [ $(cat " REF "agent-privilege.json) = {} ]" },
	{ "the whole config directory with --protect", TEAM, IN "--protect s/.claude -- sh -c "
		"'echo x >s/.claude/settings.local.json; echo rc=$?'", 0, "rc=2",
		"[ ! -e s/.claude/settings.local.json ]" },
	{ "what was protected already adds no mount", TEAM, IN "--protect s/.claude --protect "
		REF "agent-privilege.json --protect home --check -- true | grep -c '/agents/references' ; :",
		0, "0\n", "" },
	{ "prompt roots, and workflows that stay writable", "mkdir -p s/.github/workflows "
		"s/.github/prompts; echo a >s/CLAUDE.md", IN "--protect-prompt-roots -- sh -c "
		"'echo x >>s/CLAUDE.md; echo x >s/.github/prompts/p; mv s/.github s/g; "
		"echo x >s/.github/workflows/w && echo ok'", 0, "ok", "[ $(cat s/CLAUDE.md) = a ] && "
		"[ ! -e s/.github/prompts/p ] && [ -f s/.github/workflows/w ]" },
	{ "hand-written agents without a team", "mkdir -p s/.claude/agents; echo a >s/.claude/agents/a.md",
		IN "-- sh -c 'echo b >s/.claude/agents/a.md && echo ok'", 0, "ok", "" },
	/* the cases from the field, and git's other shapes */
	{ "a repository", REPO, IN GIT_ENV "-- sh -c 'cd s; echo y >g; git add g; git commit -qm y && "
		"echo committed; echo x >>.git/config; echo x >.git/hooks/pre-commit; mv .git x; :'", 0,
		"committed", "[ -d s/.git ] && [ ! -e s/.git/hooks/pre-commit ] && ! grep -qx x s/.git/config" },
	{ "a repository with --git-writable", REPO, IN "--git-writable -- sh -c "
		"'echo x >s/.git/hooks/pre-commit && echo ok'", 0, "ok", "" },
	{ "case 10: a worktree and its writable common directory", GIT "git init -q main; cd main; "
		"echo x >f; git add f; git commit -qm x; git worktree add -q ../wt; rm -rf ../s",
		"sh ./cr.sh --scratch wt --writable main/.git " GIT_ENV "-- sh -c 'cd wt; echo y >g; "
		"git add g; git commit -qm y && echo committed; echo x >../main/.git/hooks/post-commit; "
		"git config core.fsmonitor x; echo x >.git; echo x >../main/.git/worktrees/wt/commondir; "
		"echo x >../main/.git/info/attributes; :'", 0, "committed",
		"[ ! -e main/.git/hooks/post-commit ] && ! grep -q fsmonitor main/.git/config && "
		"git -C wt status >/dev/null && [ ! -e main/.git/info/attributes ]" },
	{ "a worktree alone", GIT "git init -q main; cd main; echo x >f; git add f; git commit -qm x; "
		"git worktree add -q ../wt", "sh ./cr.sh --scratch wt -- sh -c 'cd wt; git status -s; "
		"echo x >f; rm -f .git; echo rc=$?'", 0, "rc=1", "[ -f wt/.git ]" },
	{ "case 11: linked hooks", "mkdir -p w/shared s/.git; ln -s ../../w/shared s/.git/hooks", IN
		"--writable w -- sh -c 'echo x >s/.git/hooks/pre-commit; mv s/.git s/g; echo rc=$?'", 0,
		"rc=1", "[ -z \"$(ls -A w/shared)\" ] && [ -d s/.git ]" },
	{ "case 13: no repository, and a parent that is not writable", "mkdir -p holder/a/.git; "
		"chmod 555 holder", "sh ./cr.sh --scratch holder/a -- pwd", 0, "", "" },
	{ "submodules", REPO "git init -q sub; cd sub; echo x >f; git add f; git commit -qm x; cd ../s; "
		"git -c protocol.file.allow=always submodule --quiet add ../sub m/n; git commit -qm m", IN
		"-- sh -c 'echo x >s/.git/modules/m/n/hooks/pre-commit; echo x >>s/.git/modules/m/n/config; "
		"echo rc=$?'", 0, "rc=2", "[ ! -e s/.git/modules/m/n/hooks/pre-commit ]" },
	{ "hooks that the repository keeps elsewhere", REPO "mkdir s/.husky; git -C s config "
		"core.hooksPath .husky", IN "-- sh -c 'echo x >s/.husky/pre-commit; echo rc=$?'", 0, "rc=2",
		"" },
	{ "a new way to run code is told", "", IN "-- sh -c 'echo x >s/.envrc' 2>&1", 0, "is new since",
		"" },
	{ "a home on another mount", "", "HOME=/dev/shm " IN "-- sh -c 'echo $HOME'", 0, "/dev/shm", "" },
	{ "programs planted where the agent can write", "mkdir s/bin; for p in sort find grep tr env cat "
		"readlink bwrap uname; do printf '#!/bin/sh\\n>>%s/ran\\nexec /usr/bin/%s \"$@\"\\n' $PWD $p "
		">s/bin/$p; cp s/bin/$p s; cp s/bin/$p home; done; chmod +x s/bin/* s/* home/*; ln -s s/bin l; "
		"git init -q s", "PATH=$PWD/l:.:s/bin:$PWD/s/bin:$PATH " IN "--egress host -- sh -c 'echo $PATH'",
		0, "/s/bin:", "[ ! -e ran ]" },
	{ "no home", "", "env -u HOME sh ./cr.sh --scratch s -- echo ok", 0, "ok", "" },
	{ "a home that is not there", "", "HOME=/nowhere sh ./cr.sh --scratch s -- echo ok", 0, "ok", "" },
	{ "a scratch below /tmp", "d=$(mktemp -d /tmp/atXXXXXX); echo $d >where", "d=$(cat where); "
		"sh ./cr.sh --scratch $d -- sh -c \"echo x >$d/in; ls /tmp | wc -l\"", 0, "1\n",
		"d=$(cat where); [ -f $d/in ] && rm -r $d" },
	{ "blanks and quotes in paths", "mkdir \"a 'b\\\" \\$c\"", "sh ./cr.sh --scratch \"a 'b\\\" \\$c\" "
		"-- sh -c 'echo x >\"$1/in\"' x \"a 'b\\\" \\$c\"", 0, "", "[ -f \"a 'b\\\" \\$c/in\" ]" },
};

/* True when the row holds; says what does not. */
static bool check(const struct layout *row)
{
	bool ok = true;
	struct at_child_end end, after;
	struct ground ground;

	ground_begin(&ground);
	ground_must(&ground, "%s", *row->setup ? row->setup : ":");
	end = ground_sh(&ground, "{ %s; } 2>&1", row->act);
	if (end.status != row->status || !strstr(at_buf_text(&end.out), row->says))
		ok = false;
	if (strstr(at_buf_text(&end.out), "hush") || strstr(at_buf_text(&end.out), "WRITTEN"))
		ok = false;
	after = ground_sh(&ground, "%s", *row->after ? row->after : ":");
	if (after.status)
		ok = false;
	if (!ok)
		print_error("%s: status %d, said: %s; afterwards %d\n", row->name, end.status,
			at_buf_text(&end.out), after.status);
	at_child_end_free(&end);
	at_child_end_free(&after);
	ground_end(&ground);
	return ok;
}

static void need_sandbox(void)
{
	struct ground ground;
	const char *why;

	ground_begin(&ground);
	why = ground_why_no_sandbox(&ground);
	ground_end(&ground);
	if (why)
		skip_because("%s", why);
}

static void lau_2_lau_3_layouts(void **state)
{
	size_t bad = 0;

	need_sandbox();
	for (size_t i = 0; i < AT_LEN(layouts); i++)
		bad += !check(&layouts[i]);
	assert_int_equal(bad, 0);
}

/* Case 14, and the rule that nothing is ever made: a check, a run, a refusal. */
static void lau_3_nothing_is_made(void **state)
{
	static const char *const acts[] = { IN "-- true", IN "--check -- true",
		IN "--check --json -- true", IN "--protect-prompt-roots --mask-toolchain -- true",
		IN "--writable gone -- true", "sh ./cr.sh --scratch s --exclude home -- true" };

	need_sandbox();
	for (size_t i = 0; i < AT_LEN(acts); i++) {
		struct at_buf before, after;
		struct ground ground;

		ground_begin(&ground);
		ground_must(&ground, REPO TEAM "mkdir -p home/.ssh s/.codex; echo >s/README");
		before = ground_listing(&ground);
		for (int round = 0; round < 2; round++) {
			struct at_child_end end = ground_sh(&ground, "%s", acts[i]);

			at_child_end_free(&end);
		}
		after = ground_listing(&ground);
		assert_row(i, strcmp(at_buf_text(&before), at_buf_text(&after)) == 0);
		at_buf_free(&before);
		at_buf_free(&after);
		ground_end(&ground);
	}
}

static void lau_10_root_that_is_allowed(void **state)
{
	static const char *const refused[] = { "umount home/.ssh", "mount -o remount,bind,rw /",
		"echo x >>/proc/sys/kernel/core_pattern", "chroot / true", "echo x >out",
		"unshare -m true" };
	struct at_child_end end;
	struct ground ground;

	if (geteuid() != 0)
		skip_because("not root: a wrap of root's cannot be seen");
	need_sandbox();
	ground_begin(&ground);
	ground_must(&ground, "mkdir home/.ssh; chmod 777 s");
	for (size_t i = 0; i < AT_LEN(refused); i++) {
		end = ground_sh_as_caller(&ground, IN "--allow-root -- sh -c '%s'", refused[i]);
		assert_row(i, end.status != 0);
		at_child_end_free(&end);
	}
	end = ground_sh_as_caller(&ground, IN "--allow-root -- sh -c 'echo x >s/in'");
	assert_int_equal(end.status, 0);
	at_child_end_free(&end);
	ground_end(&ground);
}

/* The network namespace that was made before, entered by root or by who is in it already. */
static void lau_2_a_network_made_before(void **state)
{
	struct at_child_end end;
	struct ground ground;

	if (geteuid() != 0)
		skip_because("not root: no network namespace can be made");
	need_sandbox();
	ground_begin(&ground);
	ground_must(&ground, "chmod 777 s");
	end = ground_sh_as_caller(&ground,
		"command -v ip >/dev/null || exit 99; n=at-test-$$; ip netns add $n || exit 98; "
		"trap 'ip netns del '$n EXIT; want=$(ip netns exec $n readlink /proc/self/ns/net); "
		"got=$(" IN "--allow-root --egress proxy --netns $n -- readlink /proc/self/ns/net); "
		"[ \"$got\" = \"$want\" ] || exit 1; "
		"got=$(ip netns exec $n setpriv --reuid=65534 --regid=65534 --clear-groups " IN
		"--egress proxy --netns - --proxy 127.0.0.1:99 -- sh -c 'readlink /proc/self/ns/net; "
		"echo $https_proxy'); [ \"$got\" = \"$want\nhttp://127.0.0.1:99\" ] || exit 1; "
		IN "--allow-root --egress proxy --netns at-none-$$ -- touch s/ran; [ $? = 2 ]");
	ground_end(&ground);
	if (end.status == 99 || end.status == 98)
		skip_because("no network namespace can be made here: %.200s", at_buf_text(&end.err));
	if (end.status)
		fail_msg("status %d: %s%s", end.status, at_buf_text(&end.out), at_buf_text(&end.err));
	at_child_end_free(&end);
}

/* A list of options cut short anywhere makes no sandbox and runs nothing. */
static void lau_2_a_cut_list_runs_nothing(void **state)
{
	struct ground ground;

	need_sandbox();
	ground_begin(&ground);
	ground_must(&ground, TEAM);
	/* A bwrap that passes on the first N bytes of the list alone. */
	ground_must(&ground, "mkdir bin; printf '%%s\\n' '#!/bin/sh' "
		"'head -c $(cat n) <&9 | { exec 9<&0 </dev/null; exec /usr/bin/bwrap \"$@\"; }' "
		">bin/bwrap; chmod +x bin/bwrap");
	for (int n = 0; n < 1200; n += n < 20 ? 1 : 37) {
		struct at_child_end end = ground_sh(&ground, "echo %d >n; sed "
			"'s,env -i \"$@\",env -i PATH=/usr/bin:/bin \"$@\",' cr.sh >cut.sh; "
			"PATH=$PWD/bin:$PATH sh ./cut.sh --scratch s -- touch s/ran", n);

		if (end.status == 0 || test_exists(ground.path, "s/ran")) {
			/* The whole list has passed: it is shorter than that. */
			assert_true(n > 400);
			at_child_end_free(&end);
			break;
		}
		at_child_end_free(&end);
	}
	ground_end(&ground);
}

int test_layouts(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_2_lau_3_layouts),
		cmocka_unit_test(lau_3_nothing_is_made),
		cmocka_unit_test(lau_10_root_that_is_allowed),
		cmocka_unit_test(lau_2_a_network_made_before),
		cmocka_unit_test(lau_2_a_cut_list_runs_nothing),
	};

	return cmocka_run_group_tests_name("layouts", tests, NULL, NULL);
}
