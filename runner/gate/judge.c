#include "runner/gate/judge.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/safetext.h"
#include "runner/gate/feed.h"
#include "runner/gate/interp.h"
#include "runner/gate/peel.h"
#include "runner/gate/rules.h"
#include "runner/gate/signs.h"

#define SHOWN 240

static const struct {
	const char *id, *class, *text;
} ids[] = {
#define ID(name, id, class, text, source) [ID_##name] = { id, class, text },
#include "runner/gate/ids.def"
#undef ID
};

void gate_verdict_take(struct gate_verdict *out, const struct gate_verdict *other)
{
	bool stronger = other->decision > out->decision;

	/* Of two asks the one that bypass mode turns into a deny is the stronger. */
	if (other->decision == out->decision && other->decision == GATE_ASK)
		stronger = other->irreversible && !out->irreversible;
	if (stronger)
		*out = *other;
}

/* The words as the person may read them: marks for what has no shape, no line breaks. */
static void show_words(struct at_buf *out, const struct gate_args *args)
{
	struct at_buf raw = { 0 };

	for (size_t i = 0; i < args->count && raw.len < SHOWN; i++) {
		if (i)
			at_buf_putc(&raw, ' ');
		for (const char *p = args->words[i].text.data; *p && raw.len < SHOWN; p++)
			at_buf_putc(&raw, *p == SHELL_UNKNOWN ? '?' : *p);
	}
	if (raw.len >= SHOWN)
		at_buf_puts(&raw, " ...");
	at_safe_text(out, at_buf_bytes(&raw), false);
	at_buf_free(&raw);
}

static void explain(struct judge *judge, const char *what, const struct gate_args *args)
{
	if (!judge->told)
		return;
	at_buf_pad(judge->told, ' ', 2 + 2 * (size_t)judge->depth);
	at_buf_puts(judge->told, what);
	if (args) {
		at_buf_puts(judge->told, ": ");
		show_words(judge->told, args);
	}
	at_buf_putc(judge->told, '\n');
}

static void found(struct judge *judge, enum gate_decision decision, enum judge_id id,
	bool irreversible, const char *what, const struct gate_args *args)
{
	struct gate_verdict verdict = { .decision = decision,
		.reason_id = ids[id].id,
		.class = ids[id].class,
		.irreversible = irreversible };
	struct at_buf shown = { 0 };
	char told[128];

	if (args)
		show_words(&shown, args);
	if (decision == GATE_DENY)
		snprintf(verdict.reason, sizeof(verdict.reason),
			"This command %s, in a place that no session may touch.", ids[id].text);
	else
		snprintf(verdict.reason, sizeof(verdict.reason), "This %s%s%s", what,
			shown.len ? ": " : ".", at_buf_text(&shown));
	at_buf_free(&shown);
	snprintf(told, sizeof(told), "%s %s, %s", decision == GATE_DENY ? "deny" : "ask",
		ids[id].id, what);
	explain(judge, told, NULL);
	gate_verdict_take(judge->out, &verdict);
	judge->finds++;
}

void judge_find(struct judge *judge, enum judge_id id, bool irreversible, const char *what,
	const struct gate_args *args)
{
	found(judge, GATE_ASK, id, irreversible, what, args);
}

void judge_deny(
	struct judge *judge, enum judge_id id, const char *what, const struct gate_args *args)
{
	found(judge, judge->elsewhere ? GATE_ASK : GATE_DENY, id, true, what, args);
}

void judge_unseen(struct judge *judge, const char *what, const struct gate_args *args)
{
	if (!judge->in_script)
		judge_find(judge, ID_UNSEEN, false, what, args);
}

void judge_fired(struct judge *judge, enum gate_table table, size_t row, size_t finds)
{
	if (judge->context->fired && judge->finds > finds)
		judge->context->fired(judge->context->user, table, row);
}

struct shell_word judge_word(struct judge *judge, const char *text, size_t len, unsigned flags)
{
	return (struct shell_word){ .flags = flags,
		.text = { at_arena_strndup(judge->arena, text, len), len } };
}

struct at_bytes judge_join(struct judge *judge, const struct gate_args *args, size_t at)
{
	struct at_buf buf = { 0 };
	struct at_bytes out;

	for (size_t i = at; i < args->count; i++) {
		if (i > at)
			at_buf_putc(&buf, ' ');
		at_buf_put(&buf, args->words[i].text.data, args->words[i].text.len);
	}
	out.len = buf.len;
	out.data = at_arena_strndup(judge->arena, at_buf_text(&buf), buf.len);
	at_buf_free(&buf);
	return out;
}

