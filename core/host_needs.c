/* host_needs.c - bwrap, socat and user namespaces: what a sandbox on Linux cannot be without. */
#include <string.h>

#include "core/host_impl.h"

static meanings no_bwrap = {
	STOPS("no command can be confined; without failIfUnavailable the session goes on "
	      "UNCONFINED"),
	STOPS("the launcher refuses to start"),
	STOPS("the launcher refuses to start"),
};
static meanings broken_bwrap = {
	STOPS("every command of a session fails; failIfUnavailable does not notice"),
	STOPS("the launcher ends with bwrap's error; nothing is run unconfined"),
	STOPS("the launcher ends with bwrap's error; nothing is run unconfined"),
};
static meanings foreign_bwrap = {
	STOPS("a session would start this one: who can change it can switch the sandbox off"),
	STOPS("the launcher would start this one, and refuses it only inside a writable directory"),
	STOPS("the launcher would start this one, and refuses it only inside a writable directory"),
};
static meanings open_bwrap = {
	STOPS("commands run unconfined while the session says its sandbox is on"),
	STOPS("the command would run unconfined"),
	STOPS("the command would run unconfined"),
};
static meanings unseen_bwrap = { HIDES("it needs a bwrap that works"),
	HIDES("it needs a bwrap that works"), HIDES("it needs a bwrap that works") };
static meanings fine_bwrap = { SAYS("what it starts commands with"),
	SAYS("what it starts the agent with"), SAYS("what it starts the agent with") };
static meanings no_lock = {
	NOTHING,
	STOPS("the launcher refuses but for --allow-nested, which is weaker"),
	STOPS("the launcher refuses but for --allow-nested, which is weaker"),
};
static meanings unseen_lock = { NOTHING, HIDES("it switches user namespaces off inside"),
	HIDES("it switches user namespaces off inside") };
static meanings no_socat = {
	STOPS("the session refuses with failIfUnavailable, else goes on UNCONFINED"),
	SAYS("not used"),
	SAYS("not used"),
};
static meanings unseen_socat = { HIDES("it needs socat for its network proxy"), SAYS("not used"),
	SAYS("not used") };
static meanings needs_userns = {
	SAYS("bwrap needs them unless it is setuid root"),
	SAYS("bwrap needs them unless it is setuid root"),
	SAYS("bwrap needs them unless it is setuid root"),
};

static bool apparmor_restricts(const struct at_host_seen *seen)
{
	return seen->apparmor_userns > 0;
}

/* The likely cause that can be mended, the surest first. */
static void blame(struct at_host_report *r, struct at_host_item *item, const struct at_try *t)
{
	const struct at_host_seen *seen = r->seen;
	const char *userns = at_host_sudo(r, "sysctl -w user.max_user_namespaces=10000");

	if (seen->max_user_namespaces == 0)
		at_host_fix(item, userns, "user.max_user_namespaces is 0: none may be made.");
	else if (seen->userns_clone == 0)
		at_host_fix(item, at_host_sudo(r, "sysctl -w kernel.unprivileged_userns_clone=1"),
			"kernel.unprivileged_userns_clone is 0: ordinary users may make none.");
	else if (apparmor_restricts(seen))
		at_host_fix(item, AT_HOST_APPARMOR,
			"AppArmor restricts user namespaces here. The script tries each remedy, "
			"takes it back, and says which one worked.");
	else if (strstr(t->said, "RTM_NEWADDR"))
		at_host_fix(item, AT_HOST_APPARMOR,
			"A user namespace can be made and nothing done in it: AppArmor or a "
			"container "
			"around this shell does that. Outside a container the script finds the "
			"remedy.");
	else if (seen->userns.result == AT_TRIED_FAILED)
		at_host_fix(item, "",
			"The kernel refuses user namespaces to this process: a container around "
			"this shell is the usual cause. Start the agent outside it.");
	else
		at_host_fix(item, AT_HOST_DEPS, "The script installs and tries it.");
}

