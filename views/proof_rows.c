#include "views/proof_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "runner/selftest/report.h"

static bool is_failure(const struct at_proof_case *one)
{
	return one->word == AT_LEAKS || one->word == AT_INCONCLUSIVE;
}

/* The first case of a group stands for it. */
static bool is_first(const struct at_proof *proof, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(proof->cases[i].group, proof->cases[index].group) == 0)
			return false;
	return true;
}

void at_proof_rows_add(struct at_wiring_rows *r)
{
	const struct at_proof_state *s = &r->collected->proof;

	if (r->collected->evidence.mechanism != AT_LAUNCHER_LINUX)
		return;
	at_wiring_rows_put(r, AT_ROW_HEADING, 0, "Proof of the launcher on this host");
	at_wiring_rows_put(r, AT_ROW_PROOF, 0, NULL);
	if (!s->exists)
		return;
	for (size_t i = 0; i < s->proof.case_count; i++)
		if (is_failure(&s->proof.cases[i]))
			at_wiring_rows_put(r, AT_ROW_PROOF_CASE, i, NULL);
	for (size_t i = 0; i < s->proof.case_count; i++)
		if (is_first(&s->proof, i))
			at_wiring_rows_put(r, AT_ROW_PROOF_GROUP, i, NULL);
}

static const char *state_word(const struct at_proof_state *s)
{
	return at_mechanism_state_name(s->state);
}

static void state_line(const struct at_wiring_rows *r, struct at_line *out)
{
	const struct at_selftest_progress *progress = &r->session->selftest;
	const struct at_proof_state *s = &r->collected->proof;
	struct at_buf totals = { 0 };

	if (progress->is_running)
		at_line_textf(out, AT_STYLE_ACCENT, "being tried: %u of %u  ", progress->done,
			progress->all);
	at_line_textf(out,
		s->state == AT_STATE_VERIFIED_HERE ? AT_STYLE_TIGHTENS
			: s->failures              ? AT_STYLE_WIDENS
						   : AT_STYLE_RELAXES,
		"%s", state_word(s));
	if (s->exists) {
		at_proof_print_totals(&s->proof, SIZE_MAX, &totals);
		at_line_textf(out, AT_STYLE_NORMAL, "  %s: %s", s->date, at_buf_text(&totals));
	}
	if (*s->why)
		at_line_textf(out, AT_STYLE_DIM, "  %s", s->why);
	at_buf_free(&totals);
}

static enum at_style word_style(enum at_case_word word)
{
	static const enum at_style styles[AT_CASE_COUNT] = { [AT_HOLDS] = AT_STYLE_TIGHTENS,
		[AT_LEAKS] = AT_STYLE_WIDENS,
		[AT_INCONCLUSIVE] = AT_STYLE_WIDENS,
		[AT_RESIDUAL] = AT_STYLE_RELAXES,
		[AT_SKIPPED] = AT_STYLE_DIM };

	return styles[word];
}

static void case_line(
	const struct at_proof *proof, const struct at_proof_case *one, struct at_line *out)
{
	struct at_buf run = { 0 };

	at_proof_print_run(proof, one->run, &run);
	at_line_textf(out, word_style(one->word), "%-12s ", at_case_word_name(one->word));
	at_line_textf(out, AT_STYLE_NORMAL, "%-5s %s", one->id, one->what);
	at_line_textf(out, AT_STYLE_DIM, "  %s  %s", at_buf_text(&run), one->evidence);
	at_buf_free(&run);
}

static void group_line(const struct at_proof *proof, const char *group, struct at_line *out)
{
	unsigned totals[AT_CASE_COUNT] = { 0 };

	for (size_t i = 0; i < proof->case_count; i++)
		if (strcmp(proof->cases[i].group, group) == 0)
			totals[proof->cases[i].word]++;
	at_line_textf(out, AT_STYLE_NORMAL, "%-16s", group);
	for (int w = 0; w < AT_CASE_COUNT; w++)
		if (totals[w])
			at_line_textf(out, word_style((enum at_case_word)w), "  %u %s", totals[w],
				at_case_word_name((enum at_case_word)w));
}

