#include "emit/agent.h"

#include <string.h>

#include "core/mem.h"
#include "emit/agent_note.h"
#include "emit/recipe.h"

/* What an extension lets the agent do. Every recipe has `developer`, which is a shell: goose
 * cannot hold an agent to less. (reference-emission 2.3) */
static const struct {
	const char *extension, *tools[4];
} extensions[] = {
	{ "developer", { "read", "search", "edit", "execute" } },
	{ "summon", { "agent" } },
};

static bool has(const struct at_texts *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], text) == 0)
			return true;
	return false;
}

/* What the extensions say where no section says more. One that has no row is a server. */
static struct at_texts tools_of(const struct at_texts *names, struct at_arena *arena)
{
	struct at_texts out = { .items = at_arena_alloc(arena,
		(4 * names->count + 1) * sizeof(*out.items)) };

	for (size_t n = 0; n < names->count; n++) {
		size_t row = 0;

		while (row < AT_LEN(extensions) &&
			strcmp(extensions[row].extension, names->items[n]) != 0)
			row++;
		if (row == AT_LEN(extensions))
			out.items[out.count++] =
				at_arena_printf(arena, "mcp__%s", names->items[n]);
		for (size_t k = 0; row < AT_LEN(extensions) && k < 4; k++)
			if (extensions[row].tools[k])
				out.items[out.count++] = extensions[row].tools[k];
	}
	return out;
}

/* The extensions that are written for an agent. */
static struct at_texts names_for(const struct at_agent *agent, const char *room[2])
{
	struct at_texts names = { room, 1 };

	room[0] = "developer";
	if (agent->has_tools && has(&agent->tools, "agent"))
		room[names.count++] = "summon";
	return names;
}

static bool need(const struct at_recipe *recipe, enum at_recipe_key key, struct at_error *err)
{
	return recipe->texts[key].len > 0 || at_agent_fail(err, 1, "agent-key",
		"it has no `%s`", at_recipe_keys[key]);
}

static bool read_agent(struct at_agent *out, struct at_recipe *recipe, struct at_bytes text,
	struct at_arena *arena, struct at_error *err)
{
	struct at_agent_note note;

	*out = (struct at_agent){ .text = text };
	if (!at_recipe_read(recipe, text, arena, err) || !need(recipe, AT_RECIPE_TITLE, err) ||
		!need(recipe, AT_RECIPE_DESCRIPTION, err))
		return false;
	if (!recipe->texts[AT_RECIPE_INSTRUCTIONS].data)
		return need(recipe, AT_RECIPE_INSTRUCTIONS, err);
	out->name = recipe->texts[AT_RECIPE_TITLE].data;
	out->description = recipe->texts[AT_RECIPE_DESCRIPTION].data;
	out->body = recipe->texts[AT_RECIPE_INSTRUCTIONS];
	if (!at_agent_note_take(&note, &out->body, "goose", arena, err))
		return false;
	out->has_tools = note.has_tools_said ? note.has_tools : recipe->has_extensions;
	out->tools = note.has_tools_said ? note.tools : tools_of(&recipe->extensions, arena);
	return true;
}

bool at_goose_parse_agent(struct at_agent *out, struct at_bytes text, struct at_arena *arena,
	struct at_error *err)
{
	struct at_recipe recipe;

	return read_agent(out, &recipe, text, arena, err);
}

static void put_literal(struct at_buf *out, struct at_bytes text)
{
	bool closed = text.data[text.len - 1] == '\n';
	bool open_more = closed && text.len > 1 && text.data[text.len - 2] == '\n';

	at_buf_puts(out, strchr(" \t\n", text.data[0]) ? "|2" : "|");
	at_buf_puts(out, open_more ? "+\n" : closed ? "\n" : "-\n");
	for (size_t at = 0; at < text.len;) {
		const char *end = memchr(text.data + at, '\n', text.len - at);
		size_t len = end ? (size_t)(end - text.data) - at : text.len - at;

		if (len)
			at_buf_puts(out, "  ");
		at_buf_put(out, text.data + at, len);
		at_buf_putc(out, '\n');
		at += len + 1;
	}
}

