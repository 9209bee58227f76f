#include "gate/fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/digest.h"
#include "core/json_canonical.h"
#include "core/json_read.h"
#include "runner/gate/log_verify.h"

#define LOGGED \
	"echo '{\"tool_use_id\": \"t1\", \"tool_name\": \"Bash\", \"tool_input\": " \
	"{\"command\": \"ls\"}}' | AGENTTEAMS_GATE_LOG=%s \"$G\" --fail-closed 1"

static struct gate_log_report report;

static void verify(const char *name)
{
	struct at_buf log = test_read(gate_dir(), name);

	gate_log_verify(&report, at_buf_bytes(&log));
	at_buf_free(&log);
}

/* GATE-7: keys in order, genesis, chain, the findings of content, the key's digest. */
static void gate_7_lines(void **state)
{
	static const char pinned[] =
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	struct gate_ran ran;
	char line[1024], want[1024], hex[AT_DIGEST_HEX];
	struct at_digest digest;
	struct at_buf log;

	snprintf(line, sizeof(line),
		"AGENTTEAMS_GATE_LOG=\"$D/log\"; export AGENTTEAMS_GATE_LOG; printf %%s '{\"tool_use_id\": "
		"\"t1\", \"tool_name\": \"Write\", \"tool_input\": {\"content\": "
		"\"\\nAKIAIOSFODNN7EXAMPLQ\", \"b\": 1.0}}' | AGENTTEAMS_GATE_LOG_KEY=k \"$G\" "
		"--fail-closed 1 --checked custody --pinned %s; echo x | \"$G\" --fail-closed 0; "
		"echo x | \"$G\" --fail-closed 1",
		pinned);
	ran = gate_sh(line);
	assert_null(strstr(ran.err, "log line"));
	log = test_read(gate_dir(), "log");
	digest = at_digest_keyed(at_bytes_of("k"),
		at_bytes_of("{\"b\":1.0,\"content\":\"\\nAKIAIOSFODNN7EXAMPLQ\"}"));
	at_digest_hex(hex, &digest);
	snprintf(want, sizeof(want),
		"{\"tool_use_id\":\"t1\",\"tool\":\"Write\",\"decision\":\"deny\",\"reason_id\":"
		"\"content\",\"categories\":[\"credential\"],\"lines\":[2],\"checked\":\"custody\","
		"\"hook_hash\":\"%s\",\"prev_sha\":\"%064d\",\"input_hmac\":\"%s\"}\n",
		pinned, 0, hex);
	if (strncmp(at_buf_text(&log), want, strlen(want)) != 0)
		fail_msg("%s", at_buf_text(&log));
	at_buf_free(&log);
	verify("log");
	assert_int_equal(report.gap_count, 0);
	assert_int_equal(report.lines, 3);
	assert_int_equal(report.decided[2] + report.decided[3] + report.decided[4], 3);
	assert_int_equal(report.not_inspected, 2);
	assert_int_equal(report.keyed, 1);
}

/* GATE-7: fifty at once leave one chain. */
static void gate_7_fifty_at_once(void **state)
{
	char script[512];

	snprintf(script, sizeof(script),
		"i=0; while [ $i -lt 50 ]; do " LOGGED " & i=$((i + 1)); done; wait", "$D/many");
	gate_sh(script);
	verify("many");
	assert_int_equal(report.lines, 50);
	assert_int_equal(report.gap_count, 0);
}

/* GATE-9: half a line that a killed gate left is closed, said, and passed over. */
static void gate_9_torn_line(void **state)
{
	char script[1024];

	snprintf(script, sizeof(script),
		LOGGED "; printf '{\"tool_use_id\":\"t' >>$D/torn; " LOGGED "; " LOGGED, "$D/torn",
		"$D/torn", "$D/torn");
	gate_sh(script);
	verify("torn");
	assert_int_equal(report.lines, 3);
	assert_int_equal(report.gap_count, 1);
	assert_int_equal(report.gaps[0].kind, GATE_GAP_TORN);
	assert_int_equal(report.gaps[0].line, 2);
}

