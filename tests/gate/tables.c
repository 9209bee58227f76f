#include "gate/tables.h"

#include <string.h>

#include "core/error.h"
#include "core/json_read.h"

const char *const gate_words[] = { "pass", "ask", "deny" };

/* The project's scripts, as GATE-8's two steps need them. */
static bool read_script(void *user, const char *path, size_t cap, struct at_buf *out)
{
	static const struct {
		const char *path, *text;
	} scripts[] = {
		{ "t.sh", "#!/bin/sh\nrm -rf src\n" },
		{ "tidy.sh", "#!/bin/sh\nrm -rf src\n" },
		{ "calls.sh", "#!/bin/bash\nset -eu\nsh ./tidy.sh\n" },
		{ "loop.sh", "#!/bin/sh\nsh loop.sh\nsh loop.sh\n" },
		{ "fine.sh", "#!/bin/sh\n$CC -o x x.c\nmake \"$@\"\n" },
		{ "tool", "#!/usr/bin/env bash\ngit push --force\n" },
		{ "tool.py", "#!/usr/bin/env python3\nprint('rm -rf x')\n" },
	};

	(void)user;
	(void)cap;
	if (!strncmp(path, "./", 2))
		path += 2;
	for (size_t i = 0; i < AT_LEN(scripts); i++)
		if (!strcmp(path, scripts[i].path)) {
			at_buf_puts(out, scripts[i].text);
			return true;
		}
	return false;
}

const struct gate_context gate_in_project = {
	.project = "/srv/proj",
	.cwd = "/srv/proj",
	.home = "/home/op",
	.read_script = read_script,
};

bool gate_table_row(struct gate_rows *table, char *fields[GATE_FIELDS])
{
	while (table->next && *table->next) {
		char *line = table->next;
		char *end = strchr(line, '\n');

		table->next = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		if (!*line || *line == '#')
			continue;
		for (size_t i = 0; i < GATE_FIELDS; i++) {
			static char none[1];
			char *tab = line ? strchr(line, '\t') : NULL;

			fields[i] = line ? line : none;
			if (tab)
				*tab++ = '\0';
			line = tab;
		}
		return true;
	}
	return false;
}

struct gate_rows gate_table_open(const char *path)
{
	struct gate_rows table = { .text = test_read(NULL, path) };

	table.next = table.text.data;
	return table;
}

struct gate_verdict gate_judge_json(const char *json, const struct gate_context *context)
{
	struct at_json doc;
	struct at_error err = { 0 };
	struct at_arena *arena = at_arena_new();
	struct gate_verdict out;

	if (!at_json_read(&doc, at_bytes_of(json), &at_json_settings_limits, 0, &err))
		fail_msg("not JSON: %s", json);
	gate_judge_command(&out, at_json_string(&doc, 0, arena), context);
	at_json_free(&doc);
	at_arena_free(arena);
	return out;
}
