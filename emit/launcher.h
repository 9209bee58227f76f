/* launcher.h - the launcher and its companions: emitted, and looked at again.
 *
 * sandbox/confine-run.sh wraps an agent's command whatever the framework is, so every plan
 * that asks for a boundary holds it. Emitting it starts nothing, and that it is there says
 * nothing about an agent that was started without. (EMIT-9, EMIT-10, WIRE-5, INT-2)
 */
#ifndef AT_LAUNCHER_H
#define AT_LAUNCHER_H

#include "emit/framework.h"

struct at_launcher_file {
	const char *path; /* below the project */
	const struct at_bytes *bytes;
	mode_t mode;
	bool only_darwin;
	const char *reason;
};
/* The first is the launcher itself. */
extern const struct at_launcher_file at_launcher_files[4];

/* EMIT-9, EMIT-16: a boundary was asked for, on a platform that the launcher has a branch
 * for; and is this one of the files that it gets there? */
bool at_launcher_is_emitted(const struct at_manifest *manifest);
bool at_launcher_file_is_emitted(const struct at_launcher_file *file,
	const struct at_manifest *manifest);

/* Adds the files, byte for byte. One that was edited is replaced like any emitted file, and
 * never silently: a notice names it, and undo gives it back. */
bool at_launcher_plan(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err);

/* Adds what is to be said of the launcher, where one is emitted; true when it is there,
 * genuine and can be started. */
bool at_launcher_check(struct at_wiring *report, const struct at_manifest *manifest,
	const struct at_project *project);

#endif
