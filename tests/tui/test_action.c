#include "support/support.h"

#include <string.h>

#include "tui/keymap.h"

static void every_action_has_a_name_and_help(void **state)
{
	for (int i = 1; i < AT_ACTION_COUNT; i++) {
		const struct at_action_info *info = at_action_info((enum at_action)i);
		enum at_action back;

		assert_true(*info->name && *info->help && *info->keys);
		assert_true(info->contexts && info->contexts < AT_CONTEXT_END);
		/* The first of a name is the one found, so a second one of it shows here. */
		assert_true(at_action_parse(&back, info->name));
		assert_int_equal(back, i);
	}
}

static void every_default_key_parses(void **state)
{
	for (int i = 1; i < AT_ACTION_COUNT; i++) {
		char keys[96], *save = NULL;
		struct at_key key;

		strcpy(keys, at_action_info((enum at_action)i)->keys);
		for (char *name = strtok_r(keys, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
			char again[24];

			assert_true(at_key_parse(&key, name));
			at_key_name(again, key);
			assert_string_equal(again, name);
		}
	}
}

/* The default keys stand before the same judge as those of a configuration. */
static void the_default_keys_pass_the_judge(void **state)
{
	struct at_keymap_fault fault;
	struct at_keymap map;
	size_t a, b;

	at_keymap_init(&map);
	if (at_keymap_judge(&map, &fault))
		fail_msg("%s", fault.why);
	assert_false(at_keymap_conflict(&map, &a, &b));
	at_keymap_free(&map);
}

/* And the judge sees each fault when there is one. */
static void ui_4_the_judge_sees_every_fault(void **state)
{
	static const struct {
		enum at_context context;
		enum at_action action;
		const char *key; /* NULL: none */
		const char *says;
	} rows[] = {
		{ AT_IN_MERGE, AT_DO_ACCEPT, "r", "r is the key of keep-mine already" },
		{ AT_IN_MERGE, AT_DO_ACCEPT, "Q", "Q is the key of quit already" },
		{ AT_IN_MERGE, AT_DO_WRITE, "j", "j moves or goes on" },
		{ AT_IN_MERGE, AT_DO_WRITE, "C-d", "C-d moves or goes on" },
		{ AT_IN_MERGE, AT_DO_UNDO, "Enter", "Enter moves or goes on" },
		{ AT_IN_MERGE, AT_DO_ACCEPT, "y", "y answers yes to a question: accept" },
		{ AT_IN_CONFIRM, AT_DO_CONFIRM_YES, "w", "w answers yes to a question: write" },
		{ AT_IN_CONFIRM, AT_DO_CONFIRM_YES, "Tab", "Tab is pressed without looking" },
		{ AT_IN_PROMPT, AT_DO_PROMPT_CANCEL, "q", "q is text in prompts" },
		{ AT_IN_GLOBAL, AT_DO_HELP, NULL, "help must keep a key" },
		{ AT_IN_CONFIRM, AT_DO_CONFIRM_YES, NULL, "confirm-yes must keep a key" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_keymap_fault fault;
		struct at_keymap map;
		struct at_key key = { 0 };

		at_keymap_init(&map);
		assert_row(i, !rows[i].key || at_key_parse(&key, rows[i].key));
		assert_row(i, at_keymap_bind(&map, rows[i].context, rows[i].action, &key, rows[i].key != NULL, 7));
		assert_row(i, at_keymap_judge(&map, &fault));
		if (!strstr(fault.why, rows[i].says))
			fail_msg("row %zu: %s", i, fault.why);
		assert_row(i, fault.origin == (rows[i].key ? 7u : 0u));
		at_keymap_free(&map);
	}
}

/* A key that was unbound from movement is still one that fingers know. */
static void ui_6_an_unbound_moving_key_stays_harmless(void **state)
{
	struct at_keymap_fault fault;
	struct at_keymap map;
	struct at_key key;

	at_keymap_init(&map);
	at_key_parse(&key, "k");
	assert_true(at_keymap_bind(&map, AT_IN_GLOBAL, AT_DO_MOVE_UP, NULL, 0, 1));
	assert_false(at_keymap_judge(&map, &fault));
	assert_true(at_keymap_bind(&map, AT_IN_MERGE, AT_DO_WRITE, &key, 1, 2));
	assert_true(at_keymap_judge(&map, &fault));
	assert_false(at_keymap_bind(&map, AT_IN_PAGER, AT_DO_WRITE, &key, 1, 3));
	at_keymap_free(&map);
}

static void lookup_falls_back_to_global_but_not_from_a_modal(void **state)
{
	static const struct {
		unsigned contexts;
		const char *key;
		enum at_action want;
	} rows[] = {
		{ AT_IN_MERGE, "a", AT_DO_ACCEPT },
		{ AT_IN_LIST, "a", AT_DO_NOTHING },
		{ AT_IN_LIST, "j", AT_DO_MOVE_DOWN },
		{ 0, "C-d", AT_DO_PAGE_DOWN },
		{ 0, "g", AT_DO_FIRST },
		{ AT_IN_PAGER, "]", AT_DO_NEXT_HUNK },
		{ AT_IN_LIST, "]", AT_DO_NOTHING },
		{ AT_IN_CONFIRM, "y", AT_DO_CONFIRM_YES },
		{ AT_IN_CONFIRM, "Q", AT_DO_NOTHING },
		{ AT_IN_CONFIRM, "Enter", AT_DO_NOTHING },
		{ AT_IN_PROMPT, "q", AT_DO_NOTHING },
		{ AT_IN_PROMPT, "Enter", AT_DO_PROMPT_DONE },
		{ AT_IN_HELP, "Enter", AT_DO_HELP_RUN },
		{ AT_IN_MERGE, "d", AT_DO_NOTHING },
		{ 0, "5", AT_DO_VIEW_5 },
		{ 0, "F5", AT_DO_REREAD },
	};
	struct at_keymap map;
	struct at_key key;

	at_keymap_init(&map);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		assert_row(i, at_key_parse(&key, rows[i].key));
		assert_row(i, at_keymap_find(&map, rows[i].contexts, key) == rows[i].want);
	}
	at_keymap_free(&map);
}

static void prints_the_table(void **state)
{
	struct at_buf out = { 0 };

	at_action_print(&out, NULL);
	assert_non_null(strstr(at_buf_text(&out), "merge             accept             a "));
	out.len = 0;
	at_action_print_man(&out);
	assert_non_null(strstr(at_buf_text(&out), ".SS merge\n"));
	assert_non_null(strstr(at_buf_text(&out), ".B \\e\nWrap long lines"));
	at_buf_free(&out);
}

int test_action(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_action_has_a_name_and_help),
		cmocka_unit_test(every_default_key_parses),
		cmocka_unit_test(the_default_keys_pass_the_judge),
		cmocka_unit_test(ui_4_the_judge_sees_every_fault),
		cmocka_unit_test(ui_6_an_unbound_moving_key_stays_harmless),
		cmocka_unit_test(lookup_falls_back_to_global_but_not_from_a_modal),
		cmocka_unit_test(prints_the_table),
	};

	return cmocka_run_group_tests_name("action", tests, NULL, NULL);
}
