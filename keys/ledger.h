/* ledger.h - a signed, chained CSV log: read whole in constant memory, appended to under a lock.
 *
 * One module for every kind of ledger; a kind is a const table. A row's payload is its signed fields;
 * each row names the SHA-256 of the payload before it, so that a row that was edited, moved or taken
 * out shows. A signed head beside the file (`<ledger>.head`) shows a tail that was cut off. It knows
 * nothing of what a row permits. (KEY-3, KEY-11; reference-ledgers 1.4, 1.5, 5)
 *
 * A last line without a line end is a torn write: absent, and told. A complete row that fails is
 * tampered with; nothing is ever removed for that.
 */
#ifndef AT_KEYS_LEDGER_H
#define AT_KEYS_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/digest.h"
#include "core/error.h"
#include "keys/ed25519.h"
#include "keys/secret.h"

#define AT_LEDGER_COLUMNS 48u  /* a kind has at most that many */
#define AT_LEDGER_REQUIRED 4u  /* sets of required columns */
#define AT_KEY_ID_CAP 64u      /* characters of a key id */

#define AT_COLUMN(n) ((uint64_t)1 << (n))

/* What makes a kind of ledger. Columns are indices into `columns`, sets of them bit masks. */
struct at_ledger_kind {
	const char *log;    /* "capability-grants log", for the message about the header */
	const char *ledger; /* "capability-grant ledger", for the message about the chain */
	const char *row;    /* "a grant row" */
	const char *const *columns;
	unsigned column_count;
	uint64_t written;                      /* in a new file, in the order of `columns` */
	uint64_t required[AT_LEDGER_REQUIRED]; /* the header holds one of these sets; 0 ends */
	unsigned prev;                         /* the column of the chain */
	bool chain_is_optional;                /* no such column: not chained (decisions) */
	const char *tag; /* joined before an Ed25519 payload by `|`; NULL for none */
	/* Appends the payload of a row: what is signed, without the tag. */
	void (*payload)(struct at_buf *out, const struct at_bytes *cells);
};

/* One row while it is visited; all of it is borrowed until the visit returns. */
struct at_ledger_row {
	const struct at_bytes *cells; /* by column of the kind; empty where the file has none */
	struct at_bytes payload;
	struct at_bytes message; /* tag, `|`, payload: what Ed25519 signs */
	struct at_digest digest; /* of the payload; the next row names it */
	size_t number;           /* from 1 */
	size_t line;             /* of its first byte, from 1 */
	size_t start, end;       /* its bytes in the file, with the line end */
	size_t count;            /* cells in the file: may be more or fewer than the header has */
};

/* False ends the walk with its error. Rows are visited before the end of the chain is known: what
 * they said counts once the walk came to AT_LEDGER_GOOD, and not before. */
typedef bool at_ledger_visit(void *context, const struct at_ledger_row *row, struct at_error *err);

/* Finds the public key of a key id (letters, digits, `._-`, at most AT_KEY_ID_CAP, not a dot
 * alone). False where there is none, or no sound one, with the reason. */
typedef bool at_key_find(void *context, struct at_public_key *out, const char *key_id,
	struct at_error *err);

struct at_keys {
	at_key_find *find; /* NULL: no key is known */
	void *context;
};

/* `^[A-Za-z0-9._-]+$`, not "." or "..", at most AT_KEY_ID_CAP. (reference-ledgers 1.10) */
bool at_key_id_is_sound(struct at_bytes key_id);

enum at_ledger_verdict {
	AT_LEDGER_GOOD,
	AT_LEDGER_ABSENT,    /* no file and no head: no rows */
	AT_LEDGER_MALFORMED, /* header, CSV or UTF-8 */
	AT_LEDGER_BROKEN,    /* the chain */
	AT_LEDGER_TRUNCATED, /* fewer rows than the head says, or no file but a head */
	AT_LEDGER_HEAD,      /* the head: no sound file, an unknown key, a wrong signature, another row */
};

enum at_head_state {
	AT_HEAD_NONE,     /* unanchored: a tail that was cut off at a row would not show */
	AT_HEAD_ANCHORED, /* counts every row */
	AT_HEAD_BEHIND,   /* rows beyond it chain: valid, not anchored */
	AT_HEAD_BAD,      /* the verdict says how */
};

