/* Landlock alone, without a sandbox round it, and the attack F3 against each layer. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harden/fixture.h"

/* The same objects in three directories, of mode 0777 and files of mode 0666: `in` is given as
 * writable, `out` is not, `free` is for the control without the layer. */
static const char make_three[] =
	"umask 0; for d in in out free; do mkdir -p $d/dir $d/empty;"
	" for f in a b c d e f g h; do echo text >$d/$f; done; done; ls -ld in/a | grep -q rw-rw-rw-";

static const struct {
	const char *act, *in, *out; /* '@' stands for the directory */
} rows[] = {
	{ "append:@/a", "0", "EACCES" },
	{ "open_write:@/a", "0", "EACCES" },
	{ "open_truncate:@/b", "0", "EACCES" },
	{ "truncate:@/c", "0", "EACCES" },
	{ "create:@/new", "0", "EACCES" },
	{ "mkdir:@/newdir", "0", "EACCES" },
	{ "rmdir:@/empty", "0", "EACCES" },
	{ "unlink:@/d", "0", "EACCES" },
	{ "symlink:@/symlink", "0", "EACCES" },
	{ "fifo:@/fifo", "0", "EACCES" },
	{ "bind:@/socket", "0", "EACCES" },
	{ "tmpfile:@/dir", "0", "EACCES" },
	{ "rename:@/e:@/e2", "0", "EACCES" },
	{ "rename:@/f:@/dir/f", "0", "EACCES" },
	{ "link:@/g:@/g2", "0", "EACCES" },
	{ "whiteout:@/device", "EACCES", "EACCES" },
	{ "read:@/h", "0", "0" },
};

static void put_at(char *out, size_t size, const char *act, const char *dir)
{
	size_t used = 0;

	for (; *act && used + 1 < size; act++) {
		if (*act == '@')
			used += (size_t)snprintf(out + used, size - used, "%s/%s", harden_dir(),
				dir);
		else
			out[used++] = *act;
	}
	out[used] = '\0';
}

enum where { FREE, IN, OUT };
static const char *const dirs[] = { [FREE] = "free", [IN] = "in", [OUT] = "out" };

/* What the row comes to, in a buffer that the next call takes. */
static const char *try_row(size_t row, const char *before, enum where where)
{
	char act[256], script[512];

	put_at(act, sizeof(act), rows[row].act, dirs[where]);
	snprintf(script, sizeof(script), "%s $P %s", before, act);
	return harden_result(harden_out(PLAIN, 0, script), act);
}

static void expect_row(size_t row, enum where where, const char *want)
{
	const char *got = try_row(row, "$H inside $D/in --", where);

	if (strcmp(got, want) != 0)
		fail_msg("%s in %s: %s, not %s", rows[row].act, dirs[where], got, want);
}

/* LAU-9: written is what was given, and what the control shows to be writable. */
static void lau_9_writes_below_the_roots_alone(void **state)
{
	harden_need_layer("landlock");
	harden_out(PLAIN, 0, make_three);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *control = try_row(i, "", FREE);

		if (strcmp(control, "0") != 0) { /* a file system without it */
			print_message("%s: %s without the layer too\n", rows[i].act, control);
			continue;
		}
		expect_row(i, IN, rows[i].in);
		expect_row(i, OUT, rows[i].out);
	}
}

/* Several directories in one word, as the launcher writes it, with a line end behind each. */
static void lau_9_roots_are_lines(void **state)
{
	const char *out;

	harden_need_layer("landlock");
	harden_out(PLAIN, 0, "umask 0; mkdir 'one root' two three");
	out = harden_out(PLAIN, 0,
		"$H inside \"$D/one root\n$D/two\n\" -- $P create:$D/two/x rename:$D/two/x:$D/two/y"
		" create:$D/three/x; $H inside \"$D/one root\n$D/two\n\" -- sh -c"
		" 'mv two/y \"one root/z\" && echo moved >&2'");
	assert_non_null(strstr(out, "/two/x\t0\n"));
	assert_non_null(strstr(out, "/three/x\tEACCES\n"));
	assert_string_equal(harden_err(), "moved\n");
}

