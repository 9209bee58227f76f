/* claude_optional.c - hardening that nobody asked for and that some operators want. */
#include "emit/claude.h"

/* Measured: the mode lock holds from the project's file, untrusted too; the two rules close
 * what stays open to the file tools in bypass mode. Each costs something, so each is offered
 * alone. */
const char at_claude_optional[] =
	"{\n"
	"  \"permissions\": {\n"
	"    \"disableBypassPermissionsMode\": \"disable\",\n"
	"    \"deny\": [\n"
	"      \"Edit(/.mcp.json)\",\n"
	"      \"Edit(/.git/**)\"\n"
	"    ]\n"
	"  }\n"
	"}\n";

/* Holds for every session on the host, which is why no project's paths are in it. The two
 * paths are read from managed settings only; they keep another program of that name on PATH
 * from being started. */
const char at_claude_managed_example[] =
	"{\n"
	"  \"sandbox\": {\n"
	"    \"enabled\": true,\n"
	"    \"failIfUnavailable\": true,\n"
	"    \"allowUnsandboxedCommands\": false,\n"
	"    \"bwrapPath\": \"/usr/bin/bwrap\",\n"
	"    \"socatPath\": \"/usr/bin/socat\"\n"
	"  },\n"
	"  \"permissions\": {\n"
	"    \"disableBypassPermissionsMode\": \"disable\"\n"
	"  }\n"
	"}\n";
