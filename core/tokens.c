#include "core/tokens.h"

#include <string.h>

#include "core/bytes.h"
#include "core/mem.h"

/* The Python tool's grammar. A bridge and the copilots have no sandbox feature: accepting
 * one would look like a boundary and emit none. */
#define FEATURES(...) (const char *const[]){ __VA_ARGS__, NULL }
const struct at_token_space at_token_spaces[] = {
	{ "claude", FEATURES("hooks", "subagents", "schedule", "mcp", "critic", "cache-split",
		"todo-projection", "parallelize", "sandbox") },
	{ "goose", FEATURES("mcp", "sandbox") },
	{ "codex", FEATURES("mcp", "sandbox") },
	{ "copilot-vscode", FEATURES("chat-modes", "inline-yaml-handoffs") },
	{ "copilot-cli", FEATURES("manifest-routing") },
	{ "bridge:copilot-vscode-to-claude", FEATURES("subagents", "hooks", "schedule", "mcp",
		"critic", "cache-split", "todo-projection", "parallelize") },
	{ "bridge:copilot-cli-to-claude", FEATURES("subagents", "hooks") },
	{ "bridge:copilot-vscode-to-copilot-cli", FEATURES("manifest-routing") },
	{ "bridge:copilot-vscode-to-goose", FEATURES("mcp", "subagents") },
	{ "bridge:claude-to-goose", FEATURES("mcp", "subagents") },
	{ "bridge:copilot-cli-to-goose", FEATURES("mcp", "subagents") },
};
const size_t at_token_space_count = AT_LEN(at_token_spaces);

static bool is_in(const struct at_texts *tokens, const char *token)
{
	for (size_t i = 0; i < tokens->count; i++)
		if (strcmp(tokens->items[i], token) == 0)
			return true;
	return false;
}

void at_tokens_add(struct at_texts *tokens, const char *token, struct at_arena *arena)
{
	const char **items;

	if (is_in(tokens, token))
		return;
	items = at_arena_alloc(arena, (tokens->count + 1) * sizeof(*items));
	if (tokens->count)
		memcpy(items, tokens->items, tokens->count * sizeof(*items));
	items[tokens->count++] = at_arena_strdup(arena, token);
	tokens->items = items;
}

static const struct at_token_space *space_of(const char *token, size_t len)
{
	for (size_t i = 0; i < at_token_space_count; i++)
		if (strlen(at_token_spaces[i].name) == len &&
			memcmp(at_token_spaces[i].name, token, len) == 0)
			return &at_token_spaces[i];
	return NULL;
}

static bool has_feature(const struct at_token_space *space, const char *feature)
{
	for (const char *const *f = space->features; *f; f++)
		if (strcmp(*f, feature) == 0)
			return true;
	return false;
}

static bool fail_space(const char *token, size_t len, struct at_error *err)
{
	struct at_buf names = { 0 };

	for (size_t i = 0; i < at_token_space_count; i++)
		at_buf_printf(&names, "%s%s", i ? ", " : "", at_token_spaces[i].name);
	at_fail(err, AT_EUSAGE, "host feature `%s`: `%.*s` is no namespace; valid are %s", token,
		(int)len, token, at_buf_text(&names));
	at_buf_free(&names);
	return false;
}

static bool fail_feature(const struct at_token_space *space, const char *token,
	const char *feature, struct at_error *err)
{
	struct at_buf names = { 0 };

	for (const char *const *f = space->features; *f; f++)
		at_buf_printf(&names, "%s%s", f == space->features ? "" : ", ", *f);
	at_fail(err, AT_EUSAGE, "host feature `%s`: `%s` has no feature `%s`; valid are %s", token,
		space->name, feature, at_buf_text(&names));
	at_buf_free(&names);
	if (strcmp(feature, "sandbox") == 0)
		at_error_hint(err, "Nothing emits a sandbox for this namespace. Ask with "
			"privilege_profile, or with claude:sandbox, goose:sandbox or "
			"codex:sandbox.");
	return false;
}

static bool check(const char *token, struct at_error *err)
{
	const char *colon = strrchr(token, ':');
	const struct at_token_space *space;

	if (!colon || colon == token || !colon[1]) {
		at_fail(err, AT_EUSAGE, "host feature `%s` is not of the form namespace:feature",
			token);
		at_error_hint(err, "For example claude:hooks or goose:sandbox.");
		return false;
	}
	space = space_of(token, (size_t)(colon - token));
	if (!space)
		return fail_space(token, (size_t)(colon - token), err);
	return has_feature(space, colon + 1) || fail_feature(space, token, colon + 1, err);
}

bool at_tokens_parse(struct at_texts *out, const char *csv, struct at_arena *arena,
	struct at_error *err)
{
	static const char blank[] = " \t\r\n";

	for (const char *at = csv ? csv : ""; *at;) {
		size_t len = strcspn(at, ",");
		const char *start = at, *end = at + len;
		const char *token;

		at += len + (at[len] == ',');
		while (start < end && strchr(blank, *start))
			start++;
		while (end > start && strchr(blank, end[-1]))
			end--;
		if (start == end)
			continue;
		token = at_arena_strndup(arena, start, (size_t)(end - start));
		if (!check(token, err))
			return false;
		at_tokens_add(out, token, arena);
	}
	return true;
}

bool at_tokens_ask_for_sandbox(const struct at_texts *tokens)
{
	for (size_t i = 0; i < tokens->count; i++) {
		const char *colon = strrchr(tokens->items[i], ':');

		if (colon && strcmp(colon + 1, "sandbox") == 0)
			return true;
	}
	return false;
}
