/* The read-only file server: what it opens, what it finds, and what a line means to it. */
#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/fault.h"
#include "core/mem.h"
#include "runner/readfs/deny.h"
#include "runner/readfs/glob.h"
#include "runner/readfs/message.h"

#define SECRET "the-secret-of-this-test"

/* MCP-2: every row of the list, and its neighbours. */
static void mcp_2_deny_list(void **state)
{
	static const struct { const char *path; bool denied; } rows[] = {
		{ ".git", true }, { "a/.git/config", true }, { ".hg", true }, { ".svn/x", true },
		{ ".agentteams/bin/x", true }, { ".agentteams-queue", true }, { ".ssh/config", true },
		{ ".aws", true }, { ".gnupg", true }, { ".kube", true }, { ".docker", true },
		{ ".env", true }, { ".envrc", true }, { ".netrc", true }, { ".npmrc", true },
		{ ".pypirc", true }, { ".pgpass", true }, { ".htpasswd", true },
		{ ".git-credentials", true }, { "k.key", true }, { "a/b.PEM", true }, { "x.p12", true },
		{ "x.pfx", true }, { "x.jks", true }, { "x.keystore", true }, { "x.kdbx", true },
		{ "x.tfstate", true }, { "x.tfvars", true }, { "prod.env", true }, { "id_rsa", true },
		{ "id_dsa.pub", true }, { "id_ecdsa", true }, { "id_ed25519.pub", true },
		{ ".env.local", true }, { "credentials.json", true }, { "CREDENTIALS", true },
		{ "x.tfstate.backup", true }, { ".GIT/HEAD", true }, { ".Env", true },
		{ ".env.example", false }, { "a/.env.sample", false }, { ".env.template", false },
		{ ".env.example/.env", true }, { ".env.example.bak", true },
		{ ".gitignore", false }, { ".github/x", false }, { "git", false }, { "keys.c", false },
		{ "key", false }, { "environment", false }, { "a.envs", false }, { "my_id_rsa", false },
		{ "src/credential.c", false }, { "tfstate.c", false }, { "", false }, { ".", false },
		/* what a folding file system takes for them */
		{ "x.\xe2\x84\xaa" "ey", true }, { ".\xc5\xbf\xc5\xbfh", true }, { ".\xc3\x9fh", true },
		{ ".s\xe2\x80\x8dsh", true }, { "\xe6\x96\x87.c", false },
	};
	char longest[400];

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, at_readfs_is_denied(rows[i].path) == rows[i].denied);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_true(at_readfs_is_denied(longest));
}

