/* .codex/confined-run.example.sh: the asset, with what the brief asks for. (WP-3) */
#include <string.h>

#include "core/mem.h"
#include "emit/artefact.h"
#include "emit/assets.h"
#include "emit/codex.h"

struct fill {
	const struct at_plan *plan;
	const struct at_manifest *manifest;
	bool gate;
};

static void put_quoted(struct at_buf *out, struct at_bytes text)
{
	at_buf_putc(out, '\'');
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] == '\'')
			at_buf_puts(out, "'\\''");
		else
			at_buf_putc(out, text.data[i]);
	at_buf_putc(out, '\'');
}

static void put_lines(struct at_buf *out, struct at_buf *lines)
{
	put_quoted(out, at_buf_bytes(lines));
	at_buf_free(lines);
}

static void put_roots(struct at_buf *out, const struct fill *in)
{
	struct at_buf lines = { 0 };

	for (size_t i = 0; i < in->manifest->root_count; i++)
		at_buf_printf(&lines, "%s%s", i ? "\n" : "", in->manifest->roots[i].path);
	put_lines(out, &lines);
}

static void put_hidden(struct at_buf *out, const struct fill *in)
{
	const struct at_request *request = in->manifest->request;
	const struct at_texts *paths = &request->protected_read_paths;
	struct at_buf lines = { 0 };

	for (size_t i = 0; request->profile == AT_EXCLUSIVE && i < paths->count; i++)
		at_buf_printf(&lines, "%s%s", i ? "\n" : "", paths->items[i]);
	put_lines(out, &lines);
}

static void put_prompt_roots(struct at_buf *out, const struct fill *in)
{
	at_buf_puts(out, in->manifest->request->protect_prompt_roots ? "yes" : "''");
}

static void put_gate(struct at_buf *out, const struct fill *in)
{
	at_buf_puts(out, in->gate ? "yes" : "''");
}

/* Of what the plan would write, or finds there already: never of a file that it lets stand. */
static void put_pin(struct at_buf *out, const struct fill *in, const char *path)
{
	const struct at_change *change = at_codex_change(in->plan, path);
	struct at_digest digest;
	char hex[AT_DIGEST_HEX];

	if (!in->gate || !change || change->kind == AT_KEPT) {
		at_buf_puts(out, "''");
		return;
	}
	digest = at_digest_of(change->bytes);
	at_digest_hex(hex, &digest);
	at_buf_puts(out, hex);
}

static void put_pin_hooks(struct at_buf *out, const struct fill *in)
{
	put_pin(out, in, AT_CODEX_HOOKS);
}

static void put_pin_role_gate(struct at_buf *out, const struct fill *in)
{
	put_pin(out, in, at_codex_programs[0].path);
}

static void put_pin_readfs(struct at_buf *out, const struct fill *in)
{
	put_pin(out, in, at_codex_programs[1].path);
}

/* In the order of the asset. */
static const struct {
	const char *sign;
	void (*put)(struct at_buf *out, const struct fill *in);
} open_places[] = {
	{ "@CODEX_ROOTS@", put_roots },
	{ "@CODEX_HIDDEN@", put_hidden },
	{ "@CODEX_PROMPT_ROOTS@", put_prompt_roots },
	{ "@CODEX_GATE@", put_gate },
	{ "@CODEX_PIN_HOOKS@", put_pin_hooks },
	{ "@CODEX_PIN_ROLE_GATE@", put_pin_role_gate },
	{ "@CODEX_PIN_READFS@", put_pin_readfs },
};

static void render(struct at_buf *out, const struct fill *in)
{
	const char *text = at_asset_codex_run.data, *end = text + at_asset_codex_run.len;

	for (size_t i = 0; i < AT_LEN(open_places); i++) {
		size_t len = strlen(open_places[i].sign);
		const char *at = memmem(text, (size_t)(end - text), open_places[i].sign, len);

		at_buf_put(out, text, (size_t)(at - text));
		open_places[i].put(out, in);
		text = at + len;
	}
	at_buf_put(out, text, (size_t)(end - text));
}

static bool is_plain(const char *path, struct at_error *err)
{
	for (const char *c = path; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f) {
			at_fail(err, AT_EREFUSED,
				"no start script can hold the path '%s': there is a "
				"control character in it",
				path);
			at_error_name(err, "launch-path");
			at_error_hint(err, "Rename the directory, or take it out of the brief.");
			return false;
		}
	return true;
}

static bool are_plain(const struct at_manifest *manifest, struct at_error *err)
{
	const struct at_texts *hidden = &manifest->request->protected_read_paths;

	for (size_t i = 0; i < manifest->root_count; i++)
		if (!is_plain(manifest->roots[i].path, err))
			return false;
	for (size_t i = 0; i < hidden->count; i++)
		if (!is_plain(hidden->items[i], err))
			return false;
	return true;
}

static void say_edited(
	struct at_notices *notices, const struct at_project *project, struct at_bytes wanted)
{
	struct at_file old;

	if (at_artefact_look(&old, project, AT_CODEX_RUNNER, wanted) == AT_ARTEFACT_EDITED)
		at_notice(notices, "codex-runner-edited",
			AT_CODEX_RUNNER " is not what this version emits, and no record of a run "
					"knows it. --update replaces it; --undo gives it back.");
	at_file_free(&old);
}

bool at_codex_plan_runner(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err)
{
	const struct fill in = { plan, manifest, at_codex_has_gate(manifest) };
	struct at_buf text = { 0 };
	bool done;

	if (!are_plain(manifest, err))
		return false;
	render(&text, &in);
	say_edited(notices, project, at_buf_bytes(&text));
	done = at_plan_add(plan, project->fd, AT_IN_PROJECT, AT_CODEX_RUNNER, at_buf_bytes(&text),
		0755, AT_PLAN_WRITE,
		in.gate ? "starts codex inside the launcher; pins the hook and its programs"
			: "starts codex inside the launcher",
		err);
	at_buf_free(&text);
	return done;
}
