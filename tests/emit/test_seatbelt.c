/* The reader of Seatbelt profiles: what it reads, what it refuses, what it answers. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "emit/seatbelt.h"

#define HEAD "(version 1)(allow default)"
#define ALLOWED AT_SEATBELT_ALLOWED
#define DENIED AT_SEATBELT_DENIED
#define UNTOLD AT_SEATBELT_CANNOT_TELL

static const struct at_seatbelt_param params[] = { { "WORKSPACE_ROOT", "/w" },
	{ "HOME_DIR", "/home/o" }, { NULL, NULL } };

static enum at_seatbelt_answer ask(const char *text, const struct at_seatbelt_question *q)
{
	struct at_seatbelt profile;
	enum at_seatbelt_answer answer;
	struct at_error err;

	if (!at_seatbelt_read(&profile, at_bytes_of(text), &err))
		fail_msg("`%s`: line %u: %s", text, err.line, err.message);
	answer = at_seatbelt_ask(&profile, q);
	at_seatbelt_free(&profile);
	return answer;
}

static enum at_seatbelt_answer ask_path(const char *text, const char *op, const char *path)
{
	struct at_seatbelt_question q = { .op = op, .path = path, .params = params };

	return ask(text, &q);
}

/* EMIT-11: last match wins, and a deny is found as a deny. */
static void emit_11_last_match_wins(void **state)
{
#define DENY_ALL HEAD "(deny file-write*)"
#define OPEN DENY_ALL "(allow file-write* (subpath (param \"WORKSPACE_ROOT\")))"
#define SHUT OPEN "(deny file-write* (subpath (string-append (param \"WORKSPACE_ROOT\") \"/.x\")))"
	static const struct {
		const char *text, *op, *path;
		enum at_seatbelt_answer want;
	} rows[] = {
		{ HEAD, "file-write*", "/etc/x", ALLOWED },
		{ "(version 1)(deny default)", "file-write*", "/etc/x", DENIED },
		{ "(version 1)", "file-write*", "/etc/x", UNTOLD },
		{ DENY_ALL, "file-write*", "/etc/x", DENIED },
		{ DENY_ALL, "file-read*", "/etc/x", ALLOWED },
		{ OPEN, "file-write*", "/w/a", ALLOWED },
		{ OPEN, "file-write*", "/w", ALLOWED },
		{ OPEN, "file-write*", "/wa", DENIED },
		{ SHUT, "file-write*", "/w/a", ALLOWED },
		{ SHUT, "file-write*", "/w/.x", DENIED },
		{ SHUT, "file-write*", "/w/.x/y/z", DENIED },
		{ SHUT, "file-write*", "/w/.xy", ALLOWED },
		/* an allow after it opens again, whole or in part, and by any name */
		{ SHUT "(allow file-write*)", "file-write*", "/w/.x", ALLOWED },
		{ SHUT "(allow file*)", "file-write*", "/w/.x", ALLOWED },
		{ SHUT "(allow default)", "file-write*", "/w/.x", ALLOWED },
		{ SHUT "(allow file-write-data (literal \"/w/.x/y\"))", "file-write*", "/w/.x/y",
			ALLOWED },
		{ SHUT "(allow file-write-data (literal \"/w/.x/y\"))", "file-write*", "/w/.x/z",
			DENIED },
		{ SHUT "(allow file-write-unheard (literal \"/w/.x/y\"))", "file-write*", "/w/.x/y",
			ALLOWED },
		{ SHUT "(allow file-write-unheard (literal \"/w/.x/y\"))", "file-write-data",
			"/w/.x/y", DENIED },
		{ SHUT "(allow file-read*)", "file-write*", "/w/.x", DENIED },
		/* and a deny after that shuts it */
		{ SHUT "(allow default)(deny file-write-data)", "file-write-data", "/w/.x", DENIED },
		{ SHUT "(allow default)(deny file-write-data)", "file-write*", "/w/.x", ALLOWED },
		/* several operations, several filters: any of them */
		{ HEAD "(deny file-write-unlink file-write-create (literal \"/a\") (literal \"/b\"))",
			"file-write-create", "/b", DENIED },
		{ HEAD "(deny file-write-unlink file-write-create (literal \"/a\") (literal \"/b\"))",
			"file-write-data", "/b", ALLOWED },
		{ HEAD "(deny file-write* (literal \"/a\"))", "file-write*", "/a/b", ALLOWED },
		{ HEAD "(deny file-write* (subpath \"/\"))", "file-write*", "/a/b", DENIED },
		{ HEAD "(deny file-write* (with no-log))", "file-write*", "/a/b", DENIED },
		{ HEAD "(deny file-write* (literal \"/a\") (with no-log))", "file-write*", "/b",
			ALLOWED },
		{ HEAD "(deny file-write* (require-all (subpath \"/a\") (require-not (literal "
			"\"/a/b\"))))", "file-write*", "/a/c", DENIED },
		{ HEAD "(deny file-write* (require-all (subpath \"/a\") (require-not (literal "
			"\"/a/b\"))))", "file-write*", "/a/b", ALLOWED },
		{ HEAD "(deny file-write* (require-any (literal \"/a\") (literal \"/b\")))",
			"file-write*", "/b", DENIED },
		{ HEAD " ; (deny default)\n(deny file-write* ; all\n)", "file-read*", "/a", ALLOWED },
		{ HEAD "(deny file-write* (literal \"/a\\\"\\\\b\"))", "file-write*", "/a\"\\b",
			DENIED },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		if (ask_path(rows[i].text, rows[i].op, rows[i].path) != rows[i].want)
			fail_msg("row %zu: `%s` on %s is not `%s`", i, rows[i].text, rows[i].path,
				at_seatbelt_answer_name(rows[i].want));
}

/* WIRE-5: what is not known is never taken for a deny, unless it cannot change one. */
static void wire_5_cannot_tell(void **state)
{
	static const struct {
		const char *text, *path;
		enum at_seatbelt_answer want;
	} rows[] = {
		{ DENY_ALL "(allow file-write* (vnode-type REGULAR-FILE))", "/a", UNTOLD },
		{ DENY_ALL "(allow file-write* (extension \"x\"))", "/a", UNTOLD },
		{ HEAD "(deny file-write* (vnode-type REGULAR-FILE))", "/a", UNTOLD },
		{ DENY_ALL "(deny file-write* (vnode-type REGULAR-FILE))", "/a", DENIED },
		{ DENY_ALL "(allow file-write* (vnode-type X))(deny file-write*)", "/a", DENIED },
		{ DENY_ALL "(allow file-write* (subpath (param \"OTHER\")))", "/a", UNTOLD },
		{ DENY_ALL "(allow file-write* (subpath (home)))", "/a", UNTOLD },
		{ DENY_ALL "(allow file-write* (subpath \"/a/\"))", "/a/b", UNTOLD },
		{ DENY_ALL "(allow file-write* (subpath \"a\"))", "/a/b", UNTOLD },
		{ DENY_ALL "(allow file-write* (subpath))", "/a/b", UNTOLD },
		{ DENY_ALL "(allow file-write* (require-not (vnode-type X)))", "/a/b", UNTOLD },
		{ DENY_ALL "(import \"system.sb\")", "/a", UNTOLD },
		{ DENY_ALL "(define (deny . x) 1)", "/a", UNTOLD },
		{ DENY_ALL "(if x (allow file-write*))", "/a", UNTOLD },
		{ DENY_ALL "()", "/a", UNTOLD },
		{ DENY_ALL "(debug deny)", "/a", DENIED },
		{ DENY_ALL "(allow network* (remote ip \"localhost:1\"))", "/a", DENIED },
		{ DENY_ALL "(allow file-write* (remote ip \"localhost:1\"))", "/a", UNTOLD },
		{ DENY_ALL, "a/b", UNTOLD },
		{ DENY_ALL, "/a/../b", UNTOLD },
		{ DENY_ALL, "/a/..", UNTOLD },
		{ DENY_ALL, "/a//b", UNTOLD },
		{ DENY_ALL, "/a/", UNTOLD },
		{ DENY_ALL "(allow file-write* (regex #\"^/a$\"))", "/a", ALLOWED },
		{ DENY_ALL "(allow file-write* (regex #\"^/a$\"))", "/ab", DENIED },
		{ DENY_ALL "(allow file-write* (regex #\"^/a\"))", "/ab/c", ALLOWED },
		{ DENY_ALL "(allow file-write* (regex #\"^/a(/|$)\"))", "/ab", DENIED },
		{ DENY_ALL "(allow file-write* (regex #\"^/a(/|$)\"))", "/a/b", ALLOWED },
		{ DENY_ALL "(allow file-write* (regex #\"^/a\\.b$\"))", "/a.b", ALLOWED },
		{ DENY_ALL "(allow file-write* (regex #\"^/a\\.b$\"))", "/axb", DENIED },
		{ DENY_ALL "(allow file-write* (regex #\"^/a.b$\"))", "/axb", UNTOLD },
		{ DENY_ALL "(allow file-write* (regex #\"^/c.b$\"))", "/axb", UNTOLD },
		{ DENY_ALL "(allow file-write* (regex #\"^/a\\d$\"))", "/a1", UNTOLD },
		{ DENY_ALL "(allow file-write* (regex #\"a\"))", "/b", UNTOLD },
		{ DENY_ALL "(allow file-write* (regex \"^/a\"))", "/b", UNTOLD },
		{ DENY_ALL "(allow file-write* (regex #\"^/x|.*\"))", "/b", UNTOLD },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		if (ask_path(rows[i].text, "file-write*", rows[i].path) != rows[i].want)
			fail_msg("row %zu: `%s` on %s is not `%s`", i, rows[i].text, rows[i].path,
				at_seatbelt_answer_name(rows[i].want));
}

static void emit_11_network(void **state)
{
#define NET HEAD "(deny network*)"
	static const struct {
		const char *text, *host;
		unsigned port;
		enum at_seatbelt_answer want;
	} rows[] = {
		{ HEAD, "elsewhere", 443, ALLOWED },
		{ NET, "elsewhere", 443, DENIED },
		{ NET, "localhost", 443, DENIED },
		{ NET "(allow network-outbound (remote ip \"localhost:8443\"))", "localhost", 8443,
			ALLOWED },
		{ NET "(allow network-outbound (remote ip \"localhost:8443\"))", "localhost", 8444,
			DENIED },
		{ NET "(allow network-outbound (remote ip \"localhost:8443\"))", "elsewhere", 8443,
			DENIED },
		{ NET "(allow network-outbound (remote ip \"localhost:*\"))", "localhost", 1,
			ALLOWED },
		{ NET "(allow network-outbound (remote tcp \"*:443\"))", "elsewhere", 443, ALLOWED },
		{ NET "(allow network-outbound (remote ip \"10.0.0.1:443\"))", "elsewhere", 443,
			UNTOLD },
		{ NET "(allow network-outbound (remote ip \"localhost\"))", "localhost", 1, UNTOLD },
		{ NET "(allow network-outbound (remote unix-socket))", "elsewhere", 1, UNTOLD },
		{ NET "(allow network-outbound)", "elsewhere", 1, ALLOWED },
		{ NET "(allow network-inbound)", "elsewhere", 1, DENIED },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_seatbelt_question q = { .op = "network-outbound", .host = rows[i].host,
			.port = rows[i].port };

		assert_row(i, ask(rows[i].text, &q) == rows[i].want);
	}
}

static char *repeat(const char *text, size_t times, const char *end)
{
	struct at_buf out = { 0 };
	char *copy;

	at_buf_puts(&out, "(version 1)");
	for (size_t i = 0; i < times; i++)
		at_buf_puts(&out, text);
	at_buf_puts(&out, end);
	copy = at_strdup(at_buf_text(&out));
	at_buf_free(&out);
	return copy;
}

/* WIRE-5: what is no profile is refused with a line, and nothing of it is used. */
static void wire_5_refuses(void **state)
{
	static const struct { const char *text; enum at_code code; unsigned line; } rows[] = {
		{ "", AT_EINVALID, 1 }, { " ; nothing\n", AT_EINVALID, 2 },
		{ "(allow default)", AT_EINVALID, 1 }, { "(version 2)", AT_EINVALID, 1 },
		{ "(version 1 1)", AT_EINVALID, 1 }, { "(version \"1\")", AT_EINVALID, 1 },
		{ "version 1", AT_EINVALID, 1 },
		{ "(version 1)\n\n(allow default", AT_EPARSE, 3 },
		{ "(version 1))", AT_EPARSE, 1 },
		{ "(version 1)(allow)", AT_EINVALID, 1 },
		{ "(version 1)(allow (subpath \"/a\"))", AT_EINVALID, 1 },
		{ "(version 1)(allow file* \"/a\")", AT_EINVALID, 1 },
		{ "(version 1)(allow file* (subpath \"/a\") file-read*)", AT_EINVALID, 1 },
		{ "(version 1)(allow file* ())", AT_EINVALID, 1 },
		{ "(version 1)(allow file* (literal \"/a))", AT_EPARSE, 1 },
		{ "(version 1)(allow file* (literal \"/a\n\"))", AT_EPARSE, 1 },
		{ "(version 1)(allow file* (literal \"/a\\n\"))", AT_EPARSE, 1 },
		{ "(version 1)(allow file* (literal \"/a\"\"/b\"))", AT_EPARSE, 1 },
		{ "(version 1)(allow file*(literal \"/a\"))", AT_EPARSE, 1 },
		{ "(version 1)(allow 'file*)", AT_EPARSE, 1 },
		{ "(version 1)#| x |#", AT_EPARSE, 1 },
		{ "(version 1)(allow default) word", AT_EINVALID, 1 },
		{ "(version 1)(allow f\xff)", AT_EPARSE, 1 },
	};
	static const struct { const char *text; size_t times; const char *end; } large[] = {
		{ "(", 33, ")" }, { "(", 1000000, "" }, { "(allow default)", 40000, "" },
		{ " ", AT_SEATBELT_SIZE_MAX, "" },
	};
	struct at_seatbelt profile;
	struct at_error err;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		assert_row(i, !at_seatbelt_read(&profile, at_bytes_of(rows[i].text), &err));
		assert_row(i, err.code == rows[i].code && err.line == rows[i].line);
		assert_row(i, *err.message && *err.hint);
	}
	for (size_t i = 0; i < AT_LEN(large); i++) {
		char *text = repeat(large[i].text, large[i].times, large[i].end);

		assert_row(i, !at_seatbelt_read(&profile, at_bytes_of(text), &err));
		assert_row(i, err.code == AT_ELIMIT);
		free(text);
	}
	assert_false(at_seatbelt_read(&profile, (struct at_bytes){ "(version 1)\0", 12 }, &err));
}

int test_seatbelt(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_11_last_match_wins),
		cmocka_unit_test(wire_5_cannot_tell),
		cmocka_unit_test(emit_11_network),
		cmocka_unit_test(wire_5_refuses),
	};

	return cmocka_run_group_tests_name("seatbelt", tests, NULL, NULL);
}
