/* Any bytes as a Seatbelt profile: it is refused with a line or read within its caps, a question
 * always has an answer, and rules put at the end decide whatever stands before. (EMIT-11) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "emit/seatbelt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

static const struct at_seatbelt_param params[] = { { "WORKSPACE_ROOT", "/w" }, { NULL, NULL } };

static const struct at_seatbelt_question questions[] = {
	{ .op = "file-write*", .path = "/w/.goose/sandbox.sb", .params = params },
	{ .op = "file-read-data", .path = "/w", .params = params },
	{ .op = "network-outbound", .host = "localhost", .port = 80, .params = params },
	{ .op = "network*", .host = "elsewhere", .port = 443, .params = params },
};

/* What was read, with one more rule: the last match wins over all of it. */
static void check_last(struct at_bytes text, const char *rule, enum at_seatbelt_answer want)
{
	struct at_buf more = { 0 };
	struct at_seatbelt profile;

	at_buf_put(&more, text.data, text.len);
	at_buf_puts(&more, rule);
	if (at_seatbelt_read(&profile, at_buf_bytes(&more), NULL)) {
		for (size_t i = 0; i < AT_LEN(questions); i++) {
			enum at_seatbelt_answer got = at_seatbelt_ask(&profile, &questions[i]);

			CHECK(got == (profile.unknown ? AT_SEATBELT_CANNOT_TELL : want));
		}
		at_seatbelt_free(&profile);
	}
	at_buf_free(&more);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct at_bytes text = { size ? (const char *)data : "", size };
	struct at_seatbelt profile;
	struct at_error err;

	if (!at_seatbelt_read(&profile, text, &err)) {
		CHECK(err.line > 0 && *err.message);
		return 0;
	}
	CHECK(profile.count <= AT_SEATBELT_NODE_MAX && profile.rule_count < profile.count);
	for (size_t i = 0; i < AT_LEN(questions); i++)
		CHECK(*at_seatbelt_answer_name(at_seatbelt_ask(&profile, &questions[i])));
	at_seatbelt_free(&profile);
	check_last(text, "\n(deny default)", AT_SEATBELT_DENIED);
	check_last(text, "\n(allow default)", AT_SEATBELT_ALLOWED);
	return 0;
}
