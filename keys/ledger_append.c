/* One more row: locked from the reading of the tail to the last sync. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/act.h"
#include "core/disk.h"
#include "core/file.h"
#include "core/mem.h"
#include "keys/field.h"
#include "keys/ledger_impl.h"

#define WINDOW ((size_t)64 << 10)    /* of the file's start, for the header */
#define TAIL ((size_t)64 << 10)      /* of its end, for the last row */
#define TRIES 64u                    /* line starts that may begin the last row */
#define TORN_CAP ((size_t)8 << 20)   /* what `<ledger>.torn` may come to */

struct at_ledger_writer {
	const struct at_ledger_kind *kind;
	int root, dir, fd; /* fd -1: there is no ledger yet; dir -1: nor a directory */
	char path[PATH_MAX];
	const char *name; /* the last component of it */
	struct stat st;
	struct at_ledger_header header;
	const char *ending;
	size_t size; /* of what counts, bytes */
	size_t torn; /* bytes behind it */
	bool lacks_ending; /* a header alone, without its line end */
	bool has_ragged;
	size_t rows;
	struct at_digest last;
	char prev[AT_DIGEST_HEX];
	enum at_head_state head;
	bool was_constant;
	struct at_buf payload;
};

static bool fail_busy(struct at_error *err, const char *path)
{
	at_fail(err, AT_EEXIST, "another run is writing the ledger `%s`", path);
	at_error_path(err, path);
	at_error_name(err, "busy");
	at_error_hint(err, "Wait until it has ended, then start again.");
	return false;
}

static bool fail_write(struct at_error *err, const struct at_ledger_writer *w, const char *what)
{
	int sys = errno;

	at_fail_sys(err, sys, "cannot %s the ledger `%s`", what, w->path);
	at_error_path(err, w->path);
	at_error_hint(err, "Its rows are what they were.");
	return false;
}

static bool fail_stale(struct at_error *err, const char *path)
{
	at_fail(err, AT_ESTALE, "the ledger `%s` changed since the row was made", path);
	at_error_path(err, path);
	at_error_name(err, "ledger-stale");
	at_error_hint(err, "Review the row anew: it has to name the row before it.");
	return false;
}

/* Takes the header and stops. */
struct first {
	struct at_ledger_writer *w;
	bool seen;
};

static bool take_header(void *context, const struct at_csv_record *record, struct at_error *err)
{
	struct first *first = context;

	first->seen = at_ledger_header_read(&first->w->header, first->w->kind, record, err);
	return false;
}

static bool read_at(int fd, char *out, size_t len, size_t at)
{
	for (size_t done = 0; done < len;) {
		ssize_t got = pread(fd, out + done, len - done, (off_t)(at + done));

		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		done += got > 0 ? (size_t)got : 0;
	}
	return true;
}

static bool read_header(struct at_ledger_writer *w)
{
	size_t len = (size_t)w->st.st_size < WINDOW ? (size_t)w->st.st_size : WINDOW;
	struct first first = { .w = w };
	struct at_error ignored;
	struct at_csv *csv;
	char *text;

	if (len == 0)
		return false;
	text = at_alloc(len);
	csv = at_csv_new(take_header, &first);
	if (read_at(w->fd, text, len, 0))
		at_csv_feed(csv, (struct at_bytes){ text, len }, &ignored);
	at_csv_free(csv);
	free(text);
	return first.seen;
}

static bool is_end(char c)
{
	return c == '\n' || c == '\r';
}

static const char *ending_of(const char *data, size_t len)
{
	if (len > 1 && data[len - 1] == '\n' && data[len - 2] == '\r')
		return "\r\n";
	return len && data[len - 1] == '\r' ? "\r" : "\n";
}

/* Is the record that was read the one the head names? */
struct tail {
	struct at_ledger_writer *w;
	const struct at_ledger_head *head;
	size_t records;
	bool is_it;
};

