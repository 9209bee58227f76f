#include "views/gatelog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"

#define FIRST ((off_t)128 << 10) /* read before anything is shown */
#define SLICE ((off_t)512 << 10) /* between two keys; longer than any whole line */
#define GROWTH ((off_t)1 << 20) /* more than that at once is read anew */
#define WORK ((size_t)1 << 20)  /* of a slice: its bytes, and for each line as many as: */
#define LINE_WORK 128
#define SLOTS ((size_t)1 << 17)
#define OTHER_WORDS 5 /* the last words: one a decision, for kinds of calls past the limit */

int at_gatelog_open_file(const char *path, bool through_links, struct at_error *err)
{
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = open(path, through_links ? flags : flags | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 && errno == ELOOP && !through_links)
		at_fail(err, AT_EUNSAFE, "`%s` is a link: the gate writes through none", path);
	else if (fd < 0)
		at_fail_sys(err, errno, "cannot open `%s`", path);
	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
		at_fail(err, AT_EUNSAFE, "`%s` is no regular file", path);
	}
	return fd;
}

/* False when the file is shorter by now, or cannot be read. */
static bool read_at(const struct at_gatelog *log, off_t from, off_t to)
{
	for (off_t at = from; at < to;) {
		ssize_t n = pread(log->fd, log->buffer + (at - from), (size_t)(to - at), at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
	}
	return true;
}

/* ---- kinds of calls ---- */

static struct at_bytes cut(struct at_bytes text)
{
	if (text.len > GATE_LOG_SHOWN)
		text.len = GATE_LOG_SHOWN;
	return text;
}

static uint64_t mix(uint64_t hash, struct at_bytes text)
{
	for (size_t i = 0; i < text.len; i++)
		hash = (hash ^ (unsigned char)text.data[i]) * 1099511628211u;
	return (hash ^ 0x100) * 1099511628211u;
}

static uint16_t add_word(struct at_gatelog *log, const struct at_gatelog_word *word)
{
	struct at_gatelog_word *to;

	log->words = at_grow(log->words, &log->word_cap, log->word_count, sizeof(*log->words));
	to = &log->words[log->word_count];
	*to = *word;
	to->tool.data = at_arena_strndup(log->arena, word->tool.data, word->tool.len);
	to->reason.data = at_arena_strndup(log->arena, word->reason.data, word->reason.len);
	return (uint16_t)log->word_count++;
}

static uint16_t word_of(struct at_gatelog *log, const struct gate_log_entry *entry)
{
	struct at_gatelog_word word = { entry->decision, entry->is_inspected, cut(entry->tool),
		cut(entry->reason) };
	uint64_t at = mix(mix(14695981039346656037u, word.tool), word.reason);

	at = (at ^ (at >> 32)) + (uint64_t)word.decision * 2 + word.is_inspected;
	for (;; at++) {
		uint32_t *slot = &log->slots[at % SLOTS];
		const struct at_gatelog_word *w = *slot ? &log->words[*slot - 1] : NULL;

		if (w && w->decision == word.decision && w->is_inspected == word.is_inspected
			&& at_bytes_equal(w->tool, word.tool)
			&& at_bytes_equal(w->reason, word.reason))
			return (uint16_t)(*slot - 1);
		if (w)
			continue;
		if (log->word_count >= AT_GATELOG_WORDS) { /* a log of noise */
			word.tool = at_bytes_of("(too many different ones)");
			word.reason = at_bytes_of("");
			if (log->word_count >= AT_GATELOG_WORDS + (size_t)OTHER_WORDS)
				return (uint16_t)(AT_GATELOG_WORDS + word.decision);
			for (int d = 0; d < OTHER_WORDS; d++) {
				word.decision = d;
				word.is_inspected = false;
				add_word(log, &word);
			}
			return (uint16_t)(AT_GATELOG_WORDS + entry->decision);
		}
		*slot = (uint32_t)log->word_count + 1;
		return add_word(log, &word);
	}
}

/* ---- rows ---- */

static void add_row(struct at_gatelog *log, const struct at_gatelog_row *row)
{
	log->rows = at_grow(log->rows, &log->cap, log->count, sizeof(*log->rows));
	log->rows[log->count++] = *row;
	log->gaps += row->kind != AT_GATELOG_CALL;
}

/* Digest, kind and counts of a whole line; false for a torn one. */
static bool take_call(struct at_gatelog *log, struct at_bytes line, uint16_t *word,
	char prev[AT_DIGEST_HEX], char own[AT_DIGEST_HEX])
{
	struct at_arena *arena;
	struct gate_log_entry entry;
	struct at_digest digest;
	bool ok;

	if (!line.len || line.len > GATE_LOG_LINE)
		return false;
	arena = at_arena_new();
	ok = gate_log_read_line(&entry, line, arena);
	if (ok) {
		*word = word_of(log, &entry);
		log->calls++;
		log->decided[entry.decision]++;
		log->not_inspected += !entry.is_inspected;
		log->keyed += entry.is_keyed;
		prev[0] = '\0'; /* what is no digest follows nothing */
		if (entry.prev.len == AT_DIGEST_HEX - 1)
			memcpy(prev, entry.prev.data, AT_DIGEST_HEX);
		digest = at_digest_of(line);
		at_digest_hex(own, &digest);
	}
	at_arena_free(arena);
	return ok;
}

/* Right after the call that does not follow what is before it: torn lines come behind. */
static void add_break(struct at_gatelog *log, enum at_gatelog_kind kind)
{
	struct at_gatelog_row *last = &log->rows[log->count - 1], torn = *last;

	log->pending_row.kind = (uint8_t)kind;
	if (torn.kind != AT_GATELOG_TORN) {
		add_row(log, &log->pending_row);
		return;
	}
	*last = log->pending_row;
	add_row(log, &torn);
}

/* The line before all that were read. */
static void take_back(struct at_gatelog *log, struct at_bytes line, off_t offset)
{
	struct at_gatelog_row row = {
		.offset = (uint64_t)offset, .count = 1, .kind = AT_GATELOG_CALL
	};
	struct at_gatelog_row *last = log->count ? &log->rows[log->count - 1] : NULL;
	char prev[AT_DIGEST_HEX], own[AT_DIGEST_HEX];

	row.line = (uint32_t)++log->lines;
	if (!take_call(log, line, &row.word, prev, own)) {
		row.kind = AT_GATELOG_TORN;
		if (last && last->kind == AT_GATELOG_TORN) {
			last->count++;
			last->line = row.line;
			last->offset = row.offset;
			log->gaps++;
		} else {
			add_row(log, &row);
		}
		return;
	}
	if (log->has_pending && strcmp(log->pending, own) != 0)
		add_break(log, AT_GATELOG_CHAIN);
	if (!*log->head)
		memcpy(log->head, own, sizeof(own));
	add_row(log, &row);
	log->has_pending = true;
	log->pending_row = row;
	memcpy(log->pending, prev, sizeof(prev));
}

static void finish(struct at_gatelog *log)
{
	char genesis[AT_DIGEST_HEX];

	log->is_done = true;
	if (log->is_cut)
		return;
	gate_log_genesis(genesis);
	if (!*log->head)
		memcpy(log->head, genesis, sizeof(genesis));
	if (log->has_pending && strcmp(log->pending, genesis) != 0)
		add_break(log, AT_GATELOG_START);
	for (size_t i = 0; i < log->count; i++)
		log->rows[i].line = (uint32_t)(log->lines - log->rows[i].line + 1);
}

static off_t floor_of(const struct at_gatelog *log)
{
	return log->seen.st_size > AT_GATELOG_BYTES ? log->seen.st_size - AT_GATELOG_BYTES : 0;
}

/* Where the long line begins, or the end of the file after the last newline. */
static void scan_back(struct at_gatelog *log)
{
	off_t floor = floor_of(log), from = log->scan - SLICE > floor ? log->scan - SLICE : floor;
	size_t len = (size_t)(log->scan - from);
	const char *newline;
	off_t start;

	if (len && !read_at(log, from, log->scan)) {
		log->is_other = log->is_done = true;
		return;
	}
	newline = len ? memrchr(log->buffer, '\n', len) : NULL;
	log->scan = from;
	if (!newline && from > floor)
		return;
	log->is_cut = !newline && floor > 0;
	start = newline ? from + (newline - log->buffer) + 1 : from;
	log->scan = -1;
	log->low = start;
	if (log->in_tail) {
		const struct at_gatelog_row row = {
			.offset = (uint64_t)start, .count = 1, .kind = AT_GATELOG_TAIL
		};

		log->in_tail = false;
		log->end = start;
		if (start < log->seen.st_size)
			add_row(log, &row);
	} else {
		take_back(log, (struct at_bytes){ NULL, GATE_LOG_LINE + 1 }, start);
	}
}

static void lines_back(struct at_gatelog *log, off_t slice)
{
	off_t floor = floor_of(log), from = log->low - slice > floor ? log->low - slice : floor;
	off_t before = log->low;
	bool is_torn = false; /* its beginning is further up */
	size_t work = 0;

	if (!read_at(log, from, log->low)) {
		log->is_other = log->is_done = true;
		return;
	}
	while (log->low > from && log->count < AT_GATELOG_ROWS && work < WORK) {
		size_t last = (size_t)(log->low - 1 - from); /* its newline */
		const char *newline = last ? memrchr(log->buffer, '\n', last) : NULL;
		size_t start = newline ? (size_t)(newline - log->buffer) + 1 : 0;

		is_torn = !newline && from > 0;
		if (is_torn)
			break;
		take_back(log, (struct at_bytes){ log->buffer + start, last - start },
			from + (off_t)start);
		log->low = from + (off_t)start;
		work += last - start + (last == start ? 1 : LINE_WORK);
	}
	if (log->count >= AT_GATELOG_ROWS
		|| (floor > 0 && (is_torn ? from == floor : log->low == floor)))
		log->is_cut = true;
	else if (log->low == before && log->low > 0)
		log->scan = log->low - 1;
}

static bool read_back(struct at_gatelog *log, off_t slice)
{
	if (log->is_done)
		return false;
	if (log->scan >= 0)
		scan_back(log);
	else
		lines_back(log, slice);
	if (!log->is_done && log->scan < 0 && (log->low == 0 || log->is_cut))
		finish(log);
	return !log->is_done;
}

bool at_gatelog_more(struct at_gatelog *log)
{
	return read_back(log, SLICE);
}

unsigned at_gatelog_percent(const struct at_gatelog *log)
{
	off_t floor = floor_of(log), all = log->seen.st_size - floor;
	off_t at = log->scan >= 0 ? log->scan : log->low;

	return all > 0 ? (unsigned)((log->seen.st_size - at) * 100 / all) : 100;
}

bool at_gatelog_open(
	struct at_gatelog *out, const char *path, bool through_links, struct at_error *err)
{
	*out = (struct at_gatelog){ .fd = -1, .through_links = through_links };
	out->path = at_strdup(path);
	out->arena = at_arena_new();
	out->fd = at_gatelog_open_file(path, through_links, err);
	if (out->fd < 0)
		return false;
	if (fstat(out->fd, &out->seen) != 0)
		return at_fail_sys(err, errno, "cannot look at `%s`", path);
	out->buffer = at_alloc((size_t)GROWTH);
	out->slots = at_alloc(SLOTS * sizeof(*out->slots));
	out->scan = out->low = out->seen.st_size;
	out->in_tail = true;
	read_back(out, FIRST);
	read_back(out, FIRST);
	return true;
}

void at_gatelog_close(struct at_gatelog *log)
{
	if (log->fd >= 0)
		close(log->fd);
	free(log->path);
	free(log->rows);
	free(log->words);
	free(log->slots);
	free(log->buffer);
	at_arena_free(log->arena);
	*log = (struct at_gatelog){ .fd = -1 };
}

/* ---- a log that grows ---- */

static bool is_same_time(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* `line` follows all that were read. */
static void take_next(
	struct at_gatelog *log, struct at_gatelog *to, struct at_bytes line, off_t offset)
{
	struct at_gatelog_row row = {
		.offset = (uint64_t)offset, .count = 1, .kind = AT_GATELOG_CALL
	};
	struct at_gatelog_row gap;
	char prev[AT_DIGEST_HEX], own[AT_DIGEST_HEX], genesis[AT_DIGEST_HEX];

	row.line = (uint32_t)++log->lines;
	if (!take_call(log, line, &row.word, prev, own)) {
		row.kind = AT_GATELOG_TORN;
		if (to->count && to->rows[to->count - 1].kind == AT_GATELOG_TORN) {
			to->rows[to->count - 1].count++;
			to->gaps++;
		} else {
			add_row(to, &row);
		}
		return;
	}
	gate_log_genesis(genesis);
	gap = row;
	gap.kind = strcmp(log->head, genesis) == 0 ? AT_GATELOG_START : AT_GATELOG_CHAIN;
	if (*log->head && strcmp(log->head, prev) != 0)
		add_row(to, &gap);
	memcpy(log->head, own, sizeof(own));
	add_row(to, &row);
}

/* Puts rows that came in the order of the file in front of all, newest first. */
static void put_in_front(struct at_gatelog *log, const struct at_gatelog *came)
{
	size_t count = log->count + came->count;

	if (!came->count)
		return;
	if (count > log->cap) {
		log->cap = count + count / 2;
		log->rows = at_resize(log->rows, log->cap, sizeof(*log->rows));
	}
	if (log->count)
		memmove(log->rows + came->count, log->rows, log->count * sizeof(*log->rows));
	for (size_t i = 0; i < came->count; i++)
		log->rows[came->count - 1 - i] = came->rows[i];
	log->count = count;
	log->gaps += came->gaps;
}

/* In `buffer` is all from the last newline on, up to `size`. */
static void take_grown(struct at_gatelog *log, off_t size, size_t *came, size_t *gone)
{
	struct at_gatelog more = { .fd = -1 };
	size_t len = (size_t)(size - log->end), at = 0;
	struct at_gatelog_row tail = { .count = 1, .kind = AT_GATELOG_TAIL };
	const char *newline;

	*gone = log->count && log->rows[0].kind == AT_GATELOG_TAIL;
	if (*gone) {
		log->gaps--;
		log->count--;
		memmove(log->rows, log->rows + 1, log->count * sizeof(*log->rows));
	}
	while (at < len && (newline = memchr(log->buffer + at, '\n', len - at))) {
		size_t end = (size_t)(newline - log->buffer);

		take_next(log, &more, (struct at_bytes){ log->buffer + at, end - at },
			log->end + (off_t)at);
		at = end + 1;
	}
	log->end += (off_t)at;
	if (at < len) {
		tail.offset = (uint64_t)log->end;
		tail.line = (uint32_t)log->lines + 1;
		add_row(&more, &tail);
	}
	*came = more.count;
	put_in_front(log, &more);
	free(more.rows);
}

enum at_gatelog_news at_gatelog_look(struct at_gatelog *log, size_t *came, size_t *gone)
{
	struct stat now;

	*came = *gone = 0;
	if (log->is_other || log->fd < 0
		|| fstatat(AT_FDCWD, log->path, &now, log->through_links ? 0 : AT_SYMLINK_NOFOLLOW)
			!= 0
		|| now.st_dev != log->seen.st_dev || now.st_ino != log->seen.st_ino
		|| now.st_size < log->seen.st_size)
		return AT_GATELOG_ANEW;
	if (now.st_size == log->seen.st_size)
		return is_same_time(&now, &log->seen) ? AT_GATELOG_SAME : AT_GATELOG_ANEW;
	if (!log->is_done)
		return AT_GATELOG_SAME; /* what came meanwhile is seen once the rest is read */
	if (now.st_size - log->end > GROWTH || log->count >= 2 * (size_t)AT_GATELOG_ROWS
		|| !read_at(log, log->end ? log->end - 1 : 0, log->end)
		|| (log->end && log->buffer[0] != '\n') || !read_at(log, log->end, now.st_size))
		return AT_GATELOG_ANEW;
	take_grown(log, now.st_size, came, gone);
	log->seen = now;
	return AT_GATELOG_GROWN;
}

size_t at_gatelog_line(const struct at_gatelog *log, const struct at_gatelog_row *row)
{
	return log->is_done && !log->is_cut && !log->is_other ? row->line : 0;
}

void at_gatelog_text(const struct at_gatelog *log, const struct at_gatelog_row *row, size_t cap,
	struct at_buf *out)
{
	const char *newline;
	ssize_t n;

	at_buf_reserve(out, cap);
	n = log->fd < 0 ? -1 : pread(log->fd, out->data + out->len, cap, (off_t)row->offset);
	if (n <= 0)
		return;
	newline = memchr(out->data + out->len, '\n', (size_t)n);
	out->len += newline ? (size_t)(newline - (out->data + out->len)) : (size_t)n;
	out->data[out->len] = '\0';
}
