#include "runner/selftest/fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/path.h"
#include "runner/selftest/probe.h"

#define NAME_OF "atconsole-selftest-" /* of which process: what is left tells */
#define NAME "/" NAME_OF "%ld-XXXXXX"
#define LEFT_S 900 /* thrice the longest run */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)at;
	if (kind == FTW_DNR && chmod(path, 0700) != 0)
		return 0;
	remove(path);
	return 0;
}

/* What a case left without permissions must not stay behind. */
static int open_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)at;
	if ((kind == FTW_D || kind == FTW_DNR) && (st->st_mode & 0700) != 0700)
		chmod(path, 0700);
	return 0;
}

static void remove_below(const char *path)
{
	nftw(path, open_one, 16, FTW_PHYS | FTW_MOUNT);
	nftw(path, remove_one, 16, FTW_PHYS | FTW_MOUNT | FTW_DEPTH);
}

/* Root walks no tree of another's: its owner could put a link in the way. */
void at_remove_tree(const char *path)
{
	struct stat st;
	pid_t child;

	if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return;
	if (geteuid() != 0 || st.st_uid == 0) {
		remove_below(path);
		return;
	}
	child = fork();
	if (child == 0) {
		if (setgroups(0, NULL) == 0 && setresgid(st.st_gid, st.st_gid, st.st_gid) == 0
			&& setresuid(st.st_uid, st.st_uid, st.st_uid) == 0)
			remove_below(path);
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	rmdir(path); /* where only root may take a name away */
}

/* Of a run that was killed: its process is gone, and nothing has moved in it for long. */
static bool is_left(const char *place, const char *name, uid_t caller)
{
	char path[PATH_MAX];
	struct stat st;
	long pid;

	if (sscanf(name, NAME_OF "%ld-", &pid) != 1)
		return false;
	snprintf(path, sizeof(path), "/proc/%ld", pid);
	if (access(path, F_OK) == 0)
		return false;
	snprintf(path, sizeof(path), "%s/%s", place, name);
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode)
		&& (st.st_uid == caller || st.st_uid == geteuid()) && st.st_mtime < time(NULL) - LEFT_S;
}

static void sweep(const char *place, uid_t caller)
{
	DIR *dir = opendir(place);
	struct dirent *entry;
	char path[PATH_MAX];

	while (dir && (entry = readdir(dir)) != NULL) {
		if (!is_left(place, entry->d_name, caller))
			continue;
		snprintf(path, sizeof(path), "%s/%s", place, entry->d_name);
		at_remove_tree(path);
	}
	if (dir)
		closedir(dir);
}

/* A new directory of the caller's. */
static bool make_one(char out[AT_GROUND_PATH], const char *parent, uid_t caller)
{
	if (snprintf(out, AT_GROUND_PATH, "%s" NAME, parent, (long)getpid()) >= AT_GROUND_PATH - 16
		|| !mkdtemp(out)) {
		out[0] = '\0';
		return false;
	}
	if (caller == geteuid() || chown(out, caller, (gid_t)-1) == 0)
		return true;
	rmdir(out);
	out[0] = '\0';
	return false;
}

/* Inside, /tmp, /run and /dev are fresh: what is tried there proves nothing about writes. And
 * programs must be able to run there, also for a caller who is not its owner. */
static bool is_fit(char out[PATH_MAX], const char *place, uid_t caller)
{
	static const char *const fresh[] = { "/tmp", "/run", "/dev", "/proc", "/sys" };
	struct statvfs fs;
	struct stat st;

	if (!place || *place != '/' || !at_path_physical(out, place) || stat(out, &st) != 0
		|| statvfs(out, &fs) != 0 || (fs.f_flag & (ST_NOEXEC | ST_RDONLY)))
		return false;
	for (size_t i = 0; i < AT_LEN(fresh); i++)
		if (at_path_is_inside(out, fresh[i]))
			return false;
	/* Another caller has to get there. */
	return caller == geteuid() || strcmp(place, "/var/tmp") == 0;
}

