#include "core/host.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/path.h"

/* The first word of a platform is its own name. */
static const struct {
	const char *name;
	enum at_platform platform;
} names[] = {
	{ "linux", AT_LINUX },
	{ "darwin", AT_DARWIN },
	{ "macos", AT_DARWIN },
	{ "windows", AT_WINDOWS },
	{ "win32", AT_WINDOWS },
	{ "other", AT_OTHER },
};

/* WIRE-17. In the order in which a refusal names them. */
static const char *const markers[] = { "CLAUDECODE", "AI_AGENT", "AGENTTEAMS_CODEX_CONFINED" };

const char *at_platform_name(enum at_platform platform)
{
	for (size_t i = 0; i < AT_LEN(names); i++)
		if (names[i].platform == platform)
			return names[i].name;
	return "other";
}

bool at_platform_parse(enum at_platform *out, const char *name)
{
	for (size_t i = 0; i < AT_LEN(names); i++) {
		if (strcmp(names[i].name, name) == 0) {
			*out = names[i].platform;
			return true;
		}
	}
	return false;
}

static enum at_platform build_platform(void)
{
#if defined(__linux__)
	return AT_LINUX;
#elif defined(__APPLE__)
	return AT_DARWIN;
#elif defined(_WIN32)
	return AT_WINDOWS;
#else
	return AT_OTHER;
#endif
}

static const char *set_value(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static const char *agent_marker(void)
{
	for (size_t i = 0; i < AT_LEN(markers); i++)
		if (set_value(markers[i]))
			return markers[i];
	return NULL;
}

static const char *home_said(void)
{
	const char *home = set_value("HOME");
	const struct passwd *entry;

	if (home && *home == '/')
		return home;
	entry = getpwuid(getuid());
	return entry ? entry->pw_dir : NULL;
}

bool at_host_read(struct at_host *out, struct at_error *err)
{
	const char *home = home_said(), *state = set_value("XDG_STATE_HOME");

	memset(out, 0, sizeof(*out));
	out->platform = build_platform();
	out->agent_marker = agent_marker();
	out->search_path = set_value("PATH");
	out->environment = environ;
	if (!home || !at_path_physical(out->home, home)) {
		at_fail(err, AT_ENOENT, "the home directory of user %u cannot be found",
			(unsigned)getuid());
		at_error_hint(err, "Set HOME to an absolute path.");
		return false;
	}
	if (state && *state == '/' && !at_path_normalise(out->xdg_state_home, state)) {
		at_fail(err, AT_ELIMIT, "XDG_STATE_HOME is longer than a path may be");
		at_error_hint(err, "Unset it or set it to a shorter path.");
		return false;
	}
	return true;
}
