#include "keys/clearance_ground.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/support.h"

#include "keys/csv.h"
#include "keys/field.h"
#include "keys/waiver.h"

static bool find_key(void *context, struct at_public_key *out, const char *key_id,
	struct at_error *err)
{
	const struct ground *g = context;

	if (strcmp(key_id, "op") != 0)
		return at_fail(err, AT_ENOENT, "no such key");
	*out = g->key;
	return true;
}

void ground_begin(struct ground *g)
{
	*g = (struct ground){ .dir = test_tree_new(), .arena = at_arena_new() };
	g->at = (struct at_clearance_ground){
		.team = open(g->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.team_path = "T",
		.keys = { at_bytes_of(DECISION_KEY), { find_key, g } },
		.waiver_key = at_bytes_of(WAIVER_KEY),
		.now = NOW,
	};
	assert_true(g->at.team >= 0);
	assert_true(at_secret_new(&g->seed, AT_SEED_BYTES, NULL));
	memset(g->seed.bytes, 7, g->seed.len);
	assert_true(at_ed25519_public(&g->key, &g->seed, NULL));
}

void ground_end(struct ground *g)
{
	close(g->at.team);
	at_secret_free(&g->seed);
	at_arena_free(g->arena);
	test_tree_remove(g->dir);
}

void ground_write(struct ground *g, const char *path, const char *text)
{
	char full[256];

	snprintf(full, sizeof(full), "references/%s", path);
	test_write(g->dir, full, text);
}

bool ground_ask(struct ground *g, const char *action, bool acts)
{
	const struct at_clearance_ask ask = { action, false, acts };

	return at_clearance_ask(&g->said, g->arena, &g->at, &ask, &g->err);
}

void ledger_begin(struct ledger *l)
{
	*l = (struct ledger){ 0 };
	at_buf_puts(&l->text, SIGNED "\n");
}

static size_t column_of(const char *word)
{
	static const char header[] = "," SIGNED ",";
	char name[64];
	const char *at;
	size_t column = 0;

	snprintf(name, sizeof(name), ",%.*s,", (int)strcspn(word, "="), word);
	at = strstr(header, name);
	if (!at)
		fail_msg("no column for %s", word);
	for (const char *c = header; c < at; c++)
		column += *c == ',';
	return column;
}

static void sign(struct at_buf *hex, struct ground *g, enum how how, const struct at_decision *row)
{
	bool is_plain = how == HMAC_PLAIN || how == ED25519_PLAIN;
	struct at_buf payload = { 0 };

	(is_plain ? at_decision_payload : at_decision_payload_extended)(&payload, row);
	if (how == HMAC || how == HMAC_PLAIN) {
		struct at_digest digest =
			at_digest_keyed(at_bytes_of(DECISION_KEY), at_buf_bytes(&payload));

		at_hex_put(hex, digest.byte, sizeof(digest.byte));
	} else if (how != UNSIGNED) {
		struct at_signature signature;

		assert_true(at_ed25519_sign(&signature, &g->seed, at_buf_bytes(&payload), NULL));
		at_hex_put(hex, signature.byte, sizeof(signature.byte));
	}
	at_buf_free(&payload);
}

void ledger_row(struct ledger *l, struct ground *g, enum how how, const char *const *words)
{
	struct at_bytes cells[20];
	char link[AT_DIGEST_HEX] = "";
	struct at_buf text = { 0 }, hex = { 0 };
	struct at_decisions read;
	struct at_table table;
	struct at_error err;

	for (size_t i = 0; i < AT_LEN(cells); i++)
		cells[i] = at_bytes_of("");
	if (l->has_rows)
		at_digest_hex(link, &l->last);
	cells[18] = at_bytes_of(link);
	if (how == ED25519 || how == ED25519_PLAIN) {
		cells[16] = at_bytes_of("ed25519");
		cells[17] = at_bytes_of("op");
	}
	for (; *words; words++)
		cells[column_of(*words)] = at_bytes_of(strchr(*words, '=') + 1);
	at_buf_puts(&text, SIGNED "\n");
	at_csv_write(&text, cells, AT_LEN(cells), "\n");
	if (!at_table_read(&table, g->arena, at_buf_bytes(&text), &err)
		|| !at_decisions_read(&read, g->arena, &table, &err))
		fail_msg("%s", err.message);
	sign(&hex, g, how, &read.rows[0]);
	l->last = at_decision_digest(&read.rows[0]);
	l->has_rows = true;
	cells[19] = at_buf_bytes(&hex);
	at_csv_write(&l->text, cells, AT_LEN(cells), "\n");
	at_buf_free(&text);
	at_buf_free(&hex);
}

void ledger_end(struct ledger *l, struct ground *g)
{
	ground_write(g, "security-decisions.log.csv", at_buf_text(&l->text));
	at_buf_free(&l->text);
}
