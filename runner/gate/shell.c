#include "runner/gate/shell.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

const struct shell_caps shell_default_caps = { 1 << 20, 4096, 65536, 32 };

const struct at_bytes sh_unknown = { "\x01", 1 };

void sh_too_much(struct sh *sh)
{
	sh->seen.too_much = true;
	sh->stop = true;
}

bool sh_charge(struct sh *sh, size_t work)
{
	sh->work += work;
	if (sh->work > sh->work_cap)
		sh_too_much(sh);
	return !sh->stop;
}

bool sh_enter(struct sh *sh)
{
	if (sh->nest >= SH_NEST)
		sh_too_much(sh);
	if (sh->stop)
		return false;
	sh->nest++;
	return true;
}

void sh_leave(struct sh *sh)
{
	sh->nest--;
}

void sh_text_put(struct sh *sh, struct sh_text *text, const char *data, size_t len)
{
	if (!sh_charge(sh, len))
		return;
	if (text->len + len
		> sh->caps->text + 1) { /* one for the line end of a cut here-document */
		sh_too_much(sh);
		return;
	}
	if (text->len + len + 1 > text->cap) {
		/* The first piece is most often all there is. */
		size_t cap = text->cap * 2 > text->len + len + 1 ? text->cap * 2
								 : text->len + len + 1;
		char *more = at_arena_alloc(sh->arena, cap);

		if (text->len)
			memcpy(more, text->data, text->len);
		text->data = more;
		text->cap = cap;
	}
	if (len)
		memcpy(text->data + text->len, data, len);
	text->len += len;
	text->data[text->len] = '\0';
}

struct at_bytes sh_keep(struct sh *sh, struct at_bytes bytes)
{
	if (!bytes.len || !sh_charge(sh, bytes.len))
		return (struct at_bytes){ "", 0 };
	return (struct at_bytes){ at_arena_strndup(sh->arena, bytes.data, bytes.len), bytes.len };
}

#define B SH_BLANK
#define O SH_OPERATOR
#define R SH_RETURN
#define W SH_IN_WORD
#define T SH_IN_TEXT
#define N SH_NAME
#define D (SH_NAME | SH_NUMBER)

const unsigned char sh_bytes[256] = {
	B | W | T, 0, 0, 0, 0, 0, 0, 0, 0, B, B, 0, 0, R, 0, 0, /* NUL, tab, line feed, return */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	B, W, W | T, 0, W | T, 0, O, W | T, /* blank ! " # $ % & ' */
	O | W | T, O | T, W, W, 0, 0, 0, 0, /* ( ) * + , - . / */
	D, D, D, D, D, D, D, D, D, D, 0, O, O | T, 0, O | T, W, /* 0 to ? */
	W, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, /* @ to O */
	N, N, N, N, N, N, N, N, N, N, N, W, W | T, 0, 0, N, /* P to _ */
	W | T, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, /* ` to o */
	N, N, N, N, N, N, N, N, N, N, N, W, O, 0, 0, 0, /* p to the last */
};

bool sh_is_name_start(char c)
{
	return (sh_bytes[(unsigned char)c] & D) == N;
}

bool sh_is_name_byte(char c)
{
	return (sh_bytes[(unsigned char)c] & N) != 0;
}

bool sh_is_name(struct at_bytes bytes)
{
	if (!bytes.len || !sh_is_name_start(bytes.data[0]))
		return false;
	for (size_t i = 1; i < bytes.len; i++)
		if (!sh_is_name_byte(bytes.data[i]))
			return false;
	return true;
}

bool sh_has_unknown(struct at_bytes bytes)
{
	return bytes.len && memchr(bytes.data, SHELL_UNKNOWN, bytes.len);
}

/* A shell drops NUL bytes; where they stood is kept for the offsets that are told. */
static struct at_bytes drop_nul(struct sh *sh, struct at_bytes text)
{
	size_t count = 0, at = 0;
	size_t *dropped;
	char *copy;

	if (!text.len || !memchr(text.data, '\0', text.len))
		return text;
	for (size_t i = 0; i < text.len; i++)
		count += text.data[i] == '\0';
	dropped = at_arena_alloc(sh->arena, count * sizeof(*dropped));
	copy = at_arena_alloc(sh->arena, text.len - count + 1);
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i])
			copy[at++] = text.data[i];
		else
			dropped[sh->dropped_count++] = at;
	}
	sh->dropped = dropped;
	return (struct at_bytes){ copy, at };
}

void shell_read(struct at_bytes text, const char *const *environment, const struct shell_caps *caps,
	struct at_arena *arena, shell_told *told, void *user, struct shell_reading *out)
{
	struct sh *sh = at_arena_alloc(arena, sizeof(*sh));
	struct sh_node *list;
	bool is_long;

	sh->arena = arena;
	sh->caps = caps ? caps : &shell_default_caps;
	sh->told = told;
	sh->user = user;
	sh->work_cap = 64 * (sh->caps->text < 65536 ? 65536 : sh->caps->text);
	is_long = text.len > sh->caps->text;
	if (is_long)
		text.len = sh->caps->text;
	if (!text.len)
		text.data = "";
	for (; environment && *environment; environment++) {
		const char *value = strchr(*environment, '=');

		if (value)
			sh_set_text(sh,
				(struct at_bytes){ *environment, (size_t)(value - *environment) },
				at_bytes_of(value + 1));
	}
	list = sh_parse(sh, drop_nul(sh, text));
	sh->seen.too_much |= is_long;
	sh->stop = false; /* what was read before a cap is told all the same */
	sh->work_cap += sh->work;
	sh_run(sh, list);
	sh_run_uncalled(sh);
	sh->seen.work = sh->work;
	free(sh->changes);
	if (out)
		*out = sh->seen;
}
