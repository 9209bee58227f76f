#include "runner/proposals/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/mem.h"
#include "keys/field.h"
#include "runner/proposals/ledger_impl.h"

#define WINDOW ((size_t)64 << 10)
#define SIGNED_COUNT_CAP ((size_t)4096)

static const struct at_json_limits row_limits = { AT_PROPOSAL_ROW_CAP, 64 };
static const struct at_json_limits count_limits = { SIGNED_COUNT_CAP, 2 };

/* The text without its member `mac`, as it stands: canonical where a key holder wrote it. */
static bool cut_mac(struct at_buf *work, const struct at_json *doc, uint32_t mac)
{
	const struct at_json_node *node = &doc->nodes[mac];
	size_t from = node->key_start, to = node->end;

	if (from > 2 && memcmp(doc->text.data + from - 2, ", ", 2) == 0)
		from -= 2;
	else if (node->next != AT_JSON_NONE)
		to = doc->nodes[node->next].key_start;
	work->len = 0;
	at_buf_put(work, doc->text.data, from);
	at_buf_put(work, doc->text.data + to, doc->text.len - to);
	return true;
}

static bool is_mac(struct at_bytes key, struct at_bytes text, struct at_bytes raw)
{
	struct at_digest digest = at_digest_keyed(key, text);
	char hex[AT_DIGEST_HEX];
	unsigned differs = 0;

	at_digest_hex(hex, &digest);
	for (size_t i = 0; i < AT_DIGEST_HEX - 1; i++)
		differs |= (unsigned)(hex[i] ^ raw.data[i + 1]);
	return differs == 0;
}

/* Signed is the canonical form alone. A text whose MAC holds as it stands was written by who has
 * the key, so it is in that form: most rows are never rendered anew. */
bool at_is_signed(const struct at_json *doc, struct at_bytes key, struct at_buf *work)
{
	uint32_t mac;
	struct at_bytes raw;

	if (!at_json_is(doc, AT_JSON_ROOT, AT_JSON_OBJECT))
		return false;
	mac = at_json_member(doc, AT_JSON_ROOT, "mac");
	if (!at_json_is(doc, mac, AT_JSON_STRING))
		return false;
	raw = at_json_raw(doc, mac);
	if (raw.len != AT_DIGEST_HEX + 1)
		return false;
	if (cut_mac(work, doc, mac) && is_mac(key, at_buf_bytes(work), raw))
		return true;
	work->len = 0;
	at_canonical_put_without(work, doc, AT_JSON_ROOT, "mac", AT_CANONICAL_SPACED);
	return is_mac(key, at_buf_bytes(work), raw);
}

void at_sign_line(struct at_buf *out, struct at_canonical_object *object, struct at_bytes key)
{
	struct at_buf body = { 0 };
	struct at_digest digest;
	char hex[AT_DIGEST_HEX];

	at_canonical_object_put(&body, object, AT_CANONICAL_SPACED);
	digest = at_digest_keyed(key, at_buf_bytes(&body));
	at_digest_hex(hex, &digest);
	at_canonical_set_text(object, "mac", at_bytes_of(hex));
	at_canonical_object_put(out, object, AT_CANONICAL_SPACED);
	at_canonical_unset(object, "mac");
	at_buf_putc(out, '\n');
	at_buf_free(&body);
}

static bool read_count(size_t *out, struct at_bytes digits)
{
	*out = 0;
	if (digits.len == 0 || digits.len > 15 || (digits.len > 1 && digits.data[0] == '0'))
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		if (digits.data[i] < '0' || digits.data[i] > '9')
			return false;
		*out = *out * 10 + (size_t)(digits.data[i] - '0');
	}
	return true;
}

static bool take_count(struct at_signed_count *out, const struct at_json *doc, struct at_bytes key)
{
	uint32_t count = at_json_member(doc, AT_JSON_ROOT, "count");
	uint32_t last = at_json_member(doc, AT_JSON_ROOT, "last");
	struct at_buf work = { 0 };
	struct at_bytes raw;
	bool is_signed = at_is_signed(doc, key, &work);

	at_buf_free(&work);
	if (!is_signed || !at_json_is(doc, count, AT_JSON_NUMBER)
		|| !at_json_is(doc, last, AT_JSON_STRING)
		|| !read_count(&out->count, at_json_raw(doc, count)))
		return false;
	raw = at_json_raw(doc, last);
	if (raw.len == 2)
		return out->count == 0;
	if (!at_is_lower_hex((struct at_bytes){ raw.data + 1, raw.len - 2 }, AT_DIGEST_HEX - 1))
		return false;
	memcpy(out->last, raw.data + 1, AT_DIGEST_HEX - 1);
	return out->count > 0;
}

