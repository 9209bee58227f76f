/* Settings and teams as they are found in the field: what moves, and what must not. */
#include "support/support.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/diff.h"
#include "core/digest.h"
#include "core/fault.h"
#include "core/json_edit.h"
#include "e2e/project.h"

#define ROOT " --accept-write-root ../demo-shop-build"
#define LIVE ".claude/settings.json"
#define EXAMPLE ".claude/settings.hooks.example.json"

/* A settings file, read strictly. */
struct settings {
	struct at_buf text;
	struct at_json doc;
};

static struct settings read_settings(const struct test_project *p, const char *path)
{
	struct settings s = { .text = test_read(p->shop, path) };
	struct at_error err;

	if (!at_json_read(&s.doc, at_buf_bytes(&s.text), &at_json_settings_limits,
		    AT_JSON_ALLOW_BOM, &err))
		fail_msg("%s:%u: %s\n%s", path, err.line, err.message, at_buf_text(&s.text));
	return s;
}

static void free_settings(struct settings *s)
{
	at_json_free(&s->doc);
	at_buf_free(&s->text);
}

/* What the merge did to the old text, found out from the two texts alone. */
struct taking_out {
	const struct at_json *old, *new;
	struct at_json_edit *edit;
	struct at_arena *arena;
	size_t changed; /* values that are not what they were */
	const char *lost;
};

static void take_out(struct taking_out *t, uint32_t old, uint32_t new)
{
	const struct at_json *from = t->new;
	uint32_t left = at_json_first(t->old, old);

	if (t->old->nodes[old].kind < AT_JSON_ARRAY || from->nodes[new].kind != t->old->nodes[old].kind) {
		if (!at_json_equal(t->old, old, from, new)) {
			t->changed++;
			at_json_edit_replace(t->edit, new, at_json_raw(t->old, old));
		}
		return;
	}
	at_json_each(from, i, new) {
		if (from->nodes[new].kind == AT_JSON_OBJECT)
			left = at_json_member(t->old, old, at_json_key(from, i, t->arena).data);
		if (left == AT_JSON_NONE) {
			at_json_edit_remove(t->edit, i);
			continue;
		}
		take_out(t, left, i);
		left = t->old->nodes[left].next;
	}
	if (from->nodes[new].kind == AT_JSON_ARRAY && left != AT_JSON_NONE)
		t->lost = at_json_pointer(t->old, left, t->arena);
	if (from->nodes[new].kind == AT_JSON_ARRAY)
		return;
	at_json_each(t->old, i, old) {
		if (at_json_member(from, new, at_json_key(t->old, i, t->arena).data) == AT_JSON_NONE)
			t->lost = at_json_pointer(t->old, i, t->arena);
	}
}

static bool is_in_order(struct at_bytes old, struct at_bytes new)
{
	size_t at = 0;

	for (size_t i = 0; i < new.len && at < old.len; i++)
		at += new.data[i] == old.data[at];
	return at == old.len;
}

/* Lines of the old text that are not in the new one as they were. */
static size_t touched_lines(const struct settings *old, const struct settings *new)
{
	struct at_diff diff;
	size_t count;

	assert_true(at_diff_make(&diff, at_buf_bytes(&old->text), at_buf_bytes(&new->text), 0, NULL));
	count = diff.removed;
	at_diff_free(&diff);
	return count;
}

