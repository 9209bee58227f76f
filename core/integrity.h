/* integrity.h - the pins of this program's own source: which files, and their digests.
 *
 * A manifest holds the SHA-256 of every source file that a boundary rests on; the table
 * core/integrity.def says which files those are, and why others are not. To change a pinned file
 * unseen takes two more visible edits: tamper-evident, not tamper-proof. It judges no project
 * and writes nothing. (INT-1, INT-4, CEIL-7)
 */
#ifndef AT_INTEGRITY_H
#define AT_INTEGRITY_H

#include "core/bytes.h"
#include "core/digest.h"
#include "core/error.h"

struct at_arena;

#define AT_INTEGRITY_MANIFEST "references/enforcement-integrity.json" /* below the project */

struct at_pin_rule {
	const char *which, *why;
	bool is_pinned; /* else exempt */
};
extern const struct at_pin_rule at_pin_rules[];
extern const size_t at_pin_rule_count;

/* The longest row that takes `path` in (below the source tree); NULL: neither pinned nor exempt. */
const struct at_pin_rule *at_pin_rule_of(const char *path);

/* Is `root` a source tree of this program? It has the table, or what reads it. */
bool at_integrity_is_own_tree(int root);

struct at_pin {
	const char *path;
	char sha256[AT_DIGEST_HEX]; /* lower case; "" where it was not looked at */
};

struct at_pins {
	struct at_arena *arena;
	struct at_pin *items; /* by path, ascending */
	size_t count, cap;
};

/* Release with at_pins_free(), whatever became of it. */
void at_pins_init(struct at_pins *pins);
void at_pins_free(struct at_pins *pins);
const struct at_pin *at_pins_find(const struct at_pins *pins, const char *path);

/* Reads a manifest: {"modules": {path: sha256}, "note": …, "version": 1}. Anything else is
 * AT_EPARSE or AT_EINVALID, with line and column where the text has them. */
bool at_pins_read(struct at_pins *out, struct at_bytes text, struct at_error *err);

/* Lists every source file of core, emit, keys and runner, without digests: names that begin with
 * a dot, and what an editor leaves, are none. A folder that is a link is AT_EUNSAFE. */
bool at_pins_list_sources(struct at_pins *out, int root, struct at_error *err);

/* The files of that list that are to be pinned, hashed. AT_EREFUSED names one that the table does
 * not know. */
bool at_pins_of_tree(struct at_pins *out, int root, struct at_error *err);

/* The manifest's exact bytes: sorted keys, indent 2. */
void at_pins_print(struct at_buf *out, const struct at_pins *pins);

#endif
