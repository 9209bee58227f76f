/* The operator's keys: making, listing, loading, installing, moving. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/apply.h"
#include "core/control_plane.h"
#include "core/fault.h"
#include "keys/key_migrate.h"
#include "keys/keystore.h"
#include "keys/openssl.h"
#include "keys/pem.h"
#include "keys/sealed.h"
#include "keys/verify_store.h"
#include "support/support.h"

#define STORE "home/" AT_KEYS_DIR
#define LEGACY "home/.config/agentteams"
#define TEAM ".claude/agents"
#define INSTALLED "project/" TEAM "/" AT_KEY_STORE

static const struct at_seal_cost cheap = { 1, 8192 };

struct ground {
	char *dir, home[600], project[600];
	const char *agents[1];
	struct at_custody_place place;
	struct at_keystore store;
	struct at_arena *arena;
};

static void open_store(struct ground *g)
{
	struct at_error err = { 0 };

	if (!at_keystore_open(&g->store, g->home, &g->place, &err))
		fail_msg("%s", err.message);
}

static void begin(struct ground *g)
{
	memset(g, 0, sizeof(*g));
	g->dir = test_tree_new();
	g->arena = at_arena_new();
	snprintf(g->home, sizeof(g->home), "%s/home", g->dir);
	snprintf(g->project, sizeof(g->project), "%s/project", g->dir);
	assert_int_equal(mkdir(g->home, 0755), 0);
	assert_int_equal(mkdir(g->project, 0755), 0);
	g->agents[0] = g->project;
	g->place = (struct at_custody_place){ g->agents, 1 };
	open_store(g);
}

static void end(struct ground *g)
{
	at_keystore_close(&g->store);
	at_arena_free(g->arena);
	test_tree_remove(g->dir);
}

static struct at_public_key make(struct ground *g, const char *name)
{
	struct at_error err = { 0 };
	struct at_public_key key;

	if (!at_keystore_new(&key, &g->store, name, NULL, NULL, &err))
		fail_msg("%s", err.message);
	return key;
}

static mode_t mode_of(const struct ground *g, const char *path)
{
	struct stat st;

	assert_int_equal(lstat(test_path(g->dir, path), &st), 0);
	return st.st_mode & 07777;
}

static void key_1_new_key(void **state)
{
	struct at_error err = { 0 };
	struct at_public_key made;
	struct at_key_pair key;
	struct ground g;
	char path[PATH_MAX];
	mode_t mask = umask(0);

	(void)state;
	begin(&g);
	assert_int_equal(g.store.fd, -1);
	assert_false(test_exists(g.dir, "home/.config")); /* looking makes nothing */
	made = make(&g, "op");
	assert_int_equal(mode_of(&g, STORE), 0700);
	assert_int_equal(mode_of(&g, LEGACY), 0700);
	assert_int_equal(mode_of(&g, STORE "/op.pem"), 0600);
	assert_int_equal(mode_of(&g, STORE "/op.pub.pem"), 0644);
	assert_true(at_keystore_find(path, &g.store, "op", &err));
	assert_true(at_key_load(&key, path, &g.place, NULL, NULL, &err));
	assert_true(at_public_key_equal(&key.key, &made));
	at_key_close(&key);
	assert_false(at_keystore_find(path, &g.store, "other", &err));
	assert_int_equal(err.code, AT_ENOENT);
	umask(mask);
	end(&g);
}

static void key_1_names(void **state)
{
	static const struct {
		const char *name;
		bool names, makes;
	} rows[] = {
		{ "op", true, true }, { "a", true, true },
		{ "Op-2.x_y", true, true }, { "..", false, false },
		{ ".", false, false }, { ".op", false, false },
		{ "", false, false }, { "a/b", false, false },
		{ "../op", false, false }, { "a b", false, false },
		{ "op\n", false, false }, { "\xc3\xa9", false, false },
		{ "a|b", false, false }, { "x.pub", true, false },
		{ "x.pem", true, false }, { "x.sealed", true, false },
		{ "0123456789012345678901234567890123456789012345678901234567890123", true, true },
		{ "01234567890123456789012345678901234567890123456789012345678901234", false,
			false },
	};
	struct at_error err = { 0 };
	struct at_public_key key;
	struct ground g;

	(void)state;
	begin(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		bool makes = at_keystore_new(&key, &g.store, rows[i].name, NULL, NULL, &err);

		assert_row(i, at_key_name_check(rows[i].name, &err) == rows[i].names);
		assert_row(i, makes == rows[i].makes);
	}
	end(&g);
}

