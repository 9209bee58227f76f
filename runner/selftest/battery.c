#include "runner/selftest/battery.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runner/selftest/launches.h"
#include "runner/selftest/mechanisms.h"
#include "runner/selftest/probe_text.h"
#include "runner/selftest/sights.h"

#define TAIL 160 /* of what the launcher said, for a message */

struct work {
	const struct at_battery *b;
	struct at_launcher launcher;
	/* at_case_count of them: what the same acts did outside, and what was tried once. */
	struct at_evidence_of_case *outside;
	char bin[AT_FIXTURE_PATH];
	unsigned done; /* before the part that is running */
	unsigned launched; /* of that part, when it is launches */
	bool stopped;
};

static bool is_wanted(const struct at_battery *b, const struct at_case *one)
{
	if (!b->ids)
		return true;
	for (const char *const *id = b->ids; *id; id++)
		if (strcmp(*id, one->id) == 0)
			return true;
	return false;
}

static unsigned count_cases(const struct at_battery *b)
{
	unsigned count = 0;

	for (size_t i = 0; i < at_case_count; i++)
		count += is_wanted(b, &at_cases[i]);
	return count;
}

unsigned at_battery_size(const struct at_battery *b)
{
	return count_cases(b) * (b->with_harden ? 3 : 2); /* outside is one more */
}

static bool tell(struct work *w, unsigned more)
{
	if (!w->stopped && !w->b->go_on(w->b->user, w->done + more))
		w->stopped = true;
	return !w->stopped;
}

/* An attempt a case: other lines are controls. */
static bool count_lines(void *user, const struct at_child_end *so_far)
{
	static const char word[] = "\tattempt\t";
	const char *p = at_buf_text(&so_far->out);
	unsigned count = 0;

	while ((p = strstr(p, word))) {
		count++;
		p += strlen(word);
	}
	return tell(user, count);
}

static bool watch_launch(void *user, const struct at_child_end *so_far)
{
	struct work *w = user;

	(void)so_far;
	return tell(w, w->launched);
}

