#include "harden/fixture.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/support.h"

static char dir[64];
static struct at_child_end last;

const char *harden_dir(void)
{
	return dir;
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	if (!value)
		fail_msg("%s is not set: run through meson test", name);
	return value;
}

static void copy(const char *from, const char *name)
{
	struct at_buf bytes = test_read("", from);

	test_write_bytes(dir, name, at_buf_text(&bytes), bytes.len);
	at_buf_free(&bytes);
	assert_int_equal(chmod(test_path(dir, name), 0755), 0);
}

int harden_setup(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/var/tmp/at-harden-XXXXXX");
	if (!mkdtemp(dir) || chmod(dir, 0777) < 0)
		return -1;
	/* A plain user may not be let in to where they were built. */
	copy(variable("AT_HARDEN"), "agentteams-harden");
	copy(variable("AT_HARDEN_PROBE"), "probe");
	copy(test_path(variable("AT_TEST_SOURCE"), "emit/assets/confine-run.sh"),
		"confine-run.sh");
	return 0;
}

int harden_teardown(void **state)
{
	(void)state;
	at_child_end_free(&last);
	memset(&last, 0, sizeof(last));
	test_tree_remove(at_strdup(dir));
	return 0;
}

struct at_child_end harden_sh(enum who who, const char *script)
{
	static const char bwrap[] = "V=bwrap --ro-bind / / --dev /dev --proc /proc --unshare-pid "
				    "--unshare-user";
	char helper[128], probe[128], own[128], launcher[128];
	const char *env[] = { "PATH=/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/nowhere",
		/* ptrace is refused, by which a leak would be looked for */
		"ASAN_OPTIONS=detect_leaks=0", bwrap, helper, probe, own, launcher, NULL };
	const char *argv[] = { "/usr/bin/setpriv", "--reuid=4243", "--regid=4243",
		"--clear-groups", "/bin/sh", "-c", script, NULL };
	struct at_child_call call = {
		.argv = who == PLAIN && geteuid() == 0 ? argv : argv + 4,
		.env = env,
		.cwd = dir,
		.timeout_ms = 60000,
		.cap = 1 << 20,
	};
	struct at_child_end end;
	struct at_error err;

	snprintf(helper, sizeof(helper), "H=%s/agentteams-harden", dir);
	snprintf(probe, sizeof(probe), "P=%s/probe", dir);
	snprintf(own, sizeof(own), "D=%s", dir);
	snprintf(launcher, sizeof(launcher), "L=%s/confine-run.sh", dir);
	if (!at_child_run(&end, &call, &err))
		fail_msg("%s", err.message);
	if (end.timed_out)
		fail_msg("took too long: %s", script);
	return end;
}

const char *harden_out(enum who who, int status, const char *script)
{
	at_child_end_free(&last);
	last = harden_sh(who, script);
	if (last.status != status)
		fail_msg("status %d, not %d, of\n%s\n%s%s", last.status, status, script,
			at_buf_text(&last.out), at_buf_text(&last.err));
	return at_buf_text(&last.out);
}

const char *harden_err(void)
{
	return at_buf_text(&last.err);
}

const char *harden_result(const char *out, const char *act)
{
	static char result[32];
	size_t len = strlen(act);

	for (const char *line = out; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, act, len) == 0 && line[len] == '\t') {
			line += len + 1;
			snprintf(result, sizeof(result), "%.*s", (int)strcspn(line, "\n"), line);
			return result;
		}
	}
	fail_msg("no result of %s in\n%s", act, out);
	return NULL;
}

void harden_need_bwrap(enum who who)
{
	struct at_child_end end = harden_sh(who, "$V true");
	bool is_there = end.status == 0;
	char why[200];

	snprintf(why, sizeof(why), "%.*s", (int)strcspn(at_buf_text(&end.err), "\n"),
		at_buf_text(&end.err));
	at_child_end_free(&end);
	if (!is_there)
		skip_because("bwrap makes no sandbox here: %s", why);
}

void harden_need_layer(const char *name)
{
	struct at_child_end end = harden_sh(CALLER, "$H layers");
	bool is_there = strstr(at_buf_text(&end.out), name);

	at_child_end_free(&end);
	if (!is_there)
		skip_because("this kernel does not give %s", name);
}
