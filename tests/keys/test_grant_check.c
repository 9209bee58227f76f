/* Each check of a row: what fails it, where it stands in the order, what is said. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keys/ledger_ground.h"

#include "core/digest.h"
#include "keys/field.h"

/* A row that holds, as --sign-grant makes it, with cells changed before it is signed. */
static void make_row(struct at_bytes cells[AT_GRANT_COLUMNS])
{
	static const char *const values[AT_GRANT_COLUMNS] = {
		"2026-10-01T00:00:00+00:00",
		"grant-1",
		"team-b",
		"team-a",
		"/srv/team-b/shared",
		"read;write",
		"2099-01-01T00:00:00Z",
		"2",
		"0",
		"alice",
		"T-1",
		"collab",
		"",
		"",
		"",
		"ed25519",
		"op-1",
	};

	for (unsigned c = 0; c < AT_GRANT_COLUMNS; c++)
		cells[c] = at_bytes_of(values[c]);
}

/* Signs as the row's scheme wants it and judges it. */
static void judge(struct ledger_ground *g, struct at_grant_verdict *out, struct at_bytes *cells,
	enum at_grant_mode mode)
{
	const char *names[] = { "alice", "bob" };
	struct at_roster roster = { names, 2, true };
	struct at_grant_ground ground = { .mode = mode,
		.hmac_key = g->site.hmac_key,
		.keys = g->site.keys,
		.roster = &roster,
		.now = g->site.now };
	struct at_buf message = { 0 }, signature = { 0 };
	struct at_ledger_row row = { .cells = cells, .number = 1, .line = 2 };
	struct at_signature made;

	at_buf_puts(&message, AT_GRANT_TAG "|");
	at_grant_kind.payload(&message, cells);
	row.message = at_buf_bytes(&message);
	row.payload = (struct at_bytes){ message.data + sizeof(AT_GRANT_TAG),
		message.len - sizeof(AT_GRANT_TAG) };
	if (at_grant_scheme(cells) == AT_GRANT_ED25519) {
		assert_true(at_ed25519_sign(&made, &g->seed, row.message, &g->err));
		at_hex_put(&signature, made.byte, sizeof(made.byte));
	} else {
		at_grant_hmac(&signature, g->site.hmac_key, row.payload);
	}
	if (cells[AT_GRANT_SIGNATURE].len == 0)
		cells[AT_GRANT_SIGNATURE] = (struct at_bytes){
			at_arena_strndup(g->arena, signature.data, signature.len), signature.len
		};
	at_grant_check(out, &ground, &row);
	at_grant_ground_free(&ground);
	at_buf_free(&message);
	at_buf_free(&signature);
}

