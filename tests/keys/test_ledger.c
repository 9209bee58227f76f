/* The file: what is read, what shows, what an append leaves. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keys/ledger_ground.h"

#include "keys/csv.h"
#include "keys/field.h"
#include "keys/ledger.h"

#define HEADER \
	"timestamp,grant_id,issuer_team,holder_team,target_path,permitted_ops,expires_at,max_uses," \
	"uses,approver,ticket_id,reason_code,prev_digest,signature"

static struct at_ledger_appended must_issue(
	struct ledger_ground *g, const char *target, enum at_grant_scheme scheme)
{
	struct at_grant_spec spec = ground_spec(target, scheme == AT_GRANT_HMAC ? "read" : "write");
	struct at_ledger_appended appended;

	if (!ground_issue(g, &spec, scheme, &appended))
		fail_msg("%s: %s", target, g->err.message);
	if (*appended.head_fault.message)
		fail_msg("%s: %s", target, appended.head_fault.message);
	return appended;
}

static bool may_issue(struct ledger_ground *g, enum at_grant_scheme scheme)
{
	struct at_grant_spec spec = ground_spec("more", scheme == AT_GRANT_HMAC ? "read" : "write");
	struct at_ledger_appended appended;

	return ground_issue(g, &spec, scheme, &appended);
}

static void write_text(struct ledger_ground *g, const char *path, const struct at_buf *text)
{
	test_write_bytes(g->work, path, at_buf_text(text), text->len);
}

/* What 1.5 says of a file, where no recorded ledger does. */
static void key_11_rows_of_1_5(void **state)
{
	static const struct {
		const char *text;
		enum at_ledger_verdict verdict;
		size_t rows;
		const char *says;
	} rows[] = {
		{ "", AT_LEDGER_MALFORMED, 0, "expected header timestamp,grant_id" },
		{ "\n\n", AT_LEDGER_MALFORMED, 0, "expected header" },
		{ HEADER, AT_LEDGER_GOOD, 0, "" },
		{ HEADER "\r", AT_LEDGER_GOOD, 0, "" },
		{ "\n" HEADER "\n\n", AT_LEDGER_GOOD, 0, "" },
		{ "\xef\xbb\xbf" HEADER "\n", AT_LEDGER_MALFORMED, 0, "expected header" },
		{ HEADER ",note,issuer_root,sig_scheme,key_id\n", AT_LEDGER_GOOD, 0, "" },
		{ "a,b\n1,2\n", AT_LEDGER_MALFORMED, 0, "expected header" },
		{ HEADER "\nt,g\n", AT_LEDGER_GOOD, 1, "" },
		{ HEADER "\nt,g", AT_LEDGER_GOOD, 0, "" },
		{ HEADER "\nt,\"g\nh", AT_LEDGER_MALFORMED, 0, "never closed" },
		{ HEADER "\nt,\"g\n", AT_LEDGER_MALFORMED, 0, "never closed" },
		{ HEADER "\nt,g\"h\n", AT_LEDGER_MALFORMED, 0, "line 2: a quote stands" },
		{ HEADER "\nt,\xff\n", AT_LEDGER_MALFORMED, 0, "no UTF-8 in line 2" },
		{ HEADER "\nt,g,,,,,,,,,,,zz,\n", AT_LEDGER_BROKEN, 1,
			"capability-grant ledger chain broken at row 1: prev_digest is 'zz', expected ''" },
		/* The last of two names counts. */
		{ HEADER ",prev_digest\nt,g,,,,,,,,,,,zz,,\n", AT_LEDGER_GOOD, 1, "" },
	};
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_grants grants;

		ground_ledger(&g, at_bytes_of(rows[i].text));
		grants = ground_walk(&g, AT_GRANT_FULL);
		if (grants.ledger.verdict != rows[i].verdict || grants.ledger.rows != rows[i].rows
			|| !strstr(grants.ledger.fault.message, rows[i].says))
			fail_msg("row %zu: %d, %zu rows: %s", i, (int)grants.ledger.verdict,
				grants.ledger.rows, grants.ledger.fault.message);
	}
	ground_close(&g);
}

