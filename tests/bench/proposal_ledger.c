/* proposal_ledger: verifying a ledger of proposals against what its arithmetic alone costs.
 *
 * Blocks of 1,000 rows alternate with the bare loop over the same lines (read the JSON, one HMAC,
 * one SHA-256), in one run, so that both meet the same machine. Prints JSON lines: the ratio (bare
 * time / our time; the aim is 0.8), the peak of memory before and after, and rows a second appended
 * alone and in groups of 50 that share one sync. 100,000 rows; --long makes it 1,000,000.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/proposals/ledger.h"

enum { BLOCK = 1000, GROUP = 50, SINGLES = 200 };

struct bench {
	struct at_buf lines; /* of the block, with line ends */
	size_t filled, blocks;
	double since, ours, bare;
	double *ratios;
};

static double clock_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The processor's time: others who run meanwhile count for neither side. */
static double busy(void)
{
	return clock_of(CLOCK_THREAD_CPUTIME_ID);
}

static void die(const char *what, const struct at_error *err)
{
	fprintf(stderr, "%s: %s\n", what, err->message);
	exit(1);
}

static const struct at_bytes key = { "a key of the benchmark", 22 };

static void bare_block(struct bench *b)
{
	static const struct at_json_limits limits = { AT_PROPOSAL_ROW_CAP, 64 };
	double ours = busy() - b->since, start = busy();
	const char *p = b->lines.data, *end = p + b->lines.len;
	volatile unsigned char kept = 0;

	for (const char *stop; p < end; p = stop + 1) {
		struct at_bytes line = { p, 0 };
		struct at_digest digest;
		struct at_json doc;

		stop = memchr(p, '\n', (size_t)(end - p));
		line.len = (size_t)(stop - p);
		if (at_json_read(&doc, line, &limits, AT_JSON_ALLOW_DUPLICATES, NULL))
			at_json_free(&doc);
		digest = at_digest_of(line);
		kept ^= digest.byte[0];
		line.len -= 74; /* `"mac": "…", ` */
		digest = at_digest_keyed(key, line);
		kept ^= digest.byte[0];
	}
	start = busy() - start;
	b->ours += ours;
	b->bare += start;
	b->ratios[b->blocks++] = start / ours;
	b->filled = b->lines.len = 0;
	b->since = busy();
}

/* Keeping a row for the bare loop is on our clock: one copy. */
static bool visit(void *context, const struct at_json *row, size_t number, struct at_error *err)
{
	struct bench *b = context;

	at_buf_put(&b->lines, row->text.data, row->text.len);
	at_buf_putc(&b->lines, '\n');
	if (++b->filled == BLOCK)
		bare_block(b);
	(void)number;
	(void)err;
	return true;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static long peak_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static void fill(struct at_canonical_object *row)
{
	static const char *const texts[][2] = { { "action", "stage-proposal" },
		{ "agent", "tester" }, { "path", "docs/\xc3\xa9.md" },
		{ "sid", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" }, { "kind", "change-proposal" },
		{ "base", "absent" },
		{ "new", "98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4" },
		{ "rationale", "a rationale of the length that one usually has" } };

	for (size_t i = 0; i < AT_LEN(texts); i++)
		at_canonical_set_text(row, texts[i][0], at_bytes_of(texts[i][1]));
	at_canonical_set_number(row, "bytes", 3);
	at_canonical_set_raw(row, "gates",
		at_bytes_of(
			"[{\"confined\": \"bwrap\", \"duration_ms\": 12, \"exit\": 0, \"gate\": "
			"\"docs-lint\"}]"));
}

static double append(struct at_proposal_ledger *ledger, size_t count, size_t group)
{
	static struct at_canonical_object row[BLOCK];
	struct at_canonical_object *rows[BLOCK];
	double start = clock_of(CLOCK_MONOTONIC);
	struct at_error err;

	for (size_t i = 0; i < group; i++) {
		rows[i] = &row[i];
		if (!row[i].count)
			fill(rows[i]);
	}
	for (size_t done = 0; done < count; done += group)
		if (!at_proposal_ledger_append(ledger, rows, group, at_time_now(), &err))
			die("append", &err);
	return (double)count / (clock_of(CLOCK_MONOTONIC) - start);
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 && strcmp(argv[1], "--long") == 0 ? 1000000 : 100000;
	struct at_proposal_site site = { .key = key, .state = -1 };
	struct bench b = { .ratios = at_alloc((count / BLOCK + 2) * sizeof(double)) };
	char dir[] = "/tmp/bench-proposals-XXXXXX", command[64];
	struct at_proposal_ledger *ledger;
	struct at_proposal_state state;
	double alone, grouped;
	struct at_error err;
	long before;

	if (!mkdtemp(dir) || (site.root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return 1;
	if (!at_proposal_ledger_open(&ledger, &site, NULL, NULL, &err))
		die("open", &err);
	alone = append(ledger, SINGLES, 1);
	grouped = append(ledger, SINGLES * GROUP, GROUP);
	append(ledger, count - at_proposal_ledger_rows(ledger) % BLOCK, BLOCK);
	at_proposal_ledger_close(ledger);
	before = peak_kib();
	b.since = busy();
	if (!at_proposal_ledger_verify(&state, &site, visit, &b, &err) || state.problem_count)
		die("verify", &err);
	qsort(b.ratios, b.blocks, sizeof(*b.ratios), compare);
	printf("{\"what\":\"proposal ledger verify\",\"rows\":%zu,\"ratio\":%.3f,\"median\":%.3f,"
	       "\"aim\":0.8,\"peak_kib_before\":%ld,\"peak_kib_after\":%ld}\n",
		state.rows, b.bare / b.ours, b.ratios[b.blocks / 2], before, peak_kib());
	printf("{\"what\":\"proposal ledger append\",\"rows_a_second_alone\":%.0f,"
	       "\"rows_a_second_in_groups\":%.0f,\"group\":%d}\n",
		alone, grouped, GROUP);
	at_proposal_state_free(&state);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) != 0;
}
