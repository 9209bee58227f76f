/* What no table of options can say: refspecs, SQL, addresses, places to copy to. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/mem.h"
#include "runner/gate/feed.h"
#include "runner/gate/rules.h"

static bool is_remote(const char *word)
{
	const char *colon = strchr(word, ':');
	const char *slash = strchr(word, '/');

	/* host:path, user@host:, rsync://host; not C:\x and not ./a:b. */
	if (!colon || colon == word || (slash && slash < colon))
		return false;
	return colon[1] != '\\';
}

/* Between two "/", the number of "pulls/N/merge". */
static bool names_merge(const char *text)
{
	static const char start[] = "pulls/";
	const char *p = text;

	if (args_holds(text, "mergePullRequest|enablePullRequestAutoMerge"))
		return true;
	while ((p = strstr(p, start))) {
		const char *number = p + sizeof(start) - 1;
		size_t n = strcspn(number, "/ \t\n\"'");

		if (n && !strncmp(number + n, "/merge", 6)
			&& !isalnum((unsigned char)number[n + 6]))
			return true;
		p = number;
	}
	return false;
}

/* GATE-3: any client, its input too; not who only reads, prints, or writes a text of git's. */
static void apply_merge(struct judge *judge, const struct gate_args *args, const char *name)
{
	bool is_api = !strcmp(name, "gh") && args_match(args, "api", rules_valued(name));
	struct feed feed;

	if (rules_only_reads(name) && !is_api)
		return;
	for (size_t i = 1; i < args->count; i++)
		if (names_merge(args->words[i].text.data)) {
			judge_find(judge, ID_MERGE, true, "merges a pull request", args);
			return;
		}
	feed = feed_of_command(judge, judge->command);
	if (feed.kind == FEED_TEXT && names_merge(feed.text.data))
		judge_find(judge, ID_MERGE, true, "merges a pull request", args);
}

/* The next word of a statement, in lower case; comments and blanks passed over. */
static const char *sql_word(const char *p, char *out, size_t size)
{
	size_t n = 0;

	for (;;) {
		if (p[0] == '/' && p[1] == '*') {
			const char *end = strstr(p + 2, "*/");

			p = end ? end + 2 : p + strlen(p);
		} else if (p[0] == '-' && p[1] == '-') {
			p += strcspn(p, "\n");
		} else if (*p && !isalpha((unsigned char)*p) && *p != '_') {
			p++;
		} else {
			break;
		}
	}
	while (isalnum((unsigned char)*p) || *p == '_') {
		if (n + 1 < size)
			out[n++] = (char)tolower((unsigned char)*p);
		p++;
	}
	out[n] = '\0';
	return p;
}

static bool sql_destroys(const char *text)
{
	static const char objects[] =
		"table|database|schema|view|index|user|role|sequence|function|"
		"procedure|trigger|materialized|type|extension|column|keyspace|collection|owned|"
		"tablespace|event|policy|if|constraint|temporary|publication|server|domain";
	char before[32] = "";
	char word[32];
	const char *p = text;

	if (args_holds(text,
		    "dropDatabase|.drop(|deleteMany|deleteOne|.remove({|.remove(|flushall|"
		    "flushdb|dropIndex|dropCollection|findOneAndDelete|xp_cmdshell"))
		return true;
	for (;;) {
		p = sql_word(p, word, sizeof(word));
		if (!*word)
			return false;
		if (!strcmp(before, "drop") && args_in(objects, '|', word, strlen(word)))
			return true;
		if (!strcmp(before, "delete") && !strcmp(word, "from"))
			return true;
		if (!strcmp(before, "truncate"))
			return true;
		memcpy(before, word, sizeof(before));
	}
}

/* "\! rm x" of psql and mysql, ".shell rm x" and ".system rm x" of sqlite. */
static void sql_escapes(struct judge *judge, const char *text)
{
	static const char *const escapes[] = { "\\!", ".shell ", ".system ", "system " };

	for (size_t i = 0; i < AT_LEN(escapes); i++) {
		size_t n = strlen(escapes[i]);
		const char *p = strstr(text, escapes[i]);

		if (p && (p == text || p[-1] == '\n' || p[-1] == ' ' || *p == '\\'))
			judge_text(judge, (struct at_bytes){ p + n, strcspn(p + n, "\n") },
				"reads a client's escape");
	}
}

