/* Any bytes as an agent file, the first of them says of which harness: refused with a line and a
 * name, or read; then it is written byte for byte as it was, and goes to every other harness and
 * back as the same agent. (EMIT-18) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "emit/agent.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

static bool has_tool(const struct at_agent *agent, const char *tool)
{
	for (size_t i = 0; i < agent->tools.count; i++)
		if (strcmp(agent->tools.items[i], tool) == 0)
			return true;
	return false;
}

static bool same(const struct at_agent *a, const struct at_agent *b)
{
	for (size_t i = 0; i < a->tools.count; i++)
		if (!has_tool(b, a->tools.items[i]))
			return false;
	for (size_t i = 0; i < b->tools.count; i++)
		if (!has_tool(a, b->tools.items[i]))
			return false;
	return a->has_tools == b->has_tools && strcmp(a->name, b->name) == 0 &&
		strcmp(a->description, b->description) == 0 && at_bytes_equal(a->body, b->body);
}

static void go_and_return(const struct at_agent *agent, enum at_framework_id from,
	enum at_framework_id to, struct at_arena *arena)
{
	struct at_agent away, read, home;
	struct at_buf text = { 0 };
	struct at_error err = { 0 };

	if (!at_agent_convert(&away, agent, from, to, arena, &err)) {
		CHECK(err.code == AT_EINVALID && err.id[0]);
		return;
	}
	at_frameworks[to]->render_agent(&text, &away);
	CHECK(at_frameworks[to]->parse_agent(&read, at_buf_bytes(&text), arena, &err));
	CHECK(same(&away, &read));
	read.slug = NULL; /* a file's name is checked, and these have none */
	CHECK(at_agent_convert(&home, &read, to, from, arena, &err));
	/* A tool of claude's own name comes back as the word for it, which means the same there. */
	if (to == AT_CLAUDE) {
		CHECK(at_agent_convert(&home, &home, from, to, arena, &err));
		CHECK(same(&away, &home));
	} else {
		CHECK(same(agent, &home));
	}
	at_buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct at_arena *arena = at_arena_new();
	struct at_buf out = { 0 };
	struct at_error err = { 0 };
	struct at_agent agent;
	enum at_framework_id format;
	struct at_bytes text;

	if (size > 0) {
		format = (enum at_framework_id)(data[0] % AT_FRAMEWORK_COUNT);
		text = (struct at_bytes){ (const char *)data + 1, size - 1 };
		if (at_frameworks[format]->parse_agent(&agent, text, arena, &err)) {
			at_frameworks[format]->render_agent(&out, &agent);
			CHECK(at_bytes_equal(at_buf_bytes(&out), text));
			agent.slug = NULL;
			for (int to = 0; to < AT_FRAMEWORK_COUNT; to++)
				go_and_return(&agent, format, (enum at_framework_id)to, arena);
		} else {
			CHECK(err.code == AT_EPARSE && err.line > 0 && err.message[0]);
		}
	}
	at_buf_free(&out);
	at_arena_free(arena);
	return 0;
}
