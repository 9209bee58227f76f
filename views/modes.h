/* modes.h - the command line's modes, each from the models the screens use.
 *
 * A mode prints its report and returns the exit status. main() picks one from the table.
 */
#ifndef AT_MODES_H
#define AT_MODES_H

#include "views/session.h"

int at_mode_brief(struct at_session *session);  /* --brief, --set, --unset (REQ-14, UI-3) */
int at_mode_update(struct at_session *session); /* --update (EMIT-15) */
int at_mode_check(struct at_session *session);  /* --check (EMIT-21) */
int at_mode_merge(struct at_session *session);  /* --merge (WIRE-2, WIRE-17) */
int at_mode_undo(struct at_session *session);
int at_mode_status(struct at_session *session); /* UI-2 */
int at_mode_check_wiring(struct at_session *session); /* WIRE-5 */
int at_mode_host_check(struct at_session *session);   /* WIRE-7 */
int at_mode_launch_line(struct at_session *session);  /* WIRE-15 */
int at_mode_effective(struct at_session *session);    /* WIRE-9 */
int at_mode_self_test(struct at_session *session);    /* LAU-8 */
int at_mode_grants(struct at_session *session);       /* KEY-3 */
int at_mode_verify_grants(struct at_session *session);
int at_mode_sign_grant(struct at_session *session);   /* KEY-4 */
int at_mode_issue_grant(struct at_session *session);  /* KEY-5 */
int at_mode_manifest(struct at_session *session);     /* REQ-11 */
int at_mode_keys(struct at_session *session);         /* KEY-1, WIRE-16 */
int at_mode_new_key(struct at_session *session);      /* KEY-1, WIRE-17 */
int at_mode_install_key(struct at_session *session);
int at_mode_migrate_keys(struct at_session *session);
int at_mode_gate_log(struct at_session *session);     /* GATE-10, UI-3 */
int at_mode_verify_decisions(struct at_session *session); /* KEY-9 */
int at_mode_check_clearance(struct at_session *session);  /* KEY-12 */
int at_mode_verify_proposal_ledger(struct at_session *session); /* RUN-1, UI-3 */
int at_mode_repair_proposal_ledger(struct at_session *session);
int at_mode_issue_dispatch(struct at_session *session);    /* RUN-6 */
int at_mode_confined_path(struct at_session *session);     /* RUN-5 */
int at_mode_install_confined(struct at_session *session);
int at_mode_sign_decision(struct at_session *session);    /* KEY-9, WIRE-16, WIRE-17 */
int at_mode_serve_requests(struct at_session *session);   /* RUN-1 */
int at_mode_queue_dispatch(struct at_session *session);   /* the queue, else as below */
int at_mode_apply_proposal(struct at_session *session);
int at_mode_run_request(struct at_session *session);
int at_mode_wait_result(struct at_session *session);
int at_mode_list_staged(struct at_session *session);      /* STG-1 */
int at_mode_show_staged(struct at_session *session);
int at_mode_apply_staged(struct at_session *session);
int at_mode_reject_staged(struct at_session *session);
int at_mode_undo_applied(struct at_session *session);     /* of --undo (STG-4) */

/* These need no project. */
int at_mode_diff(const struct at_options *options);   /* --diff (UI-5, UI-7) */
int at_mode_verify_gate_log(const struct at_options *options); /* GATE-10 */
int at_mode_schema(const struct at_options *options); /* REQ-14 */
int at_mode_managed_example(const struct at_options *options); /* WIRE-11 */
int at_mode_ceilings(const struct at_options *options);
int at_mode_list_keys(const struct at_options *options);
int at_mode_check_config(const struct at_options *options);
int at_mode_manual(const struct at_options *options); /* UI-8 */

#endif
