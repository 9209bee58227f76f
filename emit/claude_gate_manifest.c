/* Where the integrity manifest is expected. (GATE-5) */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/git_index.h"
#include "core/integrity.h"
#include "core/mem.h"
#include "core/path.h"
#include "emit/claude_gate.h"

#define INDEX_CAP ((size_t)64 << 20)

/* The index of the repository whose work tree has its top at `top`: in .git, or where the file
 * .git of a linked work tree says. */
static bool index_of(char out[PATH_MAX], int root, const char *top)
{
	char dot_git[PATH_MAX], place[PATH_MAX], *end;
	struct at_file file;
	bool ok = false;

	if ((size_t)snprintf(dot_git, sizeof(dot_git), "%s/.git", top) >= sizeof(dot_git))
		return false;
	if (at_file_type(root, dot_git + 1) == AT_FILE_DIRECTORY)
		return (size_t)snprintf(out, PATH_MAX, "%s/index", dot_git) < PATH_MAX;
	if (at_file_type(root, dot_git + 1) != AT_FILE_REGULAR)
		return false;
	if (at_file_read(&file, root, dot_git + 1, PATH_MAX, AT_FILE_NO_DIGEST, NULL)) {
		const char *text = at_buf_text(&file.bytes);

		end = file.bytes.len ? strchr(file.bytes.data, '\n') : NULL;
		if (end)
			*end = '\0';
		ok = strncmp(text, "gitdir: ", 8) == 0
			&& at_path_absolute(place, text + 8, top, "/")
			&& at_path_physical(dot_git, place)
			&& (size_t)snprintf(out, PATH_MAX, "%s/index", dot_git) < PATH_MAX;
		at_file_free(&file);
	}
	return ok;
}

/* A plan is made at every look: an index is read once for each state it is in. */
static bool tracks(int root, const char *index, const char *name)
{
	static struct {
		char index[PATH_MAX], name[PATH_MAX];
		struct at_file file;
		bool tracks;
	} last;

	if (strcmp(last.index, index) == 0 && strcmp(last.name, name) == 0
		&& at_file_is_still(&last.file, root, index + 1))
		return last.tracks;
	at_file_free(&last.file);
	*last.index = '\0';
	if (!at_file_read(&last.file, root, index + 1, INDEX_CAP, 0, NULL))
		return false;
	snprintf(last.index, sizeof(last.index), "%s", index);
	snprintf(last.name, sizeof(last.name), "%s", name);
	last.tracks = at_git_index_has(at_buf_bytes(&last.file.bytes), name);
	return last.tracks;
}

/* The nearest repository at or above the project is asked, as git would. */
static bool is_tracked(int root, const char *project, const char *path)
{
	char top[PATH_MAX], index[PATH_MAX], name[2 * PATH_MAX];
	char *slash;

	snprintf(top, sizeof(top), "%s", project);
	for (;;) {
		if (index_of(index, root, top)) {
			const char *below = project + strlen(top);

			snprintf(name, sizeof(name), "%s%s%s", *below ? below + 1 : "",
				*below ? "/" : "", path);
			return strlen(name) < PATH_MAX && tracks(root, index, name);
		}
		slash = strrchr(top, '/');
		if (!slash || slash == top)
			return false;
		*slash = '\0';
	}
}

const char *at_gate_manifest(const struct at_project *project, const struct at_gate_pin *pin,
	struct at_arena *arena)
{
	const char *places[] = {
		at_arena_printf(arena, "%s/" AT_INTEGRITY_MANIFEST, project->team_dir),
		AT_INTEGRITY_MANIFEST,
	};
	int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *expected = "";

	for (size_t i = 0; i < AT_LEN(places) && root >= 0 && !*expected; i++)
		if (is_tracked(root, project->path, places[i]))
			expected = places[i];
	if (root >= 0)
		close(root);
	if (*expected || !*pin->program || !at_path_is_inside(pin->program, project->path))
		return expected;
	return at_file_type(project->fd, places[0]) != AT_FILE_REGULAR
			&& at_file_type(project->fd, places[1]) == AT_FILE_REGULAR
		? places[1] : places[0];
}
