/* pattern.h - the regular expressions of a command's arguments.
 *
 * Written for Python's re, matched by POSIX: what both mean the same is taken, \d \w \s and (?: are
 * translated (ASCII alone, stricter than Python's), everything else is refused at load rather than
 * read differently. A pattern matches all of an argument. (reference-ledgers 3.9, 3.11)
 */
#ifndef AT_PROPOSAL_PATTERN_H
#define AT_PROPOSAL_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#define AT_PATTERN_CAP 512u /* bytes of a pattern */
#define AT_PATTERN_REPEATS 1024u /* product of all counted repeats */
#define AT_ARGUMENT_CAP 65536u /* bytes of an argument that is matched at all */

/* Compiles; on failure `why` (of `size` bytes) is a clause and `out` holds nothing. */
bool at_pattern_compile(regex_t *out, const char *pattern, char *why, size_t size);

/* All of it, and no `..` segment in it. */
bool at_pattern_matches(const regex_t *pattern, const char *argument);

/* A string that a pattern may not match, or NULL: shaped like an option, a parent, an absolute path
 * or one below a home. */
const char *at_pattern_is_wide(const regex_t *pattern);

#endif
