#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/advisory.h"
#include "core/ceilings.h"
#include "core/effects.h"
#include "core/mem.h"
#include "tools/docs.h"
#include "tui/action.h"
#include "views/config.h"
#include "views/manual.h"
#include "views/options.h"

static void put_options(struct at_buf *out, bool modes)
{
	struct at_option_info info;

	for (size_t i = 0; at_option_info(i, &info); i++) {
		char tag[96];

		if (info.is_mode != modes)
			continue;
		snprintf(tag, sizeof(tag), "--%s%s%s", info.name, info.argument ? " " : "",
			info.argument ? info.argument : "");
		at_roff_item(out, tag, info.help);
	}
}

/* DEC-1 and WIRE-13: what can be had where, and by which mechanism. */
static void put_matrix(struct at_buf *out)
{
	static const enum at_platform platforms[] = { AT_LINUX, AT_DARWIN, AT_WINDOWS, AT_OTHER };

	for (int f = 0; f < AT_FRAMEWORK_COUNT; f++) {
		enum at_framework_id framework = (enum at_framework_id)f;
		struct at_buf text = { 0 };

		for (size_t p = 0; p < AT_LEN(platforms); p++)
			at_buf_printf(&text, "%s%s: %s", p ? "; " : "",
				at_platform_name(platforms[p]),
				at_is_sandbox_capable(framework, platforms[p]) ? at_mechanism_name(
					at_mechanism_of(framework, platforms[p]))
									       : "no boundary");
		at_roff_item(out, at_framework_name(framework), at_buf_text(&text));
		at_buf_free(&text);
	}
}

