/* Every recorded issue gets the recorded answer, or a stricter one with its reason. */
#include <stdio.h>
#include <string.h>

#include "keys/ledger_ground.h"

#include "core/json_read.h"

static const struct at_json_limits limits = { 1u << 20, 16 };

/* Issued by the reference, refused here. `says` is in the refusal. */
static const struct {
	const char *name, *says, *why;
} stricter[] = {
	{ "path-dslash", "filesystem root", "5 row 4: the root in any spelling" },
	{ "path-root-dot", "filesystem root", "5 row 4" },
	{ "path-root-dotdot", "filesystem root", "5 row 4" },
	{ "path-tilde-user", "home-rooted", "5 row 4: any `~`" },
	{ "path-HOME", "wildcard or a variable", "5 row 4: `$`" },
	{ "path-inner-ok", "escapes its workspace", "5 row 4: a `..` segment" },
	{ "path-dot", "whole workspace", "1.7: a grant names a scoped path" },
	{ "path-abs-dotdot", "leads through '..'", "5 row 4" },
	{ "path-glob", "wildcard", "5 row 4" },
	{ "path-newline", "characters", "5 row 2" },
	{ "path-pipe", "characters", "5 row 2" },
	{ "path-control", "characters", "5 row 2" },
	{ "path-backslash-dotdot", "escapes its workspace", "5 row 4: `..` behind either slash" },
	{ "exp-past", "expires_at is over", "5 row 3" },
	{ "uses-underscore", "invalid literal", "5 row 5: digits and nothing else" },
	{ "uses-float", "positive integer", "5 row 5" },
	{ "uses-true", "positive integer", "5 row 5" },
	{ "uses-big", "at most 2147483647", "5 row 3" },
	{ "ops-empty", "'permitted_ops' is blank", "5 row 3" },
	{ "ops-semicolon", "names no operation", "5 row 3" },
	{ "ops-unknown", "no operation", "5 row 3" },
	{ "ops-case", "no operation", "5 row 3" },
	{ "ops-list", "must be a text", "5 row 5" },
	{ "blank-issuer_team", "'issuer_team' is blank", "5 row 3" },
	{ "blank-holder_team", "'holder_team' is blank", "5 row 3" },
	{ "blank-ticket_id", "'ticket_id' is blank", "5 row 3" },
	{ "blank-reason_code", "'reason_code' is blank", "5 row 3" },
	{ "nonstring-ticket", "must be a text", "5 row 5" },
	{ "json-dup-key", "twice", "5 row 5: a duplicate is refused" },
	{ "append-to-badsig-last", "row 3: grant", "5 row 9: signatures before an append" },
};

/* Refused by both, in other words. */
static const struct {
	const char *name, *says, *why;
} other_words[] = {
	{ "uses-null", "not null", "an exception there" },
	{ "uses-list", "not a list", "an exception there" },
	{ "not-json", "unable to read grant spec", "another reader's sentence" },
	{ "json-list", "no JSON object", "a list has no fields to miss" },
	{ "json-list-of-names", "no JSON object", "an exception there" },
	{ "json-number", "no JSON object", "an exception there" },
	{ "json-null", "no JSON object", "an exception there" },
	{ "json-string", "no JSON object", "a text has no fields to miss" },
	{ "json-bom", "unable to read grant spec", "another reader's sentence" },
	{ "roster-at-only", "names no approver", "a name of nothing is none" },
	{ "json-nan-uses", "unable to read grant spec", "NaN is no JSON" },
};

/* What the command line decided; the model is asked for the spec all the same, and grants it. */
static const char *const of_the_command_line[] = { "spec-missing-file", "unknown-flag" };

/* Two that need a key are about the HMAC key. */
static const char *const of_the_hmac_key[] = { "key-unset", "key-empty" };

static bool is_in(const char *const *names, size_t count, struct at_bytes name)
{
	for (size_t i = 0; i < count; i++)
		if (at_bytes_equal_text(name, names[i]))
			return true;
	return false;
}

struct cases {
	struct ledger_ground g;
	struct at_json doc;
	size_t known; /* answers that differ as the tables say */
};