/* Every emitted deny rule, and everything of the sandbox but what widens. */
static void assert_wired(const char *name, const struct test_project *p, const struct settings *new)
{
	static const char *const lists[] = { "permissions.deny", "sandbox.filesystem.denyWrite",
		"sandbox.filesystem.denyRead" };
	static const char *const switches[] = { "sandbox.enabled", "sandbox.failIfUnavailable",
		"sandbox.allowUnsandboxedCommands" };
	struct settings ours = read_settings(p, EXAMPLE);

	for (size_t k = 0; k < AT_LEN(lists); k++) {
		uint32_t list = at_json_at(&ours.doc, lists[k]), there = at_json_at(&new->doc, lists[k]);

		assert_true(at_json_is(&ours.doc, list, AT_JSON_ARRAY));
		assert_true(ours.doc.nodes[list].count > 0);
		at_json_each(&ours.doc, i, list) {
			size_t found = 0;

			at_json_each(&new->doc, n, there)
				found += at_json_equal(&ours.doc, i, &new->doc, n);
			if (found != 1)
				fail_msg("%s: element of %s is there %zu times", name, lists[k], found);
		}
	}
	for (size_t k = 0; k < AT_LEN(switches); k++) {
		uint32_t there = at_json_at(&new->doc, switches[k]);

		if (there == AT_JSON_NONE
			|| !at_json_equal(&ours.doc, at_json_at(&ours.doc, switches[k]), &new->doc, there))
			fail_msg("%s: %s is not merged", name, switches[k]);
	}
	assert_null(strstr(at_buf_text(&new->text), "demo-shop-build"));
	free_settings(&ours);
}

static void assert_only_inserted(const char *name, const struct settings *old,
	const struct settings *new, size_t changed)
{
	struct taking_out t = { .old = &old->doc, .new = &new->doc, .arena = at_arena_new() };
	struct at_buf back = { 0 };
	struct at_error err;

	t.edit = at_json_edit_new(&new->doc);
	take_out(&t, AT_JSON_ROOT, AT_JSON_ROOT);
	if (t.lost)
		fail_msg("%s: %s is lost", name, t.lost);
	if (t.changed != changed)
		fail_msg("%s: %zu old values changed, expected %zu", name, t.changed, changed);
	if (!changed && !is_in_order(at_buf_bytes(&old->text), at_buf_bytes(&new->text)))
		fail_msg("%s: an old byte is lost:\n%s", name, at_buf_text(&new->text));
	if (!at_json_edit_apply(t.edit, &back, &err))
		fail_msg("%s: %s", name, err.message);
	if (!at_bytes_equal(at_buf_bytes(&old->text), at_buf_bytes(&back)))
		fail_msg("%s: without the insertions it is not the old file:\n%s", name,
			at_buf_text(&back));
	at_json_edit_free(t.edit);
	at_buf_free(&back);
	at_arena_free(t.arena);
}

static const struct shape {
	const char *file;
	const char *refused; /* "LINE:COLUMN", or NULL: merged */
	size_t changed;      /* old values that tighten */
	size_t touched;      /* old lines that got a comma or an element */
} shapes[] = {
	{ "01-deny-only.json", NULL, 0, 1 },
	{ "02-empty-deny-ask-acceptedits.json", NULL, 0, 1 },
	{ "04-trailing-comma.json", "11:13", 0, 0 },
	{ "05-jsonc-role-fragment.jsonc", "2:3", 0, 0 },
	{ "07-hook-without-type.json", NULL, 0, 0 },
	{ "08-wide-allow-long-deny-dontask.json", NULL, 0, 2 },
	{ "10-absolute-double-slash.json", NULL, 0, 0 },
	{ "11-reordered-hook-keys-unicode.json", NULL, 0, 0 },
	{ "13-windows-local.json", NULL, 0, 1 },
	{ "14-chezmoi-modify-script.sh", "1:1", 0, 0 },
	{ "16-git-C-allow-read-deny.json", NULL, 0, 2 },
	{ "17-bypass-default.json", NULL, 0, 2 },
	{ "19-inline-array-skill.json", NULL, 0, 1 },
	{ "20-quoted-project-dir.json", NULL, 0, 0 },
	{ "22-escapes-in-attribution.json", NULL, 0, 1 },
	{ "23-sandbox-with-excluded.json", NULL, 0, 2 },
	{ "25-managed-blank-lines.json", NULL, 0, 1 },
	{ "26-invented-schema.json", NULL, 0, 1 },
	{ "28-underscore-comment.json", NULL, 0, 0 },
	{ "29-jsonc-inline-comments.jsonc", "5:7", 0, 0 },
	{ "31-bom.json", NULL, 0, 0 },
	{ "32-minimal-two-keys.json", NULL, 0, 1 },
};

