/* wiring.h - findings about what is, or is not, in force.
 *
 * A report is a list of findings with stable ids and three levels. Whoever checks
 * (core/settings_check for a settings file, emit/ for a framework) adds to one; views
 * print it. It checks nothing itself.
 */
#ifndef AT_WIRING_H
#define AT_WIRING_H

#include <stdbool.h>
#include <stddef.h>

struct at_arena;
struct at_buf;
struct at_json_value;

enum at_level { AT_OKAY, AT_NOTE, AT_WARN, AT_FAIL };
const char *at_level_name(enum at_level level); /* ok note warn FAIL */

struct at_finding {
	const char *id; /* stable: "deny-path-missing" */
	enum at_level level;
	const char *where; /* file, and JSON pointer after '#'; may be "" */
	unsigned line, column;
	const char *text;   /* what is so, in one sentence */
	const char *remedy; /* what to do, or "" */
};

struct at_wiring {
	struct at_arena *arena;
	struct at_finding *findings;
	size_t count, cap;
	bool file_is_loaded;  /* the client would load the live file (WIRE-8) */
	bool is_configured;   /* everything emitted but hooks is in the live file and undiminished */
	bool hook_is_wired;   /* the gate's hook is there and its program startable */
	bool undone;          /* a higher or the same file switches it off or widens it */
	const char *undone_by; /* that file, or NULL */
};

void at_wiring_init(struct at_wiring *report);
void at_wiring_free(struct at_wiring *report);

/* Adds a finding; the texts are copied. Returns it so that a line can be set; the pointer
 * is good until the next finding is added. */
struct at_finding *at_wiring_add(struct at_wiring *report, const char *id, enum at_level level,
	const char *where, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

enum at_level at_wiring_worst(const struct at_wiring *report); /* AT_OKAY when empty */

/* One block a finding: level, id, where:line:column, then the text, then what to do.
 * Texts may quote file names and rules as they stand in the file: whoever shows the
 * result passes it through at_safe_text() first. */
void at_wiring_print(const struct at_wiring *report, struct at_buf *out);

/* Adds the members worst, file_is_loaded, is_configured, hook_is_wired, undone, undone_by
 * (null when nobody) and findings to the object `out`. */
void at_wiring_to_json(const struct at_wiring *report, struct at_json_value *out);

#endif
