/* ledger_ground.h - a workspace, a team and a key in a temporary tree, for tests of grants. */
#ifndef AT_TEST_LEDGER_GROUND_H
#define AT_TEST_LEDGER_GROUND_H

#include "support/support.h"

#include "keys/grant_issue.h"
#include "keys/grants.h"

struct ledger_ground {
	char *tree;
	char work[512], team[512];
	struct at_secret seed;   /* of op-1: 00 01 … 1f, as the derived vectors have it */
	struct at_public_key key;
	unsigned asked; /* how often a key was looked up */
	struct at_arena *arena;
	struct at_grants_site site;
	struct at_error err;
};

void ground_open(struct ledger_ground *g);
void ground_close(struct ledger_ground *g);

void ground_roster(struct ledger_ground *g, const char *text); /* NULL: none */
void ground_ledger(struct ledger_ground *g, struct at_bytes text); /* .data NULL: none */
struct at_buf ground_read(struct ledger_ground *g); /* the ledger */
bool ground_has(struct ledger_ground *g, const char *suffix); /* beside the ledger */
struct at_bytes ground_vector(struct ledger_ground *g, const char *path); /* in the arena */

/* A spec that is fine: team-b lets team-a read `target`. */
struct at_grant_spec ground_spec(const char *target, const char *ops);

/* Prepares, signs or seals, appends. False with g->err. */
bool ground_issue(struct ledger_ground *g, const struct at_grant_spec *spec,
	enum at_grant_scheme scheme, struct at_ledger_appended *out);
/* Walks; fails the test when that fails. */
struct at_grants ground_walk(struct ledger_ground *g, enum at_grant_mode mode);

#endif
