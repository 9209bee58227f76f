/* The record of an act: one word and its fields a line, the path last.
 *
 *	atconsole-journal 1
 *	act merge
 *	made project .claude/hooks
 *	step project 0644:0:0:<sha256> 0755:0:0:<sha256> .atconsole-0123456789abcdef .claude/x
 *	end <sha256 of all lines above>
 */
#include "core/journal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/path.h"

#define HEAD "atconsole-journal 1\n"

static const char *const places[] = { [AT_IN_PROJECT] = "project", [AT_IN_STATE] = "state",
	[AT_ON_HOST] = "host" };

/* A newline in a file name must not make a line of its own. */
static void put_path(struct at_buf *out, const char *path)
{
	for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
		if (*p < 0x20 || *p == 0x7f || *p == '%')
			at_buf_printf(out, "%%%02x", *p);
		else
			at_buf_putc(out, (char)*p);
	}
	at_buf_putc(out, '\n');
}

static void put_side(struct at_buf *out, const struct at_side *side)
{
	char hex[AT_DIGEST_HEX];

	if (!side->exists) {
		at_buf_puts(out, "- ");
		return;
	}
	at_digest_hex(hex, &side->digest);
	at_buf_printf(out, "%04o:%ld:%ld:%s ", (unsigned)side->mode, (long)side->owner,
		(long)side->group, hex);
}

static void put_folders(struct at_buf *out, const char *word, const struct at_folders *folders)
{
	for (size_t i = 0; i < folders->count; i++) {
		at_buf_printf(out, "%s %s ", word, places[folders->items[i].place]);
		put_path(out, folders->items[i].path);
	}
}

void at_record_write(struct at_buf *out, const struct at_act *act)
{
	char hex[AT_DIGEST_HEX];
	struct at_digest digest;

	at_buf_puts(out, HEAD);
	at_buf_printf(out, "act %s\n", act->what);
	if (*act->undoes)
		at_buf_printf(out, "undoes %s\n", act->undoes);
	put_folders(out, "made", &act->made);
	put_folders(out, "unmade", &act->unmade);
	for (size_t i = 0; i < act->count; i++) {
		const struct at_step *step = &act->steps[i];

		at_buf_printf(out, "step %s ", places[step->place]);
		put_side(out, &step->old);
		put_side(out, &step->new);
		at_buf_printf(out, "%s ", step->temp);
		put_path(out, step->path);
	}
	digest = at_digest_of(at_buf_bytes(out));
	at_digest_hex(hex, &digest);
	at_buf_printf(out, "end %s\n", hex);
}

/* The next word of the line, ended in place; "" when there is none. */
static char *next_word(char **at)
{
	char *word = *at;
	size_t len = strcspn(word, " ");

	*at = word + len + (word[len] == ' ');
	word[len] = '\0';
	return word;
}