static struct at_bytes text(struct cases *c, uint32_t of, const char *key)
{
	uint32_t node = at_json_member(&c->doc, of, key);

	return at_json_is(&c->doc, node, AT_JSON_STRING) ? at_json_string(&c->doc, node, c->g.arena)
							 : (struct at_bytes){ NULL, 0 };
}

static struct at_bytes with_note_column(struct cases *c)
{
	struct at_bytes old = ground_vector(&c->g, "grants-hmac/capability-grants.log.csv");
	struct at_buf out = { 0 };
	struct at_bytes kept;

	for (size_t i = 0, line = 0; i < old.len; i++) {
		if (old.data[i] == '\n')
			at_buf_puts(&out, line++ ? "," : ",note");
		at_buf_putc(&out, old.data[i]);
	}
	kept = (struct at_bytes){ at_arena_strndup(c->g.arena, out.data, out.len), out.len };
	at_buf_free(&out);
	return kept;
}

/* The ledger that stood there before, by the name of the case. */
static void lay_ledger(struct cases *c, struct at_bytes name)
{
	static const struct {
		const char *name, *vector;
	} rows[] = {
		{ "append-to-valid", "capability-grants.log.csv" },
		{ "append-to-crlf", "variants/14-crlf.csv" },
		{ "append-to-broken-chain", "variants/04-first-row-deleted.csv" },
		{ "append-to-badsig-last", "variants/02-last-row-target-edited.csv" },
		{ "ledger-empty-file", "variants/10-empty-file.csv" },
		{ "ledger-malformed", "variants/18-prev-digest-column-missing.csv" },
	};

	ground_ledger(&c->g, (struct at_bytes){ 0 });
	if (at_bytes_equal_text(name, "append-to-extra-columns"))
		ground_ledger(&c->g, with_note_column(c));
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char path[128];

		if (!at_bytes_equal_text(name, rows[i].name))
			continue;
		snprintf(path, sizeof(path), "grants-hmac/%s", rows[i].vector);
		ground_ledger(&c->g, ground_vector(&c->g, path));
	}
}

static bool issue(struct cases *c, uint32_t i, enum at_grant_scheme scheme)
{
	struct at_bytes raw = text(c, i, "raw"), name = text(c, i, "case");
	struct at_ledger_appended appended;
	struct at_grant_spec spec;

	if (!raw.data)
		raw = at_json_raw(&c->doc, at_json_member(&c->doc, i, "spec"));
	ground_roster(&c->g, text(c, i, "roster").data);
	lay_ledger(c, name);
	c->g.site.hmac_key = ground_vector(&c->g, "grants-hmac/key.txt");
	if (is_in(of_the_hmac_key, AT_LEN(of_the_hmac_key), name))
		c->g.site.hmac_key = (struct at_bytes){ "", 0 };
	if (!at_grant_spec_read(&spec, c->g.arena, raw, "<WS>/spec.json", &c->g.err))
		return false;
	/* By HMAC the same grant, but to read: for `write` there is a test below. */
	if (scheme == AT_GRANT_HMAC && at_bytes_equal_text(spec.permitted_ops, "write"))
		spec.permitted_ops = at_bytes_of("read");
	return ground_issue(&c->g, &spec, scheme, &appended);
}

/* A refusal that is not the recorded answer: is it the one of the tables? */
static bool is_known(struct at_bytes name, bool issued_there, const char *message)
{
	for (size_t k = 0; k < AT_LEN(stricter); k++)
		if (at_bytes_equal_text(name, stricter[k].name))
			return issued_there && strstr(message, stricter[k].says);
	for (size_t k = 0; k < AT_LEN(other_words); k++)
		if (at_bytes_equal_text(name, other_words[k].name))
			return !issued_there && strstr(message, other_words[k].says);
	return false;
}

