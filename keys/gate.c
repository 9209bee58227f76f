#include "keys/gate.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/control_plane.h"
#include "core/file.h"
#include "core/mem.h"
#include "keys/effect.h"
#include "keys/field.h"

static void read_switch(struct at_gate *out)
{
	const struct at_clearance_ground *ground = out->ground;
	bool has_marker, has_switch;
	struct at_error err;

	if (ground->team < 0)
		return;
	has_marker = at_file_type(ground->team, AT_GOVERNED_MARKER) != AT_FILE_ABSENT;
	has_switch = at_file_type(ground->team, AT_SWITCH) != AT_FILE_ABSENT;
	if (!at_switch_load(&out->is_enforced, ground->team, AT_SWITCH, &err))
		out->switch_fault = at_arena_printf(out->arena,
			"agent-privilege switch (%s/" AT_SWITCH
			") is present but unreadable: %s. Refusing to silently disable "
			"strict enforcement — fix or remove the file.",
			ground->team_path, err.message);
	else if (has_marker && !has_switch)
		out->switch_fault = at_arena_printf(out->arena,
			"governed workspace (%s has a " AT_GOVERNED_MARKER ") but " AT_SWITCH
			" is absent: refusing to go on as if "
			"nobody had to sign. Run --update, or take the marker away.",
			ground->team_path);
	out->is_enforced |= out->switch_fault != NULL;
	out->is_governed = out->is_enforced || has_marker;
}

static const char *head_fault(struct at_gate *out, const struct at_ledger_head *head)
{
	size_t rows = out->decisions.count;
	struct at_digest last;

	while (rows && out->decisions.rows[rows - 1].is_torn)
		rows--;
	if (rows < head->count)
		return at_arena_printf(out->arena,
			"security decision log is truncated: its signed "
			"head counts %zu rows and %zu are there",
			head->count, rows);
	if (!head->count)
		return "the signed head of the security decision log counts no row";
	last = at_decision_digest(&out->decisions.rows[head->count - 1]);
	if (!at_digest_equal(&last, &head->last))
		return at_arena_printf(out->arena,
			"row %zu of the security decision log is not the "
			"one its signed head names",
			head->count);
	out->head = rows > head->count ? AT_HEAD_BEHIND : AT_HEAD_ANCHORED;
	return NULL;
}

/* KEY-11: a tail that was cut off shows in the head. One that cannot be believed is none. */
static void read_head(struct at_gate *out)
{
	int dir = out->ground->team < 0 ? -1
					: at_file_open_dir(out->ground->team, "references", NULL);
	struct at_ledger_head head;
	struct at_error why;
	bool exists = false;

	if (dir < 0)
		return;
	if (!at_head_load(&head, &exists, dir, strrchr(AT_DECISIONS, '/') + 1,
		    out->ground->keys.verify, &why))
		out->head_fault = at_arena_printf(out->arena,
			"the head of the security decision log cannot be believed: %s",
			why.message);
	else if (exists)
		out->head_fault = head_fault(out, &head);
	if (out->head_fault)
		out->head = AT_HEAD_BAD;
	close(dir);
}

bool at_gate_open(struct at_gate *out, struct at_arena *arena,
	const struct at_clearance_ground *ground, struct at_error *err)
{
	*out = (struct at_gate){ .ground = ground, .arena = arena };
	if (ground->team >= 0 && !at_decisions_load(&out->decisions, arena, ground->team, err))
		return false;
	if (!at_approvers_load(&out->approvers, arena, ground->team, err))
		return false;
	read_switch(out);
	read_head(out);
	out->is_signing = out->decisions.has_signature || ground->keys.hmac.len > 0;
	return true;
}

static int width(struct at_bytes text)
{
	return text.len < 200 ? (int)text.len : 200;
}

/* One of `a; b`, the whole of it. */
static bool scope_permits(struct at_bytes scope, struct at_bytes action)
{
	if (!scope.len)
		return true;
	for (size_t at = 0, end; at <= scope.len; at = end + 1) {
		const char *semicolon = memchr(scope.data + at, ';', scope.len - at);
		struct at_bytes one;

		end = semicolon ? (size_t)(semicolon - scope.data) : scope.len;
		one = at_field_strip((struct at_bytes){ scope.data + at, end - at });
		if (one.len && one.len == action.len
			&& strncasecmp(one.data, action.data, one.len) == 0)
			return true;
	}
	return false;
}

static bool check_author(const struct at_gate *gate, const struct at_decision *row,
	struct at_bytes action, struct at_error *err)
{
	struct at_buf list = { 0 };

	if (at_roster_has(&gate->approvers.roster, row->author))
		return true;
	at_approvers_print(&list, &gate->approvers, true);
	at_fail(err, AT_EREFUSED,
		"decision authorizing '%.*s' was issued by '%.*s', which is not an "
		"approved security author (%s). A requesting agent cannot clear its own action.",
		width(action), action.data, row->author.len ? width(row->author) : 17,
		row->author.len ? row->author.data : "an unnamed author", at_buf_text(&list));
	at_buf_free(&list);
	return false;
}

static const char *seal_fault(enum at_seal seal)
{
	static const char *const texts[AT_SEAL_COUNT] = {
		[AT_SEAL_NONE] = "carries no signature, and signing is active",
		[AT_SEAL_WRONG] = "failed signature verification",
		[AT_SEAL_NO_VERIFY_KEY] = "could not be Ed25519-verified",
		[AT_SEAL_SCHEME] = "declares an unknown sig_scheme",
		[AT_SEAL_TAG] = "could be read as a capability grant: no decision begins so",
		[AT_SEAL_OUTSIDE] =
			"has a scope or an effect that its signature does not cover: it "
			"may have been changed since",
	};

	return texts[seal];
}

