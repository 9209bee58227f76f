/* frameworks.h - one line a harness; emit/framework.c lists them in the order of the enum. */
#ifndef AT_FRAMEWORKS_H
#define AT_FRAMEWORKS_H

#include "emit/framework.h"

extern const struct at_framework at_framework_claude;
extern const struct at_framework at_framework_goose;
extern const struct at_framework at_framework_codex;
extern const struct at_framework at_framework_copilot_vscode;
extern const struct at_framework at_framework_copilot_cli;
extern const struct at_framework at_framework_agents_md;

#endif
