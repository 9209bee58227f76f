#include "runner/selftest/probe_util.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/selftest/probe.h"

int inherited[64];
size_t inherited_count;

/* ---- facts ---- */

static struct {
	char name[32];
	char value[1024];
} facts[64];
static size_t fact_count;

static bool is_fact_line(char *line, char **value)
{
	char *tab = strchr(line, '\t');

	if (!tab || tab == line || (size_t)(tab - line) >= sizeof(facts[0].name))
		return false;
	*tab = '\0';
	*value = tab + 1;
	for (const char *c = line; *c; c++) {
		if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_')
			return false;
	}
	for (const char *c = *value; *c; c++) {
		if (iscntrl((unsigned char)*c))
			return false;
	}
	return strlen(*value) < sizeof(facts[0].value);
}

bool facts_load(const char *path)
{
	static const char *const needed[] = { AT_FACT_SCRATCH, AT_FACT_HOME, AT_FACT_SIBLING,
		AT_FACT_OUTSIDE };
	char line[1200], *value;
	FILE *file = fopen(path, "re");

	if (!file) {
		fprintf(stderr, "agentteams-probe: '%s' cannot be read: %s\n", path,
			strerror(errno));
		return false;
	}
	while (fgets(line, sizeof(line), file)) {
		size_t len = strlen(line);

		if (len && line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (fact_count == ARRAY_LEN(facts) || !is_fact_line(line, &value)) {
			fprintf(stderr, "agentteams-probe: line %zu of '%s' is no fact\n",
				fact_count + 1, path);
			fclose(file);
			return false;
		}
		strcpy(facts[fact_count].name, line);
		strcpy(facts[fact_count++].value, value);
	}
	fclose(file);
	for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
		if (fact(needed[i])[0] != '/') {
			fprintf(stderr, "agentteams-probe: '%s' names no absolute '%s'\n", path,
				needed[i]);
			return false;
		}
	}
	return true;
}

const char *fact(const char *name)
{
	for (size_t i = 0; i < fact_count; i++) {
		if (strcmp(facts[i].name, name) == 0)
			return facts[i].value;
	}
	return "";
}

long fact_number(const char *name)
{
	const char *text = fact(name);
	char *end;
	long n = strtol(text, &end, 10);

	return *text && !*end && n >= 0 ? n : -1;
}

const char *below(const char *fact_name, const char *name)
{
	static char ring[16][2048];
	static unsigned next;
	char *path = ring[next++ % ARRAY_LEN(ring)];

	snprintf(path, sizeof(ring[0]), "%s/%s", fact(fact_name), name);
	return path;
}

/* ---- outcomes ---- */

void worked(struct trial *t, const char *variant)
{
	size_t used = t->result == RESULT_WORKED ? strlen(t->detail) : 0;

	snprintf(t->detail + used, sizeof(t->detail) - used, "%s%s", used ? ", " : "", variant);
	t->result = RESULT_WORKED;
}

void got(struct trial *t, const char *variant, const void *bytes, size_t len)
{
	const unsigned char *b = bytes;
	char text[sizeof(t->detail)] = "got:";
	size_t used = 4;

	/* The first one is what the driver compares; the others only tell their names. */
	if (t->result == RESULT_WORKED) {
		worked(t, variant);
		return;
	}
	for (size_t i = 0; i < len && i < 64; i++)
		used += (size_t)sprintf(text + used, "%02x", b[i]);
	snprintf(text + used, sizeof(text) - used, " %s", variant);
	worked(t, text);
}

void refused(struct trial *t, const char *variant, int error)
{
	const char *name = error ? strerrorname_np(error) : "";

	if (t->result == RESULT_WORKED || t->result == RESULT_BROKEN)
		return;
	t->result = RESULT_REFUSED;
	snprintf(t->detail, sizeof(t->detail), "%s%s%s", variant, error ? " " : "",
		name ? name : "?");
}

