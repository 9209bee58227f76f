/* shell_impl.h - what the files of the shell reader share.
 *
 * The text is parsed once into a tree of commands and words (shell_lex, shell_text, shell_brace,
 * shell_here, shell_parse); the tree is then walked as a shell would run it (shell_run), with
 * variables as far as the text sets them (shell_vars, shell_expand, shell_param, shell_arith,
 * shell_builtin). Every step is charged: a budget bounds the whole. Internal to shell*.c.
 */
#ifndef AT_SHELL_IMPL_H
#define AT_SHELL_IMPL_H

#include "runner/gate/shell.h"

struct sh_node;
struct sh_word;

enum sh_part_kind {
	SH_TEXT, /* `text` */
	SH_PARAM, /* $x and ${x…}: `text` is the name */
	SH_COMMAND, /* $(…) and `…`: `list` */
	SH_PROCESS, /* <(…) and >(…): `list` */
	SH_ARITH, /* $((…)): `word` */
	SH_BRACE, /* {a,b}: `words` are the alternatives */
	SH_ARRAY, /* (a b) after NAME=: `words` are the elements */
};

/* Most parts are text, and a long command has many: what text has not stands apart. */
struct sh_inner {
	struct sh_word *word, *word2, *index, *words;
	struct sh_node *list;
};
struct sh_part {
	struct sh_part *next;
	struct at_bytes text;
	struct sh_inner *in; /* NULL for SH_TEXT alone */
	enum sh_part_kind kind;
	char op; /* of ${}: - = + ? # % / ^ , : @ or 0; '!' bad substitution */
	char anchor; /* of ${x/#a/b}: # or % or 0 */
	bool quoted, glob, colon, twice, length, indirect, is_mark;
};

struct sh_word {
	struct sh_word *next;
	struct sh_part *first, *last;
	size_t at, end; /* in the source it was read from */
	bool has_cr; /* a carriage return stood behind it, before the line's end */
};

struct sh_redirect {
	struct sh_redirect *next;
	enum shell_redirect_kind kind;
	bool clobber, strip_tabs, is_quoted, is_maybe_both; /* >&word */
	int fd;
	struct at_bytes name, mark; /* of {name}>; of a here-document */
	struct sh_word *word;
};

enum sh_kind {
	SH_SIMPLE,
	SH_PIPE, /* `body`: its elements */
	SH_AND_OR, /* `body`: its elements, each with `join` */
	SH_GROUP,
	SH_SUBSHELL,
	SH_IF, /* `cond`, `body`, `other` */
	SH_LOOP, /* while, until: `cond`, `body`; for ((;;)): `arith` too */
	SH_FOR, /* for, select: `name`, `words`, `body` */
	SH_CASE, /* `words`: the subject; `other`: SH_GROUPs with `words` the patterns */
	SH_FUNCTION, /* `name`, `body` */
	SH_CALC, /* ((…)): `arith` */
	SH_TEST, /* [[…]]: `words` */
};

struct sh_node {
	struct sh_node *next;
	enum sh_kind kind;
	struct sh_node *cond, *body, *other;
	struct sh_word *words, *assigned, *arith;
	struct sh_redirect *redirects;
	struct at_bytes name;
	size_t at, end;
	char join; /* in an and-or list: '&' or '|', what stands before it */
	bool is_background, is_select, has_in;
};

/* A variable's value. `gen` below the reader's `forgot` is one that may have changed since. */
enum sh_state { SH_UNSET, SH_KNOWN, SH_UNKNOWN, SH_LIST };
struct sh_value {
	enum sh_state state;
	struct at_bytes text;
	const struct at_bytes *items; /* of SH_LIST */
	size_t count;
	unsigned long gen;
};
struct sh_var {
	struct sh_var *next;
	struct at_bytes name;
	struct sh_value value;
	bool is_local, is_fixed, is_volatile;
};
struct sh_change {
	struct sh_var *var;
	struct sh_value old;
};

struct sh_args {
	const struct at_bytes *items;
	size_t count;
	bool is_known;
};
struct sh_mark {
	size_t changes;
	unsigned long forgot;
	struct sh_args args;
};

struct sh_function {
	struct sh_function *next, *older; /* of all; of those in the bucket that still hold */
	struct at_bytes name;
	struct sh_node *body;
	struct sh_node *alias; /* of an alias: its text, parsed, or NULL */
	bool was_called, is_alias, is_busy;
};

#define SH_BUCKETS 1024
#define SH_LEFT_LOOP 1u
#define SH_LEFT_FUNCTION 2u
#define SH_NEST 200 /* of the parser and of the walk: bounds the C stack */

