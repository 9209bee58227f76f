/* Rows of the decisions ledger: forms, payloads, signatures, chain, lineage, effects. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

#include "keys/clearance_ground.h"
#include "keys/effect.h"

static bool read_text(
	struct at_decisions *out, struct at_arena *arena, const char *text, struct at_error *err)
{
	struct at_table table;

	return at_table_read(&table, arena, at_bytes_of(text), err)
		&& at_decisions_read(out, arena, &table, err);
}

static struct at_decisions must_read(struct at_arena *arena, const char *text)
{
	struct at_decisions out;
	struct at_error err;

	if (!read_text(&out, arena, text, &err))
		fail_msg("%s: %s", text, err.message);
	return out;
}

static void key_9_row_forms(void **state)
{
	static const struct {
		const char *header;
		bool is_read;
	} rows[] = {
		{ LEGACY, true },
		{ "date,plan_slug,step,decision,status,conditions,conditions_verified,evidence,owner",
			true },
		{ SIGNED, true }, /* the Python tool's gate refuses it */
		{ "x," LEGACY ",y", true }, /* further columns, any order */
		{ "verdict,timestamp,requesting_agent,action_reviewed,conditions_verified,conditions",
			true },
		{ "", false },
		{ "a,b,c", false },
		{ "timestamp,requesting_agent,action_reviewed,verdict,conditions", false },
		{ "\xef\xbb\xbf" LEGACY, false },
		{ " timestamp,requesting_agent,action_reviewed,verdict,conditions,"
		  "conditions_verified",
			false },
	};
	struct at_arena *arena = at_arena_new();

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_decisions read;
		struct at_error err = { 0 };
		struct at_buf text = { 0 };

		at_buf_printf(&text, "%s\n", rows[i].header);
		assert_row(i, read_text(&read, arena, at_buf_text(&text), &err) == rows[i].is_read);
		if (!rows[i].is_read)
			assert_row(i, strcmp(err.id, "decisions-malformed") == 0);
		at_buf_free(&text);
	}
	at_arena_free(arena);
}

static void key_9_payload(void **state)
{
	static const struct {
		const char *words[8];
		const char *plain, *extended; /* NULL: the same */
	} rows[] = {
		{ { "date=d", "action_reviewed= a ", "verdict=Pass", "author=@Security" },
			"d|a|Pass||security|", NULL },
		{ { "date=d", "action_reviewed=a", "verdict=PASS", "author= @@Bob ",
			  "conditions_verified=verified" },
			"d|a|PASS|verified|bob|", NULL },
		{ { "action_reviewed=a", "author=@" }, "|a|||@|", NULL },
		{ { "action_reviewed=a", "author=s", "derives_from=b", "sig_scheme=ed25519",
			  "key_id=op" },
			"|a|||s||derives_from=b|sig_scheme=ed25519|key_id=op", NULL },
		{ { "action_reviewed=a", "author=s", "scope= b ", "effect_bulk=yes", "key_id=k" },
			"|a|||s||key_id=k", "|a|||s||key_id=k|scope=b|effect_bulk=yes" },
	};
	struct ground g;

	(void)state;
	ground_begin(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf plain = { 0 }, extended = { 0 };
		const char *want = rows[i].extended ? rows[i].extended : rows[i].plain;
		struct at_decisions read;
		struct ledger l;

		ledger_begin(&l);
		ledger_row(&l, &g, UNSIGNED, rows[i].words);
		read = must_read(g.arena, at_buf_text(&l.text));
		at_decision_payload(&plain, &read.rows[0]);
		at_decision_payload_extended(&extended, &read.rows[0]);
		if (strcmp(at_buf_text(&plain), rows[i].plain)
			|| strcmp(at_buf_text(&extended), want))
			fail_msg(
				"row %zu: %s / %s", i, at_buf_text(&plain), at_buf_text(&extended));
		assert_row(i, at_decision_is_extended(&read.rows[0]) == !!rows[i].extended);
		at_buf_free(&plain);
		at_buf_free(&extended);
		at_buf_free(&l.text);
	}
	ground_end(&g);
}

