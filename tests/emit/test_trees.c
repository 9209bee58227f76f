#include "emit/fixture.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/agent.h"

static const char *const trees[] = { "claude-confined", "claude-exclusive-roots-protected" };

static void load(struct fixture *f, const char *tree)
{
	char name[256];
	struct at_buf brief;

	snprintf(name, sizeof(name), "trees/%s.brief.json", tree);
	brief = test_read(NULL, name);
	fixture_begin(f, at_buf_text(&brief));
	at_buf_free(&brief);
	snprintf(name, sizeof(name), "%s/trees/%s", test_data(), tree);
	test_copy_tree(name, f->project_path);
}

static const char *walk_from;
static struct fixture *walk_for;
static size_t walk_count;

/* What the plan does not write is as it was, and nothing else appeared. */
static int compare_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	const char *rest = path + strlen(walk_from) + 1;
	struct at_buf was, now;

	(void)st;
	(void)ftw;
	if (kind != FTW_F || fixture_change(walk_for, rest))
		return 0;
	was = test_read("", path);
	now = fixture_read(walk_for, rest);
	if (!at_bytes_equal(at_buf_bytes(&was), at_buf_bytes(&now)))
		fail_msg("%s was changed", rest);
	at_buf_free(&was);
	at_buf_free(&now);
	walk_count++;
	return 0;
}

/* EMIT-14, WIRE-3: a project of the Python tool is taken over and nothing else moves. */
static void emit_14_takes_over_trees(void **state)
{
	static const char *const new_files[] = { HOOK, REFS "authorized-verify-keys/README.md",
		REFS "security-approvers.txt", REFS "authorized-managers.txt",
		REFS "management-authority.json",
		REFS "security-infrastructure-layers.reference.md", "sandbox/confine-run.sh" };
	static const char *const changed[] = { EXAMPLE, REFS "build-log.json" };
	static const char *const kept[] = { HOOK_PY, REFS "agent-privilege.json" };

	for (size_t i = 0; i < AT_LEN(trees); i++) {
		struct fixture f;

		load(&f, trees[i]);
		fixture_must_plan(&f);
		for (size_t k = 0; k < AT_LEN(new_files); k++)
			assert_row(k, fixture_change(&f, new_files[k])->kind == AT_CREATE);
		for (size_t k = 0; k < AT_LEN(changed); k++)
			assert_row(k, fixture_change(&f, changed[k])->kind == AT_REPLACE);
		for (size_t k = 0; k < AT_LEN(kept); k++)
			assert_row(k, fixture_change(&f, kept[k])->kind == AT_KEPT);
		assert_int_equal(f.plan.count, 11);
		fixture_update(&f);
		walk_from = at_arena_printf(f.arena, "%s/trees/%s", test_data(), trees[i]);
		walk_for = &f;
		walk_count = 0;
		assert_int_equal(nftw(walk_from, compare_one, 16, FTW_PHYS), 0);
		assert_true(walk_count >= 16);
		fixture_end(&f);
	}
}

/* EMIT-14: the log keeps every foreign byte: without our insertions the old text is left. */
static void emit_14_log_keeps_foreign_bytes(void **state)
{
	static const char *const ours[] = { "privilege_profile", "privilege_profile_explicit",
		"host_features", "advisories", "tool" };

	for (size_t i = 0; i < AT_LEN(trees); i++) {
		struct at_buf was, now;
		struct at_json old, new;
		struct fixture f;

		load(&f, trees[i]);
		was = fixture_read(&f, REFS "build-log.json");
		fixture_update(&f);
		now = fixture_read(&f, REFS "build-log.json");
		assert_true(
			at_json_read(&old, at_buf_bytes(&was), &at_json_settings_limits, 0, NULL));
		assert_true(
			at_json_read(&new, at_buf_bytes(&now), &at_json_settings_limits, 0, NULL));
		at_json_each(&old, m, AT_JSON_ROOT) {
			struct at_bytes key = at_json_key(&old, m, f.arena);
			uint32_t there = at_json_member(&new, AT_JSON_ROOT, key.data);

			assert_true(there != AT_JSON_NONE);
			if (at_bytes_equal_text(key, "file_hashes") ||
				at_bytes_equal_text(key, "files_written"))
				continue;
			assert_true(at_bytes_equal(at_json_raw(&old, m), at_json_raw(&new, there)));
		}
		for (size_t k = 0; k < AT_LEN(ours); k++)
			assert_row(k, at_json_member(&new, AT_JSON_ROOT, ours[k]) != AT_JSON_NONE);
		assert_int_equal(new.nodes[AT_JSON_ROOT].count,
			old.nodes[AT_JSON_ROOT].count + AT_LEN(ours));
		at_json_each(&old, h, at_json_at(&old, "file_hashes")) {
			struct at_bytes key = at_json_key(&old, h, f.arena);
			uint32_t there =
				at_json_member(&new, at_json_at(&new, "file_hashes"), key.data);
			bool rewritten = at_bytes_equal_text(key, "../settings.hooks.example.json");

			assert_true(there != AT_JSON_NONE);
			assert_int_equal(
				!at_bytes_equal(at_json_raw(&old, h), at_json_raw(&new, there)),
				rewritten);
		}
		at_json_free(&old);
		at_json_free(&new);
		at_buf_free(&was);
		at_buf_free(&now);
		fixture_end(&f);
	}
}