/* Lines as they are printed elsewhere, kept apart. */
static void put_lines(struct at_buf *out, void (*print)(struct at_buf *out))
{
	struct at_buf text = { 0 };
	char *copy, *rest, *line;

	print(&text);
	copy = rest = at_strdup(at_buf_text(&text));
	at_buf_puts(out, ".PP\n.nf\n");
	while ((line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		at_roff_put(out, line);
		at_buf_putc(out, '\n');
	}
	at_buf_puts(out, ".fi\n");
	free(copy);
	at_buf_free(&text);
}

/* The printed table has a row a line: pattern | change | effect | why. */
static void put_effects(struct at_buf *out)
{
	struct at_buf text = { 0 };
	char *copy, *rest, *line;

	at_effect_print_table(&text);
	copy = rest = at_strdup(at_buf_text(&text));
	while ((line = strsep(&rest, "\n"))) {
		char *cells[4], tag[256], what[512];
		size_t count = 0;

		for (char *at = line; *line && at && count < AT_LEN(cells); count++) {
			char *bar = strstr(at, " | ");

			cells[count] = at;
			if (bar)
				*bar = '\0';
			at = bar ? bar + 3 : NULL;
		}
		if (count < AT_LEN(cells))
			continue;
		snprintf(tag, sizeof(tag), "%s  %s", cells[0], cells[1]);
		snprintf(what, sizeof(what), "%s: %s", cells[2], cells[3]);
		at_roff_item(out, tag, what);
	}
	free(copy);
	at_buf_free(&text);
}

static void put_advisories(struct at_buf *out)
{
	for (size_t i = 0; i < at_advisory_rule_count; i++) {
		const struct at_advisory_rule *rule = &at_advisory_rules[i];
		struct at_buf text = { 0 };

		at_buf_printf(&text, "%sWhen %s.",
			rule->fatal ? "Fatal: nothing is generated unless overridden. " : "",
			rule->trigger);
		if (rule->residuals && *rule->residuals)
			at_buf_printf(&text, " %s", rule->residuals);
		at_roff_item(out, rule->code, at_buf_text(&text));
		at_buf_free(&text);
	}
}

static void put_caps(struct at_buf *out)
{
	for (size_t i = 0; i < AT_LEN(at_resource_caps); i++) {
		const struct at_resource_cap *cap = &at_resource_caps[i];
		struct at_buf text = { 0 };

		at_buf_printf(&text, "Tier %s, %s, by %s. %s", cap->tier, cap->status,
			cap->mechanism, cap->ceiling);
		at_roff_item(out, cap->key, at_buf_text(&text));
		at_buf_free(&text);
	}
}

static void put_ceilings(struct at_buf *out)
{
	for (size_t i = 0; i < at_ceiling_count; i++) {
		const struct at_ceiling *row = &at_ceilings[i];
		char tag[128];

		snprintf(tag, sizeof(tag), "%s  %s, %s", row->id,
			row->mechanism < 0 ? "any mechanism"
					   : at_mechanism_name((enum at_mechanism)row->mechanism),
			row->framework < 0
				? "any framework"
				: at_framework_name((enum at_framework_id)row->framework));
		at_roff_item(out, tag, row->text);
	}
}

static void put_exit(struct at_buf *out)
{
	for (size_t i = 0; at_option_exit(i); i++) {
		char tag[16];

		snprintf(tag, sizeof(tag), "%zu", i);
		at_roff_item(out, tag, at_option_exit(i));
	}
	at_roff_item(out, "128 + N", "the console was ended by signal N");
}

static const struct {
	const char *name, *what;
} variables[] = {
	{ "NO_COLOR", "Not empty: no colours. --color always overrides it." },
	{ "TERM", "dumb, empty or unset: no screen; --plain works." },
	{ "XDG_CONFIG_HOME", "Where atconsole/config is looked for, else in ~/.config." },
	{ "XDG_STATE_HOME",
		"Where journals, backups and merge records live, else in ~/.local/state." },
	{ "CLAUDECODE, AI_AGENT, AGENTTEAMS_CODEX_CONFINED",
		"Set and not empty: an agent session. It may look and may not write live settings." },
};

void at_docs_man(struct at_buf *out)
{
	at_roff_head(
		out, "atconsole", "1", "the operator's console for the boundaries of AI agents");
	at_roff_section(out, "SYNOPSIS");
	at_buf_puts(out,
		".B atconsole\n[\\fB\\-\\-project\\fR \\fIDIR\\fR] [\\fIMODE\\fR] [\\fIOPTION\\fR...]\n");
	at_roff_section(out, "DESCRIPTION");
	at_roff_paragraph(out,
		"atconsole takes a project's brief, decides what boundary can be had on this "
		"host, emits it, and merges it into the live settings of the agents' client "
		"item by item. Without a mode it opens the console, or prints --status where "
		"there is no terminal. It says what was checked and never more.");
	at_roff_section(out, "MODES");
	at_roff_paragraph(out, "One at most.");
	put_options(out, true);
	at_roff_section(out, "OPTIONS");
	put_options(out, false);
	at_roff_section(out, "THE CONSOLE");
	at_roff_paragraph(out,
		"Keys that move never act. What writes or cannot be taken back asks first; the "
		"answer is no unless its own key is pressed, and a key typed before the "
		"question was on the screen is dropped. SIGTERM, SIGHUP and SIGINT write "
		"nothing: what was decided and not written is told on standard error, and the "
		"terminal is given back as it was.");
	at_roff_paragraph(out,
		"With --plain the console is a dialogue of lines in ASCII, without a screen. "
		"Rows have numbers; a command is a key or the name of an action, with the "
		"number of the row it is about. What asks wants the word yes typed in full.");
	at_roff_section(out, "KEYS");
	at_roff_paragraph(out, "By context, as they are unless bound anew in atconsole-config(5).");
	at_action_print_man(out);
	at_roff_section(out, "WHAT CAN BE HAD WHERE");
	put_matrix(out);
	at_roff_section(out, "MECHANISMS AND WHERE THEY LIVE");
	put_lines(out, at_manual_mechanisms);
	at_roff_section(out, "RESOURCE CAPS");
	put_caps(out);
	at_roff_section(out, "ADVISORIES");
	put_advisories(out);
	at_roff_section(out, "EFFECTS OF A CHANGE");
	at_roff_paragraph(out,
		"How --merge judges a change of the live settings, the first row that matches: "
		"keys by /, [] for an element, * for any; + added, - taken out, ~ changed.");
	put_effects(out);
	at_roff_section(out, "CEILINGS");
	at_roff_paragraph(out, "What no mechanism here does.");
	put_ceilings(out);
	at_roff_section(out, "EXIT STATUS");
	put_exit(out);
	at_roff_section(out, "ENVIRONMENT");
	for (size_t i = 0; i < AT_LEN(variables); i++)
		at_roff_item(out, variables[i].name, variables[i].what);
	at_roff_section(out, "SEE ALSO");
	at_buf_puts(out, ".BR atconsole\\-config (5),\n.BR agentteams\\-gate (1)\n");
}

static void put_settings(struct at_buf *out)
{
	size_t count;
	const struct at_setting_info *table = at_setting_table(&count);

	for (size_t i = 0; i < count; i++) {
		const struct at_setting_info *info = &table[i];
		struct at_buf text = { 0 };
		char word[32];

		if (info->words)
			at_buf_printf(&text, "%s. One of: %s. Default: %s.", info->help,
				info->words, at_setting_word(info->words, info->standard, word));
		else
			at_buf_printf(&text, "%s. A number from %d to %d. Default: %d.", info->help,
				info->least, info->most, info->standard);
		at_roff_item(out, info->name, at_buf_text(&text));
		at_buf_free(&text);
	}
}

static void put_actions(struct at_buf *out)
{
	for (int i = 1; i < AT_ACTION_COUNT; i++) {
		const struct at_action_info *info = at_action_info((enum at_action)i);
		struct at_buf text = { 0 };

		at_buf_printf(&text, "%s. In", info->help);
		for (unsigned bit = 1; bit < AT_CONTEXT_END; bit <<= 1) {
			if (info->contexts & bit)
				at_buf_printf(&text, " %s", at_context_name((enum at_context)bit));
		}
		at_buf_printf(&text, ": %s.", info->keys);
		at_roff_item(out, info->name, at_buf_text(&text));
		at_buf_free(&text);
	}
}

void at_docs_man_config(struct at_buf *out)
{
	static const char *const example[] = { "# at night", "set theme light", "set mouse on",
		"bind merge accept a Insert", "bind global mouse none", NULL };

	at_roff_head(out, "atconsole-config", "5", "settings and keys of atconsole(1)");
	at_roff_section(out, "SYNOPSIS");
	at_buf_puts(out, ".I $XDG_CONFIG_HOME/atconsole/config\n");
	at_roff_section(out, "DESCRIPTION");
	at_roff_paragraph(out,
		"A line is set NAME VALUE, or bind CONTEXT ACTION KEY..., or empty, or a comment "
		"that starts with #. A line with a fault is left out and told with its number; "
		"the rest holds. atconsole --check-config tells the faults and is 1 when there "
		"are any. The file must be your own and not writable by everybody, and no "
		"larger than 64 KiB.");
	at_roff_example(out, example);
	at_roff_section(out, "SETTINGS");
	put_settings(out);
	at_roff_section(out, "KEYS");
	at_roff_paragraph(out,
		"bind gives an action new keys in one context, in place of those it had there; none "
		"alone unbinds it. Keys are written x, X, C-x (control), M-x (alt), F1 to F20, "
		"Up, Down, Left, Right, Home, End, PgUp, PgDn, Insert, Delete, Backspace, Enter, "
		"Tab, S-Tab, Esc, Space.");
	at_roff_paragraph(out,
		"All lines are judged together, so that two may swap keys. No key may mean two things "
		"that can be valid at once; an action that asks first may not be on a key that moves "
		"or goes on; the key that answers yes may do nothing else; letters are text in "
		"prompts and in the help; leaving, help and the answers must keep a key.");
	at_roff_section(out, "ACTIONS");
	put_actions(out);
	at_roff_section(out, "SEE ALSO");
	at_buf_puts(out, ".BR atconsole (1)\n");
}
