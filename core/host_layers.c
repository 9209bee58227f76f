/* host_layers.c - what makes a sandbox on Linux harder to leave, and the doors beside it. */
#include <errno.h>
#include <string.h>

#include "core/host_impl.h"
#include "core/mem.h"

static meanings no_seccomp = {
	HIDES("its filter of unix sockets cannot be loaded; what commands do then was not "
		"measured"),
	SAYS("not used"),
	WEAKENS("--harden goes on without a filter, --harden=require refuses"),
};
static meanings unseen_seccomp = { SAYS("it filters unix sockets with it"), SAYS("not used"),
	HIDES("its first layer") };
static meanings no_landlock = { SAYS("not used"), SAYS("not used"),
	WEAKENS("--harden goes on without it, --harden=require refuses") };
static meanings unseen_landlock = { SAYS("not used"), SAYS("not used"), HIDES("its third layer") };
static meanings no_helper = { NOTHING, SAYS("not used without --harden"),
	STOPS("no layer can be had: --harden goes on without, --harden=require refuses") };
static meanings unseen_helper = { NOTHING, SAYS("not used without --harden"),
	HIDES("it makes every layer") };
static meanings root_caller = {
	WEAKENS("as root a command may write /proc/sys/kernel/core_pattern, which is the host's"),
	WEAKENS("refuses without --allow-root; capabilities are dropped, /proc/sys is read-only"),
	WEAKENS("refuses without --allow-root; capabilities are dropped, /proc/sys is read-only"),
};
static meanings tiocsti = {
	SAYS("commands get a session of their own, so this door is shut there"),
	SAYS("the command gets a session of its own, so this door is shut there"),
	SAYS("the command gets a session of its own, so this door is shut there"),
};
static meanings drive = {
	SAYS("read-only inside; a write root there writes Windows files"),
	SAYS("read-only inside; a write root there writes Windows files"),
	SAYS("read-only inside; a write root there writes Windows files"),
};
static meanings interop = {
	SAYS("an .exe runs on Windows, outside every boundary of Linux: whether a command can "
		"start "
	     "one from inside was not tried"),
	SAYS("/run is empty inside, where its sockets are; whether an .exe can be started was not "
	     "tried"),
	SAYS("/run is empty inside, where its sockets are; whether an .exe can be started was not "
	     "tried"),
};

static void judge_landlock(struct at_host_report *r)
{
	const struct at_host_seen *seen = r->seen;

	if (seen->landlock < 0)
		at_host_add(r, "landlock", AT_HOST_UNKNOWN, unseen_landlock,
			"The kernel was not asked for Landlock.");
	else if (seen->landlock > 0)
		at_host_add(r, "landlock", AT_HOST_OK, at_host_means_nothing,
			"The kernel has Landlock, ABI %d.", seen->landlock);
	else if (seen->landlock_sys == EOPNOTSUPP)
		at_host_fix(at_host_add(r, "landlock", AT_HOST_RESTRICTED, no_landlock,
				    "The kernel has Landlock, not switched on at boot."),
			"",
			at_arena_printf(r->arena,
				"Add lsm=landlock,%s to the kernel's command line.",
				seen->lsm[0] ? seen->lsm
					     : "… (what cat /sys/kernel/security/lsm "
					       "prints)"));
	else
		at_host_fix(at_host_add(r, "landlock", AT_HOST_MISSING, no_landlock,
				    "The kernel has no Landlock: %s.",
				    strerror(seen->landlock_sys ? seen->landlock_sys : ENOSYS)),
			"",
			"A kernel of 5.13 or later built with CONFIG_SECURITY_LANDLOCK has it.");
}

static void judge_seccomp(struct at_host_report *r)
{
	const struct at_try *t = &r->seen->seccomp;

	if (t->result == AT_TRIED_NOT)
		at_host_add(r, "seccomp", AT_HOST_UNKNOWN, unseen_seccomp,
			"No system-call filter was tried: nothing was run.");
	else if (t->result == AT_TRIED_WELL)
		at_host_add(r, "seccomp", AT_HOST_OK, at_host_means_nothing,
			"A system-call filter can be loaded.");
	else
		at_host_fix(at_host_add(r, "seccomp",
				    t->sys == EINVAL ? AT_HOST_MISSING : AT_HOST_RESTRICTED,
				    no_seccomp, "No system-call filter can be loaded: %s.",
				    t->sys ? strerror(t->sys) : "the child was ended"),
			"",
			"It takes a kernel with CONFIG_SECCOMP_FILTER, and no container that "
			"forbids it.");
}

