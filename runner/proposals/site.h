/* site.h - where a project's proposals are kept, and the one key that signs what happens to them.
 *
 * The key's file is looked for and opened here; its custody is that of keys/custody.h. A key in the
 * environment is never read. (RUN-1; reference-ledgers 3.2, 3.6)
 */
#ifndef AT_PROPOSAL_SITE_H
#define AT_PROPOSAL_SITE_H

#include <limits.h>
#include <stdbool.h>

#include "core/bytes.h"
#include "core/error.h"
#include "keys/custody.h"
#include "keys/isotime.h"
#include "keys/secret.h"

#define AT_GROUND ".agentteams" /* below the project: the runner's own */
#define AT_PROPOSAL_LEDGER AT_GROUND "/proposal-ledger.jsonl"
#define AT_PROPOSAL_HEAD AT_GROUND "/proposal-ledger.head"
#define AT_DISPATCHES AT_GROUND "/dispatches.jsonl"
#define AT_PROPOSAL_KEY "proposal-ledger.key" /* in ~/.config/agentteams/keys */
#define AT_PROPOSAL_KEY_CAP 4096u
#define AT_PROPOSAL_KEY_VARIABLE "AGENTTEAMS_PROPOSAL_LEDGER_KEY_FILE"

/* Borrowed, all of it. */
struct at_proposal_site {
	int root;            /* a descriptor of the project */
	struct at_bytes key; /* what at_proposal_key_load() gave, by at_secret_bytes() */
	int state;           /* a descriptor of core/state.h's directory, or -1: see
	                      * at_proposal_ledger_anchor() */
};

/* The key: `named` (the value of AT_PROPOSAL_KEY_VARIABLE; NULL or "" for the default place) must
 * lie in `home`/.config/agentteams/keys. ASCII white space around it is no part of it. Fails as
 * at_custody_read() does, and with the ids proposal-key-place, proposal-key-size,
 * proposal-key-empty. Release with at_secret_free(). */
bool at_proposal_key_load(struct at_secret *out, const char *home, const char *named,
	const struct at_custody_place *place, struct at_error *err);

/* "<name>-<12hex>.json" of the project whose physical path is `project`: what the operator's files
 * of it are called below ~/.config/agentteams. False when it does not fit. (3.2) */
bool at_operator_file_name(char out[NAME_MAX + 1], const char *project);

/* A time as every record has it: UTC, whole seconds, "+00:00". Appended. */
void at_stamp_put(struct at_buf *out, struct at_time time);
#define AT_STAMP 26 /* 25 characters and a NUL */
void at_stamp_text(char out[AT_STAMP], struct at_time time);

/* `^[a-z0-9][a-z0-9-]*$`, at most 64 characters: an agent's slug. */
bool at_agent_slug_is_sound(struct at_bytes slug);
/* `count` lower-case hexadecimal digits and nothing else. */
bool at_is_lower_hex(struct at_bytes text, size_t count);

#endif
