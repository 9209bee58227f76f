/* log.h - one line a call, chained by hash, for whoever asks later what was put to the gate.
 *
 * Opt-in. Never holds content, a reason's words or an error's text. A line that cannot be written
 * is a notice on standard error and a gap in the chain; it never changes what was decided. Nothing
 * is forced to disk. (GATE-7, GATE-9, GATE-10)
 */
#ifndef AT_GATE_LOG_H
#define AT_GATE_LOG_H

#include "core/bytes.h"
#include "runner/gate/scan.h"

#define GATE_LOG_TEXT 128 /* bytes of a tool's name or a call's id that are kept */

struct gate_log_line {
	struct at_bytes id, tool;
	const char *decision; /* pass ask deny crash-open crash-deny */
	const char *reason_id;
	const struct scan_result *found; /* or NULL */
	const char *checked; /* custody none */
	const char *hook_hash; /* the digest that the hook pins, or "" */
	struct at_bytes input; /* canonical; only read with a key */
};

/* `path` absolute, without links, outside the project and every git work tree. `key` as the
 * variable gives it: a key, or the absolute path of a file that holds it; NULL for none. False
 * after a notice. */
bool gate_log_write(
	const char *path, const char *key, const char *project, const struct gate_log_line *line);

#endif
