#include "runner/harden/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int by_number(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	return (left > right) - (left < right);
}

static bool is_kept(int fd, const int *keep, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (keep[i] == fd)
			return true;
	}
	return fd <= 2;
}

bool at_descriptors_close_listed(const int *keep, size_t count, struct at_error *err)
{
	DIR *list = opendir("/proc/self/fd");
	struct dirent *entry;
	int fd = -1;

	if (!list)
		return at_fail_sys(err, errno, "open descriptors cannot be listed: /proc/self/fd");
	while (errno = 0, (entry = readdir(list))) {
		fd = atoi(entry->d_name); /* "." and ".." give 0 */
		if (fd != dirfd(list) && !is_kept(fd, keep, count))
			close(fd); /* the list goes by number: closing takes nothing from it */
	}
	fd = errno;
	closedir(list);
	return fd == 0 || at_fail_sys(err, fd, "open descriptors cannot be listed: /proc/self/fd");
}

static bool close_range_of(unsigned first, unsigned last)
{
	return first > last || syscall(SYS_close_range, first, last, 0) == 0;
}

bool at_descriptors_close(int *keep, size_t count, struct at_error *err)
{
	unsigned first = 3;

	if (count > 1)
		qsort(keep, count, sizeof(keep[0]), by_number);
	for (size_t i = 0; i < count; i++) {
		unsigned fd = (unsigned)keep[i];

		if (fd < first)
			continue;
		if (!close_range_of(first, fd - 1))
			return at_descriptors_close_listed(keep, count, err);
		first = fd + 1;
	}
	if (!close_range_of(first, UINT_MAX))
		return at_descriptors_close_listed(keep, count, err);
	return true;
}
