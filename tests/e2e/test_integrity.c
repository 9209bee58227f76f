/* --verify-integrity, --write-integrity-manifest and --verify-launcher, as they are run. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e/console.h"

#define MANIFEST "references/enforcement-integrity.json"
#define LAUNCHER "sandbox/confine-run.sh"
#define VERIFY "--verify-integrity"
#define ACCEPT " --accept-write-root " CONSOLE_ROOT

static void expect_text(const struct test_project *p, int want, const char *words, const char *text)
{
	struct test_run run = test_run(p, words);

	if (run.status != want
		|| !(strstr(at_buf_text(&run.out), text) || strstr(at_buf_text(&run.err), text)))
		fail_msg("%s: exit %d, wanted %d and `%s`\n%s%s", words, run.status, want, text,
			at_buf_text(&run.out), at_buf_text(&run.err));
	test_run_free(&run);
}

/* INT-1, INT-2: exit 0 where nothing is expected, and where all is as it was; 1 where it is not. */
static void int_1_exit_status(void **state)
{
	struct test_project p;

	(void)state;
	test_project_begin(&p, NULL);
	expect_text(&p, 0, VERIFY, "cannot verify");
	test_expect(&p, 0, "--update" ACCEPT);
	expect_text(&p, 0, VERIFY ACCEPT, "everything that was compared is as it was");
	expect_text(&p, 0, VERIFY " --json" ACCEPT, "\"worst\": \"note\"");
	test_write(p.shop, LAUNCHER, "#!/bin/sh\nexec \"$@\"\n");
	expect_text(&p, 1, VERIFY ACCEPT, LAUNCHER ": edited (expected ");
	expect_text(&p, 1, VERIFY " --json" ACCEPT, "\"state\": \"edited\"");
	test_expect(&p, 0, "--update" ACCEPT);
	test_write(p.shop, MANIFEST, "[");
	expect_text(&p, 1, VERIFY, MANIFEST ": unreadable");
	assert_int_equal(unlink(test_path(p.shop, MANIFEST)), 0);
	/* Where git tracks one, it has to be there. */
	if (system("git --version >/dev/null 2>&1") == 0) {
		char line[2048];

		test_write(p.shop, MANIFEST, "{}");
		snprintf(line, sizeof(line), "cd '%s' && git init -q . && git add -f " MANIFEST
			" && rm " MANIFEST, p.shop);
		assert_int_equal(system(line), 0);
		expect_text(&p, 1, VERIFY, MANIFEST ": manifest-missing");
	}
	test_project_end(&p);
}

/* INT-1: written through a plan and verified; refused where nothing says what belongs in it. */
static void int_1_the_manifest_is_written(void **state)
{
	struct test_project p;

	(void)state;
	test_project_begin(&p, NULL);
	expect_text(&p, 1, "--write-integrity-manifest", "no source tree of atconsole");
	assert_false(test_exists(p.shop, MANIFEST));
	test_write(p.shop, "core/integrity.def", "");
	test_write(p.shop, "emit/a.c", "");
	test_write(p.shop, "keys/a.c", "");
	test_write(p.shop, "runner/a.c", "");
	expect_text(&p, 1, VERIFY, "manifest-missing");
	expect_text(&p, 0, "--write-integrity-manifest --dry-run", MANIFEST);
	assert_false(test_exists(p.shop, MANIFEST));
	expect_text(&p, 2, "--write-integrity-manifest --readonly", "exclude each other");
	expect_text(&p, 0, "--write-integrity-manifest", "4 same");
	test_write(p.shop, "emit/a.c", "x");
	expect_text(&p, 1, VERIFY, "emit/a.c: modified (expected e3b0c44298fc, got ");
	expect_text(&p, 0, "--write-integrity-manifest", "4 same");
	test_write(p.shop, "core/new.c", "");
	expect_text(&p, 1, VERIFY, "neither pinned nor exempt");
	expect_text(&p, 1, "--write-integrity-manifest", "core/new.c");
	test_project_end(&p);
}

