/* Runs the groups of one folder's program; an argument picks those whose name holds it. */
#include <stdio.h>
#include <string.h>

#include "support/support.h"

int main(int argc, char **argv)
{
	int failed = 0;

	for (const struct test_group *g = test_groups; g->name; g++) {
		if (argc > 1 && !strstr(g->name, argv[1]))
			continue;
		failed += g->run();
	}
	/* Not the count: 77 would read as "skipped". */
	return failed != 0;
}
