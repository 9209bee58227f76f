#include "keys/grant_spec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/json_read.h"
#include "core/json_write.h"
#include "core/mem.h"
#include "keys/field.h"

#define MOST_USES INT64_C(2147483647) /* reference-ledgers 5, row 3 */

static const struct at_json_limits limits = { AT_GRANT_SPEC_CAP, 16 };

#define SPEC(member) offsetof(struct at_grant_spec, member)

/* The members in the order of the reference; what is signed of each is the column. */
static const struct member {
	const char *name;
	size_t offset; /* of its struct at_bytes; 0 with is_number */
	enum at_grant_column column;
	bool is_number, is_optional;
} members[] = {
	{ "issuer_team", SPEC(issuer_team), AT_GRANT_ISSUER, false, false },
	{ "holder_team", SPEC(holder_team), AT_GRANT_HOLDER, false, false },
	{ "target_path", SPEC(target_path), AT_GRANT_TARGET, false, false },
	{ "permitted_ops", SPEC(permitted_ops), AT_GRANT_OPS, false, false },
	{ "expires_at", SPEC(expires_at), AT_GRANT_EXPIRES, false, false },
	{ "max_uses", 0, AT_GRANT_MAX_USES, true, false },
	{ "approver", SPEC(approver), AT_GRANT_APPROVER, false, false },
	{ "ticket_id", SPEC(ticket_id), AT_GRANT_TICKET, false, false },
	{ "reason_code", SPEC(reason_code), AT_GRANT_REASON, false, false },
	{ "issuer_root", SPEC(issuer_root), AT_GRANT_ISSUER_ROOT, false, true },
	{ "key_id", SPEC(key_id), AT_GRANT_KEY_ID, false, true },
};

static struct at_bytes *slot(struct at_grant_spec *spec, const struct member *m)
{
	return (struct at_bytes *)(void *)((char *)spec + m->offset);
}

static const struct at_bytes *value_of(const struct at_grant_spec *spec, const struct member *m)
{
	return (const struct at_bytes *)(const void *)((const char *)spec + m->offset);
}

