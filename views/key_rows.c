#include "views/key_rows.h"

#include <string.h>

#include "core/mem.h"
#include "keys/pem.h"
#include "keys/verify_store.h"

/* Does the team's store hold this key under the key's own name? */
static const char *installed_word(const struct at_session *session, const struct at_key_entry *key)
{
	struct at_public_key there;
	struct at_error err = { 0 };

	if (!key->is_known)
		return "its public half is not known";
	if (at_verify_key_load(&there, session->project.fd, session->project.team_dir,
		    at_bytes_of(key->name), &err))
		return at_public_key_equal(&there, &key->key) ? "installed here"
							      : "ANOTHER KEY is installed here";
	return err.code == AT_ENOENT ? "not installed here" : "what is installed here is no key";
}

void at_key_rows_make(struct at_key_rows *rows, struct at_session *session)
{
	*rows = (struct at_key_rows){ 0 };
	if (!at_operator_key_open(&rows->operator_key, session, &rows->fault)
		|| !at_keystore_list(&rows->list, rows->operator_key.arena,
			&rows->operator_key.store, &rows->fault))
		return;
	/* What cannot be told of old files is no reason not to show the store. */
	if (!at_keys_migrate(&rows->old, rows->operator_key.arena, &rows->operator_key.store, true,
		    NULL))
		rows->old.count = 0;
	rows->count = rows->list.count + rows->old.count;
	rows->installed = at_arena_alloc(
		rows->operator_key.arena, (rows->list.count + 1) * sizeof(*rows->installed));
	for (size_t i = 0; i < rows->list.count; i++)
		rows->installed[i] = installed_word(session, &rows->list.items[i]);
}

void at_key_rows_free(struct at_key_rows *rows)
{
	at_operator_key_close(&rows->operator_key);
	*rows = (struct at_key_rows){ 0 };
}

void at_key_rows_summary(struct at_buf *out, const struct at_key_rows *rows)
{
	if (rows->fault.code != AT_OK)
		at_buf_printf(out, "not to be used: %s", rows->fault.message);
	else if (rows->count == 0)
		at_buf_puts(out, "none: + makes one");
	else
		at_buf_printf(out, "%zu in ~/" AT_KEYS_DIR, rows->list.count);
}

static const struct at_moved_key *old_of(const struct at_key_rows *rows, size_t i)
{
	return i < rows->list.count ? NULL : &rows->old.items[i - rows->list.count];
}

const char *at_key_row_name(const struct at_key_rows *rows, size_t i)
{
	return i < rows->list.count ? rows->list.items[i].name : NULL;
}

static void old_line(const struct at_moved_key *old, struct at_line *out)
{
	at_line_text(out, AT_STYLE_MARK, "old place    ");
	at_line_add(out, AT_STYLE_NORMAL, at_bytes_of(old->file));
	at_line_text(out, AT_STYLE_DIM, old->is_moved ? "  i moves it into the store" : "  stays: ");
	if (!old->is_moved)
		at_line_text(out, AT_STYLE_DIM, old->why.message);
}

static void key_line(const struct at_key_rows *rows, size_t i, struct at_line *out)
{
	const struct at_key_entry *key = &rows->list.items[i];
	char shown[AT_FINGERPRINT_SHORT] = "unknown";
	struct at_digest print;

	if (key->is_known) {
		print = at_key_fingerprint(&key->key);
		at_fingerprint_short(shown, &print);
	}
	at_line_textf(out, key->is_sound ? AT_STYLE_NORMAL : AT_STYLE_TRUTH_BAD, "%-12s ",
		key->is_sound ? at_key_form_word(key->form) : "NOT FIT");
	at_line_add(out, AT_STYLE_NORMAL, at_bytes_of(key->name));
	at_line_textf(out, AT_STYLE_NORMAL, "  %s", rows->installed[i]);
	at_line_textf(out, AT_STYLE_DIM, "  %s", shown);
}

void at_key_row_line(const struct at_key_rows *rows, size_t i, struct at_line *out)
{
	if (old_of(rows, i))
		old_line(old_of(rows, i), out);
	else
		key_line(rows, i, out);
}

static void old_detail(struct at_buf *out, const struct at_key_rows *rows,
	const struct at_moved_key *old)
{
	at_buf_printf(out, "%s\n\nIt lies in %s itself, where sandboxes mask single files by name. "
			   "In the store below it the whole directory is masked.\n",
		old->file, rows->old.from);
	if (!old->is_moved)
		at_buf_printf(out, "\nIt stays: %s\n%s\n", old->why.message, old->why.hint);
}

static void key_detail(struct at_buf *out, const struct at_key_rows *rows, size_t i)
{
	const struct at_key_entry *key = &rows->list.items[i];
	char hex[AT_DIGEST_HEX];
	struct at_digest print;

	at_buf_printf(out, "%s\n\nkept as: %s\npublic half beside it: %s\nin this team: %s\n",
		key->name, at_key_form_word(key->form), at_key_half_word(key->half),
		rows->installed[i]);
	if (key->is_known) {
		print = at_key_fingerprint(&key->key);
		at_digest_hex(hex, &print);
		at_buf_printf(out, "fingerprint (SHA-256 of the public half, DER): %s\n", hex);
	}
	if (!key->is_sound)
		at_buf_printf(out, "\nIt will not be used: %s\n%s\n", key->fault.message,
			key->fault.hint);
	at_buf_puts(out, "\ni puts its public half into this team's store, where its signatures count.\n"
			 "+ makes a new key; one under a passphrase is made by atconsole --new-key NAME "
			 "--passphrase.\n");
}

void at_key_row_detail(struct at_buf *out, const struct at_key_rows *rows, size_t i)
{
	if (old_of(rows, i))
		old_detail(out, rows, old_of(rows, i));
	else
		key_detail(out, rows, i);
}
