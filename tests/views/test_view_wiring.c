/* The Wiring view without a terminal: golden screens, its rules, and what waits for a verdict. */
#include "support/support.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/apply.h"
#include "core/json_write.h"
#include "emit/claude_gate.h"
#include "support/screen.h"
#include "views/acts.h"
#include "views/frame.h"
#include "views/hook_job.h"
#include "views/merge_model.h"
#include "views/step_hooks.h"
#include "views/view_wiring.h"
#include "views/wiring_rows.h"

#define LIVE ".claude/settings.json"
#define LOCAL ".claude/settings.local.json"
#define GATE                                                                                       \
	"#!/bin/sh\ncase $(cat) in *'push --force'*) echo '{\"hookSpecificOutput\": "               \
	"{\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"ask\"}}' ;; esac\n"
#define MERGED ((const char *)-1) /* the live file is the emitted example */

struct scene {
	const char *name;
	const char *live, *local; /* NULL: none */
	bool has_gate;
};

struct fixture {
	char *stage;
	struct at_options options;
	const char *places[2];
	struct at_session session;
	struct at_collected collected;
	struct at_view_arg arg;
	struct at_app app;
	int64_t now;
};

static int64_t now_ms(void *user)
{
	return ((struct fixture *)user)->now += 1000;
}

static int frame_rows(void *user, int width, int height)
{
	(void)user;
	return at_frame_rows(width, height);
}

static void frame(void *user, const struct at_app *app, const struct at_canvas *canvas)
{
	struct fixture *f = user;

	(void)app;
	at_frame_paint(&f->session, &f->collected, 5, canvas);
}

static void emit(struct fixture *f)
{
	struct at_collected c;
	struct at_applied applied;
	struct at_error err;

	at_collect(&c, &f->session);
	if (!c.is_planned || !at_plan_apply(&c.plan, f->session.project.fd, &f->session.state, "update",
				     &applied, &err))
		fail_msg("%s", c.is_planned ? err.message : c.plan_error.message);
	at_collected_free(&c);
}

static void put_gate(struct fixture *f, const char *text)
{
	test_write(f->stage, "libexec/agentteams-gate", text);
	assert_int_equal(chmod(f->places[0], 0755), 0);
}

static void look(struct fixture *f, bool run)
{
	if (f->arg.session)
		at_collected_free(&f->collected);
	if (run)
		at_collect_probed(&f->collected, &f->session);
	else
		at_collect(&f->collected, &f->session);
	f->arg = (struct at_view_arg){ &f->session, &f->collected };
}

/* Nothing of this machine is looked at: not its PATH, its environment, its managed settings. */
static void begin(struct fixture *f, const struct scene *scene, bool run)
{
	struct at_error err;
	struct at_buf example;

	memset(f, 0, sizeof(*f));
	f->stage = test_tree_new();
	test_write(f->stage, "shop/brief.json",
		"{\"project_name\": \"shop\", \"privilege_profile\": \"confined\"}");
	assert_int_equal(mkdir(test_path(f->stage, "home"), 0700), 0);
	setenv("HOME", test_path(f->stage, "home"), 1);
	unsetenv("XDG_STATE_HOME");
	f->options.project = at_strdup(test_path(f->stage, "shop"));
	f->places[0] = at_strdup(test_path(f->stage, "libexec/agentteams-gate"));
	if (!at_session_open(&f->session, &f->options, &err))
		fail_msg("%s", err.message);
	f->session.host.search_path = NULL;
	f->session.host.environment = NULL;
	f->session.project.managed_dir = "/nonexistent";
	f->session.project.gate_places = f->places;
	if (scene->has_gate)
		put_gate(f, GATE);
	emit(f);
	if (scene->live == MERGED) {
		example = test_read(f->options.project, ".claude/settings.hooks.example.json");
		test_write(f->options.project, LIVE, at_buf_text(&example));
		at_buf_free(&example);
	} else if (scene->live) {
		test_write(f->options.project, LIVE, scene->live);
	}
	if (scene->local)
		test_write(f->options.project, LOCAL, scene->local);
	look(f, run);
}

static void open_app(struct fixture *f, int width, int height)
{
	struct at_app_hooks hooks = { .user = f, .now_ms = now_ms, .frame_rows = frame_rows,
		.frame = frame };
	struct at_error err;

	step_hooks(&hooks, 5);
	at_app_init(&f->app, &hooks, width, height);
	assert_true(at_app_push(&f->app, &at_view_wiring, &f->arg, &err));
}

static void end(struct fixture *f)
{
	at_collected_free(&f->collected);
	at_session_close(&f->session);
	free((char *)(uintptr_t)f->options.project);
	free((char *)(uintptr_t)f->places[0]);
	test_tree_remove(f->stage);
}

