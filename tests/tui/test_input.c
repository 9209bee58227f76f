#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "tui/input.h"

/* Events as one line of text, so that a table can hold them. */
static void note(void *user, const struct at_event *event)
{
	struct at_buf *out = user;
	char name[24];

	if (out->len)
		at_buf_putc(out, ' ');
	switch (event->kind) {
	case AT_EVENT_KEY:
		at_key_name(name, event->key);
		at_buf_puts(out, name);
		break;
	case AT_EVENT_PASTE:
		at_buf_printf(out, "paste%s(", event->cut ? "-cut" : "");
		if (event->text.len < 100)
			at_buf_put(out, event->text.data, event->text.len);
		else
			at_buf_printf(out, "%zu", event->text.len);
		at_buf_putc(out, ')');
		break;
	case AT_EVENT_FOCUS:
		at_buf_puts(out, event->yes ? "focus" : "blur");
		break;
	case AT_EVENT_MOUSE:
		at_buf_printf(out, "mouse(%d,%d,%d,%d)", event->button, event->x, event->y, event->yes);
		break;
	case AT_EVENT_UNKNOWN:
		at_buf_puts(out, "unknown");
		break;
	default:
		at_buf_puts(out, "impossible");
	}
}

static const struct {
	const char *in, *want; /* flushed at the end */
} rows[] = {
	{ "ab", "a b" },
	{ " ", "Space" },
	{ "\r", "Enter" },
	{ "\t", "Tab" },
	{ "\177", "Backspace" },
	{ "\b", "Backspace" },
	{ "\001\003\032", "C-a C-c C-z" },
	{ "\xc3\xa9", "U+00E9" },
	{ "\xe6\xbc\xa2", "U+6F22" },
	{ "\xf0\x9f\x98\x80", "U+1F600" },
	{ "\xff", "unknown" },
	{ "\xc3" "a", "unknown a" },
	{ "\xc0\xaf", "unknown unknown" },
	{ "\xed\xa0\x80", "unknown" },
	{ "\xc2\x9b" "A", "unknown A" },
	{ "\xe6\xbc", "unknown" },
	{ "\033", "Esc" },
	{ "\033\033", "Esc Esc" },
	{ "\033x", "M-x" },
	{ "\033\r", "M-Enter" },
	{ "\033\xc3\xa9", "M-U+00E9" },
	/* arrows and their kin: xterm, vt, application mode, rxvt, linux */
	{ "\033[A\033[B\033[C\033[D", "Up Down Right Left" },
	{ "\033OA\033OB\033OC\033OD", "Up Down Right Left" },
	{ "\033[H\033[F\033OH\033OF", "Home End Home End" },
	{ "\033[1~\033[4~\033[7~\033[8~", "Home End Home End" },
	{ "\033[2~\033[3~\033[5~\033[6~", "Insert Delete PgUp PgDn" },
	{ "\033[Z", "S-Tab" },
	{ "\033[1;5A", "C-Up" },
	{ "\033[1;2C\033[1;3D\033[1;6H", "S-Right M-Left C-S-Home" },
	{ "\033[3;5~", "C-Delete" },
	{ "\033\033[A", "M-Up" },
	{ "\033[a\033Oa", "S-Up C-Up" },
	{ "\033[5^\033[5$\033[5@", "C-PgUp S-PgUp C-S-PgUp" },
	{ "\033OP\033OQ\033OR\033OS", "F1 F2 F3 F4" },
	{ "\033[11~\033[15~\033[17~\033[21~\033[24~", "F1 F5 F6 F10 F12" },
	{ "\033[[A\033[[E", "F1 F5" },
	{ "\033[1;2P\033[15;5~", "S-F1 C-F5" },
	{ "\033OM\033Oq\033Oy", "Enter 1 9" },
	{ "\033[97;5u\033[27;5;97~", "C-a C-a" },
	{ "\033[27u\033[13;2u\033[65;2u", "Esc S-Enter A" },
	/* reports */
	{ "\033[I\033[O", "focus blur" },
	{ "\033[<0;5;7M\033[<0;5;7m", "mouse(0,4,6,1) mouse(0,4,6,0)" },
	{ "\033[<64;1;1M", "mouse(64,0,0,1)" },
	{ "\033[<0;0;0M", "unknown" },
	{ "\033[<1M", "unknown" },
	{ "\033[M !!a", "unknown a" },
	/* one unknown, never its letters */
	{ "\033[99~a", "unknown a" },
	{ "\033[?1;2ca", "unknown a" },
	{ "\033[1;1Ra", "F3 a" },
	{ "\033[>0;276;0ca", "unknown a" },
	{ "\033[12 qa", "unknown a" },
	{ "\033]52;c;eA==\007a", "unknown a" },
	{ "\033]0;t\033\\a", "unknown a" },
	{ "\033P1$r0m\033\\a", "unknown a" },
	{ "\033_x\033\\a", "unknown a" },
	{ "\033[1;5", "unknown" },
	{ "\033[1\033[A", "unknown Up" },
	{ "\033[", "M-[" },
	{ "\033O", "M-O" },
	{ "\033[99999999999999999999999999~a", "unknown a" },
	{ "\033[1;99999999999999A", "Up" },
	{ "\033[57399u", "unknown" },
	/* paste */
	{ "\033[200~hi\r\033[A\003q\033[201~z", "paste(hi\r\033[A\003q) z" },
	{ "\033[200~\033[201~", "paste()" },
	{ "\033[200~a\033\033[201~", "paste(a\033)" },
	{ "\033[200~a\033[201", "paste-cut(a)" },
	{ "\033[201~", "unknown" },
};

