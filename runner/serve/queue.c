#include "runner/serve/queue.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/disk.h"
#include "core/file.h"
#include "core/mem.h"
#include "keys/ed25519.h"
#include "runner/proposals/artifact.h"
#include "runner/proposals/site.h"

#define ASIDE_LIFE_S 86400 /* of an unreadable request that was kept */
#define ODD_TOLD 20u       /* lines between two calls; the rest is counted */

enum place { REQUESTS, MCP, ACKS, CLAIMED, RESULTS, PLACES };
enum { CHANNELS = 2 };

static const struct {
	const char *path;
	mode_t mode;
} places[PLACES] = {
	[REQUESTS] = { AT_QUEUE_REQUESTS, 0755 },
	[MCP] = { AT_QUEUE_MCP, 0755 },
	[ACKS] = { AT_QUEUE_ACKS, 0755 },
	[CLAIMED] = { AT_QUEUE_CLAIMED, 0700 },
	[RESULTS] = { AT_QUEUE_RESULTS, 0700 },
};

struct entry {
	char id[AT_QUEUE_ID];
	struct timespec published;
};

/* What a directory held when it was listed, served from the front. */
struct listing {
	struct entry *items;
	size_t count, cap, next;
};

struct at_queue {
	int root, dirs[PLACES];
	struct listing channels[CHANNELS];
	int patience;
	struct at_buf odd;
	size_t odd_count;
};

