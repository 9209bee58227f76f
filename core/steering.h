/* steering.h - environment names that decide what a client runs, where it talks, or what
 * guards it.
 *
 * One table for the wiring check, the effects of a change and the emitters. Names only: a
 * value may be a key. (WIRE-4, WIRE-9, WIRE-16)
 */
#ifndef AT_STEERING_H
#define AT_STEERING_H

#include "core/bytes.h"

/* What a variable of this name does to a session ("loads code into every program"), or
 * NULL when it steers nothing known. Static. */
const char *at_steering_of(struct at_bytes name);

#endif
