#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "core/ceilings.h"
#include "core/json_write.h"

/* Every mechanism a team can have stands with a ceiling of its own, and one about proof. */
static void every_mechanism_has_its_ceilings(void **state)
{
	for (int m = AT_NO_MECHANISM; m < AT_MECHANISM_COUNT; m++) {
		size_t own = 0, all = 0;

		for (size_t i = 0; i < at_ceiling_count; i++) {
			if (!at_ceiling_applies(&at_ceilings[i], (enum at_mechanism)m, -1))
				continue;
			all++;
			own += at_ceilings[i].mechanism == m &&
				strcmp(at_ceilings[i].id, "CEIL-3") == 0;
		}
		assert_row(m, own >= 1);
		assert_row(m, all > own);
	}
}

/* CEIL-1 CEIL-2 CEIL-3 CEIL-4 CEIL-5 CEIL-6 CEIL-7 CEIL-8 CEIL-9 CEIL-10: each requirement
 * has a row, each row belongs to one. */
static void every_requirement_has_a_row(void **state)
{
	for (int n = 1; n <= 10; n++) {
		char id[16];
		size_t found = 0;

		snprintf(id, sizeof(id), "CEIL-%d", n);
		for (size_t i = 0; i < at_ceiling_count; i++)
			found += strcmp(at_ceilings[i].id, id) == 0;
		assert_row(n, found >= 1);
	}
	for (size_t i = 0; i < at_ceiling_count; i++) {
		int n = 0;

		assert_row(i, sscanf(at_ceilings[i].id, "CEIL-%d", &n) == 1 && n >= 1 && n <= 10);
		assert_row(i, strlen(at_ceilings[i].text) > 10);
		assert_row(i, !strchr(at_ceilings[i].text, '\n'));
		assert_row(i, at_ceilings[i].mechanism < AT_MECHANISM_COUNT);
		assert_row(i, at_ceilings[i].framework < AT_FRAMEWORK_COUNT);
	}
}

/* CEIL-3: nothing on macOS is called verified. */
static void ceil_3_macos_is_unverified(void **state)
{
	static const enum at_mechanism macos[] = { AT_LAUNCHER_MACOS, AT_GOOSE_SEATBELT,
		AT_CLAUDE_SEATBELT };

	for (size_t m = 0; m < AT_LEN(macos); m++) {
		bool is_said = false;

		for (size_t i = 0; i < at_ceiling_count; i++)
			is_said = is_said || (at_ceilings[i].mechanism == (int)macos[m] &&
				strstr(at_ceilings[i].text, "UNVERIFIED"));
		assert_row(m, is_said);
	}
}

static void rows_apply_by_framework(void **state)
{
	struct at_ceiling row = { "CEIL-9", -1, AT_GOOSE, "x" };

	assert_true(at_ceiling_applies(&row, AT_LAUNCHER_LINUX, AT_GOOSE));
	assert_true(at_ceiling_applies(&row, AT_LAUNCHER_LINUX, -1));
	assert_false(at_ceiling_applies(&row, AT_LAUNCHER_LINUX, AT_CODEX));
	row.mechanism = AT_GOOSE_SEATBELT;
	assert_false(at_ceiling_applies(&row, AT_LAUNCHER_LINUX, AT_GOOSE));
	assert_true(at_ceiling_applies(&row, AT_GOOSE_SEATBELT, AT_GOOSE));
}

static void print_and_json_hold_every_row(void **state)
{
	struct at_json_value *value = at_json_object();
	struct at_buf plain = { 0 }, json = { 0 };

	at_ceilings_print(&plain, -1, -1);
	at_ceilings_to_json(value, -1, -1);
	at_json_print(&json, value, AT_JSON_COMPACT);
	for (size_t i = 0; i < at_ceiling_count; i++) {
		assert_row(i, strstr(at_buf_text(&plain), at_ceilings[i].text));
		assert_row(i, strstr(at_buf_text(&json), at_ceilings[i].text));
	}
	assert_non_null(strstr(at_buf_text(&json),
		"{\"id\":\"CEIL-4\",\"mechanism\":\"launcher-linux\",\"framework\":\"any\",\"text\":"));
	at_buf_free(&plain);
	at_buf_free(&json);
	at_json_value_free(value);
}

int test_ceilings(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mechanism_has_its_ceilings),
		cmocka_unit_test(every_requirement_has_a_row),
		cmocka_unit_test(ceil_3_macos_is_unverified),
		cmocka_unit_test(rows_apply_by_framework),
		cmocka_unit_test(print_and_json_hold_every_row),
	};

	return cmocka_run_group_tests_name("ceilings", tests, NULL, NULL);
}