static void wp_5_glob(void **state)
{
	static const struct { const char *pattern, *path; bool fits; } rows[] = {
		{ "*.c", "a/b.c", true }, { "*.c", "b.h", false }, { "*", "x", true },
		{ "a?c", "abc", true }, { "a?c", "ac", false }, { "[a-c]x", "bx", true },
		{ "[!a-c]x", "bx", false }, { "[^a-c]x", "dx", true }, { "[]]", "]", true },
		{ "[a", "[a", true }, { "[", "[", true }, { "\\*", "*", true }, { "\\*", "x", false },
		{ "src/*.c", "src/a.c", true }, { "src/*.c", "src/b/a.c", false },
		{ "**/*.c", "a.c", true }, { "**/*.c", "x/y/a.c", true },
		{ "src/**/a.c", "src/a.c", true }, { "src/**/a.c", "src/x/y/a.c", true },
		{ "src/**", "src/x/y", true }, { "a/**/b/**/c", "a/b/b/x/c", true },
		{ "a/**/b/**/c", "a/x/c", false }, { "/a", "a", false }, { "", "", true },
		{ "*a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, at_readfs_glob(rows[i].pattern, rows[i].path) == rows[i].fits);
}

struct ground {
	char *top, *project;
	struct at_readfs_root root;
};

static void make_socket(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		fail_msg("no socket at %s", path);
	close(fd);
}

static void link_to(const struct ground *g, const char *to, const char *name)
{
	assert_int_equal(symlink(to, test_path(g->project, name)), 0);
}

static void begin(struct ground *g)
{
	struct at_error err;

	g->top = test_tree_new();
	test_write(g->top, "outside/secret.txt", SECRET);
	test_write(g->top, "p/src/a.txt", "one\ntwo\nthree\n");
	test_write(g->top, "p/src/deep/b.txt", "two\n");
	test_write(g->top, "p/.env", SECRET);
	test_write(g->top, "p/.git/config", SECRET);
	test_write(g->top, "p/src/server.key", SECRET);
	test_write_bytes(g->top, "p/src/nul.bin", "a\0b", 3);
	test_write(g->top, "p/src/bad.txt", "\xff\xfe two");
	g->project = at_strdup(test_path(g->top, "p"));
	link_to(g, "src/a.txt", "in");
	link_to(g, "src", "dir");
	link_to(g, "src/a.txt", "asked.key");
	link_to(g, ".env", "to-env");
	link_to(g, ".git", "to-git");
	link_to(g, "../outside/secret.txt", "out");
	link_to(g, "../outside", "out-dir");
	link_to(g, test_path(g->top, "outside/secret.txt"), "absolute");
	link_to(g, "loop", "loop");
	link_to(g, "nowhere", "dangling");
	assert_int_equal(mkfifo(test_path(g->project, "fifo"), 0644), 0);
	make_socket(test_path(g->project, "socket"));
	if (!at_readfs_root_open(&g->root, g->project, &err))
		fail_msg("%s", err.message);
}

static void end(struct ground *g)
{
	at_readfs_root_close(&g->root);
	free(g->project);
	test_tree_remove(g->top);
}

static struct at_readfs_result run(const struct ground *g, const char *tool,
	const struct at_readfs_args *args)
{
	const struct at_readfs_tool *found = at_readfs_tool(at_bytes_of(tool));
	struct at_readfs_result result = { 0 };

	assert_non_null(found);
	found->run(&result, &g->root, args);
	return result;
}

/* WP-5, MCP-2: every place that is not meant, and every kind that is no file. With and without
 * openat2, where links are refused as well. */
static void wp_5_read_file(void **state)
{
	static const struct { const char *path, *says; bool ok, by_walk; } rows[] = {
		{ "src/a.txt", "one\n", true, true }, { "./src//a.txt", "one\n", true, true },
		{ "in", "one\n", true, false }, { "dir/a.txt", "one\n", true, false },
		{ ".env", "never read", false, false }, { "to-env", "never read", false, false },
		{ "asked.key", "never read", false, true }, { "to-git/config", "never read", false, false },
		{ ".git/config", "never read", false, false },
		{ "src/server.key", "never read", false, false },
		{ "out", "link", false, false }, { "out-dir/secret.txt", "link", false, false },
		{ "absolute", "link", false, false }, { "loop", "link", false, false },
		{ "dangling", "nothing is at", false, false },
		{ "../outside/secret.txt", "`..`", false, false },
		{ "src/../../outside/secret.txt", "`..`", false, false },
		{ "src/../src/a.txt", "`..`", false, false },
		{ "/etc/passwd", "outside the root", false, false },
		{ "missing", "nothing is at", false, false }, { "src/a.txt/x", "nothing is at", false, false },
		{ "src", "but a directory", false, false }, { "", "but a directory", false, false },
		{ "fifo", "but a other", false, false }, { "socket", "but a other", false, false },
		{ "src/nul.bin", "no UTF-8", false, false }, { "src/bad.txt", "no UTF-8", false, false },
	};

	for (size_t row = 0; row < AT_LEN(rows) * 2; row++) {
		const size_t i = row / 2;
		const bool by_walk = row % 2, ok = rows[i].ok && (!by_walk || rows[i].by_walk);
		struct at_readfs_args args = { .path = at_bytes_of(rows[i].path), .offset = -1,
			.length = -1 };
		struct at_readfs_result got;
		struct ground g;

		if (by_walk && !AT_FAULTS_BUILT)
			continue;
		begin(&g);
		at_fault_set(by_walk ? "no-openat2" : NULL);
		got = run(&g, "read_file", &args);
		at_fault_set(NULL);
		assert_row(row, got.is_error != ok);
		if (!by_walk || rows[i].by_walk)
			assert_row(row, strstr(at_buf_text(&got.text), rows[i].says));
		assert_row(row, !strstr(at_buf_text(&got.text), SECRET));
		at_readfs_result_free(&got);
		end(&g);
	}
}

/* WP-5: an absolute path below the root is one; a neighbour whose name begins alike is none. */
static void wp_5_absolute_paths(void **state)
{
	struct at_readfs_args args = { .offset = -1, .length = -1 };
	struct at_readfs_result got;
	struct ground g;
	char path[4096];

	begin(&g);
	test_write(g.top, "p2/x.txt", SECRET);
	snprintf(path, sizeof(path), "%s/src/a.txt", g.project);
	args.path = at_bytes_of(path);
	got = run(&g, "read_file", &args);
	assert_false(got.is_error);
	at_readfs_result_free(&got);
	snprintf(path, sizeof(path), "%s2/x.txt", g.project);
	args.path = at_bytes_of(path);
	got = run(&g, "read_file", &args);
	assert_true(got.is_error);
	at_readfs_result_free(&got);
	args.path = (struct at_bytes){ "src/a.txt\0x", 11 };
	got = run(&g, "read_file", &args);
	assert_non_null(strstr(at_buf_text(&got.text), "NUL"));
	at_readfs_result_free(&got);
	end(&g);
}

/* WP-5: the object that was checked is the one that is read, whatever its name leads to now. */
static void wp_5_swapped_between_check_and_open(void **state)
{
	struct at_readfs_node node;
	struct at_error err;
	struct ground g;
	char text[64] = "";
	int fd;

	begin(&g);
	assert_true(at_readfs_find(&node, &g.root, at_bytes_of("src/a.txt"), &err));
	assert_int_equal(unlink(test_path(g.project, "src/a.txt")), 0);
	link_to(&g, "../../outside/secret.txt", "src/a.txt");
	fd = at_readfs_open(&node, 0);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text) - 1), 14);
	assert_string_equal(text, "one\ntwo\nthree\n");
	close(fd);
	at_readfs_node_close(&node);
	assert_false(at_readfs_find(&node, &g.root, at_bytes_of("src/a.txt"), &err));
	/* A directory on the way, swapped for a link to the outside. */
	assert_int_equal(rename(test_path(g.project, "src"), test_path(g.top, "moved")), 0);
	link_to(&g, "../outside", "src");
	assert_false(at_readfs_find(&node, &g.root, at_bytes_of("src/secret.txt"), &err));
	end(&g);
}

