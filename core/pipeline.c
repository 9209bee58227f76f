#include "core/pipeline.h"

#include <stdio.h>
#include <string.h>

#include "core/bytes.h"
#include "core/json_write.h"
#include "core/mem.h"

#define NAMES(function, type, ...)                                                                 \
	const char *function(type value)                                                           \
	{                                                                                          \
		static const char *const names[] = { __VA_ARGS__ };                                \
		return (size_t)value < AT_LEN(names) ? names[value] : "unknown";                   \
	}

NAMES(at_stage_name, enum at_stage, "REQUEST", "DECIDE", "EMIT", "WIRE", "ENFORCE")
NAMES(at_stage_state_name, enum at_stage_state, "not done", "failed", "unknown", "done")
NAMES(at_claim_name, enum at_claim, "not proven", "emitted", "configured", "probed", "reported")
NAMES(at_case_word_name, enum at_case_word, "HOLDS", "LEAKS", "INCONCLUSIVE", "RESIDUAL", "SKIPPED")
NAMES(at_mechanism_name, enum at_mechanism, "none", "claude-native", "launcher-linux",
	"launcher-macos", "goose-seatbelt", "claude-seatbelt")
NAMES(at_mechanism_state_name, enum at_mechanism_state, "NONE", "NOT WIRED", "UNVERIFIED", "STALE",
	"VERIFIED HERE")
NAMES(at_gate_state_name, enum at_gate_state, "none", "not wired", "open on failure", "closed")

bool at_mechanism_is_launcher(enum at_mechanism mechanism)
{
	return mechanism == AT_LAUNCHER_LINUX || mechanism == AT_LAUNCHER_MACOS;
}

enum at_mechanism at_mechanism_of(enum at_framework_id framework, enum at_platform platform)
{
	static const struct {
		enum at_platform platform;
		enum at_mechanism claude, goose, other;
	} rows[] = {
		{ AT_LINUX, AT_CLAUDE_NATIVE, AT_LAUNCHER_LINUX, AT_LAUNCHER_LINUX },
		{ AT_DARWIN, AT_CLAUDE_SEATBELT, AT_GOOSE_SEATBELT, AT_LAUNCHER_MACOS },
		{ AT_WINDOWS, AT_CLAUDE_NATIVE, AT_NO_MECHANISM, AT_NO_MECHANISM },
		{ AT_OTHER, AT_CLAUDE_NATIVE, AT_NO_MECHANISM, AT_NO_MECHANISM },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		if (rows[i].platform != platform)
			continue;
		if (framework == AT_CLAUDE)
			return rows[i].claude;
		return framework == AT_GOOSE ? rows[i].goose : rows[i].other;
	}
	return AT_NO_MECHANISM;
}

static unsigned leaks(const struct at_evidence *e)
{
	return e->cases[AT_LEAKS];
}

/* A report counts as one only with its mechanism, its day and something that held. */
static bool has_proof(const struct at_evidence *e)
{
	return e->mechanism != AT_NO_MECHANISM && e->proof_date && *e->proof_date &&
		e->cases[AT_HOLDS] > 0;
}

static bool is_no_request(const struct at_evidence *e)
{
	return !e->brief_exists || !e->brief_ok;
}

static bool is_refused(const struct at_evidence *e)
{
	return e->fatal && !e->overridden;
}

static bool is_overridden(const struct at_evidence *e)
{
	return e->overridden;
}

static bool is_cooperative(const struct at_evidence *e)
{
	return e->cooperative_without_token;
}

static bool is_unenforced(const struct at_evidence *e)
{
	return e->goose_write_policy_override;
}

static bool is_not_emitted(const struct at_evidence *e)
{
	return !e->artefacts_ok;
}

static bool is_not_loaded(const struct at_evidence *e)
{
	return e->live_file_exists && !e->file_is_loaded;
}

static bool is_not_wired(const struct at_evidence *e)
{
	return !e->is_configured;
}

static bool is_undone(const struct at_evidence *e)
{
	return e->is_undone || (e->undone_by && *e->undone_by);
}

static bool is_launcher(const struct at_evidence *e)
{
	return at_mechanism_is_launcher(e->mechanism);
}

static bool is_not_proven(const struct at_evidence *e)
{
	return leaks(e) == 0 && (e->state < AT_STATE_STALE || !has_proof(e));
}

static bool is_stale(const struct at_evidence *e)
{
	return leaks(e) == 0 && e->state == AT_STATE_STALE;
}

static bool is_leaking(const struct at_evidence *e)
{
	return leaks(e) > 0;
}

static bool is_any(const struct at_evidence *e)
{
	(void)e;
	return true;
}