static void judge_helper(struct at_host_report *r)
{
	const struct at_host_tool *tool = &r->seen->harden;
	const struct at_try *t = &r->seen->harden_try;

	if (!r->seen->tools_were_looked_for)
		at_host_add(r, "agentteams-harden", AT_HOST_UNKNOWN, unseen_helper,
			"agentteams-harden was not looked for.");
	else if (!tool->path[0])
		at_host_fix(
			at_host_add(r, "agentteams-harden", AT_HOST_MISSING, no_helper,
				"agentteams-harden is in none of the launcher's three places below "
				"/usr."),
			"", "Install atconsole for the whole system: it brings the helper along.");
	else if (tool->fault[0])
		at_host_fix(at_host_add(r, "agentteams-harden", AT_HOST_RESTRICTED, no_helper,
				    "%s: %s: it was not run.", tool->path, tool->fault),
			"", "Give it and its directory to root, and to root alone.");
	else if (t->result == AT_TRIED_NOT)
		at_host_add(r, "agentteams-harden", AT_HOST_UNKNOWN, unseen_helper,
			"%s was not tried: nothing was run.", tool->path);
	else if (t->result != AT_TRIED_WELL)
		at_host_add(r, "agentteams-harden", AT_HOST_RESTRICTED, no_helper,
			"%s cannot say what it can do: %s.", tool->path, at_host_ending(r, t));
	else
		at_host_add(r, "agentteams-harden", AT_HOST_OK, at_host_means_nothing,
			"%s, root's alone; layers: %s.", tool->path, t->said[0] ? t->said : "none");
}

static void judge_doors(struct at_host_report *r)
{
	const struct at_host_seen *seen = r->seen;

	if (seen->legacy_tiocsti == 0)
		at_host_add(r, "tiocsti", AT_HOST_OK, at_host_means_nothing,
			"dev.tty.legacy_tiocsti is 0: nobody types into another's terminal.");
	else if (seen->legacy_tiocsti > 0)
		at_host_fix(
			at_host_add(r, "tiocsti", AT_HOST_OPEN, tiocsti,
				"dev.tty.legacy_tiocsti is %ld: what shares a terminal can type "
				"into it.",
				seen->legacy_tiocsti),
			at_host_sudo(r, "sysctl -w dev.tty.legacy_tiocsti=0"),
			"A line in /etc/sysctl.d keeps it.");
	else
		at_host_add(r, "tiocsti", AT_HOST_UNKNOWN, tiocsti,
			"This kernel has no dev.tty.legacy_tiocsti that can be read: before 6.2 "
			"the door cannot be shut.");
	if (seen->is_root)
		at_host_fix(
			at_host_add(r, "caller", AT_HOST_OPEN, root_caller,
				"You are root: a sandbox of root's is weaker%s.",
				seen->core_pattern_is_open
					? ", and core_pattern, which starts programs on the "
						"host, can be "
					  "written"
					: ""),
			"", "Start agents as an ordinary user.");
	else
		at_host_add(r, "caller", seen->core_pattern_is_open ? AT_HOST_OPEN : AT_HOST_OK,
			at_host_means_nothing,
			seen->core_pattern_is_open
				? "An ordinary user, who may write core_pattern all the same."
				: "An ordinary user; core_pattern cannot be written.");
}

void at_host_judge_wsl2(struct at_host_report *r)
{
	const struct at_host_seen *seen = r->seen;

	if (seen->wsl != 2)
		return;
	at_host_add(r, "wsl", AT_HOST_OK, at_host_means_nothing,
		"WSL2: a Linux kernel; what is said here holds for Linux, not for Windows beside "
		"it.");
	for (size_t i = 0; i < seen->drive_count && i < AT_HOST_DRIVES; i++)
		at_host_fix(at_host_add(r,
				    at_arena_printf(r->arena, "drvfs-writable:%s", seen->drives[i]),
				    AT_HOST_OPEN, drive,
				    "%s is a Windows drive, and can be written.", seen->drives[i]),
			"",
			"Mount it read-only by options=\"ro\" below [automount] in /etc/wsl.conf, "
			"or keep projects off it.");
	if (seen->drive_count > AT_HOST_DRIVES)
		at_host_add(r, "drvfs-writable:more", AT_HOST_OPEN, drive,
			"%zu more Windows drives can be written.",
			seen->drive_count - AT_HOST_DRIVES);
	if (seen->has_interop)
		at_host_fix(at_host_add(r, "exe-interop", AT_HOST_OPEN, interop,
				    "Windows programs can be started from here."),
			"", "enabled=false below [interop] in /etc/wsl.conf, then wsl --shutdown.");
}

void at_host_judge_layers(struct at_host_report *r)
{
	judge_seccomp(r);
	judge_landlock(r);
	judge_helper(r);
	judge_doors(r);
}
