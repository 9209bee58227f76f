#include "runner/gate/args.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

const char *args_name(char *out, size_t size, const struct shell_word *word)
{
	const char *text = word->text.data;
	const char *base = text;
	size_t len;

	for (const char *p = text; *p; p++)
		if ((*p == '/' || *p == '\\') && p[1])
			base = p + 1;
	len = strlen(base);
	if (len > 4 && !strcasecmp(base + len - 4, ".exe"))
		len -= 4;
	if (len >= size)
		len = size - 1;
	for (size_t i = 0; i < len; i++)
		out[i] = (char)tolower((unsigned char)base[i]);
	out[len] = '\0';
	return out;
}

static bool fits(const char *want, size_t want_len, const char *text, size_t len)
{
	if (want_len && want[want_len - 1] == '*')
		return len >= want_len - 1 && !memcmp(want, text, want_len - 1);
	if (want_len && want[0] == '*')
		return len >= want_len - 1
			&& !memcmp(want + 1, text + len - (want_len - 1), want_len - 1);
	return want_len == len && !memcmp(want, text, len);
}

bool args_in(const char *list, char sep, const char *text, size_t len)
{
	const char *p = list;

	for (;;) {
		const char *end = strchr(p, sep);
		size_t n = end ? (size_t)(end - p) : strlen(p);

		/* Nearly every entry differs in its first byte. */
		if (n && (*p == '*' || (len && *p == *text)) && fits(p, n, text, len))
			return true;
		if (!end)
			return false;
		p = end + 1;
	}
}

