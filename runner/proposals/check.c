#include "runner/proposals/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/path.h"
#include "core/utf8.h"
#include "keys/field.h"
#include "runner/proposals/scope.h"

/* One run of the table. */
struct run {
	struct at_check *out;
	const struct at_check_ask *ask;
	const struct at_check_ground *ground;
	struct at_arena *arena;
};

static bool __attribute__((format(printf, 3, 4)))
refuse(struct at_error *err, const char *id, const char *format, ...)
{
	char text[760];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	at_fail(err, AT_EREFUSED, "%s", text);
	at_error_name(err, id);
	return false;
}

static bool shape(struct run *r, struct at_error *err)
{
	bool is_recorded = r->ask->mode == AT_CHECK_STAGED || r->ask->mode == AT_CHECK_OPERATOR;

	return at_artifact_take(&r->out->artifact, r->ask->doc, r->ask->node,
		AT_CHANGE_PROPOSAL | AT_DELETE_PROPOSAL | (is_recorded ? AT_STAGED_FORM : 0),
		r->arena, err);
}

static bool no_direct_delete(struct run *r, struct at_error *err)
{
	return refuse(err, "direct-delete",
		"a deletion is never applied directly; stage it for the orchestrator (C-5)");
}

bool at_check_channel(const struct at_policy *policy, enum at_channel channel,
	const char *via_agent, const char *agent, struct at_error *err)
{
	if (channel == AT_CHANNEL_MCP)
		return (via_agent && *via_agent)
			|| refuse(err, "channel-agent",
				"an MCP-channel request must name its server instance's agent "
				"(via_agent)");
	return !agent || !at_policy_mcp(policy, agent)
		|| refuse(err, "channel-server",
			"%s writes and executes only through the agentteams_runner MCP server; "
			"refused on the orchestrator's queue",
			agent);
}

/* The nonce, whose it is on this channel, and whose the artifact says it is. */
static bool whose(struct run *r, struct at_error *err)
{
	const struct at_artifact *a = &r->out->artifact;
	const struct at_bytes via = at_bytes_of(r->ask->via_agent ? r->ask->via_agent : "");
	struct at_dispatch dispatch;

	if (!at_dispatch_attempt(
		    &dispatch, r->ground->dispatches, a->dispatch.text, NULL, r->ask->now, err))
		return false;
	snprintf(r->out->agent, sizeof(r->out->agent), "%s", dispatch.agent);
	if (r->ask->channel == AT_CHANNEL_MCP && !at_dispatch_is_whose(&dispatch, &via, err))
		return false;
	if (r->ask->mode == AT_CHECK_DIRECT && !at_dispatch_is_narrow(&dispatch, r->ask->now))
		return refuse(err, "dispatch-narrow",
			"dispatch nonce is wider than a direct write may use; refused");
	return at_check_channel(
		       r->ground->policy, r->ask->channel, r->ask->via_agent, dispatch.agent, err)
		&& at_dispatch_is_whose(&dispatch, a->agent.exists ? &a->agent.text : NULL, err);
}

static bool identity(struct run *r, struct at_error *err)
{
	if (!r->ground->dispatches) {
		snprintf(r->out->agent, sizeof(r->out->agent), "%s", r->ask->agent);
		return true;
	}
	if (!at_check_channel(r->ground->policy, r->ask->channel, r->ask->via_agent, NULL, err))
		return false;
	if (whose(r, err))
		return true;
	if (r->ask->channel == AT_CHANNEL_MCP)
		at_dispatch_hide(err);
	return false;
}

static bool direct(struct run *r, struct at_error *err)
{
	const struct at_check_ground *g = r->ground;

	return (g->has_direct_grant && g->has_direct_grant(g->context, r->out->agent))
		|| refuse(err, "direct-grant",
			"%s holds no verified direct-write grant; stage the proposal instead",
			r->out->agent);
}

static bool rationale(struct run *r, struct at_error *err)
{
	struct at_bytes why = r->out->artifact.why.text;

	return (why.data && !at_field_is_blank(why))
		|| refuse(err, "rationale", "a non-empty rationale is required");
}

/* Where the path leads, links followed: R. */
static bool resolve(char out[PATH_MAX], struct at_bytes path, const struct at_check_ground *g,
	struct at_error *err)
{
	const char *fault = at_artifact_path_fault(path);
	char physical[PATH_MAX];
	size_t len = strlen(g->project);

