/* reads.h - what agents may not read, whatever the harness.
 *
 * Two lists that claude's denyRead and goose's Seatbelt profile share: where keys are, always;
 * credentials and the operator's own paths under `exclusive`. The spelling is the brief's
 * ("~/.ssh"); how a harness wants it is the emitter's to know. (EMIT-5, REQ-5)
 */
#ifndef AT_READS_H
#define AT_READS_H

#include "emit/framework.h"
#include "emit/texts.h"

/* The keys directory, then `*.pem` files directly in ~/.config/agentteams, sorted. The texts are
 * in `arena`. */
void at_reads_of_keys(struct at_text_list *out, const struct at_project *project,
	struct at_arena *arena);

/* Credential directories, then the brief's protected_read_paths, each once; nothing unless the
 * profile is exclusive. Borrowed of the request. */
void at_reads_exclusive(struct at_text_list *out, const struct at_manifest *manifest);

/* Where this program keeps journals and backups, under `exclusive`: absolute. In `arena`; NULL
 * otherwise. */
const char *at_reads_state(const struct at_manifest *manifest, const struct at_project *project,
	struct at_arena *arena);

#endif
