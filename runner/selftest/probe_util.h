/* probe_util.h - what the probe's cases share: the trial, its facts, and plain ways to try.
 *
 * A case is a function on a struct trial; it tries its variants one after another and each says
 * how it went. One that worked decides, then one that was refused. Cases run in a child of
 * their own, so they may change directory, namespaces and limits, and leave what they opened.
 */
#ifndef AT_PROBE_UTIL_H
#define AT_PROBE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof(*(a)))

enum result { RESULT_NONE, RESULT_WORKED, RESULT_REFUSED, RESULT_ABSENT, RESULT_BROKEN };

struct trial {
	bool inside;
	enum result result;
	char detail[256];
};

/* Reads FACTS; false, with a message on standard error, when it is no such file. */
bool facts_load(const char *path);
/* Its value, or "" when it was not given. */
const char *fact(const char *name);
/* A number of at least zero, or -1. */
long fact_number(const char *name);
/* "VALUE-OF-FACT/name", in a ring of 16 buffers. */
const char *below(const char *fact_name, const char *name);

/* The outcomes. `variant` is a clause; worked() collects them, refused() keeps the last. */
void worked(struct trial *t, const char *variant);
void got(struct trial *t, const char *variant, const void *bytes, size_t len);
void refused(struct trial *t, const char *variant, int error);
void absent(struct trial *t, const char *what);
void broken(struct trial *t, const char *why);
/* worked(), or refused() by errno. Outside, an error that says that the object or the call is
 * not there is absent(); inside it is refused, for a filter and a mask answer so as well. */
bool tried(struct trial *t, const char *variant, bool ok);

/* Plain attempts, each one variant. What they make holds a line with the program's name. */
bool try_create(struct trial *t, const char *path);
bool try_append(struct trial *t, const char *path);
bool try_read(struct trial *t, const char *path);
bool try_read_as(struct trial *t, const char *variant, const char *path);
bool try_rename(struct trial *t, const char *from, const char *to); /* and back again */

/* The same without a trial, true when it worked, else with errno set. */
bool create_file(const char *path);
bool write_and_close(int fd);
const char *leaf(const char *path);

/* Runs `act` in a child and says whether it returned true; errno is the child's. A child that a
 * signal ended gives EINTR. */
bool in_child(bool (*act)(void *), void *arg);
/* Runs a program with its output thrown away; its exit status, 127 when it is not there. */
int run(char *const argv[]);
/* Its user namespace is new and maps the caller to itself; for a child of its own. */
bool enter_user_namespace(int more_flags);
/* Writes a short text into an existing file. */
bool put_text(const char *path, const char *text);
/* A line of /proc/PID/status, after the colon, or "" ; in a static buffer. PID 0 is self. */
const char *status_line(pid_t pid, const char *key);
/* The descriptors that were open when the program started, above 2. */
extern int inherited[64];
extern size_t inherited_count;
bool is_inherited(long fd);

#endif
