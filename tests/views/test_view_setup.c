/* The Setup view without a terminal: golden screens and its rules. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/apply.h"
#include "support/screen.h"
#include "views/acts.h"
#include "views/brief_save.h"
#include "views/frame.h"
#include "views/setup_model.h"
#include "views/step_hooks.h"
#include "views/view_setup.h"

#define SHOP                                                                                        \
	"{\n  \"project_name\": \"shop\",\n  \"privilege_profile\": \"confined\",\n"                \
	"  \"workspace_write_roots\": [\"src\", \"docs\"],\n  \"x\": 1e0\n}\n"

struct fixture {
	char *stage;
	struct at_options options;
	struct at_session session;
	struct at_collected collected;
	struct at_setup_draft draft;
	struct at_view_arg arg;
	struct at_app app;
	int64_t now;
};

static int64_t now_ms(void *user)
{
	struct fixture *f = user;

	return f->now += 1000;
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
	at_frame_paint(&f->session, &f->collected, 1, canvas);
}

/* What the application does for this view. */
static void perform(void *user, struct at_view *view, int code, const void *data, struct at_fx *fx)
{
	struct at_event changed = { .kind = AT_EVENT_CHANGED, .id = code };
	struct fixture *f = user;
	struct at_applied applied;
	struct at_error err;

	switch (code) {
	case AT_ACT_BRIEF_SAVE:
		changed.yes = at_brief_save(&f->session, *(const struct at_bytes *)data, &applied, &err);
		assert_true(at_session_reread(&f->session, &err) || true);
		break;
	case AT_ACT_ACCEPT_ROOT:
		changed.yes = at_session_accept_root(&f->session, data, &err);
		break;
	case AT_ACT_FRAMEWORK:
		changed.yes = at_session_choose_framework(&f->session,
			(enum at_framework_id)*(const int *)data, &err);
		break;
	default:
		changed.yes = at_session_reread(&f->session, &err);
		break;
	}
	view->class->event(view, &changed, fx);
}

/* A project of one file, `brief` unless that is NULL. */
static void begin(struct fixture *f, const char *brief, int width, int height)
{
	struct at_app_hooks hooks = { .user = f, .now_ms = now_ms, .frame_rows = frame_rows,
		.frame = frame, .perform = perform };
	struct at_error err;

	memset(f, 0, sizeof(*f));
	f->stage = test_tree_new();
	assert_int_equal(mkdir(test_path(f->stage, "shop"), 0755), 0);
	assert_int_equal(mkdir(test_path(f->stage, "home"), 0700), 0);
	setenv("HOME", test_path(f->stage, "home"), 1);
	unsetenv("XDG_STATE_HOME");
	f->options.gate_program = "/nonexistent/agentteams-gate";
	f->options.project = at_strdup(test_path(f->stage, "shop"));
	if (brief)
		test_write(f->options.project, "brief.json", brief);
	if (!at_session_open(&f->session, &f->options, &err))
		fail_msg("%s", err.message);
	at_collect(&f->collected, &f->session);
	f->session.draft = &f->draft;
	f->arg = (struct at_view_arg){ &f->session, &f->collected };
	step_hooks(&hooks, 1);
	at_app_init(&f->app, &hooks, width, height);
	assert_true(at_app_push(&f->app, &at_view_setup, &f->arg, &err));
	screen_text(&f->app);
	at_app_idle(&f->app);
}

static void end(struct fixture *f)
{
	at_app_free(&f->app);
	at_setup_draft_free(&f->draft);
	at_collected_free(&f->collected);
	at_session_close(&f->session);
	free((char *)(uintptr_t)f->options.project);
	test_tree_remove(f->stage);
}

static void type(struct fixture *f, const char *text)
{
	for (; *text; text++) {
		struct at_event event = { .kind = AT_EVENT_KEY, .key = { (uint32_t)(unsigned char)*text, 0 } };

		screen_text(&f->app); /* a question is answered after it was drawn */
		at_app_step(&f->app, &event);
	}
}

