/* The whole judgement of the gate: input, rules and scanner. Whatever comes, it ends, judges the
 * same twice, and a deny says nothing of the input. (GATE-9) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/gate/decide.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

static void judge(struct gate_judgement *out, const struct gate_call *call, bool closed)
{
	const struct gate_context context = { .project = "/nowhere/p",
		.cwd = "/nowhere/p",
		.home = "/nowhere",
		.bypass = call->bypass,
		.closed = closed };
	const struct gate_place place = {
		.project = "/nowhere/p", .cwd = "/nowhere/p", .root = -1
	};

	gate_judge_call(out, call, &context, &place);
}

static void check(const struct gate_call *call)
{
	static struct gate_judgement open, again, closed;

	judge(&open, call, false);
	judge(&again, call, false);
	judge(&closed, call, true);
	CHECK(open.verdict.decision == again.verdict.decision);
	CHECK(strcmp(open.verdict.reason, again.verdict.reason) == 0);
	CHECK(closed.verdict.decision >= open.verdict.decision);
	CHECK((open.verdict.decision == GATE_PASS) == !*open.verdict.reason_id);
	CHECK(memchr(open.verdict.reason, '\0', GATE_REASON));
	CHECK(open.found.count <= SCAN_FINDINGS);
	if (call->kind == GATE_OTHER)
		CHECK(open.verdict.decision == GATE_PASS);
}

static void try_call(struct at_buf *raw)
{
	enum gate_fault fault = GATE_NO_FAULT;
	struct gate_call call;

	if (gate_call_parse(&call, raw, &fault))
		check(&call);
	else
		CHECK(fault != GATE_NO_FAULT);
	gate_call_free(&call);
}

/* As a whole call, and as the text of a command and of a file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct at_bytes text = { (const char *)data, size };
	struct gate_call call = { .kind = GATE_COMMAND, .command = text, .path = "", .cwd = "" };
	struct at_buf raw = { 0 };

	at_buf_put(&raw, data, size);
	try_call(&raw);
	check(&call);
	call = (struct gate_call){ .kind = GATE_CONTENT, .text = text, .path = "", .cwd = "" };
	check(&call);
	return 0;
}
