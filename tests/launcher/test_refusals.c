/* Every refusal of the launcher: its words, exit status 2, nothing made, nothing run. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launcher/ground.h"
#include "support/support.h"

#define RUN "-- touch s/ran"

static const struct refusal {
	const char *name, *setup, *args, *fragment;
} refusals[] = {
	/* LAU-1: bad usage */
	{ "no scratch", "", RUN, "--scratch DIR is missing" },
	{ "scratch is not there", "", "--scratch gone " RUN, "is not a directory" },
	{ "scratch is a file", "echo >f", "--scratch f " RUN, "is not a directory" },
	{ "scratch that cannot be entered", "mkdir x; chmod 0 x", "--scratch x " RUN,
		"cannot be entered" },
	{ "scratch is empty", "", "--scratch '' " RUN, "not empty" },
	{ "scratch without a value", "", "--scratch", "needs a value" },
	{ "no command", "", "--scratch s --", "the command" },
	{ "no separator", "", "--scratch s", "the command is missing" },
	{ "empty command", "", "--scratch s -- ''", "is empty" },
	{ "word before the separator", "", "--scratch s touch s/ran", "comes after --" },
	{ "unknown option", "", "--scratch s --no-such " RUN, "unknown option" },
	{ "option with a value behind =", "", "--scratch=s " RUN, "unknown option" },
	{ "egress", "", "--scratch s --egress open " RUN, "none of deny, proxy, host" },
	{ "proxy without a port", "", "--scratch s --egress proxy --proxy 127.0.0.1 " RUN, "--proxy" },
	{ "proxy port 0", "", "--scratch s --egress proxy --proxy h:0 " RUN, "--proxy" },
	{ "proxy port 65536", "", "--scratch s --egress proxy --proxy h:65536 " RUN, "--proxy" },
	{ "proxy port of letters", "", "--scratch s --egress proxy --proxy h:8x " RUN, "--proxy" },
	{ "proxy without an address", "", "--scratch s --egress proxy --proxy :80 " RUN, "--proxy" },
	{ "netns with a slash", "", "--scratch s --egress proxy --netns a/b " RUN, "--netns" },
	{ "netns like an option", "", "--scratch s --egress proxy --netns -x " RUN, "--netns" },
	{ "netns as an ordinary user", "", "--scratch s --egress proxy " RUN, "only root may enter" },
	{ "cpu of letters", "", "--scratch s --cpu-max x " RUN, "positive whole number" },
	{ "cpu 0", "", "--scratch s --cpu-max 0 " RUN, "positive whole number" },
	{ "cpu negative", "", "--scratch s --cpu-max -1 " RUN, "positive whole number" },
	{ "nproc octal", "", "--scratch s --nproc-max 010 " RUN, "positive whole number" },
	{ "nproc expression", "", "--scratch s --nproc-max 1+1 " RUN, "positive whole number" },
	{ "mem beyond numbers", "", "--scratch s --mem-max 99999999999 " RUN, "positive whole number" },
	{ "env-allow with a dash", "", "--scratch s --env-allow A-B " RUN, "no name of a variable" },
	{ "env-allow with a digit first", "", "--scratch s --env-allow 1A " RUN, "no name" },
	{ "env-allow with a command", "", "--scratch s --env-allow 'A$(touch s/ran)' " RUN, "no name" },
	{ "setenv without a value", "", "--scratch s --setenv", "--setenv needs NAME=VALUE" },
	{ "setenv without =", "", "--scratch s --setenv A " RUN, "is not NAME=VALUE" },
	{ "setenv without a name", "", "--scratch s --setenv =x " RUN, "is not NAME=VALUE" },
	{ "setenv with a command", "", "--scratch s --setenv 'A;touch s/ran;=x' " RUN, "no name" },
	{ "json alone", "", "--scratch s --json " RUN, "goes with --check" },
	{ "harden with another word", "", "--scratch s --harden=maybe " RUN, "unknown option" },
	{ "harden required, no helper", "", "--scratch s --harden=require --harden-helper gone " RUN,
		"is not there" },
	{ "harden required, no layer", "printf '#!/bin/sh\\n' >h; chmod +x h",
		"--scratch s --harden=require --harden-helper h " RUN, "seccomp cannot be had here" },
	{ "helper where the agent could write", "cp /bin/true s/h",
		"--scratch s --harden --harden-helper s/h " RUN, "could replace it" },
	/* LAU-3, LAU-4: paths */
	{ "writable is not there", "", "--scratch s --writable gone " RUN, "is never created" },
	{ "writable is a file", "echo >f", "--scratch s --writable f " RUN, "is not a directory" },
	{ "coordination root is not there", "", "--scratch s --coord-root gone " RUN, "--coord-root" },
	{ "the whole machine", "", "--scratch / -- true", "no confinement" },
	{ "exclude is not there", "", "--scratch s --exclude gone " RUN, "Nothing would be hidden" },
	{ "exclude with a tilde that no shell expanded", "", "--scratch s --exclude '~/x' " RUN,
		"Nothing would be hidden" },
	{ "exclude of /proc", "", "--scratch s --exclude /proc " RUN, "cannot be hidden" },
	{ "exclude of the scratch", "", "--scratch s --exclude s " RUN, "at once" },
	{ "protect is not there", "", "--scratch s --protect s/gone " RUN, "is not there" },
	{ "protect is a link", "echo >s/f; ln -s f s/l", "--scratch s --protect s/l " RUN,
		"symbolic link" },
	{ "protect is a link with a slash behind", "mkdir s/d; ln -s d s/l",
		"--scratch s --protect s/l/ " RUN, "symbolic link" },
	{ "protect through a link", "mkdir s/d; echo >s/d/f; ln -s d s/l",
		"--scratch s --protect s/l/f " RUN, "symbolic link" },
	{ "protect has a second name", "echo >s/f; ln s/f s/g", "--scratch s --protect s/f " RUN,
		"hard link" },
	{ "protected directory holds a second name", "mkdir s/d; echo >s/d/f; ln s/d/f s/g",
		"--scratch s --protect s/d " RUN, "hard link" },
	{ "a root inside what is protected", "mkdir -p s/d/e",
		"--scratch s --protect s/d --writable s/d/e " RUN, "which is protected" },
	{ "newline in a path", "", "--scratch \"s\n\" " RUN, "control character" },
	{ "escape in a path", "", "--scratch s --protect \"$(printf 's/\\033x')\" " RUN,
		"control character" },
	{ "newline in the scratch's own path", "mkdir \"a\nb\"; ln -s \"a\nb\" ok", "--scratch ok " RUN,
		"control character" },
	/* LAU-4: a team that is not whole */
	{ "switch is missing", TEAM "rm " REF "agent-privilege.json", "--scratch s " RUN,
		"agent-privilege.json' is missing although" },
	{ "switch before rosters", TEAM "rm " REF "agent-privilege.json " REF "security-approvers.txt",
		"--scratch s " RUN, "agent-privilege.json' is missing" },
	{ "key store is missing", TEAM "rmdir " REF "authorized-verify-keys", "--scratch s " RUN,
		"authorized-verify-keys' is missing" },
	{ "approvers are missing", TEAM "rm " REF "security-approvers.txt", "--scratch s " RUN,
		"security-approvers.txt' is missing" },
	{ "managers are missing", TEAM "rm " REF "authorized-managers.txt", "--scratch s " RUN,
		"authorized-managers.txt' is missing" },
	{ "authority is missing", TEAM "rm " REF "management-authority.json", "--scratch s " RUN,
		"management-authority.json' is missing" },
	{ "hook is missing", TEAM "rm s/.claude/hooks/constitutional-gate.sh", "--scratch s " RUN,
		"constitutional-gate.sh' is missing" },
	{ "hint of a missing entry", TEAM "rm " REF "agent-privilege.json", "--scratch s " RUN,
		"--update" },
	{ "a planted marker", "mkdir -p s/.codex/agents/references; "
		"echo >s/.codex/agents/references/build-log.json", "--scratch s " RUN, "PLANTED" },
	{ "a team in another root", "mkdir -p w/.goose/recipes/references; "
		"echo >w/.goose/recipes/references/build-log.json; echo >w/.goose/recipes/a.yaml",
		"--scratch s --writable w " RUN, "missing although" },
	{ "the config directory is a link", TEAM "mv s/.claude c; ln -s ../c s/.claude",
		"--scratch s " RUN, "symbolic link" },
	{ "the switch is a link", TEAM "mv " REF "agent-privilege.json p; ln -s ../../../../p "
		REF "agent-privilege.json", "--scratch s " RUN, "symbolic link" },
	{ "the marker is a dangling link", "mkdir -p s/.claude/agents/references; ln -s gone "
		REF "build-log.json", "--scratch s " RUN, "symbolic link" },
	{ "the switch has a second name", TEAM "ln " REF "agent-privilege.json s/x", "--scratch s " RUN,
		"hard link" },
	{ "a prompt root is a link", "echo >f; ln -s ../f s/CLAUDE.md",
		"--scratch s --protect-prompt-roots " RUN, "symbolic link" },
	{ "the repository is a link", "mkdir g; ln -s ../g s/.git", "--scratch s " RUN,
		"Put the repository" },
	/* what it needs */
	{ "no bwrap", "mkdir bin; for p in sh tr sort find cat grep env; do ln -s /bin/$p bin; done",
		"--scratch s " RUN " # PATH=$PWD/bin", "bwrap is not there" },
	{ "bwrap that is too old", "mkdir bin; printf '#!/bin/sh\\n[ \"$1\" = --help ]\\n' >bin/bwrap; "
		"chmod +x bin/bwrap", "--scratch s " RUN " # PATH=$PWD/bin:$PATH",
		"cannot switch user namespaces off" },
	{ "a descriptor that stays open", "", "--scratch s " RUN
		" # CONFINE_RUN_CLOSED=1 bash -c 'exec 23</etc/passwd; exec \"$@\"' x", "cannot be closed" },
	{ "no find", "mkdir bin; for p in sh tr sort cat grep env bwrap; do ln -s /usr/bin/$p bin; done",
		"--scratch s " RUN " # PATH=$PWD/bin", "find is not there" },
	{ "a sort that does nothing", "mkdir bin; printf '#!/bin/sh\n' >bin/sort; chmod +x bin/sort",
		"--scratch s " RUN " # PATH=$PWD/bin:$PATH", "put in order" },
	{ "bwrap where the agent could write", "mkdir s/bin; cp /usr/bin/bwrap s/bin",
		"--scratch s " RUN " # PATH=$PWD/s/bin", "is not there" },
};

