/* integrity.h - is what was pinned, built, emitted and recorded still what it was?
 *
 * Lists everything there is to compare in one project and compares it in slices, so that a screen
 * may do it between two keys. What belongs to which file is core/integrity's, the plan's and the
 * records' to say. It writes nothing and runs nothing. (INT-1, INT-2, INT-4, GATE-5)
 */
#ifndef AT_EMIT_INTEGRITY_H
#define AT_EMIT_INTEGRITY_H

#include "core/integrity.h"
#include "core/wiring.h"
#include "emit/framework.h"

enum at_integrity_part {
	AT_PART_ARTEFACTS, /* what --update emitted, and what the hook pins */
	AT_PART_PINS,      /* the source that a manifest pins */
	AT_PART_RECORDS,   /* other files that a record of a team has a digest of */
	AT_PART_BUILD,     /* the programs of this build, and what is compiled into it */
	AT_PARTS,
};

enum at_integrity_state {
	AT_STILL_PENDING, /* not compared yet */
	AT_STILL_SAME,
	AT_STILL_OLDER,
	AT_STILL_EDITED,
	AT_STILL_MISSING,
	AT_STILL_UNMANIFESTED, /* to be pinned, and no manifest does */
	AT_STILL_UNREADABLE,   /* a link, a special file, no manifest: it says nothing */
	AT_STILL_MANIFEST_MISSING,
	AT_STILL_OTHER,   /* of another build than this program */
	AT_STILL_ABSENT,  /* not installed, and nothing says that it should be */
	AT_STILL_KEPT,    /* somebody's own, which is as it should be */
	AT_STILL_UNKNOWN, /* cannot verify: nothing to compare with is expected */
	AT_STILL_COUNT,
};

struct at_integrity_item {
	enum at_integrity_part part;
	enum at_integrity_state state;
	enum at_level level;
	const char *path;             /* below the project, or a name */
	char expected[AT_DIGEST_HEX]; /* of a record 16 digits; "" where there is none */
	char got[AT_DIGEST_HEX];
	const char *text;   /* what is so, one sentence; may quote names */
	const char *remedy; /* what to do, or "" */
	size_t change;      /* in the plan; AT_NO_CHANGE: it is none of it */
	int how;            /* of the walk's own */
};
#define AT_NO_CHANGE ((size_t)-1)

/* A program of this build. */
struct at_integrity_program {
	const char *name;
	const char *path;   /* physical; "": it is nowhere */
	const char *sha256; /* when it was built */
	bool is_installed;  /* of the installation that runs: it must be there, unchanged */
};

struct at_integrity_ground {
	const struct at_project *project;
	const struct at_manifest *manifest;
	const struct at_plan *plan;        /* NULL: there is none, `plan_error` says why */
	const struct at_error *plan_error;
	const struct at_integrity_program *programs;
	size_t program_count;
};

struct at_integrity {
	struct at_arena *arena;
	struct at_integrity_ground ground; /* borrowed: must outlive the walk */
	struct at_integrity_item *items;   /* by part */
	size_t count, cap, next; /* `next`: the first that is pending */
	size_t hashed;           /* bytes so far */
	int team;                /* whose record is listed next */
};

/* Lists what is to be compared but for the records of teams, which the walk lists, each in a slice
 * of its own; hashes nothing. Release with at_integrity_free(), also one that is zeroed. */
void at_integrity_begin(struct at_integrity *out, const struct at_integrity_ground *ground);
/* Compares for about `ms` milliseconds, one file at least; -1: to the end. True while there is
 * more. */
bool at_integrity_work(struct at_integrity *integrity, int ms);
bool at_integrity_is_done(const struct at_integrity *integrity);
void at_integrity_free(struct at_integrity *integrity);

enum at_level at_integrity_worst(const struct at_integrity *integrity);
/* "same", "older release"; of a pin that was edited "modified", as its manifest's reader says. */
const char *at_integrity_word(const struct at_integrity_item *item);
const char *at_integrity_part_name(enum at_integrity_part part);

/* A file of the build, compiled in. */
struct at_built_in {
	const char *file, *sha256;
	const struct at_bytes *bytes;
};
extern const struct at_built_in at_built_in[];
extern const size_t at_built_in_count;

#endif
