/* assets.h - files that are written as they stand, compiled in.
 *
 * Each is a file of emit/assets, byte for byte; the build turns them into arrays. The hook
 * script holds two marks (sentinel, list of places) that emit/claude_hook fills, and codex's runner
 * those that emit/codex_runner does.
 */
#ifndef AT_ASSETS_H
#define AT_ASSETS_H

#include "core/bytes.h"

extern const struct at_bytes at_asset_gate_sh;
extern const struct at_bytes at_asset_gate_py;
extern const struct at_bytes at_asset_verify_keys_readme;
extern const struct at_bytes at_asset_security_approvers;
extern const struct at_bytes at_asset_authorized_managers;
extern const struct at_bytes at_asset_management_authority;
extern const struct at_bytes at_asset_agentteams_readme;
extern const struct at_bytes at_asset_infrastructure_layers;
extern const struct at_bytes at_asset_launcher;
extern const struct at_bytes at_asset_mac_tests;
extern const struct at_bytes at_asset_dedicated_uid;
extern const struct at_bytes at_asset_pf_anchor;
extern const struct at_bytes at_asset_goose_runner; /* with marks that emit/goose_runner fills */
extern const struct at_bytes at_asset_codex_run;
extern const struct at_bytes at_asset_codex_hooks;

#endif
