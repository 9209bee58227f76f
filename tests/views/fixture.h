/* fixture.h - the sample project opened in process, with an application around one view.
 *
 * No terminal: keys are stepped by name and the grid is looked at. The project and its home
 * are throwaway copies.
 */
#ifndef AT_TEST_VIEW_FIXTURE_H
#define AT_TEST_VIEW_FIXTURE_H

#include "support/screen.h"
#include "views/acts.h"

struct fixture {
	char *stage;
	struct at_options options;
	const char *accepted[1];
	struct at_session session;
	struct at_collected collected;
	struct at_view_arg arg;
	struct at_app app;
	char *environment[2];
	int digit; /* whose tab is bright */
	int64_t now;
};

struct fixture_plan {
	const char *brief;    /* instead of the sample's, or NULL */
	const char *live;     /* instead of the sample's settings, or NULL */
	bool is_emitted;      /* an --update ran before */
	bool all_teams;        /* for every other framework as well, and before it */
	const char *framework; /* --framework, or NULL */
	const char *platform;  /* --platform, or NULL; nothing can be emitted then */
	bool has_grants; /* the recorded Ed25519 grants, their key believed, and a key of one's own */
	bool is_tampered; /* then somebody edited the launcher, and took the team's switch away */
	bool is_staged; /* proposals wait: staged_sample() */
	struct at_bytes gate_log; /* what ~/gate.log holds, which the environment names; or empty */
};

/* Copies, opens, collects, and shows the view of `digit` at that size. */
void fixture_begin(struct fixture *f, const struct fixture_plan *plan,
	const struct at_view_class *class, int digit, int width, int height);
void fixture_end(struct fixture *f);

/* Golden screens of one scene at 40x10, 80x24, 120x40 and 200x60, each dark, light and mono:
 * "NAME-80x24-dark". `keys` as for screen_keys(), "" for none. */
void fixture_golden(const struct fixture_plan *plan, const struct at_view_class *class, int digit,
	const char *name, const char *keys);

#endif