static const struct scene wired = { "wired", MERGED, NULL, true };
static const struct scene scenes[] = {
	{ "no-gate", MERGED, NULL, false },
	{ "no-file", NULL, NULL, true },
	{ "dropped", "{\n  // house rules\n  \"sandbox\": {\"enabled\": true}\n}\n", NULL, true },
	{ "undone", MERGED,
		"{\"sandbox\": {\"enabled\": false, \"excludedCommands\": [\"git\"]}, \"env\": "
		"{\"MY_TOKEN\": \"never shown\"}}",
		true },
	{ "hostile", "{\"permissions\": {\"deny\": [\"Read(\xe6\x97\xa5\xe2\x80\xae/\\u001b]0;x\\u0007)\"]}, "
		     "\"hooks\": {\"PreToolUse\": [{\"matcher\": \"\\u001b[2J\", \"hooks\": [{\"type\": "
		     "\"command\", \"timeout\": 9, \"command\": \"echo \\u202e\"}]}]}}\n",
		NULL, true },
};

/* UI-4: every size, dark, light and mono; a row of styles stands under each row. */
static void ui_4_golden_screens(void **state)
{
	static const int sizes[][2] = { { 40, 10 }, { 80, 24 }, { 120, 40 }, { 200, 60 } };
	static const enum at_theme_id themes[] = { AT_THEME_DARK, AT_THEME_LIGHT, AT_THEME_MONO };
	static const char *const keys[] = { "", "G", "Enter", "?" };
	struct fixture f;
	char name[96];

	begin(&f, &wired, true);
	for (size_t s = 0; s < AT_LEN(sizes); s++) {
		for (size_t k = 0; k < AT_LEN(keys); k++) {
			open_app(&f, sizes[s][0], sizes[s][1]);
			screen_text(&f.app);
			if (*keys[k])
				screen_keys(&f.app, keys[k]);
			for (size_t t = 0; t < AT_LEN(themes); t++) {
				static const char *const names[] = { "start", "end", "open", "help" };

				snprintf(name, sizeof(name), "wiring-%s-%dx%d-%s", names[k], sizes[s][0],
					sizes[s][1], at_theme_name(themes[t]));
				screen_golden(&f.app, themes[t], name);
			}
			at_app_free(&f.app);
		}
	}
	end(&f);
}

/* WIRE-8, WIRE-9: the first question and its answer in each state, at every size. */
static void wire_8_first_question(void **state)
{
	static const int sizes[][2] = { { 40, 10 }, { 80, 24 }, { 120, 40 } };
	static const char *const answers[] = { "YES", "NO FILE", "NO", "undone by " LOCAL, "YES" };

	for (size_t i = 0; i < AT_LEN(scenes); i++) {
		struct fixture f;
		char name[96];

		begin(&f, &scenes[i], true);
		for (size_t s = 0; s < AT_LEN(sizes); s++) {
			open_app(&f, sizes[s][0], sizes[s][1]);
			assert_row(i, s == 0 || strstr(screen_text(&f.app), answers[i]));
			snprintf(name, sizeof(name), "wiring-%s-%dx%d", scenes[i].name, sizes[s][0],
				sizes[s][1]);
			screen_golden(&f.app, AT_THEME_DARK, name);
			at_app_free(&f.app);
		}
		end(&f);
	}
}

static struct at_view *alone(struct fixture *f, const struct scene *scene)
{
	struct at_view *view;
	struct at_error err;

	begin(f, scene, false);
	view = at_view_new(&at_view_wiring, &f->arg, &err);
	assert_non_null(view);
	at_view_layout(view, 80, 20);
	return view;
}

/* WIRE-10: our hook is run at a key; commands of the settings are named and asked about. */
static void wire_10_foreign_hooks_are_asked_about(void **state)
{
	static const struct scene with_foreign = { "", "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": "
		"\"command\", \"timeout\": 9, \"command\": \"my-own-guard\"}]}]}}", NULL, true };
	struct at_event answer = { .kind = AT_EVENT_ANSWER };
	const struct at_fx_item *found;
	struct at_fx fx = { 0 };
	struct at_view *view;
	struct fixture f;

	view = alone(&f, &wired);
	view->class->act(view, AT_DO_RUN_HOOKS, &fx);
	found = at_fx_find(&fx, AT_FX_DO);
	assert_true(found && found->code == AT_ACT_RUN_HOOKS && !*(const bool *)found->data);
	at_fx_clear(&fx);
	at_view_free(view);
	end(&f);
	view = alone(&f, &with_foreign);
	view->class->act(view, AT_DO_RUN_HOOKS, &fx);
	assert_null(at_fx_find(&fx, AT_FX_DO));
	found = at_fx_find(&fx, AT_FX_CONFIRM);
	assert_true(found && found->ask.line_count == 1);
	assert_string_equal(found->ask.lines[0], "my-own-guard");
	answer.id = found->ask.id;
	at_fx_clear(&fx);
	view->class->event(view, &answer, &fx);
	assert_null(at_fx_find(&fx, AT_FX_DO));
	answer.yes = true;
	view->class->event(view, &answer, &fx);
	found = at_fx_find(&fx, AT_FX_DO);
	assert_true(found && *(const bool *)found->data);
	at_fx_free(&fx);
	at_view_free(view);
	end(&f);
}

