/* docs.c - `docs WHAT` prints one of the documents on standard output. */
#include "tools/docs.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"

static const struct {
	const char *name;
	void (*print)(struct at_buf *out);
} documents[] = {
	{ "atconsole.1", at_docs_man },
	{ "atconsole-config.5", at_docs_man_config },
	{ "agentteams-gate.1", at_docs_man_gate },
	{ "bash", at_docs_bash },
	{ "zsh", at_docs_zsh },
	{ "fish", at_docs_fish },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < AT_LEN(documents); i++) {
		struct at_buf text = { 0 };
		int failed;

		if (strcmp(documents[i].name, argv[1]) != 0)
			continue;
		documents[i].print(&text);
		fwrite(at_buf_text(&text), 1, text.len, stdout);
		at_buf_free(&text);
		failed = fflush(stdout) != 0 || ferror(stdout);
		return failed;
	}
	fputs("usage: docs atconsole.1|atconsole-config.5|agentteams-gate.1|bash|zsh|fish\n", stderr);
	return 2;
}
