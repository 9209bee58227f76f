/* reference-ledgers 3.10, 5: the canonical forms of JSON. */
#include "runner/ground.h"

#include <string.h>

#include "core/json_read.h"
#include "runner/proposals/canonical.h"

/* Every row by Python's json.dumps(sort_keys=True), by default and with compact separators. */
static const struct {
	const char *in, *spaced, *compact;
} forms[] = {
	{ "{}", "{}", "{}" },
	{ "[ ]", "[]", "[]" },
	{ "{\"b\":1,\"a\":[1,2,{\"d\":null,\"c\":true}]}",
		"{\"a\": [1, 2, {\"c\": true, \"d\": null}], \"b\": 1}",
		"{\"a\":[1,2,{\"c\":true,\"d\":null}],\"b\":1}" },
	{ "\"\\/ \\u0041 \\u00e9 \xc3\xa9 \\u007f \\u0000\"",
		"\"/ A \\u00e9 \\u00e9 \\u007f \\u0000\"",
		"\"/ A \\u00e9 \\u00e9 \\u007f \\u0000\"" },
	{ "\"\\\"\\\\\\b\\f\\n\\r\\t\\u001f\"", "\"\\\"\\\\\\b\\f\\n\\r\\t\\u001f\"",
		"\"\\\"\\\\\\b\\f\\n\\r\\t\\u001f\"" },
	{ "\"\xf0\x9f\x98\x80 \\ud83d\\ude00\"", "\"\\ud83d\\ude00 \\ud83d\\ude00\"",
		"\"\\ud83d\\ude00 \\ud83d\\ude00\"" },
	{ "\"\\ud800 \\udfff\\ud800\"", "\"\\ud800 \\udfff\\ud800\"",
		"\"\\ud800 \\udfff\\ud800\"" },
	{ "\"\x7f \xe2\x80\xa8\"", "\"\\u007f \\u2028\"", "\"\\u007f \\u2028\"" },
	{ "{\"a\":1,\"a\":2}", "{\"a\": 2}", "{\"a\":2}" },
	{ "{\"\\ud83d\\ude00\":1,\"\\uffff\":2,\"z\":3,\"Z\":4,\"\":5}",
		"{\"\": 5, \"Z\": 4, \"z\": 3, \"\\uffff\": 2, \"\\ud83d\\ude00\": 1}",
		"{\"\":5,\"Z\":4,\"z\":3,\"\\uffff\":2,\"\\ud83d\\ude00\":1}" },
	{ "[-0, 0, -12, 12345678901234567890, false]", "[0, 0, -12, 12345678901234567890, false]",
		"[0,0,-12,12345678901234567890,false]" },
};

static void form_is(size_t row, const struct at_json *doc, enum at_canonical form, const char *want)
{
	struct at_buf out = { 0 };

	at_canonical_put(&out, doc, AT_JSON_ROOT, form);
	if (strcmp(at_buf_text(&out), want) != 0)
		fail_msg("row %zu: %s, not %s", row, at_buf_text(&out), want);
	at_buf_free(&out);
}

static void run_6_canonical_json_of_documents(void **state)
{
	for (size_t i = 0; i < AT_LEN(forms); i++) {
		struct at_json doc = ground_json(forms[i].in);

		form_is(i, &doc, AT_CANONICAL_SPACED, forms[i].spaced);
		form_is(i, &doc, AT_CANONICAL_COMPACT, forms[i].compact);
		at_json_free(&doc);
	}
}

static void run_6_canonical_json_for_people(void **state)
{
	struct at_json doc = ground_json("{\"b\":[],\"a\":[1,{\"x\":{}}]}");

	form_is(0, &doc, AT_CANONICAL_PRETTY,
		"{\n  \"a\": [\n    1,\n    {\n      \"x\": {}\n    }\n  ],\n  \"b\": []\n}");
	at_json_free(&doc);
}

static void run_6_canonical_json_without_a_member(void **state)
{
	struct at_json doc = ground_json("{\"mac\":\"x\",\"a\":{\"mac\":1},\"\\u006dac\":2}");
	struct at_buf out = { 0 };

	at_canonical_put_without(&out, &doc, AT_JSON_ROOT, "mac", AT_CANONICAL_SPACED);
	assert_string_equal(at_buf_text(&out), "{\"a\": {\"mac\": 1}}");
	at_buf_free(&out);
	at_json_free(&doc);
}

static void run_6_canonical_json_that_is_built(void **state)
{
	struct at_canonical_object inner = { 0 }, object = { 0 };
	const char *const texts[] = { "b", "\xc3\xa9" };
	struct at_buf value = { 0 }, out = { 0 };

	at_canonical_set_number(&inner, "exit", -1);
	at_canonical_set_text(&inner, "confined", at_bytes_of("bwrap"));
	at_canonical_object_put(&value, &inner, AT_CANONICAL_SPACED);
	at_canonical_set_raw(&object, "z", at_buf_bytes(&value));
	value.len = 0;
	at_canonical_put_texts(&value, texts, 2, AT_CANONICAL_SPACED);
	at_canonical_set_raw(&object, "list", at_buf_bytes(&value));
	at_canonical_set_text(&object, "nul", (struct at_bytes){ "a\0b", 3 });
	at_canonical_set_text(&object, "bad", at_bytes_of("\xff"));
	at_canonical_set_bool(&object, "yes", true);
	at_canonical_set_null(&object, "none");
	at_canonical_set_text(&object, "gone", at_bytes_of("x"));
	at_canonical_unset(&object, "gone");
	at_canonical_set_number(&object, "yes", 1);
	at_canonical_object_put(&out, &object, AT_CANONICAL_SPACED);
	assert_string_equal(at_buf_text(&out),
		"{\"bad\": \"\\ufffd\", \"list\": [\"b\", \"\\u00e9\"], \"none\": null, \"nul\": "
		"\"a\\u0000b\", \"yes\": 1, \"z\": {\"confined\": \"bwrap\", \"exit\": -1}}");
	at_canonical_object_free(&inner);
	at_canonical_object_free(&object);
	at_buf_free(&value);
	at_buf_free(&out);
}

/* The staged record's MAC input, from the record itself. */
static void run_6_canonical_json_of_the_staged_vector(void **state)
{
	struct at_buf text = test_read(NULL, "vectors/derived/proposal-ledger.json"), out = { 0 };
	struct at_json doc = ground_json(at_buf_text(&text));
	struct at_arena *arena = at_arena_new();
	struct at_bytes input = at_json_string(&doc, at_json_at(&doc, "staged_mac_input"), arena);
	uint32_t staged = at_json_at(&doc, "staged"), mac = at_json_at(&doc, "staged.mac");
	char hex[AT_DIGEST_HEX];
	struct at_digest digest;

	at_canonical_put_without(&out, &doc, staged, "mac", AT_CANONICAL_SPACED);
	assert_true(at_bytes_equal(at_buf_bytes(&out), input));
	digest = at_digest_keyed(at_bytes_of(GROUND_KEY), at_buf_bytes(&out));
	at_digest_hex(hex, &digest);
	assert_true(at_json_string_is(&doc, mac, hex));
	at_arena_free(arena);
	at_buf_free(&out);
	at_json_free(&doc);
	at_buf_free(&text);
}

int test_canonical(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_6_canonical_json_of_documents),
		cmocka_unit_test(run_6_canonical_json_for_people),
		cmocka_unit_test(run_6_canonical_json_without_a_member),
		cmocka_unit_test(run_6_canonical_json_that_is_built),
		cmocka_unit_test(run_6_canonical_json_of_the_staged_vector),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
