/* Widening a header: the file anew, its values as they were read. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/disk.h"
#include "core/mem.h"
#include "keys/ledger_impl.h"

#define BLOCK ((size_t)64 << 10)

struct rewrite {
	const struct at_ledger_kind *kind;
	const struct at_ledger_header *header;
	const char *ending;
	uint64_t mask;
	int fd; /* written to */
	struct at_buf out;
	bool has_header;
};

uint64_t at_ledger_widened(const struct at_ledger_kind *kind,
	const struct at_ledger_header *header)
{
	return kind->written | header->columns;
}

void at_ledger_record(struct at_buf *out, const struct at_ledger_kind *kind, uint64_t mask,
	const struct at_bytes *cells, const char *ending)
{
	struct at_bytes chosen[AT_LEDGER_COLUMNS];
	size_t count = 0;

	for (unsigned c = 0; c < kind->column_count; c++)
		if (mask & AT_COLUMN(c))
			chosen[count++] = cells[c];
	at_csv_write(out, chosen, count, ending);
}

static bool flush(struct rewrite *r, size_t above, struct at_error *err)
{
	if (r->out.len <= above)
		return true;
	if (!at_disk_append(r->fd, at_buf_bytes(&r->out)))
		return at_fail_sys(err, errno, "cannot write the widened ledger");
	r->out.len = 0;
	return true;
}

static bool take(void *context, const struct at_csv_record *record, struct at_error *err)
{
	struct rewrite *r = context;
	struct at_bytes cells[AT_LEDGER_COLUMNS];

	if (r->has_header) {
		at_ledger_cells(cells, r->kind, r->header, record);
	} else {
		for (unsigned c = 0; c < r->kind->column_count; c++)
			cells[c] = at_bytes_of(r->kind->columns[c]);
		r->has_header = true;
	}
	at_ledger_record(&r->out, r->kind, r->mask, cells, r->ending);
	return flush(r, 16 * BLOCK, err);
}

static bool copy(struct rewrite *r, int from, size_t size, struct at_error *err)
{
	struct at_csv *csv = at_csv_new(take, r);
	char *block = at_alloc(BLOCK);
	bool done = true;

	for (size_t at = 0; at < size && done;) {
		size_t want = size - at < BLOCK ? size - at : BLOCK;
		ssize_t got = pread(from, block, want, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			done = at_fail_sys(err, got ? errno : EIO, "cannot read the ledger");
		else
			done = at_csv_feed(csv, (struct at_bytes){ block, (size_t)got }, err);
		at += got > 0 ? (size_t)got : 0;
	}
	done = done && at_csv_finish(csv, NULL, err);
	at_csv_free(csv);
	free(block);
	return done;
}

bool at_ledger_rewrite(const struct at_ledger_kind *kind, const struct at_ledger_header *header,
	int fd, size_t size, const char *ending, int dir, const char *temp, const struct stat *like,
	struct at_bytes row, struct at_error *err)
{
	struct rewrite r = { .kind = kind, .header = header, .ending = ending,
		.mask = at_ledger_widened(kind, header) };
	bool done;

	if (!at_disk_create(dir, temp, (struct at_bytes){ "", 0 }, like->st_mode & 07777,
		    like->st_uid, like->st_gid))
		return at_fail_sys(err, errno, "cannot write beside the ledger");
	r.fd = openat(dir, temp, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	if (r.fd < 0)
		return at_fail_sys(err, errno, "cannot write beside the ledger");
	done = copy(&r, fd, size, err);
	if (done) {
		at_buf_put(&r.out, row.data, row.len);
		done = flush(&r, 0, err);
	}
	close(r.fd);
	at_buf_free(&r.out);
	return done;
}