static bool take_tail(void *context, const struct at_csv_record *record, struct at_error *err)
{
	struct tail *tail = context;
	struct at_bytes cells[AT_LEDGER_COLUMNS];
	struct at_digest digest;

	at_ledger_cells(cells, tail->w->kind, &tail->w->header, record);
	digest = at_digest_of(at_ledger_payload(&tail->w->payload, tail->w->kind, cells));
	tail->is_it = at_digest_equal(&digest, &tail->head->last);
	return ++tail->records == 1;
}

static bool is_last_row(struct at_ledger_writer *w, const struct at_ledger_head *head,
	struct at_bytes text)
{
	struct tail tail = { .w = w, .head = head };
	struct at_csv *csv = at_csv_new(take_tail, &tail);
	struct at_error ignored;
	bool done = at_csv_feed(csv, text, &ignored) && at_csv_finish(csv, NULL, &ignored);

	at_csv_free(csv);
	return done && tail.records == 1 && tail.is_it;
}

/* Looks for the row the head names at the end of the file: its digest tells it, wherever the lines
 * of a quoted cell end. A row in front of that the head does not speak of is left to the readers. */
static bool find_tail(struct at_ledger_writer *w, const struct at_ledger_head *head)
{
	size_t size = (size_t)w->st.st_size, len = size < TAIL ? size : TAIL, end = len, start;
	char *text = at_alloc(len + 1);
	bool found = false;

	if (!read_at(w->fd, text, len, size - len))
		end = 0;
	while (end && !is_end(text[end - 1]))
		end--;
	w->ending = ending_of(text, end);
	w->torn = len - end;
	w->size = size - w->torn;
	start = end;
	for (unsigned i = 0; i < TRIES && start > 0 && !found; i++) {
		start -= start > 1 && text[start - 1] == '\n' && text[start - 2] == '\r' ? 2 : 1;
		while (start && !is_end(text[start - 1]))
			start--;
		/* A window that begins within a line does not begin a row. */
		if (start == 0 && len < size)
			break;
		found = is_last_row(w, head, (struct at_bytes){ text + start, end - start });
	}
	free(text);
	return found;
}

/* The ending the file has, from its last whole line. */
static bool learn_ending(struct at_ledger_writer *w)
{
	size_t len = w->size < 2 ? w->size : 2;
	char text[2];

	if (!read_at(w->fd, text, len, w->size - len))
		return false;
	w->ending = ending_of(text, len);
	w->lacks_ending = !is_end(text[len - 1]);
	return true;
}

static bool verify_whole(struct at_ledger_writer *w, const struct at_ledger_head *head,
	at_ledger_visit *check, void *context, struct at_error *err)
{
	struct at_ledger_state state;

	if (!at_ledger_scan(&state, w->kind, w->fd, head, &w->header, check, context, err))
		return false;
	if (state.verdict != AT_LEDGER_GOOD) {
		if (err)
			*err = state.fault;
		at_error_path(err, w->path);
		return false;
	}
	w->rows = state.rows;
	w->last = state.last;
	w->torn = state.torn;
	w->size = state.size - state.torn;
	w->has_ragged = state.ragged > 0;
	w->head = state.head;
	return learn_ending(w) || fail_write(err, w, "read");
}