static bool read_place(enum at_place *out, const char *word)
{
	for (size_t i = 0; i < AT_LEN(places); i++) {
		if (strcmp(word, places[i]) == 0) {
			*out = (enum at_place)i;
			return true;
		}
	}
	return false;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Unescapes in place; what comes out must be a path that a plan may have. */
static bool read_path(char *text)
{
	char normal[PATH_MAX], *to = text;

	for (const char *from = text; *from;) {
		int high, low;

		if (*from != '%') {
			*to++ = *from++;
			continue;
		}
		high = hex_digit(from[1]);
		low = high < 0 ? -1 : hex_digit(from[2]);
		if (low < 0 || high * 16 + low == 0)
			return false;
		*to++ = (char)(high * 16 + low);
		from += 3;
	}
	*to = '\0';
	return at_path_normalise(normal, text) && strcmp(normal, text) == 0
		&& at_path_is_inside(text, ".") && strcmp(text, ".") != 0;
}

static bool read_side(struct at_side *out, const char *word)
{
	unsigned mode;
	long owner, group;
	int used = 0;

	if (strcmp(word, "-") == 0)
		return true;
	if (sscanf(word, "%4o:%10ld:%10ld:%n", &mode, &owner, &group, &used) != 3 || used == 0)
		return false;
	*out = (struct at_side){ true, .mode = mode, .owner = (uid_t)owner, .group = (gid_t)group };
	return mode <= 07777 && at_digest_from_hex(&out->digest, word + used);
}

static bool read_temp(char out[AT_TEMP_NAME], const char *word)
{
	size_t prefix = strlen(AT_TEMP_PREFIX);

	if (strlen(word) != AT_TEMP_NAME - 1 || strncmp(word, AT_TEMP_PREFIX, prefix) != 0
		|| strspn(word + prefix, "0123456789abcdef") != 16)
		return false;
	memcpy(out, word, AT_TEMP_NAME);
	return true;
}

static bool read_step(struct at_act *act, char *rest)
{
	struct at_step in = { 0 }, *step;

	if (!read_place(&in.place, next_word(&rest)) || !read_side(&in.old, next_word(&rest))
		|| !read_side(&in.new, next_word(&rest)) || !read_temp(in.temp, next_word(&rest))
		|| !read_path(rest))
		return false;
	step = at_act_add_step(act, in.place, rest);
	step->old = in.old;
	step->new = in.new;
	memcpy(step->temp, in.temp, sizeof(step->temp));
	return true;
}

static bool read_folder(struct at_act *act, struct at_folders *to, char *rest)
{
	enum at_place place;

	if (!read_place(&place, next_word(&rest)) || !read_path(rest))
		return false;
	at_act_add_folder(act, to, place, rest);
	return true;
}

static bool read_name(char *out, size_t size, const char *word)
{
	return *word && !strchr(word, '/')
		&& snprintf(out, size, "%s", word) < (int)size;
}

static bool read_line(struct at_act *act, char *line)
{
	char *rest = line;
	const char *word = next_word(&rest);

	if (strcmp(word, "act") == 0)
		return read_name(act->what, sizeof(act->what), rest);
	if (strcmp(word, "undoes") == 0)
		return read_name(act->undoes, sizeof(act->undoes), rest);
	if (strcmp(word, "made") == 0)
		return read_folder(act, &act->made, rest);
	if (strcmp(word, "unmade") == 0)
		return read_folder(act, &act->unmade, rest);
	return strcmp(word, "step") == 0 && read_step(act, rest);
}

/* Length of what the last line vouches for, or 0. */
static size_t sealed_length(struct at_bytes text)
{
	static const char word[] = "end ";
	size_t line = strlen(word) + 64 + 1, len;
	char hex[AT_DIGEST_HEX];
	struct at_digest said, real;

	if (text.len < strlen(HEAD) + line || memchr(text.data, '\0', text.len))
		return 0;
	len = text.len - line;
	if (strncmp(text.data, HEAD, strlen(HEAD)) != 0 || text.data[text.len - 1] != '\n'
		|| strncmp(text.data + len, word, strlen(word)) != 0)
		return 0;
	memcpy(hex, text.data + len + strlen(word), 64);
	hex[64] = '\0';
	real = at_digest_of((struct at_bytes){ text.data, len });
	return at_digest_from_hex(&said, hex) && at_digest_equal(&said, &real) ? len : 0;
}

bool at_record_read(struct at_act *act, struct at_bytes text, struct at_error *err)
{
	size_t len = sealed_length(text);
	unsigned number = 1;
	char *copy, *line;

	if (len == 0) {
		at_fail(err, AT_EPARSE, "the journal's record is damaged");
		at_error_hint(err, "Its entry still has the bytes: old-N and new-N, in its order.");
		return false;
	}
	copy = at_arena_strndup(act->arena, text.data, len);
	for (line = copy + strlen(HEAD); *line;) {
		size_t line_len = strcspn(line, "\n");

		number++;
		line[line_len] = '\0';
		if (!read_line(act, line)) {
			at_fail(err, AT_EPARSE, "line %u of the journal's record makes no sense",
				number);
			at_error_at(err, number, 1);
			return false;
		}
		line += line_len + 1;
	}
	return true;
}
