#include "core/launch_line.h"

#include <stdlib.h>
#include <string.h>

#include "core/control_plane.h"
#include "core/mem.h"

/* What the operator puts in place of the last words: the harness's own command. */
static const char *const commands[AT_FRAMEWORK_COUNT] = {
	[AT_CLAUDE] = "claude",
	[AT_GOOSE] = "goose session",
	[AT_CODEX] = "codex --sandbox danger-full-access",
	[AT_COPILOT_VSCODE] = "code --wait .",
	[AT_COPILOT_CLI] = "copilot",
	[AT_AGENTS_MD] = "YOUR-AGENT",
};

const char *at_launch_command(enum at_framework_id framework)
{
	return commands[framework];
}

static void put_quoted(struct at_buf *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-+,:@%=";

	if (*text && text[strspn(text, plain)] == '\0') {
		at_buf_puts(out, text);
		return;
	}
	at_buf_putc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			at_buf_puts(out, "'\\''");
		else
			at_buf_putc(out, *text);
	}
	at_buf_putc(out, '\'');
}

/* The two variables keep the line good on another machine; only what follows is quoted. */
void at_launch_path(struct at_buf *out, const char *base, const char *path)
{
	if (path[0] == '~' && (path[1] == '/' || path[1] == '\0')) {
		at_buf_puts(out, "\"$HOME\"");
		path++;
	} else if (path[0] != '/') {
		at_buf_puts(out, base);
		if (strncmp(path, "./", 2) == 0)
			path += 2;
		if (strcmp(path, ".") == 0 || !*path)
			return;
		at_buf_putc(out, '/');
	}
	if (*path)
		put_quoted(out, path);
}

static void add(struct at_launch_paths *out, const char *option, const char *path)
{
	out->items = at_grow(out->items, &out->cap, out->count, sizeof(*out->items));
	out->items[out->count++] = (struct at_launch_path){ option, path };
}

/* Of the control plane's own table: directories that only --protect keeps. */
static void add_protected(struct at_launch_paths *out, const struct at_manifest *manifest)
{
	for (size_t i = 0; i < at_control_plane_count; i++) {
		const struct at_plane_row *row = &at_control_plane[i];

		if ((row->use & AT_PLANE_LAUNCHER_PROTECT)
			&& (row->only < 0 || row->only == (int)manifest->framework))
			add(out, "--protect", row->path);
	}
}

void at_launch_paths_of(struct at_launch_paths *out, const struct at_manifest *manifest)
{
	const struct at_request *request = manifest->request;
	const struct at_texts *hidden = &request->protected_read_paths;
	bool is_claude = manifest->framework == AT_CLAUDE;

	*out = (struct at_launch_paths){ 0 };
	add(out, "--scratch",
		is_claude || manifest->root_count == 0 ? "." : manifest->roots[0].path);
	for (size_t i = is_claude ? 0 : 1; i < manifest->root_count; i++)
		if (!is_claude || strcmp(manifest->roots[i].path, ".") != 0)
			add(out, "--writable", manifest->roots[i].path);
	add_protected(out, manifest);
	for (size_t i = 0; request->profile == AT_EXCLUSIVE && i < hidden->count; i++)
		add(out, "--exclude", hidden->items[i]);
}

static bool check(const struct at_launch_paths *paths, struct at_error *err)
{
	for (size_t i = 0; i < paths->count; i++) {
		for (const char *c = paths->items[i].path; *c; c++) {
			if ((unsigned char)*c >= ' ' && *c != 0x7f)
				continue;
			at_fail(err, AT_EREFUSED,
				"no launch line can hold the path of %s '%s': there is a control "
				"character in it",
				paths->items[i].option, paths->items[i].path);
			at_error_name(err, "launch-path");
			at_error_hint(err, "Rename the directory, or take it out of the brief.");
			return false;
		}
	}
	return true;
}

bool at_launch_line(struct at_buf *out, const struct at_manifest *manifest, struct at_error *err)
{
	struct at_launch_paths paths;
	bool fine;

	at_launch_paths_of(&paths, manifest);
	fine = check(&paths, err);
	if (fine) {
		at_buf_puts(out, AT_LAUNCHER);
		for (size_t i = 0; i < paths.count; i++) {
			at_buf_printf(out, " %s ", paths.items[i].option);
			at_launch_path(out, "\"$PWD\"", paths.items[i].path);
		}
		if (manifest->request->protect_prompt_roots)
			at_buf_puts(out, " --protect-prompt-roots");
		at_buf_printf(out, " --egress deny -- %s", commands[manifest->framework]);
	}
	free(paths.items);
	return fine;
}

static const struct at_launch_egress egress[] = {
	{ "deny", "the agent reaches no network and so no remote model" },
	{ "proxy", "lets it reach what your filtering proxy allows, the model's address among it" },
	{ "host", "opens the whole network, this host's own services too" },
};

const struct at_launch_egress *at_launch_egress(size_t i)
{
	return i < AT_LEN(egress) ? &egress[i] : NULL;
}

const char *at_launch_egress_note(void)
{
	return "With `--egress deny` the agent reaches no network and so no remote model; `proxy` "
	       "lets it reach what your filtering proxy allows; `host` opens the whole network.";
}

/* Where a line may be torn, and in what quotes it then is. Nothing is torn inside double
 * quotes, behind a backslash, or within a character of several bytes. */
struct tear {
	bool quoted, doubled, escaped;
};

static bool step(struct tear *at, const char *c)
{
	if (at->escaped) {
		at->escaped = false;
	} else if (at->quoted) {
		at->quoted = *c != '\'';
	} else if (*c == '"') {
		at->doubled = !at->doubled;
	} else if (*c == '\'') {
		at->quoted = true;
	} else if (*c == '\\') {
		at->escaped = true;
	}
	return !at->doubled && !at->escaped && ((unsigned char)c[1] & 0xc0) != 0x80;
}

/* In front of the last option within `room`, else the last blank between words, else where a
 * word has to be torn. */
static size_t end_of_piece(const char *text, bool quoted, size_t room, bool *torn_quoted)
{
	struct tear at = { .quoted = quoted };
	size_t option = 0, blank = 0, tear = 0;

	for (size_t i = 0; text[i] && i < room; i++) {
		if (text[i] == ' ' && !at.quoted && !at.doubled)
			blank = i + 1;
		if (i && blank == i + 1 && strncmp(text + blank, "--", 2) == 0)
			option = blank;
		if (!step(&at, text + i))
			continue;
		/* room for the closing quote */
		if (i + 1 + (at.quoted ? 1 : 0) <= room) {
			tear = i + 1;
			*torn_quoted = at.quoted;
		}
	}
	if (blank) {
		*torn_quoted = false;
		return option ? option : blank;
	}
	return tear;
}

bool at_launch_wrap(struct at_buf *out, const char *line, size_t *from, bool *quoted, int width)
{
	const char *text = line + *from;
	/* a backslash and what opens a quote again */
	size_t room = width > 24 ? (size_t)width - 2 : 22, len = strlen(text), cut;
	bool was = *quoted;

	if (!*text)
		return false;
	if (was)
		at_buf_putc(out, '\'');
	if (width <= 0 || len + was <= room) {
		at_buf_puts(out, text);
		*from += len;
		return true;
	}
	cut = end_of_piece(text, was, room - was, quoted);
	if (cut == 0) { /* nothing can be torn: as it is */
		at_buf_puts(out, text);
		*from += len;
		return true;
	}
	at_buf_put(out, text, cut);
	at_buf_puts(out, *quoted ? "'\\" : "\\");
	*from += cut;
	return true;
}
