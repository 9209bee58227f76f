#include "runner/gate/feed.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "runner/gate/rules.h"

enum { CHAIN = 64 };

static const char fetchers[] = "curl|curlie|wget|wget2|fetch|aria2c|axel|http|https|xh|iwr|irm|"
	"invoke-webrequest|invoke-restmethod|lynx|w3m|links|elinks|ftp|lftp|ncftpget|nc|ncat|netcat|"
	"socat|ssh|gsutil|gh|aws";

/* Where in the words a downloading program stands, behind wrappers too; `count` when nowhere. */
static size_t fetcher_at(const struct shell_command *command)
{
	char name[64];
	size_t most = command->count < 16 ? command->count : 16;

	for (size_t i = 0; i < most; i++) {
		args_name(name, sizeof(name), &command->words[i]);
		if (!i && rules_only_reads(name) && strcmp(name, "gh"))
			return command->count;
		if (!args_in(fetchers, '|', name, strlen(name)))
			continue;
		if (!strcmp(name, "gh") || !strcmp(name, "aws")) {
			struct gate_args args = { command->words + i, command->count - i };

			return args_match(&args, "api|s3|gist|release", rules_valued(name))
				? i : command->count;
		}
		return i;
	}
	return command->count;
}

static bool chain_fetches(const struct shell_command *command)
{
	for (size_t i = 0; command && i < CHAIN; i++, command = command->from)
		if (fetcher_at(command) < command->count)
			return true;
	return false;
}

static char unescape(const char **p)
{
	static const char names[] = "n\nt\tr\ra\ab\bf\fv\ve\033\\\\";
	const char *at = *p;
	char digits[4] = { 0 };
	size_t n = 0;

	if (*at == 'x') {
		while (n < 2 && isxdigit((unsigned char)at[1 + n])) {
			digits[n] = at[1 + n];
			n++;
		}
		*p = at + 1 + n;
		return n ? (char)strtol(digits, NULL, 16) : 'x';
	}
	if (*at >= '0' && *at <= '7') {
		at += *at == '0' && at[1] >= '0' && at[1] <= '7';
		while (n < 3 && at[n] >= '0' && at[n] <= '7') {
			digits[n] = at[n];
			n++;
		}
		*p = at + n;
		return (char)strtol(digits, NULL, 8);
	}
	for (size_t i = 0; names[i]; i += 2)
		if (names[i] == *at) {
			*p = at + 1;
			return names[i + 1];
		}
	*p = at + (*at != '\0');
	return *at;
}

/* What printf prints: the format over and over, "%s" for each word in turn. */
static void print_format(struct at_buf *out, const struct shell_command *command)
{
	size_t next = 2;
	size_t before;
	size_t rounds = 0;
	const char *p;

	do {
		before = next;
		for (p = command->words[1].text.data; *p;) {
			if (*p == '\\' && p[1]) {
				p++;
				at_buf_putc(out, unescape(&p));
			} else if (*p == '%' && p[1] == '%') {
				at_buf_putc(out, '%');
				p += 2;
			} else if (*p == '%') {
				p += strcspn(p + 1, "sbqdiuoxXc") + 1;
				p += *p != '\0';
				if (next < command->count)
					at_buf_puts(out, command->words[next++].text.data);
			} else {
				at_buf_putc(out, *p++);
			}
		}
	} while (next > before && next < command->count && ++rounds < 256
		&& out->len < JUDGE_SCRIPT);
}

static void print_echo(struct at_buf *out, const struct shell_command *command)
{
	size_t i = 1;
	bool escapes = false;

	while (i < command->count && command->words[i].text.data[0] == '-'
		&& strspn(command->words[i].text.data + 1, "neE") + 1
			== command->words[i].text.len) {
		escapes |= strchr(command->words[i].text.data, 'e') != NULL;
		i++;
	}
	for (; i < command->count; i++) {
		const char *p = command->words[i].text.data;

		while (*p) {
			if (escapes && *p == '\\' && p[1]) {
				p++;
				at_buf_putc(out, unescape(&p));
			} else {
				at_buf_putc(out, *p++);
			}
		}
		at_buf_putc(out, ' ');
	}
	at_buf_putc(out, '\n');
}

static struct feed printed(struct judge *judge, const struct shell_command *command, bool format)
{
	struct at_buf buf = { 0 };
	struct feed out = { .kind = FEED_TEXT };

	if (format && command->count > 1
		&& !(command->words[1].text.data[0] == '-' && command->words[1].text.data[1]))
		print_format(&buf, command);
	else
		print_echo(&buf, command);
	out.text.len = buf.len;
	out.text.data = at_arena_strndup(judge->arena, at_buf_text(&buf), buf.len);
	at_buf_free(&buf);
	return out;
}

static const struct shell_redirect *input_of(const struct shell_command *command)
{
	const struct shell_redirect *out = NULL;

	for (size_t i = 0; i < command->redirect_count; i++)
		if (command->redirects[i].fd == 0 && command->redirects[i].kind != SHELL_TO
			&& command->redirects[i].kind != SHELL_APPEND
			&& command->redirects[i].kind != SHELL_DUPLICATE)
			out = &command->redirects[i];
	return out;
}