void absent(struct trial *t, const char *what)
{
	if (t->result != RESULT_NONE && t->result != RESULT_ABSENT)
		return;
	t->result = RESULT_ABSENT;
	snprintf(t->detail, sizeof(t->detail), "%s", what);
}

void broken(struct trial *t, const char *why)
{
	if (t->result == RESULT_WORKED)
		return;
	t->result = RESULT_BROKEN;
	snprintf(t->detail, sizeof(t->detail), "%s", why);
}

static bool is_absence(int error)
{
	switch (error) {
	case ENOENT:
	case ENOSYS:
	case ENODEV:
	case ENXIO:
	case EAFNOSUPPORT:
	case EPROTONOSUPPORT:
	case ESOCKTNOSUPPORT:
	case EOPNOTSUPP:
		return true;
	default:
		return false;
	}
}

bool tried(struct trial *t, const char *variant, bool ok)
{
	int error = errno;

	if (ok)
		worked(t, variant);
	else if (!t->inside && is_absence(error))
		absent(t, variant);
	else
		refused(t, variant, error);
	return ok;
}

/* ---- plain attempts ---- */

const char *leaf(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool write_and_close(int fd)
{
	static const char text[] = "# agentteams-probe\n";
	ssize_t n = write(fd, text, sizeof(text) - 1);
	int error = errno;

	close(fd);
	errno = error;
	return n == (ssize_t)sizeof(text) - 1;
}

bool create_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	return fd >= 0 && write_and_close(fd);
}

bool try_create(struct trial *t, const char *path)
{
	return tried(t, leaf(path), create_file(path));
}

bool try_append(struct trial *t, const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	/* A newline, for the file goes on being used by later cases. */
	bool ok = fd >= 0 && write(fd, "\n", 1) == 1;

	tried(t, leaf(path), ok);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool try_read_as(struct trial *t, const char *variant, const char *path)
{
	char bytes[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd >= 0 ? read(fd, bytes, sizeof(bytes)) : -1;

	if (n > 0)
		got(t, variant, bytes, (size_t)n);
	else if (n == 0)
		refused(t, "nothing in it", 0); /* /dev/null in its place */
	else
		tried(t, variant, false);
	if (fd >= 0)
		close(fd);
	return n > 0;
}

bool try_read(struct trial *t, const char *path)
{
	return try_read_as(t, leaf(path), path);
}

bool try_rename(struct trial *t, const char *from, const char *to)
{
	bool ok = rename(from, to) == 0;

	tried(t, leaf(from), ok);
	if (ok && rename(to, from) != 0)
		broken(t, "renamed, and not back");
	return ok;
}

/* ---- children ---- */

bool in_child(bool (*act)(void *), void *arg)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		return false;
	if (child == 0) {
		errno = 0;
		_exit(act(arg) ? 0 : (errno & 0xff) ? errno & 0xff : 255);
	}
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return false;
	}
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	return errno == 0;
}

int run(char *const argv[])
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(argv[0], argv);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

bool enter_user_namespace(int more_flags)
{
	char map[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (unshare(CLONE_NEWUSER | more_flags) != 0)
		return false;
	snprintf(map, sizeof(map), "%u %u 1", (unsigned)uid, (unsigned)uid);
	if (!put_text("/proc/self/uid_map", map))
		return false;
	put_text("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1", (unsigned)gid, (unsigned)gid);
	return put_text("/proc/self/gid_map", map);
}

const char *status_line(pid_t pid, const char *key)
{
	static char line[256];
	char path[64];
	size_t len = strlen(key);
	FILE *file;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	else
		snprintf(path, sizeof(path), "/proc/self/status");
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, len) == 0 && line[len] == ':') {
			fclose(file);
			line[strcspn(line, "\n")] = '\0';
			return line + len + 1 + strspn(line + len + 1, "\t ");
		}
	}
	if (file)
		fclose(file);
	return "";
}

bool is_inherited(long fd)
{
	for (size_t i = 0; i < inherited_count; i++) {
		if (inherited[i] == fd)
			return true;
	}
	return false;
}
