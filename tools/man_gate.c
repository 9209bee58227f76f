#include <stdio.h>

#include "core/mem.h"
#include "tools/docs.h"

enum kind { HOOK, PEOPLE, FLAG };

static const struct {
	const char *name, *argument, *help;
	enum kind kind;
} options[] = {
#define GATE_OPTION(FIELD, name, kind, argument, help) { name, argument, help, kind },
#include "runner/gate/options.def"
};

static const struct word {
	const char *name, *help;
} variables[] = {
#define GATE_VARIABLE(name, help) { name, help },
#include "runner/gate/options.def"
};

static const struct word statuses[] = {
#define GATE_EXIT(status, help) { #status, help },
#include "runner/gate/options.def"
};

static const struct {
	const char *id, *class, *text, *source;
} reasons[] = {
#define ID(name, id, class, text, source) { id, class, text, source },
#include "runner/gate/ids.def"
#undef ID
};

static void put_options(struct at_buf *out, bool hook)
{
	for (size_t i = 0; i < AT_LEN(options); i++) {
		char tag[96];

		if ((options[i].kind == HOOK) != hook)
			continue;
		snprintf(tag, sizeof(tag), "--%s%s%s", options[i].name,
			options[i].argument ? " " : "",
			options[i].argument ? options[i].argument : "");
		at_roff_item(out, tag, options[i].help);
	}
}

static void put_words(struct at_buf *out, const struct word *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		at_roff_item(out, words[i].name, words[i].help);
}

void at_docs_man_gate(struct at_buf *out)
{
	at_roff_head(
		out, "agentteams-gate", "1", "judges one tool call before the harness runs it");
	at_roff_section(out, "SYNOPSIS");
	at_buf_puts(out,
		".B agentteams\\-gate\n\\fB\\-\\-fail\\-closed\\fR 0|1 [\\fIOPTION\\fR...]\n"
		".br\n.B agentteams\\-gate\n\\fIOPTION\\fR\n");
	at_roff_section(out, "DESCRIPTION");
	at_roff_paragraph(out,
		"A hook that the harness starts before a tool call. It reads the spelling of a "
		"shell command as a shell would, and the text that a file tool is about to write, "
		"and says nothing, ask or deny. It runs no command and writes nothing but its log. "
		"It is a speed bump with a record, not a boundary: the sandbox is the boundary.");
	at_roff_paragraph(out,
		"It is installed in the directory for programs that programs run, "
		"libexec/agentteams, and started by the hook that atconsole --update emits.");
	at_roff_section(out, "FOR THE HOOK");
	put_options(out, true);
	at_roff_section(out, "FOR PEOPLE");
	at_roff_paragraph(out, "One alone.");
	put_options(out, false);
	at_roff_section(out, "REASONS");
	at_roff_paragraph(out, "What --explain names and the log holds.");
	for (size_t i = 0; i < AT_LEN(reasons); i++) {
		char text[256];

		snprintf(text, sizeof(text), "The command %s (class %s; %s).", reasons[i].text,
			reasons[i].class, reasons[i].source);
		at_roff_item(out, reasons[i].id, text);
	}
	at_roff_section(out, "EXIT STATUS");
	put_words(out, statuses, AT_LEN(statuses));
	at_roff_section(out, "ENVIRONMENT");
	put_words(out, variables, AT_LEN(variables));
	at_roff_section(out, "SEE ALSO");
	at_buf_puts(out, ".BR atconsole (1)\n");
}
