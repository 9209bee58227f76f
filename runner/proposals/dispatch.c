#include "runner/proposals/dispatch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <uthash.h>

#include "core/act.h"
#include "core/disk.h"
#include "core/file.h"
#include "core/mem.h"
#include "keys/ed25519.h"
#include "keys/field.h"
#include "runner/proposals/ledger_impl.h"

#define LOCK_NAME "dispatches.lock"
#define FILE_CAP ((size_t)256 << 20)
#define ATTEMPTS_A_USE 4u
#define LIMIT_MOST 1000000u /* uses of one nonce: what could overflow a count */

const struct at_dispatch_limits at_dispatch_uniform = { 24, 25, 25 * ATTEMPTS_A_USE };
const struct at_dispatch_limits at_dispatch_narrow = { 4, 10, 10 * ATTEMPTS_A_USE };

static const struct at_json_limits line_limits = { 4096, 2 };

struct entry {
	struct at_dispatch dispatch;
	UT_hash_handle hh;
};

struct at_dispatches {
	const struct at_proposal_site *site;
	int dir, lock, fd; /* -1 while there is none */
	struct entry *table;
	struct stat st; /* of the file as it was read or left */
	bool lacks_end; /* a torn line is at its end */
	bool is_dirty; /* counters that no sync covers yet */
};

static bool fail_io(struct at_error *err, const char *what)
{
	at_fail_sys(err, errno, "cannot %s `" AT_DISPATCHES "`", what);
	at_error_path(err, AT_DISPATCHES);
	return false;
}

static bool __attribute__((format(printf, 3, 4)))
refuse(struct at_error *err, const char *id, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	at_fail(err, AT_EREFUSED, "%s", text);
	at_error_name(err, id);
	return false;
}

static void drop_table(struct at_dispatches *d)
{
	struct entry *entry, *next;

	HASH_ITER(hh, d->table, entry, next) {
		HASH_DEL(d->table, entry);
		free(entry);
	}
}

static struct entry *entry_of(struct at_dispatches *d, const char *id)
{
	struct entry *entry;

	HASH_FIND_STR(d->table, id, entry);
	return entry;
}

static void add(struct at_dispatches *d, const struct at_dispatch *dispatch)
{
	struct entry *entry = entry_of(d, dispatch->id);

	if (entry)
		return;
	entry = at_alloc(sizeof(*entry));
	entry->dispatch = *dispatch;
	HASH_ADD_STR(d->table, dispatch.id, entry);
}

/* The text of a string member when it fits; it is one of ours, so it holds no escape. */
static bool take_text(char *out, size_t size, const struct at_json *doc, const char *key)
{
	uint32_t node = at_json_member(doc, AT_JSON_ROOT, key);
	struct at_bytes raw;

	if (!at_json_is(doc, node, AT_JSON_STRING))
		return false;
	raw = at_json_raw(doc, node);
	if (raw.len - 2 >= size || doc->nodes[node].escaped)
		return false;
	memcpy(out, raw.data + 1, raw.len - 2);
	out[raw.len - 2] = '\0';
	return true;
}

static void take_record(struct at_dispatches *d, const struct at_json *doc)
{
	uint32_t uses = at_json_member(doc, AT_JSON_ROOT, "max_uses");
	struct at_dispatch dispatch = { .uses = 0 };
	char expires[64];
	struct at_bytes raw;

	if (!take_text(dispatch.id, sizeof(dispatch.id), doc, "id")
		|| !take_text(dispatch.agent, sizeof(dispatch.agent), doc, "agent")
		|| !take_text(expires, sizeof(expires), doc, "expires")
		|| !at_json_is(doc, uses, AT_JSON_NUMBER)
		|| !at_time_read(&dispatch.expires, at_bytes_of(expires), NULL))
		return;
	raw = at_json_raw(doc, uses);
	for (size_t i = 0; i < raw.len; i++) {
		if (raw.data[i] < '0' || raw.data[i] > '9' || dispatch.max_uses > LIMIT_MOST)
			return;
		dispatch.max_uses = dispatch.max_uses * 10 + (unsigned)(raw.data[i] - '0');
	}
	add(d, &dispatch);
}

