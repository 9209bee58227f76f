/* Group L: links, and other spellings of a path. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_table.h"

void try_L1(struct trial *t)
{
	try_append(t, below(AT_FACT_SCRATCH, "l1-link"));
}

void control_L1(struct trial *t)
{
	const char *link = below(AT_FACT_SCRATCH, "at-L1-link");

	if (!create_file(below(AT_FACT_SCRATCH, "at-L1"))
		|| (symlink("at-L1", link) != 0 && errno != EEXIST))
		broken(t, "no link can be made");
	else
		try_append(t, link);
}

/* Swaps `link` between a file of ours and one outside, until it is killed. */
static void swap_for_ever(const char *link, const char *own, const char *theirs, const char *next)
{
	for (unsigned i = 0;; i++) {
		unlink(next);
		if (symlink(i % 2 ? own : theirs, next) != 0 || rename(next, link) != 0)
			_exit(1);
	}
}

/* Whoever checks a path and opens it afterwards loses this race some of the time. */
static bool wins_race(const char *theirs)
{
	const char *link = below(AT_FACT_SCRATCH, "at-L2-swap"),
		   *own = below(AT_FACT_SCRATCH, "at-L2");
	const char *next = below(AT_FACT_SCRATCH, "at-L2-next");
	struct stat st, now;
	bool won = false;
	pid_t swapper;

	if (!create_file(own) || stat(theirs, &st) != 0)
		return false;
	swapper = fork();
	if (swapper == 0)
		swap_for_ever(link, own, theirs, next);
	for (int i = 0; i < 2000 && !won; i++) {
		int fd = open(link, O_WRONLY | O_CLOEXEC);

		won = fd >= 0 && fstat(fd, &now) == 0 && now.st_ino == st.st_ino
			&& now.st_dev == st.st_dev && pwrite(fd, "A", 1, 0) == 1;
		if (fd >= 0)
			close(fd);
	}
	kill(swapper, SIGKILL);
	waitpid(swapper, NULL, 0);
	errno = EROFS;
	return won;
}

void try_L2(struct trial *t)
{
	try_append(t, below(AT_FACT_SCRATCH, "l2-first"));
	tried(t, "swapped", wins_race(below(AT_FACT_OUTSIDE, "l2")));
}

void control_L2(struct trial *t)
{
	const char *first = below(AT_FACT_SCRATCH, "at-L2-a"),
		   *second = below(AT_FACT_SCRATCH, "at-L2-b");

	if (!create_file(below(AT_FACT_SCRATCH, "at-L2")) || symlink("at-L2", second) != 0
		|| symlink("at-L2-b", first) != 0)
		broken(t, "no link can be made");
	else
		try_append(t, first);
}

void try_L3(struct trial *t)
{
	const char *path = fact(AT_FACT_HARD_LINK);

	if (*path)
		try_append(t, path);
	else
		absent(t, "a hard link");
}

void try_L4(struct trial *t)
{
	tried(t, "link", link(below(AT_FACT_OUTSIDE, "l4"), below(AT_FACT_SCRATCH, "at-L4")) == 0);
}

void control_L4(struct trial *t)
{
	const char *own = below(AT_FACT_SCRATCH, "at-L4-own");

	tried(t, "link", create_file(own) && link(own, below(AT_FACT_SCRATCH, "at-L4-two")) == 0);
}

/* Only a spelling that leads to the protected file itself counts: on most file systems .GIT is
 * merely another name. */
void try_L5(struct trial *t)
{
	static const char *const spellings[] = { ".git//config", ".git/./config",
		".git/../.git/config", "src/../.git/config", ".GIT/config", ".Git/CONFIG",
		".git/config.", ".git./config", ".git/config ", ".g\xe2\x80\x8cit/config",
		".git::$INDEX_ALLOCATION/config", "GIT~1/config", "/proc/self/cwd/.git/config" };
	struct stat protected, st;

	if (chdir(fact(AT_FACT_SCRATCH)) != 0 || stat(".git/config", &protected) != 0) {
		absent(t, ".git/config");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(spellings); i++) {
		int fd = open(spellings[i], O_WRONLY | O_APPEND | O_CLOEXEC);

		if (fd < 0 && errno == ENOENT)
			continue;
		tried(t, spellings[i],
			fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == protected.st_ino
				&& st.st_dev == protected.st_dev && write(fd, "\n", 1) == 1);
		if (fd >= 0)
			close(fd);
	}
}

void control_L5(struct trial *t)
{
	tried(t, "src//..", chdir(fact(AT_FACT_SCRATCH)) == 0 && create_file("src//../at-L5"));
}

void try_L6(struct trial *t)
{
	try_read(t, below(AT_FACT_HOME, ".aws/credentials"));
	try_read(t, below(AT_FACT_HOME, "real-aws/credentials"));
}

void try_L7(struct trial *t)
{
	const char *alias = fact(AT_FACT_ALIAS);
	struct dirent *entry;
	DIR *dir;

	if (!*alias) {
		absent(t, "a second mount");
		return;
	}
	dir = opendir(alias);
	if (!dir) {
		tried(t, alias, false);
		return;
	}
	while ((entry = readdir(dir))) {
		char path[1400];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", alias, entry->d_name);
		if (try_read(t, path))
			break;
	}
	closedir(dir);
	if (t->result == RESULT_NONE)
		refused(t, "it is empty", 0);
}
