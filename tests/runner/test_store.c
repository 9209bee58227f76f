#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/selftest/report.h"
#include "runner/selftest/store.h"

struct fixture {
	char *dir;
	int project;
	struct at_state state;
};

static void open_all(struct fixture *f)
{
	char home[512];
	struct at_error err;

	f->dir = test_tree_new();
	test_write(f->dir, "home/.keep", "");
	test_write(f->dir, "project/brief.json", "{}");
	snprintf(home, sizeof(home), "%s/home", f->dir);
	f->project = open(test_path(f->dir, "project"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(f->project >= 0);
	assert_true(at_state_find(&f->state, test_path(f->dir, "project"), home, NULL, &err));
}

static void close_all(struct fixture *f)
{
	at_state_close(&f->state);
	close(f->project);
	test_tree_remove(f->dir);
}

static void fill(struct at_proof *proof)
{
	static struct at_proof_mechanism in_force[] = { { "NoNewPrivs", "1" } };
	const struct at_proof_run runs[] = { { 1000, false, 2345, in_force, 1 },
		{ 1000, true, 1950, NULL, 0 } };
	static const struct at_proof_case cases[] = {
		{ "W1", "write outside", "create a file in the home directory", "inside", "",
			"refused: EROFS; the host is untouched", AT_NEED_MUST, AT_HOLDS, 0 },
		{ "R1", "credentials", "read ~/.ssh", "outside", "",
			"a secret of the fixture was got hold of inside: id_ed25519", AT_NEED_MUST,
			AT_LEAKS, 0 },
		{ "L3", "links", "write through a hard link made before the start", "outside",
			"only protected files are looked at", "works, as expected", AT_NEED_OPEN,
			AT_RESIDUAL, 0 },
		{ "X3", "network", "reach one by MPTCP, SCTP or DCCP", "outside",
			"takes a kernel with one of them",
			"there is no such thing on this host: absent", AT_NEED_OPTIONAL, AT_SKIPPED,
			1 },
		{ "W1", "write outside", "create a file in the home directory", "inside", "",
			"the control inside: refused", AT_NEED_MUST, AT_INCONCLUSIVE, 1 },
	};
	static const char *const facts[AT_PROOF_FACT_COUNT] = { [AT_PROOF_HOST] = "desk",
		[AT_PROOF_HOST_ID] = "1d",
		[AT_PROOF_KERNEL] = "Linux 6.1",
		[AT_PROOF_DISTRO] = "Debian 12",
		[AT_PROOF_MACHINE] = "x86_64",
		[AT_PROOF_LAUNCHER] = "0123456789abcdef0123456789abcdef",
		[AT_PROOF_LAUNCHER_FROM] = "the one this program ships",
		[AT_PROOF_BWRAP] = "fedcba9876543210fedcba9876543210",
		[AT_PROOF_BWRAP_VERSION] = "bubblewrap 0.8.0",
		[AT_PROOF_BWRAP_PATH] = "/usr/bin/bwrap",
		[AT_PROOF_HARDEN] = "00112233445566778899aabbccddeeff",
		[AT_PROOF_HARDEN_PATH] = "/usr/libexec/agentteams/agentteams-harden",
		[AT_PROOF_LAYERS] = "seccomp keyring landlock",
		[AT_PROOF_BATTERY] = "ba77" };

	at_proof_init(proof);
	proof->time = 1791331200;
	for (int i = 0; i < AT_PROOF_FACT_COUNT; i++)
		at_proof_set_fact(proof, (enum at_proof_fact)i, facts[i]);
	for (size_t i = 0; i < AT_LEN(runs); i++)
		at_proof_add_run(proof, &runs[i]);
	for (size_t i = 0; i < AT_LEN(cases); i++)
		at_proof_add_case(proof, &cases[i]);
}

/* WIRE-13: kept in the state directory, readable by its owner alone, and found again. */
static void wire_13_kept_and_found(void **state)
{
	struct at_proof proof, again;
	struct at_error err;
	struct fixture f;
	struct stat st;
	bool exists;

	open_all(&f);
	assert_true(at_store_load(&again, &exists, &f.state, &err));
	assert_false(exists);
	at_proof_free(&again);
	fill(&proof);
	assert_true(at_store_proof(&proof, f.project, &f.state, &err));
	assert_int_equal(fstatat(f.state.fd, AT_STORE_FILE, &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_true(at_store_load(&again, &exists, &f.state, &err));
	assert_true(exists);
	assert_int_equal(again.case_count, proof.case_count);
	at_proof_free(&again);
	/* A newer one takes its place. */
	proof.time += 86400;
	assert_true(at_store_proof(&proof, f.project, &f.state, &err));
	assert_true(at_store_load(&again, &exists, &f.state, &err));
	assert_int_equal(again.time, proof.time);
	at_proof_free(&again);
	at_proof_free(&proof);
	close_all(&f);
}

static void put_in_store(struct fixture *f, const char *data, size_t len)
{
	test_write_bytes(f->state.path, AT_STORE_FILE, data, len);
}

/* WIRE-13: what lies there and was not written by this program is no proof: cut, of another
 * kind, too large, a link, a second name. */
static void wire_13_hostile_stored_files(void **state)
{
	struct at_proof proof, again;
	struct at_buf text = { 0 }, huge = { 0 };
	struct at_error err;
	struct fixture f;
	bool exists;

	open_all(&f);
	fill(&proof);
	assert_true(at_store_proof(&proof, f.project, &f.state, &err));
	at_proof_write(&proof, &text);
	at_buf_put(&huge, text.data, text.len);
	at_buf_pad(&huge, ' ', AT_PROOF_CAP);
	at_proof_free(&proof);
	for (int kind = 0; kind < 7; kind++) {
		const char *path = test_path(f.state.path, AT_STORE_FILE);

		unlink(path);
		if (kind == 0)
			put_in_store(&f, text.data, text.len / 2);
		else if (kind == 1)
			put_in_store(&f, "", 0);
		else if (kind == 2)
			put_in_store(&f, "[1, 2]", 6);
		else if (kind == 3)
			put_in_store(&f, huge.data, huge.len);
		else if (kind == 4)
			assert_int_equal(symlink("/etc/passwd", path), 0);
		else if (kind == 5)
			assert_int_equal(mkfifo(path, 0600), 0);
		else
			assert_int_equal(mkdir(path, 0700), 0);
		memset(&err, 0, sizeof(err));
		assert_row(kind, !at_store_load(&again, &exists, &f.state, &err));
		assert_row(kind, !exists && *err.message);
		at_proof_free(&again);
	}
	at_buf_free(&text);
	at_buf_free(&huge);
	close_all(&f);
}

/* UI-3: failures first, then what nobody knows, what is open and why, what was not tried, what
 * holds; the ceilings last. */
static void ui_3_the_report_is_this_text(void **state)
{
	struct at_proof proof;
	struct at_buf text = { 0 }, want;

	fill(&proof);
	at_proof_print(&proof, &text);
	if (getenv("AT_UPDATE_GOLDEN"))
		test_write(test_data(), "golden/selftest-report.txt", at_buf_text(&text));
	want = test_read(NULL, "golden/selftest-report.txt");
	assert_string_equal(at_buf_text(&text), at_buf_text(&want));
	at_buf_free(&want);
	at_buf_free(&text);
	at_proof_free(&proof);
}

int test_store(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_13_kept_and_found),
		cmocka_unit_test(wire_13_hostile_stored_files),
		cmocka_unit_test(ui_3_the_report_is_this_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
