/* Every recorded case of the Python tool's decision gate. */
#include <stdio.h>
#include <string.h>

#include "support/support.h"

#include "core/json_read.h"
#include "keys/clearance_ground.h"
#include "keys/waiver.h"

#define VECTORS "vectors/decisions/"

/* Where we differ, and why: always by saying no, or by other words for the same no. */
static const struct {
	const char *name;
	const char *reason; /* ours, or its beginning */
	bool is_stricter; /* it cleared there */
	const char *why;
} differences[] = {
	{ "58-invalid-utf8", "no UTF-8 at byte 88", false,
		"section 5 row 5: an ordinary refusal where the Python tool ends in a traceback" },
	{ "59-switch-unreadable", "agent-privilege switch (", false,
		"the reader's own words for what is no JSON" },
	{ "60-switch-list", "agent-privilege switch (", false,
		"section 5 row 11: only an object with a boolean; there a traceback" },
	{ "61-switch-string-false", "agent-privilege switch (", false,
		"section 5 row 11: the text \"false\" is refused as unreadable; there it means on" },
	{ "66-pipe-shift-forge", "decision authorizing 'overwrite' is ambiguous: `date` holds `|`",
		true, "section 5 row 2: what was signed can be cut into fields in two ways" },
};

struct vectors {
	struct at_buf text;
	struct at_json doc;
	struct at_arena *arena;
};

static void begin(struct vectors *v, const char *file)
{
	struct at_error err;

	v->arena = at_arena_new();
	v->text = test_read(NULL, file);
	if (!at_json_read(&v->doc, at_buf_bytes(&v->text), &at_json_settings_limits, 0, &err))
		fail_msg("%s: %s", file, err.message);
}

static void end(struct vectors *v)
{
	at_json_free(&v->doc);
	at_arena_free(v->arena);
	at_buf_free(&v->text);
}

/* The text of a member, or NULL where it is null or not there. */
static const char *text_of(struct vectors *v, uint32_t object, const char *key)
{
	uint32_t node = at_json_member(&v->doc, object, key);

	return at_json_is(&v->doc, node, AT_JSON_STRING)
		? at_json_string(&v->doc, node, v->arena).data
		: NULL;
}

static bool truth_of(struct vectors *v, uint32_t object, const char *key)
{
	return at_json_is(&v->doc, at_json_member(&v->doc, object, key), AT_JSON_TRUE);
}

static void place(struct ground *g, const char *vector, const char *to)
{
	char from[256], full[256];
	struct at_buf bytes;

	snprintf(from, sizeof(from), VECTORS "%s", vector);
	snprintf(full, sizeof(full), "references/%s", to);
	bytes = test_read(NULL, from);
	test_write_bytes(g->dir, full, bytes.data, bytes.len);
	at_buf_free(&bytes);
}

static void check_file(struct ground *g, const char *path, const char *want, const char *name)
{
	struct at_buf got;

	if (!want)
		return;
	got = test_read(g->dir, path);
	if (strcmp(at_buf_text(&got), want) != 0)
		fail_msg("%s: after\n%swanted\n%s", name, at_buf_text(&got), want);
	at_buf_free(&got);
}

static void set_up(struct ground *g, struct vectors *v, uint32_t one, const char *name)
{
	static const struct {
		const char *key, *path;
	} files[] = { { "roster", "security-approvers.txt" },
		{ "switch", "agent-privilege.json" } };
	const char *file = text_of(v, one, "file"), *key = text_of(v, one, "key");
	char waivers[256];

	ground_begin(g);
	g->at.keys.hmac = at_bytes_of(key ? key : "");
	if (file)
		place(g, file, "security-decisions.log.csv");
	snprintf(waivers, sizeof(waivers), "cases/%s.waivers.csv", name);
	if (truth_of(v, one, "waiver"))
		place(g, waivers, "security-waivers.log.csv");
	for (size_t i = 0; i < AT_LEN(files); i++)
		if (text_of(v, one, files[i].key))
			ground_write(g, files[i].path, text_of(v, one, files[i].key));
}

