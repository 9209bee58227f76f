/* reference-ledgers 3.8: the checks of a change or a deletion, in their order. */
#include "runner/ground.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/proposals/check.h"

#define ALIVE "2026-10-01T12:00:00+00:00"
#define OLD "old text\n"
#define ABSENT "\"absent\""

static const char brief[] =
	"{\"protected_paths\":[\"docs/CHANGELOG.md\",\"docs/gen\"],"
	"\"proposal_gates\":{\"one\":{\"glob\":\"docs/*.md\",\"argv\":[\"/bin/true\"]},"
	"\"two\":{\"glob\":\"*.tex\",\"argv\":[\"/bin/true\"]},"
	"\"three\":{\"glob\":\"docs/*\",\"argv\":[\"/bin/true\"]}},"
	"\"agent_policies\":{\"tester\":{\"write_scopes\":[\"docs/\",\".claude/\",\"references/\","
	"\"only.md\"]}},"
	"\"mcp_grants\":{\"server-agent\":{\"tools\":[\"write_file\"]}}}";

struct desk {
	struct ground g;
	struct at_policy policy;
	struct at_dispatches *dispatches;
	struct at_check_ground ground;
	struct at_arena *arena;
	struct at_json doc;
	struct at_check check;
	char json[1024], digest[AT_DIGEST_HEX];
};

static bool has_grant(void *context, const char *agent)
{
	return *(bool *)context;
}

static void open_desk(struct desk *d)
{
	struct at_digest digest = at_digest_of(at_bytes_of(OLD));

	memset(d, 0, sizeof(*d));
	ground_open(&d->g);
	ground_vectors(&d->g);
	test_write(d->g.project, "docs/a.md", OLD);
	test_write(d->g.project, "docs/latin.md", "caf\xe9\n");
	test_write(d->g.project, "docs/deep/b.md", OLD);
	test_write(d->g.project, "briefs/team.json", brief);
	test_write(d->g.dir, "outside.md", OLD);
	test_write(d->g.project, "docs/hard.md", OLD);
	assert_int_equal(
		link(test_path(d->g.project, "docs/hard.md"), test_path(d->g.dir, "second")), 0);
	assert_int_equal(symlink("a.md", test_path(d->g.project, "docs/link.md")), 0);
	assert_int_equal(symlink("../../outside.md", test_path(d->g.project, "docs/out.md")), 0);
	assert_int_equal(symlink("../.claude", test_path(d->g.project, "docs/conf")), 0);
	assert_int_equal(symlink("loop", test_path(d->g.project, "docs/loop")), 0);
	assert_int_equal(symlink("../../nowhere", test_path(d->g.project, "docs/dangling")), 0);
	assert_int_equal(symlink("none/here", test_path(d->g.project, "docs/inside")), 0);
	assert_int_equal(mkfifo(test_path(d->g.project, "docs/fifo"), 0600), 0);
	at_digest_hex(d->digest, &digest);
	if (!at_policy_read(&d->policy, at_bytes_of(brief), "briefs/team.json",
		    (struct at_bytes){ 0 }, "/home/op", &d->g.err))
		fail_msg("%s", d->g.err.message);
	assert_true(at_dispatches_open(&d->dispatches, &d->g.site, &d->g.err));
	d->ground = (struct at_check_ground){ .policy = &d->policy,
		.dispatches = d->dispatches,
		.root = d->g.site.root,
		.project = d->g.project };
	d->arena = at_arena_new();
}

static void close_desk(struct desk *d)
{
	at_check_free(&d->check);
	at_json_free(&d->doc);
	at_arena_free(d->arena);
	at_dispatches_close(d->dispatches);
	at_policy_free(&d->policy);
	ground_close(&d->g);
}

static struct at_check_ask ask(struct desk *d, enum at_check_mode mode)
{
	return (struct at_check_ask){ .mode = mode,
		.agent = "tester",
		.channel = mode == AT_CHECK_STAGE || mode == AT_CHECK_DIRECT
			? AT_CHANNEL_MCP
			: AT_CHANNEL_ORCHESTRATOR,
		.via_agent = "tester",
		.doc = &d->doc,
		.node = AT_JSON_ROOT,
		.now = ground_time(ALIVE) };
}