static mode_t mode_of(const struct test_project *p)
{
	struct stat st;

	assert_int_equal(stat(test_path(p->shop, LIVE), &st), 0);
	return st.st_mode & 07777;
}

static void check_refused(const struct shape *shape, const struct test_project *p)
{
	uint64_t before = test_tree_fingerprint(p->stage);
	struct test_run run = test_run(p, "--merge --accept-safe" ROOT);
	char place[128];

	snprintf(place, sizeof(place), "settings.json:%s:", shape->refused);
	if (run.status != 1 || !strstr(at_buf_text(&run.err), place))
		fail_msg("%s: exit %d\n%s", shape->file, run.status, at_buf_text(&run.err));
	assert_true(before == test_tree_fingerprint(p->stage));
	test_run_free(&run);
}

static void check_merged(const struct shape *shape, const struct test_project *p)
{
	struct settings old = read_settings(p, LIVE), new;
	struct at_buf back;
	uint64_t after;
	size_t touched;

	test_expect(p, 0, "--merge --accept-safe" ROOT);
	new = read_settings(p, LIVE);
	assert_int_equal(mode_of(p), 0640);
	touched = touched_lines(&old, &new);
	if (touched != shape->touched)
		fail_msg("%s: %zu old lines touched, expected %zu\n%s", shape->file, touched,
			shape->touched, at_buf_text(&new.text));
	assert_only_inserted(shape->file, &old, &new, shape->changed);
	assert_wired(shape->file, p, &new);
	after = test_tree_fingerprint(p->stage);
	assert_non_null(strstr(test_expect(p, 0, "--merge --accept-safe" ROOT), "nothing was written"));
	assert_true(after == test_tree_fingerprint(p->stage));
	test_expect(p, 0, "--undo");
	back = test_read(p->shop, LIVE);
	assert_true(at_bytes_equal(at_buf_bytes(&old.text), at_buf_bytes(&back)));
	assert_int_equal(mode_of(p), 0640);
	at_buf_free(&back);
	free_settings(&old);
	free_settings(&new);
}

/* WIRE-2, WIRE-3: each file as found is merged without losing a byte, or refused in place. */
static void wire_3_settings_as_found(void **state)
{
	struct test_project p;

	test_project_begin(&p, NULL);
	test_expect(&p, 0, "--update" ROOT);
	for (size_t i = 0; i < AT_LEN(shapes); i++) {
		char path[128];
		struct at_buf text;

		snprintf(path, sizeof(path), "settings-shapes/%s", shapes[i].file);
		text = test_read(NULL, path);
		test_write_bytes(p.shop, LIVE, at_buf_text(&text), text.len);
		assert_int_equal(chmod(test_path(p.shop, LIVE), 0640), 0);
		if (shapes[i].refused)
			check_refused(&shapes[i], &p);
		else
			check_merged(&shapes[i], &p);
		at_buf_free(&text);
	}
	test_project_end(&p);
}

static void every_shape_has_a_row(void **state)
{
	DIR *dir = opendir(test_path(test_data(), "settings-shapes"));
	size_t files = 0;

	assert_non_null(dir);
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
		files += entry->d_name[0] != '.';
	closedir(dir);
	assert_int_equal(files, AT_LEN(shapes));
}

/* Names, modes and bytes of everything below the project. */
struct listing {
	struct entry {
		char path[256];
		mode_t mode;
		struct at_digest digest;
	} entries[128];
	size_t count;
};

static struct listing *list_into;
static size_t list_base;