/* Case 83: what is there, a link too, is a refusal and stays as it is. */
static void key_1_nothing_is_overwritten(void **state)
{
	static const char *const names[] = { "op.pem", "op.sealed", "op.pub.pem" };

	(void)state;
	for (size_t i = 0; i < AT_LEN(names) * 2; i++) {
		const char *name = names[i / 2];
		struct at_error err = { 0 };
		struct at_public_key key;
		char path[600];
		uint64_t before;
		struct ground g;

		begin(&g);
		make(&g, "first");
		snprintf(path, sizeof(path), STORE "/%s", name);
		if (i % 2)
			assert_int_equal(symlink("/nowhere", test_path(g.dir, path)), 0);
		else
			test_write(g.dir, path, "mine");
		before = test_tree_fingerprint(g.dir);
		assert_row(i, !at_keystore_new(&key, &g.store, "op", NULL, NULL, &err));
		assert_row(i, err.code == AT_EEXIST && strstr(err.message, name));
		assert_row(i, test_tree_fingerprint(g.dir) == before);
		end(&g);
	}
}

static void key_1_open_store_is_refused(void **state)
{
	static const struct {
		const char *path;
		mode_t mode;
		const char *hint;
	} rows[] = {
		{ STORE, 0750, "chmod 700 " }, { STORE, 0701, "chmod 700 " },
		{ STORE, 0770, "chmod go-w " }, { LEGACY, 0770, "chmod go-w " },
		{ "home/.config", 0777, "chmod go-w " }, { "home", 0775, "chmod go-w " },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_error err = { 0 };
		struct at_keystore again;
		struct ground g;

		begin(&g);
		make(&g, "op");
		assert_int_equal(chmod(test_path(g.dir, rows[i].path), rows[i].mode), 0);
		assert_row(i, !at_keystore_open(&again, g.home, &g.place, &err));
		assert_row(i, strncmp(err.hint, rows[i].hint, strlen(rows[i].hint)) == 0);
		at_keystore_close(&again);
		end(&g);
	}
}

static void key_1_store_in_the_project_is_refused(void **state)
{
	struct at_error err = { 0 };
	struct at_public_key key;
	struct ground g;

	(void)state;
	begin(&g);
	at_keystore_close(&g.store);
	g.agents[0] = g.home;
	assert_false(at_keystore_open(&g.store, g.home, &g.place, &err));
	assert_string_equal(err.id, "custody-place");
	g.agents[0] = test_path(g.dir, STORE); /* not made yet */
	open_store(&g);
	assert_false(at_keystore_new(&key, &g.store, "op", NULL, NULL, &err));
	assert_string_equal(err.id, "custody-place");
	end(&g);
}

static bool answer(void *context, struct at_secret *out, const char *path, struct at_error *err)
{
	(void)err;
	assert_non_null(strstr(path, "op.sealed"));
	secret_of(out, at_bytes_of(context));
	return true;
}

static void key_1_sealed_key_in_the_store(void **state)
{
	static char right[] = "word", wrong[] = "ward";
	struct at_error err = { 0 };
	struct at_public_key made;
	struct at_secret passphrase;
	struct at_key_pair key;
	struct ground g;
	char path[PATH_MAX];

	(void)state;
	begin(&g);
	secret_of(&passphrase, at_bytes_of(right));
	assert_true(at_keystore_new(&made, &g.store, "op", &passphrase, &cheap, &err));
	at_secret_free(&passphrase);
	assert_false(test_exists(g.dir, STORE "/op.pem"));
	assert_int_equal(mode_of(&g, STORE "/op.sealed"), 0600);
	assert_true(at_keystore_find(path, &g.store, "op", &err));
	assert_false(at_key_load(&key, path, &g.place, NULL, NULL, &err));
	assert_int_equal(err.code, AT_EREFUSED);
	assert_false(at_key_load(&key, path, &g.place, answer, wrong, &err));
	assert_true(at_key_load(&key, path, &g.place, answer, right, &err));
	assert_true(at_public_key_equal(&key.key, &made));
	at_key_close(&key);
	end(&g);
}

static const struct at_key_entry *entry(const struct at_key_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, name) == 0)
			return &list->items[i];
	fail_msg("no entry %s", name);
	return NULL;
}

