#include "tui/input.h"

#include <string.h>

#include "core/mem.h"

/* What the machine is in the middle of. */
enum state {
	GROUND,
	UTF8,
	ESCAPE,
	CSI,      /* ESC [ … final */
	LINUX_FN, /* ESC [ [ letter */
	SS3,      /* ESC O … letter */
	X10,      /* ESC [ M and three bytes */
	STRING,   /* OSC, DCS, APC, PM, SOS up to BEL or ESC \ */
	STRING_ESCAPE,
	PASTE,
};

struct emitter {
	at_event_fn *emit;
	void *user;
};

#define PASTE_START 200
#define PASTE_MS 5000 /* a paste over a slow line may pause, a lost end mark must not hang keys */
#define PARAMS 4
static const char paste_end[] = "\033[201~";

/* ESC [ n ~ (xterm, vt, tmux, linux) and its rxvt forms with ^ $ @. */
static const struct {
	unsigned number;
	uint32_t code;
} by_number[] = {
	{ 1, AT_KEY_HOME },      { 2, AT_KEY_INSERT },     { 3, AT_KEY_DELETE },
	{ 4, AT_KEY_END },       { 5, AT_KEY_PAGE_UP },    { 6, AT_KEY_PAGE_DOWN },
	{ 7, AT_KEY_HOME },      { 8, AT_KEY_END },        { 11, AT_KEY_F1 },
	{ 12, AT_KEY_F1 + 1 },   { 13, AT_KEY_F1 + 2 },    { 14, AT_KEY_F1 + 3 },
	{ 15, AT_KEY_F1 + 4 },   { 17, AT_KEY_F1 + 5 },    { 18, AT_KEY_F1 + 6 },
	{ 19, AT_KEY_F1 + 7 },   { 20, AT_KEY_F1 + 8 },    { 21, AT_KEY_F1 + 9 },
	{ 23, AT_KEY_F1 + 10 },  { 24, AT_KEY_F1 + 11 },   { 25, AT_KEY_F1 + 12 },
	{ 26, AT_KEY_F1 + 13 },  { 28, AT_KEY_F1 + 14 },   { 29, AT_KEY_F1 + 15 },
	{ 31, AT_KEY_F1 + 16 },  { 32, AT_KEY_F1 + 17 },   { 33, AT_KEY_F1 + 18 },
	{ 34, AT_KEY_F1 + 19 },
};

enum where { IN_CSI = 1, IN_SS3 = 2, IN_LINUX = 4 };

/* The letter that ends a sequence. */
static const struct {
	char letter;
	unsigned where;
	uint32_t code;
	unsigned modifiers;
} by_letter[] = {
	{ 'A', IN_CSI | IN_SS3, AT_KEY_UP, 0 },
	{ 'B', IN_CSI | IN_SS3, AT_KEY_DOWN, 0 },
	{ 'C', IN_CSI | IN_SS3, AT_KEY_RIGHT, 0 },
	{ 'D', IN_CSI | IN_SS3, AT_KEY_LEFT, 0 },
	{ 'H', IN_CSI | IN_SS3, AT_KEY_HOME, 0 },
	{ 'F', IN_CSI | IN_SS3, AT_KEY_END, 0 },
	{ 'P', IN_CSI | IN_SS3, AT_KEY_F1, 0 },
	{ 'Q', IN_CSI | IN_SS3, AT_KEY_F1 + 1, 0 },
	{ 'R', IN_CSI | IN_SS3, AT_KEY_F1 + 2, 0 },
	{ 'S', IN_CSI | IN_SS3, AT_KEY_F1 + 3, 0 },
	{ 'Z', IN_CSI, AT_KEY_TAB, AT_MOD_SHIFT },
	{ 'a', IN_CSI, AT_KEY_UP, AT_MOD_SHIFT },
	{ 'b', IN_CSI, AT_KEY_DOWN, AT_MOD_SHIFT },
	{ 'c', IN_CSI, AT_KEY_RIGHT, AT_MOD_SHIFT },
	{ 'd', IN_CSI, AT_KEY_LEFT, AT_MOD_SHIFT },
	{ 'a', IN_SS3, AT_KEY_UP, AT_MOD_CTRL },
	{ 'b', IN_SS3, AT_KEY_DOWN, AT_MOD_CTRL },
	{ 'c', IN_SS3, AT_KEY_RIGHT, AT_MOD_CTRL },
	{ 'd', IN_SS3, AT_KEY_LEFT, AT_MOD_CTRL },
	{ 'M', IN_SS3, AT_KEY_ENTER, 0 },
	{ 'A', IN_LINUX, AT_KEY_F1, 0 },
	{ 'B', IN_LINUX, AT_KEY_F1 + 1, 0 },
	{ 'C', IN_LINUX, AT_KEY_F1 + 2, 0 },
	{ 'D', IN_LINUX, AT_KEY_F1 + 3, 0 },
	{ 'E', IN_LINUX, AT_KEY_F1 + 4, 0 },
};

