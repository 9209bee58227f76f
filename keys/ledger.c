#include "keys/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/mem.h"
#include "core/utf8.h"
#include "keys/field.h"
#include "keys/ledger_impl.h"

#define BLOCK ((size_t)64 << 10)

struct walk {
	struct at_ledger_state *out;
	const struct at_ledger_kind *kind;
	const struct at_ledger_head *head; /* NULL: none */
	struct at_ledger_header *header;
	bool has_header;
	at_ledger_visit *visit;
	void *context;
	struct at_buf message;
	struct at_bytes cells[AT_LEDGER_COLUMNS];
	bool has_verdict; /* out->fault says why the walk ended */
};

bool at_key_id_is_sound(struct at_bytes id)
{
	if (id.len == 0 || id.len > AT_KEY_ID_CAP || at_bytes_equal_text(id, ".") ||
		at_bytes_equal_text(id, ".."))
		return false;
	for (size_t i = 0; i < id.len; i++) {
		char c = id.data[i];

		if (!(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
			c != '.' && c != '_' && c != '-')
			return false;
	}
	return true;
}

static bool fail_header(const struct at_ledger_kind *kind, struct at_error *err)
{
	struct at_buf names = { 0 };

	for (unsigned c = 0; c < kind->column_count; c++)
		if (kind->required[0] & AT_COLUMN(c))
			at_buf_printf(&names, "%s%s", names.len ? "," : "", kind->columns[c]);
	at_fail(err, AT_EINVALID, "%s is malformed: expected header %s", kind->log,
		at_buf_text(&names));
	at_error_name(err, "ledger-header");
	at_error_at(err, 1, 0);
	at_buf_free(&names);
	return false;
}

static unsigned column_of(const struct at_ledger_kind *kind, struct at_bytes name)
{
	unsigned c = 0;

	while (c < kind->column_count && !at_bytes_equal_text(name, kind->columns[c]))
		c++;
	return c;
}

bool at_ledger_header_read(struct at_ledger_header *out, const struct at_ledger_kind *kind,
	const struct at_csv_record *record, struct at_error *err)
{
	uint64_t stripped = 0;

	*out = (struct at_ledger_header){ .count = record->count };
	for (unsigned c = 0; c < AT_LEDGER_COLUMNS; c++)
		out->place[c] = AT_NO_CELL;
	for (size_t i = 0; i < record->count; i++) {
		struct at_bytes name = record->cells[i];
		unsigned c = column_of(kind, name);
		unsigned loose = column_of(kind, at_field_strip(name));

		stripped |= loose < kind->column_count ? AT_COLUMN(loose) : 0;
		out->order[i] = 0xff;
		if (c < kind->column_count) {
			out->order[i] = (unsigned char)c;
			out->place[c] = (uint16_t)i;
			out->columns |= AT_COLUMN(c);
		} else if (!*out->extra) {
			size_t len = name.len < sizeof(out->extra) ? name.len : sizeof(out->extra) - 1;

			memcpy(out->extra, len ? name.data : "?", len ? len : 1);
		}
	}
	for (unsigned i = 0; i < AT_LEDGER_REQUIRED && kind->required[i]; i++)
		if ((stripped & kind->required[i]) == kind->required[i])
			return true;
	return fail_header(kind, err);
}

void at_ledger_cells(struct at_bytes *cells, const struct at_ledger_kind *kind,
	const struct at_ledger_header *header, const struct at_csv_record *record)
{
	for (unsigned c = 0; c < kind->column_count; c++) {
		size_t place = header->place[c];

		cells[c] = place < record->count ? record->cells[place] : (struct at_bytes){ "", 0 };
	}
}

struct at_bytes at_ledger_payload(struct at_buf *out, const struct at_ledger_kind *kind,
	const struct at_bytes *cells)
{
	size_t before;

	out->len = 0;
	if (kind->tag) {
		at_buf_puts(out, kind->tag);
		at_buf_putc(out, '|');
	}
	before = out->len;
	kind->payload(out, cells);
	return (struct at_bytes){ at_buf_text(out) + before, out->len - before };
}

bool at_ledger_is_text(const char *data, size_t len)
{
	uint64_t word, seen = 0;
	size_t i = 0;

	for (; i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, data + i, sizeof(word));
		seen |= word;
	}
	for (; i < len; i++)
		seen |= (unsigned char)data[i];
	return !(seen & 0x8080808080808080u) ||
	       at_utf8_is_valid((struct at_bytes){ data, len }, NULL);
}

