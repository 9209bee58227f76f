/* answer.h - what the gate says to the harness, and how it says that it cannot judge.
 *
 * One contract: exit 0 with one line of JSON or with nothing. It never says allow. What it says of
 * a fault holds nothing of the input and needs no memory, so that a signal handler can say it.
 * (GATE-1, GATE-5, GATE-6, GATE-9)
 */
#ifndef AT_GATE_ANSWER_H
#define AT_GATE_ANSWER_H

#include <stdbool.h>

#include "runner/gate/gate.h"

/* Why a call could not be judged. */
enum gate_fault {
	GATE_NO_FAULT,
	GATE_MALFORMED, /* no JSON, or not the shape of a call */
	GATE_TOO_LARGE,
	GATE_NO_MEMORY,
	GATE_NO_TIME,
	GATE_CRASHED,
	GATE_FAULTS,
};

struct gate_fault_way {
	const char *id; /* for the log */
	const char *text; /* for the person; nothing of the input */
	bool asks; /* open: an ask in place of silence. What a caller can bring about by the
	                   * length of a command must not be a way through (case 36) */
};
extern const struct gate_fault_way gate_fault_ways[GATE_FAULTS];

/* Prints the verdict; a pass prints nothing. Returns the exit status: 0, or that of a gate that
 * cannot answer when standard output takes nothing. */
int gate_answer(const struct gate_verdict *verdict, bool closed);

/* The same for a fault: closed denies (status 2 where even that cannot be said), open says a line
 * on standard error and ends with 1. May be called from a signal handler. */
int gate_answer_fault(enum gate_fault fault, bool closed);

#endif
