#include "support/support.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/json_read.h"

/* Text that may hold NUL bytes. */
#define TEXT(literal) \
	{ \
		literal, sizeof(literal) - 1 \
	}

static bool reads(struct at_bytes text, unsigned flags, struct at_error *err)
{
	struct at_json doc;
	bool ok = at_json_read(&doc, text, &at_json_settings_limits, flags, err);

	if (!ok && (doc.nodes || doc.count || doc.text.data))
		fail_msg("a refused document is not empty");
	at_json_free(&doc);
	return ok;
}

/* WIRE-3, REQ-12: RFC 8259, all of it. */
static void rfc_8259_is_read(void **state)
{
	static const struct at_bytes rows[] = {
		TEXT("null"),
		TEXT(" true\r\n"),
		TEXT("false\t"),
		TEXT("0"),
		TEXT("-0"),
		TEXT("-0.0e-0"),
		TEXT("10"),
		TEXT("1.5"),
		TEXT("1e9"),
		TEXT("1E+9"),
		TEXT("0e1"),
		TEXT("-12.34e-56"),
		TEXT("1e999"),
		TEXT("123456789012345678901234567890"),
		TEXT("\"\""),
		TEXT("[]"),
		TEXT("{}"),
		TEXT("[ ]"),
		TEXT("{\n}"),
		TEXT("[[],{},[{}]]"),
		TEXT("{\"\":0}"),
		TEXT("{\"a\":{\"a\":[1]}}"),
		TEXT("[1,2 , 3\n,\t4]"),
		TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
		TEXT("\"\\u0000\""),
		TEXT("\"x\\u0000y\""),
		TEXT("\"\\u00fF\\uD83E\\uDD16\""),
		TEXT("\"\x7f\""),
		TEXT("\"/\""),
		TEXT("\"\\ud800\""),
		TEXT("\"\\udc00\\ud800x\""), /* lone: as the real client */
		TEXT("\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\""),
		TEXT("\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\xef\xbb\xbf\xe2\x80\xa8\""),
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, reads(rows[i], 0, NULL));
}

struct refusal {
	struct at_bytes text;
	const char *id;
	unsigned line, column;
	enum at_code code; /* 0: AT_EPARSE */
};

