#include "emit/reads.h"

#include <string.h>

#include "core/mem.h"
#include "core/state.h"
#include "emit/claude.h"

#define KEYS_DIR "~/.config/agentteams/keys"

/* EMIT-5. Registry and gh tokens are left out: toolchains need them. */
static const char *const defaults[] = {
	"~/.ssh", "~/.aws", "~/.gnupg", "~/.kube", "~/.config/gcloud", "~/.azure",
};

void at_reads_of_keys(struct at_text_list *out, const struct at_project *project,
	struct at_arena *arena)
{
	struct at_text_list legacy = { 0 };

	at_text_list_add(out, KEYS_DIR);
	at_claude_legacy_keys(&legacy, project, arena);
	for (size_t i = 0; i < legacy.count; i++)
		at_text_list_add(out, legacy.items[i]);
	at_text_list_free(&legacy);
}

static bool is_listed(const char *path)
{
	for (size_t i = 0; i < AT_LEN(defaults); i++)
		if (strcmp(path, defaults[i]) == 0)
			return true;
	return strcmp(path, KEYS_DIR) == 0;
}

void at_reads_exclusive(struct at_text_list *out, const struct at_manifest *manifest)
{
	const struct at_texts *more = &manifest->request->protected_read_paths;

	if (manifest->request->profile != AT_EXCLUSIVE)
		return;
	for (size_t i = 0; i < AT_LEN(defaults); i++)
		at_text_list_add(out, defaults[i]);
	for (size_t i = 0; i < more->count; i++)
		if (!is_listed(more->items[i]))
			at_text_list_add(out, more->items[i]);
}

const char *at_reads_state(const struct at_manifest *manifest, const struct at_project *project,
	struct at_arena *arena)
{
	const char *xdg = project->host->xdg_state_home;
	char mask[PATH_MAX];

	if (manifest->request->profile != AT_EXCLUSIVE)
		return NULL;
	at_state_mask_path(mask, project->host->home, *xdg ? xdg : NULL);
	return at_arena_strdup(arena, mask);
}
