/* probe_run.h - the fixtures of fixture.def in a throwaway tree, and the probe run over them.
 *
 * As a user without privileges, whoever runs the tests: root's runs prove nothing. The tree
 * stands in /var/tmp, for a sandbox has a /tmp of its own. Listeners, keys and victims are the
 * driver's to make; without their facts their cases are absent.
 */
#ifndef AT_TEST_PROBE_RUN_H
#define AT_TEST_PROBE_RUN_H

#include <stdbool.h>
#include <stddef.h>

struct probe_run {
	char root[64]; /* the tree: scratch, home, sibling, outside, facts */
	int status; /* exit status, 128 and the signal's number */
	double seconds; /* how long it took */
	char *out; /* what it printed */
};

/* Makes the tree and runs the words over it there; "@" at the start of one is the root. Words
 * end with NULL. */
void probe_run_over_fixtures(struct probe_run *r, const char *const words[]);
/* Runs it again in the same tree. */
void probe_run_again(struct probe_run *r, const char *const words[]);
void probe_run_end(struct probe_run *r);

/* RESULT of a case's line, or NULL when there is none; `act` is attempt or control. */
const char *probe_result(const struct probe_run *r, const char *id, const char *act);

#endif
