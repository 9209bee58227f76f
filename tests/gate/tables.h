/* tables.h - the tables of tests/data/gate, and a project for their commands to stand in.
 *
 * A table is lines of fields, parted by tabs; '#' begins a remark. A command is a JSON string. No
 * command is ever run.
 */
#ifndef GATE_TABLES_H
#define GATE_TABLES_H

#include "runner/gate/gate.h"
#include "support/support.h"

enum { GATE_FIELDS = 8 };

struct gate_rows {
	struct at_buf text; /* the caller frees it */
	char *next;
};

/* `path` below tests/data. Fails the test where there is none. */
struct gate_rows gate_table_open(const char *path);
/* Fields that a line lacks are "". They are borrowed from the table. */
bool gate_table_row(struct gate_rows *table, char *fields[GATE_FIELDS]);

extern const char *const gate_words[]; /* of a decision: "pass", "ask", "deny" */
extern const struct gate_context gate_in_project; /* with some scripts */

/* Fails the test where `json` is no JSON string. */
struct gate_verdict gate_judge_json(const char *json, const struct gate_context *context);

#endif