/* GATE-7: unsafe places are refused with a notice; the decision stands. */
static void gate_7_unsafe_paths(void **state)
{
	static const char *const rows[] = {
		"log",
		"./log",
		"$D/../log",
		"$D//log",
		"$P/log",
		"$P/sub/log",
		"$D/repo/log",
		"$D/repo/a/log",
		"$D/link",
		"$D/linked/log",
		"$D/fifo",
		"/dev/full",
		"$D/hard",
		"$D/open",
		"$D",
		"$D/",
		"$D/nowhere/log",
		"/",
	};
	char script[1024];

	gate_sh("mkdir -p $P/sub $D/repo/a $D/repo/.git $D/real; : >$D/target; ln -s target $D/link; "
		"ln -s real $D/linked; mkfifo $D/fifo; : >$D/hard; ln $D/hard $D/hard2; : >$D/open; "
		"chmod 666 $D/open");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct gate_ran ran;

		snprintf(script, sizeof(script),
			"echo '{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"rm -rf x\"}}' | "
			"AGENTTEAMS_GATE_LOG=\"%s\" \"$G\" --fail-closed 1",
			rows[i]);
		ran = gate_sh(script);
		if (ran.status != 0 || strcmp(gate_decision(ran.out), "ask") != 0
			|| !strstr(ran.err, "not written"))
			fail_msg("row %zu: %d %s%s", i, ran.status, ran.out, ran.err);
	}
	assert_int_equal(
		gate_sh("[ ! -s $D/target ] && [ ! -s $D/hard ] && [ ! -e $P/log ]").status, 0);
}

/* GATE-7: a log that somebody holds locked costs the line, not the answer. */
static void gate_7_locked(void **state)
{
	struct gate_ran ran = gate_sh(
		"command -v flock >/dev/null || exit 77; : >$D/held; chmod 600 $D/held; "
		"flock $D/held sleep 4 & sleep 0.3; echo '{\"tool_name\": \"Bash\", \"tool_input\": "
		"{\"command\": \"rm -rf x\"}}' | AGENTTEAMS_GATE_LOG=$D/held \"$G\" --fail-closed 1");

	if (ran.status == 77)
		skip_because("flock is not here: nothing holds the log");
	assert_int_equal(ran.status, 0);
	assert_string_equal(gate_decision(ran.out), "ask");
	assert_non_null(strstr(ran.err, "not written in time"));
}

/* GATE-10: what a reader makes of a log that was tampered with. */
static void gate_10_gaps(void **state)
{
	static const struct {
		const char *edit;
		size_t lines, gaps;
		int status;
	} rows[] = {
		{ "cat", 4, 0, 0 },
		{ "sed 2d", 3, 1, 1 }, /* one is gone */
		{ "sed 1d", 3, 1, 1 }, /* the first is gone */
		{ "sed 2s/pass/deny/", 4, 1, 1 }, /* one was changed */
		{ "sed 2s/pass/maybe/", 3, 2, 1 },
		{ "sed s/t1/t2/", 4, 3, 1 },
		{ "sed 2,3d", 2, 1, 1 },
		{ "head -n 3", 3, 0, 0 }, /* a tail cut off leaves no mark: a ceiling */
		{ "head -c 500", 2, 1, 1 },
		{ "head -c 0", 0, 0, 1 },
	};
	char script[1024];

	snprintf(script, sizeof(script), LOGGED ";" LOGGED ";" LOGGED ";" LOGGED, "$D/good",
		"$D/good", "$D/good", "$D/good");
	gate_sh(script);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct gate_ran ran;

		snprintf(script, sizeof(script),
			"%s <$D/good >$D/bad; \"$C\" --verify-gate-log $D/bad", rows[i].edit);
		ran = gate_sh(script);
		verify("bad");
		if (report.lines != rows[i].lines || report.gap_count != rows[i].gaps
			|| ran.status != rows[i].status)
			fail_msg("row %zu: %zu lines, %zu gaps, %d: %s", i, report.lines,
				report.gap_count, ran.status, ran.out);
		assert_row(i, (strstr(ran.out, "no evidence") != NULL) == (ran.status == 1));
		assert_row(i, strstr(ran.out, "not inspected") != NULL);
	}
	assert_int_equal(gate_sh("\"$C\" --verify-gate-log $D/nowhere").status, 1);
	assert_non_null(strstr(
		gate_sh("\"$C\" --json --verify-gate-log $D/good").out, "\"chain\": \"whole\""));
}