/* WIRE-3, WIRE-8, REQ-12: everything else is refused where it stands, with its name. */
static void all_else_is_refused_where_it_stands(void **state)
{
	static const struct refusal rows[] = {
		{ TEXT(""), "json-empty", 1, 1, 0 },
		{ TEXT(" \r\n\t "), "json-empty", 1, 1, 0 },
		{ TEXT("{}x"), "json-trailing-text", 1, 3, 0 },
		{ TEXT("{}\n{}"), "json-trailing-text", 2, 1, 0 },
		{ TEXT("1 2"), "json-trailing-text", 1, 3, 0 },
		{ TEXT("[]]"), "json-trailing-text", 1, 3, 0 },
		{ TEXT("{},"), "json-trailing-text", 1, 3, 0 },
		{ TEXT("{}\0"), "json-trailing-text", 1, 3, 0 },
		{ TEXT("// x\n{}"), "json-comment", 1, 1, 0 },
		{ TEXT("{} // x"), "json-comment", 1, 4, 0 },
		{ TEXT("{\n  // x\n}"), "json-comment", 2, 3, 0 },
		{ TEXT("[1 /* x */, 2]"), "json-comment", 1, 4, 0 },
		{ TEXT("[1, /* x */ 2]"), "json-comment", 1, 5, 0 },
		{ TEXT("[1, // x\n]"), "json-comment", 1, 5, 0 },
		{ TEXT("{\"a\" /**/: 1}"), "json-comment", 1, 6, 0 },
		{ TEXT("{\"a\": # x\n1}"), "json-comment", 1, 7, 0 },
		{ TEXT("{\"a\": 1 # x\n}"), "json-comment", 1, 9, 0 },
		{ TEXT("#!/bin/sh\n"), "json-comment", 1, 1, 0 },
		{ TEXT("[1/2]"), "json-syntax", 1, 3, 0 },
		{ TEXT("[1,\r\n 2,\r\n]"), "json-trailing-comma", 2, 3, 0 },
		{ TEXT("[1,\r 2 ,\r]"), "json-trailing-comma", 2, 4, 0 },
		{ TEXT("{\"a\": 1,\n\n}"), "json-trailing-comma", 1, 8, 0 },
		{ TEXT("[,]"), "json-syntax", 1, 2, 0 },
		{ TEXT("[1,,]"), "json-syntax", 1, 4, 0 },
		{ TEXT("{,}"), "json-syntax", 1, 2, 0 },
		{ TEXT("[1,"), "json-syntax", 1, 4, 0 },
		{ TEXT("[1,}"), "json-syntax", 1, 4, 0 },
		{ TEXT("[1}"), "json-syntax", 1, 3, 0 },
		{ TEXT("{\"a\":1]"), "json-syntax", 1, 7, 0 },
		{ TEXT("["), "json-syntax", 1, 2, 0 },
		{ TEXT("{\"a\""), "json-syntax", 1, 5, 0 },
		{ TEXT("{\"a\":"), "json-syntax", 1, 6, 0 },
		{ TEXT("{\"a\" 1}"), "json-syntax", 1, 6, 0 },
		{ TEXT("{\"a\":1 \"b\":2}"), "json-syntax", 1, 8, 0 },
		{ TEXT("[1 2]"), "json-syntax", 1, 4, 0 },
		{ TEXT("{a: 1}"), "json-syntax", 1, 2, 0 },
		{ TEXT("{1: 1}"), "json-syntax", 1, 2, 0 },
		{ TEXT("{'a': 1}"), "json-syntax", 1, 2, 0 },
		{ TEXT("\"abc"), "json-syntax", 1, 1, 0 },
		{ TEXT("[\"abc]"), "json-syntax", 1, 2, 0 },
		{ TEXT("True"), "json-syntax", 1, 1, 0 },
		{ TEXT("nul"), "json-syntax", 1, 1, 0 },
		{ TEXT("nullx"), "json-syntax", 1, 1, 0 },
		{ TEXT("[undefined]"), "json-syntax", 1, 2, 0 },
		{ TEXT("\xc2\xa0{}"), "json-syntax", 1, 1,
			0 }, /* no-break space is no white space */
		{ TEXT("[\xef\xbb\xbf]"), "json-syntax", 1, 2, 0 },
		{ TEXT("01"), "json-number", 1, 1, 0 },
		{ TEXT("[-01]"), "json-number", 1, 2, 0 },
		{ TEXT("[1.]"), "json-number", 1, 2, 0 },
		{ TEXT("[1.e5]"), "json-number", 1, 2, 0 },
		{ TEXT("[+1]"), "json-number", 1, 2, 0 },
		{ TEXT("[.5]"), "json-number", 1, 2, 0 },
		{ TEXT("[-.5]"), "json-number", 1, 2, 0 },
		{ TEXT("[-]"), "json-number", 1, 2, 0 },
		{ TEXT("[1e]"), "json-number", 1, 2, 0 },
		{ TEXT("[1e+]"), "json-number", 1, 2, 0 },
		{ TEXT("[0x10]"), "json-number", 1, 2, 0 },
		{ TEXT("[1_000]"), "json-number", 1, 2, 0 },
		{ TEXT("[--1]"), "json-number", 1, 2, 0 },
		{ TEXT("[NaN]"), "json-number", 1, 2, 0 },
		{ TEXT("[Infinity]"), "json-number", 1, 2, 0 },
		{ TEXT("[-Infinity]"), "json-number", 1, 2, 0 },
		{ TEXT("\"a\nb\""), "json-control-character", 1, 3, 0 },
		{ TEXT("\"a\tb\""), "json-control-character", 1, 3, 0 },
		{ TEXT("\"12345678901234567890\x1f\""), "json-control-character", 1, 22, 0 },
		{ TEXT("\"a\0b\""), "json-control-character", 1, 3, 0 },
		{ TEXT("[\x0b]"), "json-control-character", 1, 2, 0 },
		{ TEXT("[1\f]"), "json-control-character", 1, 3, 0 },
		{ TEXT("\"\\x\""), "json-escape", 1, 2, 0 },
		{ TEXT("\"\\'\""), "json-escape", 1, 2, 0 },
		{ TEXT("\"\\\0\""), "json-escape", 1, 2, 0 },
		{ TEXT("\"\\U0041\""), "json-escape", 1, 2, 0 },
		{ TEXT("\"ab\\u12G4\""), "json-escape", 1, 4, 0 },
		{ TEXT("\"\\u123"), "json-escape", 1, 2, 0 },
		{ TEXT("\"\\u{41}\""), "json-escape", 1, 2, 0 },
		{ TEXT("\"\\"), "json-escape", 1, 2, 0 },
		{ TEXT("\"\x80\""), "json-utf8", 1, 2, 0 },
		{ TEXT("\"\xc0\xaf\""), "json-utf8", 1, 2, 0 }, /* overlong */
		{ TEXT("\"\xc1\xbf\""), "json-utf8", 1, 2, 0 },
		{ TEXT("\"\xe0\x9f\xbf\""), "json-utf8", 1, 2, 0 },
		{ TEXT("\"\xf0\x8f\xbf\xbf\""), "json-utf8", 1, 2, 0 },
		{ TEXT("\"\xed\xa0\x80\""), "json-utf8", 1, 2, 0 }, /* surrogate */
		{ TEXT("\"\xed\xbf\xbf\""), "json-utf8", 1, 2, 0 },
		{ TEXT("\"\xf4\x90\x80\x80\""), "json-utf8", 1, 2, 0 }, /* above U+10FFFF */
		{ TEXT("\"\xf5\x80\x80\x80\""), "json-utf8", 1, 2, 0 },
		{ TEXT("\"12345678\xc3\""), "json-utf8", 1, 10, 0 },
		{ TEXT("\"\xf0\x9f\xa4\""), "json-utf8", 1, 2, 0 },
		{ TEXT("\"\xf0\x9f"), "json-utf8", 1, 2, 0 },
		{ TEXT("{\"\xff\": 1}"), "json-utf8", 1, 3, 0 },
		{ TEXT("[\xff]"), "json-utf8", 1, 2, 0 },
		{ TEXT("\xff\xfe{\0}\0"), "json-utf16", 1, 1, 0 },
		{ TEXT("\xfe\xff\0{\0}"), "json-utf16", 1, 1, 0 },
		{ TEXT("{\0}\0"), "json-utf16", 1, 1, 0 },
		{ TEXT("\0{\0}"), "json-utf16", 1, 1, 0 },
		{ TEXT("\xef\xbb\xbf{}"), "json-bom", 1, 1, 0 },
		{ TEXT("{\"a\":1,\n \"b\":2, \"a\":3}"), "json-duplicate-key", 2, 9, AT_EINVALID },
		{ TEXT("{\"a\":1,\"a\":2,\"a\":3}"), "json-duplicate-key", 1, 8, AT_EINVALID },
		{ TEXT("{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,"
		       "\"j\":1,\"k\":1,\"l\":1,\"m\":1,\"n\":1,\"o\":1,\"p\":1,\n"
		       "\"h\":1,\"g\":1,\"p\":1,\"a\":1,\"h\":1}"),
			"json-duplicate-key", 2, 1, AT_EINVALID },
		{ TEXT("{\"a\":1,\"\\u0061\":3}"), "json-duplicate-key", 1, 8, AT_EINVALID },
		{ TEXT("{\"\\u002f\":1,\"\\/\":3}"), "json-duplicate-key", 1, 13, AT_EINVALID },
		{ TEXT("{\"\xf0\x9f\xa4\x96\":1,\"\\ud83e\\udd16\":3}"), "json-duplicate-key", 1,
			11, AT_EINVALID },
		{ TEXT("[{\"\":[]},{\"\":1,\"\":[]}]"), "json-duplicate-key", 1, 16, AT_EINVALID },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_error err = { 0 };

		assert_row(i, !reads(rows[i].text, 0, &err));
		if (strcmp(err.id, rows[i].id) != 0 || err.line != rows[i].line ||
			err.column != rows[i].column)
			fail_msg("row %zu: %s at %u:%u, wanted %s at %u:%u", i, err.id, err.line,
				err.column, rows[i].id, rows[i].line, rows[i].column);
		assert_row(i, err.code == (rows[i].code ? rows[i].code : AT_EPARSE));
		assert_row(i, err.message[0] != '\0');
	}
}

