#include "core/proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/mem.h"

#define DAY 86400

static const struct {
	const char *label;
	bool counts; /* another one makes the proof stale */
} facts[AT_PROOF_FACT_COUNT] = {
	[AT_PROOF_HOST] = { "the host", true },
	[AT_PROOF_HOST_ID] = { "the machine", true },
	[AT_PROOF_KERNEL] = { "the kernel", true },
	[AT_PROOF_DISTRO] = { "the distribution", false },
	[AT_PROOF_MACHINE] = { "the architecture", true },
	[AT_PROOF_LAUNCHER] = { "the launcher", true },
	[AT_PROOF_LAUNCHER_FROM] = { "the launcher's place", false },
	[AT_PROOF_BWRAP] = { "bwrap", true },
	[AT_PROOF_BWRAP_VERSION] = { "bwrap's version", true },
	[AT_PROOF_BWRAP_PATH] = { "bwrap's place", false },
	[AT_PROOF_HARDEN] = { "agentteams-harden", true },
	[AT_PROOF_HARDEN_PATH] = { "agentteams-harden's place", false },
	[AT_PROOF_LAYERS] = { "the layers of --harden", false },
	[AT_PROOF_BATTERY] = { "the list of cases", true },
};

const char *at_proof_fact_label(enum at_proof_fact fact)
{
	return facts[fact].label;
}

const char *at_proof_need_name(enum at_proof_need need)
{
	static const char *const names[AT_NEED_COUNT] = { "must", "open", "optional" };

	return names[need];
}

void at_proof_init(struct at_proof *proof)
{
	*proof = (struct at_proof){ .arena = at_arena_new() };
	for (int i = 0; i < AT_PROOF_FACT_COUNT; i++)
		proof->facts[i] = "";
}

void at_proof_free(struct at_proof *proof)
{
	free(proof->runs);
	free(proof->cases);
	at_arena_free(proof->arena);
	*proof = (struct at_proof){ 0 };
}

/* Never in the middle of a character. */
static const char *copy(struct at_proof *proof, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (len > AT_PROOF_TEXT) {
		len = AT_PROOF_TEXT;
		while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	return len ? at_arena_strndup(proof->arena, text, len) : "";
}

void at_proof_set_fact(struct at_proof *proof, enum at_proof_fact fact, const char *value)
{
	proof->facts[fact] = copy(proof, value);
}

size_t at_proof_add_run(struct at_proof *proof, const struct at_proof_run *run)
{
	struct at_proof_run *to;

	proof->runs = at_grow(proof->runs, &proof->run_cap, proof->run_count, sizeof(*proof->runs));
	to = &proof->runs[proof->run_count];
	*to = *run;
	to->mechanisms = NULL;
	if (run->mechanism_count)
		to->mechanisms = at_arena_alloc(
			proof->arena, run->mechanism_count * sizeof(*to->mechanisms));
	for (size_t i = 0; i < run->mechanism_count; i++) {
		to->mechanisms[i].name = copy(proof, run->mechanisms[i].name);
		to->mechanisms[i].value = copy(proof, run->mechanisms[i].value);
	}
	return proof->run_count++;
}

void at_proof_add_case(struct at_proof *proof, const struct at_proof_case *one)
{
	struct at_proof_case *to;

	proof->cases =
		at_grow(proof->cases, &proof->case_cap, proof->case_count, sizeof(*proof->cases));
	to = &proof->cases[proof->case_count++];
	*to = *one;
	to->id = copy(proof, one->id);
	to->group = copy(proof, one->group);
	to->what = copy(proof, one->what);
	to->control = copy(proof, one->control);
	to->why = copy(proof, one->why);
	to->evidence = copy(proof, one->evidence);
}

void at_proof_date(char out[16], int64_t time)
{
	time_t t = (time_t)time;
	struct tm tm;

	out[0] = '\0';
	if (gmtime_r(&t, &tm))
		strftime(out, 16, "%Y-%m-%d", &tm);
}

void at_proof_totals(const struct at_proof *proof, size_t run, unsigned out[AT_CASE_COUNT])
{
	memset(out, 0, AT_CASE_COUNT * sizeof(*out));
	for (size_t i = 0; i < proof->case_count; i++)
		if (run == SIZE_MAX || proof->cases[i].run == run)
			out[proof->cases[i].word]++;
}

/* A leak of what is optional is one too: its layer was there. */
size_t at_proof_failures(const struct at_proof *proof)
{
	size_t count = 0;

	for (size_t i = 0; i < proof->case_count; i++) {
		const struct at_proof_case *one = &proof->cases[i];

		if (one->word == AT_LEAKS || (one->need == AT_NEED_MUST && one->word != AT_HOLDS))
			count++;
	}
	return count;
}

static void put(char *out, size_t size, const char *text)
{
	size_t len = strlen(out);

	if (len + 1 < size)
		snprintf(out + len, size - len, "%s", text);
}

/* "a", "a and b", "a, b and c" */
static void put_changed(const int *changed, size_t count, char *why, size_t size)
{
	for (size_t i = 0; i < count; i++) {
		put(why, size, i == 0 ? "" : i + 1 == count ? " and " : ", ");
		put(why, size, facts[changed[i]].label);
	}
	if (count)
		put(why, size, count == 1 ? " is another one" : " are others");
}

/* Without a run that used it, the helper is nothing the proof depends on. */
static bool depends_on(const struct at_proof *proof, int fact)
{
	if (fact != AT_PROOF_HARDEN)
		return facts[fact].counts;
	for (size_t i = 0; i < proof->run_count; i++)
		if (proof->runs[i].harden)
			return true;
	return false;
}

bool at_proof_is_stale(const struct at_proof *proof, const char *const now[AT_PROOF_FACT_COUNT],
	int64_t time, char *why, size_t size)
{
	int changed[AT_PROOF_FACT_COUNT];
	size_t count = 0;
	bool old = time - proof->time > (int64_t)AT_PROOF_DAYS * DAY;
	bool ahead = proof->time - time > DAY;

	why[0] = '\0';
	for (int i = 0; i < AT_PROOF_FACT_COUNT; i++)
		if (depends_on(proof, i) && now[i] && strcmp(now[i], proof->facts[i]) != 0)
			changed[count++] = i;
	put_changed(changed, count, why, size);
	if (old || ahead)
		put(why, size, count ? "; " : "");
	if (old)
		put(why, size, "it is older than 30 days");
	if (ahead)
		put(why, size, "its date is in the future");
	return count > 0 || old || ahead;
}
