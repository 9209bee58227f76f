/* teams.h - the teams that live in a project, and how each one stands.
 *
 * Several harnesses may have a team in one project, and what holds one says nothing of the next.
 * Each is judged as if it were the one that a view is about, by the same evidence; nothing is
 * run and nothing written. (EMIT-3, UI-2)
 */
#ifndef AT_TEAMS_H
#define AT_TEAMS_H

#include "core/pipeline.h"
#include "tui/line.h"
#include "views/session.h"

struct at_collected;

struct at_team {
	enum at_framework_id framework; /* of the two copilots, which share a directory, one */
	const char *dir;                /* below the project */
	bool is_shown;                  /* the one that the view, or the report, is about */
	bool is_present;                /* false of the shown one alone: not emitted yet */
	bool is_configured;
	enum at_truth truth;
	const char *state;    /* "launcher genuine", "wired, not proven": a few words */
	const char *sentence; /* the truth line */
};

struct at_teams {
	struct at_arena *arena;
	struct at_team items[AT_FRAMEWORK_COUNT];
	size_t count;
};

/* Looks at every team; of the one that `shown` is about nothing is looked at again. */
void at_teams_look(struct at_teams *out, const struct at_session *session,
	const struct at_collected *shown);
void at_teams_free(struct at_teams *teams);

/* More than one lives here: views and plain reports tell of them then alone. */
bool at_teams_are_several(const struct at_teams *teams);
#define AT_TEAMS_HEADING "Teams that live here"

/* A row: name, directory, state, and which one the view is about; columns are dropped below 64
 * cells. `width` 0: no limit, and no mark. */
void at_team_line(const struct at_team *team, int width, struct at_line *out);
/* The same in full, a paragraph for each fact. */
void at_team_text(const struct at_team *team, struct at_buf *out);

/* One line a team; nothing where one is all there is. */
void at_teams_print(const struct at_teams *teams, struct at_buf *out);
/* The array `teams`: every one, also when it is alone. */
void at_teams_to_json(const struct at_teams *teams, struct at_json_value *out);

#endif