static bool run(struct desk *d, const char *json, const struct at_check_ask *asked)
{
	snprintf(d->json, sizeof(d->json), "%s", json);
	d->doc = ground_json(d->json);
	return at_check_run(&d->check, asked, &d->ground, d->arena, &d->g.err);
}

/* A change of `path`, its base the digest of OLD unless it is given. */
static const char *change(struct desk *d, const char *path, const char *base, const char *more)
{
	static char text[1024];

	snprintf(text, sizeof(text),
		"{\"kind\":\"change-proposal\",\"dispatch\":\"" GROUND_NONCE "\",\"path\":\"%s\","
		"\"base_sha256\":%s%s%s,\"content\":\"new\\n\",\"rationale\":\"r\"%s}",
		path, base ? "" : "\"", base ? base : d->digest, base ? "" : "\"", more);
	return text;
}

/* One refusal a row, in the order of 3.8. `R` in a text is the canonical path. */
static const struct {
	const char *path, *base, *more, *id, *text;
} rows[] = {
	{ "docs/a.md", NULL, "", NULL, "docs/a.md" },
	{ "docs/new.md", ABSENT, "", NULL, "docs/new.md" },
	{ "docs/x/y/new.md", ABSENT, "", NULL, "docs/x/y/new.md" },
	{ "only.md", ABSENT, "", NULL, "only.md" },
	{ "docs/../docs/./a.md", NULL, "", NULL, "docs/a.md" },
	{ "./docs//a.md", NULL, "", NULL, "docs/a.md" },
	{ "docs/link.md", NULL, "", NULL, "docs/a.md" },
	{ "docs/a.md", NULL, ",\"agent\":\"tester\"", NULL, "docs/a.md" },
	{ "docs/a.md", NULL, ",\"x\":1", "artifact-shape",
		"change-proposal: missing [], unknown ['x']" },
	{ "docs/a.md", NULL, ",\"agent\":\"other\"", "dispatch-agent",
		"artifact claims agent 'other' but was dispatched to 'tester'; refused" },
	{ "docs/a.md", NULL, ",\"agent\":1", "dispatch-agent",
		"artifact claims agent '' but was dispatched to 'tester'; refused" },
	{ "", NULL, "", "path",
		"path must be a non-empty root-relative POSIX path: it is empty, or no text: ''" },
	{ "/etc/passwd", NULL, "", "path", NULL },
	{ "~/x", NULL, "", "path", NULL },
	{ "docs\\\\a.md", NULL, "", "path", NULL },
	{ "docs/a.md\\u0000x", NULL, "", "path", NULL },
	{ "docs/a\\n.md", NULL, "", "path", NULL },
	{ "../outside.md", NULL, "", "path-outside",
		"path '../outside.md' resolves outside the project; refused" },
	{ "docs/out.md", NULL, "", "path-outside",
		"path 'docs/out.md' resolves outside the project; refused" },
	{ "docs/dangling", ABSENT, "", "path-outside", NULL },
	{ "docs/dangling/x", ABSENT, "", "path-outside", NULL },
	{ "docs/none/../../../x", ABSENT, "", "path-outside", NULL },
	{ "docs/inside", ABSENT, "", NULL, "docs/none/here" },
	{ "docs/loop/x", ABSENT, "", "path-outside", NULL },
	{ ".", NULL, "", "path-root", "path must name a file, not the project root" },
	{ "docs/..", NULL, "", "path-root", "path must name a file, not the project root" },
	{ ".claude/settings.json", ABSENT, "", "control-plane",
		".claude/settings.json is inside the project control plane (.claude); refused" },
	{ ".Claude/x", ABSENT, "", "control-plane",
		".Claude/x is inside the project control plane (.claude); refused" },
	{ "docs/conf/x", ABSENT, "", "control-plane",
		".claude/x is inside the project control plane (.claude); refused" },
	{ "references/security-approvers.txt", ABSENT, "", "control-plane", NULL },
	{ ".agentteams/proposal-ledger.jsonl", ABSENT, "", "control-plane", NULL },
	{ "docs/.git/config", ABSENT, "", "control-plane", NULL },
	{ "briefs/team.json", NULL, "", "brief",
		"briefs/team.json is the brief that defines this policy; refused (C-3)" },
	{ "Briefs/TEAM.json", ABSENT, "", "brief",
		"Briefs/TEAM.json is the brief that defines this policy; refused (C-3)" },
	{ "docs/CHANGELOG.md", ABSENT, "", "protected-path",
		"docs/CHANGELOG.md is a protected path (docs/CHANGELOG.md); change it only through "
		"its own script" },
	{ "docs/gen/deep/x", ABSENT, "", "protected-path",
		"docs/gen/deep/x is a protected path (docs/gen); change it only through its own "
		"script" },
	{ "src/x.c", ABSENT, "", "write-scopes",
		"src/x.c is outside tester's write_scopes ['docs/', '.claude/', 'references/', "
		"'only.md']; refused" },
	{ "docs/a.md", "\"x\"", "", "base",
		"base_sha256 must be a sha256 hex digest or \"absent\"" },
	{ "docs/a.md", "7", "", "base", NULL },
	{ "docs/a.md", ABSENT, "", "stale-base",
		"docs/a.md changed since the agent read it (stale base); re-dispatch with the "
		"current file" },
	{ "docs/new.md", NULL, "", "stale-base", NULL },
	{ "docs/latin.md", "\"d76c71f7c6d9aee2f7a1e1c9b7b3e6d5b7b3e6d5b7b3e6d5b7b3e6d5b7b3e6d5\"",
		"", "stale-base", NULL },
	/* What ends the original's runner. */
	{ "docs/deep", ABSENT, "", "destination", NULL },
	{ "docs/a.md/below", ABSENT, "", "destination", NULL },
	{ "docs/fifo", ABSENT, "", "destination", NULL },
	{ "docs/hard.md", NULL, "", "destination", NULL },
	{ "docs/a.md", NULL, ",\"gates\":\"one\"", "gates", "gates must be a list of gate names" },
	{ "docs/a.md", NULL, ",\"gates\":[1]", "gates", "gates must be a list of gate names" },
	{ "docs/a.md", NULL, ",\"gates\":[\"two\",\"x\",\"y\"]", "gates-unknown",
		"unknown gate(s) requested: x, y" },
};