static void take_line(struct at_dispatches *d, struct at_bytes line, struct at_buf *work)
{
	struct at_json doc;
	struct entry *entry;
	char id[AT_DIGEST_HEX];

	if (!at_json_read(&doc, line, &line_limits, AT_JSON_ALLOW_DUPLICATES, NULL))
		return;
	if (at_is_signed(&doc, d->site->key, work)) {
		if (take_text(id, sizeof(id), &doc, "use")) {
			entry = entry_of(d, id);
			if (entry)
				entry->dispatch.uses++;
		} else if (take_text(id, sizeof(id), &doc, "attempt")) {
			entry = entry_of(d, id);
			if (entry)
				entry->dispatch.attempts++;
		} else {
			take_record(d, &doc);
		}
	}
	at_json_free(&doc);
}

static void take_lines(struct at_dispatches *d, struct at_bytes text)
{
	const char *p = text.data, *end = p + text.len;
	struct at_buf work = { 0 };

	d->lacks_end = text.len && end[-1] != '\n';
	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		stop = stop ? stop : end;
		take_line(d, (struct at_bytes){ p, (size_t)(stop - p) }, &work);
		p = stop + 1;
	}
	at_buf_free(&work);
}

static void forget_file(struct at_dispatches *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
	drop_table(d);
}

