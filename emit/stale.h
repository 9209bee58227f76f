/* stale.h - places outside the project that the live settings open and nobody explains.
 *
 * A grant that ended, a root taken out of the brief, or a hand leaves one. They are named wherever
 * the live file is looked at, the merge offers to take them out, and none of them stands for the
 * operator's word when the brief asks for the same place later. (KEY-13, REQ-4)
 */
#ifndef AT_STALE_H
#define AT_STALE_H

#include "emit/live.h"
#include "emit/texts.h"

/* The external entries of the live allowWrite and allowRead that are no root of the manifest, each
 * once; the texts are in `arena`. */
void at_stale_of_manifest(struct at_text_list *out, const struct at_json *live,
	const struct at_manifest *manifest, const struct at_project *project,
	struct at_arena *arena);
/* The same against the settings that are emitted. */
void at_stale_of_example(struct at_text_list *out, const struct at_json *live,
	const struct at_json *example, const struct at_project *project, struct at_arena *arena);

/* The places that were explained when the team was last emitted, from the example on disk, into
 * `out`, to be freed. False: there is none yet, and nothing is known against any. */
bool at_stale_explained_last(struct at_set *out, const struct at_project *project,
	struct at_arena *arena);

#endif
