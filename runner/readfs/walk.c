#include "runner/readfs/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/readfs/deny.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t at_readfs_names(char ***names, int fd, size_t cap, bool *is_cut)
{
	DIR *dir = fdopendir(fd);
	size_t count = 0, room = 0;
	struct dirent *entry;

	*names = NULL;
	*is_cut = false;
	if (!dir) {
		close(fd);
		return 0;
	}
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (count == cap) {
			*is_cut = true;
			break;
		}
		*names = at_grow(*names, &room, count, sizeof(**names));
		(*names)[count++] = at_strdup(entry->d_name);
	}
	closedir(dir);
	if (count)
		qsort(*names, count, sizeof(**names), by_name);
	return count;
}

bool at_readfs_join(char out[PATH_MAX], const char *dir, const char *name)
{
	if (strcmp(dir, ".") == 0)
		return (size_t)snprintf(out, PATH_MAX, "%s", name) < PATH_MAX;
	return (size_t)snprintf(out, PATH_MAX, "%s/%s", dir, name) < PATH_MAX;
}

static bool walk_in(struct at_readfs_walk *walk, const struct at_readfs_node *top, unsigned depth);

static bool walk_one(
	struct at_readfs_walk *walk, int dir, const char *in, const char *name, unsigned depth)
{
	struct at_readfs_node node;
	bool go_on = true;

	if (++walk->entries > AT_READFS_ENTRIES) {
		walk->is_cut = true;
		return false;
	}
	if (at_readfs_is_denied(name)) {
		walk->denied++;
		return true;
	}
	if (!at_readfs_look(&node, dir, name))
		return true;
	if (at_readfs_join(node.path, in, name)) {
		go_on = walk->visit(walk->user, &node);
		if (go_on && S_ISDIR(node.st.st_mode))
			go_on = walk_in(walk, &node, depth + 1);
	}
	at_readfs_node_close(&node);
	return go_on;
}

static bool walk_in(struct at_readfs_walk *walk, const struct at_readfs_node *top, unsigned depth)
{
	int dir = depth < AT_READFS_DEPTH ? at_readfs_open(top, O_DIRECTORY) : -1, list;
	char **names = NULL;
	bool go_on = true, cut = false;
	size_t count = 0;

	if (dir < 0) {
		walk->is_cut |= depth >= AT_READFS_DEPTH;
		return true;
	}
	list = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (list >= 0)
		count = at_readfs_names(&names, list, AT_READFS_ENTRIES, &cut);
	walk->is_cut |= cut;
	for (size_t i = 0; i < count; i++) {
		if (go_on)
			go_on = walk_one(walk, dir, top->path, names[i], depth);
		free(names[i]);
	}
	free(names);
	close(dir);
	return go_on;
}

void at_readfs_walk(struct at_readfs_walk *walk, const struct at_readfs_node *top)
{
	walk_in(walk, top, 0);
}
