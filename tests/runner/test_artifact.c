/* reference-ledgers 3.3: the shapes of what agents hand over. */
#include "runner/ground.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/proposals/artifact.h"

#define N "\"dispatch\":\"0123456789abcdef0123456789abcdef\""
#define CHANGE \
	"\"kind\":\"change-proposal\"," N ",\"path\":\"docs/a.md\",\"base_sha256\":\"absent\"," \
	"\"content\":\"hi\",\"rationale\":\"r\""
#define DELETE \
	"\"kind\":\"delete-proposal\"," N ",\"path\":\"docs/a.md\",\"base_sha256\":\"absent\"," \
	"\"rationale\":\"r\""
#define COMMAND "\"kind\":\"command-request\"," N ",\"argv\":[\"x\"],\"purpose\":\"p\""
#define FILES (AT_CHANGE_PROPOSAL | AT_DELETE_PROPOSAL)

static const struct {
	const char *json;
	unsigned kinds;
	const char *id, *text; /* NULL: taken */
} shapes[] = {
	{ "{" CHANGE "}", FILES, NULL, NULL },
	{ "{" CHANGE ",\"gates\":[],\"agent\":\"a\"}", FILES, NULL, NULL },
	{ "{" DELETE ",\"agent\":\"a\"}", FILES, NULL, NULL },
	{ "{" COMMAND "}", AT_COMMAND_REQUEST, NULL, NULL },
	{ "{" COMMAND
	  ",\"cwd\":\".\",\"expected_writes\":[],\"agent\":\"a\",\"stdin_from_content\":{"
	  "\"path\":\"a\",\"content\":\"\"}}",
		AT_COMMAND_REQUEST, NULL, NULL },
	{ "{" CHANGE "}", AT_CHANGE_PROPOSAL, NULL, NULL },
	/* Values are judged later, in their turn. */
	{ "{\"kind\":\"change-proposal\",\"dispatch\":1,\"path\":2,\"base_sha256\":3,\"content\":4,"
	  "\"rationale\":5}",
		FILES, NULL, NULL },
	{ "[]", FILES, "artifact-kind", "not a change-proposal or delete-proposal" },
	{ "null", AT_CHANGE_PROPOSAL, "artifact-kind", "not a change-proposal" },
	{ "{}", AT_COMMAND_REQUEST, "artifact-kind", "not a command-request" },
	{ "{\"kind\":1}", AT_DELETE_PROPOSAL, "artifact-kind", "not a delete-proposal" },
	{ "{" COMMAND "}", FILES, "artifact-kind", "not a change-proposal or delete-proposal" },
	{ "{" CHANGE "}", AT_COMMAND_REQUEST, "artifact-kind", "not a command-request" },
	{ "{\"kind\":\"change-proposal\"}", FILES, "artifact-shape",
		"change-proposal: missing ['base_sha256', 'content', 'dispatch', 'path', "
		"'rationale'], unknown []" },
	{ "{\"kind\":\"delete-proposal\",\"content\":\"\"}", FILES, "artifact-shape",
		"delete-proposal: missing ['base_sha256', 'dispatch', 'path', 'rationale'], "
		"unknown "
		"['content']" },
	{ "{\"kind\":\"command-request\",\"path\":\"\",\"zeta\":1,\"Alpha\":2}", AT_COMMAND_REQUEST,
		"artifact-shape",
		"command-request: missing ['argv', 'dispatch', 'purpose'], unknown ['Alpha', "
		"'path', 'zeta']" },
	{ "{" CHANGE ",\"channel\":\"mcp\"}", FILES, "artifact-shape",
		"change-proposal: missing [], unknown ['channel']" },
	{ "{" CHANGE ",\"\":0}", FILES, "artifact-shape",
		"change-proposal: missing [], unknown ['']" },
	{ "{" DELETE ",\"gates\":[]}", FILES, "artifact-shape",
		"delete-proposal: missing [], unknown ['gates']" },
	{ "{" COMMAND ",\"stdin_from_content\":{\"path\":\"a\"}}", AT_COMMAND_REQUEST,
		"artifact-stdin", NULL },
	{ "{" COMMAND ",\"stdin_from_content\":{\"path\":\"a\",\"content\":1}}", AT_COMMAND_REQUEST,
		"artifact-stdin", NULL },
	{ "{" COMMAND ",\"stdin_from_content\":{\"path\":\"a\",\"content\":\"\",\"x\":1}}",
		AT_COMMAND_REQUEST, "artifact-stdin", NULL },
	{ "{" COMMAND ",\"stdin_from_content\":\"x\"}", AT_COMMAND_REQUEST, "artifact-stdin",
		NULL },
	/* As it is staged: who it was is not in it. */
	{ "{" CHANGE "}", FILES | AT_STAGED_FORM, "artifact-shape",
		"change-proposal: missing [], unknown ['dispatch']" },
	{ "{\"kind\":\"delete-proposal\",\"path\":\"\",\"base_sha256\":\"\",\"rationale\":\"\"}",
		FILES | AT_STAGED_FORM, NULL, NULL },
	/* Inputs that end the original's runner. */
	{ "{" CHANGE ",\"gates\":[\"\\ud800\"]}", FILES, "artifact-text",
		"change-proposal: holds a lone surrogate, which is no text" },
	{ "{\"kind\":\"change-proposal\"," N ",\"path\":\"\\udfff\",\"base_sha256\":\"absent\","
	  "\"content\":\"\",\"rationale\":\"\"}",
		FILES, "artifact-text", NULL },
	{ "{\"kind\":\"change-proposal\"," N ",\"path\":\"a\",\"base_sha256\":\"absent\","
	  "\"content\":\"\\ud800x\",\"rationale\":\"\"}",
		FILES, "artifact-text", NULL },
	{ "{" COMMAND ",\"expected_writes\":[[{\"\\ud800\":1}]]}", AT_COMMAND_REQUEST,
		"artifact-text", NULL },
	{ "{" CHANGE ",\"\\ud800\":0}", FILES, "artifact-shape", NULL },
};

