/* diff_words.h - which words of a changed line are not in the other one.
 *
 * Works on one pair of lines at a time, for those on the screen, and gives up early: a line
 * past 4 KiB is not looked at, and the steps for a pair are bounded.
 */
#ifndef AT_DIFF_WORDS_H
#define AT_DIFF_WORDS_H

#include <stdint.h>

#include "core/bytes.h"

#define AT_DIFF_WORDS_CAP 4096   /* bytes of a line */
#define AT_DIFF_WORDS_STEPS 16384 /* comparisons of two words for a pair of lines */

struct at_diff_part {
	uint32_t from, to; /* bytes */
};

/* The parts of `text` that `other` does not have, ascending, at most `most`, whole words and
 * whole characters. None where the lines share too little for it to say anything. */
size_t at_diff_words(struct at_bytes text, struct at_bytes other, struct at_diff_part *out,
	size_t most);

#endif
