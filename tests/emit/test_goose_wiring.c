/* WIRE-5 of a goose team: what became of the profile, of goose's own switch, and of what runs. */
#include "emit/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/control_plane.h"
#include "emit/goose.h"

/* The write policy has goose for one process, by this variable alone. */
static char *const allowed[] = { (char *)(uintptr_t)"AGENTTEAMS_ALLOW_UNENFORCED_GOOSE_SWITCH=1",
	NULL };

static void begin(struct fixture *f, const char *brief, enum at_platform platform)
{
	fixture_begin(f, brief);
	f->options.framework = AT_GOOSE;
	f->host.environment = allowed;
	f->options.platform = platform;
	f->options.allow_unenforced_confinement = true;
	f->project.team_dir = at_team_dir(AT_GOOSE);
	fixture_update(f);
}

static struct at_wiring check(struct fixture *f)
{
	struct at_wiring report;

	at_wiring_init(&report);
	fixture_must_plan(f);
	assert_true(at_frameworks[AT_GOOSE]->check_wiring(&report, &f->manifest, &f->project,
		&f->plan, &f->err));
	return report;
}

static const struct at_finding *find(const struct at_wiring *report, const char *id)
{
	for (size_t i = 0; i < report->count; i++)
		if (strcmp(report->findings[i].id, id) == 0)
			return &report->findings[i];
	return NULL;
}

static void config(struct fixture *f, const char *text)
{
	test_write(f->host.home, AT_GOOSE_CONFIG, text);
}

/* The emitted profile with `from` once replaced by `to`; NULL: put at the end. */
static void spoil(struct fixture *f, const char *from, const char *to)
{
	struct at_buf old = fixture_read(f, AT_GOOSE_PROFILE), text = { 0 };
	const char *at = from ? strstr(at_buf_text(&old), from) : at_buf_text(&old) + old.len;

	assert_non_null(at);
	at_buf_printf(&text, "%.*s%s%s", (int)(at - old.data), old.data, to,
		at + (from ? strlen(from) : 0));
	fixture_write(f, AT_GOOSE_PROFILE, at_buf_text(&text));
	at_buf_free(&text);
	at_buf_free(&old);
}

#define ROOT "(subpath (param \"WORKSPACE_ROOT\"))"

