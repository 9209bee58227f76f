/* Records are the same however the bytes come, what is written reads back, and a ledger made of
 * anything has a verdict. (KEY-11) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "keys/csv.h"
#include "keys/grant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

struct seen {
	struct at_buf cells; /* every cell with its length before it */
	struct at_buf written; /* the records, as we write them */
	size_t records, end;
};

static bool take(void *context, const struct at_csv_record *record, struct at_error *err)
{
	struct seen *seen = context;

	(void)err;
	CHECK(record->count > 0 && record->start < record->end && record->line > 0);
	CHECK(record->start >= seen->end);
	seen->end = record->end;
	seen->records++;
	for (size_t i = 0; i < record->count; i++) {
		at_buf_printf(&seen->cells, "%zu:", record->cells[i].len);
		at_buf_put(&seen->cells, record->cells[i].data, record->cells[i].len);
	}
	at_buf_putc(&seen->cells, '\n');
	/* One empty cell is an empty line, which is no record. */
	if (record->count > 1 || record->cells[0].len)
		at_csv_write(&seen->written, record->cells, record->count, "\n");
	else
		at_buf_puts(&seen->written, "\"\"\n");
	return true;
}

static bool read_csv(struct seen *seen, struct at_bytes text, size_t step, size_t *torn)
{
	struct at_csv *csv = at_csv_new(take, seen);
	struct at_error err = { 0 };
	bool done = true;

	*seen = (struct seen){ .records = 0 };
	for (size_t at = 0; at < text.len && done; at += step)
		done = at_csv_feed(csv,
			(struct at_bytes){
				text.data + at, text.len - at < step ? text.len - at : step },
			&err);
	done = done && at_csv_finish(csv, torn, &err);
	CHECK(done || (err.message[0] && err.line));
	at_csv_free(csv);
	return done;
}

static void drop(struct seen *seen)
{
	at_buf_free(&seen->cells);
	at_buf_free(&seen->written);
}

static bool count(void *context, const struct at_ledger_row *row, struct at_error *err)
{
	(void)err;
	CHECK(row->number == ++*(size_t *)context);
	CHECK(row->message.len == row->payload.len + strlen(AT_GRANT_TAG) + 1);
	return true;
}

static void walk(struct at_bytes text)
{
	struct at_ledger_state state;
	struct at_error err = { 0 };
	size_t rows = 0;
	int fd = memfd_create("ledger", MFD_CLOEXEC);

	CHECK(fd >= 0 && write(fd, text.data, text.len) == (ssize_t)text.len);
	CHECK(at_ledger_walk_fd(&state, &at_grant_kind, fd, count, &rows, &err));
	CHECK(state.verdict == AT_LEDGER_GOOD ? rows == state.rows
					      : state.fault.message[0] != '\0');
	CHECK(state.torn <= state.size);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct at_bytes text = { (const char *)data, size };
	size_t step = size ? data[0] % 7 + 1 : 1, torn_a = 0, torn_b = 0;
	struct seen a, b, again;
	bool done = read_csv(&a, text, size + 1, &torn_a);

	CHECK(done == read_csv(&b, text, step, &torn_b));
	CHECK(at_bytes_equal(at_buf_bytes(&a.cells), at_buf_bytes(&b.cells)));
	CHECK(!done || (torn_a == torn_b && torn_a <= size));
	if (done) {
		CHECK(read_csv(&again, at_buf_bytes(&a.written), step, &torn_b));
		CHECK(at_bytes_equal(at_buf_bytes(&a.cells), at_buf_bytes(&again.cells)));
		drop(&again);
	}
	drop(&a);
	drop(&b);
	walk(text);
	return 0;
}
