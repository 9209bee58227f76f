/* effective.h - what all settings files say together, value by value with its origin.
 *
 * Sandbox, permissions and hooks are shown with their values; of everything else, env above
 * all, only names are kept. A framework fills it, views and reports show it. It judges
 * nothing: the wiring check does. (WIRE-5, WIRE-9)
 */
#ifndef AT_EFFECTIVE_H
#define AT_EFFECTIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "emit/scopes.h"

struct at_effective_value {
	const char *key;    /* "sandbox.enabled"; of a list's element "permissions.deny[]" */
	const char *value;  /* JSON on one line, cut with "…" when very long */
	enum at_scope scope;
	const char *origin;        /* the file */
	const char *overridden_by; /* the file because of which it does not count, or NULL */
	const char *remark;        /* one clause, or "" */
};

struct at_effective_name {
	const char *name; /* "env.PATH", "statusLine" */
	const char *origin;
};

struct at_effective_file {
	const char *name;
	enum at_scope scope;
	bool exists, loads;
	const char *state; /* "read", "not there", "dropped whole by the client", … */
};

struct at_host_fact {
	const char *name; /* "bwrap" */
	const char *text; /* "/usr/bin/bwrap, owned by root" */
	bool is_bad;
};

struct at_effective {
	struct at_arena *arena;
	struct at_effective_value *values;
	size_t count, cap;
	struct at_effective_name *names;
	size_t name_count, name_cap;
	struct at_effective_file *files; /* strongest first */
	size_t file_count, file_cap;
	struct at_host_fact *facts;
	size_t fact_count, fact_cap;
};

void at_effective_init(struct at_effective *effective);
void at_effective_free(struct at_effective *effective);

/* Each copies what it is given. */
void at_effective_add(struct at_effective *effective, const struct at_effective_value *value);
void at_effective_add_name(struct at_effective *effective, const char *name, const char *origin);
void at_effective_add_file(struct at_effective *effective, const struct at_effective_file *file);
void at_effective_add_fact(struct at_effective *effective, const char *name, bool is_bad,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Of a run of values of one key and one file: the index after its last. They stand together. */
size_t at_effective_run(const struct at_effective *effective, size_t first);

/* Every value on a line of its own. Texts may quote what stands in the files. */
struct at_buf;
struct at_json_value;
void at_effective_print(const struct at_effective *effective, struct at_buf *out);
/* Adds files, values, names and host to the object. */
void at_effective_to_json(const struct at_effective *effective, struct at_json_value *out);

#endif
