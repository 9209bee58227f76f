/* The signed head beside a ledger: how many rows, and which is the last. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/json_read.h"
#include "core/json_write.h"
#include "core/mem.h"
#include "keys/field.h"
#include "keys/ledger.h"

#define HEAD_CAP ((size_t)4096)

static const struct at_json_limits limits = { HEAD_CAP, 2 };

static void put_message(struct at_buf *out, const struct at_ledger_head *head)
{
	char last[AT_DIGEST_HEX];

	at_digest_hex(last, &head->last);
	at_buf_printf(out, "%s|%zu|%s|%s", AT_HEAD_TAG, head->count, last, head->key_id);
}

bool at_head_sign(struct at_ledger_head *head, const struct at_secret *seed, struct at_error *err)
{
	struct at_buf message = { 0 };
	bool done;

	put_message(&message, head);
	done = at_ed25519_sign(&head->signature, seed, at_buf_bytes(&message), err);
	at_buf_free(&message);
	return done;
}

void at_head_print(struct at_buf *out, const struct at_ledger_head *head)
{
	struct at_json_value *value = at_json_object();
	struct at_buf signature = { 0 };
	char last[AT_DIGEST_HEX];

	at_digest_hex(last, &head->last);
	at_hex_put(&signature, head->signature.byte, sizeof(head->signature.byte));
	at_json_add_number(value, "count", (long long)head->count);
	at_json_add_text(value, "last", last);
	at_json_add_text(value, "key_id", head->key_id);
	at_json_add_text(value, "signature", at_buf_text(&signature));
	at_json_print(out, value, AT_JSON_COMPACT);
	at_buf_putc(out, '\n');
	at_json_value_free(value);
	at_buf_free(&signature);
}

static bool read_count(size_t *out, struct at_bytes digits)
{
	*out = 0;
	if (digits.len == 0 || digits.len > 15 || digits.data[0] == '0')
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		if (digits.data[i] < '0' || digits.data[i] > '9')
			return false;
		*out = *out * 10 + (size_t)(digits.data[i] - '0');
	}
	return true;
}

static struct at_bytes text_of(const struct at_json *doc, const char *key, struct at_arena *arena)
{
	uint32_t node = at_json_member(doc, AT_JSON_ROOT, key);

	return at_json_is(doc, node, AT_JSON_STRING) ? at_json_string(doc, node, arena)
						     : (struct at_bytes){ "", 0 };
}

static bool is_lower(struct at_bytes hex)
{
	for (size_t i = 0; i < hex.len; i++)
		if (hex.data[i] >= 'A' && hex.data[i] <= 'F')
			return false;
	return true;
}

/* Four members, each in its one form: there is nothing in it that is not signed. */
static bool read_members(struct at_ledger_head *out, const struct at_json *doc,
	struct at_arena *arena)
{
	uint32_t count = at_json_member(doc, AT_JSON_ROOT, "count");
	struct at_bytes key_id = text_of(doc, "key_id", arena), last = text_of(doc, "last", arena);
	struct at_bytes signature = text_of(doc, "signature", arena);

	if (!at_json_is(doc, AT_JSON_ROOT, AT_JSON_OBJECT) || doc->nodes[AT_JSON_ROOT].count != 4 ||
		!at_json_is(doc, count, AT_JSON_NUMBER) || !at_key_id_is_sound(key_id) ||
		!is_lower(last) || !is_lower(signature))
		return false;
	memcpy(out->key_id, key_id.data, key_id.len);
	return read_count(&out->count, at_json_raw(doc, count)) &&
	       at_hex_get(out->last.byte, sizeof(out->last.byte), last) &&
	       at_hex_get(out->signature.byte, sizeof(out->signature.byte), signature);
}

bool at_head_read(struct at_ledger_head *out, struct at_bytes text, struct at_error *err)
{
	struct at_arena *arena;
	struct at_json doc;
	bool done;

	*out = (struct at_ledger_head){ 0 };
	if (!at_json_read(&doc, text, &limits, 0, err))
		return false;
	arena = at_arena_new();
	done = read_members(out, &doc, arena);
	if (!done) {
		at_fail(err, AT_EINVALID,
			"a ledger head is {count, last, key_id, signature} and nothing else");
		at_error_name(err, "ledger-head-form");
	}
	at_arena_free(arena);
	at_json_free(&doc);
	return done;
}

static bool is_signed(const struct at_ledger_head *head, struct at_keys keys, struct at_error *err)
{
	struct at_buf message = { 0 };
	struct at_public_key key;
	struct at_error why = { 0 };
	bool done;

	if (!keys.find || !keys.find(keys.context, &key, head->key_id, &why)) {
		at_fail(err, AT_EREFUSED, "the ledger's head is signed by `%s`, whose key is not in the "
			"team's store%s%s", head->key_id, *why.message ? ": " : "", why.message);
		at_error_name(err, "ledger-head-key");
		at_error_hint(err, "Install the public key with --install-key.");
		return false;
	}
	put_message(&message, head);
	done = at_ed25519_verify(&key, at_buf_bytes(&message), &head->signature);
	at_buf_free(&message);
	if (done)
		return true;
	at_fail(err, AT_EINVALID, "the signature of the ledger's head by `%s` is invalid",
		head->key_id);
	at_error_name(err, "ledger-head-signature");
	return false;
}

bool at_head_load(struct at_ledger_head *out, bool *exists, int dir, const char *name,
	struct at_keys keys, struct at_error *err)
{
	struct at_buf path = { 0 };
	struct at_file file;
	bool done;

	*exists = false;
	at_buf_printf(&path, "%s.head", name);
	done = at_file_read(&file, dir, at_buf_text(&path), HEAD_CAP,
		AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, err);
	if (done) {
		*exists = file.exists;
		done = !file.exists || (at_head_read(out, at_buf_bytes(&file.bytes), err) &&
					       is_signed(out, keys, err));
		at_file_free(&file);
	}
	if (!done)
		at_error_path(err, at_buf_text(&path));
	at_buf_free(&path);
	return done;
}
