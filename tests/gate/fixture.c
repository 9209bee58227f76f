#include "gate/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/json_read.h"

static char dir[64];
static struct at_child_end last;

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	if (!value)
		fail_msg("%s is not set: run through meson test", name);
	return value;
}

const char *gate_dir(void)
{
	return dir;
}

int gate_setup(void **state)
{
	struct at_buf bytes = test_read("", variable("AT_GATE"));

	(void)state;
	snprintf(dir, sizeof(dir), "/var/tmp/at-gate-XXXXXX");
	if (!mkdtemp(dir) || chmod(dir, 0755) < 0)
		return -1;
	/* A plain user may not be let in to where it was built. */
	test_write_bytes(dir, "libexec/agentteams-gate", at_buf_text(&bytes), bytes.len);
	at_buf_free(&bytes);
	test_write(dir, "project/x", "");
	return chmod(test_path(dir, "libexec/agentteams-gate"), 0755);
}

int gate_teardown(void **state)
{
	(void)state;
	at_child_end_free(&last);
	memset(&last, 0, sizeof(last));
	test_tree_remove(at_strdup(dir));
	return 0;
}

static struct gate_ran run(const char *const *argv, struct at_bytes input)
{
	char own[128], project[128], program[128], console[512], at[128];
	const char *const env[] = { "PATH=/usr/bin:/bin", "HOME=/nowhere", "LC_ALL=C.UTF-8",
		"ASAN_OPTIONS=detect_leaks=0", own, project, program, console, at, NULL };
	const struct at_child_call call = { .argv = argv,
		.env = env,
		.cwd = dir,
		.input = input,
		.timeout_ms = 10000,
		.cap = 1 << 20 };
	struct at_error err;

	snprintf(own, sizeof(own), "D=%s", dir);
	snprintf(project, sizeof(project), "P=%s/project", dir);
	snprintf(at, sizeof(at), "CLAUDE_PROJECT_DIR=%s/project", dir);
	snprintf(program, sizeof(program), "G=%s/libexec/agentteams-gate", dir);
	snprintf(console, sizeof(console), "C=%s", variable("AT_PROGRAM"));
	at_child_end_free(&last);
	memset(&last, 0, sizeof(last));
	if (!at_child_run(&last, &call, &err))
		fail_msg("%s", err.message);
	if (last.timed_out)
		fail_msg("it took too long: %s", argv[2]);
	return (struct gate_ran){ last.status, at_buf_text(&last.out), at_buf_text(&last.err) };
}

struct gate_ran gate_sh(const char *script)
{
	const char *const argv[] = { "/bin/sh", "-c", script, NULL };

	return run(argv, (struct at_bytes){ "", 0 });
}

struct gate_ran gate_sh_plain(const char *script)
{
	const char *const argv[] = { "/usr/bin/setpriv", "--reuid=" PLAIN_UID, "--regid=" PLAIN_UID,
		"--clear-groups", "/bin/sh", "-c", script, NULL };

	return run(geteuid() == 0 ? argv : argv + 4, (struct at_bytes){ "", 0 });
}

struct gate_ran gate_call(const char *json, bool closed)
{
	const char *program = test_path(dir, "libexec/agentteams-gate");
	const char *const argv[] = { program, "--fail-closed", closed ? "1" : "0", NULL };

	return run(argv, at_bytes_of(json));
}

const char *gate_decision(const char *out)
{
	static const char *const names[] = { "ask", "deny" };
	const char *decision = "?";
	struct at_json doc;
	uint32_t said;

	if (!*out)
		return "pass";
	if (strchr(out, '\n') != out + strlen(out) - 1
		|| !at_json_read(&doc, at_bytes_of(out), &at_json_brief_limits, 0, NULL))
		return decision;
	said = at_json_at(&doc, "hookSpecificOutput");
	if (doc.nodes[AT_JSON_ROOT].count == 1 && doc.nodes[said].count == 3
		&& at_json_string_is(
			&doc, at_json_member(&doc, said, "hookEventName"), "PreToolUse"))
		for (size_t i = 0; i < AT_LEN(names); i++)
			if (at_json_string_is(&doc,
				    at_json_member(&doc, said, "permissionDecision"), names[i]))
				decision = names[i];
	at_json_free(&doc);
	return decision;
}
