/* The pins of our own source: nothing is left out of the table, and a manifest is what it says. */
#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/integrity.h"

static int source_tree(void)
{
	const char *source = getenv("AT_TEST_SOURCE");
	int fd = open(source ? source : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* INT-4: a source file of core, emit, keys or runner is pinned, or exempt with a reason; and no
 * row of the table speaks of files that are not there. */
static void int_4_every_source_file_is_decided(void **state)
{
	int fd = source_tree();
	struct at_pins sources;
	struct at_error err;

	(void)state;
	at_pins_init(&sources);
	if (!at_pins_list_sources(&sources, fd, &err))
		fail_msg("%s", err.message);
	assert_true(sources.count > 400);
	for (size_t i = 0; i < sources.count; i++)
		if (!at_pin_rule_of(sources.items[i].path))
			fail_msg("%s is neither pinned nor exempt: give it a row in "
				 "core/integrity.def, then ninja -C build pins",
				sources.items[i].path);
	for (size_t r = 0; r < at_pin_rule_count; r++) {
		bool is_used = false;

		for (size_t i = 0; i < sources.count; i++)
			is_used |= at_pin_rule_of(sources.items[i].path) == &at_pin_rules[r];
		if (!is_used)
			fail_msg("no source file is decided by the row %s", at_pin_rules[r].which);
		assert_row(r, *at_pin_rules[r].why);
	}
	at_pins_free(&sources);
	close(fd);
}

/* INT-1: what the requirement names is pinned. */
static void int_1_what_a_boundary_rests_on_is_pinned(void **state)
{
	static const struct { const char *path; int want; } rows[] = {
		{ "emit/claude_settings.c", 1 }, { "emit/assets/confine-run.sh", 1 },
		{ "emit/assets/mac-escape-tests.sh", 1 }, { "emit/assets/constitutional-gate.sh", 1 },
		{ "runner/gate/rules.def", 1 }, { "runner/gate/scan.re", 1 },
		{ "runner/a_new_server.c", 1 }, { "keys/grant.c", 1 }, { "keys/custody.c", 1 },
		{ "keys/ledger.c", 1 }, { "core/write_root.c", 1 }, { "core/settings_check.c", 1 },
		{ "core/integrity.c", 1 }, { "core/integrity.def", 1 }, { "core/diff.c", 0 },
		{ "core/host_fix.c", 0 }, { "core/host_check.c", 1 }, { "core/plan_report.c", 0 },
		{ "core/something_new.c", -1 }, { "views/main.c", -1 }, { "", -1 },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_pin_rule *rule = at_pin_rule_of(rows[i].path);

		assert_row(i, (rule ? rule->is_pinned : -1) == rows[i].want);
	}
}

#define HEX "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef"

/* INT-1: a manifest is read strictly: what is not one says so, with its place. */
static void int_1_a_manifest_that_is_none(void **state)
{
	static const struct { const char *text; bool want; unsigned line; } rows[] = {
		{ "{\"modules\": {\"a\": \"" HEX "\"}, \"note\": \"x\", \"version\": 1}", true, 0 },
		{ "{\"modules\": {}, \"version\": 1}", true, 0 },
		{ "", false, 0 },
		{ "[]", false, 1 },
		{ "{\"version\": 1}", false, 0 },
		{ "{\"modules\": [], \"version\": 1}", false, 1 },
		{ "{\"modules\": {}}", false, 0 },
		{ "{\"modules\": {}, \"version\": 2}", false, 1 },
		{ "{\"modules\": {}, \"version\": \"1\"}", false, 1 },
		{ "{\"version\": 1, \"modules\": {\"a\":\n \"" HEX "0\"}}", false, 2 },
		{ "{\"version\": 1, \"modules\": {\"a\":\n \"0123\"}}", false, 2 },
		{ "{\"version\": 1, \"modules\": {\"a\":\n 7}}", false, 2 },
		{ "{\"version\": 1, \"modules\": {\"\": \"" HEX "\"}}", false, 1 },
		{ "{\"version\": 1, \"modules\": {\"a\\u0000b\": \"" HEX "\"}}", false, 1 },
		{ "{\"version\": 1, \"modules\": {\"a\": \"" HEX "\", \"a\": \"" HEX "\"}}", false, 1 },
		{ "{\"version\": 1, \"modules\": {}} x", false, 1 },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_error err = { 0 };
		struct at_pins pins;
		bool ok;

		at_pins_init(&pins);
		ok = at_pins_read(&pins, at_bytes_of(rows[i].text), &err);
		assert_row(i, ok == rows[i].want);
		assert_row(i, ok || *err.message);
		assert_row(i, ok || rows[i].line == 0 || err.line == rows[i].line);
		at_pins_free(&pins);
	}
}

/* INT-1: written as the Python tool writes it, and read back the same. */
static void int_1_a_manifest_s_exact_bytes(void **state)
{
	static const char want[] =
		"{\n  \"modules\": {\n    \"core/integrity.def\": \"e3b0c44298fc1c149afbf4c8996fb92427"
		"ae41e4649b934ca495991b7852b855\",\n    \"keys/b.c\": \"e3b0c44298fc1c149afbf4c8996fb9"
		"2427ae41e4649b934ca495991b7852b855\"\n  },\n  \"note\": \"";
	char *tree = test_tree_new();
	struct at_pins pins, read;
	struct at_buf text = { 0 };
	struct at_error err;
	int fd;

	(void)state;
	test_write(tree, "keys/b.c", "");
	test_write(tree, "keys/.hidden", "");
	test_write(tree, "keys/b.c~", "");
	test_write(tree, "core/integrity.def", "");
	test_write(tree, "core/diff.c", "exempt");
	test_write(tree, "emit/.keep", "");
	test_write(tree, "runner/.keep", "");
	fd = open(tree, O_PATH | O_DIRECTORY | O_CLOEXEC);
	at_pins_init(&pins);
	if (!at_pins_of_tree(&pins, fd, &err))
		fail_msg("%s", err.message);
	at_pins_print(&text, &pins);
	assert_int_equal(strncmp(at_buf_text(&text), want, strlen(want)), 0);
	assert_non_null(strstr(at_buf_text(&text), "\",\n  \"version\": 1\n}\n"));
	at_pins_init(&read);
	assert_true(at_pins_read(&read, at_buf_bytes(&text), &err));
	assert_int_equal(read.count, 2);
	assert_non_null(at_pins_find(&read, "keys/b.c"));
	assert_null(at_pins_find(&read, "core/diff.c"));
	at_pins_free(&read);
	at_pins_free(&pins);

	/* A file that nobody decided on is not passed over. */
	test_write(tree, "core/unheard_of.c", "");
	at_pins_init(&pins);
	assert_false(at_pins_of_tree(&pins, fd, &err));
	assert_non_null(strstr(err.message, "core/unheard_of.c"));
	at_pins_free(&pins);

	/* Nor is a folder that leads elsewhere. */
	assert_int_equal(unlink(test_path(tree, "core/unheard_of.c")), 0);
	assert_int_equal(rename(test_path(tree, "keys"), test_path(tree, "elsewhere")), 0);
	assert_int_equal(symlink("elsewhere", test_path(tree, "keys")), 0);
	at_pins_init(&pins);
	assert_false(at_pins_of_tree(&pins, fd, &err));
	at_pins_free(&pins);
	close(fd);
	at_buf_free(&text);
	test_tree_remove(tree);
}

int test_integrity(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(int_4_every_source_file_is_decided),
		cmocka_unit_test(int_1_what_a_boundary_rests_on_is_pinned),
		cmocka_unit_test(int_1_a_manifest_that_is_none),
		cmocka_unit_test(int_1_a_manifest_s_exact_bytes),
	};

	return cmocka_run_group_tests_name("integrity", tests, NULL, NULL);
}
