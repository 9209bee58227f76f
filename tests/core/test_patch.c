/* The index of a patch's text, row by row. (UI-5) */
#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/patch.h"

/* A letter a row: @ hunk, F file, space + - \ as they stand; notes: t text, h header, and for
 * what is wrong S stray, B broken, C cut, N names, O no file, M combined, E no end, L long. */
static void shape_of(const struct at_diff *diff, char *out, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < diff->count && len + 1 < size; i++) {
		const struct at_diff_line *line = &diff->lines[i];

		out[len++] = line->kind == AT_DIFF_NOTE ? "thSBCNOMEL"[line->old_no]
			: line->kind == AT_DIFF_FILE    ? 'F'
							: at_diff_sign(line->kind);
	}
	out[len] = '\0';
}

#define GIT "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n"
#define BODY "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"

static const struct {
	const char *text, *shape;
} rows[] = {
	{ "", "" },
	{ "\n", "t" },
	{ GIT BODY, "Fhhh@ -+" },
	{ GIT BODY GIT BODY, "Fhhh@ -+Fhhh@ -+" },
	{ "--- a/x\t2026-01-01\n+++ b/x\t2026-01-02\n" BODY "--- a/y\n+++ b/y\n" BODY,
		"Fh@ -+Fh@ -+" },
	{ "From: x\nSubject: y\n\n+plus in the message\n---\n x | 2 +-\n\n" GIT BODY
	  "-- \n2.39.5\n",
		"tttttttFhhh@ -+tt" },
	{ GIT "@@ -1 +1 @@ int main(void)\n-a\n\\ No newline at end of file\n+b\n"
	      "\\ No newline at end of file\n",
		"Fhhh@-\\+\\" },
	{ "diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
		"Fhhh@+" },
	{ "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n"
	  "@@ -1 +0,0 @@\n-a\n",
		"Fhhh@-" },
	{ "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n" GIT BODY,
		"FhhhFhhh@ -+" },
	{ "diff --git a/x b/x\nGIT binary patch\nliteral 3\nKcmZ\n\n" GIT BODY, "FhhhhFhhh@ -+" },
	/* Lines of a file that look like headers are lines of a file: the counts decide. */
	{ GIT "@@ -1,2 +1,2 @@\n--- a/fake\n-@@ -1 +1 @@\n+++ b/fake\n+diff --git a/f b/f\n",
		"Fhhh@--++" },
	/* An empty line without its space, and one that is a carriage return. */
	{ GIT "@@ -1,3 +1,3 @@\n\n\r\n-a\n+b\n", "Fhhh@  -+" },
	/* Too few lines: the end, another hunk, another file, a line that fits no count. */
	{ GIT "@@ -1,2 +1,2 @@\n a\n", "Fhhh@ C" },
	{ GIT "@@ -1,2 +1,2 @@\n a\n@@ -9 +9 @@\n-a\n+b\n", "Fhhh@ C@-+" },
	{ GIT "@@ -1,2 +1,2 @@\n a\n" GIT BODY, "Fhhh@ CFhhh@ -+" },
	{ GIT "@@ -1,2 +1,1 @@\n a\n b\n", "Fhhh@ CS" },
	{ GIT "@@ -1 +1,2 @@\n-a\n-b\n+c\n", "Fhhh@-CSS" },
	{ "--- a/x\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n--- a/y\n+++ b/y\n" BODY, "Fh@+CFh@ -+" },
	/* Too many: nothing would apply them. */
	{ GIT BODY "+evil\n-evil\n evil\n", "Fhhh@ -+SSS" },
	{ GIT BODY "\n+evil\n", "Fhhh@ -+tt" },
	{ GIT "@@ -0,0 +0,0 @@\n+evil\n", "Fhhh@S" },
	/* Headers that cannot be read. */
	{ GIT "@@ -1,x +1 @@\n-a\n", "FhhhBS" },
	{ GIT "@@ -1 +1\n-a\n", "FhhhBS" },
	{ GIT "@@ -99999999999 +1 @@\n-a\n", "FhhhBS" },
	{ GIT "@@ -4294967295,2 +1 @@\n-a\n", "FhhhBS" },
	{ GIT "@@ -1, +1 @@\n-a\n", "FhhhBS" },
	{ "@@ -1 +1 @@\n-a\n+b\n@@ -5 +5 @@\n-a\n+b\n", "O@-+@-+" },
	/* Names that are not one file's. */
	{ "diff --git a/README b/README\n--- a/README\n+++ b/.git/hooks/x\n" BODY, "FhhN@ -+" },
	{ "diff --git a/README b/README\n--- a/other\n+++ b/README\n" BODY, "FhhN@ -+" },
	{ "diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n" BODY, "Fhh@ -+" },
	{ "diff --git \"a/\\t\\\"\" \"b/\\t\\\"\"\n--- \"a/\\t\\\"\"\n+++ \"b/\\t\\\"\"\n" BODY,
		"Fhh@ -+" },
	{ "diff --git a/x b/x\r\n--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", "Fhh@-+" },
	{ "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,2 @@@\n  a\n++b\n" GIT
			BODY,
		"FMttttttFhhh@ -+" },
	{ GIT "@@ -1 +1 @@\n-a\n+b", "Fhhh@-+E" },
	{ "--- a/x", "tE" },
	{ "--- a/x\n", "t" },
	{ "--- a/x\n+++", "ttE" },
};

