#include "views/options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

enum kind { MODE, FLAG, TEXT, LIST };

struct option {
	const char *name, *argument, *help;
	enum kind kind;
	size_t offset;
};

static const struct option table[] = {
#define AT_OPTION(FIELD, name, kind, argument, help)                                               \
	{ name, argument, help, kind, offsetof(struct at_options, FIELD) },
#include "views/options.def"
#undef AT_OPTION
};

static const struct option *find(const char *word, size_t len)
{
	for (size_t i = 0; i < AT_LEN(table); i++) {
		if (strlen(table[i].name) == len && memcmp(table[i].name, word, len) == 0)
			return &table[i];
	}
	return NULL;
}

/* Modes that take a word. */
static bool is_mode(const struct option *option)
{
	static const char *const with_word[] = { "apply-proposal", "apply-staged",
		"check-clearance", "diff", "install-confined", "install-key", "issue-grant",
		"new-key", "reject-staged", "run-request", "schema", "show-staged",
		"sign-decision", "sign-grant", "verify-gate-log", "wait-result" };

	for (size_t i = 0; i < AT_LEN(with_word); i++) {
		if (strcmp(option->name, with_word[i]) == 0)
			return true;
	}
	return option->kind == MODE;
}

static bool set_mode(struct at_options *out, const struct option *option, struct at_error *err)
{
	if (!is_mode(option))
		return true;
	if (out->mode && strcmp(out->mode, option->name) != 0)
		return at_fail(err, AT_EUSAGE, "--%s and --%s exclude each other", out->mode,
			option->name);
	out->mode = option->name;
	return true;
}

static bool set_flag(struct at_options *out, const struct option *option, const char *value,
	struct at_error *err)
{
	if (value)
		return at_fail(err, AT_EUSAGE, "--%s takes no value", option->name);
	*(bool *)((char *)out + option->offset) = true;
	return set_mode(out, option, err);
}

static bool set_value(struct at_options *out, const struct option *option, const char *value,
	struct at_error *err)
{
	char *field = (char *)out + option->offset;

	if (!value)
		return at_fail(
			err, AT_EUSAGE, "--%s needs a value (%s)", option->name, option->argument);
	if (option->kind == LIST) {
		struct at_option_list *list = (struct at_option_list *)(void *)field;

		list->items = at_resize(list->items, list->count + 1, sizeof(*list->items));
		list->items[list->count++] = value;
		return true;
	}
	if (*(const char **)(void *)field)
		return at_fail(err, AT_EUSAGE, "--%s is given twice", option->name);
	*(const char **)(void *)field = value;
	return set_mode(out, option, err);
}

bool at_options_parse(struct at_options *out, int argc, char **argv, struct at_error *err)
{
	memset(out, 0, sizeof(*out));
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i], *equals = strchr(word, '=');
		const struct option *option = NULL;

		if (strncmp(word, "--", 2) == 0)
			option = find(
				word + 2, equals ? (size_t)(equals - word) - 2 : strlen(word) - 2);
		else if (strcmp(word, "-h") == 0)
			option = find("help", 4);
		if (!option) {
			at_fail(err, AT_EUSAGE, "unknown word on the command line: %s", word);
			at_error_hint(err, "atconsole --help lists the options.");
			return false;
		}
		if (option->kind == MODE || option->kind == FLAG) {
			if (!set_flag(out, option, equals ? equals + 1 : NULL, err))
				return false;
			continue;
		}
		if (!set_value(out, option, equals ? equals + 1 : argv[i + 1], err))
			return false;
		if (!equals)
			i++;
	}
	if (!out->set.count && !out->unset.count)
		return true;
	if (out->mode && strcmp(out->mode, "brief") != 0)
		return at_fail(
			err, AT_EUSAGE, "--%s and --set, --unset exclude each other", out->mode);
	out->mode = "brief";
	out->brief = true;
	return true;
}

void at_options_free(struct at_options *options)
{
	free(options->accept.items);
	free(options->set.items);
	free(options->unset.items);
	free(options->accept_write_roots.items);
	free(options->cases.items);
}

static void put_wrapped(struct at_buf *out, const char *text, size_t indent, size_t width)
{
	size_t column = indent;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (column > indent && column + 1 + word > width) {
			at_buf_putc(out, '\n');
			at_buf_pad(out, ' ', indent);
			column = indent;
		} else if (column > indent) {
			at_buf_putc(out, ' ');
			column++;
		}
		at_buf_put(out, text, word);
		column += word;
		text += word;
		text += strspn(text, " ");
	}
	at_buf_putc(out, '\n');
}

static void put_option(struct at_buf *out, const struct option *option)
{
	size_t start = out->len, used;

	at_buf_printf(out, "  --%s%s%s", option->name, option->argument ? " " : "",
		option->argument ? option->argument : "");
	used = out->len - start;
	if (used > 28) {
		at_buf_putc(out, '\n');
		used = 0;
	}
	at_buf_pad(out, ' ', 30 - used);
	put_wrapped(out, option->help, 30, 78);
}

void at_options_help(struct at_buf *out)
{
	at_buf_puts(out,
		"atconsole: the operator's console for the boundaries of AI agents\n\n"
		"Usage: atconsole [--project DIR] [MODE] [OPTION…]\n\n"
		"Without a mode it opens the console, or prints --status where there is no\n"
		"terminal.\n\n"
		"Modes (one at most)\n");
	for (size_t i = 0; i < AT_LEN(table); i++) {
		if (is_mode(&table[i]))
			put_option(out, &table[i]);
	}
	at_buf_puts(out, "\nOptions\n");
	for (size_t i = 0; i < AT_LEN(table); i++) {
		if (!is_mode(&table[i]))
			put_option(out, &table[i]);
	}
	at_buf_puts(out, "\nExit status\n");
	for (size_t i = 0; at_option_exit(i); i++) {
		at_buf_printf(out, "  %zu  ", i);
		put_wrapped(out, at_option_exit(i), 5, 78);
	}
}

bool at_option_info(size_t i, struct at_option_info *out)
{
	if (i >= AT_LEN(table))
		return false;
	*out = (struct at_option_info){ table[i].name, table[i].argument, table[i].help,
		is_mode(&table[i]), table[i].kind == LIST };
	return true;
}

const char *at_option_exit(size_t status)
{
	static const char *const words[] = {
		"done, or nothing left to do; a --dry-run that would succeed; a --merge that only lists",
		"an error, a refused live file, a failed check",
		"bad usage, an unknown item, a refusal to start",
	};

	return status < AT_LEN(words) ? words[status] : NULL;
}
