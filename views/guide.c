#include "views/guide.h"

#include <stdio.h>

#include "core/mem.h"
#include "views/acknowledged.h"

/* The digits of views.def, ascending as there. */
static const int digits[] = {
#define AT_VIEW(digit, class, tab, short_tab) digit,
#include "views/views.def"
#undef AT_VIEW
};

#define LAST_STEP 5 /* Wiring: what comes after it is no step of the set-up */

static int nearest(int digit)
{
	for (size_t i = 0; i < AT_LEN(digits); i++) {
		if (digits[i] >= digit)
			return digits[i];
	}
	return digits[AT_LEN(digits) - 1];
}

int at_guide_start(const struct at_session *session, const struct at_collected *collected)
{
	const enum at_stage_state *stages = collected->pipeline.stages;

	if (stages[AT_REQUEST] != AT_DONE)
		return nearest(1);
	if (stages[AT_DECIDE] != AT_DONE
		|| (stages[AT_EMIT] != AT_DONE && at_unacknowledged(session)))
		return nearest(2);
	if (stages[AT_EMIT] != AT_DONE)
		return nearest(3);
	return nearest(stages[AT_WIRE] != AT_DONE ? 4 : LAST_STEP);
}

int at_guide_step(int digit, bool forward)
{
	int found = 0;

	for (size_t i = 0; i < AT_LEN(digits) && digits[i] <= LAST_STEP; i++) {
		if (forward && digits[i] > digit)
			return digits[i];
		if (!forward && digits[i] < digit)
			found = digits[i];
	}
	return found;
}

bool at_guide_why_not(int digit, enum at_action action, char *out, size_t size)
{
	bool forward = action == AT_DO_NEXT_STEP;

	if ((!forward && action != AT_DO_PREV_STEP) || at_guide_step(digit, forward))
		return false;
	snprintf(out, size, "this is the %s step", forward ? "last" : "first");
	return true;
}
