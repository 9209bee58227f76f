/* mode_diff.c - --diff: a patch of anyone's, on a screen, as safe text, or as JSON. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/patch.h"
#include "tui/run.h"
#include "tui/tty.h"
#include "views/modes.h"
#include "views/out.h"
#include "views/screen.h"
#include "views/view_diff.h"

#define SLICE ((size_t)1 << 20)
#define LISTED 100000 /* files and warnings in a JSON report, each */

/* By what a row is, not by how it begins: a message may begin with a plus. */
static const char *colour_of(const struct at_diff_line *line)
{
	static const char *const colours[] = {
		[AT_DIFF_HUNK] = "\033[36m",
		[AT_DIFF_ADDED] = "\033[32m",
		[AT_DIFF_REMOVED] = "\033[31m",
		[AT_DIFF_FILE] = "\033[1m",
		[AT_DIFF_NOTE] = NULL,
	};

	return at_patch_is_fault(line) ? "\033[33m" : colours[line->kind];
}

static void print_rows(const struct at_diff *diff, size_t from, bool colour)
{
	struct at_buf out = { 0 };

	for (; from < diff->count; from++) {
		const char *on = colour ? colour_of(&diff->lines[from]) : NULL;

		if (on)
			at_buf_puts(&out, on);
		at_patch_print_row(diff, from, &out);
		if (on) { /* before the newline, so that a line that is cut keeps nothing */
			out.len--;
			at_buf_puts(&out, "\033[0m\n");
		}
		if (out.len > SLICE || from + 1 == diff->count) {
			fwrite(at_buf_text(&out), 1, out.len, stdout);
			out.len = 0;
		}
	}
	at_buf_free(&out);
}

static bool read_whole(
	struct at_patch *patch, int fd, bool prints, bool colour, struct at_error *err)
{
	bool ok = true;

	for (size_t done = 0; ok && !patch->ended; done = patch->diff.count) {
		ok = at_patch_read(patch, fd, SLICE, err);
		if (!ok)
			at_patch_end(patch);
		if (prints)
			print_rows(&patch->diff, done, colour);
	}
	return ok;
}

static void add_file(
	struct at_json_value *files, const struct at_diff *diff, size_t file, size_t line_no)
{
	size_t row = diff->files[file], hunks = 0, added = 0, removed = 0;
	size_t end = file + 1 < diff->file_count ? diff->files[file + 1] : diff->count;
	struct at_json_value *item = at_json_add_object(files, NULL);

	for (; row < end; row++) {
		hunks += diff->lines[row].kind == AT_DIFF_HUNK;
		added += diff->lines[row].kind == AT_DIFF_ADDED;
		removed += diff->lines[row].kind == AT_DIFF_REMOVED;
	}
	at_json_add_bytes(item, "name", at_patch_name(diff, file));
	at_json_add_number(item, "line", (long long)line_no);
	at_json_add_number(item, "hunks", (long long)hunks);
	at_json_add_number(item, "added", (long long)added);
	at_json_add_number(item, "removed", (long long)removed);
}

static void report_json(const struct at_patch *patch, const char *name, bool is_whole)
{
	const struct at_diff *diff = &patch->diff;
	struct at_json_value *json = at_json_object(), *files, *warnings;
	size_t file = 0, faults = 0, line_no = 0;

	at_json_add_text(json, "name", name);
	at_json_add_bool(json, "complete", is_whole);
	at_json_add_number(json, "bytes", (long long)patch->text.len);
	at_json_add_number(json, "hunks", (long long)diff->hunk_count);
	at_json_add_number(json, "added", (long long)diff->added);
	at_json_add_number(json, "removed", (long long)diff->removed);
	at_json_add_number(json, "file_count", (long long)diff->file_count);
	at_json_add_number(json, "warning_count", (long long)patch->faults);
	files = at_json_add_array(json, "files");
	warnings = at_json_add_array(json, "warnings");
	for (size_t row = 0; row < diff->count; row++) {
		const struct at_diff_line *line = &diff->lines[row];

		line_no += !at_patch_is_own(line);
		if (line->kind == AT_DIFF_FILE && file < LISTED)
			add_file(files, diff, file++, line_no);
		if (at_patch_is_fault(line) && faults++ < LISTED) {
			struct at_json_value *item = at_json_add_object(warnings, NULL);

			at_json_add_text(item, "id", at_patch_note_id(line));
			at_json_add_number(item, "line", (long long)line_no);
		}
	}
	at_out_json(json);
}

