/* RUN-4: what lies in the queue directories, whatever it is. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "runner/serve_ground.h"

#include "runner/proposals/artifact.h"

#define LIST "{\"kind\": \"list-staged\"}"
#define MANY 100000u
#define SERVED 2000u /* of them: the rest is the same */

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

struct lane {
	struct serve_ground g;
	struct at_queue *queue;
	struct at_queued next;
	struct at_error err;
};

static void lay(struct lane *l)
{
	serve_open(&l->g, NULL);
	if (!at_queue_open(&l->queue, l->g.setup.root, &l->err))
		fail_msg("%s", l->err.message);
	l->next = (struct at_queued){ 0 };
}

static void clear(struct lane *l)
{
	at_queued_free(&l->next);
	at_queue_close(l->queue);
	serve_close(&l->g);
}

static bool next_at(struct lane *l, int64_t now)
{
	at_queued_free(&l->next);
	if (at_queue_next(&l->next, l->queue, now, &l->err))
		return true;
	if (l->err.code)
		fail_msg("%s", l->err.message);
	return false;
}

static bool next(struct lane *l)
{
	return next_at(l, now_ms());
}

static const char *in(struct lane *l, const char *dir, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return test_path(l->g.project, path);
}

/* The orchestrator's first and completely, in each by age, then by name; the field is ignored. */
static void run_4_order_and_channel(void **state)
{
	static const struct {
		char id;
		enum at_channel channel;
	} want[] = { { 'f', AT_CHANNEL_ORCHESTRATOR }, { '0', AT_CHANNEL_ORCHESTRATOR },
		{ 'e', AT_CHANNEL_MCP }, { '1', AT_CHANNEL_MCP } };
	const struct timespec pause = { 0, 20000000 };
	struct lane l;

	(void)state;
	lay(&l);
	serve_put(&l.g, AT_QUEUE_MCP, 'e', "{\"kind\": \"x\", \"channel\": \"orchestrator\"}");
	serve_put(&l.g, AT_QUEUE_REQUESTS, 'f', LIST);
	nanosleep(&pause, NULL);
	serve_put(&l.g, AT_QUEUE_REQUESTS, '0', LIST);
	serve_put(&l.g, AT_QUEUE_MCP, '1', LIST);
	for (size_t i = 0; i < AT_LEN(want); i++) {
		assert_row(i, next(&l));
		assert_row(i, l.next.id[0] == want[i].id && l.next.channel == want[i].channel);
		assert_row(i, !l.next.fault && l.next.doc.count);
	}
	assert_false(next(&l));
	clear(&l);
}

/* Case 81 and beyond: everything that is no file of ours goes, told, and nothing is waited for. */
static void run_4_odd_entries_are_set_aside(void **state)
{
	static const char *const dirs[] = { AT_QUEUE_REQUESTS, AT_QUEUE_MCP };
	static const char id[] = "0123456789abcdef0123456789abcde";
	struct at_buf odd = { 0 };
	struct lane l;

	(void)state;
	lay(&l);
	for (size_t d = 0; d < AT_LEN(dirs); d++) {
		struct sockaddr_un name = { .sun_family = AF_UNIX };
		char file[64];
		int fd;

#define NAME(n) (snprintf(file, sizeof(file), "%s%c.json", id, n), in(&l, dirs[d], file))
		assert_int_equal(symlink("/etc/hostname", NAME('0')), 0);
		assert_int_equal(mkfifo(NAME('1'), 0600), 0);
		assert_int_equal(mkdir(NAME('2'), 0700), 0);
		assert_int_equal(mkdir(NAME('3'), 0700), 0);
		snprintf(file, sizeof(file), "%s3.json/full", id);
		test_write(l.g.project, in(&l, dirs[d], file) + strlen(l.g.project) + 1, "x");
		test_write(l.g.project, "docs/two.json", LIST);
		assert_int_equal(link(test_path(l.g.project, "docs/two.json"), NAME('4')), 0);
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		snprintf(name.sun_path, sizeof(name.sun_path), "/proc/self/fd/%d/%s%c.json",
			open(in(&l, dirs[d], "."), O_RDONLY | O_DIRECTORY), id, '5');
		assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
		close(fd);
	}
	assert_false(next(&l));
	at_queue_odd(&odd, l.queue);
	for (size_t d = 0; d < AT_LEN(dirs); d++)
		for (char n = '0'; n <= '5'; n++) {
			char file[64];

			assert_false(access(NAME(n), F_OK) == 0);
			snprintf(file, sizeof(file), "%s/%s%c.json: ", dirs[d], id, n);
			serve_says(at_buf_text(&odd), file);
		}
	assert_true(test_exists(l.g.project, "docs/two.json"));
	at_buf_free(&odd);
	clear(&l);
}

