/* goose_example.c - what of goose's own settings belongs to the profile, to be read by a person.
 */
#include "emit/goose.h"

#include "core/launch_line.h"

void at_goose_example(struct at_buf *out, const struct at_manifest *manifest)
{
	const char *proxy = manifest->request->goose_egress_proxy;

	at_buf_printf(out,
		"# config.yaml.agentteams.example - inert: goose never reads this file, and\n"
		"# nothing of atconsole writes ~/" AT_GOOSE_CONFIG ". Your own file stays yours.\n"
		"#\n"
		"# Asked for: privilege_profile `%s`.\n"
		"# Writing is allowed below:\n", at_profile_name(manifest->request->profile));
	for (size_t i = 0; i < manifest->root_count; i++)
		at_buf_printf(out, "#   %s\n", manifest->roots[i].path);
	if (*proxy)
		at_buf_printf(out,
			"# Network: denied but %s, where your filtering proxy listens.\n", proxy);
	else
		at_buf_puts(out, "# Network: denied; " AT_GOOSE_NO_MODEL ".\n");
	at_buf_puts(out,
		"#\n"
		"# This is for macOS. On Linux goose is confined by " AT_LAUNCHER ".\n"
		"#\n"
		"# A. sandbox-exec starts goose in " AT_GOOSE_PROFILE ", whatever goose is or\n"
		"#    says. It is the way to choose; the profile's head has the line. Apple calls\n"
		"#    sandbox-exec deprecated; it is there all the same, and may go one day.\n"
		"# B. GOOSE_SANDBOX asks goose to confine itself. That depends on the build: the\n"
		"#    desktop application around version 1.25 had it, with a profile of its own\n"
		"#    making, and later ones dropped it. A build without it ignores the key and runs\n"
		"#    unconfined, and says nothing.\n"
		"#\n"
		"# See for yourself, inside a session that was started either way:\n"
		"#    touch .goose/sandbox.sb        has to fail (Operation not permitted)\n"
		"#    touch ~/agentteams-probe       has to fail as well\n"
		"#    touch ./agentteams-probe       works where the project is a write root\n"
		"#\n"
		"# " AT_GOOSE_UNVERIFIED ".\n"
		"\n"
		"GOOSE_SANDBOX: 1\n"
		"# GOOSE_SANDBOX_PROFILE: " AT_GOOSE_PROFILE "   # where a build takes one\n");
}