static void key_11_large_cells(void **state)
{
	static const struct {
		size_t len;
		enum at_ledger_verdict verdict;
	} rows[] = {
		{ 131073, AT_LEDGER_GOOD }, /* an exception of Python's csv */
		{ 3u << 20, AT_LEDGER_MALFORMED },
	};
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf text = { 0 };

		at_buf_puts(&text, HEADER "\nt,");
		at_buf_pad(&text, 'x', rows[i].len);
		at_buf_putc(&text, '\n');
		ground_ledger(&g, at_buf_bytes(&text));
		assert_row(i, ground_walk(&g, AT_GRANT_FULL).ledger.verdict == rows[i].verdict);
		at_buf_free(&text);
	}
	ground_close(&g);
}

static void key_11_no_regular_file(void **state)
{
	struct ledger_ground g;
	const char *path;
	struct at_grants grants;

	(void)state;
	ground_open(&g);
	path = test_path(g.work, AT_GRANTS_PATH);
	test_write(g.work, "references/elsewhere.csv", HEADER "\n");
	for (int kind = 0; kind < 4; kind++) {
		unlink(path);
		rmdir(path);
		assert_int_equal(kind == 0  ? symlink("elsewhere.csv", path)
				: kind == 1 ? symlink("nowhere", path)
				: kind == 2 ? mkdir(path, 0755)
					    : mkfifo(path, 0600),
			0);
		assert_false(at_grants_walk(&grants, &g.site, AT_GRANT_FULL, NULL, NULL, &g.err));
		assert_true(g.err.code == AT_EUNSAFE);
		assert_false(may_issue(&g, AT_GRANT_ED25519));
	}
	/* A second name may be read through, and is not written through. */
	unlink(path);
	assert_int_equal(link(test_path(g.work, "references/elsewhere.csv"), path), 0);
	assert_int_equal(ground_walk(&g, AT_GRANT_FULL).ledger.verdict, AT_LEDGER_GOOD);
	assert_false(may_issue(&g, AT_GRANT_ED25519));
	assert_int_equal(g.err.code, AT_EUNSAFE);
	ground_close(&g);
}

static struct at_buf read_beside(struct ledger_ground *g, const char *suffix)
{
	char name[128];

	snprintf(name, sizeof(name), "%s%s", AT_GRANTS_PATH, suffix);
	return test_read(g->work, name);
}

static void key_11_the_head(void **state)
{
	struct ledger_ground g;
	struct at_grants grants;
	struct at_buf three, two, head, old_head;

	(void)state;
	ground_open(&g);
	assert_int_equal(must_issue(&g, "a", AT_GRANT_ED25519).head, AT_HEAD_ANCHORED);
	must_issue(&g, "b", AT_GRANT_ED25519);
	two = ground_read(&g);
	old_head = read_beside(&g, ".head");
	must_issue(&g, "c", AT_GRANT_ED25519);
	three = ground_read(&g);
	head = read_beside(&g, ".head");
	grants = ground_walk(&g, AT_GRANT_FULL);
	assert_int_equal(grants.ledger.head, AT_HEAD_ANCHORED);
	assert_int_equal(grants.ledger.anchored, 3);
	assert_string_equal(grants.ledger.key_id, "op-1");

	/* A row taken off the end. */
	write_text(&g, AT_GRANTS_PATH, &two);
	grants = ground_walk(&g, AT_GRANT_FULL);
	assert_int_equal(grants.ledger.verdict, AT_LEDGER_TRUNCATED);
	assert_non_null(strstr(grants.ledger.fault.message, "its head counts 3 rows, it has 2"));
	assert_false(may_issue(&g, AT_GRANT_ED25519));

	/* Killed between row and head: valid, and said. The next row needs no repair. */
	write_text(&g, AT_GRANTS_PATH, &three);
	write_text(&g, AT_GRANTS_PATH ".head", &old_head);
	grants = ground_walk(&g, AT_GRANT_FULL);
	assert_int_equal(grants.ledger.verdict, AT_LEDGER_GOOD);
	assert_int_equal(grants.ledger.head, AT_HEAD_BEHIND);
	assert_int_equal(grants.valid, 3);
	assert_int_equal(must_issue(&g, "d", AT_GRANT_ED25519).head, AT_HEAD_ANCHORED);
	assert_int_equal(ground_walk(&g, AT_GRANT_FULL).ledger.anchored, 4);

	/* By HMAC: unanchored. */
	assert_int_equal(must_issue(&g, "e", AT_GRANT_HMAC).head, AT_HEAD_BEHIND);
	assert_int_equal(ground_walk(&g, AT_GRANT_FULL).ledger.head, AT_HEAD_BEHIND);

	/* The file removed. */
	unlink(test_path(g.work, AT_GRANTS_PATH));
	grants = ground_walk(&g, AT_GRANT_FULL);
	assert_int_equal(grants.ledger.verdict, AT_LEDGER_TRUNCATED);
	assert_false(may_issue(&g, AT_GRANT_ED25519));

	/* Without the head nothing shows: unanchored. */
	unlink(test_path(g.work, AT_GRANTS_PATH ".head"));
	write_text(&g, AT_GRANTS_PATH, &two);
	grants = ground_walk(&g, AT_GRANT_FULL);
	assert_int_equal(grants.ledger.verdict, AT_LEDGER_GOOD);
	assert_int_equal(grants.ledger.head, AT_HEAD_NONE);
	at_buf_free(&two);
	at_buf_free(&three);
	at_buf_free(&head);
	at_buf_free(&old_head);
	ground_close(&g);
}

