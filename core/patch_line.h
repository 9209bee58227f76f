/* patch_line.h - single lines of a patch, shared by patch.c and patch_line.c alone. */
#ifndef AT_PATCH_LINE_H
#define AT_PATCH_LINE_H

#include "core/patch.h"

struct patch_hunk {
	uint32_t old_first, old_count, new_first, new_count;
};

bool patch_starts(struct at_bytes line, const char *with);

/* "@@ -A[,B] +C[,D] @@…"; false for anything else, and where a line number would not fit. */
bool patch_parse_hunk(struct patch_hunk *out, struct at_bytes line);

/* '+', '-' or ' ' first, but not the "-- " above a mailer's signature. */
bool patch_is_like_change(struct at_bytes line);

/* `first`: "diff --git OLD NEW"; `old` and `new`: the "---" and "+++" lines after it. */
bool patch_names_agree(struct at_bytes first, struct at_bytes old, struct at_bytes new);

#endif
