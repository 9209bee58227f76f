/* DIR-1; reference-ledgers 3.13: direct grants. */
#include "runner/ground.h"

#include <stdio.h>
#include <string.h>

#include "core/json_write.h"
#include "keys/field.h"
#include "runner/proposals/canonical.h"
#include "runner/proposals/direct_grant.h"

#define NOW "2026-10-02T00:00:00+00:00"
#define SERVER "7777777777777777777777777777777777777777777777777777777777777777"

static const char brief[] =
	"{\"proposal_gates\":{\"docs-lint\":{\"glob\":\"docs/*.md\",\"argv\":"
	"[\"/usr/bin/python3\",\"check.py\",\"{file}\"]}},"
	"\"agent_policies\":{\"tester\":{\"write_scopes\":[\"docs/\"]},"
	"\"b\":{\"write_scopes\":[\"b/\"]},\"c\":{\"write_scopes\":[\"c.md\"]},"
	"\"d\":{\"write_scopes\":[\"d/\"]},\"e\":{}},"
	"\"mcp_grants\":{\"tester\":{\"tools\":[\"write_file\",\"request_status\"],"
	"\"approval\":\"direct\"},"
	"\"b\":{\"tools\":[\"write_file\"],\"approval\":\"direct\"},"
	"\"c\":{\"tools\":[\"write_file\"],\"approval\":\"direct\"},"
	"\"d\":{\"tools\":[\"write_file\"],\"approval\":\"direct\"},"
	"\"e\":{\"tools\":[\"write_file\"],\"approval\":\"direct\"},"
	"\"staged\":{\"tools\":[\"write_file\"]}}}";

struct desk {
	struct at_policy policy;
	struct at_direct_live live;
	struct at_secret seed;
	struct at_public_key key;
	struct at_arena *arena;
	struct at_error err;
};

static bool find_key(
	void *context, struct at_public_key *out, const char *key_id, struct at_error *err)
{
	const struct desk *d = context;

	*out = d->key;
	return strcmp(key_id, "op-1") == 0 || at_fail(err, AT_ENOENT, "there is none");
}

/* With the key of the vector, the seed 00 01 … 1f, unless it is another. */
static void open_desk(struct desk *d, const char *text)
{
	*d = (struct desk){ .arena = at_arena_new() };
	if (!at_policy_read(&d->policy, at_bytes_of(text), "brief.json", (struct at_bytes){ 0 },
		    "/home/op", &d->err))
		fail_msg("%s", d->err.message);
	assert_true(at_secret_new(&d->seed, AT_SEED_BYTES, &d->err));
	for (unsigned char i = 0; i < AT_SEED_BYTES; i++)
		d->seed.bytes[i] = i;
	assert_true(at_ed25519_public(&d->key, &d->seed, &d->err));
	d->live = (struct at_direct_live){ .policy = &d->policy,
		.server_sha256 = SERVER,
		.keys = { find_key, d },
		.now = ground_time(NOW) };
}

static void close_desk(struct desk *d)
{
	at_secret_free(&d->seed);
	at_policy_free(&d->policy);
	at_arena_free(d->arena);
}

static struct at_direct_grant make(struct desk *d, const char *agent)
{
	const struct at_direct_wish wish = { agent, "op-1", 7, 50 };
	struct at_direct_grant grant;

	if (!at_direct_grant_make(&grant, &wish, &d->live, d->arena, &d->err)
		|| !at_direct_grant_sign(&grant, &d->seed, d->arena, &d->err))
		fail_msg("%s", d->err.message);
	return grant;
}