/* Every team of the trees, and how its agents are written. */
static const struct {
	const char *team;
	enum at_framework_id format;
} teams[] = {
	{ "claude-confined/.claude/agents", AT_CLAUDE },
	{ "claude-exclusive-roots-protected/.claude/agents", AT_CLAUDE },
	{ "goose-default/.goose/recipes", AT_GOOSE },
	{ "copilot-vscode-default/.github/agents", AT_COPILOT_VSCODE },
	{ "agents-md-default/.agents", AT_AGENTS_MD },
	{ "codex-default/.agents", AT_AGENTS_MD }, /* the Python tool's codex writes these */
};

static void parse_must(struct at_agent *out, enum at_framework_id format, struct at_bytes text,
	const char *name, struct at_arena *arena)
{
	struct at_error err;

	if (!at_frameworks[format]->parse_agent(out, text, arena, &err))
		fail_msg("%s as %s: %s", name, at_framework_name(format), err.message);
}

static bool has_tool(const struct at_agent *agent, const char *tool)
{
	for (size_t i = 0; i < agent->tools.count; i++)
		if (strcmp(agent->tools.items[i], tool) == 0)
			return true;
	return false;
}

/* The same agent, tools in any order. */
static void assert_same_agent(const struct at_agent *a, const struct at_agent *b, const char *name)
{
	bool same = a->has_tools == b->has_tools && a->tools.count == b->tools.count;

	for (size_t i = 0; same && i < a->tools.count; i++)
		same = has_tool(b, a->tools.items[i]);
	if (!same || strcmp(a->name, b->name) != 0 || strcmp(a->description, b->description) != 0 ||
		!at_bytes_equal(a->body, b->body))
		fail_msg("%s is another agent after the way", name);
}

/* There and back: nothing is lost, and what the other harness has parses and stays as it is. */
static void go_and_return(const struct at_agent *agent, enum at_framework_id from,
	enum at_framework_id to, const char *name, struct at_arena *arena)
{
	struct at_agent away, read, home, again;
	struct at_buf text = { 0 }, twice = { 0 }, back = { 0 };
	struct at_error err;

	if (!at_agent_convert(&away, agent, from, to, arena, &err))
		fail_msg("%s: %s", name, err.message);
	at_frameworks[to]->render_agent(&text, &away);
	parse_must(&read, to, at_buf_bytes(&text), name, arena);
	assert_same_agent(&away, &read, name);
	at_frameworks[to]->render_agent(&twice, &read);
	assert_true(at_bytes_equal(at_buf_bytes(&text), at_buf_bytes(&twice)));
	if (!at_agent_convert(&home, &read, to, from, arena, &err))
		fail_msg("%s: %s", name, err.message);
	at_frameworks[from]->render_agent(&back, &home);
	parse_must(&again, from, at_buf_bytes(&back), name, arena);
	assert_same_agent(agent, &again, name);
	at_buf_free(&text);
	at_buf_free(&twice);
	at_buf_free(&back);
}

static void check_agent(const char *dir, const char *file, enum at_framework_id format)
{
	struct at_arena *arena = at_arena_new();
	struct at_buf text = test_read(dir, file), out = { 0 };
	struct at_agent agent;

	parse_must(&agent, format, at_buf_bytes(&text), file, arena);
	assert_true(agent.has_tools == (format != AT_AGENTS_MD));
	assert_true(!agent.has_tools || agent.tools.count >= 2);
	at_frameworks[format]->render_agent(&out, &agent);
	assert_true(at_bytes_equal(at_buf_bytes(&text), at_buf_bytes(&out)));
	for (int to = 0; to < AT_FRAMEWORK_COUNT; to++)
		go_and_return(&agent, format, (enum at_framework_id)to, file, arena);
	at_buf_free(&text);
	at_buf_free(&out);
	at_arena_free(arena);
}

/* EMIT-18: every agent file of the trees parses, comes back byte for byte, and goes to every
 * other harness and back with nothing lost. */
static void emit_18_agents_round_trip(void **state)
{
	size_t count = 0;

	for (size_t i = 0; i < AT_LEN(teams); i++) {
		const char *ext = at_frameworks[teams[i].format]->agent_ext;
		char dir[4096];
		struct dirent *entry;
		DIR *d;

		snprintf(dir, sizeof(dir), "%s/trees/%s", test_data(), teams[i].team);
		d = opendir(dir);
		assert_non_null(d);
		while ((entry = readdir(d))) {
			if (!strstr(entry->d_name, ext) || strstr(entry->d_name, "SETUP"))
				continue;
			check_agent(dir, entry->d_name, teams[i].format);
			count++;
		}
		closedir(d);
	}
	assert_int_equal(count, 132);
}

int test_trees(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_14_takes_over_trees),
		cmocka_unit_test(emit_14_log_keeps_foreign_bytes),
		cmocka_unit_test(emit_18_agents_round_trip),
	};

	return cmocka_run_group_tests_name("trees", tests, NULL, NULL);
}
