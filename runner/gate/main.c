/* main.c - agentteams-gate: judges one tool call before the harness runs it, or explains. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/digest.h"
#include "core/mem.h"
#include "runner/gate/canonical.h"
#include "runner/gate/decide.h"
#include "runner/gate/limits.h"
#include "runner/gate/log.h"
#include "runner/gate/people.h"

static const char usage[] =
	"agentteams-gate --fail-closed 0|1 [--checked custody|none] [--pinned SHA256]\n"
	"    the hook: one tool call as JSON on standard input, the decision on standard output.\n"
	"    Silence is no opinion. Exit 0; open and unable to judge: 1; closed and unable even to\n"
	"    deny: 2.\n"
	"agentteams-gate --explain COMMAND    what it makes of a command, and why\n"
	"agentteams-gate --test FILE.tsv      judges a table of commands; exit 1 on a failure. A line\n"
	"    is a verdict (pass, ask, deny), a tab and a command as it is typed; or the first line\n"
	"    names the columns #id, expect, tolerate and command_json\n"
	"agentteams-gate --scan FILE|-        credentials, personal data, injected orders, as JSON;\n"
	"    exit 1 when something high is found\n"
	"agentteams-gate --version, --help\n"
	"AGENTTEAMS_GATE_LOG names a log outside the project, AGENTTEAMS_GATE_LOG_KEY adds a keyed\n"
	"digest of the input. The gate sees the spelling of commands and the content of file tools,\n"
	"nothing else: it is no boundary.\n";

struct options {
	const char *fail_closed, *checked, *pinned;
	const char *explain, *test, *scan;
};

static bool parse(struct options *out, int argc, char **argv)
{
	const struct {
		const char *name;
		const char **value;
	} words[] = {
		{ "--fail-closed", &out->fail_closed },
		{ "--checked", &out->checked },
		{ "--pinned", &out->pinned },
		{ "--explain", &out->explain },
		{ "--test", &out->test },
		{ "--scan", &out->scan },
	};

	for (int i = 1; i < argc; i += 2) {
		size_t w = 0;

		while (w < AT_LEN(words) && strcmp(argv[i], words[w].name) != 0)
			w++;
		if (w == AT_LEN(words) || i + 1 == argc || *words[w].value)
			return false;
		*words[w].value = argv[i + 1];
	}
	return true;
}

static bool is_hook(const struct options *o)
{
	struct at_digest digest;

	return o->fail_closed && !o->explain && !o->test && !o->scan
		&& (strcmp(o->fail_closed, "0") == 0 || strcmp(o->fail_closed, "1") == 0)
		&& (!o->checked || strcmp(o->checked, "custody") == 0
			|| strcmp(o->checked, "none") == 0)
		&& (!o->pinned || at_digest_from_hex(&digest, o->pinned));
}

/* After the answer is out: whatever happens here cannot change it. */
static void write_log(const struct options *o, const struct gate_call *call,
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
		gate_canonical(&input, &call->doc, call->input);
		line.input = at_buf_bytes(&input);
	}
	gate_log_write(path, key, project && *project == '/' ? project : "", &line);
	at_buf_free(&input);
}

static int judge(const struct options *o, struct gate_call *call, bool closed)
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

static int hook(const struct options *o)
{
	bool closed = *o->fail_closed == '1';
	enum gate_fault fault = GATE_NO_FAULT;
	const struct at_bytes nothing = { "", 0 };
	struct gate_call call = { .tool = nothing, .id = nothing, .input = AT_JSON_NONE };
	struct at_buf raw = { 0 };
	int status;

	gate_limits_set(closed);
	if (gate_input_read(&raw, STDIN_FILENO, &fault) && gate_call_parse(&call, &raw, &fault))
		return judge(o, &call, closed);
	gate_limits_answering();
	status = gate_answer_fault(fault, closed);
	gate_limits_answered(status);
	write_log(o, &call, NULL, closed ? "crash-deny" : "crash-open", gate_fault_ways[fault].id);
	return status;
}

/* For people: where they stand is the project. */
static int serve(const struct options *o)
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
	struct options o = { 0 };

	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		puts("agentteams-gate " AT_VERSION);
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		fputs(usage, stdout);
		return 0;
	}
	if (parse(&o, argc, argv)) {
		if (is_hook(&o))
			return hook(&o);
		if (!o.fail_closed && !o.checked && !o.pinned
			&& !!o.explain + !!o.test + !!o.scan == 1)
			return serve(&o);
	}
	fputs(usage, stderr);
	return 2;
}
