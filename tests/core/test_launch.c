/* The launch line: what a shell makes of it, and what of it is ready. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/child.h"
#include "core/file.h"
#include "core/json_write.h"
#include "core/launch_check.h"

struct team {
	struct at_request request;
	struct at_root roots[8];
	struct at_manifest manifest;
};

static void set_team(struct team *t, enum at_framework_id framework, const char *const *roots,
	struct at_texts hidden)
{
	*t = (struct team){ .request = { .profile = AT_EXCLUSIVE, .protected_read_paths = hidden } };
	t->manifest = (struct at_manifest){ .request = &t->request, .framework = framework,
		.platform = AT_LINUX, .roots = t->roots };
	for (; roots && *roots; roots++)
		t->roots[t->manifest.root_count++].path = *roots;
}

/* The words that a shell makes of a line, one a row, run in `dir` with HOME=/home/o p. */
static char *words_of(const char *line, const char *dir)
{
	struct at_buf script = { 0 };
	const char *argv[] = { "/bin/sh", "-c", NULL, NULL };
	struct at_child_call call = { .argv = argv,
		.env = (const char *const[]){ "HOME=/home/o p", "PATH=/usr/bin:/bin", NULL },
		.cwd = dir, .timeout_ms = 5000, .cap = 1 << 20 };
	struct at_child_end end;
	struct at_error err;
	char *words;

	at_buf_printf(&script, "printf '%%s\\n' %s", line);
	argv[2] = at_buf_text(&script);
	if (!at_child_run(&end, &call, &err) || end.status != 0)
		fail_msg("%s: %s", line, at_buf_text(&end.err));
	words = at_strdup(at_buf_text(&end.out));
	at_child_end_free(&end);
	at_buf_free(&script);
	return words;
}

static const char *const hostile[] = { "a b", "it's", "\"q\"", "$HOME", "$(id)", "`id`", "a;b&c|d",
	"-rf", "--egress", "\\", "a\\nb", "*", "?[x]", "#x", "~", "~/x y", "~root/x", "!x", "caf\xc3\xa9",
	"\xe6\x97\xa5\xe6\x9c\xac", "a=b", "{a,b}", "<x>", "''", "./x", "./-x", "/abs/it's", "../up" };

static const char *expanded(char *out, size_t size, const char *path, const char *dir)
{
	if (path[0] == '/')
		snprintf(out, size, "%s", path);
	else if (path[0] == '~' && (path[1] == '/' || !path[1]))
		snprintf(out, size, "/home/o p%s", path + 1);
	else
		snprintf(out, size, "%s/%s", dir, strncmp(path, "./", 2) == 0 ? path + 2 : path);
	return out;
}

/* WIRE-15: whatever a path is called, a shell makes one word of it, and runs nothing. */
static void wire_15_a_shell_reads_the_paths(void **state)
{
	char *dir = test_tree_new();

	for (size_t i = 0; i < AT_LEN(hostile); i++) {
		const char *roots[] = { "src", hostile[i], NULL };
		struct at_buf line = { 0 };
		char want[8192], path[2048];
		struct team t;
		char *words;

		set_team(&t, AT_GOOSE, roots, (struct at_texts){ (const char **)(uintptr_t)&hostile[i], 1 });
		assert_row(i, at_launch_line(&line, &t.manifest, NULL));
		words = words_of(at_buf_text(&line), dir);
		expanded(path, sizeof(path), hostile[i], dir);
		snprintf(want, sizeof(want),
			AT_LAUNCHER "\n--scratch\n%s/src\n--writable\n%s\n--exclude\n%s\n--egress\ndeny\n--\n"
			"goose\nsession\n",
			dir, path, path);
		if (strcmp(words, want) != 0)
			fail_msg("row %zu: %s\ngave\n%s\nnot\n%s", i, at_buf_text(&line), words, want);
		free(words);
		at_buf_free(&line);
	}
	test_tree_remove(dir);
}

