/* One walk over the work tree. What the index tracks is only looked at while its times and number
 * are those the index has; what it does not track is read, unless git ignores it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/git_index.h"
#include "core/git_repo.h"
#include "core/path.h"
#include "runner/runs/worktree_impl.h"

#define INDEX_CAP ((size_t)1 << 30)
#define SETTLED 2 /* seconds: the coarsest step of a file system in use */

/* Of the control plane (3.9): every file below them, ignored or not. Below the project. */
static const char *const control_dirs[] = { ".agentteams", ".claude", ".goose", ".codex",
	".github/agents", ".github/hooks", "sandbox" };
/* Of a git directory: what git runs or obeys. */
static const char *const git_dirs[] = { "hooks", "info" };
static const char *const git_files[] = { "config", "config.worktree" };

enum way {
	BY_CONTENT = 0,
	BY_TIMES = 1, /* control files, git's own: all that is there */
	NESTED = 2, /* another repository's work tree: by times, but what is ignored is not seen */
};

struct todo {
	const char *path; /* below the top, "" for itself; absolute outside of it */
	unsigned way;
};

struct tracked {
	const char *path;
	uint32_t len;
	uint32_t changed, changed_ns, modified, modified_ns, inode, mode, size;
	bool is_conflict;
	unsigned char id[20];
};

struct walk {
	struct at_worktree *tree;
	struct at_git *git;
	int top;
	struct timespec index_time, now;
	struct tracked *tracked;
	size_t tracked_count, tracked_cap;
	struct at_names files, dirs, control; /* tracked; what holds some; not to be walked again */
	struct todo *todos;
	size_t todo_count, todo_cap;
	struct at_error *err;
};

static void push(struct walk *w, const char *path, unsigned way)
{
	w->todos = at_grow(w->todos, &w->todo_cap, w->todo_count, sizeof(*w->todos));
	w->todos[w->todo_count++] = (struct todo){ path, way };
}

/* ---- what is tracked ---- */

static void add_dirs(struct walk *w, const struct tracked *entry)
{
	for (size_t len = entry->len; len-- > 0;) {
		if (entry->path[len] != '/')
			continue;
		if (at_names_get(&w->dirs, entry->path, len))
			return; /* and with it all above */
		at_names_put(&w->dirs, entry->path, len, 0);
	}
}

static void add_tracked(void *user, const struct at_git_entry *entry)
{
	struct walk *w = user;
	struct tracked *t;

	w->tracked = at_grow(w->tracked, &w->tracked_cap, w->tracked_count, sizeof(*w->tracked));
	t = &w->tracked[w->tracked_count];
	*t = (struct tracked){ at_arena_strndup(w->tree->arena, entry->path, entry->len),
		(uint32_t)entry->len, entry->changed, entry->changed_ns, entry->modified,
		entry->modified_ns, entry->inode, entry->mode, entry->size, entry->stage != 0,
		{ 0 } };
	memcpy(t->id, entry->id, sizeof(t->id));
	at_names_put(&w->files, t->path, t->len, (uint32_t)w->tracked_count++);
	add_dirs(w, t);
}

static bool read_index(struct walk *w)
{
	int dir = at_file_open_dir(AT_FDCWD, at_git_dir(w->git), w->err);
	struct at_file file = { 0 };
	bool ok;

	if (dir < 0)
		return false;
	ok = at_file_read(
		&file, dir, "index", INDEX_CAP, AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, w->err);
	close(dir);
	if (ok && file.exists) {
		w->index_time = file.stamp.modified;
		ok = at_git_index_each(at_buf_bytes(&file.bytes), add_tracked, w)
			|| at_fail(w->err, AT_EINVALID,
				"the index of `%s` cannot be read whole: it is cut, split, or of a "
				"newer kind",
				w->tree->top);
	}
	at_file_free(&file);
	return ok;
}

