/* mode_keys.c - --keys, --new-key, --install-key, --migrate-keys. (KEY-1, WIRE-16, WIRE-17) */
#include <stdio.h>
#include <string.h>

#include "core/apply.h"
#include "core/control_plane.h"
#include "core/json_write.h"
#include "keys/key_migrate.h"
#include "keys/keystore.h"
#include "keys/pem.h"
#include "keys/sealed.h"
#include "keys/verify_store.h"
#include "views/key_place.h"
#include "views/modes.h"
#include "views/out.h"
#include "views/passphrase.h"

struct keys {
	struct at_session *session;
	struct at_custody_place place;
	struct at_keystore store;
};

static bool open_keys(struct keys *keys, struct at_session *session, struct at_error *err)
{
	keys->session = session;
	keys->place = at_key_place(session);
	return at_keystore_open(&keys->store, session->host.home, &keys->place, err);
}

static bool is_json(const struct keys *keys)
{
	return keys->session->options->json;
}

static bool is_dry(const struct keys *keys)
{
	return keys->session->options->dry_run;
}

static void put_fault(struct at_buf *text, const struct at_error *fault)
{
	at_buf_printf(text, "            not usable: %s%s%s\n", fault->message,
		*fault->hint ? ". " : "", fault->hint);
}

static void fingerprint_to_json(struct at_json_value *to, const struct at_public_key *key)
{
	struct at_digest fingerprint = at_key_fingerprint(key);
	char hex[AT_DIGEST_HEX];

	at_digest_hex(hex, &fingerprint);
	at_json_add_text(to, "fingerprint", hex);
}

static void put_fingerprint(struct at_buf *text, const struct at_public_key *key)
{
	struct at_digest fingerprint = at_key_fingerprint(key);
	char short_form[AT_FINGERPRINT_SHORT];

	at_fingerprint_short(short_form, &fingerprint);
	at_buf_puts(text, short_form);
}

/* A private half that may not be used as it lies there. */
static bool is_bad(const struct at_key_entry *entry)
{
	return entry->half == AT_HALF_OTHER || entry->half == AT_HALF_BROKEN
		|| (entry->form != AT_KEY_PUBLIC && !entry->is_sound);
}

static void print_entry(struct at_buf *text, const struct at_key_entry *entry)
{
	at_buf_printf(text, "%-10s  ", entry->name);
	if (entry->is_known)
		put_fingerprint(text, &entry->key);
	else
		at_buf_puts(text, "unknown            ");
	at_buf_printf(text, "  %s", at_key_form_word(entry->form));
	if (entry->form != AT_KEY_PUBLIC || entry->half != AT_HALF_FITS)
		at_buf_printf(text, ", public half %s", at_key_half_word(entry->half));
	at_buf_putc(text, '\n');
	if (entry->form != AT_KEY_PUBLIC && !entry->is_sound)
		put_fault(text, &entry->fault);
}

static void print_list(const struct keys *keys, const struct at_key_list *list)
{
	struct at_buf text = { 0 };

	at_buf_printf(&text, "key store: %s%s\n", keys->store.path,
		keys->store.fd < 0 ? " (not there yet; --new-key NAME makes it)" : "");
	for (size_t i = 0; i < list->count; i++)
		print_entry(&text, &list->items[i]);
	for (size_t i = 0; i < list->stray_count; i++)
		at_buf_printf(&text, "no key: %s\n", list->strays[i]);
	if (keys->store.fd >= 0 && !list->count)
		at_buf_puts(&text, "no key is there; --new-key NAME makes one\n");
	at_out_text(&text);
	at_buf_free(&text);
}

static void entry_to_json(struct at_json_value *array, const struct at_key_entry *entry)
{
	struct at_json_value *one = at_json_add_object(array, NULL);

	at_json_add_text(one, "name", entry->name);
	at_json_add_text(one, "form", at_key_form_word(entry->form));
	if (entry->is_known)
		fingerprint_to_json(one, &entry->key);
	else
		at_json_add_null(one, "fingerprint");
	at_json_add_text(one, "public_half", at_key_half_word(entry->half));
	at_json_add_bool(one, "usable", entry->is_sound);
	if (entry->form != AT_KEY_PUBLIC && !entry->is_sound) {
		at_json_add_text(one, "fault", entry->fault.id);
		at_json_add_text(one, "why", entry->fault.message);
		at_json_add_text(one, "hint", entry->fault.hint);
	}
}