static const char *const shells[] = { "sh", "bash --posix", "busybox sh" };

static bool has_shell(const struct ground *ground, const char *shell)
{
	struct at_child_end end = ground_sh(ground, "%s -c : 2>/dev/null", shell);
	bool is_there = end.status == 0;

	at_child_end_free(&end);
	return is_there;
}

/* What stands behind a `#` in the arguments is put before the shell: assignments. */
static void check(const struct refusal *row, const char *shell)
{
	const char *assignment = strstr(row->args, " # ");
	int len = assignment ? (int)(assignment - row->args) : (int)strlen(row->args);
	struct at_buf before, after;
	struct at_child_end end;
	struct ground ground;

	ground_begin(&ground);
	ground_must(&ground, "%s", *row->setup ? row->setup : ":");
	before = ground_listing(&ground);
	end = ground_sh(&ground, "%s /bin/%s ./cr.sh %.*s", assignment ? assignment + 3 : "", shell,
		len, row->args);
	after = ground_listing(&ground);
	if (end.status != 2 || !strstr(at_buf_text(&end.err), row->fragment))
		fail_msg("%s (%s): status %d, said: %s%s", row->name, shell, end.status,
			at_buf_text(&end.err), at_buf_text(&end.out));
	if (strncmp(at_buf_text(&end.err), "confine-run: ", 13) != 0)
		fail_msg("%s: no prefix: %s", row->name, at_buf_text(&end.err));
	for (size_t i = 0; i < end.err.len; i++)
		if ((unsigned char)end.err.data[i] < ' ' && end.err.data[i] != '\n')
			fail_msg("%s: a raw byte on the terminal", row->name);
	if (strcmp(at_buf_text(&before), at_buf_text(&after)) != 0)
		fail_msg("%s: something was made or changed:\n%s\n%s", row->name,
			at_buf_text(&before), at_buf_text(&after));
	at_child_end_free(&end);
	at_buf_free(&before);
	at_buf_free(&after);
	ground_end(&ground);
}

