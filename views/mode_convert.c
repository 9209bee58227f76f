/* mode_convert.c - --convert-from and --interop-from: another harness's team, taken over in one
 * plan with boundary and record. (IOP-1 to IOP-3, KEY-12, WIRE-17) */
#include <stdio.h>
#include <string.h>

#include "core/apply.h"
#include "core/control_plane.h"
#include "emit/team_import.h"
#include "views/decision_ground.h"
#include "views/modes.h"
#include "views/out.h"

struct conversion {
	struct at_session *session;
	struct at_import import;
	struct at_imported imported;
	struct at_plan plan;
	struct at_notices notices;
	size_t pending; /* agents that would be written */
	bool had_team;
};

static const char *act_name(const struct conversion *in)
{
	return in->import.is_interop ? "interop" : "convert";
}

static bool plan(struct conversion *in, struct at_error *err)
{
	struct at_session *session = in->session;
	struct at_project project = session->project;

	project.origin = act_name(in);
	in->had_team = at_file_type(project.fd, project.team_dir) != AT_FILE_ABSENT;
	if (!at_session_need_request(session, err) ||
		!at_team_import_plan(&in->imported, &in->plan, &in->notices, &session->manifest,
			&project, &in->import, err))
		return false;
	in->pending = at_plan_pending(&in->plan);
	return at_emit_plan(&in->plan, &in->notices, &session->manifest, &project, err);
}

/* KEY-12: onto a team that is there only what the decisions clear. */
static bool clear(const struct conversion *in, bool acts, struct at_error *err)
{
	bool asks = in->imported.replaced || (in->had_team && in->pending);

	return !asks || at_session_is_cleared(in->session, "overwrite", false, acts, err);
}

static void report_json(const struct conversion *in, size_t written, const char *refusal)
{
	const struct at_manifest *manifest = &in->session->manifest;
	struct at_json_value *json = at_json_object(), *list;

	at_json_add_text(json, "act", act_name(in));
	at_json_add_text(json, "from", at_framework_name(in->imported.format));
	at_json_add_text(json, "from_team", in->imported.team);
	at_json_add_text(json, "to", at_framework_name(manifest->framework));
	at_json_add_number(json, "agents", (long long)in->imported.agents);
	at_json_add_number(json, "kept", (long long)in->imported.kept);
	at_plan_to_json(&in->plan, at_json_add_array(json, "plan"));
	at_out_notices_to_json(&in->notices, at_json_add_array(json, "notices"));
	list = at_json_add_array(json, "advisories");
	for (size_t i = 0; i < manifest->advisory_count; i++)
		at_json_add_text(list, NULL, manifest->advisories[i].code);
	at_json_add_number(json, "pending", (long long)at_plan_pending(&in->plan));
	at_json_add_number(json, "written", (long long)written);
	if (refusal)
		at_json_add_text(json, "would_be_refused", refusal);
	at_out_json(json);
}

static void report(const struct conversion *in, size_t written, const char *refusal)
{
	size_t pending = at_plan_pending(&in->plan);
	struct at_buf text = { 0 };

	if (in->session->options->json) {
		report_json(in, written, refusal);
		return;
	}
	at_plan_print(&in->plan, &text);
	at_buf_printf(&text, "%zu agents of %s (%s) for %s", in->imported.agents,
		at_framework_name(in->imported.format), in->imported.team,
		at_framework_name(in->session->manifest.framework));
	if (in->imported.kept)
		at_buf_printf(&text, "; %zu that differ were kept, --overwrite replaces them",
			in->imported.kept);
	at_buf_putc(&text, '\n');
	if (written)
		at_buf_printf(&text, "%zu written; atconsole --undo takes it back\n", written);
	else if (pending == 0)
		at_buf_puts(&text, "nothing to do: everything is as it should be\n");
	else
		at_buf_printf(&text, "%zu to write; nothing was written\n", pending);
	at_out_text(&text);
	at_buf_free(&text);
	at_out_advisories(&in->session->manifest);
	at_out_notices(&in->notices);
	if (refusal)
		at_out_note("a real run would be refused: %s", refusal);
}

static bool convert(struct conversion *in, struct at_error *err)
{
	struct at_session *session = in->session;
	struct at_applied applied = { 0 };
	struct at_error refused;
	bool allowed;

	if (!session->options->dry_run &&
		(!at_session_may_convert(session, err) || !at_session_recover(session, false, err)))
		return false;
	if (!plan(in, err))
		return false;
	if (session->options->dry_run) {
		allowed = at_session_may_convert(session, &refused) && clear(in, false, &refused);
		report(in, 0, allowed ? NULL : refused.message);
		return true;
	}
	if (!clear(in, true, err) ||
		!at_plan_apply(&in->plan, session->project.fd, &session->state, act_name(in),
			&applied, err))
		return false;
	report(in, applied.written, NULL);
	return true;
}

int at_mode_convert(struct at_session *session)
{
	const struct at_options *options = session->options;
	struct conversion in = {
		.session = session,
		.import = {
			.place = options->interop_from ? options->interop_from
						       : options->convert_from,
			.brief = session->brief.exists ? session->brief_path : NULL,
			.is_interop = options->interop_from != NULL,
			.overwrite = options->overwrite,
		},
	};
	struct at_error err;
	bool done;

	at_plan_init(&in.plan);
	at_notices_init(&in.notices);
	done = convert(&in, &err);
	at_plan_free(&in.plan);
	at_notices_free(&in.notices);
	return done ? 0 : at_out_error(&err);
}
