#include "support/support.h"

#include <signal.h>
#include <string.h>

#include "support/screen.h"
#include "tui/app_parts.h"
#include "tui/sample_view.h"

struct bench {
	struct sample_hooks hooks;
	struct at_app app;
};

static int set_up(void **state)
{
	static struct bench bench;
	struct at_app_hooks hooks;

	memset(&bench, 0, sizeof(bench));
	bench.hooks.now = 1000;
	hooks = sample_app_hooks(&bench.hooks, false);
	at_app_init(&bench.app, &hooks, 80, 24);
	assert_true(at_app_push(&bench.app, &sample_view, NULL, NULL));
	screen_text(&bench.app);
	*state = &bench;
	return 0;
}

static int tear_down(void **state)
{
	at_app_free(&((struct bench *)*state)->app);
	return 0;
}

static void ask(struct bench *bench)
{
	screen_keys(&bench->app, "a w");
	assert_int_equal(bench->app.modal, AT_MODAL_CONFIRM);
}

static void see(struct bench *bench)
{
	screen_text(&bench->app);
	bench->hooks.now += AT_APP_GUARD_MS;
}

/* UI-6: a switch keeps the view it leaves, no more than AT_APP_PARKED of them, oldest out first. */
static void ui_6_a_switch_keeps_views(void **state)
{
	static struct at_view_class classes[AT_APP_PARKED + 2]; /* the application outlives the test */
	struct bench *bench = *state;
	struct at_view *first = at_app_top(&bench->app);

	for (size_t i = 0; i < AT_LEN(classes); i++)
		classes[i] = sample_view;
	for (size_t i = 0; i + 1 < AT_LEN(classes); i++) {
		assert_true(at_app_switch(&bench->app, &classes[i], NULL, NULL));
		assert_int_equal(bench->app.depth, 1);
		assert_int_equal(bench->app.parked_count, i < AT_APP_PARKED ? i + 1 : AT_APP_PARKED);
	}
	assert_ptr_not_equal(bench->app.parked[0], first);
	first = bench->app.parked[0];
	assert_true(at_app_push(&bench->app, &sample_view, NULL, NULL));
	assert_true(at_app_switch(&bench->app, &classes[0], NULL, NULL));
	assert_ptr_equal(at_app_top(&bench->app), first);
	assert_int_equal(bench->app.depth, 1);
	assert_int_equal(bench->app.parked_count, AT_APP_PARKED);
}

static void y_confirms_what_was_seen(void **state)
{
	struct bench *bench = *state;

	ask(bench);
	see(bench);
	screen_keys(&bench->app, "y");
	assert_int_equal(bench->hooks.written, 1);
	assert_int_equal(bench->app.modal, AT_MODAL_NONE);
	assert_non_null(strstr(screen_text(&bench->app), "1 file written"));
}

/* Nothing but y says yes; above all not Enter and not the key that asked. */
static void other_keys_never_confirm(void **state)
{
	static const char *const keys[] = { "Enter", "w", "Space", "Tab", "Y", "a", "j", "M-y", "C-y",
		"F1", "Q", "1" };
	struct bench *bench = *state;

	ask(bench);
	see(bench);
	for (size_t i = 0; i < AT_LEN(keys); i++) {
		screen_keys(&bench->app, keys[i]);
		assert_row(i, bench->app.modal == AT_MODAL_CONFIRM && bench->hooks.written == 0);
	}
	assert_false(bench->app.done);
}

static void no_is_said_in_several_ways(void **state)
{
	static const char *const keys[] = { "n", "q", "Esc", "C-c" };
	struct bench *bench = *state;

	for (size_t i = 0; i < AT_LEN(keys); i++) {
		ask(bench);
		see(bench);
		screen_keys(&bench->app, keys[i]);
		assert_row(i, bench->app.modal == AT_MODAL_NONE && bench->hooks.written == 0);
		assert_row(i, strstr(screen_text(&bench->app), "Nothing was written.") != NULL);
		assert_row(i, !bench->app.done);
	}
}

/* Typed ahead, or in the same batch, or right after it came up: not an answer. */
static void keys_before_it_was_seen_are_dropped(void **state)
{
	struct bench *bench = *state;

	screen_keys(&bench->app, "a w y y");
	assert_int_equal(bench->hooks.written, 0);
	screen_text(&bench->app);
	bench->hooks.now += AT_APP_GUARD_MS - 1;
	screen_keys(&bench->app, "y");
	assert_int_equal(bench->hooks.written, 0);
	assert_int_equal(bench->app.modal, AT_MODAL_CONFIRM);
	bench->hooks.now += 1;
	screen_keys(&bench->app, "y");
	assert_int_equal(bench->hooks.written, 1);
}

