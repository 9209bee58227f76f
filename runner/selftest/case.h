/* case.h - the list of what the self-test tries, and what each must come to.
 *
 * One table, cases.def, read by the probe that runs inside the sandbox, by the driver that
 * starts it, by the report and by the manual. It runs nothing. Ids and groups are those of
 * the battery in the project's notes. (LAU-8)
 */
#ifndef AT_CASE_H
#define AT_CASE_H

#include <stdbool.h>
#include <stddef.h>

/* What must hold. */
enum at_case_policy {
	AT_CASE_MUST,     /* a leak is a failure */
	AT_CASE_OPEN,     /* residual by policy: `why` says why; never counted as holding */
	AT_CASE_OPTIONAL, /* a leak is a failure where its control works or its object is there;
	                     elsewhere it is skipped, with `why` for the reason */
};

/* Which positive control makes a refusal worth something. */
enum at_case_control {
	AT_CONTROL_NONE = 0,
	AT_CONTROL_OUTSIDE = 1, /* the same act outside the sandbox must work */
	AT_CONTROL_INSIDE = 2,  /* the same act inside, on an allowed object, must work */
};

/* Who carries it out. */
enum at_case_way {
	AT_BY_PROBE,  /* the probe, inside the one sandbox of the mode */
	AT_BY_LAUNCH, /* the driver, with a launch of its own */
};

/* The two modes the battery is run in. */
enum at_selftest_mode { AT_MODE_DEFAULT, AT_MODE_HARDEN, AT_MODE_COUNT };

struct at_case {
	const char *id;    /* "W1" */
	const char *group; /* "write outside" */
	const char *what;  /* the attempt, one clause */
	unsigned controls; /* of enum at_case_control */
	enum at_case_way way;
	enum at_case_policy policy[AT_MODE_COUNT];
	const char *why; /* of what is open, or which layer is needed; else "" */
	bool must_work;  /* the attempt is daily work: worked is what holds, refused is BROKEN */
};

extern const struct at_case at_cases[];
extern const size_t at_case_count;

/* By id, or NULL. */
const struct at_case *at_case_find(const char *id);

#endif
