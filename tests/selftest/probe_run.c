#include "selftest/probe_run.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/support.h"

enum { OTHER_USER = 65534 };

enum kind { DIR, FILE_KIND, LINK, HARDLINK, ENV };
#define FILE FILE_KIND
static const struct row {
	enum kind kind;
	const char *place, *path, *content;
	mode_t mode;
} rows[] = {
#define AT_FIXTURE(kind, place, path, content, mode) { kind, #place, path, content, mode },
#include "runner/selftest/fixture.def"
#undef AT_FIXTURE
};
#undef FILE

static const char *place_of(const char *root, const char *place)
{
	static char ring[4][128];
	static unsigned next;
	char *path = ring[next++ % 4];
	size_t at = (size_t)snprintf(path, sizeof(ring[0]), "%s/", root);

	for (; *place && at < sizeof(ring[0]) - 1; place++)
		path[at++] = (char)(*place | 0x20);
	path[at] = '\0';
	return path;
}

/* "@home/x" as a path of the tree. */
static const char *target(const char *root, const char *content)
{
	return *content == '@' ? test_path(root, content + 1) : content;
}

static void make_parents(const char *path)
{
	char dir[512];

	snprintf(dir, sizeof(dir), "%s", path);
	for (char *c = strchr(dir + 1, '/'); c; c = strchr(c + 1, '/')) {
		*c = '\0';
		mkdir(dir, 0755);
		*c = '/';
	}
}

static bool make_one(const char *root, const struct row *row)
{
	const char *path = test_path(place_of(root, row->place), row->path);
	size_t len = strlen(row->content);
	int fd;

	make_parents(path);
	switch (row->kind) {
	case DIR:
		return mkdir(path, row->mode) == 0 || errno == EEXIST;
	case LINK:
		return symlink(target(root, row->content), path) == 0;
	case HARDLINK:
		return link(target(root, row->content), path) == 0;
	case ENV:
		return setenv(row->path, row->content, 1) == 0;
	default:
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		return fd >= 0 && write(fd, row->content, len) == (ssize_t)len
			&& fchmod(fd, row->mode) == 0 && close(fd) == 0;
	}
}

static bool make_tree(const char *root)
{
	static const char *const places[] = { "scratch", "home", "sibling", "outside" };
	FILE *facts = fopen(test_path(root, "facts"), "we");

	umask(0);
	for (size_t i = 0; facts && i < AT_LEN(places); i++) {
		mkdir(test_path(root, places[i]), 0777);
		fprintf(facts, "%s\t%s/%s\n", places[i], root, places[i]);
	}
	umask(022);
	if (!facts || fclose(facts) != 0)
		return false;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		if (!make_one(root, &rows[i])) {
			fprintf(stderr, "%s: %s\n", rows[i].path, strerror(errno));
			return false;
		}
	}
	return true;
}

static bool copy_file(const char *from, const char *to)
{
	static char bytes[4 << 20];
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	ssize_t n = in < 0 ? -1 : read(in, bytes, sizeof(bytes));
	bool ok = n > 0 && out >= 0 && write(out, bytes, (size_t)n) == n;

	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return ok;
}

static void run_words(const struct probe_run *r, bool make, const char *const words[])
{
	char *argv[32];
	size_t count = 0;
	int out = open(test_path(r->root, "out"), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (geteuid() == 0
		&& (setgroups(0, NULL) != 0 || setresgid(OTHER_USER, OTHER_USER, OTHER_USER) != 0
			|| setresuid(OTHER_USER, OTHER_USER, OTHER_USER) != 0))
		_exit(125);
	if (chdir(r->root) != 0 || (make && !make_tree(r->root)))
		_exit(124);
	if (!make) {
		for (size_t i = 0; i < AT_LEN(rows); i++) {
			if (rows[i].kind == ENV)
				setenv(rows[i].path, rows[i].content, 1);
		}
	}
	setenv("HOME", test_path(r->root, "home"), 1);
	unsetenv("TMPDIR");
	for (; words[count] && count < AT_LEN(argv) - 1; count++)
		argv[count] = at_strdup(target(r->root, words[count]));
	argv[count] = NULL;
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(out, 1);
	dup2(out, 2);
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	execvp(argv[0], argv);
	_exit(127);
}

static void run_and_read(struct probe_run *r, bool make, const char *const words[])
{
	struct timespec from, to;
	struct at_buf text;
	int status;
	pid_t child;

	clock_gettime(CLOCK_MONOTONIC, &from);
	child = fork();
	if (child == 0)
		run_words(r, make, words);
	assert_int_equal(waitpid(child, &status, 0), child);
	clock_gettime(CLOCK_MONOTONIC, &to);
	r->seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	text = test_read(r->root, "out");
	free(r->out);
	r->out = strndup(at_buf_text(&text), text.len);
	at_buf_free(&text);
}

void probe_run_over_fixtures(struct probe_run *r, const char *const words[])
{
	const char *source = getenv("AT_TEST_SOURCE"), *program = getenv("AT_PROBE");

	if (!source || !program)
		fail_msg("AT_PROBE is not set: run through meson test");
	*r = (struct probe_run){ 0 };
	snprintf(r->root, sizeof(r->root), "/var/tmp/at-probe-XXXXXX");
	assert_non_null(mkdtemp(r->root));
	assert_true(copy_file(program, test_path(r->root, "agentteams-probe")));
	assert_true(copy_file(test_path(source, "emit/assets/confine-run.sh"),
		test_path(r->root, "confine-run.sh")));
	if (geteuid() == 0)
		assert_int_equal(chown(r->root, OTHER_USER, OTHER_USER), 0);
	run_and_read(r, true, words);
}

void probe_run_again(struct probe_run *r, const char *const words[])
{
	run_and_read(r, false, words);
}

void probe_run_end(struct probe_run *r)
{
	test_tree_remove(at_strdup(r->root));
	free(r->out);
}

const char *probe_result(const struct probe_run *r, const char *id, const char *act)
{
	static const char *const results[] = { "worked", "refused", "absent", "broken" };
	char start[64];
	const char *line;

	snprintf(start, sizeof(start), "\n%s\t%s\t", id, act);
	line = strncmp(r->out, start + 1, strlen(start + 1)) == 0 ? r->out + strlen(start + 1)
								  : NULL;
	if (!line && (line = strstr(r->out, start)))
		line += strlen(start);
	for (size_t i = 0; line && i < AT_LEN(results); i++) {
		if (strncmp(line, results[i], strlen(results[i])) == 0)
			return results[i];
	}
	return NULL;
}
