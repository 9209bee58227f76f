#include "views/staged_ground.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/digest.h"
#include "core/json_write.h"
#include "support/support.h"

#define STAGED ".agentteams/staged/"
#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

static const char *hex_of(const char *text)
{
	static char hex[AT_DIGEST_HEX];
	struct at_digest digest = at_digest_of(at_bytes_of(text));

	at_digest_hex(hex, &digest);
	return hex;
}

static void put(const char *root, size_t i, const struct staged_row *row)
{
	struct at_json_value *json = at_json_object(), *artifact;
	struct timespec times[2] = { { 1790990000 + (time_t)i, 0 }, { 1790990000 + (time_t)i, 0 } };
	struct at_buf text = { 0 };
	char sid[33], path[80];

	snprintf(sid, sizeof(sid), "%032zu", i);
	at_json_add_text(json, "sid", sid);
	at_json_add_text(json, "agent", "writer");
	at_json_add_text(json, "kind", "change-proposal");
	at_json_add_text(json, "path", row->path);
	at_json_add_number(json, "bytes", (long long)strlen(row->content));
	at_json_add_text(json, "content_sha256", hex_of(row->content));
	at_json_add_text(json, "expires",
		row->is_over ? "2026-10-02T00:00:00+00:00" : "2026-10-03T06:00:00+00:00");
	at_json_add_array(json, "gates");
	at_json_add_text(json, "mac", ZEROS);
	artifact = at_json_add_object(json, "artifact");
	at_json_add_text(artifact, "base_sha256", row->base ? hex_of(row->base) : "absent");
	at_json_add_text(artifact, "content", row->content);
	at_json_add_text(artifact, "kind", "change-proposal");
	at_json_add_text(artifact, "path", row->path);
	at_json_add_text(artifact, "rationale", row->rationale);
	at_json_print(&text, json, AT_JSON_COMPACT);
	snprintf(path, sizeof(path), STAGED "%s.json", sid);
	test_write_bytes(root, path, text.data, text.len);
	assert_int_equal(chmod(test_path(root, path), 0600), 0);
	assert_int_equal(utimensat(AT_FDCWD, test_path(root, path), times, 0), 0);
	at_json_value_free(json);
	at_buf_free(&text);
}

void staged_put(const char *root, const struct staged_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put(root, i, &rows[i]);
	assert_int_equal(chmod(test_path(root, ".agentteams"), 0700), 0);
	assert_int_equal(chmod(test_path(root, ".agentteams/staged"), 0700), 0);
}

#define NPM(scripts) "{\n  \"name\": \"shop\",\n  \"scripts\": {" scripts "}\n}\n"
#define GUIDE(first, last)                                                                         \
	first " opening\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n" last " closing hour\n"

void staged_sample(const char *root)
{
	static const struct staged_row rows[] = {
		{ "docs/guide.md", GUIDE("the", "the"), GUIDE("the", "their"), "it reads better",
			false },
		{ "tools/run.sh", NULL, "#!/bin/sh\nset -e\necho hello\n", "a helper", false },
		{ "shop/package.json", NPM("\"test\": \"true\""),
			NPM("\"test\": \"true\", \"postinstall\": \"./fetch\""),
			"what the tests need", false },
		{ "docs/a.md", "one\n", "two\n", "a typo", false },
		{ "docs/b.md", NULL, "new\n", "forgotten", true },
	};

	test_write(root, "docs/guide.md", rows[0].base);
	test_write(root, "shop/package.json", rows[2].base);
	test_write(root, "docs/a.md", "somebody was faster\n");
	staged_put(root, rows, sizeof(rows) / sizeof(*rows));
}
