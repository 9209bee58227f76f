#include <math.h>

#include "core/mem.h"
#include "runner/gate/scan_parts.h"

#define ENTROPY_LEAST 3.8 /* bits a character: GATE-4's reference */
#define ENTROPY_HIGH 4.2
#define HEX_ENTROPY_LEAST 3.4 /* of 4: random hex of 32 digits has about 3.7 */
#define NARROW_LEAST 24 /* of a token that is not wide */
#define LONGEST_CLIMB 20 /* abcdefg…: an alphabet, as code spells them out */
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
#define H SCAN_DASH

const unsigned char scan_classes[128] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* controls */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, S, 0, H, 0, S, /* blank to / */
	D, D, D, D, D, D, D, D, D, D, 0, 0, 0, S, 0, 0, /* 0 to ? */
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

/* Between two slashes or inner equals signs: a path is judged by its parts. */
struct segment {
	struct scan_shape shape;
	size_t len, hex;
	size_t piece, longest; /* a capital opens a piece, so "Name" is one; a dash ends it */
	unsigned last; /* class of the character before, 0 for none in the piece */
};

static void end_segment(struct scan_token *token, struct segment *segment)
{
	const struct scan_shape *shape = &segment->shape;

	for (int wide = 0; wide < 2; wide++) {
		/* The name of a file after its content: "fonts/641ca9…". */
		bool is_hex_name = !wide && segment->hex == segment->len;

		if (segment->len >= least_of(wide) && !is_hex_name
			&& is_odd(shape, wide, segment->longest))
			token->odd[wide] = true;
	}
	token->whole.letters += shape->letters;
	token->whole.digits += shape->digits;
	token->whole.numbers += shape->numbers;
	token->whole.changes += shape->changes;
	token->hex += segment->hex;
	*segment = (struct segment){ 0 };
}

static void add_letter(struct segment *segment, unsigned class)
{
	unsigned kind = class & SCAN_ALNUM;
	bool same = kind == segment->last || (kind == SCAN_LOWER && segment->last == SCAN_UPPER);

	if (!same) {
		segment->shape.numbers += kind == SCAN_DIGIT;
		segment->shape.changes += segment->last != 0;
		segment->piece = 0;
	}
	segment->shape.digits += kind == SCAN_DIGIT;
	segment->shape.letters += kind != SCAN_DIGIT;
	segment->hex += (class & SCAN_HEX) != 0;
	segment->len++;
	segment->last = kind;
	if (++segment->piece > segment->longest)
		segment->longest = segment->piece;
}

static void add_sign(struct scan_token *token, struct segment *segment, char c)
{
	if (c == '/' || c == '=') {
		end_segment(token, segment);
		token->padding += c == '=';
		return;
	}
	token->plus |= c == '+';
	token->dashes += c == '-';
	segment->last = 0;
	segment->len++;
}

void scan_token_read(struct scan_token *out, const char *text, size_t len)
{
	struct segment segment = { .len = 0 };
	size_t climb = 0; /* characters in a row that each follow the one before in the alphabet */

	*out = (struct scan_token){ .text = text, .len = len };
	for (size_t i = 0; i < len; i++) {
		unsigned class = scan_classes[text[i] & 0x7f];

		climb = i && text[i] == text[i - 1] + 1 ? climb + 1 : 1;
		out->is_alphabet |= climb >= LONGEST_CLIMB;
		out->classes |= class;
		if (class & SCAN_ALNUM) {
			out->padding = 0; /* only equals signs at the end are padding */
			add_letter(&segment, class);
		} else {
			add_sign(out, &segment, text[i]);
		}
	}
	end_segment(out, &segment);
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

enum scan_token_kind scan_token_judge(const struct scan_token *token, bool wide)
{
	bool is_mixed = token->whole.letters && token->whole.digits;
	double entropy;

	if (token->is_alphabet || token->len < least_of(wide) || (!wide && !is_mixed))
		return SCAN_TOKEN_DULL;
	if (is_hex(token)) {
		if (!wide || is_uuid(token) || !is_mixed)
			return SCAN_TOKEN_DULL;
		return entropy_of(token) >= HEX_ENTROPY_LEAST ? SCAN_TOKEN_HEX : SCAN_TOKEN_DULL;
	}
	if (!looks_random(token, wide))
		return SCAN_TOKEN_DULL;
	entropy = entropy_of(token);
	if (entropy < ENTROPY_LEAST)
		return SCAN_TOKEN_DULL;
	return entropy >= ENTROPY_HIGH ? SCAN_TOKEN_HIGH : SCAN_TOKEN_SOME;
}
