/* act.h - one act in the making: files that go from an old side to a new one.
 *
 * Internal to core/. An act is what a plan becomes when it is carried out, and what a
 * journal record becomes when it is read again: apply, undo and recovery share it.
 * Every step trades what two names in one held directory hold, the file's own and a
 * random one beside it; "nothing" is something a name can hold. So creating, replacing
 * and removing are one movement, and going back is the same movement again.
 *
 *	          before         after
 *	name      old            new
 *	temp      new            old
 */
#ifndef AT_ACT_H
#define AT_ACT_H

#include <sys/types.h>

#include "core/apply.h"
#include "core/bytes.h"
#include "core/digest.h"
#include "core/plan.h"

#define AT_TEMP_PREFIX ".atconsole-"
#define AT_TEMP_NAME 28 /* prefix, 16 hex digits, NUL */

/* What a name holds. `exists` false is nothing, and the rest is unset. */
struct at_side {
	bool exists;
	struct at_digest digest;
	mode_t mode;
	uid_t owner;
	gid_t group;
};

struct at_step {
	enum at_place place;
	const char *path;
	const char *name; /* last component of `path` */
	struct at_side old, new;
	struct at_bytes old_bytes, new_bytes; /* data NULL until read back from the journal */
	char temp[AT_TEMP_NAME];
	size_t held; /* index of the directory */
};

/* A directory that an act makes, or takes away at its end if it is empty. */
struct at_folder {
	enum at_place place;
	const char *path;
};

struct at_folders {
	struct at_folder *items;
	size_t count, cap;
};

/* A directory held open, so that no link planted later can lead a write elsewhere. */
struct at_held {
	enum at_place place;
	const char *path; /* "." at the top */
	int fd;           /* -1 while it does not exist */
	dev_t device;
	ino_t inode;
};

struct at_act {
	struct at_arena *arena; /* owns texts and bytes, but for those of a plan */
	char id[40], what[24];
	char undoes[40]; /* the entry that this act takes back, or "" */
	struct at_step *steps;
	size_t count, cap;
	struct at_folders made, unmade; /* parents before children */
	struct at_held *held;
	size_t held_count, held_cap;
	int roots[AT_PLACE_COUNT]; /* by enum at_place; borrowed, but for "/" */
	int journal, entry; /* journal/ and journal/ID/, or -1 */
	const char *state_path; /* borrowed, for messages */
	bool window; /* something was renamed over for want of an exchange */
};

void at_act_init(struct at_act *act, int root, const struct at_state *state);
void at_act_free(struct at_act *act);

/* Adds a step for `path` and fills in its old side from what is there, its parent
 * directories (missing ones become folders to make) and a random temp name. Fails with
 * AT_EUNSAFE on links, special files and a second hard link. */
bool at_act_look_at(struct at_act *act, enum at_place place, const char *path,
	struct at_step **step, struct at_error *err);

/* Adds a step, or a folder, as a record tells it. Copies the path. */
struct at_step *at_act_add_step(struct at_act *act, enum at_place place, const char *path);
void at_act_add_folder(struct at_act *act, struct at_folders *to, enum at_place place,
	const char *path);

/* Opens the directory of each step that is not open yet, all that can be; AT_ENOENT where
 * one is missing. With `missing_ok` such a one stays at -1: its names hold nothing. */
bool at_act_hold_all(struct at_act *act, bool missing_ok, struct at_error *err);
int at_act_dir(const struct at_act *act, const struct at_step *step);

/* Fails when the step's path leads to another directory than the one held: somebody
 * moved it or planted a link. */
bool at_act_dir_still_there(const struct at_act *act, const struct at_step *step,
	struct at_error *err);

/* What one of the step's two names holds now. Neither old nor new: it is somebody's. */
struct at_found {
	bool exists, is_old, is_new;
};
struct at_found at_act_found(const struct at_act *act, const struct at_step *step,
	const char *name);

bool at_fail_stale(struct at_error *err, const char *path);
bool at_fail_step(struct at_error *err, int sys, const char *verb, const struct at_step *step);

/* stage.c: everything new beside its place. at_unstage() takes it away again: all temps,
 * or with `strangers` only those whose bytes the journal has, and the others are
 * counted. False when one could not be removed. */
bool at_stage(struct at_act *act, struct at_error *err);
bool at_stage_folders(struct at_act *act, struct at_error *err);
bool at_stage_temp(struct at_act *act, const struct at_step *step, bool old,
	struct at_error *err);
bool at_unstage(struct at_act *act, size_t *strangers);
void at_remove_folders(const struct at_act *act, const struct at_folders *folders);

/* commit.c: trades the names of every step and looks at what came out; on any trouble
 * trades back what was traded. Steps already done are passed over, so that recovery is
 * the same call. at_roll_back() alone is for a record that says so. */
bool at_commit(struct at_act *act, struct at_error *err);
bool at_roll_back(struct at_act *act, struct at_error *err);

/* apply.c: the whole protocol for an act whose steps are known. Lock held. */
bool at_act_carry_out(struct at_act *act, struct at_applied *out, struct at_error *err);
void at_act_finish(struct at_act *act);
void at_act_discard(struct at_act *act); /* before the commit: as if it had never begun */

/* recover.c: at_journal_recover() with the lock held. */
bool at_recover_locked(int root, const struct at_state *state, struct at_error *err);

/* lock.c: one writer a project. Returns a descriptor to close, -1 with AT_EEXIST after
 * `at_lock_patience` milliseconds. */
extern unsigned at_lock_patience;
/* Waits that long for an exclusive flock() of `fd`, a file or a directory. */
bool at_lock_wait(int fd);
int at_lock_take(const struct at_state *state, struct at_error *err);

#endif
