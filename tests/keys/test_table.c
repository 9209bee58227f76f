/* A whole ledger as a table: what is read, what is refused, what is written back. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/support.h"

#include "core/error.h"
#include "keys/csv.h"
#include "keys/table.h"

/* Rows as "line[a][b]"; a torn one begins with "torn ". */
static void list(struct at_buf *out, const struct at_table *table)
{
	for (size_t i = 0; i < table->columns; i++)
		at_buf_printf(out, "<%.*s>", (int)table->header[i].len, table->header[i].data);
	for (size_t i = 0; i < table->count; i++) {
		const struct at_table_row *row = &table->rows[i];
		size_t cells = row->count > table->columns ? row->count : table->columns;

		at_buf_printf(out, " %s%zu", row->is_torn ? "torn " : "", row->line);
		for (size_t k = 0; k < cells; k++)
			at_buf_printf(out, "[%.*s]", (int)row->cells[k].len, row->cells[k].data);
	}
}

/* The rows of reference-ledgers 1.5. */
static void key_11_table_reads_what_the_python_tool_reads(void **state)
{
	static const struct {
		const char *in, *out; /* NULL: refused */
	} rows[] = {
		{ "", "" },
		{ "a,b", "<a><b>" },
		{ "a,b\n", "<a><b>" },
		{ "a,b\n1,2\n", "<a><b> 2[1][2]" },
		{ "a,b\r\n1,2\r\n", "<a><b> 2[1][2]" },
		{ "a,b\r1,2\r", "<a><b> 2[1][2]" },
		{ "a,b\n\n1,2\n\n", "<a><b> 3[1][2]" }, /* blank lines */
		{ "a,b\n1\n", "<a><b> 2[1][]" }, /* short */
		{ "a,b\n1,2,3\n", "<a><b> 2[1][2][3]" }, /* long */
		{ "a,b\n\"x\ny\",2\n3,4\n", "<a><b> 2[x\ny][2] 4[3][4]" },
		{ "a,b\n1,2\n3,4", "<a><b> 2[1][2] torn 3[3][4]" },
		{ "a,b\n3", "<a><b> torn 2[3][]" },
		{ "\xef\xbb\xbf"
		  "a,b\n",
			"<\xef\xbb\xbf"
			"a><b>" }, /* a BOM is part of the name */
		{ "a\n\xe9\n", NULL },
		{ "a\n\"open\n", NULL },
		{ "a\n1\n\"open", NULL },
		{ "a\nx\"y\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_arena *arena = at_arena_new();
		struct at_buf out = { 0 };
		struct at_table table;
		struct at_error err = { 0 };
		bool done = at_table_read(&table, arena, at_bytes_of(rows[i].in), &err);

		assert_row(i, done == !!rows[i].out);
		if (done)
			list(&out, &table);
		else
			assert_row(i, err.code == AT_EPARSE && err.line > 0);
		if (done && strcmp(at_buf_text(&out), rows[i].out) != 0)
			fail_msg("row %zu: %s", i, at_buf_text(&out));
		at_buf_free(&out);
		at_arena_free(arena);
	}
}

static void key_11_columns_by_name(void **state)
{
	static const char text[] = " a ,b,a\n1,2,3\n4\n";
	struct at_arena *arena = at_arena_new();
	struct at_table table;

	(void)state;
	assert_true(at_table_read(&table, arena, at_bytes_of(text), NULL));
	assert_int_equal(at_table_column(&table, "a"), 2); /* the last of two */
	assert_int_equal(at_table_column(&table, "b"), 1);
	assert_true(at_table_column(&table, " a ") == AT_NO_COLUMN);
	assert_true(table.is_padded);
	assert_true(at_bytes_equal_text(at_table_cell(&table.rows[0], 2), "3"));
	assert_true(at_bytes_equal_text(at_table_cell(&table.rows[1], 2), ""));
	assert_int_equal(at_table_cell(&table.rows[0], AT_NO_COLUMN).len, 0);
	at_arena_free(arena);
}

static void key_11_table_is_written_as_it_was(void **state)
{
	static const struct {
		const char *in, *out; /* NULL: the same */
	} rows[] = {
		{ "a,b\n1,2\n", NULL },
		{ "a,b\r\n1,2\r\n", NULL },
		{ " a,b\n 1 ,\"x,y\"\n", NULL },
		{ "a,b\n1,2\n3", NULL },
		/* torn stays torn */ { "a,b\n1,2,3\n", NULL },
		{ "a,b\n\n1\n", "a,b\n1\n" },
		{ "a,b\r\n1,2\n", "a,b\r\n1,2\r\n" },
		{ "a\n\"\"\n", NULL }, { "\"\"\n", NULL }, /* one empty cell is a record */
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *want = rows[i].out ? rows[i].out : rows[i].in;
		struct at_arena *arena = at_arena_new();
		struct at_buf out = { 0 };
		struct at_table table;

		assert_true(at_table_read(&table, arena, at_bytes_of(rows[i].in), NULL));
		at_table_print(&out, &table);
		if (strcmp(at_buf_text(&out), want) != 0)
			fail_msg("row %zu: %s", i, at_buf_text(&out));
		at_buf_free(&out);
		at_arena_free(arena);
	}
}

static void key_11_a_column_is_added(void **state)
{
	struct at_arena *arena = at_arena_new();
	struct at_buf out = { 0 };
	struct at_table table;
	struct at_error err;

	(void)state;
	assert_true(at_table_read(&table, arena, at_bytes_of("a,b\n1,2\n3\n"), NULL));
	assert_true(at_table_add_column(&table, arena, "c", &err));
	at_table_set(&table.rows[1], 2, at_bytes_of("yes"));
	at_table_print(&out, &table);
	assert_string_equal(at_buf_text(&out), "a,b,c\n1,2,\n3,,yes\n");
	assert_true(at_table_read(&table, arena, at_bytes_of("a\n1,2\n"), NULL));
	assert_false(at_table_add_column(&table, arena, "c", &err));
	assert_int_equal(err.code, AT_EREFUSED);
	at_buf_free(&out);
	at_arena_free(arena);
}

static void key_11_what_is_no_plain_file(void **state)
{
	struct at_arena *arena = at_arena_new();
	char *dir = test_tree_new();
	int root = at_file_open_dir(-1, dir, NULL);
	struct at_table table;
	struct at_error err;

	(void)state;
	assert_true(at_table_load(&table, arena, root, "none", &err));
	assert_false(table.exists);
	test_write(dir, "plain", "a\n1\n");
	assert_int_equal(symlink("plain", test_path(dir, "link")), 0);
	assert_int_equal(mkfifo(test_path(dir, "fifo"), 0600), 0);
	assert_int_equal(mkdir(test_path(dir, "directory"), 0700), 0);
	for (size_t i = 0; i < 3; i++) {
		static const char *const names[] = { "link", "fifo", "directory" };

		assert_row(i, !at_table_load(&table, arena, root, names[i], &err));
		assert_row(i, err.code == AT_EUNSAFE);
	}
	/* Replaced in one step, mode kept. */
	assert_int_equal(chmod(test_path(dir, "plain"), 0640), 0);
	assert_true(at_table_load(&table, arena, root, "plain", &err));
	at_table_set(&table.rows[0], 0, at_bytes_of("2"));
	assert_true(at_table_replace(&table, root, "plain", &err));
	assert_true(at_table_load(&table, arena, root, "plain", &err));
	assert_int_equal(table.mode, 0640);
	assert_true(at_bytes_equal_text(at_table_cell(&table.rows[0], 0), "2"));
	close(root);
	test_tree_remove(dir);
	at_arena_free(arena);
}

static void key_11_table_is_bounded(void **state)
{
	struct at_arena *arena = at_arena_new();
	char *dir = test_tree_new();
	int root = at_file_open_dir(-1, dir, NULL);
	struct at_buf text = { 0 };
	struct at_table table;
	struct at_error err;

	(void)state;
	at_buf_puts(&text, "a\n");
	while (text.len <= AT_FILE_CAP) {
		at_buf_pad(&text, 'x', 1000);
		at_buf_putc(&text, '\n');
	}
	test_write_bytes(dir, "big", text.data, text.len);
	assert_false(at_table_load(&table, arena, root, "big", &err));
	assert_int_equal(err.code, AT_ELIMIT);
	at_buf_free(&text);
	close(root);
	test_tree_remove(dir);
	at_arena_free(arena);
}

int test_table(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_11_table_reads_what_the_python_tool_reads),
		cmocka_unit_test(key_11_columns_by_name),
		cmocka_unit_test(key_11_table_is_written_as_it_was),
		cmocka_unit_test(key_11_a_column_is_added),
		cmocka_unit_test(key_11_what_is_no_plain_file),
		cmocka_unit_test(key_11_table_is_bounded),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
