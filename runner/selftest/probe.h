/* probe.h - what driver and probe say to each other.
 *
 * agentteams-probe is a small static program. The driver copies it into the scratch directory
 * and runs it there inside the sandbox, and outside for the controls:
 *
 *     agentteams-probe FACTS WHERE [ID...]     WHERE: inside or outside; no ID: every case
 *
 * FACTS is a file in the scratch directory, one "NAME<tab>VALUE" a line: where the fixtures
 * are (AT_FACT_...). It holds no secret: the secrets are in the fixtures, and what the probe
 * could get hold of it says in hexadecimal, so that the driver compares.
 *
 * For each case it prints one line on standard output, and flushes it:
 *
 *     ID<tab>attempt|control<tab>RESULT<tab>DETAIL
 *
 * RESULT is worked, refused, absent (the object or the call is not there: the driver decides
 * what that means) or broken (the probe could not try). DETAIL is an errno name, a number, a
 * hexadecimal text after "got:" (a space and which variant it was follow), or a clause; never a
 * control character. Inside it prints an attempt for each case and a control where the case has
 * an inside control; outside, where an outside control is asked for, the very same act as
 * "attempt". Each case runs in a child of its own with a time limit of two seconds, so that none
 * ends or hangs the battery. The last line is "end". What a case changes outside is judged by
 * the driver from the host.
 *
 * Inside, absent is said of what FACTS did not name: a mask and a filter answer "not there" as
 * well, so such an answer is refused, and the outside control tells what is there. A case of the
 * driver's own launch is run only when it is named (CP16, N15, X10, V3, Q1, Q2).
 */
#ifndef AT_PROBE_H
#define AT_PROBE_H

#define AT_PROBE_SECONDS 2

/* Names of FACTS: paths absolute, numbers decimal. */
#define AT_FACT_SCRATCH "scratch"       /* writable inside */
#define AT_FACT_HOME "home"             /* a throwaway home, with every credential fixture */
#define AT_FACT_SIBLING "sibling"       /* another workspace, mode 0777, files 0666 */
#define AT_FACT_OUTSIDE "outside"       /* a writable directory outside, not below /tmp */
#define AT_FACT_VICTIM_PID "victim_pid" /* a process of the same user, nonce in its environment */
#define AT_FACT_TCP4_PORT "tcp4_port"   /* listeners on loopback that answer a nonce */
#define AT_FACT_TCP6_PORT "tcp6_port"
#define AT_FACT_UDP_PORT "udp_port"
#define AT_FACT_UNIX_RUN "unix_run"     /* sockets that answer a nonce: below /run, or "" */
#define AT_FACT_UNIX_TMP "unix_tmp"     /* below /tmp */
#define AT_FACT_UNIX_HOME "unix_home"   /* in a masked directory */
#define AT_FACT_UNIX_ABSTRACT "unix_abstract"
#define AT_FACT_OPEN_FILE "open_file"   /* descriptor left open on a secret file */
#define AT_FACT_OPEN_DIR "open_dir"     /* descriptor left open on the sibling directory */
#define AT_FACT_SESSION_KEY "session_key" /* description of a key in the caller's session keyring */
#define AT_FACT_USER_KEY "user_key"
#define AT_FACT_HARD_LINK "hard_link"   /* in scratch, the second name of a file outside */
#define AT_FACT_ALIAS "alias"           /* a second mount of the masked directory, or "" */
#define AT_FACT_PTY "pty"               /* "1" when standard input is a terminal the driver owns */
#define AT_FACT_OPEN_SOCKET "open_socket" /* descriptor of a socket with a nonce to read */
#define AT_FACT_OPEN_MEMFD "open_memfd"   /* descriptor of a memfd that holds a nonce */
#define AT_FACT_SYSV_KEY "sysv_key"       /* key of a shared memory segment that holds a nonce */
#define AT_FACT_SHM_NAME "shm_name"       /* a file of /dev/shm that holds one, without a slash */
#define AT_FACT_TMP_DEV "tmp_dev"         /* st_dev of the host's /tmp and /dev/shm */
#define AT_FACT_SHM_DEV "shm_dev"
#define AT_FACT_NPROC_MAX "nproc_max"     /* what the launch was given, for Q1 and Q2 */
#define AT_FACT_MEM_MAX "mem_max"
#define AT_FACT_CPU_MAX "cpu_max"

/* The variable that the launch of V3 sets by --setenv, to a nonce. */
#define AT_PROBE_SETENV "AT_SELFTEST_VALUE"

#endif
