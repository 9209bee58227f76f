/* A project and a state directory in one throwaway tree, for the tests that write. */
#ifndef AT_TEST_APPLY_FIXTURE_H
#define AT_TEST_APPLY_FIXTURE_H

#include "support/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

#endif
