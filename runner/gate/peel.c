#include "runner/gate/peel.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "runner/gate/feed.h"
#include "runner/gate/rules.h"

enum { A = 1, J = 2, E = 4, P = 8, D = 16, U = 32 };

static const struct wrapper {
	const char *names, *sub, *valued;
	unsigned operands;
	const char *text;
	unsigned flags;
} wrappers[] = {
#define WRAP(names, sub, valued, operands, text, flags) \
	{ names, sub, valued, operands, text, flags },
#include "runner/gate/wrappers.def"
#undef WRAP
};

static const char shells[] = "sh|bash|zsh|dash|ksh|ksh93|mksh|ash|rbash|fish|csh|tcsh|yash|posh|"
			     "osh|nu|elvish|xonsh|pwsh|powershell|bash-*|busybox-sh|hush";

static const char fetched[] = "runs code that comes from the network";
static const char hides[] = "runs text from elsewhere: the gate cannot see what this runs";

/* What a program that runs its input runs. */
static void judge_input(struct judge *judge, const struct gate_args *args)
{
	struct feed feed = feed_of(judge);

	switch (feed.kind) {
	case FEED_TEXT:
		judge_text(judge, feed.text, "reads its input");
		return;
	case FEED_FETCH:
		judge_find(judge, ID_PIPE, true, fetched, args);
		return;
	case FEED_FILE:
		judge_script(judge, feed.file, true);
		if (judge->command && judge->command->from)
			judge_unseen(judge, hides, args);
		return;
	case FEED_UNKNOWN:
		judge_unseen(judge, hides, args);
		return;
	case FEED_NONE:
		return;
	}
}

/* Text that is run, as far as it is known. */
static void judge_code(
	struct judge *judge, const struct shell_word *word, const struct gate_args *args)
{
	size_t blank = strspn(word->text.data, " \t\n\001\"'");

	if (strchr(word->text.data, SHELL_UNKNOWN)
		&& (feed_has_fetch(judge) || feed_of(judge).kind == FEED_FETCH))
		judge_find(judge, ID_PIPE, true, fetched, args);
	else if (strchr(word->text.data, SHELL_UNKNOWN) && blank == word->text.len)
		judge_unseen(judge, hides, args);
	judge_text(judge, word->text, "reads a text that is run");
}

static void judge_file(
	struct judge *judge, const struct shell_word *file, const struct gate_args *args)
{
	if (strchr(file->text.data, SHELL_UNKNOWN)) {
		if (feed_has_fetch(judge))
			judge_find(judge, ID_PIPE, true, fetched, args);
		else if (!strncmp(file->text.data, "/dev/fd/", 8))
			judge_unseen(judge, hides, args);
	} else if (feed_is_fetched(judge, file->text.data)) {
		judge_find(judge, ID_PIPE, true, fetched, args);
	} else if (!strcmp(file->text.data, "/dev/stdin") || !strcmp(file->text.data, "-")) {
		judge_input(judge, args);
	} else {
		judge_script(judge, file, true);
	}
}

/* sh [-opts] [-c text | file]; -c is a flag, its text the first operand. */
static void peel_shell(struct judge *judge, const struct gate_args *args)
{
	static const char valued[] = "-o -O --rcfile --init-file +o +O -WorkingDirectory -ep "
				     "-ExecutionPolicy -File";
	struct args_walk walk;
	struct args_item item;
	bool is_code = false;
	bool from_input = false;

	args_start(&walk, args, valued);
	while (args_next(&walk, &item)) {
		const char *word = args->words[item.at].text.data;

		if (item.kind == ARGS_OPERAND && *word == '+')
			continue;
		if (item.kind == ARGS_OPERAND) {
			if (from_input && !is_code)
				break;
			if (is_code)
				judge_code(judge, &args->words[item.at], args);
			else
				judge_file(judge, &args->words[item.at], args);
			return;
		}
		if (args_in("--version|--help|-n", '|', word, strlen(word)))
			return;
		if (args_is_option(args, &item, "--command", ""))
			is_code = true;
		if (item.value && args_is_option(args, &item, "--rcfile|--init-file", valued))
			judge_file(judge,
				&args->words[item.at + 1 < args->count ? item.at + 1 : item.at],
				args);
		if (args_in("-enc*|-Enc*", '|', word, strlen(word))) {
			judge_unseen(judge, hides, args);
			return;
		}
		if (args_in("-command|-Command", '|', word, strlen(word)))
			is_code = true;
		else if (word[1] != '-' && strchr(word, 'c'))
			is_code = true;
		if (word[1] != '-' && strchr(word, 's'))
			from_input = true;
	}
	judge_input(judge, args);
}

