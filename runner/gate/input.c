#include "runner/gate/input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"

/* Deeper than any call of a gated tool; more is no call. */
static const struct at_json_limits limits = { GATE_INPUT_CAP, 64 };

/* Names as the client spells them; its matcher is exact as well. */
static const struct tool {
	const char *name;
	enum gate_kind kind;
	const char *text, *path; /* the members that hold them */
} tools[] = {
	{ "Bash", GATE_COMMAND, NULL, NULL },
	{ "Write", GATE_CONTENT, "content", "file_path" },
	{ "Edit", GATE_CONTENT, "new_string", "file_path" },
	{ "MultiEdit", GATE_CONTENT, "new_string", "file_path" },
	{ "NotebookEdit", GATE_CONTENT, "new_source", "notebook_path" },
};

bool gate_input_read(struct at_buf *out, int fd, enum gate_fault *fault)
{
	for (;;) {
		size_t room = out->len < 65536 ? 65536 : out->len;
		ssize_t n;

		if (out->len > GATE_INPUT_CAP) {
			*fault = GATE_TOO_LARGE;
			return false;
		}
		at_buf_reserve(out, room);
		n = read(fd, out->data + out->len, room);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			*fault = GATE_MALFORMED;
			return false;
		}
		out->len += (size_t)n;
		out->data[out->len] = '\0';
		if (n == 0)
			return true;
	}
}

static bool is_there(const struct at_json *doc, uint32_t node)
{
	return node != AT_JSON_NONE && !at_json_is(doc, node, AT_JSON_NULL);
}

/* A member that is a text, or not there: then `out` stays as it is. */
static bool take_text(
	struct at_bytes *out, const struct gate_call *call, uint32_t object, const char *key)
{
	uint32_t node = at_json_member(&call->doc, object, key);

	if (!is_there(&call->doc, node))
		return true;
	if (!at_json_is(&call->doc, node, AT_JSON_STRING))
		return false;
	*out = at_json_string(&call->doc, node, call->arena);
	return true;
}

static void put_quoted(struct at_buf *out, struct at_bytes word)
{
	at_buf_putc(out, '\'');
	for (size_t i = 0; i < word.len; i++) {
		if (word.data[i] == '\'')
			at_buf_puts(out, "'\\''");
		else
			at_buf_putc(out, word.data[i]);
	}
	at_buf_putc(out, '\'');
}

/* Some harnesses tell a command as a list of words. */
static bool take_words(struct gate_call *call, uint32_t list)
{
	struct at_buf text = { 0 };
	bool ok = true;

	at_json_each(&call->doc, i, list) {
		ok &= at_json_is(&call->doc, i, AT_JSON_STRING);
		if (text.len)
			at_buf_putc(&text, ' ');
		put_quoted(&text, at_json_string(&call->doc, i, call->arena));
	}
	call->command.data = at_arena_strndup(call->arena, at_buf_text(&text), text.len);
	call->command.len = text.len;
	at_buf_free(&text);
	return ok;
}

static bool take_command(struct gate_call *call, const char *key)
{
	uint32_t node = at_json_member(&call->doc, call->input, key);

	if (at_json_is(&call->doc, node, AT_JSON_ARRAY))
		return take_words(call, node);
	return take_text(&call->command, call, call->input, key);
}

/* The edits of one call are one text: what is split over two is found as well. */
static bool take_edits(struct gate_call *call)
{
	uint32_t edits = at_json_member(&call->doc, call->input, "edits");
	struct at_buf text = { 0 };
	bool ok = true;

	if (!at_json_is(&call->doc, edits, AT_JSON_ARRAY))
		return !is_there(&call->doc, edits);
	at_buf_put(&text, call->text.data, call->text.len);
	at_json_each(&call->doc, i, edits) {
		struct at_bytes one = { "", 0 };

		ok &= at_json_is(&call->doc, i, AT_JSON_OBJECT)
			&& take_text(&one, call, i, "new_string");
		if (text.len)
			at_buf_putc(&text, '\n');
		at_buf_put(&text, one.data, one.len);
	}
	call->text.data = at_arena_strndup(call->arena, at_buf_text(&text), text.len);
	call->text.len = text.len;
	at_buf_free(&text);
	return ok;
}

static bool take_content(struct gate_call *call, const struct tool *tool)
{
	struct at_bytes path = { "", 0 };

	if (!take_text(&call->text, call, call->input, tool->text)
		|| !take_text(&path, call, call->input, tool->path))
		return false;
	/* A path that a NUL cuts would be another one: it is then no path of ours. */
	if (strlen(path.data) == path.len)
		call->path = path.data;
	return take_edits(call);
}

/* A tool of another name that takes a command line is judged by it. (case 64) */
static bool take_other(struct gate_call *call)
{
	static const char *const keys[] = { "command", "cmd" };

	for (size_t i = 0; i < AT_LEN(keys); i++) {
		uint32_t node = at_json_member(&call->doc, call->input, keys[i]);

		if (at_json_is(&call->doc, node, AT_JSON_STRING))
			call->command = at_json_string(&call->doc, node, call->arena);
		else if (!at_json_is(&call->doc, node, AT_JSON_ARRAY) || !take_words(call, node))
			continue;
		call->kind = GATE_COMMAND;
		return true;
	}
	return true;
}

static bool take_call(struct gate_call *call)
{
	uint32_t mode = at_json_member(&call->doc, AT_JSON_ROOT, "permission_mode");
	struct at_bytes cwd = { "", 0 };

	if (!at_json_is(&call->doc, AT_JSON_ROOT, AT_JSON_OBJECT)
		|| !at_json_is(&call->doc, at_json_member(&call->doc, AT_JSON_ROOT, "tool_name"),
			AT_JSON_STRING)
		|| !take_text(&call->tool, call, AT_JSON_ROOT, "tool_name"))
		return false;
	call->bypass = at_json_string_is(&call->doc, mode, "bypassPermissions");
	take_text(&call->id, call, AT_JSON_ROOT, "tool_use_id");
	take_text(&cwd, call, AT_JSON_ROOT, "cwd");
	if (cwd.len && *cwd.data == '/' && strlen(cwd.data) == cwd.len)
		call->cwd = cwd.data;
	call->input = at_json_member(&call->doc, AT_JSON_ROOT, "tool_input");
	if (!is_there(&call->doc, call->input))
		return true;
	if (!at_json_is(&call->doc, call->input, AT_JSON_OBJECT))
		return false;
	for (size_t i = 0; i < AT_LEN(tools); i++) {
		if (!at_bytes_equal_text(call->tool, tools[i].name))
			continue;
		call->kind = tools[i].kind;
		return call->kind == GATE_COMMAND ? take_command(call, "command")
						  : take_content(call, &tools[i]);
	}
	return take_other(call);
}

bool gate_call_parse(struct gate_call *out, struct at_buf *raw, enum gate_fault *fault)
{
	const struct at_bytes nothing = { "", 0 };

	*out = (struct gate_call){ .path = "",
		.cwd = "",
		.tool = nothing,
		.id = nothing,
		.command = nothing,
		.text = nothing,
		.input = AT_JSON_NONE,
		.raw = *raw };
	*raw = (struct at_buf){ 0 };
	out->arena = at_arena_new();
	if (at_json_read(
		    &out->doc, at_buf_bytes(&out->raw), &limits, AT_JSON_ALLOW_DUPLICATES, NULL)
		&& take_call(out))
		return true;
	*fault = GATE_MALFORMED;
	return false;
}

void gate_call_free(struct gate_call *call)
{
	at_json_free(&call->doc);
	at_arena_free(call->arena);
	at_buf_free(&call->raw);
}
