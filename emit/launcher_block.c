#include "emit/launcher_block.h"

#include <limits.h>
#include <string.h>

#include "core/control_plane.h"

#define BEGIN "\n# begin: generated from core/control_plane.c\n"
#define END "# end: generated\n"
#define GIT ".git/"

struct list {
	struct at_buf *out;
	bool any;
};

static void begin(struct list *list, struct at_buf *out, const char *name)
{
	*list = (struct list){ .out = out };
	at_buf_printf(out, "%s='", name);
}

static void add(struct list *list, const char *word, const char *path)
{
	at_buf_printf(list->out, "%s%s%s%s", list->any ? "\n" : "", word, *word ? " " : "", path);
	list->any = true;
}

static void end(struct list *list)
{
	at_buf_puts(list->out, "'\n");
}

/* A roster needs the switch, the switch needs the marker and stands first: one word does for
 * both columns. */
static bool is_needed(const struct at_plane_row *row, enum at_framework_id team)
{
	return (row->use & (AT_PLANE_LAUNCHER_NEEDED | AT_PLANE_LAUNCHER_SWITCHED)) &&
		(row->only < 0 || row->only == (int)team);
}

static void add_team(struct list *list, enum at_framework_id team)
{
	const char *dir = at_team_dir(team);
	char path[PATH_MAX];

	for (size_t i = 0; i < at_control_plane_count; i++) {
		const struct at_plane_row *row = &at_control_plane[i];

		if ((row->use & AT_PLANE_TEAM) && (row->use & AT_PLANE_LAUNCHER_PRESENT))
			add(list, "mark", at_plane_path(path, sizeof(path), row, dir));
	}
	for (size_t i = 0; i < at_control_plane_count; i++)
		if (is_needed(&at_control_plane[i], team))
			add(list, "need",
				at_plane_path(path, sizeof(path), &at_control_plane[i], dir));
}

static bool is_first_of_its_dir(enum at_framework_id team)
{
	for (size_t f = 0; f < team; f++)
		if (strcmp(at_team_dir((enum at_framework_id)f), at_team_dir(team)) == 0)
			return false;
	return true;
}

static void put_plane(struct at_buf *out)
{
	struct list list;

	begin(&list, out, "plane_rows");
	for (size_t f = 0; f < AT_FRAMEWORK_COUNT; f++) {
		enum at_framework_id team = (enum at_framework_id)f;

		/* agents-md has no boundary of its own (CEIL-10) */
		if (team != AT_AGENTS_MD && is_first_of_its_dir(team))
			add_team(&list, team);
	}
	for (size_t i = 0; i < at_control_plane_count; i++) {
		const struct at_plane_row *row = &at_control_plane[i];

		if ((row->use & AT_PLANE_LAUNCHER_PRESENT) &&
			!(row->use & (AT_PLANE_TEAM | AT_PLANE_LAUNCHER_GIT)))
			add(&list, "if", row->path);
	}
	end(&list);
}

/* A worktree's common directory holds the same names, so they stand without .git. */
static void put_git(struct at_buf *out)
{
	struct list list;

	begin(&list, out, "git_rows");
	for (size_t i = 0; i < at_control_plane_count; i++)
		if (at_control_plane[i].use & AT_PLANE_LAUNCHER_GIT)
			add(&list, "", at_control_plane[i].path + strlen(GIT));
	end(&list);
}

void at_launcher_block(struct at_buf *out)
{
	struct list list;

	put_plane(out);
	put_git(out);
	begin(&list, out, "prompt_rows");
	for (size_t i = 0; i < at_prompt_root_count; i++)
		add(&list, "", at_prompt_roots[i]);
	end(&list);
}

bool at_launcher_block_find(struct at_bytes *out, struct at_bytes launcher)
{
	/* Compiled-in assets end in a NUL that their length does not count. */
	const char *begin = strstr(launcher.data, BEGIN);
	const char *start = begin ? begin + strlen(BEGIN) : NULL;
	const char *stop = start ? strstr(start, END) : NULL;

	if (!stop || strstr(start, BEGIN) || strstr(stop + 1, END))
		return false;
	*out = (struct at_bytes){ start, (size_t)(stop - start) };
	return true;
}
