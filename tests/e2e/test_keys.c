/* --keys, --new-key, --install-key, --migrate-keys of the real program. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e/console.h"
#include "e2e/project.h"
#include "support/pty.h"
#include "support/support.h"

#define KEYS ".config/agentteams/keys/"
#define INSTALLED ".claude/agents/references/authorized-verify-keys/op.pub.pem"

/* Made, listed, installed, nothing to do, taken back. */
static void key_1_walk(void **state)
{
	struct test_project p;
	const char *said;

	(void)state;
	console_begin(&p);
	said = test_expect(&p, 0, "--new-key op --dry-run");
	assert_non_null(strstr(said, "would make: "));
	assert_false(test_exists(p.home, KEYS));
	said = test_expect(&p, 0, "--new-key op");
	assert_non_null(strstr(said, KEYS "op.pem and op.pub.pem"));
	test_expect(&p, 1, "--new-key op");
	assert_non_null(strstr(test_expect(&p, 0, "--keys"), "plain, public half fits"));
	assert_non_null(strstr(test_expect(&p, 0, "--keys --json"), "\"usable\": true"));
	assert_non_null(strstr(test_expect(&p, 0, "--install-key op --dry-run"), "new "));
	assert_false(test_exists(p.shop, INSTALLED));
	test_expect(&p, 0, "--install-key op");
	assert_true(test_exists(p.shop, INSTALLED));
	assert_non_null(strstr(test_expect(&p, 0, "--install-key op"), "nothing to do"));
	test_expect(&p, 0, "--undo");
	assert_false(test_exists(p.shop, INSTALLED));
	assert_int_equal(chmod(test_path(p.home, KEYS "op.pem"), 0644), 0);
	assert_non_null(strstr(test_expect(&p, 1, "--keys"), "chmod 600 "));
	test_expect(&p, 1, "--install-key op");
	test_expect(&p, 1, "--install-key nobody");
	test_project_end(&p);
}

static void key_1_migrate_by_command(void **state)
{
	struct test_project p;

	(void)state;
	console_begin(&p);
	assert_non_null(strstr(test_expect(&p, 0, "--migrate-keys"), "nothing to move"));
	test_expect(&p, 0, "--new-key op");
	assert_int_equal(rename(test_path(p.home, KEYS "op.pem"),
				 test_path(p.home, ".config/agentteams/old.pem")),
		0);
	test_write(p.home, ".config/agentteams/none.pem", "none");
	assert_non_null(strstr(test_expect(&p, 1, "--migrate-keys --dry-run"), "would move: "));
	assert_false(test_exists(p.home, KEYS "old.pem"));
	assert_non_null(strstr(test_expect(&p, 1, "--migrate-keys"), "stays: none.pem"));
	assert_true(test_exists(p.home, KEYS "old.pem"));
	test_project_end(&p);
}

/* The verbs that write are the operator's; what a session may do is look. */
static void wire_17_keys_in_an_agent_session(void **state)
{
	static const struct {
		const char *words;
		int want;
	} rows[] = {
		{ "--new-key op", 2 },
		{ "--install-key op", 2 },
		{ "--migrate-keys", 2 },
		{ "--keys", 0 },
		{ "--new-key op --dry-run", 0 },
		{ "--migrate-keys --dry-run", 0 },
	};
	struct test_project p;

	(void)state;
	console_begin(&p);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct test_run run = test_run_with(&p, "CLAUDECODE=1", rows[i].words);

		assert_row(i, run.status == rows[i].want);
		assert_row(i,
			rows[i].want == 0
				|| strstr(at_buf_text(&run.err),
					"CLAUDECODE is set: this is an agent session"));
		test_run_free(&run);
		assert_row(i, !test_exists(p.home, KEYS));
	}
	test_project_end(&p);
}