static void list_to_json(const struct keys *keys, const struct at_key_list *list)
{
	struct at_json_value *json = at_json_object(), *array;

	at_json_add_text(json, "store", keys->store.path);
	at_json_add_bool(json, "exists", keys->store.fd >= 0);
	array = at_json_add_array(json, "keys");
	for (size_t i = 0; i < list->count; i++)
		entry_to_json(array, &list->items[i]);
	array = at_json_add_array(json, "other_files");
	for (size_t i = 0; i < list->stray_count; i++)
		at_json_add_text(array, NULL, list->strays[i]);
	at_key_variables_to_json(keys->session, at_json_add_array(json, "environment"));
	at_out_json(json);
}

static bool list(struct keys *keys, int *status, struct at_error *err)
{
	struct at_key_list found;

	if (!at_keystore_list(&found, keys->session->arena, &keys->store, err))
		return false;
	if (is_json(keys))
		list_to_json(keys, &found);
	else
		print_list(keys, &found);
	for (size_t i = 0; i < found.count; i++)
		*status |= is_bad(&found.items[i]);
	return true;
}

/* `key` NULL: nothing was made. */
static void report_new(const struct keys *keys, const char *name, const struct at_public_key *key)
{
	const char *ending = keys->session->options->passphrase ? "sealed" : "pem";
	struct at_buf text = { 0 };
	struct at_json_value *json;

	if (is_json(keys)) {
		json = at_json_object();
		at_json_add_text(json, "name", name);
		at_buf_printf(&text, "%s/%s.%s", keys->store.path, name, ending);
		at_json_add_text(json, "path", at_buf_text(&text));
		at_json_add_bool(json, "made", key != NULL);
		if (key)
			fingerprint_to_json(json, key);
		at_out_json(json);
	} else {
		at_buf_printf(&text, "%s: %s/%s.%s and %s.pub.pem", key ? "made" : "would make",
			keys->store.path, name, ending, name);
		if (key) {
			at_buf_puts(&text, "\nfingerprint: ");
			put_fingerprint(&text, key);
			at_buf_printf(&text,
				"\nnext: atconsole --install-key %s, in the project that "
				"is to believe it",
				name);
		}
		at_buf_putc(&text, '\n');
		at_out_text(&text);
	}
	at_buf_free(&text);
}

static bool make(struct keys *keys, int *status, struct at_error *err)
{
	const struct at_options *options = keys->session->options;
	const char *name = options->new_key;
	struct at_secret passphrase = { 0 };
	struct at_public_key key;
	bool done;

	(void)status;
	if (!at_key_name_check_new(name, err) || !at_keystore_is_free(&keys->store, name, err))
		return false;
	if (options->passphrase && options->batch)
		return at_fail(err, AT_EUSAGE,
			"--batch asks nothing, and --passphrase is asked for at the terminal");
	if (options->dry_run) {
		report_new(keys, name, NULL);
		return true;
	}
	if (options->passphrase && !at_passphrase_ask_new(&passphrase, name, err))
		return false;
	done = at_keystore_new(&key, &keys->store, name, options->passphrase ? &passphrase : NULL,
		&at_seal_cost_default, err);
	at_secret_free(&passphrase);
	if (done)
		report_new(keys, name, &key);
	return done;
}

static void report_install(const struct keys *keys, const struct at_plan *plan,
	const struct at_public_key *key, size_t written)
{
	struct at_buf text = { 0 };
	struct at_json_value *json;

	if (is_json(keys)) {
		json = at_json_object();
		at_plan_to_json(plan, at_json_add_array(json, "plan"));
		fingerprint_to_json(json, key);
		at_json_add_number(json, "written", (long long)written);
		at_out_json(json);
		return;
	}
	at_plan_print(plan, &text);
	at_buf_puts(&text, "fingerprint: ");
	put_fingerprint(&text, key);
	at_buf_puts(&text,
		written                         ? "\ninstalled; atconsole --undo takes it back\n"
			: at_plan_pending(plan) ? "\nnothing was written\n"
						: "\nnothing to do: this key is installed\n");
	at_out_text(&text);
	at_buf_free(&text);
}

