/* wiring_launcher.c - the first question about a team whose boundary is the launcher. */
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "views/wiring_rows.h"

/* The first finding that is there answers; a better one is never looked for. */
static const struct {
	const char *id, *word;
	enum at_style style;
} answers[] = {
	{ "no-boundary-requested", "NOT ASKED FOR", AT_STYLE_TRUTH_UNKNOWN },
	{ "not-enforceable-here", "NOT HERE", AT_STYLE_TRUTH_BAD },
	{ "mechanism-not-emitted", "NOT ENOUGH", AT_STYLE_TRUTH_BAD },
	{ "launcher-missing", "MISSING", AT_STYLE_TRUTH_BAD },
	{ "launcher-older", "OLDER", AT_STYLE_TRUTH_BAD },
	{ "launcher-edited", "EDITED", AT_STYLE_TRUTH_BAD },
	{ "launcher-unfit", "NO", AT_STYLE_TRUTH_BAD },
	{ "launcher-hard-link", "NO", AT_STYLE_TRUTH_BAD },
	{ "launcher-not-executable", "NO", AT_STYLE_TRUTH_BAD },
	{ "launcher-enforceable", "YES", AT_STYLE_TRUTH_UNKNOWN }, /* and no more than that */
};

void at_wiring_launcher_answer(struct at_wiring_answer *out, const struct at_collected *c)
{
	*out = (struct at_wiring_answer){ .question = "Is the launcher there and genuine?",
		.narrow = "Launcher genuine?", .word = "NO", .style = AT_STYLE_TRUTH_BAD };
	for (size_t i = 0; i < AT_LEN(answers); i++) {
		const struct at_finding *f = at_wiring_find(&c->wiring, answers[i].id);

		if (!f)
			continue;
		out->word = answers[i].word;
		out->style = answers[i].style;
		snprintf(out->why, sizeof(out->why), "%s", f->text);
		return;
	}
}

const char *at_wiring_launcher_word(const struct at_collected *c)
{
	static const char *const ids[] = { "launcher-genuine", "launcher-missing", "launcher-older",
		"launcher-edited", "launcher-unfit", "launcher-hard-link",
		"launcher-not-executable" };

	for (size_t i = 0; i < AT_LEN(ids); i++)
		if (at_wiring_find(&c->wiring, ids[i]))
			return ids[i] + strlen("launcher-");
	return NULL;
}