static void apply_sql(struct judge *judge, const struct gate_args *args, const char *name)
{
	static const char clients[] =
		"psql|mysql|mariadb|sqlite|sqlite3|duckdb|mongo|mongosh|"
		"clickhouse*|cockroach|mycli|pgcli|litecli|usql|sqlcmd|bq|snowsql|cqlsh|turso|isql|"
		"beeline|hive|trino|presto|spark-sql|db2|sqlplus|osql|influx|libsql|edgedb|neo4j-*|"
		"cypher-shell|redis-cli|surreal|mysqlsh|tsql|wrangler|dbshell";
	bool found = false;
	struct feed feed;

	if (!args_in(clients, '|', name, strlen(name)))
		return;
	for (size_t i = 1; i < args->count; i++) {
		const char *text = args->words[i].text.data;

		found |= sql_destroys(text + strspn(text, "-"));
		sql_escapes(judge, args->words[i].text.data);
	}
	feed = feed_of(judge);
	if (feed.kind == FEED_TEXT) {
		found |= sql_destroys(feed.text.data);
		sql_escapes(judge, feed.text.data);
	}
	if (found)
		judge_find(judge, ID_DB, true, "takes data out of a database", args);
}

/* A push's refspecs. The first operand after "push" is the remote. */
static void apply_push(struct judge *judge, const struct gate_args *args)
{
	static const char main_names[] =
		"main|master|trunk|refs/heads/main|refs/heads/master|production|release";
	const char *options = rules_valued("git");
	struct args_walk walk;
	struct args_item item;
	size_t operands = 0;

	if (!args_match(args, "push !-n|--dry-run|--help", options))
		return;
	args_start(&walk, args, options);
	while (args_next(&walk, &item)) {
		const char *word = args->words[item.at].text.data;
		const char *colon = strchr(word, ':');

		if (item.kind != ARGS_OPERAND || !operands++)
			continue;
		if (operands == 2) {
			if (strstr(word, "://") || is_remote(word))
				judge_find(judge, ID_SEND, true, "pushes to an address of its own",
					args);
			continue;
		}
		if (*word == '+')
			judge_find(judge, ID_HISTORY, true, "forces a push", args);
		else if (*word == ':' && word[1])
			judge_find(judge, ID_REMOTE, true, "deletes a ref of the remote", args);
		else if (colon && args_in(main_names, '|', colon + 1, strlen(colon + 1))
			&& ((size_t)(colon - word) != strlen(colon + 1)
				|| strncmp(word, colon + 1, (size_t)(colon - word))))
			judge_find(judge, ID_MAIN, true, "puts another branch onto the main one",
				args);
	}
}

/* "checkout -- x", "checkout .", "checkout TREE -- x": files, not a branch. */
static void apply_checkout(struct judge *judge, const struct gate_args *args)
{
	const char *options = rules_valued("git");
	struct args_walk walk;
	struct args_item item;
	size_t operands = 0;
	bool files = false;

	if (!args_match(args, "checkout !-b|--orphan|--help|-h|--detach", options))
		return;
	args_start(&walk, args, options);
	while (args_next(&walk, &item)) {
		const char *word = args->words[item.at].text.data;

		if (item.kind != ARGS_OPERAND || !operands++)
			continue;
		files |= walk.ended || operands > 2 || !strcmp(word, ".") || *word == ':'
			|| !strncmp(word, "./", 2) || (args->words[item.at].flags & SHELL_HAS_GLOB);
	}
	if (files)
		judge_find(judge, ID_FS, true, "writes over changed files", args);
}

/* "-c core.x=…" and "--config-env" of git run programs or switch hooks off. */
static void apply_git_config(struct judge *judge, const struct gate_args *args)
{
	static const char runs[] =
		"alias.|core.sshcommand|core.editor|core.pager|core.fsmonitor|"
		"sequence.editor|diff.external|credential.helper|gpg.program|filter.|"
		"core.askpass|textconv|pager.|protocol.ext|difftool.|mergetool.|browser.";

	for (size_t i = 1; i < args->count && args->words[i].text.data[0] == '-'; i++) {
		const char *option = args->words[i].text.data;
		const char *value = option + 2;
		const char *text;

		if (!strcmp(option, "-C") || !strcmp(option, "--git-dir")
			|| !strcmp(option, "--work-tree")) {
			i++;
			continue;
		}
		if (strncmp(option, "-c", 2))
			continue;
		if (!*value && i + 1 < args->count)
			value = args->words[++i].text.data;
		if (args_holds(value, "hookspath"))
			judge_find(judge, ID_CONTROL, true, "switches the repository's hooks off",
				args);
		text = strchr(value, '=');
		if (!text || !args_holds(value, runs))
			continue;
		text++;
		/* An alias without '!' is a git command. */
		if (*text == '!')
			text = at_arena_printf(judge->arena, "%s \001", text + 1);
		else if (!strncasecmp(value, "alias.", 6))
			text = at_arena_printf(judge->arena, "git %s", text);
		judge_text(judge, at_bytes_of(text), "reads what git is told to run");
	}
}

