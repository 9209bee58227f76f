/* Runs the groups of one folder's program; an argument picks those whose name holds it,
 * a second one the tests (with * and ?). */
#include <stdio.h>
#include <string.h>

#include "support/support.h"

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc > 2)
		cmocka_set_test_filter(argv[2]);
	for (const struct test_group *g = test_groups; g->name; g++) {
		if (argc > 1 && !strstr(g->name, argv[1]))
			continue;
		failed += g->run();
	}
	/* Not the count: 77 would read as "skipped". */
	return failed != 0;
}
