/* options.h - the command line of agentteams-gate, from one table (options.def).
 *
 * Parses argv and prints the help. It knows no option's meaning beyond who it is for.
 */
#ifndef GATE_OPTIONS_H
#define GATE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

/* The words given, borrowed from argv; of a FLAG its own. NULL: not given. */
struct gate_options {
#define GATE_OPTION(FIELD, name, kind, argument, help) const char *FIELD;
#include "runner/gate/options.def"
	bool is_hook; /* options for the hook alone; else just one other */
};

/* False for what is unknown, given twice, without its value, or does not go together. */
bool gate_options_parse(struct gate_options *out, int argc, char **argv);

void gate_options_help(FILE *to);

#endif
