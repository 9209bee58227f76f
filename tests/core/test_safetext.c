#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "core/safetext.h"

/* STG-2: everything that hides, moves or controls becomes visible. `marks` in brackets here are
 * what a mark span holds; the plain text stands for itself. */
static const struct {
	const char *name, *in;
	size_t len; /* 0: strlen */
	const char *out;
	unsigned marks;
} rows[] = {
	{ "plain", "hello, world", 0, "hello, world", 0 },
	{ "empty", "", 0, "", 0 },
	{ "nul", "a\0b", 3, "a[^@]b", 1 },
	{ "escape", "\033[31mred", 0, "[^[][31mred", 1 },
	{ "osc 52", "\033]52;c;eA==\a", 0, "[^[]]52;c;eA==[^G]", 2 },
	{ "newline inside", "a\nb", 0, "a[^J]b", 1 },
	{ "cr at the end", "line\r", 0, "line[^M]", 1 },
	{ "backspace", "ab\b", 0, "ab[^H]", 1 },
	{ "del", "a\177", 0, "a[^?]", 1 },
	{ "c1 raw", "a\x9b" "31m", 0, "a[<9B>]31m", 1 },
	{ "c1 as utf-8", "a\xc2\x9b" "31m", 0, "a[<9B>]31m", 1 },
	{ "invalid", "a\xff" "b", 0, "a[<FF>]b", 1 },
	{ "overlong slash", "\xc0\xaf", 0, "[<C0>][<AF>]", 2 },
	{ "surrogate", "\xed\xa0\x80", 0, "[<ED>][<A0>][<80>]", 3 },
	{ "too high", "\xf4\x90\x80\x80", 0, "[<F4>][<90>][<80>][<80>]", 4 },
	{ "cut short", "a\xe2\x82", 0, "a[<E2>][<82>]", 2 },
	{ "rlo", "a\xe2\x80\xae" "b", 0, "a[<U+202E RLO>]b", 1 },
	{ "lri", "\xe2\x81\xa6", 0, "[<U+2066 LRI>]", 1 },
	{ "alm", "\xd8\x9c", 0, "[<U+061C ALM>]", 1 },
	{ "zwsp", "a\xe2\x80\x8b", 0, "a[<U+200B ZWSP>]", 1 },
	{ "zwj", "a\xe2\x80\x8d", 0, "a[<U+200D ZWJ>]", 1 },
	{ "bom", "\xef\xbb\xbfx", 0, "[<U+FEFF BOM>]x", 1 },
	{ "word joiner", "\xe2\x81\xa0", 0, "[<U+2060 WJ>]", 1 },
	{ "soft hyphen", "a\xc2\xad" "b", 0, "a[<U+00AD SHY>]b", 1 },
	{ "tag", "\xf3\xa0\x81\x81", 0, "[<U+E0041 TAG>]", 1 },
	{ "variation selector", "a\xef\xb8\x80", 0, "a[<U+FE00 VS>]", 1 },
	{ "selector on a letter", "a\xef\xb8\x8f", 0, "a[<U+FE0F VS>]", 1 },
	{ "selector on an emoji", "\xe2\x98\x80\xef\xb8\x8f", 0, "\xe2\x98\x80\xef\xb8\x8f", 0 },
	{ "two selectors", "\xe2\x98\x80\xef\xb8\x8f\xef\xb8\x80", 0,
		"\xe2\x98\x80\xef\xb8\x8f[<U+FE00 VS>]", 1 },
	{ "selector supplement", "a\xf3\xa0\x84\x80", 0, "a[<U+E0100 VS>]", 1 },
	{ "line separator", "a\xe2\x80\xa8" "b", 0, "a[<U+2028 LS>]b", 1 },
	{ "paragraph separator", "\xe2\x80\xa9", 0, "[<U+2029 PS>]", 1 },
	{ "nbsp", "a\xc2\xa0" "b", 0, "a[<U+00A0 NBSP>]b", 1 },
	{ "ideographic space", "\xe3\x80\x80", 0, "[<U+3000 SPACE>]", 1 },
	{ "hangul filler", "\xe3\x85\xa4", 0, "[<U+3164 FILLER>]", 1 },
	{ "braille blank", "\xe2\xa0\x80", 0, "[<U+2800 BLANK>]", 1 },
	{ "private use", "\xee\x80\x80", 0, "[<U+E000>]", 1 },
	{ "unassigned", "\xcd\xb8", 0, "[<U+0378>]", 1 },
	{ "noncharacter", "\xef\xbf\xbf", 0, "[<U+FFFF>]", 1 },
	{ "umlaut", "caf\xc3\xa9", 0, "caf\xc3\xa9", 0 },
	{ "accent joins", "e\xcc\x81", 0, "e\xcc\x81", 0 },
	{ "accent alone", "\xcc\x81" "e", 0, "[<U+0301>]e", 1 },
	{ "accent after a mark", "\033\xcc\x81", 0, "[^[][<U+0301>]", 2 },
	{ "five accents", "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81", 0,
		"e\xcc\x81\xcc\x81\xcc\x81\xcc\x81[<U+0301>]", 1 },
	{ "wide", "\xe6\xbc\xa2\xe5\xad\x97", 0, "\xe6\xbc\xa2\xe5\xad\x97", 0 },
	{ "tab", "a\tb", 0, "a[\xe2\x86\x92]      b", 0 },
	{ "tab before a stop", "1234567\tb", 0, "1234567[\xe2\x86\x92]b", 0 },
};

