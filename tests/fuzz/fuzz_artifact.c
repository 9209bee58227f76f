/* What is taken as an artifact has a kind and its texts, and comes out of its staged form as it
 * was; what is not is refused with an id and a sentence. (RUN-6) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/utf8.h"
#include "runner/proposals/artifact.h"
#include "runner/proposals/pattern.h"
#include "runner/proposals/scope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

#define ALL (AT_CHANGE_PROPOSAL | AT_DELETE_PROPOSAL | AT_COMMAND_REQUEST)

static void check_text(struct at_artifact_text text)
{
	CHECK(!text.text.data || (text.exists && at_utf8_is_valid(text.text, NULL)));
}

/* The staged form is canonical: taken again and put again it is the same. */
static void check_staged(const struct at_artifact *artifact, struct at_arena *arena)
{
	struct at_buf one = { 0 }, two = { 0 };
	struct at_artifact again;
	struct at_error err = { 0 };
	struct at_json doc;

	at_artifact_put_staged(&one, artifact, "docs/a.md");
	CHECK(at_json_read(&doc, at_buf_bytes(&one), &at_json_settings_limits, 0, &err));
	CHECK(at_artifact_take(&again, &doc, AT_JSON_ROOT,
		(unsigned)artifact->kind | AT_STAGED_FORM, arena, &err));
	at_artifact_put_staged(&two, &again, "docs/a.md");
	CHECK(at_bytes_equal(at_buf_bytes(&one), at_buf_bytes(&two)));
	at_json_free(&doc);
	at_buf_free(&one);
	at_buf_free(&two);
}

/* Paths and patterns of strangers against scopes, globs and the control plane. */
static void check_path(struct at_bytes path)
{
	static const char *const globs[] = { "docs/*", "[a-", "*?*[!x]*" };
	char plane[512], why[200];
	regex_t regex;

	if (!path.data || memchr(path.data, '\0', path.len))
		return;
	CHECK(!at_scope_covers(path.data, "../x"));
	at_scope_covers("docs/*/[a-z]*", path.data);
	at_scope_protected(globs, AT_LEN(globs), path.data);
	at_scope_plane(plane, sizeof(plane), path.data);
	if (at_pattern_compile(&regex, path.data, why, sizeof(why))) {
		at_pattern_is_wide(&regex);
		CHECK(!at_pattern_matches(&regex, ".."));
		regfree(&regex);
	} else {
		CHECK(*why);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct at_arena *arena = at_arena_new();
	struct at_artifact artifact;
	struct at_error err = { 0 };
	struct at_json doc;

	if (at_json_read(&doc, (struct at_bytes){ (const char *)data, size }, &at_artifact_limits,
		    0, &err)) {
		if (at_artifact_take(&artifact, &doc, AT_JSON_ROOT, ALL, arena, &err)) {
			check_text(artifact.dispatch);
			check_text(artifact.path);
			check_text(artifact.content);
			check_text(artifact.why);
			if (artifact.kind != AT_COMMAND_REQUEST)
				check_staged(&artifact, arena);
			check_path(artifact.path.text);
		} else {
			CHECK(err.message[0] && err.id[0]);
		}
		at_json_free(&doc);
	}
	at_arena_free(arena);
	return 0;
}
