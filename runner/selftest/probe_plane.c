/* Group CP: the files that decide what an agent may do. A case that succeeds puts back what it
 * changed, so that the next one meets the same tree. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_table.h"

/* What every wrap keeps read-only, as the fixtures have it. */
static const char *const control_files[] = {
	".claude/agents/references/build-log.json",
	".claude/agents/references/agent-privilege.json",
	".claude/agents/references/authorized-verify-keys",
	".claude/agents/references/security-approvers.txt",
	".claude/agents/references/authorized-managers.txt",
	".claude/agents/references/management-authority.json",
	".claude/hooks/constitutional-gate.sh",
	".claude/hooks/constitutional-gate.py",
	".claude/settings.hooks.example.json",
	".codex/config.toml",
	".codex/hooks.json",
	".codex/confined-run.example.sh",
	".goose/confined-run.example.sh",
	".goose/sandbox.sb",
	"references/security-approvers.txt",
	"sandbox/confine-run.sh",
	".agentteams/gate.sha256",
	".git/config",
	".git/info/exclude",
};

static bool enter_workspace(struct trial *t)
{
	if (chdir(fact(AT_FACT_SCRATCH)) == 0)
		return true;
	broken(t, "the workspace cannot be entered");
	return false;
}

/* The inside control of most: the same, next to it. */
static void create_here(struct trial *t, const char *name)
{
	if (enter_workspace(t))
		try_create(t, name);
}

/* Creates a name that is not there and takes it away again. */
static bool try_new(struct trial *t, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);

	tried(t, path, fd >= 0 && write_and_close(fd));
	if (fd >= 0)
		unlink(path);
	return fd >= 0;
}

/* Removes a file and makes it anew; the bytes are those it had. */
static bool try_anew(struct trial *t, const char *path)
{
	char bytes[4096];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

	if (n < 0 || fstat(fd, &st) != 0) {
		absent(t, path);
		return false;
	}
	close(fd);
	if (!tried(t, path, unlink(path) == 0))
		return false;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 0777);
	if (fd < 0 || write(fd, bytes, (size_t)n) != n)
		broken(t, "removed, and not made anew");
	if (fd >= 0)
		close(fd);
	return true;
}

void try_CP1(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	for (size_t i = 0; i < ARRAY_LEN(control_files); i++)
		try_append(t, control_files[i]);
}

void control_CP1(struct trial *t)
{
	create_here(t, "at-CP1");
}

void try_CP2(struct trial *t)
{
	static const char *const names[] = { ".mcp.json", ".envrc", ".claude/settings.local.json",
		".git/commondir", ".git/config.worktree", ".vscode/settings.json",
		"AGENTS.override.md" };

	if (!enter_workspace(t))
		return;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		try_new(t, names[i]);
}

void control_CP2(struct trial *t)
{
	create_here(t, "at-CP2");
}

void try_CP3(struct trial *t)
{
	static const char *const above[] = { ".claude/agents/references", ".claude/agents",
		".claude/hooks", ".claude", ".codex", ".goose", "references", "sandbox",
		".agentteams", ".git/hooks", ".git/info", ".git" };
	char moved[1100];

	if (!enter_workspace(t))
		return;
	for (size_t i = 0; i < ARRAY_LEN(control_files); i++)
		try_rename(t, control_files[i], "at-CP3");
	for (size_t i = 0; i < ARRAY_LEN(above); i++)
		try_rename(t, above[i], "at-CP3");
	snprintf(moved, sizeof(moved), "%s-at-CP3", fact(AT_FACT_SCRATCH));
	try_rename(t, fact(AT_FACT_SCRATCH), moved);
}

void control_CP3(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	if (mkdir("at-CP3-own", 0755) != 0)
		broken(t, "no directory can be made");
	else
		try_rename(t, "at-CP3-own", "at-CP3-moved");
}

static void exchange(struct trial *t, const char *one, const char *other)
{
	bool ok = renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0;

	tried(t, one, ok);
	if (ok && renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) != 0)
		broken(t, "exchanged, and not back");
}

void try_CP4(struct trial *t)
{
	static const char *const above[] = { ".claude", ".claude/agents", ".git", ".git/hooks",
		".codex", ".goose", "sandbox", ".agentteams", "references" };

	if (!enter_workspace(t))
		return;
	mkdir("at-CP4", 0755);
	for (size_t i = 0; i < ARRAY_LEN(above); i++)
		exchange(t, above[i], "at-CP4");
}

void control_CP4(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	if (mkdir("at-CP4-a", 0755) != 0 || mkdir("at-CP4-b", 0755) != 0)
		broken(t, "no directory can be made");
	else
		exchange(t, "at-CP4-a", "at-CP4-b");
}

void try_CP5(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	for (size_t i = 0; i < ARRAY_LEN(control_files); i++)
		try_anew(t, control_files[i]);
}

void control_CP5(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	create_file("at-CP5");
	try_anew(t, "at-CP5");
}

/* F3: what is bound over a directory stands in the way of a rename only where it is mounted. In a
 * mount namespace of its own, detached from everything, nothing is, and a descriptor that was
 * opened before still leads to the host's directory. */
