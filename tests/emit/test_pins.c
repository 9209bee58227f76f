/* Every way in which something pinned, built, emitted or recorded can be another thing by now. */
#include "emit/fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/control_plane.h"
#include "emit/integrity.h"

static const struct at_integrity_item *find(const struct at_integrity *in,
	enum at_integrity_part part, const char *path)
{
	for (size_t i = 0; i < in->count; i++)
		if (in->items[i].part == part && strstr(in->items[i].path, path))
			return &in->items[i];
	return NULL;
}

static void walk(struct at_integrity *in, struct fixture *f,
	const struct at_integrity_program *programs, size_t count)
{
	struct at_integrity_ground ground = { .project = &f->project, .manifest = &f->manifest,
		.plan = &f->plan, .plan_error = &f->err, .programs = programs, .program_count = count };

	at_integrity_begin(in, &ground);
	at_integrity_work(in, -1);
}

/* What one look says of the path; "" of none. */
static const char *word_of(struct fixture *f, enum at_integrity_part part, const char *path,
	enum at_level *level)
{
	struct at_integrity in;
	const struct at_integrity_item *item;
	const char *word;

	fixture_must_plan(f);
	walk(&in, f, NULL, 0);
	item = find(&in, part, path);
	word = item ? at_integrity_word(item) : "";
	*level = item ? item->level : AT_OKAY;
	at_integrity_free(&in);
	return word;
}

#define expect(f, part, path, word, want)                                                          \
	do {                                                                                       \
		enum at_level level;                                                               \
		assert_string_equal(word_of(f, part, path, &level), word);                         \
		assert_int_equal(level, want);                                                     \
	} while (0)

#define PINS(text) "{\"modules\": {" text "}, \"note\": \"\", \"version\": 1}\n"
#define EMPTY "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\""
#define GOOD "\"core/integrity.def\": " EMPTY ", \"keys/a.c\": " EMPTY

static void own_tree(struct fixture *f)
{
	fixture_write(f, "core/integrity.def", "");
	fixture_write(f, "keys/a.c", "");
	fixture_write(f, "emit/.keep", "");
	fixture_write(f, "runner/.keep", "");
	fixture_write(f, AT_INTEGRITY_MANIFEST, PINS(GOOD));
}

/* INT-1: mismatch, removed pin, unmanifested module, missing and foreign entries, a manifest that
 * is none, and one that is gone. */
static void int_1_findings_in_our_own_tree(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f, "{}");
	own_tree(&f);
	expect(&f, AT_PART_PINS, "keys/a.c", "same", AT_OKAY);
	fixture_write(&f, "keys/a.c", "x");
	expect(&f, AT_PART_PINS, "keys/a.c", "modified", AT_FAIL);
	fixture_write(&f, AT_INTEGRITY_MANIFEST, PINS("\"core/integrity.def\": " EMPTY));
	expect(&f, AT_PART_PINS, "keys/a.c", "unmanifested", AT_FAIL);
	fixture_write(&f, AT_INTEGRITY_MANIFEST, PINS(GOOD ", \"keys/gone.c\": " EMPTY));
	expect(&f, AT_PART_PINS, "keys/gone.c", "missing", AT_FAIL);
	fixture_write(&f, AT_INTEGRITY_MANIFEST, PINS(GOOD ", \"../outside\": " EMPTY));
	expect(&f, AT_PART_PINS, "../outside", "missing", AT_FAIL);
	fixture_write(&f, AT_INTEGRITY_MANIFEST, PINS(GOOD));
	fixture_write(&f, "core/unheard_of.c", "");
	expect(&f, AT_PART_PINS, "core/unheard_of.c", "unmanifested", AT_FAIL);
	assert_int_equal(unlink(test_path(f.project_path, "core/unheard_of.c")), 0);
	assert_int_equal(unlink(test_path(f.project_path, "keys/a.c")), 0);
	assert_int_equal(symlink("../core/integrity.def", test_path(f.project_path, "keys/a.c")), 0);
	expect(&f, AT_PART_PINS, "keys/a.c", "unreadable", AT_FAIL);
	fixture_write(&f, AT_INTEGRITY_MANIFEST, "{\"modules\": ");
	expect(&f, AT_PART_PINS, AT_INTEGRITY_MANIFEST, "unreadable", AT_FAIL);
	assert_int_equal(unlink(test_path(f.project_path, AT_INTEGRITY_MANIFEST)), 0);
	expect(&f, AT_PART_PINS, AT_INTEGRITY_MANIFEST, "manifest-missing", AT_FAIL);
	assert_int_equal(mkfifo(test_path(f.project_path, AT_INTEGRITY_MANIFEST), 0600), 0);
	expect(&f, AT_PART_PINS, AT_INTEGRITY_MANIFEST, "unreadable", AT_FAIL);
	fixture_end(&f);
}

