#include "support/support.h"

#include <string.h>

#include "core/json_write.h"
#include "core/pipeline.h"

/* Everything as good as it can be. */
static const struct at_evidence best = {
	.brief_exists = true,
	.brief_ok = true,
	.artefacts_ok = true,
	.live_file_exists = true,
	.file_is_loaded = true,
	.is_configured = true,
	.mechanism = AT_CLAUDE_NATIVE,
	.state = AT_STATE_VERIFIED_HERE,
	.proof_date = "2026-10-07",
	.cases = { [AT_HOLDS] = 12 },
	.gate = AT_GATE_NONE,
};

static void put(struct at_evidence *e, size_t what)
{
	switch (what) {
	case 0: e->brief_ok = false; break;
	case 1: e->fatal = true; break;
	case 2: e->overridden = true; break;
	case 3: e->cooperative_without_token = true; break;
	case 4: e->goose_write_policy_override = true; break;
	case 5: e->artefacts_ok = false; break;
	case 6: e->file_is_loaded = false; break;
	case 7: e->is_configured = false; break;
	case 8: e->is_undone = true; e->undone_by = "~/.claude/settings.json"; break;
	case 9: e->mechanism = AT_LAUNCHER_LINUX; break;
	case 10: e->state = AT_STATE_UNVERIFIED; break;
	case 11: e->state = AT_STATE_STALE; break;
	case 12: e->cases[AT_LEAKS] = 2; break;
	default: break;
	}
}

/* UI-2: every row of the table, alone and with every later row's condition as well: the
 * first that matches wins. */
static void ui_2_every_row_and_its_precedence(void **state)
{
	static const struct {
		enum at_truth truth;
		const char *want;
	} rows[] = {
		{ AT_TRUTH_NO_REQUEST, "No valid request: nothing is decided" },
		{ AT_TRUTH_REFUSED, "Refused: no boundary can be had here" },
		{ AT_TRUTH_OVERRIDDEN, "No boundary here (override): the request is advice only" },
		{ AT_TRUTH_COOPERATIVE, "No boundary was asked for: agents are trusted" },
		{ AT_TRUTH_UNENFORCED, "UNENFORCED: the write policy holds nobody on goose" },
		{ AT_TRUTH_NOT_EMITTED, "Emitted files are missing or not ours: run --update" },
		{ AT_TRUTH_NOT_LOADED,
			"Configured file is not loaded by the client: nothing is in force" },
		{ AT_TRUTH_NOT_WIRED, "Emitted, not wired: nothing is confined yet" },
		{ AT_TRUTH_UNDONE,
			"Wired, and undone by ~/.claude/settings.json: nothing is confined" },
		{ AT_TRUTH_LAUNCHER,
			"Launcher genuine; whether your agent runs inside it cannot be seen from here" },
		{ AT_TRUTH_NOT_PROVEN, "Configured; not proven on this host" },
		{ AT_TRUTH_STALE, "Configured; last proven 2026-10-07 on other versions" },
		{ AT_TRUTH_LEAKS, "Configured; LEAKS in 2 cases" },
		{ AT_TRUTH_ENGAGES, "Engages as tested on 2026-10-07: 12 of 12 cases hold" },
	};

	assert_int_equal(AT_LEN(rows), AT_TRUTH_COUNT);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_evidence e = best;
		struct at_pipeline p;

		put(&e, i);
		at_pipeline_judge(&p, &e);
		assert_row(i, p.truth == rows[i].truth);
		if (strcmp(p.sentence, rows[i].want) != 0)
			fail_msg("row %zu: %s", i, p.sentence);
		/* the rows of the proof exclude each other, so they are not piled up */
		for (size_t later = i + 1; later <= 9; later++)
			if (i != 1 || later != 2) /* refused and overridden are told apart by 2 */
				put(&e, later);
		at_pipeline_judge(&p, &e);
		assert_row(i, p.truth == rows[i].truth);
	}
}

