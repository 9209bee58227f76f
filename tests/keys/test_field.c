/* What is stripped, what is refused, and CSV records. */
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

#include "core/mem.h"
#include "keys/csv.h"
#include "keys/field.h"
#include "keys/roster.h"

static void key_11_strip_is_python_s(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "", "" }, { "a", "a" }, { "  a b ", "a b" }, { "\t\n\v\f\r a", "a" },
		{ "\x1c\x1d\x1e\x1f" "a\x1f", "a" }, { "\xc2\x85" "a\xc2\xa0", "a" },
		{ "\xe1\x9a\x80" "a\xe2\x80\x80\xe2\x80\x8a", "a" },
		{ "\xe2\x80\xa8" "a\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\x9f\xe3\x80\x80", "a" },
		{ "\xe2\x80\x8b" "a", "\xe2\x80\x8b" "a" }, /* zero width is no space */
		{ "\xef\xbb\xbf" "a", "\xef\xbb\xbf" "a" }, { "\x80 a \x80", "\x80 a \x80" },
		{ "\xc2\xa0", "" }, { "a\x00", "a" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_bytes got = at_field_strip(at_bytes_of(rows[i].in));

		if (!at_bytes_equal_text(got, rows[i].out))
			fail_msg("row %zu: `%.*s`", i, (int)got.len, got.data);
	}
}

static void key_7_what_may_not_be_signed(void **state)
{
	static const struct {
		const char *in;
		enum at_field_fault fault;
	} rows[] = {
		{ "/srv/équipe", AT_FIELD_FINE }, { "", AT_FIELD_FINE },
		{ "a|b", AT_FIELD_DELIMITER }, { "a\nb", AT_FIELD_CONTROL },
		{ "a\x7f", AT_FIELD_CONTROL }, { "\xc2\x85", AT_FIELD_CONTROL },
		{ "a\xe2\x80\xae" "b", AT_FIELD_SPOOF }, { "\xe2\x80\x8b", AT_FIELD_SPOOF },
		{ "\xd8\x9c", AT_FIELD_SPOOF }, { "\xef\xbb\xbf", AT_FIELD_SPOOF },
		{ "\xe1\xa0\x8e", AT_FIELD_SPOOF }, { "\xe2\x81\xa4", AT_FIELD_SPOOF },
		{ "\xe2\x81\xa5", AT_FIELD_FINE }, { "\xff|", AT_FIELD_ENCODING },
		{ "\xed\xa0\x80", AT_FIELD_ENCODING },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++)
		if (at_field_check(at_bytes_of(rows[i].in)) != rows[i].fault)
			fail_msg("row %zu", i);
}

static bool list(void *context, const struct at_csv_record *record, struct at_error *err)
{
	struct at_buf *out = context;

	(void)err;
	at_buf_printf(out, "%zu:%zu-%zu", record->line, record->start, record->end);
	for (size_t i = 0; i < record->count; i++)
		at_buf_printf(out, "[%.*s]", (int)record->cells[i].len, record->cells[i].data);
	at_buf_putc(out, '\n');
	return true;
}

/* `whole` in pieces of `step` bytes. */
static bool read_csv(struct at_buf *out, const char *whole, size_t len, size_t step, size_t *torn,
	struct at_error *err)
{
	struct at_csv *csv = at_csv_new(list, out);
	bool done = true;

	for (size_t at = 0; at < len && done; at += step)
		done = at_csv_feed(csv,
			(struct at_bytes){ whole + at, at + step < len ? step : len - at }, err);
	done = done && at_csv_finish(csv, torn, err);
	at_csv_free(csv);
	return done;
}

