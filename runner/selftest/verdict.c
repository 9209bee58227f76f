#include "runner/selftest/verdict.h"

#include <stdarg.h>
#include <stdio.h>

static void say(struct at_verdict *out, enum at_case_word word, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(struct at_verdict *out, enum at_case_word word, const char *format, ...)
{
	va_list args;

	out->word = word;
	va_start(args, format);
	vsnprintf(out->evidence, sizeof(out->evidence), format, args);
	va_end(args);
}

/* ", EACCES" or nothing. */
struct tail {
	char text[AT_SEEN_DETAIL + 4];
};

static struct tail tail_of(const struct at_seen_act *act)
{
	struct tail tail = { "" };

	if (*act->detail)
		snprintf(tail.text, sizeof(tail.text), ": %s", act->detail);
	return tail;
}

static const char *seen_words(enum at_seen seen)
{
	static const char *const words[] = {
		[AT_SEEN_NOTHING] = "the probe said nothing (it ended or was ended)",
		[AT_SEEN_WORKED] = "worked",
		[AT_SEEN_REFUSED] = "refused",
		[AT_SEEN_ABSENT] = "not there",
		[AT_SEEN_BROKEN] = "could not be tried",
	};

	return words[seen];
}

static bool is_leak(struct at_verdict *out, const struct at_evidence_of_case *e)
{
	if (e->secret_seen)
		say(out, AT_LEAKS, "a secret of the fixture was got hold of inside%s",
			tail_of(&e->attempt).text);
	else if (e->host == AT_HOST_TOUCHED)
		say(out, AT_LEAKS, "the host shows it: %s", *e->trace ? e->trace : "changed");
	else if (e->attempt.seen == AT_SEEN_WORKED && e->host == AT_HOST_NO_SIGHT)
		say(out, AT_LEAKS, "it worked%s", tail_of(&e->attempt).text);
	else
		return false;
	return true;
}

/* Nothing that was seen. */
static void open_words(struct at_verdict *out, const struct at_evidence_of_case *e)
{
	if (e->secret_seen || e->host == AT_HOST_TOUCHED || e->attempt.seen == AT_SEEN_WORKED)
		say(out, AT_RESIDUAL, "works, as expected%s", tail_of(&e->attempt).text);
	else
		say(out, AT_RESIDUAL, "%s this time%s", seen_words(e->attempt.seen),
			tail_of(&e->attempt).text);
}

/* A case whose means are missing on this host: of what must hold nothing is known, of the
 * rest there is nothing to know. */
static void no_answer(struct at_verdict *out, bool must, const char *format, const char *what)
{
	char text[AT_VERDICT_TEXT];

	snprintf(text, sizeof(text), "%s: %s", format, what);
	say(out, must ? AT_INCONCLUSIVE : AT_SKIPPED, "%s", text);
}

/* Daily work: a sandbox in which it does not go on proves nothing by its refusals. */
static void workflow(struct at_verdict *out, const struct at_evidence_of_case *e)
{
	if (e->attempt.seen == AT_SEEN_WORKED)
		say(out, AT_HOLDS, "works%s", tail_of(&e->attempt).text);
	else
		say(out, AT_INCONCLUSIVE, "daily work is broken, %s%s", seen_words(e->attempt.seen),
			tail_of(&e->attempt).text);
}

/* True when the controls give the refusal its worth. */
static bool controls_pass(struct at_verdict *out, const struct at_case *one, bool must,
	const struct at_evidence_of_case *e)
{
	if ((one->controls & AT_CONTROL_OUTSIDE) && e->outside.seen != AT_SEEN_WORKED) {
		if (e->no_fixture)
			no_answer(out, must, "no fixture", e->no_fixture);
		else if (e->outside.seen == AT_SEEN_REFUSED)
			no_answer(out, must, "this host refuses it without a sandbox as well",
				*e->outside.detail ? e->outside.detail : "refused");
		else if (e->outside.seen == AT_SEEN_ABSENT)
			no_answer(out, must, "there is no such thing on this host",
				*e->outside.detail ? e->outside.detail : "absent");
		else
			say(out, AT_INCONCLUSIVE, "the control outside: %s%s",
				seen_words(e->outside.seen), tail_of(&e->outside).text);
		return false;
	}
	if ((one->controls & AT_CONTROL_INSIDE) && e->control.seen != AT_SEEN_WORKED) {
		say(out, AT_INCONCLUSIVE, "the control inside: %s%s", seen_words(e->control.seen),
			tail_of(&e->control).text);
		return false;
	}
	return true;
}

/* What is not there inside was hidden only if it is there outside. */
static bool is_hidden(const struct at_case *one, const struct at_evidence_of_case *e)
{
	return e->attempt.seen == AT_SEEN_ABSENT && (one->controls & AT_CONTROL_OUTSIDE)
		&& e->outside.seen == AT_SEEN_WORKED;
}

void at_verdict_of(struct at_verdict *out, const struct at_case *one, enum at_selftest_mode mode,
	const struct at_evidence_of_case *e)
{
	enum at_case_policy policy = one->policy[mode];
	bool must = policy == AT_CASE_MUST;

	if (policy == AT_CASE_OPEN) {
		open_words(out, e);
		return;
	}
	if (one->must_work) {
		workflow(out, e);
		return;
	}
	if (is_leak(out, e))
		return;
	if (e->no_fixture) {
		no_answer(out, must, "no fixture", e->no_fixture);
		return;
	}
	if (e->attempt.seen == AT_SEEN_NOTHING || e->attempt.seen == AT_SEEN_BROKEN) {
		say(out, AT_INCONCLUSIVE, "%s%s", seen_words(e->attempt.seen),
			tail_of(&e->attempt).text);
		return;
	}
	if (!controls_pass(out, one, must, e))
		return;
	if (e->attempt.seen == AT_SEEN_ABSENT && !is_hidden(one, e)) {
		no_answer(out, must, "there is no such thing inside to try it on",
			*e->attempt.detail ? e->attempt.detail : "absent");
		return;
	}
	if (e->attempt.seen == AT_SEEN_WORKED)
		say(out, AT_HOLDS, "worked on a copy inside; the host is untouched");
	else
		say(out, AT_HOLDS, "%s%s%s", seen_words(e->attempt.seen), tail_of(&e->attempt).text,
			e->host == AT_HOST_UNTOUCHED ? "; the host is untouched" : "");
}
