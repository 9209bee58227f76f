/* judge.h - one judgement under way, and how its parts call each other.
 *
 * judge.c reads text and hands out commands; rules, peel, interp and feed find things or open
 * further text. Every part reports by judge_find(); recursion goes through judge_words() and
 * judge_text() alone, which count depth and work. (GATE-8)
 */
#ifndef GATE_JUDGE_H
#define GATE_JUDGE_H

#include "runner/gate/args.h"
#include "runner/gate/gate.h"
#include "runner/gate/shell.h"
#include "runner/gate/target.h"

struct at_arena;

enum judge_id {
#define ID(name, id, class, text, source) ID_##name,
#include "runner/gate/ids.def"
#undef ID
	ID_COUNT
};

enum {
	JUDGE_DEPTH = 16, /* wrappers, texts and scripts around a command */
	JUDGE_WORK = 50000, /* commands in one judgement */
	JUDGE_SCRIPTS = 8, /* files read */
	JUDGE_SCRIPT = 65536, /* bytes of one */
	JUDGE_FETCHED = 16, /* files that a download was saved to */
};

/* Where a "cd" of the text went, for the shell that is read now; those around it keep theirs. */
struct judge_place {
	struct judge_place *around;
	const struct shell_scope *scope;
	const char *path, *before; /* NULL: the session's own directory */
};

struct judge {
	const struct gate_context *context;
	struct gate_verdict *out;
	struct at_buf *told; /* NULL: nothing is explained */
	struct at_arena *arena;
	const char *const *environment;
	const struct shell_command *command; /* the one being judged: its redirects and its pipe */
	const struct shell_command *outer; /* of the text around, whose input is inherited */
	unsigned depth;
	size_t work, scripts, finds;
	struct judge_place *place;
	bool in_script; /* a file's text: what it hides is not asked about */
	bool elsewhere; /* on another machine or in a container: its root is not ours */
	bool has_fetch; /* a substitution at `fetch_at` brings text from the network */
	size_t fetch_at;
	const char *ended; /* the place where the text that was read last ended */
	const char *fetched[JUDGE_FETCHED];
	size_t fetched_count;
};

/* Something was found. `what` is one clause; the words are shown in an ask. */
void judge_find(struct judge *judge, enum judge_id id, bool irreversible, const char *what,
	const struct gate_args *args);

/* The same, and no person may let it pass: `/`, home, keys. */
void judge_deny(
	struct judge *judge, enum judge_id id, const char *what, const struct gate_args *args);

/* Tells who wants to know that `row` found something since `finds` was taken. */
void judge_fired(struct judge *judge, enum gate_table table, size_t row, size_t finds);

/* A command whose words are known, or as known as they are. */
void judge_words(struct judge *judge, const struct shell_word *words, size_t count);

/* Text that a shell would read. `what` says where it came from. It is a shell of its own: where
 * its "cd" went is over with it, but for judge_stay(). */
void judge_text(struct judge *judge, struct at_bytes text, const char *what);

/* The text that was read last ran in the shell itself, as eval and source do it. */
void judge_stay(struct judge *judge);

/* A file that is run: judged where it can be read and a shell reads it (`is_shell`, or by its
 * first line or its name); what cannot be read is not judged. */
void judge_script(struct judge *judge, const struct shell_word *file, bool is_shell);

/* What a path weighs that a command names, where the text has gone by then. */
enum target_weight judge_weigh(const struct judge *judge, const char *path);

/* What cannot be seen. Silent within a script. */
void judge_unseen(struct judge *judge, const char *what, const struct gate_args *args);

/* Words of the arena. */
struct shell_word judge_word(struct judge *judge, const char *text, size_t len, unsigned flags);

/* The words from `at` on, joined by blanks, in the arena. */
struct at_bytes judge_join(struct judge *judge, const struct gate_args *args, size_t at);

#endif
