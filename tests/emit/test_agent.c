#include "emit/fixture.h"

#include <stdlib.h>
#include <string.h>

#define OK "---\nname: A\ndescription: \"b\"\ntools: Read, Grep\n---\nbody\n"

static bool parse(struct at_agent *agent, const char *text, size_t len, struct at_arena *arena,
	struct at_error *err)
{
	return at_frameworks[AT_CLAUDE]->parse_agent(agent, (struct at_bytes){ text, len }, arena,
		err);
}

static void assert_same(size_t row, const char *text, size_t len)
{
	struct at_arena *arena = at_arena_new();
	struct at_buf out = { 0 };
	struct at_agent agent;
	struct at_error err;

	if (!parse(&agent, text, len, arena, &err))
		fail_msg("row %zu: %s", row, err.message);
	at_frameworks[AT_CLAUDE]->render_agent(&out, &agent);
	assert_row(row, out.len == len && memcmp(out.data, text, len) == 0);
	at_buf_free(&out);
	at_arena_free(arena);
}

/* EMIT-18: what is not changed comes back as it was spelled. */
static void emit_18_round_trip(void **state)
{
	static const char *const rows[] = {
		OK,
		"---\r\nname: A\r\ndescription: b\r\n---\r\nbody\r\n",
		"---\nname: A\ndescription: b\n---",
		"---\nname: A\ndescription: b\n---\n",
		"---\n# why\n\nname:   A   # x\nmodel: opus\ndescription: 'it''s'\n---\n\n\n",
		"---\nname: A\ndescription: Use when: so\nextra: &anchor {a: [1,\n  2]}\n---\nx",
		"---\nname: A\ndescription: b\ntools:\n  - Read\n  - \"Bash(git:*)\"\n---\nx",
		"---\nname: A\ndescription: b\ntools:\n- Read\n- Grep\nmodel: x\n---\nx",
		"---\nname: A\ndescription: b\ntools: ['Read', \"Grep\"] # both\n---\nx",
		"---\nname: A\ndescription: b\ntools: []\n---\nx",
		"---\nname: A\ndescription: b\ntools:\n---\nx",
		"---\nname: A\ndescription: b\nhooks: |\n  one\n\n  two\n\n---\nx",
		"---\nname: \"\\u00e9\\x41\\n\"\ndescription: é\n---\n---\nname: no\n---\n",
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_same(i, rows[i], strlen(rows[i]));
	assert_same(99, "---\nname: A\ndescription: b\n---\n\0\xff\t", 34);
}

/* EMIT-18: a body of 10 MiB is no burden. */
static void emit_18_large_body(void **state)
{
	static const char head[] = "---\nname: A\ndescription: b\n---\n";
	size_t len = sizeof(head) - 1 + (10u << 20);
	char *text = malloc(len);

	memset(text, 'x', len);
	memcpy(text, head, sizeof(head) - 1);
	assert_same(0, text, len);
	free(text);
}

/* EMIT-18: the canonical form. */
static void emit_18_fields(void **state)
{
	static const char text[] =
		"---\nname: \"\\x41 \\\"q\\\" \\u00e9 \\U0001F600\\x7F\"\nmodel: x\n"
		"description: 'it''s: fine'\ntools: [Read, \"Bash(a, b)\", \"m\\\"c\\\",p\"]\n"
		"permissionMode: plan\n"
		"---\nbody";
	struct at_arena *arena = at_arena_new();
	struct at_agent agent;

	assert_true(parse(&agent, text, strlen(text), arena, NULL));
	assert_string_equal(agent.name, "A \"q\" \xc3\xa9 \xf0\x9f\x98\x80\x7f");
	assert_string_equal(agent.description, "it's: fine");
	assert_int_equal(agent.tools.count, 3);
	assert_string_equal(agent.tools.items[1], "Bash(a, b)");
	assert_string_equal(agent.tools.items[2], "m\"c\",p");
	assert_true(at_bytes_equal_text(agent.head, "model: x\npermissionMode: plan\n"));
	assert_true(at_bytes_equal_text(agent.body, "body"));
	at_arena_free(arena);
}

/* EMIT-18: broken input is named with its line, never guessed. */
static void emit_18_errors(void **state)
{
	static const struct { const char *text, *id; unsigned line; } rows[] = {
		{ "", "agent-no-front-matter", 1 },
		{ "# title\n", "agent-no-front-matter", 1 },
		{ " ---\nname: A\n---\n", "agent-no-front-matter", 1 },
		{ "\xEF\xBB\xBF" OK, "agent-bom", 1 },
		{ "---\nname: A\ndescription: b\n", "agent-front-matter-open", 3 },
		{ "---\nname: A\n---\n", "", 1 },
		{ "---\ndescription: A\n---\n", "", 1 },
		{ "---\nname: A\nname: B\ndescription: b\n---\n", "", 3 },
		{ "---\nname: &x A\ndescription: b\n---\n", "agent-yaml", 2 },
		{ "---\nname: *x\ndescription: b\n---\n", "agent-yaml", 2 },
		{ "---\nname: !!str A\ndescription: b\n---\n", "agent-yaml", 2 },
		{ "---\nname: A\ndescription: |\n  b\n---\n", "agent-yaml", 3 },
		{ "---\nname: A\ndescription: >-\n  b\n---\n", "agent-yaml", 3 },
		{ "---\nname: A\ndescription: b\n  c\n---\n", "agent-yaml", 3 },
		{ "---\nname:\ndescription: b\n---\n", "agent-yaml", 2 },
		{ "---\nname: \"\"\ndescription: b\n---\n", "agent-yaml", 2 },
		{ "---\nname: \"A\ndescription: b\n---\n", "agent-quotes", 2 },
		{ "---\nname: \"A\\q\"\ndescription: b\n---\n", "agent-quotes", 2 },
		{ "---\nname: \"\\uD800\"\ndescription: b\n---\n", "agent-quotes", 2 },
		{ "---\nname: \"A\" b\ndescription: b\n---\n", "agent-quotes", 2 },
		{ "---\nname: A\ndescription: b\nmore:\n\t- x\n---\n", "agent-tab", 5 },
		{ "---\nname: A\n\tdescription: b\n---\n", "agent-tab", 3 },
		{ "---\n\"name\": A\ndescription: b\n---\n", "agent-front-matter", 2 },
		{ "---\nname:A\ndescription: b\n---\n", "agent-front-matter", 2 },
		{ "---\n  name: A\ndescription: b\n---\n", "agent-front-matter", 2 },
		{ "---\nname: A\ndescription: b\ntools: [Read\n---\n", "agent-yaml", 4 },
		{ "---\nname: A\ndescription: b\ntools: Read,, Grep\n---\n", "agent-yaml", 4 },
		{ "---\nname: A\ndescription: b\ntools:\n  Read\n---\n", "agent-yaml", 5 },
		{ "---\nname: \xff\ndescription: b\n---\n", "agent-utf8", 1 },
		{ "---\nname: A\ndescription: b\n--- \n", "agent-front-matter-open", 4 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_arena *arena = at_arena_new();
		struct at_agent agent;
		struct at_error err = { 0 };

		assert_row(i, !parse(&agent, rows[i].text, strlen(rows[i].text), arena, &err));
		if (strcmp(err.id, rows[i].id) != 0 || err.line != rows[i].line)
			fail_msg("row %zu: %s at %u: %s", i, err.id, err.line, err.message);
		at_arena_free(arena);
	}
}

static void assert_renders(const struct at_agent *agent, const char *want)
{
	struct at_buf out = { 0 };

	at_frameworks[AT_CLAUDE]->render_agent(&out, agent);
	assert_string_equal(at_buf_text(&out), want);
	at_buf_free(&out);
}

/* EMIT-18: only the line that changed is written anew; a fresh agent in one order. */
static void emit_18_changes(void **state)
{
	static const char text[] =
		"---\nmodel: x\nname:  A\ntools:\n  - Read\ndescription: 'b'\n---\nB\n";
	const char *tools[] = { "Read", "Bash(git:*)" }, *odd[] = { "a, b" };
	struct at_arena *arena = at_arena_new();
	struct at_agent agent, fresh;

	assert_true(parse(&agent, text, strlen(text), arena, NULL));
	agent.description = "it's \"new\"\n";
	assert_renders(&agent, "---\nmodel: x\nname:  A\ntools:\n  - Read\n"
		"description: \"it's \\\"new\\\"\\n\"\n---\nB\n");
	assert_true(parse(&agent, text, strlen(text), arena, NULL));
	agent.tools = (struct at_texts){ tools, 2 };
	assert_renders(&agent, "---\nmodel: x\nname:  A\ntools: Read, Bash(git:*)\n"
		"description: 'b'\n---\nB\n");
	agent.has_tools = false;
	assert_renders(&agent, "---\nmodel: x\nname:  A\ndescription: 'b'\n---\nB\n");
	fresh = (struct at_agent){ .name = "N", .description = "D", .has_tools = true,
		.tools = { odd, 1 }, .body = at_bytes_of("B"), .head = at_bytes_of("model: y") };
	assert_renders(&fresh, "---\nname: \"N\"\ndescription: \"D\"\ntools: [\"a, b\"]\nmodel: y\n"
		"---\nB");
	at_arena_free(arena);
}

/* EMIT-18: cut short anywhere, it errs or comes back whole; it never reads past the end. */
static void emit_18_truncated(void **state)
{
	static const char text[] = "---\r\nname: \"A\\u00e9\"\ntools: ['a', \"b\\x41\"]\n"
		"description: 'it''s'\nother:\n  - x\n\n  - y\n---\nbody";

	for (size_t len = 0; len < sizeof(text); len++) {
		struct at_arena *arena = at_arena_new();
		char *copy = malloc(len ? len : 1);
		struct at_buf out = { 0 };
		struct at_agent agent;

		memcpy(copy, text, len);
		if (parse(&agent, copy, len, arena, NULL)) {
			at_frameworks[AT_CLAUDE]->render_agent(&out, &agent);
			assert_row(len, out.len == len && memcmp(out.data, copy, len) == 0);
		}
		at_buf_free(&out);
		free(copy);
		at_arena_free(arena);
	}
}

int test_agent(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_18_round_trip),
		cmocka_unit_test(emit_18_large_body),
		cmocka_unit_test(emit_18_fields),
		cmocka_unit_test(emit_18_errors),
		cmocka_unit_test(emit_18_changes),
		cmocka_unit_test(emit_18_truncated),
	};

	return cmocka_run_group_tests_name("agent", tests, NULL, NULL);
}
