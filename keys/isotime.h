/* isotime.h - ISO-8601 times as the Python tool reads and writes them.
 *
 * The forms of Python 3.11's datetime.fromisoformat() with `T` or a space between date and time:
 * calendar and week dates, extended and basic, fractions, offsets. A final `Z` is UTC, no offset
 * is UTC, a date alone is its first instant. Years 1 to 9999. (reference-ledgers 1.6)
 */
#ifndef AT_KEYS_ISOTIME_H
#define AT_KEYS_ISOTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/error.h"

struct at_time {
	int64_t seconds;     /* since 1970-01-01T00:00:00Z; negative before */
	int32_t nanoseconds; /* 0 to 999999999 */
};

/* Strips `text` first. On AT_EPARSE the message is Python's ("Invalid isoformat string: 'soon'",
 * "hour must be in 0..23"). */
bool at_time_read(struct at_time *out, struct at_bytes text, struct at_error *err);

struct at_time at_time_now(void);
bool at_time_is_after(struct at_time a, struct at_time b); /* strictly */
/* Whole days from `now` to `then`, rounded down: 0 on the last day, negative when over. */
int64_t at_time_days(struct at_time now, struct at_time then);

/* "2026-10-01T00:00:00.000001+00:00"; Python drops microseconds that are 0. Appended. */
void at_time_put(struct at_buf *out, struct at_time time);

#endif