/* Keys by name; "'text" types it. */
static void keys(struct fixture *f, const char *names)
{
	char copy[512], *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%s", names);
	while ((word = strsep(&rest, " "))) {
		screen_text(&f->app);
		if (*word == '\'')
			type(f, word + 1);
		else if (*word)
			screen_keys(&f->app, word);
	}
	screen_text(&f->app);
	at_app_idle(&f->app);
}

static const char *screen(struct fixture *f)
{
	return screen_text(&f->app);
}

static struct at_setup_model *model(struct fixture *f)
{
	return at_view_setup_model(at_app_top(&f->app));
}

static struct at_buf brief_of(struct fixture *f)
{
	return test_read(f->options.project, "brief.json");
}

#define GO(what) "/ '" what " Enter "

/* UI-4: every size, in dark, light and mono. */
static void ui_4_golden_screens(void **state)
{
	static const int sizes[][2] = { { 40, 10 }, { 80, 24 }, { 120, 40 }, { 200, 60 } };
	static const struct {
		const char *name, *brief, *keys;
	} scenes[] = {
		{ "start", SHOP, "" },
		{ "new", NULL, "" },
		{ "choice", SHOP, "j" },
		{ "pane", SHOP, "j Tab" },
		{ "drafted", SHOP, "j Enter " GO("workspace_w") "+ 'lib Enter" },
		{ "bad", SHOP, GO("team_id") "Enter C-u 'Shop Enter" },
		{ "word", SHOP, GO("workspace_w") "+ '/srv/other Enter" },
		{ "save", SHOP, "j Enter w" },
		{ "hostile", "{\"project_name\": \"a\xe2\x80\xae" "b\", \"k\\u001b]0;x\": \"\\u0007\",\n"
			"\"protected_read_paths\": [\"~/\xc2\x9b" "2J\"], \"team_id\": \"\\u001b[2J\"}\n", "G" },
	};
	static const struct {
		enum at_theme_id id;
		const char *name;
	} themes[] = { { AT_THEME_DARK, "dark" }, { AT_THEME_LIGHT, "light" }, { AT_THEME_MONO, "mono" } };

	for (size_t s = 0; s < AT_LEN(sizes); s++) {
		for (size_t i = 0; i < AT_LEN(scenes); i++) {
			struct fixture f;
			char name[64];

			begin(&f, scenes[i].brief, sizes[s][0], sizes[s][1]);
			keys(&f, scenes[i].keys);
			for (size_t t = 0; t < AT_LEN(themes); t++) {
				snprintf(name, sizeof(name), "setup-%s-%dx%d-%s", scenes[i].name, sizes[s][0],
					sizes[s][1], themes[t].name);
				screen_golden(&f.app, themes[t].id, name);
			}
			end(&f);
		}
	}
}

/* UI-1: a project never seen: the default is drafted and nothing is written until a yes. */
static void ui_1_first_run_drafts_the_default(void **state)
{
	struct fixture f;
	struct at_buf brief;

	begin(&f, NULL, 80, 24);
	assert_string_equal(at_buf_text(&model(&f)->text), "{\n  \"privilege_profile\": \"confined\"\n}\n");
	keys(&f, "j Enter w n");
	assert_false(test_exists(f.options.project, "brief.json"));
	keys(&f, "w y");
	brief = brief_of(&f);
	assert_string_equal(at_buf_text(&brief), "{\n  \"privilege_profile\": \"exclusive\"\n}\n");
	assert_true(f.session.request_ok && f.session.request.profile == AT_EXCLUSIVE);
	assert_false(at_setup_is_changed(model(&f)));
	at_buf_free(&brief);
	end(&f);
}

/* REQ-4: a new root outside needs its last segment typed; another word, a paste or Esc leave
 * it out; the word counts for this session. */
