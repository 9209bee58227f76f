/* advisory.h - what an operator must know about a decision, as two tables.
 *
 * Advisories depend on the decision and persist with it; notes are facts of a framework
 * on a platform, shown beside the list so that an empty one is not read as "covered".
 * Pure tables and their triggers; help and docs print them. (DEC-2 to DEC-7)
 */
#ifndef AT_ADVISORY_H
#define AT_ADVISORY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/decide.h"

struct at_arena;
struct at_buf;

struct at_advisory_rule {
	const char *code;
	bool fatal;          /* refuses generation unless overridden */
	const char *trigger; /* for the help: when it applies */
	bool (*applies)(const struct at_manifest *manifest);
	void (*message)(struct at_buf *out, const struct at_manifest *manifest);
	const char *residuals;
	void (*action)(struct at_buf *out, const struct at_manifest *manifest);
};
extern const struct at_advisory_rule at_advisory_rules[];
extern const size_t at_advisory_rule_count;

/* Fills the manifest's advisories from everything else in it. An overridden fatal one is
 * kept as a warning: its `fatal` is false and its message says so. (DEC-2, DEC-7) */
void at_advise(struct at_manifest *manifest, struct at_arena *arena);

/* DEC-5. -1 stands for every framework or platform. */
struct at_note {
	int framework, platform;
	bool only_if_requested; /* says something only where a boundary was asked for */
	const char *text;
};
extern const struct at_note at_notes[];
extern const size_t at_note_count;

bool at_note_applies(const struct at_note *note, const struct at_manifest *manifest);

#endif
