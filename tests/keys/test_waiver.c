/* Waivers: what is asked of one and in which order, and what it may not do. */
#include <stdio.h>
#include <string.h>

#include "support/support.h"

#include "keys/clearance_ground.h"
#include "keys/field.h"
#include "keys/waiver.h"

#define HEADER \
	"timestamp,waiver_id,action_reviewed,expires_at,max_uses,uses,approver,ticket_id," \
	"reason_code,conditions_verified,signature\n"
#define GOOD "w1,overwrite,2099-01-01T00:00:00Z,2,0,security,T,R,verified"

/* Writes rows of the nine fields, joined by commas, each signed with `key`. */
static void write_waivers(struct ground *g, const char *const *rows, const char *key)
{
	struct at_buf text = { 0 };

	at_buf_puts(&text, HEADER);
	for (; *rows; rows++) {
		struct at_buf payload = { 0 }, hex = { 0 };
		struct at_digest digest;

		at_buf_puts(&payload, *rows);
		for (size_t i = 0; i < payload.len; i++)
			if (payload.data[i] == ',')
				payload.data[i] = '|';
		digest = at_digest_keyed(at_bytes_of(key), at_buf_bytes(&payload));
		at_hex_put(&hex, digest.byte, sizeof(digest.byte));
		at_buf_printf(&text, "t,%s,%s\n", *rows, at_buf_text(&hex));
		at_buf_free(&payload);
		at_buf_free(&hex);
	}
	ground_write(g, "security-waivers.log.csv", at_buf_text(&text));
	at_buf_free(&text);
}

static void write_waiver(struct ground *g, const char *row)
{
	write_waivers(g, (const char *const[]){ row, NULL }, WAIVER_KEY);
}

