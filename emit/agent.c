#include "emit/agent.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/utf8.h"

#define SLUG_CAP 100
#define TOOLS_CAP 1024 /* comparing them is quadratic */

bool at_agent_fail(struct at_error *err, unsigned line, const char *id, const char *format, ...)
{
	char message[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(message, sizeof(message), format, ap);
	va_end(ap);
	at_fail(err, AT_EPARSE, "line %u of the agent file: %s", line, message);
	at_error_name(err, id);
	at_error_at(err, line, 1);
	return false;
}

static unsigned line_of(struct at_bytes text, size_t offset)
{
	unsigned line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text.data[i] == '\n';
	return line;
}

bool at_agent_check_text(struct at_bytes text, struct at_error *err)
{
	const char *nul = text.len ? memchr(text.data, '\0', text.len) : NULL;
	size_t bad;

	if (text.len >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0)
		return at_agent_fail(err, 1, "agent-bom",
			"it begins with a byte order mark; save it without one");
	if (nul)
		return at_agent_fail(err, line_of(text, (size_t)(nul - text.data)), "agent-nul",
			"it holds a NUL");
	if (!at_utf8_is_valid(text, &bad))
		return at_agent_fail(err, line_of(text, bad), "agent-utf8", "it is no valid UTF-8");
	return true;
}

bool at_agent_same_tools(const struct at_agent *a, const struct at_agent *b)
{
	if (a->has_tools != b->has_tools || a->tools.count != b->tools.count)
		return false;
	for (size_t i = 0; i < a->tools.count; i++)
		if (strcmp(a->tools.items[i], b->tools.items[i]) != 0)
			return false;
	return true;
}

bool at_agent_slug_is_valid(const char *slug)
{
	static const char first[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t len = strlen(slug);

	return len > 0 && len <= SLUG_CAP && strchr(first, *slug) &&
		strspn(slug, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
			len;
}

/* Front matter shares its shape: what else is in it means the same to both copilots alone. */
static bool is_copilot(enum at_framework_id id)
{
	return id == AT_COPILOT_VSCODE || id == AT_COPILOT_CLI;
}

static bool fail_invalid(struct at_error *err, const char *id, const char *message)
{
	at_fail(err, AT_EINVALID, "%s", message);
	at_error_name(err, id);
	return false;
}

static bool check_texts(const struct at_agent *agent, struct at_error *err)
{
	if (!at_utf8_is_valid(agent->body, NULL) ||
		(agent->body.len && memchr(agent->body.data, '\0', agent->body.len)))
		return fail_invalid(err, "agent-body",
			"the agent's text holds a NUL or bytes that are no UTF-8: another harness "
			"has no way to write them");
	if (!at_utf8_is_valid(at_bytes_of(agent->name), NULL) ||
		!at_utf8_is_valid(at_bytes_of(agent->description), NULL))
		return fail_invalid(err, "agent-utf8",
			"the agent's name or description is no valid UTF-8");
	if (agent->tools.count > TOOLS_CAP)
		return fail_invalid(err, "agent-tools", "the agent declares more than 1024 tools");
	return true;
}

bool at_agent_convert(struct at_agent *out, const struct at_agent *agent,
	enum at_framework_id from, enum at_framework_id to, struct at_arena *arena,
	struct at_error *err)
{
	bool alike = from == to || (is_copilot(from) && is_copilot(to));

	if (agent->slug && !at_agent_slug_is_valid(agent->slug))
		return fail_invalid(err, "agent-slug", "the agent's file name is none that every "
			"harness takes: letters, digits, `-`, `_` and `.`, at most 100 of them");
	if (!alike && !check_texts(agent, err))
		return false;
	*out = *agent;
	if (alike)
		return true;
	out->head = out->front = out->text = (struct at_bytes){ 0 };
	out->tools = at_agent_tools(&agent->tools, from, to, arena);
	return true;
}
