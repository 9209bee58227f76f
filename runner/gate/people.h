/* people.h - the gate's subcommands for people: explain, try a table, scan a file.
 *
 * They print text for a terminal or JSON, and judge as the hook does. (GATE-8)
 */
#ifndef AT_GATE_PEOPLE_H
#define AT_GATE_PEOPLE_H

#include "runner/gate/gate.h"

/* Each prints its report and returns the exit status. */
int gate_people_explain(const char *command, const struct gate_context *context);

/* Rows of tabs under a line that names the columns (#id, expect, tolerate, command_json). Exit 1
 * when a row is judged otherwise than it expects and tolerates, 2 when the file is none. */
int gate_people_test(const char *path, const struct gate_context *context);

/* JSON; exit 1 when something high is in it. `path` "-" reads standard input. */
int gate_people_scan(const char *path);

#endif