	*out = '\0';
	if (fault)
		return refuse(err, "path",
			"path must be a non-empty root-relative POSIX path: %s: '%.*s'", fault,
			(int)(path.len > 200 ? 200 : path.len), path.data ? path.data : "");
	if (!at_path_physical_below(physical, g->project, path.data)
		|| !at_path_is_inside(physical, g->project))
		return refuse(err, "path-outside",
			"path '%.300s' resolves outside the project; "
			"refused",
			path.data);
	if (strcmp(physical, g->project) == 0)
		return refuse(err, "path-root", "path must name a file, not the project root");
	snprintf(out, PATH_MAX, "%s", physical + len + (g->project[len - 1] != '/'));
	return true;
}

static bool path(struct run *r, struct at_error *err)
{
	return resolve(r->out->path, r->out->artifact.path.text, r->ground, err);
}

static bool is_off_plane(const char *at, struct at_error *err)
{
	char plane[PATH_MAX];

	return !at_scope_plane(plane, sizeof(plane), at)
		|| refuse(err, "control-plane",
			"%.300s is inside the project control plane (%.200s); refused", at, plane);
}

static bool is_not_brief(const char *at, const struct at_policy *policy, struct at_error *err)
{
	return !*policy->brief_place || !at_scope_is_same(at, policy->brief_place)
		|| refuse(err, "brief",
			"%.300s is the brief that defines this policy; refused (C-3)", at);
}

static bool is_unprotected(const char *at, const struct at_policy *policy, struct at_error *err)
{
	const char *by = at_scope_protected(
		policy->protected_paths.items, policy->protected_paths.count, at);

	return !by
		|| refuse(err, "protected-path",
			"%.300s is a protected path (%.200s); change it only through its own "
			"script",
			at, by);
}

static bool is_in_scope(
	const char *at, const struct at_policy *policy, const char *agent, struct at_error *err)
{
	const struct at_policy_agent *of = at_policy_agent(policy, agent);
	struct at_buf list = { 0 };

	for (size_t i = 0; of && i < of->write_scopes.count; i++) {
		const char *scope = of->write_scopes.items[i];

		if (at_scope_covers(scope, at)) {
			at_buf_free(&list);
			return true;
		}
		at_buf_printf(&list, "%s'%s'", list.len ? ", " : "", scope);
	}
	refuse(err, "write-scopes", "%.300s is outside %s's write_scopes [%.300s]; refused", at,
		agent, at_buf_text(&list));
	at_buf_free(&list);
	return false;
}

static bool plane(struct run *r, struct at_error *err)
{
	return is_off_plane(r->out->path, err);
}

static bool brief(struct run *r, struct at_error *err)
{
	return is_not_brief(r->out->path, r->ground->policy, err);
}

static bool unprotected(struct run *r, struct at_error *err)
{
	return is_unprotected(r->out->path, r->ground->policy, err);
}

static bool scopes(struct run *r, struct at_error *err)
{
	return is_in_scope(r->out->path, r->ground->policy, r->out->agent, err);
}

bool at_check_destination(char out[PATH_MAX], struct at_bytes where,
	const struct at_check_ground *ground, const char *agent, struct at_error *err)
{
	return resolve(out, where, ground, err) && is_off_plane(out, err)
		&& is_not_brief(out, ground->policy, err)
		&& is_unprotected(out, ground->policy, err)
		&& is_in_scope(out, ground->policy, agent, err);
}

static bool delete_base(struct run *r, struct at_error *err)
{
	struct at_bytes base = r->out->artifact.base.text;

	return !base.data || !at_bytes_equal_text(base, "absent")
		|| refuse(
			err, "delete-base", "a deletion needs the hash of the file being deleted");
}

static bool content(struct run *r, struct at_error *err)
{
	struct at_bytes text = r->out->artifact.content.text;

	if (!text.data)
		return refuse(err, "content", "content must be a string");
	if (text.len > AT_CONTENT_CAP)
		return refuse(err, "content-size",
			"content is %zu bytes, over the 262144-byte cap; review it directly",
			text.len);
	r->out->result = at_digest_of(text);
	return true;
}

/* What stands there now, against what the agent read. */
static bool base_is_there(
	struct at_check *out, const struct at_check_ground *g, struct at_error *err)
{
	at_file_free(&out->old);
	if (!at_file_read(&out->old, g->root, out->path, AT_FILE_CAP,
		    AT_FILE_MAY_BE_ABSENT | AT_FILE_SINGLE_LINK, err)) {
		at_error_name(err, "destination");
		return false;
	}
	if (out->old.exists == out->base_is_absent
		|| (out->old.exists && !at_digest_equal(&out->old.digest, &out->base)))
		return refuse(err, "stale-base",
			"%.300s changed since the agent read it (stale base); re-dispatch with the "
			"current file",
			out->path);
	return !out->old.exists || at_utf8_is_valid(at_buf_bytes(&out->old.bytes), NULL)
		|| refuse(err, "not-text", "%.300s is not UTF-8 text; proposals carry text only",
			out->path);
}

