/* probe_table.h - every function of the probe, declared and listed from cases.def.
 *
 * A case for the probe needs try_ID, and control_ID where it has an inside control; without one
 * the program does not link. A case of the driver's may have them, for its own launch to call.
 */
#ifndef AT_PROBE_TABLE_H
#define AT_PROBE_TABLE_H

#include "runner/selftest/case.h"
#include "runner/selftest/probe_util.h"

struct probe {
	const struct at_case *c;
	void (*attempt)(struct trial *t);
	void (*control)(struct trial *t);
};

/* In the order of at_cases, at_case_count of them. */
const struct probe *probe_at(size_t i);

#define PROBE_DECLARE(id) void try_##id(struct trial *t);
#define LAUNCH_DECLARE(id) __attribute__((weak)) void try_##id(struct trial *t);
#define PROBE_DECLARE_CONTROL(id) void control_##id(struct trial *t);
#define LAUNCH_DECLARE_CONTROL(id) __attribute__((weak)) void control_##id(struct trial *t);
#define AT_CASE(id, group, what, controls, way, plain, harden, why) \
	way##_DECLARE(id) way##_DECLARE_CONTROL(id)
#define AT_WORKFLOW(id, group, what, way) way##_DECLARE(id)
#include "runner/selftest/cases.def"
#undef AT_CASE
#undef AT_WORKFLOW

#endif
