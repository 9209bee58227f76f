#include "core/integrity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/json_read.h"
#include "core/json_write.h"
#include "core/mem.h"
#include "core/path.h"

#define DEEPEST 8 /* folders inside each other */
#define NOTE \
	"SHA-256 of every source file that a boundary rests on (core/integrity.def says which). " \
	"Write it anew after an intended change alone: the difference is the control."

const struct at_pin_rule at_pin_rules[] = {
#define AT_PINNED(which, why) { which, why, true },
#define AT_EXEMPT(which, why) { which, why, false },
#include "core/integrity.def"
#undef AT_PINNED
#undef AT_EXEMPT
};
const size_t at_pin_rule_count = AT_LEN(at_pin_rules);

static const char *const folders[] = { "core", "emit", "keys", "runner" };

static bool takes_in(const char *which, size_t len, const char *path)
{
	return which[len - 1] == '*' ? strncmp(which, path, len - 1) == 0
				     : strcmp(which, path) == 0;
}

const struct at_pin_rule *at_pin_rule_of(const char *path)
{
	const struct at_pin_rule *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < at_pin_rule_count; i++) {
		size_t len = strlen(at_pin_rules[i].which);

		if (len <= longest || !takes_in(at_pin_rules[i].which, len, path))
			continue;
		best = &at_pin_rules[i];
		longest = len;
	}
	return best;
}

bool at_integrity_is_own_tree(int root)
{
	return at_file_type(root, "core/integrity.def") == AT_FILE_REGULAR
		|| at_file_type(root, "core/integrity.c") == AT_FILE_REGULAR;
}

void at_pins_init(struct at_pins *pins)
{
	*pins = (struct at_pins){ .arena = at_arena_new() };
}

void at_pins_free(struct at_pins *pins)
{
	free(pins->items);
	at_arena_free(pins->arena);
	*pins = (struct at_pins){ 0 };
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct at_pin *)a)->path, ((const struct at_pin *)b)->path);
}

static void sort(struct at_pins *pins)
{
	if (pins->count)
		qsort(pins->items, pins->count, sizeof(*pins->items), by_path);
}

const struct at_pin *at_pins_find(const struct at_pins *pins, const char *path)
{
	struct at_pin wanted = { .path = path };

	return pins->count
		? bsearch(&wanted, pins->items, pins->count, sizeof(*pins->items), by_path) : NULL;
}

static struct at_pin *add(struct at_pins *pins, const char *path)
{
	pins->items = at_grow(pins->items, &pins->cap, pins->count, sizeof(*pins->items));
	pins->items[pins->count] = (struct at_pin){ .path = path };
	return &pins->items[pins->count++];
}

/* --- the manifest --------------------------------------------------------------------- */

static bool fail_shape(const struct at_json *doc, uint32_t node, const char *what,
	struct at_error *err)
{
	unsigned line = 0, column = 0;

	at_fail(err, AT_EINVALID, "the integrity manifest %s", what);
	if (node != AT_JSON_NONE) {
		at_json_position(doc->text, doc->nodes[node].start, &line, &column);
		at_error_at(err, line, column);
	}
	at_error_name(err, "integrity-manifest");
	return false;
}

static bool read_pin(struct at_pins *out, const struct at_json *doc, uint32_t node,
	struct at_error *err)
{
	struct at_bytes path = at_json_key(doc, node, out->arena), hex;
	struct at_digest digest;

	if (path.len == 0 || memchr(path.data, '\0', path.len))
		return fail_shape(doc, node, "pins a path that is none", err);
	if (!at_json_is(doc, node, AT_JSON_STRING))
		return fail_shape(doc, node, "pins a file by something that is no text", err);
	hex = at_json_string(doc, node, out->arena);
	if (hex.len != AT_DIGEST_HEX - 1 || !at_digest_from_hex(&digest, hex.data))
		return fail_shape(doc, node, "pins a file by something that is no SHA-256", err);
	at_digest_hex(add(out, path.data)->sha256, &digest);
	return true;
}