static bool look(struct at_ledger_writer *w, struct at_keys keys, at_ledger_visit *check,
	void *context, struct at_error *err)
{
	struct at_ledger_head head;
	bool has_head;

	if (!at_head_load(&head, &has_head, w->dir, w->name, keys, err))
		return false;
	w->fd = at_ledger_open(w->dir, w->name, O_RDWR | O_APPEND, &w->st, err);
	if (w->fd < 0 && errno != ENOENT)
		return false;
	if (w->fd < 0)
		return !has_head || at_fail(err, AT_EINVALID, "%s was removed: its head counts %zu "
			"rows and the file is not there", w->kind->log, head.count);
	if (w->st.st_nlink != 1) {
		at_fail(err, AT_EUNSAFE, "`%s` has %lu names: a row would appear in a file elsewhere",
			w->path, (unsigned long)w->st.st_nlink);
		at_error_path(err, w->path);
		at_error_hint(err, "Remove the other hard links, or replace the file by a copy.");
		return false;
	}
	w->was_constant = has_head && read_header(w) && find_tail(w, &head);
	if (w->was_constant) {
		w->rows = head.count;
		w->last = head.last;
		w->head = AT_HEAD_ANCHORED;
	} else if (!verify_whole(w, has_head ? &head : NULL, check, context, err)) {
		return false;
	}
	if (w->rows)
		at_digest_hex(w->prev, &w->last);
	/* The words of the reference. */
	return !*w->header.extra || at_fail(err, AT_EREFUSED,
		"dict contains fields not in fieldnames: '%s'", w->header.extra);
}

bool at_ledger_begin(struct at_ledger_writer **out, const struct at_ledger_kind *kind, int root,
	const char *path, struct at_keys keys, at_ledger_visit *check, void *context,
	struct at_error *err)
{
	struct at_ledger_writer *w = at_alloc(sizeof(*w));
	bool done;

	*w = (struct at_ledger_writer){ .kind = kind, .root = root, .fd = -1, .ending = "\n" };
	done = strlen(path) < sizeof(w->path) - 16 || at_fail(err, AT_ELIMIT, "a path too long");
	if (done) {
		strcpy(w->path, path);
		w->dir = at_ledger_open_dir(root, w->path, &w->name, err);
		done = w->dir >= 0 || errno == ENOENT;
	}
	if (done && w->dir >= 0)
		done = (at_lock_wait(w->dir) || fail_busy(err, path)) &&
		       look(w, keys, check, context, err);
	*out = done ? w : NULL;
	if (!done)
		at_ledger_end(w);
	return done;
}

void at_ledger_end(struct at_ledger_writer *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	if (w->dir >= 0)
		close(w->dir);
	at_buf_free(&w->payload);
	free(w);
}

size_t at_ledger_rows(const struct at_ledger_writer *w)
{
	return w->rows;
}

const char *at_ledger_prev(const struct at_ledger_writer *w)
{
	return w->prev;
}

bool at_ledger_was_constant(const struct at_ledger_writer *w)
{
	return w->was_constant;
}

/* "NAME.tmp" in place of what a killed run left there. */
static const char *temp_name(char out[NAME_MAX + 16], const struct at_ledger_writer *w,
	const char *suffix)
{
	snprintf(out, NAME_MAX + 16, "%s%s.tmp", w->name, suffix);
	unlinkat(w->dir, out, 0);
	return out;
}

/* Writes `name` + suffix whole, over what is there. */
static bool replace_beside(struct at_ledger_writer *w, const char *suffix, struct at_bytes bytes)
{
	char temp[NAME_MAX + 16], name[NAME_MAX + 16];

	snprintf(name, sizeof(name), "%s%s", w->name, suffix);
	temp_name(temp, w, suffix);
	if (!at_disk_create(w->dir, temp, bytes, 0644, AT_NO_OWNER, AT_NO_GROUP))
		return false;
	if (at_disk_rename(w->dir, temp, name))
		return at_disk_sync(w->dir);
	unlinkat(w->dir, temp, 0);
	return false;
}

static bool ends_with(struct at_bytes text, struct at_bytes end)
{
	return text.len >= end.len &&
	       memcmp(text.data + text.len - end.len, end.data, end.len) == 0;
}