static void assert_case(struct cases *c, uint32_t i, enum at_grant_scheme scheme)
{
	struct at_bytes name = text(c, i, "case"), said = text(c, i, "stderr");
	bool issued_there = at_bytes_equal_text(at_json_raw(&c->doc,
		at_json_member(&c->doc, i, "issue_rc")), "0");
	bool issued;
	char want[1024];

	if (is_in(of_the_command_line, AT_LEN(of_the_command_line), name))
		issued_there = true;
	if (scheme == AT_GRANT_ED25519 && is_in(of_the_hmac_key, AT_LEN(of_the_hmac_key), name))
		issued_there = true;
	issued = issue(c, i, scheme);
	snprintf(want, sizeof(want), "Error: %s", c->g.err.message);
	if (issued) {
		if (!issued_there)
			fail_msg("%s: issued; recorded: %s", name.data, said.data);
		/* What is issued holds: the reference issued rows that it then called bad. */
		assert_int_equal(ground_walk(&c->g, AT_GRANT_MIGRATION).bad, 0);
	} else if (is_known(name, issued_there, c->g.err.message)) {
		c->known++;
	} else {
		if (issued_there)
			fail_msg("%s: refused: %s", name.data, c->g.err.message);
		if (!at_bytes_equal_text(said, want))
			fail_msg("%s: %s\nrecorded: %s", name.data, want, said.data);
	}
	if (!issued)
		assert_true(c->g.err.code != AT_OK);
}

static void each_case(enum at_grant_scheme scheme)
{
	struct cases c = { .known = 0 };
	size_t count = 0;

	ground_open(&c.g);
	if (!at_json_read(&c.doc, ground_vector(&c.g, "grants-hmac/issue-matrix.json"), &limits, 0,
		    &c.g.err))
		fail_msg("%s", c.g.err.message);
	at_json_each(&c.doc, i, AT_JSON_ROOT) {
		assert_case(&c, i, scheme);
		count++;
	}
	assert_int_equal(count, 99);
	assert_int_equal(c.known, AT_LEN(stricter) + AT_LEN(other_words));
	at_json_free(&c.doc);
	ground_close(&c.g);
}

static void key_7_every_recorded_issue_signed(void **state)
{
	(void)state;
	each_case(AT_GRANT_ED25519);
}

static void key_7_every_recorded_issue_by_hmac_to_read(void **state)
{
	(void)state;
	each_case(AT_GRANT_HMAC);
}

/* KEY-5: as they stand the recorded specs ask for `write`: refused before their shape is. */
static void key_5_hmac_write_is_refused_first(void **state)
{
	static const char *const targets[] = { "/srv/team-b/shared", "/", "" };
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	for (size_t i = 0; i < AT_LEN(targets); i++) {
		struct at_grant_spec spec = ground_spec(targets[i], "read; write");
		struct at_ledger_appended appended;

		spec.max_uses = 0;
		assert_false(ground_issue(&g, &spec, AT_GRANT_HMAC, &appended));
		assert_non_null(strstr(g.err.message, "is hmac-signed"));
		assert_non_null(strstr(g.err.message, "Migrate"));
		assert_false(ground_has(&g, ""));
	}
	ground_close(&g);
}

static void key_7_odd_characters_at_issue(void **state)
{
	struct cases c;
	size_t count = 0;

	(void)state;
	ground_open(&c.g);
	if (!at_json_read(&c.doc, ground_vector(&c.g, "grants-hmac/extra/results.json"), &limits, 0,
		    &c.g.err))
		fail_msg("%s", c.g.err.message);
	at_json_each(&c.doc, i, at_json_member(&c.doc, AT_JSON_ROOT, "results")) {
		static const char *const fine[] = { "lead", "nbsp", "us", "nel" };
		struct at_bytes name = text(&c, i, "name"), reason = text(&c, i, "reason_json");
		struct at_ledger_appended appended;
		struct at_grant_spec spec;
		struct at_buf json = { 0 };
		bool issued;

		ground_ledger(&c.g, (struct at_bytes){ 0 });
		at_buf_printf(&json, "{\"issuer_team\":\"team-b\",\"holder_team\":\"team-a\","
			"\"target_path\":\"x\",\"permitted_ops\":\"read\",\"expires_at\":\"2099-01-01\","
			"\"max_uses\":1,\"approver\":\"alice\",\"ticket_id\":\"T\",\"reason_code\":%s}",
			reason.data);
		issued = at_grant_spec_read(&spec, c.g.arena, at_buf_bytes(&json), "s", &c.g.err) &&
			 ground_issue(&c.g, &spec, AT_GRANT_ED25519, &appended);
		if (issued != is_in(fine, AT_LEN(fine), name))
			fail_msg("%s: %s", name.data, issued ? "issued" : c.g.err.message);
		assert_true(issued == ground_has(&c.g, "")); /* nothing is left behind */
		at_buf_free(&json);
		count++;
	}
	assert_int_equal(count, 11);
	at_json_free(&c.doc);
	ground_close(&c.g);
}

