#include "core/settings_parts.h"

#include <ctype.h>
#include <string.h>

#include "core/mem.h"
#include "core/path.h"

/* What an interpreter does with a script that is not there. Exit 2 is a refusal to the
 * client, every other status lets the call pass. Measured with the Debian 12 programs;
 * what `sh` says depends on which shell it is: dash 2, bash 127. */
static const struct interpreter {
	const char *name;
	int status;             /* of a missing script; 0 not known, -1 depends */
	const char *inline_by;  /* letters of options that carry the program themselves */
	const char *takes_word; /* letters of options followed by a word */
} interpreters[] = {
	{ "python", 2, "cm", "WX" }, { "python3", 2, "cm", "WX" }, { "sh", -1, "c", "o" },
	{ "dash", 2, "c", "o" }, { "bash", 127, "c", "oO" }, { "zsh", 127, "c", "o" },
	{ "ksh", 127, "c", "o" }, { "node", 1, "ep", "r" }, { "perl", 2, "eE", "" },
	{ "ruby", 1, "e", "" }, { "bun", 1, "e", "" }, { "deno", 1, "", "" }, { "php", 1, "r", "" },
	{ "pwsh", 0, "c", "" }, { "powershell", 0, "c", "" }, { "osascript", 0, "e", "" },
};

static const struct interpreter *find_interpreter(const char *program)
{
	const char *slash = strrchr(program, '/'), *base = slash ? slash + 1 : program;
	size_t len = strlen(base);

	/* python3.11 is python3, but not every name with a digit is an interpreter. */
	if (strncmp(base, "python3.", 8) == 0)
		len = 7;
	for (size_t i = 0; i < AT_LEN(interpreters); i++)
		if (strlen(interpreters[i].name) == len &&
				memcmp(interpreters[i].name, base, len) == 0)
			return &interpreters[i];
	return NULL;
}

/* The script among the words after an interpreter; NULL where the program stands in an
 * option or is not to be told. */
static const struct at_settings_word *find_script(const struct interpreter *by,
	const struct at_settings_words *words, size_t at)
{
	for (; at < words->count; at++) {
		const char *text = words->word[at].text;

		if (text[0] != '-' || text[1] == '\0')
			return text[0] == '-' ? NULL : &words->word[at];
		if (strcmp(text, "--") == 0)
			return at + 1 < words->count ? &words->word[at + 1] : NULL;
		if (text[1] == '-') {
			if (strcmp(text, "--eval") == 0 || strcmp(text, "--print") == 0)
				return NULL;
			at += strcmp(text, "--require") == 0 || strcmp(text, "--import") == 0;
			continue;
		}
		for (const char *c = text + 1; *c; c++) {
			if (strchr(by->inline_by, *c))
				return NULL;
			if (strchr(by->takes_word, *c)) {
				at += c[1] == '\0';
				break;
			}
		}
	}
	return NULL;
}

/* Words that only lead in the command: FOO=bar, exec, command, env. */
static size_t skip_lead(const struct at_settings_words *words)
{
	size_t at = 0;

	for (; at < words->count; at++) {
		const char *text = words->word[at].text, *equals = strchr(text, '=');
		bool is_assignment = equals && equals > text && !strchr(text, '/') &&
			!isdigit((unsigned char)*text);

		if (equals && equals > text && !is_assignment) {
			is_assignment = true;
			for (const char *c = text; c < equals; c++)
				is_assignment =
					is_assignment && (isalnum((unsigned char)*c) || *c == '_');
		}
		if (!is_assignment && strcmp(text, "exec") != 0 && strcmp(text, "command") != 0 &&
				strcmp(text, "env") != 0)
			break;
	}
	return at;
}

struct target {
	const struct at_settings_hook *hook;
	uint32_t node; /* the command */
	const char *pointer;
	const struct at_settings_word *word;
	const struct interpreter *by; /* NULL: started itself */
	bool is_script;               /* read by `by`, needs no execute bit */
	bool is_exec_form;            /* no shell in between: nothing is expanded */
};

static enum at_settings_finding by_weight(const struct target *t, enum at_settings_finding hard,
	enum at_settings_finding soft)
{
	return t->hook->can_block ? hard : soft;
}

static const char *direction(const struct target *t)
{
	if (!t->hook->can_block)
		return "the hook does nothing.";
	if (!t->is_script && t->is_exec_form)
		return "it cannot be started, which lets every call pass: everything allowed.";
	if (!t->is_script)
		return "the shell says 127, which lets every call pass: everything allowed.";
	if (t->by->status == 2)
		return "the interpreter says 2, which the client reads as a refusal: everything "
			"denied, and the session cannot mend it.";
	if (t->by->status < 0)
		return "where sh is dash every call is refused, where it is bash every call passes.";
	return t->by->status ? "the interpreter's status lets every call pass: everything allowed."
			     : "what the interpreter says then is not known here.";
}