static void run_6_changes_in_order(void **state)
{
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_check_ask asked;
		struct desk d;
		bool done;

		open_desk(&d);
		asked = ask(&d, AT_CHECK_APPLY);
		done = run(&d, change(&d, rows[i].path, rows[i].base, rows[i].more), &asked);
		if (done != (rows[i].id == NULL))
			fail_msg("row %zu: %s", i, d.g.err.message);
		if (done)
			assert_string_equal(d.check.path, rows[i].text);
		else if (strcmp(d.g.err.id, rows[i].id) != 0)
			fail_msg("row %zu: %s: %s", i, d.g.err.id, d.g.err.message);
		else if (rows[i].text && strcmp(d.g.err.message, rows[i].text) != 0)
			fail_msg("row %zu: %s", i, d.g.err.message);
		assert_row(i, strcmp(d.check.agent, i == 8 ? "?" : "tester") == 0);
		close_desk(&d);
	}
}

/* The nonce comes before everything the artifact says, and every arrival counts. */
static void run_6_the_nonce_comes_first(void **state)
{
	static const char *const jsons[] = {
		"{\"kind\":\"change-proposal\",\"dispatch\":\"x\",\"path\":1,\"base_sha256\":1,"
		"\"content\":1,\"rationale\":1}",
		"{\"kind\":\"change-proposal\",\"dispatch\":1,\"path\":1,\"base_sha256\":1,"
		"\"content\":1,\"rationale\":1}",
		"{\"kind\":\"change-proposal\",\"dispatch\":\"" GROUND_NONCE "\",\"path\":1,"
		"\"base_sha256\":1,\"content\":1,\"rationale\":\" \\n\"}",
	};
	static const char *const ids[] = { "dispatch-malformed", "dispatch-malformed",
		"rationale" };

	for (size_t i = 0; i < AT_LEN(jsons); i++) {
		struct at_dispatch seen;
		struct at_check_ask asked;
		struct desk d;

		open_desk(&d);
		asked = ask(&d, AT_CHECK_APPLY);
		assert_row(i, !run(&d, jsons[i], &asked));
		assert_string_equal(d.g.err.id, ids[i]);
		assert_row(i, at_dispatch_find(&seen, d.dispatches, at_bytes_of(GROUND_NONCE)));
		assert_row(i, seen.attempts == 1 + (i == 2));
		assert_row(i, seen.uses == 1);
		close_desk(&d);
	}
	{
		struct at_check_ask asked;
		struct desk d;

		open_desk(&d);
		asked = ask(&d, AT_CHECK_APPLY);
		assert_false(run(&d, jsons[2], &asked));
		assert_string_equal(d.g.err.message, "a non-empty rationale is required");
		close_desk(&d);
	}
}

