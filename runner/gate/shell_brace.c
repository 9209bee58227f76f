/* {a,b} and {1..9}, found in one pass with a stack. */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

#define SEQUENCE 4096 /* members of a {1..N} at most */

struct open {
	size_t at, commas; /* where its mark is in the items */
};
struct finder {
	struct sh_parser *p;
	struct sh_part **items;
	struct open *stack;
	size_t count, cap, depth, stack_cap;
};

static void push(struct finder *f, struct sh_part *part)
{
	f->items = at_grow(f->items, &f->cap, f->count, sizeof(*f->items));
	f->items[f->count++] = part;
}

static struct sh_part *new_text(struct finder *f, struct at_bytes text, bool is_mark)
{
	struct sh_word holder = { 0 };
	struct sh_part *part = sh_add_part(f->p, &holder, SH_TEXT);

	part->text = text;
	part->is_mark = is_mark;
	return part;
}

static struct sh_word *word_of(struct finder *f, size_t from, size_t to)
{
	struct sh_word *word = sh_new_word(f->p);

	for (size_t i = from; i < to; i++) {
		f->items[i]->next = NULL;
		if (word->last)
			word->last->next = f->items[i];
		else
			word->first = f->items[i];
		word->last = f->items[i];
	}
	return word;
}

static struct sh_word *alternatives(struct finder *f, size_t from)
{
	struct sh_word *first = NULL, **tail = &first;

	for (size_t i = from; i <= f->count; i++) {
		bool is_comma =
			i < f->count && f->items[i]->is_mark && f->items[i]->text.data[0] == ',';

		if (i < f->count && !is_comma)
			continue;
		*tail = word_of(f, from, i);
		tail = &(*tail)->next;
		from = i + 1;
	}
	return first;
}

/* "a..b" or "1..9..2" as its members; NULL: it is none. */
static bool read_end(const char **at, const char *end, long *value, bool *is_letter)
{
	char *after;
	char digits[16] = "";
	size_t n = 0;

	*is_letter = false;
	if (*at < end && sh_is_name_start(**at) && **at != '_') {
		*value = *(*at)++;
		*is_letter = true;
		return true;
	}
	while (*at + n < end && n < 12 && strchr("+-0123456789", (*at)[n]))
		n++;
	memcpy(digits, *at, n);
	*value = strtol(digits, &after, 10);
	if (after == digits || *after)
		return false;
	*at += n;
	return true;
}

static bool skip_dots(const char **at, const char *end)
{
	if (end - *at < 2 || memcmp(*at, "..", 2) != 0)
		return false;
	*at += 2;
	return true;
}

static bool read_sequence(
	struct at_bytes text, long *from, long *to, long *step, bool *letters, size_t *width)
{
	const char *at = text.data, *end = text.data + text.len, *second;
	bool other, ignored;

	*step = 1;
	if (!read_end(&at, end, from, letters) || !skip_dots(&at, end))
		return false;
	*width = text.data[0] == '0' && !*letters ? (size_t)(at - text.data) - 2 : 0;
	second = at;
	if (!read_end(&at, end, to, &other) || other != *letters)
		return false;
	if (!other && *second == '0' && at - second > (long)*width)
		*width = (size_t)(at - second);
	if (at != end && (!skip_dots(&at, end) || !read_end(&at, end, step, &ignored) || ignored))
		return false;
	*step = labs(*step) ? labs(*step) : 1;
	return at == end;
}

static struct sh_word *sequence(struct finder *f, struct at_bytes text)
{
	struct sh_word *first = NULL, **tail = &first;
	long from, to, step;
	size_t width, members = 0;
	bool letters;

	if (text.len > 48 || !read_sequence(text, &from, &to, &step, &letters, &width))
		return NULL;
	for (long value = from; from <= to ? value <= to : value >= to;
		value += from <= to ? step : -step) {
		char *member = letters
			? at_arena_printf(f->p->sh->arena, "%c", (int)value)
			: at_arena_printf(f->p->sh->arena, "%0*ld", (int)width, value);

		if (++members > SEQUENCE)
			sh_too_much(f->p->sh);
		if (f->p->sh->stop)
			break;
		*tail = sh_new_word(f->p);
		sh_add_text(f->p, *tail, member, strlen(member), false);
		tail = &(*tail)->next;
	}
	return first;
}

static void close_brace(struct finder *f, struct at_bytes mark)
{
	struct open open;
	struct sh_word *words = NULL, holder = { 0 };
	struct sh_part *inner;

	if (!f->depth) {
		push(f, new_text(f, mark, false));
		return;
	}
	open = f->stack[--f->depth];
	inner = f->count == open.at + 2 ? f->items[open.at + 1] : NULL;
	if (open.commas)
		words = alternatives(f, open.at + 1);
	else if (inner && inner->kind == SH_TEXT && !inner->quoted)
		words = sequence(f, inner->text);
	if (!words) {
		push(f, new_text(f, mark, false));
		return;
	}
	f->count = open.at;
	inner = sh_add_part(f->p, &holder, SH_BRACE);
	inner->in->words = words;
	push(f, inner);
}

static void split(struct finder *f, struct sh_part *part)
{
	struct at_bytes text = part->text;
	size_t from = 0;

	for (size_t i = 0; i <= text.len && !f->p->sh->stop; i++) {
		struct at_bytes mark = { text.data + i, 1 };

		if (i < text.len && !strchr("{},", text.data[i]))
			continue;
		if (i > from) {
			push(f,
				new_text(
					f, (struct at_bytes){ text.data + from, i - from }, false));
			f->items[f->count - 1]->glob = part->glob;
		}
		from = i + 1;
		if (i == text.len)
			break;
		if (text.data[i] == '}') {
			close_brace(f, mark);
			continue;
		}
		if (text.data[i] == '{') {
			f->stack = at_grow(f->stack, &f->stack_cap, f->depth, sizeof(*f->stack));
			f->stack[f->depth++] = (struct open){ f->count, 0 };
		} else if (f->depth) {
			f->stack[f->depth - 1].commas++;
		}
		push(f, new_text(f, mark, text.data[i] == '{' || f->depth));
	}
}

void sh_find_braces(struct sh_parser *p, struct sh_word *word)
{
	struct finder f = { .p = p };
	struct sh_part *next;
	struct sh_word *found;
	struct at_bytes plain = sh_plain(word);

	if (plain.len && !memchr(plain.data, '}', plain.len))
		return; /* the "{" of a group */
	if (plain.len && !memchr(plain.data, ',', plain.len) && !memchr(plain.data, '.', plain.len))
		return; /* "{}", "{fd}": kept whole */
	for (struct sh_part *part = word->first; part && !p->sh->stop; part = next) {
		next = part->next;
		if (part->kind == SH_TEXT && !part->quoted)
			split(&f, part);
		else
			push(&f, part);
	}
	found = word_of(&f, 0, f.count);
	word->first = found->first;
	word->last = found->last;
	free(f.items);
	free(f.stack);
}
