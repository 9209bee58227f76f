/* agentteams-readfs-mcp itself: lines in, lines out, and how it ends. */
#include "support/support.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/child.h"
#include "core/json_read.h"

#define HEAD "{\"jsonrpc\":\"2.0\",\"id\":"
#define PING(id) HEAD id ",\"method\":\"ping\"}\n"
#define SLOW(id) HEAD id ",\"method\":\"tools/call\",\"params\":{\"name\":\"grep\",\"arguments\":" \
	"{\"regex\":true,\"pattern\":\"((a*)*)*((a*)*)*\\\\1\\\\2b\"}}}\n"

struct ground {
	char *top;
};

static const char *program(void)
{
	const char *path = getenv("AT_READFS");

	if (!path)
		fail_msg("AT_READFS is not set: run through meson test");
	return path;
}

static void begin(struct ground *g)
{
	struct at_buf many = { 0 };

	g->top = test_tree_new();
	test_write(g->top, "p/a.txt", "hello\n");
	at_buf_pad(&many, 'a', 40000);
	test_write_bytes(g->top, "p/slow.txt", many.data, many.len);
	at_buf_free(&many);
}

static void end(struct ground *g)
{
	test_tree_remove(g->top);
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

/* Shell text in the ground; $P is the program, p/ the project. */
static struct at_child_end sh(const struct ground *g, const char *text)
{
	char variable[4200];
	const char *argv[] = { "/bin/sh", "-c", text, NULL };
	const char *env[] = { variable, "PATH=/usr/bin:/bin", "LC_ALL=C", NULL };
	struct at_child_end got;
	struct at_error err;

	snprintf(variable, sizeof(variable), "P=%s", program());
	if (!at_child_run(&got, &(struct at_child_call){ .argv = argv, .env = env, .cwd = g->top,
				       .timeout_ms = 60000, .cap = (size_t)8 << 20 },
		    &err))
		fail_msg("%s", err.message);
	if (got.timed_out)
		fail_msg("hangs: %s", text);
	return got;
}

/* Every line of it is one object of JSON; their number. */
static size_t lines_of(const struct at_buf *out)
{
	const char *at = at_buf_text(out), *stop = at + out->len;
	size_t count = 0;

	while (at < stop) {
		const char *eol = memchr(at, '\n', (size_t)(stop - at));
		struct at_error err;
		struct at_json doc;

		if (!eol)
			fail_msg("a line that never ends: %.200s", at);
		if (!at_json_read(&doc, (struct at_bytes){ at, (size_t)(eol - at) },
			    &at_json_settings_limits, 0, &err))
			fail_msg("no JSON: %s: %.200s", err.message, at);
		assert_true(at_json_is(&doc, AT_JSON_ROOT, AT_JSON_OBJECT));
		at_json_free(&doc);
		at = eol + 1;
		count++;
	}
	return count;
}

/* Cases 91, 94, 95: answers, and nothing else, whatever comes and whatever becomes of standard
 * error. */
static void wp_5_stdout_is_pure(void **state)
{
	static const struct { const char *name, *input; size_t lines; const char *has[3]; } rows[] = {
		{ "as a session begins", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
			"\"params\":{}}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
			"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n", 2,
			{ "\"name\":\"grep\"" } },
		{ "a call", HEAD "1,\"method\":\"tools/call\",\"params\":{\"name\":\"read_file\","
			"\"arguments\":{\"path\":\"a.txt\"}}}\n", 1, { "\"text\":\"hello\\n\"" } },
		{ "no newline at the end", HEAD "1,\"method\":\"ping\"}", 1, { "\"result\":{}" } },
		{ "carriage returns", HEAD "1,\"method\":\"ping\"}\r\n\r\n", 1, { "\"result\":{}" } },
		{ "two in one write", PING("1") PING("2"), 2, { "\"id\":1,", "\"id\":2," } },
		{ "garbage between", "}{\n\xff\xfe\n" PING("3"), 3, { "-32700", "\"id\":3," } },
	};
	struct ground g;

	begin(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_child_end got;

		test_write(g.top, "in", rows[i].input);
		got = sh(&g, "\"$P\" --root p <in 2>&-");
		assert_row(i, got.status == 0);
		if (lines_of(&got.out) != rows[i].lines)
			fail_msg("%s: %s", rows[i].name, at_buf_text(&got.out));
		for (size_t k = 0; k < 3 && rows[i].has[k]; k++)
			assert_row(i, strstr(at_buf_text(&got.out), rows[i].has[k]));
		at_child_end_free(&got);
	}
	end(&g);
}

/* Case 94: long lines are taken, longer ones passed over, in bounded memory. */
static void wp_5_long_lines(void **state)
{
	static const struct { size_t pad; const char *answer; } rows[] = {
		{ 70000, "\"id\":2,\"error\":{\"code\":-32601" },
		{ (size_t)2 << 20, "\"id\":2,\"error\":{\"code\":-32601" },
		{ ((size_t)16 << 20) - 100, "\"id\":2,\"error\":{\"code\":-32601" },
		{ (size_t)17 << 20, "\"id\":null,\"error\":{\"code\":-32600" },
		{ (size_t)40 << 20, "\"id\":null,\"error\":{\"code\":-32600" },
	};
	struct ground g;

	begin(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_child_end got;
		struct at_buf in = { 0 };

		at_buf_puts(&in, PING("1") HEAD "2,\"method\":\"x\",\"params\":{\"y\":\"");
		at_buf_pad(&in, 'y', rows[i].pad);
		at_buf_puts(&in, "\"}}\n" PING("3"));
		test_write_bytes(g.top, "in", in.data, in.len);
		at_buf_free(&in);
		got = sh(&g, "\"$P\" --root p <in");
		if (lines_of(&got.out) != 3 || !strstr(at_buf_text(&got.out), rows[i].answer)
			|| !strstr(at_buf_text(&got.out), "\"id\":3,"))
			fail_msg("row %zu: %s", i, at_buf_text(&got.out));
		at_child_end_free(&got);
	}
	end(&g);
}

struct server {
	pid_t pid;
	int in, out;
};

static struct server start(const struct ground *g)
{
	struct server s;
	int in[2], out[2];

	assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
	s.pid = fork();
	if (s.pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(program(), program(), "--root", test_path(g->top, "p"), (char *)NULL);
		_exit(126);
	}
	close(in[0]);
	close(out[1]);
	s.in = in[1];
	s.out = out[0];
	return s;
}

static void tell(const struct server *s, const char *text)
{
	assert_int_equal(write(s->in, text, strlen(text)), (ssize_t)strlen(text));
}

/* One line, a byte at a time. */
static const char *hear(const struct server *s)
{
	static char line[65536];
	size_t len = 0;

	while (len + 1 < sizeof(line) && read(s->out, line + len, 1) == 1)
		if (line[len++] == '\n')
			break;
	line[len] = '\0';
	return line;
}

static int finish(struct server *s, long *took)
{
	long from = now_ms();
	int status;

	if (s->in >= 0)
		close(s->in);
	if (s->out >= 0)
		close(s->out);
	waitpid(s->pid, &status, 0);
	*took = now_ms() - from;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Case 93: a call that runs is stopped and never answered; others are answered meanwhile. */
static void wp_5_cancel(void **state)
{
	struct server s;
	struct ground g;
	long took;

	begin(&g);
	s = start(&g);
	tell(&s, SLOW("5"));
	tell(&s, PING("6"));
	assert_non_null(strstr(hear(&s), "\"id\":6,\"result\":{}"));
	tell(&s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		 "\"params\":{\"requestId\":5,\"reason\":\"user\"}}\n");
	tell(&s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		 "\"params\":{\"requestId\":5}}\n");
	tell(&s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		 "\"params\":{\"requestId\":\"5\"}}\n");
	tell(&s, PING("7"));
	assert_non_null(strstr(hear(&s), "\"id\":7,"));
	assert_int_equal(finish(&s, &took), 0);
	assert_true(took < 1000);
	end(&g);
}

/* WP-5: more calls than may run at once: all are answered, in time. */
static void wp_5_many_calls(void **state)
{
	struct at_child_end got;
	struct at_buf in = { 0 };
	struct ground g;

	begin(&g);
	for (int i = 0; i < 200; i++)
		at_buf_printf(&in, HEAD "%d,\"method\":\"tools/call\",\"params\":{\"name\":"
			"\"read_file\",\"arguments\":{\"path\":\"a.txt\"}}}\n", i);
	test_write_bytes(g.top, "in", in.data, in.len);
	at_buf_free(&in);
	got = sh(&g, "{ cat in; sleep 2; } | \"$P\" --root p");
	assert_int_equal(lines_of(&got.out), 200);
	assert_non_null(strstr(at_buf_text(&got.out), "\"id\":199,"));
	at_child_end_free(&got);
	end(&g);
}

/* Case 96: the input's end, a reader that is gone, a parent that is dead: within a second, also
 * while a call runs. */
static void wp_5_ends(void **state)
{
	struct at_child_end got;
	struct server s;
	struct ground g;
	long took, from;

	begin(&g);
	s = start(&g);
	assert_int_equal(finish(&s, &took), 0);
	assert_true(took < 1000);
	s = start(&g);
	tell(&s, SLOW("1"));
	assert_int_equal(finish(&s, &took), 0);
	assert_true(took < 1000);
	s = start(&g); /* nobody reads, the input stays open */
	tell(&s, PING("1"));
	hear(&s);
	close(s.out);
	s.out = -1;
	{
		int in = s.in;

		s.in = -1;
		assert_int_equal(finish(&s, &took), 0);
		close(in);
	}
	assert_true(took < 1000);
	from = now_ms(); /* whoever started it is gone; its input stays open for five seconds */
	got = sh(&g, "mkfifo in; sleep 5 >in 2>&1 & (\"$P\" --root p <in >out & echo $! >pid; sleep 0.3); "
		     "sleep 0.8; readlink \"/proc/$(cat pid)/exe\"; true");
	assert_true(now_ms() - from < 5000);
	assert_string_equal(at_buf_text(&got.out), "");
	at_child_end_free(&got);
	end(&g);
}

/* WP-5: bad usage, and the root of its own place. */
static void wp_5_root(void **state)
{
	struct at_child_end got;
	struct ground g;

	begin(&g);
	got = sh(&g, "\"$P\" </dev/null; echo $?; \"$P\" --root </dev/null; echo $?; \"$P\" --root / "
		     "</dev/null; echo $?; \"$P\" --root missing </dev/null; echo $?; \"$P\" x; echo $?");
	assert_string_equal(at_buf_text(&got.out), "2\n2\n2\n2\n2\n");
	at_child_end_free(&got);
	test_write(g.top, "in", HEAD "1,\"method\":\"tools/call\",\"params\":{\"name\":\"read_file\","
		"\"arguments\":{\"path\":\"a.txt\"}}}\n" HEAD "2,\"method\":\"tools/call\",\"params\":"
		"{\"name\":\"list_dir\",\"arguments\":{\"path\":\".agentteams\"}}}\n");
	got = sh(&g, "mkdir -p p/.agentteams/bin; cp \"$P\" p/.agentteams/bin/s; cd /; "
		     "\"$OLDPWD\"/p/.agentteams/bin/s <\"$OLDPWD\"/in");
	assert_int_equal(lines_of(&got.out), 2);
	assert_non_null(strstr(at_buf_text(&got.out), "\"text\":\"hello\\n\""));
	assert_non_null(strstr(at_buf_text(&got.out), "never read"));
	at_child_end_free(&got);
	end(&g);
}

int test_readfs_program(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wp_5_stdout_is_pure),
		cmocka_unit_test(wp_5_long_lines),
		cmocka_unit_test(wp_5_cancel),
		cmocka_unit_test(wp_5_many_calls),
		cmocka_unit_test(wp_5_ends),
		cmocka_unit_test(wp_5_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
