/* probe_text.h - what the probe printed, read strictly.
 *
 * The text comes out of a sandbox: lengths, words and characters are checked, and a line that
 * is not one of runner/selftest/probe.h's makes the whole text worthless. It judges nothing.
 */
#ifndef AT_PROBE_TEXT_H
#define AT_PROBE_TEXT_H

#include "core/bytes.h"
#include "core/error.h"
#include "runner/selftest/verdict.h"

#define AT_PROBE_TEXT_CAP ((size_t)256 << 10)

struct at_probe_said {
	struct at_seen_act attempt, control;
	bool secret_seen; /* the attempt got hold of one of the secrets */
};

struct at_probe_text {
	struct at_probe_said *cases; /* at_case_count of them */
	size_t told; /* cases that an attempt was told of */
	bool ended; /* the last line was there: the battery ran through */
};

/* Reads whole lines; one without its end is left out. `secrets` are short texts, ended by NULL.
 * False on a line that the probe cannot have written; what came before it stays. */
bool at_probe_text_read(struct at_probe_text *out, struct at_bytes text, const char *const *secrets,
	struct at_error *err);
void at_probe_text_free(struct at_probe_text *text);

#endif