/* WIRE-15: the launcher refuses control characters, and so does the line. */
static void wire_15_control_characters_are_refused(void **state)
{
	static const char *const bad[] = { "a\nb", "\n", "a\tb", "a\033[2J", "a\x7f", "a\rb" };

	for (size_t i = 0; i < AT_LEN(bad); i++) {
		const char *roots[] = { "src", bad[i], NULL };
		struct at_buf line = { 0 };
		struct at_error err;
		struct team t;

		set_team(&t, AT_GOOSE, roots, (struct at_texts){ 0 });
		assert_row(i, !at_launch_line(&line, &t.manifest, &err));
		assert_row(i, line.len == 0 && err.code == AT_EREFUSED && *err.hint);
		set_team(&t, AT_GOOSE, (const char *const[]){ "src", NULL },
			(struct at_texts){ (const char **)(uintptr_t)&bad[i], 1 });
		assert_row(i, !at_launch_line(&line, &t.manifest, &err));
	}
}

/* WIRE-15: the six, each with its own command; claude's project is the scratch and its
 * configuration is kept; roots in the order of the manifest. */
static void wire_15_all_six_frameworks(void **state)
{
	static const char *const ends[AT_FRAMEWORK_COUNT] = { "-- claude", "-- goose session",
		"-- codex --sandbox danger-full-access", "-- code --wait .", "-- copilot",
		"-- YOUR-AGENT" };
	static const char *const roots[] = { "b", "a", "c", NULL };

	for (int f = 0; f < AT_FRAMEWORK_COUNT; f++) {
		struct at_buf line = { 0 };
		struct team t;
		const char *text;

		set_team(&t, (enum at_framework_id)f, roots, (struct at_texts){ 0 });
		t.request.protect_prompt_roots = true;
		assert_row(f, at_launch_line(&line, &t.manifest, NULL));
		text = at_buf_text(&line);
		assert_row(f, strcmp(text + strlen(text) - strlen(ends[f]), ends[f]) == 0);
		assert_row(f, strstr(text, " --protect-prompt-roots --egress deny -- "));
		assert_row(f, (strstr(text, "--protect \"$PWD\"/.claude") != NULL) == (f == AT_CLAUDE));
		assert_row(f, strstr(text, f == AT_CLAUDE
				? "--scratch \"$PWD\" --writable \"$PWD\"/b --writable \"$PWD\"/a --writable "
				  "\"$PWD\"/c"
				: "--scratch \"$PWD\"/b --writable \"$PWD\"/a --writable \"$PWD\"/c"));
		at_buf_free(&line);
	}
}

/* WIRE-15: wrapped at any width, the pieces are one line to a shell, and none is too long. */
static void wire_15_wrapped_and_never_cut(void **state)
{
	static const char *const roots[] = { "src", "a very long name with blanks and it's quotes, on and on and on and on",
		"/a/path/that/has/no/blank/at/all/and/is/longer/than/most/screens/are/wide/which/takes/a/tear",
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5",
		NULL };
	char *dir = test_tree_new(), *want;
	struct at_buf line = { 0 };
	struct team t;

	set_team(&t, AT_GOOSE, roots, (struct at_texts){ 0 });
	assert_true(at_launch_line(&line, &t.manifest, NULL));
	want = words_of(at_buf_text(&line), dir);
	for (int width = 0; width < 240; width += width < 20 ? 1 : 5) {
		struct at_buf all = { 0 }, piece = { 0 };
		size_t from = 0;
		bool quoted = false;
		char *words;

		while (at_launch_wrap(&piece, at_buf_text(&line), &from, &quoted, width)) {
			if (width > 24 && piece.len > (size_t)width)
				fail_msg("width %d: %s", width, at_buf_text(&piece));
			at_buf_printf(&all, "%s%s", all.len ? "\n" : "", at_buf_text(&piece));
			piece.len = 0;
		}
		words = words_of(at_buf_text(&all), dir);
		if (strcmp(words, want) != 0)
			fail_msg("width %d:\n%s", width, at_buf_text(&all));
		free(words);
		at_buf_free(&all);
		at_buf_free(&piece);
	}
	free(want);
	at_buf_free(&line);
	test_tree_remove(dir);
}

struct stage {
	char *dir;
	struct at_launch_place place;
	struct at_launch launch;
};

