#include "emit/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_write.h"
#include "emit/effective.h"

#define CONFINED "{\"privilege_profile\": \"confined\"}"
#define SECRET "topsecretvalue"

/* Every scope by a name of its own; NULL leaves it out. */
struct scopes {
	const char *base, *drop_in, *local, *project, *user, *trust;
};

static void begin(struct fixture *f, const struct scopes *s)
{
	fixture_begin(f, CONFINED);
	f->project.managed_dir = at_arena_strdup(f->arena, test_path(f->top, "managed"));
	if (s->base)
		test_write(f->top, "managed/managed-settings.json", s->base);
	if (s->drop_in)
		test_write(f->top, "managed/managed-settings.d/10-site.json", s->drop_in);
	if (s->local)
		fixture_write(f, LOCAL, s->local);
	if (s->project)
		fixture_write(f, LIVE, s->project);
	if (s->user)
		test_write(f->top, "home/.claude/settings.json", s->user);
	if (s->trust)
		test_write(f->top, "home/.claude.json", s->trust);
}

static struct at_effective effective_of(struct fixture *f)
{
	struct at_effective e;

	at_effective_init(&e);
	at_frameworks[AT_CLAUDE]->effective(&e, &f->project);
	return e;
}

static const struct at_effective_value *find(const struct at_effective *e, const char *key,
	enum at_scope scope)
{
	for (size_t i = 0; i < e->count; i++)
		if (strcmp(e->values[i].key, key) == 0 && e->values[i].scope == scope)
			return &e->values[i];
	return NULL;
}

/* WIRE-9: which file's single value counts, in each pair. */
static void wire_9_order_of_scalars(void **state)
{
#define OFF "{\"sandbox\": {\"enabled\": false}}"
#define ON "{\"sandbox\": {\"enabled\": true}}"
	static const struct {
		struct scopes scopes;
		enum at_scope wins;
	} rows[] = {
		{ { .base = ON, .local = OFF, .project = OFF, .user = OFF }, AT_SCOPE_MANAGED },
		{ { .drop_in = ON, .local = OFF }, AT_SCOPE_MANAGED },
		{ { .local = OFF, .project = ON, .user = ON }, AT_SCOPE_LOCAL },
		{ { .project = ON, .user = OFF }, AT_SCOPE_PROJECT },
		{ { .user = OFF }, AT_SCOPE_USER },
		{ { .local = "{\"sandbox\": {\"enabled\": 1}}", .project = ON }, AT_SCOPE_PROJECT },
		{ { .base = "{,}", .local = OFF, .project = ON }, AT_SCOPE_LOCAL },
		{ { .local = "{\"model\": \"x\"}", .project = ON }, AT_SCOPE_PROJECT },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_effective e;
		struct fixture f;
		size_t counting = 0;

		begin(&f, &rows[i].scopes);
		e = effective_of(&f);
		for (size_t k = 0; k < e.count; k++) {
			if (strcmp(e.values[k].key, "sandbox.enabled") != 0 || e.values[k].overridden_by)
				continue;
			counting++;
			assert_row(i, e.values[k].scope == rows[i].wins);
		}
		assert_row(i, counting == 1);
		at_effective_free(&e);
		fixture_end(&f);
	}
}

/* WIRE-9: of several managed files the last by name is the strongest. */
static void wire_9_managed_drop_ins(void **state)
{
	const struct scopes s = { .base = ON, .drop_in = OFF };
	const struct at_effective_value *v;
	struct at_effective e;
	struct fixture f;

	begin(&f, &s);
	test_write(f.top, "managed/managed-settings.d/05-first.json", ON);
	test_write(f.top, "managed/managed-settings.d/.hidden.json", ON);
	test_write(f.top, "managed/managed-settings.d/readme.txt", ON);
	e = effective_of(&f);
	assert_int_equal(e.file_count, 6); /* three managed, the command line, local, project */
	v = find(&e, "sandbox.enabled", AT_SCOPE_MANAGED);
	assert_non_null(strstr(v->origin, "10-site.json"));
	assert_null(v->overridden_by);
	at_effective_free(&e);
	fixture_end(&f);
}

/* WIRE-9: lists are unions; what another list takes back says because of which file. */
static void wire_9_lists(void **state)
{
	const struct scopes s = {
		.local = "{\"permissions\": {\"allow\": [\"Edit(/a)\", \"Bash(ls)\"], \"deny\": []},"
			 " \"sandbox\": {\"filesystem\": {\"allowRead\": [\"~/.ssh/\"]}}}",
		.project = "{\"permissions\": {\"deny\": [\"Edit(/a)\"]}, \"sandbox\": {\"filesystem\": "
			   "{\"denyRead\": [\"~/.ssh\"], \"denyWrite\": [\"src\"]}}}",
		.user = "{\"sandbox\": {\"filesystem\": {\"allowWrite\": [\"./src\", \"docs\"]}}}",
	};
	struct at_effective e;
	struct fixture f;
	size_t lost = 0;

	begin(&f, &s);
	e = effective_of(&f);
	for (size_t i = 0; i < e.count; i++) {
		const struct at_effective_value *v = &e.values[i];
		bool loses = strcmp(v->value, "\"Edit(/a)\"") == 0
			? v->scope == AT_SCOPE_LOCAL : strcmp(v->value, "\"~/.ssh\"") == 0
			? true : strcmp(v->value, "\"./src\"") == 0;

		assert_row(i, (v->overridden_by != NULL) == loses);
		lost += loses;
	}
	assert_int_equal(lost, 3);
	assert_string_equal(find(&e, "sandbox.filesystem.denyRead[]", AT_SCOPE_PROJECT)->overridden_by,
		LOCAL);
	at_effective_free(&e);
	fixture_end(&f);
}

