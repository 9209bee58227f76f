#include "core/host_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "core/host_fix.h"
#include "core/host_impl.h"
#include "core/mem.h"
#include "core/wiring.h"

static const char *const state_names[] = { "ok", "missing", "restricted", "open", "unknown" };
static const char *const start_names[] = { "can start", "weaker", "not known", "cannot start" };

const char *at_host_state_name(enum at_host_state state)
{
	return state_names[state];
}

const char *at_host_start_name(enum at_host_start start)
{
	return start_names[start];
}

/* In the order of the columns of `means`. */
static const struct {
	enum at_platform platform;
	const char *name;
	enum at_mechanism is;
} mechanisms[] = {
	{ AT_LINUX, "claude-native", AT_CLAUDE_NATIVE },
	{ AT_LINUX, "launcher-linux", AT_LAUNCHER_LINUX },
	{ AT_LINUX, "launcher-linux --harden", AT_NO_MECHANISM },
	{ AT_DARWIN, "claude-seatbelt", AT_CLAUDE_SEATBELT },
	{ AT_DARWIN, "launcher-macos", AT_LAUNCHER_MACOS },
	{ AT_DARWIN, "goose-seatbelt", AT_GOOSE_SEATBELT },
};

static meanings wsl1 = { STOPS("there are no namespaces"), STOPS("there are no namespaces"),
	STOPS("there are no namespaces") };
static meanings no_seatbelt = { STOPS("nothing can be confined"),
	STOPS("the launcher refuses to start"), STOPS("nothing can be confined") };
static meanings unseen_seatbelt = { HIDES("it needs sandbox-exec"), HIDES("it needs sandbox-exec"),
	HIDES("it needs sandbox-exec") };
static meanings fine_seatbelt = { SAYS("UNVERIFIED until its own tests pass here"),
	SAYS("UNVERIFIED until its own tests pass here"),
	SAYS("UNVERIFIED until its own tests pass here") };
meanings at_host_means_nothing = { NOTHING, NOTHING, NOTHING };

