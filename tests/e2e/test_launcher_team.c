/* Teams whose boundary is the launcher, from the command line. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e/project.h"

#define ROOT " --accept-write-root ../demo-shop-build"
#define LAUNCHER "sandbox/confine-run.sh"

static const char *const frameworks[] = { "goose", "codex", "copilot-vscode", "copilot-cli",
	"agents-md" };

static const char *run(const struct test_project *p, const char *framework, int want,
	const char *words)
{
	char line[512];

	snprintf(line, sizeof(line), "--framework %s" ROOT " %s", framework, words);
	return test_expect(p, want, line);
}

/* EMIT-9, EMIT-21, WIRE-5, INT-2: emitted, genuine, edited by a byte, mended. */
static void wire_5_edited_launcher_is_noticed(void **state)
{
	for (size_t i = 0; i < AT_LEN(frameworks); i++) {
		const char *name = frameworks[i], *out;
		struct test_project p;
		struct at_buf text;

		test_project_begin(&p, NULL);
		run(&p, name, 1, "--check");
		run(&p, name, 1, "--check-wiring");
		out = run(&p, name, 0, "--update");
		assert_non_null(strstr(out, "start the agent through " LAUNCHER));
		assert_null(strstr(out, "--merge"));
		run(&p, name, 0, "--check");
		out = run(&p, name, 0, "--check-wiring");
		assert_non_null(strstr(out, "ENFORCEABLE (must still be wrapped)"));
		assert_non_null(strstr(out, "Launcher genuine; whether your agent runs inside it"));
		assert_null(strstr(out, "gate not wired"));

		text = test_read(p.shop, LAUNCHER);
		text.data[text.len - 1] ^= 1;
		test_write_bytes(p.shop, LAUNCHER, text.data, text.len);
		at_buf_free(&text);
		out = run(&p, name, 1, "--check");
		assert_non_null(strstr(out, "edited, or not ours"));
		out = run(&p, name, 1, "--check-wiring");
		assert_non_null(strstr(out, "FAIL launcher-edited  " LAUNCHER));
		assert_null(strstr(out, "ENFORCEABLE"));
		out = run(&p, name, 1, "--check-wiring --json");
		assert_non_null(strstr(out, "\"launcher\": \"edited\""));
		run(&p, name, 0, "--update");
		run(&p, name, 0, "--check-wiring");
		assert_int_equal(chmod(test_path(p.shop, LAUNCHER), 0644), 0);
		run(&p, name, 1, "--check-wiring");
		run(&p, name, 0, "--update");
		assert_int_equal(unlink(test_path(p.shop, LAUNCHER)), 0);
		out = run(&p, name, 1, "--check-wiring");
		assert_non_null(strstr(out, "launcher-missing"));
		test_project_end(&p);
	}
}

