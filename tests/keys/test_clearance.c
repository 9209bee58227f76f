/* The gate beyond the recorded cases: signed rows, lineage, faults of files, spending. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/support.h"

#include "keys/clearance_ground.h"
#include "keys/waiver.h"

#define LOG "security-decisions.log.csv"
#define PASS_ROW "2026-08-01T00:00:00Z,security,overwrite,PASS,,\n"

static void expect(struct ground *g, size_t row, enum at_clearance_rule rule, const char *says)
{
	if (g->said.rule != rule || (says && !strstr(g->said.reason, says)))
		fail_msg("row %zu: %s: %s", row, at_clearance_rule_name(g->said.rule),
			g->said.reason);
}

static bool ask_relaxing(struct ground *g, const char *action)
{
	const struct at_clearance_ask ask = { action, true, false };

	return at_clearance_ask(&g->said, g->arena, &g->at, &ask, &g->err);
}

/* KEY-9: no relaxing or elevated authorisation by HMAC alone where the switch is on. */
static void key_9_hmac_alone_relaxes_nothing(void **state)
{
	static const struct {
		enum how how;
		const char *effect;
		const char *lineage;
		bool is_governed, asks_to_relax, clears;
	} rows[] = {
		{ HMAC, "scope=", "derives_from=", true, false, true },
		{ HMAC, "scope=", "derives_from=", true, true, false },
		{ HMAC, "scope=", "derives_from=", false, true, true },
		{ ED25519, "scope=", "derives_from=", true, true, true },
		{ HMAC, "effect_relaxes=C-3", "derives_from=root", true, false, false },
		{ HMAC, "effect_relaxes=C-3", "derives_from=root", false, false, true },
		{ ED25519, "effect_relaxes=C-3", "derives_from=root", true, false, true },
		{ ED25519, "effect_relaxes=C-3", "derives_from=", true, false, false },
		{ ED25519, "effect_relaxes=C-3", "derives_from=nothing", true, false, false },
		{ ED25519_PLAIN, "effect_relaxes=C-3", "derives_from=root", true, false, false },
		{ ED25519, "effect_grants=agent-privilege", "derives_from=root", true, false,
			false },
		{ ED25519, "effect_grants=agent-privilege", "derives_from=root", false, false,
			false },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct ground g;
		struct ledger l;
		bool clears;

		ground_begin(&g);
		if (rows[i].is_governed)
			ground_write(&g, "agent-privilege.json", SWITCH_ON);
		ledger_begin(&l);
		ROW(&l, &g, HMAC, "date=1", "action_reviewed=root", "verdict=PASS",
			"author=security");
		ROW(&l, &g, rows[i].how, "date=2", "action_reviewed=overwrite", "verdict=PASS",
			"author=security", rows[i].effect, rows[i].lineage);
		ledger_end(&l, &g);
		clears = rows[i].asks_to_relax ? ask_relaxing(&g, "overwrite")
					       : ground_ask(&g, "overwrite", false);
		if (clears != rows[i].clears)
			fail_msg("row %zu: %s", i, g.said.reason);
		ground_end(&g);
	}
}

/* The marker governs too, and without a switch nothing is believed. */
static void key_9_governed_marker(void **state)
{
	struct ground g;
	struct ledger l;

	(void)state;
	ground_begin(&g);
	test_write(g.dir, AT_GOVERNED_MARKER, "");
	ledger_begin(&l);
	ROW(&l, &g, HMAC, "date=1", "action_reviewed=overwrite", "verdict=PASS", "author=security");
	ledger_end(&l, &g);
	assert_false(ground_ask(&g, "overwrite", false));
	expect(&g, 0, AT_RULE_SWITCH, "governed workspace");
	ground_write(&g, "agent-privilege.json", "{\"enforce_decision_signing\": false}");
	assert_true(ground_ask(&g, "overwrite", false));
	assert_false(ask_relaxing(&g, "overwrite"));
	expect(&g, 1, AT_RULE_AUTHORITY, "HMAC");
	ground_end(&g);
}