static void say_undone(char *out, size_t size, const struct at_evidence *e)
{
	bool is_named = e->undone_by && *e->undone_by;

	snprintf(out, size, "Wired, and undone by %.512s: nothing is confined",
		is_named ? e->undone_by : "another file");
}

static void say_stale(char *out, size_t size, const struct at_evidence *e)
{
	snprintf(out, size, "Configured; last proven %.32s on other versions", e->proof_date);
}

static void say_leaks(char *out, size_t size, const struct at_evidence *e)
{
	snprintf(out, size, "Configured; LEAKS in %u case%s", leaks(e), leaks(e) == 1 ? "" : "s");
}

/* What was tested and did not hold counts among the cases: skipped is not held. */
static void say_engages(char *out, size_t size, const struct at_evidence *e)
{
	unsigned all = 0;

	for (size_t i = 0; i < AT_CASE_COUNT; i++)
		all += e->cases[i];
	snprintf(out, size, "Engages as tested on %.32s: %u of %u cases hold", e->proof_date,
		e->cases[AT_HOLDS], all);
}

/* tables.md 3. The first row that applies wins; rows further down claim more. */
static const struct truth {
	const char *id;
	unsigned claims;
	enum at_claim claim;
	bool (*applies)(const struct at_evidence *e);
	const char *sentence;
	void (*say)(char *out, size_t size, const struct at_evidence *e); /* in its stead */
} truths[AT_TRUTH_COUNT] = {
	[AT_TRUTH_NO_REQUEST] = { "no-request", 0, AT_NOT_PROVEN, is_no_request,
		"No valid request: nothing is decided", NULL },
	[AT_TRUTH_REFUSED] = { "refused", 0, AT_NOT_PROVEN, is_refused,
		"Refused: no boundary can be had here", NULL },
	[AT_TRUTH_OVERRIDDEN] = { "overridden", 0, AT_NOT_PROVEN, is_overridden,
		"No boundary here (override): the request is advice only", NULL },
	[AT_TRUTH_COOPERATIVE] = { "cooperative", 0, AT_NOT_PROVEN, is_cooperative,
		"No boundary was asked for: agents are trusted", NULL },
	[AT_TRUTH_UNENFORCED] = { "unenforced", 0, AT_NOT_PROVEN, is_unenforced,
		"UNENFORCED: the write policy holds nobody on goose", NULL },
	[AT_TRUTH_NOT_EMITTED] = { "not-emitted", 0, AT_NOT_PROVEN, is_not_emitted,
		"Emitted files are missing or not ours: run --update", NULL },
	[AT_TRUTH_NOT_LOADED] = { "not-loaded", 0, AT_EMITTED, is_not_loaded,
		"Configured file is not loaded by the client: nothing is in force", NULL },
	[AT_TRUTH_NOT_WIRED] = { "not-wired", 0, AT_EMITTED, is_not_wired,
		"Emitted, not wired: nothing is confined yet", NULL },
	[AT_TRUTH_UNDONE] = { "undone", 0, AT_EMITTED, is_undone, NULL, say_undone },
	[AT_TRUTH_LAUNCHER] = { "launcher", 1, AT_EMITTED, is_launcher,
		"Launcher genuine; whether your agent runs inside it cannot be seen from here",
		NULL },
	[AT_TRUTH_NOT_PROVEN] = { "not-proven", 2, AT_CONFIGURED, is_not_proven,
		"Configured; not proven on this host", NULL },
	[AT_TRUTH_STALE] = { "stale", 3, AT_CONFIGURED, is_stale, NULL, say_stale },
	[AT_TRUTH_LEAKS] = { "leaks", 1, AT_CONFIGURED, is_leaking, NULL, say_leaks },
	[AT_TRUTH_ENGAGES] = { "engages", 4, AT_PROBED, is_any, NULL, say_engages },
};

const char *at_truth_id(enum at_truth truth)
{
	return truths[truth].id;
}

unsigned at_truth_claims(enum at_truth truth)
{
	return truths[truth].claims;
}

static enum at_truth truth_of(const struct at_evidence *e)
{
	unsigned i = 0;

	while (i < AT_TRUTH_ENGAGES && !truths[i].applies(e))
		i++;
	return (enum at_truth)i;
}

static enum at_stage_state request_state(const struct at_evidence *e)
{
	if (!e->brief_exists)
		return AT_NOT_DONE;
	return e->brief_ok ? AT_DONE : AT_FAILED;
}