/* ---- one file ---- */

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* As git itself decides it, the race between a write and the index included. */
static bool is_clean(const struct walk *w, const struct tracked *t, const struct stat *st)
{
	bool same_kind = S_ISLNK(st->st_mode)
		? t->mode == 0120000
		: S_ISREG(st->st_mode) && t->mode == (st->st_mode & 0100 ? 0100755u : 0100644u);

	return same_kind && !t->is_conflict && t->size == (uint32_t)st->st_size
		&& t->inode == (uint32_t)st->st_ino && t->modified == (uint32_t)st->st_mtim.tv_sec
		&& t->modified_ns == (uint32_t)st->st_mtim.tv_nsec
		&& t->changed == (uint32_t)st->st_ctim.tv_sec
		&& t->changed_ns == (uint32_t)st->st_ctim.tv_nsec
		&& is_before(&st->st_mtim, &w->index_time);
}

static bool hash_link(struct at_digest *out, int dir, const char *name)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(dir, name, target, sizeof(target));

	if (len < 0)
		return false;
	*out = at_digest_of((struct at_bytes){ target, (size_t)len });
	return true;
}

static bool hash_file(struct at_digest *out, int dir, const char *name)
{
	struct at_file file;
	bool ok = at_file_read(&file, dir, name, AT_TREE_READ_CAP, 0, NULL);

	if (ok)
		*out = file.digest;
	at_file_free(&file);
	return ok;
}

static void add_item(struct walk *w, int dir, const char *name, const char *path, size_t len,
	const struct stat *st, const struct tracked *t, unsigned way)
{
	struct at_worktree *tree = w->tree;
	struct at_worktree_item *item;

	tree->items = at_grow(tree->items, &tree->cap, tree->count, sizeof(*tree->items));
	item = &tree->items[tree->count++];
	*item = (struct at_worktree_item){ .path = t ? t->path
						     : at_arena_strndup(tree->arena, path, len),
		.len = (uint32_t)len,
		.mode = st->st_mode,
		.how = AT_TREE_TIMES,
		.is_settled = st->st_ctim.tv_sec < w->now.tv_sec - SETTLED,
		.inode = st->st_ino,
		.size = st->st_size,
		.changed = st->st_ctim,
		.modified = st->st_mtim };
	if (!S_ISREG(st->st_mode) && !S_ISLNK(st->st_mode)) {
		item->how = S_ISDIR(st->st_mode) && way ? AT_TREE_TIMES : AT_TREE_PLACE;
	} else if (way == BY_CONTENT) {
		if (t && item->is_settled && is_clean(w, t, st)) {
			item->how = AT_TREE_CLEAN;
			memcpy(item->id, t->id, sizeof(item->id));
		} else if (S_ISLNK(st->st_mode) ? hash_link(&item->digest, dir, name)
						: hash_file(&item->digest, dir, name)) {
			item->how = AT_TREE_HASHED;
		}
	}
}

/* ---- the walk ---- */

