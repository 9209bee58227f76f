/* settings_check.h - what a live Claude settings file really says.
 *
 * Answers first whether the client would load the file at all, then what in it opens,
 * dies silently or protects nothing. The facts are those measured on the real client.
 * It compares with nothing emitted: emit/claude does that. (WIRE-8)
 */
#ifndef AT_SETTINGS_CHECK_H
#define AT_SETTINGS_CHECK_H

#include "core/json_read.h"
#include "core/wiring.h"

struct at_settings_place {
	const char *name;    /* how findings call the file: ".claude/settings.json" */
	const char *project; /* physical; "" when paths are not to be looked up */
	int project_fd;      /* -1: the same */
	const char *home;
	const struct at_json *doc; /* of the text, where it was read already; NULL: read here */
	bool load_only; /* the first question alone: would the client load the file? */
};

/* Reads no file but `text`: paths of the settings are only looked at (is it there, has it
 * its execute bit), and nothing at all is run. Linear in the text.
 *
 * Adds every finding. `text` is the whole file. Sets report->file_is_loaded. The ids are
 * those of the case collection's verdicts; values of env and unknown keys never appear. */
void at_settings_check(struct at_wiring *report, struct at_bytes text,
	const struct at_settings_place *place);

#endif
