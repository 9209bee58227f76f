/* front_matter.h - the small part of YAML that agent files are written in.
 *
 * One key a line, a value of one line or of indented lines after it. Keys that nobody
 * asks about are passed over whole. What would take a full YAML reader (anchors, tags,
 * block texts) is an error where its value is asked for, never guessed. (EMIT-18)
 */
#ifndef AT_FRONT_MATTER_H
#define AT_FRONT_MATTER_H

#include "core/bytes.h"
#include "core/error.h"
#include "core/request.h"

struct at_front_piece {
	struct at_bytes text;  /* all its lines as they stand */
	struct at_bytes key;   /* empty for a blank line or a comment */
	struct at_bytes value; /* the rest of the first line, trimmed */
	struct at_bytes more;  /* the lines after the first */
	unsigned line;         /* in the file, from 1 */
};

struct at_front_walk {
	struct at_bytes front;
	size_t at;
	unsigned line;
};

#define AT_FRONT_CAP ((size_t)256 << 10)

/* Splits a file in front matter (delimiters included) and the rest. Fails on a byte order
 * mark, where the first line is no delimiter, and where no closing one comes. */
bool at_front_split(struct at_bytes *front, struct at_bytes *body, struct at_bytes text,
	struct at_error *err);

/* Begins after the opening delimiter. at_front_next() sets *done at the closing one. */
struct at_front_walk at_front_begin(struct at_bytes front);
bool at_front_next(struct at_front_piece *out, bool *done, struct at_front_walk *walk,
	struct at_error *err);

/* The piece's value as one text, or as a list ("a, b", "[a, b]", or "- a" lines). */
bool at_front_text(const char **out, const struct at_front_piece *piece, struct at_arena *arena,
	struct at_error *err);
bool at_front_list(struct at_texts *out, const struct at_front_piece *piece,
	struct at_arena *arena, struct at_error *err);

/* A double-quoted scalar that both readers of YAML and the client take the same way. */
void at_front_quote(struct at_buf *out, const char *text);

#endif
