#include "emit/fixture.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/digest.h"
#include "emit/build_log.h"

#define LOG REFS "build-log.json"

static const char *hash(struct fixture *f, const char *text)
{
	struct at_digest digest = at_digest_of(at_bytes_of(text));
	char hex[AT_DIGEST_HEX];

	at_digest_hex(hex, &digest);
	return at_arena_strndup(f->arena, hex, 16);
}

/* EMIT-14: the record of a new team. */
static void emit_14_new_log(void **state)
{
	static const char *const keys[] = { "schema_version", "project_name", "framework",
		"privilege_profile", "privilege_profile_explicit", "host_features", "advisories",
		"tool", "files_written", "file_hashes" };
	struct fixture f;
	struct at_json doc;
	size_t i = 0;

	fixture_begin(&f, "{\"project_name\": \"Demo\", \"privilege_profile\": \"exclusive\"}");
	fixture_write(&f, ".claude/agents/a.md", "agent");
	fixture_write(&f, ".claude/agents/.hidden.md", "x");
	fixture_write(&f, ".claude/agents/notes.txt", "x");
	fixture_update(&f);
	assert_true(
		at_json_read(&doc, fixture_change(&f, LOG)->bytes, &at_json_brief_limits, 0, NULL));
	at_json_each(&doc, m, AT_JSON_ROOT)
		assert_true(i < AT_LEN(keys) &&
			at_bytes_equal_text(at_json_key(&doc, m, f.arena), keys[i++]));
	assert_int_equal(i, AT_LEN(keys));
	assert_true(at_json_string_is(&doc, at_json_at(&doc, "schema_version"), "1.2"));
	assert_true(at_json_string_is(&doc, at_json_at(&doc, "project_name"), "Demo"));
	assert_true(at_json_string_is(&doc, at_json_at(&doc, "framework"), "claude"));
	assert_true(at_json_string_is(&doc, at_json_at(&doc, "privilege_profile"), "exclusive"));
	assert_true(at_json_is(&doc, at_json_at(&doc, "privilege_profile_explicit"), AT_JSON_TRUE));
	assert_true(at_json_string_is(&doc, at_json_at(&doc, "tool.name"), "atconsole"));
	assert_true(at_json_string_is(&doc, at_json_member(&doc, at_json_at(&doc, "file_hashes"),
		"a.md"), hash(&f, "agent")));
	assert_int_equal(doc.nodes[at_json_at(&doc, "files_written")].count, 10);
	assert_int_equal(doc.nodes[at_json_at(&doc, "file_hashes")].count, 11);
	at_json_free(&doc);
	fixture_end(&f);
}

/* EMIT-14: a path as the team sees it. */
static void emit_14_keys(void **state)
{
	static const struct { const char *team, *path, *want; } rows[] = {
		{ ".claude/agents", ".claude/agents/x.md", "x.md" },
		{ ".claude/agents", ".claude/agents/references/x", "references/x" },
		{ ".claude/agents", ".claude/hooks/x", "../hooks/x" },
		{ ".claude/agents", ".vscode/tasks.json", "../../.vscode/tasks.json" },
		{ ".claude/agents", ".claude/agents2/x", "../agents2/x" },
		{ ".agents", "AGENTS.md", "../AGENTS.md" },
		{ "a/b/c", "a/x", "../../x" },
	};
	struct at_arena *arena = at_arena_new();

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_project project = { .team_dir = rows[i].team };

		assert_row(i,
			strcmp(at_build_log_key(&project, rows[i].path, arena), rows[i].want) == 0);
	}
	at_arena_free(arena);
}

