/* confine_impl.h - what the files of confine.h share: a start's words and variables. */
#ifndef AT_CONFINE_IMPL_H
#define AT_CONFINE_IMPL_H

#include "runner/runs/confine.h"

#define AT_CONFINE_SCRIPT "confine-run.sh"

/* `/bin/sh LAUNCHER --scratch TMP … -- PROGRAM ARG…`, nothing checked. Owned by `arena`. */
const char *const *at_confine_launcher_words(struct at_confine *confine, struct at_arena *arena,
	const struct at_confine_entry *entry, const char *program, const char *const *argv,
	const char *tmp);

/* at_program_env() and what the launcher itself has to know; it passes on no more than that. */
const char *const *at_confine_launcher_env(
	struct at_confine *confine, struct at_arena *arena, const char *tmp);

/* The checks of at_confine_words(). `tmp` NULL: one that is not made yet. */
bool at_confine_check_entry(struct at_confine *confine, const struct at_confine_entry *entry,
	const char *program, const char *cwd, const char *tmp, struct at_error *err);

/* An exec path as a place: `~/` by the home, links resolved. False when it is not absolute. */
bool at_confine_expand(char out[PATH_MAX], const struct at_confine *confine, const char *path);

#endif
