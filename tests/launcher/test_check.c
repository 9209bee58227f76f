/* LAU-5: what --check prints is what a run does. And LAU-6, macOS's branch, with stand-ins for its tools. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/json_read.h"
#include "launcher/ground.h"
#include "support/support.h"

#define IN "sh ./cr.sh --scratch s "

/* A bwrap that writes down its list of options, without the variables, and runs nothing. */
#define SPY "mkdir bin; printf '%%s\\n' '#!/bin/sh' 'case $1 in --help) exec /usr/bin/bwrap --help;; " \
	"esac' '/usr/bin/tr \"\\\\000\" \"\\\\012\" <&9 >\"${0%%/bin/*}/list\"' >bin/bwrap; chmod +x bin/bwrap; "

static const struct {
	const char *setup, *args;
} plans[] = {
	{ "", "" },
	{ TEAM, "" },
	{ TEAM "mkdir home/.ssh; echo >home/.netrc", "--mask-toolchain --protect s/.claude" },
	{ "mkdir w c; git init -q s", "--writable w --coord-root c --egress host" },
	{ "mkdir -p op/p; echo >s/CLAUDE.md", "--writable op/p --exclude op --protect-prompt-roots" },
	{ "", "--allow-nested --cpu-max 3" },
};

static void lau_5_the_plan_is_the_run(void **state)
{
	for (size_t i = 0; i < AT_LEN(plans); i++) {
		struct at_child_end end, plan;
		struct ground ground;
		struct at_json doc; /* borrows what was printed */
		struct at_buf list;
		struct at_error err;
		struct at_arena *arena = at_arena_new();
		uint32_t args;
		char *line, *rest;

		ground_begin(&ground);
		ground_must(&ground, "%s\n" SPY, plans[i].setup);
		plan = ground_sh(&ground, "export PATH=$PWD/bin:$PATH; " IN "%s --check --json -- true x",
			plans[i].args);
		if (!at_json_read(&doc, at_buf_bytes(&plan.out), &at_json_settings_limits, 0, &err))
			fail_msg("row %zu: no JSON (%s): %s", i, err.message, at_buf_text(&plan.out));
		end = ground_sh(&ground, "export PATH=$PWD/bin:$PATH; " IN "%s -- true x",
			plans[i].args);
		list = test_read(ground.path, "list");
		rest = at_strdup(at_buf_text(&list));
		args = at_json_member(&doc, AT_JSON_ROOT, "args");
		assert_row(i, at_json_is(&doc, args, AT_JSON_ARRAY));
		line = strtok(rest, "\n");
		at_json_each(&doc, node, args) {
			while (line && strcmp(line, "--setenv") == 0) {
				strtok(NULL, "\n");
				strtok(NULL, "\n");
				line = strtok(NULL, "\n");
			}
			if (!line || strcmp(line, at_json_string(&doc, node, arena).data) != 0)
				fail_msg("row %zu: the run has `%s` where the plan has `%s`", i,
					line ? line : "nothing",
					at_json_string(&doc, node, arena).data);
			line = strtok(NULL, "\n");
		}
		assert_row(i, !line);
		free(rest);
		at_json_free(&doc);
		at_child_end_free(&plan);
		at_arena_free(arena);
		at_buf_free(&list);
		at_child_end_free(&end);
		ground_end(&ground);
	}
}

static const struct {
	const char *name, *setup, *args;
	const char *says[6];
} checks[] = {
	{ "labels", "", "-- echo 'a b'",
		{ "--check (inert; nothing runs)\n  os: Linux\n  scratch (writable): ",
			"\n  egress mode: deny\n", "\n  read-excluded: <none present>\n",
			"\n  control-plane (ro): <none>\n",
			"\n  command: echo 'a b'\n  effective: ",
			"\n  env allowlist: PATH HOME LC_ALL (all others are not passed on)\n" } },
	{ "team", TEAM, "-- true",
		{ "agent-privilege.json", "\n  rename-locked ancestors: ", "/s/.claude/hooks" } },
	{ "masks, and what is not masked", "mkdir home/.ssh; echo >home/.netrc", "-- true",
		{ "\n  read-excluded: ", "/home/.ssh\n", "\n  not masked (--mask-toolchain): ",
			"/home/.netrc\n" } },
	{ "prompt roots", "echo >s/CLAUDE.md", "--protect-prompt-roots -- true",
		{ "\n  prompt-roots (ro): ", "/s/CLAUDE.md\n" } },
	{ "no prompt roots", "", "--protect-prompt-roots -- true",
		{ "\n  prompt-roots (ro): <none present>\n" } },
	{ "limits", "", "--cpu-max 3 --nproc-max 4 --mem-max 5 -- true",
		{ "\n  cpu-max (RLIMIT): 3\n  nproc-max (RLIMIT): 4\n  mem-max: 5\n", "cgroup" } },
	{ "coordination", "mkdir c", "--coord-root c -- true", { "\n  coord-roots: c\n" } },
	{ "the harness's own sandbox", "mkdir s/.claude; printf '{\\n \"sandbox\": {\\n\"enabled\" : "
		"true}}' >s/.claude/settings.json", "-- true", { "choose one", "/s/.claude/settings.json" } },
	{ "nested", "", "--allow-nested -- true", { "\n  user namespaces inside: ON (weaker)\n" } },
	{ "codex's configuration", "mkdir s/.codex; echo 'sandbox_mode = \"x\"' >s/.codex/config.toml",
		"-- true", { "sets how codex is confined" } },
	{ "hooks that are not there", "git init -q s; rm -rf s/.git/hooks", "-- true",
		{ "\n  note: 'there is no " } },
	{ "host", "", "--egress host -- true", { "\n  egress mode: host\n", "WARNING: --egress host" } },
	{ "a secret is not shown", "", "--setenv A=hush -- true", { " A (all others" } },
	{ "blanks", "mkdir 's/a b'", "--protect 's/a b' -- true", { "/s/a b' '" } },
};

