#include "runner/gate/target.h"

#include <stdio.h>
#include <string.h>

#include "core/control_plane.h"
#include "core/mem.h"
#include "runner/gate/args.h"

#define TARGET_PATH 1024

/* "//a/./b/../c/" to "/a/c". A relative path keeps leading ".."; the result "" is the directory
 * it is relative to. */
static void tidy(char *out, const char *path)
{
	size_t len = 0;
	size_t floor = 0;

	if (*path == '/')
		out[len++] = '/';
	floor = len;
	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && path[0] == '.' && path[1] == '.' && len > floor) {
			while (len > floor && out[len - 1] != '/')
				len--;
			len -= len > floor;
		} else if (n && !(n == 1 && *path == '.')
			&& !(n == 2 && !memcmp(path, "..", 2) && *out == '/' && floor)) {
			if (len > floor)
				out[len++] = '/';
			memcpy(out + len, path, n);
			len += n;
			if (n == 2 && !memcmp(path, "..", 2) && !(floor && *out == '/'))
				floor = len;
		}
		path += n + (path[n] == '/');
	}
	out[len] = '\0';
}

/* Names anywhere in a path whose files decide what a session may do. */
static const char control_parts[] =
	".claude|.codex|.goose|.agentteams|.agentteams-queue|.cursor|.gemini|.githooks|.husky";
static const char key_parts[] = ".ssh|.gnupg|.pki|.password-store|.kube|authorized_keys";
static const char key_files[] = "/etc/shadow|/etc/passwd|/etc/group|/etc/gshadow|/etc/sudoers|"
				"/etc/sudoers.d*|/etc/pam.d*|/etc/master.passwd";
static const char home_keys[] =
	".aws/credentials|.netrc|.git-credentials|.config/gh*|"
	".config/agentteams*|.docker/config.json|.npmrc|.pypirc|.config/gcloud*";
static const char start_files[] =
	".bashrc|.bash_profile|.bash_login|.bash_logout|.profile|.zshrc|"
	".zprofile|.zshenv|.zlogin|.zlogout|.kshrc|.cshrc|.tcshrc|.login|.xinitrc|.xsession|"
	".xprofile|.inputrc|.envrc|.pam_environment|crontab";
static const char start_parts[] =
	"|LaunchAgents|LaunchDaemons|autostart|cron.d|cron.daily|"
	"cron.hourly|cron.weekly|cron.monthly|crontabs|init.d|rc.d|profile.d|environment.d|Startup";
static const char system_trees[] =
	"/etc*|/usr*|/bin*|/sbin*|/lib*|/boot*|/sys*|/proc*|/var|/opt|"
	"/root*|/var/lib*|/var/log*|/var/spool*|/System*|/Library*|/Applications*|/private/etc*|"
	"/private|/srv|/mnt|/media|/run*|/dev|/Volumes|/tmp|/nix*|/snap*";

static bool has_part(const char *path, const char *list)
{
	while (*path) {
		size_t n = strcspn(path, "/");

		if (n && args_in(list, '|', path, n))
			return true;
		path += n + (path[n] == '/');
	}
	return false;
}

static const char *below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (!n || strncmp(path, dir, n))
		return NULL;
	if (path[n] == '/')
		return path + n + 1;
	return path[n] ? NULL : path + n;
}

/* All that a directory holds is the directory. */
static void drop_globs(char *path)
{
	static const char *const all[] = { "/*", "/.*", "/{*,.*}", "/**", "/.[!.]*" };
	size_t len = strlen(path);

	for (size_t i = 0; i < AT_LEN(all); i++) {
		size_t n = strlen(all[i]);

		if (len >= n && !strcmp(path + len - n, all[i])) {
			path[len - n + (len == n)] = '\0';
			return;
		}
	}
}

static enum target_weight weigh_device(const char *path)
{
	static const char harmless[] = "/dev/null|/dev/stdout|/dev/stderr|/dev/stdin|/dev/tty|"
				       "/dev/fd/*|/dev/zero|/dev/full|/dev/pts/*";

	if (args_in(harmless, '|', path, strlen(path)))
		return TARGET_NOTHING;
	return strncmp(path, "/dev/shm/", 9) ? TARGET_DEVICE : TARGET_PLAIN;
}

static bool is_home(const char *path, const char *home)
{
	const char *name = NULL;

	if (*home && !strcmp(path, home))
		return true;
	if (!strcmp(path, "/root") || !strcmp(path, "/home") || !strcmp(path, "/Users"))
		return true;
	if (!strncmp(path, "/home/", 6) || !strncmp(path, "/Users/", 7))
		name = strchr(path + 1, '/') + 1;
	return name && !strchr(name, '/');
}

static bool is_last(const char *path, const char *list)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return args_in(list, '|', name, strlen(name));
}

static enum target_weight weigh_below(const char *path, const struct gate_context *context)
{
	const char *in_project = *path == '/' ? below(path, context->project) : path;

	if (has_part(path, control_parts))
		return TARGET_CONTROL;
	if (in_project && at_plane_covers(in_project, ~0u))
		return TARGET_CONTROL;
	if (has_part(path, ".git")) {
		if (strstr(path, ".git/hooks") || strstr(path, ".git/config")
			|| strstr(path, ".git/info"))
			return TARGET_CONTROL;
		return TARGET_GIT;
	}
	if (has_part(path, key_parts))
		return TARGET_KEYS;
	if (is_last(path, start_files) || has_part(path, start_parts)
		|| strstr(path, ".config/systemd") || strstr(path, "/systemd/system"))
		return TARGET_PERSIST;
	if (in_project && !*in_project)
		return TARGET_GIT;
	return TARGET_PLAIN;
}

enum target_weight target_weigh(const char *path, const struct gate_context *context)
{
	char raw[TARGET_PATH];
	char clean[TARGET_PATH + 2];
	const char *home = *context->home ? context->home : "/home/~";
	const char *rest;
	enum target_weight weight;
	int n;

	if (path[0] == '~' && (!path[1] || path[1] == '/'))
		n = snprintf(raw, sizeof(raw), "%s%s", home, path + 1);
	else if (*path != '/' && *context->cwd && !strchr(path, SHELL_UNKNOWN))
		n = snprintf(raw, sizeof(raw), "%s/%s", context->cwd, path);
	else
		n = snprintf(raw, sizeof(raw), "%s", path);
	if (n < 0 || (size_t)n >= sizeof(raw))
		return TARGET_PLAIN;
	drop_globs(raw);
	tidy(clean, raw);
	if (!strcmp(clean, "/"))
		return TARGET_ROOT;
	if (is_home(clean, home))
		return TARGET_HOME;
	if (!strncmp(clean, "/dev/", 5))
		return weigh_device(clean);
	if (args_in(key_files, '|', clean, strlen(clean)))
		return TARGET_KEYS;
	rest = below(clean, home);
	if (rest && args_in(home_keys, '|', rest, strlen(rest)))
		return TARGET_KEYS;
	weight = weigh_below(clean, context);
	if (weight != TARGET_PLAIN)
		return weight;
	if (*context->project && below(context->project, clean))
		return TARGET_GIT; /* a directory above the project */
	/* root's home lies in a tree of the system's. */
	if (rest || (*context->project && below(clean, context->project)))
		return TARGET_PLAIN;
	if (args_in(system_trees, '|', clean, strlen(clean)))
		return TARGET_SYSTEM;
	return TARGET_PLAIN;
}
