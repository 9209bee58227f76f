/* ceilings.h - what this program and its mechanisms do not do, as one table.
 *
 * Every view and report that names a mechanism shows the rows that apply to it; help, man
 * page and --ceilings print the table. It holds text and decides nothing. (CEIL-1 to
 * CEIL-10)
 */
#ifndef AT_CEILINGS_H
#define AT_CEILINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/pipeline.h"

struct at_buf;
struct at_json_value;

/* -1 stands for every mechanism or framework; AT_NO_MECHANISM for a team without one. */
struct at_ceiling {
	const char *id; /* "CEIL-4": several rows may share one */
	int mechanism;
	int framework;
	const char *text;
};
extern const struct at_ceiling at_ceilings[];
extern const size_t at_ceiling_count;

/* True when the row must stand beside this mechanism of this framework's team. A framework
 * of -1 takes rows of every framework. */
bool at_ceiling_applies(const struct at_ceiling *ceiling, enum at_mechanism mechanism,
	int framework);

/* Prints the rows that apply, one paragraph a row; -1 and -1 are the whole table. What stands
 * beside a mechanism in a report is made with these. */
void at_ceilings_print(struct at_buf *out, int mechanism, int framework);

/* Adds the same as an array `ceilings` of objects {id, mechanism, framework, text}; "any" for
 * -1. */
void at_ceilings_to_json(struct at_json_value *out, int mechanism, int framework);

/* "CEIL-1 CEIL-2 …": the ids that apply, each once. */
void at_ceilings_ids(struct at_buf *out, int mechanism, int framework);

#endif
