#include "views/teams.h"

#include <string.h>

#include "core/control_plane.h"
#include "core/json_write.h"
#include "core/mem.h"
#include "views/collect.h"
#include "views/wiring_rows.h"

#define NARROW 64

/* In a few words what the truth line says in a sentence. */
static const char *const words[AT_TRUTH_COUNT] = {
	[AT_TRUTH_NO_REQUEST] = "no valid request",
	[AT_TRUTH_REFUSED] = "refused here",
	[AT_TRUTH_OVERRIDDEN] = "no boundary (override)",
	[AT_TRUTH_COOPERATIVE] = "no boundary asked for",
	[AT_TRUTH_UNENFORCED] = "UNENFORCED",
	[AT_TRUTH_NOT_EMITTED] = "not as emitted",
	[AT_TRUTH_NOT_LOADED] = "not loaded",
	[AT_TRUTH_NOT_WIRED] = "not wired",
	[AT_TRUTH_UNDONE] = "wired, undone",
	[AT_TRUTH_LAUNCHER] = "launcher genuine",
	[AT_TRUTH_NOT_PROVEN] = "wired, not proven",
	[AT_TRUTH_STALE] = "wired, proof is stale",
	[AT_TRUTH_LEAKS] = "wired, LEAKS",
	[AT_TRUTH_ENGAGES] = "wired and proven",
};

/* Of a launcher team it is the launcher that tells. */
static const char *state_of(const struct at_collected *c, struct at_arena *arena)
{
	const char *launcher = at_wiring_launcher_word(c);

	if (c->pipeline.truth != AT_TRUTH_NOT_EMITTED || !launcher
		|| !at_mechanism_is_launcher(c->evidence.mechanism)
		|| strcmp(launcher, "genuine") == 0)
		return words[c->pipeline.truth];
	return at_arena_printf(arena, "launcher %s", launcher);
}

static void add(struct at_teams *out, enum at_framework_id framework, const char *dir,
	const struct at_collected *c)
{
	struct at_team *team = &out->items[out->count++];

	*team = (struct at_team){
		.framework = framework,
		.dir = at_arena_strdup(out->arena, dir),
		.is_present = true,
		.is_configured = c->evidence.is_configured,
		.truth = c->pipeline.truth,
		.state = state_of(c, out->arena),
		.sentence = at_arena_strdup(out->arena, c->pipeline.sentence),
	};
}

/* The same session, about another team where that one lives. */
static void look_at(struct at_teams *out, const struct at_session *session,
	enum at_framework_id framework)
{
	struct at_decide_options options = at_session_decide_options(session, framework);
	struct at_session other = *session;
	struct at_collected c;

	other.project.team_dir = at_team_dir(framework);
	other.hooks = (struct at_hook_book){ 0 };
	other.project.hooks = &other.hooks;
	if (!at_decide(&other.manifest, &session->request, &options, out->arena, NULL))
		return; /* bad usage, which the session was refused for as well */
	at_collect_alone(&c, &other);
	add(out, framework, at_team_dir(framework), &c);
	at_collected_free(&c);
	at_hook_book_free(&other.hooks);
}

static bool shares_directory(enum at_framework_id a, enum at_framework_id b)
{
	return strcmp(at_team_dir(a), at_team_dir(b)) == 0;
}

void at_teams_look(struct at_teams *out, const struct at_session *session,
	const struct at_collected *shown)
{
	enum at_framework_id own = session->manifest.framework;

	*out = (struct at_teams){ .arena = at_arena_new() };
	for (int id = 0; id < AT_FRAMEWORK_COUNT; id++) {
		enum at_framework_id f = (enum at_framework_id)id;
		bool is_present = at_team_is_present(&session->project, f);

		if (f == own) {
			add(out, f, session->project.team_dir, shown);
			out->items[out->count - 1].is_shown = true;
			out->items[out->count - 1].is_present = is_present;
			continue;
		}
		/* of the two copilots the shown one, else the first */
		if (!is_present || shares_directory(f, own) || f == AT_COPILOT_CLI)
			continue;
		look_at(out, session, f);
	}
}

void at_teams_free(struct at_teams *teams)
{
	if (teams->arena)
		at_arena_free(teams->arena);
	*teams = (struct at_teams){ 0 };
}

bool at_teams_are_several(const struct at_teams *teams)
{
	return teams->count > 1;
}

static enum at_style style_of(const struct at_team *team)
{
	unsigned claims = at_truth_claims(team->truth);

	return claims == 0 ? AT_STYLE_TRUTH_BAD : claims < 4 ? AT_STYLE_TRUTH_UNKNOWN
							  : AT_STYLE_TRUTH_OK;
}

void at_team_line(const struct at_team *team, int width, struct at_line *out)
{
	bool narrow = width && width < NARROW;

	if (width) /* without a screen words alone speak */
		at_line_text(out, team->is_shown ? AT_STYLE_MARK : AT_STYLE_DIM,
			team->is_shown ? "* " : "  ");
	at_line_textf(out, team->is_shown ? AT_STYLE_TITLE : AT_STYLE_NORMAL,
		narrow ? "%s  " : "%-15s ", at_framework_name(team->framework));
	if (!narrow)
		at_line_textf(out, AT_STYLE_DIM, "%-16s ", team->dir);
	at_line_text(out, style_of(team), team->state);
	if (team->is_shown)
		at_line_text(out, AT_STYLE_DIM, team->is_present ? "  shown" : "  shown, new");
}

void at_team_text(const struct at_team *team, struct at_buf *out)
{
	at_buf_printf(out, "%s, in %s%s\n\n%s\n\n%s", at_framework_name(team->framework), team->dir,
		team->is_present ? "" : " (nothing is emitted yet)", team->sentence,
		team->is_shown ? "What is shown here is about it."
			: "To see it: choose it in Setup, or start with --framework ");
	if (!team->is_shown)
		at_buf_puts(out, at_framework_name(team->framework));
	if (strcmp(team->dir, at_team_dir(AT_COPILOT_CLI)) == 0)
		at_buf_puts(out, "\n\ncopilot-vscode and copilot-cli share this directory and its "
			"record.");
	at_buf_putc(out, '\n');
}

void at_teams_print(const struct at_teams *teams, struct at_buf *out)
{
	if (!at_teams_are_several(teams))
		return;
	at_buf_puts(out, AT_TEAMS_HEADING "\n");
	for (size_t i = 0; i < teams->count; i++) {
		struct at_line line = { 0 };

		at_team_line(&teams->items[i], 0, &line);
		at_buf_printf(out, "  %s\n", at_buf_text(&line.spans.text));
		at_line_free(&line);
	}
}

void at_teams_to_json(const struct at_teams *teams, struct at_json_value *out)
{
	struct at_json_value *list = at_json_add_array(out, "teams");

	for (size_t i = 0; i < teams->count; i++) {
		const struct at_team *team = &teams->items[i];
		struct at_json_value *one = at_json_add_object(list, NULL);

		at_json_add_text(one, "framework", at_framework_name(team->framework));
		at_json_add_text(one, "dir", team->dir);
		at_json_add_bool(one, "shown", team->is_shown);
		at_json_add_bool(one, "present", team->is_present);
		at_json_add_bool(one, "configured", team->is_configured);
		at_json_add_text(one, "state", team->state);
		at_json_add_text(one, "truth_id", at_truth_id(team->truth));
		at_json_add_text(one, "truth", team->sentence);
	}
}
