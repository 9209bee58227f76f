#include "runner/gate/rules.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "core/mem.h"

enum { F = 1, T = 2, W = 4, L = 8 };

static const struct {
	const char *programs, *options;
} valued[] = {
#define VALUED(programs, options) { programs, options },
#define RULE(id, flags, programs, pattern, what)
#include "runner/gate/rules.def"
#undef VALUED
#undef RULE
};

static const struct rule {
	enum judge_id id;
	unsigned flags;
	const char *programs, *pattern, *what;
} rules[] = {
#define VALUED(programs, options)
#define RULE(id, flags, programs, pattern, what) { ID_##id, flags, programs, pattern, what },
#include "runner/gate/rules.def"
#undef VALUED
#undef RULE
};

/* Programs that print, read or edit, or run what the project is made of: a word of theirs that
 * names another program is no command. */
static const char readers[] =
	"echo|printf|grep|egrep|fgrep|zgrep|rg|ag|ack|cat|bat|tac|less|more|head|tail|jq|yq|sort|"
	"uniq|wc|diff|cmp|comm|cut|tr|fold|fmt|nl|file|stat|ls|dir|man|which|type|whatis|apropos|"
	"info|help|whereis|hash|cd|pushd|popd|mkdir|touch|basename|dirname|realpath|readlink|test|"
	"[|[[|:|true|false|export|declare|local|readonly|typeset|set|unset|shift|return|exit|read|"
	"alias|unalias|let|printenv|id|whoami|date|sleep|seq|expr|column|paste|join|split|xxd|od|"
	"hexdump|strings|md5sum|sha1sum|sha256sum|sha512sum|shasum|cksum|base64|tree|du|df|git|gh|"
	"vi|vim|nvim|nano|emacs|code|open|xdg-open|pgrep|pidof|ps|kill|pkill|killall|wait|jobs|fg|"
	"bg|make|cmake|ninja|meson|gcc|cc|clang|g++|ld|ar|rustc|javac|tsc|eslint|prettier|ruff|"
	"black|mypy|shellcheck|shfmt|pytest|jest|say|notify-send|logger|yes|wl-copy|pbcopy|xclip|"
	"dpkg-query|sed|gsed|cp|mv|ln|install|tee|rsync|tar|zip|unzip|gzip|gunzip|xz|zcat|chmod|"
	"chown|look|aspell|fzf|gpg|history|compgen|complete|ulimit|umask|getopts|mapfile|"
	"readarray|case|for|select|function|then|do|else|tldr|cheat|units|bc|dc|factor|ctags|"
	"cscope|gofmt|terraform-docs|hugo|pandoc|iconv|dos2unix|rename|watchman|get-help|"
	"get-command";

/* What the tables say of a program's name. The same few names come again and again, and the
 * tables are long: each is looked up once. A pure function of the name, so that nothing of one
 * call shows in the next. */
struct known {
	char name[64]; /* "" for none yet */
	bool only_reads;
	const char *options;
	size_t count;
	uint16_t rows[AT_LEN(rules)]; /* of `rules`, that speak of it */
};

static void look_up(struct known *out, const char *name)
{
	size_t len = strlen(name);

	out->only_reads = args_in(readers, '|', name, len);
	out->options = "";
	for (size_t i = 0; i < AT_LEN(valued) && !*out->options; i++)
		if (args_in(valued[i].programs, '|', name, len))
			out->options = valued[i].options;
	out->count = 0;
	for (size_t i = 0; i < AT_LEN(rules); i++)
		if (args_in(rules[i].programs, '|', name, len))
			out->rows[out->count++] = (uint16_t)i;
}

/* Kept for good, or made in `room`: judging what a command starts asks for other names too. */
static const struct known *known(const char *name, struct known *room)
{
	static struct known kept[64];
	struct known *at = kept + args_slot(name, AT_LEN(kept));

	if (*name && strcmp(at->name, name) == 0)
		return at;
	if (!*name || *at->name || strlen(name) >= sizeof(at->name))
		at = room;
	look_up(at, name);
	if (at != room)
		strcpy(at->name, name); /* fits: checked above */
	return at;
}

