/* integrity_impl.h - what the parts of emit/integrity share. */
#ifndef AT_EMIT_INTEGRITY_IMPL_H
#define AT_EMIT_INTEGRITY_IMPL_H

#include "emit/integrity.h"

/* How an item is compared; AT_HOW_DONE: it was told when it was listed. */
enum at_integrity_how {
	AT_HOW_DONE,
	AT_HOW_PIN,
	AT_HOW_PROGRAM,
	AT_HOW_BUILT_IN,
	AT_HOW_ARTEFACT,
	AT_HOW_RECORD,
};

/* `path` lands in the arena's keeping already, or lives as long. */
struct at_integrity_item *at_integrity_add(struct at_integrity *in, enum at_integrity_part part,
	const char *path, enum at_integrity_how how);
void at_integrity_tell(struct at_integrity_item *item, enum at_integrity_state state,
	enum at_level level, const char *text, const char *remedy);
/* Reads `path` below `root` and holds its digest against `expected`, of which the first digits may
 * be all there is. SAME, EDITED, MISSING or UNREADABLE, the last with its text. */
enum at_integrity_state at_integrity_hold(struct at_integrity *in, struct at_integrity_item *item,
	int root, const char *path, size_t cap);

void at_integrity_list_pins(struct at_integrity *in);
void at_integrity_check_pin(struct at_integrity *in, struct at_integrity_item *item);
void at_integrity_list_artefacts(struct at_integrity *in);
void at_integrity_check_artefact(struct at_integrity *in, struct at_integrity_item *item);
/* The records of team `in->team`, of AT_INTEGRITY_TEAMS: its own, then those of the other
 * frameworks. */
#define AT_INTEGRITY_TEAMS (1 + AT_FRAMEWORK_COUNT)
void at_integrity_list_records(struct at_integrity *in);
void at_integrity_check_record(struct at_integrity *in, struct at_integrity_item *item);

#endif
