#include "emit/build_log.h"

#include <string.h>

/* The default one falls through its cases, which clang warns of. */
#define HASH_FUNCTION(key, len, hash) HASH_FNV(key, len, hash)
#include <uthash.h>

#include "core/control_plane.h"
#include "core/mem.h"

struct at_build_log_item {
	UT_hash_handle hh;
	uint32_t node;
};

/* A log may hold a hash for each of many thousand files: one index, built once. */
static void index_hashes(struct at_build_log *log)
{
	at_json_each(&log->doc, i, log->hashes) {
		struct at_bytes key = at_json_key(&log->doc, i, log->arena);
		struct at_build_log_item *item = at_arena_alloc(log->arena, sizeof(*item));

		item->node = i;
		HASH_ADD_KEYPTR(hh, log->items, key.data, key.len, item);
	}
}

static bool fail_shape(const struct at_build_log *log, const char *what, struct at_error *err)
{
	at_fail(err, AT_EINVALID, "%s: %s; nothing was written, since what it records cannot be "
		"told", log->path, what);
	at_error_path(err, log->path);
	at_error_hint(err, "Restore the file, or move it away to start a new record.");
	return false;
}

static bool parse(struct at_build_log *log, struct at_error *err)
{
	struct at_error why;

	if (!at_json_read(&log->doc, at_buf_bytes(&log->file.bytes), &at_json_settings_limits, 0,
		    &why)) {
		if (err) {
			*err = why;
			at_error_path(err, log->path);
			at_error_hint(err,
				"The record of this team does not parse; nothing was "
				"written. Restore it, or move it away to start a new one.");
		}
		return false;
	}
	if (!at_json_is(&log->doc, AT_JSON_ROOT, AT_JSON_OBJECT))
		return fail_shape(log, "holds no JSON object", err);
	log->hashes = at_json_member(&log->doc, AT_JSON_ROOT, "file_hashes");
	if (log->hashes == AT_JSON_NONE)
		return true;
	if (!at_json_is(&log->doc, log->hashes, AT_JSON_OBJECT))
		return fail_shape(log, "`file_hashes` is no object", err);
	index_hashes(log);
	return true;
}

bool at_build_log_read(struct at_build_log *out, const struct at_project *project,
	struct at_error *err)
{
	*out = (struct at_build_log){ .arena = at_arena_new(), .hashes = AT_JSON_NONE };
	out->path = at_arena_printf(out->arena, "%s/" AT_TEAM_MARKER, project->team_dir);
	if (at_file_read(&out->file, project->fd, out->path, AT_FILE_CAP, AT_FILE_MAY_BE_ABSENT,
		    err) &&
		(!out->file.exists || parse(out, err)))
		return true;
	at_build_log_free(out);
	return false;
}

void at_build_log_free(struct at_build_log *log)
{
	HASH_CLEAR(hh, log->items);
	at_json_free(&log->doc);
	at_file_free(&log->file);
	at_arena_free(log->arena);
	*log = (struct at_build_log){ 0 };
}

uint32_t at_build_log_find(const struct at_build_log *log, const char *key)
{
	struct at_build_log_item *item;

	HASH_FIND(hh, log->items, key, strlen(key), item);
	return item ? item->node : AT_JSON_NONE;
}

void at_build_log_digest(char out[AT_BUILD_LOG_HEX], struct at_bytes bytes)
{
	struct at_digest digest = at_digest_of(bytes);
	char hex[AT_DIGEST_HEX];

	at_digest_hex(hex, &digest);
	memcpy(out, hex, AT_BUILD_LOG_HEX - 1);
	out[AT_BUILD_LOG_HEX - 1] = '\0';
}

const char *at_build_log_key(const struct at_project *project, const char *path,
	struct at_arena *arena)
{
	const char *team = project->team_dir, *rest = path;
	struct at_buf key = { 0 };
	const char *copy;

	for (;;) { /* drop the components that both share */
		size_t len = strcspn(team, "/");

		if (*team == '\0' || strncmp(team, rest, len) != 0 || rest[len] != '/')
			break;
		team += len + (team[len] == '/');
		rest += len + 1;
	}
	while (*team) {
		at_buf_puts(&key, "../");
		team += strcspn(team, "/");
		team += *team == '/';
	}
	at_buf_puts(&key, rest);
	copy = at_arena_strndup(arena, at_buf_text(&key), key.len);
	at_buf_free(&key);
	return copy;
}

bool at_build_log_knows(const struct at_build_log *log, const struct at_project *project,
	const char *path, struct at_bytes bytes)
{
	char hex[AT_BUILD_LOG_HEX];
	uint32_t node = at_build_log_find(log, at_build_log_key(project, path, log->arena));

	at_build_log_digest(hex, bytes);
	return at_json_is(&log->doc, node, AT_JSON_STRING) &&
		at_json_string_is(&log->doc, node, hex);
}
