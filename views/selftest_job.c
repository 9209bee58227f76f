#include "views/selftest_job.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/selftest/run.h"
#include "views/proof_state.h"

#define CAME_MAX (2 * AT_PROOF_CAP)

/* What is sent: "at DONE ALL\n" now and then, at last "proof\n" and its text, or "error\n" and a
 * sentence. */
#define AT_WORD "at "
#define PROOF_WORD "proof\n"
#define ERROR_WORD "error\n"

struct telling {
	int fd;
	unsigned last;
};

static bool is_heard(int fd)
{
	struct pollfd other = { .fd = fd };

	return poll(&other, 1, 0) >= 0 && !(other.revents & (POLLERR | POLLHUP));
}

static bool tell(void *user, unsigned done, unsigned all)
{
	struct telling *t = user;
	char line[64];

	if (!is_heard(t->fd))
		return false;
	if (done == t->last)
		return true;
	t->last = done;
	snprintf(line, sizeof(line), AT_WORD "%u %u\n", done, all);
	at_job_send(t->fd, at_bytes_of(line));
	return true;
}

/* It ends with the process: nothing is freed. */
static void try_all(int fd, const void *user)
{
	const struct at_session *session = user;
	struct telling telling = { .fd = fd };
	struct at_launcher_text launcher;
	struct at_tools tools;
	struct at_proof proof;
	struct at_buf text = { 0 };
	struct at_error err;
	const char *path = getenv("PATH");
	struct at_selftest test = { .tools = &tools,
		.search_path = path ? path : "",
		.cache_home = getenv("XDG_CACHE_HOME"),
		.home = session->host.home,
		.go_on = tell,
		.user = &telling };
	bool ok = at_launcher_text_read(&launcher, session, &err);

	if (ok) {
		at_tools_find(&tools, test.search_path);
		tools.launcher = launcher.bytes;
		tools.launcher_from = launcher.from;
		test.with_harden = *tools.harden != '\0';
		ok = at_selftest_run(&proof, &test, &err);
	}
	at_buf_puts(&text, ok ? PROOF_WORD : ERROR_WORD);
	if (ok)
		at_proof_write(&proof, &text);
	else
		at_buf_puts(&text, err.message);
	at_job_send(fd, at_buf_bytes(&text));
}

bool at_selftest_job_start(
	struct at_job *job, const struct at_session *session, struct at_error *err)
{
	return at_job_start(job, try_all, session, "try the launcher", err);
}

static bool starts(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

/* Whole lines of progress are taken off the front; true when there was one. */
static bool take_progress(struct at_buf *came, struct at_selftest_progress *progress)
{
	bool any = false;

	while (came->len && starts(came->data, AT_WORD)) {
		char *end = memchr(came->data, '\n', came->len);
		size_t used;

		if (!end)
			break;
		used = (size_t)(end - came->data) + 1;
		any |= sscanf(came->data, AT_WORD "%u %u\n", &progress->done, &progress->all) == 2;
		memmove(came->data, end + 1, came->len - used + 1);
		came->len -= used;
	}
	return any;
}

enum at_selftest_news at_selftest_job_read(struct at_job *job,
	struct at_selftest_progress *progress, struct at_proof *proof, struct at_error *err)
{
	bool ended = at_job_read(job, CAME_MAX), further;
	enum at_selftest_news news = AT_SELFTEST_FAILED;
	const char *text;

	further = take_progress(&job->came, progress);
	if (!ended)
		return further ? AT_SELFTEST_FURTHER : AT_SELFTEST_NOTHING;
	text = at_buf_text(&job->came);
	if (starts(text, PROOF_WORD)) {
		struct at_bytes rest = { text + strlen(PROOF_WORD),
			job->came.len - strlen(PROOF_WORD) };

		if (at_proof_read(proof, rest, err))
			news = AT_SELFTEST_PROVEN;
		else
			at_proof_free(proof);
	} else {
		at_fail(err, AT_EREFUSED, "%s",
			starts(text, ERROR_WORD) ? text + strlen(ERROR_WORD)
						 : "the self-test ended by itself");
	}
	at_job_forget(job);
	return news;
}
