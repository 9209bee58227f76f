#include "views/setup_cards.h"

#include "core/ceilings.h"
#include "core/control_plane.h"
#include "core/mem.h"
#include "emit/launcher_team.h"

const struct at_profile_card at_profile_cards[] = {
	[AT_COOPERATIVE] = { "no boundary and no set-up: agents work with all that you may do",
		"hold an agent that goes wrong: nothing is confined" },
	[AT_CONFINED] = { "commands write in the write roots and nowhere else; keys of the operator "
			  "cannot be read",
		"keep the rest of your home from being read: ~/.ssh and credentials stay readable" },
	[AT_EXCLUSIVE] = { "as confined; credentials and protected paths cannot be read either",
		"keep others from reading this workspace: that is yours to do, by modes and users" },
};

/* What a switch of this program would change is not asked twice: the draft, but for one word. */
static bool decide(struct at_manifest *out, struct at_request *request,
	const struct at_setup_model *model, enum at_profile profile, struct at_arena *arena)
{
	struct at_decide_options options =
		at_session_decide_options(model->session, model->session->manifest.framework);

	*request = model->request;
	request->profile = profile;
	request->profile_is_explicit = true;
	return at_decide(out, request, &options, arena, NULL);
}

bool at_profile_here(struct at_buf *out, const struct at_setup_model *model,
	enum at_profile profile)
{
	struct at_arena *arena = at_arena_new();
	struct at_manifest manifest;
	struct at_request request;
	bool emitted;

	if (!decide(&manifest, &request, model, profile, arena)) {
		at_buf_puts(out, "it cannot be decided");
		at_arena_free(arena);
		return false;
	}
	emitted = manifest.boundary_is_emitted;
	if (emitted)
		at_buf_printf(out, "a boundary can be had for %s on %s",
			at_framework_name(manifest.framework), at_platform_name(manifest.platform));
	else if (manifest.confinement_is_requested)
		at_buf_printf(out, "NO boundary can be had for %s on %s",
			at_framework_name(manifest.framework), at_platform_name(manifest.platform));
	else
		at_buf_puts(out, "no boundary is asked for");
	for (size_t i = 0; i < manifest.advisory_count; i++)
		at_buf_printf(out, "; %s%s", manifest.advisories[i].code,
			manifest.advisories[i].fatal ? " (refuses)" : "");
	at_arena_free(arena);
	return emitted;
}

void at_framework_here(struct at_buf *out, const struct at_session *session,
	enum at_framework_id framework)
{
	const char *proxy = session->request.goose_egress_proxy; /* NULL without a request */

	if (at_team_is_present(&session->project, framework))
		at_buf_printf(out, "team found in %s", at_team_dir(framework));
	else
		at_buf_puts(out, "no team here");
	if (*at_launcher_team_lacks(framework))
		at_buf_puts(out, "; emitted in part");
	if (!at_is_sandbox_capable(framework, session->manifest.platform))
		at_buf_printf(
			out, "; NO boundary on %s", at_platform_name(session->manifest.platform));
	else if (at_mechanism_of(framework, session->manifest.platform) == AT_GOOSE_SEATBELT)
		at_buf_printf(out, "; UNVERIFIED%s", proxy && *proxy ? ""
				: "; without goose_egress_proxy it cannot reach its model");
}

void at_framework_mechanism(struct at_buf *out, const struct at_session *session,
	enum at_framework_id framework)
{
	enum at_mechanism mechanism = at_mechanism_of(framework, session->manifest.platform);

	at_buf_printf(out, "mechanism: %s; ceilings: ", at_mechanism_name(mechanism));
	at_ceilings_ids(out, (int)mechanism, (int)framework);
}
