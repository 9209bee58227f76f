/* request.h - what a request asks for, and whether its channel may ask for that.
 *
 * One table of kinds: their keys, who may queue them, whether they may share a ledger write. A
 * refusal never echoes what it refuses, but for the kind of a channel's refusal. It acts on
 * nothing. (RUN-4; reference-ledgers 3.5)
 */
#ifndef AT_SERVE_REQUEST_H
#define AT_SERVE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/error.h"
#include "core/json_read.h"
#include "runner/serve/queue.h"

enum at_request_kind {
	AT_ASK_ISSUE_DISPATCH,
	AT_ASK_APPLY_PROPOSAL,
	AT_ASK_RUN_REQUEST,
	AT_ASK_VERIFY_LEDGER,
	AT_ASK_STAGE_PROPOSAL,
	AT_ASK_APPLY_STAGED,
	AT_ASK_REJECT_STAGED,
	AT_ASK_LIST_STAGED,
	AT_ASK_SHOW_STAGED,
	AT_ASK_UNDO_APPLIED, /* the operator's alone (STG-4) */
	AT_ASK_COUNT,
};
const char *at_request_kind_name(enum at_request_kind kind);

/* Where a request came from. The operator's is no directory: the console that hosts the runner, or
 * its socket outside the project. */
enum at_asker { AT_ASKER_ORCHESTRATOR, AT_ASKER_MCP, AT_ASKER_OPERATOR };
const char *at_asker_name(enum at_asker asker); /* "orchestrator", … */

struct at_asked {
	enum at_request_kind kind;
	const struct at_json *doc; /* borrowed */
	uint32_t artifact;         /* AT_JSON_NONE where the kind has none */
	const char *agent, *via_agent, *reason; /* "" where absent */
	char sid[AT_QUEUE_ID];     /* "" where absent */
	bool dry_run;
};

/* Reads the request that `doc` is; `doc` NULL is one that was no JSON. `known` (may be NULL) is set
 * once the kind is known, also when it fails after. Texts in `arena`. Fails with AT_EREFUSED and
 * one of the ids request-unreadable, request-kind, request-shape, request-channel, request-via,
 * request-staged-id. */
bool at_request_take(struct at_asked *out, bool *known, const struct at_json *doc,
	enum at_asker asker, struct at_arena *arena, struct at_error *err);

/* The same from bytes. `doc` is released by at_json_free() either way. */
bool at_asked_read(struct at_asked *out, struct at_json *doc, bool *known, struct at_bytes text,
	enum at_asker asker, struct at_arena *arena, struct at_error *err);

/* May requests of this kind share one write of the ledger? */
bool at_request_groups(enum at_request_kind kind);

/* The bytes of a request: members in order, `artifact` raw JSON or empty. Appended. */
struct at_request_words {
	enum at_request_kind kind;
	struct at_bytes artifact;
	const char *agent, *via_agent, *sid, *reason; /* NULL: left out */
	bool dry_run;
};
void at_request_put(struct at_buf *out, const struct at_request_words *words);

#endif
