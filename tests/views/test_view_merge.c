/* The Merge view and the frame without a terminal: golden screens and its rules. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "views/fixture.h"
#include "views/view_merge.h"

static void begin(struct fixture *f, const char *live, int width, int height)
{
	struct fixture_plan plan = { .live = live, .is_emitted = true };

	fixture_begin(f, &plan, &at_view_merge, 4, width, height);
}

static void end(struct fixture *f)
{
	fixture_end(f);
}

/* UI-4: every size in dark, light and mono; the golden text has a row of styles under each row. */
static void ui_4_golden_screens(void **state)
{
	static const struct fixture_plan plan = { .is_emitted = true };
	static const struct {
		const char *name, *keys;
	} scenes[] = {
		{ "merge-start", "" },
		{ "merge-widens", "j a" },
		{ "merge-diff", "Tab" },
		{ "merge-result", "=" },
		{ "merge-item", "Enter" },
		{ "merge-write", "w" },
		{ "merge-help", "?" },
	};

	for (size_t i = 0; i < AT_LEN(scenes); i++)
		fixture_golden(&plan, &at_view_merge, 4, scenes[i].name, scenes[i].keys);
}

/* UI-4: what cannot be merged is said at every size. */
static void wire_3_refusal_screens(void **state)
{
	static const struct {
		const char *name, *live;
	} rows[] = {
		{ "comment", "{\n  // house rules\n  \"a\": 1\n}\n" },
		{ "hostile", "{\"a\": \"\x1b]0;x\x07\"}\n" },
	};
	static const int sizes[][2] = { { 80, 24 }, { 40, 10 } };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		for (size_t s = 0; s < AT_LEN(sizes); s++) {
			struct fixture f;
			char name[64];

			begin(&f, rows[i].live, sizes[s][0], sizes[s][1]);
			snprintf(name, sizeof(name), "merge-refused-%s-%dx%d", rows[i].name, sizes[s][0],
				sizes[s][1]);
			screen_golden(&f.app, AT_THEME_DARK, name);
			end(&f);
		}
	}
}

