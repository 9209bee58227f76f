/* battery: the self-test's probe in the sandboxes of others, for comparison.
 *
 * The same fixture, the same acts, the same judgement, each case as if it had to hold; prints
 * one JSON line a sandbox. Nothing here passes or fails. A sandbox that is not installed, or
 * does not start, is a line with "skipped" and the reason. What it was told is said with it:
 * another configuration comes to other numbers. BENCH_PEERS names npm's directory, see
 * launcher.py.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/json_write.h"
#include "core/mem.h"
#include "emit/assets.h"
#include "runner/selftest/launch.h"
#include "runner/selftest/probe_text.h"
#include "runner/selftest/run.h"
#include "runner/selftest/sights.h"
#include "runner/selftest/tools.h"

struct bench {
	struct at_tools tools;
	struct at_ground ground;
	struct at_launcher launcher;
	struct at_seen_act *outside; /* at_case_count of them: what the same acts did bare */
	char path[4096];             /* PATH, with npm's programs first */
};

/* What stands in front of the probe. */
typedef bool words_of(struct bench *b, struct at_fixture *f, struct at_words *out);

static bool bare(struct bench *b, struct at_fixture *f, struct at_words *out)
{
	(void)b;
	(void)f;
	out->count = 0;
	return true;
}

static bool launcher_plain(struct bench *b, struct at_fixture *f, struct at_words *out)
{
	at_launch_words(out, &b->launcher, f, AT_MODE_DEFAULT);
	at_words_add(out, "--");
	return true;
}

static bool launcher_harden(struct bench *b, struct at_fixture *f, struct at_words *out)
{
	if (!*b->launcher.harden)
		return false;
	at_launch_words(out, &b->launcher, f, AT_MODE_HARDEN);
	at_words_add(out, "--");
	return true;
}

/* bubblewrap as its readers use it: a read-only root and every namespace. */
static bool raw_bwrap(struct bench *b, struct at_fixture *f, struct at_words *out)
{
	const char *const words[] = { b->tools.bwrap, "--ro-bind", "/", "/", "--tmpfs", "/tmp", "--dev",
		"/dev", "--proc", "/proc", "--bind", f->scratch, f->scratch, "--unshare-all",
		"--die-with-parent", "--new-session", "--chdir", f->scratch, "--", NULL };

	at_words_add_all(out, words);
	return *b->tools.bwrap != '\0';
}

/* The first of PATH, in the fixture's arena; NULL: none. */
static const char *find(struct bench *b, struct at_fixture *f, const char *name)
{
	for (const char *p = b->path; *p; p += *p == ':') {
		size_t len = strcspn(p, ":");
		const char *path = at_arena_printf(f->arena, "%.*s/%s", (int)len, p, name);

		if (access(path, X_OK) == 0)
			return path;
		p += len;
	}
	return NULL;
}

static bool codex(struct bench *b, struct at_fixture *f, struct at_words *out)
{
	const char *program = find(b, f, "codex");
	const char *const words[] = { program, "sandbox", "-c", "sandbox_mode=\"workspace-write\"", "--",
		NULL };

	at_words_add_all(out, words);
	return program;
}

static bool srt(struct bench *b, struct at_fixture *f, struct at_words *out)
{
	const char *program = find(b, f, "srt");
	const char *path = at_arena_printf(f->arena, "%s/srt.json", f->home);
	const char *const words[] = { program, "--settings", path, NULL };
	const char *text = at_arena_printf(f->arena,
		"{\"network\":{\"allowedDomains\":[],\"deniedDomains\":[]},\"filesystem\":{\"denyRead\":["
		"\"%s/.ssh\",\"%s/.aws\",\"%s/.gnupg\",\"%s/.kube\",\"%s/.config/gcloud\",\"%s/.azure\","
		"\"%s/.config/agentteams/keys\"],\"allowWrite\":[\"%s\"],\"denyWrite\":[]}}",
		f->home, f->home, f->home, f->home, f->home, f->home, f->home, f->scratch);

	at_words_add_all(out, words);
	return program && at_fixture_write(path, at_bytes_of(text), 0644, NULL);
}

static bool firejail(struct bench *b, struct at_fixture *f, struct at_words *out)
{
	const char *program = find(b, f, "firejail");
	const char *const words[] = { program, "--quiet", "--noprofile", "--caps.drop=all",
		"--nonewprivs", "--noroot", "--seccomp", "--net=none", "--private-tmp", "--private-dev",
		"--restrict-namespaces", "--read-only=/",
		at_arena_printf(f->arena, "--read-write=%s", f->scratch),
		at_arena_printf(f->arena, "--blacklist=%s/.ssh", f->home), NULL };

	at_words_add_all(out, words);
	return program;
}

