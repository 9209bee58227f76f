/* What reads as a spec prints and reads back the same; what passes every check holds nothing that
 * could be read in two ways. (KEY-7) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "keys/field.h"
#include "keys/grant_spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

static void check(const struct at_grant_spec *spec, enum at_grant_scheme scheme)
{
	const struct at_bytes *texts[] = { &spec->issuer_team, &spec->holder_team,
		&spec->target_path, &spec->permitted_ops, &spec->expires_at, &spec->approver,
		&spec->ticket_id, &spec->reason_code };
	const char *names[] = { "alice", "bob" };
	struct at_roster roster = { names, 2, true };
	struct at_error err = { 0 };

	if (!at_grant_spec_check(spec, scheme, &roster, (struct at_time){ 1796000000, 0 }, &err)) {
		CHECK(err.message[0]);
		return;
	}
	for (size_t i = 0; i < AT_LEN(texts); i++) {
		CHECK(!at_field_is_blank(*texts[i]));
		CHECK(!memchr(texts[i]->data, '|', texts[i]->len));
	}
	CHECK(spec->max_uses > 0 && spec->max_uses <= INT32_MAX);
	CHECK(scheme == AT_GRANT_ED25519 || !at_grant_has_op(spec->permitted_ops, "write"));
	CHECK(!memmem(spec->target_path.data, spec->target_path.len, "..", 2)
		|| at_grant_target_check(spec->target_path, &err));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct at_arena *arena = at_arena_new();
	struct at_buf one = { 0 }, two = { 0 };
	struct at_grant_spec spec, back;
	struct at_error err = { 0 };

	if (at_grant_spec_read(
		    &spec, arena, (struct at_bytes){ (const char *)data, size }, "spec", &err)) {
		check(&spec, AT_GRANT_ED25519);
		check(&spec, AT_GRANT_HMAC);
		at_grant_spec_print(&one, &spec);
		/* A NUL ends a text that is printed; no check lets one pass. */
		if (!memmem(data, size, "\\u0000", 6)) {
			CHECK(at_grant_spec_read(&back, arena, at_buf_bytes(&one), "spec", &err));
			at_grant_spec_print(&two, &back);
			CHECK(at_bytes_equal(at_buf_bytes(&one), at_buf_bytes(&two)));
		}
	} else {
		CHECK(err.message[0]);
	}
	at_buf_free(&one);
	at_buf_free(&two);
	at_arena_free(arena);
	return 0;
}