void at_proof_row_line(const struct at_wiring_rows *r, size_t row, struct at_line *out)
{
	const struct at_proof_state *s = &r->collected->proof;
	const struct at_wiring_row *it = &r->rows[row];

	if (it->kind == AT_ROW_PROOF)
		state_line(r, out);
	else if (it->kind == AT_ROW_PROOF_CASE)
		case_line(&s->proof, &s->proof.cases[it->index], out);
	else
		group_line(&s->proof, s->proof.cases[it->index].group, out);
}

static void put_case(
	const struct at_proof *proof, const struct at_proof_case *one, struct at_buf *out)
{
	at_buf_printf(out, "%s  %s (", one->id, at_case_word_name(one->word));
	at_proof_print_run(proof, one->run, out);
	at_buf_printf(out, ")\n  %s\n  %s\n", one->what, one->evidence);
	if (*one->control)
		at_buf_printf(out, "  control: %s\n", one->control);
	if (*one->why)
		at_buf_printf(out, "  %s\n", one->why);
}

static void put_state(const struct at_proof_state *s, struct at_buf *out)
{
	at_buf_printf(out, "%s\n%s\n\n", state_word(s), s->why);
	if (!s->exists) {
		at_buf_puts(out,
			"atconsole --self-test tries the launcher on this host, with "
			"throwaway files.\n");
		return;
	}
	at_buf_printf(out, "Tried on %s, on\n", s->date);
	for (int i = 0; i < AT_PROOF_FACT_COUNT; i++)
		if (*s->proof.facts[i])
			at_buf_printf(out, "  %s: %s\n", at_proof_fact_label((enum at_proof_fact)i),
				s->proof.facts[i]);
	for (size_t i = 0; i < s->proof.run_count; i++) {
		const struct at_proof_run *run = &s->proof.runs[i];

		at_buf_putc(out, '\n');
		at_proof_print_run(&s->proof, i, out);
		at_buf_puts(out, ": ");
		at_proof_print_totals(&s->proof, i, out);
		at_buf_putc(out, '\n');
		for (size_t m = 0; m < run->mechanism_count; m++)
			at_buf_printf(out, "  %s: %s\n", run->mechanisms[m].name,
				run->mechanisms[m].value);
	}
}

void at_proof_row_text(const struct at_wiring_rows *r, size_t row, struct at_buf *out)
{
	const struct at_proof_state *s = &r->collected->proof;
	const struct at_wiring_row *it = &r->rows[row];
	const char *group;

	if (it->kind == AT_ROW_PROOF) {
		put_state(s, out);
		return;
	}
	if (it->kind == AT_ROW_PROOF_CASE) {
		put_case(&s->proof, &s->proof.cases[it->index], out);
		return;
	}
	group = s->proof.cases[it->index].group;
	at_buf_printf(out, "%s\n\n", group);
	for (size_t i = 0; i < s->proof.case_count; i++)
		if (strcmp(s->proof.cases[i].group, group) == 0)
			put_case(&s->proof, &s->proof.cases[i], out);
}

void at_proof_rows_json(const struct at_collected *collected, struct at_json_value *out)
{
	const struct at_proof_state *s = &collected->proof;
	struct at_json_value *proof;

	if (collected->evidence.mechanism != AT_LAUNCHER_LINUX) {
		at_json_add_null(out, "proof");
		return;
	}
	proof = at_json_add_object(out, "proof");
	at_json_add_text(proof, "state", state_word(s));
	at_json_add_text(proof, "why", s->why);
	if (s->exists)
		at_proof_to_json(&s->proof, at_json_add_object(proof, "report"));
	else
		at_json_add_null(proof, "report");
}
