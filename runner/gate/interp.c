#include "runner/gate/interp.h"

#include <ctype.h>
#include <string.h>

#include "core/mem.h"
#include "runner/gate/feed.h"
#include "runner/gate/rules.h"

enum { LITERALS = 64, LITERAL_LIST = 32 };

/* Which options of an interpreter carry code, and which take another value. */
static const struct interpreter {
	const char *names, *code, *valued;
} interpreters[] = {
	{ "python|python2|python3|python3.*|python2.*|pypy|pypy3|py|ipython|ipython3", "-c",
		"-c -m -W -X" },
	{ "perl|perl5*", "-e|-E", "-e -E -I -C" },
	{ "ruby|ruby3*|jruby", "-e", "-e -I -C -E" },
	{ "node|nodejs|bun|deno|tsx|ts-node", "-e|-p|--eval|--print|-pe",
		"-e -p --eval --print -pe -r --require --import -C --conditions" },
	{ "php|php8*|php7*", "-r|-B|-R|-E", "-r -B -R -E -d -c -F" },
	{ "lua*|luajit|osascript|julia|elixir|ghc|scala|groovy|swift|tclsh|guile|racket|sbcl|clojure|"
	  "Rscript|rscript|r|octave|jshell|bb|nim|crystal|raku|io|erl|iex", "-e|--eval|-E|-eval|-l",
		"-e -E -l --eval -eval" },
	{ "pwsh|powershell", "-c|-Command|-command|-C", "-c -C -Command -command -File -ep" },
	{ "vim|vi|nvim|ex|view|ed", "-c|--cmd|-S", "-c --cmd -S -u -i" },
	{ "emacs", "--eval|-eval|--execute", "--eval -eval --execute -l -f" },
	{ "gdb|lldb", "-ex|--ex|-o|--eval-command|--one-line", "-ex --ex -o --eval-command --one-line" },
};

static const char deletes[] = "os.remove|os.unlink|os.rmdir|removedirs|rmtree|.unlink(|.rmdir(|"
	"os.truncate|.truncate(|send2trash|rmSync|unlinkSync|rmdirSync|truncateSync|.rm(|rimraf|"
	"remove_tree|File.delete|File.unlink|FileUtils.rm|FileUtils.remove|Dir.delete|Dir.rmdir|"
	"Dir.unlink|rm_rf|rm_r(|.delete!|]::Delete|.Delete(|Remove-Item|Clear-Content|del_dir|"
	"import remove|import unlink|import rmtree|import rmdir|,'w').close()|,\"w\").close()|, 'w').close()|fs.remove|File.rm|file.remove|file:delete|delete-file|delete-directory|"
	"Deno.remove|removeSync|emptyDir|Files.delete|deleteRecursively|removeItem";
static const char deleting_words[] = "unlink|rmdir|remove_tree|rmtree";
static const char starts[] = "os.system|subprocess|popen|os.exec|os.spawn|pty.spawn|exec(|execSync|"
	"execFile|spawn|child_process|system(|system |system\"|shell_exec|passthru|proc_open|%x|`|"
	"qx|os.execute|io.popen|do shell script|run(|shell-command|call-process|Start-Process|"
	"Process|pcntl_exec|exec \"|exec '|os.cmd|Bun.$|$`|Deno.Command|Kernel.";
static const char fetches[] = "urlopen|requests.get|urllib.request|httpx.get|fetch(|http.get|"
	"https.get|open-uri|URI.open|LWP|file_get_contents(\"http|file_get_contents('http|"
	"DownloadString|Invoke-WebRequest|Invoke-RestMethod|Net::HTTP";
static const char runs_code[] = "exec(|eval(|eval |os.system|execSync|Function(|iex|"
	"Invoke-Expression|instance_eval|compile(|runInThisContext";
static const char decodes[] = "b64decode|fromhex|unhexlify|codecs.decode|atob(|'base64'|\"base64\"|"
	"fromCharCode|MIME::Base64|decode64|base64_decode|FromBase64|pack(|str_rot13|gzinflate|"
	"chr(|marshal.loads|zlib.decompress|hex2bin";
static const char sends[] = "requests.post|requests.put|requests.patch|requests.delete|httpx.post|"
	"httpx.put|smtplib|socket.socket|ftplib|paramiko|socket.create_connection|net.connect|"
	"net.createConnection|TCPSocket|IO::Socket|fsockopen|Net::SMTP|Net::FTP|UploadFile|"
	"UploadString";