static bool install(struct keys *keys, int *status, struct at_error *err)
{
	struct at_session *s = keys->session;
	const char *name = s->options->install_key;
	struct at_applied applied = { 0 };
	struct at_public_key key;
	struct at_plan plan;
	bool done;

	(void)status;
	if (!is_dry(keys) && !at_session_recover(s, true, err))
		return false;
	if (!at_keystore_public(&key, &keys->store, name, err))
		return false;
	at_plan_init(&plan);
	done = at_verify_key_plan(&plan, s->project.fd, s->project.team_dir, name, &key, err)
		&& (is_dry(keys)
			|| at_plan_apply(
				&plan, s->project.fd, &s->state, "install-key", &applied, err));
	if (done)
		report_install(keys, &plan, &key, applied.written);
	at_plan_free(&plan);
	return done;
}

static void print_moved(const struct keys *keys, const struct at_moved_keys *moved)
{
	struct at_buf text = { 0 };

	for (size_t i = 0; i < moved->count; i++) {
		const struct at_moved_key *key = &moved->items[i];

		if (key->is_moved)
			at_buf_printf(&text, "%s: %s/%s to %s\n",
				is_dry(keys) ? "would move" : "moved", moved->from, key->file,
				keys->store.path);
		else
			at_buf_printf(&text, "stays: %s (%s%s%s)\n", key->file, key->why.message,
				*key->why.hint ? ". " : "", key->why.hint);
	}
	if (!moved->count)
		at_buf_printf(&text, "nothing to move: no .pem lies in %s itself\n", moved->from);
	at_out_text(&text);
	at_buf_free(&text);
}

static void moved_to_json(const struct keys *keys, const struct at_moved_keys *moved)
{
	struct at_json_value *json = at_json_object(), *array;

	at_json_add_text(json, "from", moved->from);
	at_json_add_text(json, "store", keys->store.path);
	at_json_add_bool(json, "dry_run", is_dry(keys));
	array = at_json_add_array(json, "files");
	for (size_t i = 0; i < moved->count; i++) {
		struct at_json_value *one = at_json_add_object(array, NULL);

		at_json_add_text(one, "name", moved->items[i].file);
		at_json_add_bool(one, "moved", moved->items[i].is_moved && !is_dry(keys));
		at_json_add_bool(one, "stays", !moved->items[i].is_moved);
		if (!moved->items[i].is_moved)
			at_json_add_text(one, "why", moved->items[i].why.message);
	}
	at_out_json(json);
}

static bool migrate(struct keys *keys, int *status, struct at_error *err)
{
	struct at_moved_keys moved;

	if (!at_keys_migrate(&moved, keys->session->arena, &keys->store, is_dry(keys), err))
		return false;
	if (is_json(keys))
		moved_to_json(keys, &moved);
	else
		print_moved(keys, &moved);
	*status = moved.staying > 0;
	return true;
}

typedef bool verb(struct keys *keys, int *status, struct at_error *err);

/* WIRE-16; the JSON of --keys has them. */
static void note_variables(const struct at_session *session)
{
	struct at_buf notes = { 0 };

	at_key_variables_print(session, &notes);
	if (notes.len && !session->options->json)
		at_out_notes(&notes);
	at_buf_free(&notes);
}

static int run(struct at_session *session, verb *act, bool writes)
{
	struct keys keys = { .store = { .fd = -1 } };
	struct at_error err = { 0 };
	int status = 0;

	if ((writes && !session->options->dry_run && !at_session_may_use_keys(session, &err))
		|| !open_keys(&keys, session, &err) || !act(&keys, &status, &err))
		status = at_out_error(&err);
	else
		note_variables(session);
	at_keystore_close(&keys.store);
	return status;
}

int at_mode_keys(struct at_session *session)
{
	return run(session, list, false);
}

int at_mode_new_key(struct at_session *session)
{
	return run(session, make, true);
}

int at_mode_install_key(struct at_session *session)
{
	return run(session, install, true);
}

int at_mode_migrate_keys(struct at_session *session)
{
	return run(session, migrate, true);
}
