#include "runner/readfs/message.h"

#include <string.h>

#include "core/json_text.h"
#include "core/mem.h"

#define PROTOCOL "2024-11-05" /* what is told to a client that names none */

enum { PARSE = -32700, INVALID_REQUEST = -32600, NO_METHOD = -32601, INVALID_PARAMS = -32602 };

static const struct at_json_limits limits = { AT_READFS_LINE_CAP, 64 };
static const struct at_bytes no_id = { "null", 4 };

void at_readfs_answer(struct at_buf *out, struct at_bytes id, struct at_bytes result)
{
	at_buf_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":");
	at_buf_put(out, id.data, id.len);
	at_buf_puts(out, ",\"result\":");
	at_buf_put(out, result.data, result.len);
	at_buf_puts(out, "}\n");
}

void at_readfs_error(struct at_buf *out, struct at_bytes id, int code, const char *message)
{
	at_buf_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":");
	at_buf_put(out, id.data, id.len);
	at_buf_printf(out, ",\"error\":{\"code\":%d,\"message\":", code);
	at_json_text_quote(out, at_bytes_of(message), true);
	at_buf_puts(out, "}}\n");
}

void at_readfs_too_long(struct at_buf *out)
{
	at_readfs_error(out, no_id, INVALID_REQUEST, "Invalid Request: the message is too long");
}

struct request {
	struct at_readfs_message *out;
	struct at_buf *answer;
	uint32_t params; /* an object, or AT_JSON_NONE */
	uint32_t given; /* whatever `params` is */
};

static void fail(struct at_readfs_message *out, struct at_buf *answer, struct at_bytes id, int code,
	const char *message)
{
	out->act = AT_READFS_ANSWER;
	at_readfs_error(answer, id, code, message);
}

static void answer(struct request *r, const struct at_buf *result)
{
	r->out->act = AT_READFS_ANSWER;
	at_readfs_answer(r->answer, r->out->id, at_buf_bytes(result));
}

static void answer_empty(struct request *r)
{
	r->out->act = AT_READFS_ANSWER;
	at_readfs_answer(r->answer, r->out->id, at_bytes_of("{}"));
}

/* YYYY-MM-DD, which is how every version of the protocol is named. */
static bool is_version(struct at_bytes raw)
{
	static const char shape[] = "\"dddd-dd-dd\"";

	if (raw.len != sizeof(shape) - 1)
		return false;
	for (size_t i = 0; i < raw.len; i++)
		if (shape[i] == 'd' ? raw.data[i] < '0' || raw.data[i] > '9'
				    : raw.data[i] != shape[i])
			return false;
	return true;
}

static void initialize(struct request *r)
{
	const struct at_json *doc = &r->out->doc;
	uint32_t version = at_json_member(doc, r->params, "protocolVersion");
	struct at_bytes raw = at_bytes_of("\"" PROTOCOL "\"");
	struct at_buf result = { 0 };

	if (at_json_is(doc, version, AT_JSON_STRING) && is_version(at_json_raw(doc, version)))
		raw = at_json_raw(doc, version);
	at_buf_puts(&result, "{\"protocolVersion\":");
	at_buf_put(&result, raw.data, raw.len);
	at_buf_puts(&result,
		",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":"
		"\"agentteams_readfs\",\"version\":\"" AT_VERSION "\"}}");
	answer(r, &result);
	at_buf_free(&result);
}

static void list_tools(struct request *r)
{
	struct at_buf result = { 0 };

	at_buf_puts(&result, "{\"tools\":");
	at_readfs_print_tools(&result);
	at_buf_putc(&result, '}');
	answer(r, &result);
	at_buf_free(&result);
}

static void call_tool(struct request *r)
{
	struct at_readfs_message *out = r->out;
	uint32_t name = at_json_member(&out->doc, r->params, "name");
	uint32_t arguments = at_json_member(&out->doc, r->params, "arguments");
	struct at_error err = { 0 };

	if (at_json_is(&out->doc, name, AT_JSON_STRING))
		out->tool = at_readfs_tool(at_json_string(&out->doc, name, out->arena));
	if (!out->tool)
		at_fail(&err, AT_EINVALID, "there is no such tool");
	else if (arguments != AT_JSON_NONE && !at_json_is(&out->doc, arguments, AT_JSON_OBJECT))
		at_fail(&err, AT_EINVALID, "`arguments` is no object");
	else if (at_readfs_read_args(
			 &out->args, out->tool, &out->doc, arguments, out->arena, &err)) {
		out->act = AT_READFS_CALL;
		return;
	}
	fail(out, r->answer, out->id, INVALID_PARAMS, err.message);
}

