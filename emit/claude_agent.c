#include "emit/claude.h"

#include <string.h>

#include "core/mem.h"
#include "emit/agent.h"
#include "emit/front_matter.h"

enum { NAME, DESCRIPTION, TOOLS, KEYS };
static const char *const keys[KEYS] = { "name", "description", "tools" };

static int key_of(const struct at_front_piece *piece)
{
	for (int i = 0; i < KEYS; i++)
		if (at_bytes_equal_text(piece->key, keys[i]))
			return i;
	return KEYS;
}

static bool fail_twice(const struct at_front_piece *piece, struct at_error *err)
{
	at_fail(err, AT_EPARSE, "line %u of the agent file: `%.*s` is given a second time",
		piece->line, (int)piece->key.len, piece->key.data);
	at_error_at(err, piece->line, 1);
	return false;
}

static bool read_piece(struct at_agent *out, const struct at_front_piece *piece,
	struct at_buf *head, unsigned *seen, struct at_arena *arena, struct at_error *err)
{
	int key = key_of(piece);

	if (key == KEYS) {
		at_buf_put(head, piece->text.data, piece->text.len);
		return true;
	}
	if (*seen & 1u << key)
		return fail_twice(piece, err);
	*seen |= 1u << key;
	if (key == NAME)
		return at_front_text(&out->name, piece, arena, err);
	if (key == DESCRIPTION)
		return at_front_text(&out->description, piece, arena, err);
	out->has_tools = true;
	return at_front_list(&out->tools, piece, arena, err);
}

static bool read_pieces(struct at_agent *out, struct at_buf *head, struct at_arena *arena,
	struct at_error *err)
{
	struct at_front_walk walk = at_front_begin(out->front);
	struct at_front_piece piece;
	unsigned seen = 0;
	bool done = false;

	while (at_front_next(&piece, &done, &walk, err) && !done)
		if (!read_piece(out, &piece, head, &seen, arena, err))
			return false;
	for (int i = NAME; done && i <= DESCRIPTION; i++)
		if (!(seen & 1u << i)) {
			at_fail(err, AT_EPARSE, "the agent file has no `%s` in its front matter",
				keys[i]);
			at_error_at(err, 1, 1);
			return false;
		}
	return done;
}

bool at_claude_parse_agent(struct at_agent *out, struct at_bytes text, struct at_arena *arena,
	struct at_error *err)
{
	struct at_buf head = { 0 };
	bool done;

	*out = (struct at_agent){ 0 };
	if (!at_front_split(&out->front, &out->body, text, err))
		return false;
	done = read_pieces(out, &head, arena, err);
	out->head = (struct at_bytes){ at_arena_strndup(arena, at_buf_text(&head), head.len),
		head.len };
	at_buf_free(&head);
	return done;
}

/* Plain words with brackets stand as the generators write them; anything else is quoted. */
static bool is_plain_tool(const char *text)
{
	return *text && strchr("&*!|>%@`[]{}'\"#-?: ", *text) == NULL &&
		strpbrk(text, ",\"'\\#[]{}\n\r\t") == NULL && text[strlen(text) - 1] != ' ';
}

static void put_tools(struct at_buf *out, const struct at_texts *tools, bool brackets)
{
	bool plain = tools->count > 0 && !brackets;

	for (size_t i = 0; i < tools->count; i++)
		plain = plain && is_plain_tool(tools->items[i]);
	if (!plain)
		at_buf_putc(out, '[');
	for (size_t i = 0; i < tools->count; i++) {
		at_buf_puts(out, i ? ", " : "");
		if (plain)
			at_buf_puts(out, tools->items[i]);
		else
			at_front_quote(out, tools->items[i]);
	}
	if (!plain)
		at_buf_putc(out, ']');
}

/* What is being written, and how. */
struct style {
	bool brackets; /* around tools, whatever they are */
	const char *eol;
};

static void put_key(struct at_buf *out, const struct at_agent *agent, int key,
	const struct style *style)
{
	if (key == TOOLS && !agent->has_tools)
		return;
	at_buf_printf(out, "%s: ", keys[key]);
	if (key == TOOLS)
		put_tools(out, &agent->tools, style->brackets);
	else
		at_front_quote(out, key == NAME ? agent->name : agent->description);
	at_buf_puts(out, style->eol);
}

static void render_fresh(struct at_buf *out, const struct at_agent *agent, bool brackets)
{
	const struct style style = { brackets, "\n" };

	at_buf_puts(out, "---\n");
	for (int i = 0; i < KEYS; i++)
		put_key(out, agent, i, &style);
	at_buf_put(out, agent->head.data, agent->head.len);
	if (agent->head.len && agent->head.data[agent->head.len - 1] != '\n')
		at_buf_putc(out, '\n');
	at_buf_puts(out, "---\n");
}

/* Every line that still says what it said stays as it was spelled. */
static void render_over(struct at_buf *out, const struct at_agent *agent,
	const struct at_agent *was, bool brackets)
{
	const bool same[KEYS + 1] = {
		[NAME] = strcmp(agent->name, was->name) == 0,
		[DESCRIPTION] = strcmp(agent->description, was->description) == 0,
		[TOOLS] = at_agent_same_tools(agent, was),
		[KEYS] = true,
	};
	const char *line_end = memchr(agent->front.data, '\n', agent->front.len);
	const struct style style = { brackets,
		line_end > agent->front.data && line_end[-1] == '\r' ? "\r\n" : "\n" };
	struct at_front_walk walk = at_front_begin(agent->front);
	struct at_front_piece piece;
	bool done = false;

	at_buf_put(out, agent->front.data, walk.at);
	while (at_front_next(&piece, &done, &walk, NULL) && !done) {
		if (same[key_of(&piece)])
			at_buf_put(out, piece.text.data, piece.text.len);
		else
			put_key(out, agent, key_of(&piece), &style);
	}
	if (!was->has_tools)
		put_key(out, agent, TOOLS, &style);
	at_buf_put(out, agent->front.data + walk.at, agent->front.len - walk.at);
}

void at_front_agent_render(struct at_buf *out, const struct at_agent *agent, bool brackets)
{
	struct at_arena *arena = at_arena_new();
	struct at_buf head = { 0 };
	struct at_agent was = { .front = agent->front };

	if (agent->front.len && read_pieces(&was, &head, arena, NULL) &&
		at_bytes_equal(at_buf_bytes(&head), agent->head))
		render_over(out, agent, &was, brackets);
	else
		render_fresh(out, agent, brackets);
	at_buf_put(out, agent->body.data, agent->body.len);
	at_buf_free(&head);
	at_arena_free(arena);
}

void at_claude_render_agent(struct at_buf *out, const struct at_agent *agent)
{
	at_front_agent_render(out, agent, false);
}

void at_copilot_render_agent(struct at_buf *out, const struct at_agent *agent)
{
	at_front_agent_render(out, agent, true);
}