static bool detach_and_rename(void *name)
{
	int dir = open(fact(AT_FACT_SCRATCH), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool planted;

	if (dir < 0 || !enter_user_namespace(CLONE_NEWNS)
		|| mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
		|| mount("tmpfs", "/tmp", "tmpfs", 0, NULL) != 0 || mkdir("/tmp/old", 0755) != 0
		|| syscall(SYS_pivot_root, "/tmp", "/tmp/old") != 0 || chdir("/") != 0
		|| umount2("/old", MNT_DETACH) != 0 || renameat(dir, name, dir, "at-CP6") != 0)
		return false;
	planted = mkdirat(dir, name, 0755) == 0;
	unlinkat(dir, name, AT_REMOVEDIR);
	return renameat(dir, "at-CP6", dir, name) == 0 && planted;
}

void try_CP6(struct trial *t)
{
	char team[] = ".claude", git[] = ".git";

	tried(t, team, in_child(detach_and_rename, team));
	tried(t, git, in_child(detach_and_rename, git));
}

static void replace_empty(struct trial *t, const char *dir)
{
	bool ok = rmdir(dir) == 0;

	if (!tried(t, dir, ok && symlink("src", dir) == 0))
		return;
	unlink(dir);
	mkdir(dir, 0755);
}

void try_CP7(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	replace_empty(t, ".git/hooks");
	replace_empty(t, ".git/modules/sub/hooks");
}

void control_CP7(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	mkdir("at-CP7", 0755);
	replace_empty(t, "at-CP7");
}

void try_CP8(struct trial *t)
{
	static const char mark[] = ".claude/agents/references/build-log.json";

	if (!enter_workspace(t))
		return;
	try_anew(t, mark);
	try_rename(t, mark, "at-CP8");
	if (tried(t, "truncate", truncate(mark, 0) == 0))
		put_text(mark, "{}\n");
}

void control_CP8(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	create_file("at-CP8-own");
	tried(t, "unlink", unlink("at-CP8-own") == 0);
}

/* As git does it: a new file beside it takes its name. */
static bool replace_config(void)
{
	char bytes[4096];
	int in = open(".git/config", O_RDONLY | O_CLOEXEC);
	int out = open(".git/config.lock", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	ssize_t n = in < 0 ? -1 : read(in, bytes, sizeof(bytes));
	bool ok;
	int error;

	if (out < 0 || n < 0)
		return false;
	ok = write(out, bytes, (size_t)n) == n && rename(".git/config.lock", ".git/config") == 0;
	error = errno;
	unlink(".git/config.lock");
	errno = error;
	return ok;
}

void try_CP9(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	try_new(t, ".git/hooks/pre-commit");
	try_append(t, ".git/config");
	tried(t, "config.lock", replace_config());
	try_new(t, ".git/info/attributes");
}

void control_CP9(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	tried(t, "an object and the index's lock",
		create_file(".git/objects/at-CP9") && create_file(".git/index.lock")
			&& unlink(".git/index.lock") == 0 && unlink(".git/objects/at-CP9") == 0);
}

void try_CP10(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	try_append(t, ".git/modules/sub/config");
	try_new(t, ".git/modules/sub/hooks/post-checkout");
	try_append(t, ".git/worktrees/other/commondir");
	try_append(t, ".git/worktrees/other/gitdir");
	try_rename(t, ".git/modules/sub", ".git/modules/at-CP10");
	try_rename(t, ".git/worktrees/other", ".git/worktrees/at-CP10");
}

void control_CP10(struct trial *t)
{
	create_here(t, ".git/modules/sub/objects/at-CP10");
}

void try_CP11(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	tried(t, "mkdir",
		mkdir("at-CP11", 0755) == 0 && mkdir("at-CP11/.git", 0755) == 0
			&& mkdir("at-CP11/.git/hooks", 0755) == 0
			&& create_file("at-CP11/.git/hooks/pre-commit"));
}

void control_CP11(struct trial *t)
{
	if (enter_workspace(t))
		tried(t, "mkdir", mkdir("at-CP11-own", 0755) == 0);
}

void try_CP12(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	try_append(t, ".vscode/tasks.json");
	try_append(t, ".github/workflows/ci.yml");
	try_append(t, "Makefile");
	try_new(t, "package.json");
	try_new(t, ".cursorrules");
}

void control_CP12(struct trial *t)
{
	if (enter_workspace(t))
		try_append(t, "src/main.c");
}

void try_CP13(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	try_append(t, "CLAUDE.md");
	try_append(t, "AGENTS.md");
	try_append(t, ".goosehints");
	try_append(t, ".github/copilot-instructions.md");
}

void control_CP13(struct trial *t)
{
	create_here(t, "at-CP13.md");
}

void try_CP14(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	try_append(t, "sandbox/confine-run.sh");
	try_new(t, "sandbox/at-CP14");
	try_anew(t, ".claude/settings.hooks.example.json");
	try_anew(t, ".agentteams/gate.sha256");
}

void control_CP14(struct trial *t)
{
	create_here(t, "at-CP14");
}

void try_CP15(struct trial *t)
{
	if (!enter_workspace(t))
		return;
	try_append(t, ".claude/settings.json");
	try_append(t, ".claude/agents/worker.md");
	try_new(t, ".claude/commands/at-CP15.md");
	try_anew(t, ".claude/settings.json");
}

void control_CP15(struct trial *t)
{
	create_here(t, "at-CP15");
}

/* For a launch in a worktree: .git is a file that names the repository. */
void try_CP16(struct trial *t)
{
	struct stat st;

	if (!enter_workspace(t))
		return;
	if (lstat(".git", &st) != 0 || !S_ISREG(st.st_mode)) {
		absent(t, "a .git that is a file");
		return;
	}
	try_append(t, ".git");
	try_rename(t, ".git", "at-CP16");
	try_anew(t, ".git");
}

void control_CP16(struct trial *t)
{
	create_here(t, "at-CP16-own");
}