/* A fault is found whatever stands before it: eight bytes are looked at together. */
static void every_alignment_is_checked(void **state)
{
	static const char bad[] = { '\x00', '\x1f', '\n', '\x80', '\xff', '\xc3' };
	char text[64];

	for (size_t at = 1; at < 40; at++) { /* a NUL at 0 would be UTF-16 */
		for (size_t i = 0; i < AT_LEN(bad); i++) {
			struct at_error err = { 0 };

			memset(text, 'x', sizeof(text));
			text[0] = text[sizeof(text) - 1] = '"';
			text[1 + at] = bad[i];
			assert_row(at, !reads((struct at_bytes){ text, sizeof(text) }, 0, &err));
			assert_int_equal(err.column, at + 2);
		}
	}
}

static struct at_buf nested(size_t depth, char open, char close)
{
	struct at_buf buf = { 0 };

	at_buf_pad(&buf, open, depth);
	at_buf_pad(&buf, close, depth);
	return buf;
}

/* REQ-12: depth 64 and 4 MiB for a brief; 16 MiB for settings. */
static void req_12_depth_and_size_are_capped(void **state)
{
	struct at_error err = { 0 };
	struct at_buf buf = nested(64, '[', ']');

	assert_true(reads(at_buf_bytes(&buf), 0, &err));
	at_buf_free(&buf);
	buf = nested(65, '[', ']');
	assert_false(reads(at_buf_bytes(&buf), 0, &err));
	assert_string_equal(err.id, "json-depth");
	assert_int_equal(err.code, AT_ELIMIT);
	assert_int_equal(err.column, 65);
	at_buf_free(&buf);
	buf = nested(8 << 20, '[', ']'); /* would end a reader that calls itself */
	assert_false(reads(at_buf_bytes(&buf), 0, &err));
	assert_string_equal(err.id, "json-depth");
	at_buf_free(&buf);
	for (int over = 0; over < 2; over++) {
		struct at_json doc;

		at_buf_puts(&buf, "[]");
		at_buf_pad(&buf, ' ', at_json_brief_limits.bytes - 2 + (size_t)over);
		assert_int_equal(
			at_json_read(&doc, at_buf_bytes(&buf), &at_json_brief_limits, 0, &err),
			!over);
		at_json_free(&doc);
		at_buf_free(&buf);
	}
	assert_string_equal(err.id, "json-size");
	assert_int_equal(err.code, AT_ELIMIT);
	assert_int_equal(at_json_settings_limits.bytes, 16 << 20);
}

