/* ${…}: followed where the text itself decides it, else unknown. */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

static struct sh_result text_result(struct at_bytes text)
{
	return (struct sh_result){ .text = text };
}

static struct sh_result number_result(struct sh *sh, size_t number)
{
	return text_result(at_bytes_of(at_arena_printf(sh->arena, "%zu", number)));
}

/* Unknown; but what stands in its words is started. */
static struct sh_result unknown(struct sh *sh, const struct sh_part *part)
{
	if (part->in->word)
		sh_expand_one(sh, part->in->word);
	if (part->in->word2)
		sh_expand_one(sh, part->in->word2);
	return text_result(sh_unknown);
}

static struct sh_value unknown_value(void)
{
	return (struct sh_value){ .state = SH_UNKNOWN, .text = sh_unknown };
}

static struct sh_value known_value(struct at_bytes text)
{
	return (struct sh_value){ .state = SH_KNOWN, .text = text };
}

static struct sh_value positional(struct sh *sh, struct at_bytes name)
{
	size_t number = 0;

	for (size_t i = 0; i < name.len; i++)
		number = number < 1000000 ? number * 10 + (size_t)(name.data[i] - '0') : number;
	if (!number || !sh->args.is_known)
		return unknown_value();
	if (number > sh->args.count)
		return (struct sh_value){ .state = SH_UNSET, .text = { "", 0 } };
	return known_value(sh->args.items[number - 1]);
}

static struct sh_value look_up(struct sh *sh, struct at_bytes name)
{
	if (!name.len)
		return unknown_value();
	if (name.data[0] >= '0' && name.data[0] <= '9')
		return positional(sh, name);
	if (name.data[0] == '@' || name.data[0] == '*') {
		if (!sh->args.is_known)
			return unknown_value();
		return (struct sh_value){
			.state = SH_LIST, .items = sh->args.items, .count = sh->args.count
		};
	}
	if (name.data[0] == '#' && sh->args.is_known)
		return known_value(number_result(sh, sh->args.count).text);
	if (!sh_is_name_start(name.data[0]))
		return unknown_value();
	return sh_get(sh, name);
}

static bool parse_number(struct sh *sh, const struct sh_word *word, long long *out)
{
	struct shell_word text = sh_expand_one(sh, word);

	return sh_calculate(sh, text.text, out);
}

/* One element of an array; `whole`: all are meant. */
static struct sh_value element(
	struct sh *sh, const struct sh_part *part, struct sh_value value, bool *whole)
{
	struct at_bytes index = sh_expand_one(sh, part->in->index).text;
	long long number;

	*whole = at_bytes_equal_text(index, "@") || at_bytes_equal_text(index, "*");
	if (value.state == SH_UNKNOWN || *whole)
		return value;
	if (!sh_calculate(sh, index, &number))
		return unknown_value();
	if (value.state != SH_LIST)
		return number == 0 ? value : (struct sh_value){ .text = { "", 0 } };
	if (number < 0)
		number += (long long)value.count;
	if (number < 0 || (size_t)number >= value.count)
		return (struct sh_value){ .state = SH_UNSET, .text = { "", 0 } };
	return known_value(value.items[number]);
}

/* ${x-w} ${x=w} ${x+w} ${x?w} */
static struct sh_result alternative(
	struct sh *sh, const struct sh_part *part, struct sh_value value)
{
	bool has_unknown = value.state == SH_UNKNOWN || sh_has_unknown(value.text);
	bool is_there = value.state != SH_UNSET && !(part->colon && !value.text.len);
	struct at_bytes text;

	if (has_unknown) {
		if (part->op == '=' && sh_is_name(part->text))
			sh_set_unknown(sh, part->text);
		return unknown(sh, part);
	}
	if (part->op == '+')
		return is_there ? (struct sh_result){ .word = part->in->word }
				: text_result((struct at_bytes){ "", 0 });
	if (is_there)
		return text_result(value.text);
	if (part->op == '-')
		return (struct sh_result){ .word = part->in->word };
	text = sh_expand_one(sh, part->in->word).text;
	if (part->op == '?' || !sh_is_name(part->text))
		return text_result(sh_unknown);
	sh_set_text(sh, part->text, text);
	return text_result(text);
}

/* Where offset and length lie in something of `size`. */
static bool range(struct sh *sh, const struct sh_part *part, size_t size, size_t *from, size_t *to)
{
	long long offset = 0, len = (long long)size, total = (long long)size;

	if (!parse_number(sh, part->in->word, &offset))
		return false;
	if (part->in->word2 && !parse_number(sh, part->in->word2, &len))
		return false;
	if (offset < 0)
		offset += total;
	if (offset < 0 || offset > total)
		offset = len = total;
	if (len < 0)
		len += total - offset;
	if (len < 0)
		return false;
	*from = (size_t)offset;
	*to = len > total - offset ? size : (size_t)(offset + len);
	return true;
}