static void begin(struct stage *s)
{
	struct at_error err;

	*s = (struct stage){ .dir = test_tree_new() };
	assert_int_equal(mkdir(test_path(s->dir, "shop"), 0755), 0);
	s->place.project = at_strdup(test_path(s->dir, "shop"));
	s->place.home = at_strdup(test_path(s->dir, "home"));
	s->place.root = at_file_open_dir(-1, s->place.project, &err);
	assert_true(s->place.root >= 0);
}

static void end(struct stage *s)
{
	at_launch_free(&s->launch);
	close(s->place.root);
	free((char *)(uintptr_t)s->place.project);
	free((char *)(uintptr_t)s->place.home);
	test_tree_remove(s->dir);
}

/* WIRE-15: what the launcher would refuse because it is not there is said beforehand. */
static void wire_15_what_is_not_ready(void **state)
{
	static const char *const roots[] = { "src", "not-there", "a-file", "~/build", NULL };
	static const char *const hidden[] = { "secret", "gone", "keys/*.pem" };
	static const char *const says[] = { NULL, "create it first", "a directory is wanted", NULL, NULL,
		"create it first", "no patterns" };
	struct stage s;
	struct team t;

	begin(&s);
	test_write(s.place.project, "src/x", "");
	test_write(s.place.project, "a-file", "");
	test_write(s.place.project, "secret", "");
	test_write(s.dir, "home/build/x", "");
	set_team(&t, AT_GOOSE, roots, (struct at_texts){ (const char **)(uintptr_t)hidden, 3 });
	at_launch_look(&s.launch, &t.manifest, &s.place);
	assert_int_equal(s.launch.paths.count, AT_LEN(says));
	assert_int_equal(s.launch.missing_count, 4);
	for (size_t i = 0; i < AT_LEN(says); i++) {
		const char *note = s.launch.missing[i];

		assert_row(i, !note == !says[i]);
		assert_row(i, !note || strstr(note, says[i]));
		assert_row(i, !note || strstr(note, s.launch.paths.items[i].path));
	}
	end(&s);
}

/* LAU-12: a sandbox of the agent's own that is on in the tree is found, and one is to be
 * chosen; the local file decides over the project's. */