bool at_signed_count_read(struct at_signed_count *out, int dir, const char *name,
	struct at_bytes key, struct at_error *err)
{
	struct at_file file;
	struct at_json doc;

	*out = (struct at_signed_count){ 0 };
	if (!at_file_read(&file, dir, name, SIGNED_COUNT_CAP,
		    AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, err))
		return false;
	out->exists = file.exists;
	if (file.exists && at_json_read(&doc, at_buf_bytes(&file.bytes), &count_limits, 0, NULL)) {
		out->is_good = take_count(out, &doc, key);
		at_json_free(&doc);
	}
	at_file_free(&file);
	return true;
}

void at_signed_count_put(struct at_buf *out, size_t count, const char *last, struct at_bytes key)
{
	struct at_canonical_object object = { 0 };

	at_canonical_set_number(&object, "count", (long long)count);
	at_canonical_set_text(&object, "last", at_bytes_of(last));
	at_sign_line(out, &object, key);
	at_canonical_object_free(&object);
}

struct scan {
	struct at_proposal_state *state;
	const struct at_proposal_site *site;
	at_proposal_visit *visit;
	void *context;
	struct at_signed_count head, anchor;
	bool head_fits, anchor_fits; /* the row it names is the one it names */
	char last[AT_DIGEST_HEX];
	struct at_buf work;
};

static void __attribute__((format(printf, 2, 3)))
problem(struct at_proposal_state *state, const char *format, ...)
{
	char text[256];
	va_list args;

	if (state->problem_count++ >= AT_PROPOSAL_PROBLEMS)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	at_buf_printf(&state->problems, "%s\n", text);
}

static bool fits(const struct at_signed_count *count, size_t rows, const char *last)
{
	return count->is_good && count->count == rows && strcmp(count->last, last) == 0;
}

static void count_row(struct scan *s, struct at_bytes line)
{
	s->state->last = at_digest_of(line);
	at_digest_hex(s->last, &s->state->last);
	s->state->rows++;
	s->head_fits |= fits(&s->head, s->state->rows, s->last);
	s->anchor_fits |= fits(&s->anchor, s->state->rows, s->last);
}

static bool names_last(const struct scan *s, const struct at_json *doc)
{
	uint32_t prev = at_json_member(doc, AT_JSON_ROOT, "prev");

	return at_json_string_is(doc, prev, s->last);
}

/* `is_rest`: it has no line end, and is a row only when it is signed: its write came to an end but
 * for that byte. */
static bool take_line(struct scan *s, struct at_bytes line, bool is_rest, struct at_error *err)
{
	struct at_proposal_state *state = s->state;
	struct at_json doc = { 0 };
	bool is_json = line.len < AT_PROPOSAL_ROW_CAP
		&& at_json_read(&doc, line, &row_limits, AT_JSON_ALLOW_DUPLICATES, NULL);
	bool is_signed = is_json && at_is_signed(&doc, s->site->key, &s->work), done = true;

	if (is_rest && !is_signed) {
		state->torn = line.len;
	} else {
		size_t number = state->rows + 1;

		state->lacks_end = is_rest;
		state->good += line.len + !is_rest;
		if (!is_signed)
			problem(state,
				"row %zu: signature invalid (edited, or written without the key)",
				number);
		if (is_json && !names_last(s, &doc))
			problem(state, "row %zu: chain broken (a row was removed or reordered)",
				number);
		count_row(s, line);
		if (is_signed && s->visit)
			done = s->visit(s->context, &doc, number, err);
	}
	if (is_json)
		at_json_free(&doc);
	return done;
}

/* Constant memory: no more than the longest line. */
static bool take_lines(struct scan *s, int fd, struct at_error *err)
{
	struct at_buf held = { 0 };
	size_t seen = 0; /* of `held`, without a line end in it */
	bool done = true;
	ssize_t got;

	for (;;) {
		char *from, *end;

		at_buf_reserve(&held, WINDOW);
		got = read(fd, held.data + held.len, WINDOW);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		held.len += (size_t)got;
		from = held.data;
		while (done
			&& (end = memchr(from + seen, '\n',
				    held.len - seen - (size_t)(from - held.data)))) {
			done = take_line(
				s, (struct at_bytes){ from, (size_t)(end - from) }, false, err);
			from = end + 1;
			seen = 0;
		}
		if (!done)
			break;
		held.len -= (size_t)(from - held.data);
		memmove(held.data, from, held.len);
		seen = held.len;
		if (held.len > AT_PROPOSAL_ROW_CAP) {
			done = at_fail(err, AT_ELIMIT,
				"row %zu of `" AT_PROPOSAL_LEDGER "` is longer than 16 MiB",
				s->state->rows + 1);
			break;
		}
	}
	if (done && got < 0)
		done = at_fail_sys(err, errno, "cannot read `" AT_PROPOSAL_LEDGER "`");
	if (done && held.len)
		done = take_line(s, at_buf_bytes(&held), true, err);
	at_buf_free(&held);
	return done;
}

