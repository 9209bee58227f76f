/* decide.h - from a request to a decision: what can be had here, and what to know.
 *
 * Turns request, framework, platform and tokens into one manifest, the only thing
 * later stages read. Pure: it looks at no file and prints nothing. (REQ-9 to REQ-11,
 * DEC-1 to DEC-9)
 */
#ifndef AT_DECIDE_H
#define AT_DECIDE_H

#include <stdbool.h>

#include "core/host.h"
#include "core/request.h"

/* The six, in the order of every listing. Emission is emit/framework.h; this is what
 * deciding needs to know. */
enum at_framework_id {
	AT_CLAUDE,
	AT_GOOSE,
	AT_CODEX,
	AT_COPILOT_VSCODE,
	AT_COPILOT_CLI,
	AT_AGENTS_MD,
	AT_FRAMEWORK_COUNT,
};
const char *at_framework_name(enum at_framework_id id);
bool at_framework_parse(enum at_framework_id *out, const char *name);

/* DEC-1. */
bool at_is_sandbox_capable(enum at_framework_id framework, enum at_platform platform);

struct at_advisory {
	const char *code;
	bool fatal;
	const char *message;   /* what, and why it applies here */
	const char *residuals; /* what stays open, or "" */
	const char *action;    /* what to do */
};

/* DEC-9: tier A, B, C. */
struct at_resource_cap {
	const char *key, *flag, *tier, *status, *mechanism, *ceiling;
};
extern const struct at_resource_cap at_resource_caps[3];

enum at_root_source { AT_ROOT_DEFAULT, AT_ROOT_BRIEF, AT_ROOT_COORDINATION, AT_ROOT_GRANT };
const char *at_root_source_name(enum at_root_source source);

struct at_root {
	const char *path; /* as it is emitted */
	enum at_root_source source;
	const char *grant; /* the id of the grant that opens it, or NULL */
	bool external;
	bool accepted; /* by --accept-write-root, or it was in the baseline (transient, REQ-11) */
};

struct at_manifest {
	const struct at_request *request; /* borrowed */
	struct at_arena *arena;           /* where all of this lives; borrowed */
	enum at_framework_id framework;
	enum at_platform platform;
	struct at_texts features;      /* tokens: given first, then the profile's (REQ-9) */
	bool confinement_is_requested; /* profile or any *:sandbox token (REQ-10) */
	bool boundary_is_emitted;      /* requested and capable */
	int write_policy; /* enum at_write_policy, once an emission resolved it; 0: off */
	bool gate_fails_closed;        /* explicit confined/exclusive, no --allow-fallback-fail-open */
	bool unenforced_is_allowed;    /* --allow-unenforced-confinement was given and needed */
	struct at_root *roots;
	size_t root_count;
	struct at_advisory *advisories;
	size_t advisory_count;
};

struct at_decide_options {
	enum at_framework_id framework;
	enum at_platform platform;
	const char *target_host_features; /* CSV, or NULL */
	bool allow_unenforced_confinement;
	bool allow_fallback_fail_open;
};

/* Decides. Roots are filled from the request with `external` unset: emit/ validates and
 * classifies them with core/write_root. Fails with AT_EUSAGE on a bad token, naming the
 * valid ones. A fatal advisory without the override is not a failure here: see
 * at_manifest_fatal(). Everything lands in `arena`. */
bool at_decide(struct at_manifest *out, const struct at_request *request,
	const struct at_decide_options *options, struct at_arena *arena, struct at_error *err);

/* The fatal advisory that stands (not overridden), or NULL. (DEC-2) */
const struct at_advisory *at_manifest_fatal(const struct at_manifest *manifest);

/* `--manifest --json`: all but the transient values (REQ-11), into the object `out`. */
void at_manifest_to_json(const struct at_manifest *manifest, struct at_json_value *out);
void at_manifest_schema(struct at_json_value *out); /* --schema manifest */
void at_manifest_print(const struct at_manifest *manifest, struct at_buf *out); /* plain */

#endif
