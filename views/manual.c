#include "views/manual.h"

#include "core/advisory.h"
#include "core/ceilings.h"
#include "core/control_plane.h"
#include "core/effects.h"
#include "tui/action.h"

static const enum at_platform platforms[] = { AT_LINUX, AT_DARWIN, AT_WINDOWS, AT_OTHER };

void at_manual_matrix(struct at_buf *out)
{
	at_buf_printf(out, "  %-16s", "");
	for (size_t p = 0; p < sizeof(platforms) / sizeof(*platforms); p++)
		at_buf_printf(out, "%-18s", at_platform_name(platforms[p]));
	at_buf_putc(out, '\n');
	for (int f = 0; f < AT_FRAMEWORK_COUNT; f++) {
		enum at_framework_id id = (enum at_framework_id)f;

		at_buf_printf(out, "  %-16s", at_framework_name(id));
		for (size_t p = 0; p < sizeof(platforms) / sizeof(*platforms); p++)
			at_buf_printf(out, "%-18s",
				at_is_sandbox_capable(id, platforms[p])
					? at_mechanism_name(at_mechanism_of(id, platforms[p]))
					: "no boundary");
		at_buf_putc(out, '\n');
	}
}

void at_manual_advisories(struct at_buf *out)
{
	for (size_t i = 0; i < at_advisory_rule_count; i++)
		at_buf_printf(out, "  %s%s\n      %s\n", at_advisory_rules[i].code,
			at_advisory_rules[i].fatal ? " (fatal)" : "", at_advisory_rules[i].trigger);
}

void at_manual_mechanisms(struct at_buf *out)
{
	static const struct {
		enum at_mechanism mechanism;
		const char *path;
	} rows[] = {
		{ AT_CLAUDE_NATIVE, ".claude/settings.json (sandbox, permissions)" },
		{ AT_LAUNCHER_LINUX, "sandbox/confine-run.sh, around the agent" },
		{ AT_LAUNCHER_MACOS, "sandbox/confine-run.sh, around the agent" },
		{ AT_GOOSE_SEATBELT, ".goose/sandbox.sb" },
		{ AT_CLAUDE_SEATBELT, ".claude/settings.json (sandbox, permissions)" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		at_buf_printf(
			out, "  %-16s %s\n", at_mechanism_name(rows[i].mechanism), rows[i].path);
}

void at_manual_print(struct at_buf *out)
{
	at_buf_puts(out, "KEYS (context, name, keys, what it does)\n\n");
	at_action_print(out, NULL);
	at_buf_puts(out, "\nWHAT CAN BE HAD WHERE (the mechanism a team would rely on)\n\n");
	at_manual_matrix(out);
	at_buf_puts(out, "\nADVISORIES\n\n");
	at_manual_advisories(out);
	at_buf_puts(out, "\nMECHANISMS AND WHERE THEY LIVE\n\n");
	at_manual_mechanisms(out);
	at_buf_puts(out,
		"\nEFFECTS OF A SETTINGS CHANGE (path | + added - removed ~ changed | effect | why)\n\n");
	at_effect_print_table(out);
	at_buf_puts(out, "\nCEILINGS\n\n");
	at_ceilings_print(out, -1, -1);
}