/* WIRE-3: a BOM is accepted and told; duplicates are marked; the last one counts. */
static void wire_3_flags_allow_and_tell(void **state)
{
	static const char text[] = "\xef\xbb\xbf{\"a\": 1, \"b\": 2, \"\\u0061\": 3, \"a\": 4}";
	unsigned both = AT_JSON_ALLOW_BOM | AT_JSON_ALLOW_DUPLICATES;
	struct at_error err = { 0 };
	struct at_json doc;
	uint32_t a;

	assert_false(reads(at_bytes_of(text), AT_JSON_ALLOW_BOM, &err));
	assert_string_equal(err.id, "json-duplicate-key");
	assert_false(reads(at_bytes_of(text), AT_JSON_ALLOW_DUPLICATES, &err));
	assert_string_equal(err.id, "json-bom");
	assert_false(reads(at_bytes_of("\xef\xbb\xbf \n"), both, &err));
	assert_string_equal(err.id, "json-empty");
	assert_true(at_json_read(&doc, at_bytes_of(text), &at_json_settings_limits, both, &err));
	assert_true(doc.bom);
	assert_int_equal(doc.duplicates, 2);
	assert_int_equal(doc.nodes[AT_JSON_ROOT].start, 3);
	assert_false(doc.nodes[1].duplicate);
	assert_true(doc.nodes[3].duplicate);
	a = at_json_member(&doc, AT_JSON_ROOT, "a");
	assert_int_equal(a, 4);
	assert_true(at_bytes_equal_text(at_json_raw(&doc, a), "4"));
	at_json_free(&doc);
}