static void decodes(void **state)
{
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_input in = { 0 };
		struct at_buf out = { 0 };

		at_input_feed(&in, rows[i].in, strlen(rows[i].in), note, &out);
		at_input_flush(&in, note, &out);
		if (strcmp(at_buf_text(&out), rows[i].want) != 0)
			fail_msg("row %zu: %s, not %s", i, at_buf_text(&out), rows[i].want);
		assert_int_equal(at_input_patience(&in, 50), -1);
		at_buf_free(&out);
		at_input_free(&in);
	}
}

/* However a slow line tears the bytes, the events are the same. */
static void torn_anywhere_is_the_same(void **state)
{
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		size_t len = strlen(rows[i].in);

		for (size_t cut = 1; cut < len; cut++) {
			struct at_input in = { 0 };
			struct at_buf out = { 0 };

			at_input_feed(&in, rows[i].in, cut, note, &out);
			at_input_feed(&in, rows[i].in + cut, len - cut, note, &out);
			at_input_flush(&in, note, &out);
			if (strcmp(at_buf_text(&out), rows[i].want) != 0)
				fail_msg("row %zu torn at %zu: %s", i, cut, at_buf_text(&out));
			at_buf_free(&out);
			at_input_free(&in);
		}
	}
}

static void esc_waits_as_long_as_the_caller_says(void **state)
{
	struct at_input in = { 0 };
	struct at_buf out = { 0 };

	at_input_feed(&in, "\033", 1, note, &out);
	assert_int_equal(out.len, 0);
	assert_int_equal(at_input_patience(&in, 35), 35);
	at_input_feed(&in, "[A", 2, note, &out);
	assert_string_equal(at_buf_text(&out), "Up");
	at_input_feed(&in, "\033[200~x", 7, note, &out);
	assert_true(at_input_patience(&in, 35) > 1000); /* a pause in a paste is no end of it */
	at_input_free(&in);
	at_buf_free(&out);
}

static void a_huge_paste_is_bounded(void **state)
{
	struct at_input in = { 0 };
	struct at_buf out = { 0 }, big = { 0 };

	at_buf_puts(&big, "\033[200~");
	at_buf_pad(&big, 'x', AT_PASTE_CAP + 999);
	at_buf_puts(&big, "\033[201~k");
	at_input_feed(&in, big.data, big.len, note, &out);
	assert_string_equal(at_buf_text(&out), "paste-cut(65536) k");
	at_input_free(&in);
	at_buf_free(&out);
	at_buf_free(&big);
}

static void count(void *user, const struct at_event *event)
{
	++*(size_t *)user;
	if (event->kind == AT_EVENT_KEY) {
		assert_true(event->key.code <= AT_KEY_F20);
		assert_false(event->key.code >= 0xd800 && event->key.code <= 0xdfff);
	}
}

static void garbage_ends_in_ground(void **state)
{
	static const char alphabet[] = "\033\033[[O<;0123456789~MAu$^?\007\\]P \xff\xc3\xe6\x80" "a\001";
	struct at_input in = { 0 };
	unsigned seed = 99;
	size_t events = 0;

	for (int i = 0; i < 400000; i++) {
		seed = seed * 1103515245u + 12345u;
		at_input_feed(&in, &alphabet[(seed >> 16) % (sizeof(alphabet) - 1)], 1, count, &events);
		assert_true(in.len <= sizeof(in.seen));
	}
	at_input_flush(&in, count, &events);
	assert_int_equal(at_input_patience(&in, 50), -1);
	assert_true(events > 1000);
	at_input_free(&in);
}

int test_input(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes),
		cmocka_unit_test(torn_anywhere_is_the_same),
		cmocka_unit_test(esc_waits_as_long_as_the_caller_says),
		cmocka_unit_test(a_huge_paste_is_bounded),
		cmocka_unit_test(garbage_ends_in_ground),
	};

	return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