static void flatten(const struct at_spans *spans, struct at_buf *out)
{
	unsigned width = 0;

	at_buf_free(out);
	for (size_t i = 0; i < spans->count; i++) {
		if (spans->items[i].mark)
			at_buf_putc(out, '[');
		at_buf_put(out, spans->items[i].text, spans->items[i].len);
		if (spans->items[i].mark)
			at_buf_putc(out, ']');
		width += spans->items[i].width;
	}
	assert_int_equal(width, spans->width);
}

static void stg_2_nothing_hides(void **state)
{
	struct at_spans spans = { 0 };
	struct at_buf flat = { 0 };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_bytes in = { rows[i].in, rows[i].len ? rows[i].len : strlen(rows[i].in) };

		at_spans_clear(&spans);
		at_spans_add(&spans, in, 8, 0, true);
		flatten(&spans, &flat);
		if (strcmp(at_buf_text(&flat), rows[i].out) != 0 || spans.marks != rows[i].marks)
			fail_msg("%s: %s (%u marks)", rows[i].name, at_buf_text(&flat), spans.marks);
	}
	at_spans_free(&spans);
	at_buf_free(&flat);
}

/* STG-2: whatever the bytes, spans hold printable UTF-8 and lose nothing but themselves. */
static void stg_2_random_bytes_are_safe(void **state)
{
	struct at_spans spans = { 0 };
	unsigned seed = 7;
	char in[64];

	for (int round = 0; round < 20000; round++) {
		at_spans_clear(&spans);
		for (size_t i = 0; i < sizeof(in); i++) {
			seed = seed * 1103515245u + 12345u;
			in[i] = (char)(seed >> 16);
		}
		at_spans_add(&spans, (struct at_bytes){ in, 1 + seed % sizeof(in) }, 8, 0, round & 1);
		assert_true(at_utf8_is_valid(at_buf_bytes(&spans.text), NULL));
		for (size_t i = 0; i < spans.text.len; i++) {
			unsigned char c = (unsigned char)spans.text.data[i];

			assert_true(c >= 0x20 && c != 0x7f);
			assert_true((round & 1) || c < 0x80);
			assert_false(c == 0xc2 && (unsigned char)spans.text.data[i + 1] < 0xa0);
		}
	}
	at_spans_free(&spans);
}

static void stg_2_long_lines_fold_and_say_so(void **state)
{
	struct at_spans spans = { 0 };
	struct at_buf text = { 0 };

	at_buf_pad(&text, 'x', 99);
	at_buf_puts(&text, "\xe6\xbc\xa2 and more");
	at_spans_add(&spans, at_buf_bytes(&text), 8, 100, true);
	assert_int_equal(spans.count, 2);
	assert_int_equal(spans.items[0].len, 99); /* no character is torn */
	assert_true(spans.items[1].mark);
	assert_memory_equal(spans.items[1].text, "\xe2\x80\xa6 +12 bytes", 13);
	assert_int_equal(spans.items[1].width, 11);
	at_spans_free(&spans);
	at_buf_free(&text);
}

static void stg_2_ascii_locale(void **state)
{
	struct at_spans spans = { 0 };
	struct at_buf flat = { 0 };

	at_spans_add(&spans, at_bytes_of("\xc3\xa9\t\xe6\xbc\xa2"), 0, 0, false);
	flatten(&spans, &flat);
	assert_string_equal(at_buf_text(&flat), "[<U+00E9>][^I][<U+6F22>]");
	at_spans_free(&spans);
	at_buf_free(&flat);
}

static void stg_2_plain_form(void **state)
{
	struct at_buf out = { 0 };

	at_safe_text(&out, at_bytes_of("a\tb\n\033[1m\xe2\x80\xae\xff caf\xc3\xa9"), true);
	assert_string_equal(at_buf_text(&out), "a\tb\n^[[1m<U+202E RLO><FF> caf\xc3\xa9");
	out.len = 0;
	at_safe_text(&out, at_bytes_of("a\nb\tc"), false);
	assert_string_equal(at_buf_text(&out), "a^Jb^Ic");
	at_buf_free(&out);
}

static void widths(void **state)
{
	static const struct {
		uint32_t code;
		unsigned width;
	} cells[] = {
		{ 'a', 1 }, { 0xe9, 1 }, { 0x301, 0 }, { 0x6f22, 2 }, { 0x1f600, 2 }, { 0x1161, 0 },
		{ 0x1100, 2 }, { 0xac00, 2 }, { 0x2500, 1 }, { 0x200b, 0 }, { 0x110000, 0 },
	};

	for (size_t i = 0; i < AT_LEN(cells); i++)
		assert_row(i, at_char_width(cells[i].code) == cells[i].width);
}

static void validity(void **state)
{
	size_t bad = 0;

	assert_true(at_utf8_is_valid(at_bytes_of("caf\xc3\xa9"), &bad));
	assert_false(at_utf8_is_valid(at_bytes_of("caf\xc3"), &bad));
	assert_int_equal(bad, 3);
}

int test_safetext(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stg_2_nothing_hides),
		cmocka_unit_test(stg_2_random_bytes_are_safe),
		cmocka_unit_test(stg_2_long_lines_fold_and_say_so),
		cmocka_unit_test(stg_2_ascii_locale),
		cmocka_unit_test(stg_2_plain_form),
		cmocka_unit_test(widths),
		cmocka_unit_test(validity),
	};

	return cmocka_run_group_tests_name("safetext", tests, NULL, NULL);
}
