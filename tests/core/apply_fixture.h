/* A project and a state directory in one throwaway tree, for the tests that write. */
#ifndef AT_TEST_APPLY_FIXTURE_H
#define AT_TEST_APPLY_FIXTURE_H

#include "support/support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/apply.h"
#include "core/fault.h"

struct fixture {
	char *tree;            /* removed at the end */
	char project[PATH_MAX];
	char home[PATH_MAX];
	int root;
	struct at_state state;
	struct at_error err;
	struct at_applied applied;
};

/* For the groups that lay a tree a thousand times: memory, where there is some. Nothing
 * they test asks for a disk. */
static inline int trees_in_memory(void **state)
{
	(void)state;
	if (!getenv("TMPDIR") && access("/dev/shm", W_OK | X_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 1);
	return 0;
}

static inline int trees_on_disk(void **state)
{
	const char *now = getenv("TMPDIR");

	(void)state;
	if (now && strcmp(now, "/dev/shm") == 0)
		unsetenv("TMPDIR");
	return 0;
}

static inline void open_state(struct fixture *f)
{
	if (!at_state_find(&f->state, f->project, f->home, NULL, &f->err))
		fail_msg("state: %s", f->err.message);
}

static inline void fixture_open(struct fixture *f)
{
	at_fault_set("no-sync");
	memset(f, 0, sizeof(*f));
	f->tree = test_tree_new();
	snprintf(f->project, sizeof(f->project), "%s/project", f->tree);
	snprintf(f->home, sizeof(f->home), "%s/home", f->tree);
	mkdir(f->project, 0755);
	mkdir(f->home, 0755);
	f->root = open(f->project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	open_state(f);
}

static inline void fixture_close(struct fixture *f)
{
	at_fault_set(NULL);
	close(f->root);
	at_state_close(&f->state);
	test_tree_remove(f->tree);
}

static inline bool add(struct fixture *f, struct at_plan *plan, enum at_place place,
	const char *path, const char *text, mode_t mode)
{
	return at_plan_add(plan, place == AT_IN_PROJECT ? f->root : f->state.fd, place, path,
		at_bytes_of(text), mode, AT_PLAN_WRITE, "a test", &f->err);
}

static inline bool apply(struct fixture *f, const struct at_plan *plan)
{
	return at_plan_apply(plan, f->root, &f->state, "test", &f->applied, &f->err);
}

/* Runs `act` in a child with a fault. The child ends with 0, or 100 and the error's
 * code. */
static inline pid_t start(struct fixture *f, const char *fault, bool (*act)(struct fixture *))
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		fail_msg("fork: %s", strerror(errno));
	if (pid == 0) {
		at_fault_set(fault);
		_exit(act(f) ? 0 : 100 + (int)f->err.code);
	}
	return pid;
}

static inline int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, WUNTRACED) < 0 && errno == EINTR)
		;
	return status;
}

static inline int run(struct fixture *f, const char *fault, bool (*act)(struct fixture *))
{
	return wait_for(start(f, fault, act));
}

static inline bool was_killed(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static inline bool ended_with(int status, int code)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == (code ? 100 + code : 0);
}

static inline bool recover(struct fixture *f)
{
	return at_journal_recover(f->root, &f->state, NULL, &f->err);
}

static inline bool undo_any(struct fixture *f)
{
	return at_journal_undo(f->root, &f->state, NULL, &f->applied, &f->err);
}

static inline bool is_half_done(struct fixture *f)
{
	struct at_journal_state now;

	if (!at_journal_look(&f->state, &now, &f->err))
		fail_msg("look: %s", f->err.message);
	return now.half_done;
}

/* Plans one file and applies it. */
static inline bool write_one(struct fixture *f, const char *path, const char *text, mode_t mode)
{
	struct at_plan plan;
	bool ok;

	at_plan_init(&plan);
	ok = add(f, &plan, AT_IN_PROJECT, path, text, mode) && apply(f, &plan);
	at_plan_free(&plan);
	return ok;
}

