#include "core/launch_line.h"

#include <string.h>

/* What the operator puts in place of the last words: the harness's own command. */
static const char *const commands[AT_FRAMEWORK_COUNT] = {
	[AT_CLAUDE] = "claude",
	[AT_GOOSE] = "goose session",
	[AT_CODEX] = "codex --sandbox danger-full-access",
	[AT_COPILOT_VSCODE] = "code --wait .",
	[AT_COPILOT_CLI] = "copilot",
	[AT_AGENTS_MD] = "YOUR-AGENT",
};

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
static void put_path(struct at_buf *out, const char *path)
{
	if (path[0] == '~' && (path[1] == '/' || path[1] == '\0')) {
		at_buf_puts(out, "\"$HOME\"");
		path++;
	} else if (path[0] != '/') {
		at_buf_puts(out, "\"$PWD\"");
		if (strncmp(path, "./", 2) == 0)
			path += 2;
		if (strcmp(path, ".") == 0 || !*path)
			return;
		at_buf_putc(out, '/');
	}
	if (*path)
		put_quoted(out, path);
}

void at_launch_line(struct at_buf *out, const struct at_manifest *manifest)
{
	const struct at_request *request = manifest->request;
	const struct at_texts *hidden = &request->protected_read_paths;
	bool is_claude = manifest->framework == AT_CLAUDE;
	size_t first = is_claude ? 0 : 1;

	at_buf_puts(out, AT_LAUNCHER " --scratch ");
	put_path(out, is_claude || manifest->root_count == 0 ? "." : manifest->roots[0].path);
	for (size_t i = first; i < manifest->root_count; i++) {
		if (strcmp(manifest->roots[i].path, ".") == 0 && is_claude)
			continue;
		at_buf_puts(out, " --writable ");
		put_path(out, manifest->roots[i].path);
	}
	if (is_claude)
		at_buf_puts(out, " --protect \"$PWD\"/.claude");
	for (size_t i = 0; request->profile == AT_EXCLUSIVE && i < hidden->count; i++) {
		at_buf_puts(out, " --exclude ");
		put_path(out, hidden->items[i]);
	}
	if (request->protect_prompt_roots)
		at_buf_puts(out, " --protect-prompt-roots");
	at_buf_printf(out, " --egress deny -- %s", commands[manifest->framework]);
}

const char *at_launch_egress_note(void)
{
	return "With `--egress deny` the agent reaches no network and so no remote model; `proxy` "
	       "lets it reach what your filtering proxy allows; `host` opens the whole network.";
}
