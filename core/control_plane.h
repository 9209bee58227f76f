/* control_plane.h - the one table of files that decide what an agent may do.
 *
 * Emitters, wiring check, runner, servers and gate read it; tables.md section 1 is its
 * source. It knows paths and rules, reads nothing and emits nothing.
 */
#ifndef AT_CONTROL_PLANE_H
#define AT_CONTROL_PLANE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/decide.h"

/* What a reader does with a row. One bit a column of the table. */
enum at_plane_use {
	AT_PLANE_LAUNCHER_NEEDED = 1 << 0,    /* read-only bind, needed once the marker is there */
	AT_PLANE_LAUNCHER_SWITCHED = 1 << 1,  /* required only when the switch exists too */
	AT_PLANE_LAUNCHER_PRESENT = 1 << 2,   /* read-only bind where present */
	AT_PLANE_DENY_WRITE = 1 << 3,         /* claude denyWrite, own team */
	AT_PLANE_EDIT_DENY = 1 << 4,          /* claude Edit(...) rule, own team */
	AT_PLANE_EDIT_DENY_SIBLING = 1 << 5,  /* and in a sibling's rules, present or not */
	AT_PLANE_SEATBELT = 1 << 6,           /* goose profile deny */
	AT_PLANE_REFUSE = 1 << 7,             /* runner and servers refuse it */
	AT_PLANE_TEAM = 1 << 8,               /* path is below the team dir */
	AT_PLANE_TREE = 1 << 9,               /* a directory: the rule covers all below */
	AT_PLANE_SEATBELT_SIBLING = 1 << 10,  /* in the goose profile, of siblings */
	AT_PLANE_NO_ANCESTOR = 1 << 11,       /* the goose profile locks no directory above it */
	AT_PLANE_LAUNCHER_PROTECT = 1 << 12,  /* by --protect alone, see launch_line */
	AT_PLANE_LAUNCHER_GIT = 1 << 13,      /* with LAUNCHER_PRESENT: not under --git-writable */
	AT_PLANE_WRITE_POLICY = 1 << 14,      /* under orchestrator-only (EMIT-19): in
	                                       * denyWrite where `only` is -1, in
	                                       * goose's profile always */
	AT_PLANE_GRANTED_EDIT = 1 << 15,      /* Edit rule of a team with mcp_grants (EMIT-19) */
	AT_PLANE_GRANTED_READ = 1 << 16,      /* Read rule of the same */
};

struct at_plane_row {
	const char *path; /* below the team dir when AT_PLANE_TEAM, else below the project */
	const char *role; /* "switch", "key store", "roster", … */
	unsigned use;
	int only; /* the framework whose team marker makes the row needed, or -1: every team, or
	           * none. A goose profile lists rows of claude all the same: `use` decides. */
};

/* In an order that serves the emitters: the AT_PLANE_DENY_WRITE rows are the first five
 * entries of denyWrite, the AT_PLANE_EDIT_DENY rows the Edit rules up to the hooks, then
 * come those after the siblings' (role "after siblings"); a sibling's own rows are those
 * with AT_PLANE_EDIT_DENY_SIBLING. (reference lists of EMIT-2 and EMIT-6) */
extern const struct at_plane_row at_control_plane[];
extern const size_t at_control_plane_count;

/* Team directories; copilot-vscode and copilot-cli share one. */
const char *at_team_dir(enum at_framework_id framework);
#define AT_TEAM_MARKER "references/build-log.json"
#define AT_SWITCH "references/agent-privilege.json"
#define AT_KEY_STORE "references/authorized-verify-keys"

/* Sibling directories of a claude team, sorted, with the framework that makes them
 * present. (EMIT-3) */
struct at_sibling {
	const char *dir;                /* what denyWrite names: .codex, .github/agents, .goose */
	enum at_framework_id framework; /* whose team marker tells that it is there */
};
extern const struct at_sibling at_siblings[3];

/* The same three teams in the order of their Edit rules, which is another one. */
extern const enum at_framework_id at_sibling_edit_order[3];

/* Files and directories read as instructions (EMIT-13); directories end in '/'. */
extern const char *const at_prompt_roots[];
extern const size_t at_prompt_root_count;

/* The path of a row below the project, for one team dir: "T/references/…" for a team row,
 * else the row's own. Returns `out`, cut to `size`. */
const char *at_plane_path(char *out, size_t size, const struct at_plane_row *row,
	const char *team_dir);

/* True when `path` (below the project, normalised) is a row of the plane or inside a
 * tree of it, with a use in `uses`. */
bool at_plane_covers(const char *path, unsigned uses);

#endif
