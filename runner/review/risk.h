/* risk.h - why a proposed change deserves a second look, and at which line.
 *
 * People approve nearly all they are shown. So what is shown first, and marked, is what would run on
 * this machine, what decides whom it trusts, what the scanner found, what a reader cannot see, and
 * what says little of itself. Each reason is a row of one table with its weight. It judges texts and
 * paths alone, refuses nothing, and a change without a reason is not called safe. (UI-7, STG-1)
 */
#ifndef AT_REVIEW_RISK_H
#define AT_REVIEW_RISK_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"

enum at_risk {
	AT_RISK_TRUST,   /* decides what an agent may do, or is read as instructions */
	AT_RISK_FINDING, /* a credential, personal data, an injected order */
	AT_RISK_HIDDEN,  /* characters that are not seen, or turn text around */
	AT_RISK_RUNS,    /* would run on this machine */
	AT_RISK_BINARY,  /* no text */
	AT_RISK_LONG,    /* a line too long to be read */
	AT_RISK_SIZE,    /* far larger than what is said of it */
	AT_RISK_PLACE,   /* not where this agent works */
	AT_RISK_COUNT
};
const char *at_risk_name(enum at_risk risk); /* "trust": stable, for JSON */
unsigned at_risk_weight(enum at_risk risk);

struct at_risk_reason {
	enum at_risk risk;
	size_t line;      /* of the new text, from 1; 0: the file as a whole */
	const char *text; /* one clause, a constant: never holds what was found */
};

struct at_risk_case {
	const char *path;    /* below the project, normalised */
	struct at_bytes old, new; /* data NULL: there is no such side */
	struct at_bytes rationale;
	const char *const *usual; /* first components of paths where this agent worked before */
	size_t usual_count;       /* 0: nothing is known of it, and nothing said */
	bool may_quote;           /* scan_may_quote() of the path */
};

#define AT_RISK_REASONS 64 /* kept; more are counted */

struct at_risk_report {
	struct at_risk_reason reasons[AT_RISK_REASONS]; /* heaviest first, then by line */
	size_t count, more;
	unsigned weight; /* of each kind once: what a list is ordered by */
};

/* Only lines that are new are looked at. Linear but for the diff of the two sides. */
void at_risk_judge(struct at_risk_report *out, const struct at_risk_case *what);

/* "would run here; a credential (line 12)". Appended. */
void at_risk_put(struct at_buf *out, const struct at_risk_report *report);

#endif
