/* RUN-1, RUN-2, RUN-4, STG-1, STG-3, STG-4: a runner and what it is asked. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/serve_ground.h"

#include "core/digest.h"
#include "runner/proposals/operator_file.h"

#define BRIEF_OPERATOR \
	"{\"project_name\": \"p\", \"write_policy\": \"orchestrator-only\", \"staged_review\": " \
	"\"operator\", \"agent_policies\": {\"writer\": {\"write_scopes\": [\"docs/\"]}}}"

/* Of the bytes of a file below the project, or "absent". Good until the fourth call. */
static const char *sum(struct serve_ground *g, const char *path)
{
	static char ring[4][AT_DIGEST_HEX];
	static unsigned next;
	char *out = ring[next++ % 4];
	struct at_digest digest;
	struct at_buf text;

	strcpy(out, "absent");
	if (test_exists(g->project, path)) {
		text = test_read(g->project, path);
		digest = at_digest_of(at_buf_bytes(&text));
		at_digest_hex(out, &digest);
		at_buf_free(&text);
	}
	return out;
}

static void must_hold(struct serve_ground *g, const char *path, const char *want)
{
	struct at_buf text = test_read(g->project, path);

	assert_string_equal(at_buf_text(&text), want);
	at_buf_free(&text);
}

static const char *decide(struct serve_ground *g, const char *kind, const char *sid)
{
	char request[200];

	snprintf(request, sizeof(request), "{\"kind\": \"%s\", \"sid\": \"%s\"}", kind, sid);
	return serve_ask(g, request);
}

/* Stages; the sid, in a ring. */
static const char *staged(struct serve_ground *g, char id, const char *path, const char *content)
{
	const char *result, *sid;

	serve_stage(g, id, path, sum(g, path), content);
	assert_int_equal(serve_turn(g), 1);
	result = serve_result(g, id);
	serve_says(result, "\"staged\": true");
	sid = serve_text(result, "sid");
	assert_int_equal(strlen(sid), 32);
	return sid;
}

static void begin(struct serve_ground *g, const char *brief)
{
	serve_open(g, brief);
	serve_must_start(g);
	serve_dispatch(g);
}