struct sh {
	struct at_arena *arena;
	const struct shell_caps *caps;
	shell_told *told;
	void *user;
	struct shell_reading seen;
	bool stop;
	size_t work, work_cap, nodes, word_count, parts, commands, told_words;
	unsigned nest;
	const size_t *dropped; /* where NUL bytes stood, in the text without them */
	size_t dropped_count;
	/* The walk. */
	struct sh_var *vars[SH_BUCKETS];
	struct sh_change *changes;
	size_t change_count, change_cap;
	unsigned long forgot, last_gen;
	struct sh_args args;
	struct sh_function *functions, *defined[SH_BUCKETS];
	unsigned depth, in_function, conditional;
	unsigned maybe; /* SH_LEFT_*: what follows in the loop or function may not be run */
	bool in_substitution, has_span;
	const struct shell_scope *scope; /* of what is walked now */
	size_t span_at, span_len;
	const struct shell_command *from, *last;
	const struct shell_redirect *input; /* of the constructs around: standard input */
	size_t flow; /* commands told since the pipeline's element began */
};

struct sh_parser;

/* shell.c. Both stop the reading when a budget is spent. */
bool sh_charge(struct sh *sh, size_t work);
void sh_too_much(struct sh *sh);
bool sh_enter(struct sh *sh); /* one level deeper, or false; each true needs a sh_leave() */
void sh_leave(struct sh *sh);

/* A text that grows in the arena. */
struct sh_text {
	char *data;
	size_t len, cap;
};
void sh_text_put(struct sh *sh, struct sh_text *text, const char *data, size_t len);
struct at_bytes sh_keep(struct sh *sh, struct at_bytes bytes);
/* What a byte of a command line may be, by its value; NUL is what a text is cut at. */
enum sh_byte {
	SH_BLANK = 1, /* ends a word, and is no operator */
	SH_OPERATOR = 2, /* begins an operator, ends a word */
	SH_ENDS_WORD = SH_BLANK | SH_OPERATOR,
	SH_RETURN = 4, /* ends a word where a line ends behind it */
	SH_IN_WORD = 8, /* begins something inside of an unquoted word */
	SH_IN_TEXT = 16, /* begins something inside of other text */
	SH_NAME = 32, /* of a name, at its start unless it is a digit */
	SH_NUMBER = 64, /* a digit: beside SH_NAME */
};
extern const unsigned char sh_bytes[256];
bool sh_is_name(struct at_bytes bytes);
bool sh_is_name_start(char c);
bool sh_is_name_byte(char c);
bool sh_has_unknown(struct at_bytes bytes);
extern const struct at_bytes sh_unknown;

/* The parser. */
enum sh_token_kind { SH_END, SH_NEWLINE, SH_WORD, SH_OP };
enum sh_op {
	SH_OP_NONE,
	SH_SEMI,
	SH_DSEMI,
	SH_AND,
	SH_AND_AND,
	SH_PIPE_OP,
	SH_PIPE_BOTH,
	SH_OR_OR,
	SH_OPEN,
	SH_CLOSE,
	SH_REDIRECT,
};
struct sh_token {
	enum sh_token_kind kind;
	enum sh_op op;
	struct sh_word *word;
	struct sh_redirect redirect; /* of SH_REDIRECT: all but its word */
	size_t at, end;
};
struct sh_parser {
	struct sh *sh;
	const char *s;
	size_t n, i;
	struct sh_token tok;
	struct sh_redirect **pending; /* here-documents whose bodies come after this line */
	size_t pending_count, pending_cap;
	bool in_words; /* behind a command's first word, where "!(" is a pattern */
};

/* shell_lex.c */
void sh_advance(struct sh_parser *p);
bool sh_is_op(const struct sh_parser *p, enum sh_op op);
/* The word as a reserved word would be written: one unquoted text; else "". */
struct at_bytes sh_plain(const struct sh_word *word);
/* The length of NAME, NAME+ or NAME[…] in front of the '=' of an assignment, or 0. */
size_t sh_assigned_name(const struct sh_word *word);
/* Whether the "((" whose second '(' is at `at` is closed by "))"; else it is two subshells. */
bool sh_is_arith(struct sh_parser *p, size_t at);

/* shell_text.c */
enum sh_text_mode { SH_PLAIN = 0, SH_DQ = 1, SH_HERE = 2, SH_MATH = 4, SH_SINGLE = 8 };
struct sh_word *sh_new_word(struct sh_parser *p);
struct sh_part *sh_add_part(struct sh_parser *p, struct sh_word *word, enum sh_part_kind kind);
void sh_add_text(struct sh_parser *p, struct sh_word *word, const char *s, size_t n, bool quoted);
/* Reads up to an unquoted byte of `ends`, which is left there; NUL-ended set. */
struct sh_word *sh_text_until(struct sh_parser *p, const char *ends, unsigned mode);
void sh_read_single(struct sh_parser *p, struct sh_word *word);
void sh_read_double(struct sh_parser *p, struct sh_word *word);
void sh_read_backquote(struct sh_parser *p, struct sh_word *word, bool quoted);
void sh_read_process(struct sh_parser *p, struct sh_word *word);

/* shell_dollar.c */
void sh_read_dollar(struct sh_parser *p, struct sh_word *word, unsigned mode);

