#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_edit.h"

static struct at_json read_doc(const char *text)
{
	struct at_error err = { 0 };
	struct at_json doc;

	if (!at_json_read(&doc, at_bytes_of(text), &at_json_settings_limits,
		    AT_JSON_ALLOW_BOM | AT_JSON_ALLOW_DUPLICATES, &err))
		fail_msg("%s: %s", text, err.message);
	return doc;
}

/* A small language for tables: edits are lines of a verb, a path of keys and indices, and
 * what the verb takes: "+ PATH VALUE" appends, ". PATH KEY VALUE" adds a member,
 * "= PATH VALUE" replaces, "- PATH" removes. The root is "/". */
static uint32_t resolve(const struct at_json *doc, const char *path, size_t len)
{
	uint32_t node = AT_JSON_ROOT;
	char key[64];

	while (len && node != AT_JSON_NONE) {
		const char *slash = memchr(path + 1, '/', len - 1);
		size_t part = slash ? (size_t)(slash - path) : len;

		snprintf(key, sizeof(key), "%.*s", (int)part - 1, path + 1);
		if (*key && at_json_is(doc, node, AT_JSON_ARRAY)) {
			long index = strtol(key, NULL, 10);

			for (node = at_json_first(doc, node); node != AT_JSON_NONE && index--;)
				node = doc->nodes[node].next;
		} else if (*key) {
			node = at_json_member(doc, node, key);
		}
		path += part;
		len -= part;
	}
	return node;
}

static struct at_json_edit *edit_of(const struct at_json *doc, const char *script)
{
	struct at_json_edit *edit = at_json_edit_new(doc);

	while (*script) {
		const char *end = strchrnul(script, '\n'), *path = script + 2;
		const char *stop = memchr(path, ' ', (size_t)(end - path));
		uint32_t node = resolve(doc, path, (size_t)((stop ? stop : end) - path));
		struct at_bytes rest = { stop ? stop + 1 : end, 0 };
		char key[64];

		if (*script == '.') {
			size_t len = strcspn(rest.data, " ");

			snprintf(key, sizeof(key), "%.*s", (int)len, rest.data);
			rest.data += len + 1;
		}
		rest.len = (size_t)(end - rest.data);
		if (*script == '+')
			at_json_edit_append(edit, node, rest);
		else if (*script == '.')
			at_json_edit_add_member(edit, node, key, rest);
		else if (*script == '=')
			at_json_edit_replace(edit, node, rest);
		else
			at_json_edit_remove(edit, node);
		script = *end ? end + 1 : end;
	}
	return edit;
}

struct row {
	const char *old, *script, *want;
};

static void run_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct at_json doc = read_doc(rows[i].old);
		struct at_json_edit *edit = edit_of(&doc, rows[i].script);
		struct at_error err = { 0 };
		struct at_buf out = { 0 };

		if (!at_json_edit_apply(edit, &out, &err))
			fail_msg("row %zu: %s", i, err.message);
		if (strcmp(at_buf_text(&out), rows[i].want) != 0)
			fail_msg("row %zu:\n%s\nwanted:\n%s", i, at_buf_text(&out), rows[i].want);
		at_json_edit_free(edit);
		at_json_free(&doc);
		at_buf_free(&out);
	}
}