static void req_4_typed_confirmation(void **state)
{
	struct at_event paste = { .kind = AT_EVENT_PASTE, .text = { "other", 5 } };
	struct fixture f;

	begin(&f, SHOP, 100, 30);
	keys(&f, GO("workspace_w") "+ '../other Enter");
	assert_non_null(strstr(screen(&f), "SANDBOX WIDENING"));
	assert_int_equal(model(&f)->request.write_roots.count, 2);
	keys(&f, "y Enter");
	assert_non_null(strstr(screen(&f), "SANDBOX WIDENING"));
	keys(&f, "Backspace");
	at_app_step(&f.app, &paste);
	keys(&f, "Enter");
	assert_int_equal(f.session.accepted.count, 0);
	keys(&f, "Esc");
	assert_int_equal(model(&f)->request.write_roots.count, 2);
	keys(&f, "+ '../other/ Enter 'other Enter");
	assert_int_equal(f.session.accepted.count, 1);
	assert_int_equal(model(&f)->request.write_roots.count, 3);
	assert_non_null(strstr(screen(&f), "OUTSIDE, accepted"));
	keys(&f, "w");
	assert_non_null(strstr(screen(&f), "SANDBOX WIDENING: allowWrite gains '../other/'"));
	end(&f);
}

/* REQ-4: what an older brief holds outside is not accepted by being there. */
static void req_4_old_outside_root_is_said(void **state)
{
	struct fixture f;

	begin(&f, "{\"workspace_write_roots\": [\"../other\"]}\n", 100, 40);
	assert_non_null(strstr(screen(&f), "OUTSIDE, not accepted"));
	keys(&f, GO("../other") "Enter 'other Enter");
	assert_non_null(strstr(screen(&f), "OUTSIDE, accepted"));
	assert_false(at_setup_is_changed(model(&f)));
	end(&f);
}

/* REQ-2, REQ-3, REQ-13: what may not be is said beside the field and not taken; the next try
 * begins with what was typed. */
