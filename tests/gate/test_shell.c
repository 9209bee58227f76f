/* What the shell reader tells of a text, as tables: the commands in their order, a line each. */
#include "support/support.h"

#include <string.h>

#include "runner/gate/shell.h"

static void put_text(struct at_buf *out, struct at_bytes text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == SHELL_UNKNOWN)
			at_buf_putc(out, '?');
		else if (text.data[i] == '\n')
			at_buf_puts(out, "\\n");
		else
			at_buf_putc(out, text.data[i]);
	}
}

static void put_redirects(struct at_buf *out, const struct shell_command *command)
{
	static const char *const kinds[] = { ">", ">>", "<", "<<", "<<<", ">&", "<>" };

	for (size_t i = 0; i < command->redirect_count; i++) {
		const struct shell_redirect *redirect = &command->redirects[i];

		at_buf_printf(out, " %d%s%s", redirect->fd, kinds[redirect->kind],
			redirect->clobber ? "|" : "");
		put_text(out, redirect->word.text);
	}
}

/* "$" of a substitution, "[A=1]" in front, words by '|', " <from" where it is piped from. */
static bool told(void *user, const struct shell_command *command)
{
	struct at_buf *out = user;

	if (out->len)
		at_buf_putc(out, '\n');
	if (command->in_substitution)
		at_buf_putc(out, '$');
	for (size_t i = 0; i < command->assigned_count; i++) {
		at_buf_putc(out, '[');
		put_text(out, command->assigned[i].text);
		at_buf_putc(out, ']');
	}
	for (size_t i = 0; i < command->count; i++) {
		at_buf_puts(out, i ? "|" : "");
		put_text(out, command->words[i].text);
	}
	put_redirects(out, command);
	if (command->from) {
		at_buf_puts(out, " <-");
		if (command->from->count)
			put_text(out, command->from->words[0].text);
	}
	return true;
}

static struct at_buf read_text(struct at_bytes text, struct shell_reading *seen)
{
	struct at_arena *arena = at_arena_new();
	struct at_buf out = { 0 };

	shell_read(text, NULL, NULL, arena, told, &out, seen);
	at_arena_free(arena);
	return out;
}

struct row {
	const char *text, *want;
};

static void check_rows(const struct row *rows, size_t count)
{
	size_t bad = 0;

	for (size_t i = 0; i < count; i++) {
		struct shell_reading seen = { 0 };
		struct at_buf out = read_text(at_bytes_of(rows[i].text), &seen);

		if (strcmp(at_buf_text(&out), rows[i].want) != 0 || seen.has_syntax_error
			|| seen.is_cut || seen.too_much) {
			print_message("row %zu: %s\nwant:\n%s\ngot:%s%s%s\n%s\n", i, rows[i].text,
				rows[i].want, seen.has_syntax_error ? " syntax" : "",
				seen.is_cut ? " cut" : "", seen.too_much ? " much" : "",
				at_buf_text(&out));
			bad++;
		}
		at_buf_free(&out);
	}
	assert_int_equal(bad, 0);
}

static void gate_8_words_and_quotes(void **state)
{
	static const struct row rows[] = {
		{ "rm -rf src", "rm|-rf|src" },
		{ "\"rm\" -rf 'src dir'", "rm|-rf|src dir" },
		{ "r\\m -r'f' s\"r\"c", "rm|-rf|src" },
		{ "$'\\162\\155' -rf $'\\x73\\u0072\\U00000063'", "rm|-rf|src" },
		{ "$'\\x{72}m' $'a\\'b' $'\\cA'$'\\e'", "rm|a'b|?\033" },
		{ "$\"rm\" src", "rm|src" },
		{ "rm \\\n  -rf \\\n  src", "rm|-rf|src" },
		{ "r\\\nm src", "rm|src" },
		{ "echo '' \"\" x", "echo|||x" },
		{ "echo \"a\\\"b\\$c\\d\"", "echo|a\"b$c\\d" },
		{ "# tidy\n# up\necho start # rm x\nrm src", "echo|start\nrm|src" },
		{ "echo a#b", "echo|a#b" },
		{ "rm{,} ${IFS}x", "rm|rm|x" },
		{ "{rm,-rf,src}", "rm|-rf|src" },
		{ "echo {a,b{1,2}}c {1..3} {c..a} {01..3} {1..9..4}",
			"echo|ac|b1c|b2c|1|2|3|c|b|a|01|02|03|1|5|9" },
		{ "echo {a {b} {} a,b '{a,b}' x{a,b", "echo|{a|{b}|{}|a,b|{a,b}|x{a,b" },
		{ "echo {a,{b,c} $x{1,2}", "echo|{a,b|{a,c|?1|?2" },
		{ "rm${IFS}-rf${IFS}src", "rm|-rf|src" },
		{ "rm$IFS-rf$IFS/", "rm|-rf|/" },
		{ "X=\"rm -rf src\"; $X; \"$X\"", "[X=rm -rf src]\nrm|-rf|src\nrm -rf src" },
		{ "x=rm,-rf,src IFS=,; $x", "[x=rm,-rf,src][IFS=,]\nrm|-rf|src" },
		{ "r\xc3\xa9 \xff\xed\xa0\x80", "r\xc3\xa9|\xff\xed\xa0\x80" },
		{ "echo a\r\nrm src\r\n", "echo|a\nrm|src" },
		{ "echo \\\r\nrm x", "echo|\r\nrm|x" },
		{ "ls >(cat) <(rm x)", "$cat\n$rm|x\nls|/dev/fd/?|/dev/fd/?" },
	};

	check_rows(rows, AT_LEN(rows));
}

