/* peel.h - takes a wrapper off: what it runs is judged as if it stood alone.
 *
 * The wrappers' grammar stands in wrappers.def; shells, eval, find and trap have functions here.
 * It judges nothing itself but what hides. (GATE-8)
 */
#ifndef GATE_PEEL_H
#define GATE_PEEL_H

#include "runner/gate/judge.h"

/* False where the program runs no other that is known of. */
bool peel_apply(struct judge *judge, const struct gate_args *args, const char *name);

/* A program nobody knows in front of one that the rules know: it may be a wrapper. */
void peel_stranger(struct judge *judge, const struct gate_args *args, const char *name);

#endif
