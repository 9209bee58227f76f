/* A page of a long ledger: rows from a known place on, without the chain in front of them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "keys/ledger_impl.h"

#define BLOCK ((size_t)64 << 10)

struct page {
	const struct at_ledger_kind *kind;
	struct at_ledger_header header;
	struct at_ledger_mark from; /* of the reader's first byte */
	bool has_header, is_full;
	bool skips_header; /* from the file's start */
	size_t left;
	at_ledger_visit *visit;
	void *context;
	struct at_buf message;
	size_t rows; /* given */
};

static bool take_header(void *context, const struct at_csv_record *record, struct at_error *err)
{
	struct page *p = context;

	p->has_header = at_ledger_header_read(&p->header, p->kind, record, err);
	p->is_full = p->has_header;
	return false;
}

static bool take_row(void *context, const struct at_csv_record *record, struct at_error *err)
{
	struct page *p = context;
	struct at_bytes cells[AT_LEDGER_COLUMNS];
	struct at_ledger_row row = {
		.cells = cells,
		.number = p->from.number + p->rows,
		.line = p->from.line + record->line - 1,
		.start = p->from.offset + record->start,
		.end = p->from.offset + record->end,
		.count = record->count,
	};

	if (p->skips_header) {
		p->skips_header = false;
		return true;
	}
	at_ledger_cells(cells, p->kind, &p->header, record);
	row.payload = at_ledger_payload(&p->message, p->kind, cells);
	row.message = at_buf_bytes(&p->message);
	row.digest = at_digest_of(row.payload);
	p->rows++;
	if (!p->visit(p->context, &row, err))
		return false;
	p->is_full = --p->left == 0;
	return !p->is_full;
}

/* Feeds from `at` until the page is full or the file ends. */
static bool feed(struct page *p, int fd, size_t at, at_csv_take *take, struct at_error *err)
{
	struct at_csv *csv = at_csv_new(take, p);
	char *block = at_alloc(BLOCK);
	bool done = true;

	p->is_full = false;
	while (done) {
		ssize_t got = pread(fd, block, BLOCK, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			done = at_fail_sys(err, errno, "cannot read the ledger");
		if (got <= 0)
			break;
		at += (size_t)got;
		done = at_csv_feed(csv, (struct at_bytes){ block, (size_t)got }, err);
	}
	at_csv_free(csv);
	free(block);
	return done || p->is_full;
}

bool at_ledger_page(const struct at_ledger_kind *kind, int root, const char *path,
	struct at_ledger_mark from, size_t count, at_ledger_visit *visit, void *context,
	struct at_error *err)
{
	struct page p = {
		.kind = kind, .from = from, .left = count, .visit = visit, .context = context
	};
	const char *name;
	struct stat st;
	int dir = at_ledger_open_dir(root, path, &name, err), fd;
	bool done;

	if (dir < 0)
		return errno == ENOENT;
	fd = at_ledger_open(dir, name, O_RDONLY, &st, err);
	done = fd >= 0 || errno == ENOENT;
	close(dir);
	if (fd < 0 || count == 0) {
		if (fd >= 0)
			close(fd);
		return done;
	}
	if (from.offset == 0) {
		p.from = (struct at_ledger_mark){ 0, 1, 1 };
		p.skips_header = true;
	}
	done = feed(&p, fd, 0, take_header, err)
		&& (!p.has_header || feed(&p, fd, p.from.offset, take_row, err));
	close(fd);
	at_buf_free(&p.message);
	return done;
}