static void gate_8_variables(void **state)
{
	static const struct row rows[] = {
		{ "x=rm; $x src", "[x=rm]\nrm|src" },
		{ "x=r; y=${x}m; \"$y\" src", "[x=r]\n[y=rm]\nrm|src" },
		{ "$x -rf src", "?|-rf|src" },
		{ "echo $1 $@ \"$*\" $$ $?", "echo|?|?|?|?|?" },
		{ "set -- rm -rf; \"$@\" src; $1 x; $# y", "set|--|rm|-rf\nrm|-rf|src\nrm|x\n2|y" },
		{ "set -- a b c; shift; echo $1 ${@:2} $3.", "set|--|a|b|c\nshift\necho|b|c|." },
		{ "x=; ${x:-rm} a; ${x:+ls} b; ${x-ls} c", "[x=]\nrm|a\nb\nc" },
		{ "unset x; ${x:=rm} a; $x b", "unset|x\nrm|a\nrm|b" },
		{ "x=armb; y=${x#a}; ${y%b} z", "[x=armb]\n[y=rmb]\nrm|z" },
		{ "x=a/b/rm; ${x##*/} ${x%%/*} ${x#*/} ${x%/*}", "[x=a/b/rm]\nrm|a|b/rm|a/b" },
		{ "x=xmxx; ${x/x/r} ${x//x/r} ${x/#x/_} ${x/%x/_} ${x//x}",
			"[x=xmxx]\nrmxx|rmrr|_mxx|xmx_|m" },
		{ "x=xrmx; ${x:1:2} ${x:(-1)} ${x: -3:2}", "[x=xrmx]\nrm|x|rm" },
		{ "x=RM; ${x,,} ${x,} y=${#x}; x=rm; ${x^^} ${x^}", "[x=RM]\nrm|rM|y=2\n[x=rm]\nRM|Rm" },
		{ "x=rm; y=x; ${!y} a", "[x=rm]\n[y=x]\nrm|a" },
		{ "a=(rm -rf 'x y'); \"${a[@]}\"; ${a[0]} ${#a[@]} ${a[-1]}; $a",
			"[a=?]\nrm|-rf|x y\nrm|3|x|y\nrm" },
		{ "a=(rm); a+=(-rf x); ${a[*]}", "[a=?]\n[a+=?]\nrm|-rf|x" },
		{ "x=r; x+=m; $x", "[x=r]\n[x+=m]\nrm" },
		{ "export X=rm; $X a", "export|X=rm\nrm|a" },
		{ "declare X='rm a'; $X; readonly X=ls; X=rm; $X b",
			"declare|X=rm a\nrm|a\nreadonly|X=ls\n[X=rm]\n?|b" },
		{ "x=$((1+2*3)); echo $x $((x<<2)) $((0x10)) $((y))", "[x=7]\necho|7|28|16|?" },
		{ "x=$(echo rm); $x a", "$echo|rm\n[x=rm]\nrm|a" },
		{ "$(printf '%s' rm) a; $(printf '\\162m') b", "$printf|%s|rm\nrm|a\n$printf|\\162m\nrm|b" },
		{ "`echo rm` -rf src", "$echo|rm\nrm|-rf|src" },
		{ "$(cat f) -rf", "$cat|f\n?|-rf" },
		{ "echo \"x$(rm -rf src)\"", "$rm|-rf|src\necho|x?" },
		{ "echo `echo \\`rm x\\``", "$rm|x\n$echo|?\necho|?" },
		{ "A=1 B=$y rm x; echo $A", "[A=1][B=?]rm|x\necho|?" },
		{ "echo ${x:-$(rm a)} ${x/$(rm b)/c}", "$rm|a\n$rm|b\necho|?|?" },
		{ "x=rm; false && x=ls; $x a", "[x=rm]\nfalse\n[x=ls]\n?|a" },
		{ "x=rm; (x=ls); $x a; x=ls & $x b", "[x=rm]\n[x=ls]\nrm|a\n[x=ls]\nrm|b" },
		{ "x=rm; if a; then x=ls; fi; $x", "[x=rm]\na\n[x=ls]\n?" },
		{ "x=ls; read x; $x; x=ls; eval y; $x", "[x=ls]\nread|x\n?\n[x=ls]\neval|y\n?" },
		{ "_=ls; $_ x; RANDOM=1; $RANDOM", "[_=ls]\n?|x\n[RANDOM=1]\n?" },
		{ "x=ls; while a; do $x b; x=rm; done", "[x=ls]\na\nls|b\n[x=rm]\na\n?|b\n[x=rm]" },
		{ "x=ls; x=rm :; $x a; x=ls; x=rm a; $x b",
			"[x=ls]\n[x=rm]:\n?|a\n[x=ls]\n[x=rm]a\nls|b" },
		{ "set -- a; set -euo pipefail; echo $1", "set|--|a\nset|-euo|pipefail\necho|a" },
		{ "rm -rf ~/x '~' *.c \"*\"", "rm|-rf|~/x|~|*.c|*" },
	};

	check_rows(rows, AT_LEN(rows));
}

