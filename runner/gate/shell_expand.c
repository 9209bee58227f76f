/* From a word of the tree to the words a program gets. */
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

enum sink_mode { SPLIT, WHOLE, PATTERN };
struct sink {
	struct sh *sh;
	struct sh_words *out;
	struct sh_text text;
	struct sh_value ifs;
	unsigned flags;
	enum sink_mode mode;
	bool open; /* there is a word, be it empty */
};

void sh_add_word(struct sh *sh, struct sh_words *out, const struct shell_word *word)
{
	if (out->count >= sh->caps->words)
		sh_too_much(sh);
	if (!sh_charge(sh, 8))
		return;
	if (out->count == out->cap) {
		size_t cap = out->cap ? out->cap * 2 : 4;
		struct shell_word *more = at_arena_alloc(sh->arena, cap * sizeof(*more));

		if (out->count)
			memcpy(more, out->items, out->count * sizeof(*more));
		out->items = more;
		out->cap = cap;
	}
	out->items[out->count++] = *word;
}

static void end_word(struct sink *s)
{
	struct shell_word word = { { "", 0 }, s->flags };

	if (!s->open)
		return;
	/* The text is the word's from now on, the next one begins another. */
	if (s->text.len && sh_charge(s->sh, s->text.len))
		word.text = (struct at_bytes){ s->text.data, s->text.len };
	sh_add_word(s->sh, s->out, &word);
	s->text = (struct sh_text){ 0 };
	s->flags = 0;
	s->open = false;
}

static void put(struct sink *s, struct at_bytes text, bool quoted)
{
	if (quoted) {
		s->open = true;
		s->flags |= SHELL_QUOTED;
	}
	if (!text.len)
		return;
	if (!quoted && !s->open && text.data[0] == '~')
		s->flags |= SHELL_HAS_TILDE;
	s->open = true;
	if (sh_has_unknown(text))
		s->flags |= SHELL_HAS_UNKNOWN | (quoted ? 0 : SHELL_MAY_SPLIT);
	for (size_t i = 0; i < text.len && !quoted; i++)
		if (text.data[i] && strchr("*?[", text.data[i]))
			s->flags |= SHELL_HAS_GLOB;
	if (s->mode != PATTERN || !quoted) {
		sh_text_put(s->sh, &s->text, text.data, text.len);
		return;
	}
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] && strchr("*?[]\\+@!(|)", text.data[i]))
			sh_text_put(s->sh, &s->text, "\\", 1);
		sh_text_put(s->sh, &s->text, text.data + i, 1);
	}
}

/* The value of an expansion: split, when it is not quoted. */
static void put_value(struct sink *s, struct at_bytes text, bool quoted)
{
	size_t from = 0;

	if (quoted || s->mode != SPLIT) {
		put(s, text, quoted);
		return;
	}
	if (s->ifs.state == SH_UNKNOWN) {
		put(s, text.len ? sh_unknown : text, false);
		return;
	}
	for (size_t i = 0; i <= text.len && sh_charge(s->sh, 1); i++) {
		char c = i < text.len ? text.data[i] : '\0';

		if (i < text.len
			&& !(s->ifs.text.len && memchr(s->ifs.text.data, c, s->ifs.text.len)))
			continue;
		put(s, (struct at_bytes){ text.data + from, i - from }, false);
		from = i + 1;
		if (i == text.len)
			break;
		if (!strchr(" \t\n", c))
			s->open = true; /* a visible separator ends an empty word too */
		end_word(s);
	}
}

static void put_list(struct sink *s, const struct sh_result *r, bool quoted)
{
	for (size_t i = 0; i < r->count && !s->sh->stop; i++) {
		if (i && quoted && (r->is_joined || s->mode != SPLIT))
			put(s, at_bytes_of(" "), true);
		else if (i && s->mode != SPLIT)
			put(s, at_bytes_of(" "), false);
		else if (i)
			end_word(s);
		put_value(s, r->items[i], quoted);
	}
	if (quoted && r->is_joined)
		put(s, (struct at_bytes){ "", 0 }, true);
}

static void put_parts(struct sink *s, const struct sh_part *part, bool inner);

static void put_parameter(struct sink *s, const struct sh_part *part)
{
	struct sh_result r;

	if (!sh_enter(s->sh))
		return;
	/* "$x" is one word; "$@" and "${x[@]}" are not. */
	if (!sh_is_name(part->text) || part->op || (part->in && part->in->index) || part->indirect)
		s->flags |= SHELL_MAY_SPLIT;
	r = sh_parameter(s->sh, part);
	if (r.word) {
		if (part->quoted)
			put(s, (struct at_bytes){ "", 0 }, true);
		put_parts(s, r.word->first, true);
	} else if (r.is_list) {
		put_list(s, &r, part->quoted);
	} else {
		put_value(s, r.text, part->quoted);
	}
	sh_leave(s->sh);
}