static void put_instructions(struct at_buf *out, const struct at_agent *agent,
	const struct at_texts *names, struct at_arena *arena)
{
	struct at_agent_note note = { .has_tools = agent->has_tools, .tools = agent->tools };
	struct at_agent said = { .has_tools = true, .tools = tools_of(names, arena) };
	struct at_buf text = { 0 };

	note.has_tools_said = !at_agent_same_tools(agent, &said);
	at_agent_note_put(&text, "goose", &note);
	at_buf_put(&text, agent->body.data, agent->body.len);
	at_buf_puts(out, "instructions: ");
	if (at_recipe_is_literal(at_buf_bytes(&text))) {
		put_literal(out, at_buf_bytes(&text));
	} else {
		at_recipe_quote(out, at_buf_bytes(&text));
		at_buf_putc(out, '\n');
	}
	at_buf_free(&text);
}

static void put_extensions(struct at_buf *out, const struct at_texts *names)
{
	at_buf_puts(out, "extensions:\n"
			 "  - type: builtin\n"
			 "    name: developer\n"
			 "    bundled: true\n"
			 "    timeout: 300\n");
	if (names->count > 1)
		at_buf_puts(out, "  - type: platform\n"
				 "    name: summon\n");
}

static void put_key(struct at_buf *out, const struct at_agent *agent, enum at_recipe_key key,
	const struct at_texts *names, struct at_arena *arena)
{
	if (key == AT_RECIPE_INSTRUCTIONS) {
		put_instructions(out, agent, names, arena);
	} else if (key == AT_RECIPE_EXTENSIONS) {
		put_extensions(out, names);
	} else {
		at_buf_printf(out, "%s: ", at_recipe_keys[key]);
		at_recipe_quote(out, at_bytes_of(
			key == AT_RECIPE_TITLE ? agent->name : agent->description));
		at_buf_putc(out, '\n');
	}
}

/* Every key that still says what it said stays as it was spelled. The extensions stay, too:
 * servers are wired in them. */
static void render_over(struct at_buf *out, const struct at_agent *agent,
	const struct at_agent *was, const struct at_recipe *recipe, struct at_arena *arena)
{
	const bool same[] = {
		[AT_RECIPE_TITLE] = strcmp(agent->name, was->name) == 0,
		[AT_RECIPE_DESCRIPTION] = strcmp(agent->description, was->description) == 0,
		[AT_RECIPE_INSTRUCTIONS] = at_bytes_equal(agent->body, was->body) &&
			at_agent_same_tools(agent, was),
		[AT_RECIPE_EXTENSIONS] = true,
		[AT_RECIPE_OTHER] = true,
	};

	at_buf_put(out, recipe->lead.data, recipe->lead.len);
	for (size_t i = 0; i < recipe->count; i++) {
		const struct at_recipe_piece *piece = &recipe->pieces[i];

		if (same[piece->key])
			at_buf_put(out, piece->text.data, piece->text.len);
		else
			put_key(out, agent, piece->key, &recipe->extensions, arena);
	}
}

void at_goose_render_agent(struct at_buf *out, const struct at_agent *agent)
{
	struct at_arena *arena = at_arena_new();
	struct at_recipe recipe;
	struct at_agent was;
	const char *room[2];

	if (agent->text.len && read_agent(&was, &recipe, agent->text, arena, NULL)) {
		render_over(out, agent, &was, &recipe, arena);
	} else {
		struct at_texts names = names_for(agent, room);

		at_buf_puts(out, "version: \"1.0.0\"\n");
		for (int key = 0; key < AT_RECIPE_OTHER; key++)
			put_key(out, agent, (enum at_recipe_key)key, &names, arena);
	}
	at_arena_free(arena);
}
