/* json_reader.h - the tokens of the strict reader, and how it says what is wrong.
 *
 * For core/json_read alone, which knows how values nest. This knows strings, numbers and
 * the names of the faults.
 */
#ifndef AT_JSON_READER_H
#define AT_JSON_READER_H

#include "core/json_read.h"

enum at_json_fault {
	AT_JSON_BAD_EMPTY,
	AT_JSON_BAD_COMMENT,
	AT_JSON_BAD_TRAILING_COMMA,
	AT_JSON_BAD_UTF8,
	AT_JSON_BAD_UTF16,
	AT_JSON_BAD_BOM,
	AT_JSON_BAD_DUPLICATE_KEY,
	AT_JSON_BAD_DEPTH,
	AT_JSON_BAD_SIZE,
	AT_JSON_BAD_TRAILING_TEXT,
	AT_JSON_BAD_CONTROL_CHARACTER,
	AT_JSON_BAD_ESCAPE,
	AT_JSON_BAD_NUMBER,
	AT_JSON_BAD_SYNTAX,
};

struct at_json_reader {
	const char *text, *p, *end;
	struct at_json *doc;
	size_t cap;
	uint32_t container; /* the open one, or AT_JSON_NONE */
	uint32_t last; /* its last child so far, or AT_JSON_NONE */
	unsigned depth, max_depth;
	unsigned flags;
	struct at_error *err;
};

/* Fills the error with the fault's id and hint, and the place of `at`. Returns false. */
bool at_json_refuse(const struct at_json_reader *r, enum at_json_fault fault, const char *at,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Names what stands at `p` where `wanted` should. */
bool at_json_refuse_here(const struct at_json_reader *r, const char *wanted);

bool at_json_starts_with(const struct at_json_reader *r, const char *word);
bool at_json_is_comment(const struct at_json_reader *r);

/* What would carry on a number or a word. */
bool at_json_is_word(char c);

/* Each moves `p` from the first byte of the token past its last. */
bool at_json_scan_string(struct at_json_reader *r, bool *escaped);
bool at_json_scan_number(struct at_json_reader *r);

#endif
