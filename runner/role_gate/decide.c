#include "runner/role_gate/decide.h"

#include <string.h>

#include "core/json_read.h"
#include "core/mem.h"

/* What the file server offers (WP-5). */
static const char *const read_tools[] = {
	AT_ROLE_GATE_SERVER "read_file",
	AT_ROLE_GATE_SERVER "list_dir",
	AT_ROLE_GATE_SERVER "find",
	AT_ROLE_GATE_SERVER "grep",
	AT_ROLE_GATE_SERVER "stat",
};

/* Deep arguments are the orchestrator's own business; the reader keeps no stack of them. */
static const struct at_json_limits limits = { AT_ROLE_GATE_CAP, 1000 };

/* Missing, null or "": whatever else is there means an agent, of whatever type it is. */
static bool names_nobody(const struct at_json *doc, const char *key)
{
	uint32_t node = at_json_member(doc, AT_JSON_ROOT, key);

	return node == AT_JSON_NONE || at_json_is(doc, node, AT_JSON_NULL)
		|| at_json_string_is(doc, node, "");
}

static bool is_read_tool(const struct at_json *doc)
{
	uint32_t tool = at_json_member(doc, AT_JSON_ROOT, "tool_name");

	if (!at_json_is(doc, tool, AT_JSON_STRING))
		return false;
	for (size_t i = 0; i < AT_LEN(read_tools); i++)
		if (at_json_string_is(doc, tool, read_tools[i]))
			return true;
	return false;
}

static const char *judge(const struct at_json *doc)
{
	uint32_t event = at_json_member(doc, AT_JSON_ROOT, "hook_event_name");

	if (!at_json_is(doc, AT_JSON_ROOT, AT_JSON_OBJECT))
		return "the input is no JSON object";
	if (!at_json_is(doc, event, AT_JSON_STRING) || !at_json_string_is(doc, event, "PreToolUse"))
		return "the event is not PreToolUse";
	if (names_nobody(doc, "agent_type") && names_nobody(doc, "agent_id"))
		return NULL;
	if (is_read_tool(doc))
		return NULL;
	return "an agent may only read, by the tools of agentteams_readfs: return a proposal "
	       "instead";
}

const char *at_role_gate_decide(struct at_bytes input, const char *confined)
{
	const char *why;
	struct at_json doc;

	if (!confined || strcmp(confined, "1") != 0)
		return "the session was not started by .codex/confined-run.example.sh";
	if (input.len > AT_ROLE_GATE_CAP)
		return "the input is larger than 4 MiB";
	if (!at_json_read(&doc, input, &limits, 0, NULL))
		return "the input is no JSON that can be read";
	why = judge(&doc);
	at_json_free(&doc);
	return why;
}