/* WP-5: a large file comes in pieces, none of which cuts a character. */
static void wp_5_pieces(void **state)
{
	struct at_readfs_args args = { .path = at_bytes_of("big.txt"), .length = -1 };
	struct at_buf want = { 0 }, got = { 0 };
	struct ground g;

	begin(&g);
	at_buf_putc(&want, 'x');
	while (want.len < 600000)
		at_buf_puts(&want, "\xe2\x82\xac");
	test_write_bytes(g.project, "big.txt", want.data, want.len);
	while (got.len < want.len) {
		struct at_readfs_result piece;

		args.offset = (long long)got.len;
		piece = run(&g, "read_file", &args);
		if (piece.is_error)
			fail_msg("at %zu: %s", got.len, at_buf_text(&piece.text));
		assert_true(piece.text.len && piece.text.len <= AT_READFS_READ_CAP);
		at_buf_put(&got, piece.text.data, piece.text.len);
		assert_int_equal(got.len < want.len, piece.note.len > 0);
		at_readfs_result_free(&piece);
	}
	assert_true(at_bytes_equal(at_buf_bytes(&got), at_buf_bytes(&want)));
	args.offset = 2;
	got.len = 0;
	{
		struct at_readfs_result piece = run(&g, "read_file", &args);

		assert_non_null(strstr(at_buf_text(&piece.text), "within a character"));
		at_readfs_result_free(&piece);
	}
	at_buf_free(&want);
	at_buf_free(&got);
	end(&g);
}