/* INT-1: of another tree's manifest the entries are compared; without one nothing is expected. */
static void int_1_another_tool_s_manifest(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f, "{}");
	expect(&f, AT_PART_PINS, AT_INTEGRITY_MANIFEST, "cannot verify", AT_NOTE);
	fixture_write(&f, "tool/scan.py", "");
	fixture_write(&f, AT_INTEGRITY_MANIFEST, PINS("\"tool/scan.py\": " EMPTY));
	expect(&f, AT_PART_PINS, "tool/scan.py", "same", AT_OKAY);
	fixture_write(&f, "tool/scan.py", "x");
	expect(&f, AT_PART_PINS, "tool/scan.py", "modified", AT_FAIL);
	fixture_write(&f, AT_INTEGRITY_MANIFEST, PINS("\"../x\": " EMPTY ", \"/etc/passwd\": " EMPTY));
	expect(&f, AT_PART_PINS, "../x", "unreadable", AT_FAIL);
	expect(&f, AT_PART_PINS, "/etc/passwd", "unreadable", AT_FAIL);
	fixture_end(&f);
}

/* INT-2: same, older release, edited, missing, not to be read; a roster is its owner's. */
static void int_2_artefacts(void **state)
{
	static const char brief[] = "{\"privilege_profile\": \"confined\"}";
	struct fixture f;

	(void)state;
	fixture_begin(&f, brief);
	expect(&f, AT_PART_ARTEFACTS, ".claude/agents", "cannot verify", AT_NOTE);
	fixture_update(&f);
	expect(&f, AT_PART_ARTEFACTS, EXAMPLE, "same", AT_OKAY);
	expect(&f, AT_PART_ARTEFACTS, HOOK, "same", AT_OKAY);
	fixture_brief(&f, "{\"privilege_profile\": \"exclusive\"}");
	expect(&f, AT_PART_ARTEFACTS, EXAMPLE, "older release", AT_WARN);
	fixture_brief(&f, brief);
	fixture_write(&f, HOOK, "#!/bin/sh\nexit 0\n");
	expect(&f, AT_PART_ARTEFACTS, HOOK, "edited", AT_FAIL);
	assert_int_equal(unlink(test_path(f.project_path, HOOK)), 0);
	expect(&f, AT_PART_ARTEFACTS, HOOK, "missing", AT_FAIL);
	fixture_update(&f);
	fixture_write(&f, REFS "build-log.json", "{\"file_hashes\": {}}");
	assert_int_equal(unlink(test_path(f.project_path, HOOK)), 0);
	expect(&f, AT_PART_ARTEFACTS, HOOK, "missing", AT_WARN); /* of a run to come */
	expect(&f, AT_PART_ARTEFACTS, REFS "build-log.json", "older release", AT_WARN);
	fixture_update(&f);
	fixture_write(&f, REFS "security-approvers.txt", "alice\n");
	expect(&f, AT_PART_ARTEFACTS, REFS "security-approvers.txt", "yours", AT_OKAY);
	fixture_end(&f);
}

/* GATE-5: the digest that the hook pins against the program that is there. */
static void gate_5_the_hook_s_pin(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f, "{\"privilege_profile\": \"confined\"}");
	fixture_update(&f);
	expect(&f, AT_PART_ARTEFACTS, "the program that", "cannot verify", AT_NOTE);
	fixture_gate(&f, NULL);
	expect(&f, AT_PART_ARTEFACTS, "the program that", "cannot verify", AT_WARN);
	fixture_update(&f);
	expect(&f, AT_PART_ARTEFACTS, "the program that", "same", AT_OKAY);
	fixture_gate(&f, "exit 0");
	expect(&f, AT_PART_ARTEFACTS, "the program that", "edited", AT_FAIL);
	assert_int_equal(unlink(f.places[0]), 0);
	expect(&f, AT_PART_ARTEFACTS, "the program that", "missing", AT_FAIL);
	fixture_end(&f);
}

#define LOG(entry) "{\"file_hashes\": {" entry "}}"

/* EMIT-14, INT-1: what a record of any team knows besides: edited is told, missing is wrong, and
 * a record that leads out of the project says nothing. */
