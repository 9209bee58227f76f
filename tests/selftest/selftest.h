/* selftest.h - atconsole --self-test run as an ordinary user, on a launcher of the test's.
 *
 * Program, probe and helper are copied side by side, where that user can reach them.
 */
#ifndef AT_TEST_SELFTEST_H
#define AT_TEST_SELFTEST_H

#include "core/json_read.h"
#include "launcher/ground.h"

struct selftest {
	struct ground ground;
	bool has_harden;
};

/* NULL, or why no self-test can be run here; `out` is to be ended only after NULL. */
const char *selftest_begin(struct selftest *out);
void selftest_end(struct selftest *selftest);

/* Puts this text in place as the project's launcher. */
void selftest_put_launcher(const struct selftest *selftest, struct at_bytes text);
struct at_buf selftest_launcher(void); /* as it is shipped */

/* One run with these words, --json added. `json` is of `end`'s output, and empty when nothing was
 * reported. */
struct selftest_run {
	struct at_child_end end;
	struct at_json json;
	bool has_report;
};
void selftest_run(struct selftest_run *out, const struct selftest *selftest, bool as_caller,
	const char *words);
void selftest_run_free(struct selftest_run *run);

/* The verdict of a case in a mode, "" where it was not tried. Several callers: the worst. */
const char *selftest_verdict(const struct selftest_run *run, const char *id, bool harden);

#endif
