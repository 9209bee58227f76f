/* feed.h - what a command that runs its input is given to run, and what came from the network.
 *
 * Looks at redirects and pipes, follows text as far as it is in the command line. Reads no file.
 */
#ifndef GATE_FEED_H
#define GATE_FEED_H

#include "runner/gate/judge.h"

enum feed_kind { FEED_NONE, FEED_TEXT, FEED_FILE, FEED_FETCH, FEED_UNKNOWN };

struct feed {
	enum feed_kind kind;
	struct at_bytes text;          /* of FEED_TEXT */
	const struct shell_word *file; /* of FEED_FILE */
};

/* What stands on the standard input of the command under judgement. */
struct feed feed_of(struct judge *judge);

/* Of any command, as far as it is known. */
struct feed feed_of_command(struct judge *judge, const struct shell_command *command);

/* Remembers downloads: in a substitution of this command, and files they were saved to. */
void feed_note_fetch(struct judge *judge, const struct shell_command *command);
bool feed_is_fetched(const struct judge *judge, const char *path);

/* True when the command's own substitutions hold a download. */
bool feed_has_fetch(const struct judge *judge);

#endif