static void run_6_artifact_shapes(void **state)
{
	for (size_t i = 0; i < AT_LEN(shapes); i++) {
		struct at_json doc = ground_json(shapes[i].json);
		struct at_arena *arena = at_arena_new();
		struct at_artifact artifact;
		struct at_error err = { 0 };
		bool done = at_artifact_take(
			&artifact, &doc, AT_JSON_ROOT, shapes[i].kinds, arena, &err);

		if (done != (shapes[i].id == NULL))
			fail_msg("row %zu: %s", i, err.message);
		if (shapes[i].id && strcmp(err.id, shapes[i].id) != 0)
			fail_msg("row %zu: %s", i, err.id);
		if (shapes[i].text && strcmp(err.message, shapes[i].text) != 0)
			fail_msg("row %zu: %s", i, err.message);
		at_arena_free(arena);
		at_json_free(&doc);
	}
}

/* 2 MiB are read and one byte more is not; nor is what is nested deeper than any artifact. */
static void run_6_artifact_sizes(void **state)
{
	static const struct {
		size_t bytes;
		const char *id;
	} rows[] = { { AT_REQUEST_CAP, NULL }, { AT_REQUEST_CAP + 1, "json-size" } };
	static const struct {
		size_t depth;
		const char *id;
	} deep[] = { { 32, NULL }, { 33, "json-depth" }, { 100000, "json-depth" } };
	struct at_error err;
	struct at_json doc;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf text = { 0 };
		bool done;

		at_buf_putc(&text, '"');
		at_buf_pad(&text, 'a', rows[i].bytes - 2);
		at_buf_putc(&text, '"');
		done = at_json_read(&doc, at_buf_bytes(&text), &at_artifact_limits, 0, &err);
		assert_row(i, done == (rows[i].id == NULL));
		if (done)
			at_json_free(&doc);
		else
			assert_string_equal(err.id, rows[i].id);
		at_buf_free(&text);
	}
	for (size_t i = 0; i < AT_LEN(deep); i++) {
		struct at_buf text = { 0 };
		bool done;

		at_buf_pad(&text, '[', deep[i].depth);
		at_buf_pad(&text, ']', deep[i].depth);
		done = at_json_read(&doc, at_buf_bytes(&text), &at_artifact_limits, 0, &err);
		assert_row(i, done == (deep[i].id == NULL));
		if (done)
			at_json_free(&doc);
		else
			assert_string_equal(err.id, deep[i].id);
		at_buf_free(&text);
	}
}

