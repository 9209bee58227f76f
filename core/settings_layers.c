/* The sandbox binds Bash, permission rules bind the tools: a path that one of them names
 * alone is open through the other. Measured on the client: with the sandbox on it folds
 * Read and Edit denials into the sandbox, older versions do not; nothing folds denyWrite
 * into the rules. */
#include "core/settings_parts.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* Absolute paths, sorted by byte, so that all that is below "x/" stands together. */
struct places {
	const char **path;
	size_t count;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Index of the first path that is not before `key`. */
static size_t lower(const struct places *places, const char *key)
{
	size_t low = 0, high = places->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(places->path[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has(const struct places *places, const char *key)
{
	size_t at = lower(places, key);

	return at < places->count && strcmp(places->path[at], key) == 0;
}

/* The path itself or a directory above it is listed. */
static bool covers(const struct places *places, const char *path)
{
	char parent[PATH_MAX];
	char *slash;

	if (has(places, path) || has(places, "/"))
		return true;
	strcpy(parent, path); /* both are PATH_MAX */
	while ((slash = strrchr(parent, '/')) != NULL && slash != parent) {
		*slash = '\0';
		if (has(places, parent))
			return true;
	}
	return false;
}

static bool has_below(const struct places *places, const char *path)
{
	char key[PATH_MAX + 1];
	size_t len = strlen(path), at;

	memcpy(key, path, len);
	memcpy(key + len, "/", 2);
	at = lower(places, key);
	return at < places->count && strncmp(places->path[at], key, len + 1) == 0;
}

/* The path of "Tool(PATH)", or NULL. In the scratch arena. */
static const char *rule_path(struct at_settings *s, uint32_t node, const char *tool)
{
	size_t len = strlen(tool);
	struct at_bytes text;

	if (!at_json_is(s->doc, node, AT_JSON_STRING))
		return NULL;
	text = at_json_string(s->doc, node, s->arena);
	if (text.len < len + 3 || memcmp(text.data, tool, len) != 0 || text.data[len] != '(' ||
			text.data[text.len - 1] != ')')
		return NULL;
	return at_arena_strndup(s->arena, text.data + len + 1, text.len - len - 2);
}

static struct places collect(struct at_settings *s, uint32_t list, const char *tool)
{
	struct places out = { 0 };
	char path[PATH_MAX];

	if (list == AT_JSON_NONE)
		return out;
	out.path = at_arena_alloc(s->arena, (s->doc->nodes[list].count + 1) * sizeof(*out.path));
	at_json_each(s->doc, i, list) {
		const char *text;

		if (tool)
			text = rule_path(s, i, tool);
		else
			text = at_json_is(s->doc, i, AT_JSON_STRING) ? at_settings_text(s, i)
								     : NULL;
		if (!text || !*text)
			continue;
		if (tool ? at_settings_rule_path(s, path, text)
			 : at_settings_sandbox_path(s, path, text))
			out.path[out.count++] = at_arena_strdup(s->arena, path);
	}
	qsort(out.path, out.count, sizeof(*out.path), by_text);
	return out;
}

/* Emitted without an Edit rule when nothing was granted: open all the same, and said. */
static bool is_left_open_by_design(const char *path)
{
	return strcmp(path, ".agentteams") == 0;
}

static void pair_writes(struct at_settings *s, uint32_t list, const struct places *edits)
{
	char path[PATH_MAX];
	uint32_t index = 0;

	at_json_each(s->doc, i, list) {
		const char *pointer = at_settings_item(s, "sandbox/filesystem/denyWrite", index++);
		const char *text =
			at_json_is(s->doc, i, AT_JSON_STRING) ? at_settings_text(s, i) : "";
		const char *shown = at_settings_quote(s, at_bytes_of(text));

		if (!*text || !at_settings_sandbox_path(s, path, text))
			continue;
		if (covers(edits, path))
			at_settings_say(s, AT_SF_LAYERS, i, pointer,
				"%s: tools denied, Bash denied.", shown);
		else if (has_below(edits, path))
			at_settings_say(s, AT_SF_GAP_EDIT_PART, i, pointer,
				"%s: Bash denied; tools are denied parts of it, the rest they can "
				"write.",
				shown);
		else
			at_settings_say(s,
				is_left_open_by_design(text) ? AT_SF_GAP_EDIT_KNOWN
							     : AT_SF_GAP_EDIT,
				i, pointer,
				"%s: Bash denied, tool edit open: Write and Edit do not run in the "
				"sandbox.",
				shown);
	}
}

static void pair_reads(struct at_settings *s, uint32_t deny, const struct places *reads)
{
	char path[PATH_MAX];
	uint32_t index = 0;

	at_json_each(s->doc, i, deny) {
		const char *pointer = at_settings_item(s, "permissions/deny", index++);
		const char *text = rule_path(s, i, "Read");
		const char *shown;

		if (!text)
			continue;
		if (at_settings_rule_path(s, path, text) && covers(reads, path))
			continue;
		shown = at_settings_quote(s, at_bytes_of(text));
		if (s->sandbox_is_on)
			at_settings_say(s, AT_SF_GAP_READ_FOLDED, i, pointer,
				"%s: tools denied; Bash read is closed by the client folding the "
				"rule into the sandbox, which older versions do not: there it is "
				"open.",
				shown);
		else
			at_settings_say(s, AT_SF_GAP_READ, i, pointer,
				"%s: tools denied, Bash read open: no sandbox is on in this file, "
				"and a program reads what the Read tool may not.",
				shown);
	}
}

/* One note for all: rules for files that do not exist yet are normal. */
static void pair_edits(struct at_settings *s, const struct places *edits,
	const struct places *writes)
{
	size_t alone = 0;

	for (size_t i = 0; i < edits->count; i++)
		alone += !covers(writes, edits->path[i]);
	if (alone == 0)
		return;
	at_settings_say(s, AT_SF_GAP_WRITE, at_settings_list(s, "permissions.deny"), NULL,
		"%zu Edit rule%s no denyWrite entry: %s.", alone, alone == 1 ? " has" : "s have",
		s->sandbox_is_on
			? "this client folds them into the sandbox, older ones leave Bash open"
			: "no sandbox is on in this file, so Bash may write there");
}

void at_settings_layers(struct at_settings *s)
{
	uint32_t deny = at_settings_list(s, "permissions.deny");
	uint32_t deny_write = at_settings_list(s, "sandbox.filesystem.denyWrite");
	struct places edits = collect(s, deny, "Edit");
	struct places reads =
		collect(s, at_settings_list(s, "sandbox.filesystem.denyRead"), NULL);
	struct places writes = collect(s, deny_write, NULL);

	if (deny_write != AT_JSON_NONE)
		pair_writes(s, deny_write, &edits);
	if (deny != AT_JSON_NONE)
		pair_reads(s, deny, &reads);
	pair_edits(s, &edits, &writes);
}
