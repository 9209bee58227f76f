#include "core/json_splice.h"

#include <stdlib.h>

#include "core/mem.h"

void at_splices_put(struct at_splices *splices, size_t start, size_t end, size_t from)
{
	splices->list =
		at_grow(splices->list, &splices->cap, splices->count, sizeof(*splices->list));
	splices->list[splices->count++] =
		(struct at_splice){ start, end, from, splices->text.len - from };
}

static int compare(const void *left, const void *right)
{
	const struct at_splice *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

void at_splices_write(struct at_splices *splices, struct at_bytes old, struct at_buf *out)
{
	size_t at = 0;

	if (splices->count)
		qsort(splices->list, splices->count, sizeof(*splices->list), compare);
	at_buf_reserve(out, old.len + splices->text.len);
	for (size_t i = 0; i < splices->count; i++) {
		const struct at_splice *s = &splices->list[i];

		at_buf_put(out, old.data + at, s->start - at);
		at_buf_put(out, at_buf_text(&splices->text) + s->from, s->len);
		at = s->end;
	}
	at_buf_put(out, old.data + at, old.len - at);
}

void at_splices_free(struct at_splices *splices)
{
	free(splices->list);
	at_buf_free(&splices->text);
}