static void run_6_content(void **state)
{
	static const struct {
		size_t bytes;
		const char *text;
	} sizes[] = {
		{ AT_CONTENT_CAP, NULL },
		{ AT_CONTENT_CAP + 1,
			"content is 262145 bytes, over the 262144-byte cap; review it directly" },
	};

	for (size_t i = 0; i < AT_LEN(sizes); i++) {
		struct at_buf json = { 0 };
		struct at_check_ask asked;
		struct desk d;
		bool done;

		open_desk(&d);
		at_buf_puts(&json,
			"{\"kind\":\"change-proposal\",\"dispatch\":\"" GROUND_NONCE
			"\",\"path\":\"docs/n.md\",\"base_sha256\":\"absent\",\"rationale\":\"r\","
			"\"content\":\"");
		at_buf_pad(&json, 'a', sizes[i].bytes);
		at_buf_puts(&json, "\"}");
		d.doc = ground_json(at_buf_text(&json));
		asked = ask(&d, AT_CHECK_APPLY);
		done = at_check_run(&d.check, &asked, &d.ground, d.arena, &d.g.err);
		assert_row(i, done == (sizes[i].text == NULL));
		if (!done)
			assert_string_equal(d.g.err.message, sizes[i].text);
		close_desk(&d);
		at_buf_free(&json);
	}
	for (size_t i = 0; i < 2; i++) {
		struct at_check_ask asked;
		struct desk d;

		open_desk(&d);
		asked = ask(&d, AT_CHECK_APPLY);
		assert_false(run(&d,
			i ? "{\"kind\":\"change-proposal\",\"dispatch\":\"" GROUND_NONCE
			    "\",\"path\":"
			    "\"docs/n.md\",\"base_sha256\":\"absent\","
			    "\"rationale\":\"r\",\"content\":null}"
			  : "{\"kind\":\"change-proposal\",\"dispatch\":\"" GROUND_NONCE
			    "\",\"path\":"
			    "\"docs/n.md\",\"base_sha256\":\"zzz\","
			    "\"rationale\":\"r\",\"content\":[]}",
			&asked));
		assert_string_equal(d.g.err.message, "content must be a string");
		close_desk(&d);
	}
}

static void run_6_text_only(void **state)
{
	const struct at_digest digest = at_digest_of(at_bytes_of("caf\xe9\n"));
	char hex[AT_DIGEST_HEX], base[AT_DIGEST_HEX + 2];
	struct at_check_ask asked;
	struct desk d;

	open_desk(&d);
	at_digest_hex(hex, &digest);
	snprintf(base, sizeof(base), "\"%s\"", hex);
	asked = ask(&d, AT_CHECK_APPLY);
	assert_false(run(&d, change(&d, "docs/latin.md", base, ""), &asked));
	assert_string_equal(
		d.g.err.message, "docs/latin.md is not UTF-8 text; proposals carry text only");
	close_desk(&d);
}

static const char *deletion(struct desk *d, const char *base)
{
	static char text[512];

	snprintf(text, sizeof(text),
		"{\"kind\":\"delete-proposal\",\"dispatch\":\"" GROUND_NONCE "\",\"path\":"
		"\"docs/a.md\",\"base_sha256\":\"%s\",\"rationale\":\"r\"}",
		base ? base : d->digest);
	return text;
}