/* Nothing left, no file yet, hostile rules. */
static void wire_4_other_screens(void **state)
{
	static const struct {
		const char *name, *live;
	} rows[] = {
		{ "twice", "{\"permissions\": {\"deny\": []}, \"permissions\": {\"deny\": []}}\n" },
		{ "wrong-type", "{\"permissions\": \"none\", \"sandbox\": {\"filesystem\": []}}\n" },
		{ "unicode", "{\"permissions\": {\"deny\": [\"Read(\xe6\x97\xa5\xe6\x9c\xac\xe2\x80\xae/\xc3\xa9)\"]}}\n" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;
		char name[64];

		begin(&f, rows[i].live, 80, 24);
		snprintf(name, sizeof(name), "merge-%s-80x24", rows[i].name);
		screen_golden(&f.app, AT_THEME_DARK, name);
		screen_keys(&f.app, "Tab");
		at_app_idle(&f.app);
		snprintf(name, sizeof(name), "merge-%s-diff-80x24", rows[i].name);
		screen_golden(&f.app, AT_THEME_DARK, name);
		end(&f);
	}
}

/* The view outside of any application: what an action asks for. */
static struct at_view *alone(struct fixture *f, const char *live)
{
	struct at_view *view;
	struct at_error err;

	begin(f, live, 80, 24);
	view = at_view_new(&at_view_merge, &f->arg, &err);
	assert_non_null(view);
	at_view_layout(view, 80, 20);
	return view;
}

/* WIRE-4: accepting what widens asks first; a no leaves it out. */
static void wire_4_widening_asks_first(void **state)
{
	struct at_event answer = { .kind = AT_EVENT_ANSWER };
	struct at_fx fx = { 0 };
	struct fixture f;
	struct at_view *view = alone(&f, NULL);
	const struct at_merge *merge = at_view_merge_model(view)->merge;
	const struct at_fx_item *asked;

	view->class->act(view, AT_DO_MOVE_DOWN, &fx);
	at_fx_clear(&fx);
	view->class->act(view, AT_DO_ACCEPT, &fx);
	asked = at_fx_find(&fx, AT_FX_CONFIRM);
	assert_non_null(asked);
	assert_int_equal(asked->ask.danger, AT_DANGER_CONFIRM);
	assert_int_equal(at_merge_item(merge, 1)->effect, AT_WIDENS);
	assert_false(at_merge_item(merge, 1)->selected);
	answer.id = asked->ask.id;
	view->class->event(view, &answer, &fx);
	assert_false(at_merge_item(merge, 1)->selected);
	answer.yes = true;
	view->class->event(view, &answer, &fx);
	assert_true(at_merge_item(merge, 1)->selected);
	at_fx_free(&fx);
	at_view_free(view);
	end(&f);
}

/* WIRE-2: w only asks; the write itself is the application's act, after a yes. */
static void wire_2_write_only_asks(void **state)
{
	struct at_event answer = { .kind = AT_EVENT_ANSWER };
	struct at_fx fx = { 0 };
	struct fixture f;
	struct at_view *view = alone(&f, NULL);
	const struct at_fx_item *found;

	view->class->act(view, AT_DO_WRITE, &fx);
	found = at_fx_find(&fx, AT_FX_CONFIRM);
	assert_non_null(found);
	assert_null(at_fx_find(&fx, AT_FX_DO));
	answer.id = found->ask.id;
	at_fx_clear(&fx);
	view->class->event(view, &answer, &fx);
	assert_null(at_fx_find(&fx, AT_FX_DO));
	answer.yes = true;
	view->class->event(view, &answer, &fx);
	found = at_fx_find(&fx, AT_FX_DO);
	assert_non_null(found);
	assert_int_equal(found->code, AT_ACT_MERGE_WRITE);
	at_fx_free(&fx);
	at_view_free(view);
	end(&f);
}

/* A key that is off says why and does nothing. */
static void ui_4_off_keys_say_why(void **state)
{
	static const struct {
		const char *live;
		int downs;
		enum at_action action;
		const char *says;
	} rows[] = {
		{ NULL, 39, AT_DO_ACCEPT, "the gate program is not on this host" },
		{ NULL, 0, AT_DO_ACCEPT, "chosen already" },
		{ NULL, 0, AT_DO_EDIT_ITEM, "no single value" },
		{ "{ broken", 0, AT_DO_WRITE, "nothing to merge" },
		{ "{ broken", 0, AT_DO_RESULT, "nothing to merge" },
		{ "{ broken", 0, AT_DO_ACCEPT, "nothing to merge" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_fx fx = { 0 };
		struct fixture f;
		struct at_view *view = alone(&f, rows[i].live);
		const struct at_fx_item *said;

		for (int k = 0; k < rows[i].downs; k++)
			view->class->act(view, AT_DO_MOVE_DOWN, &fx);
		at_fx_clear(&fx);
		view->class->act(view, rows[i].action, &fx);
		said = at_fx_find(&fx, AT_FX_MESSAGE);
		assert_row(i, said && strstr(said->text, rows[i].says));
		assert_row(i, !at_fx_find(&fx, AT_FX_CONFIRM) && !at_fx_find(&fx, AT_FX_DO));
		at_fx_free(&fx);
		at_view_free(view);
		end(&f);
	}
}

/* UI-5: while changes of white space are hidden nothing is decided, and it says why. */
static void ui_5_hidden_space_takes_no_decision(void **state)
{
	static const enum at_action decisions[] = { AT_DO_ACCEPT, AT_DO_KEEP_MINE, AT_DO_EDIT_ITEM,
		AT_DO_ACCEPT_ALL_SAFE, AT_DO_WRITE };
	struct at_fx fx = { 0 };
	struct fixture f;
	struct at_view *view = alone(&f, NULL);
	char why[160];

	view->class->act(view, AT_DO_SPACE, &fx);
	for (size_t i = 0; i < AT_LEN(decisions); i++) {
		at_fx_clear(&fx);
		view->class->act(view, decisions[i], &fx);
		assert_row(i,
			strstr(at_fx_find(&fx, AT_FX_MESSAGE)->text, "W shows them, then decide"));
		assert_row(i, !at_fx_find(&fx, AT_FX_CONFIRM) && !at_fx_find(&fx, AT_FX_PROMPT));
	}
	assert_true(at_merge_item(at_view_merge_model(view)->merge, 0)->selected);
	view->class->act(view, AT_DO_SPACE, &fx);
	assert_false(view->class->why_not(view, AT_DO_WRITE, why, sizeof(why)));
	at_fx_free(&fx);
	at_view_free(view);
	end(&f);
}

/* UI-5: a filter hides items and decides nothing: undecided ones count all the same, and the
 * way to the next one takes the filter off. */
static void ui_5_filter_hides_no_undecided_item(void **state)
{
	struct fixture f;

	begin(&f, NULL, 120, 40);
	screen_keys(&f.app, "f d e n y Enter");
	at_app_idle(&f.app);
	if (!strstr(screen_text(&f.app), "[filter: deny] ")
		|| !strstr(screen_text(&f.app), "38 of "))
		fail_msg("%s", screen_text(&f.app));
	assert_null(strstr(screen_text(&f.app), "> [ ] WIDENS"));
	screen_keys(&f.app, "A");
	assert_non_null(strstr(screen_text(&f.app), "items that it hides are meant too"));
	screen_keys(&f.app, "n t");
	assert_non_null(
		strstr(screen_text(&f.app), "The filter is off: it hid the next undecided item."));
	assert_non_null(strstr(screen_text(&f.app), "> [ ] WIDENS"));
	screen_keys(&f.app, "f x q z Enter a");
	assert_non_null(strstr(screen_text(&f.app), "the cursor is on no item"));
	end(&f);
}

/* UI-5: the zoomed diff goes side by side, folds, and opens a fold with Enter. */
static void ui_5_diff_pane_of_the_merge(void **state)
{
	struct fixture f;

	begin(&f, NULL, 120, 40);
	screen_keys(&f.app, "|");
	assert_non_null(strstr(screen_text(&f.app), "side by side needs 100 columns, here are 64"));
	screen_keys(&f.app, "Tab z | Z");
	screen_golden(&f.app, AT_THEME_DARK, "merge-sides-folded-120x40-dark");
	assert_non_null(strstr(screen_text(&f.app), " unchanged"));
	screen_keys(&f.app, "Enter");
	screen_golden(&f.app, AT_THEME_DARK, "merge-sides-opened-120x40-dark");
	end(&f);
}

/* UI-6: decisions are undone one by one, and survive reading again. */
static void ui_6_decisions_are_kept_and_undone(void **state)
{
	struct at_event changed = { .kind = AT_EVENT_CHANGED, .id = AT_ACT_REREAD, .yes = true };
	struct at_fx fx = { 0 };
	struct fixture f;
	struct at_view *view = alone(&f, NULL);
	const struct at_merge *merge = at_view_merge_model(view)->merge;

	view->class->act(view, AT_DO_KEEP_MINE, &fx);
	assert_false(at_merge_item(merge, 0)->selected);
	test_write(f.options.project, ".claude/settings.json", "{\"model\": \"other\"}\n");
	view->class->event(view, &changed, &fx);
	merge = at_view_merge_model(view)->merge;
	assert_false(at_merge_item(merge, 0)->selected);
	view->class->act(view, AT_DO_ACCEPT, &fx);
	assert_true(at_merge_item(merge, 0)->selected);
	view->class->act(view, AT_DO_UNDO, &fx);
	assert_false(at_merge_item(merge, 0)->selected);
	at_fx_clear(&fx);
	view->class->act(view, AT_DO_UNDO, &fx); /* none left: the last write is meant, and asked for */
	assert_non_null(at_fx_find(&fx, AT_FX_CONFIRM));
	at_fx_free(&fx);
	at_view_free(view);
	end(&f);
}

static void live_of_same_size(struct fixture *f)
{
	test_write(f->options.project, ".claude/settings.json", "{\"model\": \"two\"}\n");
}

static void live_renamed_over(struct fixture *f)
{
	char to[PATH_MAX];

	test_write(f->options.project, "new", "{\"model\": \"two\"}\n");
	snprintf(to, sizeof(to), "%s/.claude/settings.json", f->options.project);
	assert_int_equal(rename(test_path(f->options.project, "new"), to), 0);
}

static void live_removed(struct fixture *f)
{
	assert_int_equal(unlinkat(f->session.project.fd, ".claude/settings.json", 0), 0);
}

static void live_is_link(struct fixture *f)
{
	live_removed(f);
	test_write(f->options.project, "two.json", "{\"model\": \"two\"}\n");
	assert_int_equal(
		symlinkat("../two.json", f->session.project.fd, ".claude/settings.json"), 0);
}

static void collected_anew(struct fixture *f)
{
	at_collected_free(&f->collected);
	at_collect(&f->collected, &f->session);
}

static void brief_changed(struct fixture *f)
{
	struct at_error err;

	test_write(f->options.project, "brief.json", "{\"privilege_profile\": \"cooperative\"}\n");
	assert_true(at_session_reread(&f->session, &err));
	collected_anew(f);
}

static void touched(struct fixture *f)
{
	test_write(f->options.project, ".claude/settings.json", "{\"model\": \"one\"}\n");
}

static void nothing(struct fixture *f)
{
	(void)f;
}

/* WIRE-2: who comes back to the view sees the files as they are; where none changed nothing is
 * made anew. `trusted`: the stamp of the live file is old enough to be believed. */
static void wire_2_back_from_away_no_change_is_missed(void **state)
{
	static const struct {
		void (*change)(struct fixture *f);
		bool same;
	} rows[] = {
		{ nothing, true }, { touched, true }, { collected_anew, true },
		{ live_of_same_size, false }, { live_renamed_over, false },
		{ live_removed, false }, { live_is_link, false }, { brief_changed, false },
	};
	struct at_event away = { .kind = AT_EVENT_CHANGED, .id = AT_CHANGED_AWAY };

	(void)state;
	for (size_t i = 0; i < 2 * AT_LEN(rows); i++) {
		struct at_fx fx = { 0 };
		struct fixture f;
		struct at_view *view = alone(&f, "{\"model\": \"one\"}\n");
		struct at_merge_model *model = at_view_merge_model(view);
		const struct at_merge *before = model->merge;

		usleep(20000);
		model->live.file.stamp.is_settled = i % 2;
		rows[i / 2].change(&f);
		view->class->event(view, &away, &fx);
		model = at_view_merge_model(view);
		assert_row(i, (model && model->merge == before) == rows[i / 2].same);
		/* Also a second time, when what it knows of the file is newer than what it read. */
		before = model ? model->merge : NULL;
		view->class->event(view, &away, &fx);
		model = at_view_merge_model(view);
		assert_row(i, (model ? model->merge : NULL) == before);
		at_fx_free(&fx);
		at_view_free(view);
		end(&f);
	}
}

/* UI-4: two hundred sizes down to one cell, in both panes. */
static void ui_4_resize_storm(void **state)
{
	struct fixture f;
	unsigned seed = 7;

	begin(&f, NULL, 80, 24);
	for (int i = 0; i < 200; i++) {
		struct at_event resize = { .kind = AT_EVENT_RESIZE };

		seed = seed * 1103515245u + 12345u;
		resize.width = (int)(seed >> 16) % 160 + 1;
		seed = seed * 1103515245u + 12345u;
		resize.height = (int)(seed >> 16) % 60 + 1;
		at_app_step(&f.app, &resize);
		screen_text(&f.app);
		at_app_idle(&f.app);
		if (i % 7 == 0)
			screen_keys(&f.app, "Tab j ]");
	}
	end(&f);
}

int test_view_merge(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_4_golden_screens),
		cmocka_unit_test(wire_3_refusal_screens),
		cmocka_unit_test(wire_4_other_screens),
		cmocka_unit_test(wire_4_widening_asks_first),
		cmocka_unit_test(wire_2_write_only_asks),
		cmocka_unit_test(ui_4_off_keys_say_why),
		cmocka_unit_test(ui_5_hidden_space_takes_no_decision),
		cmocka_unit_test(ui_5_filter_hides_no_undecided_item),
		cmocka_unit_test(ui_5_diff_pane_of_the_merge),
		cmocka_unit_test(ui_6_decisions_are_kept_and_undone),
		cmocka_unit_test(wire_2_back_from_away_no_change_is_missed),
		cmocka_unit_test(ui_4_resize_storm),
	};

	return cmocka_run_group_tests_name("view_merge", tests, NULL, NULL);
}
