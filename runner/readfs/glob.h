/* glob.h - does a name fit a pattern, in a time that no pattern can blow up.
 *
 * `*` and `?` stay within a segment, `[a-z]` and `[!a-z]` are one byte, a segment `**` is any
 * number of segments, and a backslash takes the next byte as it is. Bytes, no locale. Pure.
 */
#ifndef AT_READFS_GLOB_H
#define AT_READFS_GLOB_H

#include <stdbool.h>

#define AT_READFS_PATTERN_CAP 1024

/* A pattern without '/' is compared with the last segment of `path`, else with all of it. */
bool at_readfs_glob(const char *pattern, const char *path);

#endif
