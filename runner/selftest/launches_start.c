/* launches_start.c - starts that must be refused, or must do what they say. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/json_read.h"
#include "runner/selftest/launches.h"

#define REFUSED 2
#define MASKS 200
#define PROTECTED 500

/* One start of a case; the first that does what it must not ends the case. */
static bool must_refuse(struct at_launches *l, struct at_evidence_of_case *out,
	const char *const *more, const char *const *env, const char *what)
{
	bool ran;
	int status = at_launch_script(l, more, at_launch_mark, env, &ran);

	if (ran)
		at_launch_said(&out->attempt, AT_SEEN_WORKED, "%s: the command was run", what);
	else if (status != REFUSED)
		at_launch_said(
			&out->attempt, AT_SEEN_WORKED, "%s: it ended with %d, not 2", what, status);
	else
		return true;
	return false;
}

/* A directory with links to every program the launcher uses but bwrap. */
static const char *path_without_bwrap(struct at_launches *l)
{
	static const char *const tools[] = { "tr", "sort", "grep", "find", "readlink", "uname",
		"id", "env", "sh", "cat", "ip", "mount" };
	const char *dir = at_arena_printf(l->fixture->arena, "%s/no-bwrap", l->fixture->top);

	mkdir(dir, 0755);
	for (size_t i = 0; i < AT_LEN(tools); i++) {
		const char *link = at_arena_printf(l->fixture->arena, "%s/%s", dir, tools[i]);
		const char *usual = at_arena_printf(l->fixture->arena, "/usr/bin/%s", tools[i]);
		const char *other = at_arena_printf(l->fixture->arena, "/bin/%s", tools[i]);

		if (symlink(access(usual, X_OK) == 0 ? usual : other, link) != 0 && errno != EEXIST)
			return NULL;
	}
	return dir;
}

/* The fixture's environment with another PATH. */
static const char *const *env_with_path(struct at_launches *l, const char *path)
{
	const struct at_fixture *f = l->fixture;
	const char **env = at_arena_alloc(f->arena, (f->env_count + 1) * sizeof(*env));

	for (size_t i = 0; i < f->env_count; i++)
		env[i] = strncmp(f->env[i], "PATH=", 5) == 0
			? at_arena_printf(f->arena, "PATH=%s", path)
			: f->env[i];
	return env;
}

void at_launch_y1(struct at_launches *l, struct at_evidence_of_case *out)
{
	static const char *const nowhere[] = { "--scratch", "/nonexistent/at", NULL };
	static const char *const no_root[] = { "--writable", "/nonexistent/at", NULL };
	static const char *const no_helper[] = { "--harden=require", "--harden-helper",
		"/nonexistent/agentteams-harden", NULL };
	static const char *const no_layer[] = { "--harden=require", "--harden-helper", "/bin/true",
		NULL };
	const char *path = path_without_bwrap(l);

	if (!path) {
		at_launch_said(
			&out->attempt, AT_SEEN_BROKEN, "no PATH without bwrap could be made");
		return;
	}
	if (must_refuse(l, out, NULL, env_with_path(l, path), "without bwrap")
		&& must_refuse(l, out, nowhere, NULL, "without a workspace")
		&& must_refuse(l, out, no_root, NULL, "without a second workspace")
		&& must_refuse(l, out, no_helper, NULL, "without the helper")
		&& must_refuse(l, out, no_layer, NULL, "without a filter"))
		at_launch_said(&out->attempt, AT_SEEN_REFUSED, "5 starts, each with status 2");
}

void at_launch_y2(struct at_launches *l, struct at_evidence_of_case *out)
{
	static const char *const unknown[] = { "--no-such-option", NULL };
	static const char *const mode[] = { "--egress", "some", NULL };
	static const char *const empty[] = { "--", "", NULL };
	static const char *const number[] = { "--nproc-max", "-1", NULL };
	const char *dir = at_arena_printf(l->fixture->arena, "%s/two\nlines", l->fixture->top);
	const char *const newline[] = { "--writable", dir, NULL };

	if (mkdir(dir, 0755) != 0 && errno != EEXIST) {
		at_launch_said(&out->attempt, AT_SEEN_BROKEN, "no path with a newline can be made");
		return;
	}
	if (must_refuse(l, out, unknown, NULL, "an unknown option")
		&& must_refuse(l, out, mode, NULL, "an unknown mode")
		&& must_refuse(l, out, empty, NULL, "an empty command")
		&& must_refuse(l, out, number, NULL, "a number below 1")
		&& must_refuse(l, out, newline, NULL, "a newline in a path"))
		at_launch_said(&out->attempt, AT_SEEN_REFUSED, "5 starts, each with status 2");
}

/* ---- Y3: the plan that is printed is the plan that is run ---- */

/* A bwrap that writes down what it is given and runs nothing. */
static const char *make_recorder(struct at_launches *l, const char *record)
{
	struct at_arena *arena = l->fixture->arena;
	const char *dir = at_arena_printf(arena, "%s/recorder", l->fixture->top);
	const char *program = at_arena_printf(arena, "%s/bwrap", dir);
	const char *text = at_arena_printf(arena,
		"#!/bin/sh\n[ \"$1\" != --help ] || exit 0\n"
		"exec /bin/cat <&9 >'%s'\n",
		record);

	mkdir(dir, 0755);
	return at_fixture_write(program, at_bytes_of(text), 0755, NULL) ? dir : NULL;
}

