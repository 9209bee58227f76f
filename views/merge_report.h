/* merge_report.h - a merge in words and as JSON, the twins of the Merge view.
 *
 * Reads a model, prints nothing itself.
 */
#ifndef AT_MERGE_REPORT_H
#define AT_MERGE_REPORT_H

#include "core/json_write.h"
#include "views/merge_model.h"

/* The items by group, what is special about the live file, the diff of the exact result
 * and the review's digest. May quote untrusted text. */
bool at_merge_report_print(const struct at_merge_model *model, struct at_buf *out,
	struct at_error *err);
void at_merge_report_json(const struct at_merge_model *model, struct at_json_value *out);

/* The diff alone: yours on disk against the exact result. */
bool at_merge_report_diff(const struct at_merge_model *model, struct at_buf *out,
	struct at_error *err);

/* One sentence each about the live file: a link, a byte order mark, keys given twice, no
 * record of an earlier merge, the same settings in another order. */
void at_merge_report_remarks(const struct at_merge_model *model, struct at_buf *out);

/* "9 of 12 chosen · 1 WIDENS · 2 cannot be chosen" */
void at_merge_report_summary(const struct at_merge_model *model, struct at_buf *out);

#endif
