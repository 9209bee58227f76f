#include "runner/selftest/tools.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/child.h"
#include "core/digest.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/path.h"
#include "runner/selftest/case.h"

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* A program that is not in a place of its own is beside this one, or where the build left it. */
static void find_ours(char out[PATH_MAX], const char *name)
{
	static const char *const beside[] = { "", "/../libexec/agentteams", "/../runner",
		"/../runner/selftest", "/../runner/harden" };
	static const char *const fixed[] = { AT_LIBEXEC, "/usr/libexec/agentteams",
		"/usr/lib/agentteams", "/usr/local/libexec/agentteams" };
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	out[0] = '\0';
	self[len > 0 ? len : 0] = '\0';
	if (strrchr(self, '/'))
		*strrchr(self, '/') = '\0';
	for (size_t i = 0; *self && i < AT_LEN(beside); i++) {
		snprintf(path, sizeof(path), "%s%s/%s", self, beside[i], name);
		if (is_program(path) && at_path_physical(out, path))
			return;
	}
	for (size_t i = 0; i < AT_LEN(fixed); i++) {
		snprintf(path, sizeof(path), "%s/%s", fixed[i], name);
		if (is_program(path) && at_path_physical(out, path))
			return;
	}
	out[0] = '\0';
}

/* The first of PATH, as a shell finds it. */
static void find_bwrap(char out[PATH_MAX], const char *search_path)
{
	char path[PATH_MAX];

	out[0] = '\0';
	for (const char *p = search_path; p && *p; p += *p == ':') {
		size_t len = strcspn(p, ":");

		if (*p == '/' && len + sizeof("/bwrap") < sizeof(path)) {
			snprintf(path, sizeof(path), "%.*s/bwrap", (int)len, p);
			if (is_program(path) && at_path_physical(out, path))
				return;
		}
		p += len;
	}
	out[0] = '\0';
}

void at_tools_find(struct at_tools *out, const char *search_path)
{
	*out = (struct at_tools){ .launcher_from = "" };
	find_ours(out->probe, "agentteams-probe");
	find_ours(out->harden, "agentteams-harden");
	find_bwrap(out->bwrap, search_path);
}

static bool load(struct at_buf *out, const char *path, struct at_error *err)
{
	struct at_file file = { 0 };
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool ok = root >= 0 && *path == '/'
		&& at_file_read(&file, root, path + 1, AT_TOOL_CAP, AT_FILE_NO_DIGEST, err);

	if (ok)
		at_buf_put(out, at_buf_text(&file.bytes), file.bytes.len);
	at_file_free(&file);
	if (root >= 0)
		close(root);
	return ok;
}

/* "" when it cannot be read. */
static void digest_file(char hex[AT_DIGEST_HEX], const char *path)
{
	struct at_file file = { 0 };
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	hex[0] = '\0';
	if (root >= 0 && *path == '/' && at_file_read(&file, root, path + 1, AT_TOOL_CAP, 0, NULL))
		at_digest_hex(hex, &file.digest);
	at_file_free(&file);
	if (root >= 0)
		close(root);
}

static void digest_of(char hex[AT_DIGEST_HEX], struct at_bytes bytes)
{
	struct at_digest digest = at_digest_of(bytes);

	at_digest_hex(hex, &digest);
}

/* The first line of a small file, without its end. */
static void first_line(char *out, size_t size, const char *path)
{
	FILE *file = fopen(path, "re");

	out[0] = '\0';
	if (file && fgets(out, (int)size, file))
		out[strcspn(out, "\n")] = '\0';
	if (file)
		fclose(file);
}

static void host_id(char hex[AT_DIGEST_HEX])
{
	char line[128], text[160];

	hex[0] = '\0';
	first_line(line, sizeof(line), "/etc/machine-id");
	if (!*line)
		return;
	snprintf(text, sizeof(text), "atconsole %s", line);
	digest_of(hex, at_bytes_of(text));
}

