/* confined_programs, of the brief or the operator's file. */
#include <stdio.h>
#include <string.h>

#include "runner/proposals/canonical.h"
#include "runner/proposals/operator_file.h"
#include "runner/proposals/policy_impl.h"
#include "runner/proposals/scope.h"
#include "runner/proposals/site.h"

static bool read_programs(
	struct at_strings *out, struct at_policy_reader *r, uint32_t node, const char *where)
{
	const char **items;

	if (!at_policy_texts(out, r, node, where))
		return false;
	if (!out->count)
		return at_policy_fail(r, node, "policy-confined", where, "must name a program");
	items = at_arena_alloc(r->policy->arena, out->count * sizeof(*items));
	for (size_t i = 0; i < out->count; i++) {
		const char *path = out->items[i];

		if (*path == '/')
			items[i] = path;
		else if (strncmp(path, "~/", 2) == 0)
			items[i] = at_arena_printf(r->policy->arena, "%s%s", r->home, path + 1);
		else
			return at_policy_fail(r, node, "policy-confined", where,
				"names `%.200s`: a program is named by its absolute path", path);
	}
	out->items = items;
	return true;
}

static const char *write_fault(const char *dir)
{
	char plane[512];
	bool is_root = dir[strspn(dir, "./")] == '\0';

	if (!at_policy_is_below(dir))
		return "is not project-relative";
	if (is_root)
		return "is the project itself";
	if (at_scope_is_pattern(dir))
		return "holds a wildcard";
	while (strncmp(dir, "./", 2) == 0)
		dir += 2;
	if (at_scope_is_reserved(dir))
		return "lies where the ledger, git or a harness keeps its own";
	if (at_scope_plane(plane, sizeof(plane), dir))
		return "lies in the project control plane";
	return NULL;
}

static bool read_roots(
	struct at_strings *out, struct at_policy_reader *r, uint32_t node, const char *where)
{
	if (!at_policy_texts(out, r, node, where))
		return false;
	for (size_t i = 0; i < out->count; i++) {
		const char *fault = write_fault(out->items[i]);

		if (fault)
			return at_policy_fail(r, node, "policy-confined", where,
				"names `%.200s`, which %s", out->items[i], fault);
	}
	return true;
}

static bool read_one(struct at_policy_confined *c, struct at_policy_reader *r, uint32_t node)
{
	static const char *const keys[] = { "exec", "write", NULL };
	struct at_arena *arena = r->policy->arena;
	const char *where;

	if (!at_agent_slug_is_sound(at_bytes_of(c->agent)))
		return at_policy_fail(r, node, "policy-confined", "confined_programs",
			"names no agent: malformed agent slug: '%.80s'", c->agent);
	where = at_arena_printf(arena, "confined_programs.%s", c->agent);
	return at_policy_is_object(r, node, where) && at_policy_only(r, node, where, keys)
		&& read_programs(&c->exec, r, at_json_member(r->doc, node, "exec"),
			at_arena_printf(arena, "%s.exec", where))
		&& read_roots(&c->write, r, at_json_member(r->doc, node, "write"),
			at_arena_printf(arena, "%s.write", where));
}

/* The programs of one gate, which the brief defines and gives none. */
static bool read_gate_exec(struct at_policy_reader *r, uint32_t node, uint32_t digests)
{
	const char *name = at_policy_key(r, node, "gate_exec");
	struct at_policy_gate *gate;
	char hex[AT_DIGEST_HEX];
	uint32_t digest;

	if (!name)
		return false;
	/* The one place that changes a gate after it was read. */
	gate = (struct at_policy_gate *)(uintptr_t)at_policy_gate(r->policy, name);
	if (!gate)
		return at_policy_fail(r, node, "policy-gate-name", "gate_exec",
			"names the gate `%.80s`, which the brief does not have", name);
	if (gate->exec.count)
		return at_policy_fail(r, node, "policy-confined-twice", "gate_exec",
			"names the gate `%.80s`, which has an `exec` in the brief", name);
	digest = at_json_member(r->doc, digests, name);
	if (digest == AT_JSON_NONE)
		return at_policy_fail(r, node, "policy-gate-name", "gate_argv_sha256",
			"and gate_exec must name the same gates; it lacks `%.80s`", name);
	at_digest_hex(hex, &gate->argv_sha256);
	if (!at_json_string_is(r->doc, digest, hex))
		return at_policy_fail(r, digest, "policy-gate", "gate_argv_sha256",
			"is of another argv of the gate `%.80s` than the brief has now; review the "
			"gate and install the file again",
			name);
	return read_programs(&gate->exec, r, node, "gate_exec");
}

