/* Group R: credentials and files that are another's. What was read is told to the driver. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_table.h"

static void read_home(struct trial *t, const char *const *names)
{
	for (; *names; names++)
		try_read(t, below(AT_FACT_HOME, *names));
}

void try_R1(struct trial *t)
{
	static const char *const names[] = { ".ssh/id_ed25519", ".ssh/known_hosts", NULL };

	read_home(t, names);
}

void try_R2(struct trial *t)
{
	static const char *const names[] = { ".aws/credentials", ".azure/msal_token_cache.json",
		".config/gcloud/credentials.db", ".kube/config", NULL };

	read_home(t, names);
}

void try_R3(struct trial *t)
{
	static const char *const names[] = { ".gnupg/private-keys-v1.d/key.key", NULL };

	read_home(t, names);
}

void try_R4(struct trial *t)
{
	static const char *const names[] = { ".config/agentteams/keys/manager",
		".config/agentteams/legacy.pem", NULL };

	read_home(t, names);
}

void try_R5(struct trial *t)
{
	static const char *const names[] = { ".netrc", ".git-credentials", ".config/gh/hosts.yml",
		".docker/config.json", NULL };

	read_home(t, names);
}

void try_R6(struct trial *t)
{
	static const char *const names[] = { ".npmrc", ".pypirc", ".cargo/credentials.toml",
		".pgpass", ".m2/settings.xml", NULL };

	read_home(t, names);
}

void try_R7(struct trial *t)
{
	static const char *const names[] = { ".bash_history", ".zsh_history",
		".mozilla/firefox/default/logins.json", ".config/google-chrome/Default/Login Data",
		".password-store/bank.gpg", ".local/share/keyrings/login.keyring", NULL };

	read_home(t, names);
}

void try_R8(struct trial *t)
{
	try_read(t, below(AT_FACT_SIBLING, "secret"));
}

void try_R9(struct trial *t)
{
	const char *key = below(AT_FACT_HOME, ".ssh/id_ed25519");
	char path[2200];

	try_read_as(t, "a link", below(AT_FACT_SCRATCH, "r9-link"));
	snprintf(path, sizeof(path), "/proc/self/root%s", key);
	try_read_as(t, "/proc/self/root", path);
	if (chdir("/") == 0) {
		snprintf(path, sizeof(path), "/proc/self/cwd%s", key);
		try_read_as(t, "/proc/self/cwd", path);
	}
	snprintf(path, sizeof(path), "/proc/%s/root%s", fact(AT_FACT_VICTIM_PID), key);
	try_read_as(t, "a host process", path);
	snprintf(path, sizeof(path), "/proc/1/root%s", key);
	if (t->inside)
		try_read_as(t, "/proc/1/root", path);
}

void try_R10(struct trial *t)
{
	try_read(t, below(AT_FACT_SCRATCH, ".env"));
}

void try_R11(struct trial *t)
{
	DIR *dir = opendir(below(AT_FACT_HOME, ".ssh"));
	struct dirent *entry;

	if (!dir) {
		tried(t, ".ssh", false);
		return;
	}
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			worked(t, entry->d_name);
	}
	closedir(dir);
	if (t->result == RESULT_NONE)
		refused(t, "it is empty", 0);
}

/* A mask that takes the write and loses it tells a lie: that it is not on the host is no help. */
void try_R12(struct trial *t)
{
	tried(t, ".ssh", create_file(below(AT_FACT_HOME, ".ssh/at-R12")));
	tried(t, ".kube", create_file(below(AT_FACT_HOME, ".kube/at-R12")));
	tried(t, "gcloud", create_file(below(AT_FACT_HOME, ".config/gcloud/at-R12")));
}

void control_R12(struct trial *t)
{
	try_create(t, below(AT_FACT_SCRATCH, "at-R12"));
}
