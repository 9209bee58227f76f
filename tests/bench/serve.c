/* serve.c - what a runner costs: a round trip, many of them, a list of ten thousand.
 *
 * The runner is a process of its own on a throwaway project below TMPDIR (a disk, not memory, if it
 * is to mean something); the client writes requests by rename and waits as clients do. Beside the
 * sustained rates stands the bound: appending and syncing one ledger row at a time, nothing else.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/proposals/site.h"
#include "runner/serve/serve.h"
#include "runner/serve/staged.h"
#include "runner/serve/wake.h"

enum { ROUNDS = 300, MANY = 2000, LISTED = 10000, USES = 24 };

#define BRIEF                                                                                      \
	"{\"project_name\": \"p\", \"write_policy\": \"orchestrator-only\", \"agent_policies\": "    \
	"{\"writer\": {\"write_scopes\": [\"docs/\"]}}}"
#define LEDGER_KEY "throwaway"

static char top[256], project[300], home[300], brief[330];
static int root, mcp, results;
static pid_t runner;
static volatile sig_atomic_t stop;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
	fprintf(stderr, "serve: %s\n", what);
	if (runner > 0)
		kill(runner, SIGKILL);
	exit(1);
}

static void put(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0 || chmod(path, mode) != 0)
		die(path);
}

static void lay(void)
{
	const char *tmp = getenv("TMPDIR");
	char line[900], path[400];

	snprintf(top, sizeof(top), "%s/atconsole-bench-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(top))
		die("no directory");
	snprintf(project, sizeof(project), "%s/project", top);
	snprintf(home, sizeof(home), "%s/home", top);
	snprintf(line, sizeof(line), "umask 077; mkdir -p '%s/docs' '%s/.config/agentteams/keys'",
		project, home);
	if (system(line) != 0)
		die("no directories");
	snprintf(brief, sizeof(brief), "%s/brief.json", project);
	put(brief, BRIEF, 0600);
	snprintf(path, sizeof(path), "%s/.config/agentteams/keys/" AT_PROPOSAL_KEY, home);
	put(path, LEDGER_KEY, 0600);
	root = open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static struct at_state state;

static void open_runner(struct at_runner **out, bool ungrouped)
{
	static const char *agents[1];
	static char *environment[1];
	struct at_runner_setup setup = { .project = project, .root = root, .state = &state,
		.home = home, .environment = environment, .brief = brief,
		.brief_place = "brief.json", .place = { agents, 1 }, .ungrouped = ungrouped };
	struct at_error err;

	agents[0] = project;
	if (!at_state_find(&state, project, home, NULL, &err)
		|| !at_runner_open(out, &setup, &err))
		die(err.message);
}

/* The serving process; a nonce is good for USES stages, so several are made first. */
static void start(bool ungrouped, char (*nonces)[33], size_t count)
{
	struct at_runner *r;
	struct at_error err;
	size_t served;

	open_runner(&r, false);
	for (size_t i = 0; i < count; i++) {
		struct at_buf text = { 0 };
		char *at;

		if (!at_runner_ask(r, at_bytes_of("{\"kind\": \"issue-dispatch\", \"agent\": "
			    "\"writer\"}"), &text, &err)
			|| !(at = strstr(at_buf_text(&text), "\"nonce\": \"")))
			die("no nonce");
		snprintf(nonces[i], 33, "%.32s", at + 10);
		at_buf_free(&text);
	}
	at_runner_close(r);
	at_state_close(&state);
	mcp = openat(root, AT_QUEUE_MCP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	results = openat(root, AT_QUEUE_RESULTS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	runner = fork();
	if (runner != 0)
		return;
	signal(SIGTERM, on_signal);
	open_runner(&r, ungrouped);
	if (!at_runner_serve(r, false, &stop, &served, &err))
		die(err.message);
	at_runner_close(r);
	_exit(0);
}

static void end(void)
{
	int status;

	kill(runner, SIGTERM);
	waitpid(runner, &status, 0);
	runner = 0;
	close(mcp);
	close(results);
}

static void request(char id[AT_QUEUE_ID], const char *nonce, bool is_published)
{
	char text[600], temp[48], name[48];
	static unsigned number;
	int fd, len;

	at_queue_new_id(id);
	len = snprintf(text, sizeof(text), "{\"kind\": \"stage-proposal\", \"via_agent\": "
		"\"writer\", \"artifact\": {\"kind\": \"change-proposal\", \"dispatch\": \"%s\", "
		"\"path\": \"docs/%u.md\", \"base_sha256\": \"absent\", \"content\": \"%u\\n\", "
		"\"rationale\": \"to measure\"}}", nonce, number, number);
	number++;
	snprintf(temp, sizeof(temp), ".%.32s", id);
	snprintf(name, sizeof(name), "%.32s.json", id);
	fd = openat(mcp, temp, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, text, (size_t)len) != len || close(fd) != 0)
		die("no request");
	if (is_published && renameat(mcp, temp, mcp, name) != 0)
		die("not published");
}

static bool is_answered(const char *id)
{
	char name[48];

	snprintf(name, sizeof(name), "%.32s.json", id);
	return faccessat(results, name, F_OK, 0) == 0;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void round_trips(void)
{
	static char nonces[ROUNDS / USES + 1][33];
	double took[ROUNDS];
	struct at_wake *wake;
	struct at_error err;

	start(false, nonces, AT_LEN(nonces));
	sleep(1);
	if (!at_wake_open(&wake, &results, 1, false, &err))
		die(err.message);
	for (size_t i = 0; i < ROUNDS; i++) {
		double begun = now();
		char id[AT_QUEUE_ID];

		request(id, nonces[i / USES], true);
		while (!is_answered(id))
			at_wake_wait(wake, NULL, 0, 200);
		took[i] = now() - begun;
	}
	at_wake_close(wake);
	end();
	qsort(took, ROUNDS, sizeof(*took), by_size);
	printf("stage-proposal round trip, idle runner: p50 %.2f ms (at most 5), p99 %.2f ms (at "
	       "most 25)\n", took[ROUNDS / 2] * 1e3, took[ROUNDS * 99 / 100] * 1e3);
}

static double sustained(bool ungrouped)
{
	static char nonces[MANY / USES + 1][33], ids[MANY][AT_QUEUE_ID];
	double begun, took;

	start(ungrouped, nonces, AT_LEN(nonces));
	sleep(1);
	begun = now();
	for (size_t i = 0; i < MANY; i++)
		request(ids[i], nonces[i / USES], true);
	for (size_t i = 0; i < MANY; i++)
		while (!is_answered(ids[i]))
			usleep(500);
	took = now() - begun;
	end();
	return MANY / took;
}

static double fsync_bound(void)
{
	char path[400], line[400];
	double begun;
	int fd;

	snprintf(path, sizeof(path), "%s/bound", top);
	memset(line, 'x', sizeof(line));
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	begun = now();
	for (int i = 0; i < 500; i++)
		if (write(fd, line, sizeof(line)) != sizeof(line) || fdatasync(fd) != 0)
			die("no bound");
	close(fd);
	return 500 / (now() - begun);
}

/* As --list-staged does it: names, then what stands before each artifact. */
static void list(void)
{
	struct at_staged_names names;
	struct at_buf record = { 0 }, lines = { 0 };
	struct at_staged staged;
	struct at_error err;
	int dir = at_staged_open_dir(root, true, &err);
	char *content;
	double begun, named;
	size_t at;

	if (dir < 0 || !at_staged_names(&names, dir, &err) || !names.count
		|| !at_staged_read(&staged, dir, names.items[0].sid, &err))
		die("nothing is staged");
	/* Ten thousand like the first, each with 20 kB that no list may read. */
	content = strstr(staged.text.data, "\"content\": \"");
	at = content ? (size_t)(content - staged.text.data) + 12 : 0;
	for (size_t i = names.count; i < LISTED; i++) {
		struct at_staged_text one;
		char sid[AT_STAGED_ID];

		at_queue_new_id(sid);
		record.len = 0;
		at_buf_puts(&record, "{\"sid\": \"");
		at_buf_puts(&record, sid);
		at_buf_put(&record, staged.text.data + 41, at - 41);
		at_buf_pad(&record, 'a', 20000);
		at_buf_put(&record, staged.text.data + at, staged.text.len - at);
		one = (struct at_staged_text){ sid, at_buf_bytes(&record) };
		snprintf(brief, sizeof(brief), "%s.json", sid);
		{
			int fd = openat(dir, brief, O_WRONLY | O_CREAT | O_EXCL, 0600);

			if (fd < 0 || write(fd, one.text.data, one.text.len)
					!= (ssize_t)one.text.len || close(fd) != 0)
				die("no record");
		}
	}
	at_staged_free(&staged);
	at_staged_names_free(&names);
	begun = now();
	if (!at_staged_names(&names, dir, &err))
		die(err.message);
	named = now() - begun;
	for (size_t i = 0; i < names.count; i++) {
		if (!at_staged_read_head(&staged, dir, names.items[i].sid, &err)
			|| staged.is_malformed)
			die("a record is not one");
		at_staged_put_line(&lines, &staged);
		at_staged_free(&staged);
	}
	printf("list of %zu staged of 20 kB: names %.1f ms, every line %.1f ms (at most 100)\n",
		names.count, named * 1e3, (now() - begun) * 1e3);
	at_staged_names_free(&names);
	at_buf_free(&lines);
	at_buf_free(&record);
	close(dir);
}

int main(void)
{
	char line[400];
	double bound, grouped, single;

	setvbuf(stdout, NULL, _IOLBF, 0);
	lay();
	round_trips();
	bound = fsync_bound();
	grouped = sustained(false);
	single = sustained(true);
	printf("sustained stage-proposals: %.0f a second in groups (at least 500), %.0f one by "
	       "one; append and fdatasync alone: %.0f\n", grouped, single, bound);
	list();
	snprintf(line, sizeof(line), "rm -rf '%s'", top);
	return system(line) != 0;
}
