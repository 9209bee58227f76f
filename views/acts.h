/* acts.h - what a view is given, and what it may ask the application to do.
 *
 * Views show and choose; the application acts, collects the evidence again and tells the
 * view on top with AT_EVENT_CHANGED (`id`: the act, `yes`: it was done). No view includes
 * another: they meet here.
 */
#ifndef AT_ACTS_H
#define AT_ACTS_H

#include "views/collect.h"

/* Every view is opened with one; it outlives them all, its contents change under them. */
struct at_view_arg {
	struct at_session *session;
	struct at_collected *collected;
};

/* What the operator decides about a staged proposal. */
enum at_proposal_verb { AT_PROPOSAL_APPLY, AT_PROPOSAL_REJECT, AT_PROPOSAL_UNDO };
struct at_proposal_act {
	enum at_proposal_verb verb;
	char sid[33];             /* "" to undo */
	char content_sha256[65];  /* of what was on the screen; "" for a deletion */
	const char *reason;       /* beside a rejection; borrowed for the act */
};

/* Codes of AT_FX_DO. `data` is what each row says; NULL otherwise. */
enum at_act {
	AT_ACT_REREAD,      /* read brief, project and live files again */
	AT_ACT_MERGE_WRITE, /* struct at_merge_model: write its selection */
	AT_ACT_MERGE_UNDO,  /* take the newest merge back */
	AT_ACT_EMIT_WRITE,  /* write the plan that was shown */
	AT_ACT_BRIEF_SAVE,  /* struct at_bytes: the brief's exact new text */
	AT_ACT_BRIEF_UNDO,  /* take the newest save of the brief back */
	AT_ACT_ACCEPT_ROOT, /* char: the write root whose word was typed (REQ-4) */
	AT_ACT_FRAMEWORK,   /* int: the framework to decide for from now on */
	AT_ACT_ACKNOWLEDGE, /* char: the code of an advisory, marked as read or not read */
	AT_ACT_RUN_HOOKS,   /* bool: those that are not ours too */
	AT_ACT_NEW_KEY,     /* char: its name */
	AT_ACT_INSTALL_KEY, /* char: its name */
	AT_ACT_MIGRATE_KEYS,
	AT_ACT_PROPOSAL,    /* struct at_proposal_act: ask the runner for it */
	AT_ACT_SIGN_GRANT,  /* struct at_grant_draft: sign it and append it */
	AT_ACT_SELF_TEST,   /* start it, or end it where it is running */
	AT_ACT_BEGIN,       /* the first frame is painted: gather the evidence and show it */
	AT_ACT_GO,          /* int: the digit of the view to go to */
};

#endif
