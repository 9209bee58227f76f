/* build_log.h - references/build-log.json: the team's marker and the record of its runs.
 *
 * One that another tool made is edited in place: foreign keys and bytes stay. Hashes of
 * agent files are recorded when first seen and then left alone, so that a changed file
 * stays tellable. A log that cannot be read stops everything. (EMIT-14)
 */
#ifndef AT_BUILD_LOG_H
#define AT_BUILD_LOG_H

#include "core/file.h"
#include "core/json_read.h"
#include "emit/framework.h"

#define AT_BUILD_LOG_HEX 17 /* the first 16 digits of a SHA-256, and a NUL */

struct at_build_log_item;

struct at_build_log {
	struct at_arena *arena;
	const char *path; /* below the project */
	struct at_file file;
	struct at_json doc; /* an object, when file.exists */
	uint32_t hashes;    /* the node of file_hashes, or AT_JSON_NONE */
	struct at_build_log_item *items; /* its members by key */
};

/* Absent is fine; anything that cannot be read or is not of the known shape is an error. */
bool at_build_log_read(struct at_build_log *out, const struct at_project *project,
	struct at_error *err);
void at_build_log_free(struct at_build_log *log);

/* Is the file at `path` (below the project) recorded with the digest of `bytes`? */
bool at_build_log_knows(const struct at_build_log *log, const struct at_project *project,
	const char *path, struct at_bytes bytes);

/* `path` (below the project) as seen from the team directory: "../hooks/x". In `arena`. */
const char *at_build_log_key(const struct at_project *project, const char *path,
	struct at_arena *arena);

/* The node recorded for a key, or AT_JSON_NONE; the digest as it is recorded. */
uint32_t at_build_log_find(const struct at_build_log *log, const char *key);
void at_build_log_digest(char out[AT_BUILD_LOG_HEX], struct at_bytes bytes);

/* Adds the log to the plan, last: it records every file that the plan holds. Agent files
 * are those in the team directory that end in `agent_ext`. */
bool at_build_log_plan(struct at_plan *plan, struct at_notices *notices,
	const struct at_build_log *log, const struct at_manifest *manifest,
	const struct at_project *project, const char *agent_ext, struct at_error *err);

#endif