static void run_6_deletions(void **state)
{
	struct at_check_ask asked;
	struct desk d;

	open_desk(&d);
	asked = ask(&d, AT_CHECK_APPLY);
	if (!run(&d, deletion(&d, NULL), &asked))
		fail_msg("%s", d.g.err.message);
	assert_int_equal(d.check.gate_count, 0);
	assert_true(d.check.old.exists);
	close_desk(&d);
	open_desk(&d);
	asked = ask(&d, AT_CHECK_APPLY);
	assert_false(run(&d, deletion(&d, "absent"), &asked));
	assert_string_equal(d.g.err.message, "a deletion needs the hash of the file being deleted");
	close_desk(&d);
	open_desk(&d);
	asked = ask(&d, AT_CHECK_DIRECT);
	assert_false(run(&d, deletion(&d, NULL), &asked));
	assert_string_equal(d.g.err.message,
		"a deletion is never applied directly; stage it for the orchestrator (C-5)");
	close_desk(&d);
}

static void run_6_gates_in_order(void **state)
{
	static const struct {
		const char *more;
		const char *names[4];
	} gates[] = {
		{ "", { "one", "three" } },
		{ ",\"gates\":[]", { "one", "three" } },
		{ ",\"gates\":[\"two\"]", { "two", "one", "three" } },
		{ ",\"gates\":[\"three\",\"three\"]", { "three", "one" } },
	};

	for (size_t i = 0; i < AT_LEN(gates); i++) {
		struct at_check_ask asked;
		struct desk d;
		size_t n = 0;

		open_desk(&d);
		asked = ask(&d, AT_CHECK_APPLY);
		assert_row(i, run(&d, change(&d, "docs/a.md", NULL, gates[i].more), &asked));
		for (; n < 4 && gates[i].names[n]; n++)
			assert_string_equal(d.check.gates[n]->name, gates[i].names[n]);
		assert_row(i, d.check.gate_count == n);
		close_desk(&d);
	}
}

/* On the MCP channel every refusal of the nonce reads the same. */
static void run_4_the_mcp_channel_tells_nothing(void **state)
{
	static const struct {
		const char *via, *more, *now, *id, *text;
	} mcp[] = {
		{ "tester", "", ALIVE, NULL, NULL },
		{ NULL, "", ALIVE, "channel-agent",
			"an MCP-channel request must name its server instance's agent "
			"(via_agent)" },
		{ "", "", ALIVE, "channel-agent", NULL },
		{ "other", "", ALIVE, "dispatch-agent", "dispatch nonce refused on this channel" },
		{ "tester", ",\"agent\":\"other\"", ALIVE, "dispatch-agent",
			"dispatch nonce refused on this channel" },
		{ "tester", "", "2030-01-01T00:00:00+00:00", "dispatch-expired",
			"dispatch nonce refused on this channel" },
	};

	for (size_t i = 0; i < AT_LEN(mcp); i++) {
		struct at_check_ask asked;
		struct desk d;
		bool done;

		open_desk(&d);
		asked = ask(&d, AT_CHECK_STAGE);
		asked.via_agent = mcp[i].via;
		asked.now = ground_time(mcp[i].now);
		done = run(&d, change(&d, "docs/a.md", NULL, mcp[i].more), &asked);
		assert_row(i, done == (mcp[i].id == NULL));
		if (!done)
			assert_string_equal(d.g.err.id, mcp[i].id);
		if (mcp[i].text)
			assert_string_equal(d.g.err.message, mcp[i].text);
		close_desk(&d);
	}
}