/* The ids of the probe's, ended by NULL; NULL when all are wanted. */
static const char **probe_ids(const struct at_battery *b, struct at_arena *arena, size_t *count)
{
	const char **ids = at_arena_alloc(arena, (at_case_count + 1) * sizeof(*ids));

	*count = 0;
	for (size_t i = 0; i < at_case_count; i++)
		if (at_cases[i].way == AT_BY_PROBE && is_wanted(b, &at_cases[i]))
			ids[(*count)++] = at_cases[i].id;
	return ids;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool make_fixture(
	struct at_fixture *out, struct work *w, const char *name, struct at_error *err)
{
	return at_fixture_make(out, w->b->ground, name, at_buf_bytes(&w->b->tools->probe_bytes),
		w->b->search_path, err);
}

/* ---- outside: what the controls are ---- */

static bool run_outside(struct work *w, struct at_error *err)
{
	struct at_fixture f;
	struct at_words words = { .count = 0 };
	struct at_probe_text said = { 0 };
	struct at_child_end end;
	size_t count;
	const char **ids;
	bool ok;

	if (!make_fixture(&f, w, "host", err))
		return false;
	ids = probe_ids(w->b, f.arena, &count);
	at_launch_probe_words(&words, &w->launcher, &f, false, ids);
	ok = count == 0 || at_launch_run(&end, &w->launcher, &f, words.items, NULL, err);
	if (ok && count) {
		ok = at_probe_text_read(&said, at_buf_bytes(&end.out), f.secret_list, err);
		if (ok && !said.ended && said.told == 0)
			ok = at_fail(
				err, AT_EIO, "agentteams-probe could not be run (%d)", end.status);
		for (size_t i = 0; ok && i < at_case_count; i++)
			w->outside[i].outside = said.cases[i].attempt;
		at_probe_text_free(&said);
		at_child_end_free(&end);
	}
	at_fixture_remove(&f);
	w->done += count_cases(w->b);
	return ok;
}

/* ---- inside ---- */

struct looks {
	struct at_snapshot scratch, home, sibling, outside;
};

static void look(struct looks *out, const struct at_fixture *f)
{
	at_snapshot_take(&out->scratch, f->scratch);
	at_snapshot_take(&out->home, f->home);
	at_snapshot_take(&out->sibling, f->sibling);
	at_snapshot_take(&out->outside, f->outside);
}

static void free_looks(struct looks *looks)
{
	at_snapshot_free(&looks->scratch);
	at_snapshot_free(&looks->home);
	at_snapshot_free(&looks->sibling);
	at_snapshot_free(&looks->outside);
}

static void compare(struct at_sights *sights, const struct looks *before, const struct looks *after)
{
	at_sights_add(sights, AT_SIGHT_SCRATCH, &before->scratch, &after->scratch);
	at_sights_add(sights, AT_SIGHT_OUTSIDE, &before->home, &after->home);
	at_sights_add(sights, AT_SIGHT_OUTSIDE, &before->sibling, &after->sibling);
	at_sights_add(sights, AT_SIGHT_OUTSIDE, &before->outside, &after->outside);
	at_sights_end(sights);
}

/* The launcher's own words, on one line. */
static bool fail_launch(const struct at_child_end *end, struct at_error *err)
{
	char tail[TAIL + 1];
	size_t len = end->err.len < TAIL ? end->err.len : TAIL;

	snprintf(tail, sizeof(tail), "%.*s", (int)len, at_buf_text(&end->err));
	for (char *p = tail; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = ' ';
	at_fail(err, AT_EREFUSED, "the launcher ran nothing (status %d): %s", end->status, tail);
	at_error_name(err, "launcher-refused");
	at_error_hint(err, "Run it with --check to see why.");
	return false;
}

static void take_attempts(struct at_sights *sights, const struct at_probe_text *said)
{
	for (size_t i = 0; i < at_case_count; i++) {
		struct at_evidence_of_case *e = &sights->cases[i];

		if (at_cases[i].way != AT_BY_PROBE)
			continue;
		e->attempt = said->cases[i].attempt;
		e->control = said->cases[i].control;
		e->secret_seen = said->cases[i].secret_seen && !at_cases[i].must_work;
	}
}

static bool run_inside(struct work *w, struct at_sights *sights, struct at_proof_run *run,
	struct at_arena *arena, enum at_selftest_mode mode, struct at_error *err)
{
	struct at_fixture f;
	struct at_words words;
	struct at_probe_text said = { 0 };
	struct looks before, after;
	struct at_child_end end;
	struct at_bytes text;
	size_t count;
	const char **ids;
	bool ok;

	if (!make_fixture(&f, w, mode == AT_MODE_HARDEN ? "harden" : "plain", err))
		return false;
	ids = probe_ids(w->b, f.arena, &count);
	if (count == 0) {
		at_fixture_remove(&f);
		return true;
	}
	at_launch_words(&words, &w->launcher, &f, mode);
	at_launch_probe_words(&words, &w->launcher, &f, true, ids);
	look(&before, &f);
	ok = at_launch_run(&end, &w->launcher, &f, words.items, NULL, err);
	look(&after, &f);
	if (ok) {
		text = at_buf_bytes(&end.out);
		at_mechanisms_take(run, &text, arena);
		ok = at_probe_text_read(&said, text, f.secret_list, err);
		if (ok && said.told == 0 && !end.stopped)
			ok = fail_launch(&end, err);
		if (ok) {
			compare(sights, &before, &after);
			take_attempts(sights, &said);
		}
		at_probe_text_free(&said);
		at_child_end_free(&end);
	}
	free_looks(&before);
	free_looks(&after);
	at_fixture_remove(&f);
	return ok;
}

static bool run_launches(
	struct work *w, struct at_sights *sights, enum at_selftest_mode mode, struct at_error *err)
{
	struct at_launches l = {
		.launcher = &w->launcher, .mode = mode, .search_path = w->b->search_path
	};
	struct at_launcher quiet = w->launcher;
	struct at_fixture f;
	bool begun = false;

	w->launched = 0;
	quiet.go_on = watch_launch;

	for (size_t i = 0; i < at_case_count && !w->stopped; i++) {
		if (at_cases[i].way != AT_BY_LAUNCH || !is_wanted(w->b, &at_cases[i]))
			continue;
		if (!begun) {
			if (!make_fixture(&f, w, "launches", err))
				return false;
			l.launcher = &quiet;
			l.fixture = &f;
			at_launches_begin(&l);
			begun = true;
		}
		if (mode != AT_MODE_DEFAULT && at_launches_is_once(&at_cases[i])) {
			sights->cases[i] = w->outside[i];
			continue;
		}
		if (!at_launches_try(&l, &at_cases[i], &sights->cases[i]))
			at_launch_said(&sights->cases[i].attempt, AT_SEEN_BROKEN,
				"no launch stands for it");
		if (at_launches_is_once(&at_cases[i]))
			w->outside[i] = sights->cases[i];
		tell(w, ++w->launched);
	}
	if (begun)
		at_fixture_remove(&f);
	return true;
}

/* ---- verdicts ---- */

static const char *control_words(const struct at_case *one)
{
	static const char *const words[] = { "", "outside", "inside", "outside, inside" };

	return words[one->controls & 3];
}

/* What must be, in the words of a proof. */
static enum at_proof_need need_of(enum at_case_policy policy)
{
	return policy == AT_CASE_MUST    ? AT_NEED_MUST
		: policy == AT_CASE_OPEN ? AT_NEED_OPEN
					 : AT_NEED_OPTIONAL;
}

/* What the driver itself looks at, besides the cases of the table. */
static void judge_all(const struct at_sights *sights, struct at_proof *out, uint32_t index)
{
	const struct at_proof_run *run = &out->runs[index];
	struct at_proof_case one = { .control = "", .why = "", .need = AT_NEED_MUST, .run = index };
	char lack[AT_SEEN_DETAIL];

	if (!at_mechanisms_lack(lack, sizeof(lack), run))
		return; /* nothing was started for the probe */
	one.id = "HOST";
	one.group = "write outside";
	one.what = "change anything else below the home, another workspace or outside";
	one.word = *sights->other ? AT_LEAKS : AT_HOLDS;
	one.evidence = *sights->other ? sights->other : "everything there is as before";
	at_proof_add_case(out, &one);
	one.id = "FORCE";
	one.group = "processes";
	one.what = "run without a mechanism that was asked for";
	one.word = *lack ? AT_LEAKS : AT_HOLDS;
	one.evidence = *lack ? lack : "privileges, namespaces and layers are those of the mode";
	at_proof_add_case(out, &one);
}

static void judge(struct work *w, const struct at_sights *sights, struct at_proof *out,
	const struct at_proof_run *run, enum at_selftest_mode mode)
{
	uint32_t index = (uint32_t)at_proof_add_run(out, run);

	for (size_t i = 0; i < at_case_count; i++) {
		const struct at_case *one = &at_cases[i];
		struct at_evidence_of_case *e = &sights->cases[i];
		struct at_verdict verdict;

		if (!is_wanted(w->b, one))
			continue;
		if (one->way == AT_BY_PROBE)
			e->outside = w->outside[i].outside;
		at_verdict_of(&verdict, one, mode, e);
		at_proof_add_case(out,
			&(struct at_proof_case){ .id = one->id,
				.group = one->group,
				.what = one->what,
				.control = control_words(one),
				.why = one->why,
				.evidence = verdict.evidence,
				.need = need_of(one->policy[mode]),
				.word = verdict.word,
				.run = index });
	}
	judge_all(sights, out, index);
}

static bool run_mode(
	struct work *w, struct at_proof *out, enum at_selftest_mode mode, struct at_error *err)
{
	struct at_sights sights = { .cases = at_alloc(at_case_count * sizeof(*sights.cases)) };
	struct at_proof_run run = { .caller = geteuid(), .harden = mode == AT_MODE_HARDEN };
	struct at_arena *arena = at_arena_new();
	int64_t start = now_ms();
	unsigned before = w->done;
	bool ok;

	ok = run_inside(w, &sights, &run, arena, mode, err);
	for (size_t i = 0; i < at_case_count; i++)
		w->done += at_cases[i].way == AT_BY_PROBE && is_wanted(w->b, &at_cases[i]);
	ok = ok && run_launches(w, &sights, mode, err);
	w->done = before + count_cases(w->b);
	run.milliseconds = (uint32_t)(now_ms() - start);
	if (ok && !w->stopped)
		judge(w, &sights, out, &run, mode);
	at_arena_free(arena);
	free(sights.cases);
	return ok && (tell(w, 0) || at_fail(err, AT_EREFUSED, "the self-test was ended"));
}

/* Launcher and helper are copied: what is tested is what was read, and nothing can change it
 * meanwhile. The agent cannot write there. */
static bool put_in_place(struct work *w, struct at_error *err)
{
	const struct at_tools *tools = w->b->tools;

	snprintf(w->bin, sizeof(w->bin), "%s/bin", w->b->ground->base);
	snprintf(w->launcher.script, sizeof(w->launcher.script), "%s/confine-run.sh", w->bin);
	if (mkdir(w->bin, 0755) != 0)
		return at_fail_sys(err, errno, "cannot make `%s`", w->bin);
	if (!at_fixture_write(w->launcher.script, tools->launcher, 0755, err))
		return false;
	if (!*tools->harden)
		return true;
	snprintf(w->launcher.harden, sizeof(w->launcher.harden), "%s/agentteams-harden", w->bin);
	return at_fixture_write(w->launcher.harden, at_buf_bytes(&tools->harden_bytes), 0755, err);
}

bool at_battery_run(struct at_proof *out, const struct at_battery *b, struct at_error *err)
{
	struct work w = { .b = b, .outside = at_alloc(at_case_count * sizeof(*w.outside)) };
	bool ok;

	w.launcher.is_root = geteuid() == 0;
	w.launcher.go_on = count_lines;
	w.launcher.user = &w;
	ok = put_in_place(&w, err) && run_outside(&w, err)
		&& run_mode(&w, out, AT_MODE_DEFAULT, err)
		&& (!b->with_harden || run_mode(&w, out, AT_MODE_HARDEN, err));
	free(w.outside);
	return ok;
}
