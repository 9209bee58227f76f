#include "runner/gate/answer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/json_text.h"

/* As Python's json.dumps spaces it: harnesses and the hook script know this shape. */
#define OPENING \
	"{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \""
#define MIDDLE "\", \"permissionDecisionReason\": "
#define CLOSING "}}\n"

const struct gate_fault_way gate_fault_ways[GATE_FAULTS] = {
	[GATE_NO_FAULT] = { "", "", false },
	[GATE_MALFORMED] = { "input-malformed", "the tool call could not be read", false },
	[GATE_TOO_LARGE] = { "input-too-large", "the tool call is larger than 8 MiB", false },
	[GATE_NO_MEMORY] = { "no-memory", "judging the tool call took too much memory", false },
	[GATE_NO_TIME] = { "no-time", "judging the tool call took too long", true },
	[GATE_CRASHED] = { "crashed", "the gate program crashed on the tool call", false },
};

static bool put(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

/* One write for the whole line: half an answer is none. */
struct line {
	char text[512];
	size_t len;
};

static void add(struct line *line, const char *text)
{
	for (; *text && line->len < sizeof(line->text); text++)
		line->text[line->len++] = *text;
}

int gate_answer_fault(enum gate_fault fault, bool closed)
{
	const struct gate_fault_way *way = &gate_fault_ways[fault];
	struct line line = { .len = 0 };

	if (closed || way->asks) {
		add(&line, OPENING);
		add(&line, closed ? "deny" : "ask");
		add(&line, MIDDLE "\"The gate cannot judge this: ");
		add(&line, way->text);
		add(&line,
			closed ? "; failing closed, as this team does (to change it: generate with "
				 "--allow-fallback-fail-open).\""
			       : ". Read it before you let it run.\"");
		add(&line, CLOSING);
		return put(STDOUT_FILENO, line.text, line.len) ? 0 : closed ? 2 : 1;
	}
	add(&line, "agentteams gate: ");
	add(&line, way->text);
	add(&line, "; this tool call was not checked.\n");
	put(STDERR_FILENO, line.text, line.len);
	return 1;
}

int gate_answer(const struct gate_verdict *verdict, bool closed)
{
	struct at_buf line = { 0 };
	bool done;

	if (verdict->decision == GATE_PASS)
		return 0;
	at_buf_puts(&line, OPENING);
	at_buf_puts(&line, verdict->decision == GATE_DENY ? "deny" : "ask");
	at_buf_puts(&line, MIDDLE);
	at_json_text_quote(&line, at_bytes_of(verdict->reason), true);
	at_buf_puts(&line, CLOSING);
	done = put(STDOUT_FILENO, line.data, line.len);
	at_buf_free(&line);
	return done ? 0 : closed ? 2 : 1;
}