static int list_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	struct entry *e = &list_into->entries[list_into->count];
	struct at_buf bytes = { 0 };

	(void)ftw;
	if (strlen(path) <= list_base)
		return 0;
	assert_true(list_into->count < AT_LEN(list_into->entries));
	snprintf(e->path, sizeof(e->path), "%s", path + list_base + 1);
	e->mode = st->st_mode;
	if (kind == FTW_F)
		bytes = test_read("", path);
	e->digest = at_digest_of(at_buf_bytes(&bytes));
	at_buf_free(&bytes);
	list_into->count++;
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static void list_project(struct listing *out, const struct test_project *p)
{
	out->count = 0;
	list_into = out;
	list_base = strlen(p->shop);
	assert_int_equal(nftw(p->shop, list_one, 16, FTW_PHYS), 0);
	qsort(out->entries, out->count, sizeof(out->entries[0]), by_path);
}

/* "+new *changed -gone", sorted by path. */
static void differences(struct at_buf *out, const struct listing *a, const struct listing *b)
{
	size_t i = 0, k = 0;

	at_buf_free(out);
	while (i < a->count || k < b->count) {
		int order = i == a->count ? 1
			: k == b->count ? -1 : strcmp(a->entries[i].path, b->entries[k].path);

		if (order < 0)
			at_buf_printf(out, "-%s\n", a->entries[i].path);
		else if (order > 0)
			at_buf_printf(out, "+%s\n", b->entries[k].path);
		else if (a->entries[i].mode != b->entries[k].mode
			|| !at_digest_equal(&a->entries[i].digest, &b->entries[k].digest))
			at_buf_printf(out, "*%s\n", a->entries[i].path);
		i += order <= 0;
		k += order >= 0;
	}
}

#define REFS ".claude/agents/references/"

/* EMIT-14, WIRE-3: a team that was generated by an older tool. Each step moves what its row
 * names, and a step done again moves nothing. */
static void emit_14_teams_as_found(void **state)
{
	static const char *const trees[] = { "claude-confined", "claude-exclusive-roots-protected" };
	static const char update[] = "+" REFS "authorized-managers.txt\n"
		"+" REFS "authorized-verify-keys\n"
		"+" REFS "authorized-verify-keys/README.md\n"
		"*" REFS "build-log.json\n"
		"+" REFS "management-authority.json\n"
		"+" REFS "security-approvers.txt\n"
		"+" REFS "security-infrastructure-layers.reference.md\n"
		"+.claude/hooks/constitutional-gate.sh\n"
		"*" EXAMPLE "\n"
		"+sandbox\n"
		"+sandbox/confine-run.sh\n";
	static const struct {
		const char *words;
		int status;
		const char *moves;
	} steps[] = {
		{ "--check", 1, "" },
		{ "--update --dry-run", 0, "" },
		{ "--update", 0, update },
		{ "--update", 0, "" },
		{ "--check", 0, "" },
		{ "--merge", 0, "" },
		{ "--merge --accept-safe", 0, "+" LIVE "\n" },
		{ "--merge --accept-safe", 0, "" },
		{ "--check-wiring", 1, "" }, /* the gate's program is to come */
		{ "--update", 0, "" },
		{ "--check", 0, "" },
		{ "--undo", 0, "-" LIVE "\n" },
	};
	static struct listing start, before, after;
	struct at_buf moved = { 0 };

	for (size_t t = 0; t < AT_LEN(trees); t++) {
		struct test_project p;
		struct at_buf brief;
		char path[128];

		snprintf(path, sizeof(path), "trees/%s", trees[t]);
		test_project_begin(&p, path);
		snprintf(path, sizeof(path), "trees/%s.brief.json", trees[t]);
		brief = test_read(NULL, path);
		test_write_bytes(p.shop, "brief.json", at_buf_text(&brief), brief.len);
		at_buf_free(&brief);
		list_project(&start, &p);
		for (size_t i = 0; i < AT_LEN(steps); i++) {
			list_project(&before, &p);
			test_expect(&p, steps[i].status, steps[i].words);
			list_project(&after, &p);
			differences(&moved, &before, &after);
			if (strcmp(at_buf_text(&moved), steps[i].moves) != 0)
				fail_msg("%s, step %zu (%s) moved:\n%s", trees[t], i, steps[i].words,
					at_buf_text(&moved));
		}
		test_expect(&p, 0, "--undo");
		list_project(&after, &p);
		differences(&moved, &start, &after);
		assert_string_equal(at_buf_text(&moved), "");
		test_expect(&p, 1, "--undo");
		test_project_end(&p);
	}
	at_buf_free(&moved);
}

