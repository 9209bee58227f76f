#include "core/fault.h"

#ifdef AT_FAULT_HOOKS

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *word;
	int signal; /* raised, or */
	int sys;    /* returned */
} faults[] = {
	{ "kill:", SIGKILL, 0 },
	{ "pause:", SIGSTOP, 0 },
	{ "enospc:", 0, ENOSPC },
	{ "erofs:", 0, EROFS },
};

static const struct {
	const char *word;
	enum at_lack lack;
} lacks[] = {
	{ "no-openat2", AT_LACKS_OPENAT2 },
	{ "no-exchange", AT_LACKS_EXCHANGE },
	{ "no-noreplace", AT_LACKS_NOREPLACE },
	{ "no-sync", AT_LACKS_SYNC },
};

static struct {
	bool known;
	unsigned step;
	unsigned at[sizeof(faults) / sizeof(faults[0])]; /* by row; 0 is never */
	unsigned lacks;
} fault;

static void read_word(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++)
		if (strlen(lacks[i].word) == len && strncmp(word, lacks[i].word, len) == 0)
			fault.lacks |= lacks[i].lack;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		size_t prefix = strlen(faults[i].word);

		if (len > prefix && strncmp(word, faults[i].word, prefix) == 0)
			fault.at[i] = (unsigned)strtoul(word + prefix, NULL, 10);
	}
}

void at_fault_set(const char *spec)
{
	memset(&fault, 0, sizeof(fault));
	fault.known = true;
	while (spec && *spec) {
		size_t len = strcspn(spec, ",");

		read_word(spec, len);
		spec += len + (spec[len] == ',');
	}
}

static void learn(void)
{
	if (!fault.known)
		at_fault_set(getenv("AT_FAULT"));
}

int at_fault_step(void)
{
	int sys = 0;

	learn();
	fault.step++;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		if (fault.at[i] != fault.step)
			continue;
		if (faults[i].signal)
			kill(getpid(), faults[i].signal);
		sys = faults[i].sys;
	}
	return sys;
}

bool at_fault_lacks(enum at_lack what)
{
	learn();
	return (fault.lacks & what) != 0;
}

size_t at_fault_piece(size_t done, size_t len)
{
	return done ? len - done : (len + 1) / 2;
}

unsigned at_fault_steps(void)
{
	return fault.step;
}

#endif