size_t args_slot(const char *name, size_t slots)
{
	uint32_t hash = 2166136261u;

	for (const char *p = name; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619u;
	return hash % slots;
}

bool args_holds(const char *text, const char *list)
{
	const char *p = list;

	for (;;) {
		const char *end = strchr(p, '|');
		size_t n = end ? (size_t)(end - p) : strlen(p);

		/* Bytes that are the same but for their case are the same with that bit set. */
		for (const char *at = text; n && *at; at++)
			if ((*at | 0x20) == (*p | 0x20) && !strncasecmp(at, p, n))
				return true;
		if (!end)
			return false;
		p = end + 1;
	}
}

void args_start(struct args_walk *walk, const struct gate_args *args, const char *valued)
{
	*walk = (struct args_walk){ .args = args, .valued = valued ? valued : "", .next = 1 };
}

static bool takes_value(const char *valued, const char *option, size_t len)
{
	if (*valued == '!')
		return !args_in(valued + 1, ' ', option, len);
	return args_in(valued, ' ', option, len);
}

/* Of a short cluster, where the letter stands that takes a value, or 0. Where the list names the
 * options without one, a cluster is a set of those or it ends in an option with a value. */
static size_t valued_letter(const char *valued, const char *word)
{
	char option[3] = { '-', 0, 0 };

	for (size_t i = 1; word[i]; i++) {
		option[1] = word[i];
		if (takes_value(valued, option, 2))
			return i;
	}
	return 0;
}

static bool is_long(const char *word, const char *valued)
{
	if (word[1] == '-')
		return true;
	/* "-chdir=x", "-auto-approve": the single dash of Go's programs and of find. */
	return word[1] && word[2] && (strchr(word, '=') || args_in(valued, ' ', word, strlen(word)));
}

bool args_next(struct args_walk *walk, struct args_item *out)
{
	const struct gate_args *args = walk->args;
	const char *word;
	const char *equals;
	size_t letter;

	if (walk->next < args->count && !walk->ended
		&& !strcmp(args->words[walk->next].text.data, "--")) {
		walk->ended = true;
		walk->after_unknown = false;
		walk->next++;
	}
	if (walk->next >= args->count)
		return false;
	*out = (struct args_item){ .kind = ARGS_OPERAND, .at = walk->next };
	word = args->words[walk->next++].text.data;
	if (walk->ended || word[0] != '-' || !word[1]) {
		out->maybe = walk->after_unknown;
		walk->after_unknown = false;
		return true;
	}
	out->kind = ARGS_OPTION;
	walk->after_unknown = false;
	if (is_long(word, walk->valued)) {
		equals = strchr(word, '=');
		if (equals)
			out->value = equals + 1;
		else if (takes_value(walk->valued, word, strlen(word)) && walk->next < args->count)
			out->value = args->words[walk->next++].text.data;
		else
			walk->after_unknown = true;
		return true;
	}
	letter = valued_letter(walk->valued, word);
	if (letter && word[letter + 1])
		out->value = word + letter + 1;
	else if (letter && walk->next < args->count)
		out->value = args->words[walk->next++].text.data;
	else
		walk->after_unknown = !letter;
	return true;
}

static bool is_one_option(const char *word, const char *want, size_t len, const char *valued)
{
	size_t word_len = strcspn(word, "=");
	size_t letter;

	if (len == 2) {
		if (word[1] == '-')
			return false;
		letter = valued_letter(valued, word);
		for (size_t i = 1; word[i] && (!letter || i <= letter); i++)
			if (word[i] == want[1])
				return true;
		return false;
	}
	if (want[1] != '-')
		return word_len == len && !memcmp(word, want, len);
	/* A long option may be cut short, as git, GNU programs and argparse allow. */
	return word[1] == '-' && word_len <= len && (word_len == len || word_len >= 5)
		&& !memcmp(word, want, word_len);
}

bool args_is_option(const struct gate_args *args, const struct args_item *item, const char *list,
	const char *valued)
{
	const char *word = args->words[item->at].text.data;
	const char *p = list;

	for (;;) {
		size_t len = strcspn(p, "|");

		if (is_one_option(word, p, len, valued ? valued : ""))
			return true;
		if (!p[len])
			return false;
		p += len + 1;
	}
}

const char *args_value(const struct gate_args *args, const char *list, const char *valued)
{
	struct args_walk walk;
	struct args_item item;

	args_start(&walk, args, valued);
	while (args_next(&walk, &item))
		if (item.kind == ARGS_OPTION && item.value
			&& args_is_option(args, &item, list, valued))
			return item.value;
	return NULL;
}

/* "-f|--force", "!-n|--dry-run", "-X|--method:delete|put". */
static bool option_term(const struct gate_args *args, const char *term, const char *valued)
{
	bool negated = *term == '!';
	const char *list = term + negated;
	const char *values = strchr(list, ':');
	char options[512];
	struct args_walk walk;
	struct args_item item;

	if (strcspn(list, ":") >= sizeof(options))
		return false;
	memcpy(options, list, strcspn(list, ":"));
	options[strcspn(list, ":")] = '\0';
	args_start(&walk, args, valued);
	while (args_next(&walk, &item)) {
		if (item.kind != ARGS_OPTION || !args_is_option(args, &item, options, valued))
			continue;
		if (values && (!item.value || !args_holds(item.value, values + 1)))
			continue;
		/* --dry-run=none is no dry run. */
		if (negated && item.value && args_in("none|false|0", '|', item.value, strlen(item.value)))
			continue;
		return !negated;
	}
	return negated;
}

static bool text_term(const struct gate_args *args, const char *list)
{
	for (size_t i = 1; i < args->count; i++)
		if (args_holds(args->words[i].text.data, list))
			return true;
	return false;
}

/* The next operand that is one of `list`; one that may be an option's value is passed over. */
static bool operand_term(struct args_walk *walk, const char *list)
{
	struct args_item item;
	const char *text;

	while (args_next(walk, &item)) {
		if (item.kind != ARGS_OPERAND)
			continue;
		text = walk->args->words[item.at].text.data;
		if (!strcmp(list, "*") || args_in(list, '|', text, strlen(text)))
			return true;
		if (!item.maybe)
			return false;
	}
	return false;
}

static bool last_term(const struct gate_args *args, const char *list, const char *valued)
{
	struct args_walk walk;
	struct args_item item;
	const char *last = "";

	args_start(&walk, args, valued);
	while (args_next(&walk, &item))
		if (item.kind == ARGS_OPERAND)
			last = args->words[item.at].text.data;
	return args_holds(last, list);
}

bool args_match(const struct gate_args *args, const char *pattern, const char *valued)
{
	struct args_walk operands;
	char term[512];

	args_start(&operands, args, valued);
	while (*pattern) {
		size_t len = strcspn(pattern, " ");
		bool holds;

		if (len >= sizeof(term))
			return false;
		memcpy(term, pattern, len);
		term[len] = '\0';
		pattern += len + strspn(pattern + len, " ");
		if (term[0] == '@')
			holds = text_term(args, term + 1);
		else if (term[0] == '$')
			holds = last_term(args, term + 1, valued);
		else if (!strcmp(term, "."))
			holds = !operand_term(&operands, "*");
		else if (term[0] == '-' || term[0] == '!')
			holds = option_term(args, term, valued);
		else
			holds = operand_term(&operands, term);
		if (!holds)
			return false;
	}
	return true;
}
