/* json_splice.h - a text with some ranges of it exchanged for others.
 *
 * For core/json_edit. It knows nothing of JSON: ranges may not overlap, and are taken in
 * any order.
 */
#ifndef AT_JSON_SPLICE_H
#define AT_JSON_SPLICE_H

#include "core/bytes.h"

/* What stands in `text` from `from` on, for `len` bytes, goes where [start, end) was. */
struct at_splice {
	size_t start, end, from, len;
};

struct at_splices {
	struct at_splice *list;
	size_t count, cap;
	struct at_buf text; /* all new text, in the order it was made */
};

/* Exchanges [start, end) for what was put into `text` since it was `from` bytes long. */
void at_splices_put(struct at_splices *splices, size_t start, size_t end, size_t from);

/* Appends the new text to `out`. Sorts the list. */
void at_splices_write(struct at_splices *splices, struct at_bytes old, struct at_buf *out);
void at_splices_free(struct at_splices *splices);

#endif
