#include "support/support.h"

#include <limits.h>
#include <string.h>

#include "core/control_plane.h"

#define R ".claude/agents/references/"

static const char *path_of(const struct at_plane_row *row, const char *team)
{
	static char out[PATH_MAX];

	return at_plane_path(out, sizeof(out), row, team);
}

/* EMIT-2: the rows of denyWrite, in order, and nothing else. */
static void emit_2_deny_write_rows(void **state)
{
	struct at_buf got = { 0 };

	for (size_t i = 0; i < at_control_plane_count; i++)
		if (at_control_plane[i].use & AT_PLANE_DENY_WRITE)
			at_buf_printf(&got, "%s\n",
				path_of(&at_control_plane[i], at_team_dir(AT_CLAUDE)));
	assert_string_equal(at_buf_text(&got),
		R "agent-privilege.json\n"
		".claude/hooks/constitutional-gate.sh\n"
		".claude/hooks/constitutional-gate.py\n"
		R "authorized-verify-keys\n"
		".claude\n");
	at_buf_free(&got);
}

static void add_edit(struct at_buf *out, const struct at_plane_row *row, const char *team)
{
	const char *path = path_of(row, team);

	at_buf_printf(out, "/%s%s\n", path, row->use & AT_PLANE_TREE ? "/**" : "");
}

/* EMIT-6: the table is enough to build every Edit rule of a claude team, in its order. */
static void emit_6_edit_rules(void **state)
{
	struct at_buf got = { 0 }, want = { 0 };

	for (size_t i = 0; i < at_control_plane_count; i++)
		if ((at_control_plane[i].use & AT_PLANE_EDIT_DENY) &&
			strcmp(at_control_plane[i].role, "after siblings") != 0)
			add_edit(&got, &at_control_plane[i], at_team_dir(AT_CLAUDE));
	for (size_t s = 0; s < 3; s++)
		for (size_t i = 0; i < at_control_plane_count; i++)
			if (at_control_plane[i].use & AT_PLANE_EDIT_DENY_SIBLING)
				add_edit(&got, &at_control_plane[i],
					at_team_dir(at_sibling_edit_order[s]));
	for (size_t i = 0; i < at_control_plane_count; i++)
		if ((at_control_plane[i].use & AT_PLANE_EDIT_DENY) &&
			strcmp(at_control_plane[i].role, "after siblings") == 0)
			add_edit(&got, &at_control_plane[i], NULL);

	at_buf_puts(&want,
		"/" R "agent-privilege.json\n/" R "authorized-verify-keys/**\n"
		"/" R "security-approvers.txt\n/" R "authorized-managers.txt\n"
		"/" R "management-authority.json\n"
		"/references/security-approvers.txt\n"
		"/.claude/settings.json\n/.claude/settings.local.json\n"
		"/.claude/settings.hooks.example.json\n/.goose/confined-run.example.sh\n"
		"/.codex/confined-run.example.sh\n"
		"/.claude/hooks/**\n");
	for (size_t s = 0; s < 3; s++) {
		static const char *const teams[] = { ".github/agents", ".codex/agents",
			".goose/recipes" };
		static const char *const files[] = { "agent-privilege.json",
			"authorized-verify-keys/**", "security-approvers.txt",
			"authorized-managers.txt", "management-authority.json", "build-log.json" };

		for (size_t f = 0; f < AT_LEN(files); f++)
			at_buf_printf(&want, "/%s/references/%s\n", teams[s], files[f]);
	}
	at_buf_puts(&want, "/.goose/sandbox.sb\n/.codex/config.toml\n");
	assert_string_equal(at_buf_text(&got), at_buf_text(&want));
	at_buf_free(&got);
	at_buf_free(&want);
}

/* EMIT-3: sorted, .github never whole. */
static void emit_3_siblings(void **state)
{
	assert_string_equal(at_siblings[0].dir, ".codex");
	assert_string_equal(at_siblings[1].dir, ".github/agents");
	assert_string_equal(at_siblings[2].dir, ".goose");
	for (size_t i = 1; i < 3; i++)
		assert_row(i, strcmp(at_siblings[i - 1].dir, at_siblings[i].dir) < 0);
	for (size_t i = 0; i < 3; i++)
		assert_row(i, strncmp(at_team_dir(at_siblings[i].framework), at_siblings[i].dir,
			strlen(at_siblings[i].dir)) == 0);
}

