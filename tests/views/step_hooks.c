#include "views/step_hooks.h"

#include "views/guide.h"

static int current; /* tests of views run one at a time */

static enum at_take act(void *user, struct at_app *app, enum at_action action, struct at_fx *fx)
{
	(void)user, (void)app, (void)action, (void)fx;
	return AT_PASS;
}

static bool why_not(
	void *user, const struct at_app *app, enum at_action action, char *out, size_t size)
{
	(void)user, (void)app;
	return at_guide_why_not(current, action, out, size);
}

void step_hooks(struct at_app_hooks *hooks, int digit)
{
	current = digit;
	hooks->act = act;
	hooks->why_not = why_not;
}