static void dir_1_the_vector_is_reproduced(void **state)
{
	struct at_buf text = test_read(NULL, "vectors/derived/direct-grant.json"), file = { 0 };
	struct at_json doc = ground_json(at_buf_text(&text));
	struct at_bytes record = at_json_raw(&doc, at_json_at(&doc, "record")), want;
	struct at_direct_grants grants;
	struct at_buf message = { 0 }, gate = { 0 };
	struct at_direct_grant again;
	struct at_bytes hex;
	struct desk d;

	open_desk(&d, brief);
	hex = at_json_string(&doc, at_json_at(&doc, "ed25519_public_hex"), d.arena);
	assert_true(at_hex_get(d.key.byte, sizeof(d.key.byte), hex));
	at_canonical_put(&gate, &doc, at_json_at(&doc, "gate"), AT_CANONICAL_SPACED);
	want = at_json_string(&doc, at_json_at(&doc, "gate_hash_input"), d.arena);
	assert_true(at_bytes_equal(at_buf_bytes(&gate), want));
	at_buf_printf(&file, "[%.*s]", (int)record.len, record.data);
	assert_true(at_direct_grants_read(&grants, at_buf_bytes(&file), &d.live, &d.err));
	if (grants.active != 1)
		fail_msg("%s", grants.items[0].why.message);
	at_direct_message(&message, &grants.items[0]);
	want = at_json_string(&doc, at_json_at(&doc, "signed_message"), d.arena);
	assert_true(at_bytes_equal(at_buf_bytes(&message), want));
	/* The same grant, made here, is the same message. */
	again = grants.items[0];
	assert_true(at_direct_grant_sign(&again, &d.seed, d.arena, &d.err));
	assert_string_equal(again.signature, grants.items[0].signature);
	at_buf_free(&message);
	at_buf_free(&gate);
	at_buf_free(&file);
	at_direct_grants_free(&grants);
	close_desk(&d);
	at_json_free(&doc);
	at_buf_free(&text);
}

/* One change of a good grant each; with `sign` it is signed again. */
struct change {
	const char *name;
	void (*change)(struct at_direct_grant *g, struct desk *d);
	bool sign;
	const char *id, *says; /* NULL: it holds */
};

static void nothing(struct at_direct_grant *g, struct desk *d)
{
}
static void other_agent(struct at_direct_grant *g, struct desk *d)
{
	g->agent = "nobody";
}
static void other_server(struct at_direct_grant *g, struct desk *d)
{
	g->server = "other";
}
static void other_map(struct at_direct_grant *g, struct desk *d)
{
	g->map_version = "2";
}
static void other_approval(struct at_direct_grant *g, struct desk *d)
{
	g->approval = "staged";
}
static void other_sha(struct at_direct_grant *g, struct desk *d)
{
	g->server_sha256 = "8888888888888888888888888888888888888888888888888888888888888888";
}
static void less_tools(struct at_direct_grant *g, struct desk *d)
{
	g->tools.count = 1;
}
static void no_scopes(struct at_direct_grant *g, struct desk *d)
{
	g->write_scopes.count = 0;
}
static void no_gates(struct at_direct_grant *g, struct desk *d)
{
	g->gate_count = 0;
}
static void many_writes(struct at_direct_grant *g, struct desk *d)
{
	g->max_writes = 501;
}
static void zero_writes(struct at_direct_grant *g, struct desk *d)
{
	g->max_writes = 0;
}
static void bad_times(struct at_direct_grant *g, struct desk *d)
{
	g->expires = "soon";
}
static void over(struct at_direct_grant *g, struct desk *d)
{
	g->expires = NOW;
}
static void a_second_left(struct at_direct_grant *g, struct desk *d)
{
	g->expires = "2026-10-02T00:00:01+00:00";
}
static void long_one(struct at_direct_grant *g, struct desk *d)
{
	g->issued = "2026-09-30T00:00:00+00:00";
	g->expires = "2026-10-30T00:00:01+00:00";
}
static void thirty_days(struct at_direct_grant *g, struct desk *d)
{
	g->issued = "2026-09-30T00:00:00+00:00";
	g->expires = "2026-10-30T00:00:00+00:00";
}
static void ahead(struct at_direct_grant *g, struct desk *d)
{
	g->issued = "2026-10-02T00:05:01+00:00";
}
static void a_little_ahead(struct at_direct_grant *g, struct desk *d)
{
	g->issued = "2026-10-02T00:05:00+00:00";
}
static void other_key(struct at_direct_grant *g, struct desk *d)
{
	g->key_id = "op-2";
}
static void bad_key(struct at_direct_grant *g, struct desk *d)
{
	g->key_id = "../op";
}
static void dot_key(struct at_direct_grant *g, struct desk *d)
{
	g->key_id = ".op";
}
static void bad_signature(struct at_direct_grant *g, struct desk *d)
{
	g->signature = "00";
}