/* GATE-10, UI-3: --gate-log tells the calls and the gaps of the log that is in force. */
static void gate_10_gate_log_mode(void **state)
{
	static const struct {
		const char *options;
		int status;
		const char *says, *says_not;
	} rows[] = {
		{ "", 0, "chain whole", "no evidence" },
		{ "", 0, "A call that was not put to the gate leaves no line.", "No log is set" },
		{ "", 0, "CEIL-5", "{" },
		{ "--tool Bash", 0, "[filter: tool=Bash] 3 of 3", NULL },
		{ "--tool Bas", 0, "[filter: tool=Bas] 0 of 3", "line 1" },
		{ "--decision deny", 0, "0 of 3", "line 1" },
		{ "--decision maybe", 2, "is none of pass, ask", NULL },
		{ "--gaps", 0, "0 of 3", "line 1" },
		{ "--json", 0, "\"chain\": \"whole\"", "No log" },
		{ "--json --gaps", 0, "\"rows_found\": 0", "toolu" },
	};
	char script[1024];
	struct gate_ran ran;

	snprintf(script, sizeof(script), "rm -f $D/calls;" LOGGED ";" LOGGED ";" LOGGED, "$D/calls",
		"$D/calls", "$D/calls");
	gate_sh(script);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		snprintf(script, sizeof(script),
			"AGENTTEAMS_GATE_LOG=$D/calls \"$C\" --project $P --gate-log %s 2>&1",
			rows[i].options);
		ran = gate_sh(script);
		if (ran.status != rows[i].status || !strstr(ran.out, rows[i].says)
			|| (rows[i].says_not && strstr(ran.out, rows[i].says_not)))
			fail_msg("row %zu: %d: %s", i, ran.status, ran.out);
	}
	ran = gate_sh("sed 2d <$D/calls >$D/cut; AGENTTEAMS_GATE_LOG=$D/cut \"$C\" --project $P "
		      "--gate-log");
	assert_int_equal(ran.status, 1);
	assert_non_null(strstr(ran.out, "no evidence: lines are missing here"));
	ran = gate_sh("unset AGENTTEAMS_GATE_LOG; \"$C\" --project $P --gate-log");
	assert_int_equal(ran.status, 1);
	assert_non_null(strstr(ran.out, "No log is set: calls leave no record."));
	ran = gate_sh("\"$C\" --project $P --gaps 2>&1");
	assert_int_equal(ran.status, 2);
	ran = gate_sh("rm -f $D/pipe; mkfifo $D/pipe; AGENTTEAMS_GATE_LOG=$D/pipe \"$C\" "
		      "--project $P --gate-log 2>&1");
	assert_non_null(strstr(ran.out, "no regular file"));
}

/* Section 11: equal input has one spelling. */
static void gate_7_canonical(void **state)
{
	static const struct {
		const char *json, *want;
	} rows[] = {
		{ "{ \"b\" : 1.50, \"a\": [ true, null ] }", "{\"a\":[true,null],\"b\":1.50}" },
		{ "{\"a\": 1, \"a\": 2}", "{\"a\":2}" },
		{ "\"\\u0041\xc3\xa9\\/\"", "\"A\\u00e9/\"" },
		{ "\"\\ud800\"", "\"\\ud800\"" },
		{ "{\"\\u00e9\": 1, \"z\": {}, \"\": []}", "{\"\":[],\"z\":{},\"\\u00e9\":1}" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf out = { 0 };
		struct at_json doc;

		assert_row(i,
			at_json_read(&doc, at_bytes_of(rows[i].json), &at_json_brief_limits,
				AT_JSON_ALLOW_DUPLICATES, NULL));
		at_canonical_put(&out, &doc, AT_JSON_ROOT, AT_CANONICAL_COMPACT);
		assert_string_equal(at_buf_text(&out), rows[i].want);
		at_buf_free(&out);
		at_json_free(&doc);
	}
}

int test_log(void);
int test_log(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate_7_lines),
		cmocka_unit_test(gate_7_fifty_at_once),
		cmocka_unit_test(gate_9_torn_line),
		cmocka_unit_test(gate_7_unsafe_paths),
		cmocka_unit_test(gate_7_locked),
		cmocka_unit_test(gate_10_gaps),
		cmocka_unit_test(gate_10_gate_log_mode),
		cmocka_unit_test(gate_7_canonical),
	};

	return cmocka_run_group_tests_name("log", tests, gate_setup, gate_teardown);
}
