/* What the builtins of a shell do to its variables; and what echo and printf print. */
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

bool sh_is_declaring(struct at_bytes program)
{
	static const char *const names[] = { "export", "readonly", "local", "declare", "typeset" };

	for (size_t i = 0; i < AT_LEN(names); i++)
		if (at_bytes_equal_text(program, names[i]))
			return true;
	return false;
}

static struct sh_value list_value(struct sh *sh, const struct sh_part *array)
{
	struct sh_words words = { 0 };
	struct at_bytes *items;
	struct sh_value value = { .state = SH_LIST };

	for (const struct sh_word *w = array->in->words; w && !sh->stop; w = w->next) {
		if (w->first && w->first->kind == SH_TEXT && !w->first->quoted && w->first->text.len
			&& w->first->text.data[0] == '[')
			value.state = SH_UNKNOWN; /* [key]=value */
		sh_expand(sh, &words, w);
	}
	items = at_arena_alloc(sh->arena, (words.count + 1) * sizeof(*items));
	for (size_t i = 0; i < words.count; i++) {
		items[i] = words.items[i].text;
		if (words.items[i].flags & (SHELL_HAS_UNKNOWN | SHELL_HAS_GLOB)
			&& !(words.items[i].flags & SHELL_QUOTED))
			value.state = SH_UNKNOWN; /* perhaps several */
	}
	value.items = items;
	value.count = words.count;
	if (value.state == SH_UNKNOWN)
		value = (struct sh_value){ .state = SH_UNKNOWN, .text = sh_unknown };
	return value;
}

static struct at_bytes concat(struct sh *sh, struct at_bytes a, struct at_bytes b)
{
	struct sh_text text = { 0 };

	sh_text_put(sh, &text, a.data, a.len);
	sh_text_put(sh, &text, b.data, b.len);
	return (struct at_bytes){ text.len ? text.data : "", text.len };
}

static void assign_list(
	struct sh *sh, struct at_bytes name, const struct sh_part *array, bool appends)
{
	struct sh_value value = list_value(sh, array), old;
	struct at_bytes *items;

	if (!appends || value.state != SH_LIST) {
		sh_set(sh, name, value);
		return;
	}
	old = sh_get(sh, name);
	if (old.state != SH_LIST || !sh_charge(sh, old.count)) {
		sh_set_unknown(sh, name);
		return;
	}
	items = at_arena_alloc(sh->arena, (old.count + value.count + 1) * sizeof(*items));
	for (size_t i = 0; i < old.count; i++)
		items[i] = old.items[i];
	for (size_t i = 0; i < value.count; i++)
		items[old.count + i] = value.items[i];
	value.items = items;
	value.count += old.count;
	sh_set(sh, name, value);
}

/* Assigns what the word says; `told` (may be NULL) becomes the word as it is told. */
void sh_assign(struct sh *sh, const struct sh_word *word, struct shell_word *told)
{
	size_t left = sh_assigned_name(word), n = 0;
	struct at_bytes text = word->first->text, name;
	struct sh_part rest = *word->first;
	struct shell_word value;
	bool appends, is_element;

	while (n < text.len && sh_is_name_byte(text.data[n]))
		n++;
	name = (struct at_bytes){ text.data, n };
	is_element = n < text.len && text.data[n] == '[';
	if (left == (size_t)-1) {
		value = sh_expand_one(sh, word);
		sh_set_unknown(sh, name);
		if (told)
			*told = value;
		return;
	}
	appends = text.data[left - 1] == '+';
	left += is_element && text.data[left] == '+';
	rest.text = (struct at_bytes){ text.data + left + 1, text.len - left - 1 };
	if (rest.next && rest.next->kind == SH_ARRAY && !rest.text.len) {
		value = (struct shell_word){ sh_unknown, SHELL_HAS_UNKNOWN };
		assign_list(sh, name, rest.next, appends);
	} else {
		struct sh_value old = sh_get(sh, name);

		value = sh_expand_parts(sh, &rest);
		if (is_element || old.state == SH_LIST || (appends && old.state == SH_UNKNOWN))
			sh_set_unknown(sh, name);
		else
			sh_set_text(
				sh, name, appends ? concat(sh, old.text, value.text) : value.text);
	}
	if (!told)
		return;
	told->text = concat(sh, (struct at_bytes){ text.data, left + 1 }, value.text);
	told->flags = value.flags & ~(unsigned)SHELL_HAS_TILDE;
}

static bool is(const struct shell_word *word, const char *text)
{
	return at_bytes_equal_text(word->text, text);
}

static bool is_unknown(const struct shell_word *word)
{
	return (word->flags & SHELL_HAS_UNKNOWN) != 0;
}

