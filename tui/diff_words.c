#include "tui/diff_words.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

struct token {
	uint32_t hash;
	uint16_t from, to;
};

struct side {
	const char *data;
	struct token *tokens;
	size_t count;
};

enum class { BLANK, WORD, OTHER };

static enum class class_of(unsigned char c) {
	if (c == ' ' || c == '\t' || c == '\r') return BLANK;
	if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'
		|| c >= 0x80) return WORD;
	return OTHER;
}

/* Words and runs of space are one token each, any other byte is its own. */
static void split(struct side *side, struct at_bytes text)
{
	side->data = text.data;
	side->tokens = at_alloc((text.len + 1) * sizeof(*side->tokens));
	for (size_t at = 0; at < text.len;) {
		struct token *token = &side->tokens[side->count++];
		enum class class = class_of((unsigned char)text.data[at]);

		*token = (struct token){ .hash = 2166136261u, .from = (uint16_t)at };
		do
			token->hash = (token->hash ^ (unsigned char)text.data[at++]) * 16777619u;
		while (class != OTHER && at < text.len
			&& class_of((unsigned char)text.data[at]) == class);
		token->to = (uint16_t)at;
	}
}

static bool same(const struct side *a, size_t i, const struct side *b, size_t k)
{
	const struct token *x = &a->tokens[i], *y = &b->tokens[k];

	return x->hash == y->hash && x->to - x->from == y->to - y->from
		&& memcmp(a->data + x->from, b->data + y->from, (size_t)(x->to - x->from)) == 0;
}

/* Marks in `kept` the tokens of `a` in the longest common run of both middles [head, …end). */
static void keep_common(const struct side *a, const struct side *b, size_t head, size_t a_end,
	size_t b_end, bool *kept)
{
	size_t n = a_end - head, m = b_end - head, width = m + 1;
	uint16_t *best;

	if (!n || !m || n * m > AT_DIFF_WORDS_STEPS)
		return;
	best = at_alloc((n + 1) * width * sizeof(*best));
	for (size_t i = n; i-- > 0;) {
		for (size_t k = m; k-- > 0;) {
			uint16_t down = best[(i + 1) * width + k], right = best[i * width + k + 1];

			best[i * width + k] = same(a, head + i, b, head + k)
				? (uint16_t)(best[(i + 1) * width + k + 1] + 1)
				: down > right ? down
					       : right;
		}
	}
	for (size_t i = 0, k = 0; i < n && k < m;) {
		if (same(a, head + i, b, head + k)) {
			kept[head + i] = true;
			i++;
			k++;
		} else if (best[(i + 1) * width + k] >= best[i * width + k + 1]) {
			i++;
		} else {
			k++;
		}
	}
	free(best);
}

static bool is_blank(const struct side *side, size_t i)
{
	return class_of((unsigned char)side->data[side->tokens[i].from]) == BLANK;
}

/* Runs of tokens that are not kept; one blank between two of them is no gap. */
static size_t collect(
	const struct side *side, const bool *kept, struct at_diff_part *out, size_t most)
{
	size_t count = 0;

	for (size_t i = 0; i < side->count; i++) {
		const struct token *token = &side->tokens[i];
		bool joins = count && i >= 2 && !kept[i - 2] && is_blank(side, i - 1);

		if (kept[i])
			continue;
		if (count && (joins || out[count - 1].to == token->from))
			out[count - 1].to = token->to;
		else if (count == most)
			out[count - 1].to = token->to; /* too many to tell apart */
		else
			out[count++] = (struct at_diff_part){ token->from, token->to };
	}
	return count;
}

/* Bytes that are no space; `kept` NULL: all of them. */
static size_t inked(const struct side *side, const bool *kept)
{
	size_t bytes = 0;

	for (size_t i = 0; i < side->count; i++) {
		if ((!kept || kept[i]) && !is_blank(side, i))
			bytes += (size_t)(side->tokens[i].to - side->tokens[i].from);
	}
	return bytes;
}

size_t at_diff_words(
	struct at_bytes text, struct at_bytes other, struct at_diff_part *out, size_t most)
{
	size_t head = 0, tail = 0, shorter, count = 0, least;
	struct side a = { 0 }, b = { 0 };
	bool *kept;

	if (!text.len || !other.len || !most || text.len > AT_DIFF_WORDS_CAP
		|| other.len > AT_DIFF_WORDS_CAP)
		return 0;
	split(&a, text);
	split(&b, other);
	kept = at_alloc(a.count * sizeof(*kept));
	shorter = a.count < b.count ? a.count : b.count;
	while (head < shorter && same(&a, head, &b, head))
		kept[head++] = true;
	while (tail < shorter - head && same(&a, a.count - 1 - tail, &b, b.count - 1 - tail))
		kept[a.count - 1 - tail++] = true;
	keep_common(&a, &b, head, a.count - tail, b.count - tail, kept);
	least = inked(&a, NULL) < inked(&b, NULL) ? inked(&a, NULL) : inked(&b, NULL);
	if (inked(&a, kept) * 3 >= least)
		count = collect(&a, kept, out, most);
	free(kept);
	free(a.tokens);
	free(b.tokens);
	return count;
}
