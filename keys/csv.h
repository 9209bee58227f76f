/* csv.h - records of a CSV file, one at a time, in constant memory.
 *
 * RFC 4180 by libcsv in its strict mode: a quote inside an unquoted cell, or one that never closes,
 * is an error with its line, not a guess. Cells are bytes; what is stripped or what is text is the
 * caller's. Writing quotes what has to be quoted, as Python's csv does. The only file that knows
 * libcsv. (KEY-11; reference-ledgers 1.5)
 */
#ifndef AT_KEYS_CSV_H
#define AT_KEYS_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"
#include "core/error.h"

struct at_csv_record {
	const struct at_bytes *cells; /* borrowed until the next record */
	size_t count;
	size_t line; /* of its first byte, from 1 */
	size_t start, end; /* its bytes in the file, with the line end */
};

#define AT_CSV_RECORD_CAP ((size_t)1 << 20) /* bytes of one record */
#define AT_CSV_CELL_CAP 256u

/* Is given every record that is not an empty line. False ends the reading with its error. */
typedef bool at_csv_take(void *context, const struct at_csv_record *record, struct at_error *err);

struct at_csv;

struct at_csv *at_csv_new(at_csv_take *take, void *context);
/* The next bytes of the file, in pieces of any size. Fails with AT_EPARSE, its line set, or
 * AT_ELIMIT, or as `take` failed; the reader is spent then. */
bool at_csv_feed(struct at_csv *csv, struct at_bytes bytes, struct at_error *err);
/* The end of the file: a last record without its line end is given too unless `torn` is not
 * NULL: there its first byte is put, or the size of the file when nothing is torn. */
bool at_csv_finish(struct at_csv *csv, size_t *torn, struct at_error *err);
void at_csv_free(struct at_csv *csv); /* NULL is fine */

/* Appends one record with `ending`, "\n" or "\r\n". Cells with `,` `"` CR or LF are quoted. */
void at_csv_write(struct at_buf *out, const struct at_bytes *cells, size_t count,
	const char *ending);

#endif
