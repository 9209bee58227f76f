/* integrity_text.h - the words for pins and artefacts, for screens, lines and JSON alike.
 *
 * Texts may quote what stands in a project: whoever shows one passes it through core/safetext.
 */
#ifndef AT_INTEGRITY_TEXT_H
#define AT_INTEGRITY_TEXT_H

#include "core/json_write.h"
#include "emit/integrity.h"

/* "402 same, 1 modified"; "" for a part without items. Appended. True when a row of it fails. */
bool at_integrity_summary(struct at_buf *out, const struct at_integrity *in,
	enum at_integrity_part part);

/* One row in full, several lines. Appended. */
void at_integrity_detail(struct at_buf *out, const struct at_integrity_item *item);

/* What all of it comes to, in one sentence without a full stop. */
const char *at_integrity_verdict(const struct at_integrity *in);

/* The ceilings that stand beside it, by their place in this list; NULL past the last. */
const struct at_ceiling *at_integrity_ceiling(size_t i);

/* The whole report, once the walk has ended: members status, verdict, parts, items, ceilings. */
void at_integrity_to_json(const struct at_integrity *in, struct at_json_value *out);
void at_integrity_print(const struct at_integrity *in, struct at_buf *out);

#endif