/* The emitted launcher itself, asked what it would make of the project. */
static int launcher_status(const struct test_project *p)
{
	char line[2048];
	int status;

	snprintf(line, sizeof(line), "cd '%s' && HOME='%s' " LAUNCHER " --scratch . --allow-root "
		"--check -- true >'%s/said' 2>&1", p->shop, p->home, p->stage);
	status = system(line);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* EMIT-9, LAU-4: what one --update writes is all that the launcher needs of the team, and it
 * refuses once one of the files is gone. */
static void lau_4_launcher_takes_what_is_emitted(void **state)
{
	static const char *const teams[] = { ".goose/recipes", ".codex/agents", ".github/agents",
		".github/agents" };

	if (system("bwrap --version >/dev/null 2>&1") != 0)
		skip_because("bwrap is not here: the emitted launcher was not started");
	for (size_t i = 0; i < AT_LEN(frameworks); i++) {
		char path[256];
		struct at_buf said;
		struct test_project p;

		test_project_begin(&p, NULL);
		run(&p, frameworks[i], 0, "--update");
		assert_row(i, launcher_status(&p) == 0);
		if (i < AT_LEN(teams)) { /* of agents-md it knows nothing */
			snprintf(path, sizeof(path), "%s/references/agent-privilege.json", teams[i]);
			assert_int_equal(unlink(test_path(p.shop, path)), 0);
			assert_row(i, launcher_status(&p) == 2);
			said = test_read(p.stage, "said");
			assert_non_null(strstr(at_buf_text(&said), path));
			at_buf_free(&said);
			run(&p, frameworks[i], 0, "--update");
			assert_row(i, launcher_status(&p) == 0);
		}
		test_project_end(&p);
	}
}

/* EMIT-9: three teams in one project share the one launcher, and each is at rest. */
static void emit_9_teams_share_one(void **state)
{
	static const char *const teams[] = { "claude", "codex", "copilot-cli", "goose" };
	struct test_project p;

	test_project_begin(&p, NULL);
	for (size_t i = 0; i < AT_LEN(teams); i++)
		run(&p, teams[i], 0, "--update");
	run(&p, "claude", 0, "--update"); /* it sees its new neighbours */
	for (size_t i = 0; i < AT_LEN(teams); i++)
		run(&p, teams[i], 0, "--check");
	test_project_end(&p);
}

/* EMIT-10: what another platform would get, as a preview. */
static void emit_10_preview_for_macos(void **state)
{
	static const char *const files[] = { LAUNCHER, "sandbox/mac-escape-tests.sh",
		"sandbox/dedicated-uid-provisioning.example.sh",
		"sandbox/pf-per-tenant-anchor.example.conf" };
	struct test_project p;
	const char *out;

	test_project_begin(&p, NULL);
	out = run(&p, "codex", 1, "--check --platform darwin");
	for (size_t i = 0; i < AT_LEN(files); i++)
		assert_row(i, strstr(out, files[i]));
	out = run(&p, "codex", 1, "--check --platform linux");
	for (size_t i = 1; i < AT_LEN(files); i++)
		assert_row(i, !strstr(out, files[i]));
	test_project_end(&p);
}

/* EMIT-11, EMIT-20: what goose gets where, and that the profile is nobody's proof. */
static void emit_11_preview_for_goose(void **state)
{
	static const char *const macos[] = { ".goose/sandbox.sb",
		".goose/config.yaml.agentteams.example" };
	static const char runner[] = ".goose/confined-run.example.sh";
	struct test_project p;
	struct test_run told;
	const char *out;

	test_project_begin(&p, NULL);
	test_write(p.shop, "brief.json", "{\"privilege_profile\": \"confined\"}");
	out = run(&p, "goose", 1, "--check --platform darwin");
	for (size_t i = 0; i < AT_LEN(macos); i++)
		assert_row(i, strstr(out, macos[i]));
	assert_non_null(strstr(out, "UNVERIFIED"));
	assert_null(strstr(out, runner));
	told = test_run(&p, "--framework goose --check --platform darwin");
	assert_non_null(strstr(at_buf_text(&told.err), "UNVERIFIED"));
	assert_non_null(strstr(at_buf_text(&told.err), "cannot reach its model"));
	test_run_free(&told);
	out = run(&p, "goose", 1, "--check");
	for (size_t i = 0; i < AT_LEN(macos); i++)
		assert_row(i, !strstr(out, macos[i]));
	assert_non_null(strstr(out, runner));
	out = run(&p, "goose", 1, "--check --platform windows --allow-unenforced-confinement");
	assert_true(!strstr(out, macos[0]) && !strstr(out, runner));
	test_write(p.shop, "brief.json", "{\"goose_egress_proxy\": \"10.0.0.1:80\"}");
	run(&p, "goose", 1, "--check --platform darwin"); /* refused, not ignored */
	test_project_end(&p);
}

int test_launcher_team(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_5_edited_launcher_is_noticed),
		cmocka_unit_test(lau_4_launcher_takes_what_is_emitted),
		cmocka_unit_test(emit_9_teams_share_one),
		cmocka_unit_test(emit_10_preview_for_macos),
		cmocka_unit_test(emit_11_preview_for_goose),
	};

	return cmocka_run_group_tests_name("launcher_team", tests, NULL, NULL);
}
