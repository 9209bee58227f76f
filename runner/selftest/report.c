#include "runner/selftest/report.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ceilings.h"
#include "core/mem.h"

#define ID_CELLS 6
#define RUN_CELLS 19

/* Shown one after the other. */
static const struct part {
	enum at_case_word word;
	const char *heading;
} parts[] = {
	{ AT_LEAKS, "It leaks" },
	{ AT_INCONCLUSIVE, "Nothing is known: a control failed, or it could not be tried" },
	{ AT_RESIDUAL, "Open by policy, and why" },
	{ AT_SKIPPED, "Not tried here" },
	{ AT_HOLDS, "It holds" },
};

void at_proof_print_run(const struct at_proof *proof, size_t run, struct at_buf *out)
{
	at_buf_printf(out, "uid %u, %s", proof->runs[run].caller,
		proof->runs[run].harden ? "harden" : "default");
}

void at_proof_print_totals(const struct at_proof *proof, size_t run, struct at_buf *out)
{
	static const char *const words[AT_CASE_COUNT] = { [AT_HOLDS] = "hold",
		[AT_LEAKS] = "leak",
		[AT_INCONCLUSIVE] = "inconclusive",
		[AT_RESIDUAL] = "residual",
		[AT_SKIPPED] = "skipped" };
	unsigned totals[AT_CASE_COUNT];

	at_proof_totals(proof, run, totals);
	for (int w = 0; w < AT_CASE_COUNT; w++)
		at_buf_printf(out, "%s%u %s", w ? ", " : "", totals[w], words[w]);
}

static int rank(enum at_case_word word)
{
	for (size_t i = 0; i < AT_LEN(parts); i++)
		if (parts[i].word == word)
			return (int)i;
	return (int)AT_LEN(parts);
}

void at_proof_order(const struct at_proof *proof, size_t *out)
{
	size_t count = 0;

	for (int r = 0; r < (int)AT_LEN(parts); r++)
		for (size_t i = 0; i < proof->case_count; i++)
			if (rank(proof->cases[i].word) == r)
				out[count++] = i;
}

static void put_fact(struct at_buf *out, const char *name, const char *text)
{
	if (*text)
		at_buf_printf(out, "  %-10s%s\n", name, text);
}

static void put_digest(struct at_buf *out, const char *name, const char *digest, const char *more)
{
	if (*digest)
		at_buf_printf(out, "  %-10s%.16s…  %s\n", name, digest, more);
}

static void put_host(const struct at_proof *proof, struct at_buf *out)
{
	const char *const *f = proof->facts;
	struct at_buf text = { 0 };

	at_buf_printf(&text, "%s, %s, %s, %s", f[AT_PROOF_HOST], f[AT_PROOF_KERNEL],
		f[AT_PROOF_DISTRO], f[AT_PROOF_MACHINE]);
	put_fact(out, "host", at_buf_text(&text));
	put_digest(out, "launcher", f[AT_PROOF_LAUNCHER], f[AT_PROOF_LAUNCHER_FROM]);
	text.len = 0;
	at_buf_printf(&text, "%s, %s", f[AT_PROOF_BWRAP_PATH], f[AT_PROOF_BWRAP_VERSION]);
	put_digest(out, "bwrap", f[AT_PROOF_BWRAP], at_buf_text(&text));
	text.len = 0;
	at_buf_printf(&text, "%s: %s", f[AT_PROOF_HARDEN_PATH], f[AT_PROOF_LAYERS]);
	put_digest(out, "harden", f[AT_PROOF_HARDEN], at_buf_text(&text));
	at_buf_free(&text);
}

static void put_run(const struct at_proof *proof, size_t index, struct at_buf *out)
{
	const struct at_proof_run *run = &proof->runs[index];

	at_proof_print_run(proof, index, out);
	at_buf_puts(out, ": ");
	at_proof_print_totals(proof, index, out);
	at_buf_printf(
		out, "  (%u.%u s)\n", run->milliseconds / 1000, run->milliseconds % 1000 / 100);
	for (size_t i = 0; i < run->mechanism_count; i++)
		at_buf_printf(out, "  %s: %s\n", run->mechanisms[i].name, run->mechanisms[i].value);
}

static void put_case(
	const struct at_proof *proof, const struct at_proof_case *one, struct at_buf *out)
{
	struct at_buf run = { 0 };

	at_proof_print_run(proof, one->run, &run);
	at_buf_printf(
		out, "  %-*s%-*s%s\n", ID_CELLS, one->id, RUN_CELLS, at_buf_text(&run), one->what);
	at_buf_pad(out, ' ', 2 + ID_CELLS + RUN_CELLS);
	at_buf_puts(out, one->evidence);
	if (*one->control && one->word == AT_HOLDS)
		at_buf_printf(out, "; control %s", one->control);
	at_buf_putc(out, '\n');
	if (one->word == AT_RESIDUAL || one->word == AT_SKIPPED) {
		at_buf_pad(out, ' ', 2 + ID_CELLS + RUN_CELLS);
		at_buf_printf(out, "%s\n", one->why);
	}
	at_buf_free(&run);
}

void at_proof_print(const struct at_proof *proof, struct at_buf *out)
{
	size_t failures = at_proof_failures(proof);
	char date[16];

	at_proof_date(date, proof->time);
	at_buf_printf(out, "Self-test of the launcher, %s\n", date);
	put_host(proof, out);
	for (size_t i = 0; i < proof->run_count; i++)
		put_run(proof, i, out);
	for (size_t p = 0; p < AT_LEN(parts); p++) {
		bool any = false;

		for (size_t i = 0; i < proof->case_count; i++) {
			if (proof->cases[i].word != parts[p].word)
				continue;
			if (!any)
				at_buf_printf(out, "\n%s\n", parts[p].heading);
			any = true;
			put_case(proof, &proof->cases[i], out);
		}
	}
	at_buf_puts(out, "\nWhat the launcher does not do\n");
	at_ceilings_print(out, AT_LAUNCHER_LINUX, -1);
	at_buf_putc(out, '\n');
	at_proof_print_totals(proof, SIZE_MAX, out);
	if (failures)
		at_buf_printf(out, "\nFAILED: %zu case%s that must hold do%s not\n", failures,
			failures == 1 ? "" : "s", failures == 1 ? "es" : "");
	else
		at_buf_puts(out, "\nEvery case that must hold holds\n");
}
