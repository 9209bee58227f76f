#include "runner/proposals/scope.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/control_plane.h"
#include "core/fold.h"
#include "core/mem.h"
#include "core/utf8.h"

/* Text while it is matched: folded once, code point by code point. */
static uint32_t take(const char **p, const char *end)
{
	uint32_t code;

	at_utf8_take(p, end, &code);
	return code;
}

/* "[…]" as Python's fnmatch has it; `*p` stands behind the bracket. False, `*p` as it was, where
 * nothing closes it: it is a letter then. */
static bool match_class(const char **p, const char *end, uint32_t code, bool *matches)
{
	const char *q = *p, *close;
	bool negated, found = false;

	negated = q < end && *q == '!';
	q += negated;
	close = q < end && *q == ']' ? q + 1 : q;
	while (close < end && *close != ']')
		close++;
	if (close >= end)
		return false;
	while (q < close) {
		uint32_t low = take(&q, close), high = low;

		if (q + 1 < close && *q == '-') {
			q++;
			high = take(&q, close);
		}
		found |= code >= low && code <= high;
	}
	*p = close + 1;
	*matches = found != negated;
	return true;
}

/* One element of the pattern against one code point; not for `*`. */
static bool match_one(const char **p, const char *end, uint32_t code)
{
	uint32_t want = take(p, end);
	bool matches;

	if (want == '?')
		return true;
	if (want == '[' && match_class(p, end, code, &matches))
		return matches;
	return want == code;
}

/* Goes back to the last `*` alone: no more steps than the product of the lengths. */
static bool match(struct at_bytes pattern, struct at_bytes text)
{
	const char *p = pattern.data, *p_end = p + pattern.len;
	const char *t = text.data, *t_end = t + text.len;
	const char *star = NULL, *mark = NULL;

	while (t < t_end) {
		const char *p_next = p, *t_next = t;

		if (p < p_end && *p == '*') {
			star = ++p;
			mark = t;
			continue;
		}
		if (p < p_end && match_one(&p_next, p_end, take(&t_next, t_end))) {
			p = p_next;
			t = t_next;
			continue;
		}
		if (!star)
			return false;
		take(&mark, t_end);
		p = star;
		t = mark;
	}
	while (p < p_end && *p == '*')
		p++;
	return p == p_end;
}

/* Both folded, given to `matches`; what cannot be folded matches nothing. */
struct pair {
	struct at_buf a, b;
	bool is_good;
};

static struct pair fold(const char *a, const char *b, bool loose)
{
	struct pair pair = { .is_good = false };

	pair.is_good = at_fold_text(&pair.a, a, loose) && at_fold_text(&pair.b, b, loose);
	at_buf_reserve(&pair.a, 1);
	at_buf_reserve(&pair.b, 1);
	return pair;
}

static bool done(struct pair *pair, bool matches)
{
	bool is_good = pair->is_good;

	at_buf_free(&pair->a);
	at_buf_free(&pair->b);
	return is_good && matches;
}

bool at_scope_is_same(const char *a, const char *b)
{
	struct pair pair = fold(a, b, true);

	return done(&pair, at_bytes_equal(at_buf_bytes(&pair.a), at_buf_bytes(&pair.b)));
}

bool at_glob_covers(const char *glob, const char *path)
{
	struct pair pair = fold(glob, path, false), loose;

	if (done(&pair, match(at_buf_bytes(&pair.a), at_buf_bytes(&pair.b))))
		return true;
	loose = fold(glob, path, true);
	return done(&loose, match(at_buf_bytes(&loose.a), at_buf_bytes(&loose.b)));
}

bool at_scope_is_pattern(const char *scope)
{
	return strpbrk(scope, "*?[") != NULL;
}

bool at_scope_is_file(const char *scope)
{
	size_t len = strlen(scope);

	return len && scope[len - 1] != '/' && !at_scope_is_pattern(scope);
}

/* Segments of a path, in place. */
static size_t segment(const char *p)
{
	return strcspn(p, "/");
}

static bool is_dots(const char *p, size_t len)
{
	return (len == 1 && p[0] == '.') || (len == 2 && p[0] == '.' && p[1] == '.');
}

bool at_scope_is_reserved(const char *path)
{
	static const char *const tops[] = { ".agentteams", ".agentteams-queue", ".git", ".claude",
		".goose", ".codex", ".github" };
	char top[NAME_MAX + 1];

	snprintf(top, sizeof(top), "%.*s", (int)segment(path), path);
	for (size_t i = 0; i < AT_LEN(tops); i++)
		if (at_scope_is_same(top, tops[i]))
			return true;
	return false;
}

