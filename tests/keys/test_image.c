/* No byte of a key is left in the memory of a program that used it. (KEY-2) */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/fault.h"
#include "keys/field.h"
#include "keys/keystore.h"
#include "keys/openssl.h"
#include "keys/pem.h"
#include "keys/sealed.h"
#include "support/support.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_INSTRUMENTED true
#elif defined(__has_feature)
#define IS_INSTRUMENTED __has_feature(address_sanitizer)
#else
#define IS_INSTRUMENTED false
#endif

#define WORD "planted passphrase 7c1f"

/* A planted key, in every form in which it could lie about. */
struct planted {
	char *dir;
	char home[600], path[700];
	struct at_secret seed;
	struct at_buf forms[5];
	size_t count;
};

static const char *const form_names[] = { "the seed", "its base64", "its hex",
	"the text of its file", "the passphrase" };

static void plant(struct planted *p, bool sealed)
{
	static const struct at_seal_cost cheap = { 1, 8192 };
	struct at_error err = { 0 };
	struct at_secret text, word;
	struct at_buf file = { 0 };

	memset(p, 0, sizeof(*p));
	p->dir = test_tree_new();
	snprintf(p->home, sizeof(p->home), "%s/home", p->dir);
	snprintf(p->path, sizeof(p->path), "%s/" AT_KEYS_DIR "/op.%s", p->home,
		sealed ? "sealed" : "pem");
	assert_true(at_ed25519_make(&p->seed, &err));
	assert_true(at_pem_write_private(&text, &p->seed, &err));
	secret_of(&word, at_bytes_of(WORD));
	if (sealed)
		assert_true(at_seal(&file, &p->seed, &word, &cheap, &err));
	else
		at_buf_put(&file, text.bytes, text.len);
	test_write_bytes(p->home, strstr(p->path, AT_KEYS_DIR), file.data, file.len);
	assert_int_equal(chmod(p->path, 0600), 0);
	for (const char *const *d = (const char *const[]){ "", "/.config", "/.config/agentteams",
		     "/" AT_KEYS_DIR, NULL };
		*d; d++) {
		char dir[700];

		snprintf(dir, sizeof(dir), "%s%s", p->home, *d);
		assert_int_equal(chmod(dir, 0700), 0);
	}
	at_buf_put(&p->forms[0], p->seed.bytes, p->seed.len);
	/* The whole groups of the base64 that hold nothing but the seed. */
	at_buf_put(&p->forms[1], strstr((char *)text.bytes, "BCIEI") + 8, 40);
	at_hex_put(&p->forms[2], p->seed.bytes, p->seed.len);
	at_buf_put(&p->forms[3], text.bytes, text.len);
	at_buf_puts(&p->forms[4], WORD);
	p->count = sealed ? 5 : 4;
	at_buf_free(&file);
	at_secret_free(&text);
	at_secret_free(&word);
}

static void pull(struct planted *p)
{
	for (size_t i = 0; i < AT_LEN(p->forms); i++)
		at_buf_free(&p->forms[i]);
	at_secret_free(&p->seed);
	test_tree_remove(p->dir);
}

/* Where the form was found, or NULL; in a static buffer. */
static const char *find_in_range(
	int mem, const char *line, uint64_t from, uint64_t to, struct at_bytes form)
{
	static char where[400];
	size_t room = (size_t)1 << 20, kept = 0;
	char *chunk = malloc(room);
	const char *found = NULL;

	while (!found && from < to) {
		size_t want = room - kept < to - from ? room - kept : (size_t)(to - from);
		ssize_t got = pread(mem, chunk + kept, want, (off_t)from);

		if (got <= 0)
			break; /* not to be read: [vvar], guard pages */
		from += (uint64_t)got;
		kept += (size_t)got;
		if (memmem(chunk, kept, form.data, form.len)) {
			snprintf(where, sizeof(where), "%.*s", (int)strcspn(line, "\n"), line);
			found = where;
		}
		if (kept > form.len) {
			memmove(chunk, chunk + kept - form.len, form.len);
			kept = form.len;
		}
	}
	free(chunk);
	return found;
}

/* All that can be read of a stopped process. */
static const char *find_in(pid_t pid, struct at_bytes form, size_t *ranges)
{
	char name[64], line[512];
	const char *found = NULL;
	uint64_t from, to;
	FILE *maps;
	int mem;

	snprintf(name, sizeof(name), "/proc/%d/mem", (int)pid);
	mem = open(name, O_RDONLY | O_CLOEXEC);
	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	if (mem < 0 || !maps)
		fail_msg("cannot read the process: %s", strerror(errno));
	for (*ranges = 0; !found && fgets(line, sizeof(line), maps); ++*ranges) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2)
			found = find_in_range(mem, line, from, to, form);
	}
	fclose(maps);
	close(mem);
	return found;
}