/* Which of two names a value has, and which author counts. */
static void key_9_first_of_two(void **state)
{
	struct at_arena *arena = at_arena_new();
	struct at_decisions read = must_read(arena,
		LEGACY ",date,author,owner\n"
		       "t,,a,PASS,,,,x,y\nt,,a,PASS,,,d,x,\nt, ,a,PASS,,,,@X,\n");

	(void)state;
	assert_true(at_bytes_equal_text(read.rows[0].author, "y"));
	assert_true(at_bytes_equal_text(read.rows[0].date, "t"));
	assert_true(at_bytes_equal_text(read.rows[1].date, "d"));
	assert_true(at_bytes_equal_text(read.rows[2].author, "x"));
	at_arena_free(arena);
}

static enum at_seal seal_of(struct ground *g, struct ledger *l, const char *from, const char *to)
{
	struct at_decisions read;
	char *text = at_strdup(at_buf_text(&l->text)), *at = from ? strstr(text, from) : NULL;

	if (at) {
		struct at_buf changed = { 0 };

		at_buf_put(&changed, text, (size_t)(at - text));
		at_buf_puts(&changed, to);
		at_buf_puts(&changed, at + strlen(from));
		read = must_read(g->arena, at_buf_text(&changed));
		at_buf_free(&changed);
	} else {
		assert_null(from);
		read = must_read(g->arena, text);
	}
	free(text);
	at_buf_free(&l->text);
	return at_decision_seal(&read.rows[read.count - 1], &g->at.keys, NULL);
}

/* Section 5 row 12: scope and effects are signed; taking one away or adding one shows. */
static void key_9_seals(void **state)
{
	static const struct {
		enum how how;
		const char *extra, *from, *to;
		enum at_seal want;
	} rows[] = {
		{ HMAC, "scope=", NULL, NULL, AT_SEAL_HMAC },
		{ ED25519, "scope=", NULL, NULL, AT_SEAL_ED25519 },
		{ UNSIGNED, "scope=", NULL, NULL, AT_SEAL_NONE },
		{ HMAC, "scope=prune", NULL, NULL, AT_SEAL_HMAC },
		{ ED25519, "scope=prune", NULL, NULL, AT_SEAL_ED25519 },
		{ ED25519, "scope=prune", ",prune,", ",,", AT_SEAL_WRONG },
		{ ED25519, "scope=prune", ",prune,", ",clean,", AT_SEAL_WRONG },
		{ HMAC, "scope=prune", ",prune,", ",,", AT_SEAL_WRONG },
		{ HMAC_PLAIN, "scope=prune", NULL, NULL, AT_SEAL_OUTSIDE },
		{ ED25519_PLAIN, "effect_class=non-relaxing", NULL, NULL, AT_SEAL_OUTSIDE },
		{ ED25519_PLAIN, "conditions=x", ",x,", ",y,", AT_SEAL_ED25519 },
		{ ED25519, "scope=", ",PASS,", ",HALT,", AT_SEAL_WRONG },
		/* No downgrade: what is named ed25519 is not asked of the HMAC key. */
		{ HMAC, "sig_scheme=ed25519", NULL, NULL, AT_SEAL_NO_VERIFY_KEY },
		{ ED25519, "key_id=other", NULL, NULL, AT_SEAL_NO_VERIFY_KEY },
		{ ED25519, "key_id=../op", NULL, NULL, AT_SEAL_NO_VERIFY_KEY },
		{ ED25519, "scope=", ",ed25519,", ",,", AT_SEAL_WRONG },
		{ ED25519, "scope=", ",ed25519,", ",rsa,", AT_SEAL_SCHEME },
		{ HMAC, "sig_scheme=hmac", NULL, NULL, AT_SEAL_HMAC },
		/* A grant's signature is none of a decision, and the other way round. */
		{ ED25519, "date=agentteams-grant-v1", NULL, NULL, AT_SEAL_TAG },
		{ ED25519, "date=agentteams-grant-v1|x", NULL, NULL, AT_SEAL_TAG },
		{ ED25519, "date=agentteams-grant-v12", NULL, NULL, AT_SEAL_ED25519 },
	};
	struct ground g;

	(void)state;
	ground_begin(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		enum at_seal got;
		struct ledger l;

		ledger_begin(&l);
		ROW(&l, &g, rows[i].how, "date=d", "action_reviewed=overwrite", "verdict=PASS",
			"author=security", rows[i].extra);
		got = seal_of(&g, &l, rows[i].from, rows[i].to);
		if (got != rows[i].want)
			fail_msg("row %zu: %s", i, at_seal_name(got));
	}
	/* The key that is not set is no reason to look away. */
	g.at.keys.hmac.len = 0;
	for (size_t i = 0; i < 2; i++) {
		struct ledger l;

		ledger_begin(&l);
		ROW(&l, &g, i ? ED25519 : HMAC, "date=d", "action_reviewed=a", "verdict=PASS");
		assert_int_equal(seal_of(&g, &l, NULL, NULL), i ? AT_SEAL_ED25519 : AT_SEAL_NO_KEY);
	}
	ground_end(&g);
}

