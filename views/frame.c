#include "views/frame.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "tui/line.h"

#define WIDE 110 /* cells from which stages and sentence share a row */

int at_frame_rows(int width, int height)
{
	if (height < 16)
		return width < 60 ? 2 : 1; /* the sentence may take two rows */
	return width < 60 ? 3 : 4;
}

static enum at_style truth_style(const struct at_pipeline *pipeline)
{
	if (at_truth_claims(pipeline->truth) == 0)
		return AT_STYLE_TRUTH_BAD;
	return pipeline->truth == AT_TRUTH_ENGAGES ? AT_STYLE_TRUTH_OK : AT_STYLE_TRUTH_UNKNOWN;
}

/* What the row of tabs and stages gives up, step by step, until it fits. */
static const struct fit {
	bool names_stages, spaces_stages; /* "WIRE ○ ", "○ " or "○" */
	const char *gap;                  /* after a tab */
	bool is_short, is_digits;         /* tabs but the current one */
} fits[] = {
	{ true, true, "  ", false, false },
	{ false, true, "  ", false, false }, /* the order of the stages is learned soon */
	{ false, true, " ", false, false },
	{ false, true, " ", true, false },
	{ false, false, " ", true, false },
	{ false, false, " ", true, true },
};

/* Done, not done, failed, unknown: shapes that differ without colour. */
static void add_stages(const struct at_pipeline *pipeline, const struct fit *fit,
	struct at_line *line)
{
	static const struct {
		const char *sign;
		enum at_style style;
	} signs[] = {
		[AT_NOT_DONE] = { "○", AT_STYLE_DIM },
		[AT_FAILED] = { "✗", AT_STYLE_TRUTH_BAD },
		[AT_UNKNOWN] = { "?", AT_STYLE_TRUTH_UNKNOWN },
		[AT_DONE] = { "●", AT_STYLE_TRUTH_OK },
	};

	for (int stage = 0; stage < AT_STAGE_COUNT; stage++) {
		enum at_stage_state state = pipeline->stages[stage];

		if (fit->names_stages)
			at_line_textf(
				line, AT_STYLE_DIM, "%s ", at_stage_name((enum at_stage)stage));
		at_line_own(line, signs[state].style, signs[state].sign);
		if (fit->spaces_stages)
			at_line_text(line, signs[state].style, " ");
	}
}

static void add_project(const struct at_session *session, const struct at_collected *collected,
	struct at_line *line)
{
	const struct at_request *request = &session->request;
	const struct at_manifest *manifest = &session->manifest;
	const char *name = strrchr(session->path, '/');

	at_line_text(line, AT_STYLE_TITLE, "atconsole  ");
	at_line_text(line, AT_STYLE_NORMAL,
		session->request_ok && *request->project_name ? request->project_name
			: name                                ? name + 1
							      : "");
	at_line_textf(line, AT_STYLE_DIM, " · %s · %s%s · %s",
		at_framework_name(manifest->framework),
		session->request_ok ? at_profile_name(request->profile) : "no valid request",
		session->request_ok && !request->profile_is_explicit ? " (defaulted)" : "",
		at_platform_name(manifest->platform));
	if (manifest->advisory_count)
		at_line_textf(line, AT_STYLE_ACCENT, "   %zu advisor%s, %zu not read",
			manifest->advisory_count, manifest->advisory_count == 1 ? "y" : "ies",
			collected->unread);
}

static void add_tabs(int current, const struct fit *fit, struct at_line *line)
{
	static const struct {
		int digit;
		const char *tab, *short_tab;
	} tabs[] = {
#define AT_VIEW(digit, class, tab, short_tab) { digit, tab, short_tab },
#include "views/views.def"
#undef AT_VIEW
	};

	for (size_t i = 0; i < AT_LEN(tabs); i++) {
		bool is_current = tabs[i].digit == current;
		enum at_style style = is_current ? AT_STYLE_TAB_CURRENT : AT_STYLE_TAB;

		if (fit->is_digits && !is_current)
			at_line_textf(line, style, "%d", tabs[i].digit);
		else
			at_line_textf(line, style, "%d %s", tabs[i].digit,
				fit->is_short ? tabs[i].short_tab : tabs[i].tab);
		at_line_text(line, AT_STYLE_NORMAL, fit->gap);
	}
}

/* The sentence in up to `rows` rows: it is what counts when there is little room. */
static int paint_sentence(const struct at_pipeline *pipeline, const struct at_canvas *canvas, int y,
	int rows, struct at_line *line)
{
	int skip = 0;

	at_line_text(line, truth_style(pipeline), pipeline->sentence);
	for (int row = 0; row < rows; row++) {
		at_line_paint(line, canvas, y + row, skip, row == rows - 1);
		skip = at_line_next(line, canvas->at.width, skip);
		if (skip < 0)
			break;
	}
	at_line_clear(line);
	return y + rows;
}

static void paint_tabs(const struct at_pipeline *pipeline, int current, bool with_stages,
	const struct at_canvas *canvas, int y, struct at_line *line)
{
	struct at_line stages = { .ascii = line->ascii };
	struct at_canvas right;

	for (size_t i = 0; i < AT_LEN(fits); i++) {
		at_line_clear(line);
		at_line_clear(&stages);
		add_tabs(current, &fits[i], line);
		if (with_stages)
			add_stages(pipeline, &fits[i], &stages);
		if ((int)(line->spans.width + stages.spans.width) <= canvas->at.width)
			break;
	}
	at_line_paint(line, canvas, y, 0, true);
	at_line_clear(line);
	right = at_canvas_part(canvas,
		(struct at_rect){ canvas->at.width - (int)stages.spans.width, y,
			(int)stages.spans.width, 1 });
	if (with_stages)
		at_line_paint(&stages, &right, 0, 0, false);
	at_line_free(&stages);
}

void at_frame_paint(const struct at_session *session, const struct at_collected *collected,
	int current, const struct at_canvas *canvas)
{
	const struct at_pipeline *pipeline = &collected->pipeline;
	struct at_line line = { .ascii = canvas->grid->ascii };
	int rows = canvas->at.height, y = 0;
	bool wide = canvas->at.width >= WIDE;

	if (rows >= 3) {
		add_project(session, collected, &line);
		at_line_paint(&line, canvas, y++, 0, true);
		at_line_clear(&line);
	}
	if (rows < 4) {
		paint_sentence(pipeline, canvas, y, rows - y, &line);
	} else {
		if (wide) {
			add_stages(pipeline, &fits[0], &line);
			at_line_text(&line, AT_STYLE_NORMAL, " ");
		}
		y = paint_sentence(pipeline, canvas, y, 1, &line);
		paint_tabs(pipeline, current, !wide, canvas, y++, &line);
		at_canvas_rule(canvas, y, AT_STYLE_RULE);
	}
	at_line_free(&line);
}