static bool read_all(struct at_dispatches *d, struct at_buf *out, struct at_error *err)
{
	char piece[16384];
	ssize_t got;

	while ((got = read(d->fd, piece, sizeof(piece))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail_io(err, "read");
		at_buf_put(out, piece, (size_t)got);
		if (out->len > FILE_CAP)
			return at_fail(
				err, AT_ELIMIT, "`" AT_DISPATCHES "` is larger than 256 MiB");
	}
	return true;
}

/* Reads the file unless it is what this handle left. */
static bool refresh(struct at_dispatches *d, struct at_error *err)
{
	struct at_buf text = { 0 };
	bool done;

	if (d->dir < 0) {
		d->dir = at_ground_dir(d->site->root, err);
		if (d->dir < 0)
			return errno == ENOENT;
	} else if (at_ground_is_still(d->dir, AT_DISPATCHES_NAME, d->fd >= 0, &d->st)) {
		return true;
	}
	forget_file(d);
	d->fd = at_ground_open(d->dir, AT_DISPATCHES_NAME, O_RDWR | O_APPEND, &d->st, err);
	if (d->fd < 0)
		return errno == ENOENT;
	done = read_all(d, &text, err);
	if (done)
		take_lines(d, at_buf_bytes(&text));
	at_buf_free(&text);
	return done;
}

/* Locked, and the table as the file has it. */
static bool begin(struct at_dispatches *d, struct at_error *err)
{
	struct stat st;

	if (d->dir < 0 && !refresh(d, err))
		return false;
	if (d->dir >= 0 && d->lock < 0) {
		if (!at_disk_create(d->dir, LOCK_NAME, (struct at_bytes){ "", 0 }, 0600,
			    AT_NO_OWNER, AT_NO_GROUP)
			&& errno != EEXIST)
			return at_fail_sys(err, errno, "cannot make `" AT_GROUND "/" LOCK_NAME "`");
		d->lock = at_ground_open(d->dir, LOCK_NAME, O_RDWR, &st, err);
		if (d->lock < 0)
			return errno == ENOENT
				? at_fail(err, AT_ESTALE, "`" AT_GROUND "` changed meanwhile")
				: false;
	}
	if (d->lock >= 0 && !at_lock_wait(d->lock)) {
		at_fail(err, AT_EEXIST, "another run holds `" AT_GROUND "/" LOCK_NAME "`");
		at_error_name(err, "busy");
		at_error_hint(err, "Wait until it has ended, then start again.");
		return false;
	}
	return refresh(d, err);
}

static void end(struct at_dispatches *d)
{
	if (d->lock >= 0)
		flock(d->lock, LOCK_UN);
}

bool at_dispatches_open(
	struct at_dispatches **out, const struct at_proposal_site *site, struct at_error *err)
{
	struct at_dispatches *d = at_alloc(sizeof(*d));

	*d = (struct at_dispatches){ .site = site, .dir = -1, .lock = -1, .fd = -1 };
	*out = d;
	if (refresh(d, err))
		return true;
	at_dispatches_close(d);
	*out = NULL;
	return false;
}

void at_dispatches_close(struct at_dispatches *d)
{
	if (!d)
		return;
	forget_file(d);
	if (d->lock >= 0)
		close(d->lock);
	if (d->dir >= 0)
		close(d->dir);
	free(d);
}

static void id_of(char out[AT_DIGEST_HEX], const struct at_dispatches *d, const char *nonce)
{
	char text[sizeof("dispatch:") + AT_NONCE];
	struct at_digest digest;

	snprintf(text, sizeof(text), "dispatch:%s", nonce);
	digest = at_digest_keyed(d->site->key, at_bytes_of(text));
	at_digest_hex(out, &digest);
}

static void put_record(
	struct at_buf *out, const struct at_dispatches *d, const struct at_dispatch *dispatch)
{
	struct at_canonical_object object = { 0 };
	char expires[AT_STAMP];

	at_stamp_text(expires, dispatch->expires);
	at_canonical_set_text(&object, "id", at_bytes_of(dispatch->id));
	at_canonical_set_text(&object, "agent", at_bytes_of(dispatch->agent));
	at_canonical_set_number(&object, "max_uses", dispatch->max_uses);
	at_canonical_set_text(&object, "expires", at_bytes_of(expires));
	at_sign_line(out, &object, d->site->key);
	at_canonical_object_free(&object);
}

static void put_counter(
	struct at_buf *out, const struct at_dispatches *d, const char *word, const char *id)
{
	struct at_canonical_object object = { 0 };

	at_canonical_set_text(&object, word, at_bytes_of(id));
	at_sign_line(out, &object, d->site->key);
	at_canonical_object_free(&object);
}

static void put_many(struct at_buf *out, const struct at_dispatches *d, const char *word,
	const char *id, unsigned count)
{
	struct at_buf one = { 0 };

	put_counter(&one, d, word, id);
	for (unsigned i = 0; i < count; i++)
		at_buf_put(out, one.data, one.len);
	at_buf_free(&one);
}

/* Expiry compares `<`: at the very second it still holds. */
static bool is_over(const struct at_dispatch *dispatch, struct at_time now)
{
	now.nanoseconds = 0;
	return at_time_is_after(now, dispatch->expires);
}

static bool write_anew(struct at_dispatches *d, const struct at_dispatch *more, struct at_time now,
	struct at_error *err)
{
	struct at_buf text = { 0 };
	struct entry *entry, *next;
	bool stands;

	HASH_ITER(hh, d->table, entry, next) {
		const struct at_dispatch *one = &entry->dispatch;

		if (is_over(one, now))
			continue;
		put_record(&text, d, one);
		put_many(&text, d, "attempt", one->id, one->attempts);
		put_many(&text, d, "use", one->id, one->uses);
	}
	put_record(&text, d, more);
	at_ground_replace(d->dir, AT_DISPATCHES_NAME, at_buf_bytes(&text), &stands);
	at_buf_free(&text);
	return stands ? refresh(d, err) : fail_io(err, "write");
}

static bool announce(struct at_proposal_ledger *ledger, const struct at_dispatch *dispatch,
	struct at_time now, struct at_error *err)
{
	struct at_canonical_object row = { 0 }, *rows[] = { &row };
	bool done;

	at_canonical_set_text(&row, "action", at_bytes_of("issue-dispatch"));
	at_canonical_set_text(&row, "agent", at_bytes_of(dispatch->agent));
	at_canonical_set_text(&row, "id", (struct at_bytes){ dispatch->id, 12 });
	done = at_proposal_ledger_append(ledger, rows, 1, now, err);
	at_canonical_object_free(&row);
	return done;
}

bool at_dispatch_issue(char nonce[AT_NONCE], struct at_dispatches *d,
	struct at_proposal_ledger *ledger, const char *agent,
	const struct at_dispatch_limits *limits, struct at_time now, struct at_error *err)
{
	struct at_dispatch dispatch = { .max_uses = limits->uses, .expires = now };
	unsigned char random[(AT_NONCE - 1) / 2];
	struct at_buf hex = { 0 };
	bool done;

	if (!at_agent_slug_is_sound(at_bytes_of(agent)))
		return refuse(err, "agent-slug", "malformed agent slug: '%.80s'", agent);
	snprintf(dispatch.agent, sizeof(dispatch.agent), "%s", agent);
	dispatch.expires.nanoseconds = 0;
	dispatch.expires.seconds += (int64_t)limits->hours * 3600;
	at_random_bytes(random, sizeof(random));
	at_hex_put(&hex, random, sizeof(random));
	memcpy(nonce, hex.data, AT_NONCE);
	at_buf_free(&hex);
	id_of(dispatch.id, d, nonce);
	done = begin(d, err);
	if (done && d->dir < 0)
		done = at_fail(err, AT_ENOENT, "there is no `" AT_GROUND "` to keep dispatches in");
	done = done && announce(ledger, &dispatch, now, err) && write_anew(d, &dispatch, now, err);
	end(d);
	if (!done)
		memset(nonce, 0, AT_NONCE);
	return done;
}

static struct entry *find(struct at_dispatches *d, struct at_bytes nonce)
{
	char text[AT_NONCE] = "", id[AT_DIGEST_HEX];

	memcpy(text, nonce.data, AT_NONCE - 1);
	id_of(id, d, text);
	return entry_of(d, id);
}

bool at_dispatch_find(struct at_dispatch *out, struct at_dispatches *d, struct at_bytes nonce)
{
	struct entry *entry;

	*out = (struct at_dispatch){ .uses = 0 };
	if (!at_is_lower_hex(nonce, AT_NONCE - 1) || !refresh(d, NULL))
		return false;
	entry = find(d, nonce);
	if (entry)
		*out = entry->dispatch;
	return entry != NULL;
}

bool at_dispatch_is_narrow(const struct at_dispatch *dispatch, struct at_time now)
{
	return dispatch->max_uses <= at_dispatch_narrow.uses
		&& dispatch->expires.seconds
		<= now.seconds + (int64_t)at_dispatch_narrow.hours * 3600 + 60;
}

static bool count(struct at_dispatches *d, const char *word, const char *id, struct at_error *err)
{
	struct at_buf line = { 0 };
	bool done;

	if (d->lacks_end)
		at_buf_putc(&line, '\n');
	put_counter(&line, d, word, id);
	done = at_disk_write(d->fd, at_buf_bytes(&line)) || fail_io(err, "append to");
	at_buf_free(&line);
	if (done) {
		d->lacks_end = false;
		d->is_dirty = true;
		done = fstat(d->fd, &d->st) == 0 || fail_io(err, "look at");
	}
	return done;
}

static bool is_live(const struct at_dispatch *dispatch, struct at_time now, struct at_error *err)
{
	if (is_over(dispatch, now))
		return refuse(err, "dispatch-expired",
			"dispatch nonce has expired; re-dispatch the agent");
	if (dispatch->uses >= dispatch->max_uses)
		return refuse(err, "dispatch-uses",
			"dispatch nonce used %u times (its limit); re-dispatch the agent",
			dispatch->uses);
	return true;
}

bool at_dispatch_is_whose(
	const struct at_dispatch *dispatch, const struct at_bytes *claimed, struct at_error *err)
{
	if (!claimed || at_bytes_equal_text(*claimed, dispatch->agent))
		return true;
	return refuse(err, "dispatch-agent",
		"artifact claims agent '%.*s' but was dispatched to '%s'; refused",
		claimed->len > 80 ? 80 : (int)claimed->len, claimed->data ? claimed->data : "",
		dispatch->agent);
}

static bool attempt(struct at_dispatch *out, struct at_dispatches *d, struct at_bytes nonce,
	const struct at_bytes *claimed, struct at_time now, struct at_error *err)
{
	struct entry *entry = find(d, nonce);
	unsigned most;
	bool was_full;

	if (!entry)
		return refuse(err, "dispatch-unknown", "unknown dispatch nonce; refused");
	most = entry->dispatch.max_uses * ATTEMPTS_A_USE;
	was_full = entry->dispatch.attempts >= most;
	if (!was_full) {
		if (!count(d, "attempt", entry->dispatch.id, err))
			return false;
		entry->dispatch.attempts++;
	}
	*out = entry->dispatch;
	if (!is_live(out, now, err))
		return false;
	if (was_full)
		return refuse(err, "dispatch-attempts",
			"dispatch nonce made %u attempts (its limit); re-dispatch the agent",
			out->attempts);
	return at_dispatch_is_whose(out, claimed, err);
}

bool at_dispatch_attempt(struct at_dispatch *out, struct at_dispatches *d, struct at_bytes nonce,
	const struct at_bytes *claimed, struct at_time now, struct at_error *err)
{
	bool done;

	*out = (struct at_dispatch){ .uses = 0 };
	if (!at_is_lower_hex(nonce, AT_NONCE - 1))
		return refuse(err, "dispatch-malformed",
			"artifact carries no valid dispatch nonce (32 lowercase hex digits, as "
			"--issue-dispatch prints them)");
	done = begin(d, err) && attempt(out, d, nonce, claimed, now, err);
	end(d);
	return done;
}

static bool use(struct at_dispatches *d, struct at_bytes nonce, const char *agent,
	struct at_time now, struct at_error *err)
{
	struct entry *entry = find(d, nonce);

	if (!entry || strcmp(entry->dispatch.agent, agent) != 0)
		return refuse(err, "dispatch-changed",
			"dispatch nonce no longer resolves to the same agent; refused");
	if (!is_live(&entry->dispatch, now, err) || !count(d, "use", entry->dispatch.id, err))
		return false;
	entry->dispatch.uses++;
	return true;
}

bool at_dispatch_use(struct at_dispatches *d, struct at_bytes nonce, const char *agent,
	struct at_time now, struct at_error *err)
{
	bool done;

	if (!at_is_lower_hex(nonce, AT_NONCE - 1))
		return refuse(err, "dispatch-changed",
			"dispatch nonce no longer resolves to the same agent; refused");
	done = begin(d, err) && use(d, nonce, agent, now, err);
	end(d);
	return done;
}

bool at_dispatches_sync(struct at_dispatches *d, struct at_error *err)
{
	if (!d->is_dirty || d->fd < 0)
		return true;
	if (!at_disk_flush(d->fd))
		return fail_io(err, "sync");
	d->is_dirty = false;
	return true;
}

bool at_dispatches_are_still(const struct at_dispatches *d)
{
	return d->dir < 0 || at_ground_is_still(d->dir, AT_DISPATCHES_NAME, d->fd >= 0, &d->st);
}

void at_dispatch_hide(struct at_error *err)
{
	if (!err || strncmp(err->id, "dispatch-", 9) != 0)
		return;
	snprintf(err->message, sizeof(err->message), "dispatch nonce refused on this channel");
	err->hint[0] = '\0';
	err->field[0] = '\0';
}
