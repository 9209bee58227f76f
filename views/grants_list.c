#include "views/grants_list.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/mem.h"
#include "keys/field.h"

/* What a job sends: lines, then one of these with a negative length, and what follows. */
struct ending {
	struct at_grants grants;
	struct at_error error;
	bool is_unread;
};

struct walking {
	const char *team_id;
	struct at_grants_list *list; /* NULL: a job, which sends */
	int fd;
	struct at_grant_line batch[256];
	size_t batched;
};

static void send_batch(struct walking *w)
{
	at_job_send(w->fd, (struct at_bytes){ (const char *)w->batch,
		w->batched * sizeof(*w->batch) });
	w->batched = 0;
}

static bool visit(void *context, const struct at_ledger_row *row,
	const struct at_grant_verdict *verdict, struct at_error *err)
{
	struct walking *w = context;
	struct at_grant_line line;

	(void)err;
	memset(&line, 0, sizeof(line)); /* it goes through a pipe: no stray bytes */
	line.start = row->start;
	line.length = (uint32_t)(row->end - row->start);
	line.days = (int32_t)verdict->days_left;
	line.failed = (uint8_t)verdict->failed;
	line.has_expiry = verdict->has_expiry;
	line.writes = verdict->writes;
	line.widens = verdict->widens;
	line.is_ours = at_grant_is_for(row->cells, w->team_id);
	if (w->list) {
		w->list->lines = at_grow(w->list->lines, &w->list->cap, w->list->count,
			sizeof(*w->list->lines));
		w->list->lines[w->list->count++] = line;
		return true;
	}
	w->batch[w->batched++] = line;
	if (w->batched == AT_LEN(w->batch))
		send_batch(w);
	return true;
}

static void walk(struct ending *end, struct walking *w, const struct at_session *session)
{
	struct at_open_site site;

	w->team_id = session->request.team_id;
	at_site_open(&site, session);
	end->is_unread = !at_grants_walk(
		&end->grants, &site.site, AT_GRANT_FULL, visit, w, &end->error);
	at_site_close(&site);
}

/* In the child. */
static void work(int fd, const void *user)
{
	static struct walking w;
	static struct ending end;
	const struct at_grant_line mark = { .length = UINT32_MAX };

	w.fd = fd;
	walk(&end, &w, user);
	send_batch(&w);
	at_job_send(fd, (struct at_bytes){ (const char *)&mark, sizeof(mark) });
	at_job_send(fd, (struct at_bytes){ (const char *)&end, sizeof(end) });
}

static void finish(struct at_grants_list *list, const struct ending *end)
{
	list->grants = end->grants;
	list->error = end->error;
	list->is_unread = end->is_unread;
	list->is_done = true;
}

