/* limits.h - the gate ends itself before anything else has to.
 *
 * Bounds on time, memory and core files, and an answer by the fail mode when one is reached or the
 * program crashes: a harness takes a gate that was killed for leave to go on. What kills or stops
 * the program from outside is out of reach. (GATE-9)
 */
#ifndef AT_GATE_LIMITS_H
#define AT_GATE_LIMITS_H

#include <stdbool.h>

/* Wall time for one call, far below the hook's timeout. */
#define GATE_DEADLINE_MS 1500

/* Bounds alone: for the people's subcommands, which may take their time. */
void gate_limits_bound(void);

/* Bounds, deadline and answers, for one call. First thing in a hook. */
void gate_limits_set(bool closed);

/* From here until it is out no limit says anything: of two answers a client takes neither. */
void gate_limits_answering(void);

/* The answer is out, only the log is left: from now on the deadline, set anew, ends the program
 * without a word more. */
void gate_limits_answered(int status);

#endif
