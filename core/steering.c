#include "core/steering.h"

#include <string.h>

#include "core/mem.h"

/* One star, at an end, stands for any text. */
static bool fits(const char *pattern, struct at_bytes name)
{
	size_t len = strlen(pattern);

	if (pattern[0] == '*')
		return name.len >= len - 1
			&& memcmp(name.data + name.len - (len - 1), pattern + 1, len - 1) == 0;
	if (pattern[len - 1] == '*')
		return name.len >= len - 1 && memcmp(name.data, pattern, len - 1) == 0;
	return at_bytes_equal_text(name, pattern);
}

static const struct {
	const char *pattern, *does;
} steering[] = {
	{ "*_BASE_URL", "sends the traffic of the client elsewhere, in a project that is not "
		"trusted too" },
	{ "ANTHROPIC_*", "steers the client" },
	{ "CLAUDE_CONFIG_DIR", "moves the user's settings" },
	{ "PATH", "decides which bwrap, git and shell run" },
	{ "LD_*", "loads code into every program" }, { "DYLD_*", "loads code into every program" },
	{ "NODE_OPTIONS", "loads code into every node program" },
	{ "PYTHONPATH", "loads code into every Python program, hooks too" },
	{ "PYTHONSTARTUP", "loads code into Python programs" },
	{ "BASH_ENV", "runs a file in every shell" }, { "ENV", "runs a file in some shells" },
	{ "BASH_FUNC_*", "puts functions in place of commands in every bash" },
	{ "SHELLOPTS", "switches options of every bash, so that hooks may run no line" },
	{ "GIT_SSH_COMMAND", "is run by git" },
	{ "GIT_CONFIG_*", "configures git, which runs what its configuration names" },
	{ "GIT_EXTERNAL_DIFF", "is run by git" },
	{ "*_PROXY", "sends traffic through another machine" },
	{ "*_proxy", "sends traffic through another machine" },
	{ "AGENTTEAMS_*", "steers the gate and the runner" },
	{ "IS_SANDBOX", "lets root start in bypass mode" },
	{ "NODE_EXTRA_CA_CERTS", "makes another authority trusted" },
	{ "NODE_TLS_REJECT_UNAUTHORIZED", "switches certificate checks off" },
	{ "SSL_CERT_FILE", "makes another authority trusted" },
};

const char *at_steering_of(struct at_bytes name)
{
	for (size_t i = 0; i < AT_LEN(steering); i++) {
		if (fits(steering[i].pattern, name))
			return steering[i].does;
	}
	return NULL;
}