static const struct change changes[] = {
	{ "nothing", nothing, false, NULL, NULL },
	{ "a second left", a_second_left, true, NULL, NULL },
	{ "thirty days", thirty_days, true, NULL, NULL },
	{ "a little ahead", a_little_ahead, true, NULL, NULL },
	{ "key id", bad_key, true, "direct-key-id", "malformed key_id" },
	{ "key id dot", dot_key, true, "direct-key-id", "malformed key_id" },
	{ "key", other_key, true, "direct-key", "no usable public key 'op-2': there is none" },
	{ "signature", bad_signature, false, "direct-signature", "signature invalid" },
	{ "unsigned", many_writes, false, "direct-signature", "signature invalid" },
	{ "agent", other_agent, true, "direct-binding",
		"agent no longer matches the brief or the "
		"installed server; re-sign it" },
	{ "server", other_server, true, "direct-binding", "server no longer matches" },
	{ "map", other_map, true, "direct-binding", "map_version no longer matches" },
	{ "tools", less_tools, true, "direct-binding", "tools no longer matches" },
	{ "approval", other_approval, true, "direct-binding", "approval no longer matches" },
	{ "scopes", no_scopes, true, "direct-binding", "write_scopes no longer matches" },
	{ "gates", no_gates, true, "direct-binding", "gates no longer matches" },
	{ "sha", other_sha, true, "direct-binding", "server_sha256 no longer matches" },
	{ "times", bad_times, true, "direct-times", "malformed times" },
	{ "over", over, true, "direct-expired", "expired" },
	{ "long", long_one, true, "direct-long", "longer than 30 days" },
	{ "ahead", ahead, true, "direct-ahead", "in the future" },
	{ "many", many_writes, true, "direct-max-writes", "1 to 500" },
	{ "zero", zero_writes, true, "direct-max-writes", "1 to 500" },
};

static void dir_1_grants_that_do_not_hold(void **state)
{
	for (size_t i = 0; i < AT_LEN(changes); i++) {
		struct at_direct_grants grants;
		struct at_direct_grant g;
		struct at_buf file = { 0 };
		struct desk d;

		open_desk(&d, brief);
		g = make(&d, "tester");
		changes[i].change(&g, &d);
		if (changes[i].sign)
			assert_true(at_direct_grant_sign(&g, &d.seed, d.arena, &d.err));
		assert_true(at_direct_grants_print(&file, (struct at_bytes){ 0 }, "x", &g, &d.err));
		assert_true(at_direct_grants_read(&grants, at_buf_bytes(&file), &d.live, &d.err));
		if (grants.active != (changes[i].id == NULL))
			fail_msg("%s: %s", changes[i].name, grants.items[0].why.message);
		if (changes[i].id) {
			const struct at_error *why = &grants.items[0].why;

			if (strcmp(why->id, changes[i].id) != 0
				|| !strstr(why->message, changes[i].says)
				|| strcmp(grants.problems.items[0], why->message) != 0)
				fail_msg("%s: %s: %s", changes[i].name, why->id, why->message);
			assert_null(at_direct_grant_of(&grants, "tester"));
			assert_false(at_direct_grant_may(&grants.items[0], d.live.now, &d.err));
		}
		at_buf_free(&file);
		at_direct_grants_free(&grants);
		close_desk(&d);
	}
}

/* Scopes that are no single files need a gate. */
static void dir_1_what_a_grant_may_write_is_bounded(void **state)
{
	static const char no_gate[] =
		"{\"agent_policies\":{\"a\":{\"write_scopes\":[\"a/\"]},\"c\":{\"write_scopes\":"
		"[\"c.md\",\"d.md\"]},\"p\":{\"write_scopes\":[\"p/*.md\"]}},\"mcp_grants\":{"
		"\"a\":{\"tools\":[\"write_file\"],\"approval\":\"direct\"},"
		"\"c\":{\"tools\":[\"write_file\"],\"approval\":\"direct\"},"
		"\"p\":{\"tools\":[\"write_file\"],\"approval\":\"direct\"}}}";
	static const struct {
		const char *agent;
		unsigned days, writes;
		const char *key, *id;
	} wishes[] = {
		{ "c", 7, 50, "op-1", NULL },
		{ "c", 1, 1, "op-1", NULL },
		{ "c", 30, 500, "op-1", NULL },
		{ "a", 7, 50, "op-1", "direct-unbounded" },
		{ "p", 7, 50, "op-1", "direct-unbounded" },
		{ "c", 0, 50, "op-1", "direct-long" },
		{ "c", 31, 50, "op-1", "direct-long" },
		{ "c", 7, 0, "op-1", "direct-max-writes" },
		{ "c", 7, 501, "op-1", "direct-max-writes" },
		{ "x", 7, 50, "op-1", "direct-binding" },
		{ "X", 7, 50, "op-1", "agent-slug" },
		{ "c", 7, 50, "a/b", "direct-key-id" },
	};
	struct desk d;

	open_desk(&d, no_gate);
	for (size_t i = 0; i < AT_LEN(wishes); i++) {
		const struct at_direct_wish wish = { wishes[i].agent, wishes[i].key, wishes[i].days,
			wishes[i].writes };
		struct at_direct_grant grant;

		assert_row(i,
			at_direct_grant_make(&grant, &wish, &d.live, d.arena, &d.err)
				== (wishes[i].id == NULL));
		if (wishes[i].id)
			assert_string_equal(d.err.id, wishes[i].id);
	}
	close_desk(&d);
	open_desk(&d, brief);
	{
		const struct at_direct_wish wish = { "staged", "op-1", 7, 50 };
		struct at_direct_grant grant;

		assert_false(at_direct_grant_make(&grant, &wish, &d.live, d.arena, &d.err));
		assert_non_null(strstr(d.err.message, "approval is not \"direct\""));
	}
	close_desk(&d);
}

