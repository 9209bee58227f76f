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
#include "keys/csv.h"
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

/* One record's cells, kept as offsets while the text grows. */
struct one {
	struct at_buf *text;
	size_t starts[AT_CSV_CELL_CAP], lens[AT_CSV_CELL_CAP], count;
};

static bool keep(void *context, const struct at_csv_record *record, struct at_error *err)
{
	struct one *one = context;

	(void)err;
	one->count = record->count;
	for (size_t i = 0; i < record->count; i++) {
		one->starts[i] = one->text->len;
		one->lens[i] = record->cells[i].len;
		at_buf_put(one->text, record->cells[i].data, record->cells[i].len);
	}
	return true;
}

/* `first_only`: what stands before the first line end of those bytes. */
static bool read_record(struct one *one, int fd, uint64_t start, size_t length, bool first_only,
	struct at_error *err)
{
	struct at_csv *csv;
	struct at_buf raw = { 0 };
	ssize_t got;
	bool done;

	at_buf_reserve(&raw, length);
	got = pread(fd, raw.data, length, (off_t)start);
	if (got < 0 || (!first_only && (size_t)got != length)) {
		at_buf_free(&raw);
		return at_fail(err, AT_ESTALE, "the ledger changed while it was looked at");
	}
	raw.len = (size_t)got;
	if (first_only) {
		const char *end = memchr(raw.data, '\n', raw.len);

		raw.len = end ? (size_t)(end - raw.data) + 1 : raw.len;
	}
	csv = at_csv_new(keep, one);
	done = at_csv_feed(csv, at_buf_bytes(&raw), err) && at_csv_finish(csv, NULL, err);
	at_csv_free(csv);
	at_buf_free(&raw);
	return done;
}

static void read_header(struct at_grants_list *list)
{
	struct at_buf text = { 0 };
	struct one header = { .text = &text };

	memset(list->column_of, -1, sizeof(list->column_of));
	if (list->fd >= 0 && read_record(&header, list->fd, 0, 65536, true, NULL))
		for (size_t i = 0; i < header.count && i < sizeof(list->column_of); i++) {
			struct at_bytes name = at_field_strip((struct at_bytes){
				at_buf_text(&text) + header.starts[i], header.lens[i] });

			for (unsigned k = 0; k < at_grant_kind.column_count; k++)
				if (at_bytes_equal_text(name, at_grant_kind.columns[k]))
					list->column_of[i] = (signed char)k;
		}
	at_buf_free(&text);
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
	read_header(list);
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

static bool read_cells(struct at_grant_shown *out, const struct at_grants_list *list,
	const struct at_grant_line *line, struct at_error *err)
{
	struct one row = { .text = &out->text };

	if (list->fd < 0)
		return at_fail(err, AT_ESTALE, "the ledger is not there any more");
	if (!read_record(&row, list->fd, line->start, line->length, false, err))
		return false;
	for (size_t i = 0; i < row.count && i < sizeof(list->column_of); i++)
		if (list->column_of[i] >= 0)
			out->cells[list->column_of[i]] = (struct at_bytes){
				at_buf_text(&out->text) + row.starts[i], row.lens[i] };
	return true;
}

static bool judge(struct at_grant_shown *out, const struct at_session *session,
	struct at_error *err)
{
	struct at_arena *arena = at_arena_new();
	struct at_roster roster = { 0 };
	struct at_grant_ground ground;
	struct at_open_site site;
	bool done;

	at_site_open(&site, session);
	ground = (struct at_grant_ground){ .mode = AT_GRANT_FULL, .hmac_key = site.site.hmac_key,
		.keys = site.site.keys, .roster = &roster, .now = site.site.now };
	done = site.team < 0 || at_roster_load(&roster, arena, site.team, AT_APPROVERS, err);
	if (done)
		at_grant_check(&out->verdict, &ground, &out->row);
	at_grant_ground_free(&ground);
	at_site_close(&site);
	at_arena_free(arena);
	return done;
}

bool at_grants_list_show(struct at_grant_shown *out, const struct at_grants_list *list, size_t i,
	bool with_verdict, struct at_error *err)
{
	memset(out, 0, sizeof(*out));
	if (!read_cells(out, list, &list->lines[i], err))
		return false;
	at_grant_kind.payload(&out->payload, out->cells);
	at_buf_printf(&out->message, "%s|", at_grant_kind.tag);
	at_buf_put(&out->message, out->payload.data, out->payload.len);
	out->row = (struct at_ledger_row){ .cells = out->cells, .number = i + 1,
		.payload = at_buf_bytes(&out->payload), .message = at_buf_bytes(&out->message),
		.digest = at_digest_of(at_buf_bytes(&out->payload)) };
	return !with_verdict || judge(out, list->session, err);
}

void at_grant_shown_free(struct at_grant_shown *shown)
{
	at_buf_free(&shown->text);
	at_buf_free(&shown->message);
	at_buf_free(&shown->payload);
}
