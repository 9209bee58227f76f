/* wiring_launcher.c - the first question about a team that no settings file of ours wires. */
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
	{ "seatbelt-missing", "MISSING", AT_STYLE_TRUTH_BAD },
	{ "seatbelt-unfit", "NO", AT_STYLE_TRUTH_BAD },
	{ "seatbelt-unreadable", "CANNOT TELL", AT_STYLE_TRUTH_BAD },
	{ "seatbelt-writes-open", "NO", AT_STYLE_TRUTH_BAD },
	{ "seatbelt-reopened", "NO", AT_STYLE_TRUTH_BAD },
	{ "seatbelt-ancestor-open", "NO", AT_STYLE_TRUTH_BAD },
	{ "seatbelt-network-open", "NO", AT_STYLE_TRUTH_BAD },
	{ "seatbelt-loopback-open", "NO", AT_STYLE_TRUTH_BAD },
	{ "seatbelt-reads-open", "NO", AT_STYLE_TRUTH_BAD },
	{ "seatbelt-root-missing", "NOT AS ASKED", AT_STYLE_TRUTH_BAD },
	{ "seatbelt-proxy-missing", "NOT AS ASKED", AT_STYLE_TRUTH_BAD },
	{ "seatbelt-cannot-tell", "CANNOT TELL", AT_STYLE_TRUTH_BAD },
	{ "goose-sandbox-off", "NOT SWITCHED ON", AT_STYLE_TRUTH_BAD },
	{ "goose-sandbox-build", "AS FAR AS READ", AT_STYLE_TRUTH_UNKNOWN }, /* never more */
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
	bool is_seatbelt = c->evidence.mechanism == AT_GOOSE_SEATBELT;

	*out = (struct at_wiring_answer){ .word = "NO", .style = AT_STYLE_TRUTH_BAD,
		.question = is_seatbelt ? "Does the Seatbelt profile deny what it should?"
					: "Is the launcher there and genuine?",
		.narrow = is_seatbelt ? "Profile denies?" : "Launcher genuine?" };
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
