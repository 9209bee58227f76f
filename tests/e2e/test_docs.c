/* The man pages and completions that the build made, held against the program. (UI-8) */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/advisory.h"
#include "core/ceilings.h"
#include "e2e/project.h"

static struct at_buf document(const char *name)
{
	const char *dir = getenv("AT_DOCS");

	if (!dir)
		fail_msg("AT_DOCS is not set: run through meson test");
	return test_read(dir, name);
}

/* The command's standard output and errors together; its status. */
static int shell(struct at_buf *out, const char *words, const char *name)
{
	const char *dir = getenv("AT_DOCS");
	char path[512], command[2048], chunk[4096];
	size_t got;
	FILE *pipe;

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", name);
	setenv("DOCUMENT", path, 1);
	snprintf(command, sizeof(command), "exec 2>&1; %s", words);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while ((got = fread(chunk, 1, sizeof(chunk), pipe)) > 0)
		at_buf_put(out, chunk, got);
	return WEXITSTATUS(pclose(pipe));
}

/* Every option of --help, in the spelling of each document. */
static void ui_8_every_option_is_everywhere(void **state)
{
	/* How each writes an option: what stands before and after its name. */
	static const struct {
		const char *document, *before, *after;
	} rows[] = {
		{ "atconsole.1", "--", "" },
		{ "atconsole", "--", "" },
		{ "_atconsole", "--", "[" },
		{ "atconsole.fish", " -l ", " " },
	};
	struct test_project p;
	struct test_run help;
	size_t seen = 0;

	test_project_begin(&p, NULL);
	help = test_run(&p, "--help");
	assert_int_equal(help.status, 0);
	for (const char *line = strstr(at_buf_text(&help.out), "\n  --"); line;
		line = strstr(line + 1, "\n  --")) {
		char name[64], want[96];

		assert_int_equal(sscanf(line, " --%63[a-z0-9-]", name), 1);
		seen++;
		for (size_t i = 0; i < AT_LEN(rows); i++) {
			struct at_buf text = document(rows[i].document);
			struct at_buf plain = { 0 };

			for (size_t k = 0; k < text.len; k++) /* a man page writes \- */
				if (text.data[k] != '\\' || i)
					at_buf_putc(&plain, text.data[k]);
			snprintf(want, sizeof(want), "%s%s%s", rows[i].before, name, rows[i].after);
			if (!strstr(at_buf_text(&plain), want))
				fail_msg("%s has no %s", rows[i].document, want);
			at_buf_free(&plain);
			at_buf_free(&text);
		}
	}
	assert_true(seen > 25);
	test_run_free(&help);
	test_project_end(&p);
}

/* The gate's page names every option of its --help, each variable and each reason. */
static void ui_8_gate_page_has_the_tables(void **state)
{
	static const char *const words[] = { "GATE-2: filesystem", "fs-delete", "pr-merge",
		"AGENTTEAMS_GATE_LOG_KEY", ".B \"2\"" };
	struct at_buf text = document("agentteams-gate.1"), plain = { 0 }, help = { 0 };
	size_t seen = 0;

	for (size_t k = 0; k < text.len; k++)
		if (text.data[k] != '\\')
			at_buf_putc(&plain, text.data[k]);
	assert_int_equal(shell(&help, "\"$AT_GATE\" --help", ""), 0);
	for (const char *line = strstr(at_buf_text(&help), "\n  --"); line;
		line = strstr(line + 1, "\n  --")) {
		char name[64], want[96];

		assert_int_equal(sscanf(line, " --%63[a-z-]", name), 1);
		snprintf(want, sizeof(want), ".B \"--%s", name);
		if (!strstr(at_buf_text(&plain), want))
			fail_msg("the page has no %s", want);
		seen++;
	}
	assert_int_equal(seen, 8);
	for (size_t i = 0; i < AT_LEN(words); i++)
		assert_row(i, strstr(at_buf_text(&plain), words[i]));
	at_buf_free(&help);
	at_buf_free(&plain);
	at_buf_free(&text);
}

