/* shell.h - reads a command line as a shell would, without running any of it.
 *
 * Finds every simple command that running the text would start, or could: in lists, pipelines,
 * groups, loops and functions, inside substitutions of both kinds and process substitutions, in
 * here-documents that a shell reads. Quoted text is data. Variables that the text itself sets, its
 * aliases and functions are followed; whatever else a word depends on is unknown, and said so.
 * It knows no program and no rule. Linear, with caps; what exceeds them sets `too_much`. (GATE-8)
 */
#ifndef AT_SHELL_H
#define AT_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"

struct at_arena;

/* A byte that stands for text which cannot be known from here. */
#define SHELL_UNKNOWN '\x01'

enum shell_word_flag {
	SHELL_HAS_UNKNOWN = 1 << 0, /* some part is SHELL_UNKNOWN */
	SHELL_HAS_GLOB = 1 << 1,    /* an unquoted * ? [ that is left in the text */
	SHELL_HAS_TILDE = 1 << 2,   /* an unquoted ~ at the start, left in the text */
	SHELL_QUOTED = 1 << 3,      /* any part was quoted */
	SHELL_MAY_SPLIT = 1 << 4,   /* what is unknown may be several words, or none */
};

/* After expansion, splitting and quote removal: what the program would get. */
struct shell_word {
	struct at_bytes text; /* ended by NUL too; in the reader's arena */
	unsigned flags;
};

enum shell_redirect_kind {
	SHELL_TO,        /* > and >| and &> */
	SHELL_APPEND,    /* >> and &>> */
	SHELL_FROM,      /* < */
	SHELL_HERE_DOC,  /* << and <<-: `text` is the body, expanded unless its mark was quoted */
	SHELL_HERE_WORD, /* <<< */
	SHELL_DUPLICATE, /* >&N <&N */
	SHELL_BOTH,      /* <> */
};

struct shell_redirect {
	enum shell_redirect_kind kind;
	bool clobber; /* >| */
	int fd;
	struct shell_word word; /* the file, or the text */
};

/* A subshell: what a command in it does to its directory ends with it. One after the other, each
 * inside the one `around`; the shell of the text itself is NULL. */
struct shell_scope {
	const struct shell_scope *around;
};

struct shell_command {
	const struct shell_word *words; /* words[0] names the program; 0 words: assignments alone */
	size_t count;
	const struct shell_word *assigned; /* "NAME=VALUE" in front of it */
	size_t assigned_count;
	const struct shell_redirect *redirects;
	size_t redirect_count;
	const struct shell_command *from; /* what its standard input is piped from, or NULL */
	const struct shell_scope *scope;  /* the subshell it runs in, or NULL */
	size_t offset, len;               /* in the text that was given, of its outermost command */
	unsigned depth;                   /* of substitutions, functions and shells it stands in */
	bool in_substitution;             /* its output becomes text of another command */
};

struct shell_caps {
	size_t text, commands, words; /* bytes, and how many of each at most */
	unsigned depth;
};
extern const struct shell_caps shell_default_caps;

struct shell_reading {
	bool too_much;   /* a cap was reached: not everything was seen */
	bool is_cut;     /* the text ends inside quotes, a here-document or a construct */
	bool has_syntax_error; /* something no shell would take; it was read on as well as it goes */
	size_t work; /* steps that it took, each of bounded cost; for tests of that bound */
};

/* Told of each command in the order in which it would start; the struct and all it points at stay
 * until the arena goes. False ends the reading. */
typedef bool shell_told(void *user, const struct shell_command *command);

/* Reads `text`. `out` may be NULL. Variables that hold for all of it: `environment`, "NAME=VALUE",
 * ended by NULL, or NULL; only such as do not depend on the session (HOME is unknown unless
 * given). Never fails. */
void shell_read(struct at_bytes text, const char *const *environment, const struct shell_caps *caps,
	struct at_arena *arena, shell_told *told, void *user, struct shell_reading *out);

#endif
