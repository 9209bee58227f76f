/* seatbelt.h - a reader of Seatbelt profiles (SBPL), to ask a profile what it denies.
 *
 * Reads the text strictly and answers by the rule that the last match wins. It knows what
 * this program emits and the plain shapes that people write; whatever it does not know makes
 * the answer "cannot tell", never a yes. It runs nothing, needs no Mac, and proves nothing
 * about what a kernel does with the same text. (EMIT-11, WIRE-5)
 */
#ifndef AT_SEATBELT_H
#define AT_SEATBELT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/error.h"

#define AT_SEATBELT_SIZE_MAX ((size_t)1 << 20) /* bytes of a profile */
#define AT_SEATBELT_DEPTH_MAX 32               /* lists in lists */
#define AT_SEATBELT_NODE_MAX 65536             /* lists and words */
#define AT_SEATBELT_NONE UINT32_MAX

enum at_seatbelt_kind {
	AT_SEATBELT_LIST,
	AT_SEATBELT_SYMBOL, /* allow, file-write*, 1 */
	AT_SEATBELT_STRING, /* "text", its escapes undone */
	AT_SEATBELT_RAW,    /* #"text": a regular expression, as it stands */
};

struct at_seatbelt_node {
	enum at_seatbelt_kind kind;
	uint32_t child, next; /* AT_SEATBELT_NONE where there is none */
	const char *text;     /* of a list NULL */
	unsigned line;
};

struct at_seatbelt {
	struct at_arena *arena;
	struct at_seatbelt_node *nodes;
	size_t count, cap;
	uint32_t *rules; /* the lists that begin with allow or deny, in order */
	size_t rule_count, rule_cap;
	const char *unknown; /* a form at the top that may mean anything; NULL: there is none */
};

/* Fails with AT_EPARSE at a line, with AT_ELIMIT above a cap, with AT_EINVALID where the text
 * does not begin with (version 1) or a rule has no operation. Nothing is to be freed then. */
bool at_seatbelt_read(struct at_seatbelt *out, struct at_bytes text, struct at_error *err);
void at_seatbelt_free(struct at_seatbelt *profile);

enum at_seatbelt_answer { AT_SEATBELT_CANNOT_TELL, AT_SEATBELT_ALLOWED, AT_SEATBELT_DENIED };
const char *at_seatbelt_answer_name(enum at_seatbelt_answer answer); /* "cannot tell" */

struct at_seatbelt_param {
	const char *name, *value; /* -D NAME=VALUE */
};

struct at_seatbelt_question {
	const char *op;   /* "file-write-data", or a group that ends in a star */
	const char *path; /* of a file: absolute, normalised, physical */
	const char *host; /* of the network: "localhost", or anything for elsewhere */
	unsigned port;
	const struct at_seatbelt_param *params; /* ended by a NULL name; may be NULL */
};

/* Of a group: denied when every operation of it is, allowed as soon as one is. */
enum at_seatbelt_answer at_seatbelt_ask(const struct at_seatbelt *profile,
	const struct at_seatbelt_question *question);

#endif