static const char writes[] = "'w'|\"w\"|'a'|\"a\"|'wb'|write|rename|replace(|copy|symlink|chmod|spurt";
static const char guarded[] = ".claude|.git/hooks|.git/config|.codex/|.goose/|.agentteams|"
	"sandbox/|.ssh/|.bashrc|.zshrc|.profile|/etc/sudoers|/etc/passwd|/etc/shadow|LaunchAgents";
static const char pip_mains[] = "pip.main|pip._internal|ensurepip";
static const char own_verbs[] = "run_post_merge|run_branch_cleanup|branch_cleanup(|post_merge(";

/* A word of its own, as perl and php call functions. */
static bool has_word(const char *text, const char *list)
{
	for (const char *p = text; *p;) {
		size_t n = 0;

		while (isalnum((unsigned char)p[n]) || p[n] == '_')
			n++;
		if (n && args_in(list, '|', p, n))
			return true;
		p += n ? n : 1;
	}
	return false;
}

struct literal {
	const char *start; /* behind its quote */
	size_t len;
};

/* Every string of the code in turn; `*p` moves behind it. `quotes` are those of the language. */
static bool next_literal(const char **p, struct literal *out)
{
	const char *at = *p + strcspn(*p, "'\"`");
	char quote = *at;

	if (!quote)
		return false;
	out->start = ++at;
	while (*at && *at != quote)
		at += at[0] == '\\' && at[1] ? 2 : 1;
	out->len = (size_t)(at - out->start);
	*p = *at ? at + 1 : at;
	return true;
}

static struct shell_word literal_word(struct judge *judge, const struct literal *literal)
{
	char *text = at_arena_strndup(judge->arena, literal->start, literal->len);
	size_t n = 0;

	for (size_t i = 0; i < literal->len; i++) {
		if (text[i] == '\\' && i + 1 < literal->len)
			i++;
		text[n++] = text[i];
	}
	text[n] = '\0';
	/* "rm " is put together with something. */
	if (n && text[n - 1] == ' ')
		return judge_word(judge, at_arena_printf(judge->arena, "%s\001", text), n + 1,
			SHELL_QUOTED | SHELL_HAS_UNKNOWN);
	return (struct shell_word){ .text = { text, n }, .flags = SHELL_QUOTED };
}

/* Strings as commands, each alone, and those that only commas part as the words of one. */
static size_t judge_literals(struct judge *judge, const char *code)
{
	struct shell_word words[LITERAL_LIST];
	struct literal literal;
	const char *p = code;
	const char *end = code;
	size_t count = 0;
	size_t seen = 0;

	while (seen < LITERALS && next_literal(&p, &literal)) {
		const char *between = end;
		struct shell_word word = literal_word(judge, &literal);

		while (between < literal.start - 1 && strchr(", \t\n[(", *between))
			between++;
		if (count && between != literal.start - 1) {
			if (count > 1)
				judge_words(judge, words, count);
			count = 0;
		}
		if (count < LITERAL_LIST)
			words[count++] = word;
		if (memchr(word.text.data, ' ', word.text.len))
			judge_text(judge, word.text, "reads a string of the code");
		end = p;
		seen++;
	}
	if (count > 1)
		judge_words(judge, words, count);
	return seen;
}

/* %x(rm x) of Ruby, qx{rm x} of Perl. */
static void judge_quoted_runs(struct judge *judge, const char *code)
{
	static const char opens[] = "({[<|!/";
	static const char ends[] = ")}]>|!/";

	for (const char *p = code; (p = strpbrk(p, "%q")); p++) {
		const char *close;

		if (p[1] != 'x' || !p[2] || !strchr(opens, p[2]))
			continue;
		close = strchr(p + 3, ends[strchr(opens, p[2]) - opens]);
		if (close)
			judge_text(judge, (struct at_bytes){ p + 3, (size_t)(close - p - 3) },
				"reads a string of the code");
	}
}

