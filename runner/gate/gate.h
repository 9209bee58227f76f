/* gate.h - what the gate says of one tool call, and what it must know to say it.
 *
 * The words that the parts of agentteams-gate share: the shell reader (shell.h) reads a command,
 * the rules (rules.h) judge it, the scanner (scan.h) judges content, the program speaks with the
 * harness. Nothing here starts a program or writes. (GATE-1 to GATE-10)
 */
#ifndef AT_GATE_H
#define AT_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"

/* The stronger has the higher value: of several findings the strongest, then the first, counts. */
enum gate_decision { GATE_PASS, GATE_ASK, GATE_DENY };

#define GATE_REASON 600

struct gate_verdict {
	enum gate_decision decision;
	const char *reason_id; /* of a fixed list, "fs-delete"; "" on a pass. A constant */
	const char *class;     /* its class in the shared lists, "fs-delete", "priv"; a constant */
	bool irreversible;     /* nothing brings it back: under bypass mode an ask becomes a deny */
	char reason[GATE_REASON]; /* for the person. A deny holds nothing of the input (GATE-9) */
};

/* Keeps the stronger of both in `out`. */
void gate_verdict_take(struct gate_verdict *out, const struct gate_verdict *other);

/* Rows count from 0, in the order of the file. */
enum gate_table { GATE_RULES, GATE_WRAPPERS };

struct gate_context {
	const char *project; /* physical root of the project, or "" */
	const char *cwd;     /* of the session, or "" */
	const char *home;    /* or "" */
	bool bypass;         /* the session's permission mode swallows an ask */
	bool closed;         /* an explicit confined or exclusive profile */
	/* Reads a script of the project that a command runs, at most `cap` bytes; false when it
	 * is not there, too big, no plain file or outside. NULL: scripts are not looked into. */
	bool (*read_script)(void *user, const char *path, size_t cap, struct at_buf *out);
	/* Told of each row of a table that something was found by, for the test that every row
	 * is of use. NULL: nobody wants to know. */
	void (*fired)(void *user, enum gate_table table, size_t row);
	void *user;
};

/* The whole judgement of a Bash command: reads, peels, applies every rule. Linear in its length,
 * bounded in memory; what is too long or too deep is an ask. Never fails. */
void gate_judge_command(
	struct gate_verdict *out, struct at_bytes command, const struct gate_context *context);

/* The same, and how it came to it, for --explain: the commands as words, what was peeled off,
 * the rule that fired; appended to `told`, raw bytes made visible by the caller. */
void gate_explain_command(struct gate_verdict *out, struct at_bytes command,
	const struct gate_context *context, struct at_buf *told);

#endif
