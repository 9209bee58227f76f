#include "views/setup_effect.h"

#include <string.h>

#include "core/control_plane.h"
#include "core/mem.h"

void at_setup_effect_make(struct at_setup_effect *out, const struct at_session *session,
	struct at_bytes brief, enum at_framework_id framework)
{
	struct at_decide_options options = at_session_decide_options(session, framework);
	struct at_project project = session->project;

	memset(out, 0, sizeof(*out));
	out->is_made = true;
	out->arena = at_arena_new();
	at_plan_init(&out->plan);
	at_notices_init(&out->notices);
	if (!session->options->output)
		project.team_dir = at_team_dir(framework);
	at_request_default(&out->request, at_session_name(session), out->arena);
	out->is_planned = (!brief.len
				  || at_request_read(&out->request, brief, at_session_name(session),
					  out->arena, &out->error))
		&& at_decide(&out->manifest, &out->request, &options, out->arena, &out->error)
		&& at_emit_plan(&out->plan, &out->notices, &out->manifest, &project, &out->error);
}

void at_setup_effect_free(struct at_setup_effect *effect)
{
	if (!effect->is_made)
		return;
	at_plan_free(&effect->plan);
	at_notices_free(&effect->notices);
	at_arena_free(effect->arena);
	*effect = (struct at_setup_effect){ 0 };
}

struct at_bytes at_setup_effect_example(const struct at_setup_effect *effect, const char **path)
{
	for (size_t i = 0; effect->is_planned && i < effect->plan.count; i++) {
		const struct at_change *change = &effect->plan.changes[i];
		const char *slash = strrchr(change->path, '/');

		if (!slash || strcmp(slash + 1, "settings.hooks.example.json") != 0)
			continue;
		if (path)
			*path = change->path;
		return change->bytes;
	}
	return (struct at_bytes){ "", 0 };
}

static const struct at_change *find(const struct at_plan *plan, const struct at_change *like)
{
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->changes[i].place == like->place
			&& strcmp(plan->changes[i].path, like->path) == 0)
			return &plan->changes[i];
	}
	return NULL;
}

/* A file that one of them leaves as it is counts as the bytes that are there. */
static bool differs(const struct at_change *a, const struct at_change *b)
{
	bool writes_a = a && a->kind != AT_KEPT, writes_b = b && b->kind != AT_KEPT;

	if (writes_a && writes_b)
		return !at_bytes_equal(a->bytes, b->bytes);
	return (writes_a && at_change_is_pending(a)) || (writes_b && at_change_is_pending(b));
}

static void name(struct at_buf *list, const struct at_change *change)
{
	if (list)
		at_buf_printf(list, "%s%s", list->len ? ", " : "", change->path);
}

size_t at_setup_effect_compare(const struct at_setup_effect *before,
	const struct at_setup_effect *after, struct at_buf *list)
{
	bool has_before = before && before->is_planned;
	size_t count = 0;

	if (!after->is_planned)
		return 0;
	for (size_t i = 0; i < after->plan.count; i++) {
		const struct at_change *change = &after->plan.changes[i];

		if (has_before ? !differs(find(&before->plan, change), change)
			       : !at_change_is_pending(change))
			continue;
		name(list, change);
		count++;
	}
	for (size_t i = 0; has_before && i < before->plan.count; i++) {
		const struct at_change *change = &before->plan.changes[i];

		if (find(&after->plan, change) || !differs(change, NULL))
			continue;
		name(list, change);
		count++;
	}
	return count;
}