static void make_run(struct at_ground *g, uid_t caller)
{
	char place[64];

	snprintf(place, sizeof(place), "/run/user/%lu", (unsigned long)caller);
	if (geteuid() == 0 && make_one(g->run, "/run", caller))
		return;
	if (geteuid() == caller && make_one(g->run, place, caller))
		return;
	g->no_run = "this caller can make no socket below /run";
}

bool at_ground_make(struct at_ground *out, uid_t caller, const char *cache_home, const char *home,
	struct at_error *err)
{
	char place[PATH_MAX], in_home[PATH_MAX];

	*out = (struct at_ground){ .no_run = NULL };
	sweep("/var/tmp", caller);
	sweep("/tmp", caller);
	sweep("/run", caller);
	snprintf(in_home, sizeof(in_home), "%s/.cache", home ? home : "");
	if (!(is_fit(place, "/var/tmp", caller) && make_one(out->base, place, caller))
		&& !(is_fit(place, cache_home, caller) && make_one(out->base, place, caller))
		&& !(is_fit(place, in_home, caller) && make_one(out->base, place, caller))) {
		at_fail(err, AT_EIO, "there is no directory for the fixtures of the self-test");
		at_error_hint(err,
			"/var/tmp, XDG_CACHE_HOME or ~/.cache must be writable, on a file system "
			"that may run programs.");
		return false;
	}
	make_one(out->tmp, "/tmp", caller);
	if (geteuid() == 0)
		make_one(out->again, place, caller);
	make_run(out, caller);
	return true;
}

void at_ground_remove(const struct at_ground *ground)
{
	const char *const dirs[] = { ground->base, ground->again, ground->tmp, ground->run };

	for (size_t i = 0; i < AT_LEN(dirs); i++)
		if (*dirs[i])
			at_remove_tree(dirs[i]);
}

void at_ground_mount_alias(struct at_ground *g)
{
	g->alias[0] = '\0';
	if (*g->again && unshare(CLONE_NEWNS) == 0
		&& mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
		&& mount(g->base, g->again, NULL, MS_BIND, NULL) == 0)
		snprintf(g->alias, sizeof(g->alias), "%s", g->again);
}

static void init(struct at_fixture *f, const struct at_ground *ground, const char *name)
{
	*f = (struct at_fixture){ .arena = at_arena_new(),
		.ground = ground,
		.tcp4 = -1,
		.tcp6 = -1,
		.udp = -1,
		.listeners = { -1, -1, -1, -1 },
		.keep = { -1 },
		.master = -1,
		.shm_id = -1 };
	snprintf(f->top, sizeof(f->top), "%s/%s", ground->base, name);
	snprintf(f->scratch, sizeof(f->scratch), "%s/project", f->top);
	snprintf(f->home, sizeof(f->home), "%s/home", f->top);
	snprintf(f->sibling, sizeof(f->sibling), "%s/sibling", f->top);
	snprintf(f->outside, sizeof(f->outside), "%s/outside", f->top);
	snprintf(f->facts, sizeof(f->facts), "%s/project/at-facts", f->top);
	if (*ground->alias)
		snprintf(f->alias, sizeof(f->alias), "%s/%s/home/.ssh", ground->alias, name);
}

bool at_fixture_make(struct at_fixture *out, const struct at_ground *ground, const char *name,
	struct at_bytes probe, const char *search_path, struct at_error *err)
{
	mode_t mask = umask(0);
	char path[AT_FIXTURE_PATH + 32];
	bool ok;

	init(out, ground, name);
	at_fixture_add_env(out, "PATH", search_path);
	at_fixture_add_env(out, "HOME", out->home);
	at_fixture_add_env(out, "LANG", "C.UTF-8");
	at_fixture_add_env(out, "USER", "selftest");
	snprintf(path, sizeof(path), "%s/agentteams-probe", out->scratch);
	ok = at_fixture_make_tree(out, err) && at_fixture_write(path, probe, 0755, err);
	if (ok)
		at_fixture_start(out);
	ok = ok && at_fixture_write_facts(out, "", err);
	umask(mask);
	if (!ok)
		at_fixture_remove(out);
	return ok;
}

