/* launch.h - one start of the launcher with a fixture, and what came of it.
 *
 * Builds the words of the command line for caller and mode, and runs them with the fixture's
 * environment, descriptors and terminal. It judges nothing. (LAU-8)
 */
#ifndef AT_LAUNCH_H
#define AT_LAUNCH_H

#include "core/child.h"
#include "runner/selftest/case.h"
#include "runner/selftest/fixture.h"

#define AT_LAUNCH_WORDS 2048
#define AT_LAUNCH_MS 60000 /* a battery is some hundred acts of two seconds at the very most */

/* What all launches of one caller have in common. */
struct at_launcher {
	char script[AT_FIXTURE_PATH + 32]; /* the copy that is tested */
	char harden[AT_FIXTURE_PATH + 32]; /* the copy of agentteams-harden, or "" */
	bool is_root; /* the caller: --allow-root is given */
	bool (*go_on)(void *user, const struct at_child_end *so_far); /* as in core/child.h */
	void *user;
};

struct at_words {
	const char *items[AT_LAUNCH_WORDS]; /* ended by NULL; borrowed */
	size_t count;
};
void at_words_add(struct at_words *words, const char *word);
void at_words_add_all(struct at_words *words, const char *const *list); /* ended by NULL */

/* "/bin/sh SCRIPT --scratch …" with the options of the mode; `--` and the command are for the
 * caller to add. */
void at_launch_words(struct at_words *out, const struct at_launcher *launcher,
	const struct at_fixture *fixture, enum at_selftest_mode mode);

/* Runs any words with everything the fixture leaves to what it starts. `env` NULL: the
 * fixture's. */
bool at_launch_run(struct at_child_end *out, const struct at_launcher *launcher,
	const struct at_fixture *fixture, const char *const *words, const char *const *env,
	struct at_error *err);

/* The probe with these cases, as a command: inside it is asked for the mechanisms in force
 * first. `ids` ended by NULL, none: all. */
void at_launch_probe_words(struct at_words *out, const struct at_launcher *launcher,
	const struct at_fixture *fixture, bool inside, const char *const *ids);

#endif