static void key_4_each_check(void **state)
{
	static const struct {
		enum at_grant_column column;
		const char *value;
		enum at_grant_check failed; /* AT_GRANT_CHECKS: it holds */
		const char *says;
	} rows[] = {
		{ AT_GRANT_TIMESTAMP, "whenever", AT_GRANT_CHECKS, "" }, /* not signed, not asked */
		{ AT_GRANT_ID, " ", AT_GRANT_CHECK_FIELDS,
			"grant is missing required field 'grant_id'" },
		{ AT_GRANT_REASON, "", AT_GRANT_CHECK_FIELDS, "required field 'reason_code'" },
		{ AT_GRANT_TICKET, "a|b", AT_GRANT_CHECK_CLEAR,
			"grant 'grant-1' is ambiguous: its ticket_id holds `|`" },
		{ AT_GRANT_HOLDER,
			"te\xe2\x80\x8b"
			"am",
			AT_GRANT_CHECK_CLEAR, "holder_team" },
		{ AT_GRANT_ISSUER_ROOT, "/srv|x", AT_GRANT_CHECK_CLEAR, "issuer_root" },
		{ AT_GRANT_SCHEME, "", AT_GRANT_CHECK_SCHEME,
			"grant 'grant-1' permits 'write' but is hmac-signed" },
		{ AT_GRANT_SCHEME, "hmac", AT_GRANT_CHECK_SCHEME, "hmac-signed" },
		{ AT_GRANT_SCHEME, "Ed25519", AT_GRANT_CHECK_SCHEME, "hmac-signed" },
		{ AT_GRANT_KEY_ID, "op-2", AT_GRANT_CHECK_SIGNATURE,
			"grant 'grant-1' cannot be Ed25519-verified: no key `op-2`" },
		{ AT_GRANT_KEY_ID, "", AT_GRANT_CHECK_SIGNATURE, "cannot be Ed25519-verified" },
		{ AT_GRANT_KEY_ID, "../op-1", AT_GRANT_CHECK_SIGNATURE, "no name of a key" },
		{ AT_GRANT_SIGNATURE, "00", AT_GRANT_CHECK_SIGNATURE,
			"grant 'grant-1' has an invalid signature" },
		{ AT_GRANT_EXPIRES, "soon", AT_GRANT_CHECK_DATE,
			"has a malformed expires_at ('soon'): Invalid isoformat string: 'soon'" },
		{ AT_GRANT_EXPIRES, "2026-01-01", AT_GRANT_CHECK_EXPIRY,
			"grant 'grant-1' has expired (2026-01-01)" },
		{ AT_GRANT_EXPIRES, "9999-12-31T23:59:59Z", AT_GRANT_CHECKS, "" },
		{ AT_GRANT_MAX_USES, "x", AT_GRANT_CHECK_NUMBERS, "has non-integer max_uses/uses" },
		{ AT_GRANT_USES, "1.0", AT_GRANT_CHECK_NUMBERS, "has non-integer max_uses/uses" },
		{ AT_GRANT_MAX_USES, "1_0", AT_GRANT_CHECKS, "" }, /* an integer to Python */
		{ AT_GRANT_MAX_USES, "100000000000000000000", AT_GRANT_CHECKS, "" },
		{ AT_GRANT_USES, "2", AT_GRANT_CHECK_USES, "is exhausted (uses=2, max_uses=2)" },
		{ AT_GRANT_USES, "-1", AT_GRANT_CHECK_USES,
			"is exhausted (uses=-1" }, /* passed there */
		{ AT_GRANT_MAX_USES, "0", AT_GRANT_CHECK_USES, "is exhausted" },
		{ AT_GRANT_APPROVER, "mallory", AT_GRANT_CHECK_APPROVER,
			"grant approver 'mallory' is not on the security-approver roster" },
		{ AT_GRANT_APPROVER, "@BOB", AT_GRANT_CHECKS, "" },
		{ AT_GRANT_TARGET, "/srv/../etc", AT_GRANT_CHECK_TARGET, "leads through '..'" },
		{ AT_GRANT_TARGET, "//", AT_GRANT_CHECK_TARGET, "filesystem root" },
		{ AT_GRANT_TARGET, "~root", AT_GRANT_CHECK_TARGET, "home-rooted" },
		{ AT_GRANT_ISSUER_ROOT, "srv", AT_GRANT_CHECK_ANCHOR,
			"'srv' is not an absolute path" },
		{ AT_GRANT_ISSUER_ROOT, "/srv/team-c", AT_GRANT_CHECK_ANCHOR,
			"outside its issuer_root" },
		{ AT_GRANT_ISSUER_ROOT, "/srv/team-b", AT_GRANT_CHECKS, "" },
	};
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_bytes cells[AT_GRANT_COLUMNS];
		struct at_grant_verdict v;

		make_row(cells);
		cells[rows[i].column] = at_bytes_of(rows[i].value);
		judge(&g, &v, cells, AT_GRANT_FULL);
		if (v.failed != rows[i].failed || !strstr(v.fault.message, rows[i].says))
			fail_msg("row %zu: %d %s", i, (int)v.failed, v.fault.message);
		assert_row(i, v.is_valid == (v.failed == AT_GRANT_CHECKS));
		assert_row(i, v.widens == v.is_valid);
		for (unsigned c = 0; c < AT_GRANT_CHECKS; c++)
			assert_row(i,
				v.results[c]
					== (c < v.failed                ? AT_GRANT_PASS
							: c == v.failed ? AT_GRANT_FAIL
									: AT_GRANT_NOT_REACHED));
	}
	ground_close(&g);
}

