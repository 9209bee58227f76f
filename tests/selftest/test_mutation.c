/* The test of the test: a launcher with one thing taken away must turn a case red. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "selftest/selftest.h"

enum kind {
	PLAIN = 0,
	HARDEN = 1, /* in the mode --harden */
	ROOT = 2, /* as root alone */
	MAY_SKIP = 4, /* the case takes what a host may not have */
	REFUSES = 8, /* or the start is refused: that is seen as well */
};

/* One thing of the launcher, and the cases that must see that it is gone. */
static const struct row {
	const char *phase;
	const char *from, *to;
	const char *from_too, *to_too; /* where one thing stands twice */
	const char *ids;
	unsigned kind;
} rows[] = {
	{ "die with parent", "--die-with-parent ", "", NULL, NULL, "N15", PLAIN },
	{ "session of its own", " --new-session", "", NULL, NULL, "T4 T5", MAY_SKIP },
	{ "empty environment of bwrap", "| env -i \"$@\"", "| \"$@\"", NULL, NULL, "N2", PLAIN },
	{ "environment by list", "| env -i \"$@\"", "| \"$@\"", " --clearenv", "", "V1 V2", PLAIN },
	{ "descriptors", "\nif [ -n \"$open\" ]; then", "\nif false; then", NULL, NULL, "T1 T2 T3",
		PLAIN },
	{ "ipc namespace", " --unshare-ipc", "", NULL, NULL, "U7", PLAIN },
	{ "pid namespace", " --unshare-pid", "", NULL, NULL, "N1 N5 FORCE", REFUSES },
	{ "cgroup namespace", " --unshare-cgroup-try", "", NULL, NULL, "FORCE", PLAIN },
	{ "network namespace", "put --unshare-net", ":", NULL, NULL, "X1 X2 U5", PLAIN },
	{ "no user namespaces inside", "put --disable-userns", ":", NULL, NULL, "N7 CP6", PLAIN },
	{ "read-only root", "--ro-bind / /", "--bind / /", NULL, NULL, "W1 W2 W6 Z1 Z2", PLAIN },
	{ "fresh /tmp", " --tmpfs /tmp", "", NULL, NULL, "P10 U2", PLAIN },
	{ "fresh /run", " --tmpfs /run", "", NULL, NULL, "U1", ROOT },
	{ "fresh /dev", "--dev /dev", "--dev-bind /dev /dev", NULL, NULL, "KS8 U7", PLAIN },
	{ "fresh /proc", " --proc /proc", "", NULL, NULL, "N1 N2 N3", REFUSES },
	{ "/proc/sys", "put --ro-bind /proc/sys /proc/sys", ":", NULL, NULL, "N10", ROOT },
	{ "capabilities", "put --cap-drop ALL", ":", NULL, NULL, "N12 N8 FORCE", ROOT },
	{ "workspace", "w*) put --bind", "w*) : --bind", NULL, NULL, "P1 P5", REFUSES },
	{ "locked ancestors", "for path in $locked; do\n        put",
		"for path in $locked; do\n        :", NULL, NULL, "CP3 CP4", PLAIN },
	{ "protected files", "for path in $shut; do\n        put",
		"for path in $shut; do\n        :", NULL, NULL, "CP1 CP5 CP8 CP9 CP14", PLAIN },
	{ "masks", "*) hide \"$path\" ;;", "*) ;;", NULL, NULL, "R1 R2 R3 R4 R7", PLAIN },
	{ "masks of directories", "put --perms 000 --tmpfs \"$1\" --remount-ro \"$1\"", ":", NULL,
		NULL, "R1 R11", PLAIN },
	{ "masks of files", "put --ro-bind /dev/null \"$1\"", ":", NULL, NULL, "R7", PLAIN },
	{ "masks are read-only", "--perms 000 --tmpfs \"$1\" --remount-ro \"$1\"", "--tmpfs \"$1\"",
		NULL, NULL, "R12", PLAIN },
	{ "aliases of masks", "for path in $aliases; do\n        hide",
		"for path in $aliases; do\n        :", NULL, NULL, "L7", ROOT },
	{ "mask .ssh", "'.ssh\n", "'", NULL, NULL, "R1", PLAIN },
	{ "mask .aws", "\n.aws\n", "\n", NULL, NULL, "R2 L6", PLAIN },
	{ "mask .gnupg", "\n.gnupg\n", "\n", NULL, NULL, "R3", PLAIN },
	{ "mask .kube", "\n.kube\n", "\n", NULL, NULL, "R2", PLAIN },
	{ "mask gcloud", "\n.config/gcloud\n", "\n", NULL, NULL, "R2", PLAIN },
	{ "mask .azure", "\n.azure\n", "\n", NULL, NULL, "R2", PLAIN },
	{ "mask agentteams keys", "\n.config/agentteams/keys\n", "\n", NULL, NULL, "R4", PLAIN },
	{ "mask agentteams pem", "/.config/agentteams/*.pem", "/.config/agentteams/*.none", NULL,
		NULL, "R4", PLAIN },
	{ "mask passwords", "\n.password-store\n", "\n", NULL, NULL, "R7", PLAIN },
	{ "mask keyrings", "\n.local/share/keyrings\n", "\n", NULL, NULL, "R7", PLAIN },
	{ "mask bash history", "\n.bash_history\n", "\n", NULL, NULL, "R7", PLAIN },
	{ "mask zsh history", "\n.zsh_history\n", "\n", NULL, NULL, "R7", PLAIN },
	{ "mask firefox", "\n.mozilla\n", "\n", NULL, NULL, "R7", PLAIN },
	{ "mask chrome", "\n.config/google-chrome\n", "\n", NULL, NULL, "R7", PLAIN },
	{ "mask Xauthority", "\n.Xauthority\n", "\n", NULL, NULL, "U3", PLAIN },
	{ "plane: mark", "mark .claude/agents/references/build-log.json\n", "", NULL, NULL,
		"CP1 CP8", PLAIN },
	{ "plane: privilege", "need .claude/agents/references/agent-privilege.json\n", "", NULL,
		NULL, "CP1", PLAIN },
	{ "plane: gate", "need .claude/hooks/constitutional-gate.sh\n", "", NULL, NULL, "CP1",
		PLAIN },
	{ "plane: keys", "need .claude/agents/references/authorized-verify-keys\n", "", NULL, NULL,
		"CP1", PLAIN },
	{ "plane: approvers", "need .claude/agents/references/security-approvers.txt\n", "", NULL,
		NULL, "CP1", PLAIN },
	{ "plane: root roster", "if references/security-approvers.txt\n", "", NULL, NULL, "CP1",
		PLAIN },
	{ "plane: example", "if .claude/settings.hooks.example.json\n", "", NULL, NULL, "CP14 CP1",
		PLAIN },
	{ "plane: codex", "if .codex/config.toml\n", "", NULL, NULL, "CP1", PLAIN },
	{ "plane: goose", "if .goose/sandbox.sb\n", "", NULL, NULL, "CP1", PLAIN },
	{ "plane: sandbox", "\nif sandbox\n", "\n", NULL, NULL, "CP14", PLAIN },
	{ "plane: .agentteams", "\nif .agentteams'", "'", NULL, NULL, "CP14", PLAIN },
	{ "git: hooks", "git_rows='hooks\n", "git_rows='", NULL, NULL, "CP9", PLAIN },
	{ "git: config", "git_rows='hooks\nconfig\n", "git_rows='hooks\n", NULL, NULL, "CP9",
		PLAIN },
	{ "git: info", "\ninfo'", "'", NULL, NULL, "CP9", PLAIN },
	{ "git: submodules", "if [ -d \"$1modules\" ]", "if false", NULL, NULL, "CP10", PLAIN },
	{ "git: worktrees", "if [ -d \"$1worktrees\" ]", "if false", NULL, NULL, "CP10", PLAIN },
	{ "git: .git of a worktree", "elif [ -f .git ]; then\n        protect .git",
		"elif [ -f .git ]; then\n        :", NULL, NULL, "CP16", PLAIN },
	{ "limit of processes", "|| ulimit -u \"$2\" 2>/dev/null || confine ulimit -p \"$2\"",
		"|| :", NULL, NULL, "Q1", PLAIN },
	{ "limit of time", "|| confine ulimit -t \"$1\"", "|| :", NULL, NULL, "Q2", PLAIN },
	{ "limit of memory", "|| confine ulimit -v \"$(($3 * 1024))\"", "|| :", NULL, NULL, "Q2",
		PLAIN },
	{ "the plan that was printed", "plan variables 3<&-",
		"{ plan variables; printf '%s\\0' --chdir /; } 3<&-", NULL, NULL, "Y3", PLAIN },
	{ "warning of host egress", "say \"WARNING: --egress host", "say \"--egress host", NULL,
		NULL, "X10", PLAIN },
	{ "refusal without bwrap", "exit 2\n}\n\n# ---- desc", "exit 1\n}\n\n# ---- desc", NULL,
		NULL, "Y1 Y2 Y6", PLAIN },
	{ "refusal of root", "0) [ -n \"$allow_root\" ] ||", "0) true ||", NULL, NULL, "Y6",
		PLAIN },
	{ "exit status", "\n    exit $status", "\n    exit 0", NULL, NULL, "Y4", PLAIN },
	{ "check runs nothing", "\nif [ -n \"$json\" ]; then",
		"\nif \"$@\" && [ -n \"$json\" ]; then", NULL, NULL, "Y3", PLAIN },
	{ "harden: filter and keyring",
		"if [ -n \"$layers\" ]; then\n        set -- \"$harden_helper\" start",
		"if false; then\n        set -- \"$harden_helper\" start",
		"if has_layer seccomp; then\n        set --", "if false; then\n        set --",
		"N18 KS4 FORCE", HARDEN },
	{ "harden: filter", "set -- --seccomp 8 --", "set -- --", NULL, NULL, "N18 KS1", HARDEN },
	{ "harden: Landlock", "set -- \"$harden_helper\" inside \"$bound\" --", "set --", NULL,
		NULL, "P1 FORCE", HARDEN },
	{ "prompt roots", "[ -z \"$prompt_roots\" ] || protect_prompt_roots", ":", NULL, NULL,
		"CP13", HARDEN },
	{ "masks of toolchains", "if [ -n \"$toolchain\" ]; then", "if false; then", NULL, NULL,
		"R5 R6", HARDEN },
};