static void key_9_ambiguous_fields(void **state)
{
	static const struct {
		const char *word;
		const char *says; /* NULL: fine */
	} rows[] = {
		{ "date=d", NULL },
		{ "conditions=a|b", NULL },
		{ "evidence=a\nb", NULL },
		{ "date=a|b", "date" },
		{ "action_reviewed=x|a", "action" },
		{ "verdict=PASS|", "verdict" },
		{ "conditions_verified=a|", "conditions_verified" },
		{ "author=sec|urity", "author" },
		{ "derives_from=a|b", "derives_from" },
		{ "key_id=a|b", "key_id" },
		{ "sig_scheme=x|y", "sig_scheme" },
		{ "scope=a|b", "scope" },
		{ "effect_targets=a|b", "effect_targets" },
		{ "action_reviewed=over\xe2\x80\x8bwrite", "action" },
		{ "date=d\x01", "date" },
		{ "prev_digest=x", "prev_digest" },
	};
	struct ground g;

	(void)state;
	ground_begin(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_decisions read;
		struct ledger l;

		ledger_begin(&l);
		ROW(&l, &g, UNSIGNED, rows[i].word);
		read = must_read(g.arena, at_buf_text(&l.text));
		if (!rows[i].says != !read.rows[0].ambiguous
			|| (rows[i].says && !strstr(read.rows[0].ambiguous, rows[i].says)))
			fail_msg("row %zu: %s", i, read.rows[0].ambiguous);
		at_buf_free(&l.text);
	}
	ground_end(&g);
}

static void key_9_action_matches(void **state)
{
	static const struct {
		const char *reviewed, *action;
		bool matches;
	} rows[] = {
		{ "overwrite", "overwrite", true },
		{ " OverWrite ", "overwrite", true },
		{ "overwrite-1", "overwrite", true },
		{ "overwrite_1", "overwrite", true },
		{ "overwrite.1", "overwrite", true },
		{ "overwrite:x", "overwrite", true },
		{ "overwrites", "overwrite", false },
		{ "overwrite x", "overwrite", false },
		{ "overwrite", "overwrite-1", false },
		{ "", "overwrite", false },
		{ "overwrite", "", false },
		{ "-x", "", false },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i,
			at_action_matches(
				at_bytes_of(rows[i].reviewed), at_bytes_of(rows[i].action))
				== rows[i].matches);
}