/* `old` in the head becomes `new`. */
static void key_11_a_head_that_is_not_sound(void **state)
{
	static const struct {
		const char *old, *new, *says;
	} rows[] = {
		{ "\"count\":2", "\"count\":1",
			"signature of the ledger's head by `op-1` is invalid" },
		{ "\"count\":2", "\"count\":2.0", "nothing else" },
		{ "\"count\":2", "\"count\":-2", "nothing else" },
		{ "\"count\":2", "\"count\":\"2\"", "nothing else" },
		{ "\"count\":2", "\"count\":2,\"note\":1", "nothing else" },
		{ "\"count\":2", "\"count\":2,\"count\":2", "twice" },
		{ "op-1", "op-2", "`op-2`, whose key is not in the team's store" },
		{ "op-1", "../op-1", "nothing else" },
		{ "{", "[", "" },
	};
	struct ledger_ground g;
	struct at_buf head;

	(void)state;
	ground_open(&g);
	must_issue(&g, "a", AT_GRANT_ED25519);
	must_issue(&g, "b", AT_GRANT_ED25519);
	head = read_beside(&g, ".head");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *at = strstr(at_buf_text(&head), rows[i].old);
		struct at_buf text = { 0 };
		struct at_grants grants;

		assert_row(i, at != NULL);
		at_buf_put(&text, head.data, (size_t)(at - head.data));
		at_buf_puts(&text, rows[i].new);
		at_buf_puts(&text, at + strlen(rows[i].old));
		write_text(&g, AT_GRANTS_PATH ".head", &text);
		grants = ground_walk(&g, AT_GRANT_FULL);
		if (grants.ledger.verdict != AT_LEDGER_HEAD || grants.ledger.head != AT_HEAD_BAD
			|| !strstr(grants.ledger.fault.message, rows[i].says))
			fail_msg("row %zu: %s", i, grants.ledger.fault.message);
		assert_row(i, !may_issue(&g, AT_GRANT_ED25519));
		at_buf_free(&text);
	}
	at_buf_free(&head);
	ground_close(&g);
}

/* The rows behind a head replaced by others that chain: the holder of the HMAC key can do that. */
static void key_11_replaced_rows_show(void **state)
{
	struct ledger_ground g;
	struct at_grants grants;
	struct at_buf head;

	(void)state;
	ground_open(&g);
	must_issue(&g, "a", AT_GRANT_ED25519);
	must_issue(&g, "b", AT_GRANT_ED25519);
	head = read_beside(&g, ".head");
	ground_ledger(&g, (struct at_bytes){ 0 });
	must_issue(&g, "c", AT_GRANT_HMAC);
	must_issue(&g, "d", AT_GRANT_HMAC);
	write_text(&g, AT_GRANTS_PATH ".head", &head);
	grants = ground_walk(&g, AT_GRANT_FULL);
	assert_int_equal(grants.ledger.verdict, AT_LEDGER_HEAD);
	assert_non_null(strstr(grants.ledger.fault.message, "names another row 2"));
	assert_false(may_issue(&g, AT_GRANT_ED25519));
	at_buf_free(&head);
	ground_close(&g);
}