static void feed(struct at_patch *patch, struct at_bytes text, size_t step)
{
	at_patch_init(patch, 0);
	for (size_t at = 0; at < text.len; at += step)
		at_patch_add(patch,
			(struct at_bytes){
				text.data + at, text.len - at < step ? text.len - at : step });
	at_patch_end(patch);
}

/* UI-5: what each line is; the same however the bytes come. */
static void ui_5_rows_of_a_patch(void **state)
{
	static const size_t steps[] = { 1 << 20, 1, 3, 7 };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		for (size_t s = 0; s < AT_LEN(steps); s++) {
			struct at_patch patch;
			char shape[64];

			feed(&patch, at_bytes_of(rows[i].text), steps[s]);
			shape_of(&patch.diff, shape, sizeof(shape));
			if (strcmp(shape, rows[i].shape) != 0)
				fail_msg("row %zu in steps of %zu: \"%s\", expected \"%s\"", i,
					steps[s], shape, rows[i].shape);
			assert_row(i, patch.ended && patch.indexed == patch.text.len);
			at_patch_free(&patch);
		}
	}
}

/* UI-5: nothing is dropped: the rows give the text back, byte by byte. */
static void ui_5_no_byte_is_dropped(void **state)
{
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		size_t at = 0;
		struct at_patch patch;

		feed(&patch, at_bytes_of(rows[i].text), 5);
		for (size_t k = 0; k < patch.diff.count; k++) {
			const struct at_diff_line *line = &patch.diff.lines[k];

			if (at_patch_is_own(line))
				continue;
			assert_row(i, line->offset == at || line->offset == at + 1);
			at = line->offset + line->len;
			assert_row(i, at == patch.text.len || patch.text.data[at] == '\n');
			at++;
		}
		assert_row(i, at == patch.text.len || at == patch.text.len + 1);
		at_patch_free(&patch);
	}
}

/* UI-5: numbers, totals, names. */
static void ui_5_numbers_and_names(void **state)
{
	static const char text[] =
		"diff --git a/src/x.c b/src/x.c\n--- a/src/x.c\n+++ b/src/x.c\n"
		"@@ -10,3 +20,3 @@ f()\n a\n-b\n+c\n d\n"
		"--- old name\t2026\n+++ new name\t2026\n@@ -1 +1 @@\n-a\n+b\n"
		"diff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
		"diff --git a/p b/q\nrename from p\nrename to q\n"
		"diff --git a/m b/m\nold mode 100644\n";
	static const char *const names[] = { "src/x.c", "new name", "gone", "q", "a/m b/m" };
	struct at_patch patch;
	const struct at_diff_line *lines;

	feed(&patch, at_bytes_of(text), 11);
	lines = patch.diff.lines;
	assert_int_equal(patch.diff.file_count, AT_LEN(names));
	for (size_t i = 0; i < AT_LEN(names); i++)
		assert_row(i, at_bytes_equal_text(at_patch_name(&patch.diff, i), names[i]));
	assert_true(lines[4].old_no == 10 && lines[4].new_no == 20);
	assert_true(lines[5].old_no == 11 && lines[5].new_no == 0);
	assert_true(lines[6].old_no == 0 && lines[6].new_no == 21);
	assert_true(lines[7].old_no == 12 && lines[7].new_no == 22);
	assert_true(at_bytes_equal_text(at_diff_text(&patch.diff, 3), "@@ -10,3 +20,3 @@ f()"));
	assert_true(at_bytes_equal_text(at_diff_text(&patch.diff, 6), "c"));
	assert_int_equal(patch.diff.added, 2);
	assert_int_equal(patch.diff.removed, 3);
	assert_int_equal(patch.diff.hunk_count, 3);
	assert_int_equal(patch.diff.last_no, 23);
	assert_int_equal(patch.faults, 0);
	assert_int_equal(at_patch_file_at(&patch.diff, 0), 1);
	assert_int_equal(at_patch_file_at(&patch.diff, patch.diff.count - 1), AT_LEN(names));
	at_patch_free(&patch);
}

