#include "views/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/apply.h"
#include "keys/pem.h"
#include "support/support.h"
#include "views/frame.h"
#include "views/staged_ground.h"
#include "views/step_hooks.h"

static int64_t now_ms(void *user)
{
	struct fixture *f = user;

	return f->now += 1000; /* no guard time to wait for */
}

static int frame_rows(void *user, int width, int height)
{
	(void)user;
	return at_frame_rows(width, height);
}

static void frame(void *user, const struct at_app *app, const struct at_canvas *canvas)
{
	struct fixture *f = user;

	(void)app;
	at_frame_paint(&f->session, &f->collected, f->digit, canvas);
}

static void emit(struct fixture *f)
{
	struct at_collected c;
	struct at_applied applied;
	struct at_error err;

	at_collect(&c, &f->session);
	if (!c.is_planned || !at_plan_apply(&c.plan, f->session.project.fd, &f->session.state, "update",
				     &applied, &err))
		fail_msg("%s", c.is_planned ? err.message : c.plan_error.message);
	at_collected_free(&c);
}

/* The one that is shown is left for whoever asks for it. */
static void emit_neighbours(struct fixture *f)
{
	const enum at_framework_id own = f->session.manifest.framework;
	struct at_error err;

	for (int id = AT_FRAMEWORK_COUNT; id-- > 0;) {
		if (id == (int)own)
			continue;
		if (!at_session_choose_framework(&f->session, (enum at_framework_id)id, &err))
			fail_msg("%s", err.message);
		emit(f);
	}
	if (!at_session_choose_framework(&f->session, own, &err))
		fail_msg("%s", err.message);
}

/* The network goes back into the launcher's sandbox, and signatures are asked for no more. */
static void tamper(struct fixture *f)
{
	static const char path[] = "sandbox/confine-run.sh", word[] = "--unshare-net";
	struct at_buf text = test_read(f->options.project, path);
	char *at = strstr(text.data, word);

	assert_non_null(at);
	memcpy(at, "--share-net  ", strlen(word));
	test_write_bytes(f->options.project, path, text.data, text.len);
	at_buf_free(&text);
	assert_int_equal(unlink(test_path(f->options.project,
		".claude/agents/references/agent-privilege.json")), 0);
}

/* Rows and key of the recorded vectors: the screens show the same every day. */
static void put_grants(struct fixture *f)
{
	static const char refs[] = ".claude/agents/references/";
	const char *source = getenv("AT_TEST_SOURCE"), *shop = f->options.project;
	struct at_buf ledger = test_read(source ? source : ".",
		"tests/data/vectors/derived/capability-grants.log.csv");
	struct at_secret seed = { 0 }, pem = { 0 };
	struct at_public_key key;
	struct at_buf text = { 0 };
	struct at_error err;
	char path[256];

	f->session.clock = 1791000000; /* 2026-10-03 */
	test_write_bytes(shop, "references/capability-grants.log.csv", ledger.data, ledger.len);
	at_buf_free(&ledger);
	snprintf(path, sizeof(path), "%ssecurity-approvers.txt", refs);
	test_write(shop, path, "alice\n");
	assert_true(at_secret_new(&seed, AT_SEED_BYTES, &err));
	for (unsigned char i = 0; i < AT_SEED_BYTES; i++)
		seed.bytes[i] = i;
	assert_true(at_ed25519_public(&key, &seed, &err)
		&& at_pem_write_private(&pem, &seed, &err));
	at_pem_write_public(&text, &key);
	snprintf(path, sizeof(path), "%sauthorized-verify-keys/op-1.pub.pem", refs);
	test_write(shop, path, at_buf_text(&text));
	test_write(f->session.host.home, ".config/agentteams/keys/op-1.pub.pem",
		at_buf_text(&text));
	test_write_bytes(f->session.host.home, ".config/agentteams/keys/op-1.pem", pem.bytes,
		pem.len);
	assert_int_equal(chmod(test_path(f->session.host.home,
		".config/agentteams/keys/op-1.pem"), 0600), 0);
	assert_int_equal(chmod(test_path(f->session.host.home, ".config/agentteams/keys"), 0700), 0);
	at_secret_free(&pem);
	at_secret_free(&seed);
	at_buf_free(&text);
}