static void reset(struct at_input *in)
{
	in->state = GROUND;
	in->len = 0;
	in->overlong = false;
	in->alt = false;
	in->left = 0;
}

static void send(struct at_input *in, const struct emitter *to, struct at_event event)
{
	reset(in);
	to->emit(to->user, &event);
}

static void send_key(
	struct at_input *in, const struct emitter *to, uint32_t code, unsigned modifiers)
{
	if (in->alt)
		modifiers |= AT_MOD_ALT;
	send(in, to, (struct at_event){ .kind = AT_EVENT_KEY, .key = { code, modifiers } });
}

static void send_unknown(struct at_input *in, const struct emitter *to)
{
	send(in, to, (struct at_event){ .kind = AT_EVENT_UNKNOWN });
}

static void keep(struct at_input *in, unsigned char byte)
{
	if (in->len < sizeof(in->seen))
		in->seen[in->len++] = byte;
	else
		in->overlong = true;
}

/* A byte below 0x80 outside any sequence. */
static void plain_byte(struct at_input *in, const struct emitter *to, unsigned char byte)
{
	switch (byte) {
	case '\r':
		send_key(in, to, AT_KEY_ENTER, 0);
		return;
	case '\t':
		send_key(in, to, AT_KEY_TAB, 0);
		return;
	case 0x08:
	case 0x7f:
		send_key(in, to, AT_KEY_BACKSPACE, 0);
		return;
	case 0:
		send_key(in, to, ' ', AT_MOD_CTRL);
		return;
	default:
		break;
	}
	if (byte >= 0x20)
		send_key(in, to, byte, 0);
	else if (byte <= 26)
		send_key(in, to, (uint32_t)byte + 'a' - 1, AT_MOD_CTRL);
	else
		send_key(in, to, (uint32_t)byte + '@', AT_MOD_CTRL);
}

static void ground(struct at_input *in, const struct emitter *to, unsigned char byte)
{
	if (byte == 0x1b) {
		in->state = ESCAPE;
	} else if (byte < 0x80) {
		plain_byte(in, to, byte);
	} else if (byte >= 0xc2 && byte <= 0xf4) {
		in->left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
		in->code = byte & (0x3fu >> in->left);
		in->least = in->left == 1 ? 0x80 : in->left == 2 ? 0x800 : 0x10000;
		in->state = UTF8;
	} else {
		send_unknown(in, to);
	}
}

static void in_utf8(struct at_input *in, const struct emitter *to, unsigned char byte)
{
	uint32_t code = in->code << 6 | (byte & 0x3f);

	if ((byte & 0xc0) != 0x80) {
		send_unknown(in, to);
		ground(in, to, byte);
		return;
	}
	in->code = code;
	if (--in->left)
		return;
	if (code < in->least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ||
		(code >= 0x80 && code <= 0x9f))
		send_unknown(in, to);
	else
		send_key(in, to, code, 0);
}

static void escape(struct at_input *in, const struct emitter *to, unsigned char byte)
{
	switch (byte) {
	case '[':
		in->state = CSI;
		return;
	case 'O':
		in->state = SS3;
		return;
	case ']':
	case 'P':
	case '_':
	case '^':
	case 'X':
		in->state = STRING;
		return;
	case 0x1b:
		if (in->alt) { /* a third one: the first stands alone */
			in->alt = false;
			send_key(in, to, AT_KEY_ESCAPE, 0);
			in->state = ESCAPE;
		}
		in->alt = true;
		return;
	default:
		break;
	}
	in->alt = true;
	in->state = GROUND;
	ground(in, to, byte);
}

/* Numbers of a sequence, 0 where none is given; each is capped. */
static size_t read_params(const struct at_input *in, size_t from, unsigned out[PARAMS])
{
	size_t count = 0;

	memset(out, 0, PARAMS * sizeof(*out));
	for (size_t i = from; i < in->len && count < PARAMS; i++) {
		unsigned char c = in->seen[i];

		if (c >= '0' && c <= '9') {
			if (out[count] < 0x200000)
				out[count] = out[count] * 10 + (unsigned)(c - '0');
		} else {
			count++;
		}
	}
	return count < PARAMS ? count + 1 : PARAMS;
}

/* xterm counts modifiers from 1. */
static unsigned modifiers_of(unsigned param)
{
	return param > 1 && param <= 16 ? (param - 1) & 7 : 0;
}

