#include "launcher/ground.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/support.h"

#define USER "65534"
#define CAP ((size_t)1 << 20)

/* The program that becomes another user, in front of every command; none for one already. */
static const char *const drop[] = { "/usr/bin/setpriv", "--reuid=" USER, "--regid=" USER,
	"--clear-groups", NULL };

static struct at_child_end run(const struct ground *ground, bool as_user, const char *format,
	va_list ap)
{
	char *text = NULL, home[600];
	const char *argv[16], *env[] = { home, "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8",
		NULL };
	struct at_child_end end = { 0 };
	struct at_error err;
	size_t n = 0;

	if (vasprintf(&text, format, ap) < 0)
		fail_msg("out of memory");
	snprintf(home, sizeof(home), "HOME=%s/home", ground->path);
	for (size_t i = 0; as_user && geteuid() == 0 && drop[i]; i++)
		argv[n++] = drop[i];
	argv[n++] = "/bin/sh";
	argv[n++] = "-c";
	argv[n++] = text;
	argv[n] = NULL;
	if (!at_child_run(&end,
		    &(struct at_child_call){ .argv = argv, .env = env, .cwd = ground->path,
			    .timeout_ms = 60000, .cap = CAP },
		    &err))
		fail_msg("cannot start: %s", err.message);
	if (end.timed_out)
		fail_msg("hangs: %s", text);
	free(text);
	return end;
}

struct at_child_end ground_sh(const struct ground *ground, const char *format, ...)
{
	struct at_child_end end;
	va_list ap;

	va_start(ap, format);
	end = run(ground, true, format, ap);
	va_end(ap);
	return end;
}

struct at_child_end ground_sh_as_caller(const struct ground *ground, const char *format, ...)
{
	struct at_child_end end;
	va_list ap;

	va_start(ap, format);
	end = run(ground, false, format, ap);
	va_end(ap);
	return end;
}

void ground_must(const struct ground *ground, const char *format, ...)
{
	struct at_child_end end;
	va_list ap;

	va_start(ap, format);
	end = run(ground, true, format, ap);
	va_end(ap);
	if (end.status)
		fail_msg("`%s` ended with %d: %s", format, end.status, at_buf_text(&end.err));
	at_child_end_free(&end);
}

static void copy_launcher(const struct ground *ground)
{
	const char *source = getenv("AT_TEST_SOURCE");
	struct at_buf text = test_read(source ? source : ".", "emit/assets/confine-run.sh");

	test_write_bytes(ground->path, "cr.sh", text.data, text.len);
	at_buf_free(&text);
}

void ground_begin(struct ground *ground)
{
	char pattern[] = "/var/tmp/at-launcher-XXXXXX";
	uid_t user = geteuid() == 0 ? (uid_t)atoi(USER) : geteuid();

	if (!mkdtemp(pattern))
		fail_msg("no directory below /var/tmp");
	ground->path = at_strdup(pattern);
	copy_launcher(ground);
	if (chmod(ground->path, 0755) != 0 || chown(ground->path, user, (gid_t)-1) != 0)
		fail_msg("cannot give the ground away");
	ground_must(ground, "umask 022; mkdir home s");
}

void ground_end(struct ground *ground)
{
	test_tree_remove(ground->path);
}

struct at_buf ground_listing(const struct ground *ground)
{
	struct at_child_end end = ground_sh_as_caller(
		ground, "find . -printf '%%p %%y %%m %%s %%T@ %%n %%l\\n' | LC_ALL=C sort");

	at_buf_free(&end.err);
	return end.out;
}

const char *ground_why_no_sandbox(const struct ground *ground)
{
	static char why[300];
	static bool is_asked;
	struct at_child_end end;

	if (is_asked)
		return *why ? why : NULL;
	is_asked = true;
	end = ground_sh(ground, "bwrap --ro-bind / / --unshare-user --unshare-net --disable-userns true");
	if (end.status)
		snprintf(why, sizeof(why), "no sandbox can be had here: %.200s", at_buf_text(&end.err));
	at_child_end_free(&end);
	return *why ? why : NULL;
}