static const struct method {
	const char *name;
	void (*run)(struct request *r);
} methods[] = {
	{ "initialize", initialize },
	{ "ping", answer_empty },
	{ "tools/list", list_tools },
	{ "tools/call", call_tool },
};

/* An id is text or a number; the client gets back the bytes that it sent. */
static bool take_id(struct at_readfs_message *out, uint32_t node)
{
	if (!at_json_is(&out->doc, node, AT_JSON_STRING)
		&& !at_json_is(&out->doc, node, AT_JSON_NUMBER))
		return false;
	out->id = at_json_raw(&out->doc, node);
	return out->id.len <= AT_READFS_ID_CAP;
}

static void notify(struct request *r, uint32_t method)
{
	const struct at_json *doc = &r->out->doc;

	if (at_json_string_is(doc, method, "notifications/cancelled")
		&& take_id(r->out, at_json_member(doc, r->params, "requestId")))
		r->out->act = AT_READFS_CANCEL;
}

static void dispatch(struct request *r, uint32_t method)
{
	struct at_readfs_message *out = r->out;

	for (size_t i = 0; i < AT_LEN(methods); i++) {
		if (!at_json_string_is(&out->doc, method, methods[i].name))
			continue;
		if (r->given != AT_JSON_NONE && r->params == AT_JSON_NONE)
			fail(out, r->answer, out->id, INVALID_PARAMS, "`params` is no object");
		else
			methods[i].run(r);
		return;
	}
	fail(out, r->answer, out->id, NO_METHOD, "Method not found");
}

static void take_object(struct at_readfs_message *out, struct at_buf *answer_to)
{
	static const char bad[] = "Invalid Request";
	const struct at_json *doc = &out->doc;
	uint32_t id = at_json_member(doc, AT_JSON_ROOT, "id");
	uint32_t method = at_json_member(doc, AT_JSON_ROOT, "method");
	struct request r = { .out = out,
		.answer = answer_to,
		.given = at_json_member(doc, AT_JSON_ROOT, "params"),
		.params = AT_JSON_NONE };
	bool has_method = at_json_is(doc, method, AT_JSON_STRING);

	if (at_json_is(doc, r.given, AT_JSON_OBJECT))
		r.params = r.given;
	if (method == AT_JSON_NONE
		&& (at_json_member(doc, AT_JSON_ROOT, "result") != AT_JSON_NONE
			|| at_json_member(doc, AT_JSON_ROOT, "error") != AT_JSON_NONE))
		return; /* an answer: we asked for nothing */
	if (id == AT_JSON_NONE && has_method)
		notify(&r, method);
	else if (!take_id(out, id))
		fail(out, answer_to, no_id, INVALID_REQUEST, bad);
	else if (!has_method
		|| !at_json_string_is(doc, at_json_member(doc, AT_JSON_ROOT, "jsonrpc"), "2.0"))
		fail(out, answer_to, out->id, INVALID_REQUEST, bad);
	else
		dispatch(&r, method);
}

static bool is_blank(struct at_bytes line)
{
	for (size_t i = 0; i < line.len; i++)
		if (!memchr(" \t\r", line.data[i], 3))
			return false;
	return true;
}

/* The index of a document takes many times its bytes where it is all values. */
static bool has_too_many_values(struct at_bytes line)
{
	size_t commas = 0;

	for (size_t i = 0; i < line.len; i++)
		commas += line.data[i] == ',';
	return commas > AT_READFS_COMMAS;
}

void at_readfs_take(struct at_readfs_message *out, struct at_buf *answer_to, struct at_bytes line)
{
	*out = (struct at_readfs_message){ .arena = at_arena_new(), .id = no_id };
	if (is_blank(line))
		return;
	if (has_too_many_values(line))
		fail(out, answer_to, no_id, INVALID_REQUEST, "Invalid Request: too many values");
	else if (!at_json_read(&out->doc, line, &limits, 0, NULL))
		fail(out, answer_to, no_id, PARSE, "Parse error");
	else if (!at_json_is(&out->doc, AT_JSON_ROOT, AT_JSON_OBJECT))
		fail(out, answer_to, no_id, INVALID_REQUEST, "Invalid Request: one object a line");
	else
		take_object(out, answer_to);
}

void at_readfs_message_free(struct at_readfs_message *message)
{
	at_json_free(&message->doc);
	at_arena_free(message->arena);
	message->arena = NULL;
}