/* INT-3: same, drifted with the difference and what to do; whatever else it is, a plain refusal. */
static void int_3_verify_launcher(void **state)
{
	const char *source = getenv("AT_TEST_SOURCE");
	struct test_project p;
	struct at_buf text = test_read(source ? source : ".", "emit/assets/confine-run.sh");
	char line[2048];

	(void)state;
	test_project_begin(&p, NULL);
	test_write_bytes(p.stage, "same.sh", text.data, text.len);
	expect_text(&p, 0, "--verify-launcher same.sh", "same: the launcher of this version");
	expect_text(&p, 0, "--verify-launcher same.sh --json", "\"state\": \"same\"");
	at_buf_puts(&text, "# one line more\n");
	test_write_bytes(p.stage, "drift.sh", text.data, text.len);
	expect_text(&p, 1, "--verify-launcher drift.sh", "+# one line more");
	expect_text(&p, 1, "--verify-launcher drift.sh", "--self-test");
	expect_text(&p, 1, "--verify-launcher drift.sh", "Re-pin");
	expect_text(&p, 1, "--verify-launcher drift.sh --json", "\"added\": 1");
	test_write_bytes(p.stage, "binary", "a\0\x1b[31mb", 9);
	expect_text(&p, 1, "--verify-launcher binary", "drifted");
	test_write(p.stage, "hostile.sh", "\x1b]0;x\x07\xff\xfe\n");
	expect_text(&p, 1, "--verify-launcher hostile.sh", "drifted");
	assert_null(strchr(test_expect(&p, 1, "--verify-launcher hostile.sh"), '\x1b'));
	assert_int_equal(symlink("same.sh", test_path(p.stage, "link.sh")), 0);
	expect_text(&p, 1, "--verify-launcher link.sh", "link");
	assert_int_equal(mkfifo(test_path(p.stage, "fifo"), 0600), 0);
	expect_text(&p, 1, "--verify-launcher fifo", "fifo");
	expect_text(&p, 1, "--verify-launcher shop", "shop");
	expect_text(&p, 1, "--verify-launcher absent.sh", "absent.sh");
	expect_text(&p, 2, "--verify-launcher /", "wants a file");
	snprintf(line, sizeof(line), "truncate -s 64M '%s/huge'", p.stage);
	assert_int_equal(system(line), 0);
	expect_text(&p, 1, "--verify-launcher huge", "larger than");
	at_buf_free(&text);
	test_project_end(&p);
}

/* By the shell, in the stage; variables of the test's own environment name the programs. */
static int in_stage(const struct test_project *p, const char *script)
{
	char line[4096];
	int status;

	snprintf(line, sizeof(line), "cd '%s' && %s", p->stage, script);
	status = system(line);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_verdict(const struct test_project *p, int want, const char *text)
{
	int status = in_stage(p,
		"env -i HOME=\"$PWD/home\" usr/bin/atconsole --project shop --no-config "
		"--verify-integrity >out 2>&1");
	struct at_buf out = test_read(p->stage, "out");

	if (status != want || !strstr(at_buf_text(&out), text))
		fail_msg("exit %d, wanted %d and `%s`\n%s", status, want, text, at_buf_text(&out));
	at_buf_free(&out);
}

/* INT-4: an installed build holds its programs against the hashes it was built with. */
static void int_4_an_installation(void **state)
{
	struct test_project p;

	(void)state;
	if (!getenv("AT_GATE") || !getenv("AT_PROBE") || !getenv("AT_HARDEN"))
		skip_because("AT_GATE, AT_PROBE and AT_HARDEN name no programs");
	test_project_begin(&p, NULL);
	assert_int_equal(in_stage(&p,
		"mkdir -p usr/bin usr/libexec/agentteams && cp \"$AT_PROGRAM\" usr/bin/atconsole && "
		"cp \"$AT_GATE\" \"$AT_PROBE\" usr/libexec/agentteams/"), 0);
	expect_verdict(&p, 1, "agentteams-harden: missing");
	assert_int_equal(in_stage(&p, "cp \"$AT_HARDEN\" usr/libexec/agentteams/"), 0);
	expect_verdict(&p, 0, "This build: ");
	assert_int_equal(in_stage(&p, "printf x >>usr/libexec/agentteams/agentteams-gate"), 0);
	expect_verdict(&p, 1, "usr/libexec/agentteams/agentteams-gate: edited");
	test_project_end(&p);
}

/* UI-1, UI-3: at the keys; what was changed meanwhile is there after F5. */
static void ui_3_at_the_keys(void **state)
{
	struct test_project p;
	struct pty *pty;

	(void)state;
	console_begin(&p);
	pty = console_start(&p, NULL, NULL, 80, 24);
	pty_expect(pty, "8 Pins");
	pty_send(pty, "8");
	pty_expect(pty, "Pins and artefacts");
	test_write(p.shop, LAUNCHER, "#!/bin/sh\nexec \"$@\"\n");
	pty_send(pty, "\x1b[15~");
	pty_expect(pty, "NOT VERIFIED");
	pty_send(pty, "gj");
	pty_expect(pty, "edited        confine-run.sh");
	pty_send(pty, "g");
	pty_send(pty, "\t");
	pty_expect(pty, "on disk  +1 -");
	pty_send(pty, "Q");
	console_end(pty, 0);
	test_project_end(&p);
}

int test_integrity(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(int_1_exit_status),
		cmocka_unit_test(int_1_the_manifest_is_written),
		cmocka_unit_test(int_3_verify_launcher),
		cmocka_unit_test(int_4_an_installation),
		cmocka_unit_test(ui_3_at_the_keys),
	};

	return cmocka_run_group_tests_name("integrity", tests, NULL, NULL);
}
