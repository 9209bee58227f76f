#include "runner/runs/worktree.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/git_repo.h"
#include "core/path.h"
#include "runner/runs/worktree_impl.h"

struct compare {
	struct at_worktree_list *out;
	const struct at_worktree *after;
	const struct at_worktree_rules *rules;
	int top;
};

void at_worktree_free(struct at_worktree *tree)
{
	if (!tree)
		return;
	at_arena_free(tree->arena);
	free(tree->items);
	free(tree);
}

size_t at_worktree_count(const struct at_worktree *tree)
{
	return tree->count;
}

void at_worktree_list_free(struct at_worktree_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct at_worktree_list){ 0 };
}

/* ---- is it the same? ---- */

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool have_same_times(const struct at_worktree_item *a, const struct at_worktree_item *b)
{
	return a->inode == b->inode && a->size == b->size && is_same_time(&a->changed, &b->changed)
		&& is_same_time(&a->modified, &b->modified);
}

/* What the file holds now, against what the first look knew of it. */
static bool holds_what_it_held(const struct compare *c, const struct at_worktree_item *before)
{
	struct at_file file = { 0 };
	char target[PATH_MAX];
	struct at_bytes now = { target, 0 };
	bool same = false;

	if (S_ISLNK(before->mode)) {
		ssize_t len = readlinkat(c->top, before->path, target, sizeof(target));

		if (len < 0)
			return false;
		now.len = (size_t)len;
	} else if (!at_file_read(&file, c->top, before->path, AT_TREE_READ_CAP, AT_FILE_NO_DIGEST,
			   NULL)) {
		return false;
	} else {
		now = at_buf_bytes(&file.bytes);
	}
	if (before->how == AT_TREE_CLEAN) {
		same = at_git_is_blob(now, before->id);
	} else {
		struct at_digest digest = at_digest_of(now);

		same = at_digest_equal(&digest, &before->digest);
	}
	at_file_free(&file);
	return same;
}

static bool is_same(const struct compare *c, const struct at_worktree_item *before,
	const struct at_worktree_item *after)
{
	if (before->mode != after->mode)
		return false;
	if (before->how == AT_TREE_PLACE || after->how == AT_TREE_PLACE)
		return before->how == after->how && before->inode == after->inode;
	/* Times prove nothing of a file that had changed just before the first look. */
	if (have_same_times(before, after) && (before->is_settled || before->how == AT_TREE_TIMES))
		return true;
	if (before->how == AT_TREE_TIMES)
		return false;
	if (before->how == AT_TREE_HASHED && after->how == AT_TREE_HASHED)
		return at_digest_equal(&before->digest, &after->digest);
	if (before->how == AT_TREE_CLEAN && after->how == AT_TREE_CLEAN)
		return memcmp(before->id, after->id, sizeof(before->id)) == 0;
	return holds_what_it_held(c, before);
}

/* A file that the second look passed over: gone, or only ignored by now? */
static bool is_still_there(const struct compare *c, const struct at_worktree_item *before)
{
	const char *name;
	struct stat st;
	int dir =
		*before->path == '/' ? -1 : at_file_open_parent(c->top, before->path, &name, NULL);
	bool ok;

	if (dir < 0)
		return false;
	ok = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	close(dir);
	return ok
		&& is_same(c, before,
			&(struct at_worktree_item){
				.how = before->how == AT_TREE_PLACE ? AT_TREE_PLACE : AT_TREE_TIMES,
				.mode = st.st_mode,
				.inode = st.st_ino,
				.size = st.st_size,
				.changed = st.st_ctim,
				.modified = st.st_mtim });
}

/* ---- is it excused? ---- */

static bool is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	while (len && dir[len - 1] == '/')
		len--;
	return len && strncmp(path, dir, len) == 0 && (path[len] == '/' || !path[len]);
}

static bool is_in(const char *const *list, const char *path)
{
	for (; list && *list; list++)
		if (strcmp(*list, path) == 0)
			return true;
	return false;
}

static bool is_below_one(const char *const *list, const char *path)
{
	for (; list && *list; list++)
		if (is_below(path, *list))
			return true;
	return false;
}

static bool is_own(const char *const *list, const char *path)
{
	for (; list && *list; list++) {
		size_t len = strlen(*list);

		if (len && (*list)[len - 1] == '/' ? is_below(path, *list)
						   : strcmp(*list, path) == 0)
			return true;
	}
	return false;
}

static bool is_excused(const struct at_worktree_rules *rules, const char *path)
{
	if (is_in(rules->expected, path) || is_own(rules->own, path))
		return true;
	return is_below_one(rules->write, path)
		&& !(rules->is_protected && rules->is_protected(rules->user, path));
}

/* As seen from the project: "../" for each directory up to the top. */
static char *from_project(const struct at_worktree *tree, const char *path)
{
	size_t top = strlen(tree->top);
	const char *below = tree->project + top;
	struct at_buf text = { 0 };

	while (*below == '/')
		below++;
	if (*path == '/' || !*below)
		return at_strdup(path);
	if (is_below(path, below) && path[strlen(below)] == '/')
		return at_strdup(path + strlen(below) + 1);
	at_buf_puts(&text, "../");
	for (const char *p = below; *p; p++)
		if (*p == '/')
			at_buf_puts(&text, "../");
	at_buf_puts(&text, path);
	return text.data;
}

static void tell(struct compare *c, const struct at_worktree_item *item)
{
	char *path = from_project(c->after, item->path);

	if (is_excused(c->rules, path)) {
		free(path);
		return;
	}
	c->out->items = at_grow(c->out->items, &c->out->cap, c->out->count, sizeof(*c->out->items));
	c->out->items[c->out->count++] = path;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool at_worktree_changes(struct at_worktree_list *out, const struct at_worktree *before,
	const struct at_worktree *after, const struct at_worktree_rules *rules,
	struct at_error *err)
{
	static const struct at_worktree_rules none;
	struct compare c = { out, after, rules ? rules : &none, -1 };
	struct at_names names = { 0 };
	unsigned char *seen;

	*out = (struct at_worktree_list){ 0 };
	if (strcmp(before->top, after->top) != 0)
		return at_fail(err, AT_EUNSAFE,
			"the work tree is another one now: `%s`, it was `%s`", after->top,
			before->top);
	c.top = at_file_open_dir(AT_FDCWD, after->top, err);
	if (c.top < 0)
		return false;
	seen = at_alloc(before->count + 1);
	for (size_t i = 0; i < before->count; i++)
		at_names_put(&names, before->items[i].path, before->items[i].len, (uint32_t)i);
	for (size_t i = 0; i < after->count; i++) {
		const struct at_worktree_item *item = &after->items[i];
		const struct at_name *old = at_names_get(&names, item->path, item->len);

		if (old)
			seen[old->value] = 1;
		if (!old || !is_same(&c, &before->items[old->value], item))
			tell(&c, item);
	}
	for (size_t i = 0; i < before->count; i++)
		if (!seen[i] && !is_still_there(&c, &before->items[i]))
			tell(&c, &before->items[i]);
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), by_bytes);
	at_names_free(&names);
	free(seen);
	close(c.top);
	return true;
}