/* Names that are no ids are never opened and stay. */
static void run_4_other_names_stay(void **state)
{
	static const char *const names[] = { "x.json", ".r2.json.tmp", "0123456789abcdef.json",
		"0123456789ABCDEF0123456789abcdef.json", "0123456789abcdef0123456789abcdef.JSON",
		"0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef.json.tmp" };
	struct lane l;

	(void)state;
	lay(&l);
	for (size_t i = 0; i < AT_LEN(names); i++)
		assert_int_equal(mkfifo(in(&l, AT_QUEUE_REQUESTS, names[i]), 0600), 0);
	assert_false(next(&l));
	for (size_t i = 0; i < AT_LEN(names); i++)
		assert_row(i, access(in(&l, AT_QUEUE_REQUESTS, names[i]), F_OK) == 0);
	clear(&l);
}

/* Case 80: an unfinished one is left, then served; one that stays unreadable is answered and kept. */
static void run_4_half_written_is_waited_for(void **state)
{
	static const char id[] = "11111111111111111111111111111111";
	const char *path = AT_QUEUE_REQUESTS "/11111111111111111111111111111111.json";
	struct lane l;

	(void)state;
	lay(&l);
	test_write(l.g.project, path, "");
	assert_false(next(&l));
	assert_true(at_queue_patience(l.queue) > 0);
	assert_true(test_exists(l.g.project, path));
	test_write(l.g.project, path, "{\"kind\": ");
	assert_false(next(&l));
	test_write(l.g.project, path, LIST);
	assert_true(next(&l) && !l.next.fault);
	assert_true(at_queue_answer(l.queue, id, at_bytes_of("{}"), false, &l.err));

	assert_int_equal(unlink(test_path(l.g.project, AT_QUEUE_RESULTS
		"/11111111111111111111111111111111.json")), 0);
	test_write(l.g.project, path, "{\"kind\": ");
	assert_false(next(&l));
	assert_true(next_at(&l, now_ms() + AT_QUEUE_GRACE_MS + 100));
	assert_string_equal(l.next.fault, "unreadable request (not a regular JSON file)");
	assert_true(at_queue_answer(l.queue, id, at_bytes_of("{}"), true, &l.err));
	assert_true(test_exists(l.g.project,
		AT_QUEUE_CLAIMED "/11111111111111111111111111111111.aside"));
	/* A clock that jumped back makes nothing wait for ever. */
	test_write(l.g.project, AT_QUEUE_REQUESTS "/22222222222222222222222222222222.json", "{");
	assert_true(next_at(&l, now_ms() - 3600 * 1000));
	clear(&l);
}

static void run_4_sizes(void **state)
{
	struct at_buf text = { 0 };
	struct lane l;

	(void)state;
	lay(&l);
	at_buf_puts(&text, "{\"kind\": \"x\", \"a\": \"");
	at_buf_pad(&text, 'a', AT_REQUEST_CAP - text.len - 2);
	at_buf_puts(&text, "\"}");
	assert_int_equal(text.len, AT_REQUEST_CAP);
	serve_put(&l.g, AT_QUEUE_REQUESTS, '1', text.data);
	assert_true(next(&l) && !l.next.fault);
	at_buf_putc(&text, '\n');
	serve_put(&l.g, AT_QUEUE_REQUESTS, '2', text.data);
	assert_true(next(&l));
	assert_string_equal(l.next.fault, "request too large");
	assert_int_equal(l.next.text.len, 0);
	at_buf_free(&text);
	clear(&l);
}