static void lau_1_lau_4_every_refusal(void **state)
{
	for (size_t i = 0; i < AT_LEN(refusals); i++)
		check(&refusals[i], "sh");
}

/* macOS's sh is a bash, some distributions' a busybox. */
static void lau_1_refusals_in_other_shells(void **state)
{
	struct ground ground;

	ground_begin(&ground);
	for (size_t s = 1; s < AT_LEN(shells); s++) {
		if (!has_shell(&ground, shells[s])) {
			print_message("SKIPPED: no %s here\n", shells[s]);
			continue;
		}
		for (size_t i = 0; i < AT_LEN(refusals); i += 3)
			check(&refusals[i], shells[s]);
	}
	ground_end(&ground);
}

static void lau_10_root_is_refused(void **state)
{
	struct at_child_end end;
	struct ground ground;

	if (geteuid() != 0)
		skip_because("not root: what root is told cannot be seen");
	ground_begin(&ground);
	end = ground_sh_as_caller(&ground, "sh ./cr.sh --scratch s " RUN);
	assert_int_equal(end.status, 2);
	assert_non_null(strstr(at_buf_text(&end.err), "--allow-root"));
	assert_false(test_exists(ground.path, "s/ran"));
	at_child_end_free(&end);
	ground_end(&ground);
}

/* LAU-7. The launcher asks uname only where there is no Linux to be seen. */
static void lau_7_another_system_is_refused(void **state)
{
	struct at_child_end end;
	struct ground ground;

	ground_begin(&ground);
	ground_must(&ground, "mkdir bin; printf '#!/bin/sh\\necho Haiku\\n' >bin/uname; "
		"chmod +x bin/uname; sed 's,/proc/self/ns/pid,/nowhere,;s,command -p uname,uname,' cr.sh >other.sh");
	end = ground_sh(&ground, "PATH=$PWD/bin:$PATH sh ./other.sh --scratch s " RUN);
	assert_int_equal(end.status, 2);
	assert_non_null(strstr(at_buf_text(&end.err), "FAIL CLOSED"));
	assert_false(test_exists(ground.path, "s/ran"));
	at_child_end_free(&end);
	ground_end(&ground);
}

int test_refusals(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_1_lau_4_every_refusal),
		cmocka_unit_test(lau_1_refusals_in_other_shells),
		cmocka_unit_test(lau_10_root_is_refused),
		cmocka_unit_test(lau_7_another_system_is_refused),
	};

	return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
