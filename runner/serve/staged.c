#include "runner/serve/staged.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/disk.h"
#include "core/file.h"
#include "core/mem.h"
#include "runner/proposals/canonical.h"
#include "runner/serve/queue.h"

#define HEAD_CAP 2048u /* bytes that a list reads; a longer head is read whole */

static const struct at_json_limits limits = { AT_STAGED_CAP, 40 };
static const char artifact_mark[] = ", \"artifact\": ";

void at_staged_free(struct at_staged *staged)
{
	at_json_free(&staged->doc);
	at_buf_free(&staged->text);
	at_arena_free(staged->arena);
	*staged = (struct at_staged){ 0 };
}

static bool refuse(struct at_error *err, const char *id, const char *before, const char *sid,
	const char *after)
{
	at_fail(err, AT_EREFUSED, "%s%s%s", before, sid, after);
	at_error_name(err, id);
	return false;
}

/* Up to `most` bytes of a regular file. */
static bool read_file(struct at_buf *out, int dir, const char *sid, size_t most,
	struct at_error *err)
{
	char name[48];
	struct stat st;
	ssize_t got;
	int fd;

	snprintf(name, sizeof(name), "%.32s.json", sid);
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return refuse(err, "staged-none", "no staged proposal ", sid, "");
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)
		|| (size_t)st.st_size > AT_STAGED_CAP) {
		if (fd >= 0)
			close(fd);
		return refuse(err, "staged-malformed", "staged record ", sid, " is malformed");
	}
	if (most > (size_t)st.st_size)
		most = (size_t)st.st_size;
	at_buf_reserve(out, most + 1);
	while (out->len < most) {
		got = read(fd, out->data + out->len, most - out->len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		out->len += (size_t)got;
	}
	if (out->data)
		out->data[out->len] = '\0';
	close(fd);
	return true;
}

static bool take_text(const char **out, const struct at_json *doc, uint32_t object,
	const char *key, struct at_arena *arena)
{
	uint32_t node = at_json_member(doc, object, key);
	struct at_bytes text;

	if (!at_json_is(doc, node, AT_JSON_STRING))
		return false;
	text = at_json_string(doc, node, arena);
	*out = text.data;
	return strlen(text.data) == text.len;
}

static struct at_bytes bytes_of(const struct at_json *doc, uint32_t object, const char *key,
	struct at_arena *arena)
{
	uint32_t node = at_json_member(doc, object, key);

	return at_json_is(doc, node, AT_JSON_STRING) ? at_json_string(doc, node, arena)
						      : (struct at_bytes){ NULL, 0 };
}

static bool take_number(long long *out, const struct at_json *doc, uint32_t node)
{
	struct at_bytes raw;

	if (!at_json_is(doc, node, AT_JSON_NUMBER))
		return false;
	raw = at_json_raw(doc, node);
	*out = 0;
	if (raw.len > 12)
		return false;
	for (size_t i = 0; i < raw.len; i++) {
		if (raw.data[i] < '0' || raw.data[i] > '9')
			return false;
		*out = *out * 10 + (raw.data[i] - '0');
	}
	return true;
}

/* The members in front of the artifact. */
static bool take_head(struct at_staged *s)
{
	const struct at_json *doc = &s->doc;
	const char *sid, *sum = "";
	uint32_t node;

	if (!at_json_is(doc, AT_JSON_ROOT, AT_JSON_OBJECT)
		|| !take_text(&sid, doc, AT_JSON_ROOT, "sid", s->arena)
		|| strcmp(sid, s->sid) != 0
		|| !take_text(&s->agent, doc, AT_JSON_ROOT, "agent", s->arena)
		|| !take_text(&s->path, doc, AT_JSON_ROOT, "path", s->arena)
		|| !take_text(&s->kind, doc, AT_JSON_ROOT, "kind", s->arena)
		|| !take_text(&s->expires_text, doc, AT_JSON_ROOT, "expires", s->arena)
		|| !take_number(&s->bytes, doc, at_json_member(doc, AT_JSON_ROOT, "bytes")))
		return false;
	node = at_json_member(doc, AT_JSON_ROOT, "content_sha256");
	if (!at_json_is(doc, node, AT_JSON_NULL)
		&& !take_text(&sum, doc, AT_JSON_ROOT, "content_sha256", s->arena))
		return false;
	if (strlen(sum) >= sizeof(s->content_sha256))
		return false;
	strcpy(s->content_sha256, sum);
	s->gates = at_json_member(doc, AT_JSON_ROOT, "gates");
	s->has_expiry = at_time_read(&s->expires, at_bytes_of(s->expires_text), NULL);
	return at_json_is(doc, s->gates, AT_JSON_ARRAY);
}

