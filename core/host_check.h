/* host_check.h - whether this machine lets each mechanism start, and what mends it.
 *
 * A pure judge of what core/host_seen saw: items with a state, what each means for each
 * mechanism, the command that mends it; then one word a mechanism. "Can start" is all that is
 * ever said: that a boundary holds is for the self-test. (WIRE-7)
 */
#ifndef AT_HOST_CHECK_H
#define AT_HOST_CHECK_H

#include "core/host_seen.h"
#include "core/pipeline.h"

struct at_arena;
struct at_buf;
struct at_json_value;
struct at_wiring;

enum at_host_state {
	AT_HOST_OK,
	AT_HOST_MISSING,
	AT_HOST_RESTRICTED, /* there, and not to be had as it should be */
	AT_HOST_OPEN,       /* a side door that this machine leaves open */
	AT_HOST_UNKNOWN,    /* with the reason in `text` */
};
const char *at_host_state_name(enum at_host_state state); /* ok missing restricted open unknown */

/* What an item does to one mechanism; the worst of all items is its verdict. */
enum at_host_effect { AT_HOST_FINE, AT_HOST_WEAKENS, AT_HOST_HIDES, AT_HOST_STOPS };

enum at_host_start { AT_CAN_START, AT_STARTS_WEAKER, AT_START_UNKNOWN, AT_CANNOT_START };
const char *at_host_start_name(enum at_host_start start); /* "can start", "weaker", … */

#define AT_HOST_MECHANISMS 3 /* of one platform, at most */

struct at_host_meaning {
	enum at_host_effect effect;
	const char *text; /* one clause, or NULL: it means nothing to this mechanism */
};

struct at_host_item {
	const char *id; /* stable: "bwrap", "drvfs-writable:/mnt/c" */
	enum at_host_state state;
	const char *text;   /* what is so, in one sentence; may quote a program's words */
	const char *advice; /* what to do, or "" */
	const char *command; /* the command that does it, or "" */
	struct at_host_meaning means[AT_HOST_MECHANISMS];
};

struct at_host_mechanism {
	const char *name;      /* "launcher-linux --harden" */
	enum at_mechanism is;  /* AT_NO_MECHANISM for one that is never a team's own */
	enum at_host_start start;
	const char *why; /* the text of the item that decided it; "" where none did */
};

struct at_host_report {
	struct at_arena *arena;
	const struct at_host_seen *seen; /* borrowed */
	struct at_host_item *items;
	size_t count, cap;
	struct at_host_mechanism mechanisms[AT_HOST_MECHANISMS];
	size_t mechanism_count;
};

/* Pure. Released by at_host_report_free(). */
void at_host_judge(struct at_host_report *out, const struct at_host_seen *seen);
void at_host_report_free(struct at_host_report *report);

/* The verdict of a team's own mechanism, or NULL. */
const struct at_host_mechanism *at_host_own(const struct at_host_report *report,
	enum at_mechanism own);

/* Some mechanism can start here, and so can `own` unless it is AT_NO_MECHANISM. */
bool at_host_passes(const struct at_host_report *report, enum at_mechanism own);

/* For the wiring check: FAIL "host-wsl1" where nothing can be confined, WARN
 * "host-cannot-start" where the team's own mechanism cannot. Nothing for what is unknown. */
void at_host_find(const struct at_host_report *report, enum at_mechanism own,
	struct at_wiring *wiring);

/* core/host_report.c. Texts may quote what programs said: shown through core/safetext. */
void at_host_print(const struct at_host_report *report, enum at_mechanism own,
	struct at_buf *out);
void at_host_to_json(const struct at_host_report *report, enum at_mechanism own,
	struct at_json_value *out);

/* Two sentences that stand under every report of this check. A constant. */
const char *at_host_limits(void);

#endif