static void must_be_gone(const struct planted *p, pid_t pid)
{
	for (size_t i = 0; i < p->count; i++) {
		size_t ranges;
		const char *where = find_in(pid, at_buf_bytes(&p->forms[i]), &ranges);

		if (where || ranges < 10)
			fail_msg("%s: %s", form_names[i], where ? where : "nothing could be read");
	}
}

static void read_proc(struct at_buf *out, pid_t pid, const char *what)
{
	char name[64], chunk[4096];
	ssize_t got;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/%s", (int)pid, what);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	while ((got = read(fd, chunk, sizeof(chunk))) > 0)
		at_buf_put(out, chunk, (size_t)got);
	close(fd);
}

/* Neither argv nor environment; with `alive` no core either, and the pages locked. */
static void check_outside(const struct planted *p, pid_t pid, bool alive)
{
	static const char *const files[] = { "environ", "cmdline" };
	struct at_buf text = { 0 };

	for (size_t k = 0; k < AT_LEN(files); k++) {
		text.len = 0;
		read_proc(&text, pid, files[k]);
		for (size_t i = 0; i < p->count; i++)
			assert_row(i,
				!memmem(at_buf_text(&text), text.len, p->forms[i].data,
					p->forms[i].len));
	}
	text.len = 0;
	read_proc(&text, pid, "limits");
	if (alive && !strstr(at_buf_text(&text), "Max core file size        0  "))
		fail_msg("a core can be left: %s", text.data);
	text.len = 0;
	read_proc(&text, pid, "status");
	if (alive && strstr(at_buf_text(&text), "VmLck:\t       0 kB"))
		fail_msg("nothing is locked");
	at_buf_free(&text);
}

static pid_t start(const char *const *argv, const char *const *env)
{
	const struct rlimit cores = { 1 << 20, 1 << 20 };
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		setrlimit(RLIMIT_CORE, &cores);
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execve(argv[0], (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)env);
		_exit(126);
	}
	return pid;
}

static void wait_stop(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	if (!WIFSTOPPED(status))
		fail_msg("it ended with status %d", status);
}

static void wait_end(pid_t pid)
{
	int status;

	kill(pid, SIGCONT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Loaded and signed with: there in locked memory alone while it is needed, nowhere after. */
static void sign_and_look(bool sealed)
{
	static const char *const none[] = { NULL };
	const char *argv[] = { getenv("AT_IMAGE_PROGRAM"), NULL, NULL, NULL };
	struct planted p;
	size_t ranges;
	pid_t pid;

	if (IS_INSTRUMENTED)
		skip_because("a sanitizer keeps what was freed, in terabytes of its own");
	plant(&p, sealed);
	test_write(p.dir, "word", WORD);
	argv[1] = p.path;
	argv[2] = sealed ? test_path(p.dir, "word") : NULL;
	assert_non_null(argv[0]);
	pid = start(argv, none);
	wait_stop(pid);
	if (geteuid() == 0) { /* who is not root cannot read it: that is the point */
		const char *where = find_in(pid, at_buf_bytes(&p.forms[0]), &ranges);

		if (!where) /* else the looking finds nothing, whatever is there */
			fail_msg("the key is not found while it is there");
		for (size_t i = 1; i < p.count; i++)
			assert_row(i, !find_in(pid, at_buf_bytes(&p.forms[i]), &ranges));
		check_outside(&p, pid, true);
	}
	kill(pid, SIGCONT);
	wait_stop(pid);
	must_be_gone(&p, pid);
	check_outside(&p, pid, false);
	wait_end(pid);
	pull(&p);
}

static void key_2_no_byte_is_left_after_signing(void **state)
{
	(void)state;
	sign_and_look(false);
}

static void key_2_nor_of_a_passphrase(void **state)
{
	(void)state;
	sign_and_look(true);
}

/* The real program, stopped where it writes the public half into a project. */
static void key_2_no_byte_is_left_in_the_console(void **state)
{
	char home[700], project[700];
	const char *const argv[] = { getenv("AT_PROGRAM"), "--project", project, "--install-key",
		"op", NULL };
	const char *const env[] = { home, "AT_FAULT=pause:2", "LC_ALL=C.UTF-8", NULL };
	struct planted p;
	pid_t pid;

	(void)state;
	if (!AT_FAULTS_BUILT || IS_INSTRUMENTED)
		skip_because("built without fault points, or with a sanitizer");
	plant(&p, false);
	snprintf(home, sizeof(home), "HOME=%s", p.home);
	snprintf(project, sizeof(project), "%s/project", p.dir);
	assert_int_equal(mkdir(project, 0755), 0);
	pid = start(argv, env);
	wait_stop(pid);
	must_be_gone(&p, pid);
	check_outside(&p, pid, false);
	wait_end(pid);
	assert_true(test_exists(
		project, ".claude/agents/references/authorized-verify-keys/op.pub.pem"));
	pull(&p);
}

int test_image(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_2_no_byte_is_left_after_signing),
		cmocka_unit_test(key_2_nor_of_a_passphrase),
		cmocka_unit_test(key_2_no_byte_is_left_in_the_console),
	};

	return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
