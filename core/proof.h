/* proof.h - what a live self-test found, as it is kept, and when it no longer counts.
 *
 * A proof is the report of one complete run on one host: what was tried, by whom, in which
 * mode, what came of it, and everything it depends on. This module holds it, reads and writes
 * it as JSON and compares; it runs nothing and looks at no host. (LAU-8, WIRE-13)
 */
#ifndef AT_PROOF_H
#define AT_PROOF_H

#include <stdint.h>

#include "core/bytes.h"
#include "core/error.h"
#include "core/pipeline.h"

struct at_arena;

#define AT_PROOF_SCHEMA "atconsole-launcher-proof/1"
#define AT_PROOF_DAYS 30 /* older ones are stale */
#define AT_PROOF_CAP ((size_t)4 << 20)
#define AT_PROOF_TEXT 400 /* bytes of one text of a report, the longest */

/* Facts of the host and of the tools. Those a proof depends on make it stale. */
enum at_proof_fact {
	AT_PROOF_HOST, /* its name */
	AT_PROOF_HOST_ID, /* a digest of the machine's id, "" where there is none */
	AT_PROOF_KERNEL,
	AT_PROOF_DISTRO,
	AT_PROOF_MACHINE, /* "x86_64" */
	AT_PROOF_LAUNCHER, /* digest */
	AT_PROOF_LAUNCHER_FROM,
	AT_PROOF_BWRAP, /* digest */
	AT_PROOF_BWRAP_VERSION,
	AT_PROOF_BWRAP_PATH,
	AT_PROOF_HARDEN, /* digest, "" where it is not there */
	AT_PROOF_HARDEN_PATH,
	AT_PROOF_LAYERS, /* "seccomp keyring landlock" */
	AT_PROOF_BATTERY, /* digest of the list of cases */
	AT_PROOF_FACT_COUNT,
};
const char *at_proof_fact_label(enum at_proof_fact fact); /* "kernel", "the launcher" */

/* What must be: the words of a case's policy. */
enum at_proof_need { AT_NEED_MUST, AT_NEED_OPEN, AT_NEED_OPTIONAL, AT_NEED_COUNT };
const char *at_proof_need_name(enum at_proof_need need); /* "must", "open", "optional" */

struct at_proof_mechanism {
	const char *name, *value; /* "NoNewPrivs", "1": as seen inside */
};

/* One battery: one caller, one mode. */
struct at_proof_run {
	uint32_t caller; /* uid */
	bool harden;
	uint32_t milliseconds;
	struct at_proof_mechanism *mechanisms;
	size_t mechanism_count;
};

struct at_proof_case {
	const char *id, *group, *what;
	const char *control; /* "inside", "outside, inside", "" */
	const char *why; /* of what is open or optional, or "" */
	const char *evidence; /* one clause: what was seen. Untrusted */
	enum at_proof_need need;
	enum at_case_word word;
	uint32_t run; /* index */
};

struct at_proof {
	struct at_arena *arena; /* owns all texts and arrays */
	int64_t time; /* seconds since 1970 */
	const char *facts[AT_PROOF_FACT_COUNT]; /* never NULL */
	struct at_proof_run *runs;
	size_t run_count, run_cap;
	struct at_proof_case *cases;
	size_t case_count, case_cap;
};

void at_proof_init(struct at_proof *proof);
void at_proof_free(struct at_proof *proof);

/* Copy what they are given; texts are cut at AT_PROOF_TEXT bytes. */
void at_proof_set_fact(struct at_proof *proof, enum at_proof_fact fact, const char *value);
size_t at_proof_add_run(struct at_proof *proof, const struct at_proof_run *run); /* its index */
void at_proof_add_case(struct at_proof *proof, const struct at_proof_case *one);

/* "2026-10-07" in UTC. */
void at_proof_date(char out[16], int64_t time);

/* Cases by word, of one run or of all (`run` SIZE_MAX). */
void at_proof_totals(const struct at_proof *proof, size_t run, unsigned out[AT_CASE_COUNT]);

/* Cases that must hold and do not, or were not told. */
size_t at_proof_failures(const struct at_proof *proof);

/* True when the proof no longer counts for a host with the facts of `now` (NULL facts there:
 * not looked at, they compare as equal) at `time`. What changed is said in `why`: "the kernel
 * and bwrap's version are others". A time in the future is stale too. */
bool at_proof_is_stale(const struct at_proof *proof, const char *const now[AT_PROOF_FACT_COUNT],
	int64_t time, char *why, size_t size);

/* The report, for --json and for the store; the store's text carries a digest over it. */
struct at_json_value;
void at_proof_to_json(const struct at_proof *proof, struct at_json_value *out);
void at_proof_write(const struct at_proof *proof, struct at_buf *out);

/* Reads what at_proof_write() wrote and nothing else: members, types, lengths, words and the
 * digest are checked. `out` is initialised and, on failure, empty. */
bool at_proof_read(struct at_proof *out, struct at_bytes text, struct at_error *err);

#endif