/* Case 86, and members that the schema does not know. */
static void key_7_bad_specs(void **state)
{
	static const struct {
		const char *member, *says;
	} rows[] = {
		{ "\"comment\": \"x\"", "no field of a grant" },
		{ "\"ticket_id\": \"T-2\"", "twice" },
		{ "\"key_id\": 7", "must be a text" },
		{ "\"key_id\": \"../../x\"", "must name a key" },
		{ "\"key_id\": \"\"", "must name a key" },
		{ "\"issuer_root\": \"srv\"", "not an absolute path" },
		{ "\"issuer_root\": \"/srv/team-c\"", "outside its issuer_root" },
		{ "\"issuer_root\": \"/srv/team\"", "outside its issuer_root" },
		{ "\"issuer_root\": \"/srv/team-b|x\"", "holds `|`" },
		{ "\"issuer_root\": \"/srv/team-b\"", NULL },
		{ "\"issuer_root\": \"/srv/team-b/shared/\"", NULL },
	};
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_ledger_appended appended;
		struct at_grant_spec spec;
		struct at_buf json = { 0 };
		bool issued;

		at_buf_printf(&json, "{\"issuer_team\":\"team-b\",\"holder_team\":\"team-a\","
			"\"target_path\":\"/srv/team-b/shared\",\"permitted_ops\":\"write\","
			"\"expires_at\":\"9999-12-31T23:59:59Z\",\"max_uses\":1,\"approver\":\"alice\","
			"\"ticket_id\":\"T\",\"reason_code\":\"r\",%s}", rows[i].member);
		issued = at_grant_spec_read(&spec, g.arena, at_buf_bytes(&json), "s", &g.err) &&
			 ground_issue(&g, &spec, AT_GRANT_ED25519, &appended);
		if (issued != !rows[i].says || (!issued && !strstr(g.err.message, rows[i].says)))
			fail_msg("row %zu: %s", i, issued ? "issued" : g.err.message);
		at_buf_free(&json);
	}
	ground_close(&g);
}

static void key_7_a_spec_prints_and_reads_back(void **state)
{
	struct ledger_ground g;
	struct at_grant_spec spec = ground_spec("/srv/\xc3\xa9quipe", "read;write"), back;
	struct at_buf out = { 0 }, again = { 0 };

	(void)state;
	ground_open(&g);
	spec.key_id = at_bytes_of("op-1");
	at_grant_spec_print(&out, &spec);
	test_write(g.work, "spec.json", at_buf_text(&out));
	if (!at_grant_spec_load(&back, g.arena, test_path(g.work, "spec.json"), &g.err))
		fail_msg("%s", g.err.message);
	assert_null(back.issuer_root.data);
	at_grant_spec_print(&again, &back);
	assert_string_equal(at_buf_text(&out), at_buf_text(&again));
	assert_false(at_grant_spec_load(&back, g.arena, test_path(g.work, "nope.json"), &g.err));
	assert_non_null(strstr(g.err.message, "unable to read grant spec"));
	assert_false(at_grant_spec_load(&back, g.arena, g.work, &g.err));
	at_buf_free(&out);
	at_buf_free(&again);
	ground_close(&g);
}

