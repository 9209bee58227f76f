/* interp.h - looks into the code that an interpreter, an editor or a tool is given on its line.
 *
 * Searches texts for calls that delete, start programs or fetch code; strings given to a shell are
 * judged as commands. It parses no language: what is put together at run time is not seen.
 */
#ifndef GATE_INTERP_H
#define GATE_INTERP_H

#include "runner/gate/judge.h"

void interp_apply(struct judge *judge, const struct gate_args *args, const char *name);

#endif
