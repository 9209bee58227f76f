#include <math.h>

#include "core/mem.h"
#include "runner/gate/scan_parts.h"

#define ENTROPY_LEAST 3.8 /* bits a character: GATE-4's reference */
#define ENTROPY_HIGH 4.2
#define HEX_ENTROPY_LEAST 3.4 /* of 4: random hex of 32 digits has about 3.7 */
#define NARROW_LEAST 24 /* of a token that is not wide */
#define LONGEST_CLIMB 20 /* abcdefg… */
#define LONGEST_WORD 27 /* cryptocreatecipheralgorithm, in an anchor */
/* Letters and digits a piece; a random token of both has about 2.3. Names hold few numbers, so with
 * more than that the longer mean is asked for. */
#define WORD_MEAN 3
#define WORD_MEAN_OF_MANY 4
#define FEW_NUMBERS 2

#define L SCAN_LOWER
#define U SCAN_UPPER
#define D (SCAN_DIGIT | SCAN_HEX)
#define LX (SCAN_LOWER | SCAN_HEX)
#define UX (SCAN_UPPER | SCAN_HEX)
#define S SCAN_SIGN
#define P (SCAN_SIGN | SCAN_PARTS)
#define H SCAN_DASH

const unsigned char scan_classes[128] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* controls */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, S, 0, H, 0, P, /* blank to / */
	D, D, D, D, D, D, D, D, D, D, 0, 0, 0, P, 0, 0, /* 0 to ? */
	0, UX, UX, UX, UX, UX, UX, U, U, U, U, U, U, U, U, U, /* @ to O */
	U, U, U, U, U, U, U, U, U, U, U, 0, 0, 0, 0, H, /* P to _ */
	0, LX, LX, LX, LX, LX, LX, L, L, L, L, L, L, L, L, L, /* ` to o */
	L, L, L, L, L, L, L, L, L, L, L, 0, 0, 0, 0, 0, /* p to the last */
};

/* Words, numbers and CamelCase change between small, capital and digit seldom and have few digits;
 * a random token of them changes often, or is longer than any word. */
static bool is_odd(const struct scan_shape *shape, bool wide, size_t longest)
{
	size_t mean = wide || shape->numbers > FEW_NUMBERS ? WORD_MEAN_OF_MANY : WORD_MEAN;
	size_t len = shape->letters + shape->digits;

	return longest > LONGEST_WORD || shape->digits * 3 > len
		|| len < mean * (shape->changes + 1);
}

static size_t least_of(bool wide)
{
	return wide ? SCAN_TOKEN_LEAST : NARROW_LEAST;
}

static void end_segment(struct scan_token *token, const struct scan_shape *shape, size_t hex,
	size_t len, size_t longest)
{
	for (int wide = 0; wide < 2; wide++) {
		/* The name of a file after its content: "fonts/641ca9…". */
		bool is_hex_name = !wide && hex == len;

		token->odd[wide] |= len >= least_of(wide) && !is_hex_name
			&& is_odd(shape, wide, longest);
	}
	token->whole.letters += shape->letters;
	token->whole.digits += shape->digits;
	token->whole.numbers += shape->numbers;
	token->whole.changes += shape->changes;
	token->hex += hex;
}

/* A path is judged by its parts: reads up to a slash or an inner equals sign. A capital opens a
 * piece, so "Name" is one; what ends a piece is no branch, since in a random token nobody guesses
 * it. Returns the length. */
static size_t read_segment(struct scan_token *token, const char *text, size_t most)
{
	struct scan_shape shape = { .letters = 0 };
	size_t hex = 0, alnum = 0, piece = 0, longest = 0, i;
	unsigned last = 0, classes = 0;

	for (i = 0; i < most; i++) {
		unsigned class = scan_classes[text[i] & 0x7f], kind = class & SCAN_ALNUM;
		bool same = (kind == last) | ((kind == SCAN_LOWER) & (last == SCAN_UPPER));
		bool opens = !same & (kind != 0);

		classes |= class;
		if (class & SCAN_PARTS)
			break;
		hex += (class & SCAN_HEX) != 0;
		alnum += kind != 0;
		shape.digits += kind == SCAN_DIGIT;
		shape.numbers += opens & (kind == SCAN_DIGIT);
		shape.changes += opens & (last != 0);
		piece = kind && !opens ? piece + 1 : kind != 0;
		longest = piece > longest ? piece : longest;
		last = kind;
	}
	shape.letters = alnum - shape.digits;
	end_segment(token, &shape, hex, i, longest);
	token->classes |= classes;
	return i;
}

void scan_token_read(struct scan_token *out, const char *text, size_t len)
{
	*out = (struct scan_token){ .text = text, .len = len };
	for (size_t at = 0; at <= len; at++)
		at += read_segment(out, text + at, len - at);
	while (len && !(scan_classes[text[len - 1] & 0x7f] & SCAN_ALNUM))
		out->padding += text[--len] == '=';
	if (!(out->classes & (SCAN_SIGN | SCAN_DASH)))
		return;
	for (size_t i = 0; i < out->len; i++) {
		out->plus |= text[i] == '+';
		out->dashes += text[i] == '-';
	}
}

/* An alphabet, as code spells them out: letters in a row that each follow the one before. */
static bool is_alphabet(const struct scan_token *token)
{
	size_t climb = 1;

	for (size_t i = 1; i < token->len && climb < LONGEST_CLIMB; i++)
		climb = token->text[i] == token->text[i - 1] + 1 ? climb + 1 : 1;
	return climb >= LONGEST_CLIMB;
}

static double entropy_of(const struct scan_token *token)
{
	uint16_t counts[128] = { 0 };
	double sum = 0, len = (double)token->len;

	for (size_t i = 0; i < token->len; i++)
		counts[token->text[i] & 0x7f]++;
	for (size_t i = 0; i < AT_LEN(counts); i++)
		if (counts[i] > 1)
			sum += counts[i] * log2(counts[i]);
	return log2(len) - sum / len;
}

static bool is_hex(const struct scan_token *token)
{
	const unsigned cases = SCAN_LOWER | SCAN_UPPER;

	return token->hex + token->dashes == token->len && (token->classes & cases) != cases;
}

static bool is_uuid(const struct scan_token *token)
{
	return token->hex == 32 && token->dashes == 4;
}

static bool looks_random(const struct scan_token *token, bool wide)
{
	bool base64 = token->plus || token->padding;

	return token->odd[wide] || (base64 && is_odd(&token->whole, wide, 0));
}

static enum scan_token_kind judge_hex(const struct scan_token *token)
{
	if (is_uuid(token) || is_alphabet(token) || entropy_of(token) < HEX_ENTROPY_LEAST)
		return SCAN_TOKEN_DULL;
	return SCAN_TOKEN_HEX;
}

enum scan_token_kind scan_token_judge(const struct scan_token *token, bool wide)
{
	bool is_mixed = token->whole.letters && token->whole.digits;
	double entropy;

	if (token->len < least_of(wide))
		return SCAN_TOKEN_DULL;
	if (!is_mixed && (!wide || is_hex(token)))
		return SCAN_TOKEN_DULL;
	if (is_hex(token))
		return wide ? judge_hex(token) : SCAN_TOKEN_DULL;
	if (!looks_random(token, wide) || is_alphabet(token))
		return SCAN_TOKEN_DULL;
	entropy = entropy_of(token);
	if (entropy < ENTROPY_LEAST)
		return SCAN_TOKEN_DULL;
	return entropy >= ENTROPY_HIGH ? SCAN_TOKEN_HIGH : SCAN_TOKEN_SOME;
}
