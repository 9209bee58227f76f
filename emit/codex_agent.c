#include "emit/agent.h"

#include <string.h>

#include "core/mem.h"
#include "emit/agent_note.h"
#include "emit/toml_text.h"

enum { NAME, DESCRIPTION, MODE, INSTRUCTIONS, KEYS };
static const char *const keys[KEYS] = { "name", "description", "sandbox_mode",
	"developer_instructions" };

static const char head[] =
	"# An agent of this project's team, for codex.\n"
	"# sandbox_mode is a declaration, NOT enforced by it: what holds is the boundary of\n"
	"# .codex/confined-run.example.sh, which every agent is started in.\n";

/* reference-later 5.4: what a declared tool asks for. */
static const struct {
	const char *tool;
	bool writes;
} modes[] = {
	{ "read", false },
	{ "search", false },
	{ "todo", false },
	{ "agent", false },
	{ "retrieval", false },
	{ "execute", false },
	{ "edit", true },
};
static const char *const read_only_tools[] = { "read", "search" };
static const char *const writing_tools[] = { "read", "search", "edit" };

/* NULL: the key is left out. */
static const char *mode_of(const struct at_agent *agent)
{
	bool writes = false;

	for (size_t i = 0; i < agent->tools.count; i++) {
		size_t row = 0;

		while (row < AT_LEN(modes) && strcmp(modes[row].tool, agent->tools.items[i]) != 0)
			row++;
		if (row == AT_LEN(modes))
			return NULL;
		writes |= modes[row].writes;
	}
	return agent->tools.count == 0 ? NULL : writes ? "workspace-write" : "read-only";
}

/* What a mode says where no section says more. */
static struct at_agent tools_of(const char *mode, struct at_arena *arena)
{
	bool writes = mode && strcmp(mode, "workspace-write") == 0;
	const char *const *from = writes ? writing_tools : read_only_tools;
	size_t count = writes ? AT_LEN(writing_tools) : AT_LEN(read_only_tools);
	struct at_agent out = { .has_tools = mode != NULL };

	if (!mode)
		return out;
	out.tools = (struct at_texts){ at_arena_alloc(arena, count * sizeof(*out.tools.items)),
		count };
	memcpy(out.tools.items, from, count * sizeof(*out.tools.items));
	return out;
}

static int key_of(struct at_bytes key)
{
	int i = 0;

	while (i < KEYS && !at_bytes_equal_text(key, keys[i]))
		i++;
	return i;
}

static bool check_piece(const struct at_toml_piece *piece, int key, const struct at_bytes *have,
	struct at_error *err)
{
	const struct at_bytes *value = &piece->value;

	if (key == KEYS)
		return at_agent_fail(err, piece->line, "agent-toml-key",
			"`%.*s` is no key of an agent file: codex refuses one that it does not know",
			(int)piece->key.len, piece->key.data);
	if (have[key].data)
		return at_agent_fail(err, piece->line, "agent-toml",
			"`%s` is given a second time", keys[key]);
	if (strspn(value->data, " \t\r\n") == value->len)
		return at_agent_fail(err, piece->line, "agent-key", "`%s` is blank", keys[key]);
	if (key == MODE && !at_bytes_equal_text(*value, "read-only") &&
		!at_bytes_equal_text(*value, "workspace-write"))
		return at_agent_fail(err, piece->line, "agent-toml-mode",
			"`sandbox_mode` is neither read-only nor workspace-write");
	return true;
}

static bool read_texts(struct at_bytes have[KEYS], struct at_bytes text, struct at_arena *arena,
	struct at_error *err)
{
	struct at_toml_walk walk = { .text = text };
	struct at_toml_piece piece;
	bool done = false;

	if (!at_agent_check_text(text, err))
		return false;
	while (at_toml_next(&piece, &done, &walk, arena, err) && !done) {
		int key = key_of(piece.key);

		if (piece.key.len == 0)
			continue;
		if (!check_piece(&piece, key, have, err))
			return false;
		have[key] = piece.value;
	}
	for (int i = 0; done && i < KEYS; i++)
		if (i != MODE && !have[i].data)
			return at_agent_fail(err, 1, "agent-key", "it has no `%s`", keys[i]);
	return done;
}

static struct at_bytes without_title(struct at_bytes body)
{
	const char *end = body.len ? memchr(body.data, '\n', body.len) : NULL;
	size_t len = end ? (size_t)(end - body.data) + 1 : 0;

	len += len < body.len && body.data[len] == '\n';
	return (struct at_bytes){ body.data + len, body.len - len };
}

bool at_codex_parse_agent(struct at_agent *out, struct at_bytes text, struct at_arena *arena,
	struct at_error *err)
{
	struct at_bytes have[KEYS] = { { 0 } };
	struct at_agent_note note;
	struct at_agent said;

