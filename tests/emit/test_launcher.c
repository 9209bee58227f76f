#include "emit/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/control_plane.h"
#include "core/launch_line.h"
#include "core/pipeline.h"
#include "emit/assets.h"
#include "emit/codex.h"
#include "emit/goose.h"
#include "emit/launcher.h"

#define COOPERATIVE "{\"privilege_profile\": \"cooperative\"}"

static void begin(struct fixture *f, const char *brief, enum at_framework_id framework,
	enum at_platform platform)
{
	fixture_begin(f, brief);
	f->options.framework = framework;
	f->options.platform = platform;
	f->options.allow_unenforced_confinement = true;
	f->project.team_dir = at_team_dir(framework);
	f->project.managed_dir = at_arena_strdup(f->arena, test_path(f->top, "managed"));
}

static struct at_wiring check(struct fixture *f)
{
	struct at_wiring report;

	at_wiring_init(&report);
	fixture_must_plan(f);
	if (!at_frameworks[f->options.framework]->check_wiring(&report, &f->manifest, &f->project,
		    &f->plan, &f->err))
		fail_msg("check: %s", f->err.message);
	return report;
}

static const struct at_finding *find(const struct at_wiring *report, const char *id)
{
	for (size_t i = 0; i < report->count; i++)
		if (strcmp(report->findings[i].id, id) == 0)
			return &report->findings[i];
	return NULL;
}

static void write_launcher(struct fixture *f, struct at_bytes bytes, const char *more, mode_t mode)
{
	struct at_buf text = { 0 };

	at_buf_put(&text, bytes.data, bytes.len);
	at_buf_puts(&text, more);
	fixture_write(f, AT_LAUNCHER, at_buf_text(&text));
	assert_int_equal(chmod(test_path(f->project_path, AT_LAUNCHER), mode), 0);
	at_buf_free(&text);
}

/* EMIT-9, EMIT-10, EMIT-16: any framework, linux and macOS, as soon as a boundary is asked
 * for, and nothing else and nowhere else; each file is the asset, and is there once. */
static void emit_9_matrix(void **state)
{
	static const struct { const char *brief, *token; bool asks; } asking[] = {
		{ "{}", NULL, true },
		{ "{\"privilege_profile\": \"exclusive\"}", NULL, true },
		{ COOPERATIVE, NULL, false },
		{ COOPERATIVE, "claude:sandbox", true },
	};
	static const size_t emitted[] = { [AT_LINUX] = 1, [AT_DARWIN] = 4, [AT_WINDOWS] = 0,
		[AT_OTHER] = 0 };

	for (size_t row = 0; row < AT_LEN(asking) * AT_FRAMEWORK_COUNT * AT_LEN(emitted); row++) {
		size_t a = row % AT_LEN(asking), rest = row / AT_LEN(asking), sandbox = 0;
		enum at_framework_id framework = rest % AT_FRAMEWORK_COUNT;
		enum at_platform platform = (enum at_platform)(rest / AT_FRAMEWORK_COUNT);
		struct fixture f;

		begin(&f, asking[a].brief, framework, platform);
		f.options.target_host_features = asking[a].token;
		fixture_must_plan(&f);
		for (size_t i = 0; i < f.plan.count; i++)
			sandbox += strncmp(f.plan.changes[i].path, "sandbox/", 8) == 0;
		assert_row(row, sandbox == (asking[a].asks ? emitted[platform] : 0));
		for (size_t i = 0; i < sandbox; i++) {
			const struct at_launcher_file *file = &at_launcher_files[i];
			const struct at_change *change = fixture_change(&f, file->path);

			assert_row(row, change && change->kind == AT_CREATE);
			assert_row(row, at_bytes_equal(change->bytes, *file->bytes));
			assert_row(row, change->mode == file->mode);
		}
		fixture_end(&f);
	}
}