/* Torn bytes are kept before they are taken off. A run that was killed in between kept them already. */
static bool set_aside(struct at_ledger_writer *w, struct at_error *err)
{
	struct at_buf name = { 0 }, torn = { 0 };
	struct at_file old = { 0 };
	bool done;

	at_buf_printf(&name, "%s.torn", w->name);
	at_buf_pad(&torn, '\0', w->torn);
	done = read_at(w->fd, torn.data, w->torn, w->size) || fail_write(err, w, "read");
	if (done)
		at_buf_putc(&torn, '\n');
	done = done && at_file_read(&old, w->dir, at_buf_text(&name), TORN_CAP,
			       AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, err);
	if (done && !ends_with(at_buf_bytes(&old.bytes), at_buf_bytes(&torn))) {
		at_buf_put(&old.bytes, torn.data, torn.len);
		done = replace_beside(w, ".torn", at_buf_bytes(&old.bytes)) ||
		       fail_write(err, w, "set aside the torn line of");
	}
	done = done && (at_disk_truncate(w->fd, (off_t)w->size) ||
			       fail_write(err, w, "take the torn line off"));
	at_file_free(&old);
	at_buf_free(&name);
	at_buf_free(&torn);
	return done;
}

/* Nobody else writes while the lock is held, but for programs that do not know it. */
static bool is_untouched(const struct at_ledger_writer *w)
{
	struct stat st;

	if (fstatat(w->dir, w->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return w->fd < 0 && errno == ENOENT;
	return w->fd >= 0 && st.st_ino == w->st.st_ino && st.st_dev == w->st.st_dev &&
	       st.st_size == w->st.st_size;
}

static bool append_in_place(struct at_ledger_writer *w, const struct at_bytes *cells,
	struct at_ledger_appended *out, struct at_error *err)
{
	struct at_bytes in_order[AT_CSV_CELL_CAP];
	struct at_buf row = { 0 };
	bool done = true;

	for (size_t i = 0; i < w->header.count; i++) {
		unsigned c = w->header.order[i];

		/* Of a name that stands twice the last cell counts. */
		in_order[i] = w->header.place[c] == i ? cells[c] : (struct at_bytes){ "", 0 };
	}
	if (w->lacks_ending)
		at_buf_puts(&row, w->ending);
	at_csv_write(&row, in_order, w->header.count, w->ending);
	if (w->torn)
		done = set_aside(w, err);
	if (done && !at_disk_append(w->fd, at_buf_bytes(&row))) {
		int sys = errno;

		done = ftruncate(w->fd, (off_t)w->size) == 0;
		errno = sys;
		fail_write(err, w, "append to");
		if (!done)
			at_error_hint(err, "A part of the row may stand at its end: it is torn.");
		done = false;
	}
	out->torn = done ? w->torn : 0;
	at_buf_free(&row);
	return done;
}

static bool widen(struct at_ledger_writer *w, const struct at_bytes *cells,
	struct at_ledger_appended *out, struct at_error *err)
{
	char temp[NAME_MAX + 16];
	struct at_buf row = { 0 };
	bool done;

	if (w->has_ragged)
		return at_fail(err, AT_EREFUSED, "`%s` has rows with more cells than its header: it "
			"cannot be written anew with the columns this row needs", w->path);
	if (w->torn && !set_aside(w, err))
		return false;
	at_ledger_record(&row, w->kind, at_ledger_widened(w->kind, &w->header), cells, w->ending);
	temp_name(temp, w, "");
	done = at_ledger_rewrite(w->kind, &w->header, w->fd, w->size, w->ending, w->dir, temp, &w->st,
		at_buf_bytes(&row), err);
	if (done && !(at_disk_rename(w->dir, temp, w->name) && at_disk_sync(w->dir)))
		done = fail_write(err, w, "replace");
	if (!done)
		unlinkat(w->dir, temp, 0);
	out->rewritten = done;
	out->torn = done ? w->torn : 0;
	at_buf_free(&row);
	return done;
}

/* "references" of the path, when that is all that is missing. */
static bool make_directory(struct at_ledger_writer *w, struct at_error *err)
{
	char parent[PATH_MAX];
	size_t len = (size_t)(w->name - w->path);

	memcpy(parent, w->path, len);
	parent[len ? len - 1 : 0] = '\0';
	if (!at_disk_mkdir(w->root, parent, 0755) && errno != EEXIST)
		return fail_write(err, w, "make the directory of");
	w->dir = at_ledger_open_dir(w->root, w->path, &w->name, err);
	if (w->dir < 0)
		return errno != ENOENT ? false : fail_write(err, w, "make the directory of");
	return at_lock_wait(w->dir) || fail_busy(err, w->path);
}

/* A header and its first row come into being together. */
static bool create(struct at_ledger_writer *w, const struct at_bytes *cells, struct at_error *err)
{
	struct at_bytes names[AT_LEDGER_COLUMNS];
	char temp[NAME_MAX + 16];
	struct at_buf text = { 0 };
	bool done;

	for (unsigned c = 0; c < w->kind->column_count; c++)
		names[c] = at_bytes_of(w->kind->columns[c]);
	at_ledger_record(&text, w->kind, w->kind->written, names, "\n");
	at_ledger_record(&text, w->kind, w->kind->written, cells, "\n");
	temp_name(temp, w, "");
	done = at_disk_create(w->dir, temp, at_buf_bytes(&text), 0644, AT_NO_OWNER, AT_NO_GROUP);
	if (done && !at_disk_move(w->dir, temp, w->name)) {
		done = false;
		if (errno == EEXIST)
			fail_stale(err, w->path);
		else
			fail_write(err, w, "make");
		unlinkat(w->dir, temp, 0);
	} else if (!done || !at_disk_sync(w->dir)) {
		done = fail_write(err, w, "make");
	}
	at_buf_free(&text);
	return done;
}

static uint64_t filled(const struct at_ledger_kind *kind, const struct at_bytes *cells)
{
	uint64_t mask = 0;

	for (unsigned c = 0; c < kind->column_count; c++)
		mask |= cells[c].len ? AT_COLUMN(c) : 0;
	return mask;
}

/* The row names the last one, and the head the row. */
static bool is_fitting(struct at_ledger_writer *w, const struct at_bytes *cells,
	const struct at_ledger_head *head)
{
	struct at_digest digest;

	if (!at_bytes_equal_text(cells[w->kind->prev], w->prev))
		return false;
	digest = at_digest_of(at_ledger_payload(&w->payload, w->kind, cells));
	return !head || (head->count == w->rows + 1 && at_digest_equal(&head->last, &digest));
}

static void write_head(struct at_ledger_writer *w, const struct at_ledger_head *head,
	struct at_ledger_appended *out)
{
	struct at_buf text = { 0 };

	at_head_print(&text, head);
	out->head = AT_HEAD_ANCHORED;
	if (!replace_beside(w, ".head", at_buf_bytes(&text))) {
		out->head = w->head == AT_HEAD_NONE ? AT_HEAD_NONE : AT_HEAD_BEHIND;
		at_fail_sys(&out->head_fault, errno, "the row stands, its head could not be written");
		at_error_hint(&out->head_fault, "The next signed row writes it.");
	}
	at_buf_free(&text);
}

bool at_ledger_commit(struct at_ledger_writer *w, const struct at_bytes *cells,
	const struct at_ledger_head *head, struct at_ledger_appended *out, struct at_error *err)
{
	bool done;

	*out = (struct at_ledger_appended){ .rows = w->rows + 1 };
	if (w->dir < 0 && !make_directory(w, err))
		return false;
	if (!is_fitting(w, cells, head) || !is_untouched(w))
		return fail_stale(err, w->path);
	if (w->fd < 0)
		done = create(w, cells, err);
	else if (filled(w->kind, cells) & ~w->header.columns)
		done = widen(w, cells, out, err);
	else
		done = append_in_place(w, cells, out, err);
	if (!done)
		return false;
	out->head = w->head == AT_HEAD_NONE ? AT_HEAD_NONE : AT_HEAD_BEHIND;
	if (head)
		write_head(w, head, out);
	return true;
}
