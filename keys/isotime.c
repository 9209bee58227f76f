#include "keys/isotime.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "keys/field.h"

/* What is left to read. */
struct cursor {
	const char *at, *end;
};

static bool fail_form(struct at_error *err, struct at_bytes text)
{
	/* The reference turns a final Z into an offset first, and says so. */
	bool is_zulu = text.len && text.data[text.len - 1] == 'Z';
	size_t len = text.len - is_zulu < 160 ? text.len - is_zulu : 160;

	at_fail(err, AT_EPARSE, "Invalid isoformat string: '%.*s%s'", (int)len,
		len ? text.data : "", is_zulu ? "+00:00" : "");
	at_error_name(err, "isotime");
	return false;
}

static bool fail_range(struct at_error *err, const char *what)
{
	at_fail(err, AT_EPARSE, "%s", what);
	at_error_name(err, "isotime");
	return false;
}

static bool digits(struct cursor *c, unsigned count, int *out)
{
	*out = 0;
	if ((size_t)(c->end - c->at) < count)
		return false;
	for (unsigned i = 0; i < count; i++) {
		char d = *c->at++;

		if (d < '0' || d > '9')
			return false;
		*out = *out * 10 + (d - '0');
	}
	return true;
}

static bool take(struct cursor *c, char wanted)
{
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

static bool is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int month_days(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days from 1970-01-01 to a date of the Gregorian calendar. */
static int64_t day_number(int year, int month, int day)
{
	int64_t y = year - 1, days = y * 365 + y / 4 - y / 100 + y / 400;

	for (int m = 1; m < month; m++)
		days += month_days(year, m);
	return days + day - 1 - 719162;
}

static int weekday(int64_t day) /* 0 is Monday */
{
	return (int)(((day + 3) % 7 + 7) % 7);
}

/* The Monday of week 1: the week that holds 4 January. */
static int64_t first_monday(int year)
{
	int64_t fourth = day_number(year, 1, 4);

	return fourth - weekday(fourth);
}

static bool week_date(struct cursor *c, bool dashes, int year, int64_t *day, bool *well_formed,
	struct at_error *err)
{
	int week, which = 1;
	bool has_day;

	*well_formed = digits(c, 2, &week);
	has_day = dashes ? take(c, '-') : c->at != c->end && *c->at >= '0' && *c->at <= '9';
	if (*well_formed && has_day)
		*well_formed = digits(c, 1, &which);
	*well_formed = *well_formed && week >= 1 && week <= 53 && which >= 1 && which <= 7 &&
		       (week < 53 || first_monday(year) + 52 * 7 < first_monday(year + 1));
	if (!*well_formed)
		return false;
	*day = first_monday(year) + (week - 1) * 7 + which - 1;
	return *day <= day_number(9999, 12, 31) || fail_range(err, "year 10000 is out of range");
}

static bool calendar_date(struct cursor *c, bool dashes, int year, int64_t *day, bool *well_formed,
	struct at_error *err)
{
	int month, of_month;

	*well_formed = digits(c, 2, &month) && (!dashes || take(c, '-')) && digits(c, 2, &of_month);
	if (!*well_formed)
		return false;
	if (month < 1 || month > 12)
		return fail_range(err, "month must be in 1..12");
	*day = day_number(year, month, of_month);
	return (of_month >= 1 && of_month <= month_days(year, month)) ||
	       fail_range(err, "day is out of range for month");
}

static bool read_date(struct cursor *c, int64_t *day, bool *well_formed, struct at_error *err)
{
	bool dashes;
	int year;

	*well_formed = digits(c, 4, &year);
	if (!*well_formed)
		return false;
	dashes = take(c, '-');
	if (year == 0)
		return fail_range(err, "year 0 is out of range");
	return take(c, 'W') ? week_date(c, dashes, year, day, well_formed, err)
			    : calendar_date(c, dashes, year, day, well_formed, err);
}

struct clock {
	int part[3]; /* hours, minutes, seconds */
	int32_t nanoseconds;
};

static bool fraction(struct cursor *c, int32_t *out)
{
	int32_t unit = 100000000;
	const char *first = c->at;

	for (*out = 0; c->at != c->end && *c->at >= '0' && *c->at <= '9'; c->at++, unit /= 10)
		*out += (*c->at - '0') * unit;
	return c->at != first;
}

/* HH[[:]MM[[:]SS[(.|,)fraction]]]: with colons throughout, or without. */
static bool read_clock(struct cursor *c, struct clock *out)
{
	bool colons = false;

	*out = (struct clock){ .nanoseconds = 0 };
	for (int i = 0; i < 3; i++) {
		if (i && (c->at == c->end || *c->at == '+' || *c->at == '-' || *c->at == 'Z'))
			return true;
		if (i == 1)
			colons = take(c, ':');
		else if (i == 2 && colons != take(c, ':'))
			return false;
		if (!digits(c, 2, &out->part[i]))
			return false;
	}
	if (take(c, '.') || take(c, ','))
		return fraction(c, &out->nanoseconds);
	return true;
}

static bool check_clock(const struct clock *clock, struct at_error *err)
{
	static const struct {
		int limit;
		const char *message;
	} rows[] = {
		{ 24, "hour must be in 0..23" },
		{ 60, "minute must be in 0..59" },
		{ 60, "second must be in 0..59" },
	};

	for (int i = 0; i < 3; i++)
		if (clock->part[i] >= rows[i].limit)
			return fail_range(err, rows[i].message);
	return true;
}

static int64_t in_seconds(const struct clock *clock)
{
	return (int64_t)clock->part[0] * 3600 + clock->part[1] * 60 + clock->part[2];
}

static bool read_offset(struct cursor *c, struct clock *out, int *sign)
{
	*sign = 0;
	*out = (struct clock){ .nanoseconds = 0 };
	if (c->at == c->end)
		return true;
	if (take(c, 'Z'))
		return c->at == c->end;
	*sign = take(c, '+') ? 1 : take(c, '-') ? -1 : 0;
	return *sign && read_clock(c, out) && c->at == c->end;
}

static void shift(struct at_time *time, const struct clock *offset, int sign)
{
	time->seconds -= sign * in_seconds(offset);
	time->nanoseconds -= sign * offset->nanoseconds;
	if (time->nanoseconds < 0) {
		time->nanoseconds += 1000000000;
		time->seconds--;
	} else if (time->nanoseconds >= 1000000000) {
		time->nanoseconds -= 1000000000;
		time->seconds++;
	}
}

bool at_time_read(struct at_time *out, struct at_bytes text, struct at_error *err)
{
	struct clock clock = { .nanoseconds = 0 }, offset = { .nanoseconds = 0 };
	bool well_formed, has_time;
	struct cursor c;
	int64_t day = 0;
	int sign = 0;

	text = at_field_strip(text);
	c = (struct cursor){ text.data, text.data + text.len };
	*out = (struct at_time){ 0 };
	if (!read_date(&c, &day, &well_formed, err))
		return well_formed ? false : fail_form(err, text);
	has_time = take(&c, 'T') || take(&c, ' ');
	/* An offset without a time is read as a time by the reference: here it is none, but for Z. */
	if (has_time ? !read_clock(&c, &clock) || !read_offset(&c, &offset, &sign)
		     : (take(&c, 'Z'), c.at != c.end))
		return fail_form(err, text);
	if (!check_clock(&clock, err))
		return false;
	if (offset.part[1] > 59 || offset.part[2] > 59 || in_seconds(&offset) >= 86400)
		return fail_range(err, "offset must be strictly between -24 and 24 hours");
	*out = (struct at_time){ day * 86400 + in_seconds(&clock), clock.nanoseconds };
	shift(out, &offset, sign);
	return true;
}

struct at_time at_time_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (struct at_time){ now.tv_sec, (int32_t)now.tv_nsec };
}

bool at_time_is_after(struct at_time a, struct at_time b)
{
	return a.seconds > b.seconds || (a.seconds == b.seconds && a.nanoseconds > b.nanoseconds);
}

int64_t at_time_days(struct at_time now, struct at_time then)
{
	int64_t seconds = then.seconds - now.seconds - (then.nanoseconds < now.nanoseconds);

	return seconds >= 0 ? seconds / 86400 : -((-seconds + 86399) / 86400);
}

void at_time_put(struct at_buf *out, struct at_time time)
{
	time_t seconds = (time_t)time.seconds;
	struct tm tm;

	gmtime_r(&seconds, &tm);
	at_buf_printf(out, "%04d-%02d-%02dT%02d:%02d:%02d", tm.tm_year + 1900, tm.tm_mon + 1,
		tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (time.nanoseconds / 1000)
		at_buf_printf(out, ".%06d", (int)(time.nanoseconds / 1000));
	at_buf_puts(out, "+00:00");
}
