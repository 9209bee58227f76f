/* Any bytes as new text: findings come from the table, their lines are in the text, the looks are
 * bounded, what is quoted finds no more, and a line put before moves everything by one. (GATE-4) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "runner/gate/scan_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

static size_t lines_of(struct at_bytes text)
{
	struct scan_fold fold = { .at = text.data, .end = text.data + text.len };
	size_t lines = 1;
	int c;

	while ((c = scan_fold_next(&fold)) != SCAN_END)
		lines += c == '\n';
	return lines;
}

static bool is_of_table(const struct scan_finding *finding)
{
	for (size_t i = 1; i < SCAN_RULES; i++)
		if (finding->message == scan_rules[i].message && finding->id == scan_rules[i].id)
			return true;
	return false;
}

static void check_moved(const struct scan_result *result, struct at_bytes text)
{
	struct scan_result moved;
	struct at_buf longer = { 0 };

	at_buf_puts(&longer, ".\n");
	at_buf_put(&longer, text.data, text.len);
	scan_text(&moved, at_buf_bytes(&longer), false);
	/* Front matter is none on the second line, so there may be more. */
	CHECK(moved.count >= result->count);
	for (size_t i = 0; i < result->count && moved.count == result->count; i++)
		CHECK(moved.findings[i].id == result->findings[i].id
			&& moved.findings[i].line == result->findings[i].line + 1);
	at_buf_free(&longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct at_bytes text = { size ? (const char *)data : "", size };
	struct scan_result result, quoted;
	size_t lines = lines_of(text);

	CHECK(scan_text_work(&result, text, false) <= 64 * size + 2048);
	for (size_t i = 0; i < result.count; i++)
		CHECK(is_of_table(&result.findings[i]) && result.findings[i].line >= 1
			&& result.findings[i].line <= lines);
	scan_text(&quoted, text, true);
	CHECK(quoted.count + quoted.more <= result.count + result.more);
	check_moved(&result, text);
	return 0;
}
