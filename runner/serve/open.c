/* Opening a runner: every refusal to start, in the reference's order. (RUN-1; 3.6) */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/disk.h"
#include "runner/serve/runner_impl.h"

#define BRIEF_CAP ((size_t)4 << 20)
#define SERVER_CAP ((size_t)64 << 20)

static const char *variable(const struct at_runner_setup *setup, const char *name)
{
	size_t len = strlen(name);

	for (char *const *e = setup->environment; e && *e; e++)
		if (strncmp(*e, name, len) == 0 && (*e)[len] == '=' && (*e)[len + 1])
			return *e + len + 1;
	return NULL;
}

static bool open_brief(struct at_runner *r, struct at_error *err)
{
	char directory[PATH_MAX];
	const char *slash = strrchr(r->setup.brief, '/');

	if (!slash || slash - r->setup.brief >= (ptrdiff_t)sizeof(directory)) {
		at_fail(err, AT_EREFUSED, "no brief was named; there is no policy to serve");
		at_error_name(err, "runner-brief");
		return false;
	}
	snprintf(directory, sizeof(directory), "%.*s", slash == r->setup.brief ? 1
			: (int)(slash - r->setup.brief), r->setup.brief);
	r->brief_name = slash + 1;
	r->brief_dir = at_file_open_dir(-1, directory, err);
	return r->brief_dir >= 0
		&& at_file_read(&r->brief, r->brief_dir, r->brief_name, BRIEF_CAP, 0, err);
}

static bool open_operator_file(struct at_operator_file *file, char path[PATH_MAX],
	const struct at_runner_setup *setup, const char *dir, size_t cap, struct at_error *err)
{
	return at_operator_path(path, setup->home, dir, setup->project, err)
		&& at_operator_file_read(file, path, cap, &setup->place, err);
}

/* `staged_review`: who decides about what is staged. */
static bool read_review(struct at_runner *r, struct at_error *err)
{
	struct at_json doc;
	uint32_t node;
	bool ok = true;

	if (!at_json_read(&doc, at_buf_bytes(&r->brief.bytes), &at_json_brief_limits,
		    AT_JSON_ALLOW_BOM, err))
		return false;
	node = at_json_member(&doc, AT_JSON_ROOT, "staged_review");
	r->operator_decides = at_json_is(&doc, node, AT_JSON_STRING)
		&& at_json_string_is(&doc, node, "operator");
	if (node != AT_JSON_NONE && !r->operator_decides
		&& !(at_json_is(&doc, node, AT_JSON_STRING)
			&& at_json_string_is(&doc, node, "orchestrator"))) {
		ok = at_fail(err, AT_EINVALID,
			"`staged_review` is neither \"operator\" nor \"orchestrator\"");
		at_error_field(err, "staged_review");
		at_error_name(err, "runner-review");
	}
	at_json_free(&doc);
	return ok;
}

static bool open_policy(struct at_runner *r, struct at_error *err)
{
	struct at_bytes confined;

	if (!open_brief(r, err)
		|| !open_operator_file(&r->confined, r->confined_path, &r->setup, AT_CONFINED_DIR,
			AT_CONFINED_CAP, err))
		return false;
	confined = r->confined.exists ? at_buf_bytes(&r->confined.bytes)
				      : (struct at_bytes){ NULL, 0 };
	if (!at_policy_read(&r->policy, at_buf_bytes(&r->brief.bytes), r->setup.brief_place,
		    confined, r->setup.home, err)
		|| !read_review(r, err))
		return false;
	if (r->policy.is_orchestrator_only)
		return true;
	at_fail(err, AT_EREFUSED, "the brief does not set write_policy to \"orchestrator-only\"; "
		"there is nothing to serve");
	at_error_name(err, "runner-switch");
	at_error_hint(err, "Set write_policy in the brief, or let the agents write by themselves.");
	return false;
}

