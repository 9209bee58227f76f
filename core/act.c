#include "core/act.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/mem.h"

void at_act_init(struct at_act *act, int root, const struct at_state *state)
{
	*act = (struct at_act){
		.arena = at_arena_new(),
		.roots = { [AT_IN_PROJECT] = root, [AT_IN_STATE] = state->fd,
			[AT_ON_HOST] = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) },
		.journal = -1,
		.entry = -1,
		.state_path = state->path,
	};
}

void at_act_free(struct at_act *act)
{
	for (size_t i = 0; i < act->held_count; i++)
		if (act->held[i].fd >= 0)
			close(act->held[i].fd);
	if (act->journal >= 0)
		close(act->journal);
	if (act->entry >= 0)
		close(act->entry);
	if (act->roots[AT_ON_HOST] >= 0)
		close(act->roots[AT_ON_HOST]);
	free(act->held);
	free(act->steps);
	free(act->made.items);
	free(act->unmade.items);
	at_arena_free(act->arena);
	*act = (struct at_act){ .journal = -1, .entry = -1, .roots = { -1, -1, -1 } };
}

bool at_fail_stale(struct at_error *err, const char *path)
{
	at_fail(err, AT_ESTALE, "`%s` is no longer what was shown; nothing was changed", path);
	at_error_path(err, path);
	at_error_name(err, "base-changed");
	at_error_hint(err, "Look at what changed and start again from the file as it is now.");
	return false;
}

bool at_fail_step(struct at_error *err, int sys, const char *verb, const struct at_step *step)
{
	at_fail_sys(err, sys, "cannot %s `%s`", verb, step->path);
	at_error_path(err, step->path);
	if (sys == ENOSPC || sys == EDQUOT)
		at_error_hint(err, "Make room on that file system and start again.");
	else if (sys == EROFS)
		at_error_hint(err, "The file system is read-only here: run where it is not.");
	return false;
}

static const char *parent_of(struct at_act *act, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? at_arena_strndup(act->arena, path, (size_t)(slash - path)) : ".";
}

/* Steps in one directory share its descriptor. */
static size_t held_index(struct at_act *act, enum at_place place, const char *path)
{
	size_t i;

	for (i = 0; i < act->held_count; i++)
		if (act->held[i].place == place && strcmp(act->held[i].path, path) == 0)
			return i;
	act->held = at_grow(act->held, &act->held_cap, i, sizeof(*act->held));
	act->held[act->held_count++] = (struct at_held){ .place = place, .path = path, .fd = -1 };
	return i;
}

static bool hold(struct at_act *act, struct at_held *held, struct at_error *err)
{
	struct stat st;

	if (held->fd >= 0)
		return true;
	held->fd = at_file_open_dir(act->roots[held->place], held->path, err);
	if (held->fd < 0)
		return false;
	if (fstat(held->fd, &st) < 0)
		return at_fail_sys(err, errno, "cannot look at `%s`", held->path);
	held->device = st.st_dev;
	held->inode = st.st_ino;
	return true;
}

bool at_act_hold_all(struct at_act *act, bool missing_ok, struct at_error *err)
{
	struct at_error why;
	bool ok = true;

	for (size_t i = 0; i < act->held_count; i++) {
		if (hold(act, &act->held[i], &why) || (missing_ok && why.sys == ENOENT))
			continue;
		if (ok && err)
			*err = why;
		ok = false;
	}
	return ok;
}

int at_act_dir(const struct at_act *act, const struct at_step *step)
{
	return act->held[step->held].fd;
}

bool at_act_dir_still_there(const struct at_act *act, const struct at_step *step,
	struct at_error *err)
{
	const struct at_held *held = &act->held[step->held];
	int fd = at_file_open_dir(act->roots[held->place], held->path, err);
	struct stat st;
	bool same;

	if (fd < 0)
		return false;
	same = fstat(fd, &st) == 0 && st.st_dev == held->device && st.st_ino == held->inode;
	close(fd);
	if (same)
		return true;
	at_fail(err, AT_EUNSAFE, "the directory of `%s` was moved while it was being written",
		step->path);
	at_error_path(err, step->path);
	at_error_name(err, "unsafe-moved");
	at_error_hint(err, "Find out who moved it, then start again.");
	return false;
}

