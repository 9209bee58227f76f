/* main.c - picks a mode, or opens the console. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/gate/log_verify.h"
#include "views/modes.h"
#include "views/out.h"
#include "views/screen.h"

typedef int project_mode(struct at_session *session);
typedef int plain_mode(const struct at_options *options);

static int help(const struct at_options *options)
{
	struct at_buf text = { 0 };

	(void)options;
	at_options_help(&text);
	fputs(at_buf_text(&text), stdout);
	at_buf_free(&text);
	return 0;
}

static int version(const struct at_options *options)
{
	(void)options;
	printf("atconsole %s\n", AT_VERSION);
	return 0;
}

/* One row a mode; `project` for those that open one. */
static const struct {
	const char *name;
	project_mode *project;
	plain_mode *plain;
} modes[] = {
	{ "brief", at_mode_brief, NULL },
	{ "update", at_mode_update, NULL },
	{ "check", at_mode_check, NULL },
	{ "merge", at_mode_merge, NULL },
	{ "undo", at_mode_undo, NULL },
	{ "check-wiring", at_mode_check_wiring, NULL },
	{ "host-check", at_mode_host_check, NULL },
	{ "launch-line", at_mode_launch_line, NULL },
	{ "effective", at_mode_effective, NULL },
	{ "managed-example", NULL, at_mode_managed_example },
	{ "status", at_mode_status, NULL },
	{ "self-test", at_mode_self_test, NULL },
	{ "grants", at_mode_grants, NULL },
	{ "verify-grants", at_mode_verify_grants, NULL },
	{ "sign-grant", at_mode_sign_grant, NULL },
	{ "issue-grant", at_mode_issue_grant, NULL },
	{ "manifest", at_mode_manifest, NULL },
	{ "keys", at_mode_keys, NULL },
	{ "new-key", at_mode_new_key, NULL },
	{ "install-key", at_mode_install_key, NULL },
	{ "migrate-keys", at_mode_migrate_keys, NULL },
	{ "verify-decisions", at_mode_verify_decisions, NULL },
	{ "check-clearance", at_mode_check_clearance, NULL },
	{ "sign-decision", at_mode_sign_decision, NULL },
	{ "serve-requests", at_mode_serve_requests, NULL },
	{ "issue-dispatch", at_mode_queue_dispatch, NULL },
	{ "apply-proposal", at_mode_apply_proposal, NULL },
	{ "run-request", at_mode_run_request, NULL },
	{ "wait-result", at_mode_wait_result, NULL },
	{ "list-staged", at_mode_list_staged, NULL },
	{ "show-staged", at_mode_show_staged, NULL },
	{ "apply-staged", at_mode_apply_staged, NULL },
	{ "reject-staged", at_mode_reject_staged, NULL },
	{ "verify-proposal-ledger", at_mode_verify_proposal_ledger, NULL },
	{ "repair-proposal-ledger", at_mode_repair_proposal_ledger, NULL },
	{ "confined-path", at_mode_confined_path, NULL },
	{ "install-confined", at_mode_install_confined, NULL },
	{ "diff", NULL, at_mode_diff },
	{ "gate-log", at_mode_gate_log, NULL },
	{ "verify-gate-log", NULL, at_mode_verify_gate_log },
	{ "schema", NULL, at_mode_schema },
	{ "ceilings", NULL, at_mode_ceilings },
	{ "check-config", NULL, at_mode_check_config },
	{ "list-keys", NULL, at_mode_list_keys },
	{ "manual", NULL, at_mode_manual },
	{ "version", NULL, version },
	{ "help", NULL, help },
};

static int with_project(project_mode *mode, const struct at_options *options)
{
	struct at_session session;
	struct at_error err;
	int status;

	if (at_session_open(&session, options, &err))
		status = mode(&session);
	else
		status = at_out_error(&err);
	at_session_close(&session);
	return status;
}

/* With --readonly no mode starts that would write. */
static bool check_readonly(const struct at_options *o, struct at_error *err)
{
	const char *writes = o->update ? "--update" : o->undo ? "--undo"
		: o->new_key				      ? "--new-key"
		: o->install_key			      ? "--install-key"
		: o->migrate_keys			      ? "--migrate-keys"
		: o->sign_decision			      ? "--sign-decision"
		: o->accept_safe || o->accept.count	      ? "--merge with --accept"
		: o->sign_grant				      ? "--sign-grant"
		: o->serve_requests			      ? "--serve-requests"
		: o->issue_dispatch			      ? "--issue-dispatch"
		: o->apply_proposal			      ? "--apply-proposal"
		: o->run_request			      ? "--run-request"
		: o->apply_staged			      ? "--apply-staged"
		: o->reject_staged			      ? "--reject-staged"
		: o->issue_grant			      ? "--issue-grant"
		: o->repair_proposal_ledger		      ? "--repair-proposal-ledger"
		: o->install_confined			      ? "--install-confined"
		: o->set.count || o->unset.count	      ? "--set and --unset"
							      : NULL;

	if (!o->readonly || o->dry_run || !writes)
		return true;
	at_fail(err, AT_EUSAGE, "--readonly and %s exclude each other: nothing is written", writes);
	at_error_hint(err, "Add --dry-run to see what it would do.");
	return false;
}

