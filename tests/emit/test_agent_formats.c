#include "emit/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/agent.h"

#define GOOSE "version: \"1.0.0\"\ntitle: \"A\"\ndescription: b\ninstructions: |\n  body\n"
#define CODEX "name = \"a\"\ndescription = \"b\"\ndeveloper_instructions = '''\nbody\n'''\n"
#define MD "# A\n\nb\n\nbody\n"

static bool parse(struct at_agent *agent, enum at_framework_id format, struct at_bytes text,
	struct at_arena *arena, struct at_error *err)
{
	return at_frameworks[format]->parse_agent(agent, text, arena, err);
}

struct text_row {
	enum at_framework_id format;
	const char *text;
};

/* EMIT-18: what is not changed comes back as it was spelled, in every format. */
static void emit_18_formats_round_trip(void **state)
{
	static const struct text_row rows[] = {
		{ AT_GOOSE, GOOSE },
		{ AT_GOOSE, "# why\n---\ntitle: 'it''s'\nprompt: >-\n  fold\n\n  ed\n# between\n"
			    "description: \"\\u00e9\\x41\"\nparameters: [{key: a, x: [1, 2]}]\n"
			    "instructions: \"one\\n\\\n  two\"\nextensions:\n- {name: x}\n# end" },
		{ AT_GOOSE, "title: A\r\ndescription: b\r\ninstructions: |\r\n  body\r\n" },
		{ AT_GOOSE, "title: \xc3\xa9\ndescription: b\ninstructions: ''\nx:\n- y\n" },
		{ AT_CODEX, CODEX },
		{ AT_CODEX, "# c\n\n \tname='a'   # x\r\ndescription=\"\"\"\n\"q\" \\\n   r\"\"\"\"\"\n"
			    "sandbox_mode = 'read-only'\ndeveloper_instructions=\"\\u00e9\"" },
		{ AT_COPILOT_VSCODE, "---\nname: A\ndescription: b\ntools: ['read', 'x/y']\n"
				     "handoffs:\n  - label: x\n    send: false\n---\n\nbody" },
		{ AT_COPILOT_CLI, "---\nname: A\ndescription: b\n---\nbody" },
		{ AT_AGENTS_MD, MD },
		{ AT_AGENTS_MD, "# A \r\n\r\nb\r\nc\r\n\r\nbody" },
		{ AT_AGENTS_MD, "# A\nb\n## c\n" },
		{ AT_AGENTS_MD, "<!-- AGENTTEAMS:BEGIN content v=1 -->\n# A\n\nb\n\nc\n" },
		{ AT_AGENTS_MD, "# A\n\nb" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_arena *arena = at_arena_new();
		struct at_buf out = { 0 };
		struct at_agent agent;
		struct at_error err;

		if (!parse(&agent, rows[i].format, at_bytes_of(rows[i].text), arena, &err))
			fail_msg("row %zu: %s", i, err.message);
		at_frameworks[rows[i].format]->render_agent(&out, &agent);
		assert_row(i, strcmp(at_buf_text(&out), rows[i].text) == 0);
		at_buf_free(&out);
		at_arena_free(arena);
	}
}

/* EMIT-18: every way TOML has to write a text. */
static void emit_18_toml_texts(void **state)
{
	static const struct { const char *text, *want; } rows[] = {
		{ "'a\\b\"'", "a\\b\"" },
		{ "\"a\\b\\t\\n\\f\\r\\\"\\\\\"", "a\b\t\n\f\r\"\\" },
		{ "\"\\u00e9\\U0001F600\"", "\xc3\xa9\xf0\x9f\x98\x80" },
		{ "'''a\nb'''", "a\nb" },
		{ "'''\na\r\nb'''", "a\r\nb" },
		{ "'''\r\n\n a'''", "\n a" },
		{ "''''a'''''", "'a''" },
		{ "\"\"\"\na\\  \n\n   b\"\"\"", "ab" },
		{ "\"\"\"a \"\" b\"\"\"\"\"", "a \"\" b\"\"" },
		{ "\"\"\"\\\"\"\"\\\"\"\"\"", "\"\"\"\"" },
		{ "\"a#b\" # c", "a#b" },
		{ "'a\tb'", "a\tb" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_arena *arena = at_arena_new();
		struct at_agent agent;
		struct at_error err;
		char text[256];

		snprintf(text, sizeof(text), "name = 'a'\ndeveloper_instructions = 'x'\n"
			"description = %s\n", rows[i].text);
		if (!parse(&agent, AT_CODEX, at_bytes_of(text), arena, &err))
			fail_msg("row %zu: %s", i, err.message);
		assert_row(i, strcmp(agent.description, rows[i].want) == 0);
		at_arena_free(arena);
	}
}

/* EMIT-18: broken input is named with its line, never guessed. */
static void emit_18_format_errors(void **state)
{
	static const struct {
		enum at_framework_id format;
		const char *text, *id;
		unsigned line;
	} rows[] = {
		{ AT_GOOSE, "", "agent-key", 1 },
		{ AT_GOOSE, "\xEF\xBB\xBF" GOOSE, "agent-bom", 1 },
		{ AT_GOOSE, "title: A\n", "agent-key", 1 },
		{ AT_GOOSE, "title: A\ndescription: b\n", "agent-key", 1 },
		{ AT_GOOSE, "text\n", "agent-yaml", 1 },
		{ AT_GOOSE, "- a\n", "agent-yaml", 1 },
		{ AT_GOOSE, "{title: A, description: b, instructions: c}\n", "agent-yaml", 1 },
		{ AT_GOOSE, " title: A\n", "agent-yaml", 1 },
		{ AT_GOOSE, "title: A\ntitle: B\n", "agent-yaml", 2 },
		{ AT_GOOSE, "title: [A]\n", "agent-yaml", 1 },
		{ AT_GOOSE, "title: A\nextensions: {a: b}\n", "agent-yaml", 2 },
		{ AT_GOOSE, "title: A\nextensions: a\n", "agent-yaml", 2 },
		{ AT_GOOSE, "title: A\n\tdescription: b\n", "agent-yaml", 2 },
		{ AT_GOOSE, "title: \"A\ndescription: b\n", "agent-yaml", 0 },
		{ AT_GOOSE, "title: \"a\\0b\"\n", "agent-nul", 1 },
		{ AT_GOOSE, "title: a\x01\n", "agent-yaml", 0 },
		{ AT_GOOSE, "title: \xff\n", "agent-utf8", 1 },
		{ AT_GOOSE, "a: &x [z]\nb: *x\n", "agent-yaml-anchor", 1 },
		{ AT_GOOSE, "title: &x A\n", "agent-yaml-anchor", 1 },
		{ AT_GOOSE, "title: A\nb: *x\n", "agent-yaml-anchor", 2 },
		{ AT_GOOSE, "<<: *x\n", "agent-yaml-anchor", 1 },
		{ AT_GOOSE, "title: !!str A\n", "agent-yaml-tag", 1 },
		{ AT_GOOSE, "%YAML 1.1\n---\ntitle: A\n", "agent-yaml-tag", 1 },
		{ AT_GOOSE, GOOSE "---\ntitle: A\n", "agent-yaml", 6 },
		{ AT_GOOSE, "? [a]\n: b\n", "agent-yaml", 1 },
		{ AT_GOOSE, "a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[x]", "agent-yaml-size", 1 },
		{ AT_CODEX, "", "agent-key", 1 },
		{ AT_CODEX, "\xEF\xBB\xBF" CODEX, "agent-bom", 1 },
		{ AT_CODEX, "name = 'a'\n", "agent-key", 1 },
		{ AT_CODEX, "name = 'a'\nname = 'b'\n", "agent-toml", 2 },
		{ AT_CODEX, "name = ' '\n", "agent-key", 1 },
		{ AT_CODEX, "model = 'x'\n", "agent-toml-key", 1 },
		{ AT_CODEX, "sandbox_mode = 'danger-full-access'\n", "agent-toml-mode", 1 },
		{ AT_CODEX, "name = 1\n", "agent-toml-type", 1 },
		{ AT_CODEX, "name = true\n", "agent-toml-type", 1 },
		{ AT_CODEX, "name = ['a']\n", "agent-toml-type", 1 },
		{ AT_CODEX, "name = {a = 'b'}\n", "agent-toml-type", 1 },
		{ AT_CODEX, "name =\n", "agent-toml-type", 1 },
		{ AT_CODEX, "[table]\n", "agent-toml", 1 },
		{ AT_CODEX, "a.b = 'c'\n", "agent-toml", 1 },
		{ AT_CODEX, "\"name\" = 'c'\n", "agent-toml", 1 },
		{ AT_CODEX, "name\n", "agent-toml", 1 },
		{ AT_CODEX, "name = 'a' 'b'\n", "agent-toml", 1 },
		{ AT_CODEX, "name = 'a' description = 'b'\n", "agent-toml", 1 },
		{ AT_CODEX, "name = 'a\n'\n", "agent-toml-text", 1 },
		{ AT_CODEX, "name = \"a\n\"\n", "agent-toml-text", 1 },
		{ AT_CODEX, "\nname = '''a\n''\n", "agent-toml-text", 4 },
		{ AT_CODEX, "name = 'a\x01'\n", "agent-toml-text", 1 },
		{ AT_CODEX, "name = '''a\rb'''\n", "agent-toml-text", 1 },
		{ AT_CODEX, "name = 'a'\r", "agent-toml", 1 },
		{ AT_CODEX, "# \x7f\n", "agent-toml", 1 },
		{ AT_CODEX, "name = \"\\x41\"\n", "agent-toml-escape", 1 },
		{ AT_CODEX, "name = \"\\u0000\"\n", "agent-toml-escape", 1 },
		{ AT_CODEX, "name = \"\\uD800\"\n", "agent-toml-escape", 1 },
		{ AT_CODEX, "name = \"\\u12\"\n", "agent-toml-escape", 1 },
		{ AT_CODEX, "name = \"a\\\n\"\n", "agent-toml-escape", 1 },
		{ AT_CODEX, "name = \"a\\", "agent-toml-escape", 1 },
		{ AT_CODEX, "name = \"\xff\"\n", "agent-utf8", 1 },
		{ AT_COPILOT_VSCODE, "# A\n", "agent-no-front-matter", 1 },
		{ AT_COPILOT_CLI, "---\nname: A\n", "agent-front-matter-open", 2 },
		{ AT_COPILOT_CLI, "---\nname: &x A\ndescription: b\n---\n", "agent-yaml", 2 },
		{ AT_AGENTS_MD, "", "agent-title", 1 },
		{ AT_AGENTS_MD, "\xEF\xBB\xBF" MD, "agent-bom", 1 },
		{ AT_AGENTS_MD, "#A\n", "agent-title", 1 },
		{ AT_AGENTS_MD, "#  \n\nb\n", "agent-title", 1 },
		{ AT_AGENTS_MD, "\n# A\n\nb\n", "agent-title", 1 },
		{ AT_AGENTS_MD, "---\nname: A\n---\n", "agent-title", 1 },
		{ AT_AGENTS_MD, "<!-- a -->\n<!-- b\n# A\n", "agent-title", 2 },
		{ AT_AGENTS_MD, "# A\n\n## b\n", "agent-description", 3 },
		{ AT_AGENTS_MD, "# A\n\n", "agent-description", 3 },
		{ AT_AGENTS_MD, "# A\n\nb\n\xff", "agent-utf8", 4 },
		{ AT_AGENTS_MD, "# A\n\nb\n\n<!-- AGENTTEAMS:BEGIN agents_md_translation v=1 -->\n"
				"<!-- {\"tools\":[1]} -->\n", "agent-translation", 1 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_arena *arena = at_arena_new();
		struct at_agent agent;
		struct at_error err = { 0 };

		assert_row(i, !parse(&agent, rows[i].format, at_bytes_of(rows[i].text), arena,
				      &err));
		if (strcmp(err.id, rows[i].id) != 0 || (rows[i].line && err.line != rows[i].line))
			fail_msg("row %zu: %s at %u: %s", i, err.id, err.line, err.message);
		at_arena_free(arena);
	}
}

/* EMIT-18: NUL bytes; a bomb of aliases costs nothing; a great many values have an end. */
static void emit_18_nul_and_bombs(void **state)
{
	static const char bomb[] = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n"
		"c: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c]\n";
	static const char *const texts[] = { GOOSE, CODEX, MD };
	static const enum at_framework_id formats[] = { AT_GOOSE, AT_CODEX, AT_AGENTS_MD };
	struct at_arena *arena = at_arena_new();
	struct at_buf many = { 0 };
	struct at_agent agent;
	struct at_error err;

	for (size_t i = 0; i < AT_LEN(formats); i++) {
		struct at_bytes text = { texts[i], strlen(texts[i]) + 1 };

		assert_row(i, !parse(&agent, formats[i], text, arena, &err));
		assert_string_equal(err.id, "agent-nul");
	}
	assert_false(parse(&agent, AT_GOOSE, at_bytes_of(bomb), arena, &err));
	assert_string_equal(err.id, "agent-yaml-anchor");
	at_buf_puts(&many, "a:\n");
	for (size_t i = 0; i < 300000; i++)
		at_buf_puts(&many, "- x\n");
	assert_false(parse(&agent, AT_GOOSE, at_buf_bytes(&many), arena, &err));
	assert_string_equal(err.id, "agent-yaml-size");
	at_buf_free(&many);
	at_arena_free(arena);
}

static struct at_agent sample(const char *name, const char *description, struct at_bytes body)
{
	static const char *tools[] = { "Read", "Grep", "Glob", "Bash(git log --oneline:*)", "Edit",
		"read" };

	return (struct at_agent){ .slug = "x", .name = name, .description = description,
		.has_tools = true, .tools = { tools, 6 }, .body = body };
}

static void assert_survives(size_t row, const struct at_agent *agent, enum at_framework_id to)
{
	struct at_arena *arena = at_arena_new();
	struct at_agent away, read, home;
	struct at_buf text = { 0 };
	struct at_error err;

	if (!at_agent_convert(&away, agent, AT_CLAUDE, to, arena, &err))
		fail_msg("row %zu to %s: %s", row, at_framework_name(to), err.message);
	at_frameworks[to]->render_agent(&text, &away);
	if (!parse(&read, to, at_buf_bytes(&text), arena, &err))
		fail_msg("row %zu to %s: %s\n%s", row, at_framework_name(to), err.message,
			at_buf_text(&text));
	assert_true(at_agent_convert(&home, &read, to, AT_CLAUDE, arena, &err));
	if (strcmp(home.name, agent->name) != 0 ||
		strcmp(home.description, agent->description) != 0 ||
		!at_agent_same_tools(&home, agent) || !at_bytes_equal(home.body, agent->body))
		fail_msg("row %zu is another one after %s:\n%s", row, at_framework_name(to),
			at_buf_text(&text));
	at_buf_free(&text);
	at_arena_free(arena);
}

/* EMIT-18: what is hard to write in one format or another comes back as it was. */
static void emit_18_hard_texts(void **state)
{
	static const struct { const char *name, *description, *body; } rows[] = {
		{ "A", "b", "" },
		{ "A", "b", "\n" },
		{ "A", "b", "\n\n\n" },
		{ "A", "b", "no end" },
		{ "A", "b", "end\n\n\n" },
		{ "A", "b", "\nleads\n" },
		{ "A", "b", "  indented\nnot\n" },
		{ "A", "b", "\t\ttabs\n \n   \nx" },
		{ "A", "b", "a\r\nb\rc\n" },
		{ "A", "b", "a\n  " },
		{ "A", "b", "'''\n\"\"\"\n\\" },
		{ "A", "b", "\x01\x1f\x7f\xc2\x85\xe2\x80\xa8\xef\xbb\xbf\n" },
		{ "A", "b", "# T\n\nbody\n# U\n" },
		{ "A", "b", "```\n# T\n```\n" },
		{ "A", "b", "---\nname: x\n---\n" },
		{ "../x/y", "a\\b", "x" },
		{ "a\x01\x1b[31m", "a\nb\n", "x" },
		{ " A  b ", "  ", "x" },
		{ "--> <!-- -->", "--> \\# x", "x" },
		{ "# A", "# not a heading", "x" },
		{ "A", "\b~~~ code", "x" },
		{ "A\"'", "- item: \"q\" 'r' #c", "x" },
		{ "\xe2\x80\xa8", "\xc2\x85", "x" },
		{ "A", "\\", "<!-- AGENTTEAMS:BEGIN codex_translation v=1 -->\nx\n" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_agent agent = sample(rows[i].name, rows[i].description,
			at_bytes_of(rows[i].body));

		for (int to = 1; to < AT_FRAMEWORK_COUNT; to++)
			assert_survives(i, &agent, (enum at_framework_id)to);
		agent.has_tools = false;
		agent.tools.count = 0;
		for (int to = 1; to < AT_FRAMEWORK_COUNT; to++)
			assert_survives(100 + i, &agent, (enum at_framework_id)to);
	}
}

/* EMIT-18: a body of 10 MiB is no burden to any. */
static void emit_18_large_bodies(void **state)
{
	size_t len = 10u << 20;
	char *body = malloc(len);
	struct at_agent agent = sample("A", "b", (struct at_bytes){ body, len });

	for (int turn = 0; turn < 2; turn++) {
		for (size_t i = 0; i < len; i++)
			body[i] = i % 60 == 59 ? '\n' : 'x';
		body[7] = turn ? '\x01' : ' ';
		for (int to = 1; to < AT_FRAMEWORK_COUNT; to++)
			assert_survives((size_t)turn, &agent, (enum at_framework_id)to);
	}
	free(body);
}

/* EMIT-18: no way to another harness gives a tool that was not there. */
static void emit_18_tools(void **state)
{
	static const struct { enum at_framework_id from, to; const char *have, *want; } rows[] = {
		{ AT_CLAUDE, AT_CODEX, "Read Grep Glob", "read search" },
		{ AT_CLAUDE, AT_CODEX, "Glob Read Grep", "search read" },
		{ AT_CLAUDE, AT_GOOSE, "Read Grep", "read Grep" },
		{ AT_CLAUDE, AT_GOOSE, "Edit", "Edit" },
		{ AT_CLAUDE, AT_GOOSE, "Edit Write Bash TodoWrite Task", "edit execute todo agent" },
		{ AT_CLAUDE, AT_GOOSE, "Bash(git:*)", "Bash(git:*)" },
		{ AT_CLAUDE, AT_GOOSE, "execute claude:x", "claude:execute claude:claude:x" },
		{ AT_GOOSE, AT_CLAUDE, "claude:execute read", "execute Read" },
		{ AT_GOOSE, AT_CLAUDE, "search read search Grep", "Grep Glob Read" },
		{ AT_GOOSE, AT_CLAUDE, "mcp__x edit", "mcp__x Edit Write" },
		{ AT_GOOSE, AT_CODEX, "read x/y", "read x/y" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_arena *arena = at_arena_new();
		char *words = at_arena_strdup(arena, rows[i].have), *save;
		const char *items[8];
		struct at_texts have = { items, 0 }, got;
		struct at_buf text = { 0 };

		for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
			items[have.count++] = w;
		got = at_agent_tools(&have, rows[i].from, rows[i].to, arena);
		for (size_t k = 0; k < got.count; k++)
			at_buf_printf(&text, "%s%s", k ? " " : "", got.items[k]);
		if (strcmp(at_buf_text(&text), rows[i].want) != 0)
			fail_msg("row %zu: %s", i, at_buf_text(&text));
		at_buf_free(&text);
		at_arena_free(arena);
	}
}

/* EMIT-18: what no other harness can hold is an error, not a loss. */
static void emit_18_not_to_be_had(void **state)
{
	static const char *const slugs[] = { "", "a/b", "..", ".a", "-a", "a b", "a\n", "\xc3\xa9" };
	struct at_arena *arena = at_arena_new();
	struct at_agent agent = sample("A", "b", (struct at_bytes){ "a\0b", 3 }), out;
	struct at_error err;

	assert_false(at_agent_convert(&out, &agent, AT_CLAUDE, AT_GOOSE, arena, &err));
	assert_string_equal(err.id, "agent-body");
	agent.body = at_bytes_of("\xff");
	assert_false(at_agent_convert(&out, &agent, AT_CLAUDE, AT_CODEX, arena, &err));
	assert_true(at_agent_convert(&out, &agent, AT_CLAUDE, AT_CLAUDE, arena, &err));
	for (size_t i = 0; i < AT_LEN(slugs); i++) {
		agent.slug = slugs[i];
		assert_row(i, !at_agent_convert(&out, &agent, AT_CLAUDE, AT_CLAUDE, arena, &err));
		assert_string_equal(err.id, "agent-slug");
	}
	at_arena_free(arena);
}

static void assert_becomes(enum at_framework_id format, const char *text, const char *description,
	const char *want)
{
	struct at_arena *arena = at_arena_new();
	struct at_buf out = { 0 };
	struct at_agent agent;

	assert_true(parse(&agent, format, at_bytes_of(text), arena, NULL));
	agent.description = description;
	at_frameworks[format]->render_agent(&out, &agent);
	assert_string_equal(at_buf_text(&out), want);
	at_buf_free(&out);
	at_arena_free(arena);
}

/* EMIT-18: only what changed is written anew; the rest, comments and servers too, stays. */
static void emit_18_format_changes(void **state)
{
	assert_becomes(AT_GOOSE, "# c\ntitle:   'A' # x\ndescription: b\n# y\nprompt: z\n"
		"instructions: >\n  x\nextensions:\n  - {type: stdio, name: srv, cmd: c}\n",
		"new \"d\"",
		"# c\ntitle:   'A' # x\ndescription: \"new \\\"d\\\"\"\nprompt: z\n"
		"instructions: >\n  x\nextensions:\n  - {type: stdio, name: srv, cmd: c}\n");
	assert_becomes(AT_CODEX, "# c\nname='a'\ndescription = '''\nb'''# x\n\n"
		"developer_instructions='# T'",
		"new", "# c\nname='a'\ndescription = \"new\"\n\n"
		"developer_instructions = '''\n"
		"<!-- AGENTTEAMS:BEGIN codex_translation v=1 -->\n<!-- {\"adds_end\":true} -->\n"
		"<!-- AGENTTEAMS:END codex_translation -->\n# T\n'''\n");
	assert_becomes(AT_COPILOT_CLI, "---\nname: A\ndescription: b\ntools: ['x']\n---\nB", "c",
		"---\nname: A\ndescription: \"c\"\ntools: ['x']\n---\nB");
	assert_becomes(AT_AGENTS_MD, MD, "c", "# A\n\nc\n\nbody\n");
}

/* EMIT-18, reference-later 5.4: the declared tools say the mode; none says none. */
static void emit_18_codex_mode(void **state)
{
	static const struct { const char *tool, *want; } rows[] = {
		{ "Read", "read-only" }, { "Bash", "read-only" }, { "TodoWrite", "read-only" },
		{ "Edit", NULL }, { "mcp__x", NULL }, { NULL, NULL },
	};
	const char *both[] = { "Edit", "Write", "Read" };
	struct at_arena *arena = at_arena_new();
	struct at_agent agent = sample("A", "b", at_bytes_of("x")), out;
	struct at_buf text = { 0 };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *one[] = { rows[i].tool };

		agent.tools = (struct at_texts){ one, rows[i].tool ? 1 : 0 };
		assert_true(at_agent_convert(&out, &agent, AT_CLAUDE, AT_CODEX, arena, NULL));
		at_buf_free(&text);
		at_codex_render_agent(&text, &out);
		assert_row(i, (strstr(at_buf_text(&text), "\nsandbox_mode = ") != NULL) ==
			(rows[i].want != NULL));
		assert_row(i, !rows[i].want || strstr(at_buf_text(&text), rows[i].want));
	}
	agent.tools = (struct at_texts){ both, 3 };
	assert_true(at_agent_convert(&out, &agent, AT_CLAUDE, AT_CODEX, arena, NULL));
	at_codex_render_agent(&text, &out);
	assert_non_null(strstr(at_buf_text(&text), "\nsandbox_mode = \"workspace-write\"\n"));
	at_buf_free(&text);
	at_arena_free(arena);
}

/* EMIT-18: cut short anywhere, each errs or comes back whole; none reads past the end. */
static void emit_18_formats_truncated(void **state)
{
	static const struct text_row rows[] = {
		{ AT_GOOSE, GOOSE "extensions:\n  - name: developer\n    x: [\"\\u00e9\", 'b']\n" },
		{ AT_CODEX, "name = \"\\u00e9\\t\"\ndescription = '''\nb'''\n# c\r\n"
			    "developer_instructions = \"\"\"\\\n  x\"\"\"\"\n" },
		{ AT_AGENTS_MD, "# A\r\n\r\nb\r\n\r\n"
				"<!-- AGENTTEAMS:BEGIN agents_md_translation v=1 -->\n"
				"<!-- {\"tools\":[\"a\"]} -->\n"
				"<!-- AGENTTEAMS:END agents_md_translation -->\nbody" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		for (size_t len = 0; len <= strlen(rows[i].text); len++) {
			struct at_arena *arena = at_arena_new();
			char *copy = malloc(len ? len : 1);
			struct at_buf out = { 0 };
			struct at_agent agent;

			memcpy(copy, rows[i].text, len);
			if (parse(&agent, rows[i].format, (struct at_bytes){ copy, len }, arena,
				    NULL)) {
				at_frameworks[rows[i].format]->render_agent(&out, &agent);
				assert_row(len, out.len == len && memcmp(out.data, copy, len) == 0);
			}
			at_buf_free(&out);
			free(copy);
			at_arena_free(arena);
		}
}

int test_agent_formats(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_18_formats_round_trip),
		cmocka_unit_test(emit_18_toml_texts),
		cmocka_unit_test(emit_18_format_errors),
		cmocka_unit_test(emit_18_nul_and_bombs),
		cmocka_unit_test(emit_18_hard_texts),
		cmocka_unit_test(emit_18_large_bodies),
		cmocka_unit_test(emit_18_tools),
		cmocka_unit_test(emit_18_not_to_be_had),
		cmocka_unit_test(emit_18_format_changes),
		cmocka_unit_test(emit_18_codex_mode),
		cmocka_unit_test(emit_18_formats_truncated),
	};

	return cmocka_run_group_tests_name("agent_formats", tests, NULL, NULL);
}
