#include "keys/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/disk.h"
#include "core/mem.h"
#include "core/utf8.h"
#include "keys/csv.h"
#include "keys/ed25519.h"
#include "keys/field.h"

struct reading {
	struct at_table *table;
	struct at_arena *arena;
	bool is_torn;
	size_t line_base; /* lines before what is read */
};

static struct at_bytes copy(struct at_arena *arena, struct at_bytes text)
{
	return (struct at_bytes){ at_arena_strndup(arena, text.data, text.len), text.len };
}

static void take_header(struct reading *in, const struct at_csv_record *record)
{
	struct at_table *table = in->table;

	table->columns = record->count;
	table->header = at_arena_alloc(in->arena, record->count * sizeof(*table->header));
	for (size_t i = 0; i < record->count; i++) {
		table->header[i] = copy(in->arena, record->cells[i]);
		table->is_padded |= at_field_strip(record->cells[i]).len != record->cells[i].len;
	}
}

static bool take(void *context, const struct at_csv_record *record, struct at_error *err)
{
	struct reading *in = context;
	struct at_table *table = in->table;
	struct at_table_row *row;
	size_t room = record->count > table->columns ? record->count : table->columns;

	(void)err;
	if (!table->columns) {
		take_header(in, record);
		return true;
	}
	if (table->count == table->cap) {
		size_t cap = table->cap ? 2 * table->cap : 64;
		struct at_table_row *rows = at_arena_alloc(in->arena, cap * sizeof(*rows));

		if (table->count)
			memcpy(rows, table->rows, table->count * sizeof(*rows));
		table->rows = rows;
		table->cap = cap;
	}
	row = &table->rows[table->count++];
	*row = (struct at_table_row){
		.count = record->count, .line = in->line_base + record->line, .is_torn = in->is_torn
	};
	row->cells = at_arena_alloc(in->arena, room * sizeof(*row->cells));
	for (size_t i = 0; i < room; i++)
		row->cells[i] = i < record->count ? copy(in->arena, record->cells[i])
						  : (struct at_bytes){ "", 0 };
	return true;
}

static size_t lines_of(struct at_bytes text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += text.data[i] == '\n'
			|| (text.data[i] == '\r'
				&& !(i + 1 < text.len && text.data[i + 1] == '\n'));
	return count;
}

/* What follows the last line end, by itself. One that is no record yet stands for nothing that can
 * be told: it might have been a HALT, so the ledger is refused. */
static bool take_torn(struct reading *in, struct at_bytes torn, struct at_error *err)
{
	struct at_csv *csv = at_csv_new(take, in);
	bool done;

	in->is_torn = true;
	done = at_csv_feed(csv, torn, err) && at_csv_finish(csv, NULL, err);
	at_csv_free(csv);
	return done;
}

static bool read_records(struct reading *in, struct at_bytes text, struct at_error *err)
{
	struct at_csv *csv = at_csv_new(take, in);
	size_t torn = text.len;
	bool done = at_csv_feed(csv, text, err) && at_csv_finish(csv, &torn, err);

	at_csv_free(csv);
	if (!done || torn >= text.len)
		return done;
	in->line_base = lines_of((struct at_bytes){ text.data, torn });
	/* A header alone needs no line end. */
	in->table->torn = in->table->columns
		? copy(in->arena, (struct at_bytes){ text.data + torn, text.len - torn })
		: (struct at_bytes){ 0 };
	return take_torn(in, (struct at_bytes){ text.data + torn, text.len - torn }, err);
}

bool at_table_read(
	struct at_table *out, struct at_arena *arena, struct at_bytes text, struct at_error *err)
{
	struct reading in = { out, arena, false, 0 };
	size_t bad;

	*out = (struct at_table){ .exists = true, .ending = "\n" };
	if (!at_utf8_is_valid(text, &bad)) {
		at_fail(err, AT_EPARSE, "no UTF-8 at byte %zu", bad);
		at_error_at(err, (unsigned)lines_of((struct at_bytes){ text.data, bad }) + 1, 0);
		at_error_name(err, "csv-utf8");
		return false;
	}
	if (text.len && memmem(text.data, text.len, "\r\n", 2))
		out->ending = "\r\n";
	return read_records(&in, text, err);
}

