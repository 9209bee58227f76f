#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "views/options.h"

/* The command line's grammar, row by row. */
static void words_are_parsed(void **state)
{
	static const struct {
		const char *words[8];
		bool ok;
		const char *mode; /* when ok */
	} rows[] = {
		{ { NULL }, true, NULL },
		{ { "--update", NULL }, true, "update" },
		{ { "--project", "x", "--merge", NULL }, true, "merge" },
		{ { "--project=x", "--accept=a", "--accept", "b", "--merge", NULL }, true,
			"merge" },
		{ { "--schema", "brief", NULL }, true, "schema" },
		{ { "--diff", "-", NULL }, true, "diff" },
		{ { "--diff=x.patch", "--json", NULL }, true, "diff" },
		{ { "--diff", NULL }, false, NULL },
		{ { "--diff", "a", "--diff", "b", NULL }, false, NULL },
		{ { "--diff", "x", "--status", NULL }, false, NULL },
		{ { "--schema", "brief", "--diff", "x", NULL }, false, NULL },
		{ { "-h", NULL }, true, "help" },
		{ { "--update", "--update", NULL }, true, "update" },
		{ { "--update", "--check", NULL }, false, NULL },
		{ { "--update", "--schema", "brief", NULL }, false, NULL },
		{ { "--project", NULL }, false, NULL },
		{ { "--project", "a", "--project", "b", NULL }, false, NULL },
		{ { "--json=yes", NULL }, false, NULL },
		{ { "--upd", NULL }, false, NULL }, /* no abbreviations */
		{ { "--", NULL }, false, NULL },
		{ { "-x", NULL }, false, NULL },
		{ { "stray", NULL }, false, NULL },
		{ { "", NULL }, false, NULL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char *argv[10] = { (char *)(uintptr_t)"atconsole" };
		struct at_options options;
		struct at_error err = { 0 };
		int argc = 1;
		bool ok;

		for (; rows[i].words[argc - 1]; argc++)
			argv[argc] = (char *)(uintptr_t)rows[i].words[argc - 1];
		ok = at_options_parse(&options, argc, argv, &err);
		assert_row(i, ok == rows[i].ok);
		if (ok)
			assert_row(i, rows[i].mode ? options.mode && strcmp(options.mode, rows[i].mode) == 0
						   : !options.mode);
		else
			assert_row(i, err.code == AT_EUSAGE && *err.message);
		at_options_free(&options);
	}
}

/* UI-8: the help names every option of the table, in lines that fit a terminal. */
static void ui_8_help_is_the_table(void **state)
{
	static const char *const names[] = {
#define AT_OPTION(FIELD, name, kind, argument, help) name,
#include "views/options.def"
#undef AT_OPTION
	};
	struct at_buf text = { 0 };
	char flag[64];

	at_options_help(&text);
	for (size_t i = 0; i < AT_LEN(names); i++) {
		snprintf(flag, sizeof(flag), "  --%s", names[i]);
		assert_row(i, strstr(at_buf_text(&text), flag));
	}
	for (const char *line = at_buf_text(&text); *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	assert_non_null(strstr(at_buf_text(&text), "Exit status"));
	at_buf_free(&text);
}

int test_options(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_parsed),
		cmocka_unit_test(ui_8_help_is_the_table),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