/* WIRE-3: a new child looks like those beside it. */
static void wire_3_additions_follow_their_neighbours(void **state)
{
	static const struct row rows[] = {
		{ "[\"a\", \"b\"]", "+ / \"c\"", "[\"a\", \"b\", \"c\"]" },
		{ "[\"a\",\"b\"]", "+ / \"c\"\n+ / \"d\"", "[\"a\",\"b\",\"c\",\"d\"]" },
		{ "[ \"a\" , \"b\" ]", "+ / \"c\"", "[ \"a\" , \"b\" , \"c\" ]" },
		{ "[\"a\"]", "+ / \"c\"", "[\"a\", \"c\"]" },
		{ "{\"x\":[1,2],\"a\":[\"a\"]}", "+ /a \"c\"",
			"{\"x\":[1,2],\"a\":[\"a\",\"c\"]}" },
		{ "[\n  1\n]\n", "+ / 2\n+ / 3", "[\n  1,\n  2,\n  3\n]\n" },
		{ "[\n\t1,\n\t2\n]", "+ / 3", "[\n\t1,\n\t2,\n\t3\n]" },
		{ "[\r\n   1\r\n]", "+ / {\"a\":[1]}",
			"[\r\n   1,\r\n   {\r\n      \"a\": [\r\n         1\r\n      ]\r\n"
			"   }\r\n]" },
		{ "[\r  1\r]", "+ / 2", "[\r  1,\r  2\r]" },
		{ "\xef\xbb\xbf{\r\n  \"a\" : 1\r\n}", ". / b 2",
			"\xef\xbb\xbf{\r\n  \"a\" : 1,\r\n  \"b\" : 2\r\n}" },
		{ "{\"a\":1}", ". / b {\"c\" : [1, {}], \"d\":[]}",
			"{\"a\":1, \"b\":{\"c\":[1, {}], \"d\":[]}}" },
		{ "{\"a\":1,\"x\":1}", ". / b {\"c\" : [1, 2]}",
			"{\"a\":1,\"x\":1,\"b\":{\"c\":[1,2]}}" },
		{ "{\"a\":1,\"o\":{\"x\" : 1}}", ". /o b {\"c\":2}",
			"{\"a\":1,\"o\":{\"x\" : 1,\"b\" : {\"c\" : 2}}}" },
		{ "{\n  \"a\": 1,\n\n  \"b\": 2\n\n}\n", ". / c 3",
			"{\n  \"a\": 1,\n\n  \"b\": 2,\n  \"c\": 3\n\n}\n" },
		{ "[\n  \"a\"\n  , \"b\"\n  , \"c\"\n]", "+ / \"d\"",
			"[\n  \"a\"\n  , \"b\"\n  , \"c\"\n  , \"d\"\n]" },
		{ "[{\n  \"a\": 1\n}, {\n  \"a\": 2\n}]", "+ / {\"a\":3}",
			"[{\n  \"a\": 1\n}, {\n  \"a\": 2\n}, {\n  \"a\": 3\n}]" },
		{ "[\n  {\"a\": 1},\n  {\"a\": 2}\n]", "+ / {\"a\":3,\"b\":4}",
			"[\n  {\"a\": 1},\n  {\"a\": 2},\n  {\"a\": 3, \"b\": 4}\n]" },
		{ "{\n    \"p\": {\n        \"allow\": [\"x\"]\n    }\n}",
			". /p deny [\"y\",\"z\"]",
			"{\n    \"p\": {\n        \"allow\": [\"x\"],\n"
			"        \"deny\": [\"y\", \"z\"]\n    }\n}" },
		{ "{\n  \"env\": {\"A\": \"1\"}\n}", ". / hooks {\"Stop\":[{\"x\":1}]}",
			"{\n  \"env\": {\"A\": \"1\"},\n  \"hooks\": {\n    \"Stop\": [\n      {\n"
			"        \"x\": 1\n      }\n    ]\n  }\n}" },
		{ "{\"p\": {\"allow\": [\"Read\"],\"deny\":[]}}", "+ /p/deny \"x\"",
			"{\"p\": {\"allow\": [\"Read\"],\"deny\":[\"x\"]}}" },
		{ "[\"\\u00e9\\/\", 1.50]", "+ / [\"\\u00E9\\/\",1.50e+0,-0]",
			"[\"\\u00e9\\/\", 1.50, [\"\\u00E9\\/\", 1.50e+0, -0]]" },
		{ "{\"a\": 1}", ". / \"q\\\x01\xc3\xa9 2",
			"{\"a\": 1, \"\\\"q\\\\\\u0001\xc3\xa9\": 2}" },
	};

	run_rows(rows, AT_LEN(rows));
}

