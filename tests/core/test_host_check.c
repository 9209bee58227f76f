/* The host check with stand-ins: no test looks at this machine's own state but the last. */
#include "support/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/host_check.h"
#include "core/host_fix.h"
#include "core/json_write.h"
#include "core/wiring.h"

/* Answers of a kernel, and a stand-in for each program. */
static struct at_try userns_answer, seccomp_answer;
static int landlock_answer, landlock_errno;

static void answer_userns(struct at_try *out, int timeout_ms)
{
	(void)timeout_ms;
	*out = userns_answer;
}

static void answer_seccomp(struct at_try *out, int timeout_ms)
{
	(void)timeout_ms;
	*out = seccomp_answer;
}

static int answer_landlock(int *sys)
{
	*sys = landlock_errno;
	return landlock_answer;
}

static const struct at_host_kernel stand_in = { answer_userns, answer_seccomp, answer_landlock };

#define WORKS "#!/bin/sh\necho 'net:[1]'\necho 'user:[2]'\n"
#define FAILS "#!/bin/sh\necho 'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted' >&2\nexit 1\n"
#define HANGS "#!/bin/sh\n/bin/sleep 30\n"
#define CONFINES_NOTHING "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n"
#define SAYS_NOTHING "#!/bin/sh\nexit 0\n"
#define IS_OLD                                                                                     \
	"#!/bin/sh\ncase \" $* \" in *' --disable-userns '*) echo 'bwrap: Unknown option "         \
	"--disable-userns' >&2; exit 1 ;; esac\necho 'net:[1]'\n"
#define COPIES "#!/bin/sh\nexit 0\n"
#define LAYERS "#!/bin/sh\necho seccomp keyring landlock\n"

#define WSL1 "Linux version 4.4.0-22621-Microsoft (builder@host) #1-Microsoft PREEMPT\n"
#define WSL2 "Linux version 6.6.87.2-microsoft-standard-WSL2 (builder@host) #1 SMP PREEMPT_DYNAMIC\n"

struct stage {
	char *dir, *path;
	struct at_host_place place;
	struct at_host_seen seen;
	struct at_host_report report;
};

static void put_program(struct stage *s, const char *name, const char *text)
{
	if (!text)
		return;
	test_write(s->dir, name, text);
	assert_int_equal(chmod(test_path(s->dir, name), 0755), 0);
}

/* A machine on which all is well. */
static void begin(struct stage *s)
{
	*s = (struct stage){ .dir = test_tree_new() };
	s->path = at_strdup(test_path(s->dir, "bin:/usr/bin:/bin"));
	s->place = (struct at_host_place){ .platform = AT_LINUX, .root = s->dir,
		.search_path = s->path, .owner = geteuid(), .caller = 4243, .run = true,
		.timeout_ms = 3000, .kernel = &stand_in };
	userns_answer = seccomp_answer = (struct at_try){ .result = AT_TRIED_WELL };
	landlock_answer = 7;
	landlock_errno = 0;
	put_program(s, "bin/bwrap", WORKS);
	put_program(s, "bin/socat", COPIES);
	put_program(s, "usr/libexec/agentteams/agentteams-harden", LAYERS);
	test_write(s->dir, "proc/version", "Linux version 6.1.0-13-amd64 (x@y) #1 SMP\n");
	test_write(s->dir, "proc/self/mounts", "proc /proc proc rw 0 0\n/dev/sda1 / ext4 rw 0 0\n");
	test_write(s->dir, "proc/sys/user/max_user_namespaces", "96365\n");
	test_write(s->dir, "proc/sys/dev/tty/legacy_tiocsti", "0\n");
	test_write(s->dir, "etc/os-release",
		"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n");
}

static void judge(struct stage *s)
{
	at_host_look(&s->seen, &s->place);
	at_host_judge(&s->report, &s->seen);
}

static void end(struct stage *s)
{
	at_host_report_free(&s->report);
	free(s->path);
	test_tree_remove(s->dir);
}

static const struct at_host_item *item(const struct stage *s, const char *id)
{
	for (size_t i = 0; i < s->report.count; i++)
		if (strcmp(s->report.items[i].id, id) == 0)
			return &s->report.items[i];
	return NULL;
}

static enum at_host_start start_of(const struct stage *s, size_t column)
{
	return s->report.mechanisms[column].start;
}