/* The words, without those that set variables: a check does not print their values. */
static size_t next_word(const char *data, size_t len, size_t at)
{
	while (at < len && strcmp(data + at, "--setenv") == 0)
		for (int i = 0; i < 3 && at < len; i++)
			at += strlen(data + at) + 1;
	return at;
}

static struct at_buf read_all(const char *path)
{
	FILE *file = fopen(path, "re");
	struct at_buf text = { 0 };
	char part[8192];
	size_t got;

	while (file && (got = fread(part, 1, sizeof(part), file)) > 0)
		at_buf_put(&text, part, got);
	if (file)
		fclose(file);
	return text;
}

static bool is_same_plan(const struct at_buf *json, const struct at_buf *run)
{
	static const struct at_json_limits limits = { (size_t)4 << 20, 8 };
	struct at_arena *arena = at_arena_new();
	struct at_json doc;
	size_t at = 0;
	bool same;

	same = at_json_read(&doc, at_buf_bytes(json), &limits, 0, NULL);
	if (same) {
		uint32_t args = at_json_member(&doc, AT_JSON_ROOT, "args");

		at_json_each(&doc, i, args) {
			at = next_word(run->data, run->len, at);
			same = same && at < run->len
				&& at_bytes_equal_text(
					at_json_string(&doc, i, arena), run->data + at);
			if (at < run->len)
				at += strlen(run->data + at) + 1;
		}
		same = same && at_json_is(&doc, args, AT_JSON_ARRAY)
			&& next_word(run->data, run->len, at) >= run->len && run->len > 0;
		at_json_free(&doc);
	}
	at_arena_free(arena);
	return same;
}

static bool check_runs_nothing(
	struct at_launches *l, struct at_evidence_of_case *out, struct at_buf *json)
{
	const char *const command[] = { "--check", "--json", "--", "/bin/sh", "-c", at_launch_mark,
		"sh", l->marker, NULL };
	struct at_words words;
	struct at_child_end end;
	bool ok;

	at_launch_words(&words, l->launcher, l->fixture, l->mode);
	at_words_add_all(&words, command);
	if (!at_launch_run(&end, l->launcher, l->fixture, words.items, NULL, NULL)) {
		at_launch_said(&out->attempt, AT_SEEN_BROKEN, "it could not be started");
		return false;
	}
	ok = end.status == 0 && !end.is_cut && access(l->marker, F_OK) != 0;
	if (ok)
		at_buf_put(json, at_buf_text(&end.out), end.out.len);
	else
		at_launch_said(&out->attempt, AT_SEEN_WORKED,
			access(l->marker, F_OK) == 0 ? "--check ran the command"
						     : "--check ended with %d",
			end.status);
	at_child_end_free(&end);
	unlink(l->marker);
	return ok;
}

void at_launch_y3(struct at_launches *l, struct at_evidence_of_case *out)
{
	struct at_arena *arena = l->fixture->arena;
	const char *record = at_arena_printf(arena, "%s/recorded", l->fixture->top);
	const char *recorder = make_recorder(l, record);
	struct at_buf json = { 0 }, run = { 0 };
	bool ran;

	if (!recorder) {
		at_launch_said(&out->attempt, AT_SEEN_BROKEN, "no recorder could be made");
		return;
	}
	if (check_runs_nothing(l, out, &json)) {
		unlink(record);
		at_launch_script(l, NULL, at_launch_mark,
			env_with_path(l, at_arena_printf(arena, "%s:%s", recorder, l->search_path)),
			&ran);
		run = read_all(record);
		if (is_same_plan(&json, &run))
			at_launch_said(&out->attempt, AT_SEEN_REFUSED,
				"--check ran nothing; bwrap got word for word what it prints");
		else
			at_launch_said(&out->attempt, AT_SEEN_WORKED,
				"bwrap gets other words than --check prints");
	}
	at_buf_free(&run);
	at_buf_free(&json);
}

void at_launch_y4(struct at_launches *l, struct at_evidence_of_case *out)
{
	static const struct {
		const char *script;
		int status;
	} ends[] = { { "exit 0", 0 }, { "exit 1", 1 }, { "exit 7", 7 }, { "exit 127", 127 },
		{ "kill -TERM $$", 143 }, { "kill -KILL $$", 137 } };
	bool ran;

	for (size_t i = 0; i < AT_LEN(ends); i++) {
		int status = at_launch_script(l, NULL, ends[i].script, NULL, &ran);

		if (status == ends[i].status)
			continue;
		at_launch_said(&out->attempt, AT_SEEN_WORKED, "'%s' came out as %d", ends[i].script,
			status);
		return;
	}
	at_launch_said(
		&out->attempt, AT_SEEN_REFUSED, "%zu commands, each end as it was", AT_LEN(ends));
}