/* The review is the same from one try to the next, and names the place. */
static void key_4_the_review(void **state)
{
	struct ledger_ground g;
	struct at_grant_spec spec = ground_spec("shared/inbox", "write");
	struct at_grant_draft one, two;
	struct at_grant_verdict verdict;
	struct at_ledger_appended appended;
	struct at_digest want = at_digest_of(at_bytes_of(
		"{\"key_id\":\"op-1\",\"kind\":\"grant\",\"ledger_root\":\"<WS>\",\"spec\":{"
		"\"approver\":\"alice\",\"expires_at\":\"2099-01-01T00:00:00Z\","
		"\"holder_team\":\"team-a\",\"issuer_team\":\"team-b\",\"key_id\":\"op-1\","
		"\"max_uses\":1,\"permitted_ops\":\"write\",\"reason_code\":\"collab\","
		"\"target_path\":\"shared/inbox\",\"ticket_id\":\"T-1\"},\"team_dir\":\"<TEAM>\"}"));

	(void)state;
	ground_open(&g);
	spec.key_id = at_bytes_of("op-1");
	assert_true(at_grant_prepare(&one, g.arena, &spec, AT_GRANT_ED25519, &g.site, &g.err));
	assert_true(at_grant_prepare(&two, g.arena, &spec, AT_GRANT_ED25519, &g.site, &g.err));
	assert_true(at_digest_equal(&one.review, &want));
	assert_true(at_digest_equal(&one.review, &two.review));
	assert_false(at_bytes_equal(one.message, two.message)); /* another id */
	assert_int_equal(strncmp(one.message.data, "agentteams-grant-v1|grant-", 26), 0);
	/* Neither prepared nor dry: nothing is there. */
	assert_false(ground_has(&g, ""));
	assert_false(at_grant_append(&appended, &one, &g.site, &g.err)); /* not signed */
	assert_true(at_grant_sign(&one, g.arena, &g.seed, &g.err));
	assert_true(at_grant_sign(&two, g.arena, &g.seed, &g.err));
	assert_true(at_grant_verify(&verdict, &one, &g.site, &g.err));
	assert_true(verdict.widens && !verdict.is_absolute);
	assert_false(ground_has(&g, ""));
	assert_true(at_grant_append(&appended, &one, &g.site, &g.err));
	/* The second was reviewed before the first stood there. */
	assert_false(at_grant_append(&appended, &two, &g.site, &g.err));
	assert_int_equal(g.err.code, AT_ESTALE);
	/* A key that is not the team's: found out before the append. */
	assert_true(at_grant_prepare(&one, g.arena, &spec, AT_GRANT_ED25519, &g.site, &g.err));
	g.seed.bytes[0] ^= 1;
	assert_true(at_grant_sign(&one, g.arena, &g.seed, &g.err));
	assert_false(at_grant_append(&appended, &one, &g.site, &g.err));
	assert_non_null(strstr(g.err.message, "invalid signature"));
	ground_close(&g);
}

static void key_7_the_note_is_printed_for_one_use_too(void **state)
{
	struct at_buf out = { 0 };

	(void)state;
	at_grant_uses_note(&out, at_bytes_of("grant-0a2cdd281ce6be82"), 3);
	assert_string_equal(at_buf_text(&out), "NOTE: grant 'grant-0a2cdd281ce6be82' sets max_uses=3; "
		"the use counter is validated but not consumed by generation-time widening (expiry is "
		"the active bound). Use a short expires_at to limit the window.");
	at_buf_free(&out);
}

int test_grant_spec(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_7_every_recorded_issue_signed),
		cmocka_unit_test(key_7_every_recorded_issue_by_hmac_to_read),
		cmocka_unit_test(key_5_hmac_write_is_refused_first),
		cmocka_unit_test(key_7_odd_characters_at_issue),
		cmocka_unit_test(key_7_bad_specs),
		cmocka_unit_test(key_7_a_spec_prints_and_reads_back),
		cmocka_unit_test(key_4_the_review),
		cmocka_unit_test(key_7_the_note_is_printed_for_one_use_too),
	};

	return cmocka_run_group_tests_name("grant_spec", tests, NULL, NULL);
}
