/* scan_parts.h - what the files of the scanner share; nothing outside of them includes it.
 *
 * The text goes through scan_fold (bytes to plain characters) into a window of fixed size, is
 * matched there by the lexer that re2c makes of scan.re, and walked by scan_walk, which keeps what
 * one line knows. Nothing here allocates, recurses or goes back
 * further than SCAN_REACH.
 */
#ifndef AT_SCAN_PARTS_H
#define AT_SCAN_PARTS_H

#include <stdint.h>

#include "runner/gate/scan.h"

/* No pattern looks further ahead than this, so a place is matched once that much of the text
 * stands in the window after it: a match across a window's border is never lost. Whoever makes a
 * pattern longer makes this larger; the lexer has no unbounded repeat. */
#define SCAN_REACH 512
#define SCAN_WINDOW 16384

enum scan_need {
	SCAN_WORD_START = 1, /* no letter, digit or underscore before */
	SCAN_LITERAL = 2, /* the value is no reference: "${NAME}" */
	SCAN_NO_PATH = 4, /* nor a path: pwd = "/dir" */
	SCAN_USERINFO = 8, /* user:password@ follows the "://" */
	SCAN_PATH_START = 16, /* the slash begins a path, not the middle of one */
	SCAN_PHRASE = 32, /* one a line; may be quoted where scan_may_quote() says so */
	SCAN_NOT_IN_FRONT = 64, /* not in YAML front matter */
	SCAN_NAME = 128, /* a user's, not the common folder's */
	SCAN_PROSE = 256, /* not in a code span, nor on a line of a comment or a fence */
};

enum scan_rule {
	SCAN_NOTHING,
#define SCAN_RULE(name, category, id, message, severity, needs) SCAN_##name,
#include "runner/gate/scan_rules.def"
#undef SCAN_RULE
	SCAN_RULES,
	/* Sights that are no findings. */
	SCAN_URL = SCAN_RULES, /* "https://" */
	SCAN_PUBLIC, /* what comes next is public: a digest, an image */
	SCAN_SECRET_WORD, /* makes a smaller token on its line suspicious */
	SCAN_DIGEST_WORD, /* makes hex digits on its line harmless */
	SCAN_COMMENT,
	SCAN_FENCE,
};

struct scan_rule_row {
	const char *category, *id, *message;
	enum scan_severity severity;
	unsigned needs; /* enum scan_need */
};
extern const struct scan_rule_row scan_rules[SCAN_RULES];

/* The characters of a text: ASCII; line breaks as Python's splitlines counts them as '\n'; runs
 * of blanks as one ' '; what shows nothing dropped; compatibility forms as the ASCII that NFKC
 * makes of them, case kept; all else as SCAN_OTHER, NUL among it. Look-alikes of other scripts
 * are not folded. */
#define SCAN_OTHER 0x7f
#define SCAN_END (-1)
struct scan_fold {
	const char *at, *end;
	const char *more; /* the rest of a ligature, or NULL */
	bool blank; /* the last one was ' ' */
};
int scan_fold_next(struct scan_fold *fold); /* SCAN_END after the last */
/* The ASCII that comes next, at most `most` characters of it, perhaps none: as scan_fold_next()
 * would tell it one by one. */
size_t scan_fold_plain(struct scan_fold *fold, char *to, size_t most);

/* The number of the line that closes genuine YAML front matter, 0 where there is none. */
size_t scan_front_matter(struct at_bytes text);

/* What begins at `at`, the longest; `*len` its characters. `at` is followed by SCAN_REACH
 * characters or a NUL. `*work` counts the characters looked at. */
enum scan_rule scan_match(const char *at, size_t *len, size_t *work);
enum scan_rule scan_match_phrase(const char *at, size_t *len, size_t *work);

/* What a character may be of: of a token, of a token that is wide, of neither. By its code. */
enum scan_class {
	SCAN_LOWER = 1,
	SCAN_UPPER = 2,
	SCAN_DIGIT = 4,
	SCAN_ALNUM = SCAN_LOWER | SCAN_UPPER | SCAN_DIGIT,
	SCAN_HEX = 8, /* beside one of the three above */
	SCAN_SIGN = 16, /* + / = */
	SCAN_DASH = 32, /* - _: of a wide token alone */
	SCAN_PARTS = 64, /* / =: beside SCAN_SIGN, they part the segments of a token */
};
extern const unsigned char scan_classes[128];

/* How letters and digits follow each other: `changes` between small, capital and digit. */
struct scan_shape {
	size_t letters, digits, numbers, changes;
};

/* What a run of characters that could be a secret tells. It is judged in pieces of
 * SCAN_TOKEN_MOST, so that padding does not dilute a secret. Reading one does not depend on
 * whether it is wide: mostly both kinds are the same run, which is read once and judged twice. */
#define SCAN_TOKEN_MOST 256
#define SCAN_TOKEN_LEAST 20 /* characters: a shorter one is dull, whatever it holds */
struct scan_token {
	const char *text;
	size_t len;
	struct scan_shape whole;
	size_t hex, dashes, padding;
	unsigned classes; /* enum scan_class, of all its characters */
	bool plus;
	bool odd[2]; /* a segment is no words: of a narrow token, of a wide one */
};
enum scan_token_kind { SCAN_TOKEN_DULL, SCAN_TOKEN_SOME, SCAN_TOKEN_HIGH, SCAN_TOKEN_HEX };
void scan_token_read(struct scan_token *out, const char *text, size_t len);
enum scan_token_kind scan_token_judge(const struct scan_token *token, bool wide);

/* A token that is open: so many characters, up to the one before the place. */
struct scan_run {
	size_t len;
	bool covered; /* belongs to a match, an address or something public */
};

/* What one line and one text know while they are walked. */
struct scan_walk {
	struct scan_result *out;
	bool quotes_phrases;
	size_t line, front; /* the line, the last line of the front matter */
	size_t place, covered; /* characters so far; tokens that begin before `covered` are */
	size_t last_line[SCAN_RULES]; /* that the rule reported, 0 for none */
	size_t last_phrase; /* the line of the last injection finding */
	size_t held[SCAN_RULES]; /* the line of a match in a code span that is still open */
	bool line_start, in_url, in_span;
	bool no_prose; /* a comment or a fence */
	bool secret_word, digest_word;
	char before[2]; /* the characters before this one, the nearer first */
	int jwt; /* the segment of a token that may be one, 0 for none */
	size_t jwt_len;
	struct scan_run wide, narrow;
	struct scan_token token; /* the last that was read, which ended at `token_end` */
	size_t token_end;
	bool saw_wide, saw_wide_hex, saw_high, saw_some;
	size_t work;
};
void scan_walk_start(struct scan_walk *walk, struct scan_result *out, bool quotes_phrases);

/* Both take characters as scan_match() does, and read SCAN_TOKEN_MOST before them where a token is
 * open. One character; or some of the `most` that add to the open tokens and do nothing else. */
void scan_walk_step(struct scan_walk *walk, const char *at);
size_t scan_walk_skip(struct scan_walk *walk, const char *at, size_t most);

/* scan_text(), and the characters it looked at: what the tests bound. */
size_t scan_text_work(struct scan_result *out, struct at_bytes text, bool quotes_phrases);

#endif
