/* KEY-11: killed or out of space at any step a ledger is what it was or has one row more, and many
 * writers at once lose nothing. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keys/ledger_ground.h"

#include "core/act.h"
#include "core/fault.h"

#define MOST 120u /* no append has more steps */

enum { WRITERS = 8, ROWS = 50 };

static bool issue(struct ledger_ground *g, enum at_grant_scheme scheme, const char *target)
{
	struct at_grant_spec spec = ground_spec(target, scheme == AT_GRANT_HMAC ? "read" : "write");
	struct at_ledger_appended appended;

	return ground_issue(g, &spec, scheme, &appended);
}

/* What stands before the append that is cut off. */
struct scene {
	const char *name;
	enum at_grant_scheme scheme;
	const char *vector; /* NULL: none */
	unsigned rows; /* signed ones, made here */
	const char *torn; /* behind them */
	size_t bad; /* rows of the vector that write by HMAC */
};

static const struct scene scenes[] = {
	{ "new", AT_GRANT_ED25519, NULL, 0, NULL, 0 },
	{ "new by HMAC", AT_GRANT_HMAC, NULL, 0, NULL, 0 },
	{ "one more", AT_GRANT_ED25519, NULL, 2, NULL, 0 },
	{ "one more by HMAC", AT_GRANT_HMAC, NULL, 2, NULL, 0 },
	{ "behind a torn line", AT_GRANT_ED25519, NULL, 2, "2026-11-30,grant-1,tor", 0 },
	{ "widened", AT_GRANT_ED25519, "grants-hmac/capability-grants.log.csv", 0, "to", 2 },
};

static void lay(struct ledger_ground *g, const struct scene *s)
{
	ground_open(g);
	at_fault_set("no-sync");
	if (s->vector) {
		g->site.hmac_key = ground_vector(g, "grants-hmac/key.txt");
		ground_ledger(g, ground_vector(g, s->vector));
	}
	for (unsigned i = 0; i < s->rows; i++)
		if (!issue(g, AT_GRANT_ED25519, "before"))
			fail_msg("%s: %s", s->name, g->err.message);
	if (s->torn) {
		struct at_buf text = ground_read(g);

		at_buf_puts(&text, s->torn);
		test_write_bytes(g->work, AT_GRANTS_PATH, text.data, text.len);
		at_buf_free(&text);
	}
}

static size_t rows_now(
	struct ledger_ground *g, const struct scene *s, const char *when, unsigned at)
{
	struct at_grants grants = ground_walk(g, AT_GRANT_FULL);

	if (grants.ledger.verdict == AT_LEDGER_ABSENT)
		return 0;
	if (grants.ledger.verdict != AT_LEDGER_GOOD || grants.bad != s->bad)
		fail_msg("%s, %s %u: %zu bad, %s", s->name, when, at, grants.bad,
			grants.ledger.fault.message);
	return grants.ledger.rows;
}

/* 0 issued, 1 refused, -1 killed. */
static int in_a_child(struct ledger_ground *g, const struct scene *s, const char *fault)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		at_fault_set(fault);
		_exit(issue(g, s->scheme, "after") ? 0 : 1);
	}
	assert_true(pid > 0);
	while (waitpid(pid, &status, 0) < 0)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static size_t temps(struct ledger_ground *g)
{
	DIR *dir = opendir(test_path(g->work, "references"));
	struct dirent *entry;
	size_t count = 0;

	while (dir && (entry = readdir(dir)))
		count += strstr(entry->d_name, ".tmp") != NULL;
	if (dir)
		closedir(dir);
	return count;
}

/* One fault at each step; afterwards the next append needs no repair. */
static void each_step(const struct scene *s, const char *fault)
{
	bool over = false, seen_old = false, seen_new = false;

	for (unsigned at = 1; !over && at < MOST; at++) {
		struct ledger_ground g;
		size_t before, after;
		char spec[64];
		int end;

		lay(&g, s);
		before = rows_now(&g, s, "before", at);
		snprintf(spec, sizeof(spec), "no-sync,%s:%u", fault, at);
		end = in_a_child(&g, s, spec);
		after = rows_now(&g, s, fault, at);
		if (after != before && after != before + 1)
			fail_msg("%s, %s %u: %zu rows became %zu", s->name, fault, at, before,
				after);
		if (end == 1 && after != before)
			fail_msg("%s, %s %u: said to fail, and did not", s->name, fault, at);
		if (end == 0 && after == before)
			fail_msg("%s, %s %u: said to succeed, and did not", s->name, fault, at);
		if (end >= 0 && temps(&g) != 0)
			fail_msg("%s, %s %u: something was left beside", s->name, fault, at);
		seen_old = seen_old || after == before;
		seen_new = seen_new || after > before;
		over = end == 0 && after == before + 1
			&& (s->scheme == AT_GRANT_HMAC
				|| ground_walk(&g, AT_GRANT_FULL).ledger.head == AT_HEAD_ANCHORED);
		if (!issue(&g, s->scheme, "next"))
			fail_msg("%s, %s %u: the next: %s", s->name, fault, at, g.err.message);
		if (rows_now(&g, s, "after", at) != after + 1 || temps(&g) != 0)
			fail_msg("%s, %s %u: the next is not there alone", s->name, fault, at);
		if (s->torn && !ground_has(&g, ".torn"))
			fail_msg("%s, %s %u: the torn line is lost", s->name, fault, at);
		ground_close(&g);
	}
	assert_true(over && seen_old && seen_new);
}