/* The words with what is put in from outside made unknown. */
static struct gate_args with_unknown(
	struct judge *judge, const struct gate_args *args, size_t from, const char *mark, bool add)
{
	size_t count = args->count - from;
	struct shell_word *words = at_arena_alloc(judge->arena, (count + 1) * sizeof(*words));
	char unknown[2] = { SHELL_UNKNOWN, 0 };

	for (size_t i = 0; i < count; i++) {
		const char *text = args->words[from + i].text.data;
		const char *at = *mark ? strstr(text, mark) : NULL;

		words[i] = args->words[from + i];
		if (!at)
			continue;
		words[i].flags |= SHELL_HAS_UNKNOWN;
		words[i].text.data = at_arena_printf(judge->arena, "%.*s%s%s", (int)(at - text),
			text, unknown, at + strlen(mark));
		words[i].text.len = strlen(words[i].text.data);
	}
	if (add)
		words[count++] = judge_word(judge, unknown, 1, SHELL_HAS_UNKNOWN);
	return (struct gate_args){ words, count };
}

/* find … -exec CMD ; and its like; fd -x CMD. */
static void peel_find(struct judge *judge, const struct gate_args *args)
{
	static const char starts[] = "-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch";

	for (size_t i = 1; i < args->count; i++) {
		struct gate_args inner;
		size_t end = i + 1;

		if (!args_in(starts, '|', args->words[i].text.data, args->words[i].text.len))
			continue;
		while (end < args->count && strcmp(args->words[end].text.data, ";")
			&& strcmp(args->words[end].text.data, "+"))
			end++;
		inner = (struct gate_args){ args->words, end };
		inner = with_unknown(judge, &inner, i + 1, "{}",
			args_in("-x|-X|--exec|--exec-batch", '|', args->words[i].text.data,
				args->words[i].text.len));
		judge_words(judge, inner.words, inner.count);
		i = end;
	}
}

static bool peel_shell_words(struct judge *judge, const struct gate_args *args, const char *name)
{
	if (!strcmp(name, "eval") || !strcmp(name, "iex") || !strcmp(name, "invoke-expression")) {
		struct at_bytes text = judge_join(judge, args, 1);
		struct shell_word word = { .text = text };

		judge->ended = judge->place->path;
		if (args->count > 1)
			judge_code(judge, &word, args);
		else
			judge_input(judge, args);
		judge_stay(judge);
		return true;
	}
	if (!strcmp(name, "source") || !strcmp(name, ".")) {
		judge->ended = judge->place->path;
		if (args->count > 1)
			judge_file(judge, &args->words[1], args);
		judge_stay(judge);
		return true;
	}
	if (!strcmp(name, "trap")) {
		if (args->count > 2 && args->words[1].text.data[0] != '-')
			judge_code(judge, &args->words[1], args);
		return true;
	}
	if (args_in("at|batch", '|', name, strlen(name))) {
		judge_input(judge, args);
		return true;
	}
	if (args_in("find|gfind|bfs|fd|fdfind", '|', name, strlen(name))) {
		peel_find(judge, args);
		return true;
	}
	return false;
}

/* Passes the words of `sub`; false where they are others. */
static bool pass_sub(struct args_walk *walk, const char *sub)
{
	struct args_item item;
	char term[256];

	while (*sub) {
		size_t len = strcspn(sub, " ");
		const char *text = NULL;

		if (len >= sizeof(term))
			return false;
		memcpy(term, sub, len);
		term[len] = '\0';
		for (;;) {
			if (!args_next(walk, &item))
				return false;
			if (item.kind != ARGS_OPERAND)
				continue;
			text = walk->args->words[item.at].text.data;
			if (args_in(term, '|', text, strlen(text)))
				break;
			if (!item.maybe)
				return false;
		}
		sub += len + strspn(sub + len, " ");
	}
	return true;
}

static bool is_assignment(const char *word)
{
	size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

	return n && word[n] == '=' && !(*word >= '0' && *word <= '9');
}

/* Where "--" ends the wrapper's own words, or 0. */
static size_t dashes(const struct gate_args *args)
{
	for (size_t i = 1; i < args->count; i++)
		if (!strcmp(args->words[i].text.data, "--"))
			return i;
	return 0;
}