static bool refuse_all(void *context, const struct at_ledger_row *row, struct at_error *err)
{
	(void)context;
	return at_fail(err, AT_EREFUSED, "row %zu was asked for", row->number);
}

/* Nothing in front of the last row is read, and that one is known by its digest. */
static void key_11_a_head_spares_the_read(void **state)
{
	struct ledger_ground g;
	struct at_ledger_writer *w;

	(void)state;
	ground_open(&g);
	must_issue(&g, "a", AT_GRANT_ED25519);
	must_issue(&g, "b", AT_GRANT_ED25519);
	assert_true(at_ledger_begin(&w, &at_grant_kind, g.site.ledger_root, AT_GRANTS_PATH,
		g.site.keys, refuse_all, NULL, &g.err));
	assert_true(at_ledger_was_constant(w));
	assert_int_equal(at_ledger_rows(w), 2);
	at_ledger_end(w);
	must_issue(&g, "c", AT_GRANT_HMAC);
	assert_false(at_ledger_begin(&w, &at_grant_kind, g.site.ledger_root, AT_GRANTS_PATH,
		g.site.keys, refuse_all, NULL, &g.err));
	assert_string_equal(g.err.message, "row 1 was asked for");
	ground_close(&g);
}

static void add_bytes(struct ledger_ground *g, const char *tail)
{
	struct at_buf text = ground_read(g);

	at_buf_puts(&text, tail);
	write_text(g, AT_GRANTS_PATH, &text);
	at_buf_free(&text);
}

static void key_11_a_torn_line_is_set_aside(void **state)
{
	static const enum at_grant_scheme schemes[] = { AT_GRANT_ED25519, AT_GRANT_HMAC };
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	for (size_t i = 0; i < AT_LEN(schemes); i++) {
		struct at_grants grants;
		struct at_buf torn;

		ground_ledger(&g, (struct at_bytes){ 0 });
		must_issue(&g, "a", schemes[i]);
		add_bytes(&g, "2026-11-30T00:00:00+00:00,grant-dead,\"te");
		grants = ground_walk(&g, AT_GRANT_FULL);
		assert_row(i, grants.ledger.verdict == AT_LEDGER_GOOD && grants.ledger.rows == 1);
		assert_row(i, grants.ledger.torn == 40);
		assert_row(i, must_issue(&g, "b", schemes[i]).torn == 40);
		torn = read_beside(&g, ".torn");
		assert_string_equal(
			at_buf_text(&torn), "2026-11-30T00:00:00+00:00,grant-dead,\"te\n");
		at_buf_free(&torn);
		grants = ground_walk(&g, AT_GRANT_FULL);
		assert_row(i, grants.valid == 2 && grants.ledger.torn == 0);
		add_bytes(&g, "again");
		assert_row(i, must_issue(&g, "c", schemes[i]).torn == 5);
		torn = read_beside(&g, ".torn");
		assert_string_equal(
			at_buf_text(&torn), "2026-11-30T00:00:00+00:00,grant-dead,\"te\nagain\n");
		at_buf_free(&torn);
	}
	ground_close(&g);
}

/* Case 88: a complete row that fails stops the ledger, and nothing is removed. */
static void key_11_a_complete_row_that_fails_is_no_torn_one(void **state)
{
	static const char *const tails[] = {
		"t,g,i,h,p,read,2099-01-01,1,0,alice,T,r,,,00,,\n",
		"t,g\n",
	};
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	for (size_t i = 0; i < AT_LEN(tails); i++)
		for (int anchored = 0; anchored < 2; anchored++) {
			uint64_t before;

			ground_ledger(&g, (struct at_bytes){ 0 });
			must_issue(&g, "a", anchored ? AT_GRANT_ED25519 : AT_GRANT_HMAC);
			add_bytes(&g, tails[i]);
			before = test_tree_fingerprint(g.tree);
			assert_row(i,
				ground_walk(&g, AT_GRANT_FULL).ledger.verdict == AT_LEDGER_BROKEN);
			assert_row(i, !may_issue(&g, AT_GRANT_ED25519));
			assert_row(i, !may_issue(&g, AT_GRANT_HMAC));
			assert_row(i, test_tree_fingerprint(g.tree) == before);
		}
	ground_close(&g);
}

