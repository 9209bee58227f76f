/* What signed grants open at an emission, and what opens nothing. */
#include "emit/fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "keys/grant_issue.h"
#include "keys/pem.h"
#include "keys/team_keys.h"

#define LEDGER "references/capability-grants.log.csv"
#define STORE REFS "authorized-verify-keys/op-1.pub.pem"

struct signer {
	struct fixture *f;
	struct at_secret seed;
	struct at_team_place place;
	struct at_grants_site site;
	int team;
};

static void begin(struct signer *s, struct fixture *f, const char *brief)
{
	struct at_public_key key;
	struct at_buf pem = { 0 };

	fixture_begin(f, brief);
	fixture_write(f, REFS "security-approvers.txt", "alice\n");
	assert_true(at_ed25519_make(&s->seed, &f->err));
	assert_true(at_ed25519_public(&key, &s->seed, &f->err));
	at_pem_write_public(&pem, &key);
	fixture_write(f, STORE, at_buf_text(&pem));
	at_buf_free(&pem);
	s->f = f;
	s->team = at_file_open_dir(f->project.fd, ".claude/agents", &f->err);
	assert_true(s->team >= 0);
	s->place = (struct at_team_place){ f->project.fd, ".claude/agents" };
	s->site = (struct at_grants_site){ .ledger_root = f->project.fd, .team_dir = s->team,
		.ledger_root_path = f->project_path, .team_dir_path = ".claude/agents",
		.keys = { at_team_key_find, &s->place }, .now = at_time_now() };
}

static void end(struct signer *s)
{
	close(s->team);
	at_secret_free(&s->seed);
	fixture_end(s->f);
}

static void grant(struct signer *s, const char *holder, const char *target, const char *ops)
{
	struct at_grant_spec spec = { .issuer_team = at_bytes_of("team-b"),
		.holder_team = at_bytes_of(holder), .target_path = at_bytes_of(target),
		.permitted_ops = at_bytes_of(ops), .expires_at = at_bytes_of("2099-01-01T00:00:00Z"),
		.approver = at_bytes_of("alice"), .ticket_id = at_bytes_of("T-1"),
		.reason_code = at_bytes_of("why"), .max_uses = 1, .key_id = at_bytes_of("op-1") };
	struct at_ledger_appended appended;
	struct at_grant_draft draft;
	struct at_error err;

	if (!at_grant_prepare(
		    &draft, s->f->arena, &spec, AT_GRANT_ED25519, &s->site, &err)
		|| !at_grant_sign(&draft, s->f->arena, &s->seed, &err)
		|| !at_grant_append(&appended, &draft, &s->site, &err))
		fail_msg("grant %s: %s", target, err.message);
}

/* KEY-4, KEY-8: exactly what is granted, to whom it is granted, once, however often it is planned. */
static void key_8_widens_by_exactly_that(void **state)
{
	static const char *const want[] = { ".", "/srv/shared", "shared/inbox", NULL };
	struct signer s;
	struct fixture f;

	(void)state;
	begin(&s, &f, "{\"privilege_profile\": \"confined\"}");
	fixture_must_plan(&f);
	grant(&s, "project", "/srv/shared", "write");
	grant(&s, "another-team", "/srv/theirs", "write");
	grant(&s, "project", "/srv/seen", "read");
	grant(&s, "project", "shared/inbox", "read;write");
	grant(&s, "project", "/srv/shared", "write");
	for (int round = 0; round < 3; round++) {
		fixture_must_plan(&f);
		fixture_assert_list(&f, "sandbox.filesystem.allowWrite", want);
		assert_int_equal(fixture_notice_count(&f, "grant-applied"), 2);
	}
	/* The same manifest again: what was added is not added twice. */
	at_plan_free(&f.plan);
	at_plan_init(&f.plan);
	if (!at_emit_plan(&f.plan, &f.notices, &f.manifest, &f.project, &f.err))
		fail_msg("%s", f.err.message);
	assert_int_equal(f.manifest.root_count, 3);
	assert_non_null(f.manifest.roots[1].grant);
	assert_non_null(strstr(fixture_notice(&f, "sandbox-widening"), f.manifest.roots[1].grant));
	end(&s);
}

/* KEY-7: under exclusive a granted place is opened for reading too. */
static void key_8_exclusive_reads_it_too(void **state)
{
	static const char *const want[] = { ".", "/srv/shared", NULL };
	struct signer s;
	struct fixture f;

	(void)state;
	begin(&s, &f, "{\"privilege_profile\": \"exclusive\"}");
	grant(&s, "project", "/srv/shared", "write");
	fixture_must_plan(&f);
	fixture_assert_list(&f, "sandbox.filesystem.allowWrite", want);
	fixture_assert_list(&f, "sandbox.filesystem.allowRead", want);
	end(&s);
}

static void edit_ledger(struct fixture *f, const char *from, const char *to)
{
	struct at_buf text = fixture_read(f, LEDGER);
	char *at = strstr(text.data, from);

	assert_non_null(at);
	assert_int_equal(strlen(from), strlen(to));
	memcpy(at, to, strlen(to));
	fixture_write(f, LEDGER, text.data);
	at_buf_free(&text);
}

