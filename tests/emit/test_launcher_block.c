#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/assets.h"
#include "emit/launcher_block.h"

static void rewrite(struct at_bytes was, struct at_bytes block)
{
	const char *source = getenv("AT_TEST_SOURCE"), *end = was.data + was.len;
	struct at_bytes launcher = at_asset_launcher;
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/emit/assets/confine-run.sh", source);
	file = fopen(path, "w");
	assert_non_null(file);
	fwrite(launcher.data, 1, (size_t)(was.data - launcher.data), file);
	fwrite(block.data, 1, block.len, file);
	fwrite(end, 1, launcher.len - (size_t)(end - launcher.data), file);
	assert_int_equal(fclose(file), 0);
	print_message("%s: the generated block was rewritten; build and test again\n", path);
}

/* LAU-3: the launcher's own list is the table. */
static void lau_3_block_is_the_table(void **state)
{
	struct at_buf block = { 0 };
	struct at_bytes was;

	at_launcher_block(&block);
	assert_true(at_launcher_block_find(&was, at_asset_launcher));
	if (!at_bytes_equal(was, at_buf_bytes(&block))) {
		if (!getenv("AT_UPDATE_LAUNCHER"))
			fail_msg("the block in emit/assets/confine-run.sh is not what "
				 "core/control_plane.c says:\n%s\nAT_UPDATE_LAUNCHER=1 meson test "
				 "-C build emit rewrites it; read the difference.",
				at_buf_text(&block));
		rewrite(was, at_buf_bytes(&block));
	}
	at_buf_free(&block);
}

/* LAU-4: a claude team cannot start without both of its gate's files; others need none. */
static void lau_4_gate_hook_is_needed(void **state)
{
	static const char *const rows[] = { "\nneed .claude/hooks/constitutional-gate.sh\n",
		"\nneed .claude/hooks/constitutional-gate.py\n" };
	struct at_buf block = { 0 };

	at_launcher_block(&block);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *at = strstr(at_buf_text(&block), rows[i]);

		assert_row(i, at && at > strstr(at_buf_text(&block), "mark .claude/agents/"));
		assert_row(i, at && at < strstr(at_buf_text(&block), "mark .goose/"));
	}
	at_buf_free(&block);
}

/* LAU-3, CEIL-10: what never stands in it, and that nothing in it could leave its quotes. */
static void lau_3_block_never_holds(void **state)
{
	static const char *const rows[] = { "workflows", " .agents/", "$", "\"", "\\", "`",
		" .claude\n", ".agentteams-queue" };
	struct at_buf block = { 0 };
	size_t quotes = 0;

	at_launcher_block(&block);
	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, !strstr(at_buf_text(&block), rows[i]));
	for (const char *p = at_buf_text(&block); *p; p++)
		quotes += *p == '\'';
	assert_int_equal(quotes, 6);
	at_buf_free(&block);
}

/* One block, or none that can be told. */
static void block_is_found_once(void **state)
{
#define B "\n# begin: generated from core/control_plane.c\n"
#define E "# end: generated\n"
	static const struct { const char *text, *want; } rows[] = {
		{ "x" B "a=1\n" E "y", "a=1\n" },
		{ "x" B E, "" },
		{ "x" E B, NULL },
		{ "x" B "a", NULL },
		{ "x" B "a\n" E B "b\n" E, NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_bytes got;
		bool found = at_launcher_block_find(&got, at_bytes_of(rows[i].text));

		assert_row(i, found == (rows[i].want != NULL));
		assert_row(i, !found || at_bytes_equal_text(got, rows[i].want));
	}
}

int test_launcher_block(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_3_block_is_the_table),
		cmocka_unit_test(lau_4_gate_hook_is_needed),
		cmocka_unit_test(lau_3_block_never_holds),
		cmocka_unit_test(block_is_found_once),
	};

	return cmocka_run_group_tests_name("launcher_block", tests, NULL, NULL);
}
