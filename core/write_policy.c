#include "core/write_policy.h"

#include <string.h>

#include "core/mem.h"

struct asked {
	const struct at_manifest *manifest;
	bool goose_is_allowed;
};

static bool is_foreign(const struct asked *a)
{
	enum at_framework_id f = a->manifest->framework;

	return f != AT_CLAUDE && f != AT_GOOSE && f != AT_CODEX;
}

static bool is_goose(const struct asked *a)
{
	return a->manifest->framework == AT_GOOSE && !a->goose_is_allowed;
}

static bool is_cooperative(const struct asked *a)
{
	return a->manifest->request->profile == AT_COOPERATIVE;
}

static bool is_defaulted(const struct asked *a)
{
	return !a->manifest->request->profile_is_explicit;
}

static bool is_codex_elsewhere(const struct asked *a)
{
	return a->manifest->framework == AT_CODEX && a->manifest->platform != AT_LINUX
		&& a->manifest->platform != AT_DARWIN;
}

/* The first that is true is said. */
static const struct {
	bool (*is_so)(const struct asked *a);
	const char *id, *field, *text, *hint;
} refusals[] = {
	{ is_foreign, "write-policy-framework", "write_policy",
		"write_policy \"orchestrator-only\" holds for claude, goose and codex; this framework "
		"has nothing to narrow an agent by",
		"Name the frameworks it is for in write_policy_frameworks, or take it out." },
	{ is_goose, "write-policy-goose", "write_policy",
		"write_policy \"orchestrator-only\" cannot be enforced under goose: what it delegates to "
		"inherits the orchestrator's tools",
		"Leave goose out of write_policy_frameworks; or set " AT_GOOSE_SWITCH_ENV
		"=1 for one run, and it is UNENFORCED." },
	{ is_cooperative, "write-policy-cooperative", "privilege_profile",
		"write_policy \"orchestrator-only\" needs a session sandbox, and privilege_profile is "
		"cooperative",
		"Set privilege_profile to confined or exclusive." },
	{ is_defaulted, "write-policy-defaulted", "privilege_profile",
		"write_policy \"orchestrator-only\" needs a profile that was chosen: a defaulted one "
		"leaves the gate's hook open on failure",
		"Write privilege_profile \"confined\" or \"exclusive\" into the brief." },
	{ is_codex_elsewhere, "write-policy-platform", "write_policy",
		"write_policy \"orchestrator-only\" for codex needs Linux or macOS, where its launcher "
		"runs",
		"Leave codex out of write_policy_frameworks." },
};

static bool is_for(const struct at_manifest *manifest)
{
	const struct at_texts *whom = &manifest->request->write_policy_frameworks;

	for (size_t i = 0; i < whom->count; i++)
		if (strcmp(whom->items[i], at_framework_name(manifest->framework)) == 0)
			return true;
	return whom->count == 0;
}

bool at_write_policy_resolve(enum at_write_policy *out, const struct at_manifest *manifest,
	bool goose_is_allowed, struct at_error *err)
{
	const struct asked asked = { manifest, goose_is_allowed };

	*out = AT_POLICY_OFF;
	if (!*manifest->request->write_policy)
		return true;
	*out = AT_POLICY_ELSEWHERE;
	if (!is_for(manifest))
		return true;
	for (size_t i = 0; i < AT_LEN(refusals); i++) {
		if (!refusals[i].is_so(&asked))
			continue;
		at_fail(err, AT_EREFUSED, "%s", refusals[i].text);
		at_error_name(err, refusals[i].id);
		at_error_field(err, refusals[i].field);
		at_error_hint(err, "%s", refusals[i].hint);
		return false;
	}
	*out = manifest->framework == AT_GOOSE ? AT_POLICY_UNENFORCED : AT_POLICY_ON;
	return true;
}

bool at_write_policy_applies(const struct at_manifest *manifest, bool goose_is_allowed)
{
	enum at_write_policy policy;

	return at_write_policy_resolve(&policy, manifest, goose_is_allowed, NULL)
		&& policy >= AT_POLICY_ON;
}

bool at_goose_switch_is_allowed(char *const *environment)
{
	for (; environment && *environment; environment++)
		if (strcmp(*environment, AT_GOOSE_SWITCH_ENV "=1") == 0)
			return true;
	return false;
}