bool at_table_load(struct at_table *out, struct at_arena *arena, int root, const char *path,
	struct at_error *err)
{
	struct at_file file;
	bool done = true;

	*out = (struct at_table){ .ending = "\n" };
	if (!at_file_read(
		    &file, root, path, AT_FILE_CAP, AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, err))
		return false;
	if (file.exists) {
		done = at_table_read(out, arena, at_buf_bytes(&file.bytes), err);
		if (!done)
			at_error_path(err, path);
		out->mode = file.mode;
		out->owner = file.owner;
		out->group = file.group;
	}
	at_file_free(&file);
	return done;
}

size_t at_table_column(const struct at_table *table, const char *name)
{
	for (size_t i = table->columns; i-- > 0;)
		if (at_bytes_equal_text(at_field_strip(table->header[i]), name))
			return i;
	return AT_NO_COLUMN;
}

struct at_bytes at_table_cell(const struct at_table_row *row, size_t column)
{
	return column == AT_NO_COLUMN ? (struct at_bytes){ "", 0 } : row->cells[column];
}

static void put_cell(
	struct at_bytes **cells, size_t count, struct at_arena *arena, struct at_bytes value)
{
	struct at_bytes *more = at_arena_alloc(arena, (count + 1) * sizeof(*more));

	if (count)
		memcpy(more, *cells, count * sizeof(*more));
	more[count] = value;
	*cells = more;
}

bool at_table_add_column(
	struct at_table *table, struct at_arena *arena, const char *name, struct at_error *err)
{
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i].count <= table->columns)
			continue;
		at_fail(err, AT_EREFUSED,
			"line %zu has more cells than the header names: the column "
			"`%s` cannot be added",
			table->rows[i].line, name);
		at_error_hint(err, "Name its last cell in the header, or take it out.");
		return false;
	}
	put_cell(&table->header, table->columns, arena,
		(struct at_bytes){ at_arena_strdup(arena, name), strlen(name) });
	for (size_t i = 0; i < table->count; i++) {
		put_cell(&table->rows[i].cells, table->columns, arena, (struct at_bytes){ "", 0 });
		table->rows[i].count = table->columns + 1;
	}
	table->columns++;
	return true;
}

void at_table_set(struct at_table_row *row, size_t column, struct at_bytes value)
{
	row->cells[column] = value;
	if (row->count <= column)
		row->count = column + 1;
}

void at_table_print(struct at_buf *out, const struct at_table *table)
{
	at_csv_write(out, table->header, table->columns, table->ending);
	for (size_t i = 0; i < table->count; i++) {
		const struct at_table_row *row = &table->rows[i];

		if (row->is_torn)
			at_buf_put(out, table->torn.data, table->torn.len);
		else
			at_csv_write(out, row->cells, row->count, table->ending);
	}
}

static void temp_name(char out[40])
{
	unsigned char random[8];
	struct at_buf hex = { 0 };

	at_random_bytes(random, sizeof(random));
	at_hex_put(&hex, random, sizeof(random));
	snprintf(out, 40, ".atconsole-%s", at_buf_text(&hex));
	at_buf_free(&hex);
}

bool at_table_replace(
	const struct at_table *table, int root, const char *path, struct at_error *err)
{
	struct at_buf text = { 0 };
	const char *name;
	char temp[40];
	int dir = at_file_open_parent(root, path, &name, err);
	bool done;

	if (dir < 0)
		return false;
	at_table_print(&text, table);
	temp_name(temp);
	done = at_disk_create(
		dir, temp, at_buf_bytes(&text), table->mode, table->owner, table->group);
	if (done && !at_disk_rename(dir, temp, name)) {
		int why = errno;

		at_disk_remove(dir, temp);
		errno = why;
		done = false;
	}
	done = done && at_disk_sync(dir);
	if (!done) {
		at_fail_sys(err, errno, "cannot write `%s` anew", path);
		at_error_path(err, path);
	}
	close(dir);
	at_buf_free(&text);
	return done;
}
