#include "runner/runs/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/child.h"
#include "core/digest.h"
#include "core/disk.h"
#include "core/file.h"
#include "core/path.h"
#include "emit/assets.h"
#include "runner/runs/confine_impl.h"
#include "runner/runs/program.h"

#define PROBE_MS 20000
#define PROBE_CAP ((size_t)8 << 10)
#define REASON 200 /* bytes of the launcher's words in a refusal */

const char *at_confined_name(enum at_confined how)
{
	static const char *const names[] = { "", "bwrap", "seatbelt", "unconfined-opt-out" };

	return names[how];
}

/* ---- the launcher's own place ---- */

static bool is_place_private(const struct at_confine *c, struct at_error *err)
{
	const char *dir = c->setup.private_dir;
	struct stat st;
	char real[PATH_MAX];

	if (fstat(c->dir, &st) != 0 || !realpath(dir, real))
		return at_fail_sys(err, errno, "cannot look at `%s`", dir);
	if (st.st_uid != geteuid() || (st.st_mode & 077))
		return at_fail(err, AT_EUNSAFE,
			"`%s` belongs to another user or is open to others; make it yours and 0700",
			dir);
	if (at_path_is_inside(real, c->setup.project) || at_path_is_inside(c->setup.project, real))
		return at_fail(err, AT_EUNSAFE,
			"`%s` must be outside the project: an agent could write the launcher there",
			dir);
	return true;
}

static bool open_place(struct at_confine *c, struct at_error *err)
{
	const char *dir = c->setup.private_dir, *name = strrchr(dir, '/');
	int parent;

	if (*dir != '/' || !name[1])
		return at_fail(err, AT_EINVALID, "`%s` is no absolute path of a directory", dir);
	parent = at_file_open_dir(AT_FDCWD,
		name == dir ? "/" : at_arena_strndup(c->arena, dir, (size_t)(name - dir)), err);
	name++;
	if (parent < 0)
		return false;
	if (!at_disk_mkdir(parent, name, 0700) && errno != EEXIST) {
		at_fail_sys(err, errno, "cannot make `%s`", c->setup.private_dir);
		close(parent);
		return false;
	}
	close(parent);
	c->dir = at_file_open_dir(AT_FDCWD, c->setup.private_dir, err);
	return c->dir >= 0 && is_place_private(c, err);
}

static bool is_ours(const struct at_confine *c)
{
	struct at_digest want = at_digest_of(at_asset_launcher);
	struct at_file file = { 0 };
	bool ok = at_file_read(
			  &file, c->dir, AT_CONFINE_SCRIPT, AT_FILE_CAP, AT_FILE_SINGLE_LINK, NULL)
		&& at_digest_equal(&file.digest, &want) && file.owner == geteuid()
		&& !(file.mode & 022);

	at_file_free(&file);
	return ok;
}

bool at_confine_check(struct at_confine *c, struct at_error *err)
{
	struct stat held, now;

	if (fstat(c->dir, &held) == 0 && lstat(c->setup.private_dir, &now) == 0
		&& held.st_dev == now.st_dev && held.st_ino == now.st_ino
		&& is_place_private(c, err) && is_ours(c))
		return true;
	at_fail(err, AT_EUNSAFE,
		"the launcher `%s/" AT_CONFINE_SCRIPT
		"` is not the one this program wrote any more "
		"(its SHA-256, mode or place); nothing is run",
		c->setup.private_dir);
	at_error_hint(err, "Find out who changed it, then start the runner again.");
	return false;
}

static bool write_launcher(struct at_confine *c, struct at_error *err)
{
	if (is_ours(c))
		return true;
	if ((!at_disk_remove(c->dir, AT_CONFINE_SCRIPT) && errno != ENOENT)
		|| !at_disk_create(c->dir, AT_CONFINE_SCRIPT, at_asset_launcher, 0500, AT_NO_OWNER,
			AT_NO_GROUP))
		return at_fail_sys(
			err, errno, "cannot write the launcher in `%s`", c->setup.private_dir);
	return at_confine_check(c, err);
}