void at_queue_new_id(char id[AT_QUEUE_ID])
{
	unsigned char bytes[(AT_QUEUE_ID - 1) / 2];

	at_random_bytes(bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(id + 2 * i, 3, "%02x", bytes[i]);
}

/* Opens a directory of two components, making what is missing. */
static int open_place(int root, const char *path, mode_t mode, struct at_error *err)
{
	const char *slash = strchr(path, '/');
	char top[64];
	int above, dir;

	snprintf(top, sizeof(top), "%.*s", (int)(slash - path), path);
	if (!at_disk_mkdir(root, top, mode) && errno != EEXIST) {
		at_fail_sys(err, errno, "cannot make `%s`", top);
		return -1;
	}
	above = at_file_open_dir(root, top, err);
	if (above < 0)
		return -1;
	dir = -1;
	if (!at_disk_mkdir(above, slash + 1, mode) && errno != EEXIST)
		at_fail_sys(err, errno, "cannot make `%s`", path);
	else
		dir = at_file_open_dir(root, path, err);
	close(above);
	return dir;
}

bool at_queue_open(struct at_queue **out, int root, struct at_error *err)
{
	struct at_queue *queue = at_alloc(sizeof(*queue));

	*out = NULL;
	queue->root = root;
	queue->patience = -1;
	for (size_t i = 0; i < PLACES; i++)
		queue->dirs[i] = -1;
	for (size_t i = 0; i < PLACES; i++) {
		queue->dirs[i] = open_place(root, places[i].path, places[i].mode, err);
		if (queue->dirs[i] < 0) {
			at_queue_close(queue);
			return false;
		}
	}
	*out = queue;
	return true;
}

void at_queue_close(struct at_queue *queue)
{
	if (!queue)
		return;
	for (size_t i = 0; i < PLACES; i++)
		if (queue->dirs[i] >= 0)
			close(queue->dirs[i]);
	for (size_t i = 0; i < CHANNELS; i++)
		free(queue->channels[i].items);
	at_buf_free(&queue->odd);
	free(queue);
}

bool at_queue_is_still(const struct at_queue *queue, struct at_error *err)
{
	for (size_t i = 0; i < PLACES; i++) {
		int dir = at_file_open_dir(queue->root, places[i].path, err);
		struct stat held, named;
		bool same;

		if (dir < 0)
			return false;
		same = fstat(dir, &named) == 0 && fstat(queue->dirs[i], &held) == 0
			&& named.st_dev == held.st_dev && named.st_ino == held.st_ino;
		close(dir);
		if (same)
			continue;
		at_fail(err, AT_EUNSAFE, "`%s` is no longer the directory that is served",
			places[i].path);
		at_error_path(err, places[i].path);
		at_error_name(err, "runner-queue");
		return false;
	}
	return true;
}

void at_queue_watched(const struct at_queue *queue, int out[AT_QUEUE_WATCHED])
{
	out[0] = queue->dirs[REQUESTS];
	out[1] = queue->dirs[MCP];
	out[2] = queue->dirs[ACKS];
}

void at_queued_free(struct at_queued *claim)
{
	at_json_free(&claim->doc);
	at_buf_free(&claim->text);
	*claim = (struct at_queued){ 0 };
}

/* Names are hexadecimal here, so nothing of them needs care. */
static void tell_odd(struct at_queue *queue, enum place place, const char *name, const char *what)
{
	if (queue->odd_count++ < ODD_TOLD)
		at_buf_printf(&queue->odd, "%s/%s: %s\n", places[place].path, name, what);
}

void at_queue_odd(struct at_buf *out, struct at_queue *queue)
{
	at_buf_put(out, queue->odd.data ? queue->odd.data : "", queue->odd.len);
	if (queue->odd_count > ODD_TOLD)
		at_buf_printf(out, "and %zu more entries were set aside\n",
			queue->odd_count - ODD_TOLD);
	at_buf_free(&queue->odd);
	queue->odd_count = 0;
}

/* Whatever it is, its name is free afterwards. A directory that is not empty moves to a name that
 * nobody reads. */
static void clear_away(struct at_queue *queue, enum place place, const char *name,
	const char *what)
{
	int dir = queue->dirs[place];
	char aside[80];

	if (!at_disk_remove(dir, name) && errno != ENOENT && !at_disk_rmdir(dir, name)
		&& errno != ENOENT) {
		for (unsigned n = 0; n < 1000; n++) {
			snprintf(aside, sizeof(aside), ".aside-%u-%s", n, name);
			if (at_disk_move(dir, name, aside) || errno != EEXIST)
				break;
		}
	}
	tell_odd(queue, place, name, what);
}

static bool is_request_name(char id[AT_QUEUE_ID], const char *name)
{
	if (strlen(name) != 37 || strcmp(name + 32, ".json") != 0
		|| !at_is_lower_hex((struct at_bytes){ name, 32 }, 32))
		return false;
	memcpy(id, name, 32);
	id[32] = '\0';
	return true;
}

static const char *oddity(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "no regular file; taken away";
	if (st->st_nlink != 1)
		return "a file with a second name; this one taken away";
	if (st->st_uid != geteuid())
		return "another user's file; taken away";
	return NULL;
}

static int by_age(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->published.tv_sec != y->published.tv_sec)
		return x->published.tv_sec < y->published.tv_sec ? -1 : 1;
	if (x->published.tv_nsec != y->published.tv_nsec)
		return x->published.tv_nsec < y->published.tv_nsec ? -1 : 1;
	return strcmp(x->id, y->id);
}

/* A stream of its own position over a held directory. */
static DIR *stream_of(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);

	if (!stream && fd >= 0)
		close(fd);
	return stream;
}

