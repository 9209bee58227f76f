/* reference-ledgers 3.4: dispatch nonces. */
#include "runner/ground.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_PATH ".agentteams/dispatches.jsonl"
#define ALIVE "2026-10-01T12:00:00+00:00"

struct desk {
	struct ground g;
	struct at_dispatches *dispatches;
	struct at_dispatch got;
};

static void open_desk(struct desk *d)
{
	ground_open(&d->g);
	ground_vectors(&d->g);
	if (!at_dispatches_open(&d->dispatches, &d->g.site, &d->g.err))
		fail_msg("%s", d->g.err.message);
}

static void close_desk(struct desk *d)
{
	at_dispatches_close(d->dispatches);
	ground_close(&d->g);
}

static bool attempt(struct desk *d, const char *nonce, const char *claimed, const char *now)
{
	const struct at_bytes claim = claimed ? at_bytes_of(claimed) : (struct at_bytes){ 0 };

	return at_dispatch_attempt(&d->got, d->dispatches, at_bytes_of(nonce),
		claimed ? &claim : NULL, ground_time(now), &d->g.err);
}

static bool use(struct desk *d, const char *agent, const char *now)
{
	return at_dispatch_use(
		d->dispatches, at_bytes_of(GROUND_NONCE), agent, ground_time(now), &d->g.err);
}

static void run_6_dispatch_vectors_are_read(void **state)
{
	struct desk d;

	open_desk(&d);
	assert_true(at_dispatch_find(&d.got, d.dispatches, at_bytes_of(GROUND_NONCE)));
	assert_string_equal(d.got.agent, "tester");
	assert_int_equal(d.got.max_uses, 25);
	assert_int_equal(d.got.uses, 1);
	assert_int_equal(d.got.attempts, 1);
	close_desk(&d);
}

/* Counters come out byte for byte as the vectors have them. */
static void run_6_dispatch_vectors_come_out_again(void **state)
{
	struct at_buf want = test_read(NULL, "vectors/derived/dispatches.jsonl"), got;
	const char *end = strchr(at_buf_text(&want), '\n') + 1;
	struct desk d;

	open_desk(&d);
	test_write_bytes(d.g.project, FILE_PATH, want.data, (size_t)(end - want.data));
	assert_true(attempt(&d, GROUND_NONCE, "tester", ALIVE));
	assert_true(use(&d, "tester", ALIVE));
	assert_true(at_dispatches_sync(d.dispatches, &d.g.err));
	got = test_read(d.g.project, FILE_PATH);
	assert_string_equal(at_buf_text(&got), at_buf_text(&want));
	at_buf_free(&got);
	at_buf_free(&want);
	close_desk(&d);
}

/* Every refusal of 3.4. `attempts` and `uses` are counted before. */
static const struct {
	const char *nonce, *claimed, *now;
	unsigned attempts, uses;
	const char *id, *text;
	unsigned counted; /* attempts after it */
} refusals[] = {
	{ GROUND_NONCE, NULL, ALIVE, 0, 0, NULL, NULL, 2 },
	{ GROUND_NONCE, "tester", "2026-10-02T00:00:00+00:00", 0, 0, NULL, NULL, 2 },
	{ "", NULL, ALIVE, 0, 0, "dispatch-malformed",
		"artifact carries no valid dispatch nonce (32 lowercase hex digits, as "
		"--issue-dispatch prints them)",
		1 },
	{ "0123456789ABCDEF0123456789ABCDEF", NULL, ALIVE, 0, 0, "dispatch-malformed", NULL, 1 },
	{ "0123456789abcdef0123456789abcdef0", NULL, ALIVE, 0, 0, "dispatch-malformed", NULL, 1 },
	{ "00000000000000000000000000000000", NULL, ALIVE, 0, 0, "dispatch-unknown",
		"unknown dispatch nonce; refused", 1 },
	{ GROUND_NONCE, NULL, "2026-10-02T00:00:01+00:00", 0, 0, "dispatch-expired",
		"dispatch nonce has expired; re-dispatch the agent", 2 },
	{ GROUND_NONCE, NULL, ALIVE, 0, 24, "dispatch-uses",
		"dispatch nonce used 25 times (its limit); re-dispatch the agent", 2 },
	{ GROUND_NONCE, NULL, ALIVE, 99, 0, "dispatch-attempts",
		"dispatch nonce made 100 attempts (its limit); re-dispatch the agent", 100 },
	{ GROUND_NONCE, "other", ALIVE, 0, 0, "dispatch-agent",
		"artifact claims agent 'other' but was dispatched to 'tester'; refused", 2 },
	{ GROUND_NONCE, "", ALIVE, 0, 0, "dispatch-agent",
		"artifact claims agent '' but was dispatched to 'tester'; refused", 2 },
};