/* UI-5, STG-2: rows of ours say what is missing; every row prints safely on one line. */
static void ui_5_prints_safely(void **state)
{
	static const char text[] =
		"diff --git a/\x1b]0;x\x07 b/\x1b]0;x\x07\n--- a/\x1b]0;x\x07\n+++ b/\xe2\x80\xae\n"
		"@@ -1,3 +1,4 @@\x9b[2J\n \x1b[8mhidden\r\n-\0nul\n+\xff\xe2\x80\x8b\n";
	struct at_buf out = { 0 };
	struct at_patch patch;

	feed(&patch, (struct at_bytes){ text, sizeof(text) - 1 }, 4);
	for (size_t i = 0; i < patch.diff.count; i++)
		at_patch_print_row(&patch.diff, i, &out);
	for (size_t i = 0; i < out.len; i++)
		assert_true((unsigned char)out.data[i] >= 0x20 || out.data[i] == '\n');
	assert_non_null(strstr(out.data, "! The names of this header are not the same file's"));
	assert_non_null(strstr(out.data, "! The hunk ends early: 1 old and 2 new lines of it"));
	assert_non_null(strstr(out.data, "\n ^[[8mhidden^M\n-^@nul\n+<FF><U+200B ZWSP>\n"));
	assert_null(strstr(out.data, "\xe2\x80\xae"));
	for (size_t i = 0; i < patch.diff.count; i++)
		assert_row(i,
			at_patch_is_fault(&patch.diff.lines[i])
				== (*at_patch_note_id(&patch.diff.lines[i]) != '\0'));
	at_buf_free(&out);
	at_patch_free(&patch);
}

/* UI-5: caps hold, and what was left out is said. */
static void ui_5_caps_are_told(void **state)
{
	struct at_patch patch;
	char shape[64];

	at_patch_init(&patch, 0);
	patch.line_cap = 4;
	at_patch_add(&patch, at_bytes_of(GIT BODY GIT));
	at_patch_end(&patch);
	shape_of(&patch.diff, shape, sizeof(shape));
	assert_string_equal(shape, "FhhhL");
	assert_true(patch.ended);
	at_patch_free(&patch);

	at_patch_init(&patch, 0);
	patch.byte_cap = strlen(GIT) + 20; /* in the middle of a hunk */
	at_patch_add(&patch, at_bytes_of(GIT));
	at_patch_add(&patch, at_bytes_of(BODY));
	at_patch_end(&patch);
	shape_of(&patch.diff, shape, sizeof(shape));
	assert_string_equal(shape, "Fhhh@ -CL");
	assert_int_equal(patch.text.len, patch.byte_cap);
	at_patch_free(&patch);
}

/* A line of 10 MB in small pieces: looked at once, not once a piece. */
static void ui_5_long_line_in_pieces(void **state)
{
	enum { SIZE = 10 << 20, STEP = 4096 };
	char *line = at_alloc(SIZE);
	struct at_patch patch;

	memset(line, 'x', SIZE);
	at_patch_init(&patch, 0);
	at_patch_add(&patch, at_bytes_of(GIT "@@ -0,0 +1 @@\n+"));
	for (size_t at = 0; at < SIZE; at += STEP)
		at_patch_add(&patch, (struct at_bytes){ line + at, STEP });
	assert_int_equal(patch.scanned, patch.text.len);
	at_patch_add(&patch, at_bytes_of("\n"));
	at_patch_end(&patch);
	assert_int_equal(patch.diff.lines[5].len, SIZE);
	assert_int_equal(patch.faults, 0);
	at_patch_free(&patch);
	free(line);
}

/* Reading ends at the end, at the cap, and with an error that keeps what was read. */
static void ui_5_reads_a_descriptor(void **state)
{
	char *dir = test_tree_new();
	struct at_error err = { 0 };
	struct at_patch patch;
	char shape[64];
	int fd;

	test_write(dir, "x.diff", GIT BODY);
	fd = open(test_path(dir, "x.diff"), O_RDONLY);
	at_patch_init(&patch, 10);
	while (!patch.ended)
		assert_true(at_patch_read(&patch, fd, 16, &err));
	shape_of(&patch.diff, shape, sizeof(shape));
	assert_string_equal(shape, "Fhhh@ -+");
	at_patch_free(&patch);
	lseek(fd, 0, SEEK_SET);
	at_patch_init(&patch, 0);
	patch.byte_cap = strlen(GIT BODY) - 3;
	while (!patch.ended)
		assert_true(at_patch_read(&patch, fd, 16, &err));
	shape_of(&patch.diff, shape, sizeof(shape));
	assert_string_equal(shape, "Fhhh@ -CL");
	at_patch_free(&patch);
	close(fd);
	fd = open(dir, O_RDONLY | O_DIRECTORY);
	at_patch_init(&patch, 0);
	assert_false(at_patch_read(&patch, fd, 16, &err));
	assert_int_equal(err.code, AT_EIO);
	at_patch_free(&patch);
	close(fd);
	test_tree_remove(dir);
}

int test_patch(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_5_rows_of_a_patch),
		cmocka_unit_test(ui_5_no_byte_is_dropped),
		cmocka_unit_test(ui_5_numbers_and_names),
		cmocka_unit_test(ui_5_prints_safely),
		cmocka_unit_test(ui_5_caps_are_told),
		cmocka_unit_test(ui_5_long_line_in_pieces),
		cmocka_unit_test(ui_5_reads_a_descriptor),
	};

	return cmocka_run_group_tests_name("patch", tests, NULL, NULL);
}
