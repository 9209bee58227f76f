/* ground.h - a place to run the launcher in: a home, a scratch directory, an ordinary user.
 *
 * Not below /tmp, which is another one inside the sandbox. Where the tests are run by root
 * they drop to an unprivileged user first: a sandbox of root's is refused.
 */
#ifndef AT_TEST_GROUND_H
#define AT_TEST_GROUND_H

#include <stdbool.h>

#include "core/bytes.h"
#include "core/child.h"

struct ground {
	char *path; /* holds cr.sh, home/ and s/ */
};

void ground_begin(struct ground *ground);
void ground_end(struct ground *ground);

/* Runs shell text in the ground, as the ordinary user, HOME being its home. False in .status
 * what the text ended with; released by at_child_end_free(). */
struct at_child_end ground_sh(const struct ground *ground, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same as whoever runs the tests. */
struct at_child_end ground_sh_as_caller(const struct ground *ground, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same, and fails the test unless it ends with 0. */
void ground_must(const struct ground *ground, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Names, kinds, modes, sizes and times of all there is: equal means nothing was made. */
struct at_buf ground_listing(const struct ground *ground);

/* NULL when a sandbox can be had here, else why not. Asks once. */
const char *ground_why_no_sandbox(const struct ground *ground);

/* A claude team with everything the control plane requires. */
#define TEAM "mkdir -p s/.claude/agents/references/authorized-verify-keys s/.claude/hooks; " \
	"cd s/.claude; echo {} >agents/references/build-log.json; " \
	"echo {} >agents/references/agent-privilege.json; echo a >agents/a.md; " \
	"for r in security-approvers.txt authorized-managers.txt management-authority.json; do " \
	"echo '# none' >agents/references/$r; done; " \
	"for h in sh py; do echo : >hooks/constitutional-gate.$h; done; cd ../..; "
#define REF "s/.claude/agents/references/"

#endif