/* KEY-3, KEY-5, KEY-6: what makes it void, and that it is said. */
static void key_3_nothing_is_applied(void **state)
{
	static const struct {
		const char *what, *notice;
		const char *remove, *write, *text;
		const char *from, *to;
	} rows[] = {
		{ "no roster", "grant-skipped", REFS "security-approvers.txt", NULL, NULL, NULL, NULL },
		{ "a stub roster", "grant-skipped", NULL, REFS "security-approvers.txt", "# nobody\n",
			NULL, NULL },
		{ "another roster", "grant-skipped", NULL, REFS "security-approvers.txt", "bob\n", NULL,
			NULL },
		{ "no key", "grants-unreadable", STORE, NULL, NULL, NULL, NULL },
		{ "an edited target", "grants-unreadable", NULL, NULL, NULL, "/srv/one", "/srv/two" },
		{ "an edited signature", NULL, NULL, NULL, NULL, ",ed25519,", ",ED25519," },
		{ "a header that is none", "grants-unreadable", NULL, LEDGER, "a,b\n1,2\n", NULL, NULL },
		{ "a cut tail", "grants-unreadable", NULL, NULL, NULL, NULL, NULL },
		{ "a link", "grants-unreadable", LEDGER, NULL, NULL, NULL, NULL },
		{ "a FIFO", "grants-unreadable", LEDGER, NULL, NULL, NULL, NULL },
		{ "a directory", "grants-unreadable", LEDGER, NULL, NULL, NULL, NULL },
		{ "no ledger, but a head", "grants-unreadable", LEDGER, NULL, NULL, NULL, NULL },
	};
	static const char *const want[] = { ".", NULL };

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct signer s;
		struct fixture f;

		begin(&s, &f, "{\"privilege_profile\": \"confined\"}");
		grant(&s, "project", "/srv/one", "write");
		grant(&s, "project", "/srv/one/more", "write");
		if (rows[i].remove)
			assert_int_equal(unlinkat(f.project.fd, rows[i].remove, 0), 0);
		if (strcmp(rows[i].what, "a link") == 0)
			assert_int_equal(symlinkat("../brief.json", f.project.fd, LEDGER), 0);
		if (strcmp(rows[i].what, "a FIFO") == 0)
			assert_int_equal(mkfifoat(f.project.fd, LEDGER, 0600), 0);
		if (strcmp(rows[i].what, "a directory") == 0)
			assert_int_equal(mkdirat(f.project.fd, LEDGER, 0700), 0);
		if (rows[i].write)
			fixture_write(&f, rows[i].write, rows[i].text);
		if (rows[i].from)
			edit_ledger(&f, rows[i].from, rows[i].to);
		if (strcmp(rows[i].what, "a cut tail") == 0) {
			struct at_buf text = fixture_read(&f, LEDGER);

			text.data[text.len - 1] = '\0';
			*(strrchr(text.data, '\n') + 1) = '\0';
			fixture_write(&f, LEDGER, text.data);
			at_buf_free(&text);
		}
		if (!fixture_plan(&f))
			fail_msg("%s: %s", rows[i].what, f.err.message);
		fixture_assert_list(&f, "sandbox.filesystem.allowWrite", want);
		if (rows[i].notice && !fixture_notice(&f, rows[i].notice))
			fail_msg("%s: not said", rows[i].what);
		end(&s);
	}
}

/* KEY-4: only claude's sandbox reads grants. */
static void key_4_no_other_framework(void **state)
{
	struct signer s;
	struct fixture f;

	(void)state;
	begin(&s, &f, "{\"privilege_profile\": \"confined\"}");
	grant(&s, "project", "/srv/shared", "write");
	f.options.framework = AT_CODEX;
	f.project.team_dir = ".codex/agents";
	fixture_must_plan(&f);
	assert_int_equal(f.manifest.root_count, 1);
	end(&s);
}

/* REQ-3: a signature lifts no ban. */
static void req_3_bans_hold_for_grants(void **state)
{
	struct signer s;
	struct fixture f;

	(void)state;
	begin(&s, &f, "{\"privilege_profile\": \"confined\"}");
	grant(&s, "project", ".claude", "write");
	assert_false(fixture_plan(&f));
	assert_string_equal(f.err.id, "root-banned");
	assert_non_null(strstr(f.err.message, "signed capability grant"));
	end(&s);
}

/* KEY-13: what a grant opened is stale once the grant is void. */
static void key_13_after_a_grant(void **state)
{
	struct at_buf example;
	struct signer s;
	struct fixture f;

	(void)state;
	begin(&s, &f, "{\"privilege_profile\": \"confined\"}");
	grant(&s, "project", "/srv/shared", "write");
	fixture_update(&f);
	example = fixture_read(&f, EXAMPLE);
	fixture_write(&f, LIVE, at_buf_text(&example));
	at_buf_free(&example);
	fixture_must_plan(&f);
	assert_null(fixture_notice(&f, "stale-widening"));
	fixture_write(&f, REFS "security-approvers.txt", "bob\n");
	fixture_must_plan(&f);
	assert_non_null(strstr(fixture_notice(&f, "stale-widening"), "'/srv/shared'"));
	end(&s);
}

int test_grants(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_8_widens_by_exactly_that),
		cmocka_unit_test(key_8_exclusive_reads_it_too),
		cmocka_unit_test(key_3_nothing_is_applied),
		cmocka_unit_test(key_4_no_other_framework),
		cmocka_unit_test(req_3_bans_hold_for_grants),
		cmocka_unit_test(key_13_after_a_grant),
	};

	return cmocka_run_group_tests_name("grants", tests, NULL, NULL);
}