static bool list(struct at_queue *queue, enum place place, struct at_error *err)
{
	struct listing *listing = &queue->channels[place];
	DIR *stream = stream_of(queue->dirs[place]);
	struct dirent *found;
	struct stat st;
	char id[AT_QUEUE_ID];

	listing->count = listing->next = 0;
	if (!stream)
		return at_fail_sys(err, errno, "cannot read `%s`", places[place].path);
	while ((found = readdir(stream))) {
		const char *odd;

		if (!is_request_name(id, found->d_name)
			|| fstatat(queue->dirs[place], found->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		odd = oddity(&st);
		if (odd) {
			clear_away(queue, place, found->d_name, odd);
			continue;
		}
		listing->items = at_grow(
			listing->items, &listing->cap, listing->count, sizeof(*listing->items));
		memcpy(listing->items[listing->count].id, id, sizeof(id));
		listing->items[listing->count++].published = st.st_ctim;
	}
	closedir(stream);
	if (listing->count > 1)
		qsort(listing->items, listing->count, sizeof(*listing->items), by_age);
	return true;
}

static const char unreadable[] = "unreadable request (not a regular JSON file)";

/* Reads what is open; NULL, or the fixed refusal. */
static const char *read_text(struct at_buf *out, int fd, struct stat *st)
{
	ssize_t got;

	if (fstat(fd, st) < 0 || oddity(st))
		return unreadable;
	if ((size_t)st->st_size > AT_REQUEST_CAP)
		return "request too large";
	at_buf_reserve(out, (size_t)st->st_size + 1);
	for (;;) {
		char chunk[65536];

		got = read(fd, chunk, sizeof(chunk));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		at_buf_put(out, chunk, (size_t)got);
		if (out->len > AT_REQUEST_CAP)
			return "request too large";
	}
	return got < 0 ? unreadable : NULL;
}

/* The bytes of `name` in `dir`, and what they are. */
static void read_claim(struct at_queued *claim, int dir, const char *name, struct stat *st)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	*st = (struct stat){ 0 };
	at_json_free(&claim->doc);
	at_buf_free(&claim->text);
	claim->fault = unreadable;
	if (fd < 0)
		return;
	claim->fault = read_text(&claim->text, fd, st);
	close(fd);
	if (!claim->fault
		&& !at_json_read(&claim->doc, at_buf_bytes(&claim->text), &at_artifact_limits, 0,
			NULL))
		claim->fault = unreadable;
	if (claim->fault)
		at_buf_free(&claim->text);
}

static int64_t milliseconds(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000 + t->tv_nsec / 1000000;
}

/* A file that somebody may still be at: looked at again later. */
static bool waits(struct at_queue *queue, const struct stat *st, int64_t now_ms)
{
	int64_t age = now_ms - milliseconds(&st->st_ctim);
	int left;

	if (!st->st_ino || age < 0 || age >= AT_QUEUE_GRACE_MS)
		return false;
	left = (int)(AT_QUEUE_GRACE_MS - age) + 1;
	if (queue->patience < 0 || left < queue->patience)
		queue->patience = left;
	return true;
}

enum taken { TAKEN, PASSED, BROKEN };

/* Reads first, so that an unfinished one can stay; what was renamed is then held against what was
 * read. */
static enum taken take(struct at_queued *out, struct at_queue *queue, enum place place,
	const struct entry *entry, int64_t now_ms, struct at_error *err)
{
	struct stat read, claimed;
	char name[48];

	*out = (struct at_queued){ .channel = (enum at_channel)place };
	snprintf(name, sizeof(name), "%s.json", entry->id);
	memcpy(out->id, entry->id, sizeof(out->id));
	read_claim(out, queue->dirs[place], name, &read);
	if (out->fault == unreadable && waits(queue, &read, now_ms)) {
		at_queued_free(out);
		return PASSED;
	}
	if (faccessat(queue->dirs[RESULTS], name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		clear_away(queue, place, name, "an id that was answered already; taken away");
		at_queued_free(out);
		return PASSED;
	}
	if (!at_disk_move_to(queue->dirs[place], name, queue->dirs[CLAIMED], name)) {
		bool gone = errno == ENOENT;

		at_queued_free(out);
		if (gone)
			return PASSED;
		at_fail_sys(err, errno, "cannot claim `%s/%s`", places[place].path, name);
		return BROKEN;
	}
	if (fstatat(queue->dirs[CLAIMED], name, &claimed, AT_SYMLINK_NOFOLLOW) < 0
		|| claimed.st_ino != read.st_ino || claimed.st_dev != read.st_dev)
		read_claim(out, queue->dirs[CLAIMED], name, &read);
	out->waited_ms = now_ms - milliseconds(&entry->published);
	if (out->waited_ms < 0)
		out->waited_ms = 0;
	return TAKEN;
}

bool at_queue_next(struct at_queued *out, struct at_queue *queue, int64_t now_ms,
	struct at_error *err)
{
	*err = (struct at_error){ 0 };
	queue->patience = -1;
	for (enum place place = REQUESTS; place <= MCP; place++) {
		struct listing *listing = &queue->channels[place];

		if (listing->next == listing->count && !list(queue, place, err))
			return false;
		while (listing->next < listing->count) {
			const struct entry *entry = &listing->items[listing->next++];

			switch (take(out, queue, place, entry, now_ms, err)) {
			case TAKEN:
				return true;
			case BROKEN:
				return false;
			case PASSED:
				break;
			}
		}
	}
	return false;
}

int at_queue_patience(const struct at_queue *queue)
{
	return queue->patience;
}

/* What nobody could read keeps its bytes for a day. */
static void let_go(struct at_queue *queue, const char *id, bool keep)
{
	char name[48], aside[48];

	snprintf(name, sizeof(name), "%s.json", id);
	snprintf(aside, sizeof(aside), "%s.aside", id);
	if (!keep || !at_disk_rename(queue->dirs[CLAIMED], name, aside))
		at_disk_remove(queue->dirs[CLAIMED], name);
}

static bool put_result(struct at_queue *queue, const char *id, struct at_bytes result)
{
	char temp[48], name[48];
	int dir = queue->dirs[RESULTS];

	snprintf(temp, sizeof(temp), ".%s.tmp", id);
	snprintf(name, sizeof(name), "%s.json", id);
	if (!at_disk_put(dir, temp, result, 0600)
		&& (errno != EEXIST || !at_disk_remove(dir, temp)
			|| !at_disk_put(dir, temp, result, 0600)))
		return false;
	if (at_disk_rename(dir, temp, name))
		return true;
	at_disk_remove(dir, temp);
	return false;
}

bool at_queue_answer(struct at_queue *queue, const char *id, struct at_bytes result, bool keep,
	struct at_error *err)
{
	if (!put_result(queue, id, result))
		return at_fail_sys(err, errno, "cannot write the result of %s", id);
	let_go(queue, id, keep);
	return true;
}

static void sweep_acks(struct at_queue *queue)
{
	DIR *stream = stream_of(queue->dirs[ACKS]);
	struct dirent *found;
	struct stat st;
	char result[48];

	while (stream && (found = readdir(stream))) {
		const char *name = found->d_name;

		if (!at_is_lower_hex(at_bytes_of(name), 32)
			|| fstatat(queue->dirs[ACKS], name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (!S_ISREG(st.st_mode)) {
			clear_away(queue, ACKS, name, "no regular file; taken away");
			continue;
		}
		snprintf(result, sizeof(result), "%.32s.json", name);
		at_disk_remove(queue->dirs[RESULTS], result);
		at_disk_remove(queue->dirs[ACKS], name);
	}
	if (stream)
		closedir(stream);
}

static void sweep_aged(int dir, const char *suffix, int64_t now_ms, int64_t life_s)
{
	DIR *stream = stream_of(dir);
	struct dirent *found;
	struct stat st;

	while (stream && (found = readdir(stream))) {
		size_t len = strlen(found->d_name), end = strlen(suffix);
		int64_t age;

		if (len < end || strcmp(found->d_name + len - end, suffix) != 0
			|| fstatat(dir, found->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		age = now_ms - milliseconds(&st.st_ctim);
		/* Far in the future is a clock that jumped: no reason to keep it for ever. */
		if (age > life_s * 1000 || age < -life_s * 1000)
			at_disk_remove(dir, found->d_name);
	}
	if (stream)
		closedir(stream);
}

void at_queue_sweep(struct at_queue *queue, int64_t now_ms, bool aged)
{
	sweep_acks(queue);
	if (!aged)
		return;
	sweep_aged(queue->dirs[RESULTS], ".json", now_ms, AT_RESULT_LIFE_S);
	sweep_aged(queue->dirs[RESULTS], ".tmp", now_ms, AT_RESULT_LIFE_S);
	sweep_aged(queue->dirs[CLAIMED], ".aside", now_ms, ASIDE_LIFE_S);
}

bool at_queue_left(struct at_queue *queue,
	bool (*each)(void *context, const char *id, struct at_error *err), void *context,
	struct at_error *err)
{
	DIR *stream = stream_of(queue->dirs[CLAIMED]);
	struct dirent *found;
	char id[AT_QUEUE_ID];
	bool ok = true;

	if (!stream)
		return at_fail_sys(err, errno, "cannot read `%s`", places[CLAIMED].path);
	while (ok && (found = readdir(stream)))
		if (is_request_name(id, found->d_name))
			ok = each(context, id, err);
	closedir(stream);
	return ok;
}