static bool read_gates_exec(struct at_policy_reader *r, uint32_t execs, uint32_t digests)
{
	uint32_t more;

	if (execs == AT_JSON_NONE && digests == AT_JSON_NONE)
		return true;
	if (!at_json_is(r->doc, execs, AT_JSON_OBJECT)
		|| !at_json_is(r->doc, digests, AT_JSON_OBJECT))
		return at_policy_fail(r, execs == AT_JSON_NONE ? digests : execs, "policy-confined",
			"gate_exec", "and gate_argv_sha256 must both be objects");
	at_json_each(r->doc, i, execs)
		if (!read_gate_exec(r, i, digests))
			return false;
	more = r->doc->nodes[digests].count;
	return more == r->doc->nodes[execs].count
		|| at_policy_fail(r, digests, "policy-gate-name", "gate_argv_sha256",
			"and gate_exec must name the same gates; it has more");
}

static bool is_reserved(const char *key)
{
	return strcmp(key, "gate_exec") == 0 || strcmp(key, "gate_argv_sha256") == 0;
}

bool at_policy_read_confined(struct at_policy_reader *r, uint32_t node, bool is_operators)
{
	struct at_policy *p = r->policy;
	struct at_policy_confined *list;

	if (node == AT_JSON_NONE)
		return true;
	if (!at_policy_is_object(r, node, "confined_programs"))
		return false;
	list = at_arena_alloc(p->arena, (r->doc->nodes[node].count + 1) * sizeof(*list));
	p->confined = list;
	at_json_each(r->doc, i, node) {
		const char *key = at_policy_key(r, i, "confined_programs");

		if (!key)
			return false;
		if (is_reserved(key) && is_operators)
			continue;
		if (is_reserved(key))
			return at_policy_fail(r, i, "policy-confined", "confined_programs",
				"may not name `%s`, which is for the operator's file alone", key);
		list[p->confined_count].agent = key;
		if (!read_one(&list[p->confined_count++], r, i))
			return false;
	}
	return !is_operators
		|| read_gates_exec(r, at_json_member(r->doc, node, "gate_exec"),
			at_json_member(r->doc, node, "gate_argv_sha256"));
}

/* The wanted file, member by member, with the digests of the gates as the brief has them now. */
static bool render(struct at_buf *out, const struct at_json *wanted, const struct at_policy *policy,
	struct at_error *err)
{
	uint32_t execs = at_json_member(wanted, AT_JSON_ROOT, "gate_exec");
	struct at_canonical_object object = { 0 }, digests = { 0 };
	struct at_arena *arena = at_arena_new();
	struct at_buf value = { 0 };
	bool done = true;

	at_json_each(wanted, i, execs) {
		const char *name = at_json_key(wanted, i, arena).data;
		const struct at_policy_gate *gate = at_policy_gate(policy, name);
		char hex[AT_DIGEST_HEX];

		if (!gate) {
			done = at_fail(err, AT_EINVALID,
				"`gate_exec` names the gate `%.80s`, which the brief does not have",
				name);
			at_error_name(err, "policy-gate-name");
			break;
		}
		at_digest_hex(hex, &gate->argv_sha256);
		at_canonical_set_text(&digests, name, at_bytes_of(hex));
	}
	at_json_each(wanted, i, AT_JSON_ROOT) {
		value.len = 0;
		at_canonical_put(&value, wanted, i, AT_CANONICAL_COMPACT);
		at_canonical_set_raw(
			&object, at_json_key(wanted, i, arena).data, at_buf_bytes(&value));
	}
	value.len = 0;
	at_canonical_unset(&object, "gate_argv_sha256");
	at_canonical_object_put(&value, &digests, AT_CANONICAL_COMPACT);
	if (digests.count)
		at_canonical_set_raw(&object, "gate_argv_sha256", at_buf_bytes(&value));
	if (done)
		at_canonical_object_put(out, &object, AT_CANONICAL_COMPACT);
	at_canonical_object_free(&object);
	at_canonical_object_free(&digests);
	at_buf_free(&value);
	at_arena_free(arena);
	return done;
}

bool at_confined_render(struct at_buf *out, struct at_bytes wanted, struct at_bytes brief,
	const char *brief_place, const char *home, struct at_error *err)
{
	static const struct at_json_limits limits = { AT_CONFINED_CAP, 8 };
	struct at_policy policy = { 0 };
	struct at_buf text = { 0 };
	struct at_json doc, again;
	bool done;

	if (!at_json_read(&doc, wanted, &limits, 0, err))
		return false;
	done = at_json_is(&doc, AT_JSON_ROOT, AT_JSON_OBJECT)
		|| at_fail(err, AT_EINVALID, "the operator's file must be a JSON object");
	done = done
		&& at_policy_read(&policy, brief, brief_place, (struct at_bytes){ 0 }, home, err)
		&& render(&text, &doc, &policy, err);
	at_policy_free(&policy);
	/* Held against the brief as the runner will. */
	done = done && at_policy_read(&policy, brief, brief_place, at_buf_bytes(&text), home, err);
	at_policy_free(&policy);
	if (done && at_json_read(&again, at_buf_bytes(&text), &limits, 0, err)) {
		at_canonical_put(out, &again, AT_JSON_ROOT, AT_CANONICAL_PRETTY);
		at_buf_putc(out, '\n');
		at_json_free(&again);
	} else {
		done = false;
	}
	at_buf_free(&text);
	at_json_free(&doc);
	return done;
}
