#include "keys/ledger_ground.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool find_key(void *context, struct at_public_key *out, const char *key_id,
	struct at_error *err)
{
	struct ledger_ground *g = context;

	g->asked++;
	*out = g->key;
	return strcmp(key_id, "op-1") == 0 || at_fail(err, AT_ENOENT, "no such file");
}

void ground_open(struct ledger_ground *g)
{
	*g = (struct ledger_ground){ .tree = test_tree_new(), .arena = at_arena_new() };
	snprintf(g->work, sizeof(g->work), "%s/work", g->tree);
	snprintf(g->team, sizeof(g->team), "%s/team", g->tree);
	assert_int_equal(mkdir(g->work, 0755), 0);
	assert_int_equal(mkdir(g->team, 0755), 0);
	ground_roster(g, "alice\n@Bob\n");
	assert_true(at_secret_new(&g->seed, AT_SEED_BYTES, &g->err));
	for (unsigned i = 0; i < AT_SEED_BYTES; i++)
		g->seed.bytes[i] = (unsigned char)i;
	assert_true(at_ed25519_public(&g->key, &g->seed, &g->err));
	g->site = (struct at_grants_site){
		.ledger_root = open(g->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.team_dir = open(g->team, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.ledger_root_path = "<WS>",
		.team_dir_path = "<TEAM>",
		.hmac_key = at_bytes_of("throwaway"),
		.keys = { find_key, g },
		.now = { 1796000000, 0 }, /* 2026-11-30 */
	};
}

void ground_close(struct ledger_ground *g)
{
	close(g->site.ledger_root);
	close(g->site.team_dir);
	at_secret_free(&g->seed);
	at_arena_free(g->arena);
	test_tree_remove(g->tree);
}

void ground_roster(struct ledger_ground *g, const char *text)
{
	unlink(test_path(g->team, AT_APPROVERS));
	if (text)
		test_write(g->team, AT_APPROVERS, text);
}

void ground_ledger(struct ledger_ground *g, struct at_bytes text)
{
	static const char *const beside[] = { "", ".head", ".torn" };

	for (size_t i = 0; i < AT_LEN(beside); i++) {
		char name[128];

		snprintf(name, sizeof(name), "%s%s", AT_GRANTS_PATH, beside[i]);
		unlink(test_path(g->work, name));
	}
	if (text.data)
		test_write_bytes(g->work, AT_GRANTS_PATH, text.data, text.len);
}

struct at_buf ground_read(struct ledger_ground *g)
{
	return test_read(g->work, AT_GRANTS_PATH);
}

bool ground_has(struct ledger_ground *g, const char *suffix)
{
	char name[128];

	snprintf(name, sizeof(name), "%s%s", AT_GRANTS_PATH, suffix);
	return test_exists(g->work, name);
}

struct at_bytes ground_vector(struct ledger_ground *g, const char *path)
{
	char name[256];
	struct at_buf text;
	struct at_bytes out;

	snprintf(name, sizeof(name), "vectors/%s", path);
	text = test_read(NULL, name);
	out = (struct at_bytes){ at_arena_strndup(g->arena, at_buf_text(&text), text.len), text.len };
	at_buf_free(&text);
	return out;
}

struct at_grant_spec ground_spec(const char *target, const char *ops)
{
	return (struct at_grant_spec){
		.issuer_team = at_bytes_of("team-b"),
		.holder_team = at_bytes_of("team-a"),
		.target_path = at_bytes_of(target),
		.permitted_ops = at_bytes_of(ops),
		.expires_at = at_bytes_of("2099-01-01T00:00:00Z"),
		.approver = at_bytes_of("alice"),
		.ticket_id = at_bytes_of("T-1"),
		.reason_code = at_bytes_of("collab"),
		.max_uses = 1,
	};
}

bool ground_issue(struct ledger_ground *g, const struct at_grant_spec *spec,
	enum at_grant_scheme scheme, struct at_ledger_appended *out)
{
	struct at_grant_spec named = *spec;
	struct at_grant_draft draft;

	if (scheme == AT_GRANT_ED25519 && !named.key_id.data)
		named.key_id = at_bytes_of("op-1");
	return at_grant_prepare(&draft, g->arena, &named, scheme, &g->site, &g->err) &&
	       (scheme == AT_GRANT_ED25519
			       ? at_grant_sign(&draft, g->arena, &g->seed, &g->err)
			       : at_grant_seal(&draft, g->arena, g->site.hmac_key, &g->err)) &&
	       at_grant_append(out, &draft, &g->site, &g->err);
}

struct at_grants ground_walk(struct ledger_ground *g, enum at_grant_mode mode)
{
	struct at_grants grants;

	if (!at_grants_walk(&grants, &g->site, mode, NULL, NULL, &g->err))
		fail_msg("walk: %s", g->err.message);
	return grants;
}
