#include "e2e/console.h"

#include <stdio.h>
#include <string.h>

#include "support/support.h"

void console_begin(struct test_project *project)
{
	test_project_begin(project, NULL);
	test_expect(project, 0, "--update --accept-write-root " CONSOLE_ROOT);
}

struct pty *console_start(const struct test_project *p, const char *words, const char *variable,
	int width, int height)
{
	static char copy[512];
	const char *argv[16] = { test_program(), "--project", p->shop, TEST_NO_GATE,
		"--accept-write-root", CONSOLE_ROOT };
	const char *env[32];
	char *rest = copy, *word;
	size_t count = 0, words_count = 7;

	snprintf(copy, sizeof(copy), "%s", words ? words : "");
	while ((word = strsep(&rest, " ")) && words_count < AT_LEN(argv) - 1) {
		if (*word)
			argv[words_count++] = word;
	}
	for (const char *const *e = test_environment(p); *e; e++)
		env[count++] = *e;
	env[count++] = variable;
	env[count] = NULL;
	return pty_start(argv, env, p->stage, width, height);
}

void console_end(struct pty *pty, int want)
{
	int status = pty_exit(pty, CONSOLE_LONG);
	const char *fault;

	if (status != want)
		fail_msg("it ended with %d, not %d; the screen is\n%s", status, want, pty_screen(pty));
	fault = pty_not_restored(pty);
	if (fault)
		fail_msg("the terminal is not as before: %s", fault);
	fault = pty_foreign_bytes(pty_output(pty));
	if (fault)
		fail_msg("a foreign sequence reached the terminal: %s", fault);
	pty_end(pty);
}