/* EMIT-14: an agent's hash is set once: a later change does not follow into the record. */
static void emit_14_known_agents_stay(void **state)
{
	struct at_buf log;
	struct fixture f;

	fixture_begin(&f, "{}");
	fixture_write(&f, ".claude/agents/a.md", "one");
	fixture_update(&f);
	fixture_write(&f, ".claude/agents/a.md", "two");
	fixture_write(&f, ".claude/agents/b.md", "three");
	assert_int_equal(symlink("a.md", test_path(f.project_path, ".claude/agents/l.md")), 0);
	fixture_update(&f);
	assert_non_null(fixture_notice(&f, "agent-not-recorded"));
	log = fixture_read(&f, LOG);
	assert_non_null(strstr(at_buf_text(&log), hash(&f, "one")));
	assert_null(strstr(at_buf_text(&log), hash(&f, "two")));
	assert_non_null(strstr(at_buf_text(&log), hash(&f, "three")));
	at_buf_free(&log);
	fixture_end(&f);
}

/* EMIT-14: what cannot be read stops the run; nothing is planned. */
static void emit_14_fails_closed(void **state)
{
	static const char *const rows[] = { "", "{", "[]", "{\"file_hashes\": []}",
		"{\"file_hashes\": {\"a\": \"1\", \"a\": \"2\"}}", "{\"a\": 1,}", "\xEF\xBB\xBF{}",
		"{\"a\": \"\xff\"}" };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;
		uint64_t before;

		fixture_begin(&f, "{}");
		fixture_write(&f, LOG, rows[i]);
		before = test_tree_fingerprint(f.project_path);
		assert_row(i, !fixture_plan(&f));
		assert_row(i, strcmp(f.err.path, LOG) == 0);
		assert_row(i, f.plan.count == 0);
		assert_row(i, test_tree_fingerprint(f.project_path) == before);
		fixture_end(&f);
	}
}

/* EMIT-14, WIRE-3: an odd log is edited in its own style; an unset policy goes. */
static void emit_14_edits_in_place(void **state)
{
	static const char old[] = "{\"z\":1.50,\n\t\"write_policy\":\"orchestrator-only\","
		"\"framework\":\"other\",\n\t\"file_hashes\":{\"x\":\"1\",\"a.md\":7}, "
		"\"tool\":\"was a text\", \"u\":\"\\u00e9\"}";
	struct at_buf log;
	struct fixture f;

	fixture_begin(&f, "{}");
	fixture_write(&f, LOG, old);
	fixture_write(&f, ".claude/agents/a.md", "x");
	fixture_update(&f);
	log = fixture_read(&f, LOG);
	assert_int_equal(strncmp(at_buf_text(&log), "{\"z\":1.50,\n", 11), 0);
	assert_null(strstr(at_buf_text(&log), "write_policy"));
	assert_non_null(strstr(at_buf_text(&log), "\"framework\":\"other\""));
	assert_non_null(strstr(at_buf_text(&log), "{\"x\":\"1\",\"a.md\":7,"));
	assert_non_null(strstr(at_buf_text(&log), "\"u\":\"\\u00e9\""));
	assert_null(strstr(at_buf_text(&log), "was a text"));
	assert_null(strstr(at_buf_text(&log), "files_written"));
	at_buf_free(&log);
	fixture_end(&f);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* EMIT-14: ten thousand agents: recorded once, then passed over by name alone. */
static void emit_14_many_agents(void **state)
{
	struct fixture f;
	double start;

	fixture_begin(&f, "{}");
	for (size_t i = 0; i < 10000; i++) {
		char name[64];

		snprintf(name, sizeof(name), ".claude/agents/agent-%05zu.md", i);
		fixture_write(&f, name, name);
	}
	fixture_update(&f);
	start = now();
	fixture_must_plan(&f);
	assert_int_equal(at_plan_pending(&f.plan), 0);
	/* Quadratic would be many seconds, even in a sanitizer's build. */
	assert_true(now() - start < 3.0);
	fixture_end(&f);
}

int test_build_log(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_14_new_log),
		cmocka_unit_test(emit_14_keys),
		cmocka_unit_test(emit_14_known_agents_stay),
		cmocka_unit_test(emit_14_fails_closed),
		cmocka_unit_test(emit_14_edits_in_place),
		cmocka_unit_test(emit_14_many_agents),
	};

	return cmocka_run_group_tests_name("build_log", tests, NULL, NULL);
}
