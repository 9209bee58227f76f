#include "core/advisory.h"

#include "core/bytes.h"
#include "core/launch_line.h"
#include "core/mem.h"

static bool is_unenforced(const struct at_manifest *m)
{
	return m->confinement_is_requested && !at_is_sandbox_capable(m->framework, m->platform);
}

static bool is_linux_launcher(const struct at_manifest *m)
{
	return m->confinement_is_requested && m->platform == AT_LINUX && m->framework != AT_CLAUDE;
}

static bool is_macos_launcher(const struct at_manifest *m)
{
	return m->confinement_is_requested && m->platform == AT_DARWIN &&
		m->framework != AT_CLAUDE && m->framework != AT_GOOSE;
}

static bool is_exclusive(const struct at_manifest *m)
{
	return m->request->profile == AT_EXCLUSIVE;
}

/* How the boundary was asked for, in words: the profile, or a token beside cooperative. */
static const char *asked_by(const struct at_manifest *m)
{
	switch (m->request->profile) {
	case AT_CONFINED:
		return m->request->profile_is_explicit ? "privilege_profile `confined`"
						       : "the default privilege_profile `confined`";
	case AT_EXCLUSIVE:
		return "privilege_profile `exclusive`";
	default:
		return "a `:sandbox` host feature";
	}
}

static void say_unenforced(struct at_buf *out, const struct at_manifest *m)
{
	at_buf_printf(out, "A boundary was asked for by %s, and none can be had for %s on %s: "
		"there the request is ADVISORY ONLY. On Linux and macOS every framework can be "
		"confined; %s.", asked_by(m), at_framework_name(m->framework),
		at_platform_name(m->platform),
		m->unenforced_is_allowed
			? "--allow-unenforced-confinement was given, so the team is made with "
			  "no boundary"
			: "nothing is generated");
}

static void do_unenforced(struct at_buf *out, const struct at_manifest *m)
{
	at_buf_puts(out, "Confine the agent from outside: run it in a container with a seccomp and "
		"Landlock policy and an egress filter, or on Linux or macOS.");
	if (!m->unenforced_is_allowed)
		at_buf_puts(out, " To go on without any boundary, give "
			"--allow-unenforced-confinement; to stop asking for one, set "
			"privilege_profile to `cooperative`.");
}

static void say_launcher(struct at_buf *out, const struct at_manifest *m)
{
	at_buf_printf(out, "A boundary for %s is available through " AT_LAUNCHER " and is NOT "
		"applied by itself: you MUST wrap the agent's command with it, and nothing is "
		"confined until you do.", at_framework_name(m->framework));
	if (m->platform == AT_DARWIN)
		at_buf_puts(out, " On macOS it is ENFORCEMENT-UNVERIFIED until "
			"sandbox/mac-escape-tests.sh has passed on this host, not nested in "
			"another sandbox.");
	if (m->framework == AT_GOOSE && m->platform == AT_LINUX)
		at_buf_puts(out, " .goose/confined-run.example.sh shows a complete start.");
	if (m->framework == AT_CODEX)
		at_buf_puts(out, " .codex/confined-run.example.sh shows a complete start; limits "
			"of single roles are instructions to the model, not enforcement.");
}

static void do_launcher(struct at_buf *out, const struct at_manifest *m)
{
	struct at_error err;

	at_buf_puts(out, "In the project's directory: ");
	if (!at_launch_line(out, m, &err))
		at_buf_printf(out, "%s. %s", err.message, err.hint);
	at_buf_printf(out, "   %s", at_launch_egress_note());
	if (m->framework == AT_CODEX)
		at_buf_puts(out, " Codex reaches its model only with `host` or `proxy`.");
	if (m->platform == AT_DARWIN)
		at_buf_puts(out, " Run sandbox/mac-escape-tests.sh first, outside any sandbox.");
}

static void say_exclusive(struct at_buf *out, const struct at_manifest *m)
{
	at_buf_puts(out, "`exclusive` keeps this team's agents from reading protected paths. It "
		"does not keep other teams or users from reading this workspace: nothing in this "
		"project's configuration can bind another process.");
	if (!m->boundary_is_emitted)
		at_buf_puts(out, " Here no boundary is emitted at all.");
}

static void do_exclusive(struct at_buf *out, const struct at_manifest *m)
{
	(void)m;
	at_buf_puts(out, "Yours to do: `chmod 700` the workspace, `chown` it to the account that "
		"runs this team, and, to part teams from each other, give each its own OS user.");
}

