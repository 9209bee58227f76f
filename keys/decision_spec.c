/* The spec of a new decision: strict JSON, one table of fields. */
#include <string.h>

#include "core/json_read.h"
#include "core/json_write.h"
#include "core/mem.h"
#include "keys/decision_sign.h"
#include "keys/field.h"

/* Sorted by name, as the review digest wants them. */
static const struct {
	const char *name;
	enum at_spec_field field;
	bool is_required, is_flag;
	bool is_text; /* prose that nobody signs: it may hold any character but control ones */
} fields[] = {
	{ "action_reviewed", AT_SPEC_ACTION, true, false, false },
	{ "author", AT_SPEC_AUTHOR, true, false, false },
	{ "conditions", AT_SPEC_CONDITIONS, false, false, true },
	{ "conditions_verified", AT_SPEC_VERIFIED, false, false, false },
	{ "derives_from", AT_SPEC_DERIVES, false, false, false },
	{ "effect_bulk", AT_SPEC_EXTENSION + AT_EXT_BULK, false, true, false },
	{ "effect_class", AT_SPEC_EXTENSION + AT_EXT_CLASS, false, false, false },
	{ "effect_cross_repo", AT_SPEC_EXTENSION + AT_EXT_CROSS_REPO, false, true, false },
	{ "effect_destructive", AT_SPEC_EXTENSION + AT_EXT_DESTRUCTIVE, false, true, false },
	{ "effect_grants", AT_SPEC_EXTENSION + AT_EXT_GRANTS, false, false, false },
	{ "effect_relaxes", AT_SPEC_EXTENSION + AT_EXT_RELAXES, false, false, false },
	{ "effect_targets", AT_SPEC_EXTENSION + AT_EXT_TARGETS, false, false, false },
	{ "evidence", AT_SPEC_EVIDENCE, false, false, true },
	{ "key_id", AT_SPEC_KEY_ID, true, false, false },
	{ "scope", AT_SPEC_EXTENSION + AT_EXT_SCOPE, false, false, false },
	{ "verdict", AT_SPEC_VERDICT, true, false, false },
};

static bool fail_field(struct at_error *err, const char *name, const char *what)
{
	at_fail(err, AT_EINVALID, "the decision's `%s` %s", name, what);
	at_error_field(err, name);
	at_error_name(err, "decision-spec");
	return false;
}

static bool check_known(const struct at_json *doc, struct at_arena *arena, struct at_error *err)
{
	at_json_each(doc, i, AT_JSON_ROOT) {
		struct at_bytes key = at_json_key(doc, i, arena);
		bool is_known = false;

		for (size_t k = 0; k < AT_LEN(fields) && !is_known; k++)
			is_known = at_bytes_equal_text(key, fields[k].name);
		if (!is_known)
			return at_fail(err, AT_EINVALID, "the decision has no field `%.*s`",
				key.len < 100 ? (int)key.len : 100, key.data);
	}
	return true;
}

static bool check_text(size_t i, struct at_bytes value, struct at_error *err)
{
	enum at_field_fault fault = at_field_check(value);

	if (fields[i].is_required && !value.len)
		return fail_field(err, fields[i].name, "is missing or empty");
	if (fault && !(fields[i].is_text && fault == AT_FIELD_DELIMITER))
		return fail_field(err, fields[i].name, at_field_fault_text(fault));
	return true;
}

static bool read_field(struct at_decision_spec *out, size_t i, const struct at_json *doc,
	struct at_arena *arena, struct at_error *err)
{
	uint32_t node = at_json_member(doc, AT_JSON_ROOT, fields[i].name);
	struct at_bytes *to = &out->field[fields[i].field];

	*to = at_bytes_of("");
	if (node == AT_JSON_NONE)
		return check_text(i, *to, err);
	if (fields[i].is_flag && at_json_is(doc, node, AT_JSON_FALSE))
		return true;
	if (fields[i].is_flag && at_json_is(doc, node, AT_JSON_TRUE)) {
		*to = at_bytes_of("yes");
		return true;
	}
	if (fields[i].is_flag)
		return fail_field(err, fields[i].name, "must be true or false");
	if (!at_json_is(doc, node, AT_JSON_STRING))
		return fail_field(err, fields[i].name, "must be a text");
	*to = at_field_strip(at_json_string(doc, node, arena));
	return check_text(i, *to, err);
}

static bool check_whole(const struct at_decision_spec *spec, struct at_error *err)
{
	static const char *const verdicts[] = { "PASS", "CONDITIONAL PASS", "HALT",
		"HALT-RETRACTED" };
	struct at_bytes verdict = spec->field[AT_SPEC_VERDICT];
	bool is_known = false;

	for (size_t i = 0; i < AT_LEN(verdicts); i++)
		is_known |= at_bytes_equal_text(verdict, verdicts[i]);
	if (!is_known)
		return fail_field(
			err, "verdict", "is none of PASS, CONDITIONAL PASS, HALT, HALT-RETRACTED");
	if (at_bytes_equal_text(verdict, "HALT-RETRACTED") && !spec->field[AT_SPEC_EVIDENCE].len)
		return fail_field(err, "evidence",
			"is empty: a retraction must record why the HALT no longer applies");
	if (!at_key_id_is_sound(spec->field[AT_SPEC_KEY_ID]))
		return fail_field(err, "key_id", "is not made of letters, digits and `._-`");
	return true;
}

bool at_decision_spec_read(struct at_decision_spec *out, struct at_arena *arena,
	struct at_bytes text, struct at_error *err)
{
	static const struct at_json_limits limits = { AT_DECISION_SPEC_CAP, 4 };
	struct at_json doc;
	bool done;

	*out = (struct at_decision_spec){ 0 };
	if (!at_json_read(&doc, text, &limits, 0, err))
		return false;
	done = at_json_is(&doc, AT_JSON_ROOT, AT_JSON_OBJECT)
		|| at_fail(err, AT_EINVALID, "the decision's spec is no JSON object");
	done = done && check_known(&doc, arena, err);
	for (size_t i = 0; i < AT_LEN(fields) && done; i++)
		done = read_field(out, i, &doc, arena, err);
	at_json_free(&doc);
	return done && check_whole(out, err);
}

struct at_digest at_decision_review(const struct at_decision_spec *spec, const char *team_path)
{
	struct at_json_value *root = at_json_object(), *list;
	struct at_buf text = { 0 };
	struct at_digest digest;

	at_json_add_bytes(root, "key_id", spec->field[AT_SPEC_KEY_ID]);
	at_json_add_text(root, "kind", "decision");
	at_json_add_text(root, "ledger_root", team_path);
	list = at_json_add_object(root, "spec");
	for (size_t i = 0; i < AT_LEN(fields); i++)
		if (spec->field[fields[i].field].len)
			at_json_add_bytes(list, fields[i].name, spec->field[fields[i].field]);
	at_json_add_text(root, "team_dir", team_path);
	at_json_print(&text, root, AT_JSON_COMPACT);
	digest = at_digest_of(at_buf_bytes(&text));
	at_buf_free(&text);
	at_json_value_free(root);
	return digest;
}