static inline bool undo(struct fixture *f, const char *what)
{
	return at_journal_undo(f->root, &f->state, what, &f->applied, &f->err);
}

static inline bool has_text(const char *dir, const char *path, const char *text)
{
	struct at_buf bytes;
	bool same;

	if (!test_exists(dir, path))
		return false;
	bytes = test_read(dir, path);
	same = bytes.len == strlen(text) && memcmp(at_buf_text(&bytes), text, bytes.len) == 0;
	at_buf_free(&bytes);
	return same;
}

static inline mode_t mode_of(const char *dir, const char *path)
{
	struct stat st;

	return lstat(test_path(dir, path), &st) == 0 ? st.st_mode & 07777 : (mode_t)-1;
}

/* Temps of ours anywhere below `dir`. */
static inline size_t count_temps(const char *dir)
{
	DIR *list = opendir(dir);
	const struct dirent *item;
	size_t count = 0;

	while (list && (item = readdir(list))) {
		char path[PATH_MAX];

		if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
			continue;
		count += strncmp(item->d_name, ".atconsole-", 11) == 0;
		if (item->d_type == DT_DIR
			&& snprintf(path, sizeof(path), "%s/%s", dir, item->d_name) < PATH_MAX)
			count += count_temps(path);
	}
	if (list)
		closedir(list);
	return count;
}

/* The act that the kill and pause tests carry out again and again: a replacement that
 * keeps its mode, a file in new directories, a program, and a file in the state
 * directory. Every file is told apart by its old and new text. */
static const struct four {
	enum at_place place;
	const char *path, *old, *new;
	mode_t old_mode, asked, new_mode;
} four[] = {
	{ AT_IN_PROJECT, "conf/settings", "old settings\n", "new settings, longer\n", 0640, 0, 0640 },
	{ AT_IN_PROJECT, "conf/new/deep/file", NULL, "a new file\n", 0, 0, 0644 },
	{ AT_IN_PROJECT, "conf/tool", NULL, "#!/bin/sh\n", 0, 0755, 0755 },
	{ AT_IN_STATE, "base/settings", NULL, "new settings, longer\n", 0, 0, 0600 },
};

static inline void four_lay(struct fixture *f)
{
	test_write(f->project, four[0].path, four[0].old);
	chmod(test_path(f->project, four[0].path), four[0].old_mode);
	test_write(f->project, "conf/bystander", "untouched\n");
	if (!at_state_create(&f->state, &f->err))
		fail_msg("%s", f->err.message);
}

static inline void four_plan(struct fixture *f, struct at_plan *plan)
{
	at_plan_init(plan);
	for (size_t i = 0; i < AT_LEN(four); i++)
		if (!add(f, plan, four[i].place, four[i].path, four[i].new, four[i].asked))
			fail_msg("plan: %s", f->err.message);
}

static inline const char *four_dir(const struct fixture *f, size_t i)
{
	return four[i].place == AT_IN_PROJECT ? f->project : f->state.path;
}

static inline bool four_is_old(const struct fixture *f, size_t i)
{
	if (!four[i].old)
		return !test_exists(four_dir(f, i), four[i].path);
	return has_text(four_dir(f, i), four[i].path, four[i].old)
		&& mode_of(four_dir(f, i), four[i].path) == four[i].old_mode;
}

static inline bool four_is_new(const struct fixture *f, size_t i)
{
	return has_text(four_dir(f, i), four[i].path, four[i].new)
		&& mode_of(four_dir(f, i), four[i].path) == four[i].new_mode;
}

static inline size_t four_count(const struct fixture *f, bool (*is)(const struct fixture *, size_t))
{
	size_t count = 0;

	for (size_t i = 0; i < AT_LEN(four); i++)
		count += is(f, i);
	return count;
}

#endif
