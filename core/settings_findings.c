#include "core/settings_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/path.h"

enum { VALUE, KEY }; /* where a finding points */

static const struct {
	const char *id;
	enum at_level level;
	int at;
	const char *remedy;
} findings[] = {
#define ROW(name, id, level, at, remedy) { id, AT_##level, at, remedy },
	AT_SETTINGS_FINDINGS(ROW)
#undef ROW
};

static void position(const struct at_settings *s, size_t offset, struct at_finding *f)
{
	size_t low = 0, high = s->line_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (s->lines[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	if (s->line_count == 0)
		return;
	f->line = (unsigned)low + 1;
	f->column = (unsigned)(offset - s->lines[low]) + 1;
}

/* True when this one is to be listed. */
static bool count(struct at_settings *s, enum at_settings_finding what)
{
	return s->said[what]++ < AT_SETTINGS_REPEAT;
}

__attribute__((format(printf, 4, 0)))
static struct at_finding *add(struct at_settings *s, enum at_settings_finding what,
	const char *where, const char *format, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof(text), format, ap);
	return at_wiring_add(s->report, findings[what].id, findings[what].level, where,
		findings[what].remedy, "%s", text);
}

__attribute__((format(printf, 5, 0)))
static void say(struct at_settings *s, enum at_settings_finding what, uint32_t node,
	const char *pointer, const char *format, va_list ap)
{
	const struct at_json_node *n;
	struct at_finding *f;
	const char *where;

	if (!count(s, what))
		return;
	if (node == AT_JSON_NONE || !s->doc) {
		add(s, what, s->place->name, format, ap);
		return;
	}
	n = &s->doc->nodes[node];
	where = at_arena_printf(s->arena, "%s#%s", s->place->name,
		pointer ? pointer : at_json_pointer(s->doc, node, s->arena));
	f = add(s, what, where, format, ap);
	position(s, findings[what].at == KEY && n->key_end ? n->key_start : n->start, f);
}

void at_settings_say(struct at_settings *s, enum at_settings_finding what, uint32_t node,
	const char *pointer, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say(s, what, node, pointer, format, ap);
	va_end(ap);
}

void at_settings_drop(struct at_settings *s, enum at_settings_finding what, uint32_t node,
	const char *pointer, const char *format, ...)
{
	va_list ap;

	s->causes++;
	va_start(ap, format);
	say(s, what, node, pointer, format, ap);
	va_end(ap);
}

void at_settings_say_at(struct at_settings *s, enum at_settings_finding what, size_t offset,
	const char *format, ...)
{
	struct at_finding *f;
	va_list ap;

	if (!count(s, what))
		return;
	va_start(ap, format);
	f = add(s, what, s->place->name, format, ap);
	va_end(ap);
	if (offset != SIZE_MAX)
		position(s, offset, f);
}

void at_settings_say_rest(struct at_settings *s)
{
	for (size_t i = 0; i < AT_SF_COUNT; i++)
		if (s->said[i] > AT_SETTINGS_REPEAT)
			at_wiring_add(s->report, findings[i].id, findings[i].level, s->place->name,
				findings[i].remedy, "%zu more of this kind are not listed.",
				s->said[i] - AT_SETTINGS_REPEAT);
}

const char *at_settings_kind(const struct at_settings *s, uint32_t node)
{
	static const char *const names[] = {
		[AT_JSON_NULL] = "null", [AT_JSON_FALSE] = "false", [AT_JSON_TRUE] = "true",
		[AT_JSON_NUMBER] = "a number", [AT_JSON_STRING] = "a string",
		[AT_JSON_ARRAY] = "an array", [AT_JSON_OBJECT] = "an object",
	};

	return names[s->doc->nodes[node].kind];
}

bool at_settings_is_true(const struct at_settings *s, const char *dotted)
{
	return at_json_is(s->doc, at_json_at(s->doc, dotted), AT_JSON_TRUE);
}

uint32_t at_settings_list(const struct at_settings *s, const char *dotted)
{
	uint32_t node = at_json_at(s->doc, dotted);

	return at_json_is(s->doc, node, AT_JSON_ARRAY) ? node : AT_JSON_NONE;
}

bool at_settings_is_dead(const struct at_settings *s, uint32_t node)
{
	return s->dead && s->dead[node];
}

const char *at_settings_quote(struct at_settings *s, struct at_bytes text)
{
	size_t len = text.len;

	if (len <= 120)
		return at_arena_strndup(s->arena, text.data, len);
	for (len = 117; len > 0 && ((unsigned char)text.data[len] & 0xC0) == 0x80;)
		len--; /* never inside a character */
	return at_arena_printf(s->arena, "%.*s…", (int)len, text.data);
}

const char *at_settings_text(struct at_settings *s, uint32_t node)
{
	struct at_bytes text = at_json_string(s->doc, node, s->arena);

	return strlen(text.data) == text.len ? text.data : "";
}

bool at_settings_can_look(const struct at_settings *s, const char *path)
{
	bool is_home =
		!s->place->home || !*s->place->home ? at_path_is_inside(path, s->home) : false;

	return s->look && !is_home;
}

bool at_settings_stat(const struct at_settings *s, const char *path, struct stat *st)
{
	const char *root = s->place->project;
	size_t len = strlen(root);

	if (*root && at_path_is_inside(path, root) && s->place->project_fd >= 0) {
		path += len;
		while (*path == '/')
			path++;
		return fstatat(s->place->project_fd, *path ? path : ".", st, 0) == 0;
	}
	return stat(path, st) == 0;
}

const char *at_settings_item(struct at_settings *s, const char *list, uint32_t index)
{
	char digits[10];
	size_t len = strlen(list), count = 0;
	char *text;

	do
		digits[count++] = (char)('0' + index % 10);
	while ((index /= 10) > 0);
	text = at_arena_alloc(s->arena, len + count + 3);
	text[0] = '/';
	memcpy(text + 1, list, len);
	text[len + 1] = '/';
	for (size_t i = 0; i < count; i++)
		text[len + 2 + i] = digits[count - 1 - i];
	return text;
}

/* A directory with a final slash, with two stars after it and without is the same place. */
static bool strip_tail(char out[PATH_MAX], const char *path, bool also_single)
{
	size_t len = strlen(path);

	if (len >= PATH_MAX)
		return false;
	memcpy(out, path, len + 1);
	if (len >= 2 && strcmp(out + len - 2, "**") == 0 && (len == 2 || out[len - 3] == '/'))
		len -= 2;
	else if (also_single && len >= 1 && out[len - 1] == '*' &&
		(len == 1 || out[len - 2] == '/'))
		len -= 1;
	out[len] = '\0';
	return strpbrk(out, "*?[") == NULL;
}

bool at_settings_sandbox_path(const struct at_settings *s, char out[PATH_MAX], const char *path)
{
	char plain[PATH_MAX];

	if (!strip_tail(plain, path, false))
		return false;
	return at_path_absolute(out, plain, s->project, s->home);
}

/* Measured on rules: "//abs" is absolute, "/x", "./x" and "x" are below the project. */
bool at_settings_rule_path(const struct at_settings *s, char out[PATH_MAX], const char *path)
{
	char plain[PATH_MAX];
	const char *from = plain;

	if (!strip_tail(plain, path, true))
		return false;
	if (from[0] == '/' && from[1] == '/')
		from++;
	else
		while (*from == '/')
			from++;
	return at_path_absolute(out, *from ? from : ".", s->project, s->home);
}