/* EMIT-9: on disk too, byte for byte, and executable where it is to be run. */
static void emit_9_written(void **state)
{
	static const mode_t modes[] = { 0755, 0755, 0644, 0644 };

	for (size_t i = 0; i < AT_FRAMEWORK_COUNT; i++) {
		struct fixture f;

		begin(&f, "{}", (enum at_framework_id)i, AT_DARWIN);
		fixture_update(&f);
		for (size_t k = 0; k < AT_LEN(at_launcher_files); k++) {
			struct at_buf text = fixture_read(&f, at_launcher_files[k].path);
			struct stat st;

			assert_row(k, at_bytes_equal(at_buf_bytes(&text),
				*at_launcher_files[k].bytes));
			assert_int_equal(stat(test_path(f.project_path, at_launcher_files[k].path),
				&st), 0);
			assert_row(k, (st.st_mode & 07777) == modes[k]);
			at_buf_free(&text);
		}
		assert_non_null(fixture_notice(&f, "list-setuid"));
		fixture_end(&f);
	}
}

/* EMIT-9: what is emitted changes only when somebody says so: here is the one place. */
static void emit_9_pins(void **state)
{
	struct at_buf pins = test_read(NULL, "launcher.sha256"), now = { 0 };

	for (size_t i = 0; i < AT_LEN(at_launcher_files); i++) {
		struct at_digest digest = at_digest_of(*at_launcher_files[i].bytes);
		char hex[AT_DIGEST_HEX];

		at_digest_hex(hex, &digest);
		at_buf_printf(&now, "%s  %s\n", hex, strrchr(at_launcher_files[i].path, '/') + 1);
	}
	if (!at_bytes_equal(at_buf_bytes(&pins), at_buf_bytes(&now)))
		fail_msg("emit/assets is not what tests/data/launcher.sha256 pins. If that is "
			 "meant, it is:\n%s", at_buf_text(&now));
	at_buf_free(&pins);
	at_buf_free(&now);
}

/* EMIT-9: upstream's own rule: the text stands any locale. */
static void emit_9_ascii(void **state)
{
	for (size_t i = 0; i < AT_LEN(at_launcher_files); i++)
		for (size_t k = 0; k < at_launcher_files[i].bytes->len; k++)
			assert_row(i, (unsigned char)at_launcher_files[i].bytes->data[k] < 0x80);
}

/* INT-2, WIRE-5: same, older release, edited by one byte, not to be executed, another name:
 * the plan and the check see each, for a claude team as for others. */
