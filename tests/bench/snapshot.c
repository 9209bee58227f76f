/* snapshot_bench DIR: takes the snapshot of the work tree at DIR; prints the time in milliseconds
 * and how many files it holds. One process a snapshot, as git is one a status. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runner/runs/worktree.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	struct at_worktree *tree;
	struct at_error err;
	double start = now();
	size_t count;

	if (argc != 2)
		return 2;
	if (!at_worktree_take(&tree, argv[1], &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	count = at_worktree_count(tree);
	printf("%.2f %zu\n", now() - start, count);
	at_worktree_free(tree);
	return 0;
}