/* WIRE-3: an empty container opens as its place asks. */
static void wire_3_empty_containers_open_as_their_place_asks(void **state)
{
	static const struct row rows[] = {
		{ "{}", ". / a {\"b\":1}", "{\n  \"a\": {\n    \"b\": 1\n  }\n}" },
		{ "{}\r\n", ". / a 1", "{\r\n  \"a\": 1\r\n}\r\n" },
		{ "[]", "+ / 1\n+ / 2", "[\n  1,\n  2\n]" },
		{ "\xef\xbb\xbf{}", ". / a 1", "\xef\xbb\xbf{\n  \"a\": 1\n}" },
		{ "{ }", ". / a 1", "{ \n  \"a\": 1\n}" },
		{ "{\n}\n", ". / a 1", "{\n  \"a\": 1\n}\n" },
		{ "{\n\n}\n", ". / a 1", "{\n  \"a\": 1\n\n}\n" },
		{ "{\n\t\"a\": []\n}", "+ /a 1", "{\n\t\"a\": [\n\t\t1\n\t]\n}" },
		{ "{\n  \"a\": [\n  ]\n}", "+ /a 1", "{\n  \"a\": [\n    1\n  ]\n}" },
		{ "{\n  \"a\": [ ],\n  \"b\": [ 1 ]\n}", "+ /a 1",
			"{\n  \"a\": [ 1 ],\n  \"b\": [ 1 ]\n}" },
		{ "{\n  \"allow\": [\"a\", \"b\"],\n  \"deny\": []\n}",
			"+ /deny \"c\"\n+ /deny \"d\"",
			"{\n  \"allow\": [\"a\", \"b\"],\n  \"deny\": [\"c\", \"d\"]\n}" },
		{ "{\n  \"allow\": [\"a\"],\n  \"hooks\": []\n}", "+ /hooks {\"a\":1}",
			"{\n  \"allow\": [\"a\"],\n  \"hooks\": [\n    {\n      \"a\": 1\n"
			"    }\n  ]\n}" },
		{ "{\n  \"allow\": [\n    \"a\"\n  ],\n  \"deny\": []\n}", "+ /deny \"c\"",
			"{\n  \"allow\": [\n    \"a\"\n  ],\n  \"deny\": [\n    \"c\"\n  ]\n}" },
		{ "{\n  \"p\": {\"deny\": []}\n}", "+ /p/deny \"c\"",
			"{\n  \"p\": {\"deny\": [\"c\"]}\n}" },
		{ "{\"p\":{}}", ". /p a 1", "{\"p\":{\"a\":1}}" },
	};

	run_rows(rows, AT_LEN(rows));
}