/* An agent with a server of its own comes through it alone. */
static void run_4_the_orchestrator_does_not_queue_for_a_server(void **state)
{
	struct at_error err;
	struct desk d;

	open_desk(&d);
	assert_true(at_check_channel(&d.policy, AT_CHANNEL_ORCHESTRATOR, NULL, "tester", &err));
	assert_false(
		at_check_channel(&d.policy, AT_CHANNEL_ORCHESTRATOR, NULL, "server-agent", &err));
	assert_string_equal(err.message,
		"server-agent writes and executes only through the agentteams_runner MCP server; "
		"refused on the orchestrator's queue");
	assert_true(
		at_check_channel(&d.policy, AT_CHANNEL_MCP, "server-agent", "server-agent", &err));
	close_desk(&d);
}

static void dir_1_a_direct_write_needs_a_narrow_nonce_and_a_grant(void **state)
{
	for (size_t i = 0; i < 3; i++) {
		struct at_proposal_ledger *ledger;
		struct at_check_ask asked;
		char nonce[AT_NONCE], json[1024];
		bool granted = i == 2, done;
		struct desk d;

		open_desk(&d);
		d.ground.has_direct_grant = has_grant;
		d.ground.context = &granted;
		assert_true(at_proposal_ledger_open(&ledger, &d.g.site, NULL, NULL, &d.g.err));
		assert_true(at_dispatch_issue(nonce, d.dispatches, ledger, "tester",
			i ? &at_dispatch_narrow : &at_dispatch_uniform, ground_time(ALIVE),
			&d.g.err));
		at_proposal_ledger_close(ledger);
		snprintf(json, sizeof(json), "%s", change(&d, "docs/a.md", NULL, ""));
		memcpy(strstr(json, GROUND_NONCE), nonce, AT_NONCE - 1);
		asked = ask(&d, AT_CHECK_DIRECT);
		done = run(&d, json, &asked);
		assert_row(i, done == granted);
		if (i == 0)
			assert_string_equal(
				d.g.err.message, "dispatch nonce refused on this channel");
		if (i == 1)
			assert_string_equal(d.g.err.message,
				"tester holds no verified direct-write grant; stage the proposal "
				"instead");
		close_desk(&d);
	}
}

/* Approving asks every check again, with the record's agent and no nonce. */
static void stg_1_approving_checks_again(void **state)
{
	static const enum at_check_mode modes[] = { AT_CHECK_STAGED, AT_CHECK_OPERATOR };

	for (size_t i = 0; i < AT_LEN(modes); i++) {
		char json[512];
		struct at_check_ask asked;
		struct desk d;

		open_desk(&d);
		d.ground.dispatches = NULL;
		asked = ask(&d, modes[i]);
		snprintf(json, sizeof(json),
			"{\"kind\":\"change-proposal\",\"path\":\"docs/a.md\","
			"\"base_sha256\":\"%s\","
			"\"content\":\"\",\"rationale\":\"r\"}",
			d.digest);
		if (!run(&d, json, &asked))
			fail_msg("%s", d.g.err.message);
		assert_string_equal(d.check.agent, "tester");
		/* Row 15, and case 78: what changed meanwhile is seen before the act. */
		assert_true(at_check_again(&d.check, &d.ground, &d.g.err));
		test_write(d.g.project, "docs/a.md", "changed meanwhile\n");
		assert_false(at_check_again(&d.check, &d.ground, &d.g.err));
		assert_string_equal(d.g.err.id, "stale-base");
		unlink(test_path(d.g.project, "docs/a.md"));
		assert_int_equal(symlink("deep/b.md", test_path(d.g.project, "docs/a.md")), 0);
		assert_false(at_check_again(&d.check, &d.ground, &d.g.err));
		assert_string_equal(d.g.err.id, "path-moved");
		close_desk(&d);
	}
}

int test_check(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_6_changes_in_order),
		cmocka_unit_test(run_6_the_nonce_comes_first),
		cmocka_unit_test(run_6_content),
		cmocka_unit_test(run_6_text_only),
		cmocka_unit_test(run_6_deletions),
		cmocka_unit_test(run_6_gates_in_order),
		cmocka_unit_test(run_4_the_mcp_channel_tells_nothing),
		cmocka_unit_test(run_4_the_orchestrator_does_not_queue_for_a_server),
		cmocka_unit_test(dir_1_a_direct_write_needs_a_narrow_nonce_and_a_grant),
		cmocka_unit_test(stg_1_approving_checks_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