/* The state directory of the only project, below the home. */
static const char *state_path(const struct test_project *p, const char *name)
{
	static char out[1024];
	const char *above = test_path(p->home, ".local/state/agentteams");
	DIR *dir = opendir(above);
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir)) && entry->d_name[0] == '.')
		;
	assert_non_null(entry);
	snprintf(out, sizeof(out), "%s/%s/%s", above, entry->d_name, name);
	closedir(dir);
	return out;
}

/* WIRE-2: a damaged record of the last merge is named, not the operator's file, and nothing
 * is written; without it the next merge works. */
static void wire_2_damaged_record(void **state)
{
	static const char *const texts[] = { "garbage", "", "[]", "{\"a\": 1,}", NULL /* a link */ };

	for (size_t i = 0; i < AT_LEN(texts); i++) {
		struct test_project p;
		struct test_run run;
		const char *record;
		uint64_t before;

		test_project_begin(&p, NULL);
		test_expect(&p, 0, "--update" ROOT);
		test_expect(&p, 0, "--merge --accept-safe" ROOT);
		test_write(p.shop, LIVE, "{\"mine\": 1}\n");
		record = state_path(&p, "merged/claude-settings.json");
		if (texts[i]) {
			test_write("", record, texts[i]);
		} else {
			assert_int_equal(unlink(record), 0);
			assert_int_equal(symlink("other.json", record), 0);
		}
		before = test_tree_fingerprint(p.stage);
		run = test_run(&p, "--merge --accept-safe" ROOT);
		assert_row(i, run.status == 1 && strncmp(at_buf_text(&run.err), "atconsole: /", 12) == 0);
		assert_row(i, strstr(at_buf_text(&run.err), "/merged/claude-settings.json:"));
		assert_row(i, strstr(at_buf_text(&run.err), "Move it away"));
		assert_row(i, !strstr(at_buf_text(&run.err), LIVE));
		test_run_free(&run);
		assert_true(before == test_tree_fingerprint(p.stage));
		assert_int_equal(unlink(record), 0);
		assert_non_null(strstr(test_expect(&p, 0, "--merge --accept-safe" ROOT), "two-way"));
		test_project_end(&p);
	}
}