static void int_2_states(void **state)
{
	static const struct {
		const char *more; /* after the emitted bytes */
		mode_t mode;
		bool recorded, linked;
		const char *id; /* of the finding */
		bool pending, notice;
	} rows[] = {
		{ "", 0755, false, false, "launcher-genuine", false, false },
		{ "", 0700, false, false, "launcher-genuine", false, false },
		{ "#", 0755, false, false, "launcher-edited", true, true },
		{ "#", 0755, true, false, "launcher-older", true, false },
		{ "", 0644, false, false, "launcher-not-executable", true, false },
		{ "", 0755, false, true, "launcher-hard-link", false, false },
		{ NULL, 0, false, false, "launcher-missing", true, false },
	};
	static const enum at_framework_id frameworks[] = { AT_CLAUDE, AT_GOOSE, AT_CODEX,
		AT_COPILOT_CLI, AT_AGENTS_MD };

	for (size_t row = 0; row < AT_LEN(rows) * AT_LEN(frameworks); row++) {
		const size_t i = row / AT_LEN(frameworks);
		const enum at_framework_id framework = frameworks[row % AT_LEN(frameworks)];
		const bool genuine = strcmp(rows[i].id, "launcher-genuine") == 0;
		const struct at_change *change;
		const struct at_finding *found;
		struct at_wiring report;
		struct fixture f;

		begin(&f, "{}", framework, AT_LINUX);
		if (rows[i].recorded) { /* what was emitted once was another text */
			struct at_buf old = { 0 }, log;
			char was[AT_DIGEST_HEX], is[AT_DIGEST_HEX], *at;
			struct at_digest digest;

			fixture_update(&f);
			at_buf_put(&old, at_asset_launcher.data, at_asset_launcher.len);
			at_buf_puts(&old, rows[i].more);
			digest = at_digest_of(at_buf_bytes(&old));
			at_digest_hex(was, &digest);
			digest = at_digest_of(at_asset_launcher);
			at_digest_hex(is, &digest);
			log = fixture_read(&f, at_arena_printf(f.arena, "%s/" AT_TEAM_MARKER,
				f.project.team_dir));
			is[16] = was[16] = '\0';
			at = strstr(log.data, is);
			assert_non_null(at);
			memcpy(at, was, 16);
			fixture_write(&f, at_arena_printf(f.arena, "%s/" AT_TEAM_MARKER,
				f.project.team_dir), at_buf_text(&log));
			at_buf_free(&log);
			at_buf_free(&old);
		} else {
			fixture_update(&f);
		}
		if (rows[i].more)
			write_launcher(&f, at_asset_launcher, rows[i].more, rows[i].mode);
		else
			assert_int_equal(unlink(test_path(f.project_path, AT_LAUNCHER)), 0);
		if (rows[i].linked) {
			char *other = at_arena_strdup(f.arena, test_path(f.top, "other"));

			assert_int_equal(link(test_path(f.project_path, AT_LAUNCHER), other), 0);
		}
		report = check(&f);
		change = fixture_change(&f, AT_LAUNCHER);
		assert_row(row, at_change_is_pending(change) == rows[i].pending);
		assert_row(row, !!fixture_notice(&f, "launcher-edited") == rows[i].notice);
		found = find(&report, rows[i].id);
		assert_row(row, found && strcmp(found->where, AT_LAUNCHER) == 0);
		assert_row(row, found->level == (genuine ? AT_OKAY : AT_FAIL));
		if (framework != AT_CLAUDE) {
			assert_row(row, report.is_configured == genuine);
			assert_row(row, !!find(&report, "launcher-enforceable") == genuine);
		}
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* INT-2: what one team's run wrote is known to the other's. */
static void int_2_any_team_records(void **state)
{
	struct at_wiring report;
	struct fixture f;

	begin(&f, "{}", AT_CLAUDE, AT_LINUX);
	write_launcher(&f, at_bytes_of("old launcher\n"), "", 0755);
	fixture_write(&f, ".codex/agents/" AT_TEAM_MARKER,
		"{\"file_hashes\": {\"../../" AT_LAUNCHER "\": \"0000000000000000\"}}");
	report = check(&f);
	assert_non_null(find(&report, "launcher-edited"));
	at_wiring_free(&report);
	fixture_write(&f, ".codex/agents/" AT_TEAM_MARKER, /* printf 'old launcher\n' | sha256sum */
		"{\"file_hashes\": {\"../../" AT_LAUNCHER "\": \"5d6149bdd59f568e\"}}");
	report = check(&f);
	assert_non_null(find(&report, "launcher-older"));
	at_wiring_free(&report);
	fixture_end(&f);
}

/* EMIT-9: an edit is replaced, told, and comes back by undo. */
static void emit_9_edit_is_not_lost(void **state)
{
	struct at_applied applied;
	struct at_buf text;
	struct fixture f;

	begin(&f, "{}", AT_CODEX, AT_LINUX);
	fixture_update(&f);
	write_launcher(&f, at_bytes_of("#!/bin/sh\n"), "echo mine\n", 0755);
	fixture_must_plan(&f);
	assert_non_null(strstr(fixture_change(&f, AT_LAUNCHER)->reason, "edited, or not ours"));
	assert_non_null(strstr(fixture_notice(&f, "launcher-edited"), AT_LAUNCHER));
	fixture_update(&f);
	assert_true(at_journal_undo(f.project.fd, &f.state, NULL, &applied, &f.err));
	text = fixture_read(&f, AT_LAUNCHER);
	assert_string_equal(at_buf_text(&text), "#!/bin/sh\necho mine\n");
	at_buf_free(&text);
	fixture_end(&f);
}

/* EMIT-1: a link in the launcher's place or on the way to it refuses the whole plan. */
static void emit_9_links_are_refused(void **state)
{
	static const char *const rows[] = { "sandbox", AT_LAUNCHER };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;

		begin(&f, "{}", AT_GOOSE, AT_LINUX);
		test_write(f.top, "outside/confine-run.sh", "x");
		if (i)
			fixture_write(&f, "sandbox/.keep", "");
		assert_int_equal(symlink(test_path(f.top, "outside"),
			test_path(f.project_path, rows[i])), 0);
		assert_row(i, !fixture_plan(&f));
		assert_row(i, f.err.code == AT_EUNSAFE);
		fixture_end(&f);
	}
}

/* DEC-3, DEC-4: whoever has to wrap is told so, with a line that starts a file which the same
 * plan holds; and the macOS text names the test that is emitted beside it. */
static void dec_3_advisory_names_what_is_emitted(void **state)
{
	static const struct { enum at_platform platform; const char *code; bool goose; } rows[] = {
		{ AT_LINUX, "privilege-profile-linux-launcher-manual-wire", true },
		{ AT_DARWIN, "privilege-profile-macos-launcher-manual-wire", false },
	};

	for (size_t row = 0; row < AT_LEN(rows) * AT_FRAMEWORK_COUNT; row++) {
		const size_t i = row / AT_FRAMEWORK_COUNT;
		const enum at_framework_id framework = row % AT_FRAMEWORK_COUNT;
		const struct at_advisory *found = NULL;
		struct fixture f;

		begin(&f, "{}", framework, rows[i].platform);
		fixture_must_plan(&f);
		for (size_t k = 0; k < f.manifest.advisory_count; k++)
			if (strcmp(f.manifest.advisories[k].code, rows[i].code) == 0)
				found = &f.manifest.advisories[k];
		assert_row(row, !!found == (framework != AT_CLAUDE &&
			(framework != AT_GOOSE || rows[i].goose)));
		assert_row(row, !found || (!found->fatal && strstr(found->message, AT_LAUNCHER) &&
			strstr(found->action, AT_LAUNCHER " --scratch")));
		assert_non_null(fixture_change(&f, AT_LAUNCHER));
		if (found && rows[i].platform == AT_DARWIN)
			assert_row(row, strstr(found->message, at_launcher_files[1].path) &&
				fixture_change(&f, at_launcher_files[1].path));
		fixture_end(&f);
	}
}

/* WIRE-5: what is said of a team whose files are all as they should be. */
static void wire_5_launcher_teams(void **state)
{
	static const struct {
		enum at_framework_id framework;
		enum at_platform platform;
		const char *brief, *id, *text;
		bool fails, configured;
	} rows[] = {
#define GOOD "launcher-enforceable", "ENFORCEABLE (must still be wrapped)", false, true
#define NOT_HERE "not-enforceable-here", "NOT ENFORCEABLE HERE", false, false
#define NOT_ASKED "no-boundary-requested", "No boundary was asked for", false, false
		{ AT_GOOSE, AT_LINUX, "{}", GOOD },
		{ AT_CODEX, AT_LINUX, "{}", GOOD },
		{ AT_COPILOT_VSCODE, AT_LINUX, "{}", GOOD },
		{ AT_COPILOT_CLI, AT_LINUX, "{}", GOOD },
		{ AT_AGENTS_MD, AT_LINUX, "{}", GOOD },
		{ AT_CODEX, AT_DARWIN, "{}", GOOD },
		{ AT_COPILOT_VSCODE, AT_DARWIN, "{}", GOOD },
		{ AT_AGENTS_MD, AT_DARWIN, "{}", GOOD },
		{ AT_GOOSE, AT_DARWIN, "{}", "goose-sandbox-off", "does not confine itself", true,
			false },
		{ AT_GOOSE, AT_WINDOWS, "{}", NOT_HERE },
		{ AT_CODEX, AT_OTHER, "{}", NOT_HERE },
		{ AT_GOOSE, AT_LINUX, COOPERATIVE, NOT_ASKED },
		{ AT_AGENTS_MD, AT_WINDOWS, COOPERATIVE, NOT_ASKED },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_finding *found;
		struct at_wiring report;
		struct fixture f;

		begin(&f, rows[i].brief, rows[i].framework, rows[i].platform);
		fixture_update(&f);
		report = check(&f);
		found = find(&report, rows[i].id);
		assert_row(i, found && strstr(found->text, rows[i].text));
		assert_row(i, (at_wiring_worst(&report) == AT_FAIL) == rows[i].fails);
		assert_row(i, report.is_configured == rows[i].configured);
		assert_row(i, !report.file_is_loaded && !report.hook_is_wired);
		assert_non_null(fixture_notice(&f, "framework-partly-emitted"));
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-5: an emitted control file that is gone fails as well. */
static void wire_5_missing_control_file(void **state)
{
	struct at_wiring report;
	struct fixture f;

	begin(&f, "{}", AT_COPILOT_VSCODE, AT_LINUX);
	fixture_update(&f);
	assert_int_equal(unlink(test_path(f.project_path, ".github/agents/" AT_SWITCH)), 0);
	report = check(&f);
	assert_non_null(find(&report, "artefact-missing"));
	at_wiring_free(&report);
	fixture_end(&f);
}

/* LAU-4: whatever the launcher needs once a marker is there, the plan has written. */
static void lau_4_plan_writes_what_is_needed(void **state)
{
	for (size_t i = 0; i < AT_AGENTS_MD; i++) {
		struct fixture f;

		begin(&f, "{}", (enum at_framework_id)i, AT_LINUX);
		fixture_update(&f);
		for (size_t k = 0; k < at_control_plane_count; k++) {
			const struct at_plane_row *row = &at_control_plane[k];
			char path[PATH_MAX];

			if (!(row->use & (AT_PLANE_LAUNCHER_NEEDED | AT_PLANE_LAUNCHER_SWITCHED)) ||
				(row->only >= 0 && row->only != (int)i))
				continue;
			at_plane_path(path, sizeof(path), row, f.project.team_dir);
			if (access(test_path(f.project_path, path), F_OK) != 0)
				fail_msg("%s: %s is not there",
					at_framework_name((enum at_framework_id)i), path);
		}
		fixture_end(&f);
	}
}

/* EMIT-14: teams of the Python tool are taken over where they stand: its switch and record
 * are found, and nothing lands beside them. Its codex wrote to .agents then. */
static void emit_14_takes_over_launcher_teams(void **state)
{
	static const struct { enum at_framework_id framework; const char *name, *team_dir; } rows[] = {
		{ AT_GOOSE, "goose", ".goose/recipes" },
		{ AT_CODEX, "codex", ".agents" },
		{ AT_COPILOT_VSCODE, "copilot-vscode", ".github/agents" },
		{ AT_AGENTS_MD, "agents-md", ".agents" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_change *change;
		struct at_buf brief;
		struct fixture f;
		char name[256];

		snprintf(name, sizeof(name), "trees/%s-default.brief.json", rows[i].name);
		brief = test_read(NULL, name);
		begin(&f, at_buf_text(&brief), rows[i].framework, AT_LINUX);
		at_buf_free(&brief);
		snprintf(name, sizeof(name), "%s/trees/%s-default", test_data(), rows[i].name);
		test_copy_tree(name, f.project_path);
		f.project.team_dir = rows[i].team_dir;
		fixture_must_plan(&f);
		snprintf(name, sizeof(name), "%s/" AT_SWITCH, rows[i].team_dir);
		change = fixture_change(&f, name);
		assert_row(i, change && change->kind == AT_KEPT);
		snprintf(name, sizeof(name), "%s/" AT_TEAM_MARKER, rows[i].team_dir);
		change = fixture_change(&f, name);
		assert_row(i, change && change->kind == AT_REPLACE);
		for (size_t k = 0; k < f.plan.count; k++)
			assert_row(i, strncmp(f.plan.changes[k].path, rows[i].team_dir,
				strlen(rows[i].team_dir)) == 0 ||
				strcmp(f.plan.changes[k].path, AT_LAUNCHER) == 0 ||
				strcmp(f.plan.changes[k].path, AT_GOOSE_RUNNER) == 0 ||
				(rows[i].framework == AT_CODEX &&
					strcmp(f.plan.changes[k].path, AT_CODEX_RUNNER) == 0));
		assert_null(fixture_notice(&f, "planted-marker"));
		fixture_update(&f);
		fixture_end(&f);
	}
}

int test_launcher(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_9_matrix),
		cmocka_unit_test(emit_9_written),
		cmocka_unit_test(emit_9_pins),
		cmocka_unit_test(emit_9_ascii),
		cmocka_unit_test(int_2_states),
		cmocka_unit_test(int_2_any_team_records),
		cmocka_unit_test(emit_9_edit_is_not_lost),
		cmocka_unit_test(emit_9_links_are_refused),
		cmocka_unit_test(dec_3_advisory_names_what_is_emitted),
		cmocka_unit_test(wire_5_launcher_teams),
		cmocka_unit_test(wire_5_missing_control_file),
		cmocka_unit_test(lau_4_plan_writes_what_is_needed),
		cmocka_unit_test(emit_14_takes_over_launcher_teams),
	};

	return cmocka_run_group_tests_name("launcher", tests, NULL, NULL);
}
