/* out.h - what a mode prints, and where.
 *
 * Reports go to standard output, notices and errors to standard error, every text through
 * core/safetext; JSON is escaped by its writer. Colour is for a terminal that wants it.
 */
#ifndef AT_OUT_H
#define AT_OUT_H

#include "core/bytes.h"
#include "core/error.h"
#include "core/json_write.h"
#include "emit/framework.h"

/* Lines of a report. */
void at_out_text(const struct at_buf *text);

/* The same; lines of a diff in it are coloured where standard output is a terminal that wants
 * colour. `when`: the word of --color, or NULL. */
void at_out_diff(const struct at_buf *text, const char *when);

/* Colour on standard output; `when` as above. */
bool at_out_wants_colour(const char *when);

/* A JSON report, pretty, freed here. */
void at_out_json(struct at_json_value *value);

/* "atconsole: PATH:LINE:COLUMN: message" and the hint; returns the exit status. */
int at_out_error(const struct at_error *err);

/* Lines of untrusted text on standard error. */
void at_out_notes(const struct at_buf *text);

/* One sentence on standard error. */
void at_out_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

void at_out_notices(const struct at_notices *notices);

/* "advisory CODE: message", a line each. */
void at_out_advisories(const struct at_manifest *manifest);

/* Notices for a JSON report: {id, text} each. */
void at_out_notices_to_json(const struct at_notices *notices, struct at_json_value *array);

#endif
