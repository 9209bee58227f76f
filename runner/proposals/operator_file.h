/* operator_file.h - files of policy that only the operator can write, outside the project.
 *
 * ~/.config/agentteams/confined/<name>-<12hex>.json and mcp-grants/ beside it. Reading asks for
 * custody; installing shows the bytes first and writes exactly those.
 * (RUN-5, DIR-1; reference-ledgers 3.2, 3.12)
 */
#ifndef AT_PROPOSAL_OPERATOR_FILE_H
#define AT_PROPOSAL_OPERATOR_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "core/bytes.h"
#include "core/digest.h"
#include "core/error.h"
#include "keys/custody.h"
#include "keys/ed25519.h"

#define AT_CONFINED_DIR ".config/agentteams/confined" /* below the home */
#define AT_CONFINED_CAP ((size_t)65536)
#define AT_MCP_GRANTS_DIR ".config/agentteams/mcp-grants"
#define AT_MCP_GRANTS_CAP ((size_t)262144)

/* Where the file of one project is: `dir` below `home`. */
bool at_operator_path(char out[PATH_MAX], const char *home, const char *dir, const char *project,
	struct at_error *err);

struct at_operator_file {
	bool exists;
	struct at_buf bytes;
	struct at_digest digest; /* what the runner pins; unset when absent */
};

/* Reads `path` whole. File and directory must be ours, no link, writable by nobody else, outside
 * the project and the write roots. Absent is no failure. Release with at_operator_file_free(). */
bool at_operator_file_read(struct at_operator_file *out, const char *path, size_t cap,
	const struct at_custody_place *place, struct at_error *err);
void at_operator_file_free(struct at_operator_file *file);

/* Is it what was read, in custody still? A failure of custody counts as a change. (RUN-2) */
bool at_operator_file_is_still(const struct at_operator_file *file, const char *path, size_t cap,
	const struct at_custody_place *place);

/* Writes `bytes` to `path`, 0600, in directories that are made 0700, by temp and rename. */
bool at_operator_file_write(const char *path, struct at_bytes bytes,
	const struct at_custody_place *place, struct at_error *err);

#define AT_VERIFY_KEYS_DIR ".config/agentteams/verify-keys"

/* Whose signature on a direct grant counts: the operator's own store, out of every session's reach.
 * (3.2, 3.13) Borrowed. */
struct at_verify_keys {
	const char *home;
	const struct at_custody_place *place;
};

/* An at_key_find for struct at_keys; `context` is a struct at_verify_keys. AT_ENOENT where there is
 * none of that id, else as at_operator_file_read() and at_pem_read_public(). */
bool at_verify_keys_find(
	void *context, struct at_public_key *out, const char *key_id, struct at_error *err);

/* Puts the key there; nothing to do where it is. AT_EEXIST where the id holds another key. */
bool at_verify_keys_install(const struct at_verify_keys *keys, const char *key_id,
	const struct at_public_key *key, struct at_error *err);

/* The bytes that --install-confined writes: `wanted` held against the brief, gate_argv_sha256
 * added, keys sorted, two spaces a level, a final newline. Appended. Fails as at_policy_read(). */
bool at_confined_render(struct at_buf *out, struct at_bytes wanted, struct at_bytes brief,
	const char *brief_place, const char *home, struct at_error *err);

#endif
