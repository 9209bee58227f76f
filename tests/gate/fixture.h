/* fixture.h - runs the gate's program, and its emitted hook, in a directory of their own.
 *
 * Scripts of sh see $G (the program), $P (the project), $D (the directory) and $C (the console).
 * Nothing lies below a work tree of git: the log refuses those.
 */
#ifndef GATE_FIXTURE_H
#define GATE_FIXTURE_H

#include <stdbool.h>

#include "core/child.h"
#include "support/support.h"

#define PLAIN_UID "4243" /* who runs when root is not to */

int gate_setup(void **state);
int gate_teardown(void **state);
const char *gate_dir(void);

struct gate_ran {
	int status;
	const char *out, *err; /* until the next run */
};
/* Fails the test when it took longer than ten seconds. */
struct gate_ran gate_sh(const char *script);
/* The same as a plain user, where the caller is root. */
struct gate_ran gate_sh_plain(const char *script);
/* A hook call: `json` is the input. */
struct gate_ran gate_call(const char *json, bool closed);

/* "pass", "ask", "deny", or "?" for what is no answer. */
const char *gate_decision(const char *out);

#endif
