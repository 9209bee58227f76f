/* grants_list.h - the grants of a workspace as a list, of any length.
 *
 * A short ledger is judged at once, a long one by a job beside the screen: rows come as they are
 * verified, a few bytes each, and one row is read again and judged in full when it is looked at.
 * Until the walk has ended nothing is said to be valid. (KEY-3, UI-6)
 */
#ifndef AT_GRANTS_LIST_H
#define AT_GRANTS_LIST_H

#include "core/file.h"
#include "views/grants_site.h"
#include "views/job.h"

struct at_grant_line {
	uint64_t start;  /* its bytes in the file */
	uint32_t length;
	int32_t days;    /* left, when `has_expiry` */
	uint8_t failed;  /* enum at_grant_check; AT_GRANT_CHECKS: none */
	bool has_expiry, writes, widens, is_ours;
};

struct at_grants_list {
	const struct at_session *session;
	struct at_grant_line *lines;
	size_t count, cap;
	struct at_grants grants; /* once `is_done` */
	bool is_done;
	bool is_unread;        /* the file cannot be read: `error` says why */
	struct at_error error;
	struct at_job job;     /* while it runs */
	size_t size;           /* of the file when it was looked at */
	int fd;                /* of that file, to show rows; -1: none */
	struct at_stamp stamp; /* of it; zero without one */
};

/* Reads, or begins to. `at_once`: to the end, however long that takes (reports). */
void at_grants_list_open(struct at_grants_list *list, const struct at_session *session,
	bool at_once);
/* Takes what the job sent, waiting for it at most `ms`. True when something came. */
bool at_grants_list_work(struct at_grants_list *list, int ms);
/* Is the file still the one that was read, unchanged? */
bool at_grants_list_is_still(const struct at_grants_list *list);
void at_grants_list_close(struct at_grants_list *list);

/* One row in full. */
struct at_grant_shown {
	struct at_buf text; /* what the cells point into */
	struct at_bytes cells[AT_GRANT_COLUMNS];
	struct at_grant_verdict verdict; /* when it was asked for */
};

/* Reads row `i` again: its cells, and with `judge` its verdict too. AT_ESTALE when the file is no
 * longer what it was. Release with at_grant_shown_free(), always. */
bool at_grants_list_show(struct at_grant_shown *out, const struct at_grants_list *list, size_t i,
	bool judge, struct at_error *err);
void at_grant_shown_free(struct at_grant_shown *shown);

/* Rows that are read at once: below 256 KiB a ledger is verified within the first frame's time. */
#define AT_GRANTS_AT_ONCE ((size_t)256 << 10)

#endif