void at_fixture_remove(struct at_fixture *f)
{
	if (!f->arena)
		return;
	at_fixture_stop(f);
	at_remove_tree(f->top);
	explicit_bzero(f->secrets, sizeof(f->secrets));
	free(f->env);
	at_arena_free(f->arena);
	f->arena = NULL;
}

static void put(struct at_buf *out, const char *name, const char *value)
{
	at_buf_printf(out, "%s\t%s\n", name, value);
}

static void put_number(struct at_buf *out, const char *name, long long value)
{
	at_buf_printf(out, "%s\t", name);
	if (value > 0)
		at_buf_printf(out, "%lld", value);
	at_buf_putc(out, '\n');
}

static bool is_kept(const struct at_fixture *f, int fd)
{
	for (size_t i = 0; f->keep[i] >= 0; i++)
		if (f->keep[i] == fd)
			return true;
	return false;
}

static void put_device(struct at_buf *out, const char *name, const char *path)
{
	struct stat st;

	put_number(out, name, stat(path, &st) == 0 ? (long long)st.st_dev : 0);
}

bool at_fixture_write_facts(struct at_fixture *f, const char *more, struct at_error *err)
{
	static const struct {
		const char *name;
		int fd;
	} fds[] = { { AT_FACT_OPEN_FILE, AT_OPEN_FILE }, { AT_FACT_OPEN_DIR, AT_OPEN_DIR },
		{ AT_FACT_OPEN_SOCKET, AT_OPEN_SOCKET }, { AT_FACT_OPEN_MEMFD, AT_OPEN_MEMFD } };
	char link[AT_FIXTURE_PATH + 16];
	struct at_buf text = { 0 };
	bool ok;

	snprintf(link, sizeof(link), "%s/l3-link", f->scratch);
	put(&text, AT_FACT_SCRATCH, f->scratch);
	put(&text, AT_FACT_HOME, f->home);
	put(&text, AT_FACT_SIBLING, f->sibling);
	put(&text, AT_FACT_OUTSIDE, f->outside);
	put_number(&text, AT_FACT_VICTIM_PID, f->victim);
	put_number(&text, AT_FACT_TCP4_PORT, f->tcp4_port);
	put_number(&text, AT_FACT_TCP6_PORT, f->tcp6_port);
	put_number(&text, AT_FACT_UDP_PORT, f->udp_port);
	put(&text, AT_FACT_UNIX_RUN, f->unix_run);
	put(&text, AT_FACT_UNIX_TMP, f->unix_tmp);
	put(&text, AT_FACT_UNIX_HOME, f->unix_home);
	put(&text, AT_FACT_UNIX_ABSTRACT, f->unix_abstract);
	for (size_t i = 0; i < AT_LEN(fds); i++)
		put_number(&text, fds[i].name, is_kept(f, fds[i].fd) ? fds[i].fd : 0);
	put(&text, AT_FACT_SESSION_KEY, f->session_key);
	put(&text, AT_FACT_USER_KEY, f->user_key);
	put(&text, AT_FACT_HARD_LINK, link);
	put(&text, AT_FACT_ALIAS, f->alias);
	put(&text, AT_FACT_PTY, f->terminal ? "1" : "");
	put_number(&text, AT_FACT_SYSV_KEY, f->shm_key);
	put(&text, AT_FACT_SHM_NAME, f->shm_name);
	put_device(&text, AT_FACT_TMP_DEV, "/tmp");
	put_device(&text, AT_FACT_SHM_DEV, "/dev/shm");
	at_buf_puts(&text, more);
	ok = at_fixture_write(f->facts, at_buf_bytes(&text), 0644, err);
	at_buf_free(&text);
	return ok;
}
