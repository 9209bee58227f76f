/* path.h - paths as text and as places.
 *
 * Lexical work (normalising, containment, expanding ~) and the one physical question
 * (where does this really lead). It reads no contents.
 */
#ifndef AT_PATH_H
#define AT_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Removes ".", "//" and trailing slashes and resolves ".." lexically. A relative path that
 * climbs out keeps its leading "..". "" becomes ".". False when it does not fit. */
bool at_path_normalise(char out[PATH_MAX], const char *path);

/* Both normalised. True when `path` is `root` or below it, by whole components. */
bool at_path_is_inside(const char *path, const char *root);

/* `~` and `~/x` by `home`, relative paths by `base`, then normalised. False for ~user. */
bool at_path_absolute(char out[PATH_MAX], const char *path, const char *base, const char *home);

/* The physical path as far as it exists, the rest lexically after it. `path` absolute. */
bool at_path_physical(char out[PATH_MAX], const char *path);

/* The same for `path` below `base`, a physical path: its components are not looked at again. */
bool at_path_physical_below(char out[PATH_MAX], const char *base, const char *path);

/* A shell word: quoted with single quotes where it has to be. Returns `out`. */
char *at_path_shell_quote(char *out, size_t size, const char *path);

#endif