/* WP-5, MCP-2: what walks goes by what is denied, never through a link, and counts it. */
static void wp_5_listing_and_search(void **state)
{
	static const struct {
		const char *tool, *path, *pattern;
		bool regex;
		const char *has[4], *lacks[4];
	} rows[] = {
		{ "list_dir", "", NULL, false, { "\"src\"", "link", "other", NULL }, { ".env\"", ".git\"" } },
		{ "list_dir", "src", NULL, false, { "\"a.txt\"", "14  " }, { "server.key" } },
		{ "list_dir", "out-dir", NULL, false, { "Refused" }, { "secret.txt" } },
		{ "find", "", "*.txt", false, { "src/a.txt", "src/deep/b.txt" }, { "outside", "dir/" } },
		{ "find", "dir", "*.txt", false, { "src/a.txt" }, { "\"dir" } },
		{ "find", "", "*", false, { "\"fifo\"" }, { "server.key", "config", ".env\"" } },
		{ "grep", "", "two", false, { "\"src/a.txt\":2:two", "\"src/deep/b.txt\":1:two" },
			{ "bad.txt" } },
		{ "grep", "", SECRET, false, { NULL }, { SECRET } },
		{ "grep", "src/a.txt", "^t.*e$", true, { "\"src/a.txt\":3:three" }, { ":2:" } },
		{ "grep", "", "(", true, { "Refused" }, { NULL } },
		{ "grep", "fifo", "x", false, { NULL }, { "x" } },
		{ "grep", ".git", SECRET, false, { "never read" }, { SECRET } },
		{ "stat", "src", NULL, false, { "kind      directory", "mode" }, { NULL } },
		{ "stat", "fifo", NULL, false, { "kind      other" }, { NULL } },
		{ "stat", ".env", NULL, false, { "never read" }, { "size" } },
	};
	struct ground g;

	begin(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_readfs_args args = { .path = at_bytes_of(rows[i].path),
			.regex = rows[i].regex };
		struct at_readfs_result got;

		if (rows[i].pattern)
			args.pattern = at_bytes_of(rows[i].pattern);
		got = run(&g, rows[i].tool, &args);
		for (size_t k = 0; k < 4; k++) {
			if (rows[i].has[k] && !strstr(at_buf_text(&got.text), rows[i].has[k]))
				fail_msg("row %zu lacks %s: %s", i, rows[i].has[k],
					at_buf_text(&got.text));
			if (rows[i].lacks[k] && strstr(at_buf_text(&got.text), rows[i].lacks[k]))
				fail_msg("row %zu has %s: %s", i, rows[i].lacks[k],
					at_buf_text(&got.text));
		}
		at_readfs_result_free(&got);
	}
	end(&g);
}

/* WP-5: a name with a newline or no UTF-8 stays one line of text. */
static void wp_5_names_stay_on_their_line(void **state)
{
	struct at_readfs_args args = { 0 };
	struct at_readfs_result got;
	struct at_buf line = { 0 };
	struct ground g;

	begin(&g);
	test_write(g.project, "src/a\nfile 1 \"fake\"", "x");
	test_write(g.project, "src/\xff\x1b[31m", "x");
	args.path = at_bytes_of("src");
	got = run(&g, "list_dir", &args);
	assert_non_null(strstr(at_buf_text(&got.text), "\"a\\nfile 1 \\\"fake\\\"\""));
	assert_null(strstr(at_buf_text(&got.text), "\x1b"));
	at_readfs_print_result(&line, &got);
	assert_null(memchr(line.data, '\n', line.len));
	at_buf_free(&line);
	at_readfs_result_free(&got);
	end(&g);
}