static void lau_5_check_says_all_of_it(void **state)
{
	for (size_t i = 0; i < AT_LEN(checks); i++) {
		struct at_child_end end;
		struct ground ground;

		ground_begin(&ground);
		ground_must(&ground, "%s", *checks[i].setup ? checks[i].setup : ":");
		end = ground_sh(&ground, IN "--check %s 2>&1", checks[i].args);
		for (size_t k = 0; k < AT_LEN(checks[i].says) && checks[i].says[k]; k++)
			if (!strstr(at_buf_text(&end.out), checks[i].says[k]))
				fail_msg("%s: does not say `%s`: %s", checks[i].name, checks[i].says[k],
					at_buf_text(&end.out));
		assert_row(i, end.status == 0 && !strstr(at_buf_text(&end.out), "hush"));
		at_child_end_free(&end);
		ground_end(&ground);
	}
}

/* Case 15: what is hidden around comes first, the writable inside it next, credentials last. */
static void lau_3_order_of_the_mounts(void **state)
{
	static const char *const order[] = { "--tmpfs G/op --bind", "--bind G/op/w/proj ",
		"--bind G/op/w/proj/.claude ", "--ro-bind G/op/w/proj/.claude/hooks ",
		"--remount-ro G/op", "--perms 000 --tmpfs G/op/w/proj/secrets" };
	struct at_child_end end;
	struct ground ground;
	const char *at;

	ground_begin(&ground);
	ground_must(&ground, "mkdir -p op/w/proj/.claude/hooks op/w/proj/secrets op/other");
	end = ground_sh(&ground, "sh ./cr.sh --scratch op/w/proj --exclude op --exclude "
		"op/w/proj/secrets --protect op/w/proj/.claude/hooks --check -- true | "
		"sed \"s,$PWD,G,g\"");
	at = at_buf_text(&end.out);
	for (size_t i = 0; i < AT_LEN(order); i++) {
		at = strstr(at, order[i]);
		if (!at)
			fail_msg("`%s` is not where it must be: %s", order[i], at_buf_text(&end.out));
	}
	at_child_end_free(&end);
	ground_end(&ground);
}

/* The same directory mounted a second time is hidden there too. */
static void lau_10_a_second_mount_of_what_is_hidden(void **state)
{
	struct at_child_end end;
	struct ground ground;

	if (geteuid() != 0)
		skip_because("not root: nothing can be mounted a second time");
	ground_begin(&ground);
	if (ground_why_no_sandbox(&ground))
		skip_because("%s", ground_why_no_sandbox(&ground));
	ground_must(&ground, "mkdir -p home/.ssh 'again and' keys; echo hush >home/.ssh/id; chmod 711 home; "
		"chmod 755 home/.ssh; chmod 777 s");
	end = ground_sh_as_caller(&ground, "unshare -m sh -c 'mount --bind home \"again and\" && "
		"mount --bind home/.ssh keys && exec setpriv --reuid=65534 --regid=65534 --clear-groups "
		IN "-- cat home/.ssh/id \"again and/.ssh/id\" keys/id'");
	assert_int_not_equal(end.status, 0);
	assert_null(strstr(at_buf_text(&end.out), "hush"));
	assert_int_equal(end.out.len, 0);
	at_child_end_free(&end);
	ground_end(&ground);
}

/* LAU-6. Stand-ins: uname says Darwin, sandbox-exec prints what it was given. */
#define MAC "mkdir bin; printf '#!/bin/sh\\necho Darwin\\n' >bin/uname; " \
	"printf '%%s\\n' '#!/bin/sh' '[ \"$1\" = -p ] || exit 9' 'printf \"%%s\\\\n\" \"$2\"' 'shift 2' " \
	"'exec \"$@\"' >bin/sandbox-exec; chmod +x bin/*; " \
	"sed 's,/proc/self/ns/pid,/nowhere,;s,command -p uname,uname,' cr.sh >mac.sh; "
#define ON_MAC "PATH=$PWD/bin:$PATH sh ./mac.sh --scratch s "

