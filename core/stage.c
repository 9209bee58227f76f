/* Everything new beside its place, before anything is replaced. */
#include "core/act.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/disk.h"
#include "core/file.h"

static bool make_folder(const struct at_act *act, const struct at_folder *folder,
	struct at_error *err)
{
	const char *name;
	int dir = at_file_open_parent(act->roots[folder->place], folder->path, &name, err);
	bool ok;

	if (dir < 0)
		return false;
	ok = at_disk_mkdir(dir, name, folder->place == AT_IN_STATE ? 0700 : 0755);
	/* One that somebody made meanwhile serves; what is no directory fails when opened. */
	ok = (ok || errno == EEXIST) && at_disk_sync(dir);
	if (!ok) {
		at_fail_sys(err, errno, "cannot make the directory `%s`", folder->path);
		at_error_path(err, folder->path);
	}
	close(dir);
	return ok;
}

bool at_stage_folders(struct at_act *act, struct at_error *err)
{
	for (size_t i = 0; i < act->made.count; i++)
		if (!make_folder(act, &act->made.items[i], err))
			return false;
	/* An undo may have taken the directory of a removed file away already. */
	return at_act_hold_all(act, act->unmade.count > 0, err);
}

bool at_stage_temp(struct at_act *act, const struct at_step *step, bool old,
	struct at_error *err)
{
	const struct at_side *side = old ? &step->old : &step->new;

	if (!side->exists)
		return true;
	if (at_disk_create(at_act_dir(act, step), step->temp,
		old ? step->old_bytes : step->new_bytes, side->mode, side->owner, side->group))
		return true;
	if (errno == EPERM && side->owner != geteuid()) {
		at_fail(err, AT_EUNSAFE, "`%s` belongs to user %lu and cannot be written in that "
			"user's name", step->path, (unsigned long)side->owner);
		at_error_path(err, step->path);
		at_error_name(err, "unsafe-owner");
		at_error_hint(err, "Run as its owner.");
		return false;
	}
	return at_fail_step(err, errno, "write beside", step);
}

bool at_stage(struct at_act *act, struct at_error *err)
{
	if (!at_stage_folders(act, err))
		return false;
	for (size_t i = 0; i < act->count; i++)
		if (!at_stage_temp(act, &act->steps[i], false, err))
			return false;
	for (size_t i = 0; i < act->held_count; i++)
		if (!at_disk_sync(act->held[i].fd))
			return at_fail_sys(err, errno, "cannot write `%s`", act->held[i].path);
	return true;
}

bool at_unstage(struct at_act *act, size_t *strangers)
{
	bool ok = true;

	for (size_t i = 0; i < act->count; i++) {
		const struct at_step *step = &act->steps[i];
		struct at_found found;

		if (at_act_dir(act, step) < 0)
			continue;
		found = at_act_found(act, step, step->temp);
		if (!found.exists)
			continue;
		/* Bytes that the journal does not have are never deleted. */
		if (strangers && !found.is_old && !found.is_new)
			++*strangers;
		else
			ok = at_disk_remove(at_act_dir(act, step), step->temp) && ok;
	}
	return ok;
}

/* Children first; one that is not empty stays. */
void at_remove_folders(const struct at_act *act, const struct at_folders *folders)
{
	for (size_t i = folders->count; i-- > 0;) {
		const struct at_folder *folder = &folders->items[i];
		const char *name;
		int dir = at_file_open_parent(act->roots[folder->place], folder->path, &name, NULL);

		if (dir < 0)
			continue;
		if (at_file_type(dir, name) == AT_FILE_DIRECTORY)
			at_disk_rmdir(dir, name);
		close(dir);
	}
}
