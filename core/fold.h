/* fold.h - text without regard to case, for comparing names.
 *
 * Unicode's full case folding, composed. It compares nothing itself and knows no paths.
 */
#ifndef AT_FOLD_H
#define AT_FOLD_H

#include <stdbool.h>

#include "core/bytes.h"

/* Appends the folded text. `loose` also drops what is invisible, which some file systems do: to
 * refuse by, never to allow by. False, nothing appended, for what is no UTF-8. */
bool at_fold_text(struct at_buf *out, const char *text, bool loose);

#endif