static void distro(char *out, size_t size)
{
	FILE *file = fopen("/etc/os-release", "re");
	char line[256];

	out[0] = '\0';
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "PRETTY_NAME=", 12) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(out, size, "%.*s", (int)strcspn(line + 12 + (line[12] == '"'), "\""),
			line + 12 + (line[12] == '"'));
	}
	if (file)
		fclose(file);
}

/* The first line of what a program prints. */
static void ask(char *out, size_t size, const char *program, const char *word)
{
	const char *const argv[] = { program, word, NULL };
	const char *const env[] = { "LC_ALL=C", NULL };
	const struct at_child_call call = {
		.argv = argv, .env = env, .cwd = "/", .timeout_ms = 5000, .cap = 256
	};
	struct at_child_end end;

	out[0] = '\0';
	if (!*program || !at_child_run(&end, &call, NULL))
		return;
	if (end.status == 0)
		snprintf(out, size, "%.*s", (int)strcspn(at_buf_text(&end.out), "\n"),
			at_buf_text(&end.out));
	at_child_end_free(&end);
}

bool at_tools_load(struct at_tools *tools, struct at_error *err)
{
	if (!*tools->probe) {
		at_fail(err, AT_EDENIED, "agentteams-probe is not there: nothing can be tried");
		at_error_hint(err,
			"It is installed beside this program's other helpers, in " AT_LIBEXEC ".");
		return false;
	}
	if (!load(&tools->probe_bytes, tools->probe, err)
		|| (*tools->harden && !load(&tools->harden_bytes, tools->harden, err)))
		return false;
	ask(tools->layers, sizeof(tools->layers), tools->harden, "layers");
	return true;
}

void at_tools_free(struct at_tools *tools)
{
	at_buf_free(&tools->probe_bytes);
	at_buf_free(&tools->harden_bytes);
}

/* Control characters would make the text no fact. */
static void set(struct at_proof *to, enum at_proof_fact fact, const char *text)
{
	char clean[AT_PROOF_TEXT];
	size_t len = 0;

	for (; *text && len + 1 < sizeof(clean); text++)
		clean[len++] = (unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text;
	clean[len] = '\0';
	at_proof_set_fact(to, fact, clean);
}

static void battery(char hex[AT_DIGEST_HEX])
{
	struct at_buf text = { 0 };

	for (size_t i = 0; i < at_case_count; i++) {
		const struct at_case *c = &at_cases[i];

		at_buf_printf(&text, "%s\t%s\t%u\t%d\t%d\t%d\t%d\n", c->id, c->what, c->controls,
			(int)c->way, (int)c->policy[0], (int)c->policy[1], c->must_work);
	}
	digest_of(hex, at_buf_bytes(&text));
	at_buf_free(&text);
}

void at_tools_facts(struct at_proof *to, const struct at_tools *tools, bool run)
{
	char text[AT_PROOF_TEXT], hex[AT_DIGEST_HEX];
	struct utsname name;

	if (uname(&name) == 0) {
		set(to, AT_PROOF_HOST, name.nodename);
		snprintf(text, sizeof(text), "%s %s", name.sysname, name.release);
		set(to, AT_PROOF_KERNEL, text);
		set(to, AT_PROOF_MACHINE, name.machine);
	}
	host_id(hex);
	set(to, AT_PROOF_HOST_ID, hex);
	distro(text, sizeof(text));
	set(to, AT_PROOF_DISTRO, text);
	digest_of(hex, tools->launcher);
	set(to, AT_PROOF_LAUNCHER, hex);
	set(to, AT_PROOF_LAUNCHER_FROM, tools->launcher_from);
	digest_file(hex, tools->bwrap);
	set(to, AT_PROOF_BWRAP, hex);
	set(to, AT_PROOF_BWRAP_PATH, tools->bwrap);
	if (run) {
		ask(text, sizeof(text), tools->bwrap, "--version");
		set(to, AT_PROOF_BWRAP_VERSION, text);
	}
	digest_file(hex, tools->harden);
	set(to, AT_PROOF_HARDEN, hex);
	set(to, AT_PROOF_HARDEN_PATH, tools->harden);
	set(to, AT_PROOF_LAYERS, tools->layers);
	battery(hex);
	set(to, AT_PROOF_BATTERY, hex);
}