/* library-traps 1: what a scanner behind the reader must see. */
static void a_nul_escape_does_not_end_a_string(void **state)
{
	struct at_arena *arena = at_arena_new();
	struct at_json doc;
	struct at_bytes text;

	assert_true(at_json_read(&doc, at_bytes_of("{\"K\":1,\"k\":\"x\\u0000AKIA\"}"),
		&at_json_settings_limits, 0, NULL));
	text = at_json_string(&doc, at_json_member(&doc, 0, "k"), arena);
	assert_int_equal(text.len, 6);
	assert_memory_equal(text.data, "x\0AKIA", 7);
	assert_false(at_json_string_is(&doc, at_json_member(&doc, 0, "k"), "x"));
	at_json_free(&doc);
	at_arena_free(arena);
}

static void strings_are_resolved(void **state)
{
	static const struct {
		const char *json, *want;
	} rows[] = {
		{ "\"\"", "" },
		{ "\"plain /\"", "plain /" },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
		{ "\"\\u0041\\u00e9\\u20ac\"", "A\xc3\xa9\xe2\x82\xac" },
		{ "\"\\ud83e\\udd16!\"", "\xf0\x9f\xa4\x96!" },
		{ "\"\\udbff\\udfff\"", "\xf4\x8f\xbf\xbf" },
		{ "\"a\\ud800z\"", "a\xef\xbf\xbdz" },
		{ "\"\\udd16\\ud83e\"", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\"\\ud83e\\ud83e\\udd16\"", "\xef\xbf\xbd\xf0\x9f\xa4\x96" },
		{ "\"\\ud83e\\n\"", "\xef\xbf\xbd\n" },
		{ "\"\\\\u0041\"", "\\u0041" },
	};
	struct at_arena *arena = at_arena_new();

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_json doc;

		assert_true(at_json_read(
			&doc, at_bytes_of(rows[i].json), &at_json_brief_limits, 0, NULL));
		assert_row(i, at_bytes_equal_text(at_json_string(&doc, 0, arena), rows[i].want));
		assert_row(i,
			!strstr(rows[i].want, "\xef\xbf\xbd") ==
				at_json_string_is(&doc, 0, rows[i].want));
		at_json_free(&doc);
	}
	at_arena_free(arena);
}

static void members_and_pointers_are_found(void **state)
{
	static const char text[] =
		"{\"sandbox\": {\"filesystem\": {\"denyWrite\": [0, [], {\"a/b~c\": "
		"{\"\\u0000\\u00e9\": 1}}]}}, \"n\": null, \"esc\\u0061pe\\\\n\": 2}";
	struct at_arena *arena = at_arena_new();
	uint32_t node, seen = 0;
	struct at_json doc;

	assert_true(at_json_read(&doc, at_bytes_of(text), &at_json_brief_limits, 0, NULL));
	node = at_json_at(&doc, "sandbox.filesystem.denyWrite");
	assert_true(at_json_is(&doc, node, AT_JSON_ARRAY));
	assert_int_equal(doc.nodes[node].count, 3);
	at_json_each(&doc, i, node)
		seen++;
	assert_int_equal(seen, 3);
	assert_string_equal(at_json_pointer(&doc, node, arena), "/sandbox/filesystem/denyWrite");
	assert_string_equal(at_json_pointer(&doc, doc.count - 3, arena),
		"/sandbox/filesystem/denyWrite/2/a~1b~0c/\xef\xbf\xbd\xc3\xa9");
	assert_string_equal(at_json_pointer(&doc, AT_JSON_ROOT, arena), "");
	assert_int_equal(at_json_at(&doc, "sandbox.nothing.denyWrite"), AT_JSON_NONE);
	assert_int_equal(at_json_at(&doc, "n.x"), AT_JSON_NONE);
	assert_int_equal(at_json_member(&doc, AT_JSON_NONE, "n"), AT_JSON_NONE);
	assert_int_equal(at_json_member(&doc, AT_JSON_ROOT, "N"), AT_JSON_NONE);
	assert_true(at_json_is(&doc, at_json_member(&doc, AT_JSON_ROOT, "n"), AT_JSON_NULL));
	assert_int_equal(at_json_member(&doc, AT_JSON_ROOT, "escape\\n"), doc.count - 1);
	assert_int_equal(at_json_member(&doc, AT_JSON_ROOT, "escape\n"), AT_JSON_NONE);
	assert_true(at_bytes_equal_text(at_json_key(&doc, doc.count - 1, arena), "escape\\n"));
	assert_false(at_json_is(&doc, AT_JSON_NONE, AT_JSON_NULL));
	at_json_free(&doc);
	at_arena_free(arena);
}