static struct feed redirected(struct judge *judge, const struct shell_redirect *redirect)
{
	struct feed out = { .kind = FEED_FILE, .file = &redirect->word };

	if (redirect->kind == SHELL_HERE_DOC || redirect->kind == SHELL_HERE_WORD) {
		out.kind = FEED_TEXT;
		out.text = redirect->word.text;
		if (out.text.len && out.text.data[0] == SHELL_UNKNOWN && out.text.len < 3)
			out.kind = feed_has_fetch(judge) ? FEED_FETCH : FEED_UNKNOWN;
	} else if (strchr(redirect->word.text.data, SHELL_UNKNOWN)) {
		out.kind = feed_has_fetch(judge) ? FEED_FETCH : FEED_UNKNOWN;
	} else if (!strcmp(redirect->word.text.data, "/dev/null")) {
		out.kind = FEED_NONE;
	} else if (feed_is_fetched(judge, redirect->word.text.data)) {
		out.kind = FEED_FETCH;
	}
	return out;
}

struct feed feed_of_command(struct judge *judge, const struct shell_command *command)
{
	char name[64];

	for (size_t i = 0; command && i < CHAIN; i++) {
		const struct shell_redirect *input = input_of(command);
		const struct shell_command *from = command->from;

		if (input)
			return redirected(judge, input);
		if (!from)
			return (struct feed){ .kind = FEED_NONE };
		if (chain_fetches(from))
			return (struct feed){ .kind = FEED_FETCH };
		if (!from->count)
			return (struct feed){ .kind = FEED_UNKNOWN };
		args_name(name, sizeof(name), &from->words[0]);
		if (!strcmp(name, "echo") || !strcmp(name, "printf"))
			return printed(judge, from, *name == 'p');
		if (!strcmp(name, "cat") && from->count == 2
			&& strcmp(from->words[1].text.data, "-"))
			return (struct feed){ .file = &from->words[1],
				.kind = feed_is_fetched(judge, from->words[1].text.data)
					? FEED_FETCH : FEED_FILE };
		if (strcmp(name, "cat") && strcmp(name, "tee"))
			return (struct feed){ .kind = FEED_UNKNOWN };
		command = from;
	}
	return (struct feed){ .kind = FEED_UNKNOWN };
}

struct feed feed_of(struct judge *judge)
{
	struct feed feed = feed_of_command(judge, judge->command);

	if (feed.kind == FEED_NONE && judge->outer && judge->outer != judge->command)
		feed = feed_of_command(judge, judge->outer);
	return feed;
}

bool feed_has_fetch(const struct judge *judge)
{
	return judge->has_fetch && judge->command && judge->fetch_at == judge->command->offset;
}

bool feed_is_fetched(const struct judge *judge, const char *path)
{
	if (!strncmp(path, "./", 2))
		path += 2;
	for (size_t i = 0; i < judge->fetched_count; i++)
		if (!strcmp(judge->fetched[i], path))
			return true;
	return false;
}

static void keep_file(struct judge *judge, const char *path)
{
	if (!strncmp(path, "./", 2))
		path += 2;
	if (*path && strcmp(path, "-") && judge->fetched_count < JUDGE_FETCHED)
		judge->fetched[judge->fetched_count++] = at_arena_strdup(judge->arena, path);
}

/* -o FILE, -O FILE of wget, or the last part of the address. */
static void keep_saved(struct judge *judge, const struct gate_args *args)
{
	char name[64];
	const char *options;
	const char *file;
	bool is_curl;
	const char *address = args->words[args->count - 1].text.data;

	args_name(name, sizeof(name), &args->words[0]);
	options = rules_valued(name);
	is_curl = !strncmp(name, "curl", 4);
	file = args_value(args, is_curl ? "-o|--output" : "-O|--output-document", options);
	if (!file)
		file = args_value(args, "-o|--output|--out|-OutFile", options);
	if (file)
		keep_file(judge, file);
	else if ((!is_curl || args_match(args, "-O|--remote-name", options))
		&& strrchr(address, '/'))
		keep_file(judge, strrchr(address, '/') + 1);
}

void feed_note_fetch(struct judge *judge, const struct shell_command *command)
{
	size_t at = fetcher_at(command);
	char name[64];

	if (!chain_fetches(command))
		return;
	if (command->in_substitution || command->depth) {
		judge->has_fetch = true;
		judge->fetch_at = command->offset;
	}
	if (at < command->count) {
		struct gate_args args = { command->words + at, command->count - at };

		keep_saved(judge, &args);
	} else if (command->count > 1) {
		args_name(name, sizeof(name), &command->words[0]);
		if (!strcmp(name, "tee"))
			keep_file(judge, command->words[command->count - 1].text.data);
	}
	for (size_t i = 0; i < command->redirect_count; i++)
		if (command->redirects[i].kind == SHELL_TO || command->redirects[i].kind == SHELL_APPEND)
			keep_file(judge, command->redirects[i].word.text.data);
}
