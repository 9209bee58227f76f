/* RUN-1: killed or out of space at any step of an append, a repair or an issue, the ledger is what
 * it was, or what the repair step tells and mends. */
#include "runner/ground.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/fault.h"

#define MOST 120u /* no act has more steps */

typedef bool act(struct ground *g);

static bool append_two(struct ground *g)
{
	struct at_canonical_object row[2] = { { 0 } }, *rows[] = { &row[0], &row[1] };
	struct at_proposal_ledger *ledger;
	bool done;

	if (!at_proposal_ledger_open(&ledger, &g->site, NULL, NULL, &g->err))
		return false;
	at_canonical_set_text(&row[0], "action", at_bytes_of("one"));
	at_canonical_set_text(&row[1], "action", at_bytes_of("two"));
	done = at_proposal_ledger_append(ledger, rows, 2, ground_then(), &g->err);
	at_canonical_object_free(&row[0]);
	at_canonical_object_free(&row[1]);
	at_proposal_ledger_close(ledger);
	return done;
}

static bool issue(struct ground *g)
{
	struct at_dispatches *dispatches = NULL;
	struct at_proposal_ledger *ledger;
	char nonce[AT_NONCE];
	bool done;

	if (!at_proposal_ledger_open(&ledger, &g->site, NULL, NULL, &g->err))
		return false;
	done = at_dispatches_open(&dispatches, &g->site, &g->err)
		&& at_dispatch_issue(nonce, dispatches, ledger, "tester", &at_dispatch_uniform,
			ground_then(), &g->err);
	at_dispatches_close(dispatches);
	at_proposal_ledger_close(ledger);
	return done;
}

static bool repair(struct ground *g)
{
	struct at_proposal_repair said;
	bool done = at_proposal_ledger_repair(&said, &g->site, &g->err);

	at_proposal_repair_free(&said);
	return done;
}

static void new_ground(struct ground *g)
{
}

static void vectors(struct ground *g)
{
	ground_vectors(g);
}

static void torn(struct ground *g)
{
	struct at_buf text;

	ground_vectors(g);
	text = test_read(g->project, AT_PROPOSAL_LEDGER);
	at_buf_puts(&text, "{\"action\": \"to");
	test_write_bytes(g->project, AT_PROPOSAL_LEDGER, text.data, text.len);
	at_buf_free(&text);
}

static void behind_and_torn(struct ground *g)
{
	struct at_buf text;

	ground_vectors(g);
	assert_true(ground_row(g, "x"));
	ground_vector(g, "proposal-ledger.head", "proposal-ledger.head");
	text = test_read(g->project, AT_PROPOSAL_LEDGER);
	at_buf_puts(&text, "{\"action\": \"to");
	test_write_bytes(g->project, AT_PROPOSAL_LEDGER, text.data, text.len);
	at_buf_free(&text);
}

static const struct scene {
	const char *name;
	void (*lay)(struct ground *g);
	act *act;
	size_t before, after; /* rows */
} scenes[] = {
	{ "new", new_ground, append_two, 0, 2 },
	{ "two more", vectors, append_two, 3, 5 },
	{ "behind a torn line", torn, append_two, 3, 5 },
	{ "issue, new", new_ground, issue, 0, 1 },
	{ "issue", vectors, issue, 3, 4 },
	{ "repair", behind_and_torn, repair, 4, 4 },
};

/* 0 done, 1 refused, -1 killed. */
static int in_a_child(struct ground *g, act *doing, const char *fault)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		at_fault_set(fault);
		_exit(doing(g) ? 0 : 1);
	}
	assert_true(pid > 0);
	while (waitpid(pid, &status, 0) < 0)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Rows now; a verdict is none, or that of a head that is behind. */
static size_t rows_now(struct ground *g, const struct scene *s, const char *when, unsigned at)
{
	struct at_proposal_state state = ground_verify(g);
	size_t rows = state.rows;

	if (state.problem_count && state.head != AT_PROPOSAL_HEAD_BEHIND)
		fail_msg("%s, %s %u: %s", s->name, when, at, at_buf_text(&state.problems));
	at_proposal_state_free(&state);
	return rows;
}

static void each_step(const struct scene *s, const char *fault)
{
	bool over = false;

	for (unsigned at = 1; !over && at < MOST; at++) {
		struct at_proposal_state state;
		struct ground g;
		size_t rows;
		char spec[64];
		int end;

		ground_open(&g);
		s->lay(&g);
		snprintf(spec, sizeof(spec), "no-sync,%s:%u", fault, at);
		end = in_a_child(&g, s->act, spec);
		rows = rows_now(&g, s, fault, at);
		if (rows < s->before || rows > s->after)
			fail_msg("%s, %s %u: %zu rows", s->name, fault, at, rows);
		if (end == 0 && rows != s->after)
			fail_msg("%s, %s %u: said to succeed, and did not", s->name, fault, at);
		over = end == 0;
		if (!repair(&g))
			fail_msg("%s, %s %u: repair: %s", s->name, fault, at, g.err.message);
		if (!ground_row(&g, "next"))
			fail_msg("%s, %s %u: the next: %s", s->name, fault, at, g.err.message);
		state = ground_verify(&g);
		if (state.problem_count || state.rows != rows + 1)
			fail_msg("%s, %s %u: after: %zu rows, %s", s->name, fault, at, state.rows,
				at_buf_text(&state.problems));
		at_proposal_state_free(&state);
		if (test_exists(g.project, AT_PROPOSAL_HEAD ".tmp"))
			fail_msg("%s, %s %u: a temp was left", s->name, fault, at);
		ground_close(&g);
	}
	assert_true(over);
}

static void run_1_killed_at_each_step(void **state)
{
	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (size_t i = 0; i < AT_LEN(scenes); i++)
		each_step(&scenes[i], "kill");
}

static void run_1_disk_full_at_each_step(void **state)
{
	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (size_t i = 0; i < AT_LEN(scenes); i++)
		each_step(&scenes[i], "enospc");
}

/* No step of a failed append, but death, leaves a row behind. */
static void run_1_a_failed_append_leaves_no_row(void **state)
{
	unsigned failed = 0;

	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (unsigned at = 1; at < MOST; at++) {
		struct ground g;
		char spec[64];
		int end;

		ground_open(&g);
		ground_vectors(&g);
		snprintf(spec, sizeof(spec), "no-sync,enospc:%u", at);
		end = in_a_child(&g, append_two, spec);
		if (end == 1) {
			failed++;
			assert_row(at, rows_now(&g, &scenes[1], "enospc", at) == 3);
			assert_row(at, append_two(&g));
		}
		ground_close(&g);
		if (end == 0)
			break;
	}
	assert_true(failed > 2);
}

int test_proposal_kill(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_1_killed_at_each_step),
		cmocka_unit_test(run_1_disk_full_at_each_step),
		cmocka_unit_test(run_1_a_failed_append_leaves_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