struct at_host_item *at_host_add(struct at_host_report *r, const char *id, enum at_host_state state,
	const struct at_host_meaning *means, const char *format, ...)
{
	struct at_host_item *item;
	struct at_buf text = { 0 };
	char line[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	at_buf_puts(&text, line);
	r->items = at_grow(r->items, &r->cap, r->count, sizeof(*r->items));
	item = &r->items[r->count++];
	*item = (struct at_host_item){ .id = id,
		.state = state,
		.advice = "",
		.command = "",
		.text = at_arena_strdup(r->arena, at_buf_text(&text)) };
	memcpy(item->means, means, sizeof(item->means));
	at_buf_free(&text);
	return item;
}

void at_host_fix(struct at_host_item *item, const char *command, const char *advice)
{
	item->command = command;
	item->advice = advice;
}

const char *at_host_sudo(const struct at_host_report *r, const char *command)
{
	return r->seen->is_root ? command : at_arena_printf(r->arena, "sudo %s", command);
}

void at_host_fix_install(struct at_host_report *r, struct at_host_item *item, const char *package)
{
	struct at_buf command = { 0 };

	at_host_install(&command, r->seen->family, package, r->seen->is_root);
	item->command = at_arena_strdup(r->arena, at_buf_text(&command));
	item->advice = command.len
		? "Or run " AT_HOST_DEPS ", which tries them afterwards."
		: at_arena_printf(r->arena,
			"Install %s with this system's package manager, or run " AT_HOST_DEPS ".",
			package);
	at_buf_free(&command);
}

const char *at_host_why_not_run(const struct at_host_seen *seen)
{
	return !seen->tools_were_looked_for ? "it was not looked for" : "nothing was run";
}

const char *at_host_ending(struct at_host_report *r, const struct at_try *t)
{
	if (t->result == AT_TRIED_HANGS)
		return "it did not end in time";
	if (t->said[0])
		return at_arena_printf(r->arena, "\"%s\"", t->said);
	if (t->sys)
		return at_arena_printf(r->arena, "it could not be started: %s", strerror(t->sys));
	return at_arena_printf(r->arena, "it ended with status %d", t->status);
}

static void judge_linux(struct at_host_report *r)
{
	if (r->seen->wsl == 1) {
		at_host_fix(
			at_host_add(r, "wsl", AT_HOST_MISSING, wsl1,
				"WSL1 is no Linux kernel: no mechanism of this program works "
				"here."),
			"wsl.exe --set-version DISTRIBUTION 2",
			"In Windows, with the name that wsl.exe --list prints; or use Linux.");
		return;
	}
	at_host_judge_wsl2(r);
	at_host_judge_needs(r);
	at_host_judge_layers(r);
}

static void judge_darwin(struct at_host_report *r)
{
	const struct at_host_tool *tool = &r->seen->seatbelt;
	const struct at_try *t = &r->seen->seatbelt_try;

	if (!r->seen->tools_were_looked_for)
		at_host_add(r, "sandbox-exec", AT_HOST_UNKNOWN, unseen_seatbelt,
			"sandbox-exec was not looked for.");
	else if (!tool->path[0])
		at_host_add(r, "sandbox-exec", AT_HOST_MISSING, no_seatbelt,
			"sandbox-exec is not on PATH; it is part of macOS, in /usr/bin.");
	else if (tool->fault[0])
		at_host_fix(at_host_add(r, "sandbox-exec", AT_HOST_RESTRICTED, no_seatbelt,
				    "%s is the first on PATH, and %s: it was not run.", tool->path,
				    tool->fault),
			"", "Take it off PATH, so that /usr/bin/sandbox-exec is found first.");
	else if (t->result == AT_TRIED_NOT)
		at_host_add(r, "sandbox-exec", AT_HOST_UNKNOWN, unseen_seatbelt,
			"It was not tried: nothing was run.");
	else if (t->result == AT_TRIED_WELL)
		at_host_add(r, "sandbox-exec", AT_HOST_OK, fine_seatbelt,
			"A command ran below a profile.");
	else
		at_host_fix(
			at_host_add(r, "sandbox-exec", AT_HOST_RESTRICTED, no_seatbelt,
				"No command can be run below a profile: %s.", at_host_ending(r, t)),
			"",
			"Inside another sandbox none can be made: try it in a terminal of your "
			"own.");
}

static enum at_host_start start_of(enum at_host_effect effect)
{
	static const enum at_host_start starts[] = { [AT_HOST_FINE] = AT_CAN_START,
		[AT_HOST_WEAKENS] = AT_STARTS_WEAKER,
		[AT_HOST_HIDES] = AT_START_UNKNOWN,
		[AT_HOST_STOPS] = AT_CANNOT_START };

	return starts[effect];
}

static void conclude(struct at_host_report *r)
{
	for (size_t i = 0; i < AT_LEN(mechanisms); i++) {
		struct at_host_mechanism *m = &r->mechanisms[r->mechanism_count];
		enum at_host_effect worst = AT_HOST_FINE;

		if (mechanisms[i].platform != r->seen->platform)
			continue;
		*m = (struct at_host_mechanism){
			.name = mechanisms[i].name, .is = mechanisms[i].is, .why = ""
		};
		for (size_t k = 0; k < r->count; k++) {
			const struct at_host_item *item = &r->items[k];

			if (item->means[r->mechanism_count].effect <= worst)
				continue;
			worst = item->means[r->mechanism_count].effect;
			m->why = item->text;
		}
		m->start = start_of(worst);
		r->mechanism_count++;
	}
}

void at_host_judge(struct at_host_report *out, const struct at_host_seen *seen)
{
	*out = (struct at_host_report){ .arena = at_arena_new(), .seen = seen };
	if (seen->platform == AT_LINUX)
		judge_linux(out);
	else if (seen->platform == AT_DARWIN)
		judge_darwin(out);
	else
		at_host_add(out, "platform", AT_HOST_MISSING, at_host_means_nothing,
			"No mechanism of this program works on %s.",
			at_platform_name(seen->platform));
	conclude(out);
}

void at_host_report_free(struct at_host_report *report)
{
	free(report->items);
	at_arena_free(report->arena);
	*report = (struct at_host_report){ 0 };
}

const struct at_host_mechanism *at_host_own(
	const struct at_host_report *report, enum at_mechanism own)
{
	for (size_t i = 0; own != AT_NO_MECHANISM && i < report->mechanism_count; i++)
		if (report->mechanisms[i].is == own)
			return &report->mechanisms[i];
	return NULL;
}

static bool starts(const struct at_host_mechanism *m)
{
	return m->start <= AT_STARTS_WEAKER;
}

bool at_host_passes(const struct at_host_report *report, enum at_mechanism own)
{
	const struct at_host_mechanism *mine = at_host_own(report, own);
	bool any = false;

	for (size_t i = 0; i < report->mechanism_count; i++)
		any |= report->mechanisms[i].is != AT_NO_MECHANISM
			&& starts(&report->mechanisms[i]);
	return any && (own == AT_NO_MECHANISM || (mine && starts(mine)));
}

/* What stopped it says what mends it. */
static const char *remedy_of(const struct at_host_report *report, size_t column, struct at_buf *out)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct at_host_item *item = &report->items[i];

		if (item->means[column].effect != AT_HOST_STOPS)
			continue;
		at_buf_printf(
			out, "%s%s%s", item->command, *item->command ? "   " : "", item->advice);
		break;
	}
	return at_buf_text(out);
}

/* A program that is missing or foreign is a finding of the check of claude's own files. */
static bool is_told_by_claude(const struct at_host_seen *seen)
{
	return seen->wsl != 1
		&& (!seen->bwrap.path[0] || seen->bwrap.fault[0] || !seen->socat.path[0]
			|| seen->socat.fault[0]);
}

void at_host_find(
	const struct at_host_report *report, enum at_mechanism own, struct at_wiring *wiring)
{
	const struct at_host_mechanism *mine = at_host_own(report, own);
	struct at_buf remedy = { 0 };

	if (!mine || mine->start != AT_CANNOT_START
		|| (own == AT_CLAUDE_NATIVE && is_told_by_claude(report->seen)))
		return;
	remedy_of(report, (size_t)(mine - report->mechanisms), &remedy);
	if (report->seen->wsl == 1)
		at_wiring_add(wiring, "host-wsl1", AT_FAIL, "host", at_buf_text(&remedy), "%s",
			report->items[0].text);
	else
		at_wiring_add(wiring, "host-cannot-start", AT_WARN, "host", at_buf_text(&remedy),
			"%s cannot start on this host: %s", mine->name, mine->why);
	at_buf_free(&remedy);
}
