#include "runner/selftest/launches.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/selftest/mechanisms.h"
#include "runner/selftest/probe.h"
#include "runner/selftest/probe_text.h"

const char at_launch_mark[] = ": >\"$1\"";

void at_launch_said(struct at_seen_act *out, enum at_seen seen, const char *format, ...)
{
	va_list args;

	out->seen = seen;
	va_start(args, format);
	vsnprintf(out->detail, sizeof(out->detail), format, args);
	va_end(args);
}

int at_launch_script(struct at_launches *l, const char *const *more, const char *script,
	const char *const *env, bool *ran)
{
	struct at_words words;
	struct at_child_end end;
	int status = -1;

	unlink(l->marker);
	at_launch_words(&words, l->launcher, l->fixture, l->mode);
	at_words_add_all(&words, more);
	at_words_add(&words, "--");
	at_words_add(&words, "/bin/sh");
	at_words_add(&words, "-c");
	at_words_add(&words, script);
	at_words_add(&words, "sh");
	at_words_add(&words, l->marker);
	if (at_launch_run(&end, l->launcher, l->fixture, words.items, env, NULL)) {
		status = end.timed_out || end.stopped ? -1 : end.status;
		at_child_end_free(&end);
	}
	*ran = access(l->marker, F_OK) == 0;
	unlink(l->marker);
	return status;
}

void at_launches_begin(struct at_launches *l)
{
	int status;

	snprintf(l->marker, sizeof(l->marker), "%s/at-ran", l->fixture->scratch);
	status = at_launch_script(l, NULL, at_launch_mark, NULL, &l->works);
	l->works = l->works && status == 0;
}

/* ---- the probe's own cases, with other options ---- */

static bool prepare_worktree(struct at_launches *l, const char **option, struct at_buf *facts)
{
	char from[AT_FIXTURE_PATH + 16], to[AT_FIXTURE_PATH + 16], text[AT_FIXTURE_PATH + 32];

	(void)option;
	(void)facts;
	snprintf(from, sizeof(from), "%s/.git", l->fixture->scratch);
	snprintf(to, sizeof(to), "%s/repository", l->fixture->top);
	if (rename(from, to) != 0 && access(to, F_OK) != 0)
		return false;
	snprintf(text, sizeof(text), "gitdir: %s\n", to);
	return at_fixture_write(from, at_bytes_of(text), 0644, NULL);
}

static bool prepare_setenv(struct at_launches *l, const char **option, struct at_buf *facts)
{
	(void)facts;
	option[0] = "--setenv";
	option[1] = at_arena_printf(
		l->fixture->arena, AT_PROBE_SETENV "=%s", at_fixture_secret(l->fixture));
	return true;
}

static const char max_processes[] = "24", max_memory[] = "256", max_seconds[] = "1";

/* The kernel counts no process of root's: the launcher refuses that option then. */
#define ROOT_REFUSED "--nproc-max: the kernel does not count root's processes"

static bool prepare_limits(struct at_launches *l, const char **option, struct at_buf *facts)
{
	static const char *const words[] = { "--mem-max", max_memory, "--cpu-max", max_seconds,
		"--nproc-max", max_processes, NULL };

	memcpy(option, words, sizeof(words));
	if (l->launcher->is_root)
		option[4] = NULL;
	at_buf_printf(facts,
		AT_FACT_NPROC_MAX "\t%s\n" AT_FACT_MEM_MAX "\t%s\n" AT_FACT_CPU_MAX "\t%s\n",
		max_processes, max_memory, max_seconds);
	return true;
}

static bool prepare_processes(struct at_launches *l, const char **option, struct at_buf *facts)
{
	bool ok = prepare_limits(l, option, facts);

	option[4] = "--nproc-max";
	option[5] = max_processes;
	return ok;
}

static bool prepare_host_egress(struct at_launches *l, const char **option, struct at_buf *facts)
{
	(void)l;
	(void)facts;
	option[0] = "--egress";
	option[1] = "host";
	return true;
}

static const struct probe_row {
	const char *id;
	bool (*prepare)(struct at_launches *l, const char **option, struct at_buf *facts);
	const char *must_say; /* on standard error, or NULL */
} probe_rows[] = {
	{ "CP16", prepare_worktree, NULL },
	{ "V3", prepare_setenv, NULL },
	{ "Q1", prepare_processes, NULL },
	{ "Q2", prepare_limits, NULL },
	{ "X10", prepare_host_egress, "WARNING: --egress host" },
};