static void apply_code(struct judge *judge, const char *code, const struct gate_args *args)
{
	size_t before = judge->work;

	if (args_holds(code, deletes) || has_word(code, deleting_words))
		judge_find(judge, ID_INTERP, true, "deletes through an interpreter", args);
	if (args_holds(code, fetches) && args_holds(code, runs_code))
		judge_find(judge, ID_PIPE, true, "runs code that comes from the network", args);
	if (args_holds(code, decodes) && args_holds(code, runs_code))
		judge_unseen(judge, "runs code that it decodes first: the gate cannot see what this "
			"runs", args);
	if (args_holds(code, sends))
		judge_find(judge, ID_SEND, true, "sends data out", args);
	if (args_holds(code, writes) && args_holds(code, guarded))
		judge_find(judge, ID_CONTROL, true, "changes what guards this session", args);
	if (args_holds(code, pip_mains))
		judge_find(judge, ID_PKG, false, "installs packages", args);
	if (args_holds(code, own_verbs))
		judge_find(judge, ID_TOOL, true, "deletes branches for good", args);
	if (strchr(code, SHELL_UNKNOWN) && feed_has_fetch(judge))
		judge_find(judge, ID_PIPE, true, "runs code that comes from the network", args);
	if (!args_holds(code, starts))
		return;
	judge_literals(judge, code);
	judge_quoted_runs(judge, code);
	if (judge->work == before && args_holds(code, "os.system(|subprocess.|execSync(|popen("))
		judge_unseen(judge, "starts a program that the code names elsewhere: the gate cannot "
			"see what this runs", args);
}

/* Code on standard input: a here-document, a pipe, or a download. */
static void apply_input(struct judge *judge, const struct gate_args *args)
{
	struct feed feed = feed_of(judge);

	if (feed.kind == FEED_TEXT)
		apply_code(judge, feed.text.data, args);
	else if (feed.kind == FEED_FETCH)
		judge_find(judge, ID_PIPE, true, "runs code that comes from the network", args);
	else if (feed.kind == FEED_UNKNOWN)
		judge_unseen(judge, "runs text from elsewhere: the gate cannot see what this runs",
			args);
}

static void apply_module(struct judge *judge, const struct gate_args *args, const char *module)
{
	struct shell_word *words = at_arena_alloc(judge->arena, args->count * sizeof(*words));
	size_t count = 0;

	for (size_t i = 1; i < args->count; i++)
		if (args->words[i].text.data == module
			|| (i > 1 && !strcmp(args->words[i].text.data, module) && !count)) {
			for (size_t k = i; k < args->count; k++)
				words[count++] = args->words[k];
			break;
		}
	if (!count)
		return;
	if (!strncmp(module, "agentteams.", 11))
		words[0] = judge_word(judge, "agentteams", 10, 0);
	judge_words(judge, words, count);
}

static void apply_interpreter(struct judge *judge, const struct interpreter *row,
	const struct gate_args *args, const char *name)
{
	bool is_editor = args_in("vim|vi|nvim|ex|view|ed|emacs|gdb|lldb", '|', name, strlen(name));
	struct args_walk walk;
	struct args_item item;
	bool has_code = is_editor;

	args_start(&walk, args, row->valued);
	while (args_next(&walk, &item)) {
		const char *word = args->words[item.at].text.data;

		if (item.kind == ARGS_OPERAND) {
			if (!strcmp(word, "run") && args_in("bun|deno", '|', name, strlen(name)))
				continue;
			if (is_editor && *word == '+') {
				judge_text(judge, at_bytes_of(word + 1 + strspn(word + 1, ":!%")),
					"reads an editor's escape");
				continue;
			}
			if (args_in("eval|-", '|', word, strlen(word)) && !has_code) {
				if (*word == '-')
					break;
				has_code = true;
				if (item.at + 1 < args->count)
					apply_code(judge, args->words[item.at + 1].text.data, args);
				return;
			}
			/* A file of the interpreter's: not judged, unless it was just fetched, or
			 * is a program of ours or of package tools. */
			if (!has_code && feed_is_fetched(judge, word))
				judge_find(judge, ID_PIPE, true,
					"runs code that comes from the network", args);
			else if (!has_code && strchr(word, SHELL_UNKNOWN) && feed_has_fetch(judge))
				judge_find(judge, ID_PIPE, true,
					"runs code that comes from the network", args);
			else if (!has_code && !is_editor)
				judge_words(judge, args->words + item.at, args->count - item.at);
			return;
		}
		if (!item.value)
			continue;
		if (args_is_option(args, &item, "-m", row->valued) && word[1] == 'm') {
			apply_module(judge, args, item.value);
			return;
		}
		if (!args_is_option(args, &item, row->code, row->valued))
			continue;
		has_code = true;
		if (is_editor && *item.value == '!')
			judge_text(judge, at_bytes_of(item.value + 1), "reads an editor's escape");
		else if (is_editor && args_holds(item.value, "!|shell |system("))
			judge_text(judge, at_bytes_of(item.value + strcspn(item.value, "! ")
					+ (item.value[strcspn(item.value, "! ")] != '\0')),
				"reads an editor's escape");
		apply_code(judge, item.value, args);
	}
	if (!has_code)
		apply_input(judge, args);
}