static bool judge_bwrap(struct at_host_report *r)
{
	const struct at_host_seen *seen = r->seen;
	const struct at_host_tool *tool = &seen->bwrap;

	if (!seen->tools_were_looked_for) {
		at_host_add(r, "bwrap", AT_HOST_UNKNOWN, unseen_bwrap, "bwrap was not looked for.");
		return false;
	}
	if (!tool->path[0]) {
		at_host_fix_install(r,
			at_host_add(r, "bwrap", AT_HOST_MISSING, no_bwrap, "bwrap is not on PATH."),
			"bubblewrap");
		return false;
	}
	if (tool->fault[0]) {
		at_host_fix(at_host_add(r, "bwrap", AT_HOST_RESTRICTED, foreign_bwrap,
				    "%s is the first bwrap on PATH, and %s: it was not run.",
				    tool->path, tool->fault),
			"", "Take it off PATH, so that root's own is found first.");
		return false;
	}
	at_host_add(r, "bwrap", AT_HOST_OK, fine_bwrap, "%s, root's alone%s.", tool->path,
		tool->is_setuid ? ", setuid root" : "");
	return true;
}

static bool judge_run(struct at_host_report *r)
{
	const struct at_try *t = &r->seen->bwrap_claude;
	struct at_host_item *item;

	switch (t->result) {
	case AT_TRIED_NOT:
		at_host_add(r, "bwrap-run", AT_HOST_UNKNOWN, unseen_bwrap,
			"No command was run inside: %s.", at_host_why_not_run(r->seen));
		return false;
	case AT_TRIED_BLIND:
		at_host_add(r, "bwrap-run", AT_HOST_UNKNOWN, unseen_bwrap,
			"A command ran inside, and could not say which namespaces it had "
			"(readlink).");
		return true;
	case AT_TRIED_WELL:
		at_host_add(r, "bwrap-run", AT_HOST_OK, at_host_means_nothing,
			"A command ran inside, in user and network namespaces of its own.");
		return true;
	case AT_TRIED_OPEN:
		item = at_host_add(r, "bwrap-run", AT_HOST_RESTRICTED, open_bwrap,
			"%s ran a command in this process's own namespaces: it confines nothing.",
			r->seen->bwrap.path);
		at_host_fix_install(r, item, "bubblewrap");
		return false;
	default:
		item = at_host_add(r, "bwrap-run", AT_HOST_RESTRICTED, broken_bwrap,
			"No command can be run inside: %s.", at_host_ending(r, t));
		blame(r, item, t);
		return false;
	}
}

static void judge_lock(struct at_host_report *r)
{
	const struct at_try *t = &r->seen->bwrap_launcher;

	if (t->result == AT_TRIED_WELL)
		at_host_add(r, "bwrap-lock", AT_HOST_OK, at_host_means_nothing,
			"The launcher's own options work, --disable-userns among them.");
	else if (t->result == AT_TRIED_NOT || t->result == AT_TRIED_BLIND)
		at_host_add(r, "bwrap-lock", AT_HOST_UNKNOWN, unseen_lock,
			"What the launcher's own options did could not be seen.");
	else
		at_host_fix(
			at_host_add(r, "bwrap-lock", AT_HOST_RESTRICTED, no_lock,
				"The launcher's own options do not work (--disable-userns among "
				"them): %s.",
				at_host_ending(r, t)),
			"",
			"A bubblewrap that has --disable-userns is needed; a newer release of "
			"this system has one.");
}

static void judge_socat(struct at_host_report *r)
{
	const struct at_host_seen *seen = r->seen;
	const struct at_host_tool *tool = &seen->socat;
	const struct at_try *t = &seen->socat_try;
	struct at_host_item *item;

	if (!seen->tools_were_looked_for) {
		at_host_add(r, "socat", AT_HOST_UNKNOWN, unseen_socat, "socat was not looked for.");
	} else if (!tool->path[0]) {
		item = at_host_add(r, "socat", AT_HOST_MISSING, no_socat, "socat is not on PATH.");
		at_host_fix_install(r, item, "socat");
	} else if (tool->fault[0]) {
		at_host_fix(at_host_add(r, "socat", AT_HOST_RESTRICTED, no_socat,
				    "%s is the first socat on PATH, and %s: it was not run.",
				    tool->path, tool->fault),
			"", "Take it off PATH, so that root's own is found first.");
	} else if (t->result == AT_TRIED_NOT) {
		at_host_add(r, "socat", AT_HOST_UNKNOWN, unseen_socat, "%s was not tried: %s.",
			tool->path, at_host_why_not_run(seen));
	} else if (t->result != AT_TRIED_WELL) {
		item = at_host_add(r, "socat", AT_HOST_RESTRICTED, no_socat,
			"%s does not work: %s.", tool->path, at_host_ending(r, t));
		at_host_fix_install(r, item, "socat");
	} else {
		at_host_add(r, "socat", AT_HOST_OK, at_host_means_nothing,
			"%s, root's alone; it copies.", tool->path);
	}
}