/* Of "$dir/bin/python" the name is known, where the directory cannot be several words. */
static bool hides_name(const struct shell_word *word)
{
	const char *slash = strrchr(word->text.data, '/');
	const char *name =
		slash && slash[1] && !(word->flags & SHELL_MAY_SPLIT) ? slash + 1 : word->text.data;

	return strchr(name, SHELL_UNKNOWN)
		|| ((word->flags & SHELL_HAS_GLOB) && strcmp(word->text.data, "["));
}

void judge_words(struct judge *judge, const struct shell_word *words, size_t count)
{
	struct gate_args args = { words, count };
	char name[64];

	if (!count)
		return;
	if (judge->depth >= JUDGE_DEPTH || judge->work++ >= JUDGE_WORK) {
		judge_find(judge, ID_DEEP, false, "is too deep or too long to be read", NULL);
		return;
	}
	judge->depth++;
	explain(judge, "runs", &args);
	if (signs_in_word(words[0].text)) {
		judge_find(judge, ID_SIGNS, false, "names its program with invisible signs", &args);
	} else if (!words[0].text.len) {
		/* `""` runs nothing. */
	} else if (hides_name(&words[0])) {
		judge_unseen(judge,
			"names its program in a way that hides it: the gate cannot see "
			"what this runs",
			&args);
	} else {
		args_name(name, sizeof(name), &words[0]);
		rules_apply(judge, &args, name);
		interp_apply(judge, &args, name);
		if (!peel_apply(judge, &args, name))
			peel_stranger(judge, &args, name);
	}
	judge->depth--;
}

enum target_weight judge_weigh(const struct judge *judge, const char *path)
{
	const char *place = judge->place->path;
	char joined[1024];
	int n;

	if (!place || *path == '/' || *path == '~')
		return target_weigh(path, judge->context);
	n = snprintf(joined, sizeof(joined), "%s/%s", place, path);
	return n > 0 && (size_t)n < sizeof(joined) ? target_weigh(joined, judge->context)
						   : TARGET_PLAIN;
}

static bool is_within(const struct shell_scope *scope, const struct shell_scope *of)
{
	while (scope && scope != of)
		scope = scope->around;
	return scope == of;
}

/* Subshells that are over take their place with them; a new one begins where it was started. */
static void find_place(struct judge *judge, const struct shell_scope *scope)
{
	struct judge_place *made;

	while (!is_within(scope, judge->place->scope))
		judge->place = judge->place->around;
	if (judge->place->scope == scope)
		return;
	made = at_arena_alloc(judge->arena, sizeof(*made));
	*made = *judge->place;
	made->around = judge->place;
	made->scope = scope;
	judge->place = made;
}

/* "cd .claude && …": what comes later is relative to there. */
static void note_place(struct judge *judge, const struct shell_command *command)
{
	struct judge_place *place = judge->place;
	const char *was = place->path;
	const char *path = "~";
	const char *name = "";
	size_t at = 0;

	while (at + 1 < command->count
		&& (!strcmp(command->words[at].text.data, "builtin")
			|| !strcmp(command->words[at].text.data, "command")))
		at++;
	if (at < command->count)
		name = command->words[at].text.data;
	if (at + 1 < command->count)
		path = command->words[command->count - 1].text.data;
	if (strcmp(name, "cd") && strcmp(name, "pushd") && strcmp(name, "popd"))
		return;
	if (!strcmp(name, "popd") || !strcmp(path, "-"))
		place->path = place->before;
	else if (strlen(path) > 400)
		place->path = NULL;
	else if (*path == '/' || *path == '~' || !was || strlen(was) > 400)
		place->path = at_arena_strdup(judge->arena, path);
	else
		place->path = at_arena_printf(judge->arena, "%s/%s", was, path);
	place->before = was;
}

static bool judge_told(void *user, const struct shell_command *command)
{
	struct judge *judge = user;
	const struct shell_command *before = judge->command;

	judge->command = command;
	find_place(judge, command->scope);
	feed_note_fetch(judge, command);
	judge_words(judge, command->words, command->count);
	rules_apply_redirects(judge, command);
	rules_apply_assigned(judge, command);
	note_place(judge, command);
	judge->command = before;
	return judge->work < JUDGE_WORK;
}

