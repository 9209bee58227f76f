/* goose.h - what the files of the goose emitter share.
 *
 * On macOS a Seatbelt profile and an inert example of goose's own settings, on Linux an inert
 * script that starts goose in the launcher; the wiring check reads what became of them. None
 * of it is put in force by this program. (EMIT-11, EMIT-20, WIRE-5)
 */
#ifndef AT_EMIT_GOOSE_H
#define AT_EMIT_GOOSE_H

#include "emit/framework.h"
#include "emit/texts.h"

#define AT_GOOSE_PROFILE ".goose/sandbox.sb"
#define AT_GOOSE_EXAMPLE ".goose/config.yaml.agentteams.example"
#define AT_GOOSE_RUNNER ".goose/confined-run.example.sh"
#define AT_GOOSE_CONFIG ".config/goose/config.yaml" /* below the home: goose's own */

/* Said wherever the profile is shown. */
#define AT_GOOSE_UNVERIFIED \
	"UNVERIFIED: neither its syntax nor its hold was tested on macOS by this program"
/* Said where no goose_egress_proxy is named. */
#define AT_GOOSE_NO_MODEL \
	"without goose_egress_proxy in the brief goose cannot reach its model"

bool at_goose_has_profile(const struct at_manifest *manifest); /* a boundary, on macOS */
bool at_goose_has_runner(const struct at_manifest *manifest);  /* a boundary, on Linux */

/* What the profile keeps from being written, below the project and in the order of its rule, and
 * the directories above whose names are locked, sorted. The texts are in `arena`. */
struct at_goose_plane {
	struct at_text_list shut, locked;
};
void at_goose_plane(struct at_goose_plane *out, const struct at_manifest *manifest,
	const struct at_project *project, struct at_arena *arena);
void at_goose_plane_free(struct at_goose_plane *plane);

/* `localhost:8443` as the profile names it; NULL where all network is denied. In `arena`. */
const char *at_goose_proxy(const struct at_manifest *manifest, struct at_arena *arena);

/* The files' exact bytes. The profile fails with AT_EREFUSED, naming the path, on one that cannot
 * be written as a string of a profile: leaving it out would open it. */
bool at_goose_profile(struct at_buf *out, const struct at_manifest *manifest,
	const struct at_project *project, struct at_error *err);
void at_goose_example(struct at_buf *out, const struct at_manifest *manifest);
bool at_goose_runner(struct at_buf *out, const struct at_manifest *manifest,
	struct at_error *err);

bool at_goose_check_wiring(struct at_wiring *report, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_plan *plan, struct at_error *err);

#endif