static void key_11_killed_at_each_step(void **state)
{
	(void)state;
	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (size_t i = 0; i < AT_LEN(scenes); i++)
		each_step(&scenes[i], "kill");
}

static void key_11_disk_full_at_each_step(void **state)
{
	(void)state;
	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (size_t i = 0; i < AT_LEN(scenes); i++)
		each_step(&scenes[i], "enospc");
}

/* Between begin and end nobody else gets in: what was read as the last row is the last row. */
static bool append_one(struct ledger_ground *g, unsigned writer, unsigned row)
{
	enum at_grant_scheme scheme = writer % 2 ? AT_GRANT_HMAC : AT_GRANT_ED25519;
	char target[32];

	snprintf(target, sizeof(target), "w%u/r%u", writer, row);
	for (;;) {
		if (issue(g, scheme, target))
			return true;
		/* Somebody was faster: the row was made for a ledger that is no more. */
		if (g->err.code != AT_ESTALE)
			return false;
	}
}

static int write_rows(struct ledger_ground *g, unsigned writer)
{
	at_lock_patience = 120000;
	at_fault_set("no-sync");
	for (unsigned row = 0; row < ROWS; row++)
		if (!append_one(g, writer, row)) {
			fprintf(stderr, "writer %u: %s\n", writer, g->err.message);
			return 1;
		}
	return 0;
}

struct tally {
	unsigned char seen[WRITERS][ROWS];
};

static bool tick(void *context, const struct at_ledger_row *row,
	const struct at_grant_verdict *verdict, struct at_error *err)
{
	struct tally *tally = context;
	unsigned writer, of_writer;

	(void)err;
	assert_true(verdict->is_valid);
	assert_int_equal(
		sscanf(row->cells[AT_GRANT_TARGET].data, "w%u/r%u", &writer, &of_writer), 2);
	assert_true(writer < WRITERS && of_writer < ROWS);
	tally->seen[writer][of_writer]++;
	return true;
}

static void key_11_eight_writers_at_once(void **state)
{
	struct tally tally = { { { 0 } } };
	struct at_grants grants;
	struct ledger_ground g;
	pid_t pids[WRITERS];

	(void)state;
	ground_open(&g);
	fflush(NULL);
	for (unsigned i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(write_rows(&g, i));
		assert_true(pids[i] > 0);
	}
	for (unsigned i = 0; i < WRITERS; i++) {
		int status = -1;

		waitpid(pids[i], &status, 0);
		assert_int_equal(status, 0);
	}
	assert_true(at_grants_walk(&grants, &g.site, AT_GRANT_FULL, tick, &tally, &g.err));
	assert_int_equal(grants.ledger.verdict, AT_LEDGER_GOOD);
	assert_int_equal(grants.valid, WRITERS * ROWS);
	for (unsigned i = 0; i < WRITERS; i++)
		for (unsigned row = 0; row < ROWS; row++)
			assert_int_equal(tally.seen[i][row], 1);
	ground_close(&g);
}

static void key_11_a_second_writer_is_told_to_wait(void **state)
{
	unsigned patience = at_lock_patience;
	struct at_ledger_writer *w;
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	assert_true(issue(&g, AT_GRANT_ED25519, "a"));
	assert_true(at_ledger_begin(&w, &at_grant_kind, g.site.ledger_root, AT_GRANTS_PATH,
		g.site.keys, NULL, NULL, &g.err));
	at_lock_patience = 40;
	assert_false(issue(&g, AT_GRANT_ED25519, "b"));
	assert_string_equal(g.err.id, "busy");
	at_lock_patience = patience;
	at_ledger_end(w);
	assert_true(issue(&g, AT_GRANT_ED25519, "b"));
	ground_close(&g);
}

int test_ledger_kill(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_11_killed_at_each_step),
		cmocka_unit_test(key_11_disk_full_at_each_step),
		cmocka_unit_test(key_11_eight_writers_at_once),
		cmocka_unit_test(key_11_a_second_writer_is_told_to_wait),
	};

	return cmocka_run_group_tests_name("ledger_kill", tests, NULL, NULL);
}
