#include "emit/team_import.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/path.h"

#define REFUSED \
	"the team is under write_policy `orchestrator-only` and is not converted: its agents " \
	"would write again"
#define OVERRIDE "AGENTTEAMS_ALLOW_UNENFORCED_GOOSE_SWITCH"

static bool refuse(struct at_error *err, const char *id, const char *hint, const char *message)
{
	at_fail(err, AT_EREFUSED, "%s", message);
	at_error_name(err, id);
	at_error_hint(err, "%s", hint);
	return false;
}

/* IOP-2: convert would drop the limit. Where interop keeps it, its command is named. */
static bool refuse_convert(const struct at_manifest *manifest, const struct at_project *project,
	const struct at_import *import, struct at_error *err)
{
	enum at_framework_id to = manifest->framework;
	char where[1024], from[1024], brief[1024];

	at_path_shell_quote(where, sizeof(where), project->path);
	at_path_shell_quote(from, sizeof(from), import->place);
	at_path_shell_quote(brief, sizeof(brief), import->brief ? import->brief : "BRIEF");
	if (to == AT_CLAUDE || to == AT_GOOSE)
		at_fail(err, AT_EREFUSED, REFUSED "; run atconsole --project %s --framework %s "
			"--interop-from %s --description %s", where, at_framework_name(to), from,
			brief);
	else
		at_fail(err, AT_EREFUSED, REFUSED "; regenerate natively");
	at_error_name(err, "write-policy-convert");
	if (to == AT_CLAUDE || to == AT_GOOSE)
		at_error_hint(err, "That way the agents keep to proposals.");
	else
		at_error_hint(err, "No way keeps the write policy for %s.", at_framework_name(to));
	return false;
}

static bool applies_to(const struct at_manifest *manifest)
{
	const struct at_texts *names = &manifest->request->write_policy_frameworks;

	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i], at_framework_name(manifest->framework)) == 0)
			return true;
	return names->count == 0;
}

static bool goose_is_allowed(void)
{
	const char *value = getenv(OVERRIDE);

	return value && strcmp(value, "1") == 0;
}

/* reference-ledgers 3.15, in its order. */
static bool check_interop(const struct at_manifest *manifest, struct at_notices *notices,
	struct at_error *err)
{
	const struct at_request *request = manifest->request;
	enum at_framework_id to = manifest->framework;

	if (to != AT_CLAUDE && to != AT_GOOSE)
		return refuse(err, "write-policy-framework",
			"regenerate natively: no way keeps the write policy for this harness",
			"the team is under write_policy `orchestrator-only`, which interop carries "
			"to claude and goose alone");
	if (to == AT_GOOSE && !goose_is_allowed())
		return refuse(err, "write-policy-goose",
			"Set " OVERRIDE "=1 for this one run to go on without it being enforced.",
			"`write_policy` cannot be enforced on goose: every recipe has a shell");
	if (!*request->write_policy)
		return refuse(err, "write-policy-brief",
			"Set `write_policy` to `orchestrator-only` in the brief of --description.",
			"the team is under write_policy `orchestrator-only` and the brief is not");
	if (!applies_to(manifest))
		return refuse(err, "write-policy-frameworks",
			"Add it to `write_policy_frameworks`, or leave that field out.",
			"the brief's `write_policy_frameworks` leaves out the harness that the team "
			"would go to");
	if (request->profile == AT_COOPERATIVE || !request->profile_is_explicit)
		return refuse(err, "write-policy-profile",
			"Set `privilege_profile` to `confined` or `exclusive` in the brief.",
			"`write_policy` needs a boundary that the brief asks for by name");
	if (to == AT_GOOSE)
		at_notice(notices, "write-policy-unenforced",
			"UNENFORCED: the write policy is only said to goose's agents; each has a "
			"shell and may write.");
	return true;
}

bool at_team_policy_check(bool *with_switch, const struct at_team_source *source,
	const struct at_manifest *manifest, const struct at_project *project,
	const struct at_import *import, struct at_notices *notices, struct at_error *err)
{
	*with_switch = source->is_governed || *manifest->request->write_policy;
	if (!source->is_recorded)
		at_notice(notices, "import-unrecorded",
			"%s has no record: whether a write policy binds that team is seen only "
			"through the brief of --description.", source->project.team_dir);
	if (!*with_switch)
		return true;
	return import->is_interop ? check_interop(manifest, notices, err)
				  : refuse_convert(manifest, project, import, err);
}

static bool is_orchestrator(const struct at_agent *agent)
{
	return strcmp(agent->slug, "orchestrator") == 0 ||
		strcmp(agent->slug, "bridge-orchestrator") == 0;
}

static void add_section(struct at_agent *agent, const char *section, struct at_arena *arena)
{
	size_t len = agent->body.len, more = strlen(section);
	bool ends = len == 0 || agent->body.data[len - 1] == '\n';
	char *both;

	if (len && memmem(agent->body.data, len, section, strcspn(section, "\n")))
		return;
	both = at_arena_alloc(arena, len + more + 3);
	if (len)
		memcpy(both, agent->body.data, len);
	memcpy(both + len, "\n\n", 2);
	len += ends ? 1 : 2;
	memcpy(both + len, section, more);
	agent->body = (struct at_bytes){ both, len + more };
}

void at_team_policy_apply(struct at_agent *agent, struct at_arena *arena)
{
	static const char *const words[] = { "read", "search", "todo" };
	static const char *const undeclared[] = { "read", "search" };
	struct at_texts kept = { .items = at_arena_alloc(arena, 3 * sizeof(*kept.items)) };
	struct at_texts had = agent->tools;

	if (is_orchestrator(agent)) {
		add_section(agent, "## Write Policy: Applying Proposals\n\n"
			"The other agents of this team return proposals and write nothing. Read each "
			"one, decide, and queue what is to be applied; the operator's runner applies "
			"it.\n", arena);
		return;
	}
	if (!agent->has_tools)
		had = (struct at_texts){ memcpy(at_arena_alloc(arena, sizeof(undeclared)),
			undeclared, sizeof(undeclared)), AT_LEN(undeclared) };
	for (size_t w = 0; w < AT_LEN(words); w++) {
		bool has = w == 0;

		for (size_t i = 0; i < had.count; i++)
			has |= strcmp(had.items[i], words[w]) == 0;
		if (has)
			kept.items[kept.count++] = words[w];
	}
	agent->has_tools = true;
	agent->tools = kept;
	add_section(agent, "## Write Policy: Return Proposals, Never Write\n\n"
		"You write no file and run no command. Return what you would change as a proposal, "
		"whole and with its path; the orchestrator decides what becomes of it.\n", arena);
}
