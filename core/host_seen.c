#include "core/host_seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bytes.h"
#include "core/host_fix.h"
#include "core/host_try.h"
#include "core/mem.h"
#include "core/tool.h"

#define TEXT_CAP ((size_t)256 << 10) /* mounts of a busy host */

/* Files of the kernel have no size of their own: read to the end. */
static bool read_text(struct at_buf *out, const char *root, const char *path)
{
	char full[PATH_MAX], bytes[4096];
	size_t got;
	FILE *file;

	out->len = 0;
	if (snprintf(full, sizeof(full), "%s%s", root, path) >= (int)sizeof(full))
		return false;
	file = fopen(full, "re");
	if (!file)
		return false;
	while (out->len < TEXT_CAP && (got = fread(bytes, 1, sizeof(bytes), file)) > 0)
		at_buf_put(out, bytes, got);
	fclose(file);
	return true;
}

static void read_line(char *out, size_t size, const char *root, const char *path)
{
	struct at_buf text = { 0 };

	read_text(&text, root, path);
	snprintf(out, size, "%.*s", (int)strcspn(at_buf_text(&text), "\n"), at_buf_text(&text));
	at_buf_free(&text);
}

static bool is_there(const char *root, const char *path)
{
	char full[PATH_MAX];

	return snprintf(full, sizeof(full), "%s%s", root, path) < (int)sizeof(full)
		&& access(full, F_OK) == 0;
}

static long sysctl_of(const char *root, const char *path)
{
	char text[32], *end;
	long value;

	if (!is_there(root, path))
		return AT_SYSCTL_NONE;
	read_line(text, sizeof(text), root, path);
	value = strtol(text, &end, 10);
	return end == text || value < 0 ? AT_SYSCTL_UNREAD : value;
}

int at_host_wsl_of(const char *proc_version)
{
	static const char before[] = "Linux version ";
	char release[128];
	size_t len;

	if (strncmp(proc_version, before, strlen(before)) != 0)
		return 0;
	proc_version += strlen(before);
	len = strcspn(proc_version, " \n");
	snprintf(release, sizeof(release), "%.*s", (int)(len < 127 ? len : 127), proc_version);
	if (strcasestr(release, "wsl2") || strstr(release, "microsoft"))
		return 2;
	return strstr(release, "Microsoft") ? 1 : 0;
}

#define INTEROP "/proc/sys/fs/binfmt_misc/WSLInterop"

static void look_at_wsl(struct at_host_seen *out, const char *root)
{
	struct at_buf text = { 0 };

	if (read_text(&text, root, "/proc/version"))
		out->wsl = at_host_wsl_of(at_buf_text(&text));
	at_buf_free(&text);
	out->has_interop = is_there(root, INTEROP) || is_there(root, INTEROP "-late");
	if (out->has_interop && !out->wsl)
		out->wsl = 2; /* a kernel of the user's own */
}

/* Octal escapes of a mount point: a blank is \040. */
static void decode(char *out, size_t size, const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < size; i++) {
		if (text[i] == '\\' && i + 3 < len && strspn(text + i + 1, "01234567") >= 3) {
			out[n++] = (char)((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8
				+ text[i + 3] - '0');
			i += 3;
		} else {
			out[n++] = text[i];
		}
	}
	out[n] = '\0';
}

struct mount {
	const char *word[4]; /* source, place, type, options */
	size_t len[4];
};

static bool split_mount(struct mount *out, const char *line, size_t len)
{
	const char *end = line + len;

	for (size_t i = 0; i < AT_LEN(out->word); i++) {
		out->word[i] = line;
		while (line < end && *line != ' ')
			line++;
		out->len[i] = (size_t)(line - out->word[i]);
		if (out->len[i] == 0)
			return false;
		line += line < end;
	}
	return true;
}

static bool word_is(const struct mount *m, size_t i, const char *text)
{
	return m->len[i] == strlen(text) && memcmp(m->word[i], text, m->len[i]) == 0;
}

