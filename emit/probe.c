#include "emit/framework.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/random.h>

#include "core/control_plane.h"
#include "core/file.h"

static const char *const control_files[] = {
	AT_SWITCH,
	AT_KEY_STORE "/README.md",
	"references/security-approvers.txt",
	"references/authorized-managers.txt",
	"references/management-authority.json",
};

static bool denied(struct at_error *err, const char *path, int sys)
{
	at_fail(err, AT_EDENIED, "write-denied: %s: %s; this process runs inside a sandbox, or may "
		"not write here. Nothing was written.", path, strerror(sys));
	if (err)
		err->sys = sys;
	at_error_path(err, path);
	at_error_hint(err, "Run it as the operator, outside agent sessions and sandboxes.");
	return false;
}

/* Makes a file of an unforeseeable name and takes it away. 0, or why it was denied. */
static int try_directory(int root, const char *path)
{
	unsigned long long number = 0;
	char name[64];
	int dir, fd, sys;

	dir = at_file_open_dir(root, path, NULL);
	if (dir < 0)
		return 0; /* absent, or a link: the plan says so */
	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		number ^= (unsigned long long)getpid() << 32;
	snprintf(name, sizeof(name), ".agentteams-probe-%016llx", number);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	sys = fd < 0 ? errno : 0;
	if (fd >= 0) {
		close(fd);
		unlinkat(dir, name, 0);
	}
	close(dir);
	return sys == EROFS || sys == EACCES || sys == EPERM ? sys : 0;
}

/* Opened to write and closed again. Not being allowed by mode says nothing: a file of mode
 * 0444 is replaced by a rename. */
static int try_file(int root, const char *path)
{
	const char *name;
	int dir, fd, sys;

	if (at_file_type(root, path) != AT_FILE_REGULAR)
		return 0;
	dir = at_file_open_parent(root, path, &name, NULL);
	if (dir < 0)
		return 0;
	fd = openat(dir, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
	sys = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	close(dir);
	return sys == EROFS || sys == EPERM ? sys : 0;
}

bool at_emit_probe(const struct at_project *project, struct at_error *err)
{
	static const char *const directories[] = { "", "/references" };
	char path[PATH_MAX];
	int sys;

	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++) {
		snprintf(path, sizeof(path), "%s%s", project->team_dir, directories[i]);
		sys = try_directory(project->fd, path);
		if (sys)
			return denied(err, path, sys);
	}
	for (size_t i = 0; i < sizeof(control_files) / sizeof(*control_files); i++) {
		snprintf(path, sizeof(path), "%s/%s", project->team_dir, control_files[i]);
		sys = try_file(project->fd, path);
		if (sys)
			return denied(err, path, sys);
	}
	return true;
}
