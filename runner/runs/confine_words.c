/* The words of one start, and what has to hold before there are any. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/path.h"
#include "runner/runs/confine_impl.h"
#include "runner/runs/program.h"

#define STARTED ".run-started"
#define SURVIVORS ".run-survivors"

/* Runs inside, around the command: TMP CWD COUNT ROOT… PROGRAM ARG…. A root that became a link
 * between the check and the mount is none of those directories any more, and one that was a link
 * for that moment alone is not writable here: nothing is started then. Whatever is there besides
 * bwrap's own first process and this shell when the command has ended was left behind; the kernel
 * would end it without a word. This shell's own words go nowhere: one would say "Killed" where
 * its own redirection leads, hence the second shell. */
static const char inside[] =
	"tmp=$1 at=$2 roots=$3; shift 3\n"
	"while [ \"$roots\" -gt 0 ]; do\n"
	"    cd -P -- \"$1\" && [ \"$PWD\" = \"$1\" ] && [ -w . ] || {\n"
	"        echo \"'$1' is not the directory that was to be writable\" >&2; exit 2; }\n"
	"    roots=$((roots - 1)); shift\n"
	"done\n"
	"cd -- \"$at\" || { echo \"'$at' is not there inside the sandbox:"
	" a project below /tmp or /run, or a hidden one, cannot be worked in\" >&2; exit 2; }\n"
	": >\"$tmp/" STARTED "\" || exit 2\n"
	"exec 9>&2 2>/dev/null\n"
	"/bin/sh -c 'exec \"$@\" 2>&9 9>&-' run \"$@\"\n"
	"status=$?\n"
	"left() {\n"
	"    found=\n"
	"    for dir in /proc/[0-9]*; do\n"
	"        case ${dir#/proc/} in 1 | $$) continue ;; esac\n"
	"        { while read -r key value _; do\n"
	"            [ \"$key\" = State: ] || continue\n"
	"            case $value in [ZX]) ;; *) found=\"$found ${dir#/proc/}\" ;; esac\n"
	"            break\n"
	"        done <\"$dir/status\"; } 2>/dev/null\n"
	"    done\n"
	"}\n"
	"first=\n"
	"[ ! -r /proc/1/comm ] || read -r first </proc/1/comm\n"
	"if [ \"$first\" = bwrap ]; then\n"
	"    left\n"
	"    [ -z \"$found\" ] || { command -p sleep 0.2; left; }\n"
	"    [ -z \"$found\" ] || { kill -KILL $found; : >\"$tmp/" SURVIVORS "\"; }\n"
	"fi\n"
	"exit $status\n";

struct words {
	const char **items; /* zeroed, with room for all and the NULL behind */
	size_t count;
};