/* A word that may be a name is a variable that may have changed. */
static void spoil_name(struct sh *sh, const struct shell_word *word)
{
	struct at_bytes name = { word->text.data, 0 };

	while (name.len < word->text.len && sh_is_name_byte(name.data[name.len]))
		name.len++;
	if (sh_is_name(name))
		sh_set_unknown(sh, name);
}

static void spoil_names(struct sh *sh, const struct shell_word *words, size_t count)
{
	for (size_t i = 1; i < count && !sh->stop; i++) {
		if (is_unknown(&words[i]))
			sh_forget(sh);
		spoil_name(sh, &words[i]);
	}
}

static void run_declare(struct sh *sh, const struct shell_word *words, size_t count)
{
	bool is_plain = true, is_fixed = is(words, "readonly");
	bool is_local = sh->in_function && !is(words, "export") && !is(words, "readonly");

	for (size_t i = 1; i < count && !sh->stop; i++) {
		struct at_bytes text = words[i].text;
		size_t n = 0;

		if (text.len && (text.data[0] == '-' || text.data[0] == '+')) {
			for (n = 1; n < text.len; n++) {
				is_plain &=
					text.data[n] != '\0' && strchr("xrgaIpft-", text.data[n]);
				is_fixed |= text.data[n] == 'r';
				is_local &= text.data[n] != 'g';
			}
			continue;
		}
		while (n < text.len && sh_is_name_byte(text.data[n]))
			n++;
		if (!n || (n < text.len && sh_has_unknown((struct at_bytes){ text.data + n, 1 }))) {
			sh_forget(sh); /* the name itself is not known */
			continue;
		}
		struct at_bytes name = { text.data, n };
		const char *value = n < text.len && text.data[n] == '=' ? text.data + n + 1 : NULL;

		/* A word that was not written as an assignment, or a kind that changes it. */
		if (!is_plain || (is(words, "local") && !sh->in_function))
			sh_set_unknown(sh, name);
		else if (value && sh_get(sh, name).state != SH_LIST)
			sh_set_text(sh, name, (struct at_bytes){ value, text.len - n - 1 });
		if (is_local)
			sh_var(sh, name, true)->is_local = true;
		if (is_fixed)
			sh_var(sh, name, true)->is_fixed = true;
	}
}

static void run_unset(struct sh *sh, const struct shell_word *words, size_t count)
{
	for (size_t i = 1; i < count && !sh->stop; i++) {
		if (is(&words[i], "-f"))
			return;
		if (is_unknown(&words[i]))
			sh_forget(sh);
		else if (sh_is_name(words[i].text))
			sh_set(sh, words[i].text,
				(struct sh_value){ .state = SH_UNSET, .text = { "", 0 } });
		else
			spoil_name(sh, &words[i]);
	}
}

static void run_set(struct sh *sh, const struct shell_word *words, size_t count)
{
	size_t at = 1;
	struct at_bytes *items;

	while (at < count && words[at].text.len > 1 && strchr("-+", words[at].text.data[0])
		&& !is(&words[at], "--")) {
		/* "-o NAME", and "-euo NAME" too. */
		at += words[at].text.data[words[at].text.len - 1] == 'o' ? 2 : 1;
	}
	if (at >= count)
		return;
	at += is(&words[at], "--") || is(&words[at], "-");
	items = at_arena_alloc(sh->arena, (count + 1) * sizeof(*items));
	sh->args = (struct sh_args){ items, 0, true };
	for (; at < count; at++) {
		items[sh->args.count++] = words[at].text;
		sh->args.is_known &= !is_unknown(&words[at]) || (words[at].flags & SHELL_QUOTED);
	}
}

static void run_shift(struct sh *sh, const struct shell_word *words, size_t count)
{
	long long by = 1;

	if (count > 1 && !sh_calculate(sh, words[1].text, &by))
		sh->args.is_known = false;
	/* The shell refuses to shift by more than there are. */
	if (!sh->args.is_known || by <= 0 || (size_t)by > sh->args.count)
		return;
	sh->args.items += by;
	sh->args.count -= (size_t)by;
}

static void run_alias(struct sh *sh, const struct shell_word *words, size_t count)
{
	for (size_t i = 1; i < count && !sh->stop; i++) {
		struct at_bytes text = words[i].text;
		const char *equals = memchr(text.data, '=', text.len);
		struct sh_function *alias;

		if (!equals || equals == text.data)
			continue;
		alias = sh_define(
			sh, (struct at_bytes){ text.data, (size_t)(equals - text.data) }, true);
		alias->alias = sh_parse(sh,
			(struct at_bytes){
				equals + 1, text.len - (size_t)(equals - text.data) - 1 });
	}
}

static void run_forget(struct sh *sh, const struct shell_word *words, size_t count)
{
	sh_forget(sh);
}

static void run_leave(struct sh *sh, const struct shell_word *words, size_t count)
{
	sh->maybe |= is(words, "return") ? SH_LEFT_FUNCTION : SH_LEFT_LOOP;
}