static void ui_2_suffixes(void **state)
{
	static const struct {
		enum at_gate_state gate;
		size_t staged;
		const char *want;
	} rows[] = {
		{ AT_GATE_NONE, 0, "Configured; not proven on this host" },
		{ AT_GATE_CLOSED, 0, "Configured; not proven on this host; gate closed" },
		{ AT_GATE_OPEN, 3, "Configured; not proven on this host; gate open on failure; "
			"3 to review" },
		{ AT_GATE_NOT_WIRED, 0, "Configured; not proven on this host; gate not wired" },
		{ AT_GATE_NONE, 1, "Configured; not proven on this host; 1 to review" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_evidence e = best;
		struct at_pipeline p;

		e.state = AT_STATE_UNVERIFIED;
		e.gate = rows[i].gate;
		e.staged = rows[i].staged;
		at_pipeline_judge(&p, &e);
		if (strcmp(p.sentence, rows[i].want) != 0)
			fail_msg("row %zu: %s", i, p.sentence);
	}
}

/* WIRE-13, WIRE-1: contradictions are read for the worst. */
static void wire_13_contradictions(void **state)
{
	struct at_evidence e = { 0 };
	struct at_pipeline p;

	at_pipeline_judge(&p, &e);
	assert_int_equal(p.truth, AT_TRUTH_NO_REQUEST);
	for (int i = 0; i < AT_STAGE_COUNT; i++)
		assert_row(i, p.stages[i] == AT_NOT_DONE);

	e = best;
	e.proof_date = NULL;
	at_pipeline_judge(&p, &e);
	assert_int_equal(p.truth, AT_TRUTH_NOT_PROVEN);
	e = best;
	e.cases[AT_HOLDS] = 0;
	at_pipeline_judge(&p, &e);
	assert_int_equal(p.truth, AT_TRUTH_NOT_PROVEN);
	e = best;
	e.mechanism = AT_NO_MECHANISM;
	at_pipeline_judge(&p, &e);
	assert_int_equal(p.truth, AT_TRUTH_NOT_PROVEN);
	e = best;
	e.state = AT_STATE_STALE; /* a run that leaked proved nothing on any version */
	e.cases[AT_LEAKS] = 1;
	at_pipeline_judge(&p, &e);
	assert_string_equal(p.sentence, "Configured; LEAKS in 1 case");
	e = best;
	e.cases[AT_SKIPPED] = 2;
	e.cases[AT_INCONCLUSIVE] = 1;
	at_pipeline_judge(&p, &e);
	assert_string_equal(p.sentence, "Engages as tested on 2026-10-07: 12 of 15 cases hold");
	assert_int_equal(p.stages[AT_ENFORCE], AT_UNKNOWN);
	e = best;
	e.is_undone = true;
	at_pipeline_judge(&p, &e);
	assert_string_equal(p.sentence, "Wired, and undone by another file: nothing is confined");
	e = best;
	e.undone_by = "x";
	at_pipeline_judge(&p, &e);
	assert_int_equal(p.truth, AT_TRUTH_UNDONE);
	e = best;
	e.file_is_loaded = false;
	e.gate = AT_GATE_CLOSED; /* the hook stands in the file that is not loaded */
	at_pipeline_judge(&p, &e);
	assert_int_equal(p.gate, AT_GATE_NOT_WIRED);
	assert_non_null(strstr(p.sentence, "; gate not wired"));
}

/* A file name as long as it may be cannot push the sentence over its end. */
static void hostile_file_name(void **state)
{
	struct at_evidence e = best;
	struct at_pipeline p;
	char name[5000];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	e.undone_by = name;
	e.gate = AT_GATE_CLOSED;
	e.staged = (size_t)-1;
	at_pipeline_judge(&p, &e);
	assert_non_null(strstr(p.sentence, ": nothing is confined; gate closed; "));
	assert_true(strlen(p.sentence) < sizeof(p.sentence));
}

static void stages(void **state)
{
	static const struct {
		size_t worse;
		enum at_stage_state want[AT_STAGE_COUNT];
	} rows[] = {
		{ 99, { AT_DONE, AT_DONE, AT_DONE, AT_DONE, AT_DONE } },
		{ 0, { AT_FAILED, AT_NOT_DONE, AT_NOT_DONE, AT_NOT_DONE, AT_NOT_DONE } },
		{ 1, { AT_DONE, AT_FAILED, AT_NOT_DONE, AT_NOT_DONE, AT_NOT_DONE } },
		{ 2, { AT_DONE, AT_DONE, AT_DONE, AT_NOT_DONE, AT_NOT_DONE } },
		{ 3, { AT_DONE, AT_DONE, AT_DONE, AT_NOT_DONE, AT_NOT_DONE } },
		{ 4, { AT_DONE, AT_DONE, AT_DONE, AT_DONE, AT_NOT_DONE } },
		{ 5, { AT_DONE, AT_DONE, AT_NOT_DONE, AT_UNKNOWN, AT_NOT_DONE } },
		{ 6, { AT_DONE, AT_DONE, AT_DONE, AT_FAILED, AT_FAILED } },
		{ 7, { AT_DONE, AT_DONE, AT_DONE, AT_NOT_DONE, AT_NOT_DONE } },
		{ 8, { AT_DONE, AT_DONE, AT_DONE, AT_FAILED, AT_FAILED } },
		/* WIRE-15: never done for a launcher */
		{ 9, { AT_DONE, AT_DONE, AT_DONE, AT_UNKNOWN, AT_UNKNOWN } },
		{ 10, { AT_DONE, AT_DONE, AT_DONE, AT_DONE, AT_UNKNOWN } },
		{ 11, { AT_DONE, AT_DONE, AT_DONE, AT_DONE, AT_UNKNOWN } },
		{ 12, { AT_DONE, AT_DONE, AT_DONE, AT_DONE, AT_FAILED } },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_evidence e = best;
		struct at_pipeline p;

		put(&e, rows[i].worse);
		at_pipeline_judge(&p, &e);
		assert_row(i, memcmp(p.stages, rows[i].want, sizeof(p.stages)) == 0);
	}
}

#define BITS 11

static struct at_evidence evidence_of(unsigned bits, unsigned mechanism, unsigned proof,
	unsigned leaks)
{
	struct at_evidence e = best;

	e.brief_exists = !(bits & 1);
	e.brief_ok = !(bits & 2);
	e.fatal = bits & 4;
	e.overridden = bits & 8;
	e.cooperative_without_token = bits & 16;
	e.goose_write_policy_override = bits & 32;
	e.artefacts_ok = !(bits & 64);
	e.file_is_loaded = !(bits & 128);
	e.is_configured = !(bits & 256);
	e.is_undone = bits & 512;
	e.proof_date = bits & 1024 ? "" : "2026-10-07";
	e.mechanism = mechanism ? AT_LAUNCHER_MACOS : AT_CLAUDE_SEATBELT;
	e.state = (enum at_mechanism_state)proof;
	e.cases[AT_LEAKS] = leaks;
	return e;
}

static void never_more(const struct at_evidence *from, const struct at_evidence *to)
{
	struct at_pipeline a, b;

	at_pipeline_judge(&a, from);
	at_pipeline_judge(&b, to);
	if (at_truth_claims(b.truth) > at_truth_claims(a.truth))
		fail_msg("worse evidence, stronger sentence: \"%s\" after \"%s\"", b.sentence,
			a.sentence);
	for (int s = 0; s < AT_STAGE_COUNT; s++)
		if (b.stages[s] == AT_DONE && a.stages[s] != AT_DONE &&
			!(s == AT_DECIDE && to->overridden) && !(s == AT_EMIT && to->overridden))
			fail_msg("worse evidence, and %s is done: \"%s\" after \"%s\"",
				at_stage_name((enum at_stage)s), b.sentence, a.sentence);
}

/* WIRE-1: over all evidence, making any one thing worse never yields more. */
static void wire_1_never_more_confident(void **state)
{
	for (unsigned bits = 0; bits < 1u << BITS; bits++)
		for (unsigned mechanism = 0; mechanism < 2; mechanism++)
			for (unsigned proof = 0; proof < AT_MECHANISM_STATE_COUNT; proof++)
				for (unsigned leaks = 0; leaks < 3; leaks++) {
					struct at_evidence e =
						evidence_of(bits, mechanism, proof, leaks), w;

					for (unsigned bit = 0; bit < BITS; bit++) {
						w = evidence_of(bits | 1u << bit, mechanism, proof, leaks);
						never_more(&e, &w);
					}
					w = evidence_of(bits, 1, proof, leaks);
					never_more(&e, &w);
					w = evidence_of(bits, mechanism, proof ? proof - 1 : 0, leaks);
					never_more(&e, &w);
					w = evidence_of(bits, mechanism, proof, leaks + 1);
					never_more(&e, &w);
					w = e;
					w.cases[AT_HOLDS] = 0;
					never_more(&e, &w);
				}
}

/* WIRE-13: one mechanism a team, none borrowed. */
static void wire_13_mechanism_of(void **state)
{
	for (int f = 0; f < AT_FRAMEWORK_COUNT; f++) {
		enum at_framework_id id = (enum at_framework_id)f;

		assert_row(f, at_mechanism_of(id, AT_LINUX) ==
			(f == AT_CLAUDE ? AT_CLAUDE_NATIVE : AT_LAUNCHER_LINUX));
		assert_row(f, at_mechanism_of(id, AT_DARWIN) ==
			(f == AT_CLAUDE		? AT_CLAUDE_SEATBELT
				: f == AT_GOOSE ? AT_GOOSE_SEATBELT
						: AT_LAUNCHER_MACOS));
		assert_row(f, at_mechanism_of(id, AT_WINDOWS) ==
			(f == AT_CLAUDE ? AT_CLAUDE_NATIVE : AT_NO_MECHANISM));
		/* where a boundary can be had there is a mechanism, and the reverse (DEC-1) */
		for (int p = AT_LINUX; p <= AT_OTHER; p++)
			assert_row(f, (at_mechanism_of(id, (enum at_platform)p) != AT_NO_MECHANISM) ==
				at_is_sandbox_capable(id, (enum at_platform)p));
	}
}

static void one_vocabulary(void **state)
{
	assert_string_equal(at_stage_state_name(AT_DONE), "done");
	assert_string_equal(at_stage_state_name(AT_NOT_DONE), "not done");
	assert_string_equal(at_mechanism_state_name(AT_STATE_VERIFIED_HERE), "VERIFIED HERE");
	assert_string_equal(at_mechanism_state_name(AT_STATE_NOT_WIRED), "NOT WIRED");
	assert_string_equal(at_mechanism_state_name(AT_STATE_NONE), "NONE");
	assert_string_equal(at_claim_name(AT_REPORTED), "reported");
	assert_string_equal(at_claim_name(AT_NOT_PROVEN), "not proven");
	assert_string_equal(at_case_word_name(AT_LEAKS), "LEAKS");
	assert_string_equal(at_case_word_name(AT_SKIPPED), "SKIPPED");
	assert_string_equal(at_mechanism_name(AT_CLAUDE_SEATBELT), "claude-seatbelt");
	for (int t = 0; t < AT_TRUTH_COUNT; t++)
		for (int u = 0; u < t; u++)
			assert_row(t, strcmp(at_truth_id((enum at_truth)t),
				at_truth_id((enum at_truth)u)) != 0);
}

static void plain_and_json(void **state)
{
	struct at_json_value *value = at_json_object();
	struct at_evidence e = best;
	struct at_buf out = { 0 };
	struct at_pipeline p;

	e.is_configured = false;
	e.staged = 2;
	at_pipeline_judge(&p, &e);
	at_pipeline_print(&p, &out);
	assert_string_equal(at_buf_text(&out),
		"REQUEST done   DECIDE done   EMIT done   WIRE not done   ENFORCE not done\n"
		"Emitted, not wired: nothing is confined yet; 2 to review\n");
	at_buf_free(&out);
	at_pipeline_to_json(&p, value);
	at_json_print(&out, value, AT_JSON_COMPACT);
	assert_string_equal(at_buf_text(&out),
		"{\"stages\":{\"REQUEST\":\"done\",\"DECIDE\":\"done\",\"EMIT\":\"done\","
		"\"WIRE\":\"not done\",\"ENFORCE\":\"not done\"},"
		"\"truth\":\"Emitted, not wired: nothing is confined yet; 2 to review\","
		"\"truth_id\":\"not-wired\",\"claim\":\"emitted\",\"mechanism\":\"claude-native\","
		"\"mechanism_state\":\"VERIFIED HERE\",\"gate\":\"none\",\"staged\":2}");
	at_buf_free(&out);
	at_json_value_free(value);
}

int test_pipeline(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_2_every_row_and_its_precedence),
		cmocka_unit_test(ui_2_suffixes),
		cmocka_unit_test(wire_13_contradictions),
		cmocka_unit_test(hostile_file_name),
		cmocka_unit_test(stages),
		cmocka_unit_test(wire_1_never_more_confident),
		cmocka_unit_test(wire_13_mechanism_of),
		cmocka_unit_test(one_vocabulary),
		cmocka_unit_test(plain_and_json),
	};

	return cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
}
