#include "runner/runs_fixture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const shells[] = { "/bin", "/usr/bin", NULL };

void runs_open(struct ground *g, bool allow_unconfined)
{
	struct at_confine_setup setup;

	*g = (struct ground){ 0 };
	setenv("TMPDIR", "/var/tmp", 1);
	g->dir = test_tree_new();
	unsetenv("TMPDIR");
	test_write(g->dir, "home/.keep", "");
	test_write(g->dir, "state/.keep", "");
	test_write(g->dir, "project/src/.keep", "");
	if (allow_unconfined) { /* the tools, but for bwrap */
		test_write(g->dir, "bin/.keep", "");
		for (size_t i = 0; i < 4; i++) {
			static const char *const tools[] = { "sh", "sleep", "setsid", "env" };

			assert_int_equal(symlink(test_path("/usr/bin", tools[i]),
						 test_path(test_path(g->dir, "bin"), tools[i])),
				0);
		}
	}
	snprintf(g->project, sizeof(g->project), "%s/project", g->dir);
	snprintf(g->private_dir, sizeof(g->private_dir), "%s/state/runs", g->dir);
	snprintf(g->home, sizeof(g->home), "HOME=%s/home", g->dir);
	if (allow_unconfined)
		snprintf(g->path, sizeof(g->path), "PATH=%s/bin", g->dir);
	else
		snprintf(
			g->path, sizeof(g->path), "PATH=relative:%s/src:/usr/bin:/bin", g->project);
	g->env[0] = g->home;
	g->env[1] = g->path;
	g->env[2] = at_strdup("API_SECRET=not for the command");
	setup = (struct at_confine_setup){ .project = g->project,
		.private_dir = g->private_dir,
		.environment = g->env,
		.allow_root = true,
		.allow_unconfined = allow_unconfined };
	if (!at_confine_open(&g->confine, &setup, &g->err))
		fail_msg("%s", g->err.message);
}

void runs_close(struct ground *g)
{
	at_confine_close(&g->confine);
	free(g->env[2]);
	test_tree_remove(g->dir);
}

void ground_need_sandbox(struct ground *g)
{
	struct at_error err;

	if (at_confine_probe(&g->confine, &err) && g->confine.how != AT_UNCONFINED)
		return;
	runs_close(g);
	skip_because("%s", err.message);
}

bool ground_run(
	struct at_run_end *end, struct ground *g, const char *const *write, const char *line)
{
	const char *const argv[] = { "sh", "-c", line, NULL };
	const struct at_run_call call = {
		.argv = argv, .entry = { .exec = shells, .write = write }, .timeout = 30
	};

	return at_run_command(end, &g->confine, &call, &g->err);
}

void ground_sh(struct ground *g, const char *format, ...)
{
	char *text, *line;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		fail_msg("out of memory");
	va_end(ap);
	if (asprintf(&line, "cd '%s' && { %s\n}", g->project, text) < 0)
		fail_msg("out of memory");
	if (system(line) != 0)
		fail_msg("`%s` failed", text);
	free(line);
	free(text);
}
