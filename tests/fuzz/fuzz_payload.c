/* Cells divided by line feeds become a row that is signed: the row verifies as it stands, what is
 * valid can be taken apart again in one way only, and times and targets come to no harm. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "keys/field.h"
#include "keys/grant_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

static void split(struct at_bytes *cells, struct at_bytes text)
{
	for (unsigned c = 0; c < AT_GRANT_COLUMNS; c++) {
		const char *end = text.len ? memchr(text.data, '\n', text.len) : NULL;
		size_t len = end ? (size_t)(end - text.data) : text.len;
		size_t over = len + (end != NULL);

		cells[c] = (struct at_bytes){ len ? text.data : "", len };
		text.data += over;
		text.len -= over;
	}
}

/* The payload's parts are the first twelve fields, stripped. */
static void take_apart(struct at_bytes payload, const struct at_bytes *cells)
{
	for (unsigned c = AT_GRANT_ID; c <= AT_GRANT_REASON; c++) {
		const char *bar = memchr(payload.data, '|', payload.len);
		size_t len;

		CHECK(bar);
		len = (size_t)(bar - payload.data);
		CHECK(at_bytes_equal(
			(struct at_bytes){ payload.data, len }, at_field_strip(cells[c])));
		payload.data += len + 1;
		payload.len -= len + 1;
	}
}

static void judge(const struct at_bytes *cells, struct at_bytes payload)
{
	const char *names[] = { "alice" };
	struct at_roster roster = { names, 1, true };
	struct at_grant_ground ground = { .mode = AT_GRANT_AUTHENTIC,
		.hmac_key = at_bytes_of("k"),
		.roster = &roster,
		.now = { 1796000000, 0 } };
	struct at_ledger_row row = {
		.cells = cells, .payload = payload, .message = payload, .number = 1, .line = 1
	};
	struct at_grant_verdict verdict;

	at_grant_check(&verdict, &ground, &row);
	CHECK(verdict.is_valid == (at_grant_scheme(cells) == AT_GRANT_HMAC));
	ground.mode = AT_GRANT_MIGRATION;
	at_grant_check(&verdict, &ground, &row);
	CHECK(!verdict.widens);
	CHECK(verdict.is_valid || verdict.fault.message[0]);
	if (verdict.is_valid)
		take_apart(payload, cells);
	ground.mode = AT_GRANT_FULL;
	at_grant_check(&verdict, &ground, &row);
	CHECK(!verdict.is_valid || !verdict.writes);
	at_grant_ground_free(&ground);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct at_bytes text = { (const char *)data, size }, cells[AT_GRANT_COLUMNS];
	struct at_buf payload = { 0 }, signature = { 0 }, shown = { 0 };
	struct at_time time;
	struct at_error err = { 0 };

	if (size == 0)
		return 0;
	split(cells, text);
	at_grant_kind.payload(&payload, cells);
	at_grant_hmac(&signature, at_bytes_of("k"), at_buf_bytes(&payload));
	cells[AT_GRANT_SIGNATURE] = at_buf_bytes(&signature);
	judge(cells, at_buf_bytes(&payload));
	at_grant_repr(&shown, text, 200);
	if (at_time_read(&time, cells[AT_GRANT_EXPIRES], &err))
		CHECK(time.nanoseconds >= 0 && time.nanoseconds < 1000000000);
	else
		CHECK(err.message[0]);
	at_buf_free(&payload);
	at_buf_free(&signature);
	at_buf_free(&shown);
	return 0;
}
