#include "emit/framework.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/control_plane.h"
#include "core/file.h"
#include "core/mem.h"
#include "emit/frameworks.h"

const struct at_framework *const at_frameworks[AT_FRAMEWORK_COUNT] = {
	[AT_CLAUDE] = &at_framework_claude,
	[AT_GOOSE] = &at_framework_goose,
	[AT_CODEX] = &at_framework_codex,
	[AT_COPILOT_VSCODE] = &at_framework_copilot_vscode,
	[AT_COPILOT_CLI] = &at_framework_copilot_cli,
	[AT_AGENTS_MD] = &at_framework_agents_md,
};

bool at_team_is_present(const struct at_project *project, enum at_framework_id framework)
{
	char marker[PATH_MAX];

	snprintf(marker, sizeof(marker), "%s/" AT_TEAM_MARKER, at_team_dir(framework));
	return at_file_type(project->fd, marker) == AT_FILE_REGULAR;
}

void at_notices_init(struct at_notices *notices)
{
	*notices = (struct at_notices){ .arena = at_arena_new() };
}

void at_notices_free(struct at_notices *notices)
{
	free(notices->items);
	at_arena_free(notices->arena);
	*notices = (struct at_notices){ 0 };
}

void at_notice(struct at_notices *notices, const char *id, const char *format, ...)
{
	va_list ap, again;
	char *text;
	int len;

	va_start(ap, format);
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	text = at_arena_alloc(notices->arena, (size_t)len + 1);
	vsnprintf(text, (size_t)len + 1, format, again);
	va_end(again);
	notices->items = at_grow(notices->items, &notices->cap, notices->count,
		sizeof(*notices->items));
	notices->items[notices->count++] = (struct at_notice){ id, text };
}
