/* input.h - one tool call, as the harness tells it.
 *
 * Reads standard input up to a cap and takes out of its JSON what is judged: a command, or the
 * text that a file tool would write. Of a key given twice the last counts, as for the client. It
 * judges nothing. What has another shape than a call is malformed, never a pass.
 * (GATE-1, GATE-4, CEIL-5)
 */
#ifndef AT_GATE_INPUT_H
#define AT_GATE_INPUT_H

#include "core/json_read.h"
#include "runner/gate/answer.h"

#define GATE_INPUT_CAP ((size_t)8 << 20)

enum gate_kind {
	GATE_OTHER, /* nothing in it that the gate reads */
	GATE_COMMAND, /* a shell runs it */
	GATE_CONTENT, /* it is written to a file */
};

struct gate_call {
	enum gate_kind kind;
	struct at_bytes tool, id;
	struct at_bytes command;
	struct at_bytes text; /* the new text alone; several edits joined by newlines */
	const char *path; /* of the file, as given, or "" */
	const char *cwd; /* absolute, or "" */
	bool bypass; /* permission_mode bypassPermissions */
	uint32_t input; /* the node of tool_input, or AT_JSON_NONE */
	struct at_json doc;
	struct at_arena *arena; /* holds the texts above */
	struct at_buf raw;
};

/* Reads `fd` to its end. More than the cap is GATE_TOO_LARGE and is left unread. */
bool gate_input_read(struct at_buf *out, int fd, enum gate_fault *fault);

/* Takes `raw` over, also on failure; released by gate_call_free() either way. */
bool gate_call_parse(struct gate_call *out, struct at_buf *raw, enum gate_fault *fault);
void gate_call_free(struct gate_call *call);

#endif