static void pasted_text_never_answers(void **state)
{
	const struct at_event paste = { .kind = AT_EVENT_PASTE, .text = { "y", 1 } };
	struct bench *bench = *state;

	ask(bench);
	see(bench);
	at_app_step(&bench->app, &paste);
	assert_int_equal(bench->hooks.written, 0);
	screen_keys(&bench->app, "n");
	at_app_step(&bench->app, &paste); /* nor does it act as keys */
	assert_int_equal(bench->app.modal, AT_MODAL_NONE);
}

static void resized_means_seen_anew(void **state)
{
	const struct at_event smaller = { .kind = AT_EVENT_RESIZE, .width = 60, .height = 20 };
	struct bench *bench = *state;

	ask(bench);
	see(bench);
	at_app_step(&bench->app, &smaller);
	screen_keys(&bench->app, "y");
	assert_int_equal(bench->hooks.written, 0);
}

static void ask_direct(struct bench *bench, const struct at_ask *what)
{
	struct at_fx fx = { 0 };

	at_fx_confirm(&fx, what);
	at_app_perform(&bench->app, at_app_top(&bench->app), &fx);
	see(bench);
}

/* The answer goes to who asked, not to who happens to be on top. */
static void the_answer_goes_to_who_asked(void **state)
{
	const struct at_ask what = { .id = SAMPLE_WRITE, .title = "Sure?",
		.danger = AT_DANGER_CONFIRM };
	struct bench *bench = *state;
	struct at_view *asker = at_app_top(&bench->app);
	struct at_fx fx = { 0 };

	at_fx_confirm(&fx, &what);
	at_fx_push(&fx, &sample_result, NULL);
	at_app_perform(&bench->app, asker, &fx);
	see(bench);
	screen_keys(&bench->app, "y");
	assert_int_equal(bench->hooks.written, 1);
	/* And to nobody when that one is closed. */
	at_fx_confirm(&fx, &what);
	at_fx_simple(&fx, AT_FX_POP);
	at_app_perform(&bench->app, at_app_top(&bench->app), &fx);
	see(bench);
	screen_keys(&bench->app, "y");
	assert_int_equal(bench->hooks.written, 1);
	assert_false(bench->app.done);
}

static void danger_asks_for_a_word(void **state)
{
	const struct at_ask what = { .id = SAMPLE_WRITE, .title = "Delete the key?",
		.yes = "delete", .danger = AT_DANGER_WORD, .word = "delete" };
	struct bench *bench = *state;

	ask_direct(bench, &what);
	screen_keys(&bench->app, "y Enter d e l e t Enter");
	assert_int_equal(bench->hooks.written, 0);
	assert_non_null(strstr(screen_text(&bench->app), "not the word"));
	screen_keys(&bench->app, "C-u d e l e t e Enter");
	assert_int_equal(bench->hooks.written, 1);
}

/* Should somebody bind y to an act, y alone still does not answer its question. */
static void a_trigger_that_is_the_confirm_key_needs_a_word(void **state)
{
	const struct at_ask what = { .id = SAMPLE_WRITE, .title = "Sure?",
		.danger = AT_DANGER_CONFIRM };
	struct bench *bench = *state;

	screen_keys(&bench->app, "y");
	ask_direct(bench, &what);
	screen_keys(&bench->app, "y");
	assert_int_equal(bench->hooks.written, 0);
	screen_keys(&bench->app, "e s Enter");
	assert_int_equal(bench->hooks.written, 1);
}

/* A question that does not fit is not answered before its end was seen. */
static void a_long_question_is_read_to_its_end(void **state)
{
	const char *lines[60];
	struct at_ask what = { .id = SAMPLE_WRITE, .title = "Write 60 files?", .lines = lines,
		.line_count = 60, .danger = AT_DANGER_CONFIRM };
	struct bench *bench = *state;

	for (size_t i = 0; i < 60; i++)
		lines[i] = "some/file.json";
	ask_direct(bench, &what);
	assert_non_null(strstr(screen_text(&bench->app), "more below"));
	screen_keys(&bench->app, "y");
	assert_int_equal(bench->hooks.written, 0);
	assert_non_null(strstr(screen_text(&bench->app), "more to read first"));
	for (int i = 0; i < 60; i++) {
		screen_keys(&bench->app, "Space");
		screen_text(&bench->app);
	}
	screen_keys(&bench->app, "y");
	assert_int_equal(bench->hooks.written, 1);
}