static bool base(struct run *r, struct at_error *err)
{
	struct at_check *out = r->out;

	if (!at_artifact_base(&out->base_is_absent, &out->base, out->artifact.base.text))
		return refuse(err, "base", "base_sha256 must be a sha256 hex digest or \"absent\"");
	return base_is_there(out, r->ground, err);
}

static void add_gate(struct run *r, const struct at_policy_gate *gate)
{
	for (size_t i = 0; i < r->out->gate_count; i++)
		if (r->out->gates[i] == gate)
			return;
	r->out->gates[r->out->gate_count++] = gate;
}

static bool add_asked(struct run *r, struct at_error *err)
{
	const struct at_artifact *a = &r->out->artifact;
	const struct at_policy *policy = r->ground->policy;
	struct at_buf unknown = { 0 };
	const char *const *names;
	size_t count;
	bool done;

	if (a->gates == AT_JSON_NONE)
		return true;
	if (!at_artifact_strings(&names, &count, a->doc, a->gates, r->arena))
		return refuse(err, "gates", "gates must be a list of gate names");
	for (size_t i = 0; i < count; i++) {
		const struct at_policy_gate *gate = at_policy_gate(policy, names[i]);

		if (gate)
			add_gate(r, gate);
		else
			at_buf_printf(&unknown, "%s%.60s", unknown.len ? ", " : "", names[i]);
	}
	done = !unknown.len
		|| refuse(err, "gates-unknown", "unknown gate(s) requested: %.600s",
			at_buf_text(&unknown));
	at_buf_free(&unknown);
	return done;
}

static bool gates(struct run *r, struct at_error *err)
{
	const struct at_policy *policy = r->ground->policy;

	r->out->gates = at_arena_alloc(
		r->arena, (policy->gate_count + 1) * sizeof(const struct at_policy_gate *));
	if (!add_asked(r, err))
		return false;
	for (size_t i = 0; i < policy->gate_count; i++)
		if (at_glob_covers(policy->gates[i].glob, r->out->path))
			add_gate(r, &policy->gates[i]);
	return true;
}

#define MODES(bit) (1u << AT_CHECK_##bit)
#define ANY (MODES(APPLY) | MODES(STAGE) | MODES(DIRECT) | MODES(STAGED) | MODES(OPERATOR))
#define BOTH (AT_CHANGE_PROPOSAL | AT_DELETE_PROPOSAL)

/* reference-ledgers 3.8, rows 1 to 14, in their order. */
static const struct {
	bool (*holds)(struct run *r, struct at_error *err);
	unsigned modes, kinds;
} checks[] = {
	{ shape, ANY, BOTH },
	{ no_direct_delete, MODES(DIRECT), AT_DELETE_PROPOSAL },
	{ identity, ANY, BOTH },
	{ direct, MODES(DIRECT), BOTH },
	{ rationale, ANY, BOTH },
	{ path, ANY, BOTH },
	{ plane, ANY, BOTH },
	{ brief, ANY, BOTH },
	{ unprotected, ANY, BOTH },
	{ scopes, ANY, BOTH },
	{ delete_base, ANY, AT_DELETE_PROPOSAL },
	{ content, ANY, AT_CHANGE_PROPOSAL },
	{ base, ANY, BOTH },
	{ gates, ANY, AT_CHANGE_PROPOSAL },
};

bool at_check_run(struct at_check *out, const struct at_check_ask *ask,
	const struct at_check_ground *ground, struct at_arena *arena, struct at_error *err)
{
	struct run run = { out, ask, ground, arena };

	*out = (struct at_check){ .agent = "?" };
	out->artifact.kind = AT_CHANGE_PROPOSAL; /* until the shape says */
	for (size_t i = 0; i < AT_LEN(checks); i++)
		if ((checks[i].modes & 1u << ask->mode) && (checks[i].kinds & out->artifact.kind)
			&& !checks[i].holds(&run, err))
			return false;
	return true;
}

void at_check_free(struct at_check *check)
{
	at_file_free(&check->old);
}

bool at_check_again(
	struct at_check *check, const struct at_check_ground *ground, struct at_error *err)
{
	char now[PATH_MAX];

	if (!at_check_destination(now, check->artifact.path.text, ground, check->agent, err))
		return false;
	if (strcmp(now, check->path) != 0)
		return refuse(err, "path-moved",
			"path '%.300s' leads elsewhere than it did; "
			"refused",
			check->artifact.path.text.data);
	return base_is_there(check, ground, err);
}
