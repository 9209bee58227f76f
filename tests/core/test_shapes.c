#include "support/support.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "core/json_edit.h"

/* Settings files as they are found: line ends, marks, indentation and spelling differ. */
static const struct shape {
	const char *file, *refused; /* the id, or NULL when it is read */
	unsigned line, column;
} shapes[] = {
	{ "01-deny-only.json", NULL, 0, 0 },
	{ "02-empty-deny-ask-acceptedits.json", NULL, 0, 0 },
	{ "04-trailing-comma.json", "json-trailing-comma", 11, 13 },
	{ "05-jsonc-role-fragment.jsonc", "json-comment", 2, 3 },
	{ "07-hook-without-type.json", NULL, 0, 0 },
	{ "08-wide-allow-long-deny-dontask.json", NULL, 0, 0 },
	{ "10-absolute-double-slash.json", NULL, 0, 0 },
	{ "11-reordered-hook-keys-unicode.json", NULL, 0, 0 },
	{ "13-windows-local.json", NULL, 0, 0 },
	{ "14-chezmoi-modify-script.sh", "json-comment", 1, 1 },
	{ "16-git-C-allow-read-deny.json", NULL, 0, 0 },
	{ "17-bypass-default.json", NULL, 0, 0 },
	{ "19-inline-array-skill.json", NULL, 0, 0 },
	{ "20-quoted-project-dir.json", NULL, 0, 0 },
	{ "22-escapes-in-attribution.json", NULL, 0, 0 },
	{ "23-sandbox-with-excluded.json", NULL, 0, 0 },
	{ "25-managed-blank-lines.json", NULL, 0, 0 },
	{ "26-invented-schema.json", NULL, 0, 0 },
	{ "28-underscore-comment.json", NULL, 0, 0 },
	{ "29-jsonc-inline-comments.jsonc", "json-comment", 5, 7 },
	{ "31-bom.json", NULL, 0, 0 },
	{ "32-minimal-two-keys.json", NULL, 0, 0 },
};

static struct at_buf load(const struct shape *shape)
{
	char path[128];

	snprintf(path, sizeof(path), "settings-shapes/%s", shape->file);
	return test_read(NULL, path);
}

static void every_shape_is_in_the_table(void **state)
{
	DIR *dir = opendir(test_path(test_data(), "settings-shapes"));
	size_t files = 0;

	assert_non_null(dir);
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
		files += entry->d_name[0] != '.';
	closedir(dir);
	assert_int_equal(files, AT_LEN(shapes));
}

/* WIRE-3, WIRE-8: read, or refused with name and place. */
static void wire_8_shapes_are_read_or_refused_in_place(void **state)
{
	for (size_t i = 0; i < AT_LEN(shapes); i++) {
		struct at_buf text = load(&shapes[i]);
		struct at_error err = { 0 };
		struct at_json doc;
		bool ok = at_json_read(&doc, at_buf_bytes(&text), &at_json_settings_limits,
			AT_JSON_ALLOW_BOM, &err);

		assert_row(i, ok == !shapes[i].refused);
		assert_row(i, ok || strcmp(err.id, shapes[i].refused) == 0);
		assert_row(i, err.line == shapes[i].line && err.column == shapes[i].column);
		assert_row(i, !ok || doc.bom == (strcmp(shapes[i].file, "31-bom.json") == 0));
		at_json_free(&doc);
		at_buf_free(&text);
	}
}

static const char *const values[] = {
	"\"Bash(git push *)\"",
	"{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"x\": []}], \"y\": {}}",
	"[[1.50, \"\\/\"], {}]",
};

static void apply(struct at_buf *out, const struct at_json_edit *edit, const char *file)
{
	struct at_error err = { 0 };

	if (!at_json_edit_apply(edit, out, &err))
		fail_msg("%s: %s", file, err.message);
}

static struct at_json reread(const struct at_buf *text, const char *file)
{
	struct at_error err = { 0 };
	struct at_json doc;

	if (!at_json_read(
		    &doc, at_buf_bytes(text), &at_json_settings_limits, AT_JSON_ALLOW_BOM, &err))
		fail_msg("%s: %s", file, err.message);
	return doc;
}

/* Adds `count` children to a container. */
static struct at_buf add_children(
	const struct at_json *doc, uint32_t node, size_t value, size_t count, const char *file)
{
	struct at_json_edit *edit = at_json_edit_new(doc);
	struct at_buf out = { 0 };
	char key[32];

	for (size_t i = 0; i < count; i++) {
		snprintf(key, sizeof(key), "added %zu", i);
		if (at_json_is(doc, node, AT_JSON_ARRAY))
			at_json_edit_append(edit, node, at_bytes_of(values[value]));
		else
			at_json_edit_add_member(edit, node, key, at_bytes_of(values[value]));
	}
	apply(&out, edit, file);
	at_json_edit_free(edit);
	return out;
}

