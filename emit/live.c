#include "emit/live.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/path.h"

/* Where a link at `path` leads, below the project. False when it leads out. */
static bool link_target(char out[PATH_MAX], const struct at_project *project, const char *path)
{
	char text[PATH_MAX], full[PATH_MAX], parent[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t root = strlen(project->path);
	const char *name;
	ssize_t len;
	int dir;

	dir = at_file_open_parent(project->fd, path, &name, NULL);
	if (dir < 0)
		return false;
	len = readlinkat(dir, name, text, sizeof(text) - 1);
	close(dir);
	if (len <= 0)
		return false;
	text[len] = '\0';
	if (snprintf(parent, sizeof(parent), "%s/%.*s", project->path,
		    slash ? (int)(slash - path) : 0, path) >= (int)sizeof(parent))
		return false;
	if (!at_path_absolute(full, text, parent, "/") || !at_path_is_inside(full, project->path))
		return false;
	if (full[root] != '/')
		return false;
	memcpy(out, full + root + 1, strlen(full + root + 1) + 1);
	return true;
}

void at_live_read(struct at_live *out, const struct at_project *project, const char *path)
{
	char target[PATH_MAX];
	enum at_file_type type = at_file_type(project->fd, path);

	*out = (struct at_live){ .exists = type != AT_FILE_ABSENT };
	if (!out->exists)
		return;
	if (type == AT_FILE_LINK && link_target(target, project, path))
		path = target;
	if (!at_file_read(&out->file, project->fd, path, AT_FILE_CAP, 0, &out->why))
		return;
	out->is_read = true;
	if (!at_json_read(&out->doc, at_buf_bytes(&out->file.bytes), &at_json_settings_limits,
		    AT_JSON_ALLOW_BOM | AT_JSON_ALLOW_DUPLICATES, &out->why))
		return;
	out->is_object = at_json_is(&out->doc, AT_JSON_ROOT, AT_JSON_OBJECT);
	if (!out->is_object)
		at_fail(&out->why, AT_EINVALID, "%s holds no JSON object", path);
}

void at_live_free(struct at_live *live)
{
	at_json_free(&live->doc);
	at_file_free(&live->file);
	*live = (struct at_live){ 0 };
}

bool at_live_is_true(const struct at_live *live, const char *dotted)
{
	return live->is_object && at_json_is(&live->doc, at_json_at(&live->doc, dotted), AT_JSON_TRUE);
}

bool at_live_is_false(const struct at_live *live, const char *dotted)
{
	return live->is_object && at_json_is(&live->doc, at_json_at(&live->doc, dotted), AT_JSON_FALSE);
}
