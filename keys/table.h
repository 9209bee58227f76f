/* table.h - a whole ledger of rows and named columns, held in an arena.
 *
 * For the small ledgers that a gate looks through from both ends: decisions and waivers. Column
 * names are stripped, the last of two with one name counts, short rows end in empty cells. It
 * knows no column's meaning. Large ledgers are read a record at a time by keys/csv.
 * (reference-ledgers 1.5, 2.2)
 */
#ifndef AT_KEYS_TABLE_H
#define AT_KEYS_TABLE_H

#include "core/bytes.h"
#include "core/error.h"
#include "core/file.h"

struct at_arena;

#define AT_NO_COLUMN ((size_t)-1)

struct at_table_row {
	struct at_bytes *cells; /* of the record, and empty ones up to the table's columns */
	size_t count; /* cells of the record: a long one has more than columns */
	size_t line; /* from 1 */
	bool is_torn; /* the last line, without its end: half a write (KEY-11) */
};

struct at_table {
	struct at_bytes *header; /* as they stand */
	size_t columns;
	struct at_table_row *rows;
	size_t count, cap;
	bool exists;
	bool is_padded; /* a column's name has space around it: the Python tool finds no cell */
	const char *ending; /* "\r\n" when the file holds one anywhere, as the Python tool writes */
	struct at_bytes torn; /* the bytes of the torn row */
	mode_t mode; /* of the file */
	uid_t owner;
	gid_t group;
};

/* Reads `text`, which is not kept. Fails with AT_EPARSE on a quote out of place and on what is no
 * UTF-8, AT_ELIMIT on a huge record; line set. A text without a header has no columns. */
bool at_table_read(
	struct at_table *out, struct at_arena *arena, struct at_bytes text, struct at_error *err);
/* The same of `path` below `root`, at most 16 MiB. Absent is no failure; AT_EUNSAFE on a link, a
 * directory, a special file. */
bool at_table_load(struct at_table *out, struct at_arena *arena, int root, const char *path,
	struct at_error *err);

/* The column of that name, or AT_NO_COLUMN. */
size_t at_table_column(const struct at_table *table, const char *name);
/* The cell as it stands; empty for AT_NO_COLUMN. Borrowed from the arena. */
struct at_bytes at_table_cell(const struct at_table_row *row, size_t column);

/* Adds a column of empty cells. Fails with AT_EREFUSED where a row is longer than the header: what
 * stands there would come under the new name. */
bool at_table_add_column(
	struct at_table *table, struct at_arena *arena, const char *name, struct at_error *err);
/* `value` is borrowed. */
void at_table_set(struct at_table_row *row, size_t column, struct at_bytes value);

/* Appends the whole table as text, a torn row as torn as it was. */
void at_table_print(struct at_buf *out, const struct at_table *table);
/* Replaces `path` below `root` by the table: a new file beside it, then a rename over it. Mode and
 * owner are kept. The caller holds the ledger's lock. */
bool at_table_replace(
	const struct at_table *table, int root, const char *path, struct at_error *err);

#endif
