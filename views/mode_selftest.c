/* mode_selftest.c - atconsole --self-test. (LAU-8) */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/selftest/report.h"
#include "runner/selftest/run.h"
#include "runner/selftest/store.h"
#include "views/modes.h"
#include "views/out.h"
#include "views/proof_state.h"

static volatile sig_atomic_t is_ended;

static void end_soon(int sig)
{
	(void)sig;
	is_ended = 1;
}

/* On a terminal alone; a log has no use for it. */
static bool tell(void *user, unsigned done, unsigned all)
{
	bool *is_terminal = user;

	if (*is_terminal) {
		fprintf(stderr, "\rself-test: %u of %u \r", done, all);
		fflush(stderr);
	}
	return !is_ended;
}

/* Only what was tried in full says anything about the launcher. */
static void keep(struct at_session *session, const struct at_proof *proof)
{
	char why[256];
	struct at_error err;

	if (session->options->cases.count)
		at_out_note("cases were chosen: this is no proof, and is not kept");
	else if (session->host.agent_marker)
		at_out_note(
			"%s is set: an agent session keeps no proof", session->host.agent_marker);
	else if (session->options->readonly)
		at_out_note("--readonly: the proof is not kept");
	else if (at_session_is_off(session, why, sizeof(why)))
		at_out_note("the proof is not kept: %s", why);
	else if (!at_store_proof(proof, session->project.fd, &session->state, &err))
		at_out_error(&err);
}

static int report(struct at_session *session, const struct at_proof *proof)
{
	if (session->options->json) {
		struct at_json_value *json = at_json_object();

		at_proof_to_json(proof, json);
		at_out_json(json);
	} else {
		struct at_buf text = { 0 };

		at_proof_print(proof, &text);
		at_out_text(&text);
		at_buf_free(&text);
	}
	keep(session, proof);
	return at_proof_failures(proof) ? 1 : 0;
}

int at_mode_self_test(struct at_session *session)
{
	const struct at_options *o = session->options;
	const struct sigaction over = { .sa_handler = end_soon };
	bool is_terminal = isatty(STDERR_FILENO) && !o->batch;
	const char *path = getenv("PATH");
	struct at_launcher_text launcher;
	struct at_tools tools;
	struct at_proof proof;
	struct at_error err;
	const char **ids = NULL;
	struct at_selftest test = { .tools = &tools,
		.search_path = path ? path : "/usr/bin:/bin",
		.cache_home = getenv("XDG_CACHE_HOME"),
		.home = session->host.home,
		.with_harden = o->harden,
		.go_on = tell,
		.user = &is_terminal };
	int status;

	if (!at_launcher_text_read(&launcher, session, &err))
		return at_out_error(&err);
	at_tools_find(&tools, test.search_path);
	tools.launcher = launcher.bytes;
	tools.launcher_from = launcher.from;
	if (o->cases.count) {
		ids = at_alloc((o->cases.count + 1) * sizeof(*ids));
		for (size_t i = 0; i < o->cases.count; i++)
			ids[i] = o->cases.items[i];
		test.ids = ids;
	}
	sigaction(SIGINT, &over, NULL);
	sigaction(SIGTERM, &over, NULL);
	sigaction(SIGHUP, &over, NULL);
	status =
		at_selftest_run(&proof, &test, &err) ? report(session, &proof) : at_out_error(&err);
	at_proof_free(&proof);
	at_tools_free(&tools);
	at_launcher_text_free(&launcher);
	free(ids);
	return status;
}