static bool refuse(struct at_error *err, const char *field, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool refuse(struct at_error *err, const char *field, const char *format, ...)
{
	char message[600];
	va_list ap;

	va_start(ap, format);
	vsnprintf(message, sizeof(message), format, ap);
	va_end(ap);
	at_fail(err, AT_EINVALID, "%s", message);
	at_error_name(err, "grant-spec");
	at_error_field(err, field);
	return false;
}

static bool find_missing(const struct at_json *doc, struct at_error *err)
{
	struct at_buf names = { 0 };
	bool complete;

	for (size_t i = 0; i < AT_LEN(members); i++)
		if (!members[i].is_optional &&
			at_json_member(doc, AT_JSON_ROOT, members[i].name) == AT_JSON_NONE)
			at_buf_printf(&names, "%s%s", names.len ? ", " : "", members[i].name);
	complete = names.len == 0;
	if (!complete)
		refuse(err, "", "grant spec missing required field(s): %s", at_buf_text(&names));
	at_buf_free(&names);
	return complete;
}

static const struct member *member_named(struct at_bytes name)
{
	for (size_t i = 0; i < AT_LEN(members); i++)
		if (at_bytes_equal_text(name, members[i].name))
			return &members[i];
	return NULL;
}

/* A member that nothing signs would look as if it were granted. */
static bool find_unknown(const struct at_json *doc, struct at_arena *arena, struct at_error *err)
{
	at_json_each(doc, i, AT_JSON_ROOT) {
		struct at_bytes name = at_json_key(doc, i, arena);
		struct at_buf shown = { 0 };

		if (member_named(name))
			continue;
		at_grant_repr(&shown, name, 80);
		refuse(err, "", "grant spec holds %s, which is no field of a grant",
			at_buf_text(&shown));
		at_buf_free(&shown);
		return false;
	}
	return true;
}

/* Digits alone, at most 18: "1.9", "1e3", "1_0" and larger numbers are refused by who asks. */
static bool whole_number(int64_t *out, struct at_bytes text)
{
	bool is_negative = text.len && text.data[0] == '-';

	*out = 0;
	if (text.len - is_negative == 0)
		return false;
	for (size_t i = is_negative; i < text.len; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		if (*out <= MOST_USES)
			*out = *out * 10 + (text.data[i] - '0');
	}
	*out = is_negative ? -*out : *out;
	return true;
}

static bool read_uses(struct at_grant_spec *out, const struct at_json *doc, uint32_t node,
	struct at_arena *arena, struct at_error *err)
{
	bool is_text = at_json_is(doc, node, AT_JSON_STRING);
	struct at_bytes text = is_text ? at_json_string(doc, node, arena) : at_json_raw(doc, node);
	struct at_buf shown = { 0 };

	if ((is_text || at_json_is(doc, node, AT_JSON_NUMBER)) &&
		whole_number(&out->max_uses, is_text ? at_field_strip(text) : text))
		return true;
	if (is_text) {
		at_grant_repr(&shown, text, 80);
		refuse(err, "max_uses", "invalid literal for int() with base 10: %s",
			at_buf_text(&shown));
	} else if (doc->nodes[node].kind >= AT_JSON_ARRAY) {
		refuse(err, "max_uses", "max_uses must be a positive integer, not a list or object");
	} else {
		refuse(err, "max_uses", "max_uses must be a positive integer, not %.*s",
			(int)(text.len < 80 ? text.len : 80), text.data);
	}
	at_buf_free(&shown);
	return false;
}

/* A lone surrogate has no UTF-8; the reader of JSON leaves U+FFFD in its place. */
static bool has_lone_surrogate(const struct at_json *doc, uint32_t node, struct at_bytes value)
{
	struct at_bytes raw = at_json_raw(doc, node);

	return memmem(value.data, value.len, "\xef\xbf\xbd", 3) &&
	       !memmem(raw.data, raw.len, "\xef\xbf\xbd", 3) &&
	       !memmem(raw.data, raw.len, "\\ufffd", 6) && !memmem(raw.data, raw.len, "\\uFFFD", 6);
}

static bool read_member(struct at_grant_spec *out, const struct at_json *doc,
	const struct member *m, struct at_arena *arena, struct at_error *err)
{
	uint32_t node = at_json_member(doc, AT_JSON_ROOT, m->name);
	struct at_bytes *value = slot(out, m);

	if (node == AT_JSON_NONE)
		return true;
	if (m->is_number)
		return read_uses(out, doc, node, arena, err);
	if (!at_json_is(doc, node, AT_JSON_STRING))
		return refuse(err, m->name, "grant spec field '%s' must be a text", m->name);
	*value = at_json_string(doc, node, arena);
	if (has_lone_surrogate(doc, node, *value))
		return refuse(err, m->name, "grant spec field '%s' holds half a character "
			"(surrogates not allowed)", m->name);
	return true;
}

bool at_grant_spec_read(struct at_grant_spec *out, struct at_arena *arena, struct at_bytes text,
	const char *path, struct at_error *err)
{
	struct at_error why = { 0 };
	struct at_json doc;
	bool done;

	*out = (struct at_grant_spec){ .max_uses = 0 };
	if (!at_json_read(&doc, text, &limits, 0, &why)) {
		at_fail(err, why.code, "unable to read grant spec '%.200s': %.400s", path,
			why.message);
		at_error_name(err, why.id);
		at_error_path(err, path);
		at_error_at(err, why.line, why.column);
		return false;
	}
	done = at_json_is(&doc, AT_JSON_ROOT, AT_JSON_OBJECT) ||
	       refuse(err, "", "grant spec '%.200s' is no JSON object", path);
	done = done && find_missing(&doc, err) && find_unknown(&doc, arena, err);
	for (size_t i = 0; i < AT_LEN(members) && done; i++)
		done = read_member(out, &doc, &members[i], arena, err);
	if (!done)
		at_error_path(err, path);
	at_json_free(&doc);
	return done;
}

bool at_grant_spec_load(struct at_grant_spec *out, struct at_arena *arena, const char *path,
	struct at_error *err)
{
	const char *slash = strrchr(path, '/');
	struct at_error why = { 0 };
	char parent[PATH_MAX];
	size_t len = slash ? (size_t)(slash - path) + 1 : 1;
	struct at_file file;
	bool done = false;
	int dir = -1;

	*out = (struct at_grant_spec){ .max_uses = 0 };
	if (len < sizeof(parent)) {
		memcpy(parent, slash ? path : ".", len);
		parent[len] = '\0';
		/* The operator named the way there; only the file itself may be no link. */
		dir = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (dir < 0)
		at_fail_sys(&why, errno, "cannot open its directory");
	else
		done = at_file_read(&file, dir, slash ? slash + 1 : path, AT_GRANT_SPEC_CAP,
			AT_FILE_NO_DIGEST, &why);
	if (dir >= 0)
		close(dir);
	if (!done) {
		at_fail(err, why.code, "unable to read grant spec '%.200s': %.400s", path, why.message);
		at_error_path(err, path);
		return false;
	}
	done = at_grant_spec_read(out, arena, at_buf_bytes(&file.bytes), path, err);
	at_file_free(&file);
	return done;
}

void at_grant_spec_print(struct at_buf *out, const struct at_grant_spec *spec)
{
	struct at_json_value *object = at_json_object();

	for (size_t i = 0; i < AT_LEN(members); i++) {
		const struct at_bytes *value = value_of(spec, &members[i]);

		if (members[i].is_number)
			at_json_add_number(object, members[i].name, spec->max_uses);
		else if (!members[i].is_optional || value->data)
			at_json_add_bytes(object, members[i].name, *value);
	}
	at_json_print(out, object, AT_JSON_PRETTY);
	at_json_value_free(object);
}

static bool check_uses(const struct at_grant_spec *spec, struct at_error *err)
{
	if (spec->max_uses < 1)
		return refuse(err, "max_uses", "max_uses must be a positive integer");
	return spec->max_uses <= MOST_USES ||
	       refuse(err, "max_uses", "max_uses must be at most %lld", (long long)MOST_USES);
}

static bool read_expiry(const struct at_grant_spec *spec, struct at_time *out,
	struct at_error *err)
{
	struct at_error why = { 0 };
	struct at_buf shown = { 0 };

	if (at_time_read(out, spec->expires_at, &why))
		return true;
	at_grant_repr(&shown, spec->expires_at, 80);
	refuse(err, "expires_at", "expires_at is not a valid ISO-8601 timestamp (%s): %s",
		at_buf_text(&shown), why.message);
	at_buf_free(&shown);
	return false;
}

static bool check_approver(const struct at_grant_spec *spec, const struct at_roster *roster,
	struct at_error *err)
{
	if (!roster->exists || roster->count == 0) {
		at_fail(err, AT_EREFUSED, "%s", at_grant_no_roster);
		at_error_name(err, "grant-no-roster");
		return false;
	}
	if (at_roster_has(roster, spec->approver))
		return true;
	at_grant_fail_roster(err, spec->approver);
	return false;
}

/* What the reference let pass at issue. (reference-ledgers 5, rows 2 and 3) */
static bool check_texts(const struct at_grant_spec *spec, struct at_error *err)
{
	for (size_t i = 0; i < AT_LEN(members); i++) {
		const struct member *m = &members[i];
		struct at_bytes value = m->is_number ? (struct at_bytes){ "1", 1 }
						     : *value_of(spec, m);
		enum at_field_fault fault = at_field_check(at_field_strip(value));

		if (!m->is_optional && at_field_is_blank(value))
			return refuse(err, m->name, "grant spec field '%s' is blank", m->name);
		if (fault != AT_FIELD_FINE)
			return refuse(err, m->name, "grant spec field '%s' %s", m->name,
				at_field_fault_text(fault));
	}
	return true;
}

static bool check_ops(const struct at_grant_spec *spec, struct at_error *err)
{
	struct at_bytes odd = at_grant_odd_op(spec->permitted_ops);
	struct at_buf shown = { 0 };

	if (odd.len == 0)
		return at_grant_has_op(spec->permitted_ops, "read") ||
		       at_grant_has_op(spec->permitted_ops, "write") ||
		       refuse(err, "permitted_ops", "grant spec field 'permitted_ops' names no operation");
	at_grant_repr(&shown, odd, 80);
	refuse(err, "permitted_ops", "grant spec field 'permitted_ops' names %s, which is no operation: "
		"read, write or both joined by `;`", at_buf_text(&shown));
	at_buf_free(&shown);
	return false;
}

static bool check_key_id(const struct at_grant_spec *spec, enum at_grant_scheme scheme,
	struct at_error *err)
{
	if (scheme == AT_GRANT_HMAC)
		return !spec->key_id.data || refuse(err, "key_id", "a grant with a key_id is signed by "
			"--sign-grant, not by --issue-grant");
	return (spec->key_id.data && at_key_id_is_sound(spec->key_id)) ||
	       refuse(err, "key_id", "grant spec field 'key_id' must name a key of the team's store "
		       "(letters, digits, `._-`)");
}

bool at_grant_spec_check(const struct at_grant_spec *spec, enum at_grant_scheme scheme,
	const struct at_roster *roster, struct at_time now, struct at_error *err)
{
	struct at_time expires;

	/* KEY-5: refused before anything is looked at. */
	if (scheme != AT_GRANT_ED25519 && at_grant_has_op(spec->permitted_ops, "write")) {
		at_grant_fail_hmac_write(err, at_bytes_of("to be issued"));
		at_error_field(err, "permitted_ops");
		return false;
	}
	if (!check_uses(spec, err) || !at_grant_target_check(spec->target_path, err) ||
		!read_expiry(spec, &expires, err) || !check_approver(spec, roster, err))
		return false;
	if (!at_time_is_after(expires, now))
		return refuse(err, "expires_at", "expires_at is over: %.*s",
			(int)(spec->expires_at.len < 80 ? spec->expires_at.len : 80),
			spec->expires_at.data);
	return check_texts(spec, err) && check_ops(spec, err) && check_key_id(spec, scheme, err) &&
	       at_grant_anchor_check(spec->issuer_root, spec->target_path, err);
}