/* The ledger is at fault, not the reading. */
static bool conclude(struct walk *w, enum at_ledger_verdict verdict)
{
	w->out->verdict = verdict;
	w->has_verdict = true;
	return false;
}

static bool fail_chain(struct walk *w, struct at_bytes prev, const char *expected, size_t line)
{
	struct at_error *fault = &w->out->fault;
	size_t shown = prev.len < 128 ? prev.len : 128;

	at_fail(fault, AT_EINVALID,
		"%s chain broken at row %zu: prev_digest is '%.*s', expected '%s' — %s was removed, "
		"reordered, or edited.", w->kind->ledger, w->out->rows, (int)shown,
		prev.len ? prev.data : "", expected, w->kind->row);
	at_error_name(fault, "ledger-chain");
	at_error_at(fault, (unsigned)line, 0);
	at_error_hint(fault, "Nothing of this ledger counts. Take it back from a copy you trust.");
	return conclude(w, AT_LEDGER_BROKEN);
}

static bool is_chained(const struct walk *w, struct at_bytes *prev, char expected[AT_DIGEST_HEX])
{
	const struct at_ledger_kind *kind = w->kind;

	*prev = at_field_strip(w->cells[kind->prev]);
	expected[0] = '\0';
	if (w->out->rows > 1)
		at_digest_hex(expected, &w->out->last);
	if (kind->chain_is_optional && !(w->out->columns & AT_COLUMN(kind->prev)))
		return true;
	return at_bytes_equal_text(*prev, expected);
}

static bool take_row(struct walk *w, const struct at_csv_record *record, struct at_error *err)
{
	struct at_ledger_state *out = w->out;
	struct at_ledger_row row = { w->cells, { 0 }, { 0 }, { { 0 } }, ++out->rows, record->line,
		record->start, record->end, record->count };
	char expected[AT_DIGEST_HEX];
	struct at_bytes prev;

	if (record->count > w->header->count && out->ragged++ == 0)
		out->ragged_line = record->line;
	at_ledger_cells(w->cells, w->kind, w->header, record);
	row.payload = at_ledger_payload(&w->message, w->kind, w->cells);
	row.message = at_buf_bytes(&w->message);
	row.digest = at_digest_of(row.payload);
	if (!is_chained(w, &prev, expected))
		return fail_chain(w, prev, expected, record->line);
	out->last = row.digest;
	if (w->head && out->rows == w->head->count &&
		!at_digest_equal(&row.digest, &w->head->last)) {
		at_fail(&out->fault, AT_EINVALID,
			"the head of the %s names another row %zu than the one that stands there: "
			"rows were replaced", w->kind->ledger, out->rows);
		at_error_name(&out->fault, "ledger-head-row");
		return conclude(w, AT_LEDGER_HEAD);
	}
	return !w->visit || w->visit(w->context, &row, err);
}

static bool take(void *context, const struct at_csv_record *record, struct at_error *err)
{
	struct walk *w = context;
	const struct at_bytes *cells = record->cells;
	size_t count = record->count;

	if (count && !at_ledger_is_text(cells[0].data,
			     (size_t)(cells[count - 1].data - cells[0].data) + cells[count - 1].len)) {
		at_fail(&w->out->fault, AT_EPARSE, "%s is malformed: no UTF-8 in line %zu",
			w->kind->log, record->line);
		at_error_name(&w->out->fault, "ledger-utf8");
		at_error_at(&w->out->fault, (unsigned)record->line, 0);
		return conclude(w, AT_LEDGER_MALFORMED);
	}
	if (w->has_header)
		return take_row(w, record, err);
	w->has_header = true;
	if (!at_ledger_header_read(w->header, w->kind, record, &w->out->fault))
		return conclude(w, AT_LEDGER_MALFORMED);
	w->out->columns = w->header->columns;
	return true;
}

/* Where the last line begins: after the last line end. */
static size_t last_line(const char *data, size_t len, size_t at, size_t before)
{
	for (size_t i = len; i-- > 0;)
		if (data[i] == '\n' || data[i] == '\r')
			return at + i + 1;
	return before;
}

