/* disk.h - the few system calls with which this program changes a disk.
 *
 * For core/, and for keys/, whose ledgers and keys follow rules of their own. Each is relative to a
 * held directory descriptor, takes one name (no '/'), follows no link, and is one step for
 * core/fault.h. All return false with errno set; who calls knows what the name means and
 * words the error. (STG-3)
 */
#ifndef AT_DISK_H
#define AT_DISK_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/bytes.h"

#define AT_NO_OWNER ((uid_t)-1)
#define AT_NO_GROUP ((gid_t)-1)

bool at_disk_mkdir(int dir, const char *name, mode_t mode);

/* A new file with these bytes, exactly this mode (no umask) and owner, on the disk when
 * it returns. Anything at `name`, a link too, is EEXIST. Leaves nothing on failure. */
bool at_disk_create(int dir, const char *name, struct at_bytes bytes, mode_t mode, uid_t owner,
	gid_t group);

/* The same, ours, 0600 unless `mode` says otherwise, and not on the disk yet: for what a later
 * at_disk_sync_all() covers, or what need not outlive the host. */
bool at_disk_put(int dir, const char *name, struct at_bytes bytes, mode_t mode);
/* Everything written so far to the file system of `dir` is on the disk when it returns: one wait for
 * many files. */
bool at_disk_sync_all(int dir);
/* Both names trade what they hold. ENOTSUP where kernel or file system cannot. */
bool at_disk_exchange(int dir, const char *a, const char *b);

/* Renames; something at `to` is EEXIST and stays. */
bool at_disk_move(int dir, const char *from, const char *to);
/* The same from one directory to another of the same file system. */
bool at_disk_move_to(int dir, const char *from, int to_dir, const char *to);

/* Renames over whatever is at `to`. */
bool at_disk_rename(int dir, const char *from, const char *to);

bool at_disk_remove(int dir, const char *name);
bool at_disk_rmdir(int dir, const char *name);
bool at_disk_sync(int dir);

/* Appends to a file that is open for that, by one write where the system takes it whole, and has it
 * on the disk when it returns. On failure some of the bytes may stand. */
bool at_disk_append(int fd, struct at_bytes bytes);
/* Its two halves, for a group of writes that share one sync. */
bool at_disk_write(int fd, struct at_bytes bytes);
bool at_disk_flush(int fd);
bool at_disk_truncate(int fd, off_t size);

#endif