static void gate_8_commands(void **state)
{
	static const struct row rows[] = {
		{ "a;b&c&&d||e|f|&g\nh", "a\nb\nc\nd\ne\nf <-e\ng <-f\nh" },
		{ "(a; b) | c", "a\nb\nc <-?" },
		{ "{ a; } | c | { d; e; }", "a\nc <-a\nd <-c\ne <-c" },
		{ "! time -p rm x", "rm|x" },
		{ "if a; then b; elif c; then d; else e; fi", "a\nb\nc\nd\ne" },
		{ "while a; do b; done; until c; do d; done", "a\nb\nc\nd" },
		{ "for i in a b; do rm $i; done", "rm|a\nrm|b" },
		{ "for i in *.o; do rm $i; done", "rm|?" },
		{ "for i in $(ls); do rm $i; done", "$ls\nrm|?" },
		{ "for ((i=0;i<3;i++)); do rm $i; done", "rm|?" },
		{ "for i in {1..65}; do rm $i; done", "rm|?" },
		{ "for i; do rm $i; done", "rm|?" },
		{ "select i in a b; do rm $i; done", "rm|?" },
		{ "case $x in a|b) rm a;; (c) rm c;& *) rm d; esac; ls", "rm|a\nrm|c\nrm|d\nls" },
		{ "case x in esac; rm y", "rm|y" },
		{ "case x in !(a)) b;; !(c|d)) e; esac; !(f)", "b\ne\nf" },
		{ "[[ $x =~ ^(a|b)$ && -n y || a < b ]] && rm x", "rm|x" },
		{ "((x > 3)) && rm y; (( (1) )); ((echo a); rm b)", "rm|y\necho|a\nrm|b" },
		{ "echo $(( (1+2) * 3 )) $((echo a); (rm b))", "$echo|a\n$rm|b\necho|9|?" },
		{ "f() { rm -rf \"$@\"; }; f a b", "f|a|b\nrm|-rf|a|b" },
		{ "function f { rm $1; }; f x >y", "f|x 1>y\nrm|x" },
		{ "function f() ( rm $1; )\nls", "ls\nrm|?" },
		{ "false && ls() { a; }; ls() { b; }; ls", "false\nls\nb\na" },
		{ "f() { x=rm; return; x=ls; }; f; $x", "f\n[x=rm]\nreturn\n[x=ls]\n?" },
		{ "f() { local x=rm; }; x=ls; f; $x", "[x=ls]\nf\nlocal|x=rm\n?" },
		{ "alias x='rm -rf'\nx src", "alias|x=rm -rf\nx|src\nrm|-rf|src" },
		{ "alias ls='ls -l'; ls x", "alias|ls=ls -l\nls|x\nls|-l|x" },
		{ "coproc rm x; coproc N { rm y; }; coproc { rm z; }", "rm|x\nrm|y\nrm|z" },
		{ "a=1 b=2", "[a=1][b=2]" },
		{ "if a; then\n\tb\nfi >c", " 1>c\na\nb" },
		{ "echo if then fi { }", "echo|if|then|fi|{|}" },
		{ "${ rm x; }", "$rm|x\n?" },
		{ "a+() { rm x; }; a+", "a+\nrm|x" },
		{ "shopt -s extglob; rm !(a|b) +(c d)", "shopt|-s|extglob\nrm|!(a|b)|+(c d)" },
		{ "!(rm x)", "rm|x" },
	};

	check_rows(rows, AT_LEN(rows));
}