/* WP-5: what the program's own place says. */
static void wp_5_root_of_install(void **state)
{
	static const struct { const char *program, *root; } rows[] = {
		{ "/p/shop/.agentteams/bin/agentteams-readfs-mcp", "/p/shop" },
		{ "/a/.agentteams/bin/b/.agentteams/bin/x", "/a/.agentteams/bin/b" },
		{ "/usr/libexec/agentteams/agentteams-readfs-mcp", NULL },
		{ "/.agentteams/bin/x", NULL }, { "/p/.agentteams/x", NULL }, { "x", NULL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char root[PATH_MAX];
		bool ok = at_readfs_root_of(root, rows[i].program);

		assert_row(i, ok == !!rows[i].root);
		assert_row(i, !ok || strcmp(root, rows[i].root) == 0);
	}
}

#define HEAD "{\"jsonrpc\":\"2.0\",\"id\":"
#define ERROR(id, code) HEAD id ",\"error\":{\"code\":" code ","
#define CALL(params) HEAD "1,\"method\":\"tools/call\",\"params\":" params "}"

/* WP-5, cases 91, 93, 95: what each line is, and how its answer begins. */
static void wp_5_messages(void **state)
{
	static const struct { const char *line; enum at_readfs_act act; const char *begins; } rows[] = {
		{ "", AT_READFS_NOTHING, NULL }, { "  \r", AT_READFS_NOTHING, NULL },
		{ "{", AT_READFS_ANSWER, ERROR("null", "-32700") },
		{ "{} x", AT_READFS_ANSWER, ERROR("null", "-32700") },
		{ "\xef\xbb\xbf{}", AT_READFS_ANSWER, ERROR("null", "-32700") },
		{ "\xff", AT_READFS_ANSWER, ERROR("null", "-32700") },
		{ "{\"a\":1,\"a\":2}", AT_READFS_ANSWER, ERROR("null", "-32700") },
		{ "[]", AT_READFS_ANSWER, ERROR("null", "-32600") },
		{ "7", AT_READFS_ANSWER, ERROR("null", "-32600") },
		{ "{}", AT_READFS_ANSWER, ERROR("null", "-32600") },
		/* ids of every type */
		{ HEAD "\"7\",\"method\":\"ping\"}", AT_READFS_ANSWER, HEAD "\"7\",\"result\":{}}\n" },
		{ HEAD "7,\"method\":\"ping\"}", AT_READFS_ANSWER, HEAD "7,\"result\":{}}\n" },
		{ HEAD "-0.50e+3,\"method\":\"ping\"}", AT_READFS_ANSWER, HEAD "-0.50e+3,\"result\":{}}\n" },
		{ HEAD "1e999,\"method\":\"ping\"}", AT_READFS_ANSWER, HEAD "1e999,\"result\":{}}\n" },
		{ HEAD "\"\\ud800\\u0000\",\"method\":\"ping\"}", AT_READFS_ANSWER,
			HEAD "\"\\ud800\\u0000\",\"result\"" },
		{ HEAD "null,\"method\":\"ping\"}", AT_READFS_ANSWER, ERROR("null", "-32600") },
		{ HEAD "true,\"method\":\"ping\"}", AT_READFS_ANSWER, ERROR("null", "-32600") },
		{ HEAD "[1],\"method\":\"ping\"}", AT_READFS_ANSWER, ERROR("null", "-32600") },
		{ HEAD "{},\"method\":\"ping\"}", AT_READFS_ANSWER, ERROR("null", "-32600") },
		{ "{\"id\":1,\"method\":\"ping\"}", AT_READFS_ANSWER, ERROR("1", "-32600") },
		{ HEAD "1}", AT_READFS_ANSWER, ERROR("1", "-32600") },
		{ HEAD "1,\"method\":7}", AT_READFS_ANSWER, ERROR("1", "-32600") },
		{ HEAD "1,\"method\":\"no/such\"}", AT_READFS_ANSWER, ERROR("1", "-32601") },
		{ HEAD "1,\"method\":\"resources/list\"}", AT_READFS_ANSWER, ERROR("1", "-32601") },
		{ HEAD "1,\"method\":\"ping\",\"params\":[]}", AT_READFS_ANSWER, ERROR("1", "-32602") },
		/* answers and notifications */
		{ HEAD "1,\"result\":{}}", AT_READFS_NOTHING, NULL },
		{ HEAD "1,\"error\":{}}", AT_READFS_NOTHING, NULL },
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}", AT_READFS_NOTHING, NULL },
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\"}", AT_READFS_NOTHING, NULL },
		{ "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}",
			AT_READFS_CANCEL, NULL },
		{ "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":[5]}}",
			AT_READFS_NOTHING, NULL },
		{ "{\"method\":\"notifications/cancelled\",\"params\":5}", AT_READFS_NOTHING, NULL },
		/* initialize */
		{ HEAD "1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"}}",
			AT_READFS_ANSWER, HEAD "1,\"result\":{\"protocolVersion\":\"2025-06-18\"" },
		{ HEAD "1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"x\\ny\"}}",
			AT_READFS_ANSWER, HEAD "1,\"result\":{\"protocolVersion\":\"2024-11-05\"" },
		{ HEAD "1,\"method\":\"initialize\"}",
			AT_READFS_ANSWER, HEAD "1,\"result\":{\"protocolVersion\":\"2024-11-05\"" },
		/* calls */
		{ CALL("\"x\""), AT_READFS_ANSWER, ERROR("1", "-32602") },
		{ CALL("{}"), AT_READFS_ANSWER, ERROR("1", "-32602") },
		{ CALL("{\"name\":\"write_file\"}"), AT_READFS_ANSWER, ERROR("1", "-32602") },
		{ CALL("{\"name\":\"read_file\\u0000\"}"), AT_READFS_ANSWER, ERROR("1", "-32602") },
		{ CALL("{\"name\":\"read_file\"}"), AT_READFS_ANSWER, ERROR("1", "-32602") },
		{ CALL("{\"name\":\"read_file\",\"arguments\":[]}"), AT_READFS_ANSWER, ERROR("1", "-32602") },
		{ CALL("{\"name\":\"read_file\",\"arguments\":{\"path\":7}}"), AT_READFS_ANSWER,
			ERROR("1", "-32602") },
		{ CALL("{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\",\"x\":1}}"),
			AT_READFS_ANSWER, ERROR("1", "-32602") },
		{ CALL("{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\",\"offset\":-1}}"),
			AT_READFS_ANSWER, ERROR("1", "-32602") },
		{ CALL("{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\",\"offset\":1e3}}"),
			AT_READFS_ANSWER, ERROR("1", "-32602") },
		{ CALL("{\"name\":\"grep\",\"arguments\":{\"pattern\":\"a\",\"regex\":1}}"),
			AT_READFS_ANSWER, ERROR("1", "-32602") },
		{ CALL("{\"name\":\"stat\",\"arguments\":{\"path\":\"a\",\"pattern\":\"x\"}}"),
			AT_READFS_ANSWER, ERROR("1", "-32602") },
		{ CALL("{\"name\":\"list_dir\"}"), AT_READFS_CALL, NULL },
		{ CALL("{\"name\":\"read_file\",\"arguments\":{\"path\":\"\\ud800\"}}"), AT_READFS_CALL,
			NULL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_readfs_message message;
		struct at_buf answer = { 0 };

		at_readfs_take(&message, &answer, at_bytes_of(rows[i].line));
		if (message.act != rows[i].act || !rows[i].begins != !answer.len || (rows[i].begins &&
			strncmp(answer.data, rows[i].begins, strlen(rows[i].begins)) != 0))
			fail_msg("row %zu: %s: act %d, %s", i, rows[i].line, (int)message.act,
				at_buf_text(&answer));
		at_buf_free(&answer);
		at_readfs_message_free(&message);
	}
}

