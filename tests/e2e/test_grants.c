/* From no key to a wider sandbox and back, at the keys and on the command line. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e/console.h"

#define TEAM ".claude/agents/references/"
#define LEDGER "references/capability-grants.log.csv"
#define EXAMPLE ".claude/settings.hooks.example.json"

static bool holds(const char *dir, const char *path, const char *text)
{
	struct at_buf file = test_read(dir, path);
	bool has = strstr(at_buf_text(&file), text) != NULL;

	at_buf_free(&file);
	return has;
}

static void begin(struct test_project *p)
{
	console_begin(p);
	test_write(p->shop, TEAM "security-approvers.txt", "alice\n");
}

/* One field of the form: the cursor goes down to it, and what stood there is typed over. */
static void fill(struct pty *pty, int down, const char *label, const char *value)
{
	char text[256];

	for (int i = 0; i < down; i++)
		pty_send(pty, "j");
	pty_send(pty, "\r");
	pty_expect(pty, label);
	snprintf(text, sizeof(text), "\x15%s\r", value);
	pty_send(pty, text);
	pty_wait_gone(pty, label, 5000);
}

static void answer(struct pty *pty, const char *question, const char *keys)
{
	pty_expect(pty, question);
	pty_settle(pty, 400);
	pty_send(pty, keys);
}

/* KEY-1, KEY-4, KEY-8, UI-1: a key is made, believed, a grant is signed, and the next --update
 * widens by that path; nothing else moves. */
static void key_4_the_walk_at_the_keys(void **state)
{
	struct test_project p;
	struct pty *pty;
	const char *out;

	(void)state;
	begin(&p);
	pty = console_start(&p, NULL, NULL, 120, 40);
	pty_expect(pty, "7 Grants");
	pty_send(pty, "7");
	pty_expect(pty, "none: + makes one");
	pty_send(pty, "+");
	pty_expect(pty, "name of the new key:");
	pty_send(pty, "op-1\r");
	pty_expect(pty, "not installed here");
	pty_send(pty, "gi");
	answer(pty, "Install this key", "y");
	pty_expect(pty, "  installed here");
	pty_send(pty, "s");
	pty_expect(pty, "What is signed");
	fill(pty, 0, "target_path:", "/srv/walked");
	fill(pty, 3, "issuer_team:", "team-b");
	fill(pty, 3, "ticket_id:", "T-1");
	fill(pty, 1, "reason_code:", "why not");
	pty_expect(pty, "Ready");
	pty_send(pty, "s");
	pty_expect(pty, "agentteams-grant-v1|grant-");
	answer(pty, "Sign these exact bytes?", "walked\r");
	pty_expect(pty, "1 valid, 0 not");
	pty_expect(pty, "WIDENS");
	pty_send(pty, "Q");
	console_end(pty, 0);
	assert_true(holds(p.shop, LEDGER, ",/srv/walked,write,"));
	assert_false(holds(p.shop, EXAMPLE, "/srv/walked"));
	out = test_expect(&p, 0, "--update --accept-write-root " CONSOLE_ROOT);
	(void)out;
	assert_true(holds(p.shop, EXAMPLE, "/srv/walked"));
	assert_non_null(strstr(test_expect(&p, 0, "--verify-grants"), "All capability grants valid"));
	test_project_end(&p);
}

static void write_spec(const struct test_project *p, const char *target, const char *ops,
	const char *key)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"{\"issuer_team\": \"team-b\", \"holder_team\": \"demo-shop\", \"target_path\": "
		"\"%s\", \"permitted_ops\": \"%s\", \"expires_at\": \"2099-01-01T00:00:00Z\", "
		"\"max_uses\": 1, \"approver\": \"alice\", \"ticket_id\": \"T-1\", \"reason_code\": "
		"\"r\"%s%s%s}", target, ops, key ? ", \"key_id\": \"" : "", key ? key : "",
		key ? "\"" : "");
	test_write(p->stage, "spec.json", text);
}