/* A key that is off says why and does nothing. */
static void ui_4_off_keys_say_why(void **state)
{
	static const char *const says[] = { "is run", "just now", "agent session", "gate program" };

	for (size_t i = 0; i < AT_LEN(says); i++) {
		const struct at_fx_item *said;
		struct at_fx fx = { 0 };
		struct at_view *view;
		struct fixture f;

		view = alone(&f, i == 3 ? &scenes[0] : &wired);
		f.options.no_probes = i == 0;
		f.session.hooks_are_running = i == 1;
		f.session.host.agent_marker = i == 2 ? "CLAUDECODE" : NULL;
		if (i == 3) { /* neither ours nor another one */
			test_write(f.options.project, LIVE, "{}");
			look(&f, false);
		}
		view->class->act(view, AT_DO_RUN_HOOKS, &fx);
		said = at_fx_find(&fx, AT_FX_MESSAGE);
		assert_row(i, said && strstr(said->text, says[i]));
		assert_row(i, !at_fx_find(&fx, AT_FX_DO) && !at_fx_find(&fx, AT_FX_CONFIRM));
		at_fx_free(&fx);
		at_view_free(view);
		end(&f);
	}
}

static const struct at_merge_item *hook_item(const struct at_merge_model *model)
{
	for (size_t i = 0; i < at_merge_count(model->merge); i++)
		if (at_merge_item(model->merge, i)->group == AT_GROUP_HOOKS)
			return at_merge_item(model->merge, i);
	return NULL;
}

/* WIRE-4, WIRE-10: the hook is offered for merging once the emitted file was run and judged
 * good; not before, not when it is bad, not without its program. */
static void wire_10_merge_waits_for_the_verdict(void **state)
{
	static const struct {
		const char *gate; /* NULL: none */
		bool run, offered;
		const char *why;
	} rows[] = {
		{ GATE, true, true, NULL },
		{ GATE, false, false, "was not run" },
		{ "#!/bin/sh\nexit 0\n", true, false, "let a call pass" },
		{ "#!/bin/sh\nexit 2\n", true, false, "everything denied" },
		/* the script makes a refusal of it: it fails closed */
		{ "#!/bin/sh\nexit 1\n", true, false, "everything denied" },
		{ NULL, true, false, "not on this host" },
	};
	static const struct scene bare = { "", "{}", NULL, false };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_merge_item *item;
		struct at_merge_model model;
		struct at_error err;
		struct fixture f;

		begin(&f, &bare, false);
		if (rows[i].gate) {
			put_gate(&f, rows[i].gate);
			emit(&f); /* the script pins the program that is there */
		}
		look(&f, rows[i].run);
		if (!at_merge_model_open(&model, &f.session, &f.collected, NULL, &err))
			fail_msg("%s", err.message);
		item = hook_item(&model);
		assert_row(i, item && (item->blocked == NULL) == rows[i].offered);
		assert_row(i, rows[i].offered ? item->selected : strstr(item->blocked, rows[i].why) != NULL);
		at_merge_model_close(&model);
		end(&f);
	}
}

/* WIRE-10: a verdict is of one program: another one at its place is not judged by it. */
static void wire_10_verdict_is_of_one_program(void **state)
{
	struct fixture f;

	begin(&f, &wired, true);
	assert_null(at_collected_gate_fault(&f.collected, &f.session));
	assert_true(f.collected.wiring.hook_is_wired);
	look(&f, false); /* the same program: still known */
	assert_true(f.collected.wiring.hook_is_wired);
	put_gate(&f, GATE "# another\n");
	look(&f, false);
	assert_non_null(at_collected_gate_fault(&f.collected, &f.session));
	assert_false(f.collected.wiring.hook_is_wired);
	end(&f);
}

/* WIRE-10: the job beside the screen comes to the same verdicts. */
static void wire_10_job_brings_the_verdicts(void **state)
{
	struct at_hook_book book = { 0 };
	struct at_job job;
	struct at_error err;
	struct fixture f;

	begin(&f, &wired, false);
	if (!at_hook_job_start(&job, &f.collected.hooks, &f.session.project, true, &err))
		fail_msg("%s", err.message);
	for (bool done = false; !done;) {
		struct pollfd fd = { .fd = job.fd, .events = POLLIN };

		assert_true(poll(&fd, 1, 20000) > 0);
		done = at_hook_job_read(&job, &book);
	}
	assert_int_equal(job.fd, -1);
	assert_int_equal(book.count, 1);
	assert_int_equal(at_hook_book_find(&book, f.collected.hooks.gate)->result, AT_HOOK_STOPS);
	at_hook_book_free(&book);
	end(&f);
}

