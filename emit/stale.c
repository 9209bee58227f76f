#include "emit/stale.h"

#include "core/mem.h"
#include "core/write_root.h"
#include "emit/claude.h"
#include "emit/notices.h"

static const char *const opened[] = { "sandbox.filesystem.allowWrite",
	"sandbox.filesystem.allowRead" };

static void explain(struct at_set *set, const char *entry, const struct at_project *project)
{
	char place[PATH_MAX];

	if (at_notice_place(place, entry, project))
		at_set_add(set, place);
}

static void explain_list(struct at_set *set, const struct at_json *doc,
	const struct at_project *project, struct at_arena *arena)
{
	struct at_text_list list = { 0 };

	for (size_t i = 0; i < AT_LEN(opened); i++)
		at_text_list_of_json(&list, doc, opened[i], arena);
	for (size_t i = 0; i < list.count; i++)
		explain(set, list.items[i], project);
	at_text_list_free(&list);
}

/* What is found is put into `explained`, so that it is told once. */
static void find(struct at_text_list *out, const struct at_json *live, struct at_set *explained,
	const struct at_project *project, struct at_arena *arena)
{
	const struct at_root_place where = { project->path, project->host->home,
		project->host->platform };
	struct at_text_list list = { 0 };

	for (size_t i = 0; i < AT_LEN(opened); i++)
		at_text_list_of_json(&list, live, opened[i], arena);
	for (size_t i = 0; i < list.count; i++) {
		char place[PATH_MAX];

		if (!at_write_root_is_external(list.items[i], &where)
			|| !at_notice_place(place, list.items[i], project)
			|| at_set_has(explained, place))
			continue;
		at_set_add(explained, place);
		at_text_list_add(out, list.items[i]);
	}
	at_text_list_free(&list);
}

void at_stale_of_manifest(struct at_text_list *out, const struct at_json *live,
	const struct at_manifest *manifest, const struct at_project *project,
	struct at_arena *arena)
{
	struct at_set explained = { 0 };

	for (size_t i = 0; i < manifest->root_count; i++)
		explain(&explained, manifest->roots[i].path, project);
	find(out, live, &explained, project, arena);
	at_set_free(&explained);
}

void at_stale_of_example(struct at_text_list *out, const struct at_json *live,
	const struct at_json *example, const struct at_project *project, struct at_arena *arena)
{
	struct at_set explained = { 0 };

	explain_list(&explained, example, project, arena);
	find(out, live, &explained, project, arena);
	at_set_free(&explained);
}

bool at_stale_explained_last(struct at_set *out, const struct at_project *project,
	struct at_arena *arena)
{
	struct at_live example;
	bool is_known;

	*out = (struct at_set){ 0 };
	at_live_read(&example, project, at_claude_in_config(project, AT_CLAUDE_EXAMPLE, arena));
	is_known = example.is_object;
	if (is_known)
		explain_list(out, &example.doc, project, arena);
	at_live_free(&example);
	return is_known;
}