static void run_6_dispatch_refusals(void **state)
{
	for (size_t i = 0; i < AT_LEN(refusals); i++) {
		struct desk d;
		bool done;

		open_desk(&d);
		for (unsigned n = 0; n < refusals[i].attempts; n++)
			assert_row(i, attempt(&d, GROUND_NONCE, "tester", ALIVE));
		for (unsigned n = 0; n < refusals[i].uses; n++)
			assert_row(i, use(&d, "tester", ALIVE));
		done = attempt(&d, refusals[i].nonce, refusals[i].claimed, refusals[i].now);
		assert_row(i, done == (refusals[i].id == NULL));
		if (refusals[i].id)
			assert_string_equal(d.g.err.id, refusals[i].id);
		if (refusals[i].text)
			assert_string_equal(d.g.err.message, refusals[i].text);
		assert_row(i, at_dispatch_find(&d.got, d.dispatches, at_bytes_of(GROUND_NONCE)));
		assert_row(i, d.got.attempts == refusals[i].counted);
		if (refusals[i].id) {
			at_dispatch_hide(&d.g.err);
			assert_string_equal(
				d.g.err.message, "dispatch nonce refused on this channel");
			assert_string_equal(d.g.err.id, refusals[i].id);
		}
		close_desk(&d);
	}
}

static void run_6_other_refusals_are_not_hidden(void **state)
{
	struct at_error err;

	at_fail(&err, AT_EREFUSED, "content must be a string");
	at_error_name(&err, "content");
	at_dispatch_hide(&err);
	assert_string_equal(err.message, "content must be a string");
}

static void run_6_uses_are_counted_when_all_is_well(void **state)
{
	struct desk d;

	open_desk(&d);
	for (unsigned n = 1; n < 25; n++)
		assert_row(n, use(&d, "tester", ALIVE));
	assert_false(use(&d, "tester", ALIVE));
	assert_string_equal(d.g.err.id, "dispatch-uses");
	assert_false(use(&d, "other", ALIVE));
	assert_string_equal(
		d.g.err.message, "dispatch nonce no longer resolves to the same agent; refused");
	assert_false(at_dispatch_use(
		d.dispatches, at_bytes_of("x"), "tester", ground_time(ALIVE), &d.g.err));
	assert_string_equal(d.g.err.id, "dispatch-changed");
	close_desk(&d);
}

static bool issue(struct desk *d, char nonce[AT_NONCE], const char *agent,
	const struct at_dispatch_limits *limits, const char *now)
{
	struct at_proposal_ledger *ledger;
	bool done;

	if (!at_proposal_ledger_open(&ledger, &d->g.site, NULL, NULL, &d->g.err))
		return false;
	done = at_dispatch_issue(
		nonce, d->dispatches, ledger, agent, limits, ground_time(now), &d->g.err);
	at_proposal_ledger_close(ledger);
	return done;
}