static struct selftest t;
static const char *none;

static int begin(void **state)
{
	none = selftest_begin(&t);
	return 0;
}

static int end(void **state)
{
	if (!none)
		selftest_end(&t);
	return 0;
}

/* Replaces the one place where `from` stands; fails the test where it does not. */
static void edit(struct at_buf *text, const char *from, const char *to, size_t row)
{
	char *at = strstr(text->data, from);
	struct at_buf made = { 0 };

	if (!at)
		fail_msg("row %zu: the launcher no longer says '%s'", row, from);
	at_buf_put(&made, text->data, (size_t)(at - text->data));
	at_buf_puts(&made, to);
	at_buf_puts(&made, at + strlen(from));
	at_buf_free(text);
	*text = made;
}

/* "--case A --case B"; what the driver sees by itself takes any case of the probe's. */
static void put_words(struct at_buf *out, const char *ids, bool harden)
{
	char copy[1024], *rest = copy, *id;

	snprintf(copy, sizeof(copy), "%s", ids);
	out->len = 0;
	at_buf_puts(out, harden ? "--harden" : "");
	while ((id = strsep(&rest, " ")))
		at_buf_printf(out, " --case %s",
			strcmp(id, "FORCE") == 0 || strcmp(id, "HOST") == 0 ? "P3" : id);
}

