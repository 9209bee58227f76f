#include "runner/selftest/mechanisms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/json_read.h"
#include "core/mem.h"

#define ROWS_MOST 16
#define LINE_MOST 4096
#define MARK "mechanism\t"
#define SHARED "namespaces of the host"

static void add(
	struct at_proof_run *run, struct at_arena *arena, const char *name, const char *value)
{
	if (!run->mechanisms)
		run->mechanisms = at_arena_alloc(arena, ROWS_MOST * sizeof(*run->mechanisms));
	if (run->mechanism_count < ROWS_MOST && *value)
		run->mechanisms[run->mechanism_count++] =
			(struct at_proof_mechanism){ at_arena_strdup(arena, name),
				at_arena_strdup(arena, value) };
}

/* Known words and plain values only: this came out of a sandbox. */
static bool is_plain(const char *text, const char *more)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789:[]";

	for (; *text; text++)
		if (!strchr(plain, *text) && !strchr(more, *text))
			return false;
	return true;
}

static void put(char *out, size_t size, const char *word)
{
	size_t len = strlen(out);

	snprintf(out + len, size - len, "%s%s", len ? " " : "", word);
}

struct spaces {
	char own[128], shared[128];
};

static void take_namespace(struct spaces *s, const char *name, const char *inside)
{
	char path[64], host[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
	len = readlink(path, host, sizeof(host) - 1);
	if (len <= 0 || !*inside || !is_plain(inside, ""))
		return;
	host[len] = '\0';
	if (strcmp(host, inside) == 0)
		put(s->shared, sizeof(s->shared), name);
	else
		put(s->own, sizeof(s->own), name);
}

static void take_report(struct at_proof_run *run, struct at_arena *arena, const char *line)
{
	static const struct at_json_limits limits = { LINE_MOST, 4 };
	struct at_json doc;
	uint32_t depth, abi;
	char text[64];

	if (!at_json_read(&doc, at_bytes_of(line), &limits, 0, NULL))
		return;
	depth = at_json_at(&doc, "landlock.depth");
	abi = at_json_at(&doc, "landlock.abi");
	if (at_json_is(&doc, depth, AT_JSON_NUMBER) && at_json_is(&doc, abi, AT_JSON_NUMBER)) {
		struct at_bytes d = at_json_raw(&doc, depth), a = at_json_raw(&doc, abi);

		snprintf(text, sizeof(text), "%.*s deep, ABI %.*s of the kernel",
			d.len < 8 ? (int)d.len : 0, d.data, a.len < 8 ? (int)a.len : 0, a.data);
		add(run, arena, "Landlock", text);
	}
	at_json_free(&doc);
}

static void take_line(struct at_proof_run *run, struct at_arena *arena, struct spaces *s,
	const char *name, const char *value)
{
	static const char *const spaces[] = { "user", "mnt", "pid", "net", "ipc", "uts", "cgroup" };
	static const char *const status[] = { "NoNewPrivs", "Seccomp", "Seccomp_filters", "CapEff",
		"CapBnd" };

	for (size_t i = 0; i < AT_LEN(spaces); i++)
		if (strcmp(name, spaces[i]) == 0)
			take_namespace(s, name, value);
	for (size_t i = 0; i < AT_LEN(status); i++)
		if (strcmp(name, status[i]) == 0 && is_plain(value, ""))
			add(run, arena, name, value);
	if (strcmp(name, "report") == 0)
		take_report(run, arena, value);
}

static const char *value_of(const struct at_proof_run *run, const char *name)
{
	for (size_t i = 0; i < run->mechanism_count; i++)
		if (strcmp(run->mechanisms[i].name, name) == 0)
			return run->mechanisms[i].value;
	return "";
}

bool at_mechanisms_lack(char *out, size_t size, const struct at_proof_run *run)
{
	static const struct {
		const char *name, *value;
		bool harden;
	} wanted[] = {
		{ "NoNewPrivs", "1", false },
		{ "CapEff", "0000000000000000", false },
		{ "CapBnd", "0000000000000000", false },
		{ "Seccomp", "2", true },
	};

	out[0] = '\0';
	if (run->mechanism_count == 0)
		return false;
	for (size_t i = 0; i < AT_LEN(wanted) && !*out; i++)
		if ((!wanted[i].harden || run->harden)
			&& strcmp(value_of(run, wanted[i].name), wanted[i].value) != 0)
			snprintf(out, size, "%s is %.60s", wanted[i].name,
				value_of(run, wanted[i].name));
	if (!*out && *value_of(run, SHARED))
		snprintf(out, size, "of the host: %.60s", value_of(run, SHARED));
	if (!*out && run->harden && strtol(value_of(run, "Landlock"), NULL, 10) < 1)
		snprintf(out, size, "no Landlock domain is around it");
	return true;
}

void at_mechanisms_take(struct at_proof_run *run, struct at_bytes *text, struct at_arena *arena)
{
	struct spaces s = { "", "" };
	const char *newline;

	while (text->len > strlen(MARK) && memcmp(text->data, MARK, strlen(MARK)) == 0
		&& (newline = memchr(text->data, '\n', text->len))) {
		char line[LINE_MOST], *name, *value;
		size_t len = (size_t)(newline - text->data);

		snprintf(line, sizeof(line), "%.*s", (int)(len < sizeof(line) ? len : 0),
			text->data);
		text->data += len + 1;
		text->len -= len + 1;
		name = strchr(line, '\t');
		value = name ? strchr(name + 1, '\t') : NULL;
		if (!value)
			continue;
		*value++ = '\0';
		take_line(run, arena, &s, name + 1, value);
	}
	add(run, arena, "namespaces of its own", s.own);
	add(run, arena, SHARED, s.shared);
}
