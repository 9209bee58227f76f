/* mode_gatelog.c - the gate's log: --gate-log lists it, --verify-gate-log FILE says what it proves.
 * (GATE-10, UI-3) */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/ceilings.h"
#include "core/mem.h"
#include "core/safetext.h"
#include "views/gatelog_filter.h"
#include "views/gatelog_find.h"
#include "views/gatelog_text.h"
#include "views/modes.h"
#include "views/out.h"

#define LISTED 100000 /* rows of a JSON report */
#define CHUNK ((size_t)1 << 20)
#define TOLD 20

/* The operator names the file; it is read as it is, and never waited for. */
static bool read_log(struct at_buf *out, const char *path, struct at_error *err)
{
	int fd = at_gatelog_open_file(path, true, err);
	ssize_t n = 1;

	if (fd < 0)
		return false;
	while (n > 0 && out->len <= (size_t)AT_GATELOG_BYTES) {
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

/* ---- --gate-log ---- */

static void make_filter(struct at_gatelog_filter *filter, const struct at_options *o)
{
	if (o->gate_decision)
		at_gatelog_filter_add(filter, "decision", o->gate_decision);
	if (o->gate_tool)
		at_gatelog_filter_add(filter, "tool", o->gate_tool);
	if (o->gate_gaps)
		at_gatelog_filter_add(filter, "gaps", NULL);
}

static void put_ceilings(struct at_buf *text)
{
	at_buf_printf(text, "%s %s Lines cut off at the end leave no mark.\n", at_gatelog_ceiling,
		at_gatelog_format);
	for (size_t i = 0; i < at_ceiling_count; i++)
		if (strcmp(at_ceilings[i].id, "CEIL-5") == 0)
			at_buf_printf(text, "CEIL-5  %s\n", at_ceilings[i].text);
}

static void put_place(const struct at_gatelog_place *place, struct at_buf *text)
{
	if (!place->is_set) {
		at_buf_printf(text, "%s %s\n", at_gatelog_unset, at_gatelog_advice);
	} else {
		at_buf_puts(text, "log: ");
		at_safe_text(text, at_bytes_of(place->path), false);
		at_buf_printf(text, ", from %s\n", place->origin);
	}
	if (place->fault)
		at_buf_printf(text, "the gate writes no line there: %s\n", place->fault);
}

static void list_rows(
	const struct at_gatelog *log, struct at_gatelog_filter *filter, struct at_buf *text)
{
	size_t listed = 0;

	at_gatelog_chain(log, text);
	at_buf_putc(text, '\n');
	at_gatelog_totals(log, text);
	at_buf_putc(text, '\n');
	for (size_t i = 0; i < log->count; i++) {
		if (!at_gatelog_filter_holds(filter, log, &log->rows[i]))
			continue;
		listed++;
		at_gatelog_words_of(log, &log->rows[i], text);
		at_buf_putc(text, '\n');
		if (text->len > CHUNK) {
			at_out_text(text);
			text->len = 0;
		}
	}
	if (filter->count)
		at_buf_printf(text, "[filter: %s] %zu of %zu\n", at_buf_text(&filter->text), listed,
			log->count);
}

static void print_log(const struct at_gatelog_place *place, const struct at_gatelog *log,
	struct at_gatelog_filter *filter)
{
	struct at_buf text = { 0 };

	put_place(place, &text);
	if (log->fd >= 0)
		list_rows(log, filter, &text);
	put_ceilings(&text);
	at_out_text(&text);
	at_buf_free(&text);
}

static void print_log_json(const struct at_gatelog_place *place, const struct at_gatelog *log,
	struct at_gatelog_filter *filter)
{
	struct at_json_value *json = at_json_object(), *rows;
	size_t found = 0;

	at_json_add_bool(json, "is_set", place->is_set);
	if (place->is_set) {
		at_json_add_text(json, "path", place->path);
		at_json_add_text(json, "origin", place->origin);
	}
	if (place->fault)
		at_json_add_text(json, "fault", place->fault);
	if (log->fd >= 0) {
		at_gatelog_totals_json(log, json);
		rows = at_json_add_array(json, "rows");
		for (size_t i = 0; i < log->count; i++) {
			if (!at_gatelog_filter_holds(filter, log, &log->rows[i]))
				continue;
			if (found++ < LISTED)
				at_gatelog_row_json(log, &log->rows[i], rows);
		}
		at_json_add_number(json, "rows_found", (long long)found);
		at_json_add_number(
			json, "rows_left_out", (long long)(found > LISTED ? found - LISTED : 0));
	}
	at_ceilings_to_json(json, -1, -1);
	at_out_json(json);
}

int at_mode_gate_log(struct at_session *session)
{
	struct at_gatelog_filter filter = { 0 };
	struct at_gatelog_place place;
	struct at_gatelog log = { .fd = -1 };
	struct at_error err;
	int status = 1;

	at_gatelog_find(&place, session);
	if (place.is_set && *place.path == '/' && !at_gatelog_open(&log, place.path, false, &err)) {
		at_gatelog_close(&log);
		return at_out_error(&err);
	}
	while (log.fd >= 0 && at_gatelog_more(&log))
		;
	if (log.is_other) {
		at_fail(&err, AT_ESTALE, "`%s` became another file while it was read", place.path);
		status = at_out_error(&err);
	} else {
		make_filter(&filter, session->options);
		if (session->options->json)
			print_log_json(&place, &log, &filter);
		else
			print_log(&place, &log, &filter);
		status = log.fd < 0 || log.gaps || log.is_cut || !log.calls ? 1 : 0;
	}
	at_gatelog_filter_free(&filter);
	at_gatelog_close(&log);
	return status;
}
