#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "tui/search.h"

#define ROWS 97

/* Rows in one buffer, with a sign between them that a search must not take for their text. */
struct sample {
	char text[ROWS * 160];
	struct at_bytes rows[ROWS];
};

static void make(struct sample *sample)
{
	static const char *const words[] = { "Request", "request_x", "REQUEST", "rest", "-r", "",
		"quest", "a request that is a request and longer than one block of the search is" };
	size_t at = 0;

	for (size_t i = 0; i < ROWS; i++) {
		int len;

		sample->text[at++] = i % 3 ? '-' : 'r';
		len = snprintf(sample->text + at, 160, "%s%s", words[i * 7 % AT_LEN(words)],
			i % 5 ? "" : words[i * 5 % AT_LEN(words)]);
		sample->rows[i] = (struct at_bytes){ sample->text + at, (size_t)len };
		at += (size_t)len;
		sample->text[at++] = '\n';
	}
}

static struct at_bytes row_of(void *user, size_t row)
{
	return ((struct sample *)user)->rows[row];
}

static const struct at_search_source kinds[] = {
	{ .count = ROWS, .text = row_of },
	{ .count = ROWS, .text = row_of, .flat = row_of },
};

static const char *const wanted[] = { "r", "re", "req", "request", "Request", "-r", "quest_x",
	"not there", "request that is a request", "t", "longer than one block of the search is" };

/* Letter by letter, without anything clever. */
static bool has(struct at_bytes row, const char *want)
{
	bool fold = !strpbrk(want, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	size_t len = strlen(want);

	for (size_t i = 0; i + len <= row.len; i++) {
		if (fold ? strncasecmp(row.data + i, want, len) == 0
			 : memcmp(row.data + i, want, len) == 0)
			return true;
	}
	return false;
}

static void expect_rows(
	const struct at_search *search, const struct sample *sample, const char *want)
{
	const struct at_search_part *above = &search->above, *below = &search->below;
	size_t at = 0;

	for (size_t i = 0; i < ROWS; i++) {
		size_t row;

		if (!has(sample->rows[i], want))
			continue;
		assert_true(at < at_search_count(search));
		row = at < above->count ? above->rows[at] : below->rows[at - above->count];
		assert_row(i, row == i);
		at++;
	}
	assert_int_equal(at, at_search_count(search));
}

static void finish(struct at_search *search, const struct at_search_source *source, size_t budget)
{
	size_t turns = 0;

	while (!at_search_more(search, source, budget))
		assert_true(turns++ < 100000);
	assert_true(at_search_is_done(search, ROWS));
}

/* Slices of any size, from any row on, find what is there. */
static void slices_find_what_a_whole_search_finds(void **state)
{
	static const size_t budgets[] = { 1, 64, 65, 100, 500, 4096, SIZE_MAX };
	struct sample sample;
	struct at_search search = { 0 };

	make(&sample);
	for (size_t k = 0; k < AT_LEN(kinds); k++) {
		struct at_search_source source = kinds[k];

		source.user = &sample;
		for (size_t i = 0; i < AT_LEN(wanted) * AT_LEN(budgets) * 4; i++) {
			const char *want = wanted[i % AT_LEN(wanted)];
			size_t first = i / AT_LEN(wanted) % 4 * (ROWS / 3);

			at_search_clear(&search);
			at_search_start(&search, at_bytes_of(want), first);
			finish(&search, &source, budgets[i / AT_LEN(wanted) / 4]);
			expect_rows(&search, &sample, want);
		}
	}
	at_search_clear(&search);
}

/* Typed on or over at any moment: as if it were searched anew. */
static void narrowing_equals_a_fresh_search(void **state)
{
	static const char *const typed[][4] = {
		{ "r", "re", "req", "request" },
		{ "e", "que", "quest", "Request" },
		{ "request", "request", "re", "rest" },
		{ "R", "RE", "r", "-r" },
		{ "t", "", "t", "st" },
	};
	struct sample sample;
	struct at_search search = { 0 };

	make(&sample);
	for (size_t k = 0; k < AT_LEN(kinds); k++) {
		struct at_search_source source = kinds[k];

		source.user = &sample;
		for (size_t i = 0; i < AT_LEN(typed) * 60; i++) {
			const char *const *texts = typed[i % AT_LEN(typed)];

			at_search_clear(&search);
			for (size_t t = 0; t < 4; t++) {
				at_search_start(&search, at_bytes_of(texts[t]), 40);
				for (size_t turn = 0; turn < i / AT_LEN(typed); turn++)
					at_search_more(&search, &source, 150);
			}
			finish(&search, &source, 150);
			expect_rows(&search, &sample, texts[3]);
		}
	}
	at_search_clear(&search);
}

/* A part of a search answers as the whole will, or says that it does not know yet. */
static void a_part_never_answers_wrongly(void **state)
{
	struct sample sample;
	struct at_search whole = { 0 }, part = { 0 };
	struct at_search_source source = kinds[0];

	make(&sample);
	source.user = &sample;
	for (size_t i = 0; i < AT_LEN(wanted); i++) {
		at_search_run(&whole, at_bytes_of(wanted[i]), &source);
		at_search_clear(&part);
		at_search_start(&part, at_bytes_of(wanted[i]), 50);
		for (bool done = false; !done;) {
			done = at_search_more(&part, &source, 300);
			for (size_t from = 0; from <= 2 * ROWS; from++) {
				bool forward = from % 2, wraps, wraps_too;
				size_t want =
					at_search_step(&whole, ROWS, from / 2, forward, &wraps);
				size_t got =
					at_search_step(&part, ROWS, from / 2, forward, &wraps_too);

				assert_row(from, got == want || (!done && got == AT_SEARCH_LATER));
				assert_row(from, got != want || wraps == wraps_too);
			}
		}
	}
	at_search_clear(&whole);
	at_search_clear(&part);
}

/* Rows that come later are searched without looking at the first ones again. */
static void more_rows_are_searched_on(void **state)
{
	struct sample sample;
	struct at_search search = { 0 };

	make(&sample);
	for (size_t k = 0; k < AT_LEN(kinds); k++) {
		struct at_search_source source = kinds[k];

		source.user = &sample;
		at_search_clear(&search);
		at_search_start(&search, at_bytes_of("request"), 30);
		for (source.count = 40; source.count < ROWS; source.count += 19) {
			while (!at_search_more(&search, &source, 200))
				;
			assert_int_equal(search.below.next, source.count);
		}
		source.count = ROWS;
		finish(&search, &source, 200);
		expect_rows(&search, &sample, "request");
	}
	at_search_clear(&search);
}

int test_search(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_find_what_a_whole_search_finds),
		cmocka_unit_test(narrowing_equals_a_fresh_search),
		cmocka_unit_test(a_part_never_answers_wrongly),
		cmocka_unit_test(more_rows_are_searched_on),
	};

	return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
