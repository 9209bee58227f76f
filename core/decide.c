#include "core/decide.h"

#include <string.h>

#include "core/advisory.h"
#include "core/mem.h"
#include "core/tokens.h"

static const char *const framework_names[AT_FRAMEWORK_COUNT] = {
	[AT_CLAUDE] = "claude",
	[AT_GOOSE] = "goose",
	[AT_CODEX] = "codex",
	[AT_COPILOT_VSCODE] = "copilot-vscode",
	[AT_COPILOT_CLI] = "copilot-cli",
	[AT_AGENTS_MD] = "agents-md",
};

const char *at_framework_name(enum at_framework_id id)
{
	return framework_names[id];
}

bool at_framework_parse(enum at_framework_id *out, const char *name)
{
	for (unsigned i = 0; i < AT_FRAMEWORK_COUNT; i++) {
		if (strcmp(framework_names[i], name) == 0) {
			*out = (enum at_framework_id)i;
			return true;
		}
	}
	return false;
}

/* SB7. One row a platform; claude configures a sandbox of its own everywhere, the others
 * have the launcher's two branches. */
static const struct {
	enum at_platform platform;
	bool any_framework, claude;
} capabilities[] = {
	{ AT_LINUX, true, true },
	{ AT_DARWIN, true, true },
	{ AT_WINDOWS, false, true },
	{ AT_OTHER, false, true },
};

bool at_is_sandbox_capable(enum at_framework_id framework, enum at_platform platform)
{
	for (size_t i = 0; i < AT_LEN(capabilities); i++)
		if (capabilities[i].platform == platform)
			return framework == AT_CLAUDE ? capabilities[i].claude
						      : capabilities[i].any_framework;
	return framework == AT_CLAUDE;
}

const struct at_resource_cap at_resource_caps[3] = {
	{ "cpu_max", "--cpu-max SEC", "A", "enforced", "RLIMIT_CPU, for each process",
		"no sum over processes, no fair share" },
	{ "nproc_max", "--nproc-max N", "B", "conditional", "RLIMIT_NPROC, for each user id",
		"isolates only where the team has a user id of its own; no id is dropped for you" },
	{ "mem_max", "--mem-max MIB", "C", "uncapped", "none on macOS; RLIMIT_AS for each process "
		"on Linux",
		"on macOS a loud warning and no limit; a cap for the whole tree needs a cgroup" },
};

const char *at_root_source_name(enum at_root_source source)
{
	switch (source) {
	case AT_ROOT_BRIEF:
		return "brief workspace_write_roots";
	case AT_ROOT_COORDINATION:
		return "brief coordination_write_roots (unsigned)";
	case AT_ROOT_GRANT:
		return "signed capability grant";
	default:
		return "default";
	}
}

/* REQ-9: what a profile adds. Cooperative adds nothing and takes nothing away. */
static const char *profile_token(const struct at_request *request, enum at_framework_id framework)
{
	if (request->profile == AT_COOPERATIVE)
		return NULL;
	return framework == AT_GOOSE ? "goose:sandbox" : "claude:sandbox";
}

static bool has_root(const struct at_manifest *manifest, const char *path)
{
	for (size_t i = 0; i < manifest->root_count; i++)
		if (strcmp(manifest->roots[i].path, path) == 0)
			return true;
	return false;
}

static void add_root(struct at_manifest *manifest, const char *path, enum at_root_source source)
{
	struct at_root *root = &manifest->roots[manifest->root_count++];

	*root = (struct at_root){ .path = path, .source = source };
}

/* The brief's list stays as it is spelled; a coordination root it already names adds nothing. */
static void fill_roots(struct at_manifest *manifest, struct at_arena *arena)
{
	const struct at_texts *own = &manifest->request->write_roots;
	const struct at_texts *more = &manifest->request->coordination_write_roots;

	manifest->roots =
		at_arena_alloc(arena, (own->count + more->count) * sizeof(*manifest->roots));
	for (size_t i = 0; i < own->count; i++)
		add_root(manifest, own->items[i],
			manifest->request->write_roots_are_given ? AT_ROOT_BRIEF : AT_ROOT_DEFAULT);
	for (size_t i = 0; i < more->count; i++)
		if (!has_root(manifest, more->items[i]))
			add_root(manifest, more->items[i], AT_ROOT_COORDINATION);
}

bool at_decide(struct at_manifest *out, const struct at_request *request,
	const struct at_decide_options *options, struct at_arena *arena, struct at_error *err)
{
	const char *token = profile_token(request, options->framework);
	bool is_capable = at_is_sandbox_capable(options->framework, options->platform);

	memset(out, 0, sizeof(*out));
	out->request = request;
	out->arena = arena;
	out->framework = options->framework;
	out->platform = options->platform;
	if (!at_tokens_parse(&out->features, options->target_host_features, arena, err))
		return false;
	if (token)
		at_tokens_add(&out->features, token, arena);
	out->confinement_is_requested = at_tokens_ask_for_sandbox(&out->features);
	out->boundary_is_emitted = out->confinement_is_requested && is_capable;
	out->gate_fails_closed = request->profile_is_explicit &&
		request->profile != AT_COOPERATIVE && !options->allow_fallback_fail_open;
	out->unenforced_is_allowed = out->confinement_is_requested && !is_capable &&
		options->allow_unenforced_confinement;
	fill_roots(out, arena);
	at_advise(out, arena);
	return true;
}

const struct at_advisory *at_manifest_fatal(const struct at_manifest *manifest)
{
	for (size_t i = 0; i < manifest->advisory_count; i++)
		if (manifest->advisories[i].fatal)
			return &manifest->advisories[i];
	return NULL;
}
