#include "views/wiring_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ceilings.h"
#include "core/mem.h"
#include "views/host_rows.h"
#include "views/launch_rows.h"
#include "views/proof_rows.h"

#define NARROW 64 /* cells below which a row keeps its first columns only */
#define KEY_CELLS 26

void at_wiring_rows_put(struct at_wiring_rows *r, enum at_wiring_row_kind kind, size_t index,
	const char *text)
{
	r->rows = at_grow(r->rows, &r->cap, r->count, sizeof(*r->rows));
	r->rows[r->count++] = (struct at_wiring_row){ kind, index, text };
}

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* What the hook rows show in full is not repeated as a value. */
static bool is_shown_as_hook(const char *key)
{
	return strcmp(key, "hooks.PreToolUse[]") == 0;
}

static void add_values(struct at_wiring_rows *r, const char *heading, const char *const *prefixes)
{
	const struct at_effective *e = &r->collected->effective;
	bool any = false;

	for (size_t i = 0; i < e->count; i = at_effective_run(e, i)) {
		bool fits = false;

		for (const char *const *p = prefixes; *p; p++)
			fits |= starts(e->values[i].key, *p);
		if (!fits || is_shown_as_hook(e->values[i].key))
			continue;
		if (!any && heading)
			at_wiring_rows_put(r, AT_ROW_HEADING, 0, heading);
		any = true;
		at_wiring_rows_put(r, AT_ROW_VALUE, i, NULL);
	}
	if (!any && heading) {
		at_wiring_rows_put(r, AT_ROW_HEADING, 0, heading);
		at_wiring_rows_put(r, AT_ROW_REMARK, 0, "no file that the client loads says anything");
	}
}

static void add_findings(struct at_wiring_rows *r)
{
	const struct at_wiring *w = &r->collected->wiring;
	size_t well = 0;

	at_wiring_rows_put(r, AT_ROW_HEADING, 0, "Findings");
	if (w->count == 0)
		at_wiring_rows_put(r, AT_ROW_REMARK, 0, "none");
	for (int level = AT_FAIL; level > AT_OKAY; level--)
		for (size_t i = 0; i < w->count; i++)
			if ((int)w->findings[i].level == level)
				at_wiring_rows_put(r, AT_ROW_FINDING, i, NULL);
	for (size_t i = 0; i < w->count; i++)
		well += w->findings[i].level == AT_OKAY;
	if (well)
		at_wiring_rows_put(r, AT_ROW_OKAYS, well, NULL);
}

static void add_hooks(struct at_wiring_rows *r)
{
	static const char *const prefixes[] = { "hooks.", "disableAllHooks",
		"allowManagedHooksOnly", NULL };
	const struct at_hook_list *hooks = &r->collected->hooks;

	at_wiring_rows_put(r, AT_ROW_HEADING, 0, "Hooks before a call, and what they did when run");
	for (size_t i = 0; i < hooks->count; i++)
		at_wiring_rows_put(r, AT_ROW_HOOK, i, NULL);
	if (hooks->count == 0)
		at_wiring_rows_put(r, AT_ROW_REMARK, 0, "none is wired");
	if (hooks->gate_fault)
		at_wiring_rows_put(r, AT_ROW_REMARK, 0, hooks->gate_fault);
	add_values(r, NULL, prefixes);
}

static void add_ceilings(struct at_wiring_rows *r)
{
	const struct at_pipeline *p = &r->collected->pipeline;

	at_wiring_rows_put(r, AT_ROW_HEADING, 0, "What this mechanism does not do");
	for (size_t i = 0; i < at_ceiling_count; i++)
		if (at_ceiling_applies(&at_ceilings[i], p->mechanism,
			    (int)r->session->manifest.framework))
			at_wiring_rows_put(r, AT_ROW_CEILING, i, NULL);
}

static void add_files(struct at_wiring_rows *r)
{
	const struct at_effective *e = &r->collected->effective;

	at_wiring_rows_put(r, AT_ROW_HEADING, 0, "Settings files, the strongest first");
	for (size_t i = 0; i < e->file_count; i++)
		at_wiring_rows_put(r, AT_ROW_FILE, i, NULL);
	if (e->name_count)
		at_wiring_rows_put(r, AT_ROW_NAMES, 0, NULL);
}

/* First of all whose wiring this is. */
static void add_teams(struct at_wiring_rows *r)
{
	const struct at_teams *teams = &r->collected->teams;

	if (!at_teams_are_several(teams))
		return;
	at_wiring_rows_put(r, AT_ROW_HEADING, 0, AT_TEAMS_HEADING);
	for (size_t i = 0; i < teams->count; i++)
		at_wiring_rows_put(r, AT_ROW_TEAM, i, NULL);
}