static void key_4_what_a_row_widens_to(void **state)
{
	static const struct {
		const char *ops, *target;
		bool widens, is_absolute;
	} rows[] = {
		{ "write", " /srv/x ", true, true },
		{ " read ; write ", "in/box", true, false },
		{ "read", "/srv/x", false, true },
		{ "WRITE", "/srv/x", false, true },
		{ "writes", "/srv/x", false, true },
		{ ";write;", "x", true, false },
	};
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_bytes cells[AT_GRANT_COLUMNS];
		struct at_grant_verdict v;

		make_row(cells);
		cells[AT_GRANT_OPS] = at_bytes_of(rows[i].ops);
		cells[AT_GRANT_TARGET] = at_bytes_of(rows[i].target);
		judge(&g, &v, cells, AT_GRANT_FULL);
		assert_row(i, v.is_valid && v.widens == rows[i].widens);
		assert_row(i, v.is_absolute == rows[i].is_absolute);
		assert_row(
			i, at_bytes_equal(v.target, at_field_strip(at_bytes_of(rows[i].target))));
		assert_row(i, v.has_expiry && v.days_left > 26000);
	}
	ground_close(&g);
}

/* An HMAC row may read: its signature is asked, its scheme is not. */
static void key_5_hmac_may_read(void **state)
{
	static const struct {
		const char *scheme, *ops;
		bool holds;
	} rows[] = {
		{ "", "read", true },
		{ "hmac", "read", true },
		{ "", "read;write", false },
		{ "rot13", "read", false },
	};
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_bytes cells[AT_GRANT_COLUMNS];
		struct at_grant_verdict v;

		make_row(cells);
		cells[AT_GRANT_SCHEME] = at_bytes_of(rows[i].scheme);
		cells[AT_GRANT_KEY_ID] = at_bytes_of("");
		cells[AT_GRANT_OPS] = at_bytes_of(rows[i].ops);
		judge(&g, &v, cells, AT_GRANT_FULL);
		if (v.is_valid != rows[i].holds)
			fail_msg("row %zu: %s", i, v.fault.message);
		assert_row(i, !v.widens);
		if (i == 3)
			assert_non_null(
				strstr(v.fault.message, "declares unknown sig_scheme 'rot13'"));
	}
	ground_close(&g);
}

/* A link that is laid after the grant was signed leads nowhere. */
static void key_7_an_anchor_follows_links(void **state)
{
	struct ledger_ground g;
	struct at_grant_verdict v;
	struct at_bytes cells[AT_GRANT_COLUMNS];
	char root[600], target[700];

	(void)state;
	ground_open(&g);
	snprintf(root, sizeof(root), "%s/issuer", g.tree);
	snprintf(target, sizeof(target), "%s/issuer/out", g.tree);
	assert_int_equal(mkdir(root, 0755), 0);
	for (int step = 0; step < 3; step++) {
		make_row(cells);
		cells[AT_GRANT_ISSUER_ROOT] = at_bytes_of(root);
		cells[AT_GRANT_TARGET] = at_bytes_of(target);
		judge(&g, &v, cells, AT_GRANT_FULL);
		assert_row(step, v.is_valid == (step != 1));
		if (step == 0)
			assert_int_equal(symlink(g.work, target), 0);
		if (step == 1) {
			/* Another that stays inside. */
			unlink(target);
			assert_int_equal(symlink("../issuer/in", target), 0);
		}
	}
	ground_close(&g);
}

static void key_4_checks_have_names(void **state)
{
	(void)state;
	for (unsigned c = 0; c < AT_GRANT_CHECKS; c++) {
		assert_true(*at_grant_check_name((enum at_grant_check)c));
		assert_true(*at_grant_check_help((enum at_grant_check)c));
	}
}

int test_grant_check(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_4_each_check),
		cmocka_unit_test(key_4_what_a_row_widens_to),
		cmocka_unit_test(key_5_hmac_may_read),
		cmocka_unit_test(key_7_an_anchor_follows_links),
		cmocka_unit_test(key_4_checks_have_names),
	};

	return cmocka_run_group_tests_name("grant_check", tests, NULL, NULL);
}
