#include "core/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINKS 40 /* what Linux follows before ELOOP */

/* Takes the last component away; "/" and "" stay. */
static size_t pop(char *out, size_t len)
{
	while (len > 0 && out[len - 1] != '/')
		len--;
	while (len > 1 && out[len - 1] == '/')
		len--;
	out[len] = '\0';
	return len;
}

static bool push(char *out, size_t *len, const char *part, size_t part_len)
{
	size_t slash = *len > 0 && out[*len - 1] != '/';

	if (*len + slash + part_len >= PATH_MAX)
		return false;
	if (slash)
		out[(*len)++] = '/';
	memcpy(out + *len, part, part_len);
	*len += part_len;
	out[*len] = '\0';
	return true;
}

static bool is_dots(const char *part, size_t len, size_t dots)
{
	return len == dots && strncmp(part, "..", dots) == 0;
}

static bool ends_with_dotdot(const char *out, size_t len)
{
	return len >= 2 && out[len - 1] == '.' && out[len - 2] == '.'
		&& (len == 2 || out[len - 3] == '/');
}

bool at_path_normalise(char out[PATH_MAX], const char *path)
{
	bool absolute = *path == '/';
	size_t len = 0;

	out[0] = '\0';
	if (absolute)
		push(out, &len, "/", 1);
	for (const char *part = path; *part;) {
		size_t part_len = strcspn(part, "/");

		if (part_len == 0 || is_dots(part, part_len, 1)) {
			/* says nothing */
		} else if (!is_dots(part, part_len, 2)) {
			if (!push(out, &len, part, part_len))
				return false;
		} else if (absolute || (len > 0 && !ends_with_dotdot(out, len))) {
			len = pop(out, len);
		} else if (!push(out, &len, "..", 2)) {
			return false;
		}
		part += part_len;
		part += strspn(part, "/");
	}
	return len > 0 || push(out, &len, ".", 1);
}

bool at_path_is_inside(const char *path, const char *root)
{
	size_t len = strlen(root);

	if (strcmp(root, ".") == 0)
		return *path != '/' && !(path[0] == '.' && path[1] == '.'
			&& (path[2] == '/' || path[2] == '\0'));
	if (strncmp(path, root, len) != 0)
		return false;
	return path[len] == '\0' || path[len] == '/' || (len > 0 && root[len - 1] == '/');
}

bool at_path_absolute(char out[PATH_MAX], const char *path, const char *base, const char *home)
{
	char joined[2 * PATH_MAX];
	int len;

	if (*path == '/')
		return at_path_normalise(out, path);
	if (*path == '~' && path[1] != '/' && path[1] != '\0')
		return false;
	if (*path == '~')
		len = snprintf(joined, sizeof(joined), "%s/%s", home, path + 1);
	else
		len = snprintf(joined, sizeof(joined), "%s/%s", base, path);
	return len >= 0 && (size_t)len < sizeof(joined) && at_path_normalise(out, joined);
}

/* Puts what a link says in front of what is still to be walked. */
static bool prepend(char rest[PATH_MAX], const char *target, const char *after)
{
	char joined[2 * PATH_MAX];
	int len = snprintf(joined, sizeof(joined), "%s/%s", target, after);

	if (len < 0 || len >= PATH_MAX)
		return false;
	memcpy(rest, joined, (size_t)len + 1);
	return true;
}

/* Every component is looked at, also after one that does not exist: "gone/../link" leads
 * through the link. What cannot be looked at counts as a plain name. `out` holds the `len`
 * bytes from where the walk begins. */
static bool walk(char out[PATH_MAX], size_t len, const char *path)
{
	char rest[PATH_MAX], target[PATH_MAX];
	int links = 0;

	if (strlen(path) >= sizeof(rest))
		return false;
	strcpy(rest, path);
	for (char *part = rest; *part;) {
		size_t part_len = strcspn(part, "/"), before = len;
		ssize_t got;

		if (part_len == 0 || is_dots(part, part_len, 1)) {
			part += part_len + (part[part_len] == '/');
			continue;
		}
		if (is_dots(part, part_len, 2)) {
			len = pop(out, len);
			part += part_len;
			continue;
		}
		if (!push(out, &len, part, part_len))
			return false;
		part += part_len;
		got = readlink(out, target, sizeof(target) - 1);
		if (got < 0)
			continue;
		if (++links > MAX_LINKS)
			return false;
		target[got] = '\0';
		if (!prepend(rest, target, part))
			return false;
		part = rest;
		len = *rest == '/' ? 1 : before;
		out[len] = '\0';
	}
	return true;
}

bool at_path_physical(char out[PATH_MAX], const char *path)
{
	size_t len = 0;

	return *path == '/' && push(out, &len, "/", 1) && walk(out, len, path);
}

bool at_path_physical_below(char out[PATH_MAX], const char *base, const char *path)
{
	size_t len = 0;

	return push(out, &len, base, strlen(base)) && walk(out, len, path);
}

static bool is_plain(const char *path)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789%+,-./:=@_";

	return *path && path[strspn(path, safe)] == '\0';
}

char *at_path_shell_quote(char *out, size_t size, const char *path)
{
	size_t len = 0;

	if (size == 0)
		return out;
	out[0] = '\0';
	if (is_plain(path)) {
		snprintf(out, size, "%s", path);
		return out;
	}
	len += (size_t)snprintf(out, size, "'");
	for (; *path && len < size; path++)
		len += (size_t)snprintf(
			out + len, size - len, *path == '\'' ? "'\\''" : "%c", *path);
	if (len < size)
		snprintf(out + len, size - len, "'");
	return out;
}