static void key_9_lineage(void **state)
{
	static const struct {
		const char *rows; /* "action<derives_from", by spaces */
		const char *want; /* ancestors of a, or "!" and a word of the error */
	} rows[] = {
		{ "a<", "" },
		{ "x<y y<", "" },
		{ "a<b b<", "b" },
		{ "a<b;c b< c<", "b c" },
		{ "a<b,c b<c c<", "b c" },
		{ "A<B b<", "b" },
		{ "a<b b<c c<d d<", "b c d" },
		{ "a<b", "!no recorded" },
		{ "a<b b<z", "!no recorded" },
		{ "a<a", "!cycle" },
		{ "a<b b<a", "!cycle" },
		{ "a<b b<c c<b", "!cycle" },
		{ "a<b;c b<d c<d d<", "b d c" }, /* two ways to one place are no circle */
		{ "a-1<b b<", "b" }, /* a row that clears a speaks for it */
		{ "a-1<a", "" },
		{ "a< a<b b<", "b" },
	};
	struct ground g;

	(void)state;
	ground_begin(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_decisions read;
		struct at_action_list list;
		struct at_error err = { 0 };
		struct at_buf got = { 0 };
		struct ledger l;
		char copy[64], *save, *word;

		ledger_begin(&l);
		snprintf(copy, sizeof(copy), "%s", rows[i].rows);
		for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
			char action[64], from[64], *split = strchr(word, '<');

			snprintf(action, sizeof(action), "action_reviewed=%.*s",
				(int)(split - word), word);
			snprintf(from, sizeof(from), "derives_from=%s", split + 1);
			ROW(&l, &g, UNSIGNED, action, from);
		}
		read = must_read(g.arena, at_buf_text(&l.text));
		if (!at_decisions_ancestors(&list, g.arena, &read, at_bytes_of("a"), &err))
			at_buf_printf(&got, "!%s",
				strstr(err.message, rows[i].want + 1) ? rows[i].want + 1
								      : err.message);
		else
			for (size_t k = 0; k < list.count; k++)
				at_buf_printf(&got, "%s%.*s", k ? " " : "", (int)list.items[k].len,
					list.items[k].data);
		if (strcmp(at_buf_text(&got), rows[i].want) != 0)
			fail_msg("row %zu: %s", i, at_buf_text(&got));
		/* What is kept of it says the same, asked again too, and of those below. */
		for (size_t k = 0; k < 2; k++)
			assert_row(i, at_decisions_lineage(&read, g.arena, at_bytes_of("a"), &err)
					== (*rows[i].want != '!'));
		at_buf_free(&got);
		at_buf_free(&l.text);
	}
	ground_end(&g);
}

/* A ledger made to keep one busy: a long chain, and everybody from everybody. */
static void key_9_lineage_is_bounded(void **state)
{
	struct at_arena *arena = at_arena_new();
	struct at_buf text = { 0 };
	struct at_decisions read;
	struct at_action_list list;
	struct at_error err;

	(void)state;
	at_buf_puts(&text, LEGACY ",derives_from\n");
	for (size_t i = 0; i < 100000; i++)
		at_buf_printf(&text, "d,s,a%zu,PASS,,,a%zu\n", i, i + 1);
	read = must_read(arena, at_buf_text(&text));
	assert_false(at_decisions_ancestors(&list, arena, &read, at_bytes_of("a0"), &err));
	assert_int_equal(err.code, AT_ELIMIT);
	for (size_t i = 0; i < read.count; i++)
		assert_false(at_decisions_lineage(&read, arena, read.rows[i].action, &err));
	at_buf_free(&text);
	at_arena_free(arena);
}

