/* staged.h - proposals that wait for a decision: one signed record a file, for 24 hours.
 *
 * Made from a check that passed, listed without being read, read and verified before anything is
 * done with one. Deciding, the ledger and the write are the caller's. A record's path is the
 * canonical one, in both places. (STG-1; reference-ledgers 3.7, 5 row 14)
 */
#ifndef AT_SERVE_STAGED_H
#define AT_SERVE_STAGED_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/error.h"
#include "core/json_read.h"
#include "keys/isotime.h"
#include "runner/proposals/check.h"
#include "runner/proposals/site.h"

#define AT_STAGED AT_GROUND "/staged"
#define AT_STAGED_ID 33
#define AT_STAGED_CAP ((size_t)4 << 20)
#define AT_STAGED_HOURS 24

/* What a record says; texts borrowed from `doc` through the arena. */
struct at_staged {
	struct at_arena *arena; /* owns it all */
	struct at_buf text;     /* the file */
	struct at_json doc;
	bool is_malformed;      /* nothing below is set then, but `sid` */
	char sid[AT_STAGED_ID];
	const char *agent, *path, *kind, *expires_text;
	struct at_time expires; /* unset when it does not parse: `has_expiry` */
	bool has_expiry;
	uint32_t artifact;      /* node */
	uint32_t gates;
	struct at_bytes content, rationale, base; /* of the artifact; content data NULL for a delete */
	long long bytes;
	char content_sha256[AT_DIGEST_HEX];       /* "" for null */
};

/* One line of a list: what the file system and the name say, no content read. */
struct at_staged_name {
	char sid[AT_STAGED_ID];
	int64_t staged_ns; /* mtime; real clock */
	off_t size;
};
struct at_staged_names {
	struct at_staged_name *items; /* oldest first, then by sid */
	size_t count;
};

/* The directory, 0700, made when missing; -1 on failure. `make` false: -1 with AT_ENOENT when it is
 * not there. */
int at_staged_open_dir(int root, bool make, struct at_error *err);

/* Names alone: 10,000 within a few milliseconds. Others than "<32hex>.json" are passed over. */
bool at_staged_names(struct at_staged_names *out, int dir, struct at_error *err);
void at_staged_names_free(struct at_staged_names *names);

/* Reads one: no link, regular, at most AT_STAGED_CAP. AT_EREFUSED: `bad staged id`, `no staged
 * proposal S`. A record that does not parse is no failure, see `is_malformed`. Release with
 * at_staged_free(), also after a failure. Needs no key. */
bool at_staged_read(struct at_staged *out, int dir, const char *sid, struct at_error *err);
void at_staged_free(struct at_staged *staged);

/* Signed by this key, bound to itself, content as hashed, not over: the first refusals of an
 * approval, in their order. (3.7) */
bool at_staged_verify(const struct at_staged *staged, struct at_bytes key, struct at_time now,
	struct at_error *err);
bool at_staged_is_over(const struct at_staged *staged, struct at_time now);

/* The record of a check that passed; `gates` is the canonical list of what they said. Appended to
 * `out`; `sid` is made here. */
void at_staged_make(struct at_buf *out, char sid[AT_STAGED_ID], char expires[AT_STAMP],
	const struct at_check *check, struct at_bytes gates, struct at_bytes key,
	struct at_time now);

/* Writes records: all beside their place first, on the disk, then each by one rename. Several share
 * one sync. On failure none of them is there. */
struct at_staged_text {
	const char *sid;
	struct at_bytes text;
};
bool at_staged_put(int dir, const struct at_staged_text *items, size_t count,
	struct at_error *err);
bool at_staged_remove(int dir, const char *sid, struct at_error *err); /* gone already: true */

/* One member of a list: sid, agent, kind, path, bytes, gates, expires, rationale… or
 * `{sid, malformed: true}`; SPACED canonical JSON, appended. */
void at_staged_put_line(struct at_buf *out, const struct at_staged *staged);

#endif
