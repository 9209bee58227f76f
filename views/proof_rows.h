/* proof_rows.h - the stored proof of the launcher as rows of the wiring.
 *
 * Its state, date and totals, then every case that failed, then a row a group, which opens on
 * its cases. For a team whose mechanism is the launcher here, and no other. (WIRE-13)
 */
#ifndef AT_PROOF_ROWS_H
#define AT_PROOF_ROWS_H

#include "core/json_write.h"
#include "views/wiring_rows.h"

/* Adds the section, where the evidence is of the launcher. */
void at_proof_rows_add(struct at_wiring_rows *rows);

/* A row of kind AT_ROW_PROOF, AT_ROW_PROOF_CASE or AT_ROW_PROOF_GROUP. */
void at_proof_row_line(const struct at_wiring_rows *rows, size_t row, struct at_line *out);
void at_proof_row_text(const struct at_wiring_rows *rows, size_t row, struct at_buf *out);

/* {state, why, report}; null for another mechanism's team. */
void at_proof_rows_json(const struct at_collected *collected, struct at_json_value *out);

#endif