static bool take_artifact(struct at_staged *s)
{
	const struct at_json *doc = &s->doc;

	s->artifact = at_json_member(doc, AT_JSON_ROOT, "artifact");
	if (!at_json_is(doc, s->artifact, AT_JSON_OBJECT))
		return false;
	s->content = bytes_of(doc, s->artifact, "content", s->arena);
	s->rationale = bytes_of(doc, s->artifact, "rationale", s->arena);
	s->base = bytes_of(doc, s->artifact, "base_sha256", s->arena);
	return true;
}

static bool begin(struct at_staged *out, const char *sid, struct at_error *err)
{
	*out = (struct at_staged){ .artifact = AT_JSON_NONE, .gates = AT_JSON_NONE };
	if (!at_is_lower_hex(at_bytes_of(sid), 32))
		return refuse(err, "staged-id", "bad staged id", "", "");
	memcpy(out->sid, sid, sizeof(out->sid));
	out->arena = at_arena_new();
	return true;
}

bool at_staged_read(struct at_staged *out, int dir, const char *sid, struct at_error *err)
{
	if (!begin(out, sid, err) || !read_file(&out->text, dir, sid, AT_STAGED_CAP, err))
		return false;
	out->is_malformed =
		!at_json_read(&out->doc, at_buf_bytes(&out->text), &limits, 0, NULL)
		|| !take_head(out) || !take_artifact(out);
	return true;
}

bool at_staged_read_head(struct at_staged *out, int dir, const char *sid, struct at_error *err)
{
	char *mark;

	if (!begin(out, sid, err) || !read_file(&out->text, dir, sid, HEAD_CAP, err))
		return false;
	/* No string can hold these bytes: its quotes would be escaped. */
	mark = memmem(at_buf_text(&out->text), out->text.len, artifact_mark,
		sizeof(artifact_mark) - 1);
	if (mark) {
		out->text.len = (size_t)(mark - out->text.data);
		at_buf_putc(&out->text, '}');
		if (at_json_read(&out->doc, at_buf_bytes(&out->text), &limits, 0, NULL)
			&& take_head(out))
			return true;
	}
	at_staged_free(out);
	return at_staged_read(out, dir, sid, err);
}

bool at_staged_is_over(const struct at_staged *staged, struct at_time now)
{
	return staged->has_expiry && at_time_is_after(now, staged->expires);
}

static struct at_digest mac_of(const struct at_json *doc, struct at_bytes key)
{
	struct at_buf body = { 0 };
	struct at_digest mac;

	at_canonical_put_without(&body, doc, AT_JSON_ROOT, "mac", AT_CANONICAL_SPACED);
	mac = at_digest_keyed(key, at_buf_bytes(&body));
	at_buf_free(&body);
	return mac;
}

static bool is_signed(const struct at_staged *s, struct at_bytes key)
{
	struct at_bytes text = bytes_of(&s->doc, AT_JSON_ROOT, "mac", s->arena);
	struct at_digest given, made;

	if (!text.data || !at_is_lower_hex(text, 64) || !at_digest_from_hex(&given, text.data))
		return false;
	made = mac_of(&s->doc, key);
	return at_digest_equal(&given, &made);
}

static bool is_bound(const struct at_staged *s)
{
	const char *path, *kind;

	return take_text(&path, &s->doc, s->artifact, "path", s->arena)
		&& take_text(&kind, &s->doc, s->artifact, "kind", s->arena)
		&& strcmp(path, s->path) == 0 && strcmp(kind, s->kind) == 0;
}