static int open_ledger(const struct at_session *session, struct stat *st)
{
	int dir = at_file_open_dir(session->project.fd, "references", NULL), fd;

	if (dir < 0)
		return -1;
	fd = openat(dir, strrchr(AT_GRANTS_PATH, '/') + 1,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close(dir);
	if (fd >= 0 && (fstat(fd, st) != 0 || !S_ISREG(st->st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The file that is looked at is kept open: a rename under it changes nothing that was read. */
static void open_file(struct at_grants_list *list)
{
	struct stat st;

	list->fd = open_ledger(list->session, &st);
	if (list->fd < 0)
		return;
	list->size = (size_t)st.st_size;
	list->stamp = at_file_stamp(&st);
}

bool at_grants_list_is_still(const struct at_grants_list *list)
{
	struct stat st;
	int fd = open_ledger(list->session, &st);
	struct at_stamp now;

	if (fd < 0)
		return list->fd < 0;
	now = at_file_stamp(&st);
	close(fd);
	return list->fd >= 0 && now.device == list->stamp.device && now.inode == list->stamp.inode
		&& now.size == list->stamp.size
		&& now.changed.tv_sec == list->stamp.changed.tv_sec
		&& now.changed.tv_nsec == list->stamp.changed.tv_nsec;
}

void at_grants_list_open(struct at_grants_list *list, const struct at_session *session,
	bool at_once)
{
	struct walking w = { .list = list };
	struct ending end = { 0 };

	*list = (struct at_grants_list){ .session = session, .job = { .fd = -1 }, .fd = -1 };
	open_file(list);
	if (!at_once && list->size > AT_GRANTS_AT_ONCE
		&& at_job_start(&list->job, work, session, "verify the ledger of grants", NULL))
		return;
	walk(&end, &w, session);
	finish(list, &end);
}

/* Whole records are taken off the front of what came. */
static void take(struct at_grants_list *list)
{
	struct at_buf *came = &list->job.came;
	size_t at = 0;

	while (came->len - at >= sizeof(struct at_grant_line)) {
		struct at_grant_line line;
		struct ending end;

		memcpy(&line, came->data + at, sizeof(line));
		if (line.length == UINT32_MAX) {
			if (came->len - at < sizeof(line) + sizeof(end))
				break;
			memcpy(&end, came->data + at + sizeof(line), sizeof(end));
			finish(list, &end);
			at = came->len;
			break;
		}
		at += sizeof(line);
		list->lines = at_grow(list->lines, &list->cap, list->count, sizeof(*list->lines));
		list->lines[list->count++] = line;
	}
	memmove(came->data, came->data + at, came->len - at);
	came->len -= at;
}

bool at_grants_list_work(struct at_grants_list *list, int ms)
{
	struct pollfd ready = { .fd = list->job.fd, .events = POLLIN };
	bool ended;

	if (list->job.fd < 0 || poll(&ready, 1, ms) <= 0)
		return false;
	ended = at_job_read(&list->job, (size_t)64 << 20);
	if (list->job.came.len)
		take(list);
	if (ended && !list->is_done) {
		list->is_done = list->is_unread = true;
		at_fail(&list->error, AT_EIO, "the verification was cut short");
	}
	if (ended)
		at_job_forget(&list->job);
	return true;
}

void at_grants_list_close(struct at_grants_list *list)
{
	if (list->job.fd >= 0)
		at_job_forget(&list->job);
	if (list->fd >= 0)
		close(list->fd);
	free(list->lines);
	*list = (struct at_grants_list){ .job = { .fd = -1 }, .fd = -1 };
}

struct showing {
	struct at_grant_shown *out;
	size_t starts[AT_GRANT_COLUMNS];
	bool is_there;
};

static bool keep(struct showing *s, const struct at_ledger_row *row)
{
	struct at_grant_shown *out = s->out;

	for (int c = 0; c < AT_GRANT_COLUMNS; c++) {
		s->starts[c] = out->text.len;
		at_buf_put(&out->text, row->cells[c].data, row->cells[c].len);
	}
	for (int c = 0; c < AT_GRANT_COLUMNS; c++)
		out->cells[c] = (struct at_bytes){ at_buf_text(&out->text) + s->starts[c],
			row->cells[c].len };
	s->is_there = true;
	return true;
}

static bool keep_row(void *context, const struct at_ledger_row *row, struct at_error *err)
{
	(void)err;
	return keep(context, row);
}

static bool keep_judged(void *context, const struct at_ledger_row *row,
	const struct at_grant_verdict *verdict, struct at_error *err)
{
	struct showing *s = context;

	(void)err;
	keep(s, row);
	s->out->verdict = *verdict;
	s->out->verdict.target = at_field_strip(s->out->cells[AT_GRANT_TARGET]);
	return true;
}

bool at_grants_list_show(struct at_grant_shown *out, const struct at_grants_list *list, size_t i,
	bool with_verdict, struct at_error *err)
{
	struct at_ledger_mark mark = { list->lines[i].start, i + 2, i + 1 };
	struct showing s = { .out = out };
	struct at_open_site site;
	bool done;

	memset(out, 0, sizeof(*out));
	if (!at_grants_list_is_still(list))
		return at_fail(err, AT_ESTALE, "the ledger changed while it was looked at");
	at_site_open(&site, list->session);
	done = with_verdict ? at_grants_page(&site.site, mark, 1, keep_judged, &s, err)
			    : at_ledger_page(&at_grant_kind, site.site.ledger_root, AT_GRANTS_PATH,
				      mark, 1, keep_row, &s, err);
	at_site_close(&site);
	return done && (s.is_there || at_fail(err, AT_ESTALE, "the row is no longer there"));
}

void at_grant_shown_free(struct at_grant_shown *shown)
{
	at_buf_free(&shown->text);
}
