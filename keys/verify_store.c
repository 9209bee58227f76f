#include "keys/verify_store.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/control_plane.h"
#include "core/file.h"
#include "core/plan.h"
#include "keys/keystore.h"
#include "keys/pem.h"

/* The path below `root`; `id` with a byte that names no key is refused before it is one. */
static bool path_of(
	char out[PATH_MAX], const char *team_dir, struct at_bytes id, struct at_error *err)
{
	char name[AT_KEY_NAME_MOST + 1] = "";

	if (id.len < sizeof(name) && !memchr(id.data, '\0', id.len))
		memcpy(name, id.data, id.len);
	if (!at_key_name_check(name, NULL)) {
		at_fail(err, AT_EINVALID, "the key_id `%.*s` can name no key",
			(int)(id.len < 80 ? id.len : 80), id.data);
		at_error_name(err, "key-name");
		at_error_hint(
			err, "Letters, digits, `.`, `_` and `-`, at most 64, no dot in front.");
		return false;
	}
	return snprintf(out, PATH_MAX, "%s/" AT_KEY_STORE "/%s.pub.pem", team_dir, name) < PATH_MAX
		|| at_fail(err, AT_ELIMIT, "the path of the key is too long");
}

static bool read_key(struct at_public_key *out, struct at_file *file, int root, const char *path,
	struct at_error *err)
{
	return at_file_read(file, root, path, AT_PEM_CAP, AT_FILE_MAY_BE_ABSENT, err)
		&& (!file->exists
			|| at_pem_read_public(out, at_buf_bytes(&file->bytes), path, err));
}

bool at_verify_key_load(struct at_public_key *out, int root, const char *team_dir,
	struct at_bytes key_id, struct at_error *err)
{
	char path[PATH_MAX];
	struct at_file file = { 0 };
	bool done;

	if (!path_of(path, team_dir, key_id, err))
		return false;
	done = read_key(out, &file, root, path, err);
	if (done && !file.exists) {
		done = at_fail(err, AT_ENOENT, "there is no public key `%s`", path);
		at_error_path(err, path);
		at_error_name(err, "key-not-installed");
		at_error_hint(err, "Whose key it is installs it: atconsole --install-key %.*s.",
			(int)key_id.len, key_id.data);
	}
	at_file_free(&file);
	return done;
}

bool at_verify_key_plan(struct at_plan *plan, int root, const char *team_dir, const char *key_id,
	const struct at_public_key *key, struct at_error *err)
{
	static const char reason[] = "what this key signs is believed by this team";
	char path[PATH_MAX];
	struct at_file file = { 0 };
	struct at_public_key there;
	struct at_buf text = { 0 };
	bool done = path_of(path, team_dir, at_bytes_of(key_id), err)
		&& read_key(&there, &file, root, path, err);

	if (done && file.exists && !at_public_key_equal(&there, key)) {
		done = at_fail(err, AT_EEXIST, "`%s` holds another key", path);
		at_error_path(err, path);
		at_error_name(err, "key-exists");
		at_error_hint(err,
			"Give the key another name: what the other one signed would "
			"verify no more.");
	} else if (done && file.exists) {
		done = at_plan_add(plan, root, AT_IN_PROJECT, path, at_buf_bytes(&file.bytes), 0644,
			AT_PLAN_STUB, reason, err);
	} else if (done) {
		at_pem_write_public(&text, key);
		done = at_plan_add(plan, root, AT_IN_PROJECT, path, at_buf_bytes(&text), 0644,
			AT_PLAN_WRITE, reason, err);
	}
	at_buf_free(&text);
	at_file_free(&file);
	return done;
}