static void judge_userns(struct at_host_report *r)
{
	const struct at_try *t = &r->seen->userns;

	if (t->result == AT_TRIED_NOT) {
		at_host_add(r, "user-namespaces", AT_HOST_UNKNOWN, needs_userns,
			"No user namespace was made: nothing was run.");
	} else if (t->result == AT_TRIED_WELL) {
		at_host_add(r, "user-namespaces", AT_HOST_OK, at_host_means_nothing,
			"A user namespace can be made, with a network of its own%s.",
			r->seen->is_root ? "; you are root, an ordinary user may be refused" : "");
	} else {
		struct at_host_item *item = at_host_add(r, "user-namespaces", AT_HOST_RESTRICTED,
			needs_userns, "%s: %s%s%s.",
			t->result == AT_TRIED_HANGS ? "Making a user namespace does not end"
						    : "No user namespace can be made and used",
			t->step[0] ? t->step : "the child was ended", t->sys ? ": " : "",
			t->sys ? strerror(t->sys) : "");

		blame(r, item, t);
	}
}

/* Switches that are there alone: others have nothing to say. */
static void judge_switches(struct at_host_report *r)
{
	const struct at_host_seen *seen = r->seen;

	if (seen->max_user_namespaces == 0)
		at_host_fix(at_host_add(r, "max-user-namespaces", AT_HOST_RESTRICTED, needs_userns,
				    "user.max_user_namespaces is 0."),
			at_host_sudo(r, "sysctl -w user.max_user_namespaces=10000"),
			"A line in /etc/sysctl.d keeps it.");
	else if (seen->max_user_namespaces > 0)
		at_host_add(r, "max-user-namespaces", AT_HOST_OK, at_host_means_nothing,
			"user.max_user_namespaces is %ld.", seen->max_user_namespaces);
	else
		at_host_add(r, "max-user-namespaces", AT_HOST_UNKNOWN, needs_userns,
			"user.max_user_namespaces cannot be read.");
	if (seen->userns_clone == 0)
		at_host_fix(at_host_add(r, "unprivileged-userns-clone", AT_HOST_RESTRICTED,
				    needs_userns, "kernel.unprivileged_userns_clone is 0."),
			at_host_sudo(r, "sysctl -w kernel.unprivileged_userns_clone=1"),
			"A line in /etc/sysctl.d keeps it.");
	else if (seen->userns_clone > 0)
		at_host_add(r, "unprivileged-userns-clone", AT_HOST_OK, at_host_means_nothing,
			"kernel.unprivileged_userns_clone is %ld.", seen->userns_clone);
	if (!apparmor_restricts(seen))
		at_host_add(r, "apparmor-userns", AT_HOST_OK, at_host_means_nothing,
			seen->apparmor_userns == 0
				? "AppArmor could restrict user namespaces, and does not."
				: "AppArmor does not restrict user namespaces on this kernel.");
	else if (seen->bwrap_claude.result == AT_TRIED_WELL)
		at_host_add(r, "apparmor-userns", AT_HOST_OK, at_host_means_nothing,
			"AppArmor restricts user namespaces, and bwrap is allowed them.");
	else
		at_host_fix(
			at_host_add(r, "apparmor-userns", AT_HOST_RESTRICTED, needs_userns,
				"AppArmor restricts user namespaces (Ubuntu's default): bwrap "
				"needs a "
				"profile that allows them."),
			AT_HOST_APPARMOR,
			"It tries each remedy and takes it back; --persist keeps one.");
}

void at_host_judge_needs(struct at_host_report *r)
{
	if (judge_bwrap(r) && judge_run(r))
		judge_lock(r);
	judge_socat(r);
	judge_userns(r);
	judge_switches(r);
}
