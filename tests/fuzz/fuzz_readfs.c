/* The file server: whatever line comes, it ends, what it says is one line of JSON, and nothing
 * that is denied or outside is in it. Tools run in this process, on a small tree. (WP-5, MCP-2) */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/readfs/glob.h"
#include "runner/readfs/message.h"

#define SECRET "5ecret-0f-th1s-f1le"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

static void put_file(int dir, const char *name, const char *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static const struct at_readfs_root *ground(void)
{
	static struct at_readfs_root root = { .fd = -1 };
	char path[64] = "/tmp/fuzz-readfs-XXXXXX";
	struct at_error err;
	int top;

	if (root.fd >= 0)
		return &root;
	CHECK(mkdtemp(path));
	top = open(path, O_RDONLY | O_DIRECTORY);
	CHECK(mkdirat(top, "p", 0755) == 0 && mkdirat(top, "p/.git", 0755) == 0);
	put_file(top, "secret", SECRET);
	put_file(top, "p/.env", SECRET);
	put_file(top, "p/.git/config", SECRET);
	put_file(top, "p/a.txt", "hello\nworld\n");
	CHECK(symlinkat("../secret", top, "p/out") == 0 && symlinkat(".env", top, "p/to") == 0);
	CHECK(symlinkat("a.txt", top, "p/in") == 0 && symlinkat("..", top, "p/up") == 0);
	close(top);
	strcat(path, "/p");
	CHECK(at_readfs_root_open(&root, path, &err));
	return &root;
}

static void check_line(const struct at_buf *line)
{
	struct at_json doc;

	CHECK(line->len && line->data[line->len - 1] == '\n');
	CHECK(memchr(line->data, '\n', line->len) == line->data + line->len - 1);
	CHECK(at_json_read(&doc, at_buf_bytes(line), &at_json_settings_limits, 0, NULL));
	at_json_free(&doc);
}

static void run(const struct at_readfs_message *m)
{
	struct at_readfs_result result = { 0 };
	struct at_buf text = { 0 }, line = { 0 };

	if (m->args.regex)
		return; /* libc's, under a limit of time in the program */
	m->tool->run(&result, ground(), &m->args);
	CHECK(!memmem(at_buf_text(&result.text), result.text.len, SECRET, strlen(SECRET)));
	at_readfs_print_result(&text, &result);
	at_readfs_answer(&line, m->id, at_buf_bytes(&text));
	check_line(&line);
	at_buf_free(&text);
	at_buf_free(&line);
	at_readfs_result_free(&result);
}

static void take(struct at_bytes text)
{
	struct at_readfs_message message;
	struct at_buf answer = { 0 };

	at_readfs_take(&message, &answer, text);
	CHECK((message.act == AT_READFS_ANSWER) == (answer.len > 0));
	if (answer.len)
		check_line(&answer);
	if (message.act == AT_READFS_CALL)
		run(&message);
	at_buf_free(&answer);
	at_readfs_message_free(&message);
}

/* As a line, as the path of every tool, and as a pattern. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct at_bytes text = { (const char *)data, size };
	struct at_buf copy = { 0 };

	if (!size)
		return 0;
	if (!memchr(data, '\n', size))
		take(text);
	for (size_t i = 0; i < 5; i++) {
		struct at_readfs_message m = { .id = { "1", 1 }, .tool = &at_readfs_tools[i],
			.args = { .path = text, .pattern = { "5ecret", 6 }, .offset = -1,
				.length = -1 } };

		run(&m);
		m.args.path.len = 0;
		m.args.pattern = text;
		run(&m);
	}
	at_buf_put(&copy, data, size);
	at_readfs_glob(at_buf_text(&copy), "src/deep/a.txt");
	at_readfs_glob("**/*.c", at_buf_text(&copy));
	at_buf_free(&copy);
	return 0;
}