static bool refuse_keys_in_environment(const struct at_runner *r, struct at_error *err)
{
	static const char *const names[] = { "AGENTTEAMS_PROPOSAL_LEDGER_KEY",
		"AGENTTEAMS_DECISION_SIGNING_KEY" };

	for (size_t i = 0; i < AT_LEN(names); i++) {
		if (!variable(&r->setup, names[i]))
			continue;
		at_fail(err, AT_EDENIED, "%s is set: a key in the environment is read by every "
			"command the runner starts", names[i]);
		at_error_name(err, "runner-environment-key");
		at_error_hint(err, "Unset it; the key belongs in "
			"~/.config/agentteams/keys/" AT_PROPOSAL_KEY ", mode 0600.");
		return false;
	}
	return true;
}

static bool take_lock(struct at_runner *r, struct at_error *err)
{
	struct stat st;

	r->ground = at_file_open_dir(r->setup.root, AT_GROUND, err);
	if (r->ground < 0)
		return false;
	r->lock = openat(r->ground, "runner.lock",
		O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (r->lock < 0 || fstat(r->lock, &st) < 0 || !S_ISREG(st.st_mode)) {
		at_fail_sys(err, r->lock < 0 ? errno : EINVAL, "cannot open `%s`", AT_RUNNER_LOCK);
		at_error_name(err, "runner-lock");
		return false;
	}
	/* Whoever only looks holds it for an instant. */
	for (unsigned tries = 0; tries < 20; tries++) {
		const struct timespec pause = { 0, 5000000 };

		if (flock(r->lock, LOCK_EX | LOCK_NB) == 0)
			return true;
		nanosleep(&pause, NULL);
	}
	at_fail(err, AT_EREFUSED, "another runner is already serving this project");
	at_error_name(err, "runner-lock");
	at_error_hint(err, "Stop it first, or ask it: the verbs of the queue reach it.");
	return false;
}

static bool pin_servers(struct at_runner *r, struct at_error *err)
{
	char hex[AT_DIGEST_HEX];

	for (size_t i = 0; i < r->setup.server_count; i++) {
		const struct at_runner_server *server = &r->setup.servers[i];

		if (!at_file_read(&r->servers[i], r->setup.root, server->path, SERVER_CAP,
			    AT_FILE_MAY_BE_ABSENT, err)) {
			at_error_name(err, "runner-server");
			return false;
		}
		if (!r->servers[i].exists)
			continue;
		at_digest_hex(hex, &r->servers[i].digest);
		/* What is compared later is the digest and the stamp, not megabytes. */
		if (!server->sha256 || strcmp(hex, server->sha256) == 0)
			continue;
		at_fail(err, AT_EUNSAFE, "`%s` is not the server this program installs",
			server->path);
		at_error_path(err, server->path);
		at_error_name(err, "runner-server");
		at_error_hint(err, "Look at who changed it, then emit the team anew.");
		return false;
	}
	return true;
}

/* Of the first installed server; no grant can be bound to none. */
static bool read_grants(struct at_runner *r, struct at_error *err)
{
	char hex[AT_DIGEST_HEX] = "";
	const struct at_direct_live live = { .policy = &r->policy, .server_sha256 = hex,
		.keys = r->setup.verify_keys, .now = at_time_now() };

	for (size_t i = 0; i < r->setup.server_count && !*hex; i++)
		if (r->servers[i].exists)
			at_digest_hex(hex, &r->servers[i].digest);
	return at_direct_grants_read(&r->direct,
		r->grants.exists ? at_buf_bytes(&r->grants.bytes) : (struct at_bytes){ NULL, 0 },
		&live, err);
}

/* Every row is for both. */
static bool visit(void *context, const struct at_json *row, size_t number, struct at_error *err)
{
	struct at_runner *r = context;

	return at_history_row(&r->history, row, number, err)
		&& at_direct_grants_count(&r->direct, row, number, err);
}

static bool has_grant(void *context, const char *agent)
{
	const struct at_runner *r = context;

	return at_direct_grant_of(&r->direct, agent) != NULL;
}

static bool open_ledger(struct at_runner *r, struct at_error *err)
{
	struct at_proposal_repair repair = { .rows = 0 };
	struct at_error first;
	bool ok;

	r->site = (struct at_proposal_site){ .root = r->setup.root,
		.key = at_secret_bytes(&r->key), .state = r->setup.state->fd };
	if (at_proposal_ledger_open(&r->ledger, &r->site, visit, r, &first))
		return true;
	if (strcmp(first.id, "proposal-ledger-behind") != 0) {
		*err = first;
		return false;
	}
	/* A run that was cut short between a row and the head; the rows are signed. */
	ok = at_proposal_ledger_repair(&repair, &r->site, err);
	at_buf_put(&r->said, at_buf_text(&repair.said), repair.said.len);
	at_proposal_repair_free(&repair);
	at_history_free(&r->history);
	return ok && at_proposal_ledger_open(&r->ledger, &r->site, visit, r, err);
}

static bool answer_left(void *context, const char *id, struct at_error *err)
{
	struct at_runner *r = context;
	struct at_job job = { .refused = true, .begun_ms = at_steady_ms() };
	struct at_buf text = { 0 };
	bool ok;

	at_fail(&job.err, AT_EREFUSED, "the runner ended while it served this request; what it "
		"did is in the ledger. It is not tried again");
	at_error_name(&job.err, "runner-ended");
	at_job_answer(&text, &job, id);
	ok = at_queue_answer(r->queue, id, at_buf_bytes(&text), false, err);
	at_buf_free(&text);
	at_buf_printf(&r->said, "%s was left claimed by a run that ended; it is answered so\n", id);
	return ok;
}

static bool tell_grants(struct at_runner *r, struct at_error *err)
{
	struct at_canonical_object row = { 0 };
	struct at_buf active = { 0 }, keys = { 0 }, problems = { 0 };
	const char *ids[AT_DIRECT_RECORDS], *names[AT_DIRECT_RECORDS];
	size_t count = 0;
	bool ok;

	if (!r->direct.count && !r->direct.problems.count)
		return true;
	for (size_t i = 0; i < r->direct.count && count < AT_LEN(ids); i++) {
		if (!r->direct.items[i].is_active)
			continue;
		ids[count] = r->direct.items[i].grant_id;
		names[count++] = r->direct.items[i].key_id;
	}
	at_canonical_put_texts(&active, ids, count, AT_CANONICAL_SPACED);
	at_canonical_put_texts(&keys, names, count, AT_CANONICAL_SPACED);
	at_canonical_put_texts(&problems, r->direct.problems.items,
		r->direct.problems.count < 10 ? r->direct.problems.count : 10,
		AT_CANONICAL_SPACED);
	at_canonical_set_text(&row, "action", at_bytes_of("direct-grants-loaded"));
	at_canonical_set_raw(&row, "active", at_buf_bytes(&active));
	at_canonical_set_raw(&row, "key_ids", at_buf_bytes(&keys));
	at_canonical_set_raw(&row, "problems", at_buf_bytes(&problems));
	ok = at_runner_record(r, &row, err);
	at_canonical_object_free(&row);
	at_buf_free(&active);
	at_buf_free(&keys);
	at_buf_free(&problems);
	return ok;
}

static bool open_all(struct at_runner *r, struct at_error *err)
{
	const char *named = variable(&r->setup, AT_PROPOSAL_KEY_VARIABLE);
	int watched[AT_QUEUE_WATCHED];

	if (!open_policy(r, err) || !at_queue_open(&r->queue, r->setup.root, err)
		|| !refuse_keys_in_environment(r, err)
		|| !at_proposal_key_load(&r->key, r->setup.home, named, &r->setup.place, err)
		|| !open_operator_file(&r->grants, r->grants_path, &r->setup, AT_MCP_GRANTS_DIR,
			AT_MCP_GRANTS_CAP, err)
		|| !take_lock(r, err) || !pin_servers(r, err) || !read_grants(r, err)
		|| !at_state_create(r->setup.state, err))
		return false;
	r->staged = at_staged_open_dir(r->setup.root, true, err);
	if (r->staged < 0 || !open_ledger(r, err)
		|| !at_dispatches_open(&r->dispatches, &r->site, err))
		return false;
	r->checks = (struct at_check_ground){ .policy = &r->policy, .dispatches = r->dispatches,
		.root = r->setup.root, .project = r->setup.project, .has_direct_grant = has_grant,
		.context = r };
	at_queue_watched(r->queue, watched);
	return at_wake_open(&r->wake, watched, AT_LEN(watched), r->setup.polls, err)
		&& at_runner_reconcile(r, err) && at_queue_left(r->queue, answer_left, r, err)
		&& tell_grants(r, err);
}

bool at_runner_open(struct at_runner **out, const struct at_runner_setup *setup,
	struct at_error *err)
{
	struct at_runner *r = at_alloc(sizeof(*r));

	*out = NULL;
	r->setup = *setup;
	r->lock = r->staged = r->ground = r->brief_dir = r->socket = -1;
	if (setup->server_count > AT_SERVERS_MOST || !open_all(r, err)) {
		if (setup->server_count > AT_SERVERS_MOST)
			at_fail(err, AT_EINVALID, "too many servers to pin");
		at_runner_close(r);
		return false;
	}
	at_runner_beat(r);
	at_socket_open(r);
	*out = r;
	return true;
}

static bool fail_pin(struct at_error *err, const char *what, const char *id)
{
	at_fail(err, AT_EREFUSED, "the %s changed since the runner started; restart it to load the "
		"new policy", what);
	at_error_name(err, id);
	return false;
}

bool at_runner_pins_hold(struct at_runner *r, struct at_error *err)
{
	if (!at_file_is_still(&r->brief, r->brief_dir, r->brief_name))
		return fail_pin(err, "brief", "runner-pin-brief");
	if (!at_operator_file_is_still(
		    &r->confined, r->confined_path, AT_CONFINED_CAP, &r->setup.place))
		return fail_pin(err, "operator confined_programs file", "runner-pin-confined");
	if (!at_operator_file_is_still(
		    &r->grants, r->grants_path, AT_MCP_GRANTS_CAP, &r->setup.place))
		return fail_pin(err, "operator direct-grants file", "runner-pin-grants");
	for (size_t i = 0; i < r->setup.server_count; i++) {
		if (at_file_is_still(&r->servers[i], r->setup.root, r->setup.servers[i].path))
			continue;
		fail_pin(err, "installed server", "runner-pin-server");
		at_error_path(err, r->setup.servers[i].path);
		return false;
	}
	return true;
}

void at_runner_close(struct at_runner *r)
{
	if (!r)
		return;
	at_socket_close(r);
	if (r->lock >= 0 && r->beat_s)
		at_disk_remove(r->ground, "runner.heartbeat");
	at_runner_gates_close(r);
	at_wake_close(r->wake);
	at_dispatches_close(r->dispatches);
	/* Outside the project, for a later look at a ledger that was rolled back. */
	if (r->ledger && !r->is_broken)
		at_proposal_ledger_anchor(r->ledger, NULL);
	at_proposal_ledger_close(r->ledger);
	at_direct_grants_free(&r->direct);
	at_history_free(&r->history);
	for (size_t i = 0; i < AT_SERVERS_MOST; i++)
		at_file_free(&r->servers[i]);
	at_operator_file_free(&r->grants);
	at_operator_file_free(&r->confined);
	at_policy_free(&r->policy);
	at_file_free(&r->brief);
	at_secret_free(&r->key);
	at_queue_close(r->queue);
	at_buf_free(&r->said);
	for (size_t i = 0; i < 4; i++) {
		int fd = ((const int[]){ r->staged, r->ground, r->brief_dir, r->lock })[i];

		if (fd >= 0)
			close(fd);
	}
	free(r);
}
