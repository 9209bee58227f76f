/* queue.h - files that agents and orchestrators leave for the runner, and what it leaves for them.
 *
 * The channel is the directory a request came from, never a field of it. Everything below
 * .agentteams-queue is written by others: each entry is looked at through a held directory, opened
 * without following and without waiting, and taken by a rename. It parses nothing but asks whether
 * a text is JSON yet, so that a half-written request is waited for. (RUN-4; reference-ledgers 3.2,
 * 3.5, 5 row 16)
 */
#ifndef AT_SERVE_QUEUE_H
#define AT_SERVE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/error.h"
#include "runner/proposals/check.h"

#define AT_QUEUE_GROUND ".agentteams-queue"
#define AT_QUEUE_REQUESTS AT_QUEUE_GROUND "/requests"
#define AT_QUEUE_MCP AT_QUEUE_GROUND "/mcp-requests"
#define AT_QUEUE_ACKS AT_QUEUE_GROUND "/acks"
#define AT_QUEUE_CLAIMED AT_GROUND "/queue-claimed"
#define AT_QUEUE_RESULTS AT_GROUND "/queue-results"

#define AT_QUEUE_ID 33           /* 32 lower-case digits and a NUL */
#define AT_QUEUE_GRACE_MS 2000   /* younger than this an unfinished request is left alone */
#define AT_RESULT_LIFE_S 300     /* of a result that nobody acknowledged */
#define AT_RESULT_CAP ((size_t)2 << 20)

struct at_queue;

/* Makes what is missing (the queue 0755 below the umask, the runner's own 0700) and holds all of it.
 * Fails with AT_EUNSAFE where one is a link or no directory, naming it. */
bool at_queue_open(struct at_queue **out, int root, struct at_error *err);
void at_queue_close(struct at_queue *queue); /* NULL is fine */

/* Are the names of the project still the directories that are held? (3.6, before serving) */
bool at_queue_is_still(const struct at_queue *queue, struct at_error *err);

/* Descriptors of requests, mcp-requests and acks, to wait on. Borrowed. */
#define AT_QUEUE_WATCHED 3
void at_queue_watched(const struct at_queue *queue, int out[AT_QUEUE_WATCHED]);

/* One request, claimed: its file is in queue-claimed, its bytes are here. */
struct at_claim {
	char id[AT_QUEUE_ID];
	enum at_channel channel;
	struct at_buf text;    /* empty where `fault` is set */
	const char *fault;     /* "request too large", …: the fixed refusal, or NULL */
	int64_t waited_ms;     /* since it was published; 0 when the clock says less */
};
void at_claim_free(struct at_claim *claim);

/* Takes the next: the orchestrator's directory first and completely, in each by age, then by name.
 * `now_ms` of the real clock. False when there is none now, or with `err->code` set on I/O of the
 * runner's own directories. Entries with the name of a request that are no regular file with one
 * name are taken out of the way and told by at_queue_odd(); other names are never opened. */
bool at_queue_next(struct at_claim *out, struct at_queue *queue, int64_t now_ms,
	struct at_error *err);

/* When an unfinished request has to be looked at again: milliseconds, -1 for never. */
int at_queue_patience(const struct at_queue *queue);

/* What was set aside since the last call: one line each, for the operator. Appended. */
void at_queue_odd(struct at_buf *out, struct at_queue *queue);

/* Puts a result where its client looks, by temp and rename, and lets the claim go. Not synced: a
 * result tells of a row, it is none. */
bool at_queue_answer(struct at_queue *queue, const char *id, struct at_bytes result,
	struct at_error *err);

/* Takes away results that were acknowledged, with their acks, and those older than
 * AT_RESULT_LIFE_S. `aged` false looks at acks alone, which is cheap. */
void at_queue_sweep(struct at_queue *queue, int64_t now_ms, bool aged);

/* Claims that a run which ended left behind: calls `each` with the id and removes the claim. They
 * are never served again. */
bool at_queue_left(struct at_queue *queue,
	bool (*each)(void *context, const char *id, struct at_error *err), void *context,
	struct at_error *err);

#endif
