/* mode_gatelog.c - atconsole --verify-gate-log FILE: what the gate's log proves. (GATE-10) */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/gate/log_verify.h"
#include "views/modes.h"
#include "views/out.h"

#define LOG_CAP ((size_t)256 << 20)
#define TOLD 20

/* The operator names the file; it is read as it is, and never waited for. */
static bool read_log(struct at_buf *out, const char *path, struct at_error *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	ssize_t n = 1;

	if (fd < 0)
		return at_fail_sys(err, errno, "cannot open `%s`", path);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return at_fail(err, AT_EUNSAFE, "`%s` is no regular file", path);
	}
	while (n > 0 && out->len <= LOG_CAP) {
		at_buf_reserve(out, (size_t)1 << 20);
		n = read(fd, out->data + out->len, (size_t)1 << 20);
		if (n > 0)
			out->len += (size_t)n;
	}
	close(fd);
	if (n < 0)
		return at_fail_sys(err, errno, "cannot read `%s`", path);
	return n == 0 || at_fail(err, AT_ELIMIT, "`%s` is larger than 256 MiB", path);
}

static const char *verdict_of(const struct gate_log_report *report)
{
	return report->gap_count ? "gaps" : report->lines ? "whole" : "empty";
}

static void print(const struct gate_log_report *r)
{
	struct at_buf text = { 0 };

	at_buf_printf(&text, "%-16s %zu\n", "calls on record", r->lines);
	for (size_t i = 0; i < AT_LEN(r->decided); i++)
		at_buf_printf(&text, "  %-14s %zu\n", gate_log_decisions[i], r->decided[i]);
	at_buf_printf(&text, "%-16s %zu (checked=none: the gate's own program was not looked at)\n",
		"not inspected", r->not_inspected);
	for (size_t i = 0; i < r->gap_count && i < TOLD; i++)
		at_buf_printf(&text, "no evidence      around line %zu: %s\n", r->gaps[i].line,
			gate_gap_text(r->gaps[i].kind));
	if (r->gap_count > TOLD)
		at_buf_printf(
			&text, "no evidence      and at %zu more places\n", r->gap_count - TOLD);
	at_buf_puts(&text,
		r->gap_count       ? "The chain has gaps: of what happened there is no evidence.\n"
			: r->lines ? "The chain is whole from its first line to its last.\n"
				   : "There is no line: no evidence of anything.\n");
	at_buf_puts(&text,
		"A line says that a call was put to the gate, and what it said; nothing of calls that "
		"were\nnot put to it. Lines cut off at the end leave no mark.\n");
	at_out_text(&text);
	at_buf_free(&text);
}

static void print_json(const struct gate_log_report *r)
{
	struct at_json_value *json = at_json_object(), *decided, *gaps;

	at_json_add_text(json, "chain", verdict_of(r));
	at_json_add_number(json, "lines", (long long)r->lines);
	decided = at_json_add_object(json, "decisions");
	for (size_t i = 0; i < AT_LEN(r->decided); i++)
		at_json_add_number(decided, gate_log_decisions[i], (long long)r->decided[i]);
	at_json_add_number(json, "not_inspected", (long long)r->not_inspected);
	at_json_add_number(json, "keyed", (long long)r->keyed);
	at_json_add_number(json, "no_evidence", (long long)r->gap_count);
	gaps = at_json_add_array(json, "gaps");
	for (size_t i = 0; i < r->gap_count && i < GATE_GAPS; i++) {
		struct at_json_value *gap = at_json_add_object(gaps, NULL);

		at_json_add_number(gap, "line", (long long)r->gaps[i].line);
		at_json_add_text(gap, "why", gate_gap_text(r->gaps[i].kind));
	}
	at_out_json(json);
}

int at_mode_verify_gate_log(const struct at_options *options)
{
	struct gate_log_report *report = at_alloc(sizeof(*report));
	struct at_buf log = { 0 };
	struct at_error err;
	int status;

	if (!read_log(&log, options->verify_gate_log, &err)) {
		status = at_out_error(&err);
	} else {
		gate_log_verify(report, at_buf_bytes(&log));
		if (options->json)
			print_json(report);
		else
			print(report);
		status = report->gap_count || !report->lines ? 1 : 0;
	}
	at_buf_free(&log);
	free(report);
	return status;
}
