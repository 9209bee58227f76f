#include "core/ceilings.h"

#include <string.h>

#include "core/bytes.h"
#include "core/json_write.h"
#include "core/mem.h"

#define ALL (-1)

const struct at_ceiling at_ceilings[] = {
	{ "CEIL-1", ALL, ALL, "Everything emitted is inert until the operator wires it, and the "
		"gate hook lets a call pass when it fails, unless an explicit `confined` or "
		"`exclusive` turned that around." },
	{ "CEIL-2", ALL, ALL, "Nothing of this program writes live configuration or starts the "
		"launcher but at the operator's confirmed act, outside an agent session." },
	{ "CEIL-3", ALL, ALL, "A mechanism is verified only on the host where its live test ran, "
		"with the versions of that day. Verdicts of the Python tool are not ours." },
	{ "CEIL-3", AT_LAUNCHER_LINUX, ALL, "The launcher's Linux branch is verified where its "
		"self-test ran, and only for what is started through it: whether an agent runs "
		"inside cannot be seen from here." },
	{ "CEIL-3", AT_LAUNCHER_MACOS, ALL, "The launcher's macOS branch is UNVERIFIED until its "
		"own escape tests pass on the host, not nested in another sandbox." },
	{ "CEIL-3", AT_GOOSE_SEATBELT, ALL, "The Seatbelt profile for goose is UNVERIFIED: its "
		"syntax and its hold were not tested on macOS." },
	{ "CEIL-3", AT_CLAUDE_SEATBELT, ALL, "Claude's own sandbox on macOS is UNVERIFIED by this "
		"program." },
	{ "CEIL-3", AT_CLAUDE_NATIVE, ALL, "On Windows there is no verified boundary; the block is "
		"advisory. On Linux it needs bubblewrap, socat and, where AppArmor restricts user "
		"namespaces, a profile that allows bwrap." },
	{ "CEIL-3", AT_NO_MECHANISM, ALL, "No mechanism confines this team on this platform: "
		"nothing is enforced." },
	{ "CEIL-4", ALL, ALL, "Out of scope: whoever holds a signing key on this host, the "
		"operator's own shell, and the host itself. Grants act on this file system only, "
		"and the holder of one is a name." },
	{ "CEIL-4", AT_LAUNCHER_LINUX, ALL, "No system-call filter without --harden." },
	{ "CEIL-4", AT_LAUNCHER_MACOS, ALL, "No system-call filter and no memory cap exist on "
		"macOS; the list of setuid programs is not complete." },
	{ "CEIL-4", AT_GOOSE_SEATBELT, ALL, "No system-call filter exists on macOS." },
	{ "CEIL-4", AT_CLAUDE_NATIVE, ALL, "Egress is the product's own default; the sandbox binds "
		"Bash and its children, the built-in file tools obey permission rules alone." },
	{ "CEIL-4", AT_CLAUDE_SEATBELT, ALL, "Egress is the product's own default; the sandbox "
		"binds Bash and its children, the built-in file tools obey permission rules "
		"alone." },
	{ "CEIL-5", ALL, ALL, "The gate sees the spelling of Bash commands and what file tools "
		"write. It does not see MCP calls, deletion by an edit or every disguise, and "
		"nothing at all in a harness that skips or auto-approves hooks." },
	{ "CEIL-5", ALL, ALL, "A gate program that you could change yourself (a per-user install, "
		"or a session as root) is not looked at on a call; one that is stopped from "
		"outside is caught by nothing here; a log cut off at its end shows no gap." },
	{ "CEIL-6", ALL, ALL, "Read exclusion is outbound and of files only: not the environment, "
		"and not others who read this workspace." },
	{ "CEIL-6", ALL, AT_CODEX, "The file server of agents that may only read goes by names and by "
		"where a link leads: a copy of a credential, or a hard link to it, under another "
		"name is read." },
	{ "CEIL-7", ALL, ALL, "Tamper-evident, not tamper-proof: to change a pinned part unseen "
		"takes three visible edits in place of one." },
	{ "CEIL-8", ALL, ALL, "The boundary holds the agent that builds, not the application that "
		"is built." },
	{ "CEIL-9", ALL, ALL, "The write policy holds only where the session's sandbox is wired. "
		"Under staging there is no loop of edit and test, and the wiring check looks at "
		"configuration, not at a running session." },
	{ "CEIL-9", ALL, AT_GOOSE, "The write policy holds nobody on goose: every goose agent has "
		"a shell." },
	{ "CEIL-9", ALL, AT_COPILOT_VSCODE, "The write policy does not cover copilot." },
	{ "CEIL-9", ALL, AT_COPILOT_CLI, "The write policy does not cover copilot." },
	{ "CEIL-9", ALL, AT_AGENTS_MD, "The write policy does not cover agents-md." },
	{ "CEIL-10", ALL, AT_COPILOT_VSCODE, "Copilot's own `*.agent.md` files stay writable." },
	{ "CEIL-10", ALL, AT_COPILOT_CLI, "Copilot's own `*.agent.md` files stay writable." },
	{ "CEIL-10", ALL, AT_AGENTS_MD, "`.agents` is protected by nothing." },
	{ "CEIL-10", ALL, AT_CODEX, "The deny of `.codex` is untested against what Codex itself "
		"writes there." },
	{ "CEIL-10", ALL, AT_CODEX, "Whether Codex runs the hook that keeps its agents to reading, and "
		"names each agent to it, was tried by nobody: presence and pins are checked, and a "
		"session that is not started by the runner has neither." },
	{ "CEIL-10", ALL, ALL, "A team marker planted in an empty team directory refuses service: "
		"the launcher will not start until it is removed or the team is made." },
};
const size_t at_ceiling_count = AT_LEN(at_ceilings);

