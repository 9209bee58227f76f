/* serve_ground.h - a project under orchestrator-only with a key, and a runner on it. */
#ifndef AT_TEST_SERVE_GROUND_H
#define AT_TEST_SERVE_GROUND_H

#include "support/support.h"

#include "runner/serve/client.h"
#include "runner/serve/serve.h"
#include "runner/serve/staged.h"

#define SERVE_BRIEF \
	"{\"project_name\": \"p\", \"write_policy\": \"orchestrator-only\", \"agent_policies\": " \
	"{\"writer\": {\"write_scopes\": [\"docs/\"]}}}"
#define SERVE_KEY "throwaway-key-of-the-tests"

struct serve_ground {
	char *dir; /* holds project/ and home/ */
	char project[512], home[512], brief[600];
	char *environment[8];
	const char *agents[1];
	struct at_state state;
	struct at_runner_setup setup;
	struct at_runner *runner;
	struct at_error err;
	char nonce[40];
};

/* Lays it out; opens no runner. `brief` NULL: SERVE_BRIEF. */
void serve_open(struct serve_ground *g, const char *brief);
void serve_close(struct serve_ground *g);

bool serve_start(struct serve_ground *g); /* with g->err */
void serve_must_start(struct serve_ground *g);
void serve_stop(struct serve_ground *g);
/* One turn; how many were served. Fails the test when serving stops. */
size_t serve_turn(struct serve_ground *g);

/* Publishes a request as its writers do. `id` is one digit, filled up to 32. */
void serve_put(struct serve_ground *g, const char *dir, char id, const char *text);
/* The same with printf. */
void serve_stage(struct serve_ground *g, char id, const char *path, const char *base,
	const char *content);
/* The text of a result; "" where there is none. Good until the next call. */
const char *serve_result(struct serve_ground *g, char id);
/* As the operator; the result's text. Good until the next call. */
const char *serve_ask(struct serve_ground *g, const char *request);
/* A nonce for `writer` in g->nonce. */
void serve_dispatch(struct serve_ground *g);
/* The text of a member "key": "…" of a result, copied; "" where there is none. */
const char *serve_text(const char *result, const char *key);

/* Fails the test unless the ledger verifies; its rows. */
size_t serve_rows(struct serve_ground *g);
/* How many rows have this action. */
size_t serve_count(struct serve_ground *g, const char *action);
/* How many of those are taken back by a row that names their path or record. */
size_t serve_taken_back(struct serve_ground *g, const char *action);
/* Fails the test unless `text` holds `word`. */
void serve_says(const char *text, const char *word);

#endif