static void gate_8_redirects(void **state)
{
	static const struct row rows[] = {
		{ "echo x >a 2>>b <c 3<>d >|e", "echo|x 1>a 2>>b 0<c 3<>d 1>|e" },
		{ "a 2>&1 >&f &>g &>>h <&3 >&-", "a 2>&1 1>f 1>g 1>>h 0>&3 1>&-" },
		{ "exec {fd}>x; >y", "exec -1>x\n 1>y" },
		{ "echo '>' a\\>b 2 >c", "echo|>|a>b|2 1>c" },
		{ "bash <<'EOF'\nrm $x\nEOF\nls", "bash 0<<rm $x\\n\nls" },
		{ "cat > n <<EOF\n$(rm -rf src) \\$x \"q\"\nEOF", "$rm|-rf|src\ncat 1>n 0<<? $x \"q\"\\n" },
		{ "cat <<-E <<F\n\ta\n\tE\nb\nF\nrm x", "cat 0<<a\\n 0<<b\\n\nrm|x" },
		{ "cat <<E\nfo\\\no\nE\nrm x", "cat 0<<foo\\n\nrm|x" },
		{ "cat <<E | sh\nrm\nE\n", "cat 0<<rm\\n\nsh <-cat" },
		{ "cat <<E\r\nE\r\nrm x", "cat 0<<\nrm|x" },
		{ "cat <<E\nE\r\n'\nE\nrm x", "cat 0<<E\r\\n'\\n\nrm|x" },
		{ "bash <<< 'rm x'", "bash 0<<<rm x" },
		{ "(bash) <<< 'rm x'", " 0<<<rm x\nbash 0<<<rm x" },
		{ "echo a | while read l; do rm $l; done", "echo|a\nread|l <-echo\nrm|? <-echo" },
		{ "$(cat <<E\n)\nE\n) x", "$cat 0<<)\\n\n?|x" },
		{ "bash <(curl x)", "$curl|x\nbash|/dev/fd/?" },
	};

	check_rows(rows, AT_LEN(rows));
}

/* Whatever is wrong with a text, what stands in front of it is told. */
static void gate_8_what_is_wrong_is_said(void **state)
{
	enum { CUT = 1, SYNTAX = 2 };
	static const struct {
		const char *text;
		unsigned want;
	} rows[] = {
		{ "rm a; echo 'b", CUT },
		{ "rm a; echo \"b", CUT },
		{ "rm a; echo $'b", CUT },
		{ "rm a; echo `b", CUT },
		{ "rm a; echo $(b", CUT },
		{ "rm a; echo ${b", CUT },
		{ "rm a; echo $((1", CUT },
		{ "rm a; x=(b", CUT },
		{ "rm a; cat <<E\nb", CUT },
		{ "rm a; if b; then c", CUT | SYNTAX },
		{ "rm a; (b", CUT | SYNTAX },
		{ "rm a; { b", CUT | SYNTAX },
		{ "rm a; case b in", CUT | SYNTAX },
		{ "rm a; b &&", CUT | SYNTAX },
		{ "rm a; b >", CUT | SYNTAX },
		{ "rm a; f() ", CUT | SYNTAX },
		{ "rm a; fi; b", SYNTAX },
		{ "rm a; ) b", SYNTAX },
		{ "rm a; b ;; c", SYNTAX },
		{ "rm a; ${/} b", SYNTAX },
		{ "rm a; ;; b", SYNTAX },
		{ "rm a; b (c)", SYNTAX },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct shell_reading seen = { 0 };
		struct at_buf out = read_text(at_bytes_of(rows[i].text), &seen);

		assert_row(i, strncmp(at_buf_text(&out), "rm|a", 4) == 0);
		assert_row(i, seen.is_cut == !!(rows[i].want & CUT));
		assert_row(i, (rows[i].want & CUT) || seen.has_syntax_error);
		at_buf_free(&out);
	}
}