static void lau_12_two_boundaries_do_not_nest(void **state)
{
#define ON "{\"sandbox\": {\"enabled\": true}}"
#define OFF "{\"sandbox\": {\"enabled\": false}}"
	static const struct {
		enum at_framework_id framework;
		const char *project, *local, *codex;
		const char *found, *says;
	} rows[] = {
		{ AT_CLAUDE, ON, NULL, NULL, ".claude/settings.json", "choose one" },
		{ AT_CLAUDE, OFF, ON, NULL, ".claude/settings.local.json", "--allow-nested" },
		{ AT_CLAUDE, ON, OFF, NULL, NULL, "is off in this tree" },
		{ AT_CLAUDE, ON, "{}", NULL, ".claude/settings.json", "weaker" },
		{ AT_CLAUDE, "{\"sandbox\": {\"enabled\": \"true\"}}", NULL, NULL, NULL, "is off" },
		{ AT_CLAUDE, "{ // dropped whole\n\"sandbox\": {\"enabled\": true}}", NULL, NULL, NULL,
			"is off" },
		{ AT_CLAUDE, NULL, NULL, NULL, NULL, "is off in this tree" },
		{ AT_GOOSE, ON, NULL, NULL, ".claude/settings.json", "choose one" },
		{ AT_GOOSE, NULL, NULL, NULL, NULL, "do not nest" },
		{ AT_CODEX, NULL, NULL, "model = \"x\"\n sandbox_mode = \"workspace-write\"\n",
			".codex/config.toml", "switches codex's own sandbox off" },
		{ AT_CODEX, NULL, NULL, "sandbox_mode = \"danger-full-access\"\n", NULL, "do not nest" },
		{ AT_CODEX, NULL, NULL, "# sandbox_mode = \"read-only\"\n", NULL, "do not nest" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct stage s;
		struct team t;

		begin(&s);
		if (rows[i].project)
			test_write(s.place.project, ".claude/settings.json", rows[i].project);
		if (rows[i].local)
			test_write(s.place.project, ".claude/settings.local.json", rows[i].local);
		if (rows[i].codex)
			test_write(s.place.project, ".codex/config.toml", rows[i].codex);
		set_team(&t, rows[i].framework, NULL, (struct at_texts){ 0 });
		at_launch_look(&s.launch, &t.manifest, &s.place);
		assert_row(i, !s.launch.own_sandbox == !rows[i].found);
		assert_row(i, !rows[i].found || strcmp(s.launch.own_sandbox, rows[i].found) == 0);
		assert_row(i, strstr(s.launch.boundaries, rows[i].says));
		end(&s);
	}
}

/* WIRE-15: of the launcher's state no word says that anything is confined or done. */
static void wire_15_the_launcher_is_never_done(void **state)
{
	static const struct {
		bool is_there, is_genuine;
		enum at_launcher_state want;
		const char *says;
	} rows[] = {
		{ false, false, AT_LAUNCHER_ABSENT, "there is no " AT_LAUNCHER },
		{ false, true, AT_LAUNCHER_ABSENT, "there is no " AT_LAUNCHER },
		{ true, false, AT_LAUNCHER_UNCHECKED, "not known to be ours" },
		{ true, true, AT_LAUNCHER_GENUINE, "launcher present and genuine; whether your agent runs "
			"inside it cannot be seen from here" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_json_value *json = at_json_object();
		struct at_buf text = { 0 }, printed = { 0 };
		struct stage s;
		struct team t;

		begin(&s);
		if (rows[i].is_there)
			test_write(s.place.project, AT_LAUNCHER, "#!/bin/sh\n");
		s.place.is_genuine = rows[i].is_genuine;
		set_team(&t, AT_GOOSE, NULL, (struct at_texts){ 0 });
		at_launch_look(&s.launch, &t.manifest, &s.place);
		assert_row(i, s.launch.launcher == rows[i].want);
		assert_row(i, strstr(s.launch.launcher_text, rows[i].says));
		at_launch_print(&s.launch, &text);
		at_launch_to_json(&s.launch, json);
		at_json_print(&printed, json, AT_JSON_PRETTY);
		assert_row(i, strncmp(at_buf_text(&text), AT_LAUNCHER " --scratch", 20) == 0);
		assert_row(i, strstr(at_buf_text(&text), rows[i].says));
		assert_row(i, strstr(at_buf_text(&printed), rows[i].says));
		assert_row(i, !strstr(at_buf_text(&text), "done"));
		for (size_t e = 0; at_launch_egress(e); e++)
			assert_row(i, strstr(at_buf_text(&text), at_launch_egress(e)->means));
		assert_row(i, strstr(at_buf_text(&text), at_launch_starts()));
		at_json_value_free(json);
		at_buf_free(&text);
		at_buf_free(&printed);
		end(&s);
	}
}

/* DEC-3, DEC-4: there is no line where there is no launcher. */
static void wire_15_no_line_elsewhere(void **state)
{
	static const enum at_platform platforms[] = { AT_WINDOWS, AT_OTHER };

	for (size_t i = 0; i < AT_LEN(platforms); i++) {
		struct stage s;
		struct team t;

		begin(&s);
		set_team(&t, AT_GOOSE, NULL, (struct at_texts){ 0 });
		t.manifest.platform = platforms[i];
		at_launch_look(&s.launch, &t.manifest, &s.place);
		assert_row(i, !*s.launch.line && s.launch.why.code == AT_EREFUSED);
		end(&s);
	}
}

int test_launch(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_15_a_shell_reads_the_paths),
		cmocka_unit_test(wire_15_control_characters_are_refused),
		cmocka_unit_test(wire_15_all_six_frameworks),
		cmocka_unit_test(wire_15_wrapped_and_never_cut),
		cmocka_unit_test(wire_15_what_is_not_ready),
		cmocka_unit_test(lau_12_two_boundaries_do_not_nest),
		cmocka_unit_test(wire_15_the_launcher_is_never_done),
		cmocka_unit_test(wire_15_no_line_elsewhere),
	};

	return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}
