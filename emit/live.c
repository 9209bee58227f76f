#include "emit/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emit/sight.h"

static void parse(struct at_live *out, const char *path)
{
	if (!at_json_read(&out->doc, at_buf_bytes(&out->file.bytes), &at_json_settings_limits,
		    AT_JSON_ALLOW_BOM | AT_JSON_ALLOW_DUPLICATES, &out->why))
		return;
	out->is_object = at_json_is(&out->doc, AT_JSON_ROOT, AT_JSON_OBJECT);
	if (!out->is_object)
		at_fail(&out->why, AT_EINVALID, "%s holds no JSON object", path);
}

/* `path` below `root`; `key` is the same for every reader of that place. */
static void read_at(struct at_live *out, const struct at_project *project, const char *key,
	int root, const char *path)
{
	if (at_sight_find(project->sight, out, key, root, path))
		return;
	out->is_read =
		at_file_read(&out->file, root, path, AT_FILE_CAP, AT_FILE_NO_DIGEST, &out->why);
	if (!out->is_read)
		return;
	parse(out, path);
	at_sight_keep(project->sight, out, key);
}

void at_live_read(struct at_live *out, const struct at_project *project, const char *path)
{
	enum at_file_type type = at_file_type(project->fd, path);
	int root = project->fd;
	struct at_link link;

	*out = (struct at_live){ .exists = type != AT_FILE_ABSENT };
	if (!out->exists)
		return;
	/* The client follows a link wherever it leads; looking there is all that is done. */
	if (type == AT_FILE_LINK && at_file_link(&link, project->fd, project->path, path, NULL)) {
		path = link.target + !link.inside;
		if (!link.inside)
			root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	read_at(out, project, root == project->fd ? path : link.target, root, path);
	if (root != project->fd && root >= 0)
		close(root);
}

void at_live_read_absolute(struct at_live *out, const struct at_project *project, const char *path)
{
	char physical[PATH_MAX], *slash;
	int dir;

	*out = (struct at_live){ .exists = true };
	if (!realpath(path, physical)) {
		out->exists = errno != ENOENT;
		at_fail_sys(&out->why, errno, "cannot read %s", path);
		return;
	}
	slash = strrchr(physical, '/');
	*slash = '\0';
	dir = at_file_open_dir(-1, *physical ? physical : "/", &out->why);
	if (dir < 0)
		return;
	*slash = '/';
	read_at(out, project, physical, dir, slash + 1);
	close(dir);
}

void at_live_free(struct at_live *live)
{
	if (live->kept)
		at_kept_release(live->kept);
	else
		at_live_free_own(live);
	*live = (struct at_live){ 0 };
}

void at_live_free_own(struct at_live *live)
{
	at_json_free(&live->doc);
	at_file_free(&live->file);
}

bool at_live_is_true(const struct at_live *live, const char *dotted)
{
	return live->is_object &&
		at_json_is(&live->doc, at_json_at(&live->doc, dotted), AT_JSON_TRUE);
}

bool at_live_is_false(const struct at_live *live, const char *dotted)
{
	return live->is_object &&
		at_json_is(&live->doc, at_json_at(&live->doc, dotted), AT_JSON_FALSE);
}
