/* ledger_impl.h - what reading and appending share. Internal to keys/ledger*.c. */
#ifndef AT_KEYS_LEDGER_IMPL_H
#define AT_KEYS_LEDGER_IMPL_H

#include <sys/stat.h>

#include "keys/csv.h"
#include "keys/ledger.h"

#define AT_NO_CELL 0xffffu

/* Which cell of a record is which column. A name that appears twice is its last cell, and a padded
 * name is none of ours, as Python's DictReader has it. */
struct at_ledger_header {
	uint16_t place[AT_LEDGER_COLUMNS]; /* AT_NO_CELL where the file has none */
	unsigned char order[AT_CSV_CELL_CAP]; /* the column of each cell; 0xff: none of the kind's */
	size_t count;
	uint64_t columns;
	char extra[48]; /* the first name that is none of the kind's, or "" */
};

bool at_ledger_header_read(struct at_ledger_header *out, const struct at_ledger_kind *kind,
	const struct at_csv_record *record, struct at_error *err);

/* The record's cells by column. */
void at_ledger_cells(struct at_bytes *cells, const struct at_ledger_kind *kind,
	const struct at_ledger_header *header, const struct at_csv_record *record);

/* Tag, `|` and payload into `out`; the payload's part of it. */
struct at_bytes at_ledger_payload(struct at_buf *out, const struct at_ledger_kind *kind,
	const struct at_bytes *cells);

/* Opens `name` in `dir`: -1 with errno ENOENT and no error when absent. */
int at_ledger_open(int dir, const char *name, int flags, struct stat *st, struct at_error *err);

/* Walks an open file from its start against `head`, NULL for none. */
bool at_ledger_scan(struct at_ledger_state *out, const struct at_ledger_kind *kind, int fd,
	const struct at_ledger_head *head, struct at_ledger_header *header, at_ledger_visit *visit,
	void *context, struct at_error *err);

/* The directory of `path` below `root`: -1 with errno ENOENT and no error when absent. */
int at_ledger_open_dir(int root, const char *path, const char **name, struct at_error *err);

/* Is text before the cut well-formed? Plain ASCII is told at once. */
bool at_ledger_is_text(const char *data, size_t len);

/* Writes the file anew with every written column, into `temp` in `dir`, in constant memory. The bytes
 * behind `size` stay behind. */
bool at_ledger_rewrite(const struct at_ledger_kind *kind, const struct at_ledger_header *header,
	int fd, size_t size, const char *ending, int dir, const char *temp, const struct stat *like,
	struct at_bytes row, struct at_error *err);
/* The columns a file with this header has once it is widened, as a mask. */
uint64_t at_ledger_widened(const struct at_ledger_kind *kind,
	const struct at_ledger_header *header);
/* One record of the columns in `mask`, in the kind's order. Appended. */
void at_ledger_record(struct at_buf *out, const struct at_ledger_kind *kind, uint64_t mask,
	const struct at_bytes *cells, const char *ending);

#endif