/* WIRE-7: all is well, and every item says so. */
static void wire_7_a_good_host(void **state)
{
	struct stage s;

	begin(&s);
	judge(&s);
	for (size_t i = 0; i < s.report.count; i++)
		if (s.report.items[i].state != AT_HOST_OK)
			fail_msg("%s: %s", s.report.items[i].id, s.report.items[i].text);
	for (size_t i = 0; i < 3; i++)
		assert_row(i, start_of(&s, i) == AT_CAN_START);
	assert_true(at_host_passes(&s.report, AT_CLAUDE_NATIVE));
	assert_true(at_host_passes(&s.report, AT_LAUNCHER_LINUX));
	assert_non_null(strstr(item(&s, "agentteams-harden")->text, "seccomp keyring landlock"));
	end(&s);
}

/* WIRE-7: what stand-ins for bwrap do, and never what version they are. */
static void wire_7_bwrap_is_tried(void **state)
{
	static const struct {
		const char *bwrap; /* NULL: none */
		const char *id;    /* the item that tells */
		enum at_host_state state;
		enum at_host_start claude, launcher;
		const char *says;
	} rows[] = {
		{ WORKS, "bwrap-run", AT_HOST_OK, AT_CAN_START, AT_CAN_START, "namespaces of its own" },
		{ FAILS, "bwrap-run", AT_HOST_RESTRICTED, AT_CANNOT_START, AT_CANNOT_START,
			"RTM_NEWADDR" },
		{ HANGS, "bwrap-run", AT_HOST_RESTRICTED, AT_CANNOT_START, AT_CANNOT_START,
			"did not end" },
		{ CONFINES_NOTHING, "bwrap-run", AT_HOST_RESTRICTED, AT_CANNOT_START,
			AT_CANNOT_START, "confines nothing" },
		{ SAYS_NOTHING, "bwrap-run", AT_HOST_UNKNOWN, AT_START_UNKNOWN, AT_START_UNKNOWN,
			"readlink" },
		{ IS_OLD, "bwrap-lock", AT_HOST_RESTRICTED, AT_CAN_START, AT_CANNOT_START,
			"--disable-userns" },
		{ NULL, "bwrap", AT_HOST_MISSING, AT_CANNOT_START, AT_CANNOT_START, "not on PATH" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct stage s;

		begin(&s);
		unlink(test_path(s.dir, "bin/bwrap"));
		put_program(&s, "bin/bwrap", rows[i].bwrap);
		free(s.path);
		s.path = at_strdup(test_path(s.dir, "bin"));
		s.place.search_path = s.path;
		s.place.timeout_ms = rows[i].bwrap && strcmp(rows[i].bwrap, HANGS) == 0 ? 100 : 3000;
		if (rows[i].bwrap && strcmp(rows[i].bwrap, CONFINES_NOTHING) == 0) {
			put_program(&s, "bin/readlink",
				"#!/bin/sh\nexec /usr/bin/env PATH=/usr/bin:/bin readlink \"$@\"\n");
		}
		judge(&s);
		if (!item(&s, rows[i].id) || item(&s, rows[i].id)->state != rows[i].state
			|| !strstr(item(&s, rows[i].id)->text, rows[i].says))
			fail_msg("row %zu: %s", i, item(&s, rows[i].id) ? item(&s, rows[i].id)->text
									: "no item");
		assert_row(i, start_of(&s, 0) == rows[i].claude);
		assert_row(i, start_of(&s, 1) == rows[i].launcher);
		assert_row(i, at_host_passes(&s.report, AT_LAUNCHER_LINUX)
				== (rows[i].launcher == AT_CAN_START));
		end(&s);
	}
}

/* WIRE-7, WIRE-9: a bwrap that others can change is named and not run. */
static void wire_7_a_foreign_bwrap_is_not_run(void **state)
{
	struct stage s;

	begin(&s);
	put_program(&s, "bin/bwrap", "#!/bin/sh\n: >\"${0%/*}/was-run\"\n");
	s.place.owner = geteuid() + 1;
	judge(&s);
	assert_false(test_exists(s.dir, "bin/was-run"));
	assert_int_equal(item(&s, "bwrap")->state, AT_HOST_RESTRICTED);
	assert_non_null(strstr(item(&s, "bwrap")->text, "does not belong to root"));
	assert_null(item(&s, "bwrap-run"));
	assert_int_equal(start_of(&s, 0), AT_CANNOT_START);
	assert_false(at_host_passes(&s.report, AT_CLAUDE_NATIVE));
	end(&s);
	begin(&s);
	put_program(&s, "bin/bwrap", "#!/bin/sh\n: >\"${0%/*}/was-run\"\n");
	assert_int_equal(chmod(test_path(s.dir, "bin/bwrap"), 0757), 0);
	judge(&s);
	assert_false(test_exists(s.dir, "bin/was-run"));
	assert_non_null(strstr(item(&s, "bwrap")->text, "can write it"));
	end(&s);
}

/* WIRE-7: with --no-probes nothing runs, and nothing is said to work. */
static void wire_7_reads_only_when_told(void **state)
{
	struct stage s;

	begin(&s);
	put_program(&s, "bin/bwrap", "#!/bin/sh\n: >\"${0%/*}/was-run\"\n");
	put_program(&s, "bin/socat", "#!/bin/sh\n: >\"${0%/*}/was-run\"\n");
	s.place.run = false;
	judge(&s);
	assert_false(test_exists(s.dir, "bin/was-run"));
	for (size_t i = 0; i < 3; i++)
		assert_row(i, start_of(&s, i) == AT_START_UNKNOWN);
	assert_false(at_host_passes(&s.report, AT_CLAUDE_NATIVE));
	at_host_report_free(&s.report);
	s.place.search_path = NULL;
	judge(&s);
	assert_int_equal(item(&s, "bwrap")->state, AT_HOST_UNKNOWN);
	assert_int_equal(item(&s, "socat")->state, AT_HOST_UNKNOWN);
	end(&s);
}

/* WIRE-7: each fact of the kernel, what it does to each mechanism and the command for it. */
static void wire_7_facts_of_the_kernel(void **state)
{
	static const struct {
		const char *file, *text; /* below /proc/sys, or NULL */
		struct at_try userns, seccomp;
		int landlock, landlock_errno;
		const char *bwrap, *id;
		enum at_host_state state;
		const char *command;
		enum at_host_start claude, launcher, harden;
	} rows[] = {
		{ "kernel/apparmor_restrict_unprivileged_userns", "1\n",
			{ AT_TRIED_FAILED, EPERM, 0, "loopback", "" }, { AT_TRIED_WELL, 0, 0, "", "" }, 7, 0,
			FAILS, "apparmor-userns", AT_HOST_RESTRICTED,
			"scripts/test-sandbox-apparmor-userns.sh", AT_CANNOT_START, AT_CANNOT_START,
			AT_CANNOT_START },
		{ "kernel/apparmor_restrict_unprivileged_userns", "1\n",
			{ AT_TRIED_FAILED, EPERM, 0, "loopback", "" }, { AT_TRIED_WELL, 0, 0, "", "" }, 7, 0,
			WORKS, "apparmor-userns", AT_HOST_OK, "", AT_CAN_START, AT_CAN_START,
			AT_CAN_START },
		{ "user/max_user_namespaces", "0\n", { AT_TRIED_FAILED, ENOSPC, 0, "user namespace", "" },
			{ AT_TRIED_WELL, 0, 0, "", "" }, 7, 0, FAILS, "max-user-namespaces",
			AT_HOST_RESTRICTED, "sudo sysctl -w user.max_user_namespaces=10000",
			AT_CANNOT_START, AT_CANNOT_START, AT_CANNOT_START },
		{ "kernel/unprivileged_userns_clone", "0\n",
			{ AT_TRIED_FAILED, EPERM, 0, "user namespace", "" }, { AT_TRIED_WELL, 0, 0, "", "" },
			7, 0, FAILS, "unprivileged-userns-clone", AT_HOST_RESTRICTED,
			"sudo sysctl -w kernel.unprivileged_userns_clone=1", AT_CANNOT_START,
			AT_CANNOT_START, AT_CANNOT_START },
		/* a setuid bwrap works where nobody else may make one */
		{ NULL, NULL, { AT_TRIED_FAILED, EPERM, 0, "user namespace", "" },
			{ AT_TRIED_WELL, 0, 0, "", "" }, 7, 0, WORKS, "user-namespaces",
			AT_HOST_RESTRICTED, "", AT_CAN_START, AT_CAN_START, AT_CAN_START },
		{ NULL, NULL, { AT_TRIED_WELL, 0, 0, "", "" }, { AT_TRIED_WELL, 0, 0, "", "" }, 0, ENOSYS,
			WORKS, "landlock", AT_HOST_MISSING, "", AT_CAN_START, AT_CAN_START,
			AT_STARTS_WEAKER },
		{ NULL, NULL, { AT_TRIED_WELL, 0, 0, "", "" }, { AT_TRIED_WELL, 0, 0, "", "" }, 0,
			EOPNOTSUPP, WORKS, "landlock", AT_HOST_RESTRICTED, "", AT_CAN_START,
			AT_CAN_START, AT_STARTS_WEAKER },
		{ NULL, NULL, { AT_TRIED_WELL, 0, 0, "", "" }, { AT_TRIED_FAILED, EINVAL, 0, "filter", "" },
			7, 0, WORKS, "seccomp", AT_HOST_MISSING, "", AT_START_UNKNOWN, AT_CAN_START,
			AT_STARTS_WEAKER },
		{ "dev/tty/legacy_tiocsti", "1\n", { AT_TRIED_WELL, 0, 0, "", "" },
			{ AT_TRIED_WELL, 0, 0, "", "" }, 7, 0, WORKS, "tiocsti", AT_HOST_OPEN,
			"sudo sysctl -w dev.tty.legacy_tiocsti=0", AT_CAN_START, AT_CAN_START,
			AT_CAN_START },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char file[128];
		struct stage s;

		begin(&s);
		userns_answer = rows[i].userns;
		seccomp_answer = rows[i].seccomp;
		landlock_answer = rows[i].landlock;
		landlock_errno = rows[i].landlock_errno;
		if (rows[i].file) {
			snprintf(file, sizeof(file), "proc/sys/%s", rows[i].file);
			test_write(s.dir, file, rows[i].text);
		}
		put_program(&s, "bin/bwrap", rows[i].bwrap);
		judge(&s);
		assert_row(i, item(&s, rows[i].id));
		if (item(&s, rows[i].id)->state != rows[i].state ||
			strcmp(item(&s, rows[i].id)->command, rows[i].command) != 0)
			fail_msg("row %zu: %s %s", i, item(&s, rows[i].id)->text,
				item(&s, rows[i].id)->command);
		assert_row(i, start_of(&s, 0) == rows[i].claude);
		assert_row(i, start_of(&s, 1) == rows[i].launcher);
		assert_row(i, start_of(&s, 2) == rows[i].harden);
		end(&s);
	}
}

/* WIRE-7: a root caller is told what that costs, and commands come without sudo. */
static void wire_7_root_callers(void **state)
{
	struct stage s;

	begin(&s);
	s.place.caller = 0;
	unlink(test_path(s.dir, "bin/socat"));
	free(s.path);
	s.path = at_strdup(test_path(s.dir, "bin"));
	s.place.search_path = s.path;
	test_write(s.dir, "proc/sys/kernel/core_pattern", "|/usr/share/apport %p\n");
	judge(&s);
	assert_int_equal(item(&s, "caller")->state, AT_HOST_OPEN);
	assert_non_null(strstr(item(&s, "caller")->text, "core_pattern"));
	assert_int_equal(start_of(&s, 1), AT_STARTS_WEAKER);
	assert_string_equal(item(&s, "socat")->command, "apt-get install -y socat");
	assert_int_equal(start_of(&s, 0), AT_CANNOT_START);
	assert_true(at_host_passes(&s.report, AT_LAUNCHER_LINUX));
	assert_true(at_host_passes(&s.report, AT_NO_MECHANISM));
	assert_false(at_host_passes(&s.report, AT_CLAUDE_NATIVE));
	end(&s);
}

/* WIRE-7: the package manager follows from ID, then ID_LIKE. */
static void wire_7_commands_follow_the_distribution(void **state)
{
	static const struct {
		const char *os_release, *family, *command;
	} rows[] = {
		{ "ID=debian\n", "debian", "sudo apt-get install -y socat" },
		{ "NAME=\"X\"\nID=ubuntu\nID_LIKE=debian\n", "debian", "sudo apt-get install -y socat" },
		{ "ID=\"zorin\"\nID_LIKE=\"ubuntu debian\"\n", "debian", "sudo apt-get install -y socat" },
		{ "ID=fedora\n", "fedora", "sudo dnf install -y socat" },
		{ "ID=\"centos\"\nID_LIKE=\"rhel fedora\"\n", "fedora", "sudo dnf install -y socat" },
		{ "ID=arch\n", "arch", "sudo pacman -S --needed socat" },
		{ "ID=garuda\nID_LIKE=arch\n", "arch", "sudo pacman -S --needed socat" },
		{ "ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n", "suse",
			"sudo zypper install -y socat" },
		{ "ID='alpine'\n", "alpine", "sudo apk add socat" },
		{ "ID=nixos\n", "", "" },
		{ "ID_LIKE=$(reboot)\nID=\"a;b\"\n", "", "" },
		{ "VERSION_ID=debian\nXID=debian\n", "", "" },
		{ "", "", "" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char family[16], name[64];
		struct at_buf command = { 0 };

		at_host_family(family, sizeof(family), name, sizeof(name), rows[i].os_release);
		at_host_install(&command, family, "socat", false);
		assert_row(i, strcmp(family, rows[i].family) == 0);
		assert_row(i, strcmp(at_buf_text(&command), rows[i].command) == 0);
		at_buf_free(&command);
	}
}

/* WIRE-7, case 08: which WSL it is, by the kernel's release alone. */
static void wire_7_wsl_by_its_kernel(void **state)
{
	static const struct {
		const char *text;
		int want;
	} rows[] = {
		{ WSL1, 1 },
		{ "Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com) (gcc 5.4.0)\n", 1 },
		{ WSL2, 2 },
		{ "Linux version 4.19.84-microsoft-standard (oe-user@oe-host) (gcc 8.2.0)\n", 2 },
		{ "Linux version 6.1.21.2-mine-WSL2+ (me@here) #1 SMP\n", 2 },
		{ "Linux version 5.15.0-1064-azure (buildd@Microsoft) #73-Ubuntu SMP\n", 0 },
		{ "Linux version 6.1.0-13-amd64 (x@y) #1 SMP Microsoft\n", 0 },
		{ "FreeBSD 14-Microsoft\n", 0 },
		{ "", 0 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, at_host_wsl_of(rows[i].text) == rows[i].want);
}

/* Case 08: nothing can be confined on WSL1, which fails the wiring check; nothing is run. */
static void wire_7_wsl1_has_no_mechanism(void **state)
{
	struct at_wiring wiring;
	struct stage s;

	begin(&s);
	test_write(s.dir, "proc/version", WSL1);
	put_program(&s, "bin/bwrap", "#!/bin/sh\n: >\"${0%/*}/was-run\"\n");
	judge(&s);
	assert_false(test_exists(s.dir, "bin/was-run"));
	assert_int_equal(s.seen.wsl, 1);
	for (size_t i = 0; i < 3; i++)
		assert_row(i, start_of(&s, i) == AT_CANNOT_START);
	assert_false(at_host_passes(&s.report, AT_NO_MECHANISM));
	assert_non_null(strstr(item(&s, "wsl")->command, "--set-version"));
	at_wiring_init(&wiring);
	at_host_find(&s.report, AT_CLAUDE_NATIVE, &wiring);
	assert_int_equal(at_wiring_worst(&wiring), AT_FAIL);
	assert_string_equal(wiring.findings[0].id, "host-wsl1");
	at_wiring_free(&wiring);
	end(&s);
}

/* Case 08: WSL2 is a Linux with its side doors named. */
static void wire_7_wsl2_names_its_doors(void **state)
{
	struct stage s;

	begin(&s);
	test_write(s.dir, "proc/version", WSL2);
	test_write(s.dir, "proc/self/mounts", "C:\\ /mnt/c 9p rw,noatime,aname=drvfs 0 0\n"
			     "D: /mnt/d\\040e drvfs rw,noatime 0 0\n"
			     "drvfsa1 /mnt/f virtiofs rw,noatime 0 0\n"
			     "E:\\134 /mnt/e 9p ro,noatime,aname=drvfs;path=E:\\134 0 0\n"
			     "none /mnt/wsl tmpfs rw 0 0\nshort /mnt\n\n");
	test_write(s.dir, "proc/sys/fs/binfmt_misc/WSLInterop", "enabled\n");
	judge(&s);
	assert_int_equal(s.seen.wsl, 2);
	assert_int_equal(start_of(&s, 0), AT_CAN_START);
	assert_int_equal(item(&s, "drvfs-writable:/mnt/c")->state, AT_HOST_OPEN);
	assert_non_null(item(&s, "drvfs-writable:/mnt/d e"));
	assert_non_null(item(&s, "drvfs-writable:/mnt/f"));
	assert_null(item(&s, "drvfs-writable:/mnt/e"));
	assert_null(item(&s, "drvfs-writable:/mnt/wsl"));
	assert_int_equal(item(&s, "exe-interop")->state, AT_HOST_OPEN);
	end(&s);
}

/* WIRE-7: a mechanism that cannot start is a finding of its team; of another's, none. */
static void wire_7_findings_of_the_team_alone(void **state)
{
	struct at_wiring wiring;
	struct stage s;

	begin(&s);
	put_program(&s, "bin/bwrap", IS_OLD);
	judge(&s);
	at_wiring_init(&wiring);
	at_host_find(&s.report, AT_CLAUDE_NATIVE, &wiring);
	at_host_find(&s.report, AT_NO_MECHANISM, &wiring);
	assert_int_equal(wiring.count, 0);
	at_host_find(&s.report, AT_LAUNCHER_LINUX, &wiring);
	assert_int_equal(wiring.count, 1);
	assert_int_equal(wiring.findings[0].level, AT_WARN);
	assert_string_equal(wiring.findings[0].id, "host-cannot-start");
	at_wiring_free(&wiring);
	end(&s);
}

/* WIRE-7: text and JSON hold every item, mechanism and command; macOS and others have words. */
static void wire_7_reports_are_one_model(void **state)
{
	static const enum at_platform platforms[] = { AT_LINUX, AT_DARWIN, AT_WINDOWS };

	for (size_t p = 0; p < AT_LEN(platforms); p++) {
		struct at_json_value *json = at_json_object();
		struct at_buf text = { 0 }, printed = { 0 };
		struct stage s;

		begin(&s);
		s.place.platform = platforms[p];
		put_program(&s, "bin/bwrap", FAILS);
		put_program(&s, "bin/sandbox-exec", COPIES);
		judge(&s);
		at_host_print(&s.report, AT_LAUNCHER_LINUX, &text);
		at_host_to_json(&s.report, AT_LAUNCHER_LINUX, json);
		at_json_print(&printed, json, AT_JSON_PRETTY);
		for (size_t i = 0; i < s.report.count; i++) {
			assert_row(i, strstr(at_buf_text(&text), s.report.items[i].text));
			assert_row(i, strstr(at_buf_text(&text), s.report.items[i].command));
			assert_row(i, strstr(at_buf_text(&printed), s.report.items[i].id));
		}
		for (size_t i = 0; i < s.report.mechanism_count; i++) {
			assert_row(i, strstr(at_buf_text(&text), s.report.mechanisms[i].name));
			assert_row(i, strstr(at_buf_text(&printed), s.report.mechanisms[i].name));
		}
		assert_row(p, at_host_passes(&s.report, AT_NO_MECHANISM) == (platforms[p] == AT_DARWIN));
		at_json_value_free(json);
		at_buf_free(&text);
		at_buf_free(&printed);
		end(&s);
	}
}

/* WIRE-7: the real kernel's answers come back, whatever they are, and change nothing here. */
static void wire_7_this_machine_is_left_as_it_was(void **state)
{
	struct at_host_place place = { .platform = AT_LINUX, .root = "", .search_path = "/usr/bin:/bin",
		.caller = geteuid(), .run = true };
	struct at_host_seen seen;
	char before[64] = "", after[64] = "";

	if (access("/proc/self/ns/user", F_OK) != 0)
		skip_because("this is no Linux");
	assert_true(readlink("/proc/self/ns/user", before, sizeof(before) - 1) > 0);
	at_host_look(&seen, &place);
	assert_true(readlink("/proc/self/ns/user", after, sizeof(after) - 1) > 0);
	assert_string_equal(before, after);
	assert_true(seen.userns.result != AT_TRIED_NOT && seen.seccomp.result != AT_TRIED_NOT);
	assert_true(seen.landlock >= 0);
}

int test_host_check(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_7_a_good_host),
		cmocka_unit_test(wire_7_bwrap_is_tried),
		cmocka_unit_test(wire_7_a_foreign_bwrap_is_not_run),
		cmocka_unit_test(wire_7_reads_only_when_told),
		cmocka_unit_test(wire_7_facts_of_the_kernel),
		cmocka_unit_test(wire_7_root_callers),
		cmocka_unit_test(wire_7_commands_follow_the_distribution),
		cmocka_unit_test(wire_7_wsl_by_its_kernel),
		cmocka_unit_test(wire_7_wsl1_has_no_mechanism),
		cmocka_unit_test(wire_7_wsl2_names_its_doors),
		cmocka_unit_test(wire_7_findings_of_the_team_alone),
		cmocka_unit_test(wire_7_reports_are_one_model),
		cmocka_unit_test(wire_7_this_machine_is_left_as_it_was),
	};

	return cmocka_run_group_tests_name("host_check", tests, NULL, NULL);
}
