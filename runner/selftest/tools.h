/* tools.h - the programs a self-test is made of, and what they and the host are.
 *
 * Finds probe and helper in fixed places beside this program, bwrap as the launcher would, and
 * fills the facts a proof depends on. It changes nothing, and of other programs
 * asks bwrap for its version and the helper for its layers alone. (LAU-8)
 */
#ifndef AT_TOOLS_H
#define AT_TOOLS_H

#include <limits.h>

#include "core/proof.h"

#define AT_TOOL_CAP ((size_t)64 << 20)

struct at_tools {
	char probe[PATH_MAX]; /* "" where it is not there */
	char harden[PATH_MAX]; /* the same */
	char bwrap[PATH_MAX]; /* the same; physical */
	struct at_buf probe_bytes, harden_bytes; /* once loaded */
	char layers[96]; /* what agentteams-harden says it can, once loaded */
	struct at_bytes launcher; /* borrowed */
	const char *launcher_from; /* "the project's, as shipped": one clause */
};

/* `search_path`: PATH. Neither PATH nor HOME leads to the probe or the helper. */
void at_tools_find(struct at_tools *out, const char *search_path);

/* Reads the programs, and asks the helper for its layers: with the right to do so, before a
 * caller is taken on that may have none. */
bool at_tools_load(struct at_tools *tools, struct at_error *err);
void at_tools_free(struct at_tools *tools);

/* Fills the facts of `to`. With `run`, bwrap is asked for its version; else that is "". */
void at_tools_facts(struct at_proof *to, const struct at_tools *tools, bool run);

#endif
