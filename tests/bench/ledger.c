/* ledger: verifying a ledger of signed grants against what libsodium alone does.
 *
 * Blocks of 1,000 rows alternate with the bare loop over the same signatures, in one run, so that
 * both meet the same machine. Prints JSON lines: the ratio (bare time / our time; the aim is 0.9),
 * the peak of memory before and after, and an append at 1,000 and at all rows. 100,000 rows;
 * --long makes it 1,000,000.
 */
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"
#include "keys/csv.h"
#include "keys/field.h"
#include "keys/grant_issue.h"
#include "keys/grants.h"

enum { BLOCK = 1000, MESSAGE = 1024, APPENDS = 21 };

struct bench {
	char dir[64];
	struct at_secret seed;
	struct at_public_key key;
	struct at_grants_site site;
	/* The block that is being read. */
	unsigned char (*messages)[MESSAGE];
	size_t *lengths;
	char (*hex)[128]; /* the signatures as they stand in the rows */
	struct at_signature *signatures;
	size_t filled;
	double *ratios;
	size_t blocks;
	double since, ours, bare, block_ours;
	struct at_ledger_mark far, latest; /* of the last row of the last two blocks */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The processor's time: others who run meanwhile count for neither side. */
static double busy(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what, const struct at_error *err)
{
	fprintf(stderr, "%s: %s\n", what, err ? err->message : "");
	exit(1);
}

static bool find(void *context, struct at_public_key *out, const char *key_id, struct at_error *err)
{
	struct bench *b = context;

	(void)key_id;
	(void)err;
	*out = b->key;
	return true;
}

static void bare_block(struct bench *b)
{
	double start = busy();
	size_t good = 0;

	b->block_ours = start - b->since;
	b->ours += b->block_ours;
	for (size_t i = 0; i < b->filled; i++)
		at_hex_get(b->signatures[i].byte, 64, (struct at_bytes){ b->hex[i], 128 });
	start = busy();
	for (size_t i = 0; i < b->filled; i++)
		good += crypto_sign_verify_detached(
				b->signatures[i].byte, b->messages[i], b->lengths[i], b->key.byte)
			== 0;
	if (good != b->filled)
		die("the bare loop refuses a signature", NULL);
	start = busy() - start;
	b->bare += start;
	b->ratios[b->blocks++] = start / b->block_ours;
	b->filled = 0;
	b->since = busy();
}

/* Keeping a row for the bare loop is on our clock: two copies. */
static bool visit(void *context, const struct at_ledger_row *row,
	const struct at_grant_verdict *verdict, struct at_error *err)
{
	struct bench *b = context;

	if (!verdict->is_valid || row->message.len > MESSAGE)
		die("a row does not hold", &verdict->fault);
	memcpy(b->messages[b->filled], row->message.data, row->message.len);
	b->lengths[b->filled] = row->message.len;
	memcpy(b->hex[b->filled], row->cells[AT_GRANT_SIGNATURE].data, 128);
	if (++b->filled == BLOCK) {
		b->far = b->latest;
		b->latest = (struct at_ledger_mark){ row->start, row->line, row->number };
		bare_block(b);
	}
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

static struct at_bytes hex_of(struct at_buf *out, const unsigned char *bytes, size_t len)
{
	out->len = 0;
	at_hex_put(out, bytes, len);
	return at_buf_bytes(out);
}

/* Rows as --sign-grant makes them, and their head. */
static void make(struct bench *b, size_t rows)
{
	struct at_bytes cells[AT_GRANT_COLUMNS] = { at_bytes_of(
		"2026-10-01T00:00:00.000001+00:00") };
	struct at_buf out = { 0 }, message = { 0 }, signature = { 0 }, prev = { 0 };
	struct at_ledger_head head = { .count = rows, .key_id = "op-1" };
	char path[128], id[32], target[64];
	struct at_error err = { 0 };
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", b->dir, AT_GRANTS_PATH);
	file = fopen(path, "w");
	if (!file)
		die(path, NULL);
	for (unsigned c = 0; c < AT_GRANT_COLUMNS; c++)
		fprintf(file, "%s%s", c ? "," : "", at_grant_kind.columns[c]);
	fputc('\n', file);
	cells[AT_GRANT_ISSUER] = at_bytes_of("team-b");
	cells[AT_GRANT_HOLDER] = at_bytes_of("team-a");
	cells[AT_GRANT_OPS] = at_bytes_of("read;write");
	cells[AT_GRANT_EXPIRES] = at_bytes_of("2099-01-01T00:00:00Z");
	cells[AT_GRANT_MAX_USES] = at_bytes_of("1");
	cells[AT_GRANT_USES] = at_bytes_of("0");
	cells[AT_GRANT_APPROVER] = at_bytes_of("alice");
	cells[AT_GRANT_TICKET] = at_bytes_of("T-1");
	cells[AT_GRANT_REASON] = at_bytes_of("drop, with comma");
	cells[AT_GRANT_ISSUER_ROOT] = at_bytes_of("/srv/team-b");
	cells[AT_GRANT_SCHEME] = at_bytes_of("ed25519");
	cells[AT_GRANT_KEY_ID] = at_bytes_of("op-1");
	for (size_t i = 0; i < rows; i++) {
		struct at_signature made;

		snprintf(id, sizeof(id), "grant-%016zx", i);
		snprintf(target, sizeof(target), "/srv/team-b/shared/%zu", i);
		cells[AT_GRANT_ID] = at_bytes_of(id);
		cells[AT_GRANT_TARGET] = at_bytes_of(target);
		cells[AT_GRANT_PREV] = i ? hex_of(&prev, head.last.byte, 32) : at_bytes_of("");
		message.len = 0;
		at_grant_message(&message, cells);
		if (!at_ed25519_sign(&made, &b->seed, at_buf_bytes(&message), &err))
			die("sign", &err);
		cells[AT_GRANT_SIGNATURE] = hex_of(&signature, made.byte, 64);
		head.last = at_digest_of((struct at_bytes){
			message.data + sizeof(AT_GRANT_TAG), message.len - sizeof(AT_GRANT_TAG) });
		out.len = 0;
		at_csv_write(&out, cells, AT_GRANT_COLUMNS, "\n");
		fwrite(out.data, 1, out.len, file);
	}
	/* What the disk still owes is not the appends'. */
	fflush(file);
	fsync(fileno(file));
	fclose(file);
	out.len = 0;
	if (!at_head_sign(&head, &b->seed, &err))
		die("head", &err);
	at_head_print(&out, &head);
	snprintf(path, sizeof(path), "%s/%s.head", b->dir, AT_GRANTS_PATH);
	file = fopen(path, "w");
	fwrite(out.data, 1, out.len, file);
	fclose(file);
	at_buf_free(&out);
	at_buf_free(&message);
	at_buf_free(&signature);
	at_buf_free(&prev);
}

static void verify(struct bench *b, size_t rows)
{
	long before = peak_kib();
	struct at_error err = { 0 };
	struct at_grants grants;

	b->since = busy();
	if (!at_grants_walk(&grants, &b->site, AT_GRANT_FULL, visit, b, &err))
		die("walk", &err);
	if (grants.ledger.verdict != AT_LEDGER_GOOD || grants.widening != rows)
		die("the ledger does not hold", &grants.ledger.fault);
	qsort(b->ratios, b->blocks, sizeof(*b->ratios), compare);
	printf("{\"bench\": \"ledger-verify\", \"rows\": %zu, \"us_per_row\": %.2f, "
	       "\"libsodium_us_per_row\": %.2f, \"ratio\": %.4f, \"ratio_median_block\": %.4f, "
	       "\"aim\": 0.9, \"peak_kib_before\": %ld, \"peak_kib\": %ld}\n",
		rows, b->ours / (double)rows * 1e6, b->bare / (double)rows * 1e6, b->bare / b->ours,
		b->ratios[b->blocks / 2], before, peak_kib());
	fflush(stdout);
}

static bool look(void *context, const struct at_ledger_row *row,
	const struct at_grant_verdict *verdict, struct at_error *err)
{
	(void)row;
	(void)err;
	*(size_t *)context += verdict->is_valid;
	return true;
}

/* A screen of 50 rows, the first and one far behind, each judged. */
static void page(struct bench *b, size_t rows)
{
	const struct at_ledger_mark from[] = { { 0 }, b->far };
	double times[2];
	size_t seen = 0;

	for (int i = 0; i < 2; i++) {
		struct at_error err = { 0 };

		times[i] = now();
		if (!at_grants_page(&b->site, from[i], 50, look, &seen, &err))
			die("page", &err);
		times[i] = now() - times[i];
	}
	printf("{\"bench\": \"ledger-page\", \"rows\": %zu, \"first_ms\": %.3f, "
	       "\"far_ms\": %.3f, \"aim_ms\": 50}\n",
		rows, times[0] * 1e3, times[1] * 1e3);
	fflush(stdout);
}

static void append(struct bench *b, size_t rows)
{
	struct at_grant_spec spec = {
		.issuer_team = at_bytes_of("team-b"),
		.holder_team = at_bytes_of("team-a"),
		.target_path = at_bytes_of("shared"),
		.permitted_ops = at_bytes_of("write"),
		.expires_at = at_bytes_of("2099-01-01"),
		.approver = at_bytes_of("alice"),
		.ticket_id = at_bytes_of("T"),
		.reason_code = at_bytes_of("r"),
		.max_uses = 1,
		.key_id = at_bytes_of("op-1"),
	};
	double times[APPENDS], spent[APPENDS];

	for (int i = 0; i < APPENDS; i++) {
		struct at_arena *arena = at_arena_new();
		struct at_ledger_appended appended;
		struct at_grant_draft draft;
		struct at_error err = { 0 };

		times[i] = now();
		spent[i] = busy();
		if (!at_grant_prepare(&draft, arena, &spec, AT_GRANT_ED25519, &b->site, &err)
			|| !at_grant_sign(&draft, arena, &b->seed, &err)
			|| !at_grant_append(&appended, &draft, &b->site, &err))
			die("append", &err);
		times[i] = now() - times[i];
		spent[i] = busy() - spent[i];
		at_arena_free(arena);
	}
	qsort(times, APPENDS, sizeof(*times), compare);
	qsort(spent, APPENDS, sizeof(*spent), compare);
	printf("{\"bench\": \"ledger-append\", \"rows\": %zu, \"ms_median\": %.3f, "
	       "\"cpu_ms_median\": %.3f}\n",
		rows, times[APPENDS / 2] * 1e3, spent[APPENDS / 2] * 1e3);
	fflush(stdout);
}

static void open_site(struct bench *b)
{
	char path[128];
	FILE *file;

	snprintf(b->dir, sizeof(b->dir), "%s/at-ledger-XXXXXX", "/tmp");
	if (!mkdtemp(b->dir))
		die("mkdtemp", NULL);
	snprintf(path, sizeof(path), "%s/references", b->dir);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s", b->dir, AT_APPROVERS);
	file = fopen(path, "w");
	fputs("alice\n", file);
	fclose(file);
	b->site = (struct at_grants_site){
		.ledger_root = open(b->dir, O_RDONLY | O_DIRECTORY),
		.ledger_root_path = b->dir,
		.team_dir_path = b->dir,
		.keys = { find, b },
		.now = at_time_now(),
	};
	b->site.team_dir = b->site.ledger_root;
}

static void remove_all(struct bench *b)
{
	static const char *const names[] = { AT_GRANTS_PATH, AT_GRANTS_PATH ".head", AT_APPROVERS,
		"references" };
	char path[128];

	for (size_t i = 0; i < AT_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", b->dir, names[i]);
		remove(path);
	}
	rmdir(b->dir);
}

int main(int argc, char **argv)
{
	size_t rows = argc > 1 && strcmp(argv[1], "--long") == 0 ? 1000000
		: argc > 1 && atoi(argv[1]) > 0                  ? (size_t)atoi(argv[1])
								 : 100000;
	struct bench b = { .filled = 0 };
	struct at_error err = { 0 };

	if (!at_ed25519_make(&b.seed, &err) || !at_ed25519_public(&b.key, &b.seed, &err))
		die("key", &err);
	b.messages = at_alloc(BLOCK * sizeof(*b.messages));
	b.lengths = at_alloc(BLOCK * sizeof(*b.lengths));
	b.hex = at_alloc(BLOCK * sizeof(*b.hex));
	b.signatures = at_alloc(BLOCK * sizeof(*b.signatures));
	b.ratios = at_alloc((rows / BLOCK + 1) * sizeof(*b.ratios));
	open_site(&b);
	make(&b, BLOCK);
	append(&b, BLOCK);
	make(&b, rows);
	verify(&b, rows);
	page(&b, rows);
	append(&b, rows);
	remove_all(&b);
	at_secret_free(&b.seed);
	free(b.messages);
	free(b.lengths);
	free(b.hex);
	free(b.signatures);
	free(b.ratios);
	return 0;
}
