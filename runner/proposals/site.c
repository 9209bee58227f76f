#include "runner/proposals/site.h"

#include <stdio.h>
#include <string.h>

#include "core/digest.h"
#include "core/mem.h"
#include "core/path.h"
#include "keys/field.h"
#include "keys/keystore.h"
#include "runner/proposals/dispatch.h"

static bool is_space(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool fail_key(
	struct at_error *err, enum at_code code, const char *id, const char *path, const char *what)
{
	at_fail(err, code, "the ledger key `%s` %s", path, what);
	at_error_path(err, path);
	at_error_name(err, id);
	return false;
}

/* Its directory is the key store or below it, physically too. */
static bool is_in_store(const char *path, const char *home)
{
	char store[PATH_MAX], above[PATH_MAX], physical[PATH_MAX];
	const char *slash = strrchr(path, '/');

	if (*path != '/'
		|| (size_t)snprintf(store, sizeof(store), "%s/" AT_KEYS_DIR, home) >= sizeof(store))
		return false;
	snprintf(above, sizeof(above), "%.*s", (int)(slash - path), path);
	return at_path_physical(physical, above) && at_path_physical(above, store)
		&& at_path_is_inside(physical, above);
}

/* What stands between white space, in place. */
static void strip(struct at_secret *key)
{
	size_t from = 0, to = key->len;

	while (from < to && is_space(key->bytes[from]))
		from++;
	while (to > from && is_space(key->bytes[to - 1]))
		to--;
	if (from)
		memmove(key->bytes, key->bytes + from, to - from);
	key->len = to - from;
}

bool at_proposal_key_load(struct at_secret *out, const char *home, const char *named,
	const struct at_custody_place *place, struct at_error *err)
{
	char path[PATH_MAX];

	*out = (struct at_secret){ 0 };
	if (named && *named)
		snprintf(path, sizeof(path), "%s", named);
	else
		snprintf(path, sizeof(path), "%s/" AT_KEYS_DIR "/" AT_PROPOSAL_KEY, home);
	if (!is_in_store(path, home)) {
		fail_key(err, AT_EUNSAFE, "proposal-key-place", path,
			"does not lie in ~/" AT_KEYS_DIR);
		at_error_hint(err, "Move it there, and name it by " AT_PROPOSAL_KEY_VARIABLE ".");
		return false;
	}
	if (!at_custody_read(out, path, place, err)) {
		if (err && err->code == AT_ENOENT)
			at_error_hint(err,
				"Make it: (umask 077; mkdir -p ~/" AT_KEYS_DIR "; "
				"head -c 32 /dev/urandom | base64 > ~/" AT_KEYS_DIR "/" AT_PROPOSAL_KEY ")");
		return false;
	}
	if (out->len > AT_PROPOSAL_KEY_CAP) {
		fail_key(err, AT_ELIMIT, "proposal-key-size", path, "is larger than 4096 bytes");
	} else {
		strip(out);
		if (out->len)
			return true;
		fail_key(err, AT_EINVALID, "proposal-key-empty", path, "is empty");
	}
	at_secret_free(out);
	return false;
}

bool at_operator_file_name(char out[NAME_MAX + 1], const char *project)
{
	const char *base = strrchr(project, '/');
	struct at_digest digest = at_digest_of(at_bytes_of(project));
	char hex[AT_DIGEST_HEX], name[NAME_MAX + 1];
	size_t len;

	base = base ? base + 1 : project;
	len = strlen(base);
	if (len + 18 > NAME_MAX) /* "-", 12 digits, ".json" */
		return false;
	/* A character of several bytes is one `_`, as for Python. */
	len = 0;
	for (size_t i = 0; base[i]; i++) {
		unsigned char c = (unsigned char)base[i];

		if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
			|| strchr("._-", c))
			name[len++] = (char)c;
		else if ((c & 0xc0) != 0x80)
			name[len++] = '_';
	}
	name[len] = '\0';
	at_digest_hex(hex, &digest);
	snprintf(out, NAME_MAX + 1, "%s-%.12s.json", len ? name : "root", hex);
	return true;
}

void at_stamp_put(struct at_buf *out, struct at_time time)
{
	time.nanoseconds = 0;
	at_time_put(out, time);
}

void at_stamp_text(char out[AT_STAMP], struct at_time time)
{
	struct at_buf text = { 0 };

	at_stamp_put(&text, time);
	snprintf(out, AT_STAMP, "%s", at_buf_text(&text));
	at_buf_free(&text);
}

bool at_agent_slug_is_sound(struct at_bytes slug)
{
	if (slug.len == 0 || slug.len >= AT_AGENT || slug.data[0] == '-')
		return false;
	for (size_t i = 0; i < slug.len; i++) {
		char c = slug.data[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-')
			return false;
	}
	return true;
}

bool at_is_lower_hex(struct at_bytes text, size_t count)
{
	if (!text.data || text.len != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		char c = text.data[i];

		if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
			return false;
	}
	return true;
}