static bool fail_read(struct at_error *err)
{
	return at_fail_sys(err, errno, "cannot read the ledger");
}

/* A torn write is one line that lacks its end. A quote that stays open over several is no torn
 * write: it would make whole rows absent. A header may lack its line end. */
static bool finish(struct walk *w, struct at_csv *csv, size_t line, struct at_error *err)
{
	size_t torn;

	if (!w->has_header && line < w->out->size && !at_csv_feed(csv, at_bytes_of("\n"), err))
		return false;
	if (!at_csv_finish(csv, &torn, err))
		return false;
	if (!w->has_header) {
		fail_header(w->kind, &w->out->fault);
		return conclude(w, AT_LEDGER_MALFORMED);
	}
	if (torn >= w->out->size)
		return true;
	if (torn != line)
		return at_csv_finish(csv, NULL, err);
	w->out->torn = w->out->size - torn;
	return true;
}

static bool read_through(struct walk *w, struct at_csv *csv, int fd, struct at_error *err)
{
	char *block = at_alloc(BLOCK);
	size_t line = 0;
	bool done = lseek(fd, 0, SEEK_SET) >= 0 || errno == ESPIPE || fail_read(err);

	while (done) {
		ssize_t got = read(fd, block, BLOCK);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			done = fail_read(err);
		if (got <= 0)
			break;
		line = last_line(block, (size_t)got, w->out->size, line);
		w->out->size += (size_t)got;
		done = at_csv_feed(csv, (struct at_bytes){ block, (size_t)got }, err);
	}
	free(block);
	return done && finish(w, csv, line, err);
}

static void weigh_head(struct walk *w)
{
	struct at_ledger_state *out = w->out;

	if (!w->head)
		return;
	out->anchored = w->head->count;
	memcpy(out->key_id, w->head->key_id, sizeof(out->key_id));
	if (w->has_verdict)
		return;
	out->head = out->rows > w->head->count ? AT_HEAD_BEHIND : AT_HEAD_ANCHORED;
	if (out->rows >= w->head->count)
		return;
	out->head = AT_HEAD_BAD;
	at_fail(&out->fault, AT_EINVALID, "%s was truncated: its head counts %zu rows, it has %zu",
		w->kind->log, w->head->count, out->rows);
	at_error_name(&out->fault, "ledger-truncated");
	at_error_hint(&out->fault, "Nothing of it counts. Take the rows back from a copy you trust.");
	conclude(w, AT_LEDGER_TRUNCATED);
}

bool at_ledger_scan(struct at_ledger_state *out, const struct at_ledger_kind *kind, int fd,
	const struct at_ledger_head *head, struct at_ledger_header *header, at_ledger_visit *visit,
	void *context, struct at_error *err)
{
	struct walk w = { .out = out, .kind = kind, .head = head, .header = header, .visit = visit,
		.context = context };
	struct at_error local = { 0 };
	struct at_csv *csv = at_csv_new(take, &w);
	bool done;

	*out = (struct at_ledger_state){ 0 };
	done = read_through(&w, csv, fd, &local);
	/* What libcsv refuses is the ledger's fault as well. */
	if (!done && !w.has_verdict && !strncmp(local.id, "csv-", 4)) {
		at_fail(&out->fault, local.code, "%s is malformed: %s", kind->log, local.message);
		at_error_name(&out->fault, local.id);
		at_error_at(&out->fault, local.line, 0);
		conclude(&w, AT_LEDGER_MALFORMED);
	}
	done = done || w.has_verdict;
	if (done)
		weigh_head(&w);
	else if (err)
		*err = local;
	at_csv_free(csv);
	at_buf_free(&w.message);
	return done;
}

bool at_ledger_walk_fd(struct at_ledger_state *out, const struct at_ledger_kind *kind, int fd,
	at_ledger_visit *visit, void *context, struct at_error *err)
{
	struct at_ledger_header header;

	return at_ledger_scan(out, kind, fd, NULL, &header, visit, context, err);
}

int at_ledger_open_dir(int root, const char *path, const char **name, struct at_error *err)
{
	struct at_error local = { 0 };
	int dir = at_file_open_parent(root, path, name, &local);

	if (dir < 0 && local.sys == ENOENT)
		errno = ENOENT;
	else if (dir < 0) {
		if (err)
			*err = local;
		errno = EIO;
	}
	return dir;
}

