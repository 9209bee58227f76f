/* json_read.h - the one strict reader of JSON that somebody else wrote.
 *
 * Reads RFC 8259 and nothing else: UTF-8, escapes and surrogates are checked, depth
 * and size are capped, duplicate keys are found. A document is an index of nodes
 * that point into the caller's text; nothing is copied or changed. It knows nothing
 * of settings or briefs. Console, gate and servers read with this alone.
 */
#ifndef AT_JSON_READ_H
#define AT_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/error.h"

struct at_arena;

enum at_json_kind {
	AT_JSON_NULL,
	AT_JSON_FALSE,
	AT_JSON_TRUE,
	AT_JSON_NUMBER,
	AT_JSON_STRING,
	AT_JSON_ARRAY,
	AT_JSON_OBJECT,
};

#define AT_JSON_NONE UINT32_MAX
#define AT_JSON_ROOT 0u

/* Offsets are bytes from the start of the text, BOM included. A string's range takes
 * in its quotes. The first child of a container with children is the node after it. */
struct at_json_node {
	uint32_t start, end;         /* the value */
	uint32_t key_start, key_end; /* the member's key with its quotes; 0, 0 outside objects */
	uint32_t parent, next;       /* next sibling; AT_JSON_NONE where there is none */
	uint32_t count;              /* children of a container */
	uint8_t kind;                /* enum at_json_kind */
	bool escaped;                /* a string that holds a backslash */
	bool key_escaped;
	bool duplicate; /* a member whose key an earlier member of the object has */
};

struct at_json {
	struct at_bytes text; /* borrowed: must outlive the document */
	struct at_json_node *nodes;
	uint32_t count;
	uint32_t duplicates; /* members with `duplicate` set */
	bool bom;            /* the text starts with a UTF-8 byte order mark */
};

enum at_json_flag {
	AT_JSON_ALLOW_BOM = 1,        /* the real client accepts one (WIRE-3) */
	AT_JSON_ALLOW_DUPLICATES = 2, /* mark them, do not fail (WIRE-3) */
};

struct at_json_limits {
	size_t bytes;
	unsigned depth; /* containers inside each other */
};

/* REQ-12 for a brief; live settings may be larger. */
extern const struct at_json_limits at_json_brief_limits;    /* 4 MiB, 64 */
extern const struct at_json_limits at_json_settings_limits; /* 16 MiB, 64 */

/* Reads one document. On failure `out` is empty and `err` has line, column, a message
 * and one of the ids json-empty, json-comment, json-trailing-comma, json-utf8,
 * json-utf16, json-bom, json-duplicate-key, json-depth, json-size, json-trailing-text,
 * json-control-character, json-escape, json-number, json-syntax. A trailing comma is
 * reported at the comma. Otherwise at_json_free() releases the index. */
bool at_json_read(struct at_json *out, struct at_bytes text, const struct at_json_limits *limits,
	unsigned flags, struct at_error *err);
void at_json_free(struct at_json *doc);

/* Walks the children of `parent`: for (uint32_t i = first; i != AT_JSON_NONE; i = next). */
uint32_t at_json_first(const struct at_json *doc, uint32_t parent);
#define at_json_each(doc, i, parent) \
	for (uint32_t i = at_json_first(doc, parent); i != AT_JSON_NONE; i = (doc)->nodes[i].next)

/* The member of an object; the last one where the key is given twice, as the real
 * client reads it. AT_JSON_NONE when `object` is AT_JSON_NONE, no object, or has none. */
uint32_t at_json_member(const struct at_json *doc, uint32_t object, const char *key);

/* "sandbox.filesystem.denyWrite" from the root: keys of plain letters joined by dots. */
uint32_t at_json_at(const struct at_json *doc, const char *dotted);

bool at_json_is(const struct at_json *doc, uint32_t node, enum at_json_kind kind); /* NONE: false */

/* Text with escapes resolved, in `arena`, with a NUL after it (it may hold others:
 * `len` counts). */
struct at_bytes at_json_string(const struct at_json *doc, uint32_t node, struct at_arena *arena);
struct at_bytes at_json_key(const struct at_json *doc, uint32_t node, struct at_arena *arena);
bool at_json_string_is(const struct at_json *doc, uint32_t node, const char *text);

/* The bytes of the value as they stand. Borrowed from the text. */
struct at_bytes at_json_raw(const struct at_json *doc, uint32_t node);

/* Equal as data: members in any order, strings after escapes, numbers by their
 * spelling or as equal doubles. Linear in both values (members are sorted). */
bool at_json_equal(const struct at_json *a, uint32_t in_a, const struct at_json *b, uint32_t in_b);

/* A hash that is equal for values at_json_equal() calls equal. */
uint64_t at_json_hash(const struct at_json *doc, uint32_t node);

/* "/permissions/deny/3" (RFC 6901), in `arena`. */
const char *at_json_pointer(const struct at_json *doc, uint32_t node, struct at_arena *arena);

/* Line and byte column, from 1, of an offset. Counts from the start: for messages. */
void at_json_position(struct at_bytes text, size_t offset, unsigned *line, unsigned *column);

#endif
