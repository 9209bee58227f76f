#include "emit/agent.h"

#include <string.h>

#include "core/mem.h"

/* reference-emission 2.3: the words, and what claude calls them. */
static const struct {
	const char *word;
	const char *claude[2]; /* all of them together */
} words[] = {
	{ "read", { "Read" } },
	{ "search", { "Grep", "Glob" } },
	{ "edit", { "Edit", "Write" } },
	{ "execute", { "Bash" } },
	{ "todo", { "TodoWrite" } },
	{ "agent", { "Task" } },
	{ "retrieval", { "Bash(python -m agentteams.research:*)" } },
};

/* A tool of claude's that is spelled like a word is none: it keeps a mark on its way. */
#define MARK "claude:"

static bool has(const struct at_texts *tools, const char *name)
{
	for (size_t i = 0; i < tools->count; i++)
		if (strcmp(tools->items[i], name) == 0)
			return true;
	return false;
}

static bool is_word(const char *tool)
{
	for (size_t i = 0; i < AT_LEN(words); i++)
		if (strcmp(tool, words[i].word) == 0)
			return true;
	return false;
}

/* The word that claude's tool is part of, with all its parts there; or NULL. */
static const char *word_of(const struct at_texts *tools, const char *tool)
{
	for (size_t i = 0; i < AT_LEN(words); i++) {
		const char *const *all = words[i].claude;

		if ((strcmp(tool, all[0]) == 0 || (all[1] && strcmp(tool, all[1]) == 0)) &&
			has(tools, all[0]) && (!all[1] || has(tools, all[1])))
			return words[i].word;
	}
	return NULL;
}

static void add(struct at_texts *out, const char *tool)
{
	if (!has(out, tool))
		out->items[out->count++] = tool;
}

static void add_word(struct at_texts *out, const struct at_texts *tools, const char *tool,
	struct at_arena *arena)
{
	const char *word = word_of(tools, tool);
	bool odd = is_word(tool) || strncmp(tool, MARK, strlen(MARK)) == 0;

	add(out, word ? word : odd ? at_arena_printf(arena, MARK "%s", tool) : tool);
}

static void add_claude(struct at_texts *out, const char *tool)
{
	if (strncmp(tool, MARK, strlen(MARK)) == 0) {
		add(out, tool + strlen(MARK));
		return;
	}
	for (size_t i = 0; i < AT_LEN(words); i++) {
		if (strcmp(tool, words[i].word) != 0)
			continue;
		for (size_t k = 0; k < AT_LEN(words[i].claude) && words[i].claude[k]; k++)
			add(out, words[i].claude[k]);
		return;
	}
	add(out, tool);
}

struct at_texts at_agent_tools(const struct at_texts *tools, enum at_framework_id from,
	enum at_framework_id to, struct at_arena *arena)
{
	struct at_texts out = { 0 };

	if ((from == AT_CLAUDE) == (to == AT_CLAUDE))
		return *tools;
	out.items = at_arena_alloc(arena, (2 * tools->count + 1) * sizeof(*out.items));
	for (size_t i = 0; i < tools->count; i++) {
		if (from == AT_CLAUDE)
			add_word(&out, tools, tools->items[i], arena);
		else
			add_claude(&out, tools->items[i]);
	}
	return out;
}