static void esc_and_q_never_leave(void **state)
{
	struct bench *bench = *state;

	screen_keys(&bench->app, "Esc Esc q q");
	assert_false(bench->app.done);
	assert_non_null(strstr(screen_text(&bench->app), "Q leaves"));
	screen_keys(&bench->app, "= Esc");
	assert_int_equal(bench->app.depth, 1);
	screen_keys(&bench->app, "= q");
	assert_int_equal(bench->app.depth, 1);
	screen_keys(&bench->app, "Q");
	assert_true(bench->app.done);
}

static void ctrl_c_twice_offers_to_leave(void **state)
{
	struct bench *bench = *state;

	screen_keys(&bench->app, "C-c j C-c");
	assert_int_equal(bench->app.modal, AT_MODAL_NONE);
	screen_keys(&bench->app, "C-c");
	assert_int_equal(bench->app.modal, AT_MODAL_CONFIRM);
	see(bench);
	screen_keys(&bench->app, "C-c");
	assert_false(bench->app.done);
	screen_keys(&bench->app, "C-c C-c");
	see(bench);
	screen_keys(&bench->app, "y");
	assert_true(bench->app.done);
}

/* What cannot be seen cannot be done. */
static void too_small_takes_nothing_but_help_and_leaving(void **state)
{
	const struct at_event small = { .kind = AT_EVENT_RESIZE, .width = 39, .height = 24 };
	const struct at_event large = { .kind = AT_EVENT_RESIZE, .width = 80, .height = 24 };
	struct bench *bench = *state;

	at_app_step(&bench->app, &small);
	assert_non_null(strstr(screen_text(&bench->app), "39x24, needs 40x10"));
	screen_keys(&bench->app, "j j a w = Tab");
	assert_int_equal(bench->app.modal, AT_MODAL_NONE);
	assert_int_equal(bench->app.depth, 1);
	at_app_step(&bench->app, &large);
	assert_non_null(strstr(screen_text(&bench->app), "> [ ] tightens sandbox.enabled"));
	at_app_step(&bench->app, &small);
	screen_keys(&bench->app, "?");
	assert_int_equal(bench->app.modal, AT_MODAL_HELP);
	screen_keys(&bench->app, "a c c e p t Enter"); /* not through the help either */
	screen_keys(&bench->app, "Q");
	assert_true(bench->app.done);
}

static void a_question_in_a_small_screen_waits(void **state)
{
	const struct at_event small = { .kind = AT_EVENT_RESIZE, .width = 20, .height = 5 };
	struct bench *bench = *state;

	ask(bench);
	at_app_step(&bench->app, &small);
	see(bench);
	screen_keys(&bench->app, "y");
	assert_int_equal(bench->hooks.written, 0);
}

static void off_actions_say_why(void **state)
{
	struct bench *bench = *state;
	char why[128];

	screen_keys(&bench->app, "u");
	assert_non_null(strstr(screen_text(&bench->app), "nothing was written yet"));
	screen_keys(&bench->app, "w");
	assert_int_equal(bench->app.modal, AT_MODAL_NONE);
	assert_non_null(strstr(screen_text(&bench->app), "no item is accepted"));
	assert_false(at_app_can(&bench->app, AT_DO_EDIT_ITEM, why, sizeof(why)));
	assert_string_equal(why, "");
	assert_false(at_app_can(&bench->app, AT_DO_VIEW_3, why, sizeof(why)));
	assert_true(at_app_can(&bench->app, AT_DO_REREAD, why, sizeof(why)));
}

static void help_lists_what_can_be_done_and_does_it(void **state)
{
	struct bench *bench = *state;
	const char *text;

	screen_keys(&bench->app, "?");
	text = screen_text(&bench->app);
	assert_non_null(strstr(text, "Accept the item"));
	assert_non_null(strstr(text, "(off: no item is accepted)"));
	assert_null(strstr(text, "Go to view 3"));
	assert_null(strstr(text, "Edit the item"));
	screen_keys(&bench->app, "r e s u l t i n g Enter");
	assert_int_equal(bench->app.depth, 2);
	assert_int_equal(bench->app.modal, AT_MODAL_NONE);
}