const char *at_scope_fault(const char *scope)
{
	char plane[PATH_MAX], top[NAME_MAX + 1];
	const char *p = scope;

	if (!at_scope_is_pattern(scope))
		return NULL;
	if (*p == '/')
		return "is an absolute pattern";
	if (*p == '~')
		return "is a pattern below a home";
	if (strstr(scope, "**"))
		return "holds `**`";
	if (segment(p) > NAME_MAX)
		return "has a segment that no file can have";
	snprintf(top, sizeof(top), "%.*s", (int)segment(p), p);
	if (at_scope_is_pattern(top))
		return "has a wildcard in its first segment";
	for (;;) {
		size_t len = segment(p);

		if ((len == 0 && p[0] == '/') || is_dots(p, len))
			return "has an empty, `.` or `..` segment";
		p += len;
		if (*p == '\0' || p[1] == '\0')
			break;
		p++;
	}
	if (at_scope_is_reserved(top) || at_scope_plane(plane, sizeof(plane), top))
		return "begins in the project control plane";
	return NULL;
}

/* Without "./" and doubled slashes; false for what covers nothing. */
static bool normalise(struct at_buf *out, const char *scope)
{
	size_t len = strlen(scope);

	if (*scope == '/' || *scope == '~' || !len)
		return false;
	for (const char *p = scope; *p;) {
		size_t part = segment(p);

		if (part == 2 && p[0] == '.' && p[1] == '.')
			return false;
		if (part && !is_dots(p, part)) {
			if (out->len)
				at_buf_putc(out, '/');
			at_buf_put(out, p, part);
		}
		p += part;
		p += *p == '/';
	}
	if (out->len && scope[len - 1] == '/')
		at_buf_putc(out, '/');
	return out->len > 0;
}

static bool covers_plain(const char *scope, const char *path)
{
	size_t len = strlen(scope);

	if (scope[len - 1] == '/')
		return strncmp(path, scope, len) == 0 && path[len] != '\0';
	return strcmp(path, scope) == 0;
}

static bool covers_segments(const char *scope, const char *path)
{
	for (;;) {
		size_t want = segment(scope), have = segment(path);

		if (!have || (*path == '.' && *scope != '.')
			|| !match(
				(struct at_bytes){ scope, want }, (struct at_bytes){ path, have }))
			return false;
		scope += want;
		path += have;
		if (scope[0] == '/' && scope[1] == '\0')
			return path[0] == '/' && path[1] != '\0';
		if (*scope == '\0' || *path == '\0')
			return *scope == *path;
		scope++;
		path++;
	}
}

bool at_scope_covers(const char *scope, const char *path)
{
	struct at_buf normal = { 0 };
	struct pair pair;
	bool covers = false;

	if (!at_scope_fault(scope) && normalise(&normal, scope)) {
		pair = fold(at_buf_text(&normal), path, false);
		if (pair.is_good)
			covers = at_scope_is_pattern(scope)
				? covers_segments(at_buf_text(&pair.a), at_buf_text(&pair.b))
				: covers_plain(at_buf_text(&pair.a), at_buf_text(&pair.b));
		covers = done(&pair, covers);
	}
	at_buf_free(&normal);
	return covers;
}

/* `path` is `place` or lies below it, folded loosely. */
static bool is_at_or_below(const char *path, const char *place, bool is_tree)
{
	struct pair pair = fold(place, path, true);
	size_t len = pair.a.len;
	bool covers = pair.is_good && len && pair.b.len >= len
		&& memcmp(pair.a.data, pair.b.data, len) == 0
		&& (pair.b.len == len || (is_tree && pair.b.data[len] == '/'));

	return done(&pair, covers);
}

const char *at_scope_protected(const char *const *globs, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++) {
		struct at_buf normal = { 0 };
		bool covers = at_glob_covers(globs[i], path);

		if (!covers && !at_scope_is_pattern(globs[i]) && normalise(&normal, globs[i])) {
			if (normal.data[normal.len - 1] == '/')
				normal.data[--normal.len] = '\0';
			covers = is_at_or_below(path, at_buf_text(&normal), true);
		}
		at_buf_free(&normal);
		if (covers)
			return globs[i];
	}
	return NULL;
}

/* A repository of its own below the project runs hooks too. */
static bool has_git(const char *path)
{
	char part[NAME_MAX + 1];

	for (;;) {
		size_t len = segment(path);

		snprintf(part, sizeof(part), "%.*s", (int)len, path);
		if (at_scope_is_same(part, ".git"))
			return true;
		if (path[len] == '\0')
			return false;
		path += len + 1;
	}
}

static bool row_covers(char *out, size_t size, const struct at_plane_row *row, const char *path)
{
	bool is_tree = row->use & AT_PLANE_TREE;

	if (!(row->use & AT_PLANE_TEAM)) {
		snprintf(out, size, "%s", row->path);
		return is_at_or_below(path, out, is_tree);
	}
	for (unsigned f = 0; f < AT_FRAMEWORK_COUNT; f++) {
		if (row->only >= 0 && row->only != (int)f)
			continue;
		at_plane_path(out, size, row, at_team_dir((enum at_framework_id)f));
		if (is_at_or_below(path, out, is_tree))
			return true;
	}
	return false;
}

const char *at_scope_plane(char *out, size_t size, const char *path)
{
	for (size_t i = 0; i < at_control_plane_count; i++)
		if ((at_control_plane[i].use & AT_PLANE_REFUSE)
			&& row_covers(out, size, &at_control_plane[i], path))
			return out;
	if (!has_git(path))
		return NULL;
	snprintf(out, size, ".git");
	return out;
}