static void key_9_waiver_checks(void **state)
{
	static const struct {
		const char *row, *says; /* "": clears */
	} rows[] = {
		{ GOOD, "" },
		{ "w1,overwrite-x,2099-01-01T00:00:00Z,2,0,@Security,T,R,Verified", "" },
		{ "w1,prune,2099-01-01T00:00:00Z,2,0,security,T,R,verified", "no matching PASS" },
		{ "w1,overwrite,2099-01-01T00:00:00Z,2,0,security,T,R,pending",
			"waiver conditions are not verified" },
		{ "w1,overwrite,2099-01-01T00:00:00Z,2,0,,T,R,verified",
			"waiver is missing approver, ticket_id, or reason_code" },
		{ "w1,overwrite,2099-01-01T00:00:00Z,2,0,security,,R,verified",
			"waiver is missing" },
		{ "w1,overwrite,2099-01-01T00:00:00Z,2,0,mallory,T,R,verified",
			"waiver approver 'mallory' is not on the approved roster (['security'])" },
		{ "w1,overwrite,2026-08-31T23:59:59Z,2,0,security,T,R,verified",
			"waiver has expired" },
		{ "w1,overwrite,2026-09-01T00:00:00Z,2,0,security,T,R,verified",
			"waiver has expired" }, /* at that instant */
		{ "w1,overwrite,2026-09-01T00:00:01Z,2,0,security,T,R,verified", "" },
		{ "w1,overwrite,2026-09-01T00:30:00+01:00,2,0,security,T,R,verified",
			"waiver has expired" },
		{ "w1,overwrite,2026-08-31T23:30:00-01:00,2,0,security,T,R,verified", "" },
		{ "w1,overwrite,2099-01-01T00:00:00,2,0,security,T,R,verified",
			"not a valid ISO-8601" }, /* without an offset */
		{ "w1,overwrite,soon,2,0,security,T,R,verified", "not a valid ISO-8601" },
		{ "w1,overwrite,2099-02-30T00:00:00Z,2,0,security,T,R,verified",
			"not a valid ISO-8601" },
		{ "w1,overwrite,2099-01-01T24:00:00Z,2,0,security,T,R,verified",
			"not a valid ISO-8601" },
		{ "w1,overwrite,2099-01-01T00:00:60Z,2,0,security,T,R,verified",
			"not a valid ISO-8601" },
		{ "w1,overwrite,2099-01-01T00:00:00Z,2,2,security,T,R,verified",
			"use limit has been reached" },
		{ "w1,overwrite,2099-01-01T00:00:00Z,0,0,security,T,R,verified",
			"use limit has been reached" },
		{ "w1,overwrite,2099-01-01T00:00:00Z,x,0,security,T,R,verified", "not numeric" },
		{ "w1,overwrite,2099-01-01T00:00:00Z,2,-1,security,T,R,verified", "not numeric" },
		{ "w1,overwrite,2099-01-01T00:00:00Z,99999999999,0,security,T,R,verified",
			"not numeric" },
		{ "w|1,overwrite,2099-01-01T00:00:00Z,2,0,security,T,R,verified", "is ambiguous" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct ground g;

		ground_begin(&g);
		write_waiver(&g, rows[i].row);
		if (ground_ask(&g, "overwrite", false) != !*rows[i].says
			|| !strstr(g.said.reason, rows[i].says))
			fail_msg("row %zu: %s", i, g.said.reason);
		ground_end(&g);
	}
}

/* Section 5 row 13: what nobody signed is told nothing about but that. */
static void key_9_waiver_signature_first(void **state)
{
	static const char *const rows[] = {
		GOOD,
		"w1,overwrite,2000-01-01T00:00:00Z,2,0,security,T,R,verified",
		"w1,overwrite,2099-01-01T00:00:00Z,2,2,mallory,,,pending",
	};
	struct ground g;

	(void)state;
	ground_begin(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		write_waivers(&g, (const char *const[]){ rows[i], NULL }, "another key");
		g.at.waiver_key = at_bytes_of(WAIVER_KEY);
		assert_false(ground_ask(&g, "overwrite", false));
		assert_string_equal(g.said.reason, "waiver signature verification failed");
		g.at.waiver_key.len = 0;
		assert_false(ground_ask(&g, "overwrite", false));
		assert_string_equal(g.said.reason, "waiver signing key is not configured");
	}
	ground_end(&g);
}

/* The last row decides, and no other is looked for. */
static void key_9_last_waiver_decides(void **state)
{
	static const char spent[] = "w2,overwrite,2099-01-01T00:00:00Z,1,1,security,T,R,verified";
	struct ground g;

	(void)state;
	ground_begin(&g);
	write_waivers(&g, (const char *const[]){ GOOD, spent, NULL }, WAIVER_KEY);
	assert_false(ground_ask(&g, "overwrite", false));
	assert_string_equal(g.said.waiver, "w2");
	assert_int_equal(g.said.rule, AT_RULE_WAIVER);
	write_waivers(&g, (const char *const[]){ spent, GOOD, NULL }, WAIVER_KEY);
	assert_true(ground_ask(&g, "overwrite", false));
	ground_end(&g);
}

/* It tells what it passed over. */
static void key_9_waiver_is_not_silent(void **state)
{
	static const struct {
		const char *row, *says;
	} rows[] = {
		{ "", "there is no decision" },
		{ "d,security,overwrite,CONDITIONAL PASS,,pending\n",
			"conditions are not verified" },
		{ "d,security,overwrite,PASS,,\n", "UNSIGNED" },
		{ "d,security,overwrite,MAYBE,,\n", "verdict is 'MAYBE'" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf text = { 0 };
		struct ground g;

		ground_begin(&g);
		g.at.keys.hmac.len = 0;
		ground_write(&g, "agent-privilege.json", SWITCH_ON);
		at_buf_printf(&text, LEGACY "\n%s", rows[i].row);
		ground_write(&g, "security-decisions.log.csv", at_buf_text(&text));
		write_waiver(&g, GOOD);
		assert_true(ground_ask(&g, "overwrite", false));
		if (!strstr(g.said.note, "cleared by waiver 'w1'")
			|| !strstr(g.said.note, rows[i].says))
			fail_msg("row %zu: %s", i, g.said.note);
		at_buf_free(&text);
		ground_end(&g);
	}
}

/* HMAC alone: never for what relaxes, where the workspace is governed; never past a HALT. */
static void key_9_waiver_ends_where(void **state)
{
	const struct at_clearance_ask ask = { "overwrite", true, true };
	struct ground g;

	(void)state;
	ground_begin(&g);
	write_waiver(&g, GOOD);
	ground_write(&g, "agent-privilege.json", SWITCH_ON);
	assert_false(at_clearance_ask(&g.said, g.arena, &g.at, &ask, &g.err));
	assert_non_null(strstr(g.said.reason, "HMAC alone"));
	ground_write(&g, "security-decisions.log.csv", LEGACY "\nd,x,overwrite,HALT,,\n");
	assert_false(ground_ask(&g, "overwrite", true));
	assert_int_equal(g.said.rule, AT_RULE_OPEN_HALT);
	ground_end(&g);
}

/* Used up, one use after the other, each signed anew; asking costs none. */
static void key_9_waiver_uses(void **state)
{
	struct ground g;

	(void)state;
	ground_begin(&g);
	write_waiver(&g, GOOD);
	for (size_t i = 0; i < 2; i++) {
		assert_true(ground_ask(&g, "overwrite", false) && !g.said.is_spent);
		assert_true(ground_ask(&g, "overwrite", true) && g.said.is_spent);
	}
	assert_false(ground_ask(&g, "overwrite", true));
	assert_string_equal(g.said.reason, "waiver use limit has been reached");
	ground_end(&g);
}

static void key_9_waiver_header(void **state)
{
	static const char *const rows[] = { "", "a,b\n", " " HEADER, "\xef\xbb\xbf" HEADER,
		"timestamp,waiver_id\n" };
	struct ground g;

	(void)state;
	ground_begin(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		ground_write(&g, "security-waivers.log.csv", rows[i]);
		assert_row(i, !ground_ask(&g, "overwrite", false));
		assert_row(i, g.said.rule == AT_RULE_FAULT);
		assert_row(i, strstr(g.said.reason, "waiver log is malformed") != NULL);
	}
	ground_write(&g, "security-waivers.log.csv", HEADER);
	assert_false(ground_ask(&g, "overwrite", false));
	assert_int_equal(g.said.rule, AT_RULE_NO_DECISION);
	ground_end(&g);
}

int test_waiver(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_9_waiver_checks),
		cmocka_unit_test(key_9_waiver_signature_first),
		cmocka_unit_test(key_9_last_waiver_decides),
		cmocka_unit_test(key_9_waiver_is_not_silent),
		cmocka_unit_test(key_9_waiver_ends_where),
		cmocka_unit_test(key_9_waiver_uses),
		cmocka_unit_test(key_9_waiver_header),
	};

	return cmocka_run_group_tests_name("waiver", tests, NULL, NULL);
}