/* The first of the cases that is red, with its verdict; NULL when none is. */
static const char *first_red(
	const struct selftest_run *run, const char *ids, bool harden, bool refuses)
{
	static char out[64];
	char copy[1024], *rest = copy, *id;

	if (!run->has_report)
		return refuses ? "the start is refused" : NULL;
	snprintf(copy, sizeof(copy), "%s", ids);
	while ((id = strsep(&rest, " "))) {
		const char *word = selftest_verdict(run, id, harden);

		if (strcmp(word, "LEAKS") != 0 && strcmp(word, "INCONCLUSIVE") != 0)
			continue;
		snprintf(out, sizeof(out), "%-5s %s", id, word);
		return out;
	}
	return NULL;
}

static bool all_are_skipped(const struct selftest_run *run, const char *ids, bool harden)
{
	char copy[1024], *rest = copy, *id;

	snprintf(copy, sizeof(copy), "%s", ids);
	while ((id = strsep(&rest, " ")))
		if (strcmp(selftest_verdict(run, id, harden), "SKIPPED") != 0)
			return false;
	return true;
}

static bool cannot_run(const struct row *row)
{
	return ((row->kind & HARDEN) && !t.has_harden) || ((row->kind & ROOT) && geteuid() != 0);
}

/* LAU-8: dropped one at a time, each phase of the launcher turns a case red. */
static void lau_8_each_phase_is_seen(void **state)
{
	const char *only = getenv("AT_PHASE");
	struct at_buf words = { 0 };
	size_t blind = 0;

	if (none)
		skip_because("%s", none);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct row *row = &rows[i];
		bool harden = row->kind & HARDEN;
		struct at_buf text = selftest_launcher();
		struct selftest_run run;
		const char *red;

		if ((only && !strstr(row->phase, only)) || cannot_run(row)) {
			print_message("%-28s not tried here\n", row->phase);
			at_buf_free(&text);
			continue;
		}
		edit(&text, row->from, row->to, i);
		if (row->from_too)
			edit(&text, row->from_too, row->to_too, i);
		selftest_put_launcher(&t, at_buf_bytes(&text));
		at_buf_free(&text);
		put_words(&words, row->ids, harden);
		selftest_run(&run, &t, row->kind & ROOT, at_buf_text(&words));
		red = first_red(&run, row->ids, harden, row->kind & REFUSES);
		if (!red && (row->kind & MAY_SKIP) && all_are_skipped(&run, row->ids, harden))
			red = "skipped on this host";
		print_message("%-28s %s\n", row->phase, red ? red : "NOT SEEN");
		if (!red) {
			blind++;
			print_message(
				"%s\n", at_buf_text(run.has_report ? &run.end.out : &run.end.err));
		}
		selftest_run_free(&run);
	}
	at_buf_free(&words);
	assert_int_equal(blind, 0);
}