static const char *list_of(struct desk *d, const char *const *agents, struct at_buf *file)
{
	at_buf_puts(file, "[");
	for (size_t i = 0; agents[i]; i++) {
		struct at_direct_grant g = make(d, agents[i]);
		struct at_buf one = { 0 };

		assert_true(at_direct_grants_print(&one, (struct at_bytes){ 0 }, "", &g, &d->err));
		at_buf_printf(file, "%s%.*s", i ? "," : "", (int)one.len - 3, one.data + 1);
		at_buf_free(&one);
	}
	at_buf_puts(file, "]");
	return at_buf_text(file);
}

/* Two for one agent, and more than three: it is not said which was meant. */
static void dir_1_too_many_are_none(void **state)
{
	static const struct {
		const char *agents[6];
		size_t active;
		const char *problem;
	} rows[] = {
		{ { "tester", "b", "c" }, 3, NULL },
		{ { "tester", "tester" }, 0, "two grants for agent 'tester'; neither is used" },
		{ { "tester", "b", "tester" }, 1,
			"two grants for agent 'tester'; neither is used" },
		{ { "tester", "b", "c", "d" }, 0, "4 active grants, more than 3; none is used" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_direct_grants grants;
		struct at_buf file = { 0 };
		struct desk d;

		open_desk(&d, brief);
		assert_true(at_direct_grants_read(
			&grants, at_bytes_of(list_of(&d, rows[i].agents, &file)), &d.live, &d.err));
		assert_row(i, grants.active == rows[i].active);
		assert_row(i, (grants.problems.count == 0) == (rows[i].problem == NULL));
		if (rows[i].problem)
			assert_string_equal(grants.problems.items[0], rows[i].problem);
		at_direct_grants_free(&grants);
		at_buf_free(&file);
		close_desk(&d);
	}
}

static void dir_1_files_that_are_none(void **state)
{
	static const struct {
		const char *text, *id;
	} rows[] = {
		{ "{}", "direct-file" },
		{ "[1]", "direct-file" },
		{ "", "json-empty" },
		{ "[[[[[[[[[]]]]]]]]]", "json-depth" },
		{ "[{\"a\":1,\"a\":2}]", "json-duplicate-key" },
	};
	static const struct {
		const char *text, *problem;
	} records[] = {
		{ "[{}]", "grant '?': missing or malformed grant_id" },
		{ "[{\"grant_id\":\"00112233445566aa\"}]",
			"grant '00112233445566aa': missing or malformed agent" },
		{ "[{\"grant_id\":\"../x\"}]", "grant '?': missing or malformed agent" },
	};
	struct at_direct_grants grants;
	struct at_buf many = { 0 };
	struct desk d;

	open_desk(&d, brief);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		assert_row(i,
			!at_direct_grants_read(
				&grants, at_bytes_of(rows[i].text), &d.live, &d.err));
		assert_string_equal(d.err.id, rows[i].id);
		at_direct_grants_free(&grants);
	}
	for (size_t i = 0; i < AT_LEN(records); i++) {
		assert_row(i,
			at_direct_grants_read(
				&grants, at_bytes_of(records[i].text), &d.live, &d.err));
		assert_row(i, grants.active == 0);
		assert_string_equal(grants.problems.items[0], records[i].problem);
		at_direct_grants_free(&grants);
	}
	for (size_t i = 0; i < 65; i++)
		at_buf_puts(&many, i ? ",{}" : "[{}");
	at_buf_putc(&many, ']');
	assert_false(at_direct_grants_read(&grants, at_buf_bytes(&many), &d.live, &d.err));
	assert_string_equal(d.err.id, "direct-file");
	at_direct_grants_free(&grants);
	assert_true(at_direct_grants_read(&grants, (struct at_bytes){ 0 }, &d.live, &d.err));
	assert_int_equal(grants.count, 0);
	at_direct_grants_free(&grants);
	at_buf_free(&many);
	close_desk(&d);
}