static void run_printf(struct sh *sh, const struct shell_word *words, size_t count)
{
	if (count > 2 && is_unknown(&words[1]))
		sh_forget(sh);
	else if (count > 2 && is(&words[1], "-v"))
		spoil_names(sh, words + 1, 2);
	else if (count > 1 && words[1].text.len > 2 && memcmp(words[1].text.data, "-v", 2) == 0)
		sh_forget(sh);
}

static void run_let(struct sh *sh, const struct shell_word *words, size_t count)
{
	long long ignored;

	for (size_t i = 1; i < count && !sh->stop; i++)
		sh_calculate(sh, words[i].text, &ignored);
}

static const struct {
	const char *name;
	void (*run)(struct sh *sh, const struct shell_word *words, size_t count);
} builtins[] = {
	{ "export", run_declare },
	{ "readonly", run_declare },
	{ "local", run_declare },
	{ "declare", run_declare },
	{ "typeset", run_declare },
	{ "unset", run_unset },
	{ "set", run_set },
	{ "shift", run_shift },
	{ "alias", run_alias },
	{ "eval", run_forget },
	{ ".", run_forget },
	{ "source", run_forget },
	{ "read", spoil_names },
	{ "mapfile", spoil_names },
	{ "readarray", spoil_names },
	{ "getopts", spoil_names },
	{ "wait", spoil_names },
	{ "printf", run_printf },
	{ "let", run_let },
	{ "return", run_leave },
	{ "break", run_leave },
	{ "continue", run_leave },
};

void sh_builtin(struct sh *sh, const struct shell_word *words, size_t count)
{
	while (count > 1 && (is(words, "builtin") || is(words, "command"))) {
		words++;
		count--;
		while (count > 1 && words->text.len && words->text.data[0] == '-') {
			words++;
			count--;
		}
	}
	for (size_t i = 0; i < AT_LEN(builtins); i++)
		if (is(words, builtins[i].name))
			builtins[i].run(sh, words, count);
}

/* What stands in front of these stays set in some shells, and not in others. */
void sh_keep_assigned(
	struct sh *sh, struct at_bytes program, const struct shell_word *assigned, size_t count)
{
	static const char *const specials[] = { ":", ".", "eval", "exec", "exit", "export",
		"readonly", "return", "set", "shift", "source", "times", "trap", "unset", "break",
		"continue" };

	for (size_t i = 0; i < AT_LEN(specials) && count; i++)
		if (at_bytes_equal_text(program, specials[i]))
			for (size_t n = 0; n < count; n++)
				spoil_name(sh, &assigned[n]);
}

/* printf of a format that has only %s, %% and escapes. */
static struct at_bytes printed_format(struct sh *sh, const struct shell_command *command)
{
	struct sh_text out = { 0 }, format = { 0 };
	size_t at = 2;

	sh_decode(sh, &format, command->words[1].text);
	do {
		size_t before = at;

		for (size_t i = 0; i < format.len && !sh->stop; i++) {
			char c = format.data[i],
			     next = i + 1 < format.len ? format.data[i + 1] : '\0';

			if (c != '%') {
				sh_text_put(sh, &out, &c, 1);
				continue;
			}
			i++;
			if (next == '%')
				sh_text_put(sh, &out, "%", 1);
			else if (next != 's')
				return sh_unknown;
			else if (at < command->count) {
				sh_text_put(sh, &out, command->words[at].text.data,
					command->words[at].text.len);
				at++;
			}
		}
		if (at == before)
			break;
	} while (at < command->count && !sh->stop);
	return (struct at_bytes){ out.len ? out.data : "", out.len };
}

struct at_bytes sh_printed(struct sh *sh, const struct shell_command *command)
{
	struct sh_text out = { 0 };
	size_t at = 1;

	for (size_t i = 0; i < command->count; i++)
		if (command->words[i].flags
			& (SHELL_HAS_UNKNOWN | SHELL_HAS_GLOB | SHELL_HAS_TILDE))
			return sh_unknown;
	if (is(command->words, "printf")) {
		if (command->count < 2 || command->words[1].text.data[0] == '-')
			return sh_unknown;
		return printed_format(sh, command);
	}
	at += at < command->count && is(&command->words[at], "-n");
	if (at < command->count && command->words[at].text.data[0] == '-')
		return sh_unknown;
	for (size_t i = at; i < command->count; i++) {
		if (memchr(command->words[i].text.data, '\\', command->words[i].text.len))
			return sh_unknown; /* shells differ */
		if (i > at)
			sh_text_put(sh, &out, " ", 1);
		sh_text_put(sh, &out, command->words[i].text.data, command->words[i].text.len);
	}
	return (struct at_bytes){ out.len ? out.data : "", out.len };
}
