/* main.c - agentteams-gate: judges one tool call before the harness runs it, or explains. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/digest.h"
#include "core/json_canonical.h"
#include "core/mem.h"
#include "runner/gate/decide.h"
#include "runner/gate/limits.h"
#include "runner/gate/log.h"
#include "runner/gate/options.h"
#include "runner/gate/people.h"

static bool is_hook(const struct gate_options *o)
{
	struct at_digest digest;

	return o->is_hook && (strcmp(o->fail_closed, "0") == 0 || strcmp(o->fail_closed, "1") == 0)
		&& (!o->checked || strcmp(o->checked, "custody") == 0
			|| strcmp(o->checked, "none") == 0)
		&& (!o->pinned || at_digest_from_hex(&digest, o->pinned));
}

/* After the answer is out: whatever happens here cannot change it. */
static void write_log(const struct gate_options *o, const struct gate_call *call,
	const struct gate_judgement *judged, const char *crash, const char *reason_id)
{
	static const char *const names[] = { "pass", "ask", "deny" };
	const char *path = getenv("AGENTTEAMS_GATE_LOG"), *key = getenv("AGENTTEAMS_GATE_LOG_KEY");
	const char *project = getenv("CLAUDE_PROJECT_DIR");
	struct gate_log_line line = {
		.id = call->id,
		.tool = call->tool,
		.decision = crash ? crash : names[judged->verdict.decision],
		.reason_id = reason_id,
		.found = crash ? NULL : &judged->found,
		.checked = o->checked ? o->checked : "none",
		.hook_hash = o->pinned ? o->pinned : "",
	};
	struct at_buf input = { 0 };

	if (!path || !*path)
		return;
	if (crash)
		key = NULL; /* there is no input that was understood */
	if (key && *key) {
		at_canonical_put(&input, &call->doc, call->input, AT_CANONICAL_COMPACT);
		line.input = at_buf_bytes(&input);
	}
	gate_log_write(path, key, project && *project == '/' ? project : "", &line);
	at_buf_free(&input);
}

static int judge(const struct gate_options *o, struct gate_call *call, bool closed)
{
	static struct gate_judgement judged;
	static struct gate_place place;
	struct gate_context context = { .bypass = call->bypass, .closed = closed };
	int status;

	gate_place_init(&place, &context, getenv("CLAUDE_PROJECT_DIR"), call->cwd, getenv("HOME"));
	gate_judge_call(&judged, call, &context, &place);
	gate_limits_answering();
	status = gate_answer(&judged.verdict, closed);
	gate_limits_answered(status);
	write_log(o, call, &judged, NULL, judged.verdict.reason_id);
	return status;
}

static int hook(const struct gate_options *o)
{
	bool closed = *o->fail_closed == '1';
	enum gate_fault fault = GATE_NO_FAULT;
	const struct at_bytes nothing = { "", 0 };
	struct gate_call call = { .tool = nothing, .id = nothing, .input = AT_JSON_NONE };
	struct at_buf raw = { 0 };
	int status;

	gate_limits_set(closed);
	if (gate_input_read(&raw, STDIN_FILENO, &fault) && gate_call_parse(&call, &raw, &fault)) {
		status = judge(o, &call, closed);
	} else {
		gate_limits_answering();
		status = gate_answer_fault(fault, closed);
		gate_limits_answered(status);
		write_log(o, &call, NULL, closed ? "crash-deny" : "crash-open",
			gate_fault_ways[fault].id);
	}
	gate_call_free(&call);
	at_buf_free(&raw);
	return status;
}

/* For people: where they stand is the project. */
static int serve(const struct gate_options *o)
{
	static struct gate_place place;
	struct gate_context context = { .closed = false };
	char cwd[PATH_MAX];

	gate_limits_bound();
	if (!getcwd(cwd, sizeof(cwd)))
		*cwd = '\0';
	gate_place_init(&place, &context, cwd, cwd, getenv("HOME"));
	if (o->scan)
		return gate_people_scan(o->scan);
	return o->test ? gate_people_test(o->test, &context)
		       : gate_people_explain(o->explain, &context);
}

int main(int argc, char **argv)
{
	struct gate_options o;
	bool ok = gate_options_parse(&o, argc, argv);

	if (ok && is_hook(&o))
		return hook(&o);
	if (ok && o.version) {
		puts("agentteams-gate " AT_VERSION);
		return 0;
	}
	if (ok && o.help) {
		gate_options_help(stdout);
		return 0;
	}
	if (ok && !o.is_hook)
		return serve(&o);
	gate_options_help(stderr);
	return 2;
}
