#include "core/hook_run.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/json_read.h"
#include "core/json_write.h"
#include "core/mem.h"

#define OUTPUT_CAP ((size_t)1 << 20)
#define SYSTEM_PATH "/usr/local/bin:/usr/bin:/bin"

/* Every gate must stop the first and has no say about the second. Neither does anything where
 * it is run, should a hook carry it out: there is no repository at the root. */
static const char bad_command[] = "git push --force origin main";
static const char good_command[] = "ls";

const char *at_hook_result_name(enum at_hook_result result)
{
	static const char *const names[] = { "stops", "silent", "opens", "broken" };

	return (size_t)result < AT_LEN(names) ? names[result] : "?";
}

const char *at_hook_direction_name(enum at_hook_direction direction)
{
	static const char *const names[] = { "", "allows", "denies" };

	return (size_t)direction < AT_LEN(names) ? names[direction] : "?";
}

static enum at_hook_answer decision_of(const struct at_json *doc)
{
	static const struct {
		const char *word;
		enum at_hook_answer answer;
	} words[] = { { "deny", AT_ANSWER_DENY }, { "ask", AT_ANSWER_ASK },
		{ "allow", AT_ANSWER_ALLOW }, { "defer", AT_ANSWER_DEFER } };
	uint32_t said = at_json_member(doc, AT_JSON_ROOT, "hookSpecificOutput");
	uint32_t decision = at_json_member(doc, said, "permissionDecision");
	uint32_t reason = at_json_member(doc, said, "permissionDecisionReason");
	uint32_t event = at_json_member(doc, said, "hookEventName");
	uint32_t older = at_json_member(doc, AT_JSON_ROOT, "decision");

	if (at_json_is(doc, at_json_member(doc, AT_JSON_ROOT, "continue"), AT_JSON_FALSE))
		return AT_ANSWER_FAULT; /* the tool still runs, the session stops after it */
	if (said == AT_JSON_NONE) {
		if (older == AT_JSON_NONE)
			return at_json_member(doc, AT_JSON_ROOT, "permissionDecision")
					== AT_JSON_NONE
				? AT_ANSWER_NONE
				: AT_ANSWER_FAULT;
		return at_json_string_is(doc, older, "block")      ? AT_ANSWER_DENY
			: at_json_string_is(doc, older, "approve") ? AT_ANSWER_ALLOW
								   : AT_ANSWER_FAULT;
	}
	if (!at_json_string_is(doc, event, "PreToolUse")
		|| (reason != AT_JSON_NONE && !at_json_is(doc, reason, AT_JSON_STRING)))
		return AT_ANSWER_FAULT;
	if (decision == AT_JSON_NONE)
		return AT_ANSWER_NONE;
	for (size_t i = 0; i < AT_LEN(words); i++) {
		if (at_json_string_is(doc, decision, words[i].word))
			return words[i].answer;
	}
	return AT_ANSWER_FAULT;
}

/* JSON is what begins with a bracket; other words are shown and mean nothing. */
static enum at_hook_answer words_of(struct at_bytes text)
{
	static const char bom[] = "\xef\xbb\xbf";
	enum at_hook_answer answer = AT_ANSWER_FAULT;
	const char *p = text.data, *end = p ? p + text.len : p;
	struct at_json doc;

	if (text.len >= 3 && memcmp(p, bom, 3) == 0)
		p += 3;
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	if (p == end || (*p != '{' && *p != '['))
		return AT_ANSWER_NONE;
	if (!at_json_read(&doc, text, &at_json_brief_limits,
		    AT_JSON_ALLOW_BOM | AT_JSON_ALLOW_DUPLICATES, NULL))
		return AT_ANSWER_FAULT;
	if (at_json_is(&doc, AT_JSON_ROOT, AT_JSON_OBJECT))
		answer = decision_of(&doc);
	at_json_free(&doc);
	return answer;
}

enum at_hook_answer at_hook_answer_of(const struct at_child_end *end)
{
	enum at_hook_answer said;

	if (end->timed_out || end->signal)
		return AT_ANSWER_FAULT;
	if (end->status == 2)
		return AT_ANSWER_DENY;
	said = end->is_cut ? AT_ANSWER_FAULT : words_of(at_buf_bytes(&end->out));
	if (end->status == 0 || said == AT_ANSWER_ALLOW
		|| (end->status == 1 && said == AT_ANSWER_DENY))
		return said;
	return AT_ANSWER_FAULT;
}

static void make_payload(struct at_buf *out, const char *command, const char *cwd, const char *home)
{
	struct at_json_value *call = at_json_object(), *input;
	char transcript[128];

	snprintf(transcript, sizeof(transcript), "%s/transcript.jsonl", home);
	at_json_add_text(call, "session_id", "atconsole-probe");
	at_json_add_text(call, "transcript_path", transcript);
	at_json_add_text(call, "cwd", cwd);
	at_json_add_text(call, "prompt_id", "atconsole-probe");
	at_json_add_text(call, "permission_mode", "default");
	at_json_add_text(at_json_add_object(call, "effort"), "level", "medium");
	at_json_add_text(call, "hook_event_name", "PreToolUse");
	at_json_add_text(call, "tool_name", "Bash");
	input = at_json_add_object(call, "tool_input");
	at_json_add_text(input, "command", command);
	at_json_add_text(input, "description", "a probe");
	at_json_add_text(call, "tool_use_id", "toolu_atconsole_probe");
	at_json_print(out, call, AT_JSON_COMPACT);
	at_buf_putc(out, '\n');
	at_json_value_free(call);
}