/* WIRE-3: what is taken out goes with its comma and line; groups stay apart. */
static void wire_3_removals_take_comma_and_line(void **state)
{
	static const struct row rows[] = {
		{ "[1, 2, 3]", "- /0", "[2, 3]" },
		{ "[1, 2, 3]", "- /1", "[1, 3]" },
		{ "[1, 2, 3]", "- /2", "[1, 2]" },
		{ "[1 ,2 ,3 ]", "- /2\n- /0", "[2 ]" },
		{ "[1, 2, 3]", "- /0\n- /1\n- /2", "[]" },
		{ "[ 1 ]", "- /0", "[ ]" },
		{ "[ 1]", "- /0", "[]" },
		{ "[1 ]", "- /0", "[]" },
		{ "[\n  1 ]", "- /0", "[]" },
		{ "[\n  1\n]", "- /0", "[]" },
		{ "[\n  1,\n  2,\n  3\n]\n", "- /0", "[\n  2,\n  3\n]\n" },
		{ "[\n  1,\n  2,\n  3\n]\n", "- /1", "[\n  1,\n  3\n]\n" },
		{ "[\n  1,\n  2,\n  3\n]\n", "- /2", "[\n  1,\n  2\n]\n" },
		{ "[\r\n\t1,\r\n\t2\r\n]", "- /1", "[\r\n\t1\r\n]" },
		{ "{\"a\": 1, \"b\": 2}", "- /a", "{\"b\": 2}" },
		{ "{\"a\": 1, \"b\": 2}", "- /b", "{\"a\": 1}" },
		{ "[\n  1,\n\n  2,\n  3\n]", "- /1", "[\n  1,\n\n  3\n]" },
		{ "[\n  1,\n  2,\n\n  3\n]", "- /1", "[\n  1,\n\n  3\n]" },
		{ "[\n  1,\n\n  2,\n\n  3\n]", "- /1", "[\n  1,\n\n  3\n]" },
		{ "[\n  1,\n\n  2\n]", "- /0", "[\n  2\n]" },
		{ "[\n  1,\n\n  2\n]", "- /1", "[\n  1\n]" },
		{ "[\n  1,\n\n  2\n\n]", "- /1", "[\n  1\n\n]" },
		{ "[\n  [\n    1\n  ],\n  2\n]", "- /0/0", "[\n  [],\n  2\n]" },
	};

	run_rows(rows, AT_LEN(rows));
}

/* What is left after one child came into an empty container and went. */
static struct at_buf come_and_go(const struct at_json *doc, uint32_t node)
{
	struct at_json_edit *edit = at_json_edit_new(doc);
	struct at_buf out = { 0 }, back = { 0 };
	struct at_json again;

	if (at_json_is(doc, node, AT_JSON_ARRAY))
		at_json_edit_append(edit, node, at_bytes_of("[0]"));
	else
		at_json_edit_add_member(edit, node, "k", at_bytes_of("0"));
	assert_true(at_json_edit_apply(edit, &out, NULL));
	at_json_edit_free(edit);
	again = read_doc(at_buf_text(&out));
	edit = at_json_edit_new(&again);
	at_json_edit_remove(edit, node + 1);
	assert_true(at_json_edit_apply(edit, &back, NULL));
	at_json_edit_free(edit);
	at_json_free(&again);
	at_buf_free(&out);
	return back;
}

/* WIRE-3: white space in an empty container outlives a child that comes and goes. The last
 * rows are the exception: closed as we close, it is taken for ours. */
