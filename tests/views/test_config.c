/* The configuration: what it may say, and what it may not. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tui/theme.h"
#include "views/config.h"

static void parse(struct at_config *config, const char *text)
{
	at_config_parse(config, "f", at_bytes_of(text));
}

/* What the key is in the Merge view. No default is on Alt, so that such keys are free here. */
static enum at_action means(const struct at_config *config, const char *name)
{
	struct at_key key;

	assert_true(at_key_parse(&key, name));
	return at_keymap_find(&config->keymap, AT_IN_MERGE | AT_IN_PANES | AT_IN_LIST | AT_IN_PAGER, key);
}

/* UI-4: every fault has its line; the lines around it hold. */
static void ui_4_faults_have_lines_and_the_rest_holds(void **state)
{
	static const struct {
		const char *line, *says;
	} rows[] = {
		{ "frobnicate", "a line starts with set, bind or #" },
		{ "set", "set takes a name and one value" },
		{ "set theme", "set takes a name and one value" },
		{ "set theme dark light", "set takes a name and one value" },
		{ "set Theme dark", "there is no setting Theme" },
		{ "set theme pink", "theme cannot be pink" },
		{ "set mouse yes", "mouse cannot be yes" },
		{ "set tab-width 0", "tab-width cannot be 0" },
		{ "set tab-width 17", "tab-width cannot be 17" },
		{ "set tab-width -1", "tab-width cannot be -1" },
		{ "set tab-width 4x", "tab-width cannot be 4x" },
		{ "set tab-width 99999999999999999999", "tab-width cannot be" },
		{ "set confirm-guard-ms 199", "confirm-guard-ms cannot be 199" },
		{ "bind merge accept", "bind takes a context, an action and keys" },
		{ "bind here accept x", "there is no context here" },
		{ "bind merge approve x", "there is no action approve" },
		{ "bind pager accept x", "accept does not exist in the context pager" },
		{ "bind merge accept Blub", "Blub is no key" },
		{ "bind merge accept none x", "none is no key" },
		{ "bind merge accept C-m", "sends C-m as Enter" },
		{ "bind merge accept C-i", "sends C-i as Tab" },
		{ "bind merge accept S-x", "does not send S-x" },
		{ "bind merge accept C-X", "does not send C-X" },
		{ "set theme \x1b[8m", "holds a byte that is no text" },
		{ "set theme \xff", "holds a byte that is no text" },
		{ "set theme \xc2\x9b", "holds a byte that is no text" },
		{ "bind merge accept 1 2 3 4 5 6 7 8 9 a b c d e f g h i j", "more than 20 words" },
		/* The judge of keys. */
		{ "bind merge write j", "j moves or goes on: write may not be on it" },
		{ "bind merge write Enter", "Enter moves or goes on: write may not be on it" },
		{ "bind merge write Space", "Space moves or goes on" },
		{ "bind merge undo Tab", "Tab moves or goes on" },
		{ "bind merge write a", "a is the key of accept already" },
		{ "bind merge accept Q", "Q is the key of quit already" },
		{ "bind confirm confirm-yes w", "w answers yes to a question: write may not be on it" },
		{ "bind merge write y", "y answers yes to a question: write may not be on it" },
		{ "bind confirm confirm-yes Enter", "Enter is pressed without looking" },
		{ "bind confirm confirm-yes Space", "Space is pressed without looking" },
		{ "bind confirm confirm-yes n", "n answers yes to a question" },
		{ "bind prompt prompt-done x", "x is text in prompts" },
		{ "bind help help-close q", "q is text in prompts" },
		{ "bind global quit none", "quit must keep a key" },
		{ "bind confirm confirm-no none", "confirm-no must keep a key" },
		{ "bind help help-close none", "help-close must keep a key" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_config config;
		struct at_keymap_fault fault;
		char text[512];

		snprintf(text, sizeof(text), "# mine\nset theme light\n%s\nbind panes zoom M-z\n", rows[i].line);
		parse(&config, text);
		if (config.fault_count != 1)
			fail_msg("row %zu: %zu faults, the first: %s", i, config.fault_count,
				config.fault_count ? config.faults[0].message : "");
		if (!strstr(config.faults[0].message, rows[i].says))
			fail_msg("row %zu: %s", i, config.faults[0].message);
		assert_row(i, config.faults[0].line == 3 && strcmp(config.faults[0].path, "f") == 0);
		assert_row(i, config.settings.theme == AT_THEME_LIGHT);
		assert_row(i, means(&config, "M-z") == AT_DO_ZOOM && means(&config, "z") == AT_DO_NOTHING);
		assert_row(i, !at_keymap_judge(&config.keymap, &fault));
		at_config_free(&config);
	}
}

/* UI-4: what is right holds, also where two lines swap keys. */
static void ui_4_settings_and_keys_hold(void **state)
{
	struct at_config config;

	parse(&config, "\xef\xbb\xbf" "set theme colour-blind\r\n  set mouse on\n\tset tab-width 8\n"
		       "set two-panes 120\nset plain on\nset confirm-guard-ms 1000\nset wrap on\n"
		       "# bind merge write j\n\n"
		       "bind merge accept r\nbind merge keep-mine a Insert M-k\n"
		       "bind merge write M-w\nbind global mouse none");
	assert_int_equal(config.fault_count, 0);
	assert_int_equal(config.settings.theme, AT_THEME_BLIND);
	assert_true(config.settings.mouse && config.settings.plain && config.settings.wrap);
	assert_int_equal(config.settings.tab_width, 8);
	assert_int_equal(config.settings.two_panes, 120);
	assert_int_equal(config.settings.confirm_guard_ms, 1000);
	assert_int_equal(means(&config, "r"), AT_DO_ACCEPT);
	assert_int_equal(means(&config, "a"), AT_DO_KEEP_MINE);
	assert_int_equal(means(&config, "M-k"), AT_DO_KEEP_MINE);
	assert_int_equal(means(&config, "m"), AT_DO_NOTHING);
	/* Elsewhere it has its old key still. */
	assert_int_equal(means(&config, "M-w"), AT_DO_WRITE);
	assert_int_equal(means(&config, "w"), AT_DO_NOTHING);
	assert_int_equal(at_keymap_find(&config.keymap, AT_IN_EMIT, (struct at_key){ 'w', 0 }), AT_DO_WRITE);
	at_config_free(&config);
}

/* Of two lines that fall out the later one goes, and no set of lines breaks the judge. */
static void ui_4_no_lines_break_the_judge(void **state)
{
	static const char *const keys[] = { "a", "w", "y", "j", "Enter", "Q", "none", "C-x", "n", "q" };
	unsigned seed = 5;
	struct at_config config;

	parse(&config, "bind merge accept M-o\nbind merge keep-mine M-o\n");
	assert_int_equal(config.fault_count, 1);
	assert_int_equal(config.faults[0].line, 2);
	assert_int_equal(means(&config, "M-o"), AT_DO_ACCEPT);
	assert_int_equal(means(&config, "r"), AT_DO_KEEP_MINE);
	at_config_free(&config);
	for (int round = 0; round < 200; round++) {
		struct at_buf text = { 0 };
		struct at_keymap_fault fault;

		for (int i = 0; i < 12; i++) {
			enum at_action action;
			unsigned contexts, bit = 1;

			seed = seed * 1103515245u + 12345u;
			action = (enum at_action)(1 + (seed >> 16) % (AT_ACTION_COUNT - 1));
			contexts = at_action_info(action)->contexts;
			while (!(contexts & bit))
				bit <<= 1;
			seed = seed * 1103515245u + 12345u;
			at_buf_printf(&text, "bind %s %s %s\n", at_context_name((enum at_context)bit),
				at_action_info(action)->name, keys[(seed >> 16) % AT_LEN(keys)]);
		}
		at_config_parse(&config, "f", at_buf_bytes(&text));
		if (at_keymap_judge(&config.keymap, &fault))
			fail_msg("%s\n%s", fault.why, at_buf_text(&text));
		at_config_free(&config);
		at_buf_free(&text);
	}
}

/* The words of the table are those of the code. */
static void the_table_fits_the_code(void **state)
{
	size_t count;
	const struct at_setting_info *table = at_setting_table(&count);
	char word[32];

	for (int id = 0; id < AT_THEME_COUNT; id++)
		assert_string_equal(at_setting_word(table[0].words, id, word), at_theme_name((enum at_theme_id)id));
	for (size_t i = 0; i < count; i++) {
		assert_row(i, *table[i].name && *table[i].help);
		assert_row(i, table[i].words || (table[i].least <= table[i].standard
						       && table[i].standard <= table[i].most));
	}
}

/* STG-3: what is no plain file of one's own is not read, and never waited for. */
static void stg_3_only_a_file_of_ones_own_is_read(void **state)
{
	char *dir = test_tree_new();
	struct at_config config;
	char *big = at_alloc(AT_CONFIG_CAP + 2);

	memset(big, '#', AT_CONFIG_CAP + 1);
	test_write(dir, "xdg/atconsole/config", "set theme light\n");
	test_write(dir, "world", "set theme light\n");
	test_write(dir, "big", big);
	free(big);
	assert_int_equal(chmod(test_path(dir, "world"), 0666), 0);
	assert_int_equal(mkfifo(test_path(dir, "fifo"), 0600), 0);
	assert_int_equal(symlink("xdg/atconsole/config", test_path(dir, "link")), 0);
	{
		static const struct {
			const char *name, *says; /* NULL: it is read */
		} rows[] = {
			{ "xdg/atconsole/config", NULL }, { "link", NULL },  { "world", "anybody may write" },
			{ "fifo", "" },                   { "xdg", "" },     { "big", "" },
			{ "absent", "cannot be read" },
		};

		for (size_t i = 0; i < AT_LEN(rows); i++) {
			at_config_read(&config, test_path(dir, rows[i].name));
			if (rows[i].says)
				assert_row(i, config.fault_count == 1
						&& strstr(config.faults[0].message, rows[i].says));
			else
				assert_row(i, !config.fault_count);
			assert_row(i, (config.settings.theme == AT_THEME_LIGHT) == !rows[i].says);
			at_config_free(&config);
		}
	}
	setenv("XDG_CONFIG_HOME", test_path(dir, "xdg"), 1);
	at_config_read(&config, NULL);
	assert_true(config.exists && config.settings.theme == AT_THEME_LIGHT);
	at_config_free(&config);
	setenv("XDG_CONFIG_HOME", test_path(dir, "nowhere"), 1);
	at_config_read(&config, NULL);
	assert_true(!config.exists && !config.fault_count);
	at_config_free(&config);
	/* A relative one counts as unset. */
	setenv("XDG_CONFIG_HOME", "xdg", 1);
	setenv("HOME", dir, 1);
	test_write(dir, ".config/atconsole/config", "set theme mono\n");
	at_config_read(&config, NULL);
	assert_int_equal(config.settings.theme, AT_THEME_MONO);
	at_config_free(&config);
	unsetenv("XDG_CONFIG_HOME");
	test_tree_remove(dir);
}

int test_config(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_4_faults_have_lines_and_the_rest_holds),
		cmocka_unit_test(ui_4_settings_and_keys_hold),
		cmocka_unit_test(ui_4_no_lines_break_the_judge),
		cmocka_unit_test(the_table_fits_the_code),
		cmocka_unit_test(stg_3_only_a_file_of_ones_own_is_read),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
