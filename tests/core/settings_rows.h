/* settings_rows.h - rows of a settings file and the finding that each must have.
 *
 * Shared by the tests of the settings check: a small project to look things up in, and
 * the loop over the rows.
 */
#ifndef AT_TEST_SETTINGS_ROWS_H
#define AT_TEST_SETTINGS_ROWS_H

#include "support/support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/settings_check.h"

#define NAME ".claude/settings.json"
#define BOX "'enabled':true,'failIfUnavailable':true,'allowUnsandboxedCommands':false"
#define FS(list) "{'sandbox':{" BOX ",'filesystem':{" list "}}}"
#define ALLOW(rule) "{'permissions':{'allow':[" rule "]}}"
#define DENY(rule) "{'permissions':{'deny':[" rule "]}}"
#define ALLOW0 "/permissions/allow/0"
#define DENY0 "/permissions/deny/0"
#define HOOK(event, matcher, entry) "{'hooks':{'" event "':[{" matcher "'hooks':[{" \
	"'type':'command'," entry "}]}]}}"
#define PRE(command) HOOK("PreToolUse", "", "'timeout':10,'command':'" command "'")
#define ENTRY "/hooks/PreToolUse/0/hooks/0"
#define OURS "\\'$CLAUDE_PROJECT_DIR\\'/.claude/hooks/"
#define GATE PRE(OURS "gate")

/* Rows are written with ' for ", which JSON never needs. */
static inline struct at_buf json(const char *text)
{
	struct at_buf buf = { 0 };

	for (; *text; text++)
		at_buf_putc(&buf, *text == '\'' ? '"' : *text);
	return buf;
}

static const char *project; /* a tree with a few files, made once */
static int project_fd = -1;

static inline void check_bytes(struct at_wiring *report, struct at_bytes text, const char *name)
{
	struct at_settings_place place = { .name = name, .project = project ? project : "",
		.project_fd = project_fd, .home = "/home/nobody-here" };

	at_wiring_init(report);
	at_settings_check(report, text, &place);
}

static inline void check(struct at_wiring *report, const char *text, const char *name)
{
	struct at_buf buf = json(text);

	check_bytes(report, at_buf_bytes(&buf), name);
	at_buf_free(&buf);
}

static inline const struct at_finding *find(const struct at_wiring *report, const char *id,
	const char *pointer)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct at_finding *f = &report->findings[i];
		const char *hash = strchr(f->where, '#');

		if (strcmp(f->id, id) == 0 &&
			(!pointer || strcmp(hash ? hash + 1 : "", pointer) == 0))
			return f;
	}
	return NULL;
}

static inline void make_project(void)
{
	char *tree = test_tree_new();

	test_write(tree, ".claude/settings.json", "{}\n");
	test_write(tree, ".claude/hooks/gate", "#!/bin/sh\nexit 0\n");
	test_write(tree, ".claude/hooks/flat", "#!/bin/sh\nexit 0\n");
	test_write(tree, "ops/switch.json", "{}\n");
	test_write(tree, "tools/release.sh", "#!/bin/sh\n");
	test_write(tree, "opt/own.txt", "");
	chmod(test_path(tree, ".claude/hooks/gate"), 0755);
	chmod(test_path(tree, ".claude/hooks/flat"), 0644);
	assert_int_equal(symlink("ops", test_path(tree, "link")), 0);
	project_fd = open(tree, O_PATH | O_DIRECTORY);
	assert_true(project_fd >= 0);
	project = tree;
}

static inline int set_up(void **state)
{
	(void)state;
	make_project();
	return 0;
}

static inline int tear_down(void **state)
{
	char *tree = (char *)(uintptr_t)project;

	(void)state;
	close(project_fd);
	test_tree_remove(tree);
	project = NULL;
	project_fd = -1;
	return 0;
}

struct row {
	const char *text, *id;
	enum at_level level;
	const char *pointer; /* NULL: any */
	const char *mended;  /* the same without the fault; NULL: not tried */
};

static inline void run_rows(const struct row *rows, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		struct at_wiring report;
		const struct at_finding *f;

		check(&report, rows[i].text, name);
		f = find(&report, rows[i].id, rows[i].pointer);
		if (!f) {
			struct at_buf out = { 0 };

			at_wiring_print(&report, &out);
			fail_msg("row %zu: no %s at %s in\n%s\n%s", i, rows[i].id,
				rows[i].pointer ? rows[i].pointer : "?", rows[i].text,
				at_buf_text(&out));
		}
		assert_row(i, f->level == rows[i].level);
		assert_row(i, *f->text);
		assert_row(i, f->level == AT_OKAY || *f->remedy);
		at_wiring_free(&report);
		if (!rows[i].mended)
			continue;
		check(&report, rows[i].mended, name);
		if (find(&report, rows[i].id, rows[i].pointer))
			fail_msg("row %zu: %s stays in %s", i, rows[i].id, rows[i].mended);
		at_wiring_free(&report);
	}
}

#endif