/* shell_ansi.c: the escapes of $'…' in `s`; what they mean is appended. */
void sh_decode(struct sh *sh, struct sh_text *out, struct at_bytes s);

/* shell_brace.c */
void sh_find_braces(struct sh_parser *p, struct sh_word *word);

/* shell_here.c */
void sh_here_mark(struct sh_parser *p, struct sh_redirect *redirect, const struct sh_word *word);
void sh_read_here(struct sh_parser *p);

/* shell_parse.c */
struct sh_node *sh_parse(struct sh *sh, struct at_bytes text);
struct sh_node *sh_parse_until(struct sh_parser *p, bool brace); /* consumes the ) or } */
struct sh_node *sh_parse_list(struct sh_parser *p);

/* shell_compound.c */
struct sh_node *sh_new_node(struct sh_parser *p, enum sh_kind kind);
bool sh_parse_redirect(struct sh_parser *p, struct sh_redirect ***tail);
bool sh_at_keyword(const struct sh_parser *p, const char *word);
void sh_skip_lines(struct sh_parser *p);
struct sh_node *sh_parse_compound(struct sh_parser *p); /* NULL: none begins here */
struct sh_node *sh_parse_body(struct sh_parser *p, struct at_bytes name, size_t at);

/* shell_vars.c */
unsigned sh_hash(struct at_bytes name); /* below SH_BUCKETS */
struct sh_var *sh_var(struct sh *sh, struct at_bytes name, bool make);
struct sh_value sh_get(struct sh *sh, struct at_bytes name);
void sh_set(struct sh *sh, struct at_bytes name, struct sh_value value);
void sh_set_text(struct sh *sh, struct at_bytes name, struct at_bytes text);
void sh_set_unknown(struct sh *sh, struct at_bytes name);
void sh_forget(struct sh *sh); /* every variable may have changed */
struct sh_mark sh_mark(const struct sh *sh);
void sh_undo(struct sh *sh, struct sh_mark mark);
bool sh_merge(struct sh *sh, struct sh_mark mark); /* true: something became unknown */
void sh_end_locals(struct sh *sh, struct sh_mark mark);

/* shell_expand.c */
struct sh_words {
	struct shell_word *items;
	size_t count, cap;
};
void sh_add_word(struct sh *sh, struct sh_words *out, const struct shell_word *word);
void sh_expand(struct sh *sh, struct sh_words *out, const struct sh_word *word);
struct shell_word sh_expand_one(struct sh *sh, const struct sh_word *word);
struct shell_word sh_expand_parts(struct sh *sh, const struct sh_part *parts);
struct at_bytes sh_expand_pattern(struct sh *sh, const struct sh_word *word);

/* shell_param.c: the value of a ${}; `list` for what gives several words. */
struct sh_result {
	struct at_bytes text;
	const struct at_bytes *items;
	size_t count;
	const struct sh_word *word; /* the value is this word, expanded in place */
	bool is_list, is_joined; /* @, or * */
};
struct sh_result sh_parameter(struct sh *sh, const struct sh_part *part);

/* shell_match.c: 1, 0, or -1: cannot be told. */
int sh_match(struct sh *sh, struct at_bytes pattern, struct at_bytes text);
struct at_bytes sh_trim(
	struct sh *sh, struct at_bytes text, struct at_bytes pattern, bool at_end, bool longest);
struct at_bytes sh_replace(struct sh *sh, struct at_bytes text, struct at_bytes pattern,
	struct at_bytes by, char anchor, bool all);

/* shell_arith.c: false: unknown. What it may assign is unknown from then on. */
bool sh_calculate(struct sh *sh, struct at_bytes text, long long *out);

/* shell_run.c */
void sh_run(struct sh *sh, const struct sh_node *list);
void sh_run_uncalled(struct sh *sh);
struct at_bytes sh_substitute(struct sh *sh, const struct sh_node *list);
void sh_process(struct sh *sh, const struct sh_node *list);

/* shell_simple.c */
void sh_run_simple(struct sh *sh, const struct sh_node *node);
void sh_tell(struct sh *sh, struct shell_command *command);
struct shell_redirect *sh_redirects(struct sh *sh, const struct sh_redirect *list, size_t *count);
struct sh_function *sh_define(struct sh *sh, struct at_bytes name, bool is_alias);
/* The newest of that name, or the next older one behind `after`. */
struct sh_function *sh_defined(
	struct sh *sh, struct at_bytes name, bool is_alias, const struct sh_function *after);

/* shell_builtin.c: what a command does to the variables of this shell. */
bool sh_is_declaring(struct at_bytes program);
void sh_assign(struct sh *sh, const struct sh_word *word, struct shell_word *told);
void sh_builtin(struct sh *sh, const struct shell_word *words, size_t count);
void sh_keep_assigned(
	struct sh *sh, struct at_bytes program, const struct shell_word *assigned, size_t count);
/* What the command prints, or sh_unknown. */
struct at_bytes sh_printed(struct sh *sh, const struct shell_command *command);

#endif