static bool word_has(const struct mount *m, size_t i, const char *text)
{
	return memmem(m->word[i], m->len[i], text, strlen(text)) != NULL;
}

/* drvfs by its own name, over 9p, or over virtiofs. */
static bool is_windows_drive(const struct mount *m)
{
	return word_is(m, 2, "drvfs") || (word_is(m, 2, "9p") && word_has(m, 3, "aname=drvfs"))
		|| (word_is(m, 2, "virtiofs") && word_has(m, 0, "drvfs"));
}

static bool is_writable(const struct mount *m)
{
	return word_is(m, 3, "rw") || (m->len[3] > 3 && memcmp(m->word[3], "rw,", 3) == 0);
}

static void look_at_mounts(struct at_host_seen *out, const char *root)
{
	struct at_buf text = { 0 };

	read_text(&text, root, "/proc/self/mounts");
	for (const char *line = at_buf_text(&text); *line;) {
		size_t len = strcspn(line, "\n");
		struct mount m;

		if (split_mount(&m, line, len) && is_windows_drive(&m) && is_writable(&m)) {
			if (out->drive_count < AT_HOST_DRIVES)
				decode(out->drives[out->drive_count], sizeof(out->drives[0]),
					m.word[1], m.len[1]);
			out->drive_count++;
		}
		line += len + (line[len] == '\n');
	}
	at_buf_free(&text);
}

