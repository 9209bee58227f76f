#include "runner/gate/log_verify.h"

#include <string.h>

#include "core/json_read.h"
#include "core/mem.h"

const char *const gate_log_decisions[5] = { "pass", "ask", "deny", "crash-open", "crash-deny" };

/* A line is read by these names in this order, all of them but the last. */
static const struct {
	const char *key;
	enum at_json_kind kind;
} keys[] = {
	{ "tool_use_id", AT_JSON_STRING },
	{ "tool", AT_JSON_STRING },
	{ "decision", AT_JSON_STRING },
	{ "reason_id", AT_JSON_STRING },
	{ "categories", AT_JSON_ARRAY },
	{ "lines", AT_JSON_ARRAY },
	{ "checked", AT_JSON_STRING },
	{ "hook_hash", AT_JSON_STRING },
	{ "prev_sha", AT_JSON_STRING },
	{ "input_hmac", AT_JSON_STRING },
};

static const struct at_json_limits limits = { GATE_LOG_LINE, 4 };

const char *gate_gap_text(enum gate_gap_kind kind)
{
	static const char *const texts[] = {
		"lines are missing before it, or the one before it was changed",
		"the log begins with it, and it follows a line that is not here",
		"it is no whole line: half written, or changed",
	};

	return texts[kind];
}

static bool has_shape(const struct at_json *doc, struct at_arena *arena)
{
	size_t k = 0;

	if (!at_json_is(doc, AT_JSON_ROOT, AT_JSON_OBJECT))
		return false;
	at_json_each(doc, i, AT_JSON_ROOT) {
		if (k == AT_LEN(keys) || !at_json_is(doc, i, keys[k].kind)
			|| !at_bytes_equal_text(at_json_key(doc, i, arena), keys[k].key))
			return false;
		k++;
	}
	return k >= AT_LEN(keys) - 1;
}

static int decision_of(const struct at_json *doc)
{
	uint32_t decision = at_json_member(doc, AT_JSON_ROOT, "decision");

	for (size_t d = 0; d < AT_LEN(gate_log_decisions); d++)
		if (at_json_string_is(doc, decision, gate_log_decisions[d]))
			return (int)d;
	return -1;
}

static struct at_bytes text_of(const struct at_json *doc, const char *key, struct at_arena *arena)
{
	uint32_t node = at_json_member(doc, AT_JSON_ROOT, key);

	return node == AT_JSON_NONE ? (struct at_bytes){ "", 0 } : at_json_string(doc, node, arena);
}

bool gate_log_read_line(struct gate_log_entry *out, struct at_bytes line, struct at_arena *arena)
{
	struct at_json doc;
	bool ok;

	memset(out, 0, sizeof(*out));
	if (!at_json_read(&doc, line, &limits, 0, NULL))
		return false;
	out->decision = -1;
	ok = has_shape(&doc, arena) && (out->decision = decision_of(&doc)) >= 0;
	if (ok) {
		out->id = text_of(&doc, "tool_use_id", arena);
		out->tool = text_of(&doc, "tool", arena);
		out->reason = text_of(&doc, "reason_id", arena);
		out->checked = text_of(&doc, "checked", arena);
		out->hook_hash = text_of(&doc, "hook_hash", arena);
		out->prev = text_of(&doc, "prev_sha", arena);
		out->hmac = text_of(&doc, "input_hmac", arena);
		out->categories =
			at_json_raw(&doc, at_json_member(&doc, AT_JSON_ROOT, "categories"));
		out->lines = at_json_raw(&doc, at_json_member(&doc, AT_JSON_ROOT, "lines"));
		out->is_inspected = at_bytes_equal_text(out->checked, "custody");
		out->is_keyed =
			at_json_member(&doc, AT_JSON_ROOT, "input_hmac") != AT_JSON_NONE;
	}
	at_json_free(&doc);
	return ok;
}

void gate_log_genesis(char out[AT_DIGEST_HEX])
{
	memset(out, '0', AT_DIGEST_HEX - 1);
	out[AT_DIGEST_HEX - 1] = '\0';
}

static void add_gap(struct gate_log_report *out, enum gate_gap_kind kind, size_t line)
{
	if (out->gap_count < GATE_GAPS)
		out->gaps[out->gap_count] = (struct gate_gap){ kind, line };
	out->gap_count++;
}

/* `prev` is the digest of the last whole line, or the genesis. */
static void read_line(
	struct gate_log_report *out, struct at_bytes line, size_t number, char prev[AT_DIGEST_HEX])
{
	struct at_arena *arena = at_arena_new();
	struct gate_log_entry entry;
	struct at_digest digest;

	if (gate_log_read_line(&entry, line, arena)) {
		if (!at_bytes_equal_text(entry.prev, prev))
			add_gap(out, out->lines ? GATE_GAP_CHAIN : GATE_GAP_START, number);
		out->lines++;
		out->decided[entry.decision]++;
		out->not_inspected += !entry.is_inspected;
		out->keyed += entry.is_keyed;
		digest = at_digest_of(line);
		at_digest_hex(prev, &digest);
	} else {
		add_gap(out, GATE_GAP_TORN, number);
	}
	at_arena_free(arena);
}

void gate_log_verify(struct gate_log_report *out, struct at_bytes log)
{
	char prev[AT_DIGEST_HEX];
	size_t number = 0;

	memset(out, 0, sizeof(*out));
	gate_log_genesis(prev);
	for (size_t start = 0; start < log.len;) {
		const char *line = log.data + start;
		const char *end = memchr(line, '\n', log.len - start);
		size_t len = end ? (size_t)(end - line) : log.len - start;

		if (end)
			read_line(out, (struct at_bytes){ line, len }, ++number, prev);
		else
			add_gap(out, GATE_GAP_TORN, ++number);
		start += len + 1;
	}
}
