/* scan.h - finds what must not be written: credentials, personal data, injected overrides.
 *
 * Looks at text alone, a line at a time and across two, with patterns compiled at build time. It
 * knows no tool and no file but the path it is told. What it found never holds the secret.
 * (GATE-4; the classes of the shared reference, with its misses and false alarms repaired)
 */
#ifndef AT_SCAN_H
#define AT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"

enum scan_severity { SCAN_LOW, SCAN_MEDIUM, SCAN_HIGH };

struct scan_finding {
	const char *category; /* credential, pii, injection, placeholder; a constant */
	const char *id;       /* "aws-key": a constant */
	const char *message;  /* "Possible AWS access key": a constant, nothing of the text */
	enum scan_severity severity;
	size_t line; /* from 1 */
};

#define SCAN_FINDINGS 64 /* kept; more are counted */

struct scan_result {
	struct scan_finding findings[SCAN_FINDINGS];
	size_t count, more;
};

/* Findings come as they are met: each rule at most once a line, and one injection a line. A phrase
 * across a line break is found on the second line; across two breaks it is not. Lines end as
 * Python's splitlines has it. `text` may hold any bytes.
 * `quotes_phrases`: the file may quote an injection phrase in a code span, because it lies in one
 * of the directories the product owns, by its real path below the project (scan_may_quote()).
 * Linear in the length, with a window of fixed size and nothing allocated. Never fails.
 * Not seen: look-alike letters of other scripts, accents set between letters, paraphrase, anything
 * encoded. (CEIL-5) */
void scan_text(struct scan_result *out, struct at_bytes text, bool quotes_phrases);

/* `path` physical and absolute, `project` the physical root: never decided by a substring. */
bool scan_may_quote(const char *path, const char *project);

#endif
