/* Whatever stands in the ledger, verifying comes to an end and says why it does not hold; an append
 * goes behind a ledger that holds and nowhere else, and it holds after it. (RUN-1) */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fault.h"
#include "runner/proposals/dispatch.h"
#include "runner/proposals/ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

static int project(void)
{
	static char dir[] = "/tmp/fuzz-ledger-XXXXXX";
	static int fd = -1;

	if (fd < 0) {
		CHECK(mkdtemp(dir));
		fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		CHECK(fd >= 0 && mkdirat(fd, ".agentteams", 0700) == 0);
		at_fault_set("no-sync");
	}
	return fd;
}

static void put(int root, const char *path, const void *data, size_t size)
{
	int fd = openat(root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

static void append(const struct at_proposal_site *site, bool holds)
{
	struct at_canonical_object row = { 0 }, *rows[] = { &row };
	struct at_proposal_ledger *ledger;
	struct at_proposal_state state;
	struct at_error err = { 0 };

	CHECK(at_proposal_ledger_open(&ledger, site, NULL, NULL, &err) == holds);
	if (!holds) {
		CHECK(err.id[0]);
		return;
	}
	at_canonical_set_text(&row, "action", (struct at_bytes){ "x", 1 });
	CHECK(at_proposal_ledger_append(ledger, rows, 1, (struct at_time){ 0, 0 }, &err));
	at_canonical_object_free(&row);
	at_proposal_ledger_close(ledger);
	CHECK(at_proposal_ledger_verify(&state, site, NULL, NULL, &err));
	CHECK(state.problem_count == 0 && state.torn == 0);
	at_proposal_state_free(&state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The first byte says how much of the rest is behind a ledger that holds. */
	const struct at_proposal_site site = { project(), { "k", 1 }, -1 };
	size_t keep = size ? data[0] % 3 : 0, rows = 0;
	struct at_dispatches *dispatches;
	struct at_proposal_state state;
	struct at_dispatch found;
	struct at_error err = { 0 };
	int fd;

	unlinkat(site.root, AT_PROPOSAL_LEDGER, 0);
	unlinkat(site.root, AT_PROPOSAL_HEAD, 0);
	unlinkat(site.root, AT_DISPATCHES, 0);
	for (size_t i = 0; i < keep; i++)
		append(&site, true);
	if (size > 1) {
		fd = openat(site.root, AT_PROPOSAL_LEDGER, O_WRONLY | O_CREAT | O_APPEND, 0600);
		CHECK(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)size - 1);
		close(fd);
	}
	CHECK(at_proposal_ledger_verify(&state, &site, NULL, NULL, &err));
	rows = state.rows;
	CHECK(rows >= keep);
	CHECK((state.problem_count == 0) == (state.problems.len == 0));
	append(&site, state.problem_count == 0);
	at_proposal_state_free(&state);
	put(site.root, AT_DISPATCHES, data, size);
	CHECK(at_dispatches_open(&dispatches, &site, &err));
	CHECK(!at_dispatch_find(
		&found, dispatches, (struct at_bytes){ "0123456789abcdef0123456789abcdef", 32 }));
	at_dispatches_close(dispatches);
	return 0;
}
