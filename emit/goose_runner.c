/* goose_runner.c - .goose/confined-run.example.sh: the asset, with the brief's paths put in. */
#include "emit/goose.h"

#include <string.h>

#include "core/launch_line.h"
#include "core/mem.h"
#include "emit/assets.h"

#define TEAM_MARK "team=team #@TEAM@\n"
#define BRIEF_MARK "#@BRIEF@\n"

/* No control character is in a path that the brief's reader and the bans let through but one of
 * a grant: a line of the script must stay one. */
static bool check(const char *path, struct at_error *err)
{
	for (const char *c = path; *c; c++) {
		if ((unsigned char)*c >= ' ' && *c != 127)
			continue;
		at_fail(err, AT_EREFUSED, AT_GOOSE_RUNNER " cannot hold the path '%s': there is a "
			"control character in it", path);
		at_error_name(err, "launch-path");
		at_error_hint(err, "Rename the directory, or take it out of the brief.");
		return false;
	}
	return true;
}

/* ~ and ~user are no place that the launcher could hide. */
static bool can_be_excluded(const char *path)
{
	return path[0] != '~' || (path[1] == '/' && path[2]);
}

static bool put(struct at_buf *out, const char *option, const char *path, struct at_error *err)
{
	if (!check(path, err))
		return false;
	at_buf_printf(out, "set -- %s ", option);
	at_launch_path(out, "\"$REPO_ROOT\"", path);
	at_buf_puts(out, " \"$@\"\n");
	return true;
}

static bool put_brief(struct at_buf *out, const struct at_manifest *manifest, struct at_error *err)
{
	const struct at_request *request = manifest->request;
	const struct at_texts *hidden = &request->protected_read_paths;
	size_t skipped = 0;

	for (size_t i = manifest->root_count; i-- > 0;) /* each goes before what is there */
		if (!put(out, "--writable", manifest->roots[i].path, err))
			return false;
	for (size_t i = 0; request->profile == AT_EXCLUSIVE && i < hidden->count; i++) {
		if (!can_be_excluded(hidden->items[i]))
			skipped++;
		else if (!put(out, "--exclude", hidden->items[i], err))
			return false;
	}
	if (skipped)
		at_buf_printf(out, "# NOT HIDDEN: %zu of protected_read_paths, which name a whole "
			"home.\n", skipped);
	if (request->protect_prompt_roots)
		at_buf_puts(out, "set -- --protect-prompt-roots \"$@\"\n");
	return true;
}

/* What stands before the mark is put into `out`, and the text moves behind it. */
static void put_until(struct at_buf *out, const char **text, const char *mark)
{
	const char *at = strstr(*text, mark);

	at_buf_put(out, *text, (size_t)(at - *text));
	*text = at + strlen(mark);
}

bool at_goose_runner(struct at_buf *out, const struct at_manifest *manifest, struct at_error *err)
{
	const char *text = at_asset_goose_runner.data; /* the bytes end in a NUL */

	put_until(out, &text, TEAM_MARK);
	at_buf_printf(out, "team=%s\n", manifest->request->team_id);
	put_until(out, &text, BRIEF_MARK);
	if (!put_brief(out, manifest, err))
		return false;
	at_buf_puts(out, text);
	return true;
}
