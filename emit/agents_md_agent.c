#include "emit/agent.h"

#include <string.h>

#include "core/mem.h"
#include "core/utf8.h"
#include "emit/agent_note.h"

/* A heading, a paragraph, and the rest. No front matter: what else an agent has is in the
 * translation section. (reference-emission 2.3) */

/* The line at `at` without its end; *next is where the next one begins. */
static struct at_bytes line_at(struct at_bytes text, size_t at, size_t *next)
{
	const char *from = text.data + at;
	const char *end = at < text.len ? memchr(from, '\n', text.len - at) : NULL;
	size_t len = end ? (size_t)(end - from) : text.len - at;

	*next = at + len + (end != NULL);
	if (len > 0 && from[len - 1] == '\r')
		len--;
	return (struct at_bytes){ from, len };
}

static struct at_bytes trim(struct at_bytes line)
{
	while (line.len && (*line.data == ' ' || *line.data == '\t')) {
		line.data++;
		line.len--;
	}
	while (line.len && strchr(" \t", line.data[line.len - 1]))
		line.len--;
	return line;
}

/* What begins something else than a paragraph. */
static bool is_block(struct at_bytes line)
{
	return line.len > 0 && strchr("#<>|`~-*+=", *line.data);
}

static bool is_comment(struct at_bytes line)
{
	return line.len >= 7 && memcmp(line.data, "<!--", 4) == 0 &&
		memcmp(line.data + line.len - 3, "-->", 3) == 0;
}

struct reading {
	struct at_bytes text;
	size_t at, lead; /* what was read; the comments before the heading */
	unsigned line;   /* of what comes next, from 1 */
};

/* The Python tool opens a section before the heading. */
static bool read_title(const char **name, struct reading *in, struct at_arena *arena,
	struct at_error *err)
{
	struct at_bytes line = line_at(in->text, 0, &in->at), title;

	for (; is_comment(line); line = line_at(in->text, in->lead, &in->at)) {
		in->lead = in->at;
		in->line++;
	}
	if (line.len < 2 || memcmp(line.data, "# ", 2) != 0)
		return at_agent_fail(err, in->line, "agent-title",
			"the first line must be a heading, `# Name`; only comments may stand "
			"before it");
	title = trim((struct at_bytes){ line.data + 2, line.len - 2 });
	if (title.len == 0)
		return at_agent_fail(err, in->line, "agent-title", "the heading is empty");
	*name = at_arena_strndup(arena, title.data, title.len);
	in->line++;
	return true;
}

/* The first paragraph, its lines joined by spaces, and the one blank line after it. */
static bool read_description(const char **out, struct reading *in, struct at_arena *arena,
	struct at_error *err)
{
	struct at_buf words = { 0 };

	for (size_t next; in->at < in->text.len; in->at = next, in->line++) {
		struct at_bytes line = trim(line_at(in->text, in->at, &next));

		if (line.len == 0 && words.len) {
			in->at = next;
			break;
		}
		if (line.len && is_block(line))
			break;
		if (words.len)
			at_buf_putc(&words, ' ');
		at_buf_put(&words, line.data, line.len);
	}
	*out = at_arena_strndup(arena, at_buf_text(&words), words.len);
	at_buf_free(&words);
	if (**out == '\\' && (*out)[1] && strchr("#<>|`~-*+=\\", (*out)[1]))
		++*out;
	return **out || at_agent_fail(err, in->line, "agent-description",
		"after the heading a paragraph must say what the agent is for");
}

/* What stands before the heading goes before the rest. */
static struct at_bytes body_of(const struct reading *in, struct at_arena *arena)
{
	struct at_bytes rest = { in->text.data + in->at, in->text.len - in->at };
	char *both;

	if (in->lead == 0)
		return rest;
	both = at_arena_alloc(arena, in->lead + rest.len + 1);
	memcpy(both, in->text.data, in->lead);
	memcpy(both + in->lead, rest.data, rest.len);
	return (struct at_bytes){ both, in->lead + rest.len };
}

bool at_agents_md_parse_agent(struct at_agent *out, struct at_bytes text, struct at_arena *arena,
	struct at_error *err)
{
	struct reading in = { .text = text, .line = 1 };
	struct at_agent_note note;

	*out = (struct at_agent){ .text = text };
	if (!at_agent_check_text(text, err) || !read_title(&out->name, &in, arena, err) ||
		!read_description(&out->description, &in, arena, err))
		return false;
	out->body = body_of(&in, arena);
	if (!at_agent_note_take(&note, &out->body, "agents_md", arena, err))
		return false;
	if (note.name)
		out->name = note.name;
	if (note.description)
		out->description = note.description;
	out->has_tools = note.has_tools;
	out->tools = note.tools;
	return true;
}

/* As one line of words. False when that is not all of it. */
static bool put_line(struct at_buf *out, const char *text, bool may_escape, const char *else_text)
{
	const char *end = text + strlen(text);
	size_t start = out->len;
	bool whole = true, gap = false;

	while (text < end) {
		const char *from = text;
		uint32_t code;

		at_utf8_take(&text, end, &code);
		if (code <= ' ' || code == 127) {
			whole &= code == ' ' && !gap && out->len > start && text < end;
			gap = true;
			continue;
		}
		if (gap && out->len > start)
			at_buf_putc(out, ' ');
		gap = false;
		if (may_escape && out->len == start && strchr("#<>|`~-*+=\\", *from))
			at_buf_putc(out, '\\');
		at_buf_put(out, from, (size_t)(text - from));
	}
	if (out->len == start) {
		at_buf_puts(out, else_text);
		return false;
	}
	return whole;
}

static void render_fresh(struct at_buf *out, const struct at_agent *agent)
{
	struct at_agent_note note = {
		.has_tools_said = agent->has_tools,
		.has_tools = agent->has_tools,
		.tools = agent->tools,
	};

	at_buf_puts(out, "# ");
	if (!put_line(out, agent->name, false, "Agent"))
		note.name = agent->name;
	at_buf_puts(out, "\n\n");
	if (!put_line(out, agent->description, true, "No description."))
		note.description = agent->description;
	at_buf_puts(out, "\n\n");
	at_agent_note_put(out, "agents_md", &note);
	at_buf_put(out, agent->body.data, agent->body.len);
}

void at_agents_md_render_agent(struct at_buf *out, const struct at_agent *agent)
{
	struct at_arena *arena = at_arena_new();
	struct at_agent was;

	if (agent->text.len && at_agents_md_parse_agent(&was, agent->text, arena, NULL) &&
		strcmp(agent->name, was.name) == 0 &&
		strcmp(agent->description, was.description) == 0 &&
		at_agent_same_tools(agent, &was) && at_bytes_equal(agent->body, was.body))
		at_buf_put(out, agent->text.data, agent->text.len);
	else
		render_fresh(out, agent);
	at_arena_free(arena);
}
