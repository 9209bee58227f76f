/* settings_file.h - the settings file the client really reads.
 *
 * Finds the file behind `.claude/settings.json`, reads it, and knows where a new version
 * has to be written: at the path, or beside the target of a link at the path itself. It
 * does not know what the settings mean and writes nothing. (WIRE-2)
 */
#ifndef AT_SETTINGS_FILE_H
#define AT_SETTINGS_FILE_H

#include <limits.h>

#include "core/file.h"

#define AT_SETTINGS ".claude/settings.json"
#define AT_SETTINGS_CAP ((size_t)16 << 20)

struct at_settings_file {
	struct at_file file; /* exists == false: there is none yet */
	char path[PATH_MAX]; /* below the project: where a new version goes */
	bool is_link;        /* `path` is the target of a link at AT_SETTINGS */
};

/* `project` is the physical path that `root` has open. Fails with AT_EUNSAFE, one of the ids
 * settings-link-outside, settings-link-owner, and the name of the target for a link that
 * leads out of the project or to another owner's file, and for a link in a directory
 * component, a directory, a FIFO or a device. Released by at_settings_file_free(). */
bool at_settings_file_read(struct at_settings_file *out, int root, const char *project, struct at_error *err);
void at_settings_file_free(struct at_settings_file *live);

#endif