static void judge_head(struct scan *s, bool has_ledger, bool has_dispatches)
{
	struct at_proposal_state *state = s->state;
	bool is_alone = state->problem_count == 0;

	state->anchored = s->head.is_good ? s->head.count : 0;
	if (!s->head.exists && !has_ledger) {
		state->head = AT_PROPOSAL_HEAD_NONE;
		if (has_dispatches) {
			state->head = AT_PROPOSAL_HEAD_BAD;
			problem(state,
				"ledger and head are missing but dispatch records exist "
				"(ledger removed)");
		}
	} else if (!s->head.is_good) {
		state->head = AT_PROPOSAL_HEAD_BAD;
		problem(state, "head anchor missing or its signature invalid");
	} else if (s->head.count == state->rows && s->head_fits) {
		state->head = AT_PROPOSAL_HEAD_GOOD;
	} else {
		state->head = is_alone && s->head_fits && s->head.count < state->rows
			? AT_PROPOSAL_HEAD_BEHIND
			: AT_PROPOSAL_HEAD_BAD;
		problem(state,
			"head anchor says %zu rows; the ledger has %zu (truncated or appended "
			"unsigned)",
			s->head.count, state->rows);
	}
	if (s->anchor.is_good && !s->anchor_fits) {
		state->head = AT_PROPOSAL_HEAD_BAD;
		problem(state,
			"this machine noted %zu rows of this ledger; the ledger has %zu, or others "
			"(rolled back to an older copy)",
			s->anchor.count, state->rows);
	}
}

bool at_proposal_scan(struct at_proposal_state *out, const struct at_proposal_site *site, int dir,
	int fd, at_proposal_visit *visit, void *context, struct at_error *err)
{
	struct scan s = { .state = out, .site = site, .visit = visit, .context = context };
	struct stat st;
	bool done = true;

	*out = (struct at_proposal_state){ 0 };
	if (dir >= 0)
		done = at_signed_count_read(&s.head, dir, AT_LEDGER_HEAD_NAME, site->key, err);
	if (done && site->state >= 0)
		done = at_signed_count_read(
			&s.anchor, site->state, AT_LEDGER_ANCHOR_NAME, site->key, err);
	s.head_fits = fits(&s.head, 0, "");
	s.anchor_fits = fits(&s.anchor, 0, "");
	if (done && fd >= 0)
		done = take_lines(&s, fd, err);
	if (done)
		judge_head(&s, fd >= 0,
			dir >= 0 && fstatat(dir, AT_DISPATCHES_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0
				&& st.st_size > 0);
	at_buf_free(&s.work);
	return done;
}

int at_ground_dir(int root, struct at_error *err)
{
	struct stat st;
	int dir;

	if (fstatat(root, AT_GROUND, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		return -1;
	dir = at_file_open_dir(root, AT_GROUND, err);
	if (dir < 0)
		errno = EIO;
	return dir;
}

int at_ground_open(int dir, const char *name, int flags, struct stat *st, struct at_error *err)
{
	int fd = openat(dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0 && fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_nlink == 1)
		return fd;
	if (fd < 0 && errno == ENOENT)
		return -1;
	if (fd < 0 && errno != ELOOP && errno != ENXIO && errno != EISDIR)
		at_fail_sys(err, errno, "cannot open `" AT_GROUND "/%s`", name);
	else
		at_fail(err, AT_EUNSAFE, "`" AT_GROUND "/%s` is no regular file of one name", name);
	at_error_path(err, name);
	if (fd >= 0)
		close(fd);
	errno = EIO;
	return -1;
}

bool at_proposal_ledger_verify(struct at_proposal_state *out, const struct at_proposal_site *site,
	at_proposal_visit *visit, void *context, struct at_error *err)
{
	int dir, fd = -1;
	struct stat st;
	bool done;

	*out = (struct at_proposal_state){ 0 };
	dir = at_ground_dir(site->root, err);
	if (dir < 0 && errno != ENOENT)
		return false;
	if (dir >= 0) {
		fd = at_ground_open(dir, AT_LEDGER_NAME, O_RDONLY, &st, err);
		if (fd < 0 && errno != ENOENT) {
			close(dir);
			return false;
		}
	}
	done = at_proposal_scan(out, site, dir, fd, visit, context, err);
	if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
	return done;
}

void at_proposal_state_free(struct at_proposal_state *state)
{
	at_buf_free(&state->problems);
	*state = (struct at_proposal_state){ 0 };
}