/* An id cannot be used twice: a second request could put its words in the first one's mouth. */
static void run_4_an_answered_id_is_taken(void **state)
{
	struct lane l;

	(void)state;
	lay(&l);
	serve_put(&l.g, AT_QUEUE_REQUESTS, '1', LIST);
	assert_true(next(&l));
	assert_true(at_queue_answer(l.queue, l.next.id, at_bytes_of("first"), false, &l.err));
	serve_put(&l.g, AT_QUEUE_MCP, '1', LIST);
	assert_false(next(&l));
	assert_string_equal(serve_result(&l.g, '1'), "first");
	clear(&l);
}

static void run_4_acks_and_age(void **state)
{
	struct lane l;

	(void)state;
	lay(&l);
	for (char id = '1'; id <= '3'; id++) {
		serve_put(&l.g, AT_QUEUE_REQUESTS, id, LIST);
		assert_true(next(&l));
		assert_true(at_queue_answer(l.queue, l.next.id, at_bytes_of("{}"), false, &l.err));
	}
	test_write(l.g.project, AT_QUEUE_ACKS "/11111111111111111111111111111111", "");
	assert_int_equal(mkdir(in(&l, AT_QUEUE_ACKS, "22222222222222222222222222222222"), 0700),
		0);
	at_queue_sweep(l.queue, now_ms(), true);
	assert_string_equal(serve_result(&l.g, '1'), "");
	assert_string_equal(serve_result(&l.g, '2'), "{}");
	assert_false(test_exists(l.g.project, AT_QUEUE_ACKS "/22222222222222222222222222222222"));
	at_queue_sweep(l.queue, now_ms() + (AT_RESULT_LIFE_S + 5) * 1000, true);
	assert_string_equal(serve_result(&l.g, '3'), "");
	clear(&l);
}

/* A directory that is traded for another, or a link in its place, ends serving. */
static void run_4_directories_are_held(void **state)
{
	struct lane l;

	(void)state;
	lay(&l);
	assert_true(at_queue_is_still(l.queue, &l.err));
	assert_int_equal(rename(in(&l, AT_QUEUE_MCP, ""), in(&l, AT_QUEUE_GROUND, "gone")), 0);
	assert_int_equal(symlink("gone", test_path(l.g.project, AT_QUEUE_MCP)), 0);
	assert_false(at_queue_is_still(l.queue, &l.err));
	at_queue_close(l.queue);
	assert_false(at_queue_open(&l.queue, l.g.setup.root, &l.err));
	assert_int_equal(l.err.code, AT_EUNSAFE);
	clear(&l);
}

static void run_4_a_hundred_thousand_at_once(void **state)
{
	struct lane l;
	size_t count = 0;
	int dir;

	(void)state;
	lay(&l);
	dir = open(in(&l, AT_QUEUE_MCP, ""), O_RDONLY | O_DIRECTORY);
	for (unsigned i = 0; i < MANY; i++) {
		char name[48];
		int fd;

		snprintf(name, sizeof(name), "%032x.json", i);
		fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
		assert_true(fd >= 0);
		assert_int_equal(write(fd, LIST, sizeof(LIST) - 1), sizeof(LIST) - 1);
		close(fd);
	}
	close(dir);
	while (count < SERVED && next(&l)) {
		/* One of the orchestrator's that comes late is next. */
		if (count == SERVED / 2)
			serve_put(&l.g, AT_QUEUE_REQUESTS, 'f', LIST);
		if (count == SERVED / 2 + 1)
			assert_int_equal(l.next.channel, AT_CHANNEL_ORCHESTRATOR);
		count++;
	}
	assert_int_equal(count, SERVED);
	clear(&l);
}

int test_queue(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_4_order_and_channel),
		cmocka_unit_test(run_4_odd_entries_are_set_aside),
		cmocka_unit_test(run_4_other_names_stay),
		cmocka_unit_test(run_4_half_written_is_waited_for),
		cmocka_unit_test(run_4_sizes),
		cmocka_unit_test(run_4_an_answered_id_is_taken),
		cmocka_unit_test(run_4_acks_and_age),
		cmocka_unit_test(run_4_directories_are_held),
		cmocka_unit_test(run_4_a_hundred_thousand_at_once),
	};

	return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