static int run(const struct at_options *options)
{
	const char *name = options->mode;

	if (!name && at_screen_is_possible(options))
		return with_project(at_screen_run, options);
	if (!name)
		name = "status";
	for (size_t i = 0; i < AT_LEN(modes); i++) {
		if (strcmp(modes[i].name, name) != 0)
			continue;
		return modes[i].plain ? modes[i].plain(options)
				      : with_project(modes[i].project, options);
	}
	return 2;
}

static bool is_decision(const char *word)
{
	for (size_t d = 0; d < AT_LEN(gate_log_decisions); d++)
		if (strcmp(gate_log_decisions[d], word) == 0)
			return true;
	return false;
}

static bool is_seconds(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits < 6 && !text[digits] && atoi(text) > 0 && atoi(text) <= 86400;
}

static bool check_queue_words(const struct at_options *o, struct at_error *err)
{
	bool waits = o->wait_result || o->issue_dispatch || o->apply_proposal || o->run_request
		|| o->apply_staged || o->reject_staged || o->list_staged || o->show_staged;

	if (o->once && !o->serve_requests)
		return at_fail(err, AT_EUSAGE, "--once belongs to --serve-requests");
	if (o->reject_reason && !o->reject_staged)
		return at_fail(err, AT_EUSAGE, "--reject-reason belongs to --reject-staged");
	if (o->wait_timeout && !waits)
		return at_fail(err, AT_EUSAGE, "--wait-timeout belongs to the verbs that ask a "
			"runner");
	if (o->wait_timeout && !is_seconds(o->wait_timeout))
		return at_fail(err, AT_EUSAGE, "--wait-timeout %s is no number of seconds from 1 "
			"to 86400", o->wait_timeout);
	return true;
}

static bool check_words(const struct at_options *o, struct at_error *err)
{
	if ((o->accept.count || o->accept_safe) && !o->merge)
		return at_fail(err, AT_EUSAGE, "--accept and --accept-safe belong to --merge");
	if (o->confirm_review && !o->merge && !o->sign_grant && !o->sign_decision
		&& !o->install_confined)
		return at_fail(err, AT_EUSAGE, "--confirm-review-sha256 belongs to --merge, "
			"--sign-grant, --sign-decision and --install-confined");
	if (o->agent && !o->issue_dispatch)
		return at_fail(err, AT_EUSAGE, "--agent belongs to --issue-dispatch");
	if (o->dry_run && (o->repair_proposal_ledger || o->issue_dispatch))
		return at_fail(err, AT_EUSAGE,
			"--repair-proposal-ledger and --issue-dispatch have no --dry-run; see "
			"--verify-proposal-ledger");
	if ((o->run_hooks || o->ask_client) && !o->check_wiring)
		return at_fail(
			err, AT_EUSAGE, "--run-hooks and --ask-client belong to --check-wiring");
	if ((o->run_hooks || o->ask_client) && o->no_probes)
		return at_fail(err, AT_EUSAGE,
			"--no-probes runs nothing: --run-hooks and --ask-client do");
	if ((o->cases.count || o->harden) && !o->self_test)
		return at_fail(err, AT_EUSAGE, "--case and --harden belong to --self-test");
	if ((o->gate_decision || o->gate_tool || o->gate_gaps) && !o->gate_log)
		return at_fail(
			err, AT_EUSAGE, "--decision, --tool and --gaps belong to --gate-log");
	if (o->gate_decision && !is_decision(o->gate_decision))
		return at_fail(err, AT_EUSAGE,
			"--decision %s is none of pass, ask, deny, crash-open, crash-deny",
			o->gate_decision);
	if (o->self_test && o->no_probes)
		return at_fail(err, AT_EUSAGE, "--no-probes runs nothing: --self-test does");
	if (o->passphrase && !o->new_key)
		return at_fail(err, AT_EUSAGE, "--passphrase belongs to --new-key");
	if (!check_queue_words(o, err))
		return false;
	if (o->color && strcmp(o->color, "auto") != 0 && strcmp(o->color, "always") != 0
		&& strcmp(o->color, "never") != 0)
		return at_fail(
			err, AT_EUSAGE, "--color %s is none of auto, always, never", o->color);
	if (o->config && o->no_config)
		return at_fail(err, AT_EUSAGE, "--config and --no-config exclude each other");
	return check_readonly(o, err);
}

/* A closed standard stream would lend its number to the next file opened, and a report would
 * go there. Nothing can be written to what stands in for it, so that this is noticed. */
static void keep_numbers(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
			return;
	}
}

/* A report that nobody got is no success: what follows `&&` relies on it. */
static int end_output(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fputs("atconsole: the report could not be written to standard output\n", stderr);
	return status ? status : 1;
}

int main(int argc, char **argv)
{
	struct at_options options;
	struct at_error err;
	int status;

	keep_numbers();
	/* A reader that goes away ends a report, it does not kill an act half done. */
	signal(SIGPIPE, SIG_IGN);
	if (at_options_parse(&options, argc, argv, &err) && check_words(&options, &err))
		status = run(&options);
	else
		status = at_out_error(&err);
	at_options_free(&options);
	return end_output(status);
}