static void ui_7_key_words(void **state)
{
	static const struct {
		const char *words;
		int want;
	} rows[] = {
		{ "--passphrase", 2 },
		{ "--passphrase --keys", 2 },
		{ "--new-key", 2 },
		{ "--new-key ../x", 2 },
		{ "--new-key .x", 2 },
		{ "--new-key x.pem", 2 },
		{ "--new-key x --passphrase --batch", 2 },
		{ "--keys --migrate-keys", 2 },
		{ "--new-key x --readonly", 2 },
		{ "--install-key x --readonly", 2 },
		{ "--migrate-keys --readonly", 2 },
		{ "--keys --readonly", 0 },
		{ "--new-key x --readonly --dry-run", 0 },
		{ "--new-key x --json --dry-run", 0 },
	};
	struct test_project p;

	(void)state;
	console_begin(&p);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct test_run run = test_run(&p, rows[i].words);

		if (run.status != rows[i].want)
			fail_msg("row %zu: %d: %s", i, run.status, at_buf_text(&run.err));
		test_run_free(&run);
		assert_row(i, !test_exists(p.home, KEYS));
	}
	test_project_end(&p);
}

/* Case 83: named, never shown. */
static void wire_16_key_in_the_environment(void **state)
{
	static const char variable[] = "ATCONSOLE_SIGNING_KEY=ed25519:AAAA";
	struct test_project p;
	struct test_run run;

	(void)state;
	console_begin(&p);
	run = test_run_with(&p, variable, "--keys");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(at_buf_text(&run.err), "ATCONSOLE_SIGNING_KEY is set"));
	assert_null(strstr(at_buf_text(&run.err), "AAAA"));
	test_run_free(&run);
	run = test_run_with(&p, variable, "--keys --json");
	assert_non_null(strstr(at_buf_text(&run.out), "\"name\": \"ATCONSOLE_SIGNING_KEY\""));
	assert_null(strstr(at_buf_text(&run.out), "AAAA"));
	test_run_free(&run);
	test_project_end(&p);
}

static struct pty *start(const struct test_project *p, const char *words)
{
	return console_start(p, words, NULL, 100, 30);
}

/* Two passphrases typed unseen; the key is sealed and the terminal as before. */
static void key_1_passphrase_at_the_terminal(void **state)
{
	struct test_project p;
	struct pty *pty;

	(void)state;
	console_begin(&p);
	pty = start(&p, "--new-key op --passphrase");
	pty_expect(pty, "Passphrase for the new key op:");
	pty_send(pty, "correct horse\n");
	pty_expect(pty, "Once more:");
	pty_send(pty, "correct horse\n");
	pty_expect(pty, "op.sealed and op.pub.pem");
	assert_null(strstr(pty_screen(pty), "horse"));
	console_end(pty, 0);
	assert_true(test_exists(p.home, KEYS "op.sealed"));
	assert_non_null(strstr(test_expect(&p, 0, "--keys"), "sealed, public half fits"));

	pty = start(&p, "--new-key two --passphrase");
	pty_expect(pty, "Passphrase for the new key two:");
	pty_send(pty, "one\n");
	pty_expect(pty, "Once more:");
	pty_send(pty, "other\n");
	pty_expect(pty, "the two passphrases differ");
	console_end(pty, 1);
	pty = start(&p, "--new-key two --passphrase");
	pty_expect(pty, "Passphrase for the new key two:");
	pty_send(pty, "\n");
	pty_expect(pty, "no passphrase was typed");
	console_end(pty, 1);
	assert_false(test_exists(p.home, KEYS "two.sealed"));
	test_project_end(&p);
}

/* Ctrl-C and a signal from outside leave the terminal as it was. */
static void key_1_passphrase_interrupted(void **state)
{
	struct test_project p;

	(void)state;
	console_begin(&p);
	for (int outside = 0; outside < 2; outside++) {
		struct pty *pty = start(&p, "--new-key op --passphrase");

		pty_expect(pty, "Passphrase for the new key op:");
		if (outside)
			pty_signal(pty, SIGTERM);
		else
			pty_send(pty, "half\x03");
		console_end(pty, 128 + (outside ? SIGTERM : SIGINT));
	}
	assert_false(test_exists(p.home, KEYS));
	test_project_end(&p);
}

int test_keys(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_1_walk),
		cmocka_unit_test(key_1_migrate_by_command),
		cmocka_unit_test(wire_17_keys_in_an_agent_session),
		cmocka_unit_test(ui_7_key_words),
		cmocka_unit_test(wire_16_key_in_the_environment),
		cmocka_unit_test(key_1_passphrase_at_the_terminal),
		cmocka_unit_test(key_1_passphrase_interrupted),
	};

	return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
