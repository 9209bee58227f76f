#include "emit/frameworks.h"

/* Known so far as its team can be told; nothing is emitted for it yet. */
const struct at_framework at_framework_goose = {
	.id = AT_GOOSE,
	.agent_ext = ".yaml",
};
