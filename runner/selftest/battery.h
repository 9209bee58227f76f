/* battery.h - every case for one caller: outside, inside, and with launches of their own.
 *
 * Runs as that caller already. Each part gets a fixture of its own, so that what one did is
 * not what another finds. Progress is told as it comes. (LAU-8)
 */
#ifndef AT_BATTERY_H
#define AT_BATTERY_H

#include "core/proof.h"
#include "runner/selftest/launch.h"
#include "runner/selftest/tools.h"

struct at_battery {
	const struct at_tools *tools;
	const struct at_ground *ground;
	const char *search_path;
	bool with_harden; /* the second mode as well */
	const char *const *ids; /* ended by NULL; NULL: every case */
	/* Told with each case that something is known of; false ends the battery. */
	bool (*go_on)(void *user, unsigned done);
	void *user;
};

/* Cases of all modes: what `done` counts up to. */
unsigned at_battery_size(const struct at_battery *battery);

/* Adds a run and its cases for each mode. False when the launcher could not be started at all,
 * or when it was ended. */
bool at_battery_run(struct at_proof *out, const struct at_battery *battery, struct at_error *err);

#endif