static const char *physical_or_none(struct at_arena *arena, const char *path)
{
	char real[PATH_MAX];

	return path && *path == '/' && realpath(path, real) ? at_arena_strdup(arena, real) : "";
}

bool at_confine_open(
	struct at_confine *c, const struct at_confine_setup *setup, struct at_error *err)
{
	const char *const *env = (const char *const *)setup->environment;

	*c = (struct at_confine){ .setup = *setup, .project = -1, .dir = -1 };
	c->arena = at_arena_new();
	c->search_path =
		at_program_search_path(c->arena, at_program_env_value(env, "PATH"), setup->project);
	c->home = physical_or_none(c->arena, at_program_env_value(env, "HOME"));
	c->state_home = physical_or_none(c->arena, at_program_env_value(env, "XDG_STATE_HOME"));
	c->project = at_file_open_dir(AT_FDCWD, setup->project, err);
	if (c->project >= 0 && open_place(c, err) && write_launcher(c, err))
		return true;
	at_confine_close(c);
	return false;
}

void at_confine_close(struct at_confine *c)
{
	if (c->project >= 0)
		close(c->project);
	if (c->dir >= 0)
		close(c->dir);
	at_arena_free(c->arena);
	*c = (struct at_confine){ .project = -1, .dir = -1 };
}

/* ---- is there a sandbox? ---- */

/* The last words of a launcher, on one line. */
static void quote_end(char out[REASON + 1], const struct at_buf *text)
{
	size_t len = text->len, start;

	while (len && (text->data[len - 1] == '\n' || text->data[len - 1] == ' '))
		len--;
	start = len > REASON ? len - REASON : 0;
	snprintf(out, REASON + 1, "%.*s", (int)(len - start), len ? text->data + start : "");
	for (char *p = out; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = ' ';
}

static bool try_sandbox(
	struct at_confine *c, struct at_arena *arena, char why[REASON + 1], struct at_error *err)
{
	static const char *const argv[] = { "sh", "-c", "exit 0", NULL };
	static const struct at_confine_entry nothing;
	const char *tmp = at_confine_make_tmp(c, arena, err);
	const char *const *words;
	struct at_child_end end;
	bool ok = false;

	*why = '\0';
	if (!tmp)
		return false;
	words = at_confine_launcher_words(c, arena, &nothing, "/bin/sh", argv, tmp);
	if (at_child_run(&end,
		    &(struct at_child_call){ .argv = words,
			    .env = at_confine_launcher_env(c, arena, tmp),
			    .cwd = "/",
			    .timeout_ms = PROBE_MS,
			    .cap = PROBE_CAP,
			    .has_keeper = true },
		    err)) {
		ok = end.status == 0 && !end.timed_out;
		if (end.timed_out)
			snprintf(why, REASON + 1, "it did not start within 20 seconds");
		else if (!ok)
			quote_end(why, &end.err);
	}
	at_child_end_free(&end);
	at_confine_remove_tmp(c, tmp);
	return ok;
}

bool at_confine_probe(struct at_confine *c, struct at_error *err)
{
	struct at_arena *arena;
	char why[REASON + 1];

	if (c->how != AT_CONFINED_UNKNOWN)
		return true;
	if (!at_confine_check(c, err))
		return false;
	arena = at_arena_new();
	if (try_sandbox(c, arena, why, err))
#ifdef __APPLE__
		c->how = AT_CONFINED_SEATBELT;
#else
		c->how = AT_CONFINED_BWRAP;
#endif
	else if (c->setup.allow_unconfined)
		c->how = AT_UNCONFINED;
	at_arena_free(arena);
	if (c->how != AT_CONFINED_UNKNOWN)
		return true;
	at_fail(err, AT_EREFUSED, "no usable OS sandbox here (%s)",
		*why ? why : "the launcher could not be started");
	at_error_hint(err, "Install bubblewrap, or set allow_unconfined_runs, which is logged.");
	return false;
}