/* WIRE-8: a merge into a file that the client skips as a whole says so. */
static void wire_8_merged_and_not_loaded(void **state)
{
	static const struct {
		const char *file;
		bool skipped;
	} rows[] = {
		{ "cases/30-unknown-event/settings.json", true },
		{ "cases/31-hook-shapes/no-type.json", true },
		{ "settings-shapes/07-hook-without-type.json", true },
		{ "settings-shapes/01-deny-only.json", false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct test_project p;
		struct test_run run;
		struct at_buf text = test_read(NULL, rows[i].file);

		test_project_begin(&p, NULL);
		test_expect(&p, 0, "--update" ROOT);
		test_write_bytes(p.shop, LIVE, at_buf_text(&text), text.len);
		run = test_run(&p, "--merge --accept-safe" ROOT);
		assert_row(i, run.status == 0);
		assert_row(i, (strstr(at_buf_text(&run.err), "load nothing of this file") != NULL)
			== rows[i].skipped);
		test_run_free(&run);
		at_buf_free(&text);
		test_project_end(&p);
	}
}

/* UI-7: a report that did not get out is no success, however long it is. */
static void ui_7_lost_reports(void **state)
{
	static const char *const words[] = { "--merge", "--merge --json", "--check", "--update --dry-run",
		"--status", "--ceilings", "--schema brief", "--help", "--list-keys",
		"--merge --accept-safe" };
	static const char *const outputs[] = { ">/dev/full", ">&-", ">&- 2>&-", "<&- >&- 2>&-" };
	struct test_project p;
	struct at_buf live;

	test_project_begin(&p, NULL);
	test_expect(&p, 0, "--update" ROOT);
	for (size_t i = 0; i < AT_LEN(words); i++) {
		for (size_t k = 0; k < AT_LEN(outputs); k++) {
			char line[2048];

			snprintf(line, sizeof(line), "cd '%s' && HOME='%s' '%s' --project shop %s" ROOT
				" 2>/dev/null %s", p.stage, p.home, test_program(), words[i], outputs[k]);
			if (system(line) == 0)
				fail_msg("%s %s: exit 0", words[i], outputs[k]);
		}
	}
	/* What was reported to nobody is done all the same, and whole. */
	live = test_read(p.shop, LIVE);
	assert_non_null(strstr(at_buf_text(&live), "\"failIfUnavailable\": true"));
	assert_null(strstr(at_buf_text(&live), "review sha256"));
	at_buf_free(&live);
	test_expect(&p, 0, "--undo");
	test_project_end(&p);
}

static size_t temps;

static int count_temp(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	temps += strncmp(path + ftw->base, ".atconsole-", 11) == 0;
	return 0;
}

/* WIRE-2, STG-3: a merge that was killed is ended by the next run that writes, even when that
 * run has nothing to write of its own. */
static void stg_3_next_run_ends_what_was_killed(void **state)
{
	unsigned ended = 0;
	bool survived = false;

	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (unsigned at = 1; !survived && at < 200; at++) {
		struct test_project p;
		struct test_run run;
		struct at_buf old, now;
		char fault[48];

		test_project_begin(&p, NULL);
		test_expect(&p, 0, "--update" ROOT);
		old = test_read(p.shop, LIVE);
		snprintf(fault, sizeof(fault), "AT_FAULT=no-sync,kill:%u", at);
		run = test_run_with(&p, fault, "--merge --accept-safe" ROOT);
		survived = run.status == 0;
		test_run_free(&run);
		run = test_run(&p, "--update" ROOT);
		assert_row(at, run.status == 0 && strstr(at_buf_text(&run.out), "nothing to do"));
		ended += strstr(at_buf_text(&run.err), "an earlier merge was cut short") != NULL;
		test_run_free(&run);
		temps = 0;
		assert_int_equal(nftw(p.stage, count_temp, 16, FTW_PHYS), 0);
		assert_row(at, temps == 0);
		now = test_read(p.shop, LIVE);
		if (!at_bytes_equal(at_buf_bytes(&old), at_buf_bytes(&now)))
			assert_row(at, test_exists("", state_path(&p, "merged/claude-settings.json")));
		at_buf_free(&now);
		test_expect(&p, 0, "--merge --accept-safe" ROOT);
		test_expect(&p, 0, "--undo");
		now = test_read(p.shop, LIVE);
		assert_row(at, at_bytes_equal(at_buf_bytes(&old), at_buf_bytes(&now)));
		at_buf_free(&now);
		at_buf_free(&old);
		test_project_end(&p);
	}
	assert_true(survived && ended > 3);
}

int test_field(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape_has_a_row),
		cmocka_unit_test(wire_3_settings_as_found),
		cmocka_unit_test(emit_14_teams_as_found),
		cmocka_unit_test(wire_2_damaged_record),
		cmocka_unit_test(wire_8_merged_and_not_loaded),
		cmocka_unit_test(ui_7_lost_reports),
		cmocka_unit_test(stg_3_next_run_ends_what_was_killed),
	};

	return cmocka_run_group_tests_name("field", tests, NULL, NULL);
}