static const struct {
	const char *name, *setup, *args;
	int status;
	const char *says[8]; /* in this order */
} macs[] = {
	{ "the rules in their order", TEAM "mkdir w home/.ssh", "--writable w -- echo done", 0,
		{ "(version 1)\n(allow default)\n(deny file-write*)\n(allow file-write* (subpath \"G/s\"))\n",
			"(allow file-write* (subpath \"G/w\"))\n",
			"(deny file-write* (subpath \"G/s/.claude/agents/references/agent-privilege.json\"))\n",
			"(deny file-write* (literal \"G/s/.claude\"))\n",
			"(deny file-write* (literal \"G/s\"))\n(deny file-write* (literal \"G\"))\n",
			"(deny file-read* (subpath \"G/home/.ssh\"))\n",
			"(deny process-exec* (literal \"/usr/bin/sudo\"))\n", "(deny network*)\ndone\n" } },
	{ "always unverified", "", "-- true", 0, { "ENFORCEMENT-UNVERIFIED" } },
	{ "a proxy on loopback", "", "--egress proxy --proxy localhost:99 -- true", 0,
		{ "(deny network*)\n(allow network* (remote ip \"localhost:99\"))" } },
	{ "a proxy elsewhere", "", "--egress proxy --proxy 10.0.0.1:99 -- touch s/ran", 2,
		{ "FAIL CLOSED" } },
	{ "host", "", "--egress host -- echo done", 0, { "traceroute6\"))\ndone" } },
	{ "memory", "", "--mem-max 10 -- true", 0, { "MEMORY UNCAPPED" } },
	{ "processes", "", "--nproc-max 10 -- true", 0, { "self-DoS knob" } },
	{ "a quote in a path", "mkdir 'w\"x'", "--writable 'w\"x' -- touch s/ran", 2, { "quote" } },
	{ "a backslash in a path", "mkdir 'w\\x'", "--writable 'w\\x' -- touch s/ran", 2, { "backslash" } },
	{ "a team that is not whole", TEAM "rm " REF "agent-privilege.json", "-- touch s/ran", 2,
		{ "missing although" } },
	{ "environment", "", "--setenv A='1 2' -- env", 0, { "A=1 2" } },
	{ "check", "", "--check -- true", 0, { "os: Darwin", "effective: sandbox-exec -p '(version 1)" } },
	{ "harden", "", "--harden=require -- touch s/ran", 2, { "no such filter" } },
};

static void lau_6_macos(void **state)
{
	for (size_t i = 0; i < AT_LEN(macs); i++) {
		struct at_child_end end;
		struct ground ground;
		const char *at;

		ground_begin(&ground);
		ground_must(&ground, "%s\n" MAC, macs[i].setup);
		end = ground_sh(&ground, "{ " ON_MAC "%s; echo rc=$?; } 2>&1 | sed \"s,$PWD,G,g\"",
			macs[i].args);
		at = at_buf_text(&end.out);
		for (size_t k = 0; k < AT_LEN(macs[i].says) && macs[i].says[k]; k++) {
			at = strstr(at, macs[i].says[k]);
			if (!at)
				fail_msg("%s: no `%s` (in order) in: %s", macs[i].name, macs[i].says[k],
					at_buf_text(&end.out));
		}
		assert_row(i, strstr(at_buf_text(&end.out), macs[i].status ? "rc=2" : "rc=0"));
		assert_row(i, !test_exists(ground.path, "s/ran"));
		at_child_end_free(&end);
		ground_end(&ground);
	}
}

static void lau_1_help_and_lint(void **state)
{
	struct at_child_end end;
	struct ground ground;

	ground_begin(&ground);
	end = ground_sh(&ground, "sh ./cr.sh --help");
	assert_int_equal(end.status, 0);
	for (const char *const *flag = (const char *const[]){ "--scratch", "--egress", "--proxy", "--netns",
		     "--exclude", "--writable", "--coord-root", "--setenv", "--env-allow", "--protect ",
		     "--protect-prompt-roots", "--git-writable", "--mask-toolchain", "--cpu-max",
		     "--nproc-max", "--mem-max", "--harden", "--harden=require", "--harden-helper",
		     "--allow-root", "--allow-nested", "--check", "--json", "--help", NULL };
		*flag; flag++)
		if (!strstr(at_buf_text(&end.out), *flag))
			fail_msg("--help does not name %s", *flag);
	at_child_end_free(&end);
	end = ground_sh(&ground, "LC_ALL=C grep -n '[^ -~\t]' cr.sh"); /* ASCII */
	assert_int_equal(end.status, 1);
	at_child_end_free(&end);
	end = ground_sh(&ground, "command -v shellcheck >/dev/null || exit 99; shellcheck -s sh cr.sh");
	ground_end(&ground);
	if (end.status == 99)
		skip_because("shellcheck is not here: the launcher was not linted");
	assert_string_equal(at_buf_text(&end.out), "");
	at_child_end_free(&end);
}

int test_check(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_5_the_plan_is_the_run),
		cmocka_unit_test(lau_5_check_says_all_of_it),
		cmocka_unit_test(lau_3_order_of_the_mounts),
		cmocka_unit_test(lau_10_a_second_mount_of_what_is_hidden),
		cmocka_unit_test(lau_6_macos),
		cmocka_unit_test(lau_1_help_and_lint),
	};

	return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
