/* gatelog.h - the gate's log as rows, the newest call first.
 *
 * Read from its end backwards, a slice at a time, so that a log of any size shows its last calls
 * at once; of each line a few bytes are kept, its text stays in the file. Where the chain breaks a
 * row of its own says that nothing is known. It judges no call and writes nothing. (GATE-10)
 */
#ifndef AT_GATELOG_H
#define AT_GATELOG_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/error.h"
#include "runner/gate/log_verify.h"

#define AT_GATELOG_BYTES ((off_t)256 << 20) /* read from the end */
#define AT_GATELOG_ROWS 2000000 /* kept */
#define AT_GATELOG_WORDS 60000 /* different kinds of calls that are told apart */

enum at_gatelog_kind {
	AT_GATELOG_CALL,
	AT_GATELOG_CHAIN, /* something is missing before that line, or was changed */
	AT_GATELOG_START, /* the log begins with a line that follows another */
	AT_GATELOG_TORN, /* no whole lines */
	AT_GATELOG_TAIL, /* the end of the file, without its newline */
};

struct at_gatelog_row {
	uint64_t offset; /* of the line; of the first of torn ones */
	uint32_t line; /* from the end until all is read, then from 1: at_gatelog_line() */
	uint32_t count; /* torn lines one after another */
	uint16_t word; /* of a call: index of `words` */
	uint8_t kind;
};

/* What many calls have in common. */
struct at_gatelog_word {
	int decision;
	bool is_inspected;
	struct at_bytes tool, reason; /* cut at GATE_LOG_SHOWN; in the log's arena */
};
#define GATE_LOG_SHOWN 128

struct at_gatelog {
	int fd;
	char *path;
	bool through_links;
	struct stat seen; /* of the file, when it was looked at last */
	off_t end; /* after the last newline */
	off_t low; /* lines from here on are read */
	off_t scan; /* inside of a long line: what is before is to be looked at; -1 */
	bool in_tail, is_done;
	bool is_cut; /* too much: older lines are not read */
	bool is_other; /* the file became another while it was read */
	struct at_gatelog_row *rows; /* newest first */
	size_t count, cap;
	struct at_gatelog_word *words;
	size_t word_count, word_cap;
	uint32_t *slots; /* a hash table of words: index + 1 */
	size_t slot_count;
	struct at_arena *arena;
	char *buffer;
	char head[AT_DIGEST_HEX]; /* of the newest whole line; "" while none is known */
	char pending[AT_DIGEST_HEX]; /* what the oldest call that was read says it follows */
	bool has_pending;
	struct at_gatelog_row pending_row;
	size_t lines; /* read, whole or not */
	size_t calls, decided[5], not_inspected, keyed, gaps;
};

/* Only a regular file is opened, and it is never waited for. `through_links`: the operator named
 * the file itself; else the last component must be no link, as the gate wants it. -1 with `err`. */
int at_gatelog_open_file(const char *path, bool through_links, struct at_error *err);

/* Opens and reads the newest lines. Released by at_gatelog_close() either way. */
bool at_gatelog_open(
	struct at_gatelog *out, const char *path, bool through_links, struct at_error *err);
void at_gatelog_close(struct at_gatelog *log);

/* Reads on; true while there is more. Rows are only added, at the end. */
bool at_gatelog_more(struct at_gatelog *log);
unsigned at_gatelog_percent(const struct at_gatelog *log);

enum at_gatelog_news {
	AT_GATELOG_SAME,
	AT_GATELOG_GROWN, /* rows came at the front: `*came` of them, once `*gone` were taken away */
	AT_GATELOG_ANEW, /* it is another file, or was rewritten: to be opened again */
};
/* Has the file changed? Cheap where it has not. */
enum at_gatelog_news at_gatelog_look(struct at_gatelog *log, size_t *came, size_t *gone);

/* From 1; 0 while it is not known. */
size_t at_gatelog_line(const struct at_gatelog *log, const struct at_gatelog_row *row);

/* The line of a row as it is in the file now, without its newline; empty when it is not to be had.
 * At most `cap` bytes. */
void at_gatelog_text(const struct at_gatelog *log, const struct at_gatelog_row *row, size_t cap,
	struct at_buf *out);

#endif
