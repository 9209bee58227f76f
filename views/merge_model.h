/* merge_model.h - a merge of one project, ready to be shown and to be written.
 *
 * Ties core/merge to the project's files: the emitted example, the live settings behind
 * whatever link, the record of the last merge in the state directory. The screen and the
 * command line share it, so they cannot drift. (WIRE-2, UI-3)
 */
#ifndef AT_MERGE_MODEL_H
#define AT_MERGE_MODEL_H

#include "core/apply.h"
#include "core/settings_file.h"
#include "core/merge.h"
#include "views/collect.h"

struct at_merge_model {
	struct at_session *session; /* borrowed */
	struct at_settings_file live;
	struct at_merge *merge;
	struct at_file record;    /* of the last merge */
	struct at_digest inputs;  /* of all it was made from, but for the bytes of the live file */
};

/* Reads all three sides. Fails when there is no valid request, nothing is emitted yet or the
 * emitted example is not what this version emits (hint: --update), or the live file is
 * refused; nothing is written in any case. `agreed`: the target of a link
 * that the operator said yes to, or NULL (core/settings_file). Released by at_merge_model_close(). */
bool at_merge_model_open(struct at_merge_model *out, struct at_session *session,
	const struct at_collected *collected, const char *agreed, struct at_error *err);
/* Would opening it again make the same merge? Asks stamps where they can be trusted, and reads
 * the files where not; false on any doubt. */
bool at_merge_model_is_still(struct at_merge_model *model, const struct at_collected *collected,
	const char *agreed);
/* True when `again` was opened from the same inputs: it is closed, and `model` stands for the
 * files as they are now. */
bool at_merge_model_take_over(struct at_merge_model *model, struct at_merge_model *again);
void at_merge_model_close(struct at_merge_model *model);

/* Writes the result of the current selection, and the record beside it, as one act that
 * undo takes back. AT_ESTALE when the live file is not the one this model read;
 * AT_EDENIED in an agent session. Nothing selected: writes nothing, `out->id` is "". */
bool at_merge_model_write(struct at_merge_model *model, struct at_applied *out,
	struct at_error *err);

#endif
