/* artifact.h - what an agent hands over: a change, a deletion, or a command to be run.
 *
 * Says whether the JSON has the one shape of its kind. The values are taken as they stand and are
 * judged by check.h, in the order of its table; text that no program can hold alike (a lone
 * surrogate) is refused here. (RUN-6; reference-ledgers 3.3)
 */
#ifndef AT_PROPOSAL_ARTIFACT_H
#define AT_PROPOSAL_ARTIFACT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"
#include "core/digest.h"
#include "core/error.h"
#include "core/json_read.h"

struct at_arena;

#define AT_REQUEST_CAP ((size_t)2 << 20)     /* bytes of a request, and so of an artifact */
#define AT_CONTENT_CAP ((size_t)262144)      /* UTF-8 bytes of a content */
#define AT_RATIONALE_KEPT 300u               /* characters the ledger keeps */
extern const struct at_json_limits at_artifact_limits; /* 2 MiB, 32 deep */

enum at_artifact_kind {
	AT_CHANGE_PROPOSAL = 1, /* bits, for sets of kinds */
	AT_DELETE_PROPOSAL = 2,
	AT_COMMAND_REQUEST = 4,
};
const char *at_artifact_kind_name(enum at_artifact_kind kind); /* "change-proposal", … */

/* A field: absent, something else than text, or text (which may be empty and may hold NUL). */
struct at_artifact_text {
	bool exists;
	struct at_bytes text; /* data NULL where it is no string */
};

struct at_artifact {
	enum at_artifact_kind kind;
	const struct at_json *doc; /* borrowed */
	uint32_t node;
	struct at_artifact_text dispatch, agent, path, base, content;
	struct at_artifact_text why;  /* rationale, or purpose of a command */
	struct at_artifact_text cwd, stdin_path, stdin_content;
	uint32_t gates, argv, expected_writes; /* AT_JSON_NONE where absent */
};

/* Takes the artifact at `node`; `kinds` are those the caller has a use for. Texts are in `arena`.
 * Fails with AT_EINVALID, its id artifact-kind ("not a change-proposal"), artifact-shape
 * ("change-proposal: missing [...], unknown [...]") or artifact-text. */
bool at_artifact_take(struct at_artifact *out, const struct at_json *doc, uint32_t node,
	unsigned kinds, struct at_arena *arena, struct at_error *err);

/* A list of strings of the document, in `arena`; false where the node is none, is no list, holds
 * another kind, or a string with a NUL in it. */
bool at_artifact_strings(const char *const **out, size_t *count, const struct at_json *doc,
	uint32_t node, struct at_arena *arena);

/* Stripped and cut to AT_RATIONALE_KEPT characters, as the ledger keeps it. Borrowed. */
struct at_bytes at_artifact_kept(struct at_bytes text);

/* The digest of a base: false for what is neither "absent" nor 64 lower-case digits. */
bool at_artifact_base(bool *is_absent, struct at_digest *out, struct at_bytes base);

/* Why a path cannot be one below the project, as a clause; NULL when it can. (3.3) */
const char *at_artifact_path_fault(struct at_bytes path);

/* The staged form: the object without `dispatch` and `agent` and with `path` in place of its own, in
 * SPACED canonical JSON. Appended. (3.7; the canonical path stands in both places) */
void at_artifact_put_staged(struct at_buf *out, const struct at_artifact *artifact,
	const char *path);

#endif
