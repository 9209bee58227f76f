#include "runner/review/risk.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/control_plane.h"
#include "core/diff.h"
#include "core/mem.h"
#include "core/safetext.h"
#include "core/utf8.h"
#include "runner/gate/scan.h"

#define LONG_LINE 500u     /* bytes: some five lines of a screen */
#define MUCH 60u           /* changed lines that want a sentence */
#define LINES_A_WORD 20u   /* beyond it the rationale says too little */

static const struct {
	const char *name;
	unsigned weight;
} risks[AT_RISK_COUNT] = {
	[AT_RISK_TRUST] = { "trust", 64 },
	[AT_RISK_FINDING] = { "finding", 48 },
	[AT_RISK_HIDDEN] = { "hidden", 40 },
	[AT_RISK_RUNS] = { "runs", 32 },
	[AT_RISK_BINARY] = { "binary", 24 },
	[AT_RISK_LONG] = { "long-line", 8 },
	[AT_RISK_SIZE] = { "size", 6 },
	[AT_RISK_PLACE] = { "place", 4 },
};

const char *at_risk_name(enum at_risk risk)
{
	return risks[risk].name;
}

unsigned at_risk_weight(enum at_risk risk)
{
	return risks[risk].weight;
}

static const struct path_row {
	enum at_risk risk;
	const char *pattern, *text;
} path_rows[] = {
#define RISK_PATH(risk, pattern, text) { AT_RISK_##risk, pattern, text },
#include "runner/review/risk_paths.def"
#undef RISK_PATH
};

static void add(struct at_risk_report *out, enum at_risk risk, size_t line, const char *text)
{
	bool is_known = false;

	for (size_t i = 0; i < out->count; i++)
		is_known |= out->reasons[i].risk == risk;
	if (!is_known)
		out->weight += risks[risk].weight;
	if (out->count == AT_RISK_REASONS)
		out->more++;
	else
		out->reasons[out->count++] = (struct at_risk_reason){ risk, line, text };
}

static bool same_letter(char a, char b)
{
	return (a >= 'A' && a <= 'Z' ? a | 0x20 : a) == (b >= 'A' && b <= 'Z' ? b | 0x20 : b);
}

