/* signs.h - characters that make a command look like another one.
 *
 * Control bytes, marks of writing direction, letters without width. (GATE-8)
 */
#ifndef GATE_SIGNS_H
#define GATE_SIGNS_H

#include <stdbool.h>

#include "core/bytes.h"

/* A control byte other than tab and line end, or a mark of direction, anywhere. */
bool signs_in_command(struct at_bytes text);

/* In the name of a program: anything without width, too. */
bool signs_in_word(struct at_bytes text);

#endif
