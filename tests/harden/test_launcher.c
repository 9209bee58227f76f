/* The launcher with the layers: a day's work goes on, and what they are for is refused. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harden/fixture.h"

#define CONFINED                                                                                   \
	"umask 022; mkdir -p $S && cd $S && "                                                      \
	"$L --scratch . --harden=require $R --harden-helper $H --env-allow ASAN_OPTIONS"

/* One row a tool; a row whose tool is not here is left out, with a word. */
static const struct {
	const char *tool, *script;
} work[] = {
	{ "sh", "echo a | tr a b | grep -q b; (sleep 9 & kill $!); echo x >/tmp/x; test -s /tmp/x\n"
		"sh -c 'echo y >>/dev/stdout' | grep -q y; ulimit -c | grep -qx 0; cat </dev/null\n" },
	{ "git", "git init -q r; cd r; git config user.email a@b.invalid; git config user.name n\n"
		 "echo x >f; git add f; git commit -qm one; git gc -q; git log -1 >/dev/null\n" },
	{ "gcc", "echo 'int main(void) { return 0; }' >m.c; gcc -o m m.c; ./m\n" },
	{ "node", "cat >n.js <<'END'\n"
		  "const http = require('http'), { Worker } = require('worker_threads');\n"
		  "new Worker('0', { eval: true });\n"
		  "const s = http.createServer((q, r) => r.end()).listen(0, '127.0.0.1', () =>\n"
		  "  http.get({ port: s.address().port, host: '127.0.0.1' }, () => process.exit(0)));\n"
		  "END\n"
		  "node n.js\n" },
	{ "python3", "cat >p.py <<'END'\n"
		     "import multiprocessing as m, os, socket, subprocess\n"
		     "from multiprocessing import shared_memory\n"
		     "a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'\n"
		     "for family, name in ((socket.AF_INET, ('127.0.0.1', 0)),\n"
		     "                     (socket.AF_UNIX, 'own'), (socket.AF_UNIX, '\\0own')):\n"
		     "    s = socket.socket(family); s.bind(name); s.listen()\n"
		     "    c = socket.socket(family); c.connect(s.getsockname())\n"
		     "q = m.Queue(); p = m.Process(target=q.put, args=(1,)); p.start()\n"
		     "assert q.get() == 1\n"
		     "s = m.Semaphore(1); s.acquire(); s.release()\n"
		     "h = shared_memory.SharedMemory(create=True, size=9); h.close(); h.unlink()\n"
		     "os.openpty(); os.memfd_create('x'); subprocess.run(['true'], check=True)\n"
		     "socket.if_nameindex()\n"
		     "END\n"
		     "python3 p.py\n" },
};

/* Root needs a word, and keeps to a directory of its own: a plain user cannot enter it. */
static const char *const variables[WHO_COUNT] = {
	[CALLER] = "S=$D/root; test $(id -u) = 0 && R=--allow-root || R=; ",
	[PLAIN] = "S=$D/plain; R=; ",
};

static void need_launcher(enum who who)
{
	harden_need_bwrap(who);
	harden_need_layer("seccomp keyring landlock");
}

static void lau_9_work_goes_on(void **state)
{
	for (enum who who = CALLER; who < WHO_COUNT; who++) {
		need_launcher(who);
		for (size_t i = 0; i < sizeof(work) / sizeof(work[0]); i++) {
			struct at_child_end end;
			char script[512];
			bool is_there;

			snprintf(script, sizeof(script), "command -v %s >/dev/null", work[i].tool);
			end = harden_sh(who, script);
			is_there = end.status == 0;
			at_child_end_free(&end);
			if (!is_there) {
				print_message("%s is not here\n", work[i].tool);
				continue;
			}
			snprintf(script, sizeof(script), "%s" CONFINED " -- sh -e $D/work",
				variables[who]);
			test_write(harden_dir(), "work", work[i].script);
			harden_out(who, 0, script);
		}
	}
}

/* LAU-9, F5, F7, F8, F12, F13: held as the report says, and nothing else is open. */
static void lau_9_layers_are_in_force(void **state)
{
	for (enum who who = CALLER; who < WHO_COUNT; who++) {
		char script[512];
		const char *out;

		need_launcher(who);
		snprintf(script, sizeof(script),
			"%s" CONFINED " -- sh -c '$0 report; $1 vsock tiocsti keyctl first_memory;"
			" cd /proc/self/fd; echo open *' $H $P",
			variables[who]);
		out = harden_out(who, 0, script);
		assert_non_null(strstr(out, "\"no_new_privs\":1,\"seccomp\":{\"mode\":2,"));
		assert_non_null(strstr(out, "\"bounding\":\"0000000000000000\""));
		assert_non_null(strstr(out, "\"core_limit\":0}"));
		assert_string_equal(harden_result(out, "vsock"), "EPERM");
		assert_string_equal(harden_result(out, "tiocsti"), "EPERM");
		assert_string_equal(harden_result(out, "keyctl"), "EPERM");
		assert_string_equal(harden_result(out, "first_memory"), "EACCES");
		assert_non_null(strstr(out, "open 0 1 2 3\n")); /* 3: the shell's own list */
	}
}

/* LAU-12: namespaces are there, and what F3 takes is not. */
static void lau_12_allow_nested(void **state)
{
	char script[512];
	const char *out;

	need_launcher(PLAIN);
	snprintf(script, sizeof(script), "%s" CONFINED " --allow-nested -- $P browser mount umount2",
		variables[PLAIN]);
	out = harden_out(PLAIN, 0, script);
	assert_string_equal(harden_result(out, "browser"), "0");
	assert_string_equal(harden_result(out, "mount"), "EPERM");
	assert_string_equal(harden_result(out, "umount2"), "EPERM");
}

int test_launcher(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_9_work_goes_on),
		cmocka_unit_test(lau_9_layers_are_in_force),
		cmocka_unit_test(lau_12_allow_nested),
	};

	return cmocka_run_group_tests(tests, harden_setup, harden_teardown);
}
