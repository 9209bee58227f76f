/* claude_host.h - what outside the settings decides whether claude's sandbox is real.
 *
 * The programs that a session would find on PATH, whether the directory is trusted, and
 * names of secrets in the environment. Looks only; it runs nothing. (WIRE-9, WIRE-16)
 */
#ifndef AT_CLAUDE_HOST_H
#define AT_CLAUDE_HOST_H

#include "emit/effective.h"
#include "emit/scopes.h"

enum at_trust { AT_TRUST_NO, AT_TRUST_YES, AT_TRUST_UNKNOWN };

/* One flag of ~/.claude.json; nothing else of that file is looked at. */
enum at_trust at_claude_trust(const struct at_project *project);

void at_claude_host_facts(struct at_effective *out, const struct at_project *project,
	const struct at_scopes *scopes);

/* Adds findings. `has_sandbox`: a sandbox is asked for, so its programs matter. */
void at_claude_host_check(struct at_wiring *report, const struct at_project *project,
	const struct at_scopes *scopes, bool has_sandbox);

#endif
