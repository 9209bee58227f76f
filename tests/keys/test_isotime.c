/* The times of reference-ledgers 1.6; what each comes to was asked of Python 3.11. */
#include <string.h>

#include "support/support.h"

#include "keys/isotime.h"

static void key_7_times_are_read_as_the_reference_does(void **state)
{
	static const struct {
		const char *in;
		long long seconds;
		int nanoseconds;
		const char *error; /* NULL: read */
	} rows[] = {
		{ "2099-01-01T00:00:00Z", 4070908800, 0, NULL },
		{ "2099-01-01T00:00:00+02:00", 4070901600, 0, NULL },
		{ "2099-06-30T12:00:00+02:00", 4086496800, 0, NULL },
		{ "2099-01-01T00:00:00.123456789Z", 4070908800, 123456789, NULL },
		{ "2099-01-01T00:00:00.5Z", 4070908800, 500000000, NULL },
		{ "2099-01-01T00:00:00,25", 4070908800, 250000000, NULL },
		{ "2099-01-01 00:00:00Z", 4070908800, 0, NULL },
		{ "2099-12-31", 4102358400, 0, NULL },
		{ "2099-12-31T23:59:59", 4102444799, 0, NULL },
		{ "20990101T000000Z", 4070908800, 0, NULL },
		{ "20990101", 4070908800, 0, NULL },
		{ "2099-W01-1", 4070649600, 0, NULL },
		{ "2099-W01", 4070649600, 0, NULL },
		{ "2099W011", 4070649600, 0, NULL },
		{ "2099W01", 4070649600, 0, NULL },
		{ "2020-W53-7", 1609632000, 0, NULL },
		{ "2020W537", 1609632000, 0, NULL },
		{ "2099-W53-1", 4102099200, 0, NULL },
		{ "2021-W53-1", 0, 0, "Invalid isoformat string: '2021-W53-1'" },
		{ "2099-W00-1", 0, 0, "Invalid isoformat string: '2099-W00-1'" },
		{ "2099-W54-1", 0, 0, "Invalid isoformat string: '2099-W54-1'" },
		{ "2099-W01-0", 0, 0, "Invalid isoformat string: '2099-W01-0'" },
		{ "2099-W01-8", 0, 0, "Invalid isoformat string: '2099-W01-8'" },
		{ "2099-W01T10", 4070685600, 0, NULL },
		{ "2099W011T10:30", 4070687400, 0, NULL },
		{ " 2099-01-01T00:00:00Z ", 4070908800, 0, NULL },
		{ "2099-01-01Z", 4070908800, 0, NULL },
		{ "2099-01-01T10", 4070944800, 0, NULL },
		{ "2099-01-01T10+01", 4070941200, 0, NULL },
		{ "2099-01-01T10:30", 4070946600, 0, NULL },
		{ "2099-01-01T1030", 4070946600, 0, NULL },
		{ "2099-01-01T101010.5+0130", 4070940010, 500000000, NULL },
		{ "2099-01-01T10:10:10+0130", 4070940010, 0, NULL },
		{ "2099-01-01T00:00:00+01:02:03", 4070905077, 0, NULL },
		{ "2099-01-01T00:00:00+01:02:03.5", 4070905076, 500000000, NULL },
		{ "2099-01-01T00:00:00-00:00", 4070908800, 0, NULL },
		{ "2099-01-01T00:00:00-23:59", 4070995140, 0, NULL },
		{ "2099-01-01T00:00:00+24:00", 0, 0, "offset must be strictly between -24 and 24 hours" },
		{ "2099-01-01T00:00:00+23:60", 0, 0, "offset must be strictly between -24 and 24 hours" },
		{ "2099-01-01T00:00:00+2500", 0, 0, "offset must be strictly between -24 and 24 hours" },
		{ "2099-01-01T00:00:00z", 0, 0, "Invalid isoformat string: '2099-01-01T00:00:00z'" },
		{ "2099-01-01t00:00:00Z", 0, 0, "Invalid isoformat string: '2099-01-01t00:00:00+00:00'" }, /* stricter */
		{ "", 0, 0, "Invalid isoformat string: ''" },
		{ "soon", 0, 0, "Invalid isoformat string: 'soon'" },
		{ "not-a-date", 0, 0, "Invalid isoformat string: 'not-a-date'" },
		{ "Z", 0, 0, "Invalid isoformat string: '+00:00'" },
		{ "2099", 0, 0, "Invalid isoformat string: '2099'" },
		{ "2099-1-1", 0, 0, "Invalid isoformat string: '2099-1-1'" },
		{ "2099-001", 0, 0, "Invalid isoformat string: '2099-001'" },
		{ "2099-0101", 0, 0, "Invalid isoformat string: '2099-0101'" },
		{ "209901-01", 0, 0, "Invalid isoformat string: '209901-01'" },
		{ "2099-13-01", 0, 0, "month must be in 1..12" },
		{ "2099-00-01", 0, 0, "month must be in 1..12" },
		{ "2099-02-29", 0, 0, "day is out of range for month" },
		{ "2096-02-29", 3981312000, 0, NULL },
		{ "2000-02-29", 951782400, 0, NULL },
		{ "1900-02-29", 0, 0, "day is out of range for month" },
		{ "2099-04-31", 0, 0, "day is out of range for month" },
		{ "2099-01-00", 0, 0, "day is out of range for month" },
		{ "2099-01-01T24:00:00Z", 0, 0, "hour must be in 0..23" },
		{ "2099-01-01T00:60", 0, 0, "minute must be in 0..59" },
		{ "2099-01-01T00:00:60Z", 0, 0, "second must be in 0..59" },
		{ "2099-01-01T", 0, 0, "Invalid isoformat string: '2099-01-01T'" },
		{ "2099-01-01T1", 0, 0, "Invalid isoformat string: '2099-01-01T1'" },
		{ "2099-01-01T10:", 0, 0, "Invalid isoformat string: '2099-01-01T10:'" },
		{ "2099-01-01T10:1", 0, 0, "Invalid isoformat string: '2099-01-01T10:1'" },
		{ "2099-01-01T10:1010", 0, 0, "Invalid isoformat string: '2099-01-01T10:1010'" },
		{ "2099-01-01T1010:10", 0, 0, "Invalid isoformat string: '2099-01-01T1010:10'" },
		{ "2099-01-01T10:10:10.", 0, 0, "Invalid isoformat string: '2099-01-01T10:10:10.'" },
		{ "2099-01-01T10:10:10,", 0, 0, "Invalid isoformat string: '2099-01-01T10:10:10,'" },
		{ "2099-01-01T10:10:10Z+00:00", 0, 0, "Invalid isoformat string: '2099-01-01T10:10:10Z+00:00'" },
		{ "2099-01-01T10:10:10ZZ", 0, 0, "Invalid isoformat string: '2099-01-01T10:10:10Z+00:00'" },
		{ "2099-01-01T10:10:10+", 0, 0, "Invalid isoformat string: '2099-01-01T10:10:10+'" },
		{ "2099-01-01T10:10:10+1", 0, 0, "Invalid isoformat string: '2099-01-01T10:10:10+1'" },
		{ "2099-01-01T10:10:10 +01:00", 0, 0,
			"Invalid isoformat string: '2099-01-01T10:10:10 +01:00'" }, /* stricter */
		{ "2099-01-01T-1:00", 0, 0, "Invalid isoformat string: '2099-01-01T-1:00'" },
		{ "-2099-01-01", 0, 0, "Invalid isoformat string: '-2099-01-01'" },
		{ "+2099-01-01", 0, 0, "Invalid isoformat string: '+2099-01-01'" },
		{ "0000-01-01", 0, 0, "year 0 is out of range" },
		{ "0001-01-01", -62135596800, 0, NULL },
		{ "0001-01-01T00:00:00+23:59", -62135683140, 0, NULL },
		{ "9999-12-31T23:59:59.999999-23:59", 253402387139, 999999000, NULL },
		{ "9999-W52-7", 0, 0, "year 10000 is out of range" },
		{ "10000-01-01", 0, 0, "Invalid isoformat string: '10000-01-01'" },
		{ "99999999999999", 0, 0, "month must be in 1..12" }, /* another word for it */
		{ "1969-12-31T23:59:59.5Z", -1, 500000000, NULL },
		{ "1970-01-01", 0, 0, NULL },
		{ "2099-01-01T10:10.5", 0, 0, "Invalid isoformat string: '2099-01-01T10:10.5'" }, /* stricter */
		{ "2099-01-01+05:00", 0, 0, "Invalid isoformat string: '2099-01-01+05:00'" }, /* stricter */
		{ "2099-01-01x10:00", 0, 0, "Invalid isoformat string: '2099-01-01x10:00'" }, /* stricter */
		{ "2099-01-01  10:00", 0, 0, "Invalid isoformat string: '2099-01-01  10:00'" },
		{ "2099-01-01T10:00:00 Z", 0, 0,
			"Invalid isoformat string: '2099-01-01T10:00:00 +00:00'" }, /* stricter */
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_error err = { 0 };
		struct at_time time;
		bool done = at_time_read(&time, at_bytes_of(rows[i].in), &err);

		if (done != !rows[i].error)
			fail_msg("row %zu `%s`: %s", i, rows[i].in, done ? "read" : err.message);
		if (done ? time.seconds != rows[i].seconds || time.nanoseconds != rows[i].nanoseconds
			 : strcmp(err.message, rows[i].error) != 0)
			fail_msg("row %zu `%s`: %lld %d %s", i, rows[i].in, (long long)time.seconds,
				(int)time.nanoseconds, err.message);
	}
}

