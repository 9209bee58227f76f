/* wiring_text.c - a row of the wiring in full, the answer to its first question, the tally. */
#include <stdio.h>
#include <string.h>

#include "core/ceilings.h"
#include "core/mem.h"
#include "emit/live.h"
#include "views/host_rows.h"
#include "views/launch_rows.h"
#include "views/proof_rows.h"
#include "views/wiring_rows.h"

/* Counts bytes: what is not ASCII only makes a line shorter. */
void at_wiring_wrap(struct at_buf *out, const char *text, int width, const char *indent)
{
	size_t room = width > 24 ? (size_t)width : 24, column = strlen(indent);

	at_buf_puts(out, indent);
	while (*text) {
		size_t word = strcspn(text, " \n");

		if (column > strlen(indent) && column + 1 + word > room) {
			at_buf_printf(out, "\n%s", indent);
			column = strlen(indent);
		} else if (column > strlen(indent)) {
			at_buf_putc(out, ' ');
			column++;
		}
		at_buf_put(out, text, word);
		column += word;
		text += word;
		text += strspn(text, " \n");
	}
	at_buf_putc(out, '\n');
}

static void put_value(const struct at_effective *e, size_t first, int width, struct at_buf *out)
{
	const struct at_effective_value *v = &e->values[first];
	size_t end = at_effective_run(e, first);

	at_buf_printf(out, "%s\n%s: %s\n\n", v->key, at_scope_name(v->scope), v->origin);
	for (size_t i = first; i < end; i++) {
		const struct at_effective_value *one = &e->values[i];

		at_buf_printf(out, "%s\n", one->value);
		if (one->overridden_by) {
			char text[PATH_MAX + 64];

			snprintf(text, sizeof(text), "does not count because of %s",
				one->overridden_by);
			at_wiring_wrap(out, text, width, "    ");
		}
		if (*one->remark)
			at_wiring_wrap(out, one->remark, width, "    ");
	}
}

static void put_finding(const struct at_finding *f, int width, struct at_buf *out)
{
	at_buf_printf(out, "%s  %s\n", at_level_name(f->level), f->id);
	if (*f->where)
		at_buf_puts(out, f->where);
	if (f->line)
		at_buf_printf(out, ", line %u column %u", f->line, f->column);
	at_buf_puts(out, *f->where || f->line ? "\n\n" : "\n");
	at_wiring_wrap(out, f->text, width, "");
	if (*f->remedy) {
		at_buf_puts(out, "\nTo do:\n");
		at_wiring_wrap(out, f->remedy, width, "");
	}
}

static void put_hook(const struct at_wiring_rows *r, size_t index, int width, struct at_buf *out)
{
	const struct at_hook_found *hook = &r->collected->hooks.items[index];
	const struct at_hook_verdict *v = at_hook_book_find(&r->session->hooks, hook->command);
	const char *why = v                     ? v->text
		: !hook->can_run                ? "It is of a kind that is not run here."
		: r->session->hooks_are_running ? "It is being run."
		: hook->is_ours                 ? "It was not run yet."
				: "It is not ours, so it is run only when asked for.";

	at_buf_printf(out, "%s  %s\n%s\n\n%s\n\n", hook->event,
		*hook->matcher ? hook->matcher : "every tool",
		*hook->origin ? hook->origin : "wired nowhere yet", hook->command);
	if (v)
		at_buf_printf(out, "%s%s%s\n", at_hook_result_name(v->result),
			v->direction ? ": " : "", at_hook_direction_name(v->direction));
	at_wiring_wrap(out, why, width, "");
}

/* Its lines, each wrapped with its own indent. */
static void put_lines(char *rest, int width, struct at_buf *out)
{
	char *line;

	while ((line = strsep(&rest, "\n"))) {
		bool is_indented = strncmp(line, "  ", 2) == 0;

		if (*line)
			at_wiring_wrap(out, line + (is_indented ? 2 : 0), width,
				is_indented ? "  " : "");
		else if (rest)
			at_buf_putc(out, '\n');
	}
}

static void put_proof(const struct at_wiring_rows *r, size_t row, int width, struct at_buf *out)
{
	struct at_buf text = { 0 };

	at_proof_row_text(r, row, &text);
	put_lines(text.data, width, out);
	at_buf_free(&text);
}

static void put_team(const struct at_team *team, int width, struct at_buf *out)
{
	struct at_buf text = { 0 };

	at_team_text(team, &text);
	put_lines(text.data, width, out);
	at_buf_free(&text);
}