static struct sh_result slice(struct sh *sh, const struct sh_part *part, struct at_bytes text)
{
	size_t from, to;

	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.data[i] >= 0x80)
			return unknown(sh, part);
	if (!range(sh, part, text.len, &from, &to))
		return text_result(sh_unknown);
	return text_result((struct at_bytes){ text.data + from, to - from });
}

static struct sh_result change_case(struct sh *sh, const struct sh_part *part, struct at_bytes text)
{
	char *copy;

	if (part->in->word && part->in->word->first)
		return unknown(sh, part);
	if (!sh_charge(sh, text.len))
		return text_result(sh_unknown);
	copy = at_arena_strndup(sh->arena, text.data, text.len);
	for (size_t i = 0; i < text.len && (part->twice || i == 0); i++) {
		char c = copy[i];

		if (part->op == '^' && c >= 'a' && c <= 'z')
			copy[i] = (char)(c - 'a' + 'A');
		else if (part->op == ',' && c >= 'A' && c <= 'Z')
			copy[i] = (char)(c - 'A' + 'a');
	}
	return text_result((struct at_bytes){ copy, text.len });
}

static struct sh_result replace(struct sh *sh, const struct sh_part *part, struct at_bytes text)
{
	struct at_bytes pattern = sh_expand_pattern(sh, part->in->word);
	struct at_bytes by =
		part->in->word2 ? sh_expand_one(sh, part->in->word2).text : (struct at_bytes){ "", 0 };

	if (memchr(by.data, '&', by.len)) /* newer shells put the match there */
		return text_result(sh_unknown);
	return text_result(sh_replace(sh, text, pattern, by, part->anchor, part->twice));
}

static struct sh_result of_text(struct sh *sh, const struct sh_part *part, struct at_bytes text)
{
	if (sh_has_unknown(text))
		return unknown(sh, part);
	switch (part->op) {
	case '#':
	case '%':
		return text_result(sh_trim(
			sh, text, sh_expand_pattern(sh, part->in->word), part->op == '%', part->twice));
	case '/':
		return replace(sh, part, text);
	case '^':
	case ',':
		for (size_t i = 0; i < text.len; i++)
			if ((unsigned char)text.data[i] >= 0x80)
				return unknown(sh, part);
		return change_case(sh, part, text);
	case ':':
		return slice(sh, part, text);
	default:
		return unknown(sh, part);
	}
}

static struct sh_result of_list(
	struct sh *sh, const struct sh_part *part, struct sh_value value, bool joined)
{
	bool is_args = part->text.data[0] == '@' || part->text.data[0] == '*';
	size_t from = 0, to = value.count;

	if (part->length)
		return number_result(sh, value.count);
	if (part->op == ':') {
		if (!range(sh, part, value.count + is_args, &from, &to))
			return text_result(sh_unknown);
		if (is_args && !from) /* $0 is not known */
			return text_result(sh_unknown);
		from -= is_args;
		to -= is_args;
	} else if (part->op) {
		return unknown(sh, part);
	}
	return (struct sh_result){ .is_list = true,
		.is_joined = joined,
		.items = value.items + from,
		.count = to > from ? to - from : 0 };
}

static bool is_ascii(struct at_bytes text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.data[i] >= 0x80)
			return false;
	return true;
}

static bool is_number(struct at_bytes text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
	return text.len != 0;
}

struct sh_result sh_parameter(struct sh *sh, const struct sh_part *part)
{
	struct sh_value value = look_up(sh, part->text);
	bool whole = part->text.len && strchr("@*", part->text.data[0]);
	bool joined = part->text.len && part->text.data[0] == '*';

	if (part->in->index) {
		value = element(sh, part, value, &whole);
		joined = whole && part->in->index->first && part->in->index->first->text.len
			&& part->in->index->first->text.data[0] == '*';
	}
	if (part->op == '!' || part->op == '@')
		return unknown(sh, part);
	if (value.state == SH_LIST && whole && !part->indirect)
		return of_list(sh, part, value, joined);
	if (value.state == SH_LIST)
		value = value.count && !whole ? known_value(value.items[0]) : unknown_value();
	if (part->indirect) {
		value = value.state == SH_KNOWN && (is_number(value.text) || sh_is_name(value.text))
			? look_up(sh, value.text)
			: unknown_value();
		if (value.state == SH_LIST)
			value = value.count ? known_value(value.items[0]) : unknown_value();
	}
	if (part->length)
		return value.state == SH_UNKNOWN || !is_ascii(value.text)
				|| sh_has_unknown(value.text)
			? unknown(sh, part)
			: number_result(sh, value.text.len);
	if (part->op && strchr("-=+?", part->op))
		return alternative(sh, part, value);
	if (part->op)
		return value.state == SH_UNKNOWN ? unknown(sh, part)
						 : of_text(sh, part, value.text);
	return text_result(value.text);
}