/* Removes the last `count` children of a container. */
static struct at_buf remove_children(
	const struct at_json *doc, uint32_t node, size_t count, const char *file)
{
	struct at_json_edit *edit = at_json_edit_new(doc);
	size_t skip = doc->nodes[node].count - count;
	struct at_buf out = { 0 };

	at_json_each(doc, i, node) {
		if (skip > 0)
			skip--;
		else
			at_json_edit_remove(edit, i);
	}
	apply(&out, edit, file);
	at_json_edit_free(edit);
	return out;
}

static void assert_only_inserted(
	const struct at_buf *old, const struct at_buf *new, const char *file)
{
	size_t prefix = 0, suffix = 0;

	while (prefix < old->len && old->data[prefix] == new->data[prefix])
		prefix++;
	while (suffix < old->len - prefix &&
		old->data[old->len - 1 - suffix] == new->data[new->len - 1 - suffix])
		suffix++;
	if (prefix + suffix != old->len)
		fail_msg("%s: more than an insertion:\n%s", file, at_buf_text(new));
}

/* Node indices of a container before the children added to it do not move. */
static void round_trip(const struct at_buf *text, const struct at_json *doc, uint32_t node,
	size_t value, size_t count, const char *file)
{
	struct at_buf added = add_children(doc, node, value, count, file), back;
	struct at_json again = reread(&added, file);

	assert_only_inserted(text, &added, file);
	assert_int_equal(again.nodes[node].count, doc->nodes[node].count + count);
	back = remove_children(&again, node, count, file);
	if (!at_bytes_equal(at_buf_bytes(text), at_buf_bytes(&back)))
		fail_msg("%s: not what it was:\n%s\nafter\n%s", file, at_buf_text(&back),
			at_buf_text(&added));
	at_json_free(&again);
	at_buf_free(&added);
	at_buf_free(&back);
}

/* WIRE-3: for every array and object of every shape, what goes in comes out, and while it
 * is in, every old byte stands. */
static void wire_3_not_one_foreign_byte_is_lost(void **state)
{
	for (size_t i = 0; i < AT_LEN(shapes); i++) {
		struct at_buf text = load(&shapes[i]);
		struct at_json doc;

		if (shapes[i].refused) {
			at_buf_free(&text);
			continue;
		}
		doc = reread(&text, shapes[i].file);
		for (uint32_t node = 0; node < doc.count; node++) {
			if (doc.nodes[node].kind < AT_JSON_ARRAY)
				continue;
			for (size_t value = 0; value < AT_LEN(values); value++) {
				round_trip(&text, &doc, node, value, 1, shapes[i].file);
				round_trip(&text, &doc, node, value, 3, shapes[i].file);
			}
		}
		at_json_free(&doc);
		at_buf_free(&text);
	}
}

/* WIRE-3: what an operator would have written by hand. */
static void wire_3_style_is_taken_from_the_file(void **state)
{
	static const struct {
		const char *file, *path, *value, *want;
	} rows[] = {
		{ "13-windows-local.json", "permissions.deny", "\"X\"",
			"    \"deny\": [\r\n      \"X\"\r\n    ],\r\n    \"ask\": []\r\n  }\r\n}" },
		{ "19-inline-array-skill.json", "permissions.allow", "\"X\"",
			"        \"allow\": [\"Skill\", \"X\"]\n" },
		{ "19-inline-array-skill.json", "hooks.UserPromptSubmit",
			"{\"hooks\":[{\"type\":\"x\"}]}",
			"            },\n            {\n                \"hooks\": [\n"
			"                    {\n                        \"type\": \"x\"\n"
			"                    }\n                ]\n"
			"            }\n        ]\n" },
		{ "23-sandbox-with-excluded.json", "permissions.ask", "\"X\"",
			"    \"ask\": [\"Bash(sudo *)\", \"X\"],\n" },
		{ "25-managed-blank-lines.json", "permissions.deny", "\"X\"",
			"      \"Bash(git push *)\",\n      \"X\"\n    ],\n\n    \"allow\"" },
		{ "25-managed-blank-lines.json", "allowedMcpServers", "\"X\"",
			"  \"allowedMcpServers\": [\n    \"X\"\n  ],\n  \"minimumVersion\"" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct shape shape = { rows[i].file, NULL, 0, 0 };
		struct at_buf text = load(&shape), out = { 0 };
		struct at_json doc = reread(&text, shape.file);
		struct at_json_edit *edit = at_json_edit_new(&doc);

		at_json_edit_append(
			edit, at_json_at(&doc, rows[i].path), at_bytes_of(rows[i].value));
		apply(&out, edit, shape.file);
		if (!strstr(at_buf_text(&out), rows[i].want))
			fail_msg("row %zu:\n%s", i, at_buf_text(&out));
		at_json_edit_free(edit);
		at_json_free(&doc);
		at_buf_free(&text);
		at_buf_free(&out);
	}
}

int test_shapes(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape_is_in_the_table),
		cmocka_unit_test(wire_8_shapes_are_read_or_refused_in_place),
		cmocka_unit_test(wire_3_not_one_foreign_byte_is_lost),
		cmocka_unit_test(wire_3_style_is_taken_from_the_file),
	};

	return cmocka_run_group_tests_name("shapes", tests, NULL, NULL);
}
