/* ground.h - a project with a ledger key, for the tests of proposals. */
#ifndef AT_TEST_RUNNER_GROUND_H
#define AT_TEST_RUNNER_GROUND_H

#include "support/support.h"

#include "runner/proposals/dispatch.h"
#include "runner/proposals/ledger.h"
#include "runner/proposals/site.h"

#define GROUND_KEY "derived-throwaway-ledger-key" /* of the vectors */
#define GROUND_NONCE "0123456789abcdef0123456789abcdef"

struct ground {
	char *dir; /* holds project/ and state/ */
	char project[512];
	struct at_proposal_site site;
	struct at_error err;
};

void ground_open(struct ground *g);
void ground_close(struct ground *g);

struct at_time ground_time(const char *text);
/* 2026-10-01T00:00:00Z, when the vectors were made. */
struct at_time ground_then(void);

/* Copies a vector of derived/ to the project's ground, as `name`. */
void ground_vector(struct ground *g, const char *vector, const char *name);
/* Ledger, head and dispatches of the vectors. */
void ground_vectors(struct ground *g);

/* A row {action, agent}. False with g->err. */
bool ground_append(struct ground *g, struct at_proposal_ledger *ledger, const char *action);
/* Opens, appends, closes. */
bool ground_row(struct ground *g, const char *action);

/* Verifies; the problems, to be freed. */
struct at_proposal_state ground_verify(struct ground *g);

/* Parses, or fails the test; the text must outlive it. */
struct at_json ground_json(const char *text);

#endif
