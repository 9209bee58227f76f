#include "runner/readfs/glob.h"

#include <stddef.h>
#include <string.h>

/* One element of a segment's pattern against one byte; moves `*p` behind the element. */
static bool fits_one(const char **p, const char *end, unsigned char c)
{
	const char *at = *p;
	bool invert = false, hit = false, first = true;

	if (*at == '?') {
		*p = at + 1;
		return true;
	}
	if (*at == '[' && memchr(at + 1, ']', (size_t)(end - at - 1))) {
		at++;
		if (*at == '!' || *at == '^') {
			invert = true;
			at++;
		}
		for (; at < end && (first || *at != ']'); first = false) {
			unsigned char low = (unsigned char)*at++, high = low;

			if (end - at > 1 && at[0] == '-' && at[1] != ']') {
				high = (unsigned char)at[1];
				at += 2;
			}
			hit |= low <= c && c <= high;
		}
		if (at < end) {
			*p = at + 1;
			return hit != invert;
		}
		at = *p; /* never closed: a bracket like any byte */
	}
	if (*at == '\\' && end - at > 1)
		at++;
	*p = at + 1;
	return (unsigned char)*at == c;
}

/* One star to come back to is enough: the last one can take what an earlier one would. */
static bool fits_segment(const char *p, size_t plen, const char *s, size_t slen)
{
	const char *end = p + plen, *stop = s + slen, *star = NULL, *taken = NULL;

	while (s < stop) {
		const char *next = p;

		if (p < end && *p == '*') {
			star = ++p;
			taken = s;
		} else if (p < end && fits_one(&next, end, (unsigned char)*s)) {
			p = next;
			s++;
		} else if (star) {
			p = star;
			s = ++taken;
		} else {
			return false;
		}
	}
	while (p < end && *p == '*')
		p++;
	return p == end;
}

static const char *after(const char *at, size_t len)
{
	return at + len + (at[len] == '/');
}

/* The same, with segments for bytes and `**` for the star. */
static bool fits_path(const char *p, const char *s)
{
	const char *star = NULL, *taken = NULL;

	while (*s) {
		size_t plen = strcspn(p, "/"), slen = strcspn(s, "/");

		if (plen == 2 && memcmp(p, "**", 2) == 0) {
			star = p = after(p, plen);
			taken = s;
		} else if (*p && fits_segment(p, plen, s, slen)) {
			p = after(p, plen);
			s = after(s, slen);
		} else if (star) {
			p = star;
			s = taken = after(taken, strcspn(taken, "/"));
		} else {
			return false;
		}
	}
	while (strncmp(p, "**", 2) == 0 && (p[2] == '/' || !p[2]))
		p = after(p, 2);
	return !*p;
}

bool at_readfs_glob(const char *pattern, const char *path)
{
	const char *name = strrchr(path, '/');

	if (strchr(pattern, '/'))
		return fits_path(pattern, path);
	name = name ? name + 1 : path;
	return fits_segment(pattern, strlen(pattern), name, strlen(name));
}