/* What programs write besides files. */
static void lau_9_devices_and_streams_stay(void **state)
{
	static const char *const acts[] = { "append:/dev/null", "append:/dev/zero",
		"open_write:/dev/full", "open_write:/dev/urandom", "pty", "oom_score", "core" };
	const char *out;

	harden_need_layer("landlock");
	out = harden_out(PLAIN, 0,
		"mkdir -p in; $H inside $D/in -- $P append:/dev/null append:/dev/zero"
		" open_write:/dev/full open_write:/dev/urandom pty oom_score core");
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		const char *got = harden_result(out, acts[i]);

		if (strcmp(got, "0") != 0)
			fail_msg("%s: %s", acts[i], got);
	}
	harden_out(PLAIN, 0, "f=/tmp/at-harden-$$ s=/dev/shm/at-harden-$$;"
		" $H inside $D/in -- sh -c \"echo >$f && echo >$s && rm $f $s\"");
	/* The caller's log, given as standard error and opened again by name. */
	harden_out(PLAIN, 0, "$H inside $D/in -- sh -c 'echo one >&2; echo two >>/dev/stderr' 2>log"
		" && grep -q two log");
	out = harden_out(PLAIN, 0, "$H inside $D/in -- $P append:$D/log 2>log2");
	assert_non_null(strstr(out, "EACCES"));
	harden_out(PLAIN, 0, "$H inside $D/in -- sh -c 'echo x >/dev/stdout | cat; exec 3<>fifo'"
		" 2>&1 || test ! -e fifo");
}

/* F2: root, whose own the machine's files in /proc are, writes in its own directory there. */
static void lau_10_proc_sys_of_root(void **state)
{
	const char *out;

	harden_need_layer("landlock");
	if (geteuid() != 0)
		skip_because("not root: /proc/sys is not this user's");
	out = harden_out(CALLER, 0, "$P open_write:/proc/sys/vm/overcommit_memory");
	if (!strstr(out, "\t0\n"))
		skip_because("/proc/sys cannot be written here by root either");
	out = harden_out(CALLER, 0, "mkdir -p in; $H inside $D/in -- $P "
		"open_write:/proc/sys/vm/overcommit_memory; "
		"$H inside $D/in -- sh -c 'echo 1000 >/proc/$$/oom_score_adj && echo own'");
	assert_non_null(strstr(out, "\tEACCES\n"));
	assert_non_null(strstr(out, "own\n"));
}

/* ABI 6: nobody outside is signalled, or reached by a name that no mount holds. */
static void lau_9_scopes(void **state)
{
	const char *out;

	harden_need_layer("landlock");
	if (!strstr(harden_out(CALLER, 0, "$H layers --json"),
			"\"granted\":[\"abstract_unix_socket\",\"signal\"]"))
		skip_because("Landlock is older than ABI 6 here");
	out = harden_out(PLAIN, 0, "mkdir -p in; sleep 9 & $P signal:$!; "
		"$H inside $D/in -- $P signal:$! | sed s/signal/inside/; kill $!; "
		"$H inside $D/in -- sh -c 'sleep 9 & kill $!' && echo own");
	assert_non_null(strstr(out, "\t0\ninside"));
	assert_non_null(strstr(out, "\tEPERM\nown\n"));
	out = harden_out(PLAIN, 0, "n=at-harden-$$; $P hold_abstract:$n >held & "
		"until $P connect_abstract:$n | grep -w 0; do sleep .05; done; "
		"$H inside $D/in -- $P connect_abstract:$n");
	assert_non_null(strstr(out, "\tEPERM\n"));
}

static void lau_9_report_of_inside(void **state)
{
	harden_need_layer("landlock");
	harden_out(PLAIN, 0, "mkdir -p in; $H inside $D/in -- true");
	assert_string_equal(harden_err(), "");
	harden_out(PLAIN, 0, "$H inside --report $D/in -- true");
	assert_non_null(strstr(harden_err(), "landlock: ABI "));
	assert_non_null(strstr(harden_err(), "rights held: execute write_file"));
}

