/* Appending to the proposal ledger, and mending what a run that was cut short left. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/act.h"
#include "core/disk.h"
#include "core/file.h"
#include "core/mem.h"
#include "runner/proposals/ledger_impl.h"

#define TORN_CAP ((size_t)8 << 20) /* what the file of torn lines may come to */
#define REPAIR "--repair-proposal-ledger"

struct at_proposal_ledger {
	const struct at_proposal_site *site;
	int dir, fd; /* fd -1: there is no ledger yet */
	bool is_broken; /* rows stand that the head does not count */
	struct stat st, head; /* as this handle left them */
	size_t rows, size, torn;
	bool lacks_end;
	char last[AT_DIGEST_HEX];
};

static bool fail_busy(struct at_error *err)
{
	at_fail(err, AT_EEXIST, "another run is writing `" AT_PROPOSAL_LEDGER "`");
	at_error_name(err, "proposal-ledger-busy");
	at_error_hint(err, "Wait until it has ended, then start again.");
	return false;
}

static bool fail_write(struct at_error *err, const char *what)
{
	at_fail_sys(err, errno, "cannot %s `" AT_PROPOSAL_LEDGER "`", what);
	at_error_path(err, AT_PROPOSAL_LEDGER);
	at_error_hint(err, "Its rows are what they were.");
	return false;
}

static bool fail_behind(struct at_error *err)
{
	at_fail(err, AT_EREFUSED,
		"`" AT_PROPOSAL_LEDGER "` holds signed rows that its head does "
		"not count: a run was cut short between the two");
	at_error_name(err, "proposal-ledger-behind");
	at_error_hint(err, "atconsole " REPAIR " counts them, and says what it did.");
	return false;
}

static bool fail_problems(struct at_error *err, const struct at_proposal_state *state)
{
	const char *text = at_buf_text(&state->problems);

	at_fail(err, AT_EREFUSED, "the proposal ledger does not verify: %.*s%s",
		(int)strcspn(text, "\n"), text, state->problem_count > 1 ? ", and more" : "");
	at_error_name(err, "proposal-ledger-problems");
	at_error_path(err, AT_PROPOSAL_LEDGER);
	at_error_hint(err, "See atconsole --verify-proposal-ledger. Nothing was changed.");
	return false;
}

bool at_ground_replace(int dir, const char *name, struct at_bytes bytes, bool *is_new)
{
	char temp[NAME_MAX + 1];

	*is_new = false;
	snprintf(temp, sizeof(temp), "%s.tmp", name);
	unlinkat(dir, temp, 0); /* what a killed run left */
	if (!at_disk_create(dir, temp, bytes, 0600, AT_NO_OWNER, AT_NO_GROUP))
		return false;
	if (at_disk_rename(dir, temp, name)) {
		*is_new = true;
		return at_disk_sync(dir);
	}
	unlinkat(dir, temp, 0);
	return false;
}

bool at_ground_is_still(int dir, const char *name, bool existed, const struct stat *then)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return !existed && errno == ENOENT;
	return existed && st.st_dev == then->st_dev && st.st_ino == then->st_ino
		&& st.st_size == then->st_size && st.st_mode == then->st_mode
		&& st.st_mtim.tv_sec == then->st_mtim.tv_sec
		&& st.st_mtim.tv_nsec == then->st_mtim.tv_nsec
		&& st.st_ctim.tv_sec == then->st_ctim.tv_sec
		&& st.st_ctim.tv_nsec == then->st_ctim.tv_nsec;
}

bool at_proposal_ledger_is_still(const struct at_proposal_ledger *l)
{
	return at_ground_is_still(l->dir, AT_LEDGER_NAME, l->fd >= 0, &l->st)
		&& at_ground_is_still(l->dir, AT_LEDGER_HEAD_NAME, true, &l->head);
}

static bool note_files(struct at_proposal_ledger *l)
{
	return (l->fd < 0 || fstat(l->fd, &l->st) == 0)
		&& fstatat(l->dir, AT_LEDGER_HEAD_NAME, &l->head, AT_SYMLINK_NOFOLLOW) == 0;
}