/* Many masks and many protected files: the last of each must count like the first. */
void at_launch_y5(struct at_launches *l, struct at_evidence_of_case *out)
{
	static const char script[] = ": >\"$1\"; cd \"${1%/*}\" || exit 3\n"
				     "( echo x >>many/p499 ) 2>/dev/null && exit 4\n"
				     "( echo x >>many/p0 ) 2>/dev/null && exit 4\n"
				     "[ ! -s ../outside/m199 ] || exit 5\n"
				     "[ ! -s ../outside/m0 ] || exit 5\n";
	struct at_fixture *f = l->fixture;
	const char **more = at_arena_alloc(f->arena, (2 * (MASKS + PROTECTED) + 1) * sizeof(*more));
	size_t count = 0;
	bool ran, ok = true;
	int status;

	mkdir(at_arena_printf(f->arena, "%s/many", f->scratch), 0755);
	for (int i = 0; i < MASKS + PROTECTED; i++) {
		bool mask = i < MASKS;
		const char *path = mask
			? at_arena_printf(f->arena, "%s/m%d", f->outside, i)
			: at_arena_printf(f->arena, "%s/many/p%d", f->scratch, i - MASKS);

		ok = ok && at_fixture_write(path, at_bytes_of("there\n"), 0644, NULL);
		more[count++] = mask ? "--exclude" : "--protect";
		more[count++] = path;
	}
	status = ok ? at_launch_script(l, more, script, NULL, &ran) : -1;
	if (status == 0 && ran)
		at_launch_said(&out->attempt, AT_SEEN_REFUSED, "%d masks and %d protected files",
			MASKS, PROTECTED);
	else if (status == REFUSED || status < 0)
		at_launch_said(&out->attempt, AT_SEEN_BROKEN, "it did not start (%d)", status);
	else
		at_launch_said(&out->attempt, AT_SEEN_WORKED,
			status == 4           ? "a protected file was written"
				: status == 5 ? "a hidden file was read"
					      : "it ended with %d",
			status);
}

/* ---- starts as root of a user namespace ---- */

static const char *find_unshare(void)
{
	static const char *const places[] = { "/usr/bin/unshare", "/bin/unshare" };

	for (size_t i = 0; i < AT_LEN(places); i++)
		if (access(places[i], X_OK) == 0)
			return places[i];
	return NULL;
}

/* `before` is done as root of a new namespace, then the launcher is started. */
static int start_in_namespace(struct at_launches *l, const char *before, bool allow_root, bool *ran)
{
	struct at_launcher launcher = *l->launcher;
	struct at_words words = { .count = 0 }, start;
	struct at_child_end end;
	int status = -1;

	launcher.is_root = allow_root;
	unlink(l->marker);
	at_words_add(&words, find_unshare());
	at_words_add(&words, "-Ur");
	at_words_add(&words, "/bin/sh");
	at_words_add(&words, "-c");
	at_words_add(&words, before);
	at_words_add(&words, "sh");
	at_launch_words(&start, &launcher, l->fixture, l->mode);
	at_words_add_all(&words, start.items);
	at_words_add(&words, "--");
	at_words_add(&words, "/bin/sh");
	at_words_add(&words, "-c");
	at_words_add(&words, at_launch_mark);
	at_words_add(&words, "sh");
	at_words_add(&words, l->marker);
	if (at_launch_run(&end, &launcher, l->fixture, words.items, NULL, NULL)) {
		status = end.status;
		at_child_end_free(&end);
	}
	*ran = access(l->marker, F_OK) == 0;
	unlink(l->marker);
	return status;
}

void at_launch_y6(struct at_launches *l, struct at_evidence_of_case *out)
{
	bool ran = false;
	int status;

	if (!find_unshare()) {
		out->no_fixture = "there is no unshare (util-linux) to be root with";
		return;
	}
	status = start_in_namespace(l, "[ \"$(id -u)\" = 0 ] || exit 9; exec \"$@\"", false, &ran);
	if (ran)
		at_launch_said(&out->attempt, AT_SEEN_WORKED, "root's command was run");
	else if (status == REFUSED)
		at_launch_said(&out->attempt, AT_SEEN_REFUSED, "status 2");
	else
		at_launch_said(&out->attempt, AT_SEEN_BROKEN, "it ended with %d", status);
}

void at_launch_y7(struct at_launches *l, struct at_evidence_of_case *out)
{
	static const char off[] = "echo 0 >/proc/sys/user/max_user_namespaces || exit 9\n"
				  "exec \"$@\"";
	bool ran = false;
	int status;

	if (!find_unshare()) {
		out->no_fixture = "there is no unshare (util-linux) to switch them off with";
		return;
	}
	status = start_in_namespace(l, off, true, &ran);
	if (ran)
		at_launch_said(&out->attempt, AT_SEEN_WORKED, "the command was run");
	else if (status == 9 || status <= 0)
		at_launch_said(&out->attempt, AT_SEEN_BROKEN, "it ended with %d", status);
	else
		at_launch_said(&out->attempt, AT_SEEN_REFUSED, "not run, status %d", status);
}