bool rules_only_reads(const char *name)
{
	struct known room;

	return known(name, &room)->only_reads;
}

bool rules_know(const char *name)
{
	struct known room;

	return known(name, &room)->count > 0;
}

const char *rules_valued(const char *name)
{
	struct known room;

	return known(name, &room)->options;
}

static void weigh_deleted(struct judge *judge, const struct rule *rule,
	const struct gate_args *args, const char *path)
{
	switch (judge_weigh(judge, path)) {
	case TARGET_ROOT:
	case TARGET_HOME:
	case TARGET_KEYS:
		judge_deny(judge, rule->id, "takes away what the system or its owner lives from",
			args);
		return;
	case TARGET_CONTROL:
		judge_find(judge, ID_CONTROL, true, "takes away what guards this session", args);
		return;
	default:
		return;
	}
}

static void weigh_written(struct judge *judge, const struct rule *rule,
	const struct gate_args *args, const char *path)
{
	static const struct {
		enum target_weight weight;
		enum judge_id id;
		const char *what;
	} rows[] = {
		{ TARGET_PERSIST, ID_PERSIST, "changes what runs later" },
		{ TARGET_SYSTEM, ID_FS, "writes where the system is kept" },
		{ TARGET_DEVICE, ID_FS, "writes to a device" },
		{ TARGET_CONTROL, ID_CONTROL, "changes what guards this session" },
	};
	enum target_weight weight = judge_weigh(judge, path);
	bool own = weight == TARGET_GIT && strstr(path, ".git");

	if (weight == TARGET_KEYS)
		judge_deny(judge, ID_FS, "writes over keys or accounts", args);
	if (own)
		judge_find(judge, ID_CONTROL, true, "changes the repository's own files", args);
	if ((weight == TARGET_ROOT || weight == TARGET_HOME) && rule->id == ID_PRIV)
		judge_find(judge, ID_PRIV, true, "changes the rights of everything", args);
	for (size_t i = 0; i < AT_LEN(rows); i++)
		if (rows[i].weight == weight)
			judge_find(judge, rows[i].id, true, rows[i].what, args);
}

static void weigh(struct judge *judge, const struct rule *rule, const struct gate_args *args,
	const char *path)
{
	if (rule->flags & W)
		weigh_written(judge, rule, args, path);
	else
		weigh_deleted(judge, rule, args, path);
}

/* A copy writes its last operand, or the directory of -t; a move and an edit all of theirs. What
 * is put into /tmp changes nothing of it. */
static void weigh_operands(struct judge *judge, const struct rule *rule,
	const struct gate_args *args, const char *name)
{
	static const char last_only[] = "cp|ln|install|gcp|gln";
	static const char puts_into[] = "cp|ln|install|gcp|gln|mv|gmv";
	static const char scratch[] = "/tmp|/tmp/|/var/tmp|/var/tmp/";
	static const char skips_first[] = "sed|gsed|chmod|chown|chgrp|chattr|perl|ruby";
	bool only_last = args_in(last_only, '|', name, strlen(name));
	bool puts = args_in(puts_into, '|', name, strlen(name));
	bool skip = args_in(skips_first, '|', name, strlen(name));
	const char *options = rules_valued(name);
	const char *dir = puts ? args_value(args, "-t|--target-directory", options) : NULL;
	const char *last = NULL;
	struct args_walk walk;
	struct args_item item;

	args_start(&walk, args, options);
	while (args_next(&walk, &item)) {
		const char *path = args->words[item.at].text.data;

		if (item.kind != ARGS_OPERAND) {
			/* "-x" is chmod's mode, not an option. */
			if (!strcmp(name, "chmod") && strspn(path, "-rwxst") == strlen(path))
				skip = false;
			continue;
		}
		if (skip) {
			skip = false;
			continue;
		}
		if (!strncmp(path, "of=", 3))
			path += 3;
		if (last && !only_last)
			weigh(judge, rule, args, last);
		last = path;
	}
	if (dir && last && !only_last)
		weigh(judge, rule, args, last);
	if (dir)
		last = dir;
	if (last && !(puts && args_in(scratch, '|', last, strlen(last))))
		weigh(judge, rule, args, last);
}