/* LAU-8: the same cases on the launcher as it is shipped: none is red. */
static void lau_8_they_hold_when_nothing_is_dropped(void **state)
{
	struct at_buf words = { 0 }, text;

	if (none)
		skip_because("%s", none);
	text = selftest_launcher();
	selftest_put_launcher(&t, at_buf_bytes(&text));
	at_buf_free(&text);
	for (int harden = 0; harden <= (t.has_harden ? 1 : 0); harden++) {
		struct at_buf ids = { 0 };
		struct selftest_run run;
		const char *red;

		for (size_t i = 0; i < AT_LEN(rows); i++)
			if (((rows[i].kind & HARDEN) != 0) == harden && !(rows[i].kind & ROOT)
				&& !strstr(at_buf_text(&ids), rows[i].ids))
				at_buf_printf(&ids, "%s%s", ids.len ? " " : "", rows[i].ids);
		put_words(&words, at_buf_text(&ids), harden);
		selftest_run(&run, &t, false, at_buf_text(&words));
		red = first_red(&run, at_buf_text(&ids), harden, false);
		if (red || !run.has_report)
			fail_msg("%s %s", red ? red : "no report", at_buf_text(&run.end.err));
		selftest_run_free(&run);
		at_buf_free(&ids);
	}
	at_buf_free(&words);
}

int test_mutation(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_8_they_hold_when_nothing_is_dropped),
		cmocka_unit_test(lau_8_each_phase_is_seen),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
