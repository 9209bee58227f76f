/* mode_serve.c - --serve-requests, and the verbs that only queue: --issue-dispatch,
 * --apply-proposal, --run-request, --wait-result. (RUN-1; reference-ledgers 3.6, 3.16) */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/proposals/artifact.h"
#include "runner/proposals/canonical.h"
#include "views/modes.h"
#include "views/out.h"
#include "views/result_text.h"
#include "views/runner_site.h"

#define RUN_WAIT_S 7260u /* the longest a command may take, and a little */

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

/* Not restarted, so that a wait ends. */
static void catch_signals(void)
{
	struct sigaction act = { .sa_handler = on_signal };

	sigemptyset(&act.sa_mask);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
}

static void tell(struct at_runner *runner)
{
	struct at_buf said = { 0 };

	at_runner_said(&said, runner);
	at_out_notes(&said);
	at_buf_free(&said);
}

/* Served so far, and whether the end was in order. */
static bool serve(struct at_runner *runner, bool once, size_t *served, struct at_error *err)
{
	bool ok = true;

	*served = 0;
	while (ok && !stop) {
		size_t now;

		ok = at_runner_turn(runner, 0, &now, err);
		*served += now;
		tell(runner);
		if (once)
			break;
		if (ok && !stop)
			at_runner_wait(runner, AT_RUNNER_BEAT_S * 1000);
	}
	return ok;
}

static int report_served(const struct at_session *session, size_t served, const char *why)
{
	struct at_json_value *json;

	if (session->options->json) {
		json = at_json_object();
		at_json_add_number(json, "served", (long long)served);
		at_json_add_text(json, "stopped", why);
		at_out_json(json);
	} else {
		printf("served %zu request(s)\n", served);
	}
	return why ? 1 : 0;
}

int at_mode_serve_requests(struct at_session *session)
{
	struct at_runner_setup setup;
	struct at_runner *runner;
	struct at_error err;
	size_t served;
	bool ok;

	if (!at_session_may_use_keys(session, &err))
		return at_out_error(&err);
	at_runner_site_setup(&setup, session);
	setup.stop = &stop;
	if (!at_runner_open(&runner, &setup, &err))
		return at_result_refused("serve-requests", "cannot start", &err);
	catch_signals();
	tell(runner);
	if (!session->options->once && !session->options->json) {
		printf("serving %s; Ctrl-C ends it\n", session->path);
		fflush(stdout);
	}
	ok = serve(runner, session->options->once, &served, &err);
	at_runner_close(runner);
	if (!ok)
		at_result_refused("serve-requests", "stopped", &err);
	return report_served(session, served, ok ? NULL : err.message);
}

/* The operator names the file; its directory may be anywhere, the file is read with every care. */
static bool read_artifact(
	struct at_file *file, struct at_json *doc, const char *path, struct at_error *err)
{
	const char *slash = strrchr(path, '/');
	char *parent = at_strdup(path), *directory;
	int dir;
	bool ok;

	parent[slash ? slash - path : 0] = '\0';
	directory = realpath(!slash ? "." : *parent ? parent : "/", NULL);
	free(parent);
	*doc = (struct at_json){ 0 };
	*file = (struct at_file){ 0 };
	if (!directory)
		return at_fail(err, AT_ENOENT, "there is no directory of `%s`", path);
	dir = at_file_open_dir(-1, directory, err);
	free(directory);
	if (dir < 0)
		return false;
	ok = at_file_read(file, dir, slash ? slash + 1 : path, AT_REQUEST_CAP, AT_FILE_NO_DIGEST,
		     err)
		&& at_json_read(doc, at_buf_bytes(&file->bytes), &at_artifact_limits, 0, err);
	close(dir);
	return ok;
}

static int ask_with_artifact(struct at_session *session, enum at_request_kind kind,
	const char *flag, const char *path, unsigned seconds)
{
	struct at_request_words words = { .kind = kind, .dry_run = session->options->dry_run };
	struct at_buf result = { 0 };
	struct at_file file;
	struct at_json doc;
	struct at_error err;
	int status = 1;
	bool ok = read_artifact(&file, &doc, path, &err);

	if (ok) {
		words.artifact = at_json_raw(&doc, AT_JSON_ROOT);
		ok = at_runner_site_ask(&result, session, &words, AT_ASK_QUEUE,
			at_result_wait(session, seconds), &err);
	}
	status = ok ? at_result_report(session, flag, at_buf_bytes(&result), NULL)
		    : at_result_refused(flag, "refused", &err);
	at_json_free(&doc);
	at_file_free(&file);
	at_buf_free(&result);
	return status;
}

int at_mode_apply_proposal(struct at_session *session)
{
	return ask_with_artifact(session, AT_ASK_APPLY_PROPOSAL, "apply-proposal",
		session->options->apply_proposal, AT_CLIENT_WAIT_S);
}

int at_mode_run_request(struct at_session *session)
{
	return ask_with_artifact(session, AT_ASK_RUN_REQUEST, "run-request",
		session->options->run_request, RUN_WAIT_S);
}

static void put_nonce(struct at_buf *out, const struct at_client_result *result)
{
	at_buf_printf(out, "%s\n", at_result_text(result, "nonce"));
}

int at_mode_queue_dispatch(struct at_session *session)
{
	const struct at_request_words words = { .kind = AT_ASK_ISSUE_DISPATCH,
		.agent = session->options->agent };
	struct at_runner_sight sight;
	struct at_buf result = { 0 };
	struct at_error err;
	int status;

	at_runner_look(&sight, session->project.fd);
	if (!words.agent || !sight.is_fresh)
		return at_mode_issue_dispatch(session);
	status = at_runner_site_ask(&result, session, &words, AT_ASK_QUEUE,
			 at_result_wait(session, AT_CLIENT_WAIT_S), &err)
		? at_result_report(session, "issue-dispatch", at_buf_bytes(&result), put_nonce)
		: at_result_refused("issue-dispatch", "refused", &err);
	at_buf_free(&result);
	return status;
}

int at_mode_wait_result(struct at_session *session)
{
	struct at_buf result = { 0 };
	struct at_error err;
	int status = at_client_wait(&result, session->project.fd, session->options->wait_result,
			     at_result_wait(session, AT_CLIENT_WAIT_S), &err)
		? at_result_whole(at_buf_bytes(&result))
		: at_result_refused("wait-result", "refused", &err);

	at_buf_free(&result);
	return status;
}
