/* request.h - what the operator's brief asks for.
 *
 * Reads the strict JSON of a brief through one field table, which also prints the
 * schema and will draw the Setup form. Operator authority (accepting a root) never comes
 * from here. It decides nothing. (REQ-1 to REQ-7, REQ-12 to REQ-14)
 */
#ifndef AT_REQUEST_H
#define AT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"
#include "core/error.h"
#include "core/json_read.h"

struct at_arena;
struct at_json_value;
struct at_text_rule;

enum at_profile { AT_COOPERATIVE, AT_CONFINED, AT_EXCLUSIVE };
const char *at_profile_name(enum at_profile profile);

struct at_texts {
	const char **items;
	size_t count;
};

struct at_request {
	enum at_profile profile;
	bool profile_is_explicit; /* the brief names it; a token alone never makes it so (REQ-1) */
	const char *project_name; /* "" when the brief has none */
	const char *team_id;      /* REQ-13: given, or the slug of the name, or "team" */
	bool team_id_is_given;
	struct at_texts write_roots; /* as spelled; ["."] when absent or empty */
	bool write_roots_are_given;
	struct at_texts coordination_write_roots;
	struct at_texts protected_read_paths; /* empty strings and doubles dropped */
	bool resolve_deny_read_abspath;
	bool protect_prompt_roots;
	bool enforce_decision_signing;
	const char *write_policy; /* "" or "orchestrator-only" (its refusals are WP-1's) */
	struct at_texts write_policy_frameworks;
	struct at_texts authorized_managers;
	bool is_management_repo;
	const char *goose_egress_proxy; /* "" when absent */
	struct at_texts unknown_keys;   /* kept in the file, listed here */
};

enum at_field_type {
	AT_FIELD_TEXT,
	AT_FIELD_BOOL,
	AT_FIELD_TEXTS,
	AT_FIELD_PROFILE,
	AT_FIELD_TEAM_ID,
	AT_FIELD_ANY, /* of the Python tool's: kept and not read */
};

/* REQ-14: one row a field; parser, schema, form and man page read it. */
struct at_field {
	const char *name;
	enum at_field_type type;
	const char *fallback; /* the default, as JSON */
	const char *help;     /* one sentence */
	const char *reader;   /* who acts on it */
	const char *seed;     /* requirement ids */
	size_t offset;        /* where in struct at_request; unused for AT_FIELD_ANY */
	const struct at_text_rule *rule; /* every text of it; NULL where each is good */
};

/* What a text must be. */
struct at_text_rule {
	const char *must; /* "a single line without a leading `#`": completes "must be" */
	const char *pattern; /* the same for the schema, ECMA regular expression */
	bool (*holds)(const char *text);
};
extern const struct at_field at_request_fields[];
extern const size_t at_request_field_count;

/* The row of a field, or NULL. */
const struct at_field *at_request_field(const char *name);

/* REQ-14: why a brief may not hold this key, as a clause; NULL when it may. */
const char *at_request_key_ban(const char *key);
#define AT_REQUEST_BANNED_KEYS "^(_.*|accept_write_roots?)$" /* the same for the schema */

#define AT_REQUEST_LIST_MAX 4096 /* items of one list: comparing them is quadratic */

/* Reads a brief. `fallback_name` names the project when the brief does not (its
 * directory). Everything lands in `arena`. Errors name the field, the value's line and
 * column and what is allowed; a wrong profile names the three (REQ-2). Numbers, nulls
 * (but for privilege_profile) and wrong types are errors, never guessed. */
bool at_request_read(struct at_request *out, struct at_bytes brief, const char *fallback_name,
	struct at_arena *arena, struct at_error *err);

/* The request of an absent brief: all defaults. */
void at_request_default(struct at_request *out, const char *fallback_name, struct at_arena *arena);

/* `--schema brief`: JSON Schema (draft 2020-12) from the table, into the object `out`. */
void at_request_schema(struct at_json_value *out);

/* "Demo Project!" -> "demo-project" (REQ-13). In `arena`; "team" when nothing is left. */
const char *at_request_slug(const char *name, struct at_arena *arena);

#endif