static void stg_1_the_whole_loop(void **state)
{
	struct serve_ground g;
	struct stat st;
	const char *sid, *result;

	(void)state;
	begin(&g, NULL);
	assert_int_equal(chmod(test_path(g.project, "docs/a.md"), 0640), 0);
	sid = staged(&g, '1', "docs/a.md", "two\\n");
	must_hold(&g, "docs/a.md", "one\n");
	serve_says(serve_ask(&g, "{\"kind\": \"list-staged\"}"), sid);
	result = decide(&g, "show-staged", sid);
	serve_says(result, "\"content\": \"two\\n\"");
	assert_null(strstr(result, g.nonce));
	result = decide(&g, "apply-staged", sid);
	serve_says(result, "\"written\": true");
	serve_says(result, sid);
	must_hold(&g, "docs/a.md", "two\n");
	assert_int_equal(stat(test_path(g.project, "docs/a.md"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	serve_says(decide(&g, "apply-staged", sid), "no staged proposal");
	serve_says(serve_ask(&g, "{\"kind\": \"list-staged\"}"), "\"staged\": []");
	serve_says(serve_ask(&g, "{\"kind\": \"undo-applied\"}"), "\"path\": \"docs/a.md\"");
	must_hold(&g, "docs/a.md", "one\n");
	serve_says(serve_ask(&g, "{\"kind\": \"undo-applied\"}"), "undo-none");
	assert_int_equal(serve_count(&g, "stage-proposal"), 1);
	assert_int_equal(serve_count(&g, "apply-staged"), 1);
	assert_int_equal(serve_count(&g, "apply-staged-refused"), 1);
	assert_int_equal(serve_count(&g, "undo-applied"), 1);
	serve_says(serve_ask(&g, "{\"kind\": \"verify-ledger\"}"), "\"problems\": []");
	serve_close(&g);
}

/* Another spelling of a path is staged as what it is, and can be approved. (5 row 14) */
static void stg_1_paths_are_canonical(void **state)
{
	static const char *const spellings[] = { "./docs/a.md", "docs/../docs/a.md", "docs//a.md",
		"lnk/a.md" };
	struct serve_ground g;

	(void)state;
	begin(&g, NULL);
	assert_int_equal(symlink("docs", test_path(g.project, "lnk")), 0);
	for (size_t i = 0; i < AT_LEN(spellings); i++) {
		const char *result, *sid;

		serve_stage(&g, (char)('1' + i), spellings[i], sum(&g, "docs/a.md"), "x");
		serve_turn(&g);
		result = serve_result(&g, (char)('1' + i));
		if (strstr(result, "\"ok\": false"))
			continue; /* a spelling that is refused is fine, too */
		sid = serve_text(result, "sid");
		serve_says(decide(&g, "apply-staged", sid), "\"path\": \"docs/a.md\"");
		serve_ask(&g, "{\"kind\": \"undo-applied\"}");
	}
	must_hold(&g, "docs/a.md", "one\n");
	serve_close(&g);
}

static void stg_1_new_files_and_deletions(void **state)
{
	struct serve_ground g;

	(void)state;
	begin(&g, NULL);
	serve_says(decide(&g, "apply-staged", staged(&g, '1', "docs/deep/new.md", "new")),
		"\"base_sha256\": \"absent\"");
	must_hold(&g, "docs/deep/new.md", "new");
	serve_says(decide(&g, "apply-staged", staged(&g, '2', "docs/a.md", NULL)),
		"\"new_sha256\": null");
	assert_false(test_exists(g.project, "docs/a.md"));
	serve_says(serve_ask(&g, "{\"kind\": \"undo-applied\"}"), "docs/a.md");
	must_hold(&g, "docs/a.md", "one\n");
	serve_says(serve_ask(&g, "{\"kind\": \"undo-applied\"}"), "docs/deep/new.md");
	assert_false(test_exists(g.project, "docs/deep/new.md"));
	serve_close(&g);
}

/* Case 78 and its kin: what changed, or became something else, since it was staged. */
static void stg_3_the_file_is_another_now(void **state)
{
	static const struct {
		const char *what, *says;
	} rows[] = {
		{ "bytes", "stale base" },
		{ "gone", "stale base" },
		{ "link", "" },
		{ "hard", "" },
		{ "directory", "" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct serve_ground g;
		const char *sid, *result;
		char path[600], aside[600];

		begin(&g, NULL);
		sid = staged(&g, '1', "docs/a.md", "two\\n");
		snprintf(path, sizeof(path), "%s/docs/a.md", g.project);
		snprintf(aside, sizeof(aside), "%s/docs/b.md", g.project);
		if (i == 0)
			test_write(g.project, "docs/a.md", "one\noperator note\n");
		else if (i == 3)
			assert_int_equal(link(path, aside), 0);
		else
			assert_int_equal(rename(path, aside), 0);
		if (i == 2)
			assert_int_equal(symlink("b.md", path), 0);
		if (i == 4)
			assert_int_equal(mkdir(path, 0755), 0);
		result = decide(&g, "apply-staged", sid);
		serve_says(result, "\"ok\": false");
		serve_says(result, rows[i].says);
		if (i == 0)
			must_hold(&g, "docs/a.md", "one\noperator note\n");
		if (i == 2 || i == 3)
			must_hold(&g, "docs/b.md", "one\n");
		/* It stays staged, and can be rejected. */
		serve_says(decide(&g, "reject-staged", sid), "\"rejected\": true");
		assert_int_equal(serve_count(&g, "apply-staged"), 0);
		assert_int_equal(serve_count(&g, "reject-staged"), 1);
		serve_close(&g);
	}
}

/* A record that somebody touched is refused, and can be taken away without its signature. */
static void stg_1_touched_records(void **state)
{
	static const struct {
		const char *from, *to, *says;
	} rows[] = {
		{ "two", "TWO", "not signed" },
		{ "\"expires\": \"2", "\"expires\": \"3", "not signed" },
		{ "docs/a.md", "docs/b.md", "not signed" },
		{ "{\"sid\"", "[\"sid\"", "malformed" },
		{ "\"agent\": \"writer\"", "\"agent\": 3", "malformed" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf text, out = { 0 };
		struct serve_ground g;
		char path[128], *at;
		const char *sid;

		begin(&g, NULL);
		sid = staged(&g, '1', "docs/a.md", "two\\n");
		snprintf(path, sizeof(path), AT_STAGED "/%s.json", sid);
		text = test_read(g.project, path);
		at = strstr(at_buf_text(&text), rows[i].from);
		assert_row(i, at != NULL);
		at_buf_put(&out, text.data, (size_t)(at - text.data));
		at_buf_puts(&out, rows[i].to);
		at_buf_puts(&out, at + strlen(rows[i].from));
		test_write(g.project, path, at_buf_text(&out));
		serve_says(decide(&g, "apply-staged", sid), rows[i].says);
		serve_says(decide(&g, "reject-staged", sid), "\"rejected\": true");
		must_hold(&g, "docs/a.md", "one\n");
		at_buf_free(&text);
		at_buf_free(&out);
		serve_close(&g);
	}
}

/* The inputs with which the original's runner dies, and others: ordinary refusals. */
static void run_6_hostile_artifacts(void **state)
{
	static const struct {
		const char *path, *base, *content, *says;
	} rows[] = {
		{ "docs/a.md", "absent", "\\ud800", "" },
		{ "docs/\\u0000a.md", "absent", "x", "" },
		{ "docs", "absent", "x", "" },
		{ "docs/a.md/below", "absent", "x", "" },
		{ "docs/../../etc/passwd", "absent", "x", "outside the project" },
		{ "/etc/passwd", "absent", "x", "POSIX path" },
		{ "brief.json", "absent", "x", "" },
		{ ".agentteams/x", "absent", "x", "control plane" },
		{ ".git/hooks/x", "absent", "x", "control plane" },
		{ "src/a.c", "absent", "x", "write_scopes" },
		{ "docs/a.md", "absent", "x", "stale base" },
		{ "docs/a.md", "nonsense", "x", "base_sha256" },
	};
	struct serve_ground g;
	char name[400], text[600];

	(void)state;
	begin(&g, NULL);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		serve_stage(&g, (char)('0' + i % 10), rows[i].path, rows[i].base, rows[i].content);
		assert_row(i, serve_turn(&g) <= 1);
		if (!*serve_result(&g, (char)('0' + i % 10)))
			continue; /* no JSON: waited for, see RUN-4 */
		serve_says(serve_result(&g, (char)('0' + i % 10)), "\"ok\": false");
		serve_says(serve_result(&g, (char)('0' + i % 10)), rows[i].says);
		snprintf(text, sizeof(text), AT_QUEUE_RESULTS "/%032d", 0);
		memset(text + strlen(AT_QUEUE_RESULTS) + 1, (char)('0' + i % 10), 32);
		strcat(text, ".json");
		unlink(test_path(g.project, text));
	}
	memset(name, 'n', sizeof(name));
	memcpy(name, "docs/", 5);
	name[300] = '\0';
	serve_stage(&g, 'e', name, "absent", "x");
	serve_turn(&g);
	serve_says(serve_result(&g, 'e'), "\"ok\": false");
	serve_says(serve_ask(&g, "{\"kind\": \"verify-ledger\"}"), "\"problems\": []");
	serve_close(&g);
}

static void run_4_what_a_channel_may(void **state)
{
	static const struct {
		const char *dir, *request, *says;
	} rows[] = {
		{ AT_QUEUE_MCP, "{\"kind\": \"list-staged\", \"channel\": \"orchestrator\"}",
			"the MCP channel can't queue 'list-staged'" },
		{ AT_QUEUE_MCP, "{\"kind\": \"issue-dispatch\", \"agent\": \"writer\"}",
			"can't queue 'issue-dispatch'" },
		{ AT_QUEUE_MCP, "{\"kind\": \"run-request\", \"artifact\": {}}", "via_agent" },
		{ AT_QUEUE_MCP, "{\"kind\": \"undo-applied\"}", "unknown request kind" },
		{ AT_QUEUE_REQUESTS, "{\"kind\": \"undo-applied\"}", "unknown request kind" },
		{ AT_QUEUE_REQUESTS, "{\"kind\": \"apply-direct\"}", "unknown request kind" },
		{ AT_QUEUE_REQUESTS, "{\"kind\": 7}", "unknown request kind" },
		{ AT_QUEUE_REQUESTS, "[]", "unreadable request" },
		{ AT_QUEUE_REQUESTS, "{\"kind\": \"stage-proposal\", \"artifact\": {}}",
			"comes only from an agent's agentteams_runner server" },
		{ AT_QUEUE_REQUESTS, "{\"kind\": \"show-staged\", \"sid\": \"../x\"}",
			"bad staged id" },
		{ AT_QUEUE_REQUESTS, "{\"kind\": \"show-staged\"}", "a key is missing" },
		{ AT_QUEUE_REQUESTS, "{\"kind\": \"list-staged\", \"x\": 1}", "does not have" },
		{ AT_QUEUE_REQUESTS, "{\"kind\": \"issue-dispatch\", \"agent\": \"No\"}",
			"malformed agent slug" },
		{ AT_QUEUE_REQUESTS, "{\"kind\": \"apply-proposal\", \"artifact\": {\"kind\": "
			"\"command-request\"}}", "" },
	};
	struct serve_ground g;

	(void)state;
	begin(&g, NULL);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char id = (char)(i < 10 ? '0' + i : 'a' + i - 10);

		serve_put(&g, rows[i].dir, id, rows[i].request);
		assert_row(i, serve_turn(&g) == 1);
		serve_says(serve_result(&g, id), "\"ok\": false");
		serve_says(serve_result(&g, id), rows[i].says);
	}
	serve_close(&g);
}

static void stg_1_the_operator_alone(void **state)
{
	struct serve_ground g;
	char request[200];
	const char *sid;

	(void)state;
	begin(&g, BRIEF_OPERATOR);
	sid = staged(&g, '1', "docs/a.md", "two\\n");
	snprintf(request, sizeof(request), "{\"kind\": \"apply-staged\", \"sid\": \"%s\"}", sid);
	serve_put(&g, AT_QUEUE_REQUESTS, '2', request);
	serve_turn(&g);
	serve_says(serve_result(&g, '2'), "leaves this decision to the operator");
	must_hold(&g, "docs/a.md", "one\n");
	serve_says(decide(&g, "apply-staged", sid), "\"ok\": true");
	must_hold(&g, "docs/a.md", "two\n");
	serve_close(&g);
	serve_open(&g, "{\"project_name\": \"p\", \"write_policy\": \"orchestrator-only\", "
		"\"staged_review\": \"nobody\"}");
	assert_false(serve_start(&g));
	serve_says(g.err.message, "staged_review");
	serve_close(&g);
}

/* A group and one by one come to the same. */
static void run_3_groups(void **state)
{
	enum { COUNT = 9 };

	(void)state;
	for (int ungrouped = 0; ungrouped <= 1; ungrouped++) {
		struct serve_ground g;

		serve_open(&g, NULL);
		g.setup.ungrouped = ungrouped;
		serve_must_start(&g);
		serve_dispatch(&g);
		for (char id = '0'; id < '0' + COUNT; id++) {
			char path[32];

			snprintf(path, sizeof(path), id == '4' ? "src/%c" : "docs/%c", id);
			serve_stage(&g, id, path, "absent", "x");
		}
		serve_put(&g, AT_QUEUE_REQUESTS, 'a', "{\"kind\": \"list-staged\"}");
		assert_int_equal(serve_turn(&g), COUNT + 1);
		for (char id = '0'; id < '0' + COUNT; id++)
			serve_says(serve_result(&g, id),
				id == '4' ? "\"ok\": false" : "\"staged\": true");
		assert_int_equal(serve_count(&g, "stage-proposal"), COUNT - 1);
		assert_int_equal(serve_count(&g, "stage-proposal-refused"), 1);
		/* The nonce has 25 uses: what it refuses is told apart from nothing. */
		serve_says(serve_ask(&g, "{\"kind\": \"verify-ledger\"}"), "\"problems\": []");
		serve_close(&g);
	}
}

static void run_1_refusals_to_start(void **state)
{
	static const struct {
		const char *what, *id;
	} rows[] = {
		{ "no switch", "runner-switch" },
		{ "environment", "runner-environment-key" },
		{ "environment of decisions", "runner-environment-key" },
		{ "key mode", "custody-mode" },
		{ "ground is a link", "" },
		{ "requests is a link", "" },
		{ "lock is a fifo", "runner-lock" },
		{ "server is a link", "runner-server" },
		{ "server is another", "runner-server" },
		{ "no brief", "" },
	};
	static const struct at_runner_server servers[] = { { ".agentteams/bin/mcp",
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" } };
	static char key[] = "AGENTTEAMS_PROPOSAL_LEDGER_KEY=x",
		other[] = "AGENTTEAMS_DECISION_SIGNING_KEY=x";

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct serve_ground g;

		serve_open(&g, i == 0 ? "{\"project_name\": \"p\"}" : NULL);
		g.setup.servers = servers;
		g.setup.server_count = 1;
		if (i == 1 || i == 2)
			g.environment[1] = i == 1 ? key : other;
		if (i == 3)
			assert_int_equal(chmod(test_path(g.home,
				".config/agentteams/keys/proposal-ledger.key"), 0644), 0);
		if (i == 4)
			assert_int_equal(symlink("docs", test_path(g.project, ".agentteams")), 0);
		if (i == 5) {
			test_write(g.project, AT_QUEUE_GROUND "/x", "");
			assert_int_equal(
				symlink("../docs", test_path(g.project, AT_QUEUE_REQUESTS)), 0);
		}
		if (i == 6) {
			test_write(g.project, ".agentteams/x", "");
			assert_int_equal(mkfifo(test_path(g.project, AT_RUNNER_LOCK), 0600), 0);
		}
		if (i == 7 || i == 8)
			test_write(g.project, ".agentteams/bin/real", "not empty");
		if (i == 7)
			assert_int_equal(
				symlink("real", test_path(g.project, ".agentteams/bin/mcp")), 0);
		if (i == 8)
			test_write(g.project, ".agentteams/bin/mcp", "not empty");
		if (i == 9)
			assert_int_equal(unlink(g.brief), 0);
		assert_row(i, !serve_start(&g));
		if (*rows[i].id && strcmp(g.err.id, rows[i].id) != 0)
			fail_msg("%s: %s (%s)", rows[i].what, g.err.message, g.err.id);
		assert_row(i, *g.err.message != '\0');
		serve_close(&g);
	}
}

static void run_1_two_runners(void **state)
{
	struct at_runner_sight sight;
	struct at_runner *second;
	struct serve_ground g;
	struct at_error err;

	(void)state;
	serve_open(&g, NULL);
	at_runner_look(&sight, g.setup.root);
	assert_false(sight.has_lock_file || sight.has_beat);
	serve_must_start(&g);
	assert_false(at_runner_open(&second, &g.setup, &err));
	assert_string_equal(err.message, "another runner is already serving this project");
	at_runner_look(&sight, g.setup.root);
	assert_true(sight.is_locked && sight.is_fresh);
	serve_stop(&g);
	at_runner_look(&sight, g.setup.root);
	assert_true(sight.has_lock_file && !sight.is_locked && !sight.has_beat);
	serve_must_start(&g);
	serve_close(&g);
}

/* RUN-2, MCP-3: any of them, and a request that waits is not served. */
static void run_2_pins(void **state)
{
	static const struct at_runner_server servers[] = { { ".agentteams/bin/mcp", NULL } };
	static const char *const ids[] = { "runner-pin-brief", "runner-pin-brief",
		"runner-pin-confined", "runner-pin-grants", "runner-pin-server" };

	(void)state;
	for (size_t i = 0; i < AT_LEN(ids); i++) {
		struct serve_ground g;
		char path[PATH_MAX];
		size_t served;

		serve_open(&g, NULL);
		test_write(g.project, ".agentteams/bin/mcp", "server");
		g.setup.servers = servers;
		g.setup.server_count = 1;
		serve_must_start(&g);
		if (i == 0)
			test_write(g.project, "brief.json", SERVE_BRIEF "\n");
		if (i == 1)
			assert_int_equal(unlink(g.brief), 0);
		if (i == 2 || i == 3) {
			assert_true(at_operator_path(path, g.home,
				i == 2 ? AT_CONFINED_DIR : AT_MCP_GRANTS_DIR, g.project, &g.err));
			test_write(g.home, path + strlen(g.home) + 1, i == 2 ? "{}" : "[]");
		}
		if (i == 4)
			test_write(g.project, ".agentteams/bin/mcp", "SERVER");
		serve_put(&g, AT_QUEUE_REQUESTS, '1', "{\"kind\": \"list-staged\"}");
		assert_row(i, !at_runner_turn(g.runner, 0, &served, &g.err));
		if (strcmp(g.err.id, ids[i]) != 0)
			fail_msg("row %zu: %s (%s)", i, g.err.message, g.err.id);
		assert_row(i, served == 0 && !*serve_result(&g, '1'));
		serve_close(&g);
	}
}

/* A claim of a run that ended is answered, and never served. */
static void run_3_left_claims(void **state)
{
	struct serve_ground g;

	(void)state;
	serve_open(&g, NULL);
	serve_put(&g, AT_QUEUE_CLAIMED, '1', "{\"kind\": \"issue-dispatch\", \"agent\": \"w\"}");
	serve_must_start(&g);
	serve_says(serve_result(&g, '1'), "runner-ended");
	assert_int_equal(serve_turn(&g), 0);
	assert_int_equal(serve_count(&g, "issue-dispatch"), 0);
	serve_close(&g);
}

/* The client's end: no runner, a result, an ack that lets it go, the operator's socket. */
static void run_1_clients(void **state)
{
	struct at_client_result result;
	struct at_buf text = { 0 };
	struct serve_ground g;
	char id[AT_QUEUE_ID];

	(void)state;
	serve_open(&g, NULL);
	assert_false(at_client_queue(id, g.setup.root, at_bytes_of("{}"), &g.err));
	serve_says(g.err.message, "no runner is serving this project (no fresh");
	assert_false(at_client_operator(&text, &g.state, at_bytes_of("{}"), 1, &g.err));
	assert_string_equal(g.err.id, "no-runner");
	serve_must_start(&g);
	assert_true(at_client_queue(
		id, g.setup.root, at_bytes_of("{\"kind\": \"list-staged\"}"), &g.err));
	assert_int_equal(serve_turn(&g), 1);
	assert_true(at_client_wait(&text, g.setup.root, id, 1, &g.err));
	assert_true(at_client_result_read(&result, at_buf_bytes(&text), &g.err));
	assert_true(result.ok && result.exit == 0);
	assert_string_equal(result.id, id);
	at_client_result_free(&result);
	serve_turn(&g);
	at_buf_free(&text);
	assert_false(at_client_wait(&text, g.setup.root, id, 1, &g.err));
	serve_says(g.err.message, "wait longer with --wait-result");
	at_buf_free(&text);
	serve_close(&g);
}

int test_serve(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stg_1_the_whole_loop),
		cmocka_unit_test(stg_1_paths_are_canonical),
		cmocka_unit_test(stg_1_new_files_and_deletions),
		cmocka_unit_test(stg_3_the_file_is_another_now),
		cmocka_unit_test(stg_1_touched_records),
		cmocka_unit_test(run_6_hostile_artifacts),
		cmocka_unit_test(run_4_what_a_channel_may),
		cmocka_unit_test(stg_1_the_operator_alone),
		cmocka_unit_test(run_3_groups),
		cmocka_unit_test(run_1_refusals_to_start),
		cmocka_unit_test(run_1_two_runners),
		cmocka_unit_test(run_2_pins),
		cmocka_unit_test(run_3_left_claims),
		cmocka_unit_test(run_1_clients),
	};

	return cmocka_run_group_tests_name("serve", tests, NULL, NULL);
}
