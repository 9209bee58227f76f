/* What the shell reader tells of a text, as tables: the commands in their order, a line each. */
#include "support/support.h"

#include <stdlib.h>
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
		{ "for i; do rm $i; done", "rm|?" },
		{ "select i in a b; do rm $i; done", "rm|?" },
		{ "case $x in a|b) rm a;; (c) rm c;& *) rm d; esac; ls", "rm|a\nrm|c\nrm|d\nls" },
		{ "case x in esac; rm y", "rm|y" },
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

int test_shell(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate_8_words_and_quotes),
		cmocka_unit_test(gate_8_variables),
		cmocka_unit_test(gate_8_commands),
		cmocka_unit_test(gate_8_redirects),
	};

	return cmocka_run_group_tests_name("shell", tests, NULL, NULL);
}
