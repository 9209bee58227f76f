/* Whatever comes is a request, from each side, and a staged record. Nothing is refused without a
 * word, what is taken has what its kind needs, and no channel gets more than its own kinds. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/proposals/artifact.h"
#include "runner/serve/request.h"
#include "runner/serve/staged.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

static void look_at_artifact(const struct at_asked *asked, struct at_arena *arena)
{
	struct at_artifact artifact;
	struct at_buf staged = { 0 };
	struct at_error err = { 0 };
	struct at_json again;

	if (!at_artifact_take(&artifact, asked->doc, asked->artifact,
		    AT_CHANGE_PROPOSAL | AT_DELETE_PROPOSAL | AT_COMMAND_REQUEST, arena, &err)) {
		CHECK(*err.message && *err.id);
		return;
	}
	if (artifact.kind == AT_COMMAND_REQUEST)
		return;
	at_artifact_put_staged(&staged, &artifact, "docs/a.md");
	CHECK(at_json_read(&again, at_buf_bytes(&staged), &at_json_settings_limits, 0, &err));
	at_json_free(&again);
	at_buf_free(&staged);
}

static void look_at_request(struct at_bytes text, enum at_asker asker)
{
	struct at_arena *arena = at_arena_new();
	struct at_error err = { 0 };
	struct at_asked asked;
	struct at_json doc;
	bool known;

	if (!at_asked_read(&asked, &doc, &known, text, asker, arena, &err)) {
		CHECK(*err.message && strncmp(err.id, "request-", 8) == 0);
	} else {
		CHECK(known);
		CHECK(asker != AT_ASKER_MCP || *asked.via_agent);
		CHECK(asker != AT_ASKER_MCP || asked.kind == AT_ASK_STAGE_PROPOSAL
			|| asked.kind == AT_ASK_RUN_REQUEST);
		CHECK(asked.kind != AT_ASK_UNDO_APPLIED || asker == AT_ASKER_OPERATOR);
		if (asked.artifact != AT_JSON_NONE)
			look_at_artifact(&asked, arena);
	}
	at_json_free(&doc);
	at_arena_free(arena);
}

/* A file that somebody else may have written: read, never believed. */
static void look_at_record(struct at_bytes text)
{
	static const char sid[] = "0123456789abcdef0123456789abcdef";
	static char path[64];
	static int dir = -1;
	struct at_staged staged;
	struct at_error err = { 0 };
	struct at_buf line = { 0 };
	int fd;

	if (dir < 0) {
		snprintf(path, sizeof(path), "/tmp/fuzz-request-%ld", (long)getpid());
		CHECK(mkdtemp(strcat(path, "-XXXXXX")));
		dir = open(path, O_RDONLY | O_DIRECTORY);
		CHECK(dir >= 0);
	}
	fd = openat(dir, "0123456789abcdef0123456789abcdef.json",
		O_WRONLY | O_CREAT | O_TRUNC, 0600);
	CHECK(fd >= 0 && write(fd, text.data, text.len) == (ssize_t)text.len);
	close(fd);
	for (int whole = 0; whole <= 1; whole++) {
		bool ok = whole ? at_staged_read(&staged, dir, sid, &err)
				: at_staged_read_head(&staged, dir, sid, &err);

		CHECK(ok);
		line.len = 0;
		at_staged_put_line(&line, &staged);
		CHECK(!whole
			|| !at_staged_verify(
				&staged, at_bytes_of("no such key"), at_time_now(), &err));
		at_staged_free(&staged);
	}
	at_buf_free(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct at_bytes text = { (const char *)data, size };

	for (int asker = AT_ASKER_ORCHESTRATOR; asker <= AT_ASKER_OPERATOR; asker++)
		look_at_request(text, (enum at_asker)asker);
	look_at_record(text);
	return 0;
}