/* What is read from settings files says nothing of a team that has none. */
static void fill(struct at_wiring_rows *r)
{
	static const char *const sandbox[] = { "sandbox", NULL };
	static const char *const permissions[] = { "permissions", NULL };
	const struct at_effective *e = &r->collected->effective;
	bool has_files = r->collected->has_settings;

	r->count = 0;
	if (!r->collected->is_checked)
		return;
	add_teams(r);
	at_launch_rows_add(r);
	if (has_files) {
		add_values(r, "In force: sandbox", sandbox);
		add_values(r, "In force: permissions", permissions);
	}
	add_findings(r);
	if (has_files) {
		add_hooks(r);
		add_files(r);
	}
	if (e->fact_count)
		at_wiring_rows_put(r, AT_ROW_HEADING, 0, "This host");
	for (size_t i = 0; i < e->fact_count; i++)
		at_wiring_rows_put(r, AT_ROW_FACT, i, NULL);
	at_host_rows_add(r);
	at_proof_rows_add(r);
	add_ceilings(r);
}

void at_wiring_rows_make(struct at_wiring_rows *r, const struct at_session *session,
	const struct at_collected *collected)
{
	r->session = session;
	r->collected = collected;
	at_host_rows_look(r);
	at_launch_free(&r->launch);
	if (collected->is_checked && at_mechanism_is_launcher(collected->evidence.mechanism))
		at_launch_rows_look(&r->launch, session, collected);
	fill(r);
}

void at_wiring_rows_wrap(struct at_wiring_rows *r, int width)
{
	if (width == r->width)
		return;
	r->width = width;
	fill(r);
}

void at_wiring_rows_free(struct at_wiring_rows *r)
{
	free(r->rows);
	if (r->host.arena)
		at_host_report_free(&r->host);
	at_launch_free(&r->launch);
	*r = (struct at_wiring_rows){ 0 };
}

/* Without what the heading says. */
static const char *short_key(const char *key)
{
	static const char *const heads[] = { "sandbox.filesystem.", "sandbox.", "permissions." };

	for (size_t i = 0; i < AT_LEN(heads); i++)
		if (starts(key, heads[i]))
			return key + strlen(heads[i]);
	return key;
}

static size_t not_counting(const struct at_effective *e, size_t from, size_t to)
{
	size_t count = 0;

	for (size_t i = from; i < to; i++)
		count += e->values[i].overridden_by != NULL;
	return count;
}

static void value_line(const struct at_wiring_rows *r, size_t first, struct at_line *out)
{
	const struct at_effective *e = &r->collected->effective;
	const struct at_effective_value *v = &e->values[first];
	size_t end = at_effective_run(e, first), off = not_counting(e, first, end);
	bool narrow = r->width && r->width < NARROW;
	enum at_style style = off == end - first ? AT_STYLE_DIM : AT_STYLE_NORMAL;
	const char *key = short_key(v->key);
	size_t len = strlen(key);

	if (len > 2 && strcmp(key + len - 2, "[]") == 0)
		len -= 2;
	at_line_textf(out, style, narrow ? "%.*s: " : "%.*s ", (int)len, key);
	if (!narrow) {
		at_line_pad(out, style, KEY_CELLS);
		at_line_textf(out, AT_STYLE_DIM, "%-8s ", at_scope_name(v->scope));
	}
	if (off == end - first && off > 1)
		at_line_textf(out, AT_STYLE_MARK, "do not count: %s  ", v->overridden_by);
	else if (off && end - first > 1)
		at_line_textf(out, AT_STYLE_MARK, "%zu of %zu do not count  ", off, end - first);
	if (end - first > 1)
		at_line_textf(out, AT_STYLE_DIM, "%zu: ", end - first);
	/* Enough to fill a row: what is longer is for the details. */
	for (size_t i = first; i < end && i < first + 12; i++)
		at_line_textf(out, style, "%s%s", i > first ? ", " : "", v[i - first].value);
	if (off && end - first == 1)
		at_line_textf(out, AT_STYLE_MARK, "  does not count: %s", v->overridden_by);
	if (end > first + 12)
		at_line_textf(out, AT_STYLE_DIM, ", … %zu more", end - first - 12);
	if (narrow)
		at_line_textf(out, AT_STYLE_DIM, "  %s", at_scope_name(v->scope));
	if (*v->remark)
		at_line_textf(out, AT_STYLE_DIM, "  %s", v->remark);
}

static enum at_style level_style(enum at_level level)
{
	static const enum at_style styles[] = { [AT_OKAY] = AT_STYLE_TIGHTENS,
		[AT_NOTE] = AT_STYLE_NEUTRAL, [AT_WARN] = AT_STYLE_RELAXES,
		[AT_FAIL] = AT_STYLE_WIDENS };

	return styles[level];
}

static const char *verdict_word(const struct at_wiring_rows *r, const struct at_hook_found *hook,
	enum at_style *style)
{
	const struct at_hook_verdict *v = at_hook_book_find(&r->session->hooks, hook->command);