static void int_1_records(void **state)
{
	static const struct { const char *log, *path, *word; enum at_level level; } rows[] = {
		{ LOG("\"a.md\": \"e3b0c44298fc1c14\""), "a.md", "same", AT_OKAY },
		{ LOG("\"a.md\": \"e3b0c44298fc1c15\""), "a.md", "edited", AT_WARN },
		{ LOG("\"b.md\": \"e3b0c44298fc1c14\""), "b.md", "missing", AT_FAIL },
		{ LOG("\"a.md\": \"e3b0\""), "a.md", "unreadable", AT_FAIL },
		{ LOG("\"a.md\": 7"), "a.md", "unreadable", AT_FAIL },
		{ LOG("\"../../../etc/passwd\": \"e3b0c44298fc1c14\""), "passwd", "unreadable", AT_FAIL },
		{ LOG("\"link.md\": \"e3b0c44298fc1c14\""), "link.md", "unreadable", AT_FAIL },
		{ "{\"file_hashes\": [", "build-log.json", "unreadable", AT_FAIL },
	};
	struct fixture f;

	(void)state;
	fixture_begin(&f, "{}");
	fixture_write(&f, ".goose/recipes/a.md", "");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char path[64];
		enum at_level level;

		snprintf(path, sizeof(path), "%s/a.md", at_team_dir(AT_GOOSE));
		fixture_write(&f, path, "");
		snprintf(path, sizeof(path), "%s/link.md", at_team_dir(AT_GOOSE));
		unlink(test_path(f.project_path, path));
		assert_int_equal(symlink("a.md", test_path(f.project_path, path)), 0);
		snprintf(path, sizeof(path), "%s/references/build-log.json", at_team_dir(AT_GOOSE));
		fixture_write(&f, path, rows[i].log);
		assert_row(i, strcmp(word_of(&f, AT_PART_RECORDS, rows[i].path, &level),
				      rows[i].word) == 0);
		assert_row(i, level == rows[i].level);
	}
	fixture_end(&f);
}

/* INT-4: the programs of this build and what is compiled in. */
static void int_4_programs_and_assets(void **state)
{
	static const char empty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
	static const struct { bool is_there, is_installed; const char *text, *word; enum at_level level; }
	rows[] = {
		{ true, true, "", "same", AT_OKAY },
		{ true, false, "", "same", AT_OKAY },
		{ true, true, "x", "edited", AT_FAIL },
		{ true, false, "x", "other build", AT_WARN },
		{ false, true, "", "missing", AT_FAIL },
		{ false, false, "", "not installed", AT_NOTE },
	};
	struct fixture f;

	(void)state;
	fixture_begin(&f, "{}");
	fixture_must_plan(&f);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_integrity_program program = { "prog",
			rows[i].is_there ? test_path(f.top, "prog") : "", empty,
			rows[i].is_installed };
		const struct at_integrity_item *item;
		struct at_integrity in;

		test_write(f.top, "prog", rows[i].text);
		walk(&in, &f, &program, 1);
		item = find(&in, AT_PART_BUILD, "prog");
		assert_row(i, strcmp(at_integrity_word(item), rows[i].word) == 0);
		assert_row(i, item->level == rows[i].level);
		item = find(&in, AT_PART_BUILD, "confine-run.sh");
		assert_row(i, item && item->state == AT_STILL_SAME);
		at_integrity_free(&in);
	}
	assert_true(at_built_in_count >= 11);
	fixture_end(&f);
}

/* UI-6: one file at least a slice, and what is not reached yet is told as pending. */
static void ui_6_the_walk_in_slices(void **state)
{
	struct at_integrity_ground ground;
	struct at_integrity in;
	struct fixture f;
	size_t slices = 1;

	(void)state;
	fixture_begin(&f, "{\"privilege_profile\": \"confined\"}");
	fixture_update(&f);
	ground = (struct at_integrity_ground){ .project = &f.project, .manifest = &f.manifest,
		.plan = &f.plan, .plan_error = &f.err };
	at_integrity_begin(&in, &ground);
	assert_int_equal(find(&in, AT_PART_ARTEFACTS, HOOK)->state, AT_STILL_PENDING);
	while (at_integrity_work(&in, 0))
		slices++;
	assert_true(slices <= in.count + 1 + AT_FRAMEWORK_COUNT);
	for (size_t i = 0; i < in.count; i++)
		assert_row(i, in.items[i].state != AT_STILL_PENDING && *in.items[i].text);
	assert_int_equal(at_integrity_worst(&in), AT_NOTE);
	at_integrity_free(&in);
	fixture_end(&f);
}

int test_pins(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(int_1_findings_in_our_own_tree),
		cmocka_unit_test(int_1_another_tool_s_manifest),
		cmocka_unit_test(int_2_artefacts),
		cmocka_unit_test(gate_5_the_hook_s_pin),
		cmocka_unit_test(int_1_records),
		cmocka_unit_test(int_4_programs_and_assets),
		cmocka_unit_test(ui_6_the_walk_in_slices),
	};

	return cmocka_run_group_tests_name("pins", tests, NULL, NULL);
}
