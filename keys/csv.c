#include "keys/csv.h"

#include <csv.h>
#include <string.h>

#include "core/mem.h"

/* libcsv is fed a line at a time, so that it is known where each record begins. */
struct at_csv {
	struct csv_parser parser;
	at_csv_take *take;
	void *context;
	struct at_error *err; /* of the call that runs */
	struct at_buf text;   /* of the cells of this record */
	size_t ends[AT_CSV_CELL_CAP];
	struct at_bytes cells[AT_CSV_CELL_CAP];
	size_t count;
	size_t offset, line;             /* of the next byte */
	size_t record_start, record_line; /* of the record being read */
	bool is_inside; /* of a record: bytes were fed since the last one ended */
	bool after_cr;
	bool has_failed;
};

static int is_never_space(unsigned char c)
{
	(void)c;
	return 0;
}

struct at_csv *at_csv_new(at_csv_take *take, void *context)
{
	struct at_csv *csv = at_alloc(sizeof(*csv));

	csv->take = take;
	csv->context = context;
	csv->line = 1;
	csv_init(&csv->parser, CSV_STRICT | CSV_STRICT_FINI);
	csv_set_space_func(&csv->parser, is_never_space);
	return csv;
}

static bool fail_at(struct at_csv *csv, enum at_code code, const char *what)
{
	csv->has_failed = true;
	at_fail(csv->err, code, "line %zu: %s", csv->record_line, what);
	at_error_at(csv->err, (unsigned)csv->record_line, 0);
	at_error_name(csv->err, code == AT_ELIMIT ? "csv-size" : "csv-syntax");
	return false;
}

static void on_cell(void *text, size_t len, void *data)
{
	struct at_csv *csv = data;

	if (csv->has_failed)
		return;
	if (csv->count == AT_CSV_CELL_CAP || csv->text.len + len > AT_CSV_RECORD_CAP) {
		fail_at(csv, AT_ELIMIT, "a record of more than 256 cells or 1 MiB");
		return;
	}
	at_buf_put(&csv->text, text, len);
	csv->ends[csv->count++] = csv->text.len;
}

static void on_record(int terminator, void *data)
{
	struct at_csv *csv = data;
	struct at_csv_record record = { csv->cells, csv->count, csv->record_line,
		csv->record_start, csv->offset };
	size_t start = 0;

	(void)terminator;
	if (csv->has_failed)
		return;
	for (size_t i = 0; i < csv->count; i++) {
		csv->cells[i] = (struct at_bytes){ at_buf_text(&csv->text) + start,
			csv->ends[i] - start };
		start = csv->ends[i];
	}
	if (!csv->take(csv->context, &record, csv->err))
		csv->has_failed = true;
	csv->text.len = 0;
	csv->count = 0;
	csv->is_inside = false;
}

/* One line with its end, or a piece of one. */
static bool feed_piece(struct at_csv *csv, const char *data, size_t len)
{
	if (!csv->is_inside) {
		csv->record_start = csv->offset;
		csv->record_line = csv->line;
	}
	csv->offset += len;
	csv->is_inside = csv->is_inside || len > 1 || (data[0] != '\n' && data[0] != '\r');
	if (csv_get_buffer_size(&csv->parser) > 2 * AT_CSV_RECORD_CAP ||
		csv->offset - csv->record_start > 2 * AT_CSV_RECORD_CAP)
		return fail_at(csv, AT_ELIMIT, "a record of more than 1 MiB");
	if (csv_parse(&csv->parser, data, len, on_cell, on_record, csv) != len && !csv->has_failed)
		return fail_at(csv, AT_EPARSE, "a quote stands where none may stand");
	return !csv->has_failed;
}

/* Where the line that begins at `at` ends: after LF, or after a CR. */
static size_t line_end(const char *data, size_t at, size_t len)
{
	const char *lf = memchr(data + at, '\n', len - at);
	size_t end = lf ? (size_t)(lf - data) + 1 : len;
	const char *cr = memchr(data + at, '\r', end - at);

	return cr ? (size_t)(cr - data) + 1 : end;
}

bool at_csv_feed(struct at_csv *csv, struct at_bytes bytes, struct at_error *err)
{
	csv->err = err;
	for (size_t at = 0; at < bytes.len && !csv->has_failed;) {
		size_t end = line_end(bytes.data, at, bytes.len);
		char last = bytes.data[end - 1];
		bool is_second = csv->after_cr && end - at == 1 && last == '\n';

		/* The LF of a CR LF belongs to the line before. */
		if (!feed_piece(csv, bytes.data + at, end - at))
			return false;
		csv->line += (last == '\n' && !is_second) || last == '\r';
		csv->after_cr = last == '\r';
		at = end;
	}
	return !csv->has_failed;
}

bool at_csv_finish(struct at_csv *csv, size_t *torn, struct at_error *err)
{
	csv->err = err;
	if (torn)
		*torn = csv->is_inside ? csv->record_start : csv->offset;
	if (csv->has_failed || (torn && csv->is_inside))
		return !csv->has_failed;
	if (csv_fini(&csv->parser, on_cell, on_record, csv) != 0 && !csv->has_failed)
		return fail_at(csv, AT_EPARSE, "a quote is never closed");
	return !csv->has_failed;
}

void at_csv_free(struct at_csv *csv)
{
	if (!csv)
		return;
	csv_free(&csv->parser);
	at_buf_free(&csv->text);
	free(csv);
}

void at_csv_write(struct at_buf *out, const struct at_bytes *cells, size_t count,
	const char *ending)
{
	for (size_t i = 0; i < count; i++) {
		struct at_bytes cell = cells[i];
		bool is_quoted = count == 1 && cell.len == 0; /* an empty line is no record */

		for (size_t k = 0; k < cell.len && !is_quoted; k++)
			is_quoted = strchr(",\"\r\n", cell.data[k]) && cell.data[k];
		if (i)
			at_buf_putc(out, ',');
		if (!is_quoted) {
			at_buf_put(out, cell.data, cell.len);
			continue;
		}
		at_buf_putc(out, '"');
		for (size_t k = 0; k < cell.len; k++) {
			if (cell.data[k] == '"')
				at_buf_putc(out, '"');
			at_buf_putc(out, cell.data[k]);
		}
		at_buf_putc(out, '"');
	}
	at_buf_puts(out, ending);
}