static void wire_3_empty_containers_come_back(void **state)
{
	static const struct {
		const char *text, *back; /* NULL: the same */
	} rows[] = {
		{ "{}", NULL },
		{ "[]", NULL },
		{ "{ }", NULL },
		{ "[\t ]", NULL },
		{ "[\n\n]", NULL },
		{ "[ \n  ]", NULL },
		{ "[\r\n\r\n]", NULL },
		{ "[\n\t]\r\n", NULL },
		{ "\xef\xbb\xbf \n {}\n", NULL },
		{ "\t[]", NULL },
		{ "\r[]", NULL },
		{ "[[ ]]", NULL },
		{ "[\n  [ ], [\n ]\n]", NULL },
		{ "[\n  [\n    ]\n]", NULL },
		{ "[[], [1]]", NULL },
		{ "[[  ], [1]]", NULL },
		{ "{\r\n\t\"a\": {}\r\n}", NULL },
		{ "[\n]", "[]" },
		{ "[\r\n]", "[]" },
		{ " {\n }", " {}" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *want = rows[i].back ? rows[i].back : rows[i].text;
		struct at_json doc = read_doc(rows[i].text);

		for (uint32_t node = 0; node < doc.count; node++) {
			struct at_buf back;

			if (doc.nodes[node].kind < AT_JSON_ARRAY || doc.nodes[node].count)
				continue;
			back = come_and_go(&doc, node);
			assert_row(i, strcmp(at_buf_text(&back), want) == 0);
			at_buf_free(&back);
		}
		at_json_free(&doc);
	}
}

static void replacing_keeps_the_place(void **state)
{
	static const struct row rows[] = {
		{ "1", "= / {\"a\":[1,2]}", "{\n  \"a\": [\n    1,\n    2\n  ]\n}" },
		{ "{\"a\" : 1 }", "= /a \"x\"", "{\"a\" : \"x\" }" },
		{ "{\n  \"a\": true\n}", "= /a [1,2]", "{\n  \"a\": [\n    1,\n    2\n  ]\n}" },
		{ "{\n  \"a\": [3, 4]\n}", "= /a [1,2]", "{\n  \"a\": [1, 2]\n}" },
		{ "{\n  \"a\": [\n    3\n  ]\n}", "= /a {\"x\":1}",
			"{\n  \"a\": {\n    \"x\": 1\n  }\n}" },
		{ "{\n\t\"a\": [\n\t\t3\n\t]\n}", "= /a/0 [ ]", "{\n\t\"a\": [\n\t\t[]\n\t]\n}" },
	};

	run_rows(rows, AT_LEN(rows));
}

/* Commas come out right whatever is combined. */
static void edits_of_one_container_combine(void **state)
{
	static const struct row rows[] = {
		{ "[1, 2, 3]", "- /2\n+ / 4", "[1, 2, 4]" },
		{ "[1, 2, 3]", "- /0\n+ / 4\n- /1", "[3, 4]" },
		{ "[1, 2, 3]", "+ / 4\n- /1\n+ / 5\n- /2\n- /0", "[4, 5]" },
		{ "[\n  1,\n  2\n]", "- /0\n- /1\n+ / 3\n+ / 4", "[\n  3,\n  4\n]" },
		{ "[\n  1,\n  2\n]", "= /1 7\n+ / 3\n- /0", "[\n  7,\n  3\n]" },
		{ "{\"a\": 1, \"b\": 2}", "- /a\n- /b\n. / a 3", "{\"a\": 3}" },
		{ "{\"a\": [1], \"b\": []}", "+ /a 2\n+ /b 3\n. / c 4",
			"{\"a\": [1, 2], \"b\": [3], \"c\": 4}" },
		{ "[[]]", "+ /0 1\n+ / 2", "[[1], 2]" },
		{ "[[1], [2], [3]]", "- /0/0\n- /1\n+ /2 4\n+ / 5", "[[], [3, 4], 5]" },
		{ "[1, 2]", "", "[1, 2]" },
	};

	run_rows(rows, AT_LEN(rows));
}

static void conflicts_are_refused(void **state)
{
	static const struct {
		const char *old, *script, *message;
	} rows[] = {
		{ "[1]", "- /", "removed" },
		{ "[1]", "- /7", "not there" },
		{ "[1]", ". / a 1", "only an object" },
		{ "{\"a\": 1}", "+ / 1", "only an array" },
		{ "{\"a\": 1}", "+ /a 1", "only an array" },
		{ "[1]", "- /0\n- /0", "two edits" },
		{ "[1]", "= /0 2\n- /0", "two edits" },
		{ "[1]", "= /0 2\n= /0 3", "two edits" },
		{ "[[1]]", "- /0\n+ /0 2", "another removes" },
		{ "[[1]]", "+ /0 2\n= /0 []", "another removes" },
		{ "[[1]]", "= /0/0 2\n- /0", "another removes" },
		{ "[[[1]]]", "- /0/0/0\n- /0", "another removes" },
		{ "[[1]]", "= / 1\n+ / 1", "another removes" },
		{ "[[[]]]", "= / 1\n+ /0/0 1", "another removes" },
		{ "[1]", "+ / ", "not JSON" },
		{ "[1]", "+ / 1,2", "not JSON" },
		{ "[1]", "= /0 [1,]", "not JSON" },
		{ "[1]", "+ / 1 // x", "not JSON" },
		{ "{\"a\": 1}", ". / a 2", "given twice" },
		{ "{\"\\u0061\": 1}", ". / a 2", "given twice" },
		{ "{\"a\": 1, \"a\": 2, \"b\": 3}", ". / b 2", "there already" },
		{ "{}", ". / a 2\n. / a 3", "given twice" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_json doc = read_doc(rows[i].old);
		struct at_json_edit *edit = edit_of(&doc, rows[i].script);
		struct at_error err = { 0 };
		struct at_buf out = { 0 };

		at_buf_puts(&out, "before");
		assert_row(i, !at_json_edit_apply(edit, &out, &err));
		assert_row(i, err.code == AT_ECONFLICT);
		if (!strstr(err.message, rows[i].message))
			fail_msg("row %zu: %s", i, err.message);
		assert_string_equal(at_buf_text(&out), "before");
		at_json_edit_free(edit);
		at_json_free(&doc);
		at_buf_free(&out);
	}
}

/* A result deeper than what is read again must not be written. */
static void a_result_that_would_not_be_read_is_refused(void **state)
{
	struct at_buf text = { 0 }, out = { 0 };
	struct at_json_edit *edit;
	struct at_error err = { 0 };
	struct at_json doc;

	at_buf_pad(&text, '[', 64);
	at_buf_pad(&text, ']', 64);
	doc = read_doc(at_buf_text(&text));
	edit = at_json_edit_new(&doc);
	at_json_edit_append(edit, 63, at_bytes_of("[]"));
	assert_false(at_json_edit_apply(edit, &out, &err));
	assert_int_equal(err.code, AT_ECONFLICT);
	assert_string_equal(err.id, "json-depth");
	at_json_edit_free(edit);
	at_json_free(&doc);
	at_buf_free(&text);
	at_buf_free(&out);
}

/* Cost grows with text plus edits: many edits in many and in one container, and
 * indentation that is no style is not multiplied. */
static void many_edits_are_linear(void **state)
{
	struct at_buf text = { 0 }, out = { 0 };
	struct at_json_edit *edit;
	struct at_error err = { 0 };
	struct at_json doc;

	at_buf_puts(&text, "[");
	at_buf_pad(&text, ' ', 1 << 20);
	for (int i = 0; i < 50000; i++)
		at_buf_puts(&text, i ? ",\n[]" : "\n[]");
	at_buf_puts(&text, "]");
	doc = read_doc(at_buf_text(&text));
	edit = at_json_edit_new(&doc);
	for (uint32_t i = 1; i < doc.count; i++) {
		at_json_edit_append(edit, AT_JSON_ROOT, at_bytes_of("[1]"));
		if (i % 2)
			at_json_edit_append(edit, i, at_bytes_of("{\"a\":1}"));
		else
			at_json_edit_remove(edit, i);
	}
	if (!at_json_edit_apply(edit, &out, &err))
		fail_msg("%s", err.message);
	assert_true(out.len < (4 << 20));
	at_json_edit_free(edit);
	at_json_free(&doc);
	at_buf_free(&text);
	at_buf_free(&out);
}

/* Space that is padding is not copied once an edit. */
static void padding_is_not_multiplied(void **state)
{
	struct at_buf text = { 0 }, out = { 0 };
	struct at_json_edit *edit;
	struct at_json doc;

	for (int i = 0; i < 2; i++) {
		at_buf_puts(&text, i ? ",\n" : "[\n");
		at_buf_pad(&text, ' ', 1 << 20);
		at_buf_puts(&text, "1");
	}
	at_buf_puts(&text, "]");
	doc = read_doc(at_buf_text(&text));
	edit = at_json_edit_new(&doc);
	for (int i = 0; i < 10; i++)
		at_json_edit_append(edit, AT_JSON_ROOT, at_bytes_of("[1]"));
	assert_true(at_json_edit_apply(edit, &out, NULL));
	assert_true(out.len < text.len + 1000);
	at_json_edit_free(edit);
	at_json_free(&doc);
	at_buf_free(&text);
	at_buf_free(&out);
}

/* WIRE-3: many rules for a list on one line go on lines of their own, so that the diff can
 * be read; the bytes that are there stay, and taking the rules out gives them back. */
static void wire_3_a_crowded_line_is_opened(void **state)
{
	static const struct {
		const char *text;
		size_t rules;
		const char *want; /* how the text continues before the first rule */
	} rows[] = {
		{ "{\n\t\"deny\": [\"a\"],\n\t\"x\": 1\n}\n", 3, "{\n\t\"deny\": [\"a\",\n\t\t\"Edit(" },
		{ "{\n  \"p\": {\"allow\": [\"a\"], \"deny\": []}\n}\n", 3,
			"{\n  \"p\": {\"allow\": [\"a\"], \"deny\": [\n    \"Edit(" },
		/* one rule, or a file of one line: no */
		{ "{\n\t\"deny\": [\"a\"],\n\t\"x\": 1\n}\n", 1, "{\n\t\"deny\": [\"a\", \"Edit(" },
		{ "{\"deny\": [\"a\"], \"x\": 1}\n", 3, "{\"deny\": [\"a\", \"Edit(" },
	};
	static const char rule[] = "\"Edit(/a/rather/long/path/below/the/project/with/many/parts/%zu)\"";

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_json doc, again;
		struct at_json_edit *edit;
		struct at_buf out = { 0 }, back = { 0 };
		size_t seen = 0;

		assert_true(at_json_read(&doc, at_bytes_of(rows[i].text), &at_json_settings_limits, 0, NULL));
		edit = at_json_edit_new(&doc);
		for (uint32_t n = 0; n < doc.count; n++) {
			char key[16];

			snprintf(key, sizeof(key), "%.*s", (int)(doc.nodes[n].key_end - doc.nodes[n].key_start),
				doc.text.data + doc.nodes[n].key_start);
			for (size_t r = 0; r < rows[i].rules && strcmp(key, "\"deny\"") == 0; r++) {
				char text[128];

				snprintf(text, sizeof(text), rule, r);
				at_json_edit_append(edit, n, at_bytes_of(text));
			}
		}
		assert_row(i, at_json_edit_apply(edit, &out, NULL));
		at_json_edit_free(edit);
		assert_row(i, strncmp(at_buf_text(&out), rows[i].want, strlen(rows[i].want)) == 0);

		assert_row(i, at_json_read(&again, at_buf_bytes(&out), &at_json_settings_limits, 0, NULL));
		edit = at_json_edit_new(&again);
		for (uint32_t n = 0; n < again.count; n++) {
			if (strncmp(again.text.data + again.nodes[n].start, "\"Edit(", 6) == 0 && ++seen)
				at_json_edit_remove(edit, n);
		}
		assert_row(i, seen == rows[i].rules);
		assert_row(i, at_json_edit_apply(edit, &back, NULL));
		assert_string_equal(at_buf_text(&back), rows[i].text);
		at_json_edit_free(edit);
		at_json_free(&again);
		at_json_free(&doc);
		at_buf_free(&out);
		at_buf_free(&back);
	}
}

int test_json_edit(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_3_a_crowded_line_is_opened),
		cmocka_unit_test(wire_3_additions_follow_their_neighbours),
		cmocka_unit_test(wire_3_empty_containers_open_as_their_place_asks),
		cmocka_unit_test(wire_3_removals_take_comma_and_line),
		cmocka_unit_test(wire_3_empty_containers_come_back),
		cmocka_unit_test(replacing_keeps_the_place),
		cmocka_unit_test(edits_of_one_container_combine),
		cmocka_unit_test(conflicts_are_refused),
		cmocka_unit_test(a_result_that_would_not_be_read_is_refused),
		cmocka_unit_test(many_edits_are_linear),
		cmocka_unit_test(padding_is_not_multiplied),
	};

	return cmocka_run_group_tests_name("json_edit", tests, NULL, NULL);
}
