#include "runner/review/hunks.h"

#include <stdlib.h>
#include <string.h>

#include "core/diff.h"
#include "core/mem.h"

/* Where lines begin, and the end of the text behind the last. */
static size_t *split(size_t *count, struct at_bytes text)
{
	size_t room = 2, n = 0, *starts;

	for (size_t i = 0; i < text.len; i++)
		room += text.data[i] == '\n';
	starts = at_alloc(room * sizeof(*starts));
	for (size_t at = 0; at < text.len;) {
		const char *end = memchr(text.data + at, '\n', text.len - at);

		starts[n++] = at;
		at = end ? (size_t)(end - text.data) + 1 : text.len;
	}
	starts[n] = text.len;
	*count = n;
	return starts;
}

/* A line that is the same on both sides ends a hunk. Without context none is told, so the next
 * change belongs to the same hunk only where it follows at once on both sides. */
static void take(struct at_hunks *out, bool is_added, size_t old_at, size_t new_at)
{
	struct at_hunk *last = out->count ? &out->items[out->count - 1] : NULL;

	if (!last || last->old_first + last->old_count != old_at
		|| last->new_first + last->new_count != new_at) {
		out->items = at_grow(out->items, &out->cap, out->count, sizeof(*out->items));
		last = &out->items[out->count++];
		*last = (struct at_hunk){ old_at, 0, new_at, 0 };
	}
	last->old_count += !is_added;
	last->new_count += is_added;
}

bool at_hunks_make(struct at_hunks *out, struct at_bytes old_text, struct at_bytes new_text,
	struct at_error *err)
{
	struct at_diff diff = { 0 };
	size_t added = 0, removed = 0;
	bool done;

	*out = (struct at_hunks){ .old_text = old_text, .new_text = new_text };
	out->old_lines = split(&out->old_count, old_text);
	out->new_lines = split(&out->new_count, new_text);
	done = at_diff_make(&diff, old_text, new_text, 0, err);
	for (size_t i = 0; done && i < diff.count; i++) {
		const struct at_diff_line *line = &diff.lines[i];

		if (line->kind == AT_DIFF_BINARY)
			done = at_fail(err, AT_EINVALID, "it is no text: it has no parts");
		else if (line->kind == AT_DIFF_REMOVED) {
			/* The place on the other side follows from what went and came before. */
			take(out, false, line->old_no - 1, line->old_no - 1 + added - removed);
			removed++;
		} else if (line->kind == AT_DIFF_ADDED) {
			take(out, true, line->new_no - 1 - added + removed, line->new_no - 1);
			added++;
		}
	}
	at_diff_free(&diff);
	return done;
}

void at_hunks_free(struct at_hunks *hunks)
{
	free(hunks->items);
	free(hunks->old_lines);
	free(hunks->new_lines);
	*hunks = (struct at_hunks){ 0 };
}

static void put_lines(struct at_buf *out, struct at_bytes text, const size_t *starts, size_t from,
	size_t count)
{
	at_buf_put(out, text.data + starts[from], starts[from + count] - starts[from]);
}

void at_hunks_result(struct at_buf *out, const struct at_hunks *hunks, const bool *accept)
{
	size_t old_at = 0;

	for (size_t i = 0; i < hunks->count; i++) {
		const struct at_hunk *h = &hunks->items[i];

		put_lines(out, hunks->old_text, hunks->old_lines, old_at, h->old_first - old_at);
		if (accept[i])
			put_lines(out, hunks->new_text, hunks->new_lines, h->new_first,
				h->new_count);
		else
			put_lines(out, hunks->old_text, hunks->old_lines, h->old_first,
				h->old_count);
		old_at = h->old_first + h->old_count;
	}
	put_lines(out, hunks->old_text, hunks->old_lines, old_at, hunks->old_count - old_at);
}

size_t at_hunk_of_line(const struct at_hunks *hunks, size_t new_line)
{
	for (size_t i = 0; i < hunks->count; i++)
		if (new_line > hunks->items[i].new_first
			&& new_line <= hunks->items[i].new_first + hunks->items[i].new_count)
			return i;
	return hunks->count;
}
