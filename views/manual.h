/* manual.h - what the program knows about itself, printed from its tables.
 *
 * Keys, exit status, capability matrix, advisory codes, mechanisms, effects and ceilings.
 * The Help view, --manual and the man page show the same. (UI-8)
 */
#ifndef AT_MANUAL_H
#define AT_MANUAL_H

#include "core/bytes.h"

void at_manual_print(struct at_buf *out);

/* Sections of it, for who needs one. */
void at_manual_matrix(struct at_buf *out);
void at_manual_advisories(struct at_buf *out);
void at_manual_mechanisms(struct at_buf *out);

#endif