/* WP-5: deep, wide and long: one answer each. */
static void wp_5_hostile_messages(void **state)
{
	static const struct { char open; size_t count; const char *begins; } rows[] = {
		{ '[', 100000, ERROR("null", "-32700") }, { ',', 200000, ERROR("null", "-32600") },
		{ '\0', 5, ERROR("null", "-32700") }, { '9', 2000000, ERROR("null", "-32600") },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_readfs_message message;
		struct at_buf line = { 0 }, answer = { 0 };

		at_buf_pad(&line, rows[i].open, rows[i].count);
		at_readfs_take(&message, &answer, at_buf_bytes(&line));
		assert_row(i, strncmp(answer.data, rows[i].begins, strlen(rows[i].begins)) == 0);
		at_buf_free(&answer);
		at_buf_free(&line);
		at_readfs_message_free(&message);
	}
}

/* WP-5: what tools/list says is JSON, and names the five. */
static void wp_5_tools(void **state)
{
	struct at_buf text = { 0 };
	struct at_json doc;

	at_readfs_print_tools(&text);
	assert_true(at_json_read(&doc, at_buf_bytes(&text), &at_json_brief_limits, 0, NULL));
	assert_int_equal(doc.nodes[AT_JSON_ROOT].count, 5);
	at_json_free(&doc);
	at_buf_free(&text);
}

int test_readfs(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(mcp_2_deny_list),
		cmocka_unit_test(wp_5_glob),
		cmocka_unit_test(wp_5_read_file),
		cmocka_unit_test(wp_5_absolute_paths),
		cmocka_unit_test(wp_5_swapped_between_check_and_open),
		cmocka_unit_test(wp_5_pieces),
		cmocka_unit_test(wp_5_listing_and_search),
		cmocka_unit_test(wp_5_names_stay_on_their_line),
		cmocka_unit_test(wp_5_root_of_install),
		cmocka_unit_test(wp_5_messages),
		cmocka_unit_test(wp_5_hostile_messages),
		cmocka_unit_test(wp_5_tools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