static bool fail_seal(
	enum at_seal seal, struct at_bytes action, const struct at_error *why, struct at_error *err)
{
	if (seal == AT_SEAL_NO_KEY)
		return at_fail(err, AT_EREFUSED, "decision signing key is not configured");
	return at_fail(err, AT_EREFUSED, "decision authorizing '%.*s' %s%s%s", width(action),
		action.data, seal_fault(seal), *why->message ? ": " : "", why->message);
}

/* The operator's Ed25519 signature and, where the row itself opens something, a lineage that can be
 * followed, so that a new name does not slip past a HALT. */
static bool check_elevated(const struct at_gate *gate, const struct at_decision *row,
	struct at_bytes action, const char *what, struct at_error *err)
{
	struct at_error why = { 0 };
	enum at_seal seal;

	if (*what && !row->derives_from.len)
		return at_fail(err, AT_EREFUSED,
			"decision authorizing '%.*s' %s and names nothing in "
			"`derives_from`: in a governed workspace it must say which recorded actions "
			"it derives from",
			width(action), action.data, what);
	if (!at_decisions_lineage(&gate->decisions, gate->arena, row->action, &why))
		return at_fail(err, AT_EREFUSED,
			"decision authorizing '%.*s' has a lineage that "
			"cannot be followed: %s",
			width(action), action.data, why.message);
	seal = at_decision_seal(row, &gate->ground->keys, &why);
	if (seal == AT_SEAL_ED25519)
		return true;
	if (seal != AT_SEAL_HMAC && seal != AT_SEAL_NO_KEY && seal != AT_SEAL_NONE)
		return fail_seal(seal, action, &why, err);
	return at_fail(err, AT_EREFUSED,
		"decision authorizing '%.*s' %s: in a governed workspace only "
		"the operator's Ed25519 signature authorises that, an HMAC signature alone never "
		"does",
		width(action), action.data,
		*what ? what : "is for an action that relaxes or widens the boundary");
}

static bool check_signature(const struct at_gate *gate, const struct at_decision *row,
	struct at_bytes action, struct at_error *err)
{
	struct at_error why = { 0 };
	enum at_seal seal;

	if (gate->switch_fault)
		return at_fail(err, AT_EREFUSED, "%s", gate->switch_fault);
	if (!gate->is_signing) {
		if (!gate->is_enforced)
			return true;
		return at_fail(err, AT_EREFUSED,
			"decision authorizing '%.*s' is UNSIGNED, but strict "
			"agent-privilege enforcement (enforce_decision_signing) is ON for this "
			"workspace: an unsigned authorization is refused (fail-closed). Activate "
			"decision signing — add a `signature` column to the decisions log or set "
			"AGENTTEAMS_DECISION_SIGNING_KEY — or set enforce_decision_signing:false in "
			"the brief and re-run --update.",
			width(action), action.data);
	}
	seal = at_decision_seal(row, &gate->ground->keys, &why);
	return at_seal_holds(seal) || fail_seal(seal, action, &why, err);
}

bool at_gate_trusts(const struct at_gate *gate, const struct at_decision *row,
	struct at_bytes action, bool relaxes, struct at_error *err)
{
	const char *what;
	enum at_effect effect = at_decision_effect(row, gate->arena, &what);
	struct at_bytes scope = row->extension[AT_EXT_SCOPE];
	bool is_elevated = relaxes || effect == AT_EFFECT_ELEVATED;

	if (!scope_permits(scope, action))
		return at_fail(err, AT_EREFUSED,
			"decision authorizing '%.*s' declares scope '%.*s', "
			"which does not include '%.*s'",
			width(action), action.data, width(scope), scope.data, width(action),
			action.data);
	if (effect == AT_EFFECT_INELIGIBLE || effect == AT_EFFECT_DENIED)
		return at_fail(err, AT_EREFUSED,
			"decision authorizing '%.*s' %s: no decision "
			"authorises that, however signed",
			width(action), action.data, what);
	if (!check_author(gate, row, action, err))
		return false;
	if (row->ambiguous)
		return at_fail(err, AT_EREFUSED,
			"decision authorizing '%.*s' is ambiguous: %s, so "
			"that it can be read in two ways",
			width(action), action.data, row->ambiguous);
	if (is_elevated && gate->is_governed && row->kind != AT_VERDICT_RETRACTED)
		return check_elevated(gate, row, action, what, err);
	return check_signature(gate, row, action, err);
}

static bool check_retraction(const struct at_gate *gate, const struct at_decision *row,
	struct at_bytes target, struct at_error *err)
{
	if (!at_gate_trusts(gate, row, target, false, err))
		return false;
	if (row->evidence.len)
		return true;
	return at_fail(err, AT_EREFUSED,
		"HALT-RETRACTED row for '%.*s' carries no evidence; a "
		"retraction must record why the HALT no longer applies",
		width(target), target.data);
}

/* In the file's order: dates are anybody's to write. `consumed` does not lift a HALT. */
bool at_gate_open_halt(const struct at_gate *gate, const struct at_decision **out,
	struct at_bytes target, struct at_error *err)
{
	*out = NULL;
	for (size_t i = 0; i < gate->decisions.count; i++) {
		const struct at_decision *row = &gate->decisions.rows[i];

		if (at_decision_halts(row, target)) {
			*out = *out ? *out : row;
		} else if (row->kind == AT_VERDICT_RETRACTED && !row->is_torn
			&& at_action_matches(row->action, target)) {
			if (!check_retraction(gate, row, target, err))
				return false;
			*out = NULL;
		}
	}
	return true;
}
