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

static void no_key_means_two_things(void **state)
{
	struct at_keymap map;
	size_t a = 0, b = 0;
	char name[24];

	at_keymap_init(&map);
	if (at_keymap_conflict(&map, &a, &b)) {
		at_key_name(name, map.bindings[a].key);
		fail_msg("%s is %s and %s", name, at_action_info(map.bindings[a].action)->name,
			at_action_info(map.bindings[b].action)->name);
	}
	/* And the judge sees one when there is one. */
	map.bindings[0].key = map.bindings[map.count - 40].key;
	map.bindings[0].contexts = AT_IN_GLOBAL | AT_IN_MODAL;
	assert_true(at_keymap_conflict(&map, &a, &b));
	at_keymap_free(&map);
}

/* Who scrolls with a key must never find that it acts somewhere else. */
static void a_dangerous_key_never_moves(void **state)
{
	struct at_keymap map;

	at_keymap_init(&map);
	for (size_t i = 0; i < map.count; i++) {
		if (at_action_info(map.bindings[i].action)->danger < AT_DANGER_CONFIRM)
			continue;
		for (size_t k = 0; k < map.count; k++)
			assert_row(i, at_action_info(map.bindings[k].action)->danger != AT_DANGER_MOVES ||
					!at_key_equal(map.bindings[i].key, map.bindings[k].key));
	}
	at_keymap_free(&map);
}

static void the_confirm_key_opens_nothing(void **state)
{
	static const char *const never[] = { "Enter", "Space", "Tab", "Esc" };
	struct at_keymap map;
	struct at_key key;

	at_keymap_init(&map);
	for (size_t i = 0; i < map.count; i++) {
		if (map.bindings[i].action != AT_DO_CONFIRM_YES)
			continue;
		for (size_t k = 0; k < map.count; k++)
			assert_row(k, k == i || !at_key_equal(map.bindings[i].key, map.bindings[k].key));
		for (size_t k = 0; k < AT_LEN(never); k++) {
			at_key_parse(&key, never[k]);
			assert_row(k, !at_key_equal(map.bindings[i].key, key));
		}
	}
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
		cmocka_unit_test(no_key_means_two_things),
		cmocka_unit_test(a_dangerous_key_never_moves),
		cmocka_unit_test(the_confirm_key_opens_nothing),
		cmocka_unit_test(lookup_falls_back_to_global_but_not_from_a_modal),
		cmocka_unit_test(prints_the_table),
	};

	return cmocka_run_group_tests_name("action", tests, NULL, NULL);
}
