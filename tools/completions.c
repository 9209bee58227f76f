#include <stdio.h>
#include <string.h>

#include "core/decide.h"
#include "core/mem.h"
#include "tools/docs.h"
#include "tui/theme.h"
#include "views/options.h"

static void put_frameworks(struct at_buf *out)
{
	for (int i = 0; i < AT_FRAMEWORK_COUNT; i++)
		at_buf_printf(
			out, "%s%s", i ? " " : "", at_framework_name((enum at_framework_id)i));
}

static void put_themes(struct at_buf *out)
{
	for (int i = 0; i < AT_THEME_COUNT; i++)
		at_buf_printf(out, "%s%s", i ? " " : "", at_theme_name((enum at_theme_id)i));
}

static void put_platforms(struct at_buf *out)
{
	for (int i = AT_LINUX; i <= AT_OTHER; i++)
		at_buf_printf(out, "%s%s", i == AT_LINUX ? "" : " ",
			at_platform_name((enum at_platform)i));
}

/* Options whose value is one of a few words. */
static const struct {
	const char *option;
	void (*put)(struct at_buf *out);
	const char *words;
} choices[] = {
	{ "framework", put_frameworks, NULL },
	{ "theme", put_themes, NULL },
	{ "platform", put_platforms, NULL },
	{ "schema", NULL, "brief manifest" },
	{ "color", NULL, "auto always never" },
};

static bool put_choices(struct at_buf *out, const struct at_option_info *info)
{
	for (size_t i = 0; i < AT_LEN(choices); i++) {
		if (strcmp(choices[i].option, info->name) != 0)
			continue;
		if (choices[i].put)
			choices[i].put(out);
		else
			at_buf_puts(out, choices[i].words);
		return true;
	}
	return false;
}

enum value { NOTHING, WORDS, DIRECTORY, FILENAME, FREE };

static enum value value_of(const struct at_option_info *info, struct at_buf *words)
{
	if (!info->argument)
		return NOTHING;
	if (put_choices(words, info))
		return WORDS;
	if (strcmp(info->argument, "DIR") == 0)
		return DIRECTORY;
	if (strcmp(info->argument, "FILE") == 0 || strcmp(info->argument, "BRIEF") == 0
		|| strcmp(info->argument, "SPEC") == 0
		|| strcmp(info->argument, "PATH") == 0)
		return FILENAME;
	return FREE;
}

void at_docs_bash(struct at_buf *out)
{
	struct at_option_info info;

	at_buf_puts(out,
		"# bash completion of atconsole\n"
		"_atconsole()\n{\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n\n"
		"\tCOMPREPLY=()\n\tcase $prev in\n");
	for (size_t i = 0; at_option_info(i, &info); i++) {
		struct at_buf words = { 0 };
		enum value value = value_of(&info, &words);

		if (value == WORDS)
			at_buf_printf(out,
				"\t--%s) mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\"); return ;;\n",
				info.name, at_buf_text(&words));
		else if (value == DIRECTORY || value == FILENAME)
			at_buf_printf(out,
				"\t--%s) mapfile -t COMPREPLY < <(compgen -%c -- \"$cur\"); return ;;\n",
				info.name, value == DIRECTORY ? 'd' : 'f');
		else if (value == FREE)
			at_buf_printf(out, "\t--%s) return ;;\n", info.name);
		at_buf_free(&words);
	}
	at_buf_puts(out, "\tesac\n\tmapfile -t COMPREPLY < <(compgen -W '");
	for (size_t i = 0; at_option_info(i, &info); i++)
		at_buf_printf(out, "%s--%s", i ? " " : "", info.name);
	at_buf_puts(out, "' -- \"$cur\")\n}\ncomplete -o filenames -F _atconsole atconsole\n");
}

/* In single quotes; what the shell's own grammar of a description takes is escaped. */
static void put_quoted(struct at_buf *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			at_buf_puts(out, "'\\''");
		else if (strchr(special, *text))
			at_buf_printf(out, "\\%c", *text);
		else
			at_buf_putc(out, *text);
	}
}

void at_docs_zsh(struct at_buf *out)
{
	struct at_option_info info;

	at_buf_puts(out, "#compdef atconsole\n\n_arguments");
	for (size_t i = 0; at_option_info(i, &info); i++) {
		struct at_buf words = { 0 };
		enum value value = value_of(&info, &words);

		at_buf_printf(out, " \\\n\t'%s--%s[", info.is_list ? "*" : "", info.name);
		put_quoted(out, info.help, "[]:\\");
		at_buf_putc(out, ']');
		if (value != NOTHING)
			at_buf_printf(out, ":%s:", info.argument);
		if (value == WORDS)
			at_buf_printf(out, "(%s)", at_buf_text(&words));
		else if (value == DIRECTORY || value == FILENAME)
			at_buf_puts(out, value == DIRECTORY ? "_files -/" : "_files");
		at_buf_putc(out, '\'');
		at_buf_free(&words);
	}
	at_buf_putc(out, '\n');
}

void at_docs_fish(struct at_buf *out)
{
	struct at_option_info info;

	at_buf_puts(out, "# fish completion of atconsole\ncomplete -c atconsole -f\n");
	for (size_t i = 0; at_option_info(i, &info); i++) {
		struct at_buf words = { 0 };
		enum value value = value_of(&info, &words);

		at_buf_printf(out, "complete -c atconsole -l %s", info.name);
		if (value == WORDS)
			at_buf_printf(out, " -x -a '%s'", at_buf_text(&words));
		else if (value == DIRECTORY)
			at_buf_puts(out, " -x -a '(__fish_complete_directories)'");
		else if (value != NOTHING)
			at_buf_puts(out, value == FILENAME ? " -r -F" : " -x");
		at_buf_puts(out, " -d '");
		for (const char *c = info.help; *c; c++) {
			if (*c == '\'' || *c == '\\')
				at_buf_putc(out, '\\');
			at_buf_putc(out, *c);
		}
		at_buf_puts(out, "'\n");
		at_buf_free(&words);
	}
}