static void req_14_bad_input_beside_the_field(void **state)
{
	static const struct {
		const char *keys, *says;
	} rows[] = {
		{ GO("team_id") "Enter C-u 'Shop Enter", "lower-case letters" },
		{ GO("goose_egress") "Enter 'example.org Enter", "localhost" },
		{ GO("workspace_w") "+ '~/.ssh Enter", "protected path" },
		{ GO("workspace_w") "+ '/ Enter", "may not be a write root" },
		{ GO("workspace_w") "+ '.git Enter", "control plane" },
		{ GO("coordination_w") "+ 'a*b Enter", "may not be a write root" },
		{ GO("workspace_w") "e C-u '[1] Enter", "strings alone" },
		{ GO("workspace_w") "e C-u '[\"a\",] Enter", "" },
		{ GO("authorized_m") "+ '# Enter", "single line" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;
		const char *at;

		begin(&f, SHOP, 160, 60);
		keys(&f, rows[i].keys);
		keys(&f, "M"); /* no key here: the message at the bottom goes */
		at = strstr(screen(&f), "    ! ");
		if (!at || !strstr(at, rows[i].says))
			fail_msg("row %zu: no \"! …%s\" on\n%s", i, rows[i].says, screen(&f));
		assert_row(i, !at_setup_is_changed(model(&f)));
		end(&f);
	}
}

static void req_14_second_try_begins_with_the_first(void **state)
{
	struct fixture f;

	begin(&f, SHOP, 100, 30);
	keys(&f, GO("team_id") "Enter C-u 'Shop Enter Enter");
	assert_non_null(strstr(screen(&f), "team_id: Shop"));
	keys(&f, "C-u 'shop-2 Enter");
	assert_null(strstr(screen(&f), "! `team_id`"));
	assert_string_equal(model(&f)->request.team_id, "shop-2");
	end(&f);
}

/* REQ-12: a brief that changed while it was edited is not overwritten: what is there now is
 * taken in, the draft stays, and what both changed is said. */
static void req_12_stale_brief_keeps_the_draft(void **state)
{
	static const char theirs[] = "{\n\t\"privilege_profile\": \"cooperative\",\n\t\"x\": [true]\n}\n";
	struct fixture f;
	struct at_buf brief;

	begin(&f, SHOP, 100, 40);
	keys(&f, "j Enter " GO("protect_prompt") "Enter");
	test_write(f.options.project, "brief.json", theirs);
	keys(&f, "w y");
	brief = brief_of(&f);
	assert_string_equal(at_buf_text(&brief), theirs);
	at_buf_free(&brief);
	assert_non_null(strstr(screen(&f), "changed on disk meanwhile"));
	keys(&f, "w");
	assert_non_null(strstr(screen(&f), "cooperative"));
	keys(&f, "y");
	brief = brief_of(&f);
	assert_string_equal(at_buf_text(&brief), "{\n\t\"privilege_profile\": \"exclusive\",\n"
						 "\t\"x\": [true],\n\t\"protect_prompt_roots\": true\n}\n");
	at_buf_free(&brief);
	end(&f);
}

/* REQ-12: what is shown is the very text that is written; what was not changed keeps its bytes,
 * and a change that is taken back leaves no trace. */
static void req_12_changes_go_back(void **state)
{
	static const char odd[] = "{\r\n\t\"x\" : 1e0 ,\r\n\t\"workspace_write_roots\":[ \"src\" ]\r\n}";
	struct fixture f;

	begin(&f, odd, 100, 30);
	keys(&f, GO("protect_prompt") "Enter");
	assert_true(at_setup_is_changed(model(&f)));
	keys(&f, "Enter");
	assert_string_equal(at_buf_text(&model(&f)->text), odd);
	assert_false(at_setup_is_changed(model(&f)));
	keys(&f, GO("workspace_w") "+ 'lib Enter j j -");
	assert_string_equal(at_buf_text(&model(&f)->text), odd);
	keys(&f, "u u u u");
	assert_string_equal(at_buf_text(&model(&f)->text), odd);
	assert_int_equal(f.draft.past_count, 0);
	keys(&f, "u");
	assert_non_null(strstr(screen(&f), "Undo the last save?"));
	end(&f);
}

/* REQ-14: a brief with a fault is mended in the form; it cannot be saved before. */
static void req_14_faulty_brief_is_mended(void **state)
{
	struct fixture f;

	begin(&f, "{\"privilege_profile\": \"exclusiv\", \"x\": 1}\n", 200, 60);
	assert_non_null(strstr(screen(&f), "must be one of"));
	keys(&f, "w");
	assert_null(strstr(screen(&f), "Save the brief?"));
	keys(&f, GO("exclusive") "Enter");
	assert_string_equal(at_buf_text(&model(&f)->text), "{\"privilege_profile\": \"exclusive\", \"x\": 1}\n");
	keys(&f, "w");
	assert_non_null(strstr(screen(&f), "Save the brief?"));
	end(&f);
	begin(&f, "", 100, 30); /* an empty file is no brief either, and can become one */
	assert_non_null(strstr(screen(&f), "line 1 column 1"));
	keys(&f, "j Enter");
	assert_string_equal(at_buf_text(&model(&f)->text), "{\n  \"privilege_profile\": \"exclusive\"\n}\n");
	end(&f);
}

/* REQ-12: what is no brief at all is shown with its place and stays as it is. */
static void req_12_unreadable_briefs_stay(void **state)
{
	static const struct {
		const char *brief, *says;
	} rows[] = {
		{ "{\"x\": 1,}\n", "comma" },
		{ "{\n  // mine\n}\n", "line 2 column 3" },
		{ "{\"team_id\": \"a\", \"team_id\": \"b\"}\n", "twice" },
		{ "[]\n", "object" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;
		struct at_buf brief;

		begin(&f, rows[i].brief, 200, 60);
		if (!strstr(screen(&f), rows[i].says))
			fail_msg("row %zu: no %s on\n%s", i, rows[i].says, screen(&f));
		keys(&f, "j Enter w y");
		brief = brief_of(&f);
		assert_row(i, strcmp(at_buf_text(&brief), rows[i].brief) == 0);
		at_buf_free(&brief);
		end(&f);
	}
}

/* WIRE-17: an agent session may look and draft; it neither writes nor accepts. */
static void wire_17_agent_session(void **state)
{
	struct fixture f;
	struct at_error err;

	begin(&f, SHOP, 100, 30);
	f.session.host.agent_marker = "CLAUDECODE";
	keys(&f, "j Enter w");
	assert_non_null(strstr(screen(&f), "CLAUDECODE is set"));
	assert_false(at_session_accept_root(&f.session, "../other", &err));
	assert_int_equal(err.code, AT_EDENIED);
	keys(&f, GO("workspace_w") "+ '../other Enter 'other Enter");
	assert_int_equal(model(&f)->request.write_roots.count, 2);
	end(&f);
}

/* DEC-2: a card says what its profile comes to on this host. */
static void dec_2_cards_tell_the_host(void **state)
{
	struct fixture f;

	begin(&f, SHOP, 160, 60);
	assert_non_null(strstr(screen(&f), "a boundary can be had for claude on linux"));
	assert_non_null(strstr(screen(&f), "privilege-profile-exclusive-inbound-hardening"));
	f.session.manifest.platform = AT_WINDOWS;
	keys(&f, GO("goose") "Enter");
	assert_non_null(strstr(screen(&f), "NO boundary can be had for goose on windows"));
	assert_non_null(strstr(screen(&f), "privilege-profile-unenforced-host (refuses)"));
	end(&f);
}

/* UI-6: leaving with unsaved changes asks; leaving without does not. */
static void ui_6_leaving_asks(void **state)
{
	struct fixture f;

	begin(&f, SHOP, 80, 24);
	keys(&f, "j Enter Q");
	assert_false(f.app.done);
	assert_non_null(strstr(screen(&f), "Leave without saving?"));
	keys(&f, "n u Q");
	assert_true(f.app.done);
	end(&f);
}

/* UI-4: planning is no part of a key: the effect comes with the next idle moment. */
static void ui_4_plans_on_idle_alone(void **state)
{
	struct fixture f;

	begin(&f, SHOP, 120, 40);
	screen_keys(&f.app, "j");
	assert_null(strstr(screen(&f), "Enter changes"));
	assert_true(at_app_idle(&f.app));
	assert_non_null(strstr(screen(&f), "Enter changes"));
	assert_non_null(strstr(screen(&f), "~/.ssh"));
	end(&f);
}

static void ui_4_resize_storm(void **state)
{
	struct fixture f;
	unsigned seed = 11;

	begin(&f, SHOP, 80, 24);
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
			screen_keys(&f.app, "Tab j ] z");
	}
	end(&f);
}

int test_view_setup(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_4_golden_screens),
		cmocka_unit_test(ui_1_first_run_drafts_the_default),
		cmocka_unit_test(req_4_typed_confirmation),
		cmocka_unit_test(req_4_old_outside_root_is_said),
		cmocka_unit_test(req_14_bad_input_beside_the_field),
		cmocka_unit_test(req_14_second_try_begins_with_the_first),
		cmocka_unit_test(req_12_stale_brief_keeps_the_draft),
		cmocka_unit_test(req_12_changes_go_back),
		cmocka_unit_test(req_14_faulty_brief_is_mended),
		cmocka_unit_test(req_12_unreadable_briefs_stay),
		cmocka_unit_test(wire_17_agent_session),
		cmocka_unit_test(dec_2_cards_tell_the_host),
		cmocka_unit_test(ui_6_leaving_asks),
		cmocka_unit_test(ui_4_plans_on_idle_alone),
		cmocka_unit_test(ui_4_resize_storm),
	};

	return cmocka_run_group_tests_name("view_setup", tests, NULL, NULL);
}