static size_t length(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static void add(struct words *words, const char *word)
{
	words->items[words->count++] = word;
}

const char *const *at_confine_launcher_words(struct at_confine *c, struct at_arena *arena,
	const struct at_confine_entry *entry, const char *program, const char *const *argv,
	const char *tmp)
{
	size_t lists = length(entry->write) + length(entry->protect) + length(entry->hide);
	struct words w = { 0 };

	w.items = at_arena_alloc(arena, (24 + 2 * lists + length(argv)) * sizeof(*w.items));
	add(&w, "/bin/sh");
	add(&w, at_arena_printf(arena, "%s/" AT_CONFINE_SCRIPT, c->setup.private_dir));
	add(&w, "--scratch");
	add(&w, tmp);
	if (c->setup.allow_root)
		add(&w, "--allow-root");
	add(&w, "--egress");
	add(&w, entry->egress ? "host" : "deny");
	add(&w, "--env-allow");
	add(&w, "ELAN_HOME");
	for (size_t i = 0; entry->write && entry->write[i]; i++) {
		add(&w, "--writable");
		add(&w, at_arena_printf(arena, "%s/%s", c->setup.project, entry->write[i]));
	}
	for (size_t i = 0; entry->protect && entry->protect[i]; i++) {
		if (at_file_type(c->project, entry->protect[i]) == AT_FILE_ABSENT)
			continue;
		add(&w, "--protect");
		add(&w, at_arena_printf(arena, "%s/%s", c->setup.project, entry->protect[i]));
	}
	for (size_t i = 0; entry->hide && entry->hide[i]; i++) {
		if (access(entry->hide[i], F_OK) != 0)
			continue;
		add(&w, "--exclude");
		add(&w, entry->hide[i]);
	}
	add(&w, "--");
	add(&w, program);
	for (size_t i = 1; argv[0] && argv[i]; i++)
		add(&w, argv[i]);
	return w.items;
}

const char *const *at_confine_launcher_env(
	struct at_confine *c, struct at_arena *arena, const char *tmp)
{
	const char *const *env = at_program_env(arena, c->setup.environment, c->search_path, tmp);
	size_t n = length(env);
	const char **more = at_arena_alloc(arena, (n + 2) * sizeof(*more));

	memcpy(more, env, n * sizeof(*more));
	if (*c->state_home)
		more[n] = at_arena_printf(arena, "XDG_STATE_HOME=%s", c->state_home);
	return more;
}

/* ---- what has to hold (3.12) ---- */

static bool has_control(const char *path)
{
	for (; *path; path++)
		if ((unsigned char)*path < ' ' || *path == 127)
			return true;
	return false;
}

/* A directory of the project, reached without a link. `what` is "write root" or "cwd". */
static bool check_dir(struct at_confine *c, const char *path, const char *what, bool may_be_top,
	struct at_error *err)
{
	char plain[PATH_MAX];
	int fd;

	if (!*path || *path == '/' || !at_path_normalise(plain, path)
		|| strncmp(plain, "..", 2) == 0 || has_control(path))
		return at_fail(err, AT_EREFUSED,
			"%s `%s` is no directory inside the project; refused", what, path);
	if (strcmp(plain, ".") == 0)
		return may_be_top
			|| at_fail(err, AT_EREFUSED, "%s `%s` is the project itself; refused", what,
				path);
	if (strcmp(plain, path) != 0)
		return at_fail(err, AT_EREFUSED, "%s `%s` is not in its plain form (`%s`); refused",
			what, path, plain);
	fd = at_file_open_dir(c->project, path, NULL);
	if (fd < 0)
		return at_fail(err, AT_EREFUSED,
			"%s `%s` is not an existing real directory inside the project (a symbolic "
			"link is none); refused",
			what, path);
	close(fd);
	return true;
}

bool at_confine_expand(char out[PATH_MAX], const struct at_confine *c, const char *path)
{
	char plain[PATH_MAX];

	if (strncmp(path, "~/", 2) == 0 && !*c->home)
		return false;
	return (*path == '/' || strncmp(path, "~/", 2) == 0)
		&& at_path_absolute(plain, path, "/", c->home) && at_path_physical(out, plain);
}

static bool overlap(const char *a, const char *b)
{
	return at_path_is_inside(a, b) || at_path_is_inside(b, a);
}

static bool check_exec(struct at_confine *c, const struct at_confine_entry *entry, const char *exec,
	const char *tmp, struct at_error *err)
{
	char real[PATH_MAX], root[PATH_MAX];

	if (!at_confine_expand(real, c, exec))
		return at_fail(err, AT_EREFUSED, "exec path `%s` must be absolute; refused", exec);
	if (strcmp(real, "/") == 0 || (*c->home && strcmp(real, c->home) == 0)
		|| at_path_is_inside(c->setup.project, real))
		return at_fail(err, AT_EREFUSED,
			"exec path `%s` is the root, your home, or holds the project; refused",
			exec);
	for (size_t i = 0; entry->write && entry->write[i]; i++) {
		if (snprintf(root, sizeof(root), "%s/%s", c->setup.project, entry->write[i])
			>= (int)sizeof(root))
			return at_fail(
				err, AT_ELIMIT, "write root `%s` is too long", entry->write[i]);
		if (overlap(real, root))
			return at_fail(err, AT_EREFUSED,
				"exec path `%s` overlaps the writable `%s`; refused", exec,
				entry->write[i]);
	}
	if (overlap(real, tmp ? tmp : c->setup.private_dir))
		return at_fail(err, AT_EREFUSED,
			"exec path `%s` overlaps the run's temporary directory; refused", exec);
	return true;
}

bool at_confine_check_entry(struct at_confine *c, const struct at_confine_entry *entry,
	const char *program, const char *cwd, const char *tmp, struct at_error *err)
{
	char real[PATH_MAX], path[PATH_MAX];
	bool is_listed = false;

	for (size_t i = 0; entry->write && entry->write[i]; i++)
		if (!check_dir(c, entry->write[i], "write root", false, err))
			return false;
	if (!check_dir(c, cwd, "cwd", true, err))
		return false;
	if (!realpath(program, real))
		return at_fail(err, AT_EREFUSED, "`%s` is not there any more; refused", program);
	for (size_t i = 0; entry->exec && entry->exec[i]; i++) {
		if (!check_exec(c, entry, entry->exec[i], tmp, err))
			return false;
		is_listed |=
			at_confine_expand(path, c, entry->exec[i]) && at_path_is_inside(real, path);
	}
	return is_listed || (c->how == AT_UNCONFINED && !length(entry->exec))
		|| at_fail(err, AT_EREFUSED,
			"`%s` is in none of the exec paths of its confined_programs entry; refused",
			program);
}

const char *const *at_confine_words(struct at_confine *c, struct at_arena *arena,
	const struct at_confine_entry *entry, const char *program, const char *const *argv,
	const char *cwd, const char *tmp, struct at_error *err)
{
	size_t count = length(argv);
	struct words w = { 0 };

	if (!at_confine_check_entry(c, entry, program, cwd, tmp, err))
		return NULL;
	w.items = at_arena_alloc(arena, (count + length(entry->write) + 10) * sizeof(*w.items));
	if (c->how == AT_UNCONFINED) {
		memcpy(w.items, argv, count * sizeof(*w.items));
		w.items[0] = program;
		return w.items;
	}
	add(&w, "sh");
	add(&w, "-c");
	add(&w, inside);
	add(&w, "run");
	add(&w, tmp);
	add(&w,
		strcmp(cwd, ".") == 0 ? c->setup.project
				      : at_arena_printf(arena, "%s/%s", c->setup.project, cwd));
	add(&w, at_arena_printf(arena, "%zu", length(entry->write)));
	for (size_t i = 0; entry->write && entry->write[i]; i++)
		add(&w, at_arena_printf(arena, "%s/%s", c->setup.project, entry->write[i]));
	add(&w, program);
	for (size_t i = 1; i < count; i++)
		add(&w, argv[i]);
	return at_confine_launcher_words(c, arena, entry, "/bin/sh", w.items, tmp);
}

static bool has_mark(const char *tmp, const char *mark)
{
	char path[PATH_MAX];
	struct stat st;

	return snprintf(path, sizeof(path), "%s/%s", tmp, mark) < (int)sizeof(path)
		&& lstat(path, &st) == 0;
}

bool at_confine_has_started(const struct at_confine *c, const char *tmp)
{
	return c->how == AT_UNCONFINED || has_mark(tmp, STARTED);
}

bool at_confine_has_survivors(const struct at_confine *c, const char *tmp)
{
	return c->how != AT_UNCONFINED && has_mark(tmp, SURVIVORS);
}