static void key_9_signed_rows(void **state)
{
	static const struct {
		enum how how;
		const char *word;
		const char *says; /* "": clears */
	} rows[] = {
		{ ED25519, "scope=", "" },
		{ HMAC, "scope=", "" },
		{ ED25519, "scope=overwrite", "" },
		{ HMAC, "scope=prune; Overwrite", "" },
		{ ED25519, "scope=prune", "declares scope 'prune'" },
		{ ED25519_PLAIN, "scope=overwrite", "does not cover" },
		{ ED25519, "author=mallory", "'mallory', which is not an approved" },
		{ ED25519, "author=", "'an unnamed author'" },
		{ ED25519, "key_id=other", "could not be Ed25519-verified: no such key" },
		{ HMAC, "sig_scheme=rsa", "unknown sig_scheme" },
		{ HMAC, "sig_scheme=ed25519", "could not be Ed25519-verified" },
		{ ED25519, "date=agentteams-grant-v1", "capability grant" },
		{ ED25519, "date=a|b", "is ambiguous" },
		{ UNSIGNED, "scope=", "carries no signature" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct ground g;
		struct ledger l;

		ground_begin(&g);
		ledger_begin(&l);
		ROW(&l, &g, rows[i].how, "date=1", "action_reviewed=overwrite", "verdict=PASS",
			"author=security", rows[i].word);
		ledger_end(&l, &g);
		if (ground_ask(&g, "overwrite", false) != !*rows[i].says)
			fail_msg("row %zu: %s", i, g.said.reason);
		expect(&g, i, *rows[i].says ? AT_RULE_AUTHORITY : AT_RULE_PASS, rows[i].says);
		assert_row(i, g.said.row == 1);
		ground_end(&g);
	}
}

/* A HALT travels along derives_from; a lineage that cannot be followed stops by itself. */
static void key_9_halt_propagates(void **state)
{
	static const struct {
		const char *lineage;
		enum at_clearance_rule rule;
		const char *says;
	} rows[] = {
		{ "derives_from=", AT_RULE_PASS, "" },
		{ "derives_from=fine", AT_RULE_PASS, "" },
		{ "derives_from=fine;stopped", AT_RULE_OPEN_HALT,
			"'overwrite' derives from 'stopped'" },
		{ "derives_from=child", AT_RULE_OPEN_HALT, "derives from 'stopped'" },
		{ "derives_from=nobody", AT_RULE_LINEAGE, "no recorded decision row" },
		{ "derives_from=overwrite", AT_RULE_LINEAGE, "cycle" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct ground g;
		struct ledger l;

		ground_begin(&g);
		ledger_begin(&l);
		ROW(&l, &g, UNSIGNED, "date=1", "action_reviewed=stopped", "verdict=HALT");
		ROW(&l, &g, HMAC, "date=1", "action_reviewed=fine", "verdict=PASS",
			"author=security");
		ROW(&l, &g, HMAC, "date=1", "action_reviewed=child", "verdict=PASS",
			"author=security", "derives_from=stopped");
		ROW(&l, &g, HMAC, "date=2", "action_reviewed=overwrite", "verdict=PASS",
			"author=security", rows[i].lineage);
		ledger_end(&l, &g);
		ground_ask(&g, "overwrite", false);
		expect(&g, i, rows[i].rule, rows[i].says);
		ground_end(&g);
	}
}

/* A HALT is never hidden: not by a torn line, not by moving bytes across a `|`. */
static void key_9_a_halt_is_not_hidden(void **state)
{
	static const struct {
		const char *rows;
		enum at_clearance_rule rule;
	} rows[] = {
		{ PASS_ROW "x,security,overwrite,HALT,,", AT_RULE_OPEN_HALT }, /* no line end */
		{ PASS_ROW "x|overwrite,security,HALT,,,\n", AT_RULE_OPEN_HALT },
		{ PASS_ROW "x|overwrite|HALT,security,,,,\n", AT_RULE_OPEN_HALT },
		{ PASS_ROW "x|other|HALT,security,,,,\n", AT_RULE_PASS },
		{ PASS_ROW "x,nobody,overwrite-7,halt,,,\n", AT_RULE_OPEN_HALT },
		{ PASS_ROW "x,nobody,prune,HALT,,,\n", AT_RULE_PASS },
		/* What would clear has to be whole. */
		{ "x,security,overwrite,PASS,,", AT_RULE_NO_DECISION },
		{ "x,security,overwrite,HALT,,\nx,security,overwrite,HALT-RETRACTED,why,",
			AT_RULE_OPEN_HALT },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf text = { 0 };
		struct ground g;

		ground_begin(&g);
		g.at.keys.hmac.len = 0;
		at_buf_printf(&text, "%s\n%s", LEGACY, rows[i].rows);
		ground_write(&g, LOG, at_buf_text(&text));
		ground_ask(&g, "overwrite", false);
		expect(&g, i, rows[i].rule, NULL);
		at_buf_free(&text);
		ground_end(&g);
	}
}

/* reference-ledgers 1.5 applied to decisions, and 2.5: every fault of a file is a no. */
static void key_12_bad_ledgers_block(void **state)
{
	static const struct {
		const char *text;
		enum at_clearance_rule rule;
	} rows[] = {
		{ "", AT_RULE_FAULT }, /* empty: malformed */
		{ LEGACY, AT_RULE_NO_DECISION },
		{ LEGACY "\n", AT_RULE_NO_DECISION },
		{ "\xef\xbb\xbf" LEGACY "\n" PASS_ROW, AT_RULE_FAULT },
		{ LEGACY "\n\xff,security,overwrite,PASS,,\n", AT_RULE_FAULT },
		{ LEGACY "\nd,security,\"over\nwrite\",PASS,,\n", AT_RULE_NO_DECISION },
		{ LEGACY "\nd,security,overwrite,PASS\n", AT_RULE_PASS }, /* short */
		{ LEGACY "\nd,security,overwrite,PASS,,,more,yes\n", AT_RULE_PASS }, /* long */
		{ LEGACY "\nd,security,overwrite\n", AT_RULE_VERDICT },
		{ LEGACY "\n\n" PASS_ROW "\n", AT_RULE_PASS },
		{ LEGACY "\r\nd,security,overwrite,PASS,,\r\n", AT_RULE_PASS },
		{ LEGACY "\rd,security,overwrite,PASS,,\r", AT_RULE_PASS },
		{ LEGACY "\nd,security,overwrite,PASS,,\"open\n", AT_RULE_FAULT },
		{ LEGACY "\nd,sec\"urity,overwrite,PASS,,\n", AT_RULE_FAULT },
		{ LEGACY ",verdict\nd,security,overwrite,PASS,,,HALT\n", AT_RULE_OPEN_HALT },
		{ LEGACY ", consumed\n" PASS_ROW, AT_RULE_FAULT }, /* padded header */
		{ LEGACY ",consumed\nd,security,overwrite,PASS,,,maybe\n", AT_RULE_VERDICT },
		{ LEGACY ",consumed\nd,security,overwrite,PASS,,,No\n", AT_RULE_PASS },
		{ LEGACY ",prev_digest\nd,security,overwrite,PASS,,,x\n", AT_RULE_CHAIN },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct ground g;
		uint64_t before;

		ground_begin(&g);
		g.at.keys.hmac.len = 0;
		ground_write(&g, LOG, rows[i].text);
		before = test_tree_fingerprint(g.dir);
		ground_ask(&g, "overwrite", rows[i].rule != AT_RULE_PASS);
		expect(&g, i, rows[i].rule, NULL);
		assert_row(i, g.said.is_clear == (rows[i].rule == AT_RULE_PASS));
		assert_row(i, before == test_tree_fingerprint(g.dir));
		ground_end(&g);
	}
}

/* A NUL is a byte like any other: no name ends at it. */
static void key_12_nul_hides_nothing(void **state)
{
	static const char text[] = LEGACY "\nd,security\0x,overwrite,PASS,,\n";
	struct ground g;

	(void)state;
	ground_begin(&g);
	g.at.keys.hmac.len = 0;
	test_write_bytes(g.dir, "references/" LOG, text, sizeof(text) - 1);
	assert_false(ground_ask(&g, "overwrite", false));
	expect(&g, 0, AT_RULE_AUTHORITY, "ambiguous");
	ground_end(&g);
}

enum planted { A_LINK, A_FIFO, A_DIRECTORY, PLANTED };

static void plant(struct ground *g, const char *path, enum planted what)
{
	char full[600];

	snprintf(full, sizeof(full), "%s/references/%s", g->dir, path);
	unlink(full);
	if (what == A_LINK) {
		test_write(g->dir, "elsewhere", "{\"enforce_decision_signing\": false}");
		assert_int_equal(symlink("../elsewhere", full), 0);
	} else {
		assert_int_equal(what == A_FIFO ? mkfifo(full, 0600) : mkdir(full, 0700), 0);
	}
}

/* Each file of the gate as a link, a FIFO, a directory: never waited for, never believed. */
static void key_12_planted_files_block(void **state)
{
	static const struct {
		const char *path;
		enum at_clearance_rule rule;
	} rows[] = {
		{ LOG, AT_RULE_FAULT },
		{ "security-waivers.log.csv", AT_RULE_FAULT },
		{ "security-approvers.txt", AT_RULE_FAULT },
		{ "agent-privilege.json", AT_RULE_SWITCH },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++)
		for (int what = 0; what < PLANTED; what++) {
			struct ground g;

			ground_begin(&g);
			g.at.keys.hmac.len = 0;
			ground_write(&g, LOG, LEGACY "\n" PASS_ROW);
			assert_true(ground_ask(&g, "overwrite", false));
			plant(&g, rows[i].path, (enum planted)what);
			assert_false(ground_ask(&g, "overwrite", true));
			expect(&g, i, rows[i].rule, NULL);
			ground_end(&g);
		}
}

static void req_8_every_kind_of_switch(void **state)
{
	static const struct {
		const char *text;
		enum at_clearance_rule rule;
	} rows[] = {
		{ "{}", AT_RULE_PASS },
		{ "{\"enforce_decision_signing\": false}", AT_RULE_PASS },
		{ SWITCH_ON, AT_RULE_AUTHORITY },
		{ "", AT_RULE_SWITCH },
		{ "{", AT_RULE_SWITCH },
		{ "[]", AT_RULE_SWITCH },
		{ "true", AT_RULE_SWITCH },
		{ "null", AT_RULE_SWITCH },
		{ "{\"enforce_decision_signing\": \"false\"}", AT_RULE_SWITCH },
		{ "{\"enforce_decision_signing\": 0}", AT_RULE_SWITCH },
		{ "{\"enforce_decision_signing\": null}", AT_RULE_SWITCH },
		{ "{\"enforce_decision_signing\": true, \"enforce_decision_signing\": false}",
			AT_RULE_SWITCH },
		{ "\xef\xbb\xbf{\"enforce_decision_signing\": false}", AT_RULE_SWITCH },
		{ "{\"enforce_decision_signing\": false} x", AT_RULE_SWITCH },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct ground g;

		ground_begin(&g);
		g.at.keys.hmac.len = 0;
		ground_write(&g, LOG, LEGACY "\n" PASS_ROW);
		ground_write(&g, "agent-privilege.json", rows[i].text);
		ground_ask(&g, "overwrite", false);
		expect(&g, i, rows[i].rule, NULL);
		ground_end(&g);
	}
}

/* A row is spent once, by whoever comes first; signatures and chain hold afterwards. */
static void key_12_spending(void **state)
{
	struct at_decisions_report report;
	struct ground g;
	struct ledger l;
	size_t cleared = 0;

	(void)state;
	ground_begin(&g);
	ledger_begin(&l);
	for (size_t i = 0; i < 3; i++)
		ROW(&l, &g, ED25519, "date=1", "action_reviewed=overwrite", "verdict=PASS",
			"author=security", "scope=overwrite");
	ledger_end(&l, &g);
	/* Six at once, for three rows. */
	for (size_t i = 0; i < 6; i++)
		if (fork() == 0)
			_exit(ground_ask(&g, "overwrite", true) ? 0 : 1);
	for (size_t i = 0; i < 6; i++) {
		int status;

		assert_true(wait(&status) > 0);
		cleared += status == 0;
	}
	assert_int_equal(cleared, 3);
	assert_true(at_decisions_audit(&report, g.arena, &g.at, &g.err));
	assert_int_equal(report.finding_count, 0);
	for (size_t i = 0; i < 3; i++)
		assert_true(report.seals[i] == AT_SEAL_ED25519
			&& report.decisions.rows[i].consumed == AT_CONSUMED_YES);
	assert_false(ground_ask(&g, "overwrite", true));
	expect(&g, 0, AT_RULE_NO_DECISION, NULL);
	ground_end(&g);
}

/* A column cannot be added where a long row's cell would come under its name. */
static void key_12_a_long_row_is_not_spent(void **state)
{
	struct ground g;
	uint64_t before;

	(void)state;
	ground_begin(&g);
	g.at.keys.hmac.len = 0;
	ground_write(&g, LOG, LEGACY "\nd,security,overwrite,PASS,,,more\n");
	before = test_tree_fingerprint(g.dir);
	assert_false(ground_ask(&g, "overwrite", true));
	expect(&g, 0, AT_RULE_FAULT, "more cells");
	assert_true(before == test_tree_fingerprint(g.dir));
	ground_end(&g);
}

/* No team: nothing is cleared, and nothing is made. */
static void key_12_no_team(void **state)
{
	struct ground g;
	int team;

	(void)state;
	ground_begin(&g);
	assert_false(ground_ask(&g, "overwrite", true));
	expect(&g, 0, AT_RULE_NO_DECISION, "no matching PASS decision found");
	team = g.at.team;
	g.at.team = -1;
	assert_false(ground_ask(&g, "overwrite", true));
	expect(&g, 1, AT_RULE_NO_DECISION, NULL);
	assert_false(ground_ask(&g, "", true));
	assert_int_equal(g.err.code, AT_EREFUSED);
	assert_string_equal(g.err.id, "no-decision");
	g.at.team = team;
	ground_end(&g);
}

static void key_9_audit(void **state)
{
	struct at_decisions_report report;
	struct ground g;
	struct ledger l;

	(void)state;
	ground_begin(&g);
	ground_write(&g, "agent-privilege.json", SWITCH_ON);
	ledger_begin(&l);
	ROW(&l, &g, HMAC, "date=1", "action_reviewed=a", "verdict=PASS", "author=security");
	ROW(&l, &g, UNSIGNED, "date=2", "action_reviewed=a", "verdict=PASS", "author=security");
	ROW(&l, &g, UNSIGNED, "date=3", "action_reviewed=b", "verdict=HALT");
	ROW(&l, &g, UNSIGNED, "date=4", "action_reviewed=c", "verdict=HALT");
	ROW(&l, &g, HMAC, "date=5", "action_reviewed=c", "verdict=HALT-RETRACTED",
		"author=security", "evidence=mended");
	ROW(&l, &g, HMAC, "date=6", "action_reviewed=b", "verdict=HALT-RETRACTED", "author=mallory",
		"evidence=mended");
	ROW(&l, &g, HMAC, "date=7", "action_reviewed=d", "verdict=PASS", "author=security",
		"derives_from=z");
	ledger_end(&l, &g);
	assert_true(at_decisions_audit(&report, g.arena, &g.at, &g.err));
	assert_true(report.is_signing && report.is_enforced && report.is_governed);
	assert_int_equal(report.open_count, 1);
	assert_int_equal(report.open_halts[0], 3);
	assert_int_equal(report.finding_count, 3);
	assert_int_equal(report.findings[0].row, 2);
	assert_int_equal(report.findings[1].row, 6);
	assert_int_equal(report.findings[2].row, 7);
	assert_int_equal(at_decisions_unsigned(&report.decisions), 1);
	ground_end(&g);
}

int test_clearance(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_9_hmac_alone_relaxes_nothing),
		cmocka_unit_test(key_9_governed_marker),
		cmocka_unit_test(key_9_signed_rows),
		cmocka_unit_test(key_9_halt_propagates),
		cmocka_unit_test(key_9_a_halt_is_not_hidden),
		cmocka_unit_test(key_12_bad_ledgers_block),
		cmocka_unit_test(key_12_nul_hides_nothing),
		cmocka_unit_test(key_12_planted_files_block),
		cmocka_unit_test(req_8_every_kind_of_switch),
		cmocka_unit_test(key_12_spending),
		cmocka_unit_test(key_12_a_long_row_is_not_spent),
		cmocka_unit_test(key_12_no_team),
		cmocka_unit_test(key_9_audit),
	};

	return cmocka_run_group_tests_name("clearance", tests, NULL, NULL);
}