static void mouse(struct at_input *in, const struct emitter *to, unsigned char last)
{
	unsigned param[PARAMS];

	if (read_params(in, 1, param) < 3 || !param[1] || !param[2]) {
		send_unknown(in, to);
		return;
	}
	send(in, to,
		(struct at_event){ .kind = AT_EVENT_MOUSE, .button = (int)param[0],
			.x = (int)param[1] - 1, .y = (int)param[2] - 1, .yes = last == 'M' });
}

static void by_tilde(struct at_input *in, const struct emitter *to, const unsigned param[PARAMS],
	unsigned modifiers)
{
	if (param[0] == PASTE_START) {
		reset(in);
		in->state = PASTE;
		in->paste.len = 0;
		in->paste_end = 0;
		in->paste_cut = false;
		return;
	}
	for (size_t i = 0; i < AT_LEN(by_number); i++) {
		if (by_number[i].number == param[0]) {
			send_key(in, to, by_number[i].code, modifiers | modifiers_of(param[1]));
			return;
		}
	}
	send_unknown(in, to);
}

/* A character sent with its number: ESC [ code ; modifiers u. */
static void by_code(
	struct at_input *in, const struct emitter *to, uint32_t code, unsigned modifiers)
{
	if (modifiers == AT_MOD_SHIFT && code > 0x20 && code < 0x7f)
		modifiers = 0;
	if (code == 27)
		send_key(in, to, AT_KEY_ESCAPE, modifiers);
	else if (code == '\r' || code == '\t' || code == 0x7f || code == 8)
		send_key(in, to,
			code == '\r' ? AT_KEY_ENTER : code == '\t' ? AT_KEY_TAB : AT_KEY_BACKSPACE,
			modifiers);
	else if (code >= 0x20 && code < 0x110000 && !(code >= 0x7f && code <= 0x9f) &&
		!(code >= 0xd800 && code <= 0xdfff) && !(code >= 0xe000 && code <= 0xf8ff))
		send_key(in, to, code, modifiers);
	else
		send_unknown(in, to);
}

static void by_final_letter(struct at_input *in, const struct emitter *to, unsigned char last,
	enum where where, unsigned modifiers)
{
	for (size_t i = 0; i < AT_LEN(by_letter); i++) {
		if ((by_letter[i].where & where) && by_letter[i].letter == (char)last) {
			send_key(in, to, by_letter[i].code, modifiers | by_letter[i].modifiers);
			return;
		}
	}
	send_unknown(in, to);
}

static bool is_plain(const struct at_input *in)
{
	for (size_t i = 0; i < in->len; i++) {
		if (!(in->seen[i] >= '0' && in->seen[i] <= '9') && in->seen[i] != ';')
			return false;
	}
	return !in->overlong;
}

static void end_csi(struct at_input *in, const struct emitter *to, unsigned char last)
{
	unsigned param[PARAMS];

	if (in->len && in->seen[0] == '<' && !in->overlong && (last == 'M' || last == 'm')) {
		mouse(in, to, last);
		return;
	}
	if (!is_plain(in)) {
		send_unknown(in, to);
		return;
	}
	read_params(in, 0, param);
	if (last == 'M' && !in->len)
		in->state = X10;
	else if ((last == 'I' || last == 'O') && !in->len)
		send(in, to, (struct at_event){ .kind = AT_EVENT_FOCUS, .yes = last == 'I' });
	else if (last == '~' && param[0] == 27)
		by_code(in, to, param[2], modifiers_of(param[1]));
	else if (last == '~')
		by_tilde(in, to, param, 0);
	else if (last == '^')
		by_tilde(in, to, param, AT_MOD_CTRL);
	else if (last == '@')
		by_tilde(in, to, param, AT_MOD_CTRL | AT_MOD_SHIFT);
	else if (last == 'u')
		by_code(in, to, param[0], modifiers_of(param[1]));
	else
		by_final_letter(in, to, last, IN_CSI, modifiers_of(param[1]));
}

static void in_csi(struct at_input *in, const struct emitter *to, unsigned char byte)
{
	if (byte == 0x1b) { /* torn: a new sequence begins */
		send_unknown(in, to);
		in->state = ESCAPE;
	} else if (byte == '[' && !in->len) {
		in->state = LINUX_FN;
	} else if (byte == '$' && in->len) { /* rxvt's shifted keys end so */
		unsigned param[PARAMS];

		read_params(in, 0, param);
		if (is_plain(in))
			by_tilde(in, to, param, AT_MOD_SHIFT);
		else
			keep(in, byte);
	} else if (byte >= 0x20 && byte <= 0x3f) {
		keep(in, byte);
	} else if (byte >= 0x40 && byte <= 0x7e) {
		end_csi(in, to, byte);
	} else {
		send_unknown(in, to);
		if (byte < 0x20 || byte >= 0x80)
			ground(in, to, byte);
	}
}