bool at_ceiling_applies(const struct at_ceiling *ceiling, enum at_mechanism mechanism,
	int framework)
{
	if (ceiling->mechanism != ALL && ceiling->mechanism != (int)mechanism)
		return false;
	return ceiling->framework == ALL || framework == ALL || ceiling->framework == framework;
}

static const char *mechanism_text(const struct at_ceiling *ceiling)
{
	if (ceiling->mechanism == ALL)
		return "any";
	return at_mechanism_name((enum at_mechanism)ceiling->mechanism);
}

static const char *framework_text(const struct at_ceiling *ceiling)
{
	if (ceiling->framework == ALL)
		return "any";
	return at_framework_name((enum at_framework_id)ceiling->framework);
}

static bool is_asked(const struct at_ceiling *ceiling, int mechanism, int framework)
{
	return mechanism == ALL
		|| at_ceiling_applies(ceiling, (enum at_mechanism)mechanism, framework);
}

void at_ceilings_print(struct at_buf *out, int mechanism, int framework)
{
	for (size_t i = 0; i < at_ceiling_count; i++) {
		if (is_asked(&at_ceilings[i], mechanism, framework))
			at_buf_printf(out, "%s  mechanism %s, framework %s\n    %s\n",
				at_ceilings[i].id, mechanism_text(&at_ceilings[i]),
				framework_text(&at_ceilings[i]), at_ceilings[i].text);
	}
}

void at_ceilings_to_json(struct at_json_value *out, int mechanism, int framework)
{
	struct at_json_value *list = at_json_add_array(out, "ceilings");

	for (size_t i = 0; i < at_ceiling_count; i++) {
		struct at_json_value *item;

		if (!is_asked(&at_ceilings[i], mechanism, framework))
			continue;
		item = at_json_add_object(list, NULL);
		at_json_add_text(item, "id", at_ceilings[i].id);
		at_json_add_text(item, "mechanism", mechanism_text(&at_ceilings[i]));
		at_json_add_text(item, "framework", framework_text(&at_ceilings[i]));
		at_json_add_text(item, "text", at_ceilings[i].text);
	}
}

void at_ceilings_ids(struct at_buf *out, int mechanism, int framework)
{
	const char *last = "";

	/* Rows of one id stand together. */
	for (size_t i = 0; i < at_ceiling_count; i++) {
		if (!is_asked(&at_ceilings[i], mechanism, framework)
			|| strcmp(last, at_ceilings[i].id) == 0)
			continue;
		at_buf_printf(out, "%s%s", *last ? " " : "", at_ceilings[i].id);
		last = at_ceilings[i].id;
	}
}