static const char *joined(struct at_arena *arena, const char *name, const char *value)
{
	return at_arena_printf(arena, "%s=%s", name, value);
}

/* Built, not filtered: a key in the operator's environment has no way in. */
static bool ask(struct at_child_end *end, const struct at_hook_call *call, const char *home,
	const char *command, struct at_error *err)
{
	static const char elsewhere[] = "/";
	struct at_arena *arena = at_arena_new();
	const char *const argv[] = { "/bin/sh", "-c", call->command, NULL };
	const char *const env[] = {
		joined(arena, "PATH", call->search_path && *call->search_path ? call->search_path
									      : SYSTEM_PATH),
		joined(arena, "HOME", home),
		joined(arena, "TMPDIR", home),
		joined(arena, "CLAUDE_PROJECT_DIR", call->project),
		"CLAUDECODE=1",
		"LANG=C.UTF-8",
		NULL,
	};
	struct at_buf input = { 0 };
	struct at_child_call child = { .argv = argv, .env = env, .cwd = elsewhere,
		.timeout_ms = call->timeout_ms ? call->timeout_ms : AT_HOOK_TIMEOUT_MS,
		.cap = OUTPUT_CAP };
	bool ok;

	make_payload(&input, command, elsewhere, home);
	child.input = at_buf_bytes(&input);
	ok = at_child_run(end, &child, err);
	at_buf_free(&input);
	at_arena_free(arena);
	return ok;
}

static void say(struct at_hook_verdict *out, enum at_hook_result result,
	enum at_hook_direction direction, const char *text)
{
	*out = (struct at_hook_verdict){ .result = result, .direction = direction };
	snprintf(out->text, sizeof(out->text), "%s", text);
}

/* How the answer that lets every call pass came about. */
static void say_fault(struct at_hook_verdict *out, const struct at_child_end *end)
{
	say(out, AT_HOOK_BROKEN, AT_HOOK_ALLOWS, "");
	if (end->timed_out)
		snprintf(out->text, sizeof(out->text),
			"It gave no answer in time, which lets every call pass: everything allowed.");
	else if (end->signal)
		snprintf(out->text, sizeof(out->text),
			"Signal %d ended it, which lets every call pass: everything allowed.",
			end->signal);
	else if (end->status == 127)
		snprintf(out->text, sizeof(out->text),
			"Its program is not found from another directory (status 127), which lets every "
			"call pass: everything allowed.");
	else if (end->status == 126)
		snprintf(out->text, sizeof(out->text),
			"Its program does not start (status 126), which lets every call pass: everything "
			"allowed.");
	else if (end->status)
		snprintf(out->text, sizeof(out->text),
			"It ended with status %d, which lets every call pass: everything allowed.",
			end->status);
	else
		snprintf(out->text, sizeof(out->text),
			"What it printed is no answer that the client reads, so the call passes.");
}

static bool is_stopped(enum at_hook_answer answer)
{
	return answer == AT_ANSWER_DENY || answer == AT_ANSWER_ASK || answer == AT_ANSWER_DEFER;
}

static void judge(struct at_hook_verdict *out, const struct at_child_end *bad,
	const struct at_child_end *good)
{
	enum at_hook_answer to_bad = at_hook_answer_of(bad), to_good = at_hook_answer_of(good);

	if (to_bad == AT_ANSWER_ALLOW || to_good == AT_ANSWER_ALLOW)
		say(out, AT_HOOK_OPENS, AT_HOOK_ALLOWS,
			"It answers allow: a call that would have been asked about runs without a word.");
	else if (to_bad == AT_ANSWER_FAULT)
		say_fault(out, bad);
	else if (to_good == AT_ANSWER_FAULT)
		say_fault(out, good);
	else if (to_bad == AT_ANSWER_NONE)
		say(out, AT_HOOK_SILENT, AT_HOOK_ALLOWS,
			"It let a call pass that must be stopped (a forced push), without a word.");
	else if (is_stopped(to_good) || to_bad == AT_ANSWER_DEFER)
		say(out, AT_HOOK_BROKEN, AT_HOOK_DENIES,
			bad->status == 2 && good->status == 2
				? "It refuses a harmless call too (status 2, as an interpreter says of a missing "
				  "script): everything denied, and the session cannot mend it."
				: "It stops a harmless call too: everything denied.");
	else
		say(out, AT_HOOK_STOPS, AT_HOOK_AS_MEANT,
			"Run from another directory: the forced push is stopped, a harmless call passes.");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	if (type == FTW_DNR)
		chmod(path, 0700);
	remove(path);
	return 0;
}

bool at_hook_judge(
	struct at_hook_verdict *out, const struct at_hook_call *call, struct at_error *err)
{
	char home[] = "/tmp/atconsole-hook-XXXXXX";
	struct at_child_end bad = { 0 }, good = { 0 };
	bool ok;

	if (!mkdtemp(home)) {
		at_fail_sys(err, errno, "cannot make a home for the hook in /tmp");
		return false;
	}
	ok = ask(&bad, call, home, bad_command, err) && ask(&good, call, home, good_command, err);
	if (ok)
		judge(out, &bad, &good);
	at_child_end_free(&bad);
	at_child_end_free(&good);
	nftw(home, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	return ok;
}
