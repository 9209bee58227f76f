/* runs_fixture.h - a project with a launcher outside of it, for the tests of runner/runs. */
#ifndef AT_RUNS_FIXTURE_H
#define AT_RUNS_FIXTURE_H

#include "core/error.h"
#include "runner/runs/run.h"
#include "support/support.h"

struct ground {
	char *dir; /* below /var/tmp: /tmp is another one inside */
	char project[512], private_dir[512], home[600], path[600];
	char *env[5];
	struct at_confine confine;
	struct at_error err;
};

/* `allow_unconfined` with a PATH that has no bwrap: what runs then is not confined. */
void runs_open(struct ground *g, bool allow_unconfined);
void runs_close(struct ground *g);

/* Skips the test, with the reason, where no sandbox can be had. */
void ground_need_sandbox(struct ground *g);

/* Runs a line of shell in the project; `write` may be NULL. */
bool ground_run(
	struct at_run_end *end, struct ground *g, const char *const *write, const char *line);

/* `format` as a line of shell of the host's, in the project. */
void ground_sh(struct ground *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