static int number_in(const char *json, const char *name)
{
	const char *at = strstr(json, name);

	if (!at)
		fail_msg("no %s in %s", name, json);
	return atoi(at + strlen(name));
}

/* What `report` says is what the kernel says, without the layers and with them. */
static void lau_9_report(void **state)
{
	const char *out;
	int filters, depth;

	harden_need_bwrap(PLAIN);
	harden_need_layer("seccomp");
	harden_need_layer("landlock");
	out = harden_out(PLAIN, 0, "mkdir -p in; $H report");
	filters = number_in(out, "\"filters\":");
	depth = number_in(out, "\"depth\":");
	out = harden_out(PLAIN, 0, "$H start -- $V --seccomp 8 $H inside $D/in -- $H report");
	assert_int_equal(number_in(out, "\"filters\":"), filters + 1);
	assert_int_equal(number_in(out, "\"depth\":"), depth + 1);
	assert_int_equal(number_in(out, "\"mode\":"), 2);
	assert_int_equal(number_in(out, "\"no_new_privs\":"), 1);
	assert_int_equal(number_in(out, "\"core_limit\":"), 0);
	assert_non_null(strstr(out, "\"effective\":\"0000000000000000\""));
	harden_out(PLAIN, 0, "test \"$($H report | sed 's/.*\"mnt\":\\([0-9]*\\).*/\\1/')\" = "
		"\"$(stat -L -c %i /proc/self/ns/mnt)\"");
}

/* F13: the first process of the sandbox is outside Landlock's domain and cannot be written. */
static void lau_9_first_process_is_out_of_reach(void **state)
{
	const char *out;

	harden_need_bwrap(PLAIN);
	harden_need_layer("landlock");
	out = harden_out(PLAIN, 0, "mkdir -p in; $V $P first_memory");
	assert_string_equal(harden_result(out, "first_memory"), "0");
	out = harden_out(PLAIN, 0, "$V $H inside $D/in -- $P first_memory");
	assert_string_equal(harden_result(out, "first_memory"), "EACCES");
}

/* F3: the attack moves a protected directory in plain bwrap, and each layer alone stops it. */
static void lau_9_detached_tree(void **state)
{
	static const struct {
		const char *layer, *before, *after, *result, *step;
	} list[] = {
		{ "", "", "", "0", "" },
		{ "seccomp", "$H start --", "--seccomp 8", "EPERM", "unshare\n" },
		{ "seccomp", "$H start --nested --", "--seccomp 8", "EPERM", "mount\n" },
		{ "landlock", "", "$H inside $W --", "EPERM", "mount\n" },
	};

	harden_need_bwrap(PLAIN);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		char script[512], act[128], dir[32];
		const char *out;

		harden_need_layer(list[i].layer);
		snprintf(dir, sizeof(dir), "work%zu", i);
		snprintf(act, sizeof(act), "attack:%s/%s", harden_dir(), dir);
		snprintf(script, sizeof(script),
			"W=$D/%s; mkdir -p $W/.claude; %s $V --tmpfs /tmp --bind $W $W "
			"--ro-bind $W/.claude $W/.claude %s $P %s",
			dir, list[i].before, list[i].after, act);
		out = harden_out(PLAIN, 0, script);
		if (strcmp(harden_result(out, act), list[i].result) != 0)
			fail_msg("row %zu: %s%s", i, out, harden_err());
		assert_string_equal(harden_err(), list[i].step);
		snprintf(script, sizeof(script), "%s/moved", dir);
		assert_row(i, test_exists(harden_dir(), script) == (i == 0));
	}
}

int test_landlock(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_9_writes_below_the_roots_alone),
		cmocka_unit_test(lau_9_roots_are_lines),
		cmocka_unit_test(lau_9_devices_and_streams_stay),
		cmocka_unit_test(lau_10_proc_sys_of_root),
		cmocka_unit_test(lau_9_scopes),
		cmocka_unit_test(lau_9_report_of_inside),
		cmocka_unit_test(lau_9_report),
		cmocka_unit_test(lau_9_first_process_is_out_of_reach),
		cmocka_unit_test(lau_9_detached_tree),
	};

	return cmocka_run_group_tests(tests, harden_setup, harden_teardown);
}
