/* gate_lines.h - logs of the gate as tests want them: whole, with gaps, with anything in them. */
#ifndef AT_TEST_GATE_LINES_H
#define AT_TEST_GATE_LINES_H

#include <stdbool.h>

#include "core/bytes.h"
#include "core/digest.h"

struct gate_lines {
	struct at_buf text;
	char prev[AT_DIGEST_HEX]; /* "": the genesis */
	size_t count;
};

/* One more whole line, chained to the one before; `key`: with input_hmac. */
void gate_lines_add(struct gate_lines *lines, const char *decision, const char *tool,
	const char *reason, const char *checked, bool key);
/* Lines of some days, with a gap of each kind; no two runs differ. */
void gate_lines_sample(struct gate_lines *lines);

#endif