static void gate_8_nul_bytes_are_not_there(void **state)
{
	static const char text[] = "r\0m\0 -rf src\0";
	struct at_buf out = read_text((struct at_bytes){ text, sizeof(text) - 1 }, NULL);

	assert_string_equal(at_buf_text(&out), "rm|-rf|src");
	at_buf_free(&out);
}

struct spans {
	const char *text;
	size_t count;
};

static bool check_span(void *user, const struct shell_command *command)
{
	static const char *const want[] = { "a \"$(b c)\"", "a \"$(b c)\"", "d e" };
	struct spans *spans = user;

	assert_true(spans->count < AT_LEN(want));
	assert_int_equal(command->len, strlen(want[spans->count]));
	assert_memory_equal(spans->text + command->offset, want[spans->count], command->len);
	assert_int_equal(command->depth, spans->count == 0);
	spans->count++;
	return true;
}

static void gate_8_spans_are_of_the_outermost_command(void **state)
{
	struct at_arena *arena = at_arena_new();
	struct spans spans = { "  a \"$(b c)\" | d e\n", 0 };

	shell_read(at_bytes_of(spans.text), NULL, NULL, arena, check_span, &spans, NULL);
	assert_int_equal(spans.count, 3);
	at_arena_free(arena);
}

static void gate_8_environment_is_known(void **state)
{
	static const char *const environment[] = { "TOOL=rm", "X=a b", NULL };
	struct at_arena *arena = at_arena_new();
	struct at_buf out = { 0 };

	shell_read(at_bytes_of("$TOOL $X $Y"), environment, NULL, arena, told, &out, NULL);
	assert_string_equal(at_buf_text(&out), "rm|a|b|?");
	at_buf_free(&out);
	at_arena_free(arena);
}

static struct at_buf repeated(const char *unit, size_t unit_len, size_t size)
{
	struct at_buf text = { 0 };

	at_buf_puts(&text, "rm -rf src\n");
	while (text.len + unit_len <= size)
		at_buf_put(&text, unit, unit_len);
	return text;
}

struct first {
	bool is_rm;
	size_t count;
};

static bool note_first(void *user, const struct shell_command *command)
{
	struct first *first = user;

	if (!first->count++)
		first->is_rm = command->count && at_bytes_equal_text(command->words[0].text, "rm");
	return true;
}

static size_t work_of(
	struct at_bytes text, const struct shell_caps *caps, bool *is_rm, struct shell_reading *seen)
{
	struct at_arena *arena = at_arena_new();
	struct first first = { 0 };

	shell_read(text, NULL, caps, arena, note_first, &first, seen);
	at_arena_free(arena);
	*is_rm = first.is_rm;
	return seen->work;
}

static const char *const hostile[] = {
	"$(", "(", "((", "$((", "{ ", "{", "{{", "{,", "${", "${x:-", "${x/", "$[", "\"$(", "\"${x:-",
	"`", "\\`", "'", "\"", "\"a\" ", "$'", "<(", ">(", "<<E ", "<<-'E' ", "<<E\n", "<<<", "<", "> a ",
	"&", "&&", "|", "||", ";", ";;", "a|", "a&&", "a;", "a ", "a\n", "if ", "if a; then ", "while ",
	"for i in ", "for i in a b; do ", "case a in ", "case a in a) ", "select a in b; do ",
	"function f ", "f() ", "f() {", "f() { f; }; f; ", "[[ ", "[[ a ]]\n", "! ", "time ", "coproc ",
	"coproc a {", "a=(", "a=1 ", "a=1;", "a+=1;", "x=$x$x;", "x=a$x;", "{a,b}", "{a,b} ", "{1..9}",
	"{1..4096} ", "{1..99999999}", "$((1+", "$((1)) ", "$((", "((1))\n", "((a) ", "((a) );", "@(",
	"a[", "a[1]=", "#", "# a\n", "\\", "\\\n", "\r", "\r\n", "~", "*", "\001",
	"\377", "$", "$x ", "$@",
	"alias a=a;", "alias a='a b'; a;", "set -- $@ a;", "eval a;", "export a=1;", "echo $(echo a) ",
	"x=$(echo $x a);", "${x//a/aa}", "}", ")", "fi;", "done;", "esac;", "a){", "a\\\na",
	"x=aa;x=${x//a/xx};",
	"a[$(", "`\\`\\\\\\`", "for((", "x=a${x:1}${x:2};",
};

