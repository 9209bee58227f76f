#include "runner/gate/options.h"

#include <stddef.h>
#include <string.h>

#include "core/mem.h"

enum kind { HOOK, PEOPLE, FLAG };

#define WIDTH 78

static const struct option {
	const char *name, *argument, *help;
	enum kind kind;
	size_t offset;
} table[] = {
#define GATE_OPTION(FIELD, name, kind, argument, help) \
	{ name, argument, help, kind, offsetof(struct gate_options, FIELD) },
#include "runner/gate/options.def"
};

static const struct {
	const char *name, *help;
} around[] = {
#define GATE_VARIABLE(name, help) { name, help },
#include "runner/gate/options.def"
};

static const struct {
	const char *name, *help;
} statuses[] = {
#define GATE_EXIT(status, help) { #status, help },
#include "runner/gate/options.def"
};

static const struct option *find(const char *word)
{
	for (size_t i = 0; i < AT_LEN(table); i++)
		if (strncmp(word, "--", 2) == 0 && strcmp(word + 2, table[i].name) == 0)
			return &table[i];
	return NULL;
}

bool gate_options_parse(struct gate_options *out, int argc, char **argv)
{
	size_t counts[] = { [HOOK] = 0, [PEOPLE] = 0, [FLAG] = 0 };

	memset(out, 0, sizeof(*out));
	for (int i = 1; i < argc; i++) {
		const struct option *option = find(argv[i]);
		const char **field;

		if (!option || (option->argument && i + 1 == argc))
			return false;
		field = (const char **)(void *)((char *)out + option->offset);
		if (*field)
			return false;
		*field = option->argument ? argv[++i] : argv[i];
		counts[option->kind]++;
	}
	out->is_hook = counts[HOOK] > 0;
	return out->is_hook ? out->fail_closed && !counts[PEOPLE] && !counts[FLAG]
			    : counts[PEOPLE] + counts[FLAG] == 1;
}

static void put_item(FILE *to, const char *name, const char *argument, const char *help)
{
	size_t column = 0;

	fprintf(to, "  %s%s%s\n", name, argument ? " " : "", argument ? argument : "");
	while (*help) {
		size_t n = strcspn(help, " ");

		if (column && column + 1 + n > WIDTH) {
			fputc('\n', to);
			column = 0;
		}
		fprintf(to, "%s%.*s", column ? " " : "      ", (int)n, help);
		column += n + (column ? 1 : 6);
		help += n + strspn(help + n, " ");
	}
	fputc('\n', to);
}

static void put_options(FILE *to, bool hook)
{
	for (size_t i = 0; i < AT_LEN(table); i++) {
		char name[32];

		if ((table[i].kind == HOOK) != hook)
			continue;
		snprintf(name, sizeof(name), "--%s", table[i].name);
		put_item(to, name, table[i].argument, table[i].help);
	}
}

void gate_options_help(FILE *to)
{
	fputs("agentteams-gate: judges one tool call before the harness runs it\n\n"
	      "For the hook\n",
		to);
	put_options(to, true);
	fputs("\nFor people, one alone\n", to);
	put_options(to, false);
	fputs("\nEnvironment\n", to);
	for (size_t i = 0; i < AT_LEN(around); i++)
		put_item(to, around[i].name, NULL, around[i].help);
	fputs("\nExit status\n", to);
	for (size_t i = 0; i < AT_LEN(statuses); i++)
		put_item(to, statuses[i].name, NULL, statuses[i].help);
	fputs("\nThe gate sees the spelling of commands and the content of file tools, nothing\n"
	      "else: it is no boundary.\n",
		to);
}