/* Hooks, settings and kin of the git directory `dir` (below the top, or absolute). */
static bool see_git_dir(struct walk *w, const char *dir)
{
	int fd = at_file_open_dir(*dir == '/' ? AT_FDCWD : w->top, dir, NULL);
	struct stat st;

	if (fd < 0)
		return true; /* a file, a link, or nothing any more: looked at by name */
	for (size_t i = 0; i < AT_LEN(git_files); i++) {
		const char *path = at_arena_printf(w->tree->arena, "%s/%s", dir, git_files[i]);

		if (fstatat(fd, git_files[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
			add_item(w, fd, git_files[i], path, strlen(path), &st, NULL, BY_TIMES);
	}
	for (size_t i = 0; i < AT_LEN(git_dirs); i++) {
		const char *path = at_arena_printf(w->tree->arena, "%s/%s", dir, git_dirs[i]);

		if (fstatat(fd, git_dirs[i], &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (S_ISDIR(st.st_mode))
			push(w, path, BY_TIMES);
		else
			add_item(w, fd, git_dirs[i], path, strlen(path), &st, NULL, BY_TIMES);
	}
	close(fd);
	return true;
}

static bool is_ignored(struct walk *w, const char *name, const char *path, unsigned way)
{
	/* A file of ignored names that ignores itself would hide best; of .git git says nothing. */
	return way != BY_TIMES && strcmp(name, ".gitignore") != 0 && strcmp(name, ".git") != 0
		&& at_git_is_ignored(w->git, path);
}

static void see_dir(struct walk *w, int dir, const char *name, char *path, size_t len, unsigned way)
{
	struct stat st;

	if (strcmp(name, ".git") == 0 && way != BY_TIMES) {
		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			return;
		/* That of the top is seen by where git says it is. */
		if (len > 4) {
			add_item(w, dir, name, path, len, &st, NULL, BY_CONTENT);
			see_git_dir(w, at_arena_strndup(w->tree->arena, path, len));
		}
		return;
	}
	if (!at_names_get(&w->dirs, path, len) && len + 1 < PATH_MAX) {
		path[len] = '/';
		path[len + 1] = '\0';
		if (is_ignored(w, name, path, way))
			return;
		path[len] = '\0';
	}
	push(w, at_arena_strndup(w->tree->arena, path, len), way);
}

static bool see(
	struct walk *w, int dir, const struct dirent *d, char *path, size_t len, unsigned way)
{
	const struct at_name *known;
	struct stat st;

	if (way != BY_TIMES && at_names_get(&w->control, path, len))
		return true;
	if (d->d_type == DT_DIR) {
		see_dir(w, dir, d->d_name, path, len, way);
		return true;
	}
	if (fstatat(dir, d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT || at_fail_sys(w->err, errno, "cannot look at `%s`", path);
	if (S_ISDIR(st.st_mode)) {
		see_dir(w, dir, d->d_name, path, len, way);
		return true;
	}
	known = at_names_get(&w->files, path, len);
	if (!known && is_ignored(w, d->d_name, path, way))
		return true;
	add_item(w, dir, d->d_name, path, len, &st, known ? &w->tracked[known->value] : NULL, way);
	return true;
}

/* A directory that may not be read is known by its own times. */
static bool see_closed(struct walk *w, const struct todo *todo, const struct at_error *why)
{
	struct stat st;

	if (why->sys == ENOENT)
		return true;
	if (why->sys != EACCES || fstatat(w->top, todo->path, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		if (w->err)
			*w->err = *why;
		return false;
	}
	add_item(w, w->top, todo->path, todo->path, strlen(todo->path), &st, NULL, BY_TIMES);
	return true;
}

static bool walk_dir(struct walk *w, const struct todo *todo)
{
	size_t base = strlen(todo->path);
	char path[PATH_MAX];
	struct at_error why;
	struct dirent *d;
	unsigned way = todo->way;
	struct stat st;
	bool ok = true;
	DIR *stream;
	int fd = !base ? openat(w->top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
		       : at_file_open_dir(*todo->path == '/' ? AT_FDCWD : w->top, todo->path, &why);

	if (fd < 0)
		return see_closed(w, todo, &why);
	if (base && way == BY_CONTENT && fstatat(fd, ".git", &st, AT_SYMLINK_NOFOLLOW) == 0)
		way = NESTED;
	stream = fdopendir(fd);
	if (!stream) {
		close(fd);
		return at_fail_sys(w->err, errno, "cannot read `%s`", todo->path);
	}
	memcpy(path, todo->path, base);
	if (base)
		path[base++] = '/';
	for (errno = 0; ok && (d = readdir(stream)); errno = 0) {
		size_t len = strlen(d->d_name);

		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (base + len + 2 > sizeof(path)) {
			ok = at_fail(
				w->err, AT_ELIMIT, "a path below `%s` is too long", todo->path);
			continue;
		}
		memcpy(path + base, d->d_name, len + 1);
		ok = see(w, fd, d, path, base + len, way);
	}
	if (ok && errno)
		ok = at_fail_sys(w->err, errno, "cannot read `%s`", todo->path);
	closedir(stream);
	return ok;
}

/* The control directories, whatever is at their place. */
static void see_control(struct walk *w)
{
	const char *project = w->tree->project + strlen(w->tree->top);

	while (*project == '/')
		project++;
	for (size_t i = 0; i < AT_LEN(control_dirs); i++) {
		const char *path = at_arena_printf(
			w->tree->arena, "%s%s%s", project, *project ? "/" : "", control_dirs[i]);
		struct stat st;

		at_names_put(&w->control, path, strlen(path), 0);
		if (fstatat(w->top, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (S_ISDIR(st.st_mode))
			push(w, path, BY_TIMES);
		else
			add_item(w, w->top, path, path, strlen(path), &st, NULL, BY_TIMES);
	}
}

static void see_git(struct walk *w)
{
	const char *dirs[2] = { at_git_common_dir(w->git), at_git_dir(w->git) };
	size_t top = strlen(w->tree->top);

	for (int i = 0; i < 2; i++) {
		if (i && strcmp(dirs[0], dirs[1]) == 0)
			break;
		see_git_dir(w,
			at_arena_strdup(w->tree->arena,
				at_path_is_inside(dirs[i], w->tree->top) ? dirs[i] + top + (top > 1)
									 : dirs[i]));
	}
}

static bool is_project_seen(struct walk *w)
{
	size_t top = strlen(w->tree->top);
	const char *below = w->tree->project + top + (w->tree->project[top] == '/');
	char path[PATH_MAX];

	if (!at_path_is_inside(w->tree->project, w->tree->top))
		return at_fail(w->err, AT_EREFUSED,
			"`%s` is not in the work tree that its repository names: `%s`",
			w->tree->project, w->tree->top);
	if (!*below || at_names_get(&w->dirs, below, strlen(below))
		|| snprintf(path, sizeof(path), "%s/", below) >= (int)sizeof(path)
		|| !at_git_is_ignored(w->git, path))
		return true;
	return at_fail(w->err, AT_EREFUSED,
		"`%s` is not a git worktree of its own, and git ignores it in `%s`: nothing that a "
		"command changes would be seen",
		w->tree->project, w->tree->top);
}

static bool walk_all(struct walk *w)
{
	w->top = at_file_open_dir(AT_FDCWD, w->tree->top, w->err);
	if (w->top < 0 || !read_index(w) || !is_project_seen(w))
		return false;
	see_control(w);
	see_git(w);
	push(w, "", BY_CONTENT);
	while (w->todo_count) {
		struct todo todo = w->todos[--w->todo_count];

		if (!walk_dir(w, &todo))
			return false;
	}
	return true;
}

bool at_worktree_take(struct at_worktree **out, const char *project, struct at_error *err)
{
	struct walk w = { .top = -1, .err = err };
	bool ok;

	*out = NULL;
	if (!at_git_open(&w.git, project, err))
		return false;
	w.tree = at_alloc(sizeof(*w.tree));
	w.tree->arena = at_arena_new();
	w.tree->project = at_arena_strdup(w.tree->arena, project);
	w.tree->top = at_arena_strdup(w.tree->arena, at_git_top(w.git));
	clock_gettime(CLOCK_REALTIME, &w.now);
	ok = walk_all(&w);
	if (w.top >= 0)
		close(w.top);
	at_git_free(w.git);
	at_names_free(&w.files);
	at_names_free(&w.dirs);
	at_names_free(&w.control);
	free(w.tracked);
	free(w.todos);
	if (!ok) {
		at_worktree_free(w.tree);
		return false;
	}
	*out = w.tree;
	return true;
}