static void apply_git(struct judge *judge, const struct gate_args *args, const char *name)
{
	const char *text;

	if (strcmp(name, "git"))
		return;
	apply_push(judge, args);
	apply_checkout(judge, args);
	apply_git_config(judge, args);
	if (args_match(args, "bisect run *", rules_valued("git")) && args->count > 3)
		judge_words(judge, args->words + 3, args->count - 3);
	if (args_match(args, "submodule foreach *", rules_valued("git")) && args->count > 3)
		judge_text(judge, judge_join(judge, args, args->count - 1),
			"reads a text that is run");
	text = args_match(args, "rebase|difftool", rules_valued("git"))
		? args_value(args, "-x|--exec|--extcmd", "-C -c -x --exec --extcmd")
		: NULL;
	if (text)
		judge_text(judge, at_bytes_of(text), "reads a text that is run");
}

/* scp and rsync to another host; ssh that is given something to carry. */
static void apply_send(struct judge *judge, const struct gate_args *args, const char *name)
{
	struct args_walk walk;
	struct args_item item;
	const char *last = "";
	const char *shell;
	size_t operands = 0;
	struct feed feed;

	if (!strcmp(name, "ssh")) {
		feed = feed_of_command(judge, judge->command);
		if (feed.kind == FEED_FILE || feed.kind == FEED_UNKNOWN
			|| (judge->command && judge->command->from))
			judge_find(judge, ID_SEND, true, "sends data to another host", args);
		return;
	}
	if (strcmp(name, "scp") && strcmp(name, "rsync"))
		return;
	args_start(&walk, args, rules_valued(name));
	while (args_next(&walk, &item))
		if (item.kind == ARGS_OPERAND) {
			last = args->words[item.at].text.data;
			operands++;
		}
	if (operands > 1 && (is_remote(last) || strstr(last, "://")))
		judge_find(judge, ID_SEND, true, "copies to another host", args);
	shell = strcmp(name, "rsync") ? NULL : args_value(args, "-e|--rsh", rules_valued(name));
	if (shell)
		judge_text(judge, at_bytes_of(shell), "reads what rsync is told to run");
}

/* Reading a key is the first half of sending it. Public halves are no secret. */
static void apply_secret(struct judge *judge, const struct gate_args *args, const char *name)
{
	static const char shows[] =
		"cat|tac|bat|head|tail|less|more|base64|xxd|od|hexdump|strings|"
		"cp|tar|zip|dd|nl|paste|gpg|openssl|rsync|scp|mv|ln|sed|awk|grep";
	static const char harmless[] =
		"*.pub|*known_hosts|*/.ssh|*/.ssh/|*/.ssh/config|*/etc/passwd|*/etc/group|"
		"*/etc/pam.d|*authorized_keys";

	if (!args_in(shows, '|', name, strlen(name)))
		return;
	for (size_t i = 1; i < args->count; i++) {
		struct at_bytes path = args->words[i].text;

		if (!strncmp(path.data, "if=", 3))
			path = at_bytes_of(path.data + 3);
		if (!strchr(path.data, '/') || args_in(harmless, '|', path.data, path.len)
			|| judge_weigh(judge, path.data) != TARGET_KEYS)
			continue;
		judge_find(judge, ID_SECRET, true, "reads keys or passwords", args);
		return;
	}
}

void rules_apply_text(struct judge *judge, const struct gate_args *args, const char *name)
{
	apply_merge(judge, args, name);
	apply_sql(judge, args, name);
	apply_git(judge, args, name);
	apply_send(judge, args, name);
	apply_secret(judge, args, name);
}