static int fail_open(struct at_error *err, const char *name, int sys)
{
	if (sys == ELOOP) {
		at_fail(err, AT_EUNSAFE, "`%s` is a symbolic link; a ledger is a regular file", name);
		at_error_hint(err, "Replace the link by the file it leads to.");
	} else if (sys == EISDIR || sys == ENXIO || sys == ENODEV) {
		at_fail(err, AT_EUNSAFE, "`%s` is not a regular file", name);
	} else {
		at_fail_sys(err, sys, "cannot open the ledger `%s`", name);
	}
	at_error_path(err, name);
	errno = EIO;
	return -1;
}

int at_ledger_open(int dir, const char *name, int flags, struct stat *st, struct at_error *err)
{
	int fd = openat(dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return -1;
	if (fd < 0)
		return fail_open(err, name, errno);
	if (fstat(fd, st) < 0 || !S_ISREG(st->st_mode)) {
		close(fd);
		return fail_open(err, name, ENODEV);
	}
	return fd;
}

static bool walk_file(struct at_ledger_state *out, const struct at_ledger_kind *kind, int dir,
	const char *name, struct at_keys keys, at_ledger_visit *visit, void *context,
	struct at_error *err)
{
	struct at_ledger_header header;
	struct at_ledger_head head;
	bool has_head, done = false;
	struct stat st;
	int fd;

	/* The head first: a row that is appended meanwhile is then beyond it, never missing. */
	if (!at_head_load(&head, &has_head, dir, name, keys, &out->fault)) {
		out->verdict = AT_LEDGER_HEAD;
		out->head = AT_HEAD_BAD;
		return true;
	}
	fd = at_ledger_open(dir, name, O_RDONLY, &st, err);
	if (fd >= 0) {
		done = at_ledger_scan(out, kind, fd, has_head ? &head : NULL, &header, visit, context,
			err);
		close(fd);
		return done;
	}
	if (errno != ENOENT)
		return false;
	out->verdict = AT_LEDGER_ABSENT;
	if (has_head) {
		out->verdict = AT_LEDGER_TRUNCATED;
		out->head = AT_HEAD_BAD;
		at_fail(&out->fault, AT_EINVALID,
			"%s was removed: its head counts %zu rows and the file is not there", kind->log,
			head.count);
		at_error_name(&out->fault, "ledger-removed");
	}
	return true;
}

bool at_ledger_walk(struct at_ledger_state *out, const struct at_ledger_kind *kind, int root,
	const char *path, struct at_keys keys, at_ledger_visit *visit, void *context,
	struct at_error *err)
{
	const char *name;
	int dir = at_ledger_open_dir(root, path, &name, err);
	bool done;

	*out = (struct at_ledger_state){ .verdict = AT_LEDGER_ABSENT };
	if (dir < 0)
		return errno == ENOENT;
	done = walk_file(out, kind, dir, name, keys, visit, context, err);
	close(dir);
	return done;
}

void at_ledger_describe(struct at_buf *out, const struct at_ledger_state *state)
{
	if (state->verdict == AT_LEDGER_ABSENT) {
		at_buf_puts(out, "no ledger");
		return;
	}
	if (state->verdict != AT_LEDGER_GOOD) {
		at_buf_puts(out, state->fault.message);
		return;
	}
	at_buf_printf(out, "%zu row%s, ", state->rows, state->rows == 1 ? "" : "s");
	if (state->head == AT_HEAD_NONE)
		at_buf_puts(out, "unanchored: rows cut off its end would not show");
	else if (state->head == AT_HEAD_ANCHORED)
		at_buf_printf(out, "anchored by %s", state->key_id);
	else
		at_buf_printf(out, "%zu beyond the head of %s, unanchored",
			state->rows - state->anchored, state->key_id);
	if (state->torn)
		at_buf_printf(out, "; a torn last line of %zu bytes counts as absent", state->torn);
	if (state->ragged)
		at_buf_printf(out, "; %zu row%s with more cells than the header, the first in line %zu",
			state->ragged, state->ragged == 1 ? "" : "s", state->ragged_line);
}
