/* pipeline.h - the words for how far a boundary is, and the one sentence that may be said.
 *
 * Five stages, one pure function from evidence to the truth line. Whoever checks fills
 * the evidence; this module looks at nothing and believes nothing that was not put in:
 * a zeroed evidence says the least. (UI-2, WIRE-1, WIRE-13; tables.md 3)
 */
#ifndef AT_PIPELINE_H
#define AT_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/decide.h"

struct at_buf;
struct at_json_value;

/* One vocabulary for every screen, report and test. */
enum at_stage { AT_REQUEST, AT_DECIDE, AT_EMIT, AT_WIRE, AT_ENFORCE, AT_STAGE_COUNT };
const char *at_stage_name(enum at_stage stage); /* REQUEST … ENFORCE */

enum at_stage_state { AT_NOT_DONE, AT_FAILED, AT_UNKNOWN, AT_DONE };
const char *at_stage_state_name(enum at_stage_state state); /* not done, failed, unknown, done */

enum at_claim { AT_NOT_PROVEN, AT_EMITTED, AT_CONFIGURED, AT_PROBED, AT_REPORTED };
const char *at_claim_name(enum at_claim claim);

enum at_case_word { AT_HOLDS, AT_LEAKS, AT_INCONCLUSIVE, AT_RESIDUAL, AT_SKIPPED, AT_CASE_COUNT };
const char *at_case_word_name(enum at_case_word word);

enum at_mechanism {
	AT_NO_MECHANISM,
	AT_CLAUDE_NATIVE, /* bubblewrap by the product, and whatever it does elsewhere */
	AT_LAUNCHER_LINUX,
	AT_LAUNCHER_MACOS,
	AT_GOOSE_SEATBELT,
	AT_CLAUDE_SEATBELT,
	AT_MECHANISM_COUNT,
};
const char *at_mechanism_name(enum at_mechanism mechanism); /* "claude-native", …; "none" */
bool at_mechanism_is_launcher(enum at_mechanism mechanism);

/* The one mechanism whose verdict counts for the team: never borrowed. (WIRE-13) */
enum at_mechanism at_mechanism_of(enum at_framework_id framework, enum at_platform platform);

enum at_mechanism_state {
	AT_STATE_NONE,
	AT_STATE_NOT_WIRED,
	AT_STATE_UNVERIFIED,
	AT_STATE_STALE,
	AT_STATE_VERIFIED_HERE,
	AT_MECHANISM_STATE_COUNT,
};
const char *at_mechanism_state_name(enum at_mechanism_state state); /* VERIFIED HERE, … */

enum at_gate_state { AT_GATE_NONE, AT_GATE_NOT_WIRED, AT_GATE_OPEN, AT_GATE_CLOSED, AT_GATE_COUNT };
const char *at_gate_state_name(enum at_gate_state state); /* none, not wired, … */

/* What was checked in this run. Texts are borrowed; NULL is as good as "". */
struct at_evidence {
	bool brief_exists;
	bool brief_ok;                    /* read and accepted */
	bool fatal;                       /* the decision holds a fatal advisory, not overridden */
	bool overridden;                  /* --allow-unenforced-confinement was given and needed */
	bool cooperative_without_token;   /* no boundary was asked for */
	bool goose_write_policy_override; /* WP-1's environment switch was used */
	bool artefacts_ok;                /* every emitted file is there and is ours as of now */
	bool live_file_exists;            /* a settings file that the client should load */
	bool file_is_loaded;              /* and the client would (WIRE-8) */
	bool is_configured;               /* the wiring check passed; for a launcher team:
	                                   * the launcher is present and genuine */
	bool is_undone;                   /* a file switches it off or widens it (WIRE-9) */
	const char *undone_by;            /* which; untrusted text, shown through core/safetext */
	enum at_mechanism mechanism;
	enum at_mechanism_state state; /* of that mechanism */
	const char *proof_date;        /* "2026-10-07" of the stored report, or "" */
	unsigned cases[AT_CASE_COUNT]; /* of that report, by word */
	enum at_gate_state gate;
	size_t staged; /* items that wait for review */
};

/* The rows of the truth line, in their order: the first that matches wins. */
enum at_truth {
	AT_TRUTH_NO_REQUEST,
	AT_TRUTH_REFUSED,
	AT_TRUTH_OVERRIDDEN,
	AT_TRUTH_COOPERATIVE,
	AT_TRUTH_UNENFORCED,
	AT_TRUTH_NOT_EMITTED,
	AT_TRUTH_NOT_LOADED,
	AT_TRUTH_NOT_WIRED,
	AT_TRUTH_UNDONE,
	AT_TRUTH_LAUNCHER,
	AT_TRUTH_NOT_PROVEN,
	AT_TRUTH_STALE,
	AT_TRUTH_LEAKS,
	AT_TRUTH_ENGAGES,
	AT_TRUTH_COUNT,
};
const char *at_truth_id(enum at_truth truth); /* "not-wired": stable, for JSON */

/* How much a row claims: 0 nothing, 1 something whose hold is unseen or known to leak,
 * 2 configured, 3 once proven, 4 proven. Worse evidence never raises it. */
unsigned at_truth_claims(enum at_truth truth);

struct at_pipeline {
	enum at_stage_state stages[AT_STAGE_COUNT];
	enum at_truth truth;
	char sentence[768]; /* with the suffixes; may quote `undone_by` */
	enum at_claim claim; /* the strongest that was checked */
	enum at_mechanism mechanism;
	enum at_mechanism_state state;
	enum at_gate_state gate;
	size_t staged;
};

/* Judges. Pure. Contradictions are read for the worst: a proof without a date or without a
 * case that holds is none, a leak counts whatever the state, the gate's hook cannot be in
 * force in a file that is not loaded. */
void at_pipeline_judge(struct at_pipeline *out, const struct at_evidence *evidence);

/* "REQUEST done   DECIDE done   …" and the sentence, two lines; untrusted text in it is
 * not made safe here. */
void at_pipeline_print(const struct at_pipeline *pipeline, struct at_buf *out);
void at_pipeline_to_json(const struct at_pipeline *pipeline, struct at_json_value *out);

#endif
