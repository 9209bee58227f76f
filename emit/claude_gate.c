#include "emit/claude_gate.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

#define PROGRAM "/agentteams-gate"
#define PINNED "\nAGENTTEAMS_GATE_SHA256="
#define PROGRAM_CAP ((size_t)256 << 20)

/* This build's own place first, then where packages and the default prefix put it. Fixed:
 * neither PATH nor HOME, which a session may set. */
static const char *const built_in_places[] = {
	AT_LIBEXEC PROGRAM,
	"/usr/libexec/agentteams" PROGRAM,
	"/usr/lib/agentteams" PROGRAM,
	"/usr/local/libexec/agentteams" PROGRAM,
	NULL,
};

const char *const *at_claude_gate_places(const struct at_project *project)
{
	return project->gate_places ? project->gate_places : built_in_places;
}

const char *at_claude_gate_program(const struct at_project *project)
{
	const char *const *places = at_claude_gate_places(project);
	struct stat st;

	for (; *places; places++)
		if (stat(*places, &st) == 0 && S_ISREG(st.st_mode) && access(*places, X_OK) == 0)
			return *places;
	return NULL;
}

/* The very test that the hook makes, for this caller. */
static bool is_foreign(const char *path, mode_t kind)
{
	struct stat st;

	return lstat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind && st.st_uid != geteuid()
		&& eaccess(path, W_OK) != 0;
}

static bool is_in_custody(const char *program)
{
	char path[PATH_MAX];
	char *slash;

	if (!is_foreign(program, S_IFREG))
		return false;
	snprintf(path, sizeof(path), "%s", program);
	while ((slash = strrchr(path, '/')) && slash != path) {
		*slash = '\0';
		if (!is_foreign(path, S_IFDIR))
			return false;
	}
	return is_foreign("/", S_IFDIR);
}

/* A plan is made at every look: the program is hashed once for each state it is in. */
static bool digest_of(char out[AT_DIGEST_HEX], const char *program)
{
	static struct {
		char program[PATH_MAX], hex[AT_DIGEST_HEX];
		struct at_file file;
	} last;
	int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = root >= 0 && strcmp(last.program, program) == 0
		&& at_file_is_still(&last.file, root, program + 1);

	if (!ok && root >= 0) {
		at_file_free(&last.file);
		*last.program = '\0';
		ok = at_file_read(&last.file, root, program + 1, PROGRAM_CAP, 0, NULL);
		if (ok) {
			snprintf(last.program, sizeof(last.program), "%s", program);
			at_digest_hex(last.hex, &last.file.digest);
		}
	}
	if (root >= 0)
		close(root);
	if (ok)
		memcpy(out, last.hex, AT_DIGEST_HEX);
	return ok;
}

bool at_gate_pin(struct at_gate_pin *out, const struct at_project *project)
{
	const char *program = at_claude_gate_program(project);

	memset(out, 0, sizeof(*out));
	if (!program || !realpath(program, out->program) || !digest_of(out->sha256, out->program)) {
		*out->program = '\0';
		return false;
	}
	out->custody = is_in_custody(out->program);
	return true;
}

void at_gate_pinned(char out[AT_DIGEST_HEX], struct at_bytes script)
{
	const char *at =
		script.len ? memmem(script.data, script.len, PINNED, strlen(PINNED)) : NULL;
	struct at_digest digest;

	*out = '\0';
	if (!at || (size_t)(script.data + script.len - at) < strlen(PINNED) + AT_DIGEST_HEX)
		return;
	memcpy(out, at + strlen(PINNED), AT_DIGEST_HEX - 1);
	out[AT_DIGEST_HEX - 1] = '\0';
	if (!at_digest_from_hex(&digest, out))
		*out = '\0';
}
