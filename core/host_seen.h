/* host_seen.h - what was seen of this machine that decides whether a sandbox can be had.
 *
 * Reads sysctls, mounts and the kernel's name below a root that tests can move, and tries
 * what mechanisms need in children with a time limit: never by a version number. Holds facts
 * and judges none (core/host_check does). It changes nothing. (WIRE-7)
 */
#ifndef AT_HOST_SEEN_H
#define AT_HOST_SEEN_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "core/host.h"

#define AT_HOST_TRY_MS 1000 /* for each try */
#define AT_HOST_DRIVES 8

enum at_tried {
	AT_TRIED_NOT,  /* nothing was run */
	AT_TRIED_WELL,
	AT_TRIED_FAILED,
	AT_TRIED_HANGS,
	AT_TRIED_OPEN,  /* it ran the command, and in our own namespaces */
	AT_TRIED_BLIND, /* it ran the command; which namespaces that had was not to be seen */
};

struct at_try {
	enum at_tried result;
	int sys;        /* errno of a kernel's refusal, or 0 */
	int status;     /* of a program that failed */
	char step[32];  /* of a kernel's refusal: which of several calls */
	char said[200]; /* the first line a program wrote to standard error, bytes as they came */
};

struct at_host_tool {
	char path[PATH_MAX]; /* "" when there is none */
	char fault[80];      /* who could change it, or "" */
	bool is_setuid;
};

#define AT_SYSCTL_NONE (-1)   /* the kernel has no such switch */
#define AT_SYSCTL_UNREAD (-2) /* it has, and it cannot be read */

/* Plain data: may be sent through a pipe. */
struct at_host_seen {
	enum at_platform platform;
	bool tools_were_looked_for; /* there was a PATH to look at */
	bool is_root;               /* who would start a sandbox */
	int wsl;                    /* 0, 1 or 2 */
	char distro[96];            /* "Debian GNU/Linux 12 (bookworm)", or "" */
	char family[16];            /* "debian": how programs are installed, see core/host_fix */
	struct at_host_tool bwrap, socat, harden, seatbelt;
	struct at_try bwrap_claude;   /* a command with claude's namespaces */
	struct at_try bwrap_launcher; /* the same with the launcher's, and none to be nested */
	struct at_try socat_try, harden_try, seatbelt_try;
	struct at_try userns, seccomp; /* without any program */
	int landlock;                  /* ABI; 0: none, see landlock_sys; -1: not asked */
	int landlock_sys;
	long max_user_namespaces, userns_clone, apparmor_userns, legacy_tiocsti;
	char lsm[128];          /* active security modules, or "" */
	char core_pattern[128]; /* or "" */
	bool core_pattern_is_open; /* this caller may write it */
	char drives[AT_HOST_DRIVES][128]; /* WSL: where Windows drives can be written */
	size_t drive_count;               /* may be more than are named */
	bool has_interop;                 /* WSL: an .exe can be started */
};

/* The kernel's own answers; a test has others. */
struct at_host_kernel {
	void (*userns)(struct at_try *out, int timeout_ms);
	void (*seccomp)(struct at_try *out, int timeout_ms);
	int (*landlock)(int *sys);
};
extern const struct at_host_kernel at_host_kernel_here;

struct at_host_place {
	enum at_platform platform;
	const char *root;        /* in front of /proc, /etc, /sys and fixed places; "" */
	const char *search_path; /* PATH, or NULL: no program is looked for */
	uid_t owner;             /* whom programs must belong to: root but in tests */
	uid_t caller;
	bool run;                /* false: reads only (--no-probes) */
	int timeout_ms;          /* for each try; 0: AT_HOST_TRY_MS */
	const struct at_host_kernel *kernel; /* NULL: at_host_kernel_here */
};

/* This machine, with the PATH of `host`. */
struct at_host_place at_host_place_here(const struct at_host *host, bool run);

/* Takes 50 to 100 ms where all goes well, each time limit where it does not. A program that
 * others than root can change is not run: who looks at a machine must not start what an agent
 * left there. */
void at_host_look(struct at_host_seen *out, const struct at_host_place *place);

/* 1, 2 or 0 of the text of /proc/version. WSL1's kernel is no Linux. */
int at_host_wsl_of(const char *proc_version);

#endif