static void key_9_effects(void **state)
{
	static const struct {
		const char *words[4];
		enum at_effect want;
	} rows[] = {
		{ { "scope=" }, AT_EFFECT_ORDINARY },
		{ { "effect_targets=docs/a.md" }, AT_EFFECT_ORDINARY },
		{ { "effect_destructive=yes" }, AT_EFFECT_ORDINARY },
		{ { "effect_grants=net" }, AT_EFFECT_ELEVATED },
		{ { "effect_relaxes=C-3" }, AT_EFFECT_ELEVATED },
		{ { "effect_bulk=yes" }, AT_EFFECT_ELEVATED },
		{ { "effect_bulk=no" }, AT_EFFECT_ORDINARY },
		{ { "effect_bulk=jein" }, AT_EFFECT_ELEVATED },
		{ { "effect_cross_repo=1" }, AT_EFFECT_ELEVATED },
		{ { "effect_class=relaxing" }, AT_EFFECT_ELEVATED },
		{ { "effect_class=whatever" }, AT_EFFECT_ELEVATED },
		{ { "effect_class=Non-Relaxing" }, AT_EFFECT_ORDINARY },
		{ { "effect_class=non-relaxing", "effect_grants=net" }, AT_EFFECT_DENIED },
		{ { "effect_class=non-relaxing", "effect_destructive=yes" }, AT_EFFECT_DENIED },
		{ { "effect_bulk=1", "effect_cross_repo=1", "effect_destructive=1" },
			AT_EFFECT_INELIGIBLE },
		{ { "effect_targets=a;references/authorizedVerifyKeys/x" }, AT_EFFECT_INELIGIBLE },
		{ { "effect_targets=.claude\\CLAUDE.md" }, AT_EFFECT_INELIGIBLE },
		{ { "effect_grants=signing key" }, AT_EFFECT_INELIGIBLE },
		{ { "scope=security_approvers.txt" }, AT_EFFECT_INELIGIBLE },
		{ { "action_reviewed=edit-agent-privilege" }, AT_EFFECT_INELIGIBLE },
		{ { "effect_targets=\xef\xbd\x81gent-privilege" },
			AT_EFFECT_INELIGIBLE }, /* wide a */
		{ { "effect_targets=\xc3\xa9quipe/notes" }, AT_EFFECT_ORDINARY },
	};
	struct ground g;

	(void)state;
	ground_begin(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_decisions read;
		const char *why;
		struct ledger l;

		ledger_begin(&l);
		ledger_row(&l, &g, UNSIGNED, rows[i].words);
		read = must_read(g.arena, at_buf_text(&l.text));
		assert_row(i, at_decision_effect(&read.rows[0], g.arena, &why) == rows[i].want);
		assert_row(i, !*why == (rows[i].want == AT_EFFECT_ORDINARY));
		at_buf_free(&l.text);
	}
	ground_end(&g);
}

/* Our rows with scope and effects leave the chain as the Python tool computes it. */
static void key_9_chain(void **state)
{
	struct at_decisions read;
	struct at_error err;
	struct ground g;
	struct ledger l;
	char *text, *torn;

	(void)state;
	ground_begin(&g);
	ledger_begin(&l);
	ROW(&l, &g, ED25519, "date=1", "action_reviewed=a", "verdict=PASS", "scope=a");
	ROW(&l, &g, HMAC, "date=2", "action_reviewed=a", "verdict=HALT");
	ROW(&l, &g, ED25519, "date=3", "action_reviewed=a", "verdict=PASS");
	read = must_read(g.arena, at_buf_text(&l.text));
	assert_true(at_decisions_check_chain(&read, &err));
	text = at_strdup(at_buf_text(&l.text));
	memcpy(strstr(text, "HALT"), "PASS", 4);
	read = must_read(g.arena, text);
	assert_false(at_decisions_check_chain(&read, &err));
	assert_string_equal(err.id, "decisions-chain");
	assert_non_null(strstr(err.message, "row 3"));
	/* A torn row is none yet. */
	at_buf_puts(&l.text, "4,a,PASS");
	torn = at_strdup(at_buf_text(&l.text));
	read = must_read(g.arena, torn);
	assert_int_equal(read.count, 4);
	assert_true(read.rows[3].is_torn && at_decisions_check_chain(&read, &err));
	free(text);
	free(torn);
	at_buf_free(&l.text);
	ground_end(&g);
}

int test_decision(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_9_row_forms),
		cmocka_unit_test(key_9_payload),
		cmocka_unit_test(key_9_first_of_two),
		cmocka_unit_test(key_9_seals),
		cmocka_unit_test(key_9_ambiguous_fields),
		cmocka_unit_test(key_9_action_matches),
		cmocka_unit_test(key_9_lineage),
		cmocka_unit_test(key_9_lineage_is_bounded),
		cmocka_unit_test(key_9_effects),
		cmocka_unit_test(key_9_chain),
	};

	return cmocka_run_group_tests_name("decision", tests, NULL, NULL);
}