static const struct sandbox {
	const char *name, *told;
	words_of *words;
} sandboxes[] = {
	{ "none", "", bare },
	{ "bwrap", "read-only root, one writable directory, --unshare-all", raw_bwrap },
	{ "codex sandbox", "sandbox_mode workspace-write", codex },
	{ "srt", "no domain, one writable directory, seven hidden ones", srt },
	{ "firejail", "no profile, all its hardening flags, one hidden directory", firejail },
	{ "confine-run.sh", "--scratch alone", launcher_plain },
	{ "confine-run.sh --harden", "all of its flags", launcher_harden },
};

static void skip(const struct sandbox *s, const char *what, const char *details)
{
	struct at_json_value *line = at_json_object();
	struct at_buf text = { 0 }, why = { 0 };

	at_buf_printf(&why, "%s%.200s", what, details);
	at_json_add_text(line, "bench", "battery");
	at_json_add_text(line, "sandbox", s->name);
	at_json_add_text(line, "skipped", at_buf_text(&why));
	at_json_print(&text, line, AT_JSON_COMPACT);
	puts(at_buf_text(&text));
	at_buf_free(&text);
	at_buf_free(&why);
	at_json_value_free(line);
}

/* Each as if it had to hold: policies are the launcher's own, and would flatter it. */
static void tell(const struct bench *b, const struct sandbox *s, struct at_sights *sights)
{
	struct at_json_value *line = at_json_object(), *leaking;
	unsigned words[AT_CASE_COUNT] = { 0 }, broken = 0;
	struct at_buf text = { 0 };

	at_json_add_text(line, "bench", "battery");
	at_json_add_text(line, "sandbox", s->name);
	at_json_add_text(line, "told", s->told);
	leaking = at_json_add_array(line, "leaking");
	for (size_t i = 0; i < at_case_count; i++) {
		struct at_case one = at_cases[i];
		struct at_verdict verdict;

		if (one.way != AT_BY_PROBE)
			continue;
		one.policy[AT_MODE_DEFAULT] = AT_CASE_MUST;
		sights->cases[i].outside = b->outside[i];
		at_verdict_of(&verdict, &one, AT_MODE_DEFAULT, &sights->cases[i]);
		if (one.must_work) {
			broken += verdict.word != AT_HOLDS;
			continue;
		}
		words[verdict.word]++;
		if (verdict.word == AT_LEAKS)
			at_json_add_text(leaking, NULL, one.id);
	}
	at_json_add_number(line, "leaks", words[AT_LEAKS]);
	at_json_add_number(line, "holds", words[AT_HOLDS]);
	at_json_add_number(line, "not_known", words[AT_INCONCLUSIVE]);
	at_json_add_number(line, "workflows_broken", broken);
	at_json_print(&text, line, AT_JSON_COMPACT);
	puts(at_buf_text(&text));
	fflush(stdout);
	at_buf_free(&text);
	at_json_value_free(line);
}

/* The fixture's variables, with our PATH. */
static const char *const *environment(struct bench *b, struct at_fixture *f)
{
	const char **env = at_arena_alloc(f->arena, (f->env_count + 2) * sizeof(*env));
	size_t count = 0;

	for (size_t i = 0; i < f->env_count && f->env[i]; i++)
		if (strncmp(f->env[i], "PATH=", 5) != 0)
			env[count++] = f->env[i];
	env[count++] = at_arena_printf(f->arena, "PATH=%s", b->path);
	env[count] = NULL;
	return env;
}

static void take(struct at_sights *sights, const struct at_probe_text *said)
{
	for (size_t i = 0; i < at_case_count; i++) {
		sights->cases[i].attempt = said->cases[i].attempt;
		sights->cases[i].control = said->cases[i].control;
		sights->cases[i].secret_seen = said->cases[i].secret_seen && !at_cases[i].must_work;
	}
}

static void look(struct at_snapshot *out, const struct at_fixture *f)
{
	const char *const dirs[] = { f->scratch, f->home, f->sibling, f->outside };

	for (size_t i = 0; i < AT_LEN(dirs); i++)
		at_snapshot_take(&out[i], dirs[i]);
}