static bool read_document(struct at_pins *out, const struct at_json *doc, struct at_error *err)
{
	uint32_t modules, version;

	if (!at_json_is(doc, AT_JSON_ROOT, AT_JSON_OBJECT))
		return fail_shape(doc, AT_JSON_ROOT, "is no JSON object", err);
	version = at_json_member(doc, AT_JSON_ROOT, "version");
	if (version == AT_JSON_NONE || !at_bytes_equal_text(at_json_raw(doc, version), "1"))
		return fail_shape(doc, version, "has no version that this program knows", err);
	modules = at_json_member(doc, AT_JSON_ROOT, "modules");
	if (!at_json_is(doc, modules, AT_JSON_OBJECT))
		return fail_shape(doc, modules, "has no `modules`", err);
	at_json_each(doc, i, modules)
		if (!read_pin(out, doc, i, err))
			return false;
	sort(out);
	return true;
}

bool at_pins_read(struct at_pins *out, struct at_bytes text, struct at_error *err)
{
	struct at_json doc;
	bool ok;

	if (!at_json_read(&doc, text, &at_json_settings_limits, 0, err))
		return false;
	ok = read_document(out, &doc, err);
	at_json_free(&doc);
	return ok;
}

void at_pins_print(struct at_buf *out, const struct at_pins *pins)
{
	struct at_json_value *root = at_json_object();
	struct at_json_value *modules = at_json_add_object(root, "modules");

	for (size_t i = 0; i < pins->count; i++)
		at_json_add_text(modules, pins->items[i].path, pins->items[i].sha256);
	at_json_add_text(root, "note", NOTE);
	at_json_add_number(root, "version", 1);
	at_json_print(out, root, AT_JSON_SORTED);
	at_json_value_free(root);
}

/* --- the tree ------------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *tail)
{
	size_t len = strlen(name), of = strlen(tail);

	return len >= of && strcmp(name + len - of, tail) == 0;
}

static bool is_source(const char *name)
{
	return *name != '.' && !ends_with(name, "~") && !ends_with(name, ".orig")
		&& !ends_with(name, ".rej");
}

static bool list_folder(struct at_pins *out, int root, const char *folder, unsigned depth,
	struct at_error *err)
{
	int fd = at_file_open_dir(root, folder, err);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	bool ok = dir != NULL;

	if (fd >= 0 && !dir) {
		at_fail_sys(err, errno, "%s cannot be listed", folder);
		close(fd);
	}
	for (struct dirent *entry; ok && (entry = readdir(dir));) {
		const char *path;

		if (!is_source(entry->d_name))
			continue;
		path = at_arena_printf(out->arena, "%s/%s", folder, entry->d_name);
		if (at_file_type(root, path) != AT_FILE_DIRECTORY)
			add(out, path);
		else
			ok = depth < DEEPEST ? list_folder(out, root, path, depth + 1, err)
					     : at_fail(err, AT_ELIMIT, "%s is too deep", path);
	}
	if (dir)
		closedir(dir);
	return ok;
}

bool at_pins_list_sources(struct at_pins *out, int root, struct at_error *err)
{
	for (size_t i = 0; i < AT_LEN(folders); i++)
		if (!list_folder(out, root, folders[i], 0, err))
			return false;
	sort(out);
	return true;
}

static bool hash(struct at_pin *pin, int root, struct at_error *err)
{
	struct at_file file;

	if (!at_file_read(&file, root, pin->path, AT_FILE_CAP, 0, err))
		return false;
	at_digest_hex(pin->sha256, &file.digest);
	at_file_free(&file);
	return true;
}

bool at_pins_of_tree(struct at_pins *out, int root, struct at_error *err)
{
	size_t kept = 0;

	if (!at_pins_list_sources(out, root, err))
		return false;
	for (size_t i = 0; i < out->count; i++) {
		const struct at_pin_rule *rule = at_pin_rule_of(out->items[i].path);

		if (!rule) {
			at_fail(err, AT_EREFUSED, "%s is neither pinned nor exempt",
				out->items[i].path);
			at_error_hint(err, "Give it a row in core/integrity.def.");
			return false;
		}
		if (!rule->is_pinned)
			continue;
		out->items[kept] = out->items[i];
		if (!hash(&out->items[kept++], root, err))
			return false;
	}
	out->count = kept;
	return true;
}