/* dd to nowhere changes nothing. */
static bool goes_nowhere(const struct judge *judge, const struct gate_args *args, const char *name)
{
	if (strcmp(name, "dd"))
		return false;
	for (size_t i = 1; i < args->count; i++)
		if (!strncmp(args->words[i].text.data, "of=", 3))
			return judge_weigh(judge, args->words[i].text.data + 3) == TARGET_NOTHING;
	return false;
}

/* "http://localhost:3000/x", "127.0.0.1"; not "localhost@elsewhere", nor what is not known. */
static bool is_here(const char *address)
{
	static const char hosts[] = "localhost|127.0.0.1|[::1]|::1|0.0.0.0";
	const char *host = address;
	size_t n;

	if (!strncasecmp(host, "http://", 7))
		host += 7;
	else if (!strncasecmp(host, "https://", 8))
		host += 8;
	n = strcspn(host, "/?#\\");
	if (host[n] == '\\' || memchr(host, '@', n) || memchr(host, SHELL_UNKNOWN, n))
		return false;
	if (!args_in(hosts, '|', host, n)) {
		while (n && host[n - 1] >= '0' && host[n - 1] <= '9')
			n--;
		n -= n && host[n - 1] == ':';
	}
	/* httpie's ":3000/x" */
	return !n ? *host == ':' : args_in(hosts, '|', host, n);
}

/* Of those who send: what makes an address lead elsewhere, and how many operands are one. */
static const struct sender {
	const char *programs, *detours;
	bool only_first;
} senders[] = {
	{ "curl|curlie",
		"-x|--proxy|--proxy1.0|--preproxy|--socks4|--socks4a|--socks5|--socks5-hostname|"
		"--unix-socket|--abstract-unix-socket|--resolve|--connect-to|-K|--config",
		false },
	{ "wget", "-e|--execute|-i|--input-file|--config", false },
	{ "http|https|xh|xhs", "--proxy", true },
	{ "nc|ncat|netcat", "-x|-X|--proxy|-e|--exec|-c|--sh-exec|-l|--listen", true },
};

/* GATE-2 asks of what is sent out; this is about what is not. What is no address is not here. */
static bool stays_here(const struct judge *judge, const struct gate_args *args, const char *name)
{
	static const char methods[] =
		"GET|HEAD|POST|PUT|PATCH|OPTIONS|get|head|post|put|patch|options";
	const char *options = rules_valued(name);
	const struct sender *sender = NULL;
	size_t addresses = 0;
	struct args_walk walk;
	struct args_item item;

	for (size_t i = 0; i < AT_LEN(senders) && !sender; i++)
		if (args_in(senders[i].programs, '|', name, strlen(name)))
			sender = &senders[i];
	if (!sender)
		return false;
	for (size_t i = 0; judge->command && i < judge->command->assigned_count; i++)
		if (args_holds(judge->command->assigned[i].text.data, "proxy="))
			return false;
	args_start(&walk, args, options);
	while (args_next(&walk, &item)) {
		const char *word = args->words[item.at].text.data;

		if (item.kind == ARGS_OPTION) {
			if (args_is_option(args, &item, sender->detours, options))
				return false;
			if (!args_is_option(args, &item, "--url", options))
				continue;
			word = item.value ? item.value : "";
		}
		if (sender->only_first && (addresses || args_in(methods, '|', word, strlen(word))))
			continue;
		if (!is_here(word))
			return false;
		addresses++;
	}
	return addresses > 0;
}

