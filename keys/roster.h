/* roster.h - who may approve: names, one a line, of a team's references/.
 *
 * Reads as the Python tool reads: lines stripped and lower-cased, blank ones and those that begin
 * with `#` skipped, no comment after a name, a leading `@` ignored on both sides. A stub of
 * comments reads as an absent file; what that means is the caller's: no approver for grants, the
 * default ones for decisions and waivers. (KEY-6; reference-ledgers 1.7, 2.4; reference-emission
 * 7.2)
 */
#ifndef AT_KEYS_ROSTER_H
#define AT_KEYS_ROSTER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"
#include "core/error.h"

struct at_arena;

#define AT_APPROVERS "references/security-approvers.txt" /* below a team dir, or a project */

struct at_roster {
	const char **names; /* lower case, without `@`, in the file's order; in the arena */
	size_t count;       /* 0: absent, or a stub */
	bool exists;        /* a file is there */
};

/* Reads `path` below the directory `root`. Absent is no failure; a link, a special file, more
 * than 1 MiB or what is no UTF-8 is. */
bool at_roster_load(struct at_roster *out, struct at_arena *arena, int root, const char *path,
	struct at_error *err);
/* The same of a text; `text` is not kept. */
bool at_roster_read(struct at_roster *out, struct at_arena *arena, struct at_bytes text,
	struct at_error *err);

/* `name` stripped, lower-cased, one run of leading `@` off. An empty roster has nobody. */
bool at_roster_has(const struct at_roster *roster, struct at_bytes name);

/* The names as the Python tool normalises them: "@Bob " is "bob". In `arena`. */
const char *at_roster_name(struct at_arena *arena, struct at_bytes name);

/* The switch references/agent-privilege.json below `root`: whether decisions must be signed.
 * Absent, or without the key: off. No JSON object, or no boolean: an error, which refuses.
 * (KEY-9, REQ-8; reference-ledgers 2.4 and 5, row 11) */
bool at_switch_load(bool *is_on, int root, const char *path, struct at_error *err);

#endif
