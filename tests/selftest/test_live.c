/* The whole self-test against the launcher as it is shipped, and what may not be run. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/proof.h"
#include "selftest/selftest.h"

static struct selftest t;
static const char *none; /* why nothing can be run here */

static int begin(void **state)
{
	none = selftest_begin(&t);
	return 0;
}

static int end(void **state)
{
	if (!none)
		selftest_end(&t);
	return 0;
}

static size_t count(const struct at_child_end *it, const char *word)
{
	size_t found = 0;

	for (const char *p = at_buf_text(&it->out); (p = strstr(p, word)); p++)
		found++;
	return found;
}

static void print_failures(const struct selftest_run *run)
{
	const struct at_json *doc = &run->json;
	uint32_t cases = at_json_at(doc, "cases");

	at_json_each(doc, i, cases) {
		struct at_bytes raw = at_json_raw(doc, i);

		if (at_json_string_is(doc, at_json_member(doc, i, "verdict"), "LEAKS")
			|| at_json_string_is(
				doc, at_json_member(doc, i, "verdict"), "INCONCLUSIVE"))
			print_message("%.*s\n", (int)raw.len, raw.data);
	}
}

/* LAU-8: for an ordinary caller, in both modes, nothing leaks and every control works. */
static void lau_8_the_launcher_holds(void **state)
{
	struct selftest_run run;

	if (none)
		skip_because("%s", none);
	selftest_run(&run, &t, false, t.has_harden ? "--harden" : "");
	if (!run.has_report)
		fail_msg("no report: %s", at_buf_text(&run.end.err));
	print_failures(&run);
	assert_int_equal(count(&run.end, "\"verdict\": \"LEAKS\""), 0);
	assert_int_equal(count(&run.end, "\"verdict\": \"INCONCLUSIVE\""), 0);
	assert_true(count(&run.end, "\"verdict\": \"HOLDS\"") > 80);
	assert_string_equal(selftest_verdict(&run, "FORCE", false), "HOLDS");
	assert_string_equal(selftest_verdict(&run, "HOST", false), "HOLDS");
	assert_string_equal(selftest_verdict(&run, "L3", false), "RESIDUAL");
	if (t.has_harden)
		assert_string_equal(selftest_verdict(&run, "FORCE", true), "HOLDS");
	assert_int_equal(run.end.status, 0);
	selftest_run_free(&run);
}

/* WIRE-13: a whole run is kept, 0600, and its text is the proof that can be read again. */
static void wire_13_a_whole_run_is_kept(void **state)
{
	struct at_child_end found;
	struct at_proof proof;
	struct at_error err;
	struct at_buf text;
	struct stat st;
	char *path;

	if (none)
		skip_because("%s", none);
	found = ground_sh(&t.ground, "find home/.local/state -name launcher-linux.json");
	path = at_strdup(at_buf_text(&found.out));
	path[strcspn(path, "\n")] = '\0';
	at_child_end_free(&found);
	assert_string_not_equal(path, "");
	assert_int_equal(stat(test_path(t.ground.path, path), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	text = test_read(t.ground.path, path);
	assert_true(at_proof_read(&proof, at_buf_bytes(&text), &err));
	assert_int_equal(proof.run_count, t.has_harden ? 2 : 1);
	at_proof_free(&proof);
	at_buf_free(&text);
	free(path);
}

/* Whatever a self-test made whose process has ended: another one may be running. */
#define LEFT \
	"for f in $(find /var/tmp /tmp /run /dev/shm -maxdepth 1 -name 'atconsole-[s]elftest-*'); " \
	"do p=${f#*[s]elftest-}; [ -d /proc/${p%%%%-*} ] || echo $f; done"

/* LAU-8: nothing of a self-test stays: no directory, no socket, no memory. */
static void lau_8_nothing_is_left(void **state)
{
	struct at_child_end left;

	if (none)
		skip_because("%s", none);
	left = ground_sh_as_caller(&t.ground, LEFT);
	assert_string_equal(at_buf_text(&left.out), "");
	at_child_end_free(&left);
}

/* LAU-8: a case that is none, words that do not belong, and no bwrap are refusals; cases that
 * were chosen are no proof. */
static void lau_8_what_is_refused(void **state)
{
	static const struct {
		const char *before, *words;
		int status;
		const char *says;
	} rows[] = {
		{ "", "--self-test --case NONE", 2, "there is no case NONE" },
		{ "", "--status --case W1", 2, "belong to --self-test" },
		{ "", "--status --harden", 2, "belong to --self-test" },
		{ "", "--self-test --no-probes", 2, "--no-probes runs nothing" },
		{ "PATH=/nonexistent", "--self-test", 2, "bwrap is not there" },
		{ "", "--self-test --case W1 --case P1", 0, "this is no proof" },
	};

	if (none)
		skip_because("%s", none);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_child_end it = ground_sh(&t.ground, "%s bin/atconsole --project p %s",
			rows[i].before, rows[i].words);

		assert_row(i, it.status == rows[i].status);
		assert_row(i, strstr(at_buf_text(&it.err), rows[i].says) != NULL);
		at_child_end_free(&it);
	}
}

/* UI-6: ended in the middle it says so, keeps nothing and leaves nothing. */
static void ui_6_can_be_ended(void **state)
{
	struct at_child_end it;

	if (none)
		skip_because("%s", none);
	it = ground_sh(&t.ground,
		"rm -rf home/.local; bin/atconsole --project p --self-test >out 2>err & pid=$!; "
		"sleep 0.4; kill -TERM $pid; wait $pid; echo $?; cat err; "
		"find home -name launcher-linux.json");
	assert_string_equal(
		at_buf_text(&it.out), "1\natconsole: the self-test was ended: nothing is known\n");
	at_child_end_free(&it);
	lau_8_nothing_is_left(state);
}

int test_live(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_8_the_launcher_holds),
		cmocka_unit_test(wire_13_a_whole_run_is_kept),
		cmocka_unit_test(lau_8_nothing_is_left),
		cmocka_unit_test(lau_8_what_is_refused),
		cmocka_unit_test(ui_6_can_be_ended),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