/* 1 MiB of anything is read within the budget of steps, and loses nothing in front of it. */
static void gate_8_hostile_texts_are_bounded(void **state)
{
	struct shell_reading seen = { 0 };
	bool is_rm;

	for (size_t i = 0; i < AT_LEN(hostile); i++) {
		struct at_buf text = repeated(hostile[i], strlen(hostile[i]), 1 << 20);

		assert_row(i, work_of(at_buf_bytes(&text), NULL, &is_rm, &seen) < 200u << 20);
		assert_row(i, is_rm);
		at_buf_free(&text);
	}
	for (int byte = 0; byte < 256; byte++) {
		char unit = (char)byte;
		struct at_buf text = repeated(&unit, 1, 1 << 15);

		assert_row(byte, work_of(at_buf_bytes(&text), NULL, &is_rm, &seen) < 200u << 20);
		assert_row(byte, is_rm);
		at_buf_free(&text);
	}
}

/* Twice the text is about twice the work. */
static void gate_8_work_is_linear(void **state)
{
	static const struct shell_caps caps = { 1 << 16, 1 << 14, 1 << 16, 32 };
	struct shell_reading seen = { 0 };
	size_t bad = 0;
	bool is_rm;

	for (size_t i = 0; i < AT_LEN(hostile); i++) {
		struct at_buf one = repeated(hostile[i], strlen(hostile[i]), 1 << 12);
		struct at_buf two = repeated(hostile[i], strlen(hostile[i]), 1 << 13);
		size_t small = work_of(at_buf_bytes(&one), &caps, &is_rm, &seen), big;

		big = work_of(at_buf_bytes(&two), &caps, &is_rm, &seen);
		if (strcmp(hostile[i], "x=a$x;") != 0 && big > 3 * small) { /* its texts grow */
			print_message("%s: %zu, then %zu\n", hostile[i], small, big);
			bad++;
		}
		at_buf_free(&one);
		at_buf_free(&two);
	}
	assert_int_equal(bad, 0);
}

/* What grows as it is expanded meets a cap, and says so. */
static void gate_8_bombs_meet_a_cap(void **state)
{
	static const char *const rows[] = {
		"x=aaaaaaaa;x=$x$x$x$x;x=$x$x$x$x;x=$x$x$x$x;x=$x$x$x$x;x=$x$x$x$x;x=$x$x$x$x;x=$x$x$x$x;"
		"x=$x$x$x$x;x=$x$x$x$x;x=$x$x$x$x",
		"echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
		"f() { f | f & }; f",
		"f() { f; f; }; f",
		"echo {1..100000}",
		"for a in {1..60}; do for b in {1..60}; do for c in {1..60}; do for d in {1..60}; do "
		"for e in {1..60}; do :; done; done; done; done; done",
		"for a in {1..60}; do for b in {1..60}; do for c in {1..60}; do for d in {1..60}; do "
		"for e in {1..60}; do ((1)); done; done; done; done; done",
		"alias a='b;b;b;b;b;b;b;b' b='c;c;c;c;c;c;c;c' c='d;d;d;d;d;d;d;d' d='e;e;e;e;e;e;e;e' "
		"e='g;g;g;g;g;g;g;g'\na",
		"f() { a; f; }; f",
	};
	struct shell_reading seen = { 0 };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf out = read_text(at_bytes_of(rows[i]), &seen);

		assert_row(i, seen.too_much);
		at_buf_free(&out);
	}
}

int test_shell(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate_8_words_and_quotes),
		cmocka_unit_test(gate_8_variables),
		cmocka_unit_test(gate_8_commands),
		cmocka_unit_test(gate_8_redirects),
		cmocka_unit_test(gate_8_what_is_wrong_is_said),
		cmocka_unit_test(gate_8_nul_bytes_are_not_there),
		cmocka_unit_test(gate_8_spans_are_of_the_outermost_command),
		cmocka_unit_test(gate_8_environment_is_known),
		cmocka_unit_test(gate_8_hostile_texts_are_bounded),
		cmocka_unit_test(gate_8_work_is_linear),
		cmocka_unit_test(gate_8_bombs_meet_a_cap),
	};

	return cmocka_run_group_tests_name("shell", tests, NULL, NULL);
}
