/* The self-test beside the screen: what comes through its pipe, and its end. */
#include "views/selftest_job.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/support.h"
#include "views/fixture.h"
#include "views/view_wiring.h"

/* A job whose other end is the test. */
static int fake(struct at_job *job)
{
	int fd[2];

	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	*job = (struct at_job){ .fd = fd[0] };
	return fd[1];
}

static void put(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void a_proof(struct at_buf *out)
{
	const struct at_proof_run run = { .caller = 1 };
	const struct at_proof_case one = { .id = "W1", .need = AT_NEED_MUST, .word = AT_HOLDS };
	struct at_proof proof;

	at_proof_init(&proof);
	at_proof_add_run(&proof, &run);
	at_proof_add_case(&proof, &one);
	at_proof_write(&proof, out);
	at_proof_free(&proof);
}

/* UI-6: how far it is comes in lines, cut anywhere; the end is a proof, an error, or neither. */
static void ui_6_what_comes_through_the_pipe(void **state)
{
	static const char *const ends[] = { "error\nno bwrap", "proof\n{}", "nonsense", "at 1",
		"" };
	struct at_selftest_progress progress = { 0 };
	struct at_buf text = { 0 };
	struct at_proof proof;
	struct at_error err;
	struct at_job job;
	int fd = fake(&job);

	assert_int_equal(at_selftest_job_read(&job, &progress, &proof, &err), AT_SELFTEST_NOTHING);
	put(fd, "at 3 1");
	assert_int_equal(at_selftest_job_read(&job, &progress, &proof, &err), AT_SELFTEST_NOTHING);
	put(fd, "0\nat 4 10\nproof\n");
	assert_int_equal(at_selftest_job_read(&job, &progress, &proof, &err), AT_SELFTEST_FURTHER);
	assert_int_equal(progress.done, 4);
	assert_int_equal(progress.all, 10);
	a_proof(&text);
	put(fd, at_buf_text(&text));
	close(fd);
	assert_int_equal(at_selftest_job_read(&job, &progress, &proof, &err), AT_SELFTEST_PROVEN);
	assert_int_equal(proof.case_count, 1);
	assert_int_equal(job.fd, -1);
	at_proof_free(&proof);
	at_buf_free(&text);
	for (size_t i = 0; i < AT_LEN(ends); i++) {
		fd = fake(&job);
		put(fd, ends[i]);
		close(fd);
		assert_row(i,
			at_selftest_job_read(&job, &progress, &proof, &err) == AT_SELFTEST_FAILED);
		assert_row(i, *err.message && job.fd == -1);
	}
}

/* Of a self-test whose process has ended: another one may be running. */
static bool is_anything_left(void)
{
	return system("for f in $(find /var/tmp /tmp /dev/shm -maxdepth 1 "
		      "-name 'atconsole-[s]elftest-*' 2>/dev/null); do p=${f#*[s]elftest-}; "
		      "[ -d /proc/${p%%-*} ] || exit 1; done")
		!= 0;
}

/* Has the process that tries everything ended? It leads a session of its own. */
static bool is_any_running(void)
{
	return system("find /var/tmp -maxdepth 1 -name 'atconsole-[s]elftest-*' 2>/dev/null | grep -q .") == 0;
}

/* UI-6: it tells how far it is, and ends with all it made when nobody listens any more. */
static void ui_6_ends_when_nobody_listens(void **state)
{
	const struct fixture_plan plan = { .is_emitted = true, .framework = "codex" };
	struct at_selftest_progress progress = { 0 };
	enum at_selftest_news news = AT_SELFTEST_NOTHING;
	struct at_proof proof;
	struct at_error err;
	struct at_job job;
	struct fixture f;

	fixture_begin(&f, &plan, &at_view_wiring, 5, 80, 24);
	assert_true(at_selftest_job_start(&job, &f.session, &err));
	for (int turn = 0; turn < 600 && news == AT_SELFTEST_NOTHING; turn++) {
		struct pollfd wait = { .fd = job.fd, .events = POLLIN };

		poll(&wait, 1, 100);
		news = at_selftest_job_read(&job, &progress, &proof, &err);
	}
	if (news == AT_SELFTEST_FAILED) {
		fixture_end(&f);
		skip_because("no self-test can be run here: %s", err.message);
	}
	assert_int_equal(news, AT_SELFTEST_FURTHER);
	assert_true(progress.all > 100 && progress.done <= progress.all);
	at_job_forget(&job);
	for (int turn = 0; turn < 100 && is_any_running(); turn++)
		usleep(100000);
	assert_false(is_anything_left());
	fixture_end(&f);
}

/* WIRE-13: the key is off, and says why, where the launcher is not the team's mechanism or
 * nothing may be run. */
static void wire_13_the_key_says_why_it_is_off(void **state)
{
	static const struct {
		const char *framework;
		bool no_probes;
		const char *why; /* NULL: it is on */
	} rows[] = {
		{ "codex", false, NULL },
		{ "codex", true, "--no-probes" },
		{ NULL, false, "not the launcher" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct fixture_plan plan = { .is_emitted = true,
			.framework = rows[i].framework };
		struct at_view *view;
		char why[256] = "";
		struct fixture f;
		bool off;

		fixture_begin(&f, &plan, &at_view_wiring, 5, 80, 24);
		f.options.no_probes = rows[i].no_probes;
		view = f.app.stack[f.app.depth - 1];
		off = view->class->why_not(view, AT_DO_SELF_TEST, why, sizeof(why));
		assert_row(i, off == (rows[i].why != NULL));
		assert_row(i, !off || strstr(why, rows[i].why));
		fixture_end(&f);
	}
}

int test_selftest_job(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_6_what_comes_through_the_pipe),
		cmocka_unit_test(ui_6_ends_when_nobody_listens),
		cmocka_unit_test(wire_13_the_key_says_why_it_is_off),
	};

	return cmocka_run_group_tests_name("selftest_job", tests, NULL, NULL);
}