/* EMIT-13: the list, and never the workflows. */
static void emit_13_prompt_roots(void **state)
{
	static const char *const want[] = { ".github/copilot-instructions.md",
		".github/instructions/", ".github/prompts/", ".github/agents/", "AGENTS.md",
		"AGENTS.override.md", ".goosehints", ".codex/", ".goose/recipes/", "CLAUDE.md",
		"CLAUDE.local.md", ".mcp.json", ".agentteams/" };

	assert_int_equal(at_prompt_root_count, AT_LEN(want));
	for (size_t i = 0; i < AT_LEN(want); i++) {
		assert_row(i, strcmp(at_prompt_roots[i], want[i]) == 0);
		assert_row(i, !strstr(at_prompt_roots[i], "workflows"));
	}
}

/* Which rows each other reader of the table gets. */
static void columns_of_the_table(void **state)
{
	static const struct {
		unsigned use;
		const char *want;
	} rows[] = {
		{ AT_PLANE_LAUNCHER_NEEDED,
			"T/references/agent-privilege.json .claude/hooks/constitutional-gate.sh "
			".claude/hooks/constitutional-gate.py T/references/authorized-verify-keys " },
		{ AT_PLANE_LAUNCHER_SWITCHED,
			"T/references/security-approvers.txt T/references/authorized-managers.txt "
			"T/references/management-authority.json " },
		{ AT_PLANE_LAUNCHER_PRESENT,
			"T/references/build-log.json references/security-approvers.txt "
			".claude/settings.hooks.example.json .goose/confined-run.example.sh "
			".codex/confined-run.example.sh .goose/sandbox.sb .codex/config.toml "
			".codex/hooks.json sandbox .agentteams .git/hooks .git/config "
			".git/config.worktree .git/info " },
		{ AT_PLANE_LAUNCHER_PROTECT, ".claude " },
		{ AT_PLANE_LAUNCHER_GIT, ".git/hooks .git/config .git/config.worktree .git/info " },
		{ AT_PLANE_SEATBELT,
			"T/references/agent-privilege.json .claude/hooks/constitutional-gate.sh "
			".claude/hooks/constitutional-gate.py T/references/authorized-verify-keys "
			".claude T/references/security-approvers.txt T/references/authorized-managers.txt "
			"T/references/management-authority.json references/security-approvers.txt "
			".goose/sandbox.sb .codex/config.toml .codex/hooks.json " },
		{ AT_PLANE_NO_ANCESTOR, "references/security-approvers.txt " },
		{ AT_PLANE_WRITE_POLICY, ".agentteams .goose/recipes " },
		{ AT_PLANE_GRANTED_EDIT, ".agentteams .claude/agents " },
		{ AT_PLANE_GRANTED_READ, ".agentteams .agentteams-queue " },
	};

	for (size_t r = 0; r < AT_LEN(rows); r++) {
		struct at_buf got = { 0 };

		for (size_t i = 0; i < at_control_plane_count; i++)
			if (at_control_plane[i].use & rows[r].use)
				at_buf_printf(&got, "%s ", path_of(&at_control_plane[i], "T"));
		if (strcmp(at_buf_text(&got), rows[r].want) != 0)
			fail_msg("row %zu: %s", r, at_buf_text(&got));
		at_buf_free(&got);
	}
}

/* Runner and servers refuse every row; a sibling's marker counts, an own one does not. */
static void every_row_is_refused(void **state)
{
	for (size_t i = 0; i < at_control_plane_count; i++) {
		const struct at_plane_row *row = &at_control_plane[i];

		assert_row(i, row->use & AT_PLANE_REFUSE);
		assert_row(i, row->role && *row->role);
		/* who is denied as a sibling's is denied as an own one, but the marker */
		if ((row->use & AT_PLANE_EDIT_DENY_SIBLING) && !(row->use & AT_PLANE_EDIT_DENY))
			assert_row(i, strcmp(row->path, AT_TEAM_MARKER) == 0);
		if (row->use & AT_PLANE_TEAM)
			assert_row(i, row->only < 0);
	}
}

