/* confine.h - the launcher a runner starts commands in, and the words of one start.
 *
 * What is started is the launcher this program ships: written into a private directory outside
 * the project, its SHA-256 compared with the built-in one after writing and before every start.
 * The copy in the project is never looked at. Which agent may run what is not known here: an
 * entry comes in as plain lists. (RUN-5; reference-ledgers 3.12)
 */
#ifndef AT_CONFINE_H
#define AT_CONFINE_H

#include <limits.h>
#include <stdbool.h>

#include "core/error.h"
#include "core/mem.h"

enum at_confined { AT_CONFINED_UNKNOWN, AT_CONFINED_BWRAP, AT_CONFINED_SEATBELT, AT_UNCONFINED };

/* As the ledger has it: bwrap, seatbelt, unconfined-opt-out; "" while it is not known. */
const char *at_confined_name(enum at_confined how);

/* All borrowed, for as long as the struct at_confine lives. */
struct at_confine_setup {
	const char *project; /* physical, absolute */
	const char *private_dir; /* absolute; its parents exist; made with 0700. See below */
	char *const *environment; /* of the operator: HOME, PATH, XDG_STATE_HOME are read */
	bool allow_root; /* a runner of root's own; the launcher drops all capabilities */
	bool allow_unconfined; /* allow_unconfined_runs: only where no sandbox can be had */
};

struct at_confine {
	struct at_confine_setup setup;
	struct at_arena *arena;
	const char *search_path, *home,
		*state_home; /* without what leads into the project; or "" */
	int project, dir; /* descriptors */
	enum at_confined how; /* AT_CONFINED_UNKNOWN until at_confine_probe() */
	unsigned long count; /* of directories made */
};

/* Makes the launcher ready. AT_EUNSAFE when the private directory is a link, another user's,
 * open to others, inside the project, or so high that the project is inside it. */
bool at_confine_open(
	struct at_confine *out, const struct at_confine_setup *setup, struct at_error *err);
void at_confine_close(struct at_confine *confine);

/* Is a sandbox usable here? Runs `true` in one, once (20 s at most); the answer is kept. Where
 * none is: `no usable OS sandbox here (…)`, AT_EREFUSED, or AT_UNCONFINED with
 * allow_unconfined. Never AT_UNCONFINED where a sandbox can be had. */
bool at_confine_probe(struct at_confine *confine, struct at_error *err);

/* Is the launcher still the one that was written? AT_EUNSAFE when not; nothing is repaired. */
bool at_confine_check(struct at_confine *confine, struct at_error *err);

/* A fresh private directory for one run, 0700, below the private directory: its TMPDIR. Owned by
 * `arena`. NULL on failure. at_confine_remove_tmp() takes it away with all that a command left
 * there, whatever its depth, modes or names; false when something stays. */
const char *at_confine_make_tmp(
	struct at_confine *confine, struct at_arena *arena, struct at_error *err);
bool at_confine_remove_tmp(struct at_confine *confine, const char *tmp);

/* One run's place, ended by NULL each; NULL is an empty list. */
struct at_confine_entry {
	const char *const *exec; /* absolute or ~/: argv[0] is one of them, or below one */
	const char *const *write; /* directories below the project that may be written */
	const char *const *protect; /* paths below the project, read-only also inside those; ones
	                             * that are not there are passed over */
	const char *const *hide; /* absolute paths nobody inside reads: the key's directory */
	bool egress; /* the host's network; without: none at all */
};

/* The words that start `program` with argv[1…] in `cwd` (below the project, "." for itself):
 * ended by NULL and owned by `arena`. Unconfined they are the command's own. The checks of 3.12,
 * at the moment of the call: every write root an existing real directory below the project, no
 * link in any component; `cwd` too; no exec path that is `/`, the home or holds the project; no
 * exec path that overlaps a writable place. AT_EREFUSED otherwise. at_confine_probe() first. */
const char *const *at_confine_words(struct at_confine *confine, struct at_arena *arena,
	const struct at_confine_entry *entry, const char *program, const char *const *argv,
	const char *cwd, const char *tmp, struct at_error *err);

/* What the words above leave in `tmp`: the command was really started; processes were left when
 * it had ended. Always true and false when unconfined. */
bool at_confine_has_started(const struct at_confine *confine, const char *tmp);
bool at_confine_has_survivors(const struct at_confine *confine, const char *tmp);

#endif
