/* error.h - what went wrong, where, and what to do about it.
 *
 * A function that can fail returns bool and takes `struct at_error *err` last. The
 * error is filled once, where the fault is known, and passed up untouched. Texts may
 * quote untrusted names: whoever shows one passes it through core/safetext first.
 */
#ifndef AT_ERROR_H
#define AT_ERROR_H

#include <stdbool.h>

enum at_code {
	AT_OK,
	AT_EIO,       /* the system refused: see `sys` */
	AT_ENOENT,    /* something that must be there is not */
	AT_EEXIST,    /* something that must not be there is */
	AT_ESTALE,    /* a file is no longer what was shown */
	AT_EPARSE,    /* input that does not parse: `line` and `column` are set */
	AT_EINVALID,  /* input that parses and may not be */
	AT_ELIMIT,    /* a size, depth or count above its cap */
	AT_ECONFLICT, /* two wishes that exclude each other */
	AT_EUNSAFE,   /* a link, a special file, a foreign owner */
	AT_EREFUSED,  /* a rule of this program says no */
	AT_EDENIED,   /* a refusal to start: agent session, inside a sandbox */
	AT_EUSAGE,    /* bad usage or an unknown item */
};

struct at_error {
	enum at_code code;
	int sys;               /* errno, or 0 */
	unsigned line, column; /* from 1; column counts bytes; 0 when there is none */
	char id[48];           /* stable name of the fault ("json-trailing-comma"), or "" */
	char path[512];        /* the file meant, or "" */
	char field[48];        /* the field of a form or a brief it belongs to, or "" */
	char message[768];     /* one sentence: what is wrong and where */
	char hint[384];        /* what to do next, or "" */
};

/* Fills `err` (which may be NULL) and returns false, so that a caller can write
 * `return at_fail(err, …)`. Clears what was there before. */
bool at_fail(struct at_error *err, enum at_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for a failed system call: appends the text of `sys` to the message. */
bool at_fail_sys(struct at_error *err, int sys, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Add to an error just filled; each is a no-op on NULL and cuts what is too long. */
void at_error_at(struct at_error *err, unsigned line, unsigned column);
void at_error_name(struct at_error *err, const char *id);
void at_error_path(struct at_error *err, const char *path);
void at_error_field(struct at_error *err, const char *name);
void at_error_hint(struct at_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The exit status that follows a code: 0, 1 or 2, by the table of --help. */
int at_exit_status(enum at_code code);

#endif
