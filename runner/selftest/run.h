/* run.h - the whole live self-test, from nothing to a proof.
 *
 * Each caller is a process of its own: this one and, for root, an unprivileged one as well. All
 * that is made is taken away again, whatever happens. It stores nothing and prints nothing.
 * (LAU-8, WIRE-13)
 */
#ifndef AT_RUN_H
#define AT_RUN_H

#include "core/proof.h"
#include "runner/selftest/tools.h"

#define AT_SELFTEST_NOBODY 65534 /* the caller without rights that root tries as well */
#define AT_SELFTEST_MS 300000 /* the end of it all */

struct at_selftest {
	struct at_tools *tools;
	const char *search_path, *cache_home,
		*home; /* of the environment; cache_home may be NULL */
	bool with_harden;
	const char *const *ids; /* ended by NULL; NULL: every case */
	/* Told now and then; false ends the self-test. */
	bool (*go_on)(void *user, unsigned done, unsigned all);
	void *user;
};

/* AT_EUSAGE for an id that is none, AT_EREFUSED where nothing can be run (no bwrap, no helper
 * with --harden), or when it was ended. `out` is initialised in any case. */
bool at_selftest_run(
	struct at_proof *out, const struct at_selftest *selftest, struct at_error *err);

#endif