static void key_11_csv_records(void **state)
{
	static const struct {
		const char *in, *out; /* NULL: refused */
		size_t torn;
	} rows[] = {
		{ "", "", 0 },
		{ "a,b\n1,2\n", "1:0-4[a][b]\n2:4-8[1][2]\n", 8 },
		{ "a,b\r\n1,2\r\n", "1:0-4[a][b]\n2:5-9[1][2]\n", 10 },
		{ "a\r1\r", "1:0-2[a]\n2:2-4[1]\n", 4 },
		{ "a,b\n\n\n1,2\n", "1:0-4[a][b]\n4:6-10[1][2]\n", 10 },
		{ "a\n\"x\ny\"\nb\n", "1:0-2[a]\n2:2-8[x\ny]\n4:8-10[b]\n", 10 },
		{ "\"a\"\"b\",c\n", "1:0-9[a\"b][c]\n", 9 },
		{ " a ,b\n", "1:0-6[ a ][b]\n", 6 },
		{ ",\n", "1:0-2[][]\n", 2 },
		{ "a\n1,2", "1:0-2[a]\n", 2 },
		{ "a\n\"open", "1:0-2[a]\n", 2 },
		{ "a\"b\n", NULL, 0 },
		{ "\"a\"b\n", NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++)
		for (size_t step = 1; step < 12; step++) {
			struct at_buf out = { 0 };
			struct at_error err = { 0 };
			size_t torn = 99;
			bool done = read_csv(&out, rows[i].in, strlen(rows[i].in), step, &torn, &err);

			if (done != !!rows[i].out)
				fail_msg("row %zu: %s", i, err.message);
			if (done && (strcmp(at_buf_text(&out), rows[i].out) || torn != rows[i].torn))
				fail_msg("row %zu step %zu: %s torn %zu", i, step,
					at_buf_text(&out), torn);
			if (!done)
				assert_int_equal(err.line, 1);
			at_buf_free(&out);
		}
}

static void key_11_csv_is_bounded(void **state)
{
	struct at_buf text = { 0 }, out = { 0 };
	struct at_error err = { 0 };

	(void)state;
	at_buf_pad(&text, 'x', (3u << 20));
	assert_false(read_csv(&out, text.data, text.len, 65536, NULL, &err));
	assert_int_equal(err.code, AT_ELIMIT);
	text.len = 0;
	at_buf_pad(&text, ',', 400);
	at_buf_putc(&text, '\n');
	assert_false(read_csv(&out, text.data, text.len, 65536, NULL, &err));
	assert_int_equal(err.code, AT_ELIMIT);
	at_buf_free(&text);
	at_buf_free(&out);
}

static void key_11_csv_written_reads_back(void **state)
{
	const struct at_bytes cells[] = { at_bytes_of("a"), at_bytes_of("b,c"), at_bytes_of("\"q\""),
		at_bytes_of("x\ny"), at_bytes_of(""), at_bytes_of(" p "), { "n\0l", 3 } };
	struct at_buf text = { 0 }, out = { 0 };

	(void)state;
	at_csv_write(&text, cells, AT_LEN(cells), "\n");
	assert_memory_equal(text.data, "a,\"b,c\",\"\"\"q\"\"\",\"x\ny\",, p ,n\0l\n", text.len);
	assert_true(read_csv(&out, text.data, text.len, 5, NULL, NULL));
	at_buf_free(&text);
	at_buf_free(&out);
}

static void key_6_roster(void **state)
{
	static const struct {
		const char *text, *name;
		bool has;
	} rows[] = {
		{ "", "alice", false }, { "# alice\n", "alice", false },
		{ "alice\n@Bob\n", "alice", true }, { "alice\n@Bob\n", "@bob", true },
		{ "alice\n@Bob\n", " BOB ", true }, { "alice # x\n", "alice", false },
		{ "alice # x\n", "alice # x", true }, { "alice\r\nbob\r\n", "bob", true },
		{ "alice\xe2\x80\xa8" "bob", "bob", true }, { "alice\f" "bob", "bob", true },
		{ "@@eve\n", "eve", true }, { "@\n", "", false }, { "alice\n", "", false },
		{ "\xef\xbb\xbf" "alice\n", "alice", false },
	};
	struct at_arena *arena = at_arena_new();
	struct at_roster roster;
	struct at_error err = { 0 };

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		assert_true(at_roster_read(&roster, arena, at_bytes_of(rows[i].text), &err));
		if (at_roster_has(&roster, at_bytes_of(rows[i].name)) != rows[i].has)
			fail_msg("row %zu", i);
	}
	assert_false(at_roster_read(&roster, arena, at_bytes_of("ali\xff" "ce"), &err));
	at_arena_free(arena);
}

int test_field(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_11_strip_is_python_s),
		cmocka_unit_test(key_7_what_may_not_be_signed),
		cmocka_unit_test(key_11_csv_records),
		cmocka_unit_test(key_11_csv_is_bounded),
		cmocka_unit_test(key_11_csv_written_reads_back),
		cmocka_unit_test(key_6_roster),
	};

	return cmocka_run_group_tests_name("field", tests, NULL, NULL);
}
