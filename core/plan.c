#include "core/plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/mem.h"
#include "core/path.h"

void at_plan_init(struct at_plan *plan)
{
	*plan = (struct at_plan){ .arena = at_arena_new() };
}

void at_plan_free(struct at_plan *plan)
{
	at_arena_free(plan->arena);
	free(plan->changes);
	*plan = (struct at_plan){ 0 };
}

/* One spelling a path, so that two changes of one file are seen as such. */
static bool check_path(const char *path, struct at_error *err)
{
	char normal[PATH_MAX];

	if (at_path_normalise(normal, path) && strcmp(normal, path) == 0
		&& at_path_is_inside(path, ".") && strcmp(path, ".") != 0)
		return true;
	at_fail(err, AT_EUNSAFE, "`%s` cannot be planned: it is not a plain path below its place",
		path);
	at_error_path(err, path);
	at_error_hint(err, "Write it relative, without `.`, `..`, double or trailing slashes.");
	return false;
}

static bool check_free(const struct at_plan *plan, enum at_place place, const char *path,
	struct at_error *err)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct at_change *c = &plan->changes[i];

		if (c->place != place || (c->kind == AT_KEPT && strcmp(c->path, path) != 0))
			continue;
		if (!at_path_is_inside(path, c->path) && !at_path_is_inside(c->path, path))
			continue;
		at_fail(err, AT_ECONFLICT, strcmp(c->path, path) == 0
			? "`%s` is planned twice (%s)"
			: "`%s` cannot be a file and a directory too (%s)", path, c->reason);
		at_error_path(err, path);
		return false;
	}
	return true;
}

static struct at_change *append(struct at_plan *plan, enum at_place place, const char *path,
	const char *reason)
{
	struct at_change *change;

	plan->changes = at_grow(plan->changes, &plan->cap, plan->count, sizeof(*plan->changes));
	change = &plan->changes[plan->count++];
	*change = (struct at_change){
		.path = at_arena_strdup(plan->arena, path),
		.place = place,
		.reason = at_arena_strdup(plan->arena, reason ? reason : ""),
	};
	return change;
}

mode_t at_change_mode(const struct at_change *change, mode_t old)
{
	mode_t readable = (old & 0444) >> 2;

	if (change->place == AT_IN_STATE)
		return 0600;
	if (change->kind == AT_CREATE)
		return change->mode ? change->mode & 0777 : 0644;
	return (old & 0777) | (change->mode & 0111 & readable);
}

static bool fail_in_the_way(struct at_error *err, const char *path, enum at_file_type type)
{
	static const char *const what[] = {
		[AT_FILE_DIRECTORY] = "a directory",
		[AT_FILE_LINK] = "a symbolic link",
		[AT_FILE_SPECIAL] = "a special file",
		[AT_FILE_BLOCKED] = "a link or a file in the place of a directory",
	};

	at_fail(err, AT_EUNSAFE, "`%s` cannot be written: %s is in the way", path, what[type]);
	at_error_path(err, path);
	at_error_name(err, type == AT_FILE_LINK ? "unsafe-link" : "unsafe-special");
	at_error_hint(err, "Look at what it is and move it away.");
	return false;
}

/* Sets kind, old digest and old mode from what is there. */
static bool compare(struct at_change *change, int root, enum at_plan_rule rule,
	struct at_error *err)
{
	enum at_file_type type = root < 0 ? AT_FILE_ABSENT : at_file_type(root, change->path);
	struct at_file file;
	bool same;

	change->kind = AT_CREATE;
	if (type == AT_FILE_ABSENT)
		return true;
	if (type != AT_FILE_REGULAR)
		return fail_in_the_way(err, change->path, type);
	change->kind = AT_KEPT;
	if (rule == AT_PLAN_STUB)
		return true;
	change->kind = AT_REPLACE;
	if (!at_file_read(&file, root, change->path, AT_FILE_CAP, 0, err))
		return false;
	change->old = file.digest;
	change->old_mode = file.mode;
	same = at_bytes_equal(at_buf_bytes(&file.bytes), change->bytes)
		&& (at_change_mode(change, file.mode) & 0777) == (file.mode & 0777);
	at_file_free(&file);
	if (same)
		change->kind = AT_SAME;
	return true;
}

bool at_plan_add(struct at_plan *plan, int root, enum at_place place, const char *path,
	struct at_bytes bytes, mode_t mode, enum at_plan_rule rule, const char *reason,
	struct at_error *err)
{
	struct at_change *change;

	if (!check_path(path, err) || !check_free(plan, place, path, err))
		return false;
	if (bytes.len > AT_FILE_CAP) {
		at_fail(err, AT_ELIMIT, "`%s` would be larger than %zu bytes", path, AT_FILE_CAP);
		at_error_path(err, path);
		return false;
	}
	change = append(plan, place, path, reason);
	change->mode = mode;
	change->bytes = (struct at_bytes){
		at_arena_strndup(plan->arena, bytes.len ? bytes.data : "", bytes.len), bytes.len,
	};
	if (compare(change, root, rule, err))
		return true;
	plan->count--;
	return false;
}

bool at_plan_remove(struct at_plan *plan, int root, const char *path, const char *reason,
	struct at_error *err)
{
	struct at_change *change;

	if (!check_path(path, err) || !check_free(plan, AT_IN_PROJECT, path, err))
		return false;
	change = append(plan, AT_IN_PROJECT, path, reason);
	if (compare(change, root, AT_PLAN_WRITE, err) && change->kind != AT_CREATE) {
		change->kind = AT_REMOVE;
		return true;
	}
	if (change->kind == AT_CREATE) {
		at_fail(err, AT_ENOENT, "`%s` cannot be removed: it is not there", path);
		at_error_path(err, path);
	}
	plan->count--;
	return false;
}

void at_plan_keep(struct at_plan *plan, const char *path, const char *reason)
{
	append(plan, AT_IN_PROJECT, path, reason)->kind = AT_KEPT;
}

bool at_change_is_pending(const struct at_change *change)
{
	return change->kind != AT_SAME && change->kind != AT_KEPT;
}

size_t at_plan_pending(const struct at_plan *plan)
{
	size_t pending = 0;

	for (size_t i = 0; i < plan->count; i++)
		pending += at_change_is_pending(&plan->changes[i]);
	return pending;
}

const char *at_change_word(enum at_change_kind kind)
{
	static const char *const words[] = {
		[AT_CREATE] = "new",
		[AT_REPLACE] = "changed",
		[AT_SAME] = "same",
		[AT_KEPT] = "kept",
		[AT_REMOVE] = "removed",
	};

	return words[kind];
}
