/* mode_launcher.c - --verify-launcher: a copy of the launcher against the one we emit. (INT-3) */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/diff.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/path.h"
#include "emit/assets.h"
#include "views/modes.h"
#include "views/out.h"

#define OURS "confine-run.sh, as this version emits it"

static const char *const steps[] = {
	"Read the difference. Where nobody meant it, put this version's launcher there: atconsole "
	"--update, or a copy of emit/assets/confine-run.sh.",
	"Re-pin: whoever keeps a SHA-256 of it records the new one, in both projects.",
	"Try it where it is to hold: atconsole --self-test. A proof of other bytes is none of these.",
};

struct copy {
	const char *name; /* as it was typed */
	struct at_file file;
	char ours[AT_DIGEST_HEX], theirs[AT_DIGEST_HEX];
	bool is_same;
	struct at_diff diff;
};

/* The operator names the directory, links on the way included; the file itself must be one. */
static bool read_copy(struct copy *copy, struct at_error *err)
{
	char here[PATH_MAX], path[PATH_MAX], dir[PATH_MAX];
	char *slash;
	int root;
	bool ok;

	if (!getcwd(here, sizeof(here)))
		return at_fail_sys(err, errno, "the current directory is not known");
	if (!at_path_absolute(path, copy->name, here, "/") || strcmp(path, "/") == 0)
		return at_fail(err, AT_EUSAGE, "--verify-launcher wants a file");
	slash = strrchr(path, '/');
	*slash = '\0';
	if (!at_path_physical(dir, *path ? path : "/"))
		return at_fail(err, AT_ELIMIT, "the path of the file is too long");
	root = at_file_open_dir(AT_FDCWD, dir, err);
	if (root < 0)
		return false;
	ok = at_file_read(&copy->file, root, slash + 1, AT_FILE_CAP, 0, err);
	close(root);
	if (!ok)
		at_error_path(err, copy->name);
	return ok;
}

static bool compare(struct copy *copy, struct at_error *err)
{
	struct at_digest ours = at_digest_of(at_asset_launcher);

	at_digest_hex(copy->ours, &ours);
	at_digest_hex(copy->theirs, &copy->file.digest);
	copy->is_same = at_bytes_equal(at_asset_launcher, at_buf_bytes(&copy->file.bytes));
	return copy->is_same
		|| at_diff_make(&copy->diff, at_asset_launcher, at_buf_bytes(&copy->file.bytes), 3,
			err);
}

static void report_json(const struct copy *copy)
{
	struct at_json_value *json = at_json_object(), *list;
	struct at_buf text = { 0 };

	at_json_add_text(json, "file", copy->name);
	at_json_add_text(json, "state", copy->is_same ? "same" : "drifted");
	at_json_add_text(json, "expected", copy->ours);
	at_json_add_text(json, "found", copy->theirs);
	at_json_add_number(json, "links", (long long)copy->file.links);
	at_json_add_number(json, "added", (long long)copy->diff.added);
	at_json_add_number(json, "removed", (long long)copy->diff.removed);
	at_diff_print(&copy->diff, OURS, copy->name, AT_DIFF_RAW, &text);
	at_json_add_bytes(json, "diff", at_buf_bytes(&text));
	at_buf_free(&text);
	list = at_json_add_array(json, "next");
	for (size_t i = 0; i < AT_LEN(steps) && !copy->is_same; i++)
		at_json_add_text(list, NULL, steps[i]);
	at_out_json(json);
}

static void report(const struct copy *copy, const char *color)
{
	struct at_buf text = { 0 };

	at_buf_printf(&text, "%s: %s\n  sha256 %s\n", copy->name,
		copy->is_same ? "same: the launcher of this version" : "drifted", copy->theirs);
	if (!copy->is_same)
		at_buf_printf(&text, "  ours   %s\n", copy->ours);
	if (copy->file.links > 1)
		at_buf_puts(&text, "  It has more names (hard links): who may write one of them "
				   "rewrites it.\n");
	at_out_text(&text);
	text.len = 0;
	at_diff_print(&copy->diff, OURS, copy->name, AT_DIFF_SAFE, &text);
	at_out_diff(&text, color);
	text.len = 0;
	for (size_t i = 0; i < AT_LEN(steps) && !copy->is_same; i++)
		at_buf_printf(&text, "%zu. %s\n", i + 1, steps[i]);
	at_out_text(&text);
	at_buf_free(&text);
}

int at_mode_verify_launcher(const struct at_options *options)
{
	struct copy copy = { .name = options->verify_launcher };
	struct at_error err;
	int status;

	if (!read_copy(&copy, &err))
		return at_out_error(&err);
	if (!compare(&copy, &err)) {
		status = at_out_error(&err);
	} else {
		if (options->json)
			report_json(&copy);
		else
			report(&copy, options->color);
		status = copy.is_same ? 0 : 1;
	}
	at_diff_free(&copy.diff);
	at_file_free(&copy.file);
	return status;
}