/* WIRE-9: hooks add up, and one file can switch all of them off. */
static void wire_9_hooks(void **state)
{
#define HOOKS                                                                                      \
	"\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", "    \
	"\"command\": \"true\", \"timeout\": 5}]}]}"
	static const struct {
		struct scopes scopes;
		const char *off_by; /* the project's hooks: a part of the file's name, or NULL */
	} rows[] = {
		{ { .project = "{" HOOKS "}", .user = "{" HOOKS "}" }, NULL },
		{ { .local = "{\"disableAllHooks\": true}", .project = "{" HOOKS "}" }, LOCAL },
		{ { .user = "{\"disableAllHooks\": true}", .project = "{" HOOKS "}" }, "~/.claude" },
		{ { .user = "{\"disableAllHooks\": true}",
			  .project = "{\"disableAllHooks\": false, " HOOKS "}" }, NULL },
		{ { .base = "{\"allowManagedHooksOnly\": true}", .project = "{" HOOKS "}" }, "managed" },
		{ { .local = "{\"allowManagedHooksOnly\": true}", .project = "{" HOOKS "}" }, NULL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_effective_value *v;
		struct at_effective e;
		struct fixture f;

		begin(&f, &rows[i].scopes);
		e = effective_of(&f);
		v = find(&e, "hooks.PreToolUse[]", AT_SCOPE_PROJECT);
		assert_row(i, v && (v->overridden_by != NULL) == (rows[i].off_by != NULL));
		assert_row(i, !rows[i].off_by || strstr(v->overridden_by, rows[i].off_by));
		at_effective_free(&e);
		fixture_end(&f);
	}
}

/* WIRE-5, WIRE-16: no value but those of sandbox, permissions and hooks. */
static void wire_16_names_only(void **state)
{
	const struct scopes s = { .project = "{\"env\": {\"MY_API_KEY\": \"" SECRET "\"}, \"statusLine\": "
					     "{\"command\": \"" SECRET "\"}, \"x\": \"" SECRET "\"}",
		.trust = "{\"oauth\": \"" SECRET "\", \"projects\": {}}" };
	struct at_json_value *json = at_json_object();
	struct at_buf out = { 0 };
	struct at_effective e;
	struct fixture f;

	begin(&f, &s);
	e = effective_of(&f);
	at_effective_print(&e, &out);
	at_effective_to_json(&e, json);
	at_json_print(&out, json, AT_JSON_PRETTY);
	assert_null(strstr(at_buf_text(&out), SECRET));
	assert_non_null(strstr(at_buf_text(&out), "env.MY_API_KEY"));
	at_json_value_free(json);
	at_buf_free(&out);
	at_effective_free(&e);
	fixture_end(&f);
}

/* WIRE-9: a huge file makes a bounded report. */
static void wire_9_hostile_sizes(void **state)
{
	struct at_buf text = { 0 };
	struct scopes s = { 0 };
	struct at_effective e;
	struct fixture f;

	at_buf_puts(&text, "{\"permissions\": {\"deny\": [");
	for (int i = 0; i < 200000; i++)
		at_buf_printf(&text, "%s\"Read(%d)\"", i ? "," : "", i);
	at_buf_puts(&text, "]}, \"sandbox\": {\"x\": \"");
	at_buf_pad(&text, 'y', 100000);
	at_buf_puts(&text, "\"");
	for (int i = 0; i < 100000; i++)
		at_buf_printf(&text, ",\"k%d\": 1", i);
	at_buf_puts(&text, "}}");
	s.project = at_buf_text(&text);
	begin(&f, &s);
	e = effective_of(&f);
	assert_true(e.count < 5000);
	for (size_t i = 0; i < e.count; i++)
		assert_row(i, strlen(e.values[i].value) < 2100);
	at_effective_free(&e);
	fixture_end(&f);
	at_buf_free(&text);
}

int test_effective(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_9_order_of_scalars),
		cmocka_unit_test(wire_9_managed_drop_ins),
		cmocka_unit_test(wire_9_lists),
		cmocka_unit_test(wire_9_hooks),
		cmocka_unit_test(wire_16_names_only),
		cmocka_unit_test(wire_9_hostile_sizes),
	};

	return cmocka_run_group_tests_name("effective", tests, NULL, NULL);
}