static void covers(void **state)
{
	static const struct {
		const char *path;
		unsigned uses;
		bool want;
	} rows[] = {
		{ ".claude", AT_PLANE_REFUSE, true },
		{ ".claude/anything/below", AT_PLANE_REFUSE, true },
		{ ".claudette", AT_PLANE_REFUSE, false },
		{ ".claude", AT_PLANE_EDIT_DENY, false },
		{ ".claude/settings.json", AT_PLANE_EDIT_DENY, true },
		{ ".claude/settings.json/x", AT_PLANE_EDIT_DENY, false },
		{ ".claude/hooks/x/y", AT_PLANE_EDIT_DENY, true },
		{ ".github/agents/references/agent-privilege.json", AT_PLANE_EDIT_DENY, true },
		{ ".github/agents/references/build-log.json", AT_PLANE_EDIT_DENY, false },
		{ ".github/agents/references/build-log.json", AT_PLANE_EDIT_DENY_SIBLING, true },
		{ ".codex/agents/references/authorized-verify-keys/k.pub.pem", AT_PLANE_EDIT_DENY, true },
		{ ".codex/agents/references/authorized-verify-keys.txt", AT_PLANE_EDIT_DENY, false },
		{ ".agents/references/agent-privilege.json", AT_PLANE_REFUSE, false }, /* CEIL-10 */
		{ ".github", AT_PLANE_REFUSE, false },
		{ ".github/workflows/ci.yml", AT_PLANE_REFUSE, false },
		{ ".github/agents/x.agent.md", AT_PLANE_REFUSE, true },
		{ ".goose/recipes/x.yaml", AT_PLANE_REFUSE, true },
		{ ".agentteams", AT_PLANE_REFUSE, true },
		{ ".agentteams/bin/x", AT_PLANE_LAUNCHER_PRESENT, true },
		{ ".agentteams-queue/requests/1", AT_PLANE_REFUSE, true },
		{ ".agentteams-queue/requests/1", AT_PLANE_LAUNCHER_PRESENT, false },
		{ ".git/hooks/pre-commit", AT_PLANE_REFUSE, true },
		{ ".git/config", AT_PLANE_REFUSE, true },
		{ ".git/objects/aa/bb", AT_PLANE_REFUSE, false },
		{ "references/security-approvers.txt", AT_PLANE_EDIT_DENY, true },
		{ "references/other.txt", AT_PLANE_REFUSE, false },
		{ "sandbox/confine-run.sh", AT_PLANE_REFUSE, true },
		{ "src/main.c", AT_PLANE_REFUSE, false },
		{ "src/.claude/x", AT_PLANE_REFUSE, false },
		{ "", AT_PLANE_REFUSE, false },
		{ ".", AT_PLANE_REFUSE, false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, at_plane_covers(rows[i].path, rows[i].uses) == rows[i].want);
}

static void team_dirs(void **state)
{
	assert_string_equal(at_team_dir(AT_CLAUDE), ".claude/agents");
	assert_string_equal(at_team_dir(AT_GOOSE), ".goose/recipes");
	assert_string_equal(at_team_dir(AT_CODEX), ".codex/agents");
	assert_string_equal(at_team_dir(AT_AGENTS_MD), ".agents");
	assert_string_equal(at_team_dir(AT_COPILOT_VSCODE), ".github/agents");
	assert_ptr_equal(at_team_dir(AT_COPILOT_VSCODE), at_team_dir(AT_COPILOT_CLI));
}

int test_control_plane(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_2_deny_write_rows),
		cmocka_unit_test(emit_6_edit_rules),
		cmocka_unit_test(emit_3_siblings),
		cmocka_unit_test(emit_13_prompt_roots),
		cmocka_unit_test(columns_of_the_table),
		cmocka_unit_test(every_row_is_refused),
		cmocka_unit_test(covers),
		cmocka_unit_test(team_dirs),
	};

	return cmocka_run_group_tests_name("control_plane", tests, NULL, NULL);
}
