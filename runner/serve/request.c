#include "runner/serve/request.h"

#include <string.h>

#include "core/json_write.h"
#include "core/mem.h"
#include "runner/proposals/artifact.h"
#include "runner/proposals/site.h"

/* Members beside `kind`; bits of a table. */
enum {
	AGENT = 1,
	ARTIFACT = 2,
	DRY_RUN = 4,
	VIA = 8,
	SID = 16,
	REASON = 32,
	CHANNEL = 64, /* of other programs; ignored wherever it stands */
};

static const struct {
	const char *key;
	unsigned bit;
	bool is_text;
} members[] = {
	{ "agent", AGENT, true },
	{ "artifact", ARTIFACT, false },
	{ "dry_run", DRY_RUN, false },
	{ "via_agent", VIA, true },
	{ "sid", SID, true },
	{ "reason", REASON, true },
	{ "channel", CHANNEL, false },
};

enum { BY_ORCHESTRATOR = 1 << AT_ASKER_ORCHESTRATOR, BY_MCP = 1 << AT_ASKER_MCP,
	BY_OPERATOR = 1 << AT_ASKER_OPERATOR };

/* 3.5: one row a kind. */
static const struct {
	const char *name;
	unsigned must, may, askers;
	bool groups;
} kinds[AT_ASK_COUNT] = {
	[AT_ASK_ISSUE_DISPATCH] = { "issue-dispatch", AGENT, 0, BY_ORCHESTRATOR | BY_OPERATOR,
		false },
	[AT_ASK_APPLY_PROPOSAL] = { "apply-proposal", ARTIFACT, DRY_RUN,
		BY_ORCHESTRATOR | BY_OPERATOR, false },
	[AT_ASK_RUN_REQUEST] = { "run-request", ARTIFACT, DRY_RUN | VIA,
		BY_ORCHESTRATOR | BY_MCP | BY_OPERATOR, false },
	[AT_ASK_VERIFY_LEDGER] = { "verify-ledger", 0, 0, BY_ORCHESTRATOR | BY_OPERATOR, false },
	[AT_ASK_STAGE_PROPOSAL] = { "stage-proposal", ARTIFACT, VIA, BY_MCP, true },
	[AT_ASK_APPLY_STAGED] = { "apply-staged", SID, 0, BY_ORCHESTRATOR | BY_OPERATOR, false },
	[AT_ASK_REJECT_STAGED] = { "reject-staged", SID, REASON, BY_ORCHESTRATOR | BY_OPERATOR,
		false },
	[AT_ASK_LIST_STAGED] = { "list-staged", 0, 0, BY_ORCHESTRATOR | BY_OPERATOR, false },
	[AT_ASK_SHOW_STAGED] = { "show-staged", SID, 0, BY_ORCHESTRATOR | BY_OPERATOR, false },
	[AT_ASK_UNDO_APPLIED] = { "undo-applied", 0, 0, BY_OPERATOR, false },
};

const char *at_request_kind_name(enum at_request_kind kind)
{
	return kinds[kind].name;
}

const char *at_asker_name(enum at_asker asker)
{
	static const char *const names[] = {
		[AT_ASKER_ORCHESTRATOR] = "orchestrator",
		[AT_ASKER_MCP] = "mcp",
		[AT_ASKER_OPERATOR] = "operator",
	};

	return names[asker];
}

bool at_request_groups(enum at_request_kind kind)
{
	return kinds[kind].groups;
}

static bool refuse(struct at_error *err, const char *id, const char *text)
{
	at_fail(err, AT_EREFUSED, "%s", text);
	at_error_name(err, id);
	return false;
}

static bool find_kind(struct at_asked *out, struct at_error *err)
{
	uint32_t node = at_json_member(out->doc, AT_JSON_ROOT, "kind");

	for (size_t i = 0; i < AT_ASK_COUNT; i++) {
		if (!at_json_is(out->doc, node, AT_JSON_STRING)
			|| !at_json_string_is(out->doc, node, kinds[i].name))
			continue;
		out->kind = (enum at_request_kind)i;
		return true;
	}
	return refuse(err, "request-kind", "unknown request kind");
}

/* The operator's own kind is unknown to everybody else. */
static bool check_channel(const struct at_asked *asked, enum at_asker asker, struct at_error *err)
{
	unsigned askers = kinds[asked->kind].askers;

	if (askers & 1u << asker)
		return true;
	if (askers == BY_OPERATOR)
		return refuse(err, "request-kind", "unknown request kind");
	if (asker == AT_ASKER_MCP)
		at_fail(err, AT_EREFUSED, "the MCP channel can't queue '%s'",
			kinds[asked->kind].name);
	else
		at_fail(err, AT_EREFUSED,
			"'%s' comes only from an agent's agentteams_runner server",
			kinds[asked->kind].name);
	at_error_name(err, "request-channel");
	return false;
}

static bool fail_shape(const struct at_asked *asked, const char *what, struct at_error *err)
{
	at_fail(err, AT_EREFUSED, "%s: %s", kinds[asked->kind].name, what);
	at_error_name(err, "request-shape");
	return false;
}

