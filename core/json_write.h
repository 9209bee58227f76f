/* json_write.h - building and printing JSON of our own.
 *
 * A value is built as a tree and printed in one of three layouts. The only file that
 * knows cJSON, which builds; printing is ours so that files are byte for byte those the
 * Python tool writes (json.dumps with indent 2 and ASCII escapes). Never reads.
 */
#ifndef AT_JSON_WRITE_H
#define AT_JSON_WRITE_H

#include <stdbool.h>

#include "core/bytes.h"

struct at_json_value; /* opaque; a child belongs to its parent once added */

struct at_json_value *at_json_object(void);
struct at_json_value *at_json_array(void);
void at_json_value_free(struct at_json_value *value); /* a root and all below it */

/* Each returns what was added, or the container for the scalars, and copies its texts.
 * `key` is NULL when `to` is an array. Bytes that are no UTF-8 become U+FFFD, a NUL
 * ends the text; a NULL text adds null. */
struct at_json_value *at_json_add_object(struct at_json_value *to, const char *key);
struct at_json_value *at_json_add_array(struct at_json_value *to, const char *key);
void at_json_add_text(struct at_json_value *to, const char *key, const char *text);
void at_json_add_bytes(struct at_json_value *to, const char *key, struct at_bytes text);
void at_json_add_bool(struct at_json_value *to, const char *key, bool value);
void at_json_add_number(struct at_json_value *to, const char *key, long long value);
void at_json_add_null(struct at_json_value *to, const char *key);

enum at_json_layout {
	AT_JSON_COMPACT, /* {"a":1,"b":[2]} on one line, no newline at the end */
	AT_JSON_PRETTY,  /* two spaces, members in the order they were added, final newline */
	AT_JSON_SORTED,  /* the same with keys sorted by byte at every level */
};

/* Non-ASCII is escaped \uXXXX (surrogate pairs above U+FFFF), as Python does. */
void at_json_print(struct at_buf *out, const struct at_json_value *value,
	enum at_json_layout layout);

/* A JSON string literal of `text`, quotes included. */
void at_json_quote(struct at_buf *out, struct at_bytes text);

#endif