static void take_said(const struct at_case *one, struct at_child_end *end, struct at_launches *l,
	struct at_evidence_of_case *out)
{
	struct at_bytes text = at_buf_bytes(&end->out);
	struct at_probe_text said = { 0 };
	struct at_proof_run unused = { 0 };
	struct at_error err;

	at_mechanisms_take(&unused, &text, l->fixture->arena);
	if (!at_probe_text_read(&said, text, l->fixture->secret_list, &err)) {
		at_launch_said(&out->attempt, AT_SEEN_BROKEN, "%s", err.message);
	} else {
		const struct at_probe_said *it = &said.cases[one - at_cases];

		out->attempt = it->attempt;
		out->control = it->control;
		out->secret_seen = it->secret_seen && !one->must_work;
	}
	if (out->attempt.seen == AT_SEEN_NOTHING)
		at_launch_said(
			&out->attempt, AT_SEEN_NOTHING, "the launch ended with %d", end->status);
	at_probe_text_free(&said);
}

static void try_probe(struct at_launches *l, const struct probe_row *row, const struct at_case *one,
	struct at_evidence_of_case *out)
{
	const char *option[9] = { NULL }, *const ids[] = { row->id, NULL };
	struct at_buf facts = { 0 };
	struct at_words words;
	struct at_child_end end;
	struct at_error err;

	if (!row->prepare(l, option, &facts)
		|| !at_fixture_write_facts(l->fixture, at_buf_text(&facts), &err)) {
		at_launch_said(&out->attempt, AT_SEEN_BROKEN, "its fixture could not be made");
		at_buf_free(&facts);
		return;
	}
	at_buf_free(&facts);
	at_launch_words(&words, l->launcher, l->fixture, l->mode);
	at_words_add_all(&words, option);
	at_launch_probe_words(&words, l->launcher, l->fixture, true, ids);
	if (!at_launch_run(&end, l->launcher, l->fixture, words.items, NULL, &err)) {
		at_launch_said(&out->attempt, AT_SEEN_BROKEN, "it could not be started");
		return;
	}
	take_said(one, &end, l, out);
	if (end.status == 2 && strstr(at_buf_text(&end.err), ROOT_REFUSED)) {
		at_launch_said(&out->attempt, AT_SEEN_REFUSED, "the launcher refuses the option to root");
		at_launch_said(&out->control, AT_SEEN_WORKED, "nothing was run");
	}
	if (row->must_say && !strstr(at_buf_text(&end.err), row->must_say))
		at_launch_said(&out->attempt, AT_SEEN_REFUSED, "the launcher did not warn");
	at_child_end_free(&end);
}

/* ---- what cannot be tried from here ---- */

static void not_tried(struct at_launches *l, struct at_evidence_of_case *out)
{
	(void)l;
	at_launch_said(&out->attempt, AT_SEEN_BROKEN, "not tried by this battery");
}

static void no_network_namespace(struct at_launches *l, struct at_evidence_of_case *out)
{
	(void)l;
	out->no_fixture = "no network namespace was made for a proxy";
}

static const struct {
	const char *id;
	at_launch_case *run;
} rows[] = {
	{ "L8", not_tried },
	{ "Q5", not_tried },
	{ "X9", no_network_namespace },
	{ "N15", at_launch_n15 },
	{ "Y1", at_launch_y1 },
	{ "Y2", at_launch_y2 },
	{ "Y3", at_launch_y3 },
	{ "Y4", at_launch_y4 },
	{ "Y5", at_launch_y5 },
	{ "Y6", at_launch_y6 },
	{ "Y7", at_launch_y7 },
};

bool at_launches_is_once(const struct at_case *one)
{
	return strcmp(one->id, "Y5") == 0; /* bwrap takes seconds for 700 mounts */
}

bool at_launches_try(
	struct at_launches *l, const struct at_case *one, struct at_evidence_of_case *out)
{
	for (size_t i = 0; i < AT_LEN(probe_rows); i++) {
		if (strcmp(probe_rows[i].id, one->id) != 0)
			continue;
		try_probe(l, &probe_rows[i], one, out);
		return true;
	}
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		if (strcmp(rows[i].id, one->id) != 0)
			continue;
		/* A refusal is worth something where a plain start does its work. */
		at_launch_said(&out->control, l->works ? AT_SEEN_WORKED : AT_SEEN_REFUSED,
			l->works ? "" : "a plain start of the launcher did not run its command");
		rows[i].run(l, out);
		return true;
	}
	return false;
}