static bool take_text(const char **out, const struct at_json *doc, uint32_t node,
	struct at_arena *arena)
{
	struct at_bytes text;

	if (!at_json_is(doc, node, AT_JSON_STRING))
		return false;
	text = at_json_string(doc, node, arena);
	*out = text.data;
	return strlen(text.data) == text.len;
}

static bool take_member(struct at_asked *out, size_t row, uint32_t node, struct at_arena *arena)
{
	const char *text = "";

	if (members[row].is_text && !take_text(&text, out->doc, node, arena))
		return false;
	switch (members[row].bit) {
	case AGENT:
		out->agent = text;
		return true;
	case VIA:
		out->via_agent = text;
		return true;
	case REASON:
		out->reason = text;
		return true;
	case SID:
		/* One that is no id cannot be copied; its own refusal follows. */
		if (at_is_lower_hex(at_bytes_of(text), 32))
			memcpy(out->sid, text, sizeof(out->sid));
		return true;
	case ARTIFACT:
		out->artifact = node;
		return at_json_is(out->doc, node, AT_JSON_OBJECT);
	case DRY_RUN:
		out->dry_run = at_json_is(out->doc, node, AT_JSON_TRUE);
		return out->dry_run || at_json_is(out->doc, node, AT_JSON_FALSE);
	default:
		return true;
	}
}

/* AT_LEN(members) when the key is none of them. */
static size_t member_row(struct at_bytes key)
{
	size_t row = 0;

	while (row < AT_LEN(members) && !at_bytes_equal_text(key, members[row].key))
		row++;
	return row;
}

static bool take_members(struct at_asked *out, struct at_arena *arena, struct at_error *err)
{
	unsigned allowed = kinds[out->kind].must | kinds[out->kind].may | CHANNEL, seen = 0;

	at_json_each(out->doc, node, AT_JSON_ROOT) {
		struct at_bytes key = at_json_key(out->doc, node, arena);
		size_t row = member_row(key);

		if (at_bytes_equal_text(key, "kind"))
			continue;
		if (row == AT_LEN(members) || !(members[row].bit & allowed))
			return fail_shape(out, "a key that it does not have", err);
		if (!take_member(out, row, node, arena))
			return fail_shape(out, "a value of another type", err);
		seen |= members[row].bit;
	}
	if ((kinds[out->kind].must & ~seen) != 0)
		return fail_shape(out, "a key is missing", err);
	return true;
}

bool at_request_take(struct at_asked *out, bool *known, const struct at_json *doc,
	enum at_asker asker, struct at_arena *arena, struct at_error *err)
{
	*out = (struct at_asked){ .doc = doc, .artifact = AT_JSON_NONE, .agent = "",
		.via_agent = "", .reason = "" };
	if (known)
		*known = false;
	if (!doc || !doc->count || !at_json_is(doc, AT_JSON_ROOT, AT_JSON_OBJECT))
		return refuse(err, "request-unreadable",
			"unreadable request (not a regular JSON file)");
	if (!find_kind(out, err))
		return false;
	if (known)
		*known = true;
	if (!check_channel(out, asker, err) || !take_members(out, arena, err))
		return false;
	if (asker == AT_ASKER_MCP && !at_agent_slug_is_sound(at_bytes_of(out->via_agent)))
		return refuse(err, "request-via",
			"an MCP-channel request must name its server instance's agent (via_agent)");
	if ((kinds[out->kind].must & SID) && !*out->sid)
		return refuse(err, "request-staged-id", "bad staged id");
	return true;
}

bool at_asked_read(struct at_asked *out, struct at_json *doc, bool *known, struct at_bytes text,
	enum at_asker asker, struct at_arena *arena, struct at_error *err)
{
	bool is_json = text.len <= AT_REQUEST_CAP
		&& at_json_read(doc, text, &at_artifact_limits, 0, NULL);

	if (!is_json)
		*doc = (struct at_json){ 0 };
	return at_request_take(out, known, is_json ? doc : NULL, asker, arena, err);
}

static void put_member(struct at_buf *out, const char *key, const char *text)
{
	if (!text)
		return;
	at_buf_printf(out, ", \"%s\": ", key);
	at_json_quote(out, at_bytes_of(text));
}

void at_request_put(struct at_buf *out, const struct at_request_words *words)
{
	at_buf_printf(out, "{\"kind\": \"%s\"", kinds[words->kind].name);
	put_member(out, "agent", words->agent);
	put_member(out, "via_agent", words->via_agent);
	put_member(out, "sid", words->sid);
	put_member(out, "reason", words->reason);
	if (words->artifact.len) {
		at_buf_puts(out, ", \"artifact\": ");
		at_buf_put(out, words->artifact.data, words->artifact.len);
	}
	if (words->dry_run)
		at_buf_puts(out, ", \"dry_run\": true");
	at_buf_puts(out, "}\n");
}