static void run(struct bench *b, const struct sandbox *s, const char *fixture, bool is_bare)
{
	struct at_sights sights = { .cases = at_alloc(at_case_count * sizeof(*sights.cases)) };
	struct at_snapshot before[4], after[4];
	struct at_words words = { .count = 0 };
	struct at_probe_text said = { 0 };
	struct at_fixture f;
	struct at_child_end end;
	struct at_error err;

	if (!at_fixture_make(&f, &b->ground, fixture, at_buf_bytes(&b->tools.probe_bytes), b->path, &err)) {
		skip(s, "no fixture: ", err.message);
		free(sights.cases);
		return;
	}
	if (!s->words(b, &f, &words)) {
		skip(s, "not installed", "");
	} else {
		at_words_add(&words, at_arena_printf(f.arena, "%s/agentteams-probe", f.scratch));
		at_words_add(&words, f.facts);
		at_words_add(&words, is_bare ? "outside" : "inside");
		look(before, &f);
		if (!at_launch_run(&end, &b->launcher, &f, words.items, environment(b, &f), &err)) {
			skip(s, "does not start: ", err.message);
		} else if (!at_probe_text_read(&said, at_buf_bytes(&end.out), f.secret_list, &err)
			|| said.told == 0) {
			skip(s, "does not run here: ", at_buf_text(&end.err));
		} else {
			look(after, &f);
			for (size_t i = 0; i < AT_LEN(before); i++)
				at_sights_add(&sights, i ? AT_SIGHT_OUTSIDE : AT_SIGHT_SCRATCH,
					&before[i], &after[i]);
			at_sights_end(&sights);
			take(&sights, &said);
			for (size_t i = 0; is_bare && i < at_case_count; i++)
				b->outside[i] = said.cases[i].attempt;
			if (!is_bare)
				tell(b, s, &sights);
		}
	}
	at_fixture_remove(&f);
	free(sights.cases);
}

static bool go_on(void *user, const struct at_child_end *so_far)
{
	(void)user;
	(void)so_far;
	return true;
}

static bool begin(struct bench *b, struct at_error *err)
{
	const char *peers = getenv("BENCH_PEERS");

	snprintf(b->path, sizeof(b->path), "%s%s/usr/local/bin:/usr/bin:/bin", peers ? peers : "",
		peers ? "/node_modules/.bin:" : "");
	b->launcher.go_on = go_on;
	b->outside = at_alloc(at_case_count * sizeof(*b->outside));
	at_tools_find(&b->tools, b->path);
	if (!*b->tools.probe)
		return at_fail(err, AT_EREFUSED, "agentteams-probe is not built");
	return at_tools_load(&b->tools, err);
}

static bool put_in_place(struct bench *b, struct at_error *err)
{
	char bin[AT_FIXTURE_PATH];

	snprintf(bin, sizeof(bin), "%s/bin", b->ground.base);
	snprintf(b->launcher.script, sizeof(b->launcher.script), "%s/confine-run.sh", bin);
	if (mkdir(bin, 0755) != 0)
		return at_fail_sys(err, errno, "cannot make `%s`", bin);
	if (!at_fixture_write(b->launcher.script, at_asset_launcher, 0755, err))
		return false;
	if (!*b->tools.harden)
		return true;
	snprintf(b->launcher.harden, sizeof(b->launcher.harden), "%s/agentteams-harden", bin);
	return at_fixture_write(b->launcher.harden, at_buf_bytes(&b->tools.harden_bytes), 0755, err);
}

int main(void)
{
	struct bench b = { 0 };
	struct at_error err = { 0 };
	uid_t user = geteuid() == 0 ? AT_SELFTEST_NOBODY : geteuid();

	if (!begin(&b, &err) || !at_ground_make(&b.ground, user, NULL, "", &err)) {
		fprintf(stderr, "battery: %s\n", err.message);
		return 1;
	}
	if (geteuid() != user
		&& (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0
			|| setresuid(user, user, user) != 0)) {
		fprintf(stderr, "battery: root's rights cannot be given up\n");
		return 1;
	}
	if (!put_in_place(&b, &err)) {
		fprintf(stderr, "battery: %s\n", err.message);
	} else {
		run(&b, &sandboxes[0], "host", true); /* the controls */
		for (size_t i = 0; i < AT_LEN(sandboxes); i++)
			run(&b, &sandboxes[i], "peer", false);
	}
	at_ground_remove(&b.ground);
	return err.code != 0;
}