static void movement_never_acts(void **state)
{
	struct bench *bench = *state;
	struct at_event event = { .kind = AT_EVENT_KEY };

	for (size_t i = 0; i < bench->app.keymap.count; i++) {
		const struct at_binding *binding = &bench->app.keymap.bindings[i];

		if (at_action_info(binding->action)->danger != AT_DANGER_MOVES ||
			!(binding->contexts & AT_IN_GLOBAL))
			continue;
		event.key = binding->key;
		at_app_step(&bench->app, &event);
		assert_row(i, bench->app.modal == AT_MODAL_NONE && bench->app.depth == 1);
		assert_row(i, !strstr(screen_text(&bench->app), "[x]"));
	}
}

static void the_message_stays_until_a_key(void **state)
{
	const struct at_event focus = { .kind = AT_EVENT_FOCUS };
	struct bench *bench = *state;

	at_app_message(&bench->app, true, "bad\033[31m name");
	at_app_step(&bench->app, &focus);
	assert_non_null(strstr(screen_text(&bench->app), "bad^[[31m name"));
	screen_keys(&bench->app, "j");
	assert_null(strstr(screen_text(&bench->app), "bad"));
}

static void idle_comes_after_the_first_paint(void **state)
{
	struct bench *bench = *state;

	assert_true(bench->app.idle_due);
	at_app_idle(&bench->app);
	assert_false(bench->app.idle_due);
	assert_false(at_app_idle(&bench->app));
	screen_keys(&bench->app, "=");
	assert_true(bench->app.idle_due);
}

static void a_signal_ends_it(void **state)
{
	const struct at_event quit = { .kind = AT_EVENT_QUIT, .signal = SIGTERM };
	struct bench *bench = *state;

	ask(bench);
	at_app_step(&bench->app, &quit);
	assert_true(bench->app.done);
	assert_int_equal(bench->app.quit_signal, SIGTERM);
	assert_int_equal(bench->hooks.written, 0);
}

static void the_footer_never_wraps(void **state)
{
	struct bench *bench = *state;

	for (int width = 40; width < 140; width++) {
		const struct at_event size = { .kind = AT_EVENT_RESIZE, .width = width, .height = 24 };
		const char *last;

		at_app_step(&bench->app, &size);
		last = strstr(screen_text(&bench->app), " a accept");
		assert_non_null(last);
		assert_non_null(strstr(last, "? help   Q leave"));
		assert_ptr_equal(strchr(last, '\n'), last + strlen(last) - 1);
	}
}

static void search_moves_and_esc_goes_back(void **state)
{
	struct bench *bench = *state;

	screen_keys(&bench->app, "/ t i t l");
	assert_non_null(strstr(screen_text(&bench->app), "> [ ] neutral  title"));
	screen_keys(&bench->app, "Esc");
	assert_non_null(strstr(screen_text(&bench->app), "> [ ] tightens sandbox.enabled"));
	screen_keys(&bench->app, "/ s a n d b o x Enter n");
	assert_non_null(strstr(screen_text(&bench->app), "> [ ] RELAXES"));
	assert_non_null(strstr(screen_text(&bench->app), "2 of 2"));
	screen_keys(&bench->app, "n");
	assert_non_null(strstr(screen_text(&bench->app), "1 of 2, wrapped"));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int test_app(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(ui_6_a_switch_keeps_views),
		CASE(y_confirms_what_was_seen),
		CASE(other_keys_never_confirm),
		CASE(no_is_said_in_several_ways),
		CASE(keys_before_it_was_seen_are_dropped),
		CASE(pasted_text_never_answers),
		CASE(resized_means_seen_anew),
		CASE(the_answer_goes_to_who_asked),
		CASE(danger_asks_for_a_word),
		CASE(a_trigger_that_is_the_confirm_key_needs_a_word),
		CASE(a_long_question_is_read_to_its_end),
		CASE(esc_and_q_never_leave),
		CASE(ctrl_c_twice_offers_to_leave),
		CASE(too_small_takes_nothing_but_help_and_leaving),
		CASE(a_question_in_a_small_screen_waits),
		CASE(off_actions_say_why),
		CASE(help_lists_what_can_be_done_and_does_it),
		CASE(movement_never_acts),
		CASE(the_message_stays_until_a_key),
		CASE(idle_comes_after_the_first_paint),
		CASE(a_signal_ends_it),
		CASE(the_footer_never_wraps),
		CASE(search_moves_and_esc_goes_back),
	};

	return cmocka_run_group_tests_name("app", tests, NULL, NULL);
}