/* WIRE-5: each way in which a profile lacks what it should, by one finding that names it. */
static void wire_5_spoiled_profiles(void **state)
{
	static const struct { const char *brief, *from, *to, *id, *text; } rows[] = {
		{ "{}", "(deny file-write*)", "", "seatbelt-writes-open", "lacks (deny file-write*)" },
		{ "{}", ROOT, "(subpath \"/else\")", "seatbelt-root-missing", "write roots: ." },
		{ "{\"workspace_write_roots\": [\"src\", \"out\"]}", "\"/out\"", "\"/other\"",
			"seatbelt-root-missing", "write roots: out" },
		{ "{}", NULL, "(allow file-write* " ROOT ")", "seatbelt-reopened",
			".goose/recipes/references/agent-privilege.json" },
		{ "{}", NULL, "(allow file-write-data (literal (string-append (param "
			"\"WORKSPACE_ROOT\") \"/.goose/sandbox.sb\")))", "seatbelt-reopened",
			"own reach: .goose/sandbox.sb." },
		{ "{}", NULL, "(allow file-write-unlink (literal (string-append (param "
			"\"WORKSPACE_ROOT\") \"/.goose\")))", "seatbelt-ancestor-open", ": .goose." },
		{ "{}", "(deny network*)", "", "seatbelt-network-open", "lacks (deny network*)" },
		{ "{}", NULL, "(allow network*)", "seatbelt-network-open", "any host" },
		{ "{}", NULL, "(allow network-outbound (remote ip \"localhost:80\"))", NULL, NULL },
		{ "{}", NULL, "(allow network-outbound (remote ip \"localhost:*\"))",
			"seatbelt-loopback-open", "own services" },
		{ "{\"goose_egress_proxy\": \"localhost:81\"}", "localhost:81\"", "localhost:82\"",
			"seatbelt-proxy-missing", "cannot reach its model" },
		{ "{}", "(deny file-read*", "(deny file-read-xattr", "seatbelt-reads-open",
			"~/.config/agentteams/keys" },
		{ "{\"privilege_profile\": \"exclusive\"}", "\"/.ssh\"", "\"/.s\"",
			"seatbelt-reads-open", "read: ~/.ssh." },
		{ "{}", NULL, "(import \"x.sb\")", "seatbelt-cannot-tell", "cannot be told" },
		{ "{}", NULL, "(allow file-write* (extension \"x\"))", "seatbelt-cannot-tell",
			"does not know" },
		{ "{}", "(allow default)", "(allow default", "seatbelt-unreadable", "line " },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_finding *found;
		struct at_wiring report;
		struct fixture f;

		begin(&f, rows[i].brief, AT_DARWIN);
		config(&f, "GOOSE_SANDBOX: 1\n");
		spoil(&f, rows[i].from, rows[i].to);
		report = check(&f);
		found = rows[i].id ? find(&report, rows[i].id) : NULL;
		if (rows[i].id && (!found || found->level != AT_FAIL
				|| !strstr(found->text, rows[i].text)
				|| strncmp(found->text, "WARNING: ", 9) != 0 || !*found->remedy))
			fail_msg("row %zu: %s: %s", i, rows[i].id, found ? found->text : "not found");
		assert_row(i, !report.is_configured == !!rows[i].id);
		assert_row(i, !find(&report, "seatbelt-denies") == !!rows[i].id);
		assert_row(i, find(&report, "artefact-differs")); /* whatever it says: it was edited */
		assert_row(i, find(&report, "seatbelt-unverified"));
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-5: no profile, a link in its place, a directory. */
static void wire_5_no_profile(void **state)
{
	static const struct { const char *how, *id; } rows[] = { { "true", "seatbelt-missing" },
		{ "ln -s /etc/passwd", "seatbelt-unfit" }, { "mkdir", "seatbelt-unfit" } };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_finding *found;
		struct at_wiring report;
		char line[2048];
		struct fixture f;

		begin(&f, "{}", AT_DARWIN);
		assert_int_equal(unlink(test_path(f.project_path, AT_GOOSE_PROFILE)), 0);
		snprintf(line, sizeof(line), "%s '%s/" AT_GOOSE_PROFILE "'",
			rows[i].how, f.project_path);
		assert_int_equal(system(line), 0);
		at_wiring_init(&report);
		/* the plan refuses what is no file there: that of before stands for it */
		assert_true(at_frameworks[AT_GOOSE]->check_wiring(&report, &f.manifest, &f.project,
			&f.plan, &f.err));
		found = find(&report, rows[i].id);
		assert_row(i, found && found->level == AT_FAIL && !report.is_configured);
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-5: goose's own switch, in every spelling of on, and nothing that only looks like it. */
static void wire_5_goose_switch(void **state)
{
	static const struct { const char *text; bool on; } rows[] = {
		{ NULL, false }, { "", false },
		{ "GOOSE_SANDBOX: 1\n", true }, { "GOOSE_SANDBOX: true", true },
		{ "a: b\nGOOSE_SANDBOX:  \"Yes\"  # mine\nc: d\n", true },
		{ "GOOSE_SANDBOX: 'on'\r\n", true }, { "GOOSE_SANDBOX: TRUE#\n", true },
		{ "GOOSE_SANDBOX: 0\n", false }, { "GOOSE_SANDBOX: false\n", false },
		{ "GOOSE_SANDBOX:\n", false }, { "GOOSE_SANDBOX: 11\n", false },
		{ "# GOOSE_SANDBOX: 1\n", false }, { "x:\n  GOOSE_SANDBOX: 1\n", false },
		{ "GOOSE_SANDBOX_X: 1\n", false }, { "GOOSE_SANDBOX: 1\nGOOSE_SANDBOX: 0\n", false },
		{ "GOOSE_SANDBOX: 0\nGOOSE_SANDBOX: 1\n", true },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_wiring report;
		struct fixture f;

		begin(&f, "{}", AT_DARWIN);
		if (rows[i].text)
			config(&f, rows[i].text);
		report = check(&f);
		assert_row(i, report.is_configured == rows[i].on);
		assert_row(i, !!find(&report, "goose-sandbox-off") == !rows[i].on);
		assert_row(i, !!find(&report, "goose-sandbox-build") == rows[i].on);
		assert_row(i, (at_wiring_worst(&report) == AT_FAIL) == !rows[i].on);
		assert_non_null(find(&report, "seatbelt-denies"));
		assert_non_null(strstr(find(&report, "seatbelt-unverified")->text, "UNVERIFIED"));
		assert_non_null(find(&report, "goose-no-egress"));
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-5: nothing of goose's settings is repeated, and a link to them is followed. */
static void wire_5_echoes_nothing(void **state)
{
	struct at_wiring report;
	struct fixture f;

	begin(&f, "{}", AT_DARWIN);
	test_write(f.host.home, "dot/goose.yaml", "KEY: topsecret\nGOOSE_SANDBOX: topsecret\n");
	test_write(f.host.home, ".config/goose/.keep", "");
	assert_int_equal(symlink("../../dot/goose.yaml", test_path(f.host.home, AT_GOOSE_CONFIG)), 0);
	report = check(&f);
	assert_non_null(find(&report, "goose-sandbox-off"));
	for (size_t i = 0; i < report.count; i++)
		assert_row(i, !strstr(report.findings[i].text, "topsecret"));
	at_wiring_free(&report);
	test_write(f.host.home, "dot/goose.yaml", "GOOSE_SANDBOX: on\n");
	report = check(&f);
	assert_true(report.is_configured);
	at_wiring_free(&report);
	fixture_end(&f);
}

static void put_python(struct fixture *f, const char *path)
{
	fixture_write(f, path, "#!/bin/sh\n");
	assert_int_equal(chmod(test_path(f->project_path, path), 0755), 0);
}

/* WIRE-5: a python3 that a session can write; under the switch it fails. */
static void wire_5_python_in_project(void **state)
{
	static const struct { const char *before, *below; bool policy, link, found; } rows[] = {
		/* what PATH has before the project's path, and after it; NULL: no PATH */
		{ NULL, NULL, false, false, false },
		{ "", "/venv/bin:/usr/bin", false, false, true },
		{ "", "/venv/bin:/usr/bin", true, false, true },
		{ "/usr/bin:", "/venv/bin", true, false, false },
		{ "venv/bin:", "/none", false, false, true },
		{ "", "/../out:/usr/bin", false, true, true },
		{ "", "/none:", false, false, false },
	};

	if (access("/usr/bin/python3", X_OK) != 0)
		skip_because("python3 is not in /usr/bin");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_finding *found;
		struct at_wiring report;
		struct fixture f;

		begin(&f, rows[i].policy ? "{\"write_policy\": \"orchestrator-only\", \"privilege_profile\": \"confined\"}" : "{}",
			AT_LINUX);
		put_python(&f, "venv/bin/python3");
		if (rows[i].link) {
			test_write(f.host.home, "out/.keep", "");
			assert_int_equal(symlink("../project/venv/bin/python3",
				test_path(f.host.home, "out/python3")), 0);
		}
		if (rows[i].before)
			f.host.search_path = at_arena_printf(f.arena, "%s%s%s", rows[i].before,
				f.project_path, rows[i].below);
		report = check(&f);
		found = find(&report, "python-in-project");
		assert_row(i, !!found == rows[i].found);
		assert_row(i, !found || found->level == (rows[i].policy ? AT_FAIL : AT_WARN));
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-5: a copy of the read server that a session can write. */
static void wire_5_leftover_server(void **state)
{
	static const char *const places[] = { ".goose/goose-readfs-mcp.py",
		".goose/recipes/agentteams-readfs-mcp" };

	for (size_t i = 0; i < AT_LEN(places); i++) {
		const struct at_finding *found;
		struct at_wiring report;
		struct fixture f;

		begin(&f, "{}", AT_LINUX);
		report = check(&f);
		assert_null(find(&report, "read-server-leftover"));
		at_wiring_free(&report);
		fixture_write(&f, places[i], "");
		report = check(&f);
		found = find(&report, "read-server-leftover");
		assert_row(i, found && found->level == AT_WARN && strcmp(found->where, places[i]) == 0);
		assert_row(i, report.is_configured);
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

int test_goose_wiring(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_5_spoiled_profiles),
		cmocka_unit_test(wire_5_no_profile),
		cmocka_unit_test(wire_5_goose_switch),
		cmocka_unit_test(wire_5_echoes_nothing),
		cmocka_unit_test(wire_5_python_in_project),
		cmocka_unit_test(wire_5_leftover_server),
	};

	return cmocka_run_group_tests_name("goose_wiring", tests, NULL, NULL);
}
