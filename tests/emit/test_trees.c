#include "emit/fixture.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* EMIT-18: every agent file of the trees parses and comes back byte for byte. */
static void emit_18_agents_round_trip(void **state)
{
	size_t count = 0;

	for (size_t i = 0; i < AT_LEN(trees); i++) {
		char dir[4096];
		struct dirent *entry;
		DIR *d;

		snprintf(dir, sizeof(dir), "%s/trees/%s/.claude/agents", test_data(), trees[i]);
		d = opendir(dir);
		assert_non_null(d);
		while ((entry = readdir(d))) {
			struct at_arena *arena = at_arena_new();
			struct at_buf text, out = { 0 };
			struct at_agent agent;
			struct at_error err;

			if (!strstr(entry->d_name, ".md") || strstr(entry->d_name, "SETUP")) {
				at_arena_free(arena);
				continue;
			}
			text = test_read(dir, entry->d_name);
			if (!at_frameworks[AT_CLAUDE]->parse_agent(
				    &agent, at_buf_bytes(&text), arena, &err))
				fail_msg("%s: %s", entry->d_name, err.message);
			assert_true(agent.has_tools && agent.tools.count >= 3);
			at_frameworks[AT_CLAUDE]->render_agent(&out, &agent);
			assert_true(at_bytes_equal(at_buf_bytes(&text), at_buf_bytes(&out)));
			count++;
			at_buf_free(&text);
			at_buf_free(&out);
			at_arena_free(arena);
		}
		closedir(d);
	}
	assert_int_equal(count, 14);
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