static void judge_inner(struct judge *judge, const struct wrapper *row,
	const struct gate_args *args, size_t at, const char *mark)
{
	struct gate_args inner = { args->words + at, args->count - at };
	bool elsewhere = judge->elsewhere;

	judge->elsewhere = elsewhere || (row->flags & E);
	if (row->flags & U)
		inner = with_unknown(
			judge, args, at, mark ? mark : "{}", !(row->flags & J) && !mark);
	/* One word with blanks names no program: xterm and its like give it to a shell. */
	if ((row->flags & J) || (inner.count == 1 && strchr(inner.words[0].text.data, ' ')))
		judge_text(judge, judge_join(judge, &inner, 0), "reads a text that is run");
	else
		judge_words(judge, inner.words, inner.count);
	judge->elsewhere = elsewhere;
}

static bool peel_row(struct judge *judge, const struct wrapper *row, const struct gate_args *args)
{
	struct args_walk walk;
	struct args_item item;
	unsigned operands = 0;
	size_t inner = row->flags & D ? dashes(args) : 0;
	const char *mark = NULL;

	args_start(&walk, args, row->valued);
	if (!pass_sub(&walk, row->sub))
		return false;
	if (inner) {
		if (inner + 1 < args->count)
			judge_inner(judge, row, args, inner + 1, NULL);
		return true;
	}
	while (args_next(&walk, &item)) {
		const char *word = args->words[item.at].text.data;

		if (item.kind == ARGS_OPTION) {
			if (item.value && *row->text
				&& args_is_option(args, &item, row->text, row->valued)) {
				struct shell_word text = { .text = at_bytes_of(item.value) };

				judge_code(judge, &text, args);
			}
			if ((row->flags & U)
				&& args_is_option(args, &item, "-I|--replace", row->valued))
				mark = item.value ? item.value : "{}";
			continue;
		}
		if ((row->flags & A) && is_assignment(word))
			continue;
		if (operands++ < row->operands)
			continue;
		judge_inner(judge, row, args, item.at, mark);
		return true;
	}
	/* No command: ssh host, parallel and su give their input to a shell. */
	if ((row->flags & (J | U)) == (J | U) || ((row->flags & (J | E)) == (J | E) && operands)
		|| args_in("su", '|', row->names, 2))
		judge_input(judge, args);
	return true;
}

/* Neither a shell nor a wrapper, as most programs: each name is looked for once. A pure function
 * of the name, so that nothing of one call shows in the next. */
static bool is_plain(const char *name)
{
	static char kept[64][64];
	char *at = kept[args_slot(name, AT_LEN(kept))];
	size_t len = strlen(name);

	if (len && strcmp(at, name) == 0)
		return true;
	if (args_in(shells, '|', name, len))
		return false;
	for (size_t i = 0; i < AT_LEN(wrappers); i++)
		if (args_in(wrappers[i].names, '|', name, len))
			return false;
	if (len < sizeof(kept[0]))
		strcpy(at, name); /* fits */
	return true;
}

bool peel_apply(struct judge *judge, const struct gate_args *args, const char *name)
{
	size_t len = strlen(name);
	bool peeled = false, plain = is_plain(name);

	if (!plain && args_in(shells, '|', name, len)) {
		peel_shell(judge, args);
		return true;
	}
	if (peel_shell_words(judge, args, name))
		return true;
	if (!strcmp(name, "command") && args->count > 1
		&& args_in("-v|-V|-pv", '|', args->words[1].text.data, args->words[1].text.len))
		return true;
	for (size_t i = 0; i < AT_LEN(wrappers) && !peeled && !plain; i++) {
		size_t finds = judge->finds;

		if (!args_in(wrappers[i].names, '|', name, len))
			continue;
		peeled = peel_row(judge, &wrappers[i], args);
		judge_fired(judge, GATE_WRAPPERS, i, finds);
	}
	return peeled;
}

void peel_stranger(struct judge *judge, const struct gate_args *args, const char *name)
{
	size_t most = args->count < 8 ? args->count : 8;
	char inner[64];

	if (strchr(args->words[0].text.data, '/') || rules_know(name)) {
		if (feed_is_fetched(judge, args->words[0].text.data))
			judge_find(judge, ID_PIPE, true, fetched, args);
		else if (!rules_know(name))
			judge_script(judge, &args->words[0], false);
	}
	if (rules_know(name) || rules_only_reads(name))
		return;
	for (size_t i = 1; i + 1 < most; i++) {
		const struct shell_word *word = &args->words[i];

		if (word->flags & (SHELL_HAS_UNKNOWN | SHELL_HAS_GLOB) || word->text.data[0] == '-')
			continue;
		args_name(inner, sizeof(inner), word);
		if (!rules_know(inner) && !args_in(shells, '|', inner, strlen(inner)))
			continue;
		judge_words(judge, word, args->count - i);
		return;
	}
}
