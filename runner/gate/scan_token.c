#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/mem.h"
#include "runner/gate/scan_parts.h"

#define ENTROPY_LEAST 3.8 /* bits a character: GATE-4's reference */
#define ENTROPY_HIGH 4.2
#define HEX_ENTROPY_LEAST 3.4 /* of 4: random hex of 32 digits has about 3.7 */
#define WIDE_LEAST 20
#define NARROW_LEAST 24
#define LONGEST_CLIMB 20 /* abcdefg…: an alphabet, as code spells them out */
#define LONGEST_WORD 27 /* cryptocreatecipheralgorithm, in an anchor */
/* Letters and digits a piece; a random token of both has about 2.3. Names hold few numbers, so with
 * more than that the longer mean is asked for. */
#define WORD_MEAN 3
#define WORD_MEAN_OF_MANY 4
#define FEW_NUMBERS 2

enum { NO_CLASS, LOWER, UPPER, DIGIT };

static int class_of(char c)
{
	if (c >= 'a' && c <= 'z')
		return LOWER;
	if (c >= 'A' && c <= 'Z')
		return UPPER;
	return c >= '0' && c <= '9' ? DIGIT : NO_CLASS;
}

bool scan_token_takes(const struct scan_token *token, char c)
{
	if (class_of(c) != NO_CLASS || c == '+' || c == '/' || c == '=')
		return true;
	return token->wide && (c == '-' || c == '_');
}

/* Words, numbers and CamelCase change between small, capital and digit seldom and have few digits;
 * a random token of them changes often, or is longer than any word. */
static bool is_odd(const struct scan_shape *shape, bool wide, size_t longest)
{
	size_t mean = wide || shape->numbers > FEW_NUMBERS ? WORD_MEAN_OF_MANY : WORD_MEAN;
	size_t len = shape->letters + shape->digits;

	return longest > LONGEST_WORD || shape->digits * 3 > len
		|| len < mean * (shape->changes + 1);
}

/* The name of a file after its content: "fonts/641ca9…". */
static bool is_hex_name(const struct scan_token *token)
{
	return !token->wide && token->seg_hex == token->segment;
}

static size_t least_of(const struct scan_token *token)
{
	return token->wide ? WIDE_LEAST : NARROW_LEAST;
}

/* A slash or an inner equals sign ends a segment: a path is judged by its parts. */
static void end_segment(struct scan_token *token)
{
	if (token->segment >= least_of(token) && !is_hex_name(token)
		&& is_odd(&token->part, token->wide, token->longest))
		token->odd = true;
	token->segment = token->piece = token->longest = token->seg_hex = 0;
	token->part = (struct scan_shape){ 0 };
	token->last = NO_CLASS;
}

static void add_to_shape(struct scan_shape *shape, int class, int last, bool same)
{
	shape->letters += class != DIGIT;
	shape->digits += class == DIGIT;
	shape->numbers += class == DIGIT && !same;
	shape->changes += !same && last != NO_CLASS;
}

static void add_to_piece(struct scan_token *token, int class)
{
	/* A capital opens a word, so "Name" is one piece; so is what a dash ends. */
	bool same = class == token->last || (class == LOWER && token->last == UPPER);

	if (!same)
		token->piece = 0;
	add_to_shape(&token->whole, class, token->last, same);
	add_to_shape(&token->part, class, token->last, same);
	token->last = class;
	token->piece++;
	if (token->piece > token->longest)
		token->longest = token->piece;
}

static void add_sign(struct scan_token *token, char c)
{
	if (c == '/' || c == '=') {
		end_segment(token);
		token->padding += c == '=';
		return;
	}
	token->plus |= c == '+';
	token->dashes += c == '-';
	token->last = NO_CLASS;
	token->segment++;
}

void scan_token_add(struct scan_token *token, char c)
{
	int class = class_of(c);

	token->climb = token->len && c == token->before + 1 ? token->climb + 1 : 1;
	token->is_alphabet |= token->climb >= LONGEST_CLIMB;
	token->before = c;
	token->len++;
	token->counts[(unsigned char)c & 0x7f]++;
	if (class == NO_CLASS) {
		add_sign(token, c);
		return;
	}
	token->padding = 0; /* only equals signs at the end are padding */
	token->segment++;
	if (class == DIGIT || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
		token->hex++;
		token->seg_hex++;
	}
	token->lower |= class == LOWER;
	token->upper |= class == UPPER;
	add_to_piece(token, class);
}

static double entropy_of(const struct scan_token *token)
{
	double sum = 0, len = (double)token->len;

	for (size_t i = 0; i < AT_LEN(token->counts); i++)
		if (token->counts[i] > 1)
			sum += token->counts[i] * log2(token->counts[i]);
	return log2(len) - sum / len;
}

static bool is_hex(const struct scan_token *token)
{
	return token->hex + token->dashes == token->len
		&& !(token->lower && token->upper);
}

static bool is_uuid(const struct scan_token *token)
{
	return token->hex == 32 && token->dashes == 4;
}

static bool looks_random(struct scan_token *token)
{
	bool base64 = token->plus || token->padding;

	end_segment(token);
	return token->odd
		|| (base64 && is_odd(&token->whole, token->wide, 0));
}

enum scan_token_kind scan_token_judge(struct scan_token *token)
{
	double entropy;

	if (token->covered || token->is_alphabet || token->len < least_of(token))
		return SCAN_TOKEN_DULL;
	if (!token->wide && (!token->whole.letters || !token->whole.digits))
		return SCAN_TOKEN_DULL;
	if (is_hex(token)) {
		if (!token->wide || is_uuid(token) || !token->whole.letters || !token->whole.digits)
			return SCAN_TOKEN_DULL;
		return entropy_of(token) >= HEX_ENTROPY_LEAST ? SCAN_TOKEN_HEX : SCAN_TOKEN_DULL;
	}
	if (!looks_random(token))
		return SCAN_TOKEN_DULL;
	entropy = entropy_of(token);
	if (entropy < ENTROPY_LEAST)
		return SCAN_TOKEN_DULL;
	return entropy >= ENTROPY_HIGH ? SCAN_TOKEN_HIGH : SCAN_TOKEN_SOME;
}

void scan_token_clear(struct scan_token *token)
{
	bool wide = token->wide;

	if (token->len) /* else nothing was counted, as between two blanks */
		memset(token->counts, 0, sizeof(token->counts));
	memset(token, 0, offsetof(struct scan_token, counts));
	token->wide = wide;
}