static void key_1_list(void **state)
{
	struct at_error err = { 0 };
	struct at_secret passphrase;
	struct at_public_key key;
	struct at_key_list list;
	struct at_buf half;
	struct ground g;

	(void)state;
	begin(&g);
	assert_true(at_keystore_list(&list, g.arena, &g.store, &err));
	assert_int_equal(list.count, 0);
	make(&g, "fits");
	make(&g, "open");
	make(&g, "alone");
	make(&g, "other");
	secret_of(&passphrase, at_bytes_of("word"));
	assert_true(at_keystore_new(&key, &g.store, "sealed", &passphrase, &cheap, &err));
	at_secret_free(&passphrase);
	assert_int_equal(chmod(test_path(g.dir, STORE "/open.pem"), 0640), 0);
	assert_int_equal(unlink(test_path(g.dir, STORE "/alone.pem")), 0);
	half = test_read(g.dir, STORE "/fits.pub.pem");
	test_write(g.dir, STORE "/other.pub.pem", at_buf_text(&half));
	at_buf_free(&half);
	test_write(g.dir, STORE "/broken.pem", "bm90IGEga2V5IGF0IGFsbA==");
	assert_int_equal(chmod(test_path(g.dir, STORE "/broken.pem"), 0600), 0);
	test_write(g.dir, STORE "/README", "mine");

	assert_true(at_keystore_list(&list, g.arena, &g.store, &err));
	assert_int_equal(list.count, 6);
	assert_int_equal(list.stray_count, 1);
	assert_string_equal(list.strays[0], "README");
	assert_string_equal(list.items[0].name, "alone");
	assert_true(entry(&list, "fits")->is_sound && entry(&list, "fits")->half == AT_HALF_FITS);
	assert_true(entry(&list, "sealed")->is_sound
		&& entry(&list, "sealed")->form == AT_KEY_SEALED
		&& entry(&list, "sealed")->half == AT_HALF_FITS
		&& at_public_key_equal(&entry(&list, "sealed")->key, &key));
	assert_false(entry(&list, "open")->is_sound);
	assert_true(entry(&list, "open")->is_known);
	assert_string_equal(entry(&list, "open")->fault.id, "custody-mode");
	assert_int_equal(entry(&list, "alone")->form, AT_KEY_PUBLIC);
	assert_int_equal(entry(&list, "other")->half, AT_HALF_OTHER);
	assert_false(entry(&list, "broken")->is_sound || entry(&list, "broken")->is_known);
	assert_int_equal(entry(&list, "broken")->half, AT_HALF_ABSENT);

	assert_true(at_keystore_public(&key, &g.store, "fits", &err));
	assert_true(at_keystore_public(&key, &g.store, "alone", &err));
	assert_false(at_keystore_public(&key, &g.store, "open", &err));
	assert_false(at_keystore_public(&key, &g.store, "other", &err));
	assert_int_equal(err.code, AT_ECONFLICT);
	assert_false(at_keystore_public(&key, &g.store, "none", &err));
	assert_int_equal(err.code, AT_ENOENT);
	end(&g);
}