static void run_6_artifact_paths(void **state)
{
	static const struct {
		struct at_bytes path;
		bool is_good;
	} rows[] = {
		{ { "docs/a.md", 9 }, true },
		{ { "./a", 3 }, true },
		{ { "a/../b", 6 }, true },
		{ { "-a", 2 }, true },
		{ { "a b", 3 }, true },
		{ { "\xc3\xa9", 2 }, true },
		{ { NULL, 0 }, false },
		{ { "", 0 }, false },
		{ { "/etc/passwd", 11 }, false },
		{ { "~/x", 3 }, false },
		{ { "~x", 2 }, false },
		{ { "a\\b", 3 }, false },
		{ { "a\0b", 3 }, false },
		{ { "a\nb", 3 }, false },
		{ { "a\x7f", 2 }, false },
	};
	char name[300];
	struct at_buf path = { 0 };

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, (at_artifact_path_fault(rows[i].path) == NULL) == rows[i].is_good);
	memset(name, 'a', sizeof(name));
	assert_null(at_artifact_path_fault((struct at_bytes){ name, 255 }));
	assert_non_null(at_artifact_path_fault((struct at_bytes){ name, 256 }));
	for (unsigned i = 0; i < 3000; i++)
		at_buf_puts(&path, "a/");
	assert_non_null(at_artifact_path_fault(at_buf_bytes(&path)));
	at_buf_free(&path);
}

static void run_6_artifact_bases(void **state)
{
	static const struct {
		const char *base;
		bool is_good, is_absent;
	} rows[] = {
		{ "absent", true, true },
		{ "98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4", true, false },
		{ "98EA6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4", false,
			false },
		{ "98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be", false, false },
		{ "98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4 ", false,
			false },
		{ "Absent", false, false },
		{ "", false, false },
	};
	struct at_digest digest;
	bool is_absent;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		assert_row(i,
			at_artifact_base(&is_absent, &digest, at_bytes_of(rows[i].base))
				== rows[i].is_good);
		assert_row(i, is_absent == rows[i].is_absent);
	}
	assert_false(at_artifact_base(&is_absent, &digest, (struct at_bytes){ NULL, 0 }));
	assert_false(at_artifact_base(&is_absent, &digest, (struct at_bytes){ "absent\0", 7 }));
}

static void run_6_the_rationale_that_is_kept(void **state)
{
	struct at_buf text = { 0 };
	struct at_bytes kept;

	at_buf_puts(&text, " \n\xc2\xa0");
	for (unsigned i = 0; i < 400; i++)
		at_buf_puts(&text, "\xc3\xa9");
	kept = at_artifact_kept(at_buf_bytes(&text));
	assert_int_equal(kept.len, 600);
	assert_int_equal((unsigned char)kept.data[0], 0xc3);
	at_buf_free(&text);
	kept = at_artifact_kept(at_bytes_of("  short \t"));
	assert_true(at_bytes_equal_text(kept, "short"));
}

/* 3.7 [!]: the canonical path stands in the artifact too. */
static void stg_1_the_staged_form(void **state)
{
	struct at_json doc = ground_json(
		"{\"rationale\":\"r\",\"kind\":\"change-proposal\",\"agent\":\"a\"," N ","
		"\"path\":\"docs/../docs/\xc3\xa9.md\",\"base_sha256\":\"absent\","
		"\"content\":\"hi\\n\\u0000\"}");
	struct at_arena *arena = at_arena_new();
	struct at_artifact artifact;
	struct at_buf out = { 0 };

	assert_true(at_artifact_take(&artifact, &doc, AT_JSON_ROOT, FILES, arena, NULL));
	at_artifact_put_staged(&out, &artifact, "docs/\xc3\xa9.md");
	assert_string_equal(at_buf_text(&out),
		"{\"base_sha256\": \"absent\", \"content\": \"hi\\n\\u0000\", \"kind\": "
		"\"change-proposal\", \"path\": \"docs/\\u00e9.md\", \"rationale\": \"r\"}");
	at_buf_free(&out);
	at_arena_free(arena);
	at_json_free(&doc);
}

int test_artifact(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_6_artifact_shapes),
		cmocka_unit_test(run_6_artifact_sizes),
		cmocka_unit_test(run_6_artifact_paths),
		cmocka_unit_test(run_6_artifact_bases),
		cmocka_unit_test(run_6_the_rationale_that_is_kept),
		cmocka_unit_test(stg_1_the_staged_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