static bool is_content_as_hashed(const struct at_staged *s)
{
	struct at_digest digest;
	char hex[AT_DIGEST_HEX];

	if (!s->content.data)
		return !*s->content_sha256 && s->bytes == 0;
	digest = at_digest_of(s->content);
	at_digest_hex(hex, &digest);
	return strcmp(hex, s->content_sha256) == 0 && (long long)s->content.len == s->bytes;
}

/* In the reference's order; the first that holds is the refusal. */
bool at_staged_verify(const struct at_staged *s, struct at_bytes key, struct at_time now,
	struct at_error *err)
{
	static const char *const before = "staged proposal ";

	if (s->is_malformed)
		return refuse(err, "staged-malformed", "staged record ", s->sid, " is malformed");
	if (!is_signed(s, key))
		return refuse(err, "staged-unsigned", before, s->sid,
			" is not signed by this runner's key; refused (reject it)");
	if (!is_bound(s))
		return refuse(err, "staged-binding", before, s->sid,
			" doesn't match its own binding; refused");
	if (!is_content_as_hashed(s))
		return refuse(err, "staged-content", before, s->sid,
			": content doesn't match its sha256; refused");
	if (!s->has_expiry)
		return refuse(
			err, "staged-expiry", before, s->sid, " has a malformed expiry");
	if (at_staged_is_over(s, now))
		return refuse(err, "staged-expired", before, s->sid,
			" expired; reject it and have the agent re-stage");
	return true;
}

/* One text as everything signed has it: quoted, ASCII. */
static void put_text(struct at_buf *out, const char *text)
{
	struct at_buf list = { 0 };

	at_canonical_put_texts(&list, &text, 1, AT_CANONICAL_SPACED);
	at_buf_put(out, list.data + 1, list.len - 2);
	at_buf_free(&list);
}

/* Everything but the MAC and the artifact, so that a list need not read further. */
static void put_head(struct at_buf *out, const char *sid, const char *expires,
	const struct at_check *check, struct at_bytes gates)
{
	bool is_change = check->artifact.kind == AT_CHANGE_PROPOSAL;
	char hex[AT_DIGEST_HEX];

	at_buf_printf(out, "{\"sid\": \"%s\", \"agent\": \"%s\", \"kind\": \"%s\", \"path\": ", sid,
		check->agent, at_artifact_kind_name(check->artifact.kind));
	put_text(out, check->path);
	at_digest_hex(hex, &check->result);
	if (is_change)
		at_buf_printf(out, ", \"bytes\": %zu, \"content_sha256\": \"%s\"",
			check->artifact.content.text.len, hex);
	else
		at_buf_puts(out, ", \"bytes\": 0, \"content_sha256\": null");
	at_buf_printf(out, ", \"expires\": \"%s\", \"gates\": ", expires);
	at_buf_put(out, gates.data, gates.len);
}

void at_staged_make(struct at_buf *out, char sid[AT_STAGED_ID], char expires[AT_STAMP],
	const struct at_check *check, struct at_bytes gates, struct at_bytes key,
	struct at_time now)
{
	struct at_buf head = { 0 }, artifact = { 0 }, body = { 0 };
	struct at_json doc;
	struct at_digest mac;
	char hex[AT_DIGEST_HEX];

	at_queue_new_id(sid);
	now.seconds += AT_STAGED_HOURS * 3600;
	at_stamp_text(expires, now);
	put_head(&head, sid, expires, check, gates);
	at_artifact_put_staged(&artifact, &check->artifact, check->path);
	at_buf_put(&body, head.data, head.len);
	at_buf_puts(&body, artifact_mark);
	at_buf_put(&body, artifact.data, artifact.len);
	at_buf_putc(&body, '}');
	/* Signed as it will be read. */
	if (!at_json_read(&doc, at_buf_bytes(&body), &limits, 0, NULL))
		abort();
	mac = mac_of(&doc, key);
	at_json_free(&doc);
	at_digest_hex(hex, &mac);
	at_buf_put(out, head.data, head.len);
	at_buf_printf(out, ", \"mac\": \"%s\"%s", hex, artifact_mark);
	at_buf_put(out, artifact.data, artifact.len);
	at_buf_puts(out, "}\n");
	at_buf_free(&head);
	at_buf_free(&artifact);
	at_buf_free(&body);
}
