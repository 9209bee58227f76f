/* args.h - the words of one command as a program would sort them: options, values, operands.
 *
 * Which options take a value is told by the caller as a list, "-C -c --git-dir"; patterns are those
 * of rules.def. Knows no program and judges nothing. Words are borrowed from the shell reader.
 */
#ifndef GATE_ARGS_H
#define GATE_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "runner/gate/shell.h"

struct gate_args {
	const struct shell_word *words; /* words[0] names the program */
	size_t count;
};

/* The program's name without directory, in lower case, without ".exe"; cut to `size`. */
const char *args_name(char *out, size_t size, const struct shell_word *word);

/* True when `text` is one of the alternatives of `list`, which `sep` parts; an alternative may
 * begin or end in '*'. */
bool args_in(const char *list, char sep, const char *text, size_t len);
/* A number for a name, to find again in a table of `slots` what the lists say of it. */
size_t args_slot(const char *name, size_t slots);

enum args_kind { ARGS_OPTION, ARGS_OPERAND };

struct args_item {
	enum args_kind kind;
	size_t at;
	const char *value; /* of an option that takes one, or has one by '='; else NULL */
	bool maybe;        /* an operand that an unknown option in front of it may have taken */
};

struct args_walk {
	const struct gate_args *args;
	const char *valued;
	size_t next;
	bool ended; /* "--" was seen */
	bool after_unknown;
};

/* Walks from words[1] on; `valued` are the options that take a value in the next word, or with a
 * '!' in front those that take none while all others do. */
void args_start(struct args_walk *walk, const struct gate_args *args, const char *valued);
bool args_next(struct args_walk *walk, struct args_item *out);

/* True when the words fulfil every term of `pattern` (its grammar stands in rules.def). */
bool args_match(const struct gate_args *args, const char *pattern, const char *valued);

/* True when the option of `item` is one of `list` ("-f|--force"). */
bool args_is_option(const struct gate_args *args, const struct args_item *item, const char *list,
	const char *valued);

/* The value of the first option in `list`, in whichever spelling, or NULL. */
const char *args_value(const struct gate_args *args, const char *list, const char *valued);

/* Case-insensitive search for one of the alternatives of `list`, parted by '|'. */
bool args_holds(const char *text, const char *list);

#endif