static void read_text(struct judge *judge, struct at_bytes text)
{
	struct judge_place place = { .around = judge->place };
	struct shell_reading reading = { 0 };

	if (place.around) {
		place.path = place.around->path;
		place.before = place.around->before;
	}
	judge->place = &place;
	shell_read(text, judge->environment, &shell_default_caps, judge->arena, judge_told, judge,
		&reading);
	judge->ended = place.path;
	judge->place = place.around;
	if (reading.too_much)
		judge_find(judge, ID_DEEP, false, "is too deep or too long to be read", NULL);
	if (reading.is_cut && !judge->in_script)
		judge_unseen(judge,
			"ends inside a quote or a here-document: the gate cannot see what "
			"this runs",
			NULL);
}

void judge_text(struct judge *judge, struct at_bytes text, const char *what)
{
	const struct shell_command *command = judge->command;
	const struct shell_command *outer = judge->outer;
	bool has_fetch = judge->has_fetch;
	size_t fetch_at = judge->fetch_at;

	if (judge->depth >= JUDGE_DEPTH) {
		judge_find(judge, ID_DEEP, false, "is too deep to be read", NULL);
		return;
	}
	judge->depth++;
	explain(judge, what, NULL);
	judge->outer = command ? command : outer;
	judge->has_fetch = false;
	read_text(judge, text);
	judge->command = command;
	judge->outer = outer;
	judge->has_fetch = has_fetch;
	judge->fetch_at = fetch_at;
	judge->depth--;
}

void judge_stay(struct judge *judge)
{
	judge->place->before = judge->place->path;
	judge->place->path = judge->ended;
}

static bool has_shell(const char *line, size_t len)
{
	for (size_t i = 2; i + 2 <= len; i++)
		if (!memcmp(line + i, "sh", 2) && (i + 2 == len || line[i + 2] == ' '))
			return true;
	return false;
}

static bool looks_like_shell(struct at_bytes text, const char *path)
{
	size_t len = strlen(path);
	size_t line = 0;
	const char *first = text.data;

	if (text.len > 2 && !memcmp(first, "#!", 2)) {
		while (line < text.len && line < 120 && first[line] != '\n')
			line++;
		return has_shell(first, line);
	}
	return len > 3 && !strcmp(path + len - 3, ".sh");
}

void judge_script(struct judge *judge, const struct shell_word *file, bool is_shell)
{
	struct at_buf text = { 0 };
	struct at_bytes kept;
	bool in_script = judge->in_script;

	if (!judge->context->read_script || judge->scripts >= JUDGE_SCRIPTS
		|| (file->flags & SHELL_HAS_UNKNOWN))
		return;
	judge->scripts++;
	if (judge->context->read_script(judge->context->user, file->text.data, JUDGE_SCRIPT, &text)
		&& text.len && !memchr(text.data, '\0', text.len)
		&& (is_shell || looks_like_shell(at_buf_bytes(&text), file->text.data))) {
		kept.len = text.len;
		kept.data = at_arena_strndup(judge->arena, text.data, text.len);
		judge->in_script = true;
		judge_text(judge, kept, "reads the script");
		judge->in_script = in_script;
	}
	at_buf_free(&text);
}

/* GATE-2, case 66: an ask that the session's mode would swallow. */
static void close_bypass(struct judge *judge)
{
	struct gate_verdict *out = judge->out;
	size_t i;

	if (!judge->context->bypass || !judge->context->closed || out->decision != GATE_ASK
		|| !out->irreversible)
		return;
	for (i = 0; i < ID_COUNT; i++)
		if (ids[i].id == out->reason_id)
			break;
	out->decision = GATE_DENY;
	snprintf(out->reason, sizeof(out->reason),
		"This command %s, which nothing brings back; the session's permission mode would "
		"answer the question by itself, so it is refused. Run it by hand, or in a session "
		"that asks.",
		i < ID_COUNT ? ids[i].text : "cannot be judged");
}

void gate_explain_command(struct gate_verdict *out, struct at_bytes command,
	const struct gate_context *context, struct at_buf *told)
{
	const char *environment[2] = { NULL, NULL };
	struct judge judge = { .context = context, .out = out, .told = told };

	*out = (struct gate_verdict){ .reason_id = "", .class = "" };
	judge.arena = at_arena_new();
	environment[0] =
		at_arena_printf(judge.arena, "HOME=%s", *context->home ? context->home : "/home/~");
	judge.environment = environment;
	if (signs_in_command(command))
		judge_find(&judge, ID_SIGNS, false, "holds control or invisible characters", NULL);
	read_text(&judge, command);
	close_bypass(&judge);
	at_arena_free(judge.arena);
}

void gate_judge_command(
	struct gate_verdict *out, struct at_bytes command, const struct gate_context *context)
{
	gate_explain_command(out, command, context, NULL);
}
