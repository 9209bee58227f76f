#include "keys/roster.h"

#include <string.h>

#include "core/file.h"
#include "core/json_read.h"
#include "core/mem.h"
#include "core/utf8.h"
#include "keys/field.h"

#define ROSTER_CAP ((size_t)1 << 20)

/* Where Python's str.splitlines() ends a line. A CR LF makes one line more, which is blank. */
static bool ends_line(int32_t code)
{
	return (code >= 0x0a && code <= 0x0d) || (code >= 0x1c && code <= 0x1e) || code == 0x85 ||
	       code == 0x2028 || code == 0x2029;
}

/* ASCII letters alone are lower-cased: a name that differs in another letter's case does not
 * match, where the Python tool would let it. */
const char *at_roster_name(struct at_arena *arena, struct at_bytes name)
{
	char *out;

	name = at_field_strip(name);
	while (name.len && name.data[0] == '@') {
		name.data++;
		name.len--;
	}
	out = at_arena_strndup(arena, name.data, name.len);
	for (char *c = out; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c |= 0x20;
	return out;
}

static void take_line(struct at_roster *out, struct at_arena *arena, struct at_bytes line)
{
	line = at_field_strip(line);
	/* A NUL would cut the name short of what stands there. */
	if (line.len == 0 || line.data[0] == '#' || memchr(line.data, '\0', line.len))
		return;
	out->names[out->count] = at_roster_name(arena, line);
	out->count += out->names[out->count][0] != '\0';
}

static size_t count_lines(struct at_bytes text)
{
	size_t count = 1;
	int32_t code;

	for (size_t i = 0, len; (len = at_utf8_next(text, i, &code)); i += len)
		count += ends_line(code);
	return count;
}

bool at_roster_read(struct at_roster *out, struct at_arena *arena, struct at_bytes text,
	struct at_error *err)
{
	size_t start = 0, bad, len;
	int32_t code;

	*out = (struct at_roster){ .exists = true };
	if (!at_utf8_is_valid(text, &bad))
		return at_fail(err, AT_EPARSE, "no UTF-8 at byte %zu of the roster", bad);
	out->names = at_arena_alloc(arena, (count_lines(text) + 1) * sizeof(*out->names));
	for (size_t i = 0; (len = at_utf8_next(text, i, &code)); i += len) {
		if (!ends_line(code))
			continue;
		take_line(out, arena, (struct at_bytes){ text.data + start, i - start });
		start = i + len;
	}
	take_line(out, arena, (struct at_bytes){ text.data + start, text.len - start });
	return true;
}

bool at_roster_load(struct at_roster *out, struct at_arena *arena, int root, const char *path,
	struct at_error *err)
{
	struct at_file file;
	bool done = true;

	*out = (struct at_roster){ 0 };
	if (!at_file_read(&file, root, path, ROSTER_CAP, AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST,
		    err))
		return false;
	if (file.exists) {
		done = at_roster_read(out, arena, at_buf_bytes(&file.bytes), err);
		if (!done)
			at_error_path(err, path);
	}
	at_file_free(&file);
	return done;
}

static bool is_name(const char *lower, struct at_bytes name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.data[i];

		if (c == '\0' || lower[i] != (c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c))
			return false;
	}
	return lower[name.len] == '\0';
}

bool at_roster_has(const struct at_roster *roster, struct at_bytes name)
{
	name = at_field_strip(name);
	while (name.len && name.data[0] == '@') {
		name.data++;
		name.len--;
	}
	for (size_t i = 0; i < roster->count && name.len; i++)
		if (is_name(roster->names[i], name))
			return true;
	return false;
}

static bool read_switch(bool *is_on, struct at_bytes text, const char *path, struct at_error *err)
{
	struct at_json doc;
	uint32_t node;
	bool done;

	if (!at_json_read(&doc, text, &at_json_brief_limits, 0, err))
		return false;
	node = at_json_is(&doc, AT_JSON_ROOT, AT_JSON_OBJECT)
		? at_json_member(&doc, AT_JSON_ROOT, "enforce_decision_signing")
		: AT_JSON_NONE;
	*is_on = at_json_is(&doc, node, AT_JSON_TRUE);
	done = at_json_is(&doc, AT_JSON_ROOT, AT_JSON_OBJECT) &&
	       (node == AT_JSON_NONE || *is_on || at_json_is(&doc, node, AT_JSON_FALSE));
	at_json_free(&doc);
	return done || at_fail(err, AT_EINVALID,
			       "`%s`: enforce_decision_signing must be true or false", path);
}

bool at_switch_load(bool *is_on, int root, const char *path, struct at_error *err)
{
	struct at_file file;
	bool done;

	*is_on = true;
	if (!at_file_read(&file, root, path, ROSTER_CAP, AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST,
		    err))
		return false;
	*is_on = false;
	done = !file.exists || read_switch(is_on, at_buf_bytes(&file.bytes), path, err);
	if (!done) {
		*is_on = true;
		at_error_path(err, path);
	}
	at_file_free(&file);
	return done;
}
