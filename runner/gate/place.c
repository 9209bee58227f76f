#include "runner/gate/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "runner/gate/scan.h"

static void resolve(char out[PATH_MAX], const char *path)
{
	if (!path || *path != '/' || !realpath(path, out))
		*out = '\0';
}

/* Absolute, seen from the session's directory; false when that is unknown. */
static bool join(char out[PATH_MAX], const struct gate_place *place, const char *path)
{
	if (*path != '/' && !*place->cwd)
		return false;
	if (*path == '/')
		return snprintf(out, PATH_MAX, "%s", path) < PATH_MAX;
	return snprintf(out, PATH_MAX, "%s/%s", place->cwd, path) < PATH_MAX;
}

/* `..` and links are at_file_read()'s to refuse: what they lead to is not known by the text. */
static bool read_script(void *user, const char *path, size_t cap, struct at_buf *out)
{
	struct gate_place *place = user;
	size_t len = strlen(place->project);
	char whole[PATH_MAX];
	struct at_file file;

	if (!len || !join(whole, place, path) || strncmp(whole, place->project, len) != 0
		|| whole[len] != '/')
		return false;
	if (place->root < 0)
		place->root = at_file_open_dir(-1, place->project, NULL);
	if (place->root < 0)
		return false;
	if (!at_file_read(&file, place->root, whole + len + strspn(whole + len, "/"),
		    cap < GATE_SCRIPT_CAP ? cap : GATE_SCRIPT_CAP, AT_FILE_NO_DIGEST, NULL))
		return false;
	at_buf_put(out, at_buf_text(&file.bytes), file.bytes.len);
	at_file_free(&file);
	return true;
}

void gate_place_init(struct gate_place *out, struct gate_context *context, const char *project,
	const char *cwd, const char *home)
{
	out->root = -1;
	resolve(out->project, project);
	resolve(out->cwd, cwd);
	context->project = out->project;
	context->cwd = out->cwd;
	context->home = home && *home == '/' ? home : "";
	context->read_script = *out->project ? read_script : NULL;
	context->user = out;
}

bool gate_place_may_quote(const struct gate_place *place, const char *path)
{
	char whole[PATH_MAX], dir[PATH_MAX], physical[PATH_MAX];
	char *slash;

	if (!*path || !*place->project || !join(whole, place, path))
		return false;
	slash = strrchr(whole, '/');
	if (!slash[1] || strcmp(slash, "/..") == 0 || strcmp(slash, "/.") == 0)
		return false;
	/* A link at the file itself leads to where the text really goes. */
	if (realpath(whole, physical))
		return scan_may_quote(physical, place->project);
	*slash = '\0';
	if (!realpath(*whole ? whole : "/", dir)
		|| snprintf(physical, sizeof(physical), "%s/%s", dir, slash + 1)
			>= (int)sizeof(physical))
		return false;
	return scan_may_quote(physical, place->project);
}
