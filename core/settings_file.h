/* settings_file.h - the settings file the client really reads.
 *
 * Finds the file behind `.claude/settings.json`, reads it, and knows where a new version
 * has to be written: at the path, or beside the target of a link at the path itself. It
 * does not know what the settings mean and writes nothing. (WIRE-2)
 */
#ifndef AT_SETTINGS_FILE_H
#define AT_SETTINGS_FILE_H

#include "core/file.h"
#include "core/plan.h"

#define AT_SETTINGS ".claude/settings.json"
#define AT_SETTINGS_CAP ((size_t)16 << 20)

struct at_settings_file {
	struct at_file file; /* exists == false: there is none yet; its digest is not made */
	enum at_place place; /* AT_IN_PROJECT, or AT_ON_HOST for an agreed target outside */
	char path[PATH_MAX]; /* below that place: where a new version goes */
	bool is_link;        /* `path` is the target of a link at AT_SETTINGS */
};

/* `project` is the physical path that `root` has open. A link at the file itself is followed
 * when its target is inside the project and the caller's own; another target only when it is
 * `agreed`, the absolute path that the operator was asked about and said yes to (NULL:
 * nobody was asked). Else fails with AT_EUNSAFE and one of the ids settings-link-outside,
 * settings-link-owner (both can be agreed to), settings-link-open (another user can write on
 * the way: never), with the absolute target in err->path; and for a link in a directory
 * component, a directory, a FIFO or a device. Released by at_settings_file_free(). */
bool at_settings_file_read(struct at_settings_file *out, int root, const char *project,
	const char *agreed, struct at_error *err);
/* Would that read the same bytes from the same place now? False on any doubt. */
bool at_settings_file_is_still(struct at_settings_file *live, int root, const char *project,
	const char *agreed);
void at_settings_file_free(struct at_settings_file *live);

/* True when the error is one that the operator may agree to; err->path is what to ask. */
bool at_settings_file_may_ask(const struct at_error *err);

#endif
