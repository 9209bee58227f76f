/* Settings files that are kept once they were read, and handed down as one look saw them. */
#include "emit/fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "emit/effective.h"
#include "emit/hooks.h"
#include "emit/sight.h"

#define CONFINED "{\"privilege_profile\": \"confined\"}"
#define ONE "{\"model\": \"one\"}"
#define TWO "{\"model\": \"two\"}"

static void write_same_size(struct fixture *f)
{
	fixture_write(f, LIVE, TWO);
}

static void replace_by_rename(struct fixture *f)
{
	fixture_write(f, ".claude/new", TWO);
	assert_int_equal(rename(test_path(f->project_path, ".claude/new"),
		at_arena_strdup(f->arena, test_path(f->project_path, LIVE))), 0);
}

static void take_away(struct fixture *f)
{
	assert_int_equal(unlink(test_path(f->project_path, LIVE)), 0);
}

static void replace_by_link(struct fixture *f)
{
	fixture_write(f, "other.json", TWO);
	take_away(f);
	assert_int_equal(symlink("../other.json", test_path(f->project_path, LIVE)), 0);
}

static void spoil(struct fixture *f)
{
	fixture_write(f, LIVE, "{\"model\": \"tw\",}");
}

/* The value of the model as a reader sees it now; "" where there is none. */
static const char *model(struct fixture *f)
{
	struct at_live live;
	const char *value = "";

	at_live_read(&live, &f->project, LIVE);
	if (live.is_object)
		value = at_json_string(&live.doc, at_json_at(&live.doc, "model"), f->arena).data;
	at_live_free(&live);
	return value;
}

/* WIRE-9: no change of a file is missed, however young its stamp; `old` says the stamp is old
 * enough to be trusted. */
static void wire_9_a_changed_file_is_read_again(void **state)
{
	static const struct {
		void (*change)(struct fixture *f);
		const char *want;
	} rows[] = {
		{ write_same_size, "two" }, { replace_by_rename, "two" }, { take_away, "" },
		{ replace_by_link, "two" }, { spoil, "" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * AT_LEN(rows); i++) {
		struct at_sight sight = { 0 };
		struct fixture f;
		struct at_live before;
		bool old = i % 2;

		fixture_begin(&f, CONFINED);
		f.project.sight = &sight;
		fixture_write(&f, LIVE, ONE);
		at_live_read(&before, &f.project, LIVE);
		assert_int_equal(sight.count, 1);
		sight.items[0]->live.file.stamp.is_settled = old;
		assert_string_equal(model(&f), "one");
		if (old)
			usleep(20000); /* no file system in use keeps time in longer steps, but FAT */
		sight.items[0]->live.file.stamp.is_settled = old;
		rows[i / 2].change(&f);
		if (strcmp(model(&f), rows[i / 2].want) != 0)
			fail_msg("row %zu, old %d: %s", i / 2, old, model(&f));
		/* Who held the old one still has it. */
		assert_true(at_json_string_is(
			&before.doc, at_json_at(&before.doc, "model"), "one"));
		at_live_free(&before);
		at_sight_free(&sight);
		fixture_end(&f);
	}
}

static void wire_9_an_unchanged_file_is_parsed_once(void **state)
{
	struct at_sight sight = { 0 };
	struct at_live one, two;
	struct fixture f;

	(void)state;
	fixture_begin(&f, CONFINED);
	f.project.sight = &sight;
	fixture_write(&f, LIVE, ONE);
	at_live_read(&one, &f.project, LIVE);
	at_live_read(&two, &f.project, LIVE);
	assert_ptr_equal(one.doc.nodes, two.doc.nodes);
	at_live_free(&one);
	assert_string_equal(model(&f), "one");
	at_live_free(&two);
	at_sight_free(&sight);
	fixture_end(&f);
}

static void put_findings(struct at_buf *out, const struct at_wiring *w)
{
	for (size_t i = 0; i < w->count; i++)
		at_buf_printf(out, "%s %d %s:%u:%u %s\n", w->findings[i].id,
			(int)w->findings[i].level, w->findings[i].where, w->findings[i].line,
			w->findings[i].column, w->findings[i].text);
	at_buf_printf(out, "%d %d %d %d %s\n", w->file_is_loaded, w->is_configured,
		w->hook_is_wired, w->undone, w->undone_by ? w->undone_by : "-");
}

static struct at_buf all_that_is_said(struct fixture *f)
{
	const struct at_framework *claude = at_frameworks[AT_CLAUDE];
	struct at_effective effective;
	struct at_hook_list hooks;
	struct at_wiring report;
	struct at_buf out = { 0 };

	at_wiring_init(&report);
	at_hook_list_init(&hooks);
	at_effective_init(&effective);
	fixture_must_plan(f);
	claude->hooks(&hooks, &f->manifest, &f->project, &f->plan);
	for (size_t i = 0; i < hooks.count; i++)
		at_buf_printf(&out, "%s %s %s %d%d\n", hooks.items[i].matcher,
			hooks.items[i].command, hooks.items[i].origin, hooks.items[i].is_ours,
			hooks.items[i].can_run);
	assert_true(claude->check_wiring(
		&report, &f->manifest, &f->project, &f->plan, &f->err));
	put_findings(&out, &report);
	claude->effective(&effective, &f->project);
	at_effective_print(&effective, &out);
	at_wiring_free(&report);
	at_hook_list_free(&hooks);
	at_effective_free(&effective);
	return out;
}

/* WIRE-9: scopes handed down say what each asker would have read. */
static void wire_9_scopes_handed_down_say_the_same(void **state)
{
	static const struct {
		const char *project, *local, *user;
	} rows[] = {
		{ NULL, NULL, NULL },
		{ "{\"permissions\": {\"allow\": [\"Bash(rm:*)\", \"Read(~/**)\"]}}", NULL, NULL },
		{ "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": "
		  "\"command\", \"command\": \"true\"}]}]}}",
			"{\"sandbox\": {\"enabled\": false}}", "{\"disableAllHooks\": true}" },
		{ "{\"sandbox\": {\"enabled\": true},}", "[]", "{" },
		{ "\xef\xbb\xbf{\"model\": \"a\", \"model\": \"b\"}", NULL, "#!/bin/sh\n" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_sight sight = { 0 };
		struct at_scopes scopes;
		struct at_buf alone, together;
		struct fixture f;

		fixture_begin(&f, CONFINED);
		f.project.managed_dir =
			at_arena_strdup(f.arena, test_path(f.top, "managed"));
		if (rows[i].project)
			fixture_write(&f, LIVE, rows[i].project);
		if (rows[i].local)
			fixture_write(&f, LOCAL, rows[i].local);
		if (rows[i].user)
			test_write(f.top, "home/.claude/settings.json", rows[i].user);
		alone = all_that_is_said(&f);
		f.project.sight = &sight;
		at_scopes_read(&scopes, &f.project, true);
		f.project.scopes = &scopes;
		together = all_that_is_said(&f);
		if (strcmp(at_buf_text(&alone), at_buf_text(&together)) != 0)
			fail_msg("row %zu:\n%s\n%s", i, at_buf_text(&alone),
				at_buf_text(&together));
		at_buf_free(&alone);
		at_buf_free(&together);
		at_scopes_free(&scopes);
		at_sight_free(&sight);
		fixture_end(&f);
	}
}

int test_sight(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_9_a_changed_file_is_read_again),
		cmocka_unit_test(wire_9_an_unchanged_file_is_parsed_once),
		cmocka_unit_test(wire_9_scopes_handed_down_say_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
