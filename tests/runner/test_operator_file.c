/* RUN-5, DIR-1; reference-ledgers 3.12: files that only the operator can write, and the key. */
#include "runner/ground.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/proposals/operator_file.h"

struct home {
	struct ground g;
	char path[512], file[600], agents[600];
	const char *roots[1];
	struct at_custody_place place;
};

static void open_home(struct home *h)
{
	ground_open(&h->g);
	snprintf(h->path, sizeof(h->path), "%s", h->g.dir);
	snprintf(h->file, sizeof(h->file), "%s/.config/agentteams/confined/p-0.json", h->path);
	snprintf(h->agents, sizeof(h->agents), "%s", h->g.project);
	h->roots[0] = h->agents;
	h->place = (struct at_custody_place){ h->roots, 1 };
}

static void run_5_an_operators_file_is_written_and_read(void **state)
{
	struct at_operator_file file;
	struct stat st;
	struct home h;

	open_home(&h);
	assert_true(at_operator_file_read(&file, h.file, AT_CONFINED_CAP, &h.place, &h.g.err));
	assert_false(file.exists);
	assert_true(at_operator_file_is_still(&file, h.file, AT_CONFINED_CAP, &h.place));
	for (size_t i = 0; i < 2; i++)
		if (!at_operator_file_write(
			    h.file, at_bytes_of(i ? "{}\n" : "[]"), &h.place, &h.g.err))
			fail_msg("%s", h.g.err.message);
	assert_false(at_operator_file_is_still(&file, h.file, AT_CONFINED_CAP, &h.place));
	assert_int_equal(stat(h.file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(test_path(h.path, ".config/agentteams/confined"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_true(at_operator_file_read(&file, h.file, AT_CONFINED_CAP, &h.place, &h.g.err));
	assert_string_equal(at_buf_text(&file.bytes), "{}\n");
	assert_true(at_operator_file_is_still(&file, h.file, AT_CONFINED_CAP, &h.place));
	/* RUN-2: custody that is lost is a change. */
	assert_int_equal(chmod(h.file, 0622), 0);
	assert_false(at_operator_file_is_still(&file, h.file, AT_CONFINED_CAP, &h.place));
	at_operator_file_free(&file);
	ground_close(&h.g);
}

enum trick { LINK, FIFO, DIRECTORY, HARD, GROUP, OTHERS, LARGE, DIR_GROUP, DIR_LINK, IN_PROJECT };

static void run_5_hostile_operators_files(void **state)
{
	static const struct {
		enum trick trick;
		const char *id;
	} rows[] = {
		{ LINK, "custody-kind" },
		{ FIFO, "custody-kind" },
		{ DIRECTORY, "custody-kind" },
		{ HARD, "custody-hard-link" },
		{ GROUP, "custody-mode" },
		{ OTHERS, "custody-mode" },
		{ LARGE, "custody-size" },
		{ DIR_GROUP, "custody-directory" },
		{ DIR_LINK, "custody-link" },
		{ IN_PROJECT, "custody-place" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_operator_file file;
		char dir[600], other[600];
		struct home h;

		open_home(&h);
		assert_true(at_operator_file_write(h.file, at_bytes_of("{}"), &h.place, &h.g.err));
		snprintf(dir, sizeof(dir), "%s/.config/agentteams/confined", h.path);
		snprintf(other, sizeof(other), "%s/other", h.path);
		test_write(h.path, "other", "{}");
		if (rows[i].trick <= DIRECTORY)
			unlink(h.file);
		switch (rows[i].trick) {
		case LINK:
			assert_int_equal(symlink(other, h.file), 0);
			break;
		case FIFO:
			assert_int_equal(mkfifo(h.file, 0600), 0);
			break;
		case DIRECTORY:
			assert_int_equal(mkdir(h.file, 0700), 0);
			break;
		case HARD:
			assert_int_equal(link(h.file, test_path(h.path, "second")), 0);
			break;
		case GROUP:
			assert_int_equal(chmod(h.file, 0620), 0);
			break;
		case OTHERS:
			assert_int_equal(chmod(h.file, 0602), 0);
			break;
		case LARGE:
			assert_int_equal(truncate(h.file, (off_t)AT_CONFINED_CAP + 1), 0);
			break;
		case DIR_GROUP:
			assert_int_equal(chmod(dir, 0770), 0);
			break;
		case DIR_LINK:
			assert_int_equal(rename(dir, test_path(h.path, "moved")), 0);
			assert_int_equal(symlink(test_path(h.path, "moved"), dir), 0);
			break;
		case IN_PROJECT:
			snprintf(h.agents, sizeof(h.agents), "%s/.config", h.path);
			break;
		}
		assert_row(i,
			!at_operator_file_read(&file, h.file, AT_CONFINED_CAP, &h.place, &h.g.err));
		if (strcmp(h.g.err.id, rows[i].id) != 0)
			fail_msg("row %zu: %s", i, h.g.err.id);
		if (rows[i].trick != LARGE)
			assert_row(i,
				!at_operator_file_write(
					h.file, at_bytes_of("[]"), &h.place, &h.g.err));
		if (rows[i].trick == DIR_GROUP)
			chmod(dir, 0700);
		ground_close(&h.g);
	}
}

static void run_1_the_ledger_key(void **state)
{
	static const struct {
		const char *at, *text, *named; /* below the home */
		mode_t mode;
		const char *id, *key;
	} rows[] = {
		{ ".config/agentteams/keys/proposal-ledger.key", "secret", NULL, 0600, NULL,
			"secret" },
		{ ".config/agentteams/keys/proposal-ledger.key", " \t\r\nsec ret\v\f\n", "", 0600,
			NULL, "sec ret" },
		{ ".config/agentteams/keys/sub/other.key", "x",
			".config/agentteams/keys/sub/other.key", 0600, NULL, "x" },
		{ ".config/agentteams/keys/proposal-ledger.key", " \n", NULL, 0600,
			"proposal-key-empty", NULL },
		{ ".config/agentteams/keys/proposal-ledger.key", "", NULL, 0600,
			"proposal-key-empty", NULL },
		{ ".config/agentteams/keys/proposal-ledger.key", "x", NULL, 0640, "custody-mode",
			NULL },
		{ ".config/agentteams/proposal-ledger.key", "x",
			".config/agentteams/proposal-ledger.key", 0600, "proposal-key-place",
			NULL },
		{ ".config/agentteams/x.key", "x", ".config/agentteams/keys/../x.key", 0600,
			"proposal-key-place", NULL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_secret key;
		char named[600] = "";
		struct home h;
		bool done;

		open_home(&h);
		test_write(h.path, ".config/agentteams/keys/.keep", "");
		test_write(h.path, rows[i].at, rows[i].text);
		assert_int_equal(chmod(test_path(h.path, rows[i].at), rows[i].mode), 0);
		assert_int_equal(chmod(test_path(h.path, ".config/agentteams/keys"), 0700), 0);
		if (rows[i].named && *rows[i].named)
			snprintf(named, sizeof(named), "%s/%s", h.path, rows[i].named);
		done = at_proposal_key_load(&key, h.path, named, &h.place, &h.g.err);
		assert_row(i, done == (rows[i].key != NULL));
		if (done)
			assert_row(i, at_bytes_equal_text(at_secret_bytes(&key), rows[i].key));
		else if (strcmp(h.g.err.id, rows[i].id) != 0)
			fail_msg("row %zu: %s: %s", i, h.g.err.id, h.g.err.message);
		at_secret_free(&key);
		ground_close(&h.g);
	}
}

static void dir_1_the_operators_verify_keys(void **state)
{
	struct at_public_key one = { { 0 } }, other, found;
	struct at_secret seed;
	struct home h;

	open_home(&h);
	{
		struct at_verify_keys keys = { h.path, &h.place };

		assert_true(at_ed25519_make(&seed, &h.g.err));
		assert_true(at_ed25519_public(&one, &seed, &h.g.err));
		at_secret_free(&seed);
		assert_true(at_ed25519_make(&seed, &h.g.err));
		assert_true(at_ed25519_public(&other, &seed, &h.g.err));
		at_secret_free(&seed);
		assert_false(at_verify_keys_find(&keys, &found, "op-1", &h.g.err));
		assert_int_equal(h.g.err.code, AT_ENOENT);
		for (size_t i = 0; i < 2; i++)
			assert_row(i, at_verify_keys_install(&keys, "op-1", &one, &h.g.err));
		assert_true(at_verify_keys_find(&keys, &found, "op-1", &h.g.err));
		assert_true(at_public_key_equal(&found, &one));
		assert_false(at_verify_keys_install(&keys, "op-1", &other, &h.g.err));
		assert_int_equal(h.g.err.code, AT_EEXIST);
		assert_true(at_verify_keys_find(&keys, &found, "op-1", &h.g.err));
		assert_true(at_public_key_equal(&found, &one));
		assert_false(at_verify_keys_find(&keys, &found, "../op-1", &h.g.err));
		assert_false(at_verify_keys_install(&keys, ".hidden", &one, &h.g.err));
		/* In custody, or not used and not replaced. */
		assert_int_equal(
			chmod(test_path(h.path, AT_VERIFY_KEYS_DIR "/op-1.pub.pem"), 0666), 0);
		assert_false(at_verify_keys_find(&keys, &found, "op-1", &h.g.err));
		assert_string_equal(h.g.err.id, "custody-mode");
		assert_false(at_verify_keys_install(&keys, "op-1", &one, &h.g.err));
	}
	ground_close(&h.g);
}

int test_operator_file(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_5_an_operators_file_is_written_and_read),
		cmocka_unit_test(run_5_hostile_operators_files),
		cmocka_unit_test(run_1_the_ledger_key),
		cmocka_unit_test(dir_1_the_operators_verify_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
