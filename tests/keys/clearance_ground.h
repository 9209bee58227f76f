/* clearance_ground.h - a throwaway team dir with ledgers, switch, roster and keys. */
#ifndef AT_TEST_CLEARANCE_GROUND_H
#define AT_TEST_CLEARANCE_GROUND_H

#include "keys/clearance.h"
#include "keys/secret.h"

#define DECISION_KEY "atv-throwaway-decision-key"
#define WAIVER_KEY "wk"
#define NOW 1788220800 /* 2026-09-01T00:00:00Z */

#define LEGACY "timestamp,requesting_agent,action_reviewed,verdict,conditions,conditions_verified"
#define SIGNED \
	"date,action_reviewed,verdict,scope,conditions,conditions_verified,evidence,author," \
	"derives_from,effect_class,effect_grants,effect_targets,effect_relaxes," \
	"effect_destructive,effect_cross_repo,effect_bulk,sig_scheme,key_id,prev_digest,signature"
#define SWITCH_ON "{\"enforce_decision_signing\": true}\n"

struct ground {
	char *dir;
	struct at_clearance_ground at;
	struct at_arena *arena;
	struct at_secret seed; /* of the team's key "op" */
	struct at_public_key key;
	struct at_clearance said; /* of the last question */
	struct at_error err;
};

void ground_begin(struct ground *g); /* the HMAC keys are set, no file is there */
void ground_end(struct ground *g);
void ground_write(struct ground *g, const char *path, const char *text); /* below references/ */

/* Asks; `acts` spends. */
bool ground_ask(struct ground *g, const char *action, bool acts);

/* A ledger in the making: rows of the signed header, "column=value" words ended by NULL. */
struct ledger {
	struct at_buf text;
	struct at_digest last;
	bool has_rows;
};
enum how {
	UNSIGNED,
	HMAC,
	ED25519,
	HMAC_PLAIN,
	ED25519_PLAIN
}; /* plain: as the Python tool signs */
void ledger_begin(struct ledger *l);
void ledger_row(struct ledger *l, struct ground *g, enum how how, const char *const *words);
#define ROW(l, g, how, ...) ledger_row(l, g, how, (const char *const[]){ __VA_ARGS__, NULL })
void ledger_end(struct ledger *l, struct ground *g); /* writes and frees it */

#endif