static size_t count_text(const struct at_buf *text, const char *what)
{
	size_t count = 0;

	for (const char *at = at_buf_text(text); (at = strstr(at, what)); at += strlen(what))
		count++;
	return count;
}

static void key_11_an_old_file_keeps_its_form(void **state)
{
	static const struct {
		const char *file, *ending;
		size_t endings; /* before */
	} rows[] = {
		{ "capability-grants.log.csv", "\n", 4 },
		{ "variants/14-crlf.csv", "\r\n", 4 },
		{ "variants/45-cr-only.csv", "\r", 4 },
		{ "variants/16-columns-reordered.csv", "\n", 4 },
		{ "variants/49-only-header-no-newline.csv", "\n", 0 },
	};
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	g.site.hmac_key = ground_vector(&g, "grants-hmac/key.txt");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_ledger_appended appended;
		struct at_bytes old;
		struct at_buf text;
		struct stat st;
		char path[128];

		snprintf(path, sizeof(path), "grants-hmac/%s", rows[i].file);
		old = ground_vector(&g, path);
		ground_ledger(&g, old);
		assert_int_equal(chmod(test_path(g.work, AT_GRANTS_PATH), 0600), 0);
		/* HMAC needs none of the later columns: appended in place. */
		assert_row(i, !must_issue(&g, "x", AT_GRANT_HMAC).rewritten);
		text = ground_read(&g);
		assert_row(i, memcmp(text.data, old.data, old.len) == 0);
		assert_row(i,
			count_text(&text, rows[i].ending)
				== (rows[i].endings ? rows[i].endings + 1 : 2));
		at_buf_free(&text);
		/* A signed one widens the header. */
		appended = must_issue(&g, "y", AT_GRANT_ED25519);
		assert_row(i, appended.rewritten && appended.head == AT_HEAD_ANCHORED);
		text = ground_read(&g);
		assert_row(i, strncmp(text.data, HEADER, 111) == 0);
		assert_row(i,
			strstr(text.data, ",issuer_root,prev_digest,signature,sig_scheme,key_id"));
		assert_row(i,
			count_text(&text, rows[i].ending)
				== (rows[i].endings ? rows[i].endings + 2 : 3));
		at_buf_free(&text);
		assert_int_equal(stat(test_path(g.work, AT_GRANTS_PATH), &st), 0);
		assert_row(i, (st.st_mode & 0777) == 0600);
		assert_row(i, ground_walk(&g, AT_GRANT_MIGRATION).bad == 0);
		assert_row(i, !must_issue(&g, "z", AT_GRANT_ED25519).rewritten);
	}
	ground_close(&g);
}

/* What cannot be written anew without loss is not. */
static void key_11_rows_that_would_lose_cells(void **state)
{
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	g.site.hmac_key = ground_vector(&g, "grants-hmac/key.txt");
	ground_ledger(&g, ground_vector(&g, "grants-hmac/variants/38-extra-cells.csv"));
	must_issue(&g, "x", AT_GRANT_HMAC);
	assert_false(may_issue(&g, AT_GRANT_ED25519));
	assert_non_null(strstr(g.err.message, "more cells than its header"));
	ground_close(&g);
}

static void note_payload(struct at_buf *out, const struct at_bytes *cells)
{
	at_field_join(out, cells, 6);
}

static bool take_finding(void *context, const struct at_ledger_row *row, struct at_error *err)
{
	struct at_buf *out = context;

	(void)err;
	at_buf_printf(out, "%zu/%zu/%zu:%.*s\n", row->number, row->line, row->count,
		(int)row->cells[3].len, row->cells[3].data);
	return true;
}

