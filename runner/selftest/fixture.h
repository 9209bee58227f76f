/* fixture.h - the throwaway machine on which one battery is run.
 *
 * A tree with a home, a workspace with a team, another workspace; secrets that are random
 * texts; listeners that answer one; a process with one in its environment; keys, descriptors
 * and a terminal. All of it is made for one battery, belongs to the caller and is gone after
 * it. It judges nothing. (LAU-8, WIRE-10; notes 7.1)
 */
#ifndef AT_FIXTURE_H
#define AT_FIXTURE_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/bytes.h"
#include "core/error.h"
#include "core/mem.h"

/* Short paths: a socket's address holds 108 bytes, and a longer place is not taken. */
#define AT_GROUND_PATH 256
#define AT_FIXTURE_PATH (AT_GROUND_PATH + 64)
#define AT_SECRETS_MOST 96
#define AT_SECRET_LEN 24

/* What the whole run has in common. Made by at_ground_make() before a caller is taken on, taken
 * away by at_ground_remove() after, by who made it. */
struct at_ground {
	char base[AT_GROUND_PATH]; /* 0700, the caller's; not below /tmp */
	char run[AT_GROUND_PATH]; /* the same below /run, or "" */
	char tmp[AT_GROUND_PATH]; /* the same below /tmp */
	char again[AT_GROUND_PATH]; /* root's alone: for the mount below */
	char alias[AT_GROUND_PATH]; /* where all of `base` is mounted a second time, or "" */
	const char *no_run; /* why there is none below /run */
};
bool at_ground_make(struct at_ground *out, uid_t caller, const char *cache_home, const char *home,
	struct at_error *err);
void at_ground_remove(const struct at_ground *ground);

/* Where root started it, in the process that does the rest: mounts `base` a second time, for
 * this process and its children alone. Not below /tmp, which hides everything anyway. */
void at_ground_mount_alias(struct at_ground *ground);

/* Removes a directory and all below it: nothing is followed, nothing mounted is entered. */
void at_remove_tree(const char *path);

/* Descriptors that are left open on purpose, and what for. */
enum at_open_fd { AT_OPEN_FILE = 23, AT_OPEN_DIR = 24, AT_OPEN_SOCKET = 25, AT_OPEN_MEMFD = 26 };

struct at_fixture {
	struct at_arena *arena;
	const struct at_ground *ground;
	char top[AT_GROUND_PATH + 32]; /* all of the tree is below */
	char scratch[AT_FIXTURE_PATH], home[AT_FIXTURE_PATH], sibling[AT_FIXTURE_PATH];
	char outside[AT_FIXTURE_PATH];
	char facts[AT_FIXTURE_PATH + 16]; /* the file for the probe, in scratch */
	char secrets[AT_SECRETS_MOST][AT_SECRET_LEN + 1];
	const char *secret_list[AT_SECRETS_MOST + 1];
	size_t secret_count;
	const char **env; /* of everything that is started, ended by NULL */
	size_t env_count, env_cap;
	char alias[AT_FIXTURE_PATH];
	char unix_run[128], unix_tmp[128], unix_home[128], unix_abstract[64];
	int tcp4, tcp6, udp, listeners[4]; /* descriptors, -1 where there is none */
	int tcp4_port, tcp6_port, udp_port; /* 0 where there is none */
	pid_t canary, victim;
	int keep[8]; /* the descriptors above, ended by -1 */
	int master, terminal; /* the two ends of a terminal, or -1 and 0 */
	char session_key[64], user_key[64];
	int32_t user_key_id; /* 0: none */
	int shm_id, shm_key; /* -1, 0: none */
	char shm_name[64];
};

/* `probe`, the program, is put into the workspace. What cannot be made is left out (a fact
 * that is ""): only a tree that cannot be made is a failure. */
bool at_fixture_make(struct at_fixture *out, const struct at_ground *ground, const char *name,
	struct at_bytes probe, const char *search_path, struct at_error *err);
void at_fixture_remove(struct at_fixture *fixture);

/* A new secret, as it is written into a file. */
const char *at_fixture_secret(struct at_fixture *fixture);

/* Writes the facts; `more` are further lines "name\tvalue\n", or "". */
bool at_fixture_write_facts(struct at_fixture *fixture, const char *more, struct at_error *err);

/* fixture_tree.c */
bool at_fixture_make_tree(struct at_fixture *fixture, struct at_error *err);
bool at_fixture_write(const char *path, struct at_bytes bytes, mode_t mode, struct at_error *err);
void at_fixture_add_env(struct at_fixture *fixture, const char *name, const char *value);

/* fixture_live.c */
void at_fixture_start(struct at_fixture *fixture);
void at_fixture_stop(struct at_fixture *fixture);

#endif