/* The order is that of the listing; at most one of the first three applies. */
const struct at_advisory_rule at_advisory_rules[] = {
	{ "privilege-profile-unenforced-host", true,
		"a boundary is requested and the framework cannot be confined on the platform",
		is_unenforced, say_unenforced,
		"Nothing holds the agent: it reads, writes and sends whatever its user may.",
		do_unenforced },
	{ "privilege-profile-linux-launcher-manual-wire", false,
		"a boundary is requested on Linux for any framework but claude", is_linux_launcher,
		say_launcher,
		"No system-call filter without --harden; an agent started without the launcher is "
		"not confined, and that cannot be seen from here.",
		do_launcher },
	{ "privilege-profile-macos-launcher-manual-wire", false,
		"a boundary is requested on macOS for any framework but claude and goose",
		is_macos_launcher, say_launcher,
		"Memory is UNCAPPED; CPU and process caps are plain rlimits; no system calls are "
		"filtered; the list of setuid programs that may not run is NON-EXHAUSTIVE and is "
		"not no-new-privileges; a proxy must be on loopback and resolve names itself; "
		"egress to remote hosts is the packet filter's (PF) to hold.",
		do_launcher },
	{ "privilege-profile-exclusive-inbound-hardening", false,
		"privilege_profile is `exclusive`",
		is_exclusive, say_exclusive,
		"This program can neither do these steps nor see whether they were done; they are "
		"never reported as done.",
		do_exclusive },
};
const size_t at_advisory_rule_count = AT_LEN(at_advisory_rules);

static const char *built(void (*build)(struct at_buf *, const struct at_manifest *),
	const struct at_manifest *manifest, struct at_arena *arena)
{
	struct at_buf text = { 0 };
	const char *copy;

	build(&text, manifest);
	copy = at_arena_strdup(arena, at_buf_text(&text));
	at_buf_free(&text);
	return copy;
}

void at_advise(struct at_manifest *manifest, struct at_arena *arena)
{
	manifest->advisories =
		at_arena_alloc(arena, at_advisory_rule_count * sizeof(*manifest->advisories));
	manifest->advisory_count = 0;
	for (size_t i = 0; i < at_advisory_rule_count; i++) {
		const struct at_advisory_rule *rule = &at_advisory_rules[i];

		if (!rule->applies(manifest))
			continue;
		manifest->advisories[manifest->advisory_count++] = (struct at_advisory){
			.code = rule->code,
			.fatal = rule->fatal && !manifest->unenforced_is_allowed,
			.message = built(rule->message, manifest, arena),
			.residuals = rule->residuals,
			.action = built(rule->action, manifest, arena),
		};
	}
}

const struct at_note at_notes[] = {
	{ -1, -1, false, "No advisory does not mean fully covered: read the ceilings of the "
		"mechanism (--ceilings)." },
	{ AT_CLAUDE, AT_LINUX, true, "Claude's own sandbox on Linux needs bubblewrap and socat, "
		"and where the kernel restricts unprivileged user namespaces by AppArmor (Ubuntu's "
		"default) an AppArmor profile that allows bwrap; without it every sandboxed "
		"command fails." },
	{ AT_CLAUDE, -1, true, "Egress of a claude team is decided by the product's own default; "
		"nothing emitted here names a network, a domain or an excluded command." },
	{ AT_CLAUDE, AT_WINDOWS, true, "On Windows the sandbox block of claude is advisory only: "
		"no test of it exists, and failIfUnavailable is left out." },
	{ AT_CLAUDE, AT_OTHER, true, "On this platform the sandbox block of claude is advisory "
		"only: no test of it exists, and failIfUnavailable is left out." },
	{ AT_GOOSE, AT_DARWIN, true, "Egress of a goose team on macOS is decided by its Seatbelt "
		"profile: all network is denied but one loopback proxy named by "
		"goose_egress_proxy. Without one goose cannot reach its model. The profile is "
		"UNVERIFIED." },
	{ AT_GOOSE, AT_LINUX, true, "Egress is decided by the launcher's --egress, `deny` unless "
		"you say otherwise." },
	{ AT_CODEX, -1, true, "Egress is decided by the launcher's --egress, `deny` unless you say "
		"otherwise." },
	{ AT_COPILOT_VSCODE, -1, true, "Egress is decided by the launcher's --egress, `deny` "
		"unless you say otherwise." },
	{ AT_COPILOT_CLI, -1, true, "Egress is decided by the launcher's --egress, `deny` unless "
		"you say otherwise." },
	{ AT_AGENTS_MD, -1, true, "Egress is decided by the launcher's --egress, `deny` unless you "
		"say otherwise." },
};
const size_t at_note_count = AT_LEN(at_notes);

bool at_note_applies(const struct at_note *note, const struct at_manifest *manifest)
{
	if (note->framework >= 0 && note->framework != (int)manifest->framework)
		return false;
	if (note->platform >= 0 && note->platform != (int)manifest->platform)
		return false;
	if (!note->only_if_requested)
		return true;
	return manifest->confinement_is_requested &&
		at_is_sandbox_capable(manifest->framework, manifest->platform);
}
