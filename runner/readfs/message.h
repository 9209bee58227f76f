/* message.h - one line of JSON-RPC 2.0 from a client: what it asks for, and the answer at once.
 *
 * Reads a line strictly and either answers it, or says which tool is to be run, or which call to
 * stop. Ids are kept as the bytes that came, so that none changes its type. It reads no file and
 * writes to nobody. (WP-5; protocol of the Model Context Protocol)
 */
#ifndef AT_READFS_MESSAGE_H
#define AT_READFS_MESSAGE_H

#include "core/bytes.h"
#include "core/json_read.h"
#include "runner/readfs/tools.h"

#define AT_READFS_LINE_CAP ((size_t)16 << 20) /* bytes of one message */
#define AT_READFS_COMMAS 100000u /* more values than any message of ours has */
#define AT_READFS_ID_CAP ((size_t)1024)

enum at_readfs_act {
	AT_READFS_NOTHING, /* a notification, an answer, or no message at all */
	AT_READFS_ANSWER, /* `answer` was filled: one line with its newline */
	AT_READFS_CALL, /* run `tool` with `args` and answer to `id` */
	AT_READFS_CANCEL, /* stop the call whose id is `id`, if there is one, and say nothing */
};

struct at_readfs_message {
	enum at_readfs_act act;
	struct at_bytes id; /* as it stands in the line, borrowed from that */
	const struct at_readfs_tool *tool;
	struct at_readfs_args args;
	struct at_json doc;
	struct at_arena *arena; /* holds the arguments' texts */
};

/* Takes one line without its newline. Release by at_readfs_message_free() whatever it was. */
void at_readfs_take(struct at_readfs_message *out, struct at_buf *answer, struct at_bytes line);
void at_readfs_message_free(struct at_readfs_message *message);

/* Appends an answer: `{"jsonrpc":"2.0","id":ID,"result":RESULT}`, or an error. */
void at_readfs_answer(struct at_buf *out, struct at_bytes id, struct at_bytes result);
void at_readfs_error(struct at_buf *out, struct at_bytes id, int code, const char *message);

/* The answer to a line above the cap. */
void at_readfs_too_long(struct at_buf *out);

#endif