/* awk: system("…"), "…" | getline, print | "…". */
static void apply_awk(struct judge *judge, const struct gate_args *args)
{
	static const char awk_shells[] = "sh|bash|zsh|dash|ksh|/bin/sh|/bin/bash|sh -s|bash -s";

	for (size_t i = 1; i < args->count; i++) {
		const char *code = args->words[i].text.data;
		struct literal literal;
		const char *p = code;

		if (!args_holds(code, "system(|system (|getline|| \"||\""))
			continue;
		while (next_literal(&p, &literal)) {
			struct shell_word word = literal_word(judge, &literal);

			if (args_in(awk_shells, '|', word.text.data, word.text.len))
				judge_unseen(judge, "feeds a shell: the gate cannot see what this runs",
					args);
			judge_text(judge, word.text, "reads a string of the code");
		}
	}
}

/* GNU sed: "1e rm x", "s/x/rm x/e", "w file". */
static void apply_sed(struct judge *judge, const struct gate_args *args)
{
	for (size_t i = 1; i < args->count; i++) {
		const char *p = args->words[i].text.data;

		if (*p == '-' && p[1] != 'e')
			continue;
		p += *p == '-' ? 2 : 0;
		p += strspn(p, "0123456789,$!~+ ");
		if (*p == '/') {
			const char *end = strchr(p + 1, '/');

			p = end ? end + 1 + strspn(end + 1, " !I") : p;
		}
		if (p[0] == 'e' && (p[1] == ' ' || p[1] == '\t'))
			judge_text(judge, at_bytes_of(p + 2), "reads what sed is told to run");
		else if (p[0] == 's' && p[1] && !isalnum((unsigned char)p[1])) {
			const char *last = strrchr(p, p[1]);

			if (last && last > p + 1 && strspn(last + 1, "gpiIm0123456789e")
					== strlen(last + 1) && strchr(last + 1, 'e'))
				judge_unseen(judge, "runs what sed makes of its input: the gate "
					"cannot see what this runs", args);
		}
	}
}

static void apply_tar(struct judge *judge, const struct gate_args *args)
{
	static const char options[] = "--checkpoint-action|--to-command|-I|--use-compress-program|"
		"--info-script|--new-volume-script|-F|--rsh-command|--rmt-command";
	static const char valued[] = "-I -F --checkpoint-action --to-command --use-compress-program "
		"--info-script --new-volume-script --rsh-command --rmt-command -f -C";
	struct args_walk walk;
	struct args_item item;

	args_start(&walk, args, valued);
	while (args_next(&walk, &item)) {
		if (item.kind != ARGS_OPTION || !item.value
			|| !args_is_option(args, &item, options, valued))
			continue;
		judge_text(judge, at_bytes_of(strncmp(item.value, "exec=", 5)
				? item.value : item.value + 5), "reads what tar is told to run");
	}
	if (args_match(args, "--remove-files", valued))
		judge_find(judge, ID_FS, true, "deletes what it packs", args);
}

/* Pagers run what stands behind "+!"; man its pager; make takes a shell, and rules from anywhere. */
static void apply_tool(struct judge *judge, const struct gate_args *args, const char *name)
{
	const char *pager = strcmp(name, "man") ? NULL : args_value(args, "-P|--pager", "-P --pager");

	if (pager)
		judge_text(judge, at_bytes_of(pager), "reads what man is told to run");
	for (size_t i = 1; i < args->count; i++) {
		const char *word = args->words[i].text.data;

		if (!strncmp(word, "+!", 2) && args_in("less|more|man", '|', name, strlen(name)))
			judge_text(judge, at_bytes_of(word + 2), "reads a pager's escape");
		if (strstr(name, "make") && (!strncmp(word, "SHELL=", 6)
				|| !strcmp(word, "/dev/stdin") || !strcmp(word, "-f-")
				|| (!strcmp(word, "-") && !strcmp(args->words[i - 1].text.data, "-f"))))
			judge_unseen(judge, "makes what stands elsewhere: the gate cannot see what "
				"this runs", args);
	}
}

void interp_apply(struct judge *judge, const struct gate_args *args, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < AT_LEN(interpreters); i++)
		if (args_in(interpreters[i].names, '|', name, len)) {
			apply_interpreter(judge, &interpreters[i], args, name);
			return;
		}
	if (args_in("awk|gawk|mawk|nawk", '|', name, len))
		apply_awk(judge, args);
	else if (args_in("sed|gsed", '|', name, len))
		apply_sed(judge, args);
	else if (args_in("tar|gtar|bsdtar", '|', name, len))
		apply_tar(judge, args);
	else
		apply_tool(judge, args, name);
}