/* `*` is any text without `/`; a pattern that ends in `/` is done where the text goes on. */
static bool fits(const char *pattern, const char *text)
{
	const char *star = NULL, *mark = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			mark = text;
		} else if (*pattern && same_letter(*pattern, *text)) {
			if (*pattern == '/' && !pattern[1])
				return true;
			pattern++;
			text++;
		} else if (star && *mark != '/') {
			pattern = star + 1;
			text = ++mark;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool path_fits(const char *pattern, const char *path)
{
	const char *last = strrchr(path, '/');

	if (!strchr(pattern, '/'))
		return fits(pattern, last ? last + 1 : path);
	for (const char *tail = path; tail; tail = strchr(tail, '/')) {
		tail += *tail == '/';
		if (fits(pattern, tail))
			return true;
	}
	return false;
}

static void judge_path(struct at_risk_report *out, const struct at_risk_case *what)
{
	bool told[AT_RISK_COUNT] = { false };

	if (at_plane_covers(what->path, ~0u)) {
		add(out, AT_RISK_TRUST, 0, "decides what an agent may do");
		told[AT_RISK_TRUST] = true;
	}
	for (size_t i = 0; i < AT_LEN(path_rows); i++) {
		const struct path_row *row = &path_rows[i];

		if (told[row->risk] || !path_fits(row->pattern, what->path))
			continue;
		add(out, row->risk, 0, row->text);
		told[row->risk] = true;
	}
	if (!told[AT_RISK_RUNS] && what->new.len > 2 && memcmp(what->new.data, "#!", 2) == 0)
		add(out, AT_RISK_RUNS, 1, "begins like a program");
}

static void judge_place(struct at_risk_report *out, const struct at_risk_case *what)
{
	size_t len = strcspn(what->path, "/");

	for (size_t i = 0; i < what->usual_count; i++)
		if (strlen(what->usual[i]) == len && strncmp(what->usual[i], what->path, len) == 0)
			return;
	if (what->usual_count)
		add(out, AT_RISK_PLACE, 0, "lies where this agent has not worked before");
}

static size_t words_of(struct at_bytes text)
{
	size_t count = 0;
	bool inside = false;

	for (size_t i = 0; i < text.len; i++) {
		bool letter = (unsigned char)text.data[i] > ' ';

		count += letter && !inside;
		inside = letter;
	}
	return count;
}

static void judge_size(struct at_risk_report *out, const struct at_risk_case *what, size_t changed)
{
	if (changed >= MUCH && changed / LINES_A_WORD > words_of(what->rationale))
		add(out, AT_RISK_SIZE, 0, "is far larger than what is said of it");
}

static void judge_line(struct at_risk_report *out, struct at_spans *spans, struct at_bytes line,
	size_t number)
{
	size_t marks = 0;

	if (line.len > LONG_LINE)
		add(out, AT_RISK_LONG, number, "has a line too long to be read");
	at_spans_clear(spans);
	at_spans_add(spans, line, 4, (size_t)64 << 10, true);
	for (size_t i = 0; i < spans->count; i++)
		marks += spans->items[i].mark && !spans->items[i].tab;
	if (marks && !(line.len && line.data[line.len - 1] == '\r' && marks == 1))
		add(out, AT_RISK_HIDDEN, number, "holds characters that are not seen");
}

/* A finding counts where its line is new. */
static void judge_findings(struct at_risk_report *out, const struct at_risk_case *what,
	const unsigned char *is_new, size_t lines)
{
	struct scan_result *found = at_alloc(sizeof(*found));

	scan_text(found, what->new, what->may_quote);
	for (size_t i = 0; i < found->count; i++) {
		const struct scan_finding *f = &found->findings[i];

		if (f->severity == SCAN_HIGH && f->line >= 1 && f->line <= lines
			&& is_new[f->line])
			add(out, AT_RISK_FINDING, f->line, f->message);
	}
	out->more += found->more;
	free(found);
}

static void judge_text(struct at_risk_report *out, const struct at_risk_case *what)
{
	const struct at_bytes none = { "", 0 };
	struct at_spans spans = { 0 };
	struct at_diff diff = { 0 };
	size_t lines = 2;
	unsigned char *is_new;

	for (size_t i = 0; i < what->new.len; i++)
		lines += what->new.data[i] == '\n';
	is_new = at_alloc(lines + 1);
	if (at_diff_make(&diff, what->old.data ? what->old : none,
		    what->new.data ? what->new : none, 0, NULL))
		for (size_t i = 0; i < diff.count; i++) {
			const struct at_diff_line *line = &diff.lines[i];

			if (line->kind != AT_DIFF_ADDED || line->new_no > lines)
				continue;
			is_new[line->new_no] = 1;
			judge_line(out, &spans, at_diff_text(&diff, i), line->new_no);
		}
	judge_findings(out, what, is_new, lines);
	judge_size(out, what, diff.added + diff.removed);
	at_diff_free(&diff);
	at_spans_free(&spans);
	free(is_new);
}

static bool is_text(struct at_bytes text)
{
	return !text.data
		|| (!memchr(text.data, '\0', text.len) && at_utf8_is_valid(text, NULL));
}

static int by_weight(const void *a, const void *b)
{
	const struct at_risk_reason *x = a, *y = b;

	if (x->risk != y->risk)
		return risks[x->risk].weight > risks[y->risk].weight ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

void at_risk_judge(struct at_risk_report *out, const struct at_risk_case *what)
{
	memset(out, 0, sizeof(*out));
	judge_path(out, what);
	judge_place(out, what);
	if (is_text(what->new) && is_text(what->old))
		judge_text(out, what);
	else
		add(out, AT_RISK_BINARY, 0, "is no text: what it holds cannot be shown");
	qsort(out->reasons, out->count, sizeof(*out->reasons), by_weight);
}

void at_risk_put(struct at_buf *out, const struct at_risk_report *report)
{
	enum at_risk last = AT_RISK_COUNT;
	bool any = false;

	for (size_t i = 0; i < report->count; i++) {
		const struct at_risk_reason *r = &report->reasons[i];

		if (r->risk == last)
			continue; /* each kind once; its first line */
		last = r->risk;
		at_buf_printf(out, "%s%s", any ? "; " : "", r->text);
		if (r->line)
			at_buf_printf(out, " (line %zu)", r->line);
		any = true;
	}
}