void rules_apply(struct judge *judge, const struct gate_args *args, const char *name)
{
	struct known room;
	const struct known *of_name = known(name, &room);

	rules_apply_text(judge, args, name);
	for (size_t i = 0; i < of_name->count; i++) {
		const struct rule *rule = &rules[of_name->rows[i]];
		size_t finds = judge->finds;

		if (!args_match(args, rule->pattern, of_name->options)
			|| goes_nowhere(judge, args, name)
			|| ((rule->flags & L) && stays_here(judge, args, name)))
			continue;
		if (rule->flags & T)
			weigh_operands(judge, rule, args, name);
		if (!(rule->flags & W))
			judge_find(judge, rule->id, rule->flags & F, rule->what, args);
		judge_fired(judge, GATE_RULES, of_name->rows[i], finds);
	}
}

/* A command whose output is nothing: a redirect of it empties the file. */
static bool says_nothing(const struct shell_command *command)
{
	char name[64];
	struct gate_args args = { command->words, command->count };

	if (!command->count)
		return true;
	args_name(name, sizeof(name), &command->words[0]);
	if (!strcmp(name, ":") || !strcmp(name, "true") || !strcmp(name, "false"))
		return true;
	if (!strcmp(name, "cat"))
		return command->count == 2 && !strcmp(command->words[1].text.data, "/dev/null");
	if (!strcmp(name, "echo") || !strcmp(name, "printf"))
		return args_match(&args, "!-e", "") && command->count == 2
			&& (!command->words[1].text.len
				|| !strcmp(command->words[1].text.data, "-n"));
	return false;
}

void rules_apply_redirects(struct judge *judge, const struct shell_command *command)
{
	static const struct rule written = { ID_CONTROL, W, "", "", "" };
	struct gate_args shown = { command->words, command->count };

	for (size_t i = 0; i < command->redirect_count; i++) {
		const struct shell_redirect *redirect = &command->redirects[i];
		const char *path = redirect->word.text.data;
		struct gate_args file = { &redirect->word, 1 };

		if (redirect->kind != SHELL_TO && redirect->kind != SHELL_APPEND
			&& redirect->kind != SHELL_BOTH)
			continue;
		if (judge_weigh(judge, path) == TARGET_NOTHING)
			continue;
		if (!strncmp(path, "/dev/tcp/", 9) || !strncmp(path, "/dev/udp/", 9)) {
			judge_find(judge, ID_SEND, true, "opens a raw connection", &file);
			continue;
		}
		weigh_written(judge, &written, &file, path);
		if (redirect->clobber)
			judge_find(judge, ID_FS, true, "writes over a file by force", &file);
		else if (redirect->kind == SHELL_TO && says_nothing(command)
			&& !(!command->count && command->from))
			judge_find(
				judge, ID_FS, true, "empties a file", shown.count ? &shown : &file);
	}
}

/* Variables that programs run as commands. */
void rules_apply_assigned(struct judge *judge, const struct shell_command *command)
{
	static const char runs[] =
		"GIT_SSH_COMMAND|GIT_EDITOR|GIT_SEQUENCE_EDITOR|GIT_PAGER|"
		"GIT_EXTERNAL_DIFF|GIT_ASKPASS|PAGER|EDITOR|VISUAL|PROMPT_COMMAND|LESSOPEN|"
		"MANPAGER|RSYNC_RSH|TAR_OPTIONS|BROWSER|GIT_PROXY_COMMAND|GIT_SSH";
	static const char loads[] =
		"LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|"
		"GIT_CONFIG_GLOBAL|GIT_CONFIG_SYSTEM|GIT_CONFIG_KEY_*|GIT_EXEC_PATH|"
		"GIT_TEMPLATE_DIR";

	for (size_t i = 0; i < command->assigned_count; i++) {
		struct at_bytes text = command->assigned[i].text;
		size_t n = strcspn(text.data, "=");
		struct gate_args shown = { &command->assigned[i], 1 };

		if (!text.data[n])
			continue;
		if (args_in(runs, '|', text.data, n))
			judge_text(judge, (struct at_bytes){ text.data + n + 1, text.len - n - 1 },
				"reads a variable that is run");
		else if (command->count && args_in(loads, '|', text.data, n))
			judge_unseen(judge, "loads code into what it runs", &shown);
	}
}
