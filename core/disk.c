#include "core/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/fault.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1 << 0)
#define RENAME_EXCHANGE (1 << 1)
#endif

static bool may_step(void)
{
	int sys = at_fault_step();

	if (sys)
		errno = sys;
	return sys == 0;
}

bool at_disk_mkdir(int dir, const char *name, mode_t mode)
{
	return may_step() && mkdirat(dir, name, mode) == 0;
}

static bool sync_descriptor(int fd)
{
	return may_step() && (at_fault_lacks(AT_LACKS_SYNC) || fsync(fd) == 0);
}

bool at_disk_sync(int dir)
{
	return sync_descriptor(dir);
}

static bool write_all(int fd, struct at_bytes bytes)
{
	for (size_t done = 0; done < bytes.len;) {
		ssize_t got;

		if (!may_step())
			return false;
		got = write(fd, bytes.data + done, at_fault_piece(done, bytes.len));
		if (got < 0 && errno != EINTR)
			return false;
		if (got > 0)
			done += (size_t)got;
	}
	return true;
}

bool at_disk_write(int fd, struct at_bytes bytes)
{
	return write_all(fd, bytes);
}

bool at_disk_flush(int fd)
{
	return may_step() && (at_fault_lacks(AT_LACKS_SYNC) || fdatasync(fd) == 0);
}

bool at_disk_append(int fd, struct at_bytes bytes)
{
	return at_disk_write(fd, bytes) && at_disk_flush(fd);
}

bool at_disk_truncate(int fd, off_t size)
{
	return may_step() && ftruncate(fd, size) == 0;
}

static bool give_to(int fd, uid_t owner, gid_t group)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	if (owner == st.st_uid)
		owner = AT_NO_OWNER;
	if (group == st.st_gid)
		group = AT_NO_GROUP;
	return (owner == AT_NO_OWNER && group == AT_NO_GROUP) || fchown(fd, owner, group) == 0;
}

bool at_disk_sync_all(int dir)
{
	if (!may_step())
		return false;
	if (at_fault_lacks(AT_LACKS_SYNC))
		return true;
#ifdef __linux__
	return syncfs(dir) == 0;
#else
	(void)dir;
	sync();
	return true;
#endif
}

static bool create(int dir, const char *name, struct at_bytes bytes, mode_t mode, uid_t owner,
	gid_t group, bool synced)
{
	int fd, saved;
	bool ok;

	if (!may_step())
		return false;
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	/* Mode after owner: chown takes set-id bits away. */
	ok = write_all(fd, bytes) && give_to(fd, owner, group) && fchmod(fd, mode) == 0
		&& (!synced || sync_descriptor(fd));
	saved = errno;
	if (close(fd) < 0 && ok) {
		saved = errno;
		ok = false;
	}
	if (!ok)
		unlinkat(dir, name, 0);
	errno = saved;
	return ok;
}

bool at_disk_create(int dir, const char *name, struct at_bytes bytes, mode_t mode, uid_t owner,
	gid_t group)
{
	return create(dir, name, bytes, mode, owner, group, true);
}

bool at_disk_put(int dir, const char *name, struct at_bytes bytes, mode_t mode)
{
	return create(dir, name, bytes, mode, AT_NO_OWNER, AT_NO_GROUP, false);
}

static int rename_with(int dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	return (int)syscall(SYS_renameat2, dir, from, to_dir, to, flags);
}

static bool is_unsupported(int sys)
{
	return sys == ENOSYS || sys == EINVAL || sys == ENOTSUP || sys == EPERM;
}

bool at_disk_exchange(int dir, const char *a, const char *b)
{
	if (!may_step())
		return false;
	if (at_fault_lacks(AT_LACKS_EXCHANGE)) {
		errno = ENOTSUP;
		return false;
	}
	if (rename_with(dir, a, dir, b, RENAME_EXCHANGE) == 0)
		return true;
	if (is_unsupported(errno))
		errno = ENOTSUP;
	return false;
}

/* linkat refuses a name that is taken, as RENAME_NOREPLACE does. */
static bool move_by_link(int dir, const char *from, int to_dir, const char *to)
{
	return linkat(dir, from, to_dir, to, 0) == 0 && may_step() && unlinkat(dir, from, 0) == 0;
}

bool at_disk_move(int dir, const char *from, const char *to)
{
	return at_disk_move_to(dir, from, dir, to);
}

bool at_disk_move_to(int dir, const char *from, int to_dir, const char *to)
{
	if (!may_step())
		return false;
	if (at_fault_lacks(AT_LACKS_NOREPLACE))
		return move_by_link(dir, from, to_dir, to);
	if (rename_with(dir, from, to_dir, to, RENAME_NOREPLACE) == 0)
		return true;
	return is_unsupported(errno) && move_by_link(dir, from, to_dir, to);
}

bool at_disk_rename(int dir, const char *from, const char *to)
{
	return may_step() && renameat(dir, from, dir, to) == 0;
}

bool at_disk_remove(int dir, const char *name)
{
	return may_step() && unlinkat(dir, name, 0) == 0;
}

bool at_disk_rmdir(int dir, const char *name)
{
	return may_step() && unlinkat(dir, name, AT_REMOVEDIR) == 0;
}