static void run_case(struct vectors *v, uint32_t one)
{
	const char *name = text_of(v, one, "case"), *reason = text_of(v, one, "reason");
	const char *action = text_of(v, one, "action");
	bool want = truth_of(v, one, "allowed"), exact = true;
	uint64_t before;
	struct ground g;

	set_up(&g, v, one, name);
	for (size_t i = 0; i < AT_LEN(differences); i++) {
		if (strcmp(differences[i].name, name) != 0)
			continue;
		assert_true(want == differences[i].is_stricter);
		reason = differences[i].reason;
		want = false;
		exact = false;
	}
	/* Asking gives the same answer and changes nothing. */
	before = test_tree_fingerprint(g.dir);
	assert_true(ground_ask(&g, action, false) == want);
	assert_true(before == test_tree_fingerprint(g.dir));
	if (ground_ask(&g, action, truth_of(v, one, "consume")) != want)
		fail_msg("%s: %s (%s)", name, want ? "refused" : "cleared", g.said.reason);
	if (exact ? strcmp(g.said.reason, reason) != 0
		  : strncmp(g.said.reason, reason, strlen(reason)) != 0)
		fail_msg("%s: said\n%s\nwanted\n%s", name, g.said.reason, reason);
	assert_true(g.said.is_clear == want);
	check_file(&g, AT_DECISIONS, text_of(v, one, "log_after"), name);
	check_file(&g, AT_WAIVERS, text_of(v, one, "waivers_after"), name);
	ground_end(&g);
}

static void key_9_recorded_verdicts(void **state)
{
	struct vectors v;
	size_t count = 0;

	(void)state;
	begin(&v, VECTORS "verdicts.json");
	at_json_each(&v.doc, i, at_json_at(&v.doc, "results")) {
		run_case(&v, i);
		count++;
	}
	assert_int_equal(count, 74);
	end(&v);
}

/* A suffix that reads as a scope is told. */
static void key_9_recorded_warnings(void **state)
{
	struct vectors v;

	(void)state;
	begin(&v, VECTORS "verdicts.json");
	at_json_each(&v.doc, i, at_json_at(&v.doc, "results")) {
		uint32_t list = at_json_member(&v.doc, i, "warning");
		const char *name = text_of(&v, i, "case"), *want = "";
		struct ground g;

		if (at_json_is(&v.doc, list, AT_JSON_ARRAY))
			want = at_json_string(&v.doc, at_json_first(&v.doc, list), v.arena).data;
		if (truth_of(&v, i, "waiver"))
			continue; /* a note of ours says what was passed over */
		set_up(&g, &v, i, name);
		ground_ask(&g, text_of(&v, i, "action"), false);
		if (strcmp(g.said.note, want) != 0)
			fail_msg("%s: %s", name, g.said.note);
		ground_end(&g);
	}
	end(&v);
}

/* Payload, HMAC and chain digest of known rows, byte for byte. */
static void key_9_known_answers(void **state)
{
	static const char *const columns[] = { "timestamp", "date", "requesting_agent", "owner",
		"action_reviewed", "decision", "verdict", "status", "conditions",
		"conditions_verified", "evidence", "prev_digest", "signature", "plan_slug",
		"step" };
	struct vectors v;

	(void)state;
	begin(&v, VECTORS "known-answers.json");
	at_json_each(&v.doc, i, at_json_at(&v.doc, "rows")) {
		uint32_t row = at_json_member(&v.doc, i, "row");
		struct at_buf text = { 0 }, cells = { 0 }, payload = { 0 };
		struct at_table table;
		struct at_decisions read;
		struct at_digest digest;
		char hex[AT_DIGEST_HEX];

		for (size_t k = 0; k < AT_LEN(columns); k++) {
			const char *value = text_of(&v, row, columns[k]);
			bool is_there = value || strcmp(columns[k], "evidence") == 0;

			if (!is_there)
				continue;
			at_buf_printf(&text, "%s%s", text.len ? "," : "", columns[k]);
			at_buf_printf(&cells, "%s%s", cells.len ? "," : "", value ? value : "");
		}
		at_buf_printf(&text, "\n%s\n", at_buf_text(&cells));
		assert_true(at_table_read(&table, v.arena, at_buf_bytes(&text), NULL));
		assert_true(at_decisions_read(&read, v.arena, &table, NULL));
		at_decision_payload(&payload, &read.rows[0]);
		assert_string_equal(at_buf_text(&payload), text_of(&v, i, "payload"));
		digest = at_digest_keyed(at_bytes_of(DECISION_KEY), at_buf_bytes(&payload));
		at_digest_hex(hex, &digest);
		assert_string_equal(hex, text_of(&v, i, "hmac_sha256"));
		digest = at_decision_digest(&read.rows[0]);
		at_digest_hex(hex, &digest);
		assert_string_equal(hex, text_of(&v, i, "chain_digest"));
		at_buf_free(&text);
		at_buf_free(&cells);
		at_buf_free(&payload);
	}
	end(&v);
}

int test_decision_vectors(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_9_recorded_verdicts),
		cmocka_unit_test(key_9_recorded_warnings),
		cmocka_unit_test(key_9_known_answers),
	};

	return cmocka_run_group_tests_name("decision_vectors", tests, NULL, NULL);
}
