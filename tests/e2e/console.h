/* console.h - the real console started in a pseudo terminal on a throwaway project. */
#ifndef AT_TEST_CONSOLE_H
#define AT_TEST_CONSOLE_H

#include "e2e/project.h"
#include "support/pty.h"

#define CONSOLE_ROOT "../demo-shop-build"
#define CONSOLE_LIVE ".claude/settings.json"
#define CONSOLE_LONG 20000 /* ms; a sanitizer on a busy machine is slow */

/* A project whose team is emitted. */
void console_begin(struct test_project *project);

/* Starts it; `words` are further options, split at spaces, or NULL; `variable` is one more of
 * the environment, or NULL. */
struct pty *console_start(const struct test_project *project, const char *words,
	const char *variable, int width, int height);

/* Waits for the end and fails unless the status is `want`, the terminal is as before and no
 * foreign sequence was sent. */
void console_end(struct pty *pty, int want);

#endif