/* Installs as a mode does; false with the error. */
static bool install(struct ground *g, const char *id, const struct at_public_key *key,
	size_t *written, struct at_error *err)
{
	int root = open(g->project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct at_applied applied = { 0 };
	struct at_state state;
	struct at_plan plan;
	bool done;

	at_plan_init(&plan);
	assert_true(at_state_find(&state, g->project, g->home, NULL, err));
	done = at_verify_key_plan(&plan, root, TEAM, id, key, err)
		&& at_plan_apply(&plan, root, &state, "install-key", &applied, err);
	*written = applied.written;
	at_state_close(&state);
	at_plan_free(&plan);
	close(root);
	return done;
}

static bool load_installed(
	const struct ground *g, const char *id, struct at_public_key *key, struct at_error *err)
{
	int root = open(g->project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done = at_verify_key_load(key, root, TEAM, at_bytes_of(id), err);

	close(root);
	return done;
}

static void key_1_install(void **state)
{
	struct at_error err = { 0 };
	struct at_public_key op, other, got;
	struct at_buf text;
	struct ground g;
	size_t written;

	(void)state;
	begin(&g);
	op = make(&g, "op");
	other = make(&g, "other");
	assert_false(load_installed(&g, "op", &got, &err));
	assert_int_equal(err.code, AT_ENOENT);
	assert_true(install(&g, "op", &op, &written, &err));
	assert_int_equal(written, 1);
	assert_int_equal(mode_of(&g, INSTALLED "/op.pub.pem"), 0644);
	assert_true(load_installed(&g, "op", &got, &err));
	assert_true(at_public_key_equal(&got, &op));
	assert_true(install(&g, "op", &op, &written, &err));
	assert_int_equal(written, 0);
	assert_false(install(&g, "op", &other, &written, &err));
	assert_int_equal(err.code, AT_EEXIST);
	/* The same key in other bytes is nothing to do. */
	text = test_read(g.dir, INSTALLED "/op.pub.pem");
	at_buf_puts(&text, "\n");
	test_write(g.dir, INSTALLED "/op.pub.pem", at_buf_text(&text));
	at_buf_free(&text);
	assert_true(install(&g, "op", &op, &written, &err));
	assert_int_equal(written, 0);
	end(&g);
}

static void key_1_install_follows_no_link(void **state)
{
	static const char *const ids[] = { "../op", "", ".", "a/b", "a\nb" };
	struct at_error err = { 0 };
	struct at_public_key op, got;
	struct ground g;
	size_t written;

	(void)state;
	begin(&g);
	op = make(&g, "op");
	assert_true(install(&g, "first", &op, &written, &err));
	assert_int_equal(symlink("first.pub.pem", test_path(g.dir, INSTALLED "/op.pub.pem")), 0);
	assert_false(install(&g, "op", &op, &written, &err));
	assert_int_equal(err.code, AT_EUNSAFE);
	assert_false(load_installed(&g, "op", &got, &err));
	assert_int_equal(err.code, AT_EUNSAFE);
	for (size_t i = 0; i < AT_LEN(ids); i++) {
		assert_row(i, !load_installed(&g, ids[i], &got, &err) && err.code == AT_EINVALID);
		assert_row(i, !install(&g, ids[i], &op, &written, &err));
	}
	end(&g);
}

static void lay(const struct ground *g, const char *from, const char *to)
{
	assert_int_equal(rename(test_path(g->dir, from), test_path(g->dir, to)), 0);
}

/* Keys made in the store are laid where older tools put them. */
static void lay_legacy(struct ground *g)
{
	make(g, "op");
	make(g, "open");
	make(g, "taken");
	make(g, "stays");
	lay(g, STORE "/op.pem", LEGACY "/op.pem");
	lay(g, STORE "/op.pub.pem", LEGACY "/op.pub.pem");
	lay(g, STORE "/open.pem", LEGACY "/open.pem");
	lay(g, STORE "/taken.pem", LEGACY "/taken.pem");
	lay(g, STORE "/stays.pem", STORE "/taken.pem");
	assert_int_equal(chmod(test_path(g->dir, LEGACY "/open.pem"), 0644), 0);
	test_write(g->dir, LEGACY "/none.pem", "no key");
	assert_int_equal(chmod(test_path(g->dir, LEGACY "/none.pem"), 0600), 0);
	test_write(g->dir, LEGACY "/settings.json", "{}");
	assert_int_equal(symlink("op.pem", test_path(g->dir, LEGACY "/link.pem")), 0);
}

static void key_1_migrate(void **state)
{
	static const struct {
		const char *file;
		bool moves;
		const char *id;
	} want[] = {
		{ "link.pem", false, "custody-link" }, { "none.pem", false, "key-form" },
		{ "op.pem", true, "" }, { "op.pub.pem", true, "" },
		{ "open.pem", false, "custody-mode" }, { "taken.pem", false, "key-exists" },
	};
	struct at_error err = { 0 };
	struct at_moved_keys moved;
	struct at_buf before, after;
	uint64_t untouched;
	struct ground g;

	(void)state;
	begin(&g);
	lay_legacy(&g);
	untouched = test_tree_fingerprint(g.dir);
	before = test_read(g.dir, LEGACY "/op.pem");
	for (int real = 0; real < 2; real++) {
		assert_true(at_keys_migrate(&moved, g.arena, &g.store, !real, &err));
		assert_int_equal(moved.count, AT_LEN(want));
		assert_int_equal(moved.staying, 4);
		for (size_t i = 0; i < AT_LEN(want); i++) {
			assert_row(i, strcmp(moved.items[i].file, want[i].file) == 0);
			assert_row(i, moved.items[i].is_moved == want[i].moves);
			assert_row(i, strcmp(moved.items[i].why.id, want[i].id) == 0);
		}
		assert_true(real || test_tree_fingerprint(g.dir) == untouched);
	}
	after = test_read(g.dir, STORE "/op.pem");
	assert_true(at_bytes_equal(at_buf_bytes(&before), at_buf_bytes(&after)));
	assert_false(test_exists(g.dir, LEGACY "/op.pem"));
	assert_true(test_exists(g.dir, LEGACY "/taken.pem"));
	assert_true(test_exists(g.dir, STORE "/taken.pem"));
	assert_true(at_keys_migrate(&moved, g.arena, &g.store, false, &err));
	assert_int_equal(moved.count, 4); /* what stays, and nothing new */
	at_buf_free(&before);
	at_buf_free(&after);
	end(&g);
}

/* Nothing there: nothing made. */
static void key_1_migrate_nothing(void **state)
{
	struct at_error err = { 0 };
	struct at_moved_keys moved;
	struct ground g;

	(void)state;
	begin(&g);
	assert_true(at_keys_migrate(&moved, g.arena, &g.store, false, &err));
	assert_int_equal(moved.count, 0);
	assert_false(test_exists(g.dir, "home/.config"));
	end(&g);
}

/* Runs the making of a key in a child that dies before step `n`; its status. */
static int make_and_die(struct ground *g, unsigned n)
{
	char spec[32];
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		struct at_error err = { 0 };
		struct at_public_key key;

		snprintf(spec, sizeof(spec), "kill:%u,no-sync", n);
		at_fault_set(spec);
		_exit(at_keystore_new(&key, &g->store, "op", NULL, NULL, &err) ? 0 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void check_after_death(struct ground *g, unsigned n)
{
	struct at_error err = { 0 };
	struct at_public_key key;
	struct at_key_list list;

	open_store(g);
	assert_true(at_keystore_list(&list, g->arena, &g->store, &err));
	assert_row(n, list.count <= 1);
	if (list.count) /* it is whole, perhaps without its public half */
		assert_row(n, list.items[0].is_sound && list.items[0].half <= AT_HALF_FITS);
	/* The next run takes away what was left half-written. */
	assert_row(n, at_keystore_new(&key, &g->store, "next", NULL, NULL, &err));
	assert_true(at_keystore_list(&list, g->arena, &g->store, &err));
	assert_row(n, list.stray_count == 0);
}

static void key_1_killed_at_any_step(void **state)
{
	unsigned steps = 0;

	(void)state;
	if (!AT_FAULTS_BUILT)
		skip_because("built without fault points (-Dfault_hooks=true)");
	for (int status = 1; status != 0; steps++) {
		struct ground g;

		begin(&g);
		status = make_and_die(&g, steps + 1);
		assert_row(steps, status == 0 || WIFSIGNALED(status));
		check_after_death(&g, steps + 1);
		end(&g);
	}
	assert_true(steps > 8);
}

/* Two at once: one key, one refusal, and the key fits its half. */
static void key_1_two_at_once(void **state)
{
	struct at_error err = { 0 };
	struct at_key_list list;
	struct ground g;
	int made = 0;

	(void)state;
	begin(&g);
	for (int i = 0; i < 8; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0) {
			struct at_public_key key;
			bool done = at_keystore_new(&key, &g.store, "op", NULL, NULL, &err);

			_exit(done ? 0 : err.code == AT_EEXIST ? 1 : 2);
		}
	}
	for (int i = 0; i < 8; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
		made += WEXITSTATUS(status) == 0;
	}
	assert_int_equal(made, 1);
	open_store(&g);
	assert_true(at_keystore_list(&list, g.arena, &g.store, &err));
	assert_true(list.count == 1 && list.items[0].half == AT_HALF_FITS && !list.stray_count);
	end(&g);
}

int test_keystore(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_1_new_key), cmocka_unit_test(key_1_names),
		cmocka_unit_test(key_1_nothing_is_overwritten),
		cmocka_unit_test(key_1_open_store_is_refused),
		cmocka_unit_test(key_1_store_in_the_project_is_refused),
		cmocka_unit_test(key_1_sealed_key_in_the_store), cmocka_unit_test(key_1_list),
		cmocka_unit_test(key_1_install), cmocka_unit_test(key_1_install_follows_no_link),
		cmocka_unit_test(key_1_migrate), cmocka_unit_test(key_1_migrate_nothing),
		cmocka_unit_test(key_1_killed_at_any_step), cmocka_unit_test(key_1_two_at_once),
	};

	return cmocka_run_group_tests_name("keystore", tests, NULL, NULL);
}
