#include "emit/fixture.h"

#include <string.h>

#include "emit/agent.h"
#include "emit/team_import.h"

#define AGENT ".claude/agents/a.md"
#define GOOSE_LOG ".goose/recipes/references/build-log.json"

static void begin(struct fixture *f, enum at_framework_id to, enum at_platform platform)
{
	fixture_begin(f, "{\"privilege_profile\": \"confined\"}");
	f->options.framework = to;
	f->options.platform = platform;
	f->options.allow_unenforced_confinement = true;
	f->project.team_dir = ".goose/recipes";
	fixture_write(f, AGENT, "---\nname: A\ndescription: b\ntools: Read, Task\n---\nbody\n");
}

static bool plan(struct fixture *f, struct at_imported *out, bool overwrite)
{
	const struct at_import import = { .place = f->project_path, .overwrite = overwrite };
	struct at_project project = f->project;

	at_plan_init(&f->plan);
	at_notices_init(&f->notices);
	project.origin = "convert";
	if (!at_decide(&f->manifest, &f->request, &f->options, f->arena, &f->err))
		fail_msg("decide: %s", f->err.message);
	return at_team_import_plan(out, &f->plan, &f->notices, &f->manifest, &project, &import,
		       &f->err) &&
		at_emit_plan(&f->plan, &f->notices, &f->manifest, &project, &f->err);
}

/* IOP-3, DEC-7: agents are planned where nothing can confine them, and the record says so. */
static void dec_7_record_keeps_the_advisory(void **state)
{
	struct at_imported imported;
	const struct at_change *log;
	struct fixture f;

	begin(&f, AT_GOOSE, AT_WINDOWS);
	if (!plan(&f, &imported, false))
		fail_msg("%s", f.err.message);
	assert_int_equal(imported.agents, 1);
	assert_int_equal(imported.format, AT_CLAUDE);
	assert_int_equal(fixture_change(&f, ".goose/recipes/a.yaml")->kind, AT_CREATE);
	assert_null(fixture_change(&f, "sandbox/confine-run.sh"));
	log = fixture_change(&f, GOOSE_LOG);
	assert_non_null(log);
	assert_non_null(strstr(log->bytes.data, "\"privilege-profile-unenforced-host\""));
	assert_non_null(strstr(log->bytes.data, "\"origin\": \"convert\""));
	assert_non_null(strstr(log->bytes.data, "\"a.yaml\""));
	fixture_end(&f);
}

/* KEY-12, EMIT-14: what differs stays, or is replaced, and stands in the record once. */
static void key_12_what_differs(void **state)
{
	static const char quoted[] = "\"a.yaml\"";

	for (int turn = 0; turn < 2; turn++) {
		struct at_imported imported;
		const struct at_change *log;
		struct fixture f;
		const char *first;

		begin(&f, AT_GOOSE, AT_LINUX);
		fixture_write(&f, ".goose/recipes/a.yaml", "mine\n");
		if (!plan(&f, &imported, turn))
			fail_msg("%s", f.err.message);
		assert_int_equal(imported.kept, !turn);
		assert_int_equal(imported.replaced, turn);
		assert_int_equal(fixture_change(&f, ".goose/recipes/a.yaml")->kind,
			turn ? AT_REPLACE : AT_KEPT);
		log = fixture_change(&f, GOOSE_LOG);
		first = strstr(log->bytes.data, quoted);
		assert_non_null(first);
		assert_null(strstr(first + 1, quoted));
		fixture_end(&f);
	}
}

/* WP-2: reading is what is left; the orchestrator keeps what it has; done twice is done once. */
static void wp_2_narrowing(void **state)
{
	static const struct { const char *slug, *have, *want, *section; } rows[] = {
		{ "a", "edit read execute", "read", "Never Write" },
		{ "a", "todo search", "read search todo", "Never Write" },
		{ "a", "Bash(x) claude:read", "read", "Never Write" },
		{ "a", NULL, "read search", "Never Write" },
		{ "orchestrator", "edit", "edit", "Applying Proposals" },
		{ "bridge-orchestrator", "execute", "execute", "Applying Proposals" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_arena *arena = at_arena_new();
		const char *items[4];
		struct at_agent agent = { .slug = rows[i].slug, .has_tools = rows[i].have != NULL,
			.tools = { items, 0 } };
		struct at_buf text = { 0 };
		size_t len;

		for (char *save, *w = rows[i].have ? strtok_r(at_arena_strdup(arena, rows[i].have),
			     " ", &save) : NULL; w; w = strtok_r(NULL, " ", &save))
			items[agent.tools.count++] = w;
		at_team_policy_apply(&agent, arena);
		for (size_t k = 0; k < agent.tools.count; k++)
			at_buf_printf(&text, "%s%s", k ? " " : "", agent.tools.items[k]);
		assert_row(i, strcmp(at_buf_text(&text), rows[i].want) == 0);
		assert_row(i, memmem(agent.body.data, agent.body.len, rows[i].section,
			strlen(rows[i].section)) != NULL);
		len = agent.body.len;
		at_team_policy_apply(&agent, arena);
		assert_row(i, agent.body.len == len);
		at_buf_free(&text);
		at_arena_free(arena);
	}
}

int test_import(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(dec_7_record_keeps_the_advisory),
		cmocka_unit_test(key_12_what_differs),
		cmocka_unit_test(wp_2_narrowing),
	};

	return cmocka_run_group_tests_name("import", tests, NULL, NULL);
}