/* Case 90: a ledger kept by hand, of another kind than ours. */
static void key_11_case_90_quoting(void **state)
{
	static const char *const columns[] = { "date", "project", "plan", "finding", "artefact",
		"status", "prev_digest" };
	static const struct at_ledger_kind kind = { .log = "findings",
		.ledger = "findings",
		.row = "a finding",
		.columns = columns,
		.column_count = 7,
		.written = 0x7f,
		.required = { 0x3f },
		.prev = 6,
		.chain_is_optional = true,
		.payload = note_payload };
	struct at_bytes cells[7] = { at_bytes_of("2026-02-05"), at_bytes_of("p"), at_bytes_of("q"),
		at_bytes_of("=HYPERLINK(\"x\"), line\nbreak, \"quote\""), at_bytes_of("c.c"),
		at_bytes_of("open"), at_bytes_of("") };
	struct at_ledger_appended appended;
	struct at_ledger_writer *w;
	struct at_ledger_state ledger;
	struct at_keys none = { 0 };
	struct ledger_ground g;
	struct at_buf out = { 0 };
	struct at_buf before = test_read(NULL, "cases/90-csv-quoting/ledger.csv"), after;

	(void)state;
	ground_open(&g);
	write_text(&g, "ledger.csv", &before);
	assert_true(at_ledger_begin(
		&w, &kind, g.site.ledger_root, "ledger.csv", none, NULL, NULL, &g.err));
	cells[4] = (struct at_bytes){ "a\0b", 3 };
	assert_false(at_ledger_commit(w, cells, NULL, &appended, &g.err));
	cells[4] = at_bytes_of("a\rb");
	assert_false(at_ledger_commit(w, cells, NULL, &appended, &g.err));
	cells[4] = at_bytes_of("c.c");
	assert_true(at_ledger_commit(w, cells, NULL, &appended, &g.err));
	at_ledger_end(w);
	after = test_read(g.work, "ledger.csv");
	assert_memory_equal(after.data, before.data, before.len);
	assert_true(at_ledger_walk(&ledger, &kind, g.site.ledger_root, "ledger.csv", none,
		take_finding, &out, &g.err));
	assert_string_equal(at_buf_text(&out),
		"1/2/6:says \"stop\", then\ngoes on\n"
		"2/4/8:one\n3/5/6:=HYPERLINK(\"x\"), line\nbreak, \"quote\"\n");
	assert_int_equal(ledger.ragged, 1);
	assert_int_equal(ledger.ragged_line, 4);
	at_buf_free(&out);
	at_buf_free(&before);
	at_buf_free(&after);
	ground_close(&g);
}

static void key_11_a_clock_that_goes_back(void **state)
{
	struct ledger_ground g;
	struct at_grants grants;

	(void)state;
	ground_open(&g);
	must_issue(&g, "a", AT_GRANT_ED25519);
	g.site.now.seconds -= 400 * 86400;
	must_issue(&g, "b", AT_GRANT_ED25519);
	grants = ground_walk(&g, AT_GRANT_FULL);
	assert_int_equal(grants.valid, 2);
	/* Expiry is asked of the clock of the reader. */
	g.site.now.seconds = INT64_C(4070908800);
	assert_int_equal(ground_walk(&g, AT_GRANT_FULL).bad, 2);
	g.site.now.seconds--;
	assert_int_equal(ground_walk(&g, AT_GRANT_FULL).valid, 2);
	ground_close(&g);
}

int test_ledger(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_11_rows_of_1_5),
		cmocka_unit_test(key_11_large_cells),
		cmocka_unit_test(key_11_no_regular_file),
		cmocka_unit_test(key_11_the_head),
		cmocka_unit_test(key_11_a_head_that_is_not_sound),
		cmocka_unit_test(key_11_replaced_rows_show),
		cmocka_unit_test(key_11_a_head_spares_the_read),
		cmocka_unit_test(key_11_a_torn_line_is_set_aside),
		cmocka_unit_test(key_11_a_complete_row_that_fails_is_no_torn_one),
		cmocka_unit_test(key_11_an_old_file_keeps_its_form),
		cmocka_unit_test(key_11_rows_that_would_lose_cells),
		cmocka_unit_test(key_11_case_90_quoting),
		cmocka_unit_test(key_11_a_clock_that_goes_back),
	};

	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