/* What the tables hold stands in the page: codes, ceilings, frameworks, exit statuses. */
static void ui_8_man_page_has_the_tables(void **state)
{
	struct at_buf text = document("atconsole.1"), plain = { 0 };

	for (size_t k = 0; k < text.len; k++)
		if (text.data[k] != '\\')
			at_buf_putc(&plain, text.data[k]);
	for (size_t i = 0; i < at_advisory_rule_count; i++)
		assert_row(i, strstr(at_buf_text(&plain), at_advisory_rules[i].code));
	for (size_t i = 0; i < at_ceiling_count; i++)
		assert_row(i, strstr(at_buf_text(&plain), at_ceilings[i].id));
	for (int f = 0; f < AT_FRAMEWORK_COUNT; f++)
		assert_non_null(strstr(at_buf_text(&plain), at_framework_name((enum at_framework_id)f)));
	for (int m = 1; m < AT_MECHANISM_COUNT; m++)
		assert_non_null(strstr(at_buf_text(&plain), at_mechanism_name((enum at_mechanism)m)));
	assert_non_null(strstr(at_buf_text(&plain), "WIDENS: "));
	assert_non_null(strstr(at_buf_text(&plain), ".SS merge"));
	assert_non_null(strstr(at_buf_text(&plain), ".B \"128 + N\""));
	at_buf_free(&plain);
	at_buf_free(&text);
}

static void ui_8_groff_finds_no_fault(void **state)
{
	static const char *const pages[] = { "atconsole.1", "atconsole-config.5",
		"agentteams-gate.1" };

	for (size_t i = 0; i < AT_LEN(pages); i++) {
		struct at_buf out = { 0 };

		if (shell(&out, "command -v groff >/dev/null || exit 77", pages[i]) == 77)
			skip_because("groff is not here: the man pages are not held against it");
		if (shell(&out, "groff -man -Tutf8 -ww -z \"$DOCUMENT\"", pages[i]) != 0 || out.len)
			fail_msg("%s: %s", pages[i], at_buf_text(&out));
		at_buf_free(&out);
	}
}

/* Sourced in bash, it completes modes, options and their values. */
static void ui_8_bash_completes(void **state)
{
	static const struct {
		const char *words, *want;
	} rows[] = {
		{ "--che", "--check\n--check-wiring\n--check-clearance\n--check-config\n" },
		{ "--theme li", "light\n" },
		{ "--framework co", "codex\ncopilot-vscode\ncopilot-cli\n" },
		{ "--accept x", "" },
		{ "--json --read", "--readonly\n" },
	};
	struct at_buf have = { 0 };

	if (shell(&have, "command -v bash >/dev/null || exit 77", "atconsole") == 77)
		skip_because("bash is not here");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf out = { 0 };
		char command[1024];

		snprintf(command, sizeof(command),
			"bash -c '. \"$DOCUMENT\" && COMP_WORDS=(atconsole %s) && "
			"COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _atconsole && "
			"for w in \"${COMPREPLY[@]}\"; do echo \"$w\"; done'",
			rows[i].words);
		assert_row(i, shell(&out, command, "atconsole") == 0);
		if (strcmp(at_buf_text(&out), rows[i].want) != 0)
			fail_msg("row %zu: %s", i, at_buf_text(&out));
		at_buf_free(&out);
	}
}

/* A shell that is here reads its completion without complaint. */
static void ui_8_other_shells_parse(void **state)
{
	static const struct {
		const char *shell, *document;
	} rows[] = { { "zsh", "_atconsole" }, { "fish", "atconsole.fish" } };
	size_t here = 0;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf out = { 0 };
		char command[256];
		int status;

		snprintf(command, sizeof(command), "command -v %s >/dev/null || exit 77; %s -n \"$DOCUMENT\"",
			rows[i].shell, rows[i].shell);
		status = shell(&out, command, rows[i].document);
		here += status != 77;
		if (status != 77 && (status || out.len))
			fail_msg("%s: %s", rows[i].document, at_buf_text(&out));
		at_buf_free(&out);
	}
	if (!here)
		skip_because("neither zsh nor fish is here");
}

int test_docs(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_8_every_option_is_everywhere),
		cmocka_unit_test(ui_8_gate_page_has_the_tables),
		cmocka_unit_test(ui_8_man_page_has_the_tables),
		cmocka_unit_test(ui_8_groff_finds_no_fault),
		cmocka_unit_test(ui_8_bash_completes),
		cmocka_unit_test(ui_8_other_shells_parse),
	};

	return cmocka_run_group_tests_name("docs", tests, NULL, NULL);
}
