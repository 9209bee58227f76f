#include "core/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/digest.h"
#include "core/disk.h"
#include "core/path.h"

#define OURS "agentteams"
#define NAME_MOST 40  /* characters of the project's name */
#define HASH_DIGITS 12

/* "my project" at /srv/my project -> my-project-0123456789ab */
static void project_name(char out[NAME_MOST + HASH_DIGITS + 2], const char *project)
{
	static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789._-";
	struct at_digest digest = at_digest_of(at_bytes_of(project));
	const char *last = strrchr(project, '/');
	char hex[AT_DIGEST_HEX];
	size_t len;

	last = last && last[1] ? last + 1 : "root";
	for (len = 0; last[len] && len < NAME_MOST; len++)
		out[len] = strchr(kept, last[len]) ? last[len] : '-';
	at_digest_hex(hex, &digest);
	snprintf(out + len, HASH_DIGITS + 2, "-%.*s", HASH_DIGITS, hex);
}

static bool is_given(const char *xdg_state_home)
{
	return xdg_state_home && *xdg_state_home == '/';
}

/* The directory in which all programs keep their state, normalised. */
static bool state_home(char out[PATH_MAX], const char *home, const char *xdg_state_home)
{
	if (is_given(xdg_state_home))
		return at_path_normalise(out, xdg_state_home);
	return at_path_absolute(out, ".local/state", home, home);
}

void at_state_mask_path(char out[PATH_MAX], const char *home, const char *xdg_state_home)
{
	char usual[PATH_MAX], said[PATH_MAX];

	if (!state_home(said, home, xdg_state_home) || !state_home(usual, home, NULL)
		|| strcmp(said, usual) == 0
		|| snprintf(out, PATH_MAX, "%s/" OURS, said) >= PATH_MAX)
		snprintf(out, PATH_MAX, "~/.local/state/" OURS);
}

static bool refuse(struct at_error *err, const char *path, const char *why, const char *todo)
{
	at_fail(err, AT_EUNSAFE, "the state directory `%s` %s", path, why);
	at_error_path(err, path);
	at_error_name(err, "unsafe-state");
	at_error_hint(err, "%s", todo);
	return false;
}

/* `forbidden`: permission bits that nobody but the owner may have there. */
static bool is_safe(int fd, const char *path, mode_t forbidden, struct at_error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return at_fail_sys(err, errno, "cannot look at `%s`", path);
	if (st.st_uid != geteuid())
		return refuse(err, path, "belongs to another user",
			"Run as its owner, or move it away and let a new one be made.");
	if (st.st_mode & forbidden)
		return refuse(err, path, "is open to other users",
			"Look at what is in it, then take their permissions away (chmod go-rwx).");
	return true;
}

/* Opens one directory, the last component no link. *fd is -1 where nothing is. */
static bool open_safe(int *fd, const char *path, mode_t forbidden, struct at_error *err)
{
	struct stat st;

	*fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd < 0 && errno == ENOENT)
		return true;
	if (*fd < 0 && (errno == ENOTDIR || errno == ELOOP)) {
		bool is_link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);

		return refuse(err, path, is_link ? "is a symbolic link" : "is no directory",
			"Remove it, or set XDG_STATE_HOME to another place.");
	}
	if (*fd < 0) {
		at_fail_sys(err, errno, "cannot open the state directory `%s`", path);
		at_error_path(err, path);
		return false;
	}
	if (is_safe(*fd, path, forbidden, err))
		return true;
	close(*fd);
	*fd = -1;
	return false;
}

/* Whoever can write the directory above can put another in the place of ours. */
static bool open_both(struct at_state *state, struct at_error *err)
{
	char above[PATH_MAX];
	int fd;

	snprintf(above, sizeof(above), "%s", state->path);
	*strrchr(above, '/') = '\0';
	if (!open_safe(&fd, above, S_IWGRP | S_IWOTH, err))
		return false;
	if (fd < 0)
		return true;
	close(fd);
	return open_safe(&state->fd, state->path, S_IRWXG | S_IRWXO, err);
}

/* Whoever writes the project would write the record of merges and the journal, and with them
 * what the next merge leaves out and what an undo brings. (WIRE-2) */
static bool is_apart(const char *path, const char *project, struct at_error *err)
{
	char real[PATH_MAX];

	if (strcmp(project, "/") == 0 /* nothing is apart from it */
		|| !at_path_physical(real, path) || !at_path_is_inside(real, project))
		return true;
	return refuse(err, path, "would lie in the project itself, where its agents write",
		"Set XDG_STATE_HOME to a directory outside the project.");
}

bool at_state_find(struct at_state *out, const char *project, const char *home,
	const char *xdg_state_home, struct at_error *err)
{
	char base[PATH_MAX], name[NAME_MOST + HASH_DIGITS + 2];

	out->fd = -1;
	out->path[0] = '\0';
	project_name(name, project);
	if (!state_home(base, home, xdg_state_home)
		|| snprintf(out->path, sizeof(out->path), "%s/" OURS "/%s", base, name)
			>= (int)sizeof(out->path)) {
		at_fail(err, AT_ELIMIT, "the path of the state directory is too long");
		at_error_hint(err, "Set XDG_STATE_HOME to a shorter path.");
		return false;
	}
	return is_apart(out->path, project, err) && open_both(out, err);
}

/* Makes `path` and what is missing above it, each 0700 whatever the umask. */
static bool make_all(char *path, struct at_error *err)
{
	struct stat st;
	char *slash;
	bool ok;

	if (stat(path, &st) == 0)
		return true;
	slash = strrchr(path, '/');
	if (slash != path) {
		*slash = '\0';
		ok = make_all(path, err);
		*slash = '/';
		if (!ok)
			return false;
	}
	if (at_disk_mkdir(AT_FDCWD, path, 0700) || errno == EEXIST)
		return true;
	at_fail_sys(err, errno, "cannot make the state directory `%s`", path);
	at_error_path(err, path);
	at_error_hint(err, "Make it, or set XDG_STATE_HOME to a directory you can write.");
	return false;
}

#define MAKES 4 /* .local, state, agentteams and the project's own: not a home */

static bool is_home_there(const char *path)
{
	char above[PATH_MAX];
	struct stat st;

	snprintf(above, sizeof(above), "%s", path);
	for (int i = 0; i < MAKES; i++) {
		char *slash = strrchr(above, '/');

		if (!slash || slash == above)
			return true;
		*slash = '\0';
	}
	return stat(above, &st) == 0;
}

bool at_state_create(struct at_state *state, struct at_error *err)
{
	char path[PATH_MAX];

	if (state->fd >= 0)
		return true;
	snprintf(path, sizeof(path), "%s", state->path);
	if (!is_home_there(path))
		return refuse(err, state->path, "cannot be made: the home directory is not there",
			"Set HOME, or XDG_STATE_HOME, to a directory that exists.");
	if (!make_all(path, err) || !open_both(state, err))
		return false;
	if (state->fd < 0)
		return refuse(
			err, state->path, "was taken away while it was being made", "Try again.");
	return true;
}

void at_state_close(struct at_state *state)
{
	if (state->fd >= 0)
		close(state->fd);
	state->fd = -1;
}
