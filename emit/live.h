/* live.h - the settings files that the client really reads.
 *
 * Reads one, as far as it can be read, for roots, notices and the wiring check. A file
 * that cannot be read or parsed holds nothing: whoever minds asks `why`. With a project that
 * keeps what was read, a file is read again only once it is another. It never judges what
 * the settings say.
 */
#ifndef AT_LIVE_H
#define AT_LIVE_H

#include "core/file.h"
#include "core/json_read.h"
#include "emit/framework.h"

#define AT_LIVE_SETTINGS ".claude/settings.json"
#define AT_LIVE_LOCAL ".claude/settings.local.json"
#define AT_USER_SETTINGS "~/.claude/settings.json"

struct at_live {
	bool exists;     /* something is there, readable or not */
	bool is_read;    /* the bytes are in `file` */
	bool is_object;  /* parsed, with an object at the top: `doc` may be asked */
	struct at_file file;
	struct at_json doc;
	struct at_error why; /* why not */
	struct at_kept *kept; /* who owns file and doc; NULL: this struct does */
};

/* `path` is below the project. A link at the file itself is followed, as the client would;
 * a link in a directory component is not. */
void at_live_read(struct at_live *out, const struct at_project *project, const char *path);
/* The same for a file outside the project (managed, or the user's own), which the client opens
 * through whatever links lead there. */
void at_live_read_absolute(struct at_live *out, const struct at_project *project, const char *path);
void at_live_free(struct at_live *live);

/* The value at `dotted` is the literal true (false); absent is neither. */
bool at_live_is_true(const struct at_live *live, const char *dotted);
bool at_live_is_false(const struct at_live *live, const char *dotted);

#endif