static int report(const struct at_options *options, int fd)
{
	struct at_patch patch;
	struct at_error err;
	bool ok;

	at_patch_init(&patch, 0);
	ok = read_whole(&patch, fd, !options->json, at_out_wants_colour(options->color), &err);
	if (options->json)
		report_json(&patch, options->diff, ok && !ferror(stdout));
	at_patch_free(&patch);
	return ok ? 0 : at_out_error(&err);
}

static int show(const struct at_options *options, int fd, int in, bool is_stream)
{
	struct at_app_hooks hooks = { .now_ms = at_run_now_ms };
	struct at_run loop = { .in = in, .out = 1, .wake_fd = is_stream ? fd : -1 };
	struct at_view_diff_arg arg = { .name = options->diff,
		.fd = fd,
		.is_stream = is_stream,
		.is_alone = true,
		.wake_fd = &loop.wake_fd };
	struct at_config config;
	struct at_error err;
	struct at_app app;
	int width, height;
	bool ok;

	setlocale(LC_CTYPE, "");
	at_config_open(&config, options);
	loop.backend = at_screen_backend(options, &config, &err);
	if (!loop.backend) {
		at_config_free(&config);
		return at_out_error(&err);
	}
	at_mem_on_exhausted(at_tty_close);
	at_tty_size(&width, &height);
	at_app_init(&app, &hooks, width, height);
	app.back_leaves = true;
	at_screen_settings(&app, &config);
	loop.app = &app;
	ok = at_app_push(&app, &at_view_diff, &arg, &err) && at_run(&loop, &err);
	at_app_free(&app);
	loop.backend->close(loop.backend);
	at_mem_on_exhausted(NULL);
	at_config_free(&config);
	return ok ? 0 : at_out_error(&err);
}

/* The file the operator named: links are followed, a pipe of the shell's is as good. */
static int open_patch(const char *name, bool *is_stream, struct at_error *err)
{
	struct stat file;
	int fd = strcmp(name, "-") == 0 ? dup(0) : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0 || fstat(fd, &file) < 0) {
		at_fail_sys(err, errno, "the diff cannot be opened");
		at_error_path(err, name);
	} else if (S_ISDIR(file.st_mode)) {
		at_fail(err, AT_EUSAGE,
			"this is a directory: --diff wants a file with a diff in it");
		at_error_path(err, name);
	} else if (isatty(fd)) {
		at_fail(err, AT_EUSAGE,
			"a terminal holds no diff: name a file, or pipe a diff into --diff -");
	} else {
		*is_stream = !S_ISREG(file.st_mode);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

int at_mode_diff(const struct at_options *options)
{
	bool is_stdin = strcmp(options->diff, "-") == 0, is_stream = false;
	struct at_error err;
	int fd = open_patch(options->diff, &is_stream, &err), in = -1, status;

	if (fd < 0)
		return at_out_error(&err);
	/* Where standard input is the patch, keys come from the terminal itself. */
	if (at_screen_can_show(options))
		in = !is_stdin ? (isatty(0) ? dup(0) : -1) : open("/dev/tty", O_RDWR | O_CLOEXEC);
	status = in >= 0 ? show(options, fd, in, is_stream) : report(options, fd);
	if (in >= 0)
		close(in);
	close(fd);
	return status;
}
