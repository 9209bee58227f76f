/* Group Z: what is put down to be started later. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_table.h"

void try_Z1(struct trial *t)
{
	try_create(t, below(AT_FACT_HOME, ".config/systemd/user/at-Z1.service"));
	try_create(t, below(AT_FACT_HOME, ".config/autostart/at-Z1.desktop"));
	/* The host's own: never outside, where it is no fixture. */
	if (t->inside)
		try_create(t, "/var/spool/cron/crontabs/at-Z1");
}

void try_Z2(struct trial *t)
{
	try_create(t, below(AT_FACT_HOME, ".local/bin/at-Z2"));
	try_create(t, below(AT_FACT_HOME, ".config/git/at-Z2"));
	try_create(t, below(AT_FACT_HOME, ".gitconfig"));
}

void try_Z3(struct trial *t)
{
	try_create(t, below(AT_FACT_HOME, ".ssh/authorized_keys"));
	try_create(t, below(AT_FACT_HOME, ".ssh/config"));
}

void try_Z4(struct trial *t)
{
	const char *dir = below(AT_FACT_SCRATCH, "at-Z4");

	if (mkdir(dir, 0755) != 0) {
		tried(t, "at-Z4", false);
		return;
	}
	try_create(t, below(AT_FACT_SCRATCH, "at-Z4/.envrc"));
	try_create(t, below(AT_FACT_SCRATCH, "at-Z4/Makefile"));
	try_create(t, below(AT_FACT_SCRATCH, "at-Z4/activate"));
}

void control_Z4(struct trial *t)
{
	try_create(t, below(AT_FACT_SCRATCH, "at-Z4-own"));
}