/* WIRE-3: hooks merge as sets, so what is the same must be found the same. */
static void equal_as_data_and_by_hash(void **state)
{
	static const struct {
		const char *a, *b;
		bool equal;
	} rows[] = {
		{ "{\"a\":1,\"b\":[1,2]}", "{ \"b\" : [1, 2], \"\\u0061\": 1.0 }", true },
		{ "[1,2]", "[2,1]", false },
		{ "[1,2]", "[1,2,3]", false },
		{ "{\"a\":1}", "{\"a\":1,\"b\":1}", false },
		{ "{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}", false },
		{ "{\"a\":1,\"a\":2}", "{\"a\":2}", true }, /* the last one counts */
		{ "{\"a\":1,\"a\":2}", "{\"a\":1}", false },
		{ "{\"a\":1,\"a\":2}", "{\"a\":3,\"a\":2}", true },
		{ "{\"a\":1,\"b\":0,\"a\":2}", "{\"b\":0,\"a\":2}", true },
		{ "1", "1.000e0", true },
		{ "-0", "0", true },
		{ "10", "1E1", true },
		{ "0.1", "1e-1", true },
		{ "1e999", "2e999", true },
		{ "1", "2", false },
		{ "1", "\"1\"", false },
		{ "\"\\/\\u00e9\\ud83e\\udd16\"", "\"/\xc3\xa9\xf0\x9f\xa4\x96\"", true },
		{ "\"\\ud800\"", "\"\\ufffd\"", false },
		{ "\"\\ud800\"", "\"\\uD800\"", true },
		{ "\"a\"", "\"b\"", false },
		{ "\"12345678\\u0039\"", "\"123456789\"", true },
		{ "\"1234567\\u0038\"", "\"12345678\"", true },
		{ "true", "false", false },
		{ "null", "null", true },
		{ "[]", "{}", false },
		{ "{}", "{ }", true },
		{ "[[[]]]", "[[[ ]]]", true },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_json a, b;

		assert_true(at_json_read(&a, at_bytes_of(rows[i].a), &at_json_brief_limits,
			AT_JSON_ALLOW_DUPLICATES, NULL));
		assert_true(at_json_read(&b, at_bytes_of(rows[i].b), &at_json_brief_limits,
			AT_JSON_ALLOW_DUPLICATES, NULL));
		assert_row(i, at_json_equal(&a, 0, &b, 0) == rows[i].equal);
		assert_row(i, at_json_equal(&b, 0, &a, 0) == rows[i].equal);
		assert_row(i, (at_json_hash(&a, 0) == at_json_hash(&b, 0)) == rows[i].equal);
		at_json_free(&a);
		at_json_free(&b);
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* An object of `count` members, in order or backwards. */
static struct at_buf big_object(int count, bool backwards)
{
	struct at_buf buf = { 0 };

	for (int i = 0; i < count; i++)
		at_buf_printf(&buf, "%c\"member %d\":[%d]", i ? ',' : '{',
			backwards ? count - 1 - i : i, backwards ? count - 1 - i : i);
	at_buf_putc(&buf, '}');
	return buf;
}

/* REQ-12: looking for duplicates, comparing and hashing do not grow with the square. Square
 * time would take minutes here; the bound leaves room for sanitizers and slow machines. */
static void big_objects_are_no_trap(void **state)
{
	struct at_buf text = big_object(100000, false), back = big_object(100000, true);
	struct at_json doc, other;
	double from = seconds();

	assert_true(at_json_read(&doc, at_buf_bytes(&text), &at_json_settings_limits, 0, NULL));
	assert_true(at_json_read(&other, at_buf_bytes(&back), &at_json_settings_limits, 0, NULL));
	assert_int_equal(doc.count, 200001);
	assert_true(at_json_equal(&doc, 0, &other, 0));
	assert_true(at_json_hash(&doc, 0) == at_json_hash(&other, 0));
	at_json_free(&other);
	text.data[text.len - 1] = ',';
	at_buf_puts(&text, "\"member\\u0020777\":0}");
	at_json_free(&doc);
	assert_true(at_json_read(&doc, at_buf_bytes(&text), &at_json_settings_limits,
		AT_JSON_ALLOW_DUPLICATES, NULL));
	assert_int_equal(doc.duplicates, 1);
	assert_true(doc.nodes[doc.count - 1].duplicate);
	at_json_free(&doc);
	at_buf_free(&text);
	at_buf_free(&back);
	assert_true(seconds() - from < 10);
}

/* Comparing calls itself once a level; each value must be looked at once, not twice a
 * level. */
static void deep_objects_are_no_trap(void **state)
{
	struct at_buf a = { 0 }, b = { 0 };
	struct at_json doc, other;
	double from = seconds();

	for (int i = 0; i < 63; i++) {
		at_buf_puts(&a, "{\"x\":");
		at_buf_puts(&b, "{\"y\":0,\"x\":");
	}
	at_buf_puts(&a, "1");
	at_buf_puts(&b, "1");
	for (int i = 0; i < 63; i++) {
		at_buf_puts(&a, ",\"y\":0}");
		at_buf_puts(&b, "}");
	}
	assert_true(at_json_read(&doc, at_buf_bytes(&a), &at_json_settings_limits, 0, NULL));
	assert_true(at_json_read(&other, at_buf_bytes(&b), &at_json_settings_limits, 0, NULL));
	assert_true(at_json_equal(&doc, 0, &other, 0));
	assert_true(at_json_hash(&doc, 0) == at_json_hash(&other, 0));
	at_json_free(&doc);
	at_json_free(&other);
	at_buf_free(&a);
	at_buf_free(&b);
	assert_true(seconds() - from < 10);
}

static void positions_know_every_line_end(void **state)
{
	static const struct {
		size_t offset;
		unsigned line, column;
	} rows[] = {
		{ 0, 1, 1 },
		{ 1, 1, 2 },
		{ 2, 2, 1 },
		{ 3, 2, 2 },
		{ 4, 2, 3 },
		{ 5, 3, 1 },
		{ 6, 3, 2 },
		{ 7, 4, 1 },
		{ 8, 4, 2 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		unsigned line, column;

		at_json_position(at_bytes_of("a\nb\r\nc\rd"), rows[i].offset, &line, &column);
		assert_row(i, line == rows[i].line && column == rows[i].column);
	}
}

/* A language whose decimal point is a comma; few machines have one, so it is made in `dir`. */
static bool set_comma_locale(const char *dir)
{
	char command[512];

	if (setlocale(LC_NUMERIC, "de_DE.UTF-8"))
		return true;
	snprintf(command, sizeof(command),
		"localedef --no-archive -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", dir);
	if (system(command) != 0 || setenv("LOCPATH", dir, 1) != 0)
		return false;
	return setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL;
}

/* Numbers must not depend on the language of the terminal. */
static void numbers_ignore_the_locale(void **state)
{
	struct at_json a, b;
	char *dir = test_tree_new();
	bool is_set = set_comma_locale(dir);

	test_tree_remove(dir);
	unsetenv("LOCPATH");
	if (!is_set)
		skip_because("no locale de_DE.UTF-8 here, and it cannot be made");
	assert_string_equal(localeconv()->decimal_point, ",");
	assert_true(at_json_read(&a, at_bytes_of("[1.5]"), &at_json_brief_limits, 0, NULL));
	assert_true(at_json_read(&b, at_bytes_of("[1.7]"), &at_json_brief_limits, 0, NULL));
	assert_false(at_json_equal(&a, 0, &b, 0));
	setlocale(LC_NUMERIC, "C");
	at_json_free(&a);
	at_json_free(&b);
}

int test_json_read(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rfc_8259_is_read),
		cmocka_unit_test(all_else_is_refused_where_it_stands),
		cmocka_unit_test(every_alignment_is_checked),
		cmocka_unit_test(req_12_depth_and_size_are_capped),
		cmocka_unit_test(wire_3_flags_allow_and_tell),
		cmocka_unit_test(a_nul_escape_does_not_end_a_string),
		cmocka_unit_test(strings_are_resolved),
		cmocka_unit_test(members_and_pointers_are_found),
		cmocka_unit_test(equal_as_data_and_by_hash),
		cmocka_unit_test(big_objects_are_no_trap),
		cmocka_unit_test(deep_objects_are_no_trap),
		cmocka_unit_test(positions_know_every_line_end),
		cmocka_unit_test(numbers_ignore_the_locale),
	};

	return cmocka_run_group_tests_name("json_read", tests, NULL, NULL);
}