/* Writes are counted from the ledger, and the cap holds each time. */
static void dir_1_writes_are_counted_and_end(void **state)
{
	static const char *const agents[] = { "tester", NULL };
	struct at_direct_grants grants;
	struct at_direct_grant *g;
	struct at_buf file = { 0 };
	char row[160], want[120];
	struct desk d;

	open_desk(&d, brief);
	assert_true(at_direct_grants_read(
		&grants, at_bytes_of(list_of(&d, agents, &file)), &d.live, &d.err));
	g = at_direct_grant_of(&grants, "tester");
	assert_non_null(g);
	for (size_t i = 0; i < 52; i++) {
		struct at_json doc;

		snprintf(row, sizeof(row), "{\"action\":\"%s\",\"grant\":\"%s\"}",
			i == 0 ? "apply-staged" : "apply-direct", i == 1 ? "other" : g->grant_id);
		doc = ground_json(row);
		assert_row(i, at_direct_grant_may(g, d.live.now, &d.err));
		assert_row(i, at_direct_grants_count(&grants, &doc, i + 1, &d.err));
		at_json_free(&doc);
	}
	assert_int_equal(g->used, 50);
	assert_false(at_direct_grant_may(g, d.live.now, &d.err));
	snprintf(want, sizeof(want),
		"direct grant '%s' has used its 50 writes; stage further writes", g->grant_id);
	assert_string_equal(d.err.message, want);
	g->used = 0;
	assert_false(at_direct_grant_may(g, ground_time("2026-10-09T00:00:00+00:00"), &d.err));
	assert_string_equal(d.err.id, "direct-expired");
	at_direct_grants_drop(&grants, "no direct grant is used: the ledger does not verify");
	assert_int_equal(grants.active, 0);
	assert_null(at_direct_grant_of(&grants, "tester"));
	at_direct_grants_free(&grants);
	at_buf_free(&file);
	close_desk(&d);
}

/* A new grant takes the place of the agent's old one; revoking leaves the others as they are. */
static void dir_1_granting_again_and_revoking(void **state)
{
	static const char *const agents[] = { "tester", "b", NULL };
	struct at_direct_grants grants;
	struct at_buf file = { 0 }, next = { 0 }, last = { 0 };
	struct at_direct_grant g;
	struct desk d;

	open_desk(&d, brief);
	list_of(&d, agents, &file);
	g = make(&d, "tester");
	assert_true(at_direct_grants_print(&next, at_buf_bytes(&file), "tester", &g, &d.err));
	assert_true(at_direct_grants_read(&grants, at_buf_bytes(&next), &d.live, &d.err));
	assert_int_equal(grants.active, 2);
	assert_string_equal(at_direct_grant_of(&grants, "tester")->grant_id, g.grant_id);
	at_direct_grants_free(&grants);
	assert_true(at_direct_grants_print(&last, at_buf_bytes(&next), "tester", NULL, &d.err));
	assert_true(at_direct_grants_read(&grants, at_buf_bytes(&last), &d.live, &d.err));
	assert_int_equal(grants.active, 1);
	assert_non_null(at_direct_grant_of(&grants, "b"));
	at_direct_grants_free(&grants);
	last.len = 0;
	assert_true(at_direct_grants_print(&last, (struct at_bytes){ 0 }, "x", NULL, &d.err));
	assert_string_equal(at_buf_text(&last), "[]\n");
	at_buf_free(&file);
	at_buf_free(&next);
	at_buf_free(&last);
	close_desk(&d);
}

int test_direct_grant(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dir_1_the_vector_is_reproduced),
		cmocka_unit_test(dir_1_grants_that_do_not_hold),
		cmocka_unit_test(dir_1_what_a_grant_may_write_is_bounded),
		cmocka_unit_test(dir_1_too_many_are_none),
		cmocka_unit_test(dir_1_files_that_are_none),
		cmocka_unit_test(dir_1_writes_are_counted_and_end),
		cmocka_unit_test(dir_1_granting_again_and_revoking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