/* WIRE-5: plain and JSON hold what the screen holds, and no value of env. */
static void wire_9_reports_are_the_same_model(void **state)
{
	for (size_t i = 0; i < AT_LEN(scenes); i++) {
		struct at_json_value *json = at_json_object();
		struct at_buf text = { 0 }, printed = { 0 };
		struct at_wiring_answer answer;
		struct fixture f;

		begin(&f, &scenes[i], true);
		at_wiring_answer(&answer, &f.collected);
		at_wiring_report_print(&f.session, &f.collected, &text);
		at_wiring_report_json(&f.session, &f.collected, json);
		at_json_print(&printed, json, AT_JSON_PRETTY);
		assert_row(i, strstr(at_buf_text(&text), answer.word));
		assert_row(i, strstr(at_buf_text(&printed), "\"would_load\""));
		assert_row(i, !strstr(at_buf_text(&text), "never shown"));
		assert_row(i, !strstr(at_buf_text(&printed), "never shown"));
		assert_row(i, !strchr(at_buf_text(&printed), '\033') && !strchr(at_buf_text(&text), '\033'));
		at_json_value_free(json);
		at_buf_free(&text);
		at_buf_free(&printed);
		end(&f);
	}
}

/* UI-4: any size, any row opened. */
static void ui_4_resize_storm(void **state)
{
	struct fixture f;
	unsigned seed = 11;

	begin(&f, &scenes[3], true);
	open_app(&f, 80, 24);
	for (int i = 0; i < 150; i++) {
		struct at_event resize = { .kind = AT_EVENT_RESIZE };

		seed = seed * 1103515245u + 12345u;
		resize.width = (int)(seed >> 16) % 220 + 1;
		seed = seed * 1103515245u + 12345u;
		resize.height = (int)(seed >> 16) % 60 + 1;
		at_app_step(&f.app, &resize);
		screen_text(&f.app);
		screen_keys(&f.app, i % 3 ? "j" : "Enter");
		screen_text(&f.app);
		if (i % 3 == 0)
			screen_keys(&f.app, "q");
		if (i % 40 == 0)
			screen_keys(&f.app, "g");
	}
	at_app_free(&f.app);
	end(&f);
}

/* GATE-5: the operator's own program, by an absolute path whatever was typed, is what the plan
 * pins; one that its user can write is not in custody. */
static void gate_5_program_of_argv(void **state)
{
	struct at_session session;
	struct at_options options = { .gate_program = "libexec/../libexec/agentteams-gate" };
	char *stage = test_tree_new(), here[PATH_MAX];
	struct at_gate_pin pin;
	struct at_error err;

	test_write(stage, "shop/brief.json", "{\"privilege_profile\": \"confined\"}");
	test_write(stage, "home/x", "");
	test_write(stage, "libexec/agentteams-gate", GATE);
	assert_int_equal(chmod(test_path(stage, "libexec/agentteams-gate"), 0755), 0);
	setenv("HOME", test_path(stage, "home"), 1);
	options.project = at_strdup(test_path(stage, "shop"));
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(stage), 0);
	if (!at_session_open(&session, &options, &err))
		fail_msg("%s", err.message);
	assert_int_equal(chdir(here), 0);
	assert_string_equal(at_claude_gate_program(&session.project),
		test_path(stage, "libexec/agentteams-gate"));
	assert_true(at_gate_pin(&pin, &session.project));
	assert_false(pin.custody);
	at_session_close(&session);
	options.gate_program = "";
	assert_false(at_session_open(&session, &options, &err));
	assert_non_null(strstr(err.message, "--gate-program"));
	at_session_close(&session);
	free((char *)(uintptr_t)options.project);
	test_tree_remove(stage);
}

int test_view_wiring(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate_5_program_of_argv),
		cmocka_unit_test(ui_4_golden_screens),
		cmocka_unit_test(wire_8_first_question),
		cmocka_unit_test(wire_10_foreign_hooks_are_asked_about),
		cmocka_unit_test(ui_4_off_keys_say_why),
		cmocka_unit_test(wire_10_merge_waits_for_the_verdict),
		cmocka_unit_test(wire_10_verdict_is_of_one_program),
		cmocka_unit_test(wire_10_job_brings_the_verdicts),
		cmocka_unit_test(wire_9_reports_are_the_same_model),
		cmocka_unit_test(ui_4_resize_storm),
	};

	return cmocka_run_group_tests_name("view_wiring", tests, NULL, NULL);
}
