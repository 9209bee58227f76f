/* claude_doctor.c - asks the client itself which of its settings it would not load.
 *
 * Runs `claude doctor` in the project, without keys and with its own traffic switched off, and
 * keeps the lines of one section. What they say is the client's word, quoted. (WIRE-8)
 */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/child.h"
#include "core/mem.h"
#include "emit/claude.h"

#define TIMEOUT_MS 20000
#define OUTPUT_CAP ((size_t)256 << 10)
#define LINES_MAX 50

static bool find_client(char out[PATH_MAX], const char *search_path)
{
	for (const char *p = search_path; p && *p; p += strcspn(p, ":"), p += *p == ':') {
		size_t len = strcspn(p, ":");
		struct stat st;

		/* A relative part of PATH would start what the project holds. */
		if (*p == '/' &&
			snprintf(out, PATH_MAX, "%.*s/claude", (int)len, p) < PATH_MAX &&
			stat(out, &st) == 0 && S_ISREG(st.st_mode) && access(out, X_OK) == 0)
			return true;
	}
	return false;
}

static bool run(struct at_child_end *end, const char *program, const struct at_project *project,
	struct at_arena *arena, struct at_error *err)
{
	const char *const argv[] = { program, "doctor", NULL };
	const char *const env[] = {
		at_arena_printf(arena, "PATH=%s", project->host->search_path),
		at_arena_printf(arena, "HOME=%s", project->host->home), /* its own settings are there */
		"LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", NULL,
	};
	const struct at_child_call call = { .argv = argv, .env = env, .cwd = project->path,
		.timeout_ms = TIMEOUT_MS, .cap = OUTPUT_CAP };

	return at_child_run(end, &call, err);
}

static const char *trimmed(struct at_arena *arena, const char *from, size_t len)
{
	while (len > 0 && isspace((unsigned char)from[len - 1]))
		len--;
	while (len > 0 && isspace((unsigned char)*from)) {
		from++;
		len--;
	}
	return at_arena_strndup(arena, from, len);
}

/* The section: its title on a line, then lines that begin with "- " or are indented. */
static size_t take_section(struct at_wiring *report, const char *text)
{
	bool inside = false;
	size_t taken = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *line = trimmed(report->arena, text, len);
		bool belongs = text[0] == ' ' || text[0] == '-' || text[0] == '\t';

		if (inside && *line && !belongs)
			inside = false;
		if (inside && *line && taken < LINES_MAX) {
			at_wiring_add(report, "client-says", *line == '-' ? AT_FAIL : AT_NOTE,
				"claude doctor", "", "%s",
				line + (*line == '-' ? strspn(line, "- ") : 0));
			taken++;
		}
		if (strcmp(line, "Invalid settings") == 0)
			inside = true;
		text += len + (text[len] == '\n');
	}
	return taken;
}

static void listen(struct at_wiring *report, const struct at_child_end *end)
{
	const char *text = at_buf_text(&end->out);

	if (end->timed_out || end->signal || end->status == 126 || end->status == 127)
		at_wiring_add(report, "client-failed", AT_WARN, "claude doctor", "",
			"claude doctor %s: what the client thinks of the settings is not known.",
			end->timed_out ? "did not end in time" : "could not be run to its end");
	else if (take_section(report, text) == 0 && strstr(text, "Claude Code doctor"))
		at_wiring_add(report, "client-says", AT_OKAY, "claude doctor", "",
			"The client lists no invalid settings. It does not look at hook matchers, "
			"wildcards in paths or keys that it does not know.");
	else if (!strstr(text, "Claude Code doctor"))
		at_wiring_add(report, "client-failed", AT_WARN, "claude doctor", "",
			"What claude doctor printed is not the report that is known here.");
}

void at_claude_ask_client(struct at_wiring *report, const struct at_project *project)
{
	struct at_child_end end;
	char program[PATH_MAX];
	struct at_error err;

	if (!find_client(program, project->host->search_path)) {
		at_wiring_add(report, "client-absent", AT_NOTE, "",
			"Install claude, or ask it elsewhere.",
			"No claude is on PATH: it could not be asked what it would load.");
		return;
	}
	if (!run(&end, program, project, report->arena, &err)) {
		at_wiring_add(report, "client-failed", AT_WARN, program, "", "%s.", err.message);
		return;
	}
	listen(report, &end);
	at_child_end_free(&end);
}
