#include "runner/selftest/probe_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

#define LINE_MOST 2048
#define GOT "got:"

struct field {
	const char *at;
	size_t len;
};

static bool is(struct field f, const char *word)
{
	return f.len == strlen(word) && memcmp(f.at, word, f.len) == 0;
}

/* Exactly `count` fields, tabs between them. */
static bool split(struct field *out, size_t count, struct field line)
{
	const char *p = line.at, *end = p + line.len;

	for (size_t i = 0; i < count; i++) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));

		if (i + 1 < count ? !tab : tab != NULL)
			return false;
		if (!tab)
			tab = end;
		out[i] = (struct field){ p, (size_t)(tab - p) };
		p = tab + (i + 1 < count);
	}
	return true;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool holds_secret(struct field detail, const char *const *secrets)
{
	char bytes[LINE_MOST];
	size_t len = 0;

	if (detail.len < strlen(GOT) || memcmp(detail.at, GOT, strlen(GOT)) != 0)
		return false;
	for (size_t i = strlen(GOT); i + 1 < detail.len && len < sizeof(bytes); i += 2) {
		int high = hex_digit(detail.at[i]), low = hex_digit(detail.at[i + 1]);

		if (high < 0 || low < 0)
			break;
		bytes[len++] = (char)(high * 16 + low);
	}
	for (; *secrets; secrets++)
		if (memmem(bytes, len, *secrets, strlen(*secrets)))
			return true;
	return false;
}

/* What was got hold of is nothing for a report: only which it was. */
static struct field without_bytes(struct field detail)
{
	size_t i = strlen(GOT);

	if (detail.len < i || memcmp(detail.at, GOT, i) != 0)
		return detail;
	while (i < detail.len && hex_digit(detail.at[i]) >= 0)
		i++;
	while (i < detail.len && detail.at[i] == ' ')
		i++;
	return (struct field){ detail.at + i, detail.len - i };
}

static bool read_seen(enum at_seen *out, struct field word)
{
	static const struct {
		const char *word;
		enum at_seen seen;
	} words[] = { { "worked", AT_SEEN_WORKED }, { "refused", AT_SEEN_REFUSED },
		{ "absent", AT_SEEN_ABSENT }, { "broken", AT_SEEN_BROKEN } };

	for (size_t i = 0; i < AT_LEN(words); i++) {
		if (!is(word, words[i].word))
			continue;
		*out = words[i].seen;
		return true;
	}
	return false;
}

static bool is_printable(struct field f)
{
	for (size_t i = 0; i < f.len; i++)
		if ((unsigned char)f.at[i] < 0x20 || (unsigned char)f.at[i] > 0x7e)
			return false;
	return true;
}

static bool read_line(struct at_probe_text *out, struct field line, const char *const *secrets)
{
	struct field f[4];
	struct at_seen_act *act;
	struct at_probe_said *said;
	const struct at_case *one;
	char id[16];
	bool is_attempt;

	if (!split(f, 4, line) || f[0].len >= sizeof(id) || !is_printable(f[0])
		|| !is_printable(f[3]))
		return false;
	snprintf(id, sizeof(id), "%.*s", (int)f[0].len, f[0].at);
	one = at_case_find(id);
	is_attempt = is(f[1], "attempt");
	if (!one || (!is_attempt && !is(f[1], "control")))
		return false;
	said = &out->cases[one - at_cases];
	act = is_attempt ? &said->attempt : &said->control;
	if (act->seen != AT_SEEN_NOTHING || !read_seen(&act->seen, f[2]))
		return false;
	if (is_attempt) {
		out->told++;
		said->secret_seen = holds_secret(f[3], secrets);
	}
	f[3] = without_bytes(f[3]);
	snprintf(act->detail, sizeof(act->detail), "%.*s", (int)f[3].len, f[3].at);
	return true;
}

bool at_probe_text_read(struct at_probe_text *out, struct at_bytes text, const char *const *secrets,
	struct at_error *err)
{
	const char *p = text.data, *end = p + text.len, *newline;
	unsigned number = 0;

	*out = (struct at_probe_text){ .cases = at_alloc(at_case_count * sizeof(*out->cases)) };
	while (p < end && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		struct field line = { p, (size_t)(newline - p) };

		number++;
		p = newline + 1;
		if (is(line, "end") && p == end) {
			out->ended = true;
			break;
		}
		if (line.len > LINE_MOST || !read_line(out, line, secrets)) {
			at_fail(err, AT_EPARSE, "line %u of the probe is none it can have written",
				number);
			at_error_at(err, number, 1);
			return false;
		}
	}
	return true;
}

void at_probe_text_free(struct at_probe_text *text)
{
	free(text->cases);
	*text = (struct at_probe_text){ 0 };
}
