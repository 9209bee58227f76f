#include "runner/selftest/probe_table.h"

#define NONE_CONTROL(id) NULL
#define OUTSIDE_CONTROL(id) NULL
#define INSIDE_CONTROL(id) control_##id
#define BOTH_CONTROL(id) control_##id

const struct probe *probe_at(size_t i)
{
	static struct probe probes[] = {
#define AT_CASE(id, group, what, controls, way, plain, harden, why) \
	{ NULL, try_##id, controls##_CONTROL(id) },
#define AT_WORKFLOW(id, group, what, way) { NULL, try_##id, NULL },
#include "runner/selftest/cases.def"
#undef AT_CASE
#undef AT_WORKFLOW
	};

	probes[i].c = &at_cases[i];
	return &probes[i];
}