static enum at_stage_state wire_state(const struct at_evidence *e, enum at_truth truth)
{
	/* nothing that was asked for can be wired */
	if (truth < AT_TRUTH_UNENFORCED)
		return AT_NOT_DONE;
	if (is_not_loaded(e) || (e->is_configured && is_undone(e)))
		return AT_FAILED;
	if (!e->is_configured)
		return AT_NOT_DONE;
	/* never done for a launcher (WIRE-15); not comparable while the files are not ours */
	return is_launcher(e) || !e->artefacts_ok ? AT_UNKNOWN : AT_DONE;
}

static enum at_stage_state enforce_state(const struct at_evidence *e, enum at_truth truth)
{
	switch (truth) {
	case AT_TRUTH_ENGAGES: /* a case whose positive control failed tells nothing */
		return e->cases[AT_INCONCLUSIVE] == 0 ? AT_DONE : AT_UNKNOWN;
	case AT_TRUTH_LEAKS:
	case AT_TRUTH_UNDONE:
	case AT_TRUTH_NOT_LOADED:
		return AT_FAILED;
	case AT_TRUTH_LAUNCHER:
	case AT_TRUTH_NOT_PROVEN:
	case AT_TRUTH_STALE:
		return AT_UNKNOWN;
	default:
		return AT_NOT_DONE;
	}
}

static void judge_stages(struct at_pipeline *out, const struct at_evidence *e)
{
	bool is_requested = !is_no_request(e);

	out->stages[AT_REQUEST] = request_state(e);
	out->stages[AT_DECIDE] =
		!is_requested ? AT_NOT_DONE : is_refused(e) ? AT_FAILED : AT_DONE;
	out->stages[AT_EMIT] = out->stages[AT_DECIDE] == AT_DONE && e->artefacts_ok ? AT_DONE
										  : AT_NOT_DONE;
	out->stages[AT_WIRE] = wire_state(e, out->truth);
	out->stages[AT_ENFORCE] = enforce_state(e, out->truth);
}

static void append(char *out, size_t size, const char *text)
{
	size_t used = strlen(out);

	snprintf(out + used, size - used, "%s", text);
}

static void add_suffixes(struct at_pipeline *out)
{
	char review[64];

	if (out->gate != AT_GATE_NONE) {
		append(out->sentence, sizeof(out->sentence), "; gate ");
		append(out->sentence, sizeof(out->sentence), at_gate_state_name(out->gate));
	}
	if (out->staged > 0) {
		snprintf(review, sizeof(review), "; %zu to review", out->staged);
		append(out->sentence, sizeof(out->sentence), review);
	}
}

void at_pipeline_judge(struct at_pipeline *out, const struct at_evidence *evidence)
{
	const struct truth *row;

	memset(out, 0, sizeof(*out));
	out->truth = truth_of(evidence);
	row = &truths[out->truth];
	out->claim = row->claim;
	out->mechanism = evidence->mechanism;
	out->state = evidence->state;
	out->staged = evidence->staged;
	out->gate = evidence->gate > AT_GATE_NOT_WIRED && is_not_loaded(evidence)
		? AT_GATE_NOT_WIRED
		: evidence->gate;
	judge_stages(out, evidence);
	if (row->say)
		row->say(out->sentence, sizeof(out->sentence), evidence);
	else
		append(out->sentence, sizeof(out->sentence), row->sentence);
	add_suffixes(out);
}

void at_pipeline_print(const struct at_pipeline *pipeline, struct at_buf *out)
{
	for (unsigned i = 0; i < AT_STAGE_COUNT; i++)
		at_buf_printf(out, "%s%s %s", i ? "   " : "", at_stage_name((enum at_stage)i),
			at_stage_state_name(pipeline->stages[i]));
	at_buf_printf(out, "\n%s\n", pipeline->sentence);
}

void at_pipeline_to_json(const struct at_pipeline *pipeline, struct at_json_value *out)
{
	struct at_json_value *stages = at_json_add_object(out, "stages");

	for (unsigned i = 0; i < AT_STAGE_COUNT; i++)
		at_json_add_text(stages, at_stage_name((enum at_stage)i),
			at_stage_state_name(pipeline->stages[i]));
	at_json_add_text(out, "truth", pipeline->sentence);
	at_json_add_text(out, "truth_id", at_truth_id(pipeline->truth));
	at_json_add_text(out, "claim", at_claim_name(pipeline->claim));
	at_json_add_text(out, "mechanism", at_mechanism_name(pipeline->mechanism));
	at_json_add_text(out, "mechanism_state", at_mechanism_state_name(pipeline->state));
	at_json_add_text(out, "gate", at_gate_state_name(pipeline->gate));
	at_json_add_number(out, "staged", (long long)pipeline->staged);
}
