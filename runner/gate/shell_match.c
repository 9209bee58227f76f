/* Patterns of ${x#…}, ${x/…}: matched with * ? and escapes; what has more to it is unknown. */
#include <string.h>

#include "runner/gate/shell_impl.h"

#define MATCHED 512 /* bytes of text or pattern at most: the search is quadratic */

static bool is_plain(struct at_bytes pattern)
{
	for (size_t i = 0; i < pattern.len; i++) {
		if (pattern.data[i] == '\\')
			i++;
		else if (strchr("[(", pattern.data[i]))
			return false;
	}
	return true;
}

int sh_match(struct sh *sh, struct at_bytes pattern, struct at_bytes text)
{
	size_t p = 0, t = 0, star = (size_t)-1, from = 0;

	if (!is_plain(pattern) || sh_has_unknown(pattern) || sh_has_unknown(text))
		return -1;
	while (sh_charge(sh, 1)) {
		bool escaped = p + 1 < pattern.len && pattern.data[p] == '\\';
		char c = p < pattern.len ? pattern.data[p + escaped] : '\0';

		if (p < pattern.len && c == '*' && !escaped) {
			star = p++;
			from = t;
		} else if (t < text.len && p < pattern.len
			&& ((c == '?' && !escaped) || c == text.data[t])) {
			p += 1 + escaped;
			t++;
		} else if (t == text.len && p == pattern.len) {
			return 1;
		} else if (star != (size_t)-1 && from < text.len) {
			p = star + 1;
			t = ++from;
		} else {
			return 0;
		}
	}
	return -1;
}

static bool is_short(struct at_bytes text, struct at_bytes pattern)
{
	if (text.len > MATCHED || pattern.len > MATCHED)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.data[i] >= 0x80)
			return false; /* a character there may be several bytes */
	return true;
}

struct at_bytes sh_trim(
	struct sh *sh, struct at_bytes text, struct at_bytes pattern, bool at_end, bool longest)
{
	if (!is_short(text, pattern))
		return sh_unknown;
	for (size_t i = 0; i <= text.len; i++) {
		size_t len = longest ? text.len - i : i;
		struct at_bytes cut = { at_end ? text.data + text.len - len : text.data, len };
		int matches = sh_match(sh, pattern, cut);

		if (matches < 0)
			return sh_unknown;
		if (matches)
			return (struct at_bytes){ at_end ? text.data : text.data + len,
				text.len - len };
	}
	return text;
}

/* The longest match that begins at `at`; false with *len: cannot be told. */
static bool longest(struct sh *sh, struct at_bytes text, size_t at, struct at_bytes pattern,
	bool to_end, size_t *len)
{
	for (size_t n = text.len - at + 1; n-- > 0;) {
		int matches = sh_match(sh, pattern, (struct at_bytes){ text.data + at, n });

		if (matches < 0)
			return false;
		*len = n;
		if (matches)
			return true;
		if (to_end)
			break;
	}
	*len = (size_t)-1;
	return true;
}

struct at_bytes sh_replace(struct sh *sh, struct at_bytes text, struct at_bytes pattern,
	struct at_bytes by, char anchor, bool all)
{
	struct sh_text out = { 0 };
	bool done = false;

	if (!is_short(text, pattern))
		return sh_unknown;
	if (!pattern.len)
		return text;
	for (size_t i = 0, len; i < text.len && !sh->stop; i += len) {
		if (!longest(sh, text, i, pattern, anchor == '%', &len))
			return sh_unknown;
		if (len == (size_t)-1 || !len || done || (anchor == '#' && i)) {
			len = 1;
			sh_text_put(sh, &out, text.data + i, 1);
			continue;
		}
		sh_text_put(sh, &out, by.data, by.len);
		done = !all;
	}
	return (struct at_bytes){ out.len ? out.data : "", out.len };
}