void at_wiring_row_text(const struct at_wiring_rows *r, size_t row, int width, struct at_buf *out)
{
	const struct at_wiring_row *it = &r->rows[row];
	const struct at_collected *c = r->collected;
	const struct at_effective *e = &c->effective;

	switch (it->kind) {
	case AT_ROW_HEADING:
	case AT_ROW_REMARK:
		at_wiring_wrap(out, it->text, width, "");
		break;
	case AT_ROW_VALUE:
		put_value(e, it->index, width, out);
		break;
	case AT_ROW_FINDING:
		put_finding(&c->wiring.findings[it->index], width, out);
		break;
	case AT_ROW_OKAYS:
		for (size_t i = 0; i < c->wiring.count; i++)
			if (c->wiring.findings[i].level == AT_OKAY)
				at_wiring_wrap(out, c->wiring.findings[i].text, width, "");
		break;
	case AT_ROW_HOOK:
		put_hook(r, it->index, width, out);
		break;
	case AT_ROW_FILE:
		at_buf_printf(out, "%s\n%s\n\n", at_scope_name(e->files[it->index].scope),
			e->files[it->index].name);
		at_wiring_wrap(out, e->files[it->index].state, width, "");
		break;
	case AT_ROW_FACT:
		at_buf_printf(out, "%s\n\n", e->facts[it->index].name);
		at_wiring_wrap(out, e->facts[it->index].text, width, "");
		break;
	case AT_ROW_NAMES:
		at_wiring_wrap(
			out, "Keys whose values are not shown: they may be secrets.", width, "");
		at_buf_putc(out, '\n');
		for (size_t i = 0; i < e->name_count; i++)
			at_buf_printf(out, "%s  %s\n", e->names[i].name, e->names[i].origin);
		break;
	case AT_ROW_CEILING:
		at_buf_printf(out, "%s\n\n", at_ceilings[it->index].id);
		at_wiring_wrap(out, at_ceilings[it->index].text, width, "");
		break;
	case AT_ROW_HOST:
		at_host_row_text(r, it->index, width, out);
		break;
	case AT_ROW_LAUNCH:
		at_launch_row_text(r, it->index, width, out);
		break;
	case AT_ROW_LAUNCH_NOTE:
		at_wiring_wrap(out, it->text, width, "");
		break;
	case AT_ROW_PROOF:
	case AT_ROW_PROOF_CASE:
	case AT_ROW_PROOF_GROUP:
		put_proof(r, row, width, out);
		break;
	case AT_ROW_TEAM:
		put_team(&c->teams.items[it->index], width, out);
		break;
	}
}

const struct at_finding *at_wiring_find(const struct at_wiring *wiring, const char *id)
{
	for (size_t i = 0; i < wiring->count; i++)
		if (strcmp(wiring->findings[i].id, id) == 0)
			return &wiring->findings[i];
	return NULL;
}

/* The summary stands in front of its causes: the first is the one to mend first. */
static void why_dropped(struct at_wiring_answer *out, const struct at_wiring *wiring)
{
	const struct at_finding *f = at_wiring_find(wiring, "file-would-be-skipped");

	if (f && f + 1 < wiring->findings + wiring->count)
		f++;
	else
		f = at_wiring_find(wiring, "settings-unreadable");
	if (!f)
		snprintf(out->why, sizeof(out->why), "claude drops " AT_LIVE_SETTINGS " whole.");
	else if (f->line)
		snprintf(out->why, sizeof(out->why), "%s, line %u column %u: %s", f->where, f->line,
			f->column, f->text);
	else
		snprintf(out->why, sizeof(out->why), "%s: %s", f->where, f->text);
}

void at_wiring_answer(struct at_wiring_answer *out, const struct at_collected *c)
{
	if (!c->has_settings) {
		at_wiring_launcher_answer(out, c);
		return;
	}
	*out = (struct at_wiring_answer){ .word = "YES", .style = AT_STYLE_TRUTH_OK,
		.question = "Would claude load " AT_LIVE_SETTINGS "?",
		.narrow = "Would claude load it?" };
	if (!c->evidence.live_file_exists) {
		out->word = "NO FILE";
		out->style = AT_STYLE_TRUTH_BAD;
		snprintf(out->why, sizeof(out->why),
			AT_LIVE_SETTINGS " is not there: nothing of it is in force.");
	} else if (!c->wiring.file_is_loaded) {
		out->word = "NO";
		out->style = AT_STYLE_TRUTH_BAD;
		why_dropped(out, &c->wiring);
	} else if (c->wiring.undone) {
		out->style = AT_STYLE_TRUTH_UNKNOWN;
		snprintf(out->why, sizeof(out->why), "It is read, and undone by %s.",
			c->wiring.undone_by);
	} else {
		snprintf(out->why, sizeof(out->why), c->wiring.is_configured
				? "It is read, and the emitted boundary is in it."
				: "It is read, but the emitted boundary is not all in it.");
	}
}

void at_wiring_tally(const struct at_collected *c, const struct at_session *session,
	struct at_buf *out)
{
	size_t counts[4] = { 0 };
	const char *fault = at_collected_gate_fault(c, session);

	for (size_t i = 0; i < c->wiring.count; i++)
		counts[c->wiring.findings[i].level]++;
	for (int level = AT_FAIL; level >= AT_OKAY; level--)
		if (counts[level])
			at_buf_printf(out, "%s%zu %s", out->len ? ", " : "", counts[level],
				at_level_name((enum at_level)level));
	if (!c->has_settings)
		return;
	at_buf_printf(out, " · gate hook: %s",
		!fault                               ? "stops"
			: session->hooks_are_running ? "being run"
			: c->hooks.gate_fault        ? "cannot be run"
						     : "not proven");
}
