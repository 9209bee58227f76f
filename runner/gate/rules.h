/* rules.h - the table of rules.def applied to one command.
 *
 * Knows programs and their arguments; does not know how a command came to be run. What a table
 * cannot say (a push's refspecs, SQL, where a copy goes) stands in rules_text.c. (GATE-2, GATE-3)
 */
#ifndef GATE_RULES_H
#define GATE_RULES_H

#include "runner/gate/judge.h"

void rules_apply(struct judge *judge, const struct gate_args *args, const char *name);
void rules_apply_redirects(struct judge *judge, const struct shell_command *command);
void rules_apply_assigned(struct judge *judge, const struct shell_command *command);

/* True where the table has the program, or it is known to run no other. */
bool rules_know(const char *name);
bool rules_only_reads(const char *name);

/* The options of a program that take a value; "" where none is known. */
const char *rules_valued(const char *name);

/* rules_text.c */
void rules_apply_text(struct judge *judge, const struct gate_args *args, const char *name);

#endif
