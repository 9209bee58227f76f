/* file_still.c - whether a file that was read is still the same, without reading it.
 *
 * Every write, rename, chmod and link moves the change time, which no program can set. File
 * systems keep it in steps, though: of a file that changed just before it was read, a second
 * change may bear the same time. Such a stamp proves nothing, and bytes are compared.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

#define STEP 2 /* seconds: the coarsest step of a file system in use (FAT) */

static bool is_settled(const struct timespec *changed)
{
	struct timespec now;

	return clock_gettime(CLOCK_REALTIME, &now) == 0 && changed->tv_sec < now.tv_sec - STEP;
}

struct at_stamp at_file_stamp(const struct stat *st)
{
	return (struct at_stamp){
		.device = st->st_dev,
		.inode = st->st_ino,
		.mode = st->st_mode,
		.owner = st->st_uid,
		.group = st->st_gid,
		.links = st->st_nlink,
		.size = st->st_size,
		.changed = st->st_ctim,
		.modified = st->st_mtim,
		.is_settled = is_settled(&st->st_ctim),
	};
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_same_stamp(const struct at_stamp *a, const struct at_stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->mode == b->mode
		&& a->owner == b->owner && a->group == b->group && a->links == b->links
		&& a->size == b->size && is_same_time(&a->changed, &b->changed)
		&& is_same_time(&a->modified, &b->modified);
}

/* What is reached as at_file_read() reaches it; false with errno when it is not. */
static bool look(struct stat *st, int root, const char *path)
{
	struct at_error err;
	const char *name;
	int saved, dir = at_file_open_parent(root, path, &name, &err);
	bool ok;

	if (dir < 0) {
		errno = err.sys;
		return false;
	}
	ok = fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) == 0;
	saved = errno;
	close(dir);
	errno = saved;
	return ok;
}

static bool holds_same_bytes(struct at_file *file, int root, const char *path)
{
	struct at_file now;
	bool same;

	if (!at_file_read(&now, root, path, file->bytes.len, AT_FILE_NO_DIGEST, NULL))
		return false;
	same = at_bytes_equal(at_buf_bytes(&now.bytes), at_buf_bytes(&file->bytes))
		&& now.device == file->device && now.inode == file->inode
		&& now.mode == file->mode && now.owner == file->owner && now.group == file->group
		&& now.links == file->links;
	if (same)
		file->stamp = now.stamp;
	at_file_free(&now);
	return same;
}

bool at_file_is_still(struct at_file *file, int root, const char *path)
{
	struct at_stamp now;
	struct stat st;

	if (!look(&st, root, path))
		return !file->exists && errno == ENOENT;
	if (!file->exists)
		return false;
	now = at_file_stamp(&st);
	if (file->stamp.is_settled)
		return is_same_stamp(&file->stamp, &now);
	return holds_same_bytes(file, root, path);
}
