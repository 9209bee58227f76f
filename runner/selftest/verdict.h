/* verdict.h - what one case came to, from everything that was seen of it.
 *
 * A pure function. A refusal counts only where its controls worked, what the host shows counts
 * more than what the probe says, and a secret that was seen is a leak whatever else. It starts
 * nothing and reads nothing. (LAU-8, WIRE-10; notes 7.1)
 */
#ifndef AT_VERDICT_H
#define AT_VERDICT_H

#include "core/pipeline.h"
#include "runner/selftest/case.h"

/* What the probe said of one act. */
enum at_seen { AT_SEEN_NOTHING, AT_SEEN_WORKED, AT_SEEN_REFUSED, AT_SEEN_ABSENT, AT_SEEN_BROKEN };

#define AT_SEEN_DETAIL 96

struct at_seen_act {
	enum at_seen seen;
	char detail[AT_SEEN_DETAIL]; /* untrusted; no control characters. Or "" */
};

/* What the driver itself found on the host after the attempt. */
enum at_host_sight {
	AT_HOST_NO_SIGHT, /* the case leaves no trace there, or nobody looked */
	AT_HOST_UNTOUCHED, /* looked, and all is as before: a copy was reached at most */
	AT_HOST_TOUCHED,
};

struct at_evidence_of_case {
	struct at_seen_act attempt; /* inside */
	struct at_seen_act control; /* inside, on an allowed object */
	struct at_seen_act outside; /* the same attempt without the sandbox */
	enum at_host_sight host;
	char trace[AT_SEEN_DETAIL]; /* what was touched, or "" */
	bool secret_seen; /* what the probe got hold of is one of the fixture's secrets */
	const char *no_fixture; /* why what the case needs could not be made, or NULL */
};

#define AT_VERDICT_TEXT 320

struct at_verdict {
	enum at_case_word word;
	char evidence[AT_VERDICT_TEXT]; /* one clause; may quote details */
};

void at_verdict_of(struct at_verdict *out, const struct at_case *one, enum at_selftest_mode mode,
	const struct at_evidence_of_case *evidence);

#endif