struct at_step *at_act_add_step(struct at_act *act, enum at_place place, const char *path)
{
	struct at_step *step;
	const char *slash;

	act->steps = at_grow(act->steps, &act->cap, act->count, sizeof(*act->steps));
	step = &act->steps[act->count++];
	*step = (struct at_step){ .place = place, .path = at_arena_strdup(act->arena, path) };
	slash = strrchr(step->path, '/');
	step->name = slash ? slash + 1 : step->path;
	step->held = held_index(act, place, parent_of(act, step->path));
	return step;
}

void at_act_add_folder(struct at_act *act, struct at_folders *to, enum at_place place,
	const char *path)
{
	for (size_t i = 0; i < to->count; i++)
		if (to->items[i].place == place && strcmp(to->items[i].path, path) == 0)
			return;
	to->items = at_grow(to->items, &to->cap, to->count, sizeof(*to->items));
	to->items[to->count++] = (struct at_folder){ place, at_arena_strdup(act->arena, path) };
}

/* Nobody can guess it, so nobody can plant something there before. */
static bool name_temp(struct at_step *step, struct at_error *err)
{
	unsigned long long number;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return at_fail_sys(err, errno, "the system gives no random numbers");
	snprintf(step->temp, sizeof(step->temp), AT_TEMP_PREFIX "%016llx", number);
	return true;
}

/* Notes each missing directory above the step, parents first. */
static void note_missing(struct at_act *act, const struct at_step *step)
{
	char *path = at_arena_strdup(act->arena, step->path);

	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (at_file_type(act->roots[step->place], path) == AT_FILE_ABSENT)
			at_act_add_folder(act, &act->made, step->place, path);
		*slash = '/';
	}
}

static void take_old(struct at_act *act, struct at_step *step, const struct at_file *file)
{
	step->old = (struct at_side){
		.exists = file->exists,
		.digest = file->digest,
		.mode = file->mode,
		.owner = file->owner,
		.group = file->group,
	};
	if (file->exists)
		step->old_bytes = (struct at_bytes){
			at_arena_strndup(act->arena, at_buf_text(&file->bytes), file->bytes.len),
			file->bytes.len,
		};
}

bool at_act_look_at(struct at_act *act, enum at_place place, const char *path,
	struct at_step **out, struct at_error *err)
{
	struct at_step *step = at_act_add_step(act, place, path);
	struct at_held *held = &act->held[step->held];
	struct at_error why;
	struct at_file file;

	*out = step;
	if (!name_temp(step, err))
		return false;
	if (!hold(act, held, &why)) {
		if (why.sys == ENOENT) {
			note_missing(act, step);
			return true;
		}
		if (err)
			*err = why;
		return false;
	}
	if (!at_file_read(&file, held->fd, step->name, AT_FILE_CAP,
		AT_FILE_MAY_BE_ABSENT | AT_FILE_SINGLE_LINK, err)) {
		at_error_path(err, path);
		return false;
	}
	take_old(act, step, &file);
	at_file_free(&file);
	return true;
}

static bool is_side(const struct at_side *side, const struct at_file *file)
{
	if (!side->exists || !file->exists)
		return side->exists == file->exists;
	return side->mode == file->mode && at_digest_equal(&side->digest, &file->digest);
}

struct at_found at_act_found(const struct at_act *act, const struct at_step *step,
	const char *name)
{
	struct at_found found = { .exists = true };
	struct at_file file = { 0 };
	bool readable = at_act_dir(act, step) < 0 /* no directory, no file */
		|| at_file_read(&file, at_act_dir(act, step), name, AT_FILE_CAP,
			AT_FILE_MAY_BE_ABSENT, NULL);

	/* A link, a directory, what may not be read: there, and not ours. */
	if (!readable)
		return found;
	found.exists = file.exists;
	found.is_old = is_side(&step->old, &file);
	found.is_new = is_side(&step->new, &file);
	at_file_free(&file);
	return found;
}
