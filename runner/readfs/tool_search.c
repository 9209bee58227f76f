/* find and grep. */
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/utf8.h"
#include "runner/readfs/glob.h"
#include "runner/readfs/tools.h"
#include "runner/readfs/walk.h"

struct search {
	struct at_readfs_result *out;
	const struct at_readfs_args *args;
	char pattern[AT_READFS_PATTERN_CAP + 1], glob[AT_READFS_PATTERN_CAP + 1];
	regex_t regex;
	unsigned hits, passed_over;
	bool is_cut;
};

void at_readfs_note_walk(
	struct at_readfs_result *out, const struct at_readfs_walk *walk, bool hits_cut)
{
	if (hits_cut)
		at_buf_puts(&out->note, "Cut: there are more hits. ");
	if (walk->is_cut)
		at_buf_puts(
			&out->note, "Cut: too many entries or too deep, not all were looked at. ");
	if (walk->denied)
		at_buf_printf(&out->note, "Not looked at: %u on the list of what is never read. ",
			walk->denied);
}

static bool take_text(char out[AT_READFS_PATTERN_CAP + 1], struct at_bytes text)
{
	if (text.len > AT_READFS_PATTERN_CAP || (text.len && memchr(text.data, '\0', text.len)))
		return false;
	if (text.len)
		memcpy(out, text.data, text.len);
	out[text.len] = '\0';
	return true;
}

static bool take_patterns(struct search *s)
{
	if (take_text(s->pattern, s->args->pattern) && take_text(s->glob, s->args->glob)
		&& *s->pattern)
		return true;
	at_readfs_refuse(s->out, "Refused: a pattern is empty, too long or holds a NUL.");
	return false;
}

static bool has_room(struct search *s)
{
	s->is_cut = s->hits >= AT_READFS_HITS || s->out->text.len >= AT_READFS_TEXT_CAP;
	return !s->is_cut;
}

static bool visit_name(void *user, const struct at_readfs_node *node)
{
	struct search *s = user;

	if (!at_readfs_glob(s->pattern, node->path))
		return true;
	if (!has_room(s))
		return false;
	at_buf_printf(&s->out->text, "%-9s ", at_readfs_kind(node->st.st_mode));
	at_readfs_put_name(&s->out->text, node->path);
	at_buf_putc(&s->out->text, '\n');
	s->hits++;
	return true;
}

/* Bytes, as Python's lower() would have ASCII: no locale is set. */
static const char *find_text(const char *in, const char *text, bool ignore_case)
{
	return ignore_case ? strcasestr(in, text) : strstr(in, text);
}

static bool is_hit(const struct search *s, const char *line)
{
	if (s->args->regex)
		return regexec(&s->regex, line, 0, NULL, 0) == 0;
	return find_text(line, s->pattern, s->args->ignore_case) != NULL;
}

/* Not in the middle of a character. */
static size_t shown(const char *line, size_t len)
{
	if (len <= AT_READFS_GREP_LINE)
		return len;
	len = AT_READFS_GREP_LINE;
	while (len && ((unsigned char)line[len] & 0xc0) == 0x80)
		len--;
	return len;
}

static bool put_hit(struct search *s, const char *path, unsigned number, const char *line)
{
	size_t len = strlen(line), part = shown(line, len);

	if (!has_room(s))
		return false;
	at_readfs_put_name(&s->out->text, path);
	at_buf_printf(&s->out->text, ":%u:", number);
	at_buf_put(&s->out->text, line, part);
	at_buf_puts(&s->out->text, part < len ? " [cut]\n" : "\n");
	s->hits++;
	return true;
}

static bool search_text(struct search *s, const char *path, char *text)
{
	unsigned number = 0;

	while (*text) {
		char *end = strchrnul(text, '\n'), *next = *end ? end + 1 : end;

		*end = '\0';
		number++;
		if (is_hit(s, text) && !put_hit(s, path, number, text))
			return false;
		text = next;
	}
	return true;
}

static bool read_whole(struct at_buf *out, const struct at_readfs_node *node)
{
	int fd = at_readfs_open(node, 0);
	bool ok = fd >= 0;

	while (ok && out->len <= AT_READFS_GREP_FILE) {
		ssize_t got;

		at_buf_reserve(out, 65536);
		got = read(fd, out->data + out->len, 65535);
		if (got < 0 && errno == EINTR)
			continue;
		ok = got >= 0;
		if (got <= 0)
			break;
		out->len += (size_t)got;
	}
	if (fd >= 0)
		close(fd);
	if (out->data)
		out->data[out->len] = '\0';
	return ok && out->len <= AT_READFS_GREP_FILE;
}

static bool visit_file(void *user, const struct at_readfs_node *node)
{
	struct search *s = user;
	struct at_buf text = { 0 };
	bool go_on = true;

	if (!S_ISREG(node->st.st_mode) || (*s->glob && !at_readfs_glob(s->glob, node->path)))
		return true;
	if (!read_whole(&text, node) || (text.len && memchr(text.data, '\0', text.len))
		|| !at_utf8_is_valid(at_buf_bytes(&text), NULL))
		s->passed_over++;
	else if (text.len)
		go_on = search_text(s, node->path, text.data);
	at_buf_free(&text);
	return go_on;
}

static void search(struct search *s, const struct at_readfs_root *root,
	bool (*visit)(void *, const struct at_readfs_node *))
{
	struct at_readfs_walk walk = { .visit = visit, .user = s };
	struct at_readfs_node top;
	struct at_error err;

	if (!at_readfs_find(&top, root, s->args->path, &err)) {
		at_readfs_refuse(s->out, "Refused: %s.", err.message);
		return;
	}
	if (S_ISDIR(top.st.st_mode))
		at_readfs_walk(&walk, &top);
	else
		visit(s, &top);
	at_readfs_node_close(&top);
	at_readfs_note_walk(s->out, &walk, s->is_cut);
	if (s->passed_over)
		at_buf_printf(&s->out->note,
			"Passed over: %u files that are no UTF-8 text, too large "
			"or not to be read.",
			s->passed_over);
}

void at_readfs_find_files(struct at_readfs_result *out, const struct at_readfs_root *root,
	const struct at_readfs_args *args)
{
	struct search s = { .out = out, .args = args };

	if (take_patterns(&s))
		search(&s, root, visit_name);
}

void at_readfs_grep(struct at_readfs_result *out, const struct at_readfs_root *root,
	const struct at_readfs_args *args)
{
	int flags = REG_EXTENDED | REG_NOSUB | (args->ignore_case ? REG_ICASE : 0);
	struct search s = { .out = out, .args = args };

	if (!take_patterns(&s))
		return;
	if (args->regex && regcomp(&s.regex, s.pattern, flags) != 0) {
		at_readfs_refuse(out, "Refused: the pattern is no extended regular expression.");
		return;
	}
	search(&s, root, visit_file);
	if (args->regex)
		regfree(&s.regex);
}
