/* tools.h - the five tools of the file server: what they take, and what they say.
 *
 * One table holds names, arguments and their schemas; a call reads below the root and fills a
 * result. It knows nothing of messages or of who asks, and never writes. (WP-5)
 */
#ifndef AT_READFS_TOOLS_H
#define AT_READFS_TOOLS_H

#include "core/bytes.h"
#include "core/json_read.h"
#include "runner/readfs/place.h"

#define AT_READFS_READ_CAP ((size_t)262144) /* bytes of a file in one answer */
#define AT_READFS_TEXT_CAP ((size_t)1 << 20) /* bytes of any other answer */
#define AT_READFS_HITS 1000 /* lines of one answer of find and grep */
#define AT_READFS_LIST 5000 /* entries of one directory */
#define AT_READFS_GREP_FILE ((size_t)8 << 20) /* a larger file is passed over by grep */
#define AT_READFS_GREP_LINE ((size_t)500) /* bytes shown of a line */

struct at_readfs_args {
	struct at_bytes path, pattern, glob; /* may hold anything; data is NULL when not given */
	long long offset, length; /* -1: not given */
	bool regex, ignore_case;
};

struct at_readfs_result {
	struct at_buf text; /* what was asked for, or what is wrong */
	struct at_buf note; /* what was left out, or empty */
	bool is_error;
};

struct at_readfs_tool {
	const char *name, *description;
	unsigned takes, needs; /* bits of arguments */
	void (*run)(struct at_readfs_result *out, const struct at_readfs_root *root,
		const struct at_readfs_args *args);
};
extern const struct at_readfs_tool at_readfs_tools[5];

/* NULL for a name that is none. */
const struct at_readfs_tool *at_readfs_tool(struct at_bytes name);

/* The array that tools/list answers with. */
void at_readfs_print_tools(struct at_buf *out);

/* Reads `object` (AT_JSON_NONE: no arguments) as the tool's arguments, texts in `arena`. False
 * with a message for one that is unknown, missing or of another type. */
bool at_readfs_read_args(struct at_readfs_args *out, const struct at_readfs_tool *tool,
	const struct at_json *doc, uint32_t object, struct at_arena *arena, struct at_error *err);

void at_readfs_result_free(struct at_readfs_result *result);
/* As the `result` of an answer: one line of JSON without its newline. */
void at_readfs_print_result(struct at_buf *out, const struct at_readfs_result *result);

/* For the tools themselves. */
void at_readfs_read_file(struct at_readfs_result *out, const struct at_readfs_root *root,
	const struct at_readfs_args *args);
void at_readfs_list_dir(struct at_readfs_result *out, const struct at_readfs_root *root,
	const struct at_readfs_args *args);
void at_readfs_stat(struct at_readfs_result *out, const struct at_readfs_root *root,
	const struct at_readfs_args *args);
void at_readfs_find_files(struct at_readfs_result *out, const struct at_readfs_root *root,
	const struct at_readfs_args *args);
void at_readfs_grep(struct at_readfs_result *out, const struct at_readfs_root *root,
	const struct at_readfs_args *args);
void at_readfs_refuse(struct at_readfs_result *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* "file", "directory", "link" or "other". */
const char *at_readfs_kind(mode_t mode);
/* Appends a name as a JSON string: whatever it holds, it stays on its line. */
void at_readfs_put_name(struct at_buf *out, const char *name);
/* What a walk left out. */
struct at_readfs_walk;
void at_readfs_note_walk(
	struct at_readfs_result *out, const struct at_readfs_walk *walk, bool hits_cut);

#endif