static void look_at_kernel(struct at_host_seen *out, const char *root)
{
	char path[PATH_MAX];

	out->max_user_namespaces = sysctl_of(root, "/proc/sys/user/max_user_namespaces");
	out->userns_clone = sysctl_of(root, "/proc/sys/kernel/unprivileged_userns_clone");
	out->apparmor_userns =
		sysctl_of(root, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
	out->legacy_tiocsti = sysctl_of(root, "/proc/sys/dev/tty/legacy_tiocsti");
	read_line(out->lsm, sizeof(out->lsm), root, "/sys/kernel/security/lsm");
	read_line(out->core_pattern, sizeof(out->core_pattern), root,
		"/proc/sys/kernel/core_pattern");
	if (snprintf(path, sizeof(path), "%s/proc/sys/kernel/core_pattern", root)
		< (int)sizeof(path))
		out->core_pattern_is_open = access(path, W_OK) == 0;
}

static void look_at_distro(struct at_host_seen *out, const char *root)
{
	struct at_buf text = { 0 };

	if (read_text(&text, root, "/etc/os-release")
		|| read_text(&text, root, "/usr/lib/os-release"))
		at_host_family(out->family, sizeof(out->family), out->distro, sizeof(out->distro),
			at_buf_text(&text));
	at_buf_free(&text);
}

static void take_tool(struct at_host_tool *to, uid_t owner)
{
	const char *fault = at_tool_fault(to->path, owner);
	struct stat st;

	if (fault)
		snprintf(to->fault, sizeof(to->fault), "%s", fault);
	to->is_setuid = stat(to->path, &st) == 0 && (st.st_mode & S_ISUID);
}

static void find_on_path(
	struct at_host_tool *to, const char *name, const struct at_host_place *place)
{
	if (at_tool_search(to->path, name, place->search_path))
		take_tool(to, place->owner);
}

/* Where the launcher looks for it, and nowhere else. */
static void find_harden(struct at_host_tool *to, const struct at_host_place *place)
{
	static const char *const places[] = { "/usr/local/libexec/agentteams",
		"/usr/libexec/agentteams", "/usr/lib/agentteams" };

	for (size_t i = 0; i < AT_LEN(places); i++) {
		if (snprintf(to->path, sizeof(to->path), "%s%s/agentteams-harden", place->root,
			    places[i])
				< (int)sizeof(to->path)
			&& at_tool_is_program(to->path)) {
			take_tool(to, place->owner);
			return;
		}
	}
	to->path[0] = '\0';
}

static bool may_run(const struct at_host_tool *tool)
{
	return tool->path[0] && !tool->fault[0];
}

/* What each mechanism asks of bwrap before its own mounts: see confine-run.sh, plan(). */
static const char *const claude_flags[] = { "--new-session", "--die-with-parent", "--unshare-net",
	"--ro-bind", "/", "/", "--dev", "/dev", "--unshare-pid", "--unshare-user", "--cap-drop",
	"ALL", "--proc", "/proc", NULL };
static const char *const launcher_flags[] = { "--die-with-parent", "--new-session", "--cap-drop",
	"ALL", "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-cgroup-try",
	"--unshare-net", "--disable-userns", "--ro-bind", "/", "/", "--tmpfs", "/tmp", "--tmpfs",
	"/run", "--dev", "/dev", "--proc", "/proc", "--unshare-uts", NULL };

static void try_linux(struct at_host_seen *out, const struct at_host_place *place)
{
	const struct at_host_kernel *kernel = place->kernel ? place->kernel : &at_host_kernel_here;
	int limit = place->timeout_ms > 0 ? place->timeout_ms : AT_HOST_TRY_MS;

	kernel->userns(&out->userns, limit);
	kernel->seccomp(&out->seccomp, limit);
	out->landlock = kernel->landlock(&out->landlock_sys);
	if (may_run(&out->bwrap)) {
		at_try_bwrap(&out->bwrap_claude, out->bwrap.path, claude_flags, place);
		if (out->bwrap_claude.result != AT_TRIED_HANGS)
			at_try_bwrap(&out->bwrap_launcher, out->bwrap.path, launcher_flags, place);
	}
	if (may_run(&out->socat))
		at_try_program(&out->socat_try,
			(const char *const[]){ out->socat.path, "-u", "OPEN:/dev/null", "-", NULL },
			place, NULL);
	if (may_run(&out->harden)) {
		struct at_buf layers = { 0 };

		at_try_program(&out->harden_try,
			(const char *const[]){ out->harden.path, "layers", NULL }, place, &layers);
		snprintf(out->harden_try.said, sizeof(out->harden_try.said), "%.*s",
			(int)strcspn(at_buf_text(&layers), "\n"), at_buf_text(&layers));
		at_buf_free(&layers);
	}
}

static void try_darwin(struct at_host_seen *out, const struct at_host_place *place)
{
	if (may_run(&out->seatbelt))
		at_try_program(&out->seatbelt_try,
			(const char *const[]){ out->seatbelt.path, "-p",
				"(version 1)(allow default)(deny network*)", "/bin/sh", "-c",
				"true", NULL },
			place, NULL);
}

void at_host_look(struct at_host_seen *out, const struct at_host_place *place)
{
	memset(out, 0, sizeof(*out));
	out->platform = place->platform;
	out->is_root = place->caller == 0;
	out->landlock = -1;
	out->tools_were_looked_for = place->search_path != NULL;
	if (place->platform == AT_LINUX) {
		look_at_wsl(out, place->root);
		look_at_mounts(out, place->root);
		look_at_kernel(out, place->root);
		look_at_distro(out, place->root);
	}
	if (place->search_path && place->platform == AT_LINUX) {
		find_on_path(&out->bwrap, "bwrap", place);
		find_on_path(&out->socat, "socat", place);
		find_harden(&out->harden, place);
	} else if (place->search_path && place->platform == AT_DARWIN) {
		find_on_path(&out->seatbelt, "sandbox-exec", place);
	}
	if (!place->run)
		return;
	if (place->platform == AT_LINUX && out->wsl != 1)
		try_linux(out, place);
	else if (place->platform == AT_DARWIN)
		try_darwin(out, place);
}

struct at_host_place at_host_place_here(const struct at_host *host, bool run)
{
	return (struct at_host_place){
		.platform = host->platform,
		.root = "",
		.search_path = host->search_path,
		.caller = geteuid(),
		.run = run,
	};
}
