#include "runner/selftest/case.h"

#include <string.h>

#define NONE AT_CONTROL_NONE
#define OUTSIDE AT_CONTROL_OUTSIDE
#define INSIDE AT_CONTROL_INSIDE
#define BOTH (AT_CONTROL_OUTSIDE | AT_CONTROL_INSIDE)
#define PROBE AT_BY_PROBE
#define LAUNCH AT_BY_LAUNCH
#define MUST AT_CASE_MUST
#define OPEN AT_CASE_OPEN
#define OPTIONAL AT_CASE_OPTIONAL

const struct at_case at_cases[] = {
#define AT_CASE(id, group, what, controls, way, plain, harden, why) \
	{ #id, group, what, controls, way, { plain, harden }, why, false },
#define AT_WORKFLOW(id, group, what, way) \
	{ #id, group, what, NONE, way, { MUST, MUST }, "", true },
#include "runner/selftest/cases.def"
#undef AT_CASE
#undef AT_WORKFLOW
};
const size_t at_case_count = sizeof(at_cases) / sizeof(*at_cases);

const struct at_case *at_case_find(const char *id)
{
	for (size_t i = 0; i < at_case_count; i++) {
		if (strcmp(at_cases[i].id, id) == 0)
			return &at_cases[i];
	}
	return NULL;
}