static void key_7_days_left(void **state)
{
	static const struct {
		struct at_time now, then;
		long long days;
	} rows[] = {
		{ { 0, 0 }, { 86400, 0 }, 1 }, { { 0, 0 }, { 86399, 0 }, 0 }, { { 0, 0 }, { 0, 0 }, 0 },
		{ { 0, 1 }, { 86400, 0 }, 0 }, { { 0, 1 }, { 0, 0 }, -1 }, { { 1, 0 }, { 0, 0 }, -1 },
		{ { 86400, 0 }, { 0, 0 }, -1 }, { { 86401, 0 }, { 0, 0 }, -2 },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, at_time_days(rows[i].now, rows[i].then) == rows[i].days);
}

static void key_7_times_are_written_as_the_reference_does(void **state)
{
	static const struct {
		struct at_time time;
		const char *text;
	} rows[] = {
		{ { 1790812800, 0 }, "2026-10-01T00:00:00+00:00" },
		{ { 1790812800, 1000 }, "2026-10-01T00:00:00.000001+00:00" },
		{ { 1790812800, 999 }, "2026-10-01T00:00:00+00:00" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf out = { 0 };

		at_time_put(&out, rows[i].time);
		if (strcmp(at_buf_text(&out), rows[i].text) != 0)
			fail_msg("row %zu: %s", i, at_buf_text(&out));
		at_buf_free(&out);
	}
}

int test_isotime(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_7_times_are_read_as_the_reference_does),
		cmocka_unit_test(key_7_days_left),
		cmocka_unit_test(key_7_times_are_written_as_the_reference_does),
	};

	return cmocka_run_group_tests_name("isotime", tests, NULL, NULL);
}
