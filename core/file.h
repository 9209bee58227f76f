/* file.h - reading paths that somebody else may have prepared.
 *
 * Every read of an untrusted path goes through here: relative to a directory
 * descriptor, no link in any component unless asked, regular files only, a size cap,
 * identity taken from the descriptor. It never writes and never creates. (EMIT-1, STG-3)
 */
#ifndef AT_FILE_H
#define AT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "core/bytes.h"
#include "core/digest.h"
#include "core/error.h"

struct stat;

/* What tells one state of a file from the next without reading it. */
struct at_stamp {
	dev_t device;
	ino_t inode;
	mode_t mode;
	uid_t owner;
	gid_t group;
	nlink_t links;
	off_t size;
	struct timespec changed; /* ctime: nobody can set it back */
	struct timespec modified;
	bool is_settled; /* old enough when it was taken that a later change has another time */
};

struct at_file {
	bool exists;
	struct at_buf bytes;
	struct at_digest digest; /* of the bytes; unset when absent */
	mode_t mode;             /* permission bits */
	uid_t owner;
	gid_t group;
	dev_t device;
	ino_t inode;
	nlink_t links;
	struct at_stamp stamp; /* from before the first byte was read */
};

enum at_file_flag {
	AT_FILE_MAY_BE_ABSENT = 1, /* absent: true, with exists == false */
	AT_FILE_SINGLE_LINK = 2,   /* a second hard link is AT_EUNSAFE */
	AT_FILE_NO_DIGEST = 4,     /* leaves `digest` unset: hashing costs more than reading */
};

#define AT_FILE_CAP ((size_t)16 << 20) /* what a control file may weigh */

/* Opens the directory `path` (absolute, or relative to `root`), no link in any
 * component. -1 on failure. */
int at_file_open_dir(int root, const char *path, struct at_error *err);

/* Opens the directory that holds `path` and gives the last component, borrowed from
 * `path`. -1 on failure. */
int at_file_open_parent(int root, const char *path, const char **name, struct at_error *err);

/* Reads `path` below `root`. Absolute paths, "..", links, directories, FIFOs and
 * devices are AT_EUNSAFE and are never waited for; too large is AT_ELIMIT. */
bool at_file_read(struct at_file *out, int root, const char *path, size_t cap, unsigned flags,
	struct at_error *err);
void at_file_free(struct at_file *file);

/* Is `path` still what `file` was read from, with the same bytes, owner and mode? By its stamp;
 * where that is too young to be trusted the bytes are read again and compared, and a newer stamp
 * taken over. False on any doubt. A file that was absent is still it while it is absent. */
bool at_file_is_still(struct at_file *file, int root, const char *path);
/* The stamp of what fstat() said. */
struct at_stamp at_file_stamp(const struct stat *st);

enum at_file_type {
	AT_FILE_ABSENT,
	AT_FILE_REGULAR,
	AT_FILE_DIRECTORY,
	AT_FILE_LINK,
	AT_FILE_SPECIAL,
	AT_FILE_BLOCKED, /* a component is a link, no directory, or may not be searched */
};

/* What is at `path` below `root`, links not followed in any component. */
enum at_file_type at_file_type(int root, const char *path);

/* A link at `path` itself, and where it leads in the end: what a dotfiles repository
 * does to a settings file. The caller decides; this only looks. (WIRE-2) */
struct at_link {
	bool is_link; /* false: no link is there, and nothing below is set */
	bool inside;  /* the target is below the project */
	char target[PATH_MAX]; /* below the project when inside, else absolute */
	enum at_file_type type; /* of the target */
	uid_t owner;            /* of the target, when it exists */
	bool way_open; /* another user can write a directory on the way to it: refuse */
};

/* `project` is the physical path of `root`. Fails with AT_EUNSAFE when a directory
 * component is a link, or the link leads in a circle. */
bool at_file_link(struct at_link *out, int root, const char *project, const char *path,
	struct at_error *err);

#endif