static void say_missing(struct at_settings *s, const struct target *t)
{
	at_settings_say(s, by_weight(t, AT_SF_HOOK_MISSING, AT_SF_HOOK_MISSING_SOFT), t->node,
		t->pointer, "`%s` is not there: %s",
		at_settings_quote(s, at_bytes_of(t->word->text)), direction(t));
}

static void check_on_disk(struct at_settings *s, const struct target *t, const char *path)
{
	const char *shown = at_settings_quote(s, at_bytes_of(t->word->text));
	struct stat st;

	if (!at_settings_stat(s, path, &st)) {
		say_missing(s, t);
		return;
	}
	if (t->is_script && !S_ISDIR(st.st_mode))
		return;
	if (S_ISDIR(st.st_mode) || !(st.st_mode & 0111))
		at_settings_say(s,
			by_weight(t, AT_SF_HOOK_NOT_STARTABLE, AT_SF_HOOK_NOT_STARTABLE_SOFT),
			t->node, t->pointer, "`%s` %s: it does not start, %s", shown,
			S_ISDIR(st.st_mode) ? "is a directory" : "has no execute bit",
			t->hook->can_block ? "which lets every call pass."
					   : "the hook does nothing.");
}

/* One program or script of the command: from any directory, and with the bits it has. */
static void check_target(struct at_settings *s, const struct target *t)
{
	const struct at_settings_word *word = t->word;
	const char *shown = at_settings_quote(s, at_bytes_of(word->text));
	char path[PATH_MAX];

	if (word->is_open) {
		at_settings_say(s, AT_SF_HOOK_UNEXPANDED, t->node, t->pointer,
			"`%s`: %s, so this is taken as it stands and not found.", shown,
			t->is_exec_form ? "with \"args\" no shell expands anything" :
			"nothing is expanded between such quotes");
		return;
	}
	if (word->is_unknown)
		return;
	if (word->text[0] != '/') {
		at_settings_say(s, by_weight(t, AT_SF_HOOK_RELATIVE, AT_SF_HOOK_RELATIVE_SOFT),
			t->node, t->pointer,
			"`%s` is relative to where the session is at the moment: after a cd it is "
			"not found, and %s",
			shown, direction(t));
		return;
	}
	if (word->is_unquoted)
		at_settings_say(s,
			strpbrk(s->project, " \t*?[") ? AT_SF_HOOK_UNQUOTED
						      : AT_SF_HOOK_UNQUOTED_SOFT,
			t->node, t->pointer,
			"$CLAUDE_PROJECT_DIR stands outside quotes: in a project whose path holds "
			"a blank the program is not found.");
	if (at_path_normalise(path, word->text) && at_settings_can_look(s, path))
		check_on_disk(s, t, path);
	else if (!t->is_script)
		at_settings_say(s, AT_SF_HOOK_EXEC_BIT, t->node, t->pointer,
			"`%s` is started by itself: without its execute bit it does not start, and "
			"the call passes.",
			shown);
}

static void words_of_exec_form(struct at_settings *s, struct at_settings_words *out,
	const char *command, uint32_t args)
{
	memset(out, 0, sizeof(*out));
	out->word[out->count++].text = command;
	at_json_each(s->doc, i, args) {
		if (out->count == AT_LEN(out->word))
			break;
		out->word[out->count++].text =
			at_json_is(s->doc, i, AT_JSON_STRING) ? at_settings_text(s, i) : "";
	}
	for (size_t i = 0; i < out->count; i++) {
		struct at_settings_word *word = &out->word[i];
		static const char placeholder[] = "${CLAUDE_PROJECT_DIR}";
		size_t len = sizeof(placeholder) - 1;

		if (strncmp(word->text, placeholder, len) == 0)
			word->text =
				at_arena_printf(s->arena, "%s%s", s->project, word->text + len);
		word->is_open = strchr(word->text, '$') || word->text[0] == '~';
	}
}

void at_settings_command(struct at_settings *s, const struct at_settings_hook *hook)
{
	uint32_t command = at_json_member(s->doc, hook->node, "command");
	uint32_t args = at_json_member(s->doc, hook->node, "args");
	struct target t = { .hook = hook,
		.node = command,
		.is_exec_form = at_json_is(s->doc, args, AT_JSON_ARRAY),
		.pointer = at_arena_printf(s->arena, "%s/command", hook->pointer) };
	struct at_settings_words words;
	size_t at;

	if (t.is_exec_form)
		words_of_exec_form(s, &words, at_settings_text(s, command), args);
	else
		at_settings_split(s, &words, at_settings_text(s, command));
	at = t.is_exec_form ? 0 : skip_lead(&words);
	if (at >= words.count)
		return;
	t.word = &words.word[at];
	t.by = find_interpreter(t.word->text);
	/* A bare name is searched on PATH when the hook runs: which one is found, and whether,
	 * is not in this file. */
	if (strchr(t.word->text, '/') || t.word->is_open)
		check_target(s, &t);
	if (!t.by)
		return;
	t.word = find_script(t.by, &words, at + 1);
	t.is_script = true;
	if (t.word)
		check_target(s, &t);
}
