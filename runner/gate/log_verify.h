/* log_verify.h - reads the gate's log again: what it proves, and where it proves nothing.
 *
 * A chain that breaks says that lines are missing or were changed between two others: nothing is
 * known of that time, which is not the same as that nothing was done. A tail that was cut off
 * leaves no mark. (GATE-10)
 */
#ifndef AT_GATE_LOG_VERIFY_H
#define AT_GATE_LOG_VERIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"
#include "core/digest.h"

struct at_arena;

enum gate_gap_kind {
	GATE_GAP_CHAIN, /* the line does not follow the one before it */
	GATE_GAP_START, /* the first line follows one that is not here */
	GATE_GAP_TORN, /* not a whole line of a log: half written, or changed */
};

struct gate_gap {
	enum gate_gap_kind kind;
	size_t line; /* from 1 */
};

#define GATE_GAPS 1000 /* kept; more are counted */

struct gate_log_report {
	size_t lines; /* whole ones */
	size_t decided[5]; /* pass ask deny crash-open crash-deny */
	size_t not_inspected; /* checked none: the program's custody was not looked at */
	size_t keyed; /* with input_hmac */
	size_t gap_count; /* all */
	struct gate_gap gaps[GATE_GAPS];
};
extern const char *const gate_log_decisions[5];
const char *gate_gap_text(enum gate_gap_kind kind); /* one clause */

#define GATE_LOG_LINE 65536 /* bytes of a whole line at most; a longer one is none */

/* One whole line. Texts are in the arena, with a NUL after them; `categories` and `lines` are JSON
 * as it stands in the line. */
struct gate_log_entry {
	int decision; /* index of gate_log_decisions */
	bool is_inspected, is_keyed;
	struct at_bytes id, tool, reason, checked, hook_hash, prev, hmac;
	struct at_bytes categories, lines;
};
/* False for what is no whole line of a log. `line` without its newline. */
bool gate_log_read_line(struct gate_log_entry *out, struct at_bytes line, struct at_arena *arena);

/* What the first line of a log follows. */
void gate_log_genesis(char out[AT_DIGEST_HEX]);

/* Linear. Never fails: what cannot be read is a gap. */
void gate_log_verify(struct gate_log_report *out, struct at_bytes log);

#endif