static void run_6_a_nonce_is_issued_and_kept_by_no_file(void **state)
{
	static const struct {
		const struct at_dispatch_limits *limits;
		const char *expires;
		unsigned uses;
		bool is_narrow;
	} rows[] = {
		{ &at_dispatch_uniform, "2026-10-02T12:00:00+00:00", 25, false },
		{ &at_dispatch_narrow, "2026-10-01T16:00:00+00:00", 10, true },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_proposal_state verified;
		char nonce[AT_NONCE];
		struct at_buf text;
		struct stat st;
		struct desk d;

		open_desk(&d);
		assert_row(i, issue(&d, nonce, "writer-2", rows[i].limits, ALIVE));
		assert_row(i, strlen(nonce) == 32);
		assert_row(i, at_dispatch_find(&d.got, d.dispatches, at_bytes_of(nonce)));
		assert_string_equal(d.got.agent, "writer-2");
		assert_row(i, d.got.max_uses == rows[i].uses);
		assert_row(i, d.got.expires.seconds == ground_time(rows[i].expires).seconds);
		assert_row(
			i, at_dispatch_is_narrow(&d.got, ground_time(ALIVE)) == rows[i].is_narrow);
		text = test_read(d.g.project, FILE_PATH);
		assert_null(strstr(at_buf_text(&text), nonce));
		at_buf_free(&text);
		assert_int_equal(stat(test_path(d.g.project, FILE_PATH), &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		text = test_read(d.g.project, ".agentteams/proposal-ledger.jsonl");
		d.got.id[12] = '\0';
		assert_non_null(strstr(at_buf_text(&text), d.got.id));
		at_buf_free(&text);
		verified = ground_verify(&d.g);
		assert_row(i, verified.rows == 4 && verified.problem_count == 0);
		at_proposal_state_free(&verified);
		close_desk(&d);
	}
}

static void run_6_compaction_keeps_what_lives(void **state)
{
	struct at_buf text = test_read(NULL, "vectors/derived/dispatches.jsonl");
	char nonce[AT_NONCE];
	struct desk d;

	open_desk(&d);
	at_buf_puts(&text,
		"{\"use\": \"e2df2a8cc4eec6d014fed30f0958f3b352ccad31df54f609d0a5d810820"
		"91840\", \"mac\": \"00\"}\nnonsense\n{\"torn");
	test_write_bytes(d.g.project, FILE_PATH, text.data, text.len);
	at_buf_free(&text);
	assert_true(issue(&d, nonce, "a", &at_dispatch_uniform, ALIVE));
	assert_true(at_dispatch_find(&d.got, d.dispatches, at_bytes_of(GROUND_NONCE)));
	assert_int_equal(d.got.uses, 1);
	assert_int_equal(d.got.attempts, 1);
	text = test_read(d.g.project, FILE_PATH);
	assert_null(strstr(at_buf_text(&text), "nonsense"));
	assert_null(strstr(at_buf_text(&text), "\"00\""));
	at_buf_free(&text);
	assert_true(issue(&d, nonce, "a", &at_dispatch_uniform, "2026-10-02T00:00:01+00:00"));
	assert_false(at_dispatch_find(&d.got, d.dispatches, at_bytes_of(GROUND_NONCE)));
	close_desk(&d);
}

/* A counter behind a torn line is on a line of its own. */
static void run_6_a_torn_counter_spoils_no_other(void **state)
{
	struct at_buf text = test_read(NULL, "vectors/derived/dispatches.jsonl");
	struct at_dispatches *again;
	struct desk d;

	open_desk(&d);
	at_buf_puts(&text, "{\"attempt\": \"e2");
	test_write_bytes(d.g.project, FILE_PATH, text.data, text.len);
	at_buf_free(&text);
	assert_true(attempt(&d, GROUND_NONCE, NULL, ALIVE));
	assert_true(at_dispatches_open(&again, &d.g.site, &d.g.err));
	assert_true(at_dispatch_find(&d.got, again, at_bytes_of(GROUND_NONCE)));
	assert_int_equal(d.got.attempts, 2);
	at_dispatches_close(again);
	close_desk(&d);
}

static void run_6_malformed_slugs(void **state)
{
	static const char *const slugs[] = { "", "-a", "A", "a b", "a_b", "a/b", "\xc3\xa9", "a.b",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" };
	char nonce[AT_NONCE], want[160];
	struct desk d;

	open_desk(&d);
	for (size_t i = 0; i < AT_LEN(slugs); i++) {
		assert_row(i, !issue(&d, nonce, slugs[i], &at_dispatch_uniform, ALIVE));
		snprintf(want, sizeof(want), "malformed agent slug: '%s'", slugs[i]);
		assert_string_equal(d.g.err.message, want);
	}
	close_desk(&d);
}

/* Two handles and two processes count on. */
static void run_6_counting_is_under_the_lock(void **state)
{
	enum { WRITERS = 4, EACH = 20 };
	struct desk d;

	open_desk(&d);
	fflush(NULL);
	for (unsigned w = 0; w < WRITERS; w++) {
		if (fork() == 0) {
			struct at_dispatches *own;
			bool done = at_dispatches_open(&own, &d.g.site, &d.g.err);

			d.dispatches = own;
			for (unsigned n = 0; n < EACH && done; n++)
				done = attempt(&d, GROUND_NONCE, NULL, ALIVE);
			_exit(done ? 0 : 1);
		}
	}
	for (unsigned w = 0; w < WRITERS; w++) {
		int status = 0;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_true(at_dispatch_find(&d.got, d.dispatches, at_bytes_of(GROUND_NONCE)));
	assert_int_equal(d.got.attempts, 1 + WRITERS * EACH);
	close_desk(&d);
}

/* 3.9, and files that are none. */
static void run_3_touched_dispatches_are_told(void **state)
{
	struct desk d;

	open_desk(&d);
	assert_true(at_dispatches_are_still(d.dispatches));
	assert_true(attempt(&d, GROUND_NONCE, NULL, ALIVE));
	assert_true(at_dispatches_are_still(d.dispatches));
	ground_vector(&d.g, "dispatches.jsonl", "dispatches.jsonl");
	assert_false(at_dispatches_are_still(d.dispatches));
	unlink(test_path(d.g.project, FILE_PATH));
	assert_int_equal(symlink("/dev/zero", test_path(d.g.project, FILE_PATH)), 0);
	assert_false(attempt(&d, GROUND_NONCE, NULL, ALIVE));
	assert_int_equal(d.g.err.code, AT_EUNSAFE);
	close_desk(&d);
}

int test_dispatch(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_6_dispatch_vectors_are_read),
		cmocka_unit_test(run_6_dispatch_vectors_come_out_again),
		cmocka_unit_test(run_6_dispatch_refusals),
		cmocka_unit_test(run_6_other_refusals_are_not_hidden),
		cmocka_unit_test(run_6_uses_are_counted_when_all_is_well),
		cmocka_unit_test(run_6_a_nonce_is_issued_and_kept_by_no_file),
		cmocka_unit_test(run_6_compaction_keeps_what_lives),
		cmocka_unit_test(run_6_a_torn_counter_spoils_no_other),
		cmocka_unit_test(run_6_malformed_slugs),
		cmocka_unit_test(run_6_counting_is_under_the_lock),
		cmocka_unit_test(run_3_touched_dispatches_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
