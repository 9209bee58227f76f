/* report.h - a proof as text for people.
 *
 * What failed comes first, then what holds, what is open and why, what could not be tried, and
 * at the end what the launcher does not do at all. Texts of a proof are untrusted: who prints
 * the report passes it through core/safetext. (LAU-8, UI-3)
 */
#ifndef AT_REPORT_H
#define AT_REPORT_H

#include "core/proof.h"

void at_proof_print(const struct at_proof *proof, struct at_buf *out);

/* "120 hold, 2 leak, 1 inconclusive, 20 residual, 5 skipped" of one run, or of all (SIZE_MAX). */
void at_proof_print_totals(const struct at_proof *proof, size_t run, struct at_buf *out);

/* "uid 1000, default" */
void at_proof_print_run(const struct at_proof *proof, size_t run, struct at_buf *out);

/* The order of a table: what failed first. Positions in `proof->cases`, `case_count` of them. */
void at_proof_order(const struct at_proof *proof, size_t *out);

#endif