static void in_ss3(struct at_input *in, const struct emitter *to, unsigned char byte)
{
	unsigned param[PARAMS];

	if (byte >= '0' && byte <= '?') {
		keep(in, byte);
		return;
	}
	if (byte == 0x1b || byte < 0x20 || byte >= 0x7f) {
		send_unknown(in, to);
		ground(in, to, byte);
		return;
	}
	read_params(in, 0, param);
	if (byte >= 'j' && byte <= 'y' && is_plain(in)) /* the keypad of a vt */
		send_key(in, to, (unsigned char)"*+,-./0123456789"[byte - 'j'],
			modifiers_of(param[0]));
	else
		by_final_letter(in, to, byte, IN_SS3, modifiers_of(param[1] ? param[1] : param[0]));
}

static void end_paste(struct at_input *in, const struct emitter *to, bool cut)
{
	struct at_event event = { .kind = AT_EVENT_PASTE, .cut = cut || in->paste_cut };

	event.text = at_buf_bytes(&in->paste);
	reset(in);
	to->emit(to->user, &event);
	in->paste.len = 0;
}

static void keep_paste(struct at_input *in, char byte)
{
	if (in->paste.len < AT_PASTE_CAP)
		at_buf_putc(&in->paste, byte);
	else
		in->paste_cut = true;
}

static void in_paste(struct at_input *in, const struct emitter *to, unsigned char byte)
{
	if (byte == (unsigned char)paste_end[in->paste_end]) {
		if (!paste_end[++in->paste_end])
			end_paste(in, to, false);
		return;
	}
	for (size_t i = 0; i < in->paste_end; i++)
		keep_paste(in, paste_end[i]);
	in->paste_end = byte == 0x1b;
	if (!in->paste_end)
		keep_paste(in, (char)byte);
}

static void take(struct at_input *in, const struct emitter *to, unsigned char byte)
{
	switch ((enum state)in->state) {
	case GROUND:
		ground(in, to, byte);
		break;
	case UTF8:
		in_utf8(in, to, byte);
		break;
	case ESCAPE:
		escape(in, to, byte);
		break;
	case CSI:
		in_csi(in, to, byte);
		break;
	case LINUX_FN:
		by_final_letter(in, to, byte, IN_LINUX, 0);
		break;
	case SS3:
		in_ss3(in, to, byte);
		break;
	case X10:
		keep(in, byte);
		if (in->len == 3)
			send_unknown(in, to);
		break;
	case STRING:
		if (byte == 0x07)
			send_unknown(in, to);
		else if (byte == 0x1b)
			in->state = STRING_ESCAPE;
		break;
	case STRING_ESCAPE:
		if (byte == '\\') {
			send_unknown(in, to);
		} else { /* not its end: the string was torn, a new sequence begins */
			send_unknown(in, to);
			in->state = ESCAPE;
			escape(in, to, byte);
		}
		break;
	case PASTE:
		in_paste(in, to, byte);
		break;
	}
}

void at_input_feed(
	struct at_input *in, const void *bytes, size_t len, at_event_fn *emit, void *user)
{
	const struct emitter to = { emit, user };
	const unsigned char *p = bytes;

	for (size_t i = 0; i < len; i++)
		take(in, &to, p[i]);
}

void at_input_flush(struct at_input *in, at_event_fn *emit, void *user)
{
	const struct emitter to = { emit, user };

	switch ((enum state)in->state) {
	case GROUND:
		break;
	case ESCAPE: {
		bool twice = in->alt;

		in->alt = false;
		send_key(in, &to, AT_KEY_ESCAPE, 0);
		if (twice)
			send_key(in, &to, AT_KEY_ESCAPE, 0);
		break;
	}
	case CSI: /* Alt and '[' or 'O', or a sequence cut short */
	case SS3:
		if (!in->len)
			send(in, &to,
				(struct at_event){ .kind = AT_EVENT_KEY,
					.key = { in->state == CSI ? '[' : 'O', AT_MOD_ALT } });
		else
			send_unknown(in, &to);
		break;
	case PASTE:
		end_paste(in, &to, true);
		break;
	default:
		send_unknown(in, &to);
		break;
	}
}

int at_input_patience(const struct at_input *in, int escape_ms)
{
	if (in->state == GROUND)
		return -1;
	return in->state == PASTE ? PASTE_MS : escape_ms;
}

void at_input_free(struct at_input *in)
{
	at_buf_free(&in->paste);
	*in = (struct at_input){ 0 };
}