static void expect_refusal(const struct test_project *p, int want, const char *words,
	const char *variable, const char *why)
{
	struct test_run run = variable ? test_run_with(p, variable, words) : test_run(p, words);

	if (run.status != want || !strstr(at_buf_text(&run.err), why))
		fail_msg("%s: status %d\n%s%s", words, run.status, at_buf_text(&run.out),
			at_buf_text(&run.err));
	test_run_free(&run);
}

/* KEY-4, KEY-5, WIRE-16, WIRE-17: what is refused before a key is asked for, and the two digests. */
static void key_4_on_the_command_line(void **state)
{
	static const char hex[] = "0000000000000000000000000000000000000000000000000000000000000000";
	struct test_project p;
	char words[512], review[65] = "";
	const char *out, *at;

	(void)state;
	begin(&p);
	test_expect(&p, 0, "--new-key op-1");
	write_spec(&p, "/srv/x", "write", "op-1");
	snprintf(words, sizeof(words), "--sign-grant %s/spec.json --batch", p.stage);
	expect_refusal(&p, 1, words, NULL, "name the review that was looked at");
	snprintf(words, sizeof(words), "--sign-grant %s/spec.json --batch --confirm-review-sha256 %s",
		p.stage, hex);
	expect_refusal(&p, 1, words, NULL, "is not of this grant");
	snprintf(words, sizeof(words), "--sign-grant %s/spec.json --dry-run --json", p.stage);
	out = test_expect(&p, 0, words);
	at = strstr(out, "\"review_sha256\": \"");
	assert_non_null(at);
	snprintf(review, sizeof(review), "%.64s", at + strlen("\"review_sha256\": \""));
	snprintf(words, sizeof(words), "--sign-grant %s/spec.json --batch --confirm-review-sha256 %s",
		p.stage, review);
	/* Its public half is not believed here yet. */
	expect_refusal(&p, 1, words, NULL, "op-1");
	assert_false(test_exists(p.shop, LEDGER));
	test_expect(&p, 0, "--install-key op-1");
	expect_refusal(&p, 2, words, "CLAUDECODE=1", "CLAUDECODE");
	expect_refusal(&p, 2, words, "AGENTTEAMS_GRANT_SIGNING_KEY=topsecret",
		"AGENTTEAMS_GRANT_SIGNING_KEY");
	assert_false(test_exists(p.shop, LEDGER));
	out = test_expect(&p, 0, words);
	assert_non_null(strstr(out, "Issued capability grant"));
	assert_true(holds(p.shop, LEDGER, "/srv/x"));
	test_project_end(&p);
}

/* KEY-5: by HMAC nothing is issued that would write; what is issued says where its key was. */
static void key_5_hmac_widens_nothing(void **state)
{
	struct test_project p;
	struct test_run run;
	char words[512];

	(void)state;
	begin(&p);
	snprintf(words, sizeof(words), "--issue-grant %s/spec.json", p.stage);
	write_spec(&p, "/srv/x", "write", NULL);
	expect_refusal(&p, 1, words, "AGENTTEAMS_GRANT_SIGNING_KEY=topsecret", "--sign-grant");
	write_spec(&p, "/srv/x", "read", NULL);
	expect_refusal(&p, 1, words, NULL, "AGENTTEAMS_GRANT_SIGNING_KEY is not set");
	run = test_run_with(&p, "AGENTTEAMS_GRANT_SIGNING_KEY=topsecret", words);
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(at_buf_text(&run.err), "environment"));
	assert_null(strstr(at_buf_text(&run.out), "topsecret"));
	assert_null(strstr(at_buf_text(&run.err), "topsecret"));
	test_run_free(&run);
	test_expect(&p, 0, "--update --accept-write-root " CONSOLE_ROOT);
	assert_false(holds(p.shop, EXAMPLE, "/srv/x"));
	test_project_end(&p);
}

int test_grants(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_4_the_walk_at_the_keys),
		cmocka_unit_test(key_4_on_the_command_line),
		cmocka_unit_test(key_5_hmac_widens_nothing),
	};

	return cmocka_run_group_tests_name("grants", tests, NULL, NULL);
}
