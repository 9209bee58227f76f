/* project.h - a throwaway project with a home of its own, and the real program run on it.
 *
 * Every run gets an environment without the marks of an agent session, unless the test
 * asks for one.
 */
#ifndef AT_TEST_PROJECT_H
#define AT_TEST_PROJECT_H

#include "core/bytes.h"

struct test_project {
	char *stage; /* holds shop/, home/ and demo-shop-build/ */
	char shop[512], home[512];
};

/* A copy of the sample project, or of test data when `from` is a path below it. Nothing is
 * emitted yet. */
void test_project_begin(struct test_project *project, const char *from);
void test_project_end(struct test_project *project);

struct test_run {
	int status; /* exit status, or 128 + signal */
	struct at_buf out, err;
};

/* Runs atconsole --project SHOP WORDS…; `words` is split at spaces. Ten seconds at most. */
struct test_run test_run(const struct test_project *project, const char *words);
/* The same with one variable more ("NAME=VALUE"). */
struct test_run test_run_with(const struct test_project *project, const char *variable,
	const char *words);
void test_run_free(struct test_run *run);

/* Runs and fails the test, printing both streams, unless the status is `want`. The output is
 * good until the next call. */
const char *test_expect(const struct test_project *project, int want, const char *words);

/* The program's path, and an environment for a pty: HOME of the project, no XDG, no mark. */
const char *test_program(void);
const char *const *test_environment(const struct test_project *project);

/* What every run is given before its own words: no gate, whatever is installed on this host,
 * unless they name one. */
#define TEST_NO_GATE "--gate-program", "/nonexistent/agentteams-gate"

#endif