/* `*stands`: the new head is there. */
static bool write_head(struct at_proposal_ledger *l, size_t rows, const char *last, bool *stands)
{
	struct at_buf text = { 0 };
	bool done;

	at_signed_count_put(&text, rows, last, l->site->key);
	done = at_ground_replace(l->dir, AT_LEDGER_HEAD_NAME, at_buf_bytes(&text), stands);
	at_buf_free(&text);
	return done;
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

static bool ends_with(struct at_bytes text, struct at_bytes end)
{
	return text.len >= end.len
		&& memcmp(text.data + text.len - end.len, end.data, end.len) == 0;
}

/* Torn bytes are kept before they are taken off; a run that was killed in between kept them
 * already. */
static bool set_aside(struct at_proposal_ledger *l, struct at_error *err)
{
	struct at_buf torn = { 0 };
	struct at_file old = { 0 };
	bool done, is_new;

	if (!l->torn)
		return true;
	at_buf_pad(&torn, '\0', l->torn);
	done = read_at(l->fd, torn.data, l->torn, l->size) || fail_write(err, "read");
	at_buf_putc(&torn, '\n');
	done = done
		&& at_file_read(&old, l->dir, AT_LEDGER_TORN_NAME, TORN_CAP,
			AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, err);
	if (done && !ends_with(at_buf_bytes(&old.bytes), at_buf_bytes(&torn))) {
		at_buf_put(&old.bytes, torn.data, torn.len);
		done = at_ground_replace(
			       l->dir, AT_LEDGER_TORN_NAME, at_buf_bytes(&old.bytes), &is_new)
			|| fail_write(err, "set aside the torn line of");
	}
	done = done
		&& (at_disk_truncate(l->fd, (off_t)l->size)
			|| fail_write(err, "take the torn line off"));
	if (done)
		l->torn = 0;
	at_file_free(&old);
	at_buf_free(&torn);
	return done;
}

static bool make_ground(struct at_proposal_ledger *l, struct at_error *err)
{
	l->dir = at_ground_dir(l->site->root, err);
	if (l->dir >= 0 || errno != ENOENT)
		return l->dir >= 0;
	if (!at_disk_mkdir(l->site->root, AT_GROUND, 0700) && errno != EEXIST)
		return at_fail_sys(err, errno, "cannot make `" AT_GROUND "`");
	l->dir = at_ground_dir(l->site->root, err);
	return l->dir >= 0 || at_fail(err, AT_EIO, "cannot open `" AT_GROUND "`");
}

/* Opens, locks and reads all of it. */
static bool begin(struct at_proposal_ledger *l, struct at_proposal_state *state,
	at_proposal_visit *visit, void *context, struct at_error *err)
{
	*state = (struct at_proposal_state){ 0 };
	if (!make_ground(l, err))
		return false;
	if (!at_lock_wait(l->dir))
		return fail_busy(err);
	l->fd = at_ground_open(l->dir, AT_LEDGER_NAME, O_RDWR | O_APPEND, &l->st, err);
	if ((l->fd < 0 && errno != ENOENT)
		|| !at_proposal_scan(state, l->site, l->dir, l->fd, visit, context, err))
		return false;
	l->rows = state->rows;
	l->size = state->good;
	l->torn = state->torn;
	l->lacks_end = state->lacks_end;
	if (state->rows)
		at_digest_hex(l->last, &state->last);
	return true;
}

static bool start_head(
	struct at_proposal_ledger *l, const struct at_proposal_state *state, struct at_error *err)
{
	bool stands;

	if (state->head != AT_PROPOSAL_HEAD_NONE || write_head(l, 0, "", &stands) || stands)
		return true;
	return at_fail_sys(err, errno, "cannot make `" AT_PROPOSAL_HEAD "`");
}

bool at_proposal_ledger_open(struct at_proposal_ledger **out, const struct at_proposal_site *site,
	at_proposal_visit *visit, void *context, struct at_error *err)
{
	struct at_proposal_ledger *l = at_alloc(sizeof(*l));
	struct at_proposal_state state;
	bool done;

	*out = NULL;
	*l = (struct at_proposal_ledger){ .site = site, .dir = -1, .fd = -1 };
	done = begin(l, &state, visit, context, err);
	if (done && state.head == AT_PROPOSAL_HEAD_BEHIND)
		done = fail_behind(err);
	else if (done && state.problem_count)
		done = fail_problems(err, &state);
	done = done && start_head(l, &state, err)
		&& (note_files(l) || at_fail_sys(err, errno, "cannot look at the ledger"));
	at_proposal_state_free(&state);
	if (l->dir >= 0)
		flock(l->dir, LOCK_UN);
	if (done)
		*out = l;
	else
		at_proposal_ledger_close(l);
	return done;
}

void at_proposal_ledger_close(struct at_proposal_ledger *l)
{
	if (!l)
		return;
	if (l->fd >= 0)
		close(l->fd);
	if (l->dir >= 0)
		close(l->dir);
	free(l);
}

size_t at_proposal_ledger_rows(const struct at_proposal_ledger *l)
{
	return l->rows;
}

/* The first row makes the file: empty, it is a ledger of none. */
static bool make_file(struct at_proposal_ledger *l, struct at_error *err)
{
	if (l->fd >= 0)
		return true;
	if (!at_disk_create(l->dir, AT_LEDGER_NAME, (struct at_bytes){ "", 0 }, 0600, AT_NO_OWNER,
		    AT_NO_GROUP))
		return fail_write(err, "make");
	l->fd = at_ground_open(l->dir, AT_LEDGER_NAME, O_RDWR | O_APPEND, &l->st, err);
	return l->fd >= 0;
}

/* Chains the rows behind `last`, which becomes the last of them. */
static void put_rows(struct at_buf *out, struct at_canonical_object *const *rows, size_t count,
	const char *stamp, char last[AT_DIGEST_HEX], struct at_bytes key)
{
	for (size_t i = 0; i < count; i++) {
		size_t from = out->len;
		struct at_digest digest;

		at_canonical_set_text(rows[i], "time", at_bytes_of(stamp));
		at_canonical_set_text(rows[i], "prev", at_bytes_of(last));
		at_sign_line(out, rows[i], key);
		digest = at_digest_of((struct at_bytes){ out->data + from, out->len - from - 1 });
		at_digest_hex(last, &digest);
	}
}

/* Rows first, then the head. What could not be counted is taken off again. */
static bool write_rows(struct at_proposal_ledger *l, struct at_bytes text, size_t count,
	const char *last, struct at_error *err)
{
	bool stands = false, is_back;
	int sys;

	if (at_disk_append(l->fd, text)) {
		write_head(l, l->rows + count, last, &stands);
		if (stands)
			return true;
	}
	sys = errno;
	is_back = ftruncate(l->fd, (off_t)l->size) == 0;
	errno = sys;
	fail_write(err, "append to");
	if (!is_back || !note_files(l)) {
		l->is_broken = true;
		fail_behind(err);
	}
	return false;
}

static bool append(struct at_proposal_ledger *l, struct at_canonical_object *const *rows,
	size_t count, struct at_time now, struct at_error *err)
{
	char last[AT_DIGEST_HEX], stamp[AT_STAMP];
	struct at_buf text = { 0 };
	size_t end;
	bool done;

	if (l->is_broken)
		return fail_behind(err);
	if (!at_proposal_ledger_is_still(l)) {
		at_fail(err, AT_ESTALE,
			"`" AT_PROPOSAL_LEDGER "` or its head was changed by "
			"somebody else");
		at_error_name(err, "proposal-ledger-changed");
		at_error_hint(err, "See atconsole --verify-proposal-ledger, then start again.");
		return false;
	}
	memcpy(last, l->last, sizeof(last));
	at_stamp_text(stamp, now);
	if (l->lacks_end)
		at_buf_putc(&text, '\n');
	put_rows(&text, rows, count, stamp, last, l->site->key);
	end = l->size + text.len;
	done = make_file(l, err) && set_aside(l, err)
		&& write_rows(l, at_buf_bytes(&text), count, last, err);
	at_buf_free(&text);
	if (!done) {
		note_files(l);
		return false;
	}
	l->rows += count;
	l->size = end;
	l->lacks_end = false;
	memcpy(l->last, last, sizeof(last));
	l->is_broken = !note_files(l);
	return true;
}

bool at_proposal_ledger_append(struct at_proposal_ledger *l,
	struct at_canonical_object *const *rows, size_t count, struct at_time now,
	struct at_error *err)
{
	bool done;

	if (count == 0)
		return true;
	if (!at_lock_wait(l->dir))
		return fail_busy(err);
	done = append(l, rows, count, now, err);
	flock(l->dir, LOCK_UN);
	return done;
}

bool at_proposal_ledger_anchor(const struct at_proposal_ledger *l, struct at_error *err)
{
	struct at_buf text = { 0 };
	bool stands = true;

	if (l->site->state < 0)
		return true;
	at_signed_count_put(&text, l->rows, l->last, l->site->key);
	at_ground_replace(l->site->state, AT_LEDGER_ANCHOR_NAME, at_buf_bytes(&text), &stands);
	at_buf_free(&text);
	return stands || at_fail_sys(err, errno, "cannot note the ledger's last row");
}

static bool mend(struct at_proposal_ledger *l, const struct at_proposal_state *state,
	struct at_proposal_repair *out, struct at_error *err)
{
	bool stands;

	if (l->torn) {
		out->torn = l->torn;
		if (!set_aside(l, err))
			return false;
		at_buf_printf(&out->said,
			"set %zu bytes of a torn last line aside, in " AT_PROPOSAL_LEDGER
			".torn: no row was lost\n",
			out->torn);
	}
	if (l->lacks_end) {
		if (!at_disk_append(l->fd, at_bytes_of("\n")))
			return fail_write(err, "end the last line of");
		at_buf_puts(&out->said, "ended the last line, whose row is whole\n");
	}
	if (state->head == AT_PROPOSAL_HEAD_BEHIND) {
		out->counted = l->rows - state->anchored;
		write_head(l, l->rows, l->last, &stands);
		if (!stands)
			return at_fail_sys(err, errno, "cannot write `" AT_PROPOSAL_HEAD "`");
		at_buf_printf(&out->said,
			"the head counted %zu rows and counts %zu now: %zu were "
			"written, signed and chained, when a run was cut short; what they "
			"announce may not have been done\n",
			state->anchored, l->rows, out->counted);
	}
	if (!out->said.len)
		at_buf_puts(&out->said, "nothing to repair\n");
	return true;
}

bool at_proposal_ledger_repair(
	struct at_proposal_repair *out, const struct at_proposal_site *site, struct at_error *err)
{
	struct at_proposal_ledger l = { .site = site, .dir = -1, .fd = -1 };
	struct at_proposal_state state = { 0 };
	bool done = true;

	*out = (struct at_proposal_repair){ 0 };
	l.dir = at_ground_dir(site->root, err);
	if (l.dir < 0 && errno != ENOENT)
		return false;
	if (l.dir < 0) {
		at_buf_puts(&out->said, "nothing to repair\n");
		return true;
	}
	close(l.dir);
	done = begin(&l, &state, NULL, NULL, err);
	if (done && state.problem_count && state.head != AT_PROPOSAL_HEAD_BEHIND)
		done = fail_problems(err, &state);
	done = done && mend(&l, &state, out, err);
	out->rows = l.rows;
	at_proposal_state_free(&state);
	if (l.fd >= 0)
		close(l.fd);
	if (l.dir >= 0)
		close(l.dir);
	return done;
}

void at_proposal_repair_free(struct at_proposal_repair *repair)
{
	at_buf_free(&repair->said);
	*repair = (struct at_proposal_repair){ 0 };
}
