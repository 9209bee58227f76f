#include "selftest/selftest.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/support.h"

static bool copy_program(const struct ground *ground, const char *variable, const char *name)
{
	const char *path = getenv(variable);
	struct at_buf bytes;

	if (!path || !*path || access(path, X_OK) != 0)
		return false;
	bytes = test_read("/", path + 1);
	test_write_bytes(ground->path, name, bytes.data, bytes.len);
	at_buf_free(&bytes);
	return chmod(test_path(ground->path, name), 0755) == 0;
}

const char *selftest_begin(struct selftest *out)
{
	const char *why;

	ground_begin(&out->ground);
	why = ground_why_no_sandbox(&out->ground);
	if (!why
		&& (!copy_program(&out->ground, "AT_PROGRAM", "bin/atconsole")
			|| !copy_program(&out->ground, "AT_PROBE", "bin/agentteams-probe")))
		why = "atconsole or agentteams-probe was not built";
	if (why) {
		ground_end(&out->ground);
		return why;
	}
	out->has_harden = copy_program(&out->ground, "AT_SELFTEST_HARDEN", "bin/agentteams-harden");
	ground_must(&out->ground, "mkdir -p p/sandbox");
	return NULL;
}

void selftest_end(struct selftest *selftest)
{
	ground_end(&selftest->ground);
}

struct at_buf selftest_launcher(void)
{
	return test_read(getenv("AT_TEST_SOURCE"), "emit/assets/confine-run.sh");
}

void selftest_put_launcher(const struct selftest *selftest, struct at_bytes text)
{
	test_write_bytes(selftest->ground.path, "p/sandbox/confine-run.sh", text.data, text.len);
}

void selftest_run(struct selftest_run *out, const struct selftest *selftest, bool as_caller,
	const char *words)
{
	static const char line[] = "CLAUDECODE= AI_AGENT= bin/atconsole --project p --self-test "
				   "--json %s";
	struct at_json_limits limits = { (size_t)4 << 20, 16 };

	*out = (struct selftest_run){ 0 };
	out->end = as_caller ? ground_sh_as_caller(&selftest->ground, line, words)
			     : ground_sh(&selftest->ground, line, words);
	out->has_report = at_json_read(&out->json, at_buf_bytes(&out->end.out), &limits, 0, NULL);
}

void selftest_run_free(struct selftest_run *run)
{
	if (run->has_report)
		at_json_free(&run->json);
	at_child_end_free(&run->end);
}

const char *selftest_verdict(const struct selftest_run *run, const char *id, bool harden)
{
	static const char *const words[] = { "LEAKS", "INCONCLUSIVE", "RESIDUAL", "SKIPPED",
		"HOLDS" };
	uint32_t cases;
	size_t worst = AT_LEN(words);

	if (!run->has_report)
		return "";
	cases = at_json_at(&run->json, "cases");
	at_json_each(&run->json, i, cases) {
		if (!at_json_string_is(&run->json, at_json_member(&run->json, i, "id"), id)
			|| !at_json_string_is(&run->json, at_json_member(&run->json, i, "mode"),
				harden ? "harden" : "default"))
			continue;
		for (size_t w = 0; w < worst; w++)
			if (at_json_string_is(
				    &run->json, at_json_member(&run->json, i, "verdict"), words[w]))
				worst = w;
	}
	return worst < AT_LEN(words) ? words[worst] : "";
}