	*style = AT_STYLE_DIM;
	if (!v)
		return !hook->can_run			      ? "not run"
			: r->session->hooks_are_running ? "running" : "not run";
	*style = v->result == AT_HOOK_STOPS ? AT_STYLE_TIGHTENS : AT_STYLE_WIDENS;
	if (v->result == AT_HOOK_BROKEN && v->direction != AT_HOOK_AS_MEANT)
		return v->direction == AT_HOOK_ALLOWS ? "ALLOWS ALL" : "DENIES ALL";
	return v->result == AT_HOOK_STOPS ? "stops"
		: v->result == AT_HOOK_SILENT ? "SILENT"
		: v->result == AT_HOOK_OPENS  ? "OPENS"
					      : "BROKEN";
}

static void hook_line(const struct at_wiring_rows *r, size_t index, struct at_line *out)
{
	const struct at_hook_found *hook = &r->collected->hooks.items[index];
	enum at_style style;
	const char *word = verdict_word(r, hook, &style);

	at_line_textf(out, style, "%-10s ", word);
	at_line_textf(out, AT_STYLE_NORMAL, "%s", *hook->matcher ? hook->matcher : "every tool");
	at_line_textf(out, AT_STYLE_DIM, "  %s",
		!*hook->origin ? "wired nowhere yet" : hook->is_ours ? "the gate" : "not ours");
	at_line_textf(out, AT_STYLE_NORMAL, "  %s", hook->command);
}

void at_wiring_row_line(const struct at_wiring_rows *r, size_t row, struct at_line *out)
{
	const struct at_wiring_row *it = &r->rows[row];
	const struct at_collected *c = r->collected;
	const struct at_effective *e = &c->effective;
	bool narrow = r->width && r->width < NARROW;

	switch (it->kind) {
	case AT_ROW_HEADING:
		at_line_text(out, AT_STYLE_ACCENT, it->text);
		break;
	case AT_ROW_REMARK:
		at_line_textf(out, AT_STYLE_DIM, "%s%s", r->width ? "  " : "", it->text);
		break;
	case AT_ROW_VALUE:
		value_line(r, it->index, out);
		break;
	case AT_ROW_FINDING:
		at_line_textf(out, level_style(c->wiring.findings[it->index].level), "%-4s ",
			at_level_name(c->wiring.findings[it->index].level));
		at_line_text(out, AT_STYLE_NORMAL, c->wiring.findings[it->index].text);
		break;
	case AT_ROW_OKAYS:
		at_line_text(out, AT_STYLE_TIGHTENS, "ok   ");
		at_line_textf(out, AT_STYLE_DIM, "%zu %s as meant", it->index,
			it->index == 1 ? "thing is" : "things are");
		break;
	case AT_ROW_HOOK:
		hook_line(r, it->index, out);
		break;
	case AT_ROW_FILE:
		at_line_textf(out, AT_STYLE_DIM, narrow ? "%s " : "%-14s",
			at_scope_name(e->files[it->index].scope));
		at_line_textf(out, AT_STYLE_NORMAL, "%s  ", e->files[it->index].name);
		at_line_text(out, e->files[it->index].exists && !e->files[it->index].loads
				? AT_STYLE_WIDENS : AT_STYLE_DIM, e->files[it->index].state);
		break;
	case AT_ROW_FACT:
		at_line_textf(out, AT_STYLE_DIM, "%-9s", e->facts[it->index].name);
		at_line_text(out, e->facts[it->index].is_bad ? AT_STYLE_WIDENS : AT_STYLE_NORMAL,
			e->facts[it->index].text);
		break;
	case AT_ROW_NAMES:
		at_line_textf(out, AT_STYLE_DIM, "%zu other key%s, by name only: ", e->name_count,
			e->name_count == 1 ? "" : "s");
		for (size_t i = 0; i < e->name_count && i < 8; i++)
			at_line_textf(out, AT_STYLE_DIM, "%s%s", i ? ", " : "", e->names[i].name);
		if (e->name_count > 8)
			at_line_textf(out, AT_STYLE_DIM, ", … %zu more", e->name_count - 8);
		break;
	case AT_ROW_CEILING:
		at_line_textf(
			out, AT_STYLE_DIM, narrow ? "%s " : "%-9s", at_ceilings[it->index].id);
		at_line_text(out, AT_STYLE_NORMAL, at_ceilings[it->index].text);
		break;
	case AT_ROW_HOST:
		at_host_row_line(r, it->index, out);
		break;
	case AT_ROW_LAUNCH:
		at_launch_row_line(r, it->index, out);
		break;
	case AT_ROW_LAUNCH_NOTE:
		at_line_text(out, it->index ? AT_STYLE_RELAXES : AT_STYLE_DIM, it->text);
		break;
	case AT_ROW_PROOF:
	case AT_ROW_PROOF_CASE:
	case AT_ROW_PROOF_GROUP:
		at_proof_row_line(r, row, out);
		break;
	case AT_ROW_TEAM:
		at_team_line(&c->teams.items[it->index], r->width, out);
		break;
	}
}