void fixture_begin(struct fixture *f, const struct fixture_plan *plan,
	const struct at_view_class *class, int digit, int width, int height)
{
	const char *source = getenv("AT_TEST_SOURCE");
	struct at_app_hooks hooks = { .user = f, .now_ms = now_ms, .frame_rows = frame_rows,
		.frame = frame };
	struct at_buf variable = { 0 };
	struct at_error err;
	char path[4096];

	memset(f, 0, sizeof(*f));
	f->digit = digit;
	f->stage = test_tree_new();
	snprintf(path, sizeof(path), "%s/examples/demo-shop", source ? source : ".");
	test_copy_tree(path, test_path(f->stage, "shop"));
	assert_int_equal(mkdir(test_path(f->stage, "home"), 0700), 0);
	setenv("HOME", test_path(f->stage, "home"), 1);
	unsetenv("XDG_STATE_HOME");
	f->accepted[0] = "../demo-shop-build";
	f->options.gate_program = "/nonexistent/agentteams-gate"; /* whatever is installed here */
	f->options.project = at_strdup(test_path(f->stage, "shop"));
	f->options.framework = plan->framework;
	f->options.platform = plan->platform;
	f->options.check = plan->platform != NULL;
	f->options.accept_write_roots = (struct at_option_list){ f->accepted, 1 };
	if (plan->brief)
		test_write(f->options.project, "brief.json", plan->brief);
	if (plan->live)
		test_write(f->options.project, ".claude/settings.json", plan->live);
	if (!at_session_open(&f->session, &f->options, &err))
		fail_msg("%s", err.message);
	f->session.host.search_path = NULL; /* nothing of this machine */
	f->session.host.environment = NULL;
	f->session.no_programs = true;
	f->session.project.managed_dir = "/nonexistent";
	if (plan->gate_log.len) {
		test_write_bytes(test_path(f->stage, "home"), "gate.log", plan->gate_log.data,
			plan->gate_log.len);
		at_buf_printf(&variable, "AGENTTEAMS_GATE_LOG=%s/gate.log", f->session.host.home);
		f->environment[0] = variable.data;
		f->session.host.environment = f->environment;
	}
	if (plan->all_teams)
		emit_neighbours(f);
	if (plan->is_emitted)
		emit(f);
	if (plan->has_grants)
		put_grants(f);
	if (plan->is_tampered)
		tamper(f);
	if (plan->is_staged) {
		f->session.clock = 1791000000;
		staged_sample(f->options.project);
	}
	at_collect(&f->collected, &f->session);
	f->arg = (struct at_view_arg){ &f->session, &f->collected };
	step_hooks(&hooks, digit);
	at_app_init(&f->app, &hooks, width, height);
	assert_true(at_app_push(&f->app, class, &f->arg, &err));
	screen_text(&f->app);
	at_app_idle(&f->app);
}

void fixture_end(struct fixture *f)
{
	at_app_free(&f->app);
	at_collected_free(&f->collected);
	at_session_close(&f->session);
	free((char *)(uintptr_t)f->options.project);
	free(f->environment[0]);
	test_tree_remove(f->stage);
}

void fixture_golden(const struct fixture_plan *plan, const struct at_view_class *class, int digit,
	const char *name, const char *keys)
{
	static const int sizes[][2] = { { 40, 10 }, { 80, 24 }, { 120, 40 }, { 200, 60 } };
	static const struct {
		const char *name;
		enum at_theme_id id;
	} themes[] = { { "dark", AT_THEME_DARK }, { "light", AT_THEME_LIGHT }, { "mono", AT_THEME_MONO } };

	for (size_t s = 0; s < AT_LEN(sizes); s++) {
		struct fixture f;

		fixture_begin(&f, plan, class, digit, sizes[s][0], sizes[s][1]);
		if (*keys)
			screen_keys(&f.app, keys);
		screen_text(&f.app);
		at_app_idle(&f.app);
		for (size_t t = 0; t < AT_LEN(themes); t++) {
			char file[96];

			snprintf(file, sizeof(file), "%s-%dx%d-%s", name, sizes[s][0], sizes[s][1],
				themes[t].name);
			screen_golden(&f.app, themes[t].id, file);
		}
		fixture_end(&f);
	}
}