static void put_arith(struct sink *s, const struct sh_part *part)
{
	long long value;
	struct shell_word text;

	if (!sh_enter(s->sh))
		return;
	text = sh_expand_parts(s->sh, part->in->word ? part->in->word->first : NULL);
	if (sh_calculate(s->sh, text.text, &value))
		put(s, at_bytes_of(at_arena_printf(s->sh->arena, "%lld", value)), part->quoted);
	else
		put(s, sh_unknown, part->quoted);
	sh_leave(s->sh);
}

/* `inner`: the word of a ${x-word}, whose unquoted text is split as a value is. */
static void put_parts(struct sink *s, const struct sh_part *part, bool inner)
{
	for (; part && sh_charge(s->sh, 1); part = part->next) {
		switch (part->kind) {
		case SH_TEXT:
			if (inner)
				put_value(s, part->text, part->quoted);
			else
				put(s, part->text, part->quoted);
			if (part->glob)
				s->flags |= SHELL_HAS_GLOB;
			break;
		case SH_PARAM:
			put_parameter(s, part);
			break;
		case SH_COMMAND:
			put_value(s, sh_substitute(s->sh, part->in->list), part->quoted);
			break;
		case SH_PROCESS:
			sh_process(s->sh, part->in->list);
			put(s, at_bytes_of("/dev/fd/\x01"), false);
			break;
		case SH_ARITH:
			put_arith(s, part);
			break;
		case SH_BRACE:
		case SH_ARRAY:
			for (const struct sh_word *w = part->in->words; w; w = w->next)
				sh_expand_parts(s->sh, w->first);
			put(s, sh_unknown, false);
			break;
		}
	}
}

static void expand_fields(struct sh *sh, struct sh_words *out, const struct sh_part *parts)
{
	struct sink s = { .sh = sh, .out = out, .mode = SPLIT };

	s.ifs = sh_get(sh, at_bytes_of("IFS"));
	put_parts(&s, parts, false);
	end_word(&s);
}

/* `parts` with those before `until` copied, `middle` copied, and what follows shared. */
static struct sh_part *joined(struct sh *sh, const struct sh_part *parts,
	const struct sh_part *until, const struct sh_part *middle)
{
	struct sh_part *first = NULL, **tail = &first;

	for (int pass = 0; pass < 2; pass++) {
		for (const struct sh_part *part = pass ? middle : parts;
			part && part != until && sh_charge(sh, 16); part = part->next) {
			*tail = at_arena_alloc(sh->arena, sizeof(**tail));
			**tail = *part;
			(*tail)->next = NULL;
			tail = &(*tail)->next;
		}
	}
	*tail = until->next;
	return first;
}

static void expand_braces(struct sh *sh, struct sh_words *out, const struct sh_part *parts)
{
	const struct sh_part *brace = parts;

	while (brace && brace->kind != SH_BRACE && sh_charge(sh, 1))
		brace = brace->next;
	if (!brace) {
		expand_fields(sh, out, parts);
		return;
	}
	if (!sh_enter(sh))
		return;
	for (const struct sh_word *w = brace->in->words; w && !sh->stop; w = w->next)
		expand_braces(sh, out, joined(sh, parts, brace, w->first));
	sh_leave(sh);
}

void sh_expand(struct sh *sh, struct sh_words *out, const struct sh_word *word)
{
	expand_braces(sh, out, word->first);
}

static struct shell_word expand_whole(
	struct sh *sh, const struct sh_part *parts, enum sink_mode mode)
{
	struct sink s = { .sh = sh, .mode = mode };
	struct shell_word word;

	put_parts(&s, parts, false);
	word.text = (struct at_bytes){ s.text.len ? s.text.data : "", s.text.len };
	word.flags = s.flags;
	return word;
}

struct shell_word sh_expand_parts(struct sh *sh, const struct sh_part *parts)
{
	return expand_whole(sh, parts, WHOLE);
}

struct shell_word sh_expand_one(struct sh *sh, const struct sh_word *word)
{
	return expand_whole(sh, word ? word->first : NULL, WHOLE);
}

struct at_bytes sh_expand_pattern(struct sh *sh, const struct sh_word *word)
{
	return expand_whole(sh, word ? word->first : NULL, PATTERN).text;
}