/* What the file is, apart from what its rows are. */
struct at_ledger_state {
	enum at_ledger_verdict verdict;
	struct at_error fault; /* of a verdict that is neither GOOD nor ABSENT: one message */
	enum at_head_state head;
	char key_id[AT_KEY_ID_CAP + 1]; /* that signed the head, or "" */
	size_t rows;                    /* complete ones that were read */
	size_t anchored;                /* rows the head counts; 0 without one */
	size_t torn;                    /* bytes of a torn last line; 0 for none */
	size_t size;                    /* of the file, bytes */
	size_t ragged;                  /* rows with more cells than the header: the rest is unread */
	size_t ragged_line;             /* of the first such */
	uint64_t columns;               /* of the kind, that the file has */
	struct at_digest last;          /* of the last row; unset without rows */
};

/* Visits the rows of `path` below `root`. Fails where the file cannot be read (a link, no regular
 * file, I/O) or a visit failed; what is wrong with the ledger is in `out`, and the walk ends there. */
bool at_ledger_walk(struct at_ledger_state *out, const struct at_ledger_kind *kind, int root,
	const char *path, struct at_keys keys, at_ledger_visit *visit, void *context,
	struct at_error *err);
/* The same of an open descriptor without a head; for tests and pipes. */
bool at_ledger_walk_fd(struct at_ledger_state *out, const struct at_ledger_kind *kind, int fd,
	at_ledger_visit *visit, void *context, struct at_error *err);

/* "3 rows, unanchored", for a line of a screen; appended. */
void at_ledger_describe(struct at_buf *out, const struct at_ledger_state *state);

/* The head: JSON {count, last, key_id, signature}, nothing else. `last` is the digest of the payload
 * of row `count` as the chain names it; signed is `agentteams-ledger-head-v1|count|last|key_id`. */
struct at_ledger_head {
	size_t count;
	struct at_digest last;
	char key_id[AT_KEY_ID_CAP + 1];
	struct at_signature signature;
};

#define AT_HEAD_TAG "agentteams-ledger-head-v1"

bool at_head_sign(struct at_ledger_head *head, const struct at_secret *seed, struct at_error *err);
void at_head_print(struct at_buf *out, const struct at_ledger_head *head); /* the file's text */
bool at_head_read(struct at_ledger_head *out, struct at_bytes text, struct at_error *err);
/* Reads and verifies `<path>.head`; absent: true, *exists false. */
bool at_head_load(struct at_ledger_head *out, bool *exists, int dir, const char *name,
	struct at_keys keys, struct at_error *err);

/* Appending. Between begin and end the directory of the ledger is locked (flock on the directory: it
 * outlives a rename of the file, and leaves no file behind); a second writer waits up to
 * at_lock_patience milliseconds, then gets AT_EEXIST. */
struct at_ledger_writer;

/* Locks, and verifies. With a signed head that counts the last row only that row is read: constant
 * time. Else the whole ledger is, and `check` is asked for every row: false refuses the append.
 * A ledger that is not good, a link, a second hard link, or columns of no kind are refused;
 * nothing is changed. An absent file is made by the commit. */
bool at_ledger_begin(struct at_ledger_writer **out, const struct at_ledger_kind *kind, int root,
	const char *path, struct at_keys keys, at_ledger_visit *check, void *context,
	struct at_error *err);
void at_ledger_end(struct at_ledger_writer *writer); /* unlocks; NULL is fine */

size_t at_ledger_rows(const struct at_ledger_writer *writer); /* before the append */
/* What the next row has to name: 64 digits, or "" for the first. Borrowed. */
const char *at_ledger_prev(const struct at_ledger_writer *writer);
bool at_ledger_was_constant(const struct at_ledger_writer *writer); /* the head spared the read */

struct at_ledger_appended {
	size_t rows;               /* now */
	enum at_head_state head;   /* AT_HEAD_BEHIND after a row without a head, or when it failed */
	struct at_error head_fault; /* the row stands, its head could not be written: why */
	size_t torn;               /* bytes moved to `<ledger>.torn` */
	bool rewritten;            /* the header was widened: the whole file, by temp and rename */
};

/* Writes the row by one write, fdatasync, then the head (NULL: none, and an old one stays as it is).
 * `cells` by column, the chain's among them; AT_ESTALE where that names another row than the last, or
 * the head another count. Torn bytes go to `<ledger>.torn` first. Failure leaves the rows as they
 * were. A header that lacks a column the row fills is widened: the file is written anew with the
 * values as read. One commit a begin. */
bool at_ledger_commit(struct at_ledger_writer *writer, const struct at_bytes *cells,
	const struct at_ledger_head *head, struct at_ledger_appended *out, struct at_error *err);

#endif