	*out = (struct at_agent){ .text = text };
	if (!read_texts(have, text, arena, err))
		return false;
	out->body = have[INSTRUCTIONS];
	if (!at_agent_note_take(&note, &out->body, "codex", arena, err))
		return false;
	if (note.adds_title)
		out->body = without_title(out->body);
	if (note.adds_end && out->body.len && out->body.data[out->body.len - 1] == '\n')
		out->body.len--;
	out->slug = have[NAME].data;
	out->name = note.name ? note.name : out->slug;
	out->description = note.description ? note.description : have[DESCRIPTION].data;
	said = tools_of(have[MODE].data, arena);
	out->has_tools = note.has_tools_said ? note.has_tools : said.has_tools;
	out->tools = note.has_tools_said ? note.tools : said.tools;
	return true;
}

/* A heading of the first level, outside fences of code. */
static bool has_title(struct at_bytes body)
{
	bool in_code = false;

	for (size_t at = 0; at < body.len;) {
		const char *line = body.data + at, *end = memchr(line, '\n', body.len - at);
		size_t len = end ? (size_t)(end - line) : body.len - at;

		if (len >= 3 && (memcmp(line, "```", 3) == 0 || memcmp(line, "~~~", 3) == 0))
			in_code = !in_code;
		else if (!in_code && len >= 2 && line[0] == '#' && line[1] == ' ')
			return true;
		at += len + 1;
	}
	return false;
}

static void put_title(struct at_buf *out, const char *name)
{
	at_buf_puts(out, "# ");
	for (; *name; name++)
		at_buf_putc(out, (unsigned char)*name < ' ' ? ' ' : *name);
	at_buf_puts(out, "\n\n");
}

static void put_instructions(struct at_buf *out, const struct at_agent *agent, const char *slug,
	struct at_arena *arena)
{
	struct at_bytes body = agent->body;
	struct at_agent said = tools_of(mode_of(agent), arena);
	struct at_agent_note note = {
		.name = strcmp(agent->name, slug) == 0 ? NULL : agent->name,
		.has_tools_said = !at_agent_same_tools(agent, &said),
		.has_tools = agent->has_tools,
		.tools = agent->tools,
		.adds_title = !has_title(body),
		.adds_end = body.len == 0 || body.data[body.len - 1] != '\n',
	};
	struct at_buf text = { 0 };

	if (strspn(agent->description, " \t\r\n") == strlen(agent->description))
		note.description = agent->description;
	at_agent_note_put(&text, "codex", &note);
	if (note.adds_title)
		put_title(&text, agent->name);
	at_buf_put(&text, body.data, body.len);
	if (note.adds_end)
		at_buf_putc(&text, '\n');
	at_toml_block(out, at_buf_bytes(&text));
	at_buf_free(&text);
}

static void put_key(struct at_buf *out, const struct at_agent *agent, int key, const char *slug,
	struct at_arena *arena)
{
	const char *mode = mode_of(agent);
	bool blank = strspn(agent->description, " \t\r\n") == strlen(agent->description);

	if (key == MODE && !mode)
		return;
	at_buf_printf(out, "%s = ", keys[key]);
	if (key == INSTRUCTIONS)
		put_instructions(out, agent, slug, arena);
	else
		at_toml_quote(out, at_bytes_of(key == NAME ? slug : key == MODE ? mode
			: blank ? "No description." : agent->description));
	at_buf_putc(out, '\n');
}

static void render_fresh(struct at_buf *out, const struct at_agent *agent, struct at_arena *arena)
{
	const char *slug = agent->slug ? agent->slug : at_request_slug(agent->name, arena);

	at_buf_puts(out, head);
	for (int i = 0; i < KEYS; i++)
		put_key(out, agent, i, slug, arena);
}

/* Every line that still says what it said stays as it was spelled. A name or tools that changed
 * may change the section, and so the instructions. */
static void render_over(struct at_buf *out, const struct at_agent *agent,
	const struct at_agent *was, struct at_arena *arena)
{
	const char *slug = agent->slug ? agent->slug : was->slug;
	bool tools = at_agent_same_tools(agent, was);
	const bool same[KEYS + 1] = {
		[NAME] = strcmp(slug, was->slug) == 0,
		[DESCRIPTION] = strcmp(agent->description, was->description) == 0,
		[MODE] = tools,
		[INSTRUCTIONS] = tools && at_bytes_equal(agent->body, was->body) &&
			strcmp(slug, was->slug) == 0 && strcmp(agent->name, was->name) == 0 &&
			strcmp(agent->description, was->description) == 0,
		[KEYS] = true,
	};
	struct at_toml_walk walk = { .text = agent->text };
	struct at_toml_piece piece;
	bool done = false;

	while (at_toml_next(&piece, &done, &walk, arena, NULL) && !done) {
		int key = key_of(piece.key);

		if (key == INSTRUCTIONS && !tools)
			put_key(out, agent, MODE, slug, arena);
		if (same[key])
			at_buf_put(out, piece.text.data, piece.text.len);
		else if (key != MODE)
			put_key(out, agent, key, slug, arena);
	}
}

void at_codex_render_agent(struct at_buf *out, const struct at_agent *agent)
{
	struct at_arena *arena = at_arena_new();
	struct at_agent was;

	if (agent->text.len && at_codex_parse_agent(&was, agent->text, arena, NULL))
		render_over(out, agent, &was, arena);
	else
		render_fresh(out, agent, arena);
	at_arena_free(arena);
}
