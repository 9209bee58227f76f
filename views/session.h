/* session.h - one project opened: what every mode and view starts from.
 *
 * Finds the project, its brief and its team, reads the request and decides. A brief
 * that is missing or refused is kept as an error here, so that a report can still say
 * what is so. It writes and prints nothing, but where an earlier run was cut
 * short.
 */
#ifndef AT_SESSION_H
#define AT_SESSION_H

#include "core/decide.h"
#include "core/file.h"
#include "core/host_seen.h"
#include "core/state.h"
#include "emit/framework.h"
#include "emit/hooks.h"
#include "emit/sight.h"
#include "views/config.h"
#include "views/options.h"

struct at_setup_draft;

/* The launcher's self-test, while a job of the screen is at it. */
struct at_selftest_progress {
	bool is_running;
	unsigned done, all; /* cases; 0 until something is known */
};

struct at_session {
	struct at_arena *arena;
	const struct at_options *options; /* borrowed */
	int64_t clock; /* seconds since the epoch to take for now; 0: the clock itself. For pictures */
	const struct at_settings *settings; /* borrowed; the defaults until a configuration is read */
	struct at_host host;
	char path[PATH_MAX]; /* physical */
	struct at_project project;
	struct at_state state;
	char brief_path[PATH_MAX]; /* as messages name it */
	char brief_place[PATH_MAX]; /* below the project; "" where it is outside */
	struct at_file brief;
	struct at_request request;
	struct at_manifest manifest;
	bool request_ok; /* request and manifest are filled */
	struct at_error request_error;
	struct at_sight sight;     /* settings files as they were read last */
	struct at_hook_book hooks; /* what hooks did when they were run, as far as it still holds */
	bool hooks_are_running;    /* a job of the screen is at it */
	struct at_host_seen host_seen; /* what was seen of this machine, once it is known */
	bool host_is_known, host_is_running;
	struct at_selftest_progress selftest;
	struct at_setup_draft *draft; /* of the Setup view, where somebody keeps it; borrowed */
	const char *gate_places[2]; /* of --gate-program */
	bool no_programs; /* those that were built with this one are not looked for. For pictures */
	struct at_option_list accepted; /* write roots: of argv, and those typed since */
};

/* Fails on what no report could be made about: no project, bad usage. Released by
 * at_session_close(), also after a failure. */
bool at_session_open(
	struct at_session *out, const struct at_options *options, struct at_error *err);
/* Reads the brief again and decides anew; the project and its options stay. On failure (bad
 * usage that only a brief can bring) the old decision stands. */
bool at_session_reread(struct at_session *session, struct at_error *err);
void at_session_close(struct at_session *session);

/* Another harness from now on, for this run: no file says so. */
bool at_session_choose_framework(struct at_session *session, enum at_framework_id framework,
	struct at_error *err);

/* REQ-4: the operator typed the word for this write root; it holds while the program runs.
 * AT_EDENIED in an agent session. */
bool at_session_accept_root(struct at_session *session, const char *path, struct at_error *err);

/* What every decision of this run is made with, for drafts too. */
struct at_decide_options at_session_decide_options(const struct at_session *session,
	enum at_framework_id framework);
/* The project's name where the brief has none: its directory's. Borrowed. */
const char *at_session_name(const struct at_session *session);

/* False with the brief's own error when there is no valid request. */
bool at_session_need_request(const struct at_session *session, struct at_error *err);

/* True, with the reason as a clause for a key that is off, when this session may write nothing
 * (--readonly) or no live settings (WIRE-17). */
bool at_session_is_off(const struct at_session *session, char *why, size_t size);

/* WIRE-17: may this process write live settings? False with AT_EDENIED naming the variable
 * of the agent session, or the kernel's refusal. */
bool at_session_may_write_live(const struct at_session *session, struct at_error *err);

/* The same for making, moving and installing keys, and for signing. */
bool at_session_may_use_keys(const struct at_session *session, struct at_error *err);

/* The same for taking a team over, and for a fleet. */
bool at_session_may_convert(const struct at_session *session, struct at_error *err);

/* Before a mode that writes looks at anything: ends what an earlier run that was cut short
 * left half done, and says so on standard error. `live` as for a mode that writes live
 * settings. Writes nothing when nothing is half done. */
bool at_session_recover(struct at_session *session, bool live, struct at_error *err);

#endif
