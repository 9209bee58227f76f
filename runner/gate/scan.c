#include "runner/gate/scan.h"

#include <string.h>

#include "runner/gate/scan_parts.h"

const struct scan_rule_row scan_rules[SCAN_RULES] = {
#define SCAN_RULE(name, category, id, message, severity, needs) \
	[SCAN_##name] = { category, id, message, severity, needs },
#include "runner/gate/scan_rules.def"
#undef SCAN_RULE
};

struct window {
	struct scan_fold fold;
	/* Behind what is kept of a token that is still open; a line break and a NUL after the
	 * last. */
	char chars[SCAN_TOKEN_MOST + SCAN_WINDOW + 2];
	size_t at, len;
	bool ended;
};

static void fill(struct window *window)
{
	const size_t most = SCAN_TOKEN_MOST + SCAN_WINDOW;

	while (window->len < most) {
		int c;

		window->len += scan_fold_plain(
			&window->fold, window->chars + window->len, most - window->len);
		if (window->len == most)
			break;
		c = scan_fold_next(&window->fold);
		if (c == SCAN_END) {
			window->ended = true;
			window->chars[window->len++] = '\n';
			break;
		}
		window->chars[window->len++] = (char)c;
	}
	window->chars[window->len] = '\0';
}

/* Matches every place that has enough after it, and keeps the rest for the next window. */
static void walk_window(struct window *window, struct scan_walk *walk)
{
	size_t at = window->at, past = window->ended ? window->len : window->len - SCAN_REACH;
	size_t drop;

	while (at < past) {
		scan_walk_step(walk, window->chars + at++);
		at += scan_walk_skip(walk, window->chars + at, past - at);
	}
	drop = at < SCAN_TOKEN_MOST ? 0 : at - SCAN_TOKEN_MOST;
	window->at = at - drop;
	window->len -= drop;
	memmove(window->chars, window->chars + drop, window->len);
}

size_t scan_text_work(struct scan_result *out, struct at_bytes text, bool quotes_phrases)
{
	struct window window = { .fold = { .at = text.data, .end = text.data + text.len } };
	struct scan_walk walk;

	memset(out, 0, sizeof(*out));
	if (!text.len)
		return 0;
	scan_walk_start(&walk, out, quotes_phrases);
	walk.front = scan_front_matter(text);
	while (!window.ended) {
		fill(&window);
		walk_window(&window, &walk);
	}
	return walk.work + text.len;
}

void scan_text(struct scan_result *out, struct at_bytes text, bool quotes_phrases)
{
	scan_text_work(out, text, quotes_phrases);
}
