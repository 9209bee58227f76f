/* child.h - runs one program and comes back, whatever it does.
 *
 * A session and process group of its own, an environment that is built and not inherited, a
 * working directory, a time limit and a cap on what is kept of its output. It judges nothing
 * and runs no shell of its own accord.
 */
#ifndef AT_CHILD_H
#define AT_CHILD_H

#include "core/bytes.h"
#include "core/error.h"

#define AT_CHILD_INPUT_CAP ((size_t)32 << 10) /* fits a pipe, so that writing never waits */
#define AT_CHILD_INPUT_MAX ((size_t)16 << 20) /* what is more than the above comes as a file */

struct at_child_end;

struct at_child_call {
	const char *const *argv; /* argv[0] is a path; PATH is not searched. Ended by NULL */
	const char *const *env;  /* all there is, ended by NULL */
	const char *cwd;
	struct at_bytes input;   /* its standard input, AT_CHILD_INPUT_MAX at most */
	int timeout_ms;
	size_t cap;              /* bytes kept of each stream; what is more is read and dropped */
	const int *keep;         /* descriptors of 3 and up it gets as well, ended by -1; or NULL */
	int terminal;            /* its standard input and its own terminal; 0: none. No input then */
	/* A process between, that finds and ends what left the group as well (Linux; elsewhere
	 * the group is all). After its time the child has up to ten seconds more to die. */
	bool has_keeper;
	/* Asked every few milliseconds with what came so far; false ends it. Or NULL. */
	bool (*go_on)(void *user, const struct at_child_end *so_far);
	void *user;
};

struct at_child_end {
	bool timed_out;
	bool stopped; /* go_on() said so */
	int status; /* exit status; 128 + signal when one ended it */
	int signal; /* or 0 */
	bool is_cut;
	/* With a keeper: how many processes were left at the end, a fifth of a second after it;
	 * they were killed. is_left: not all of them could be, or nobody knows. */
	unsigned survivors;
	bool is_left;
	struct at_buf out, err;
};

/* Fails only when nothing could be started at all; a program that is missing ends with 127,
 * a directory that cannot be entered with 126. When the time is up, and after the end too,
 * the whole group is killed: nothing that stayed in it is left behind. Released by
 * at_child_end_free(). */
bool at_child_run(struct at_child_end *out, const struct at_child_call *call,
	struct at_error *err);
void at_child_end_free(struct at_child_end *end);

#endif
