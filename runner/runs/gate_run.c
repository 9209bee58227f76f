#include "runner/runs/gate_run.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/digest.h"
#include "core/disk.h"
#include "core/file.h"
#include "core/json_text.h"
#include "core/path.h"
#include "core/utf8.h"
#include "runner/runs/confine_impl.h"
#include "runner/runs/program.h"

#define COPY_DIR "file" /* apart from what the launcher's words leave beside it */
#define WORDS_BYTES 640 /* what of a quotation fits an error's message */
#define FIRST_LINE 256

struct gate {
	struct at_confine *confine;
	const struct at_gate_call *call;
	struct at_arena *arena;
	const char *tmp, *copy;
};

static bool cannot(struct at_error *err, const struct at_gate_call *call)
{
	struct at_error why = err ? *err : (struct at_error){ 0 };
	enum at_code code = why.code ? why.code : AT_EREFUSED;

	at_fail(err, code, "gate %s could not run: %s", call->name, why.message);
	if (*why.hint)
		at_error_hint(err, "%s", why.hint);
	return false;
}

bool at_gate_argv_digest(char out[65], const char *const *argv)
{
	struct at_buf text = { 0 };
	struct at_digest digest;
	bool ok = true;

	at_buf_putc(&text, '[');
	for (size_t i = 0; argv[i]; i++) {
		ok &= at_utf8_is_valid(at_bytes_of(argv[i]), NULL);
		if (i)
			at_buf_putc(&text, ',');
		at_json_text_quote(&text, at_bytes_of(argv[i]), true);
	}
	at_buf_putc(&text, ']');
	digest = at_digest_of(at_buf_bytes(&text));
	at_digest_hex(out, &digest);
	at_buf_free(&text);
	return ok;
}

static bool is_argv_vouched_for(const struct at_gate_call *call, struct at_error *err)
{
	char now[AT_DIGEST_HEX];

	if (!call->argv || !call->argv[0])
		return at_fail(err, AT_EINVALID, "its argv is empty");
	if (!call->argv_digest)
		return true;
	if (at_gate_argv_digest(now, call->argv) && strcmp(now, call->argv_digest) == 0)
		return true;
	return at_fail(err, AT_EREFUSED,
		"its argv in the brief is not the one the operator's file was installed for "
		"(gate_argv_sha256)");
}

static bool write_copy(struct gate *g, struct at_error *err)
{
	const char *slash = strrchr(g->call->path, '/');
	const char *name = slash ? slash + 1 : g->call->path;
	int top = at_file_open_dir(AT_FDCWD, g->tmp, err), dir = -1;
	bool ok = false;

	if (top < 0)
		return false;
	if (at_disk_mkdir(top, COPY_DIR, 0700))
		dir = openat(top, COPY_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(top);
	if (dir >= 0) {
		ok = *name
			&& at_disk_create(
				dir, name, g->call->content, 0600, AT_NO_OWNER, AT_NO_GROUP);
		close(dir);
	}
	g->copy = at_arena_printf(g->arena, "%s/" COPY_DIR "/%s", g->tmp, name);
	return ok || at_fail(err, AT_EIO, "a copy of `%s` cannot be written", g->call->path);
}

static const char *const *fill_in(struct gate *g)
{
	const char *const *argv = g->call->argv;
	const char **words;
	size_t n = 0;

	while (argv[n])
		n++;
	words = at_arena_alloc(g->arena, (n + 1) * sizeof(*words));
	for (size_t i = 0; i < n; i++)
		words[i] = strcmp(argv[i], "{file}") == 0 ? g->copy
			: strcmp(argv[i], "{path}") == 0  ? g->call->path
							  : argv[i];
	return words;
}

/* The absolute interpreter of a `#!` line, or NULL. */
static const char *interpreter(struct at_arena *arena, const char *program)
{
	char line[FIRST_LINE];
	int fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	const char *start;

	if (fd >= 0)
		close(fd);
	if (got < 3 || memcmp(line, "#!", 2) != 0)
		return NULL;
	line[got] = '\0';
	start = line + 2 + strspn(line + 2, " \t");
	return *start == '/' ? at_arena_strndup(arena, start, strcspn(start, " \t\r\n")) : NULL;
}

static const char *const *exec_of(struct gate *g, struct at_error *err)
{
	char program[PATH_MAX];
	const char **exec;

	if (g->call->exec)
		return g->call->exec;
	if (!at_program_find(program, g->call->argv[0], g->confine->search_path,
		    g->confine->setup.project, err))
		return NULL;
	exec = at_arena_alloc(g->arena, 3 * sizeof(*exec));
	exec[0] = at_arena_strdup(g->arena, program);
	exec[1] = interpreter(g->arena, program);
	return exec;
}

static bool is_apart(struct gate *g, const char *const *exec, struct at_error *err)
{
	char real[PATH_MAX], root[PATH_MAX];

	for (; *exec; exec++)
		for (size_t i = 0; g->call->never && g->call->never[i]; i++) {
			if (snprintf(root, sizeof(root), "%s/%s", g->confine->setup.project,
				    g->call->never[i])
				>= (int)sizeof(root))
				return at_fail(err, AT_ELIMIT, "a write root's path is too long");
			if (at_confine_expand(real, g->confine, *exec)
				&& (at_path_is_inside(real, root) || at_path_is_inside(root, real)))
				return at_fail(err, AT_EREFUSED,
					"exec path `%s` overlaps the write root `%s`", *exec,
					g->call->never[i]);
		}
	return true;
}

/* The last characters of all it wrote, as one text. */
static const char *last_words(struct gate *g, const struct at_run_end *end)
{
	struct at_buf all = { 0 };
	size_t len, from, count = 0;
	const char *text;

	at_buf_put(&all, end->out.data, end->out.len);
	at_buf_put(&all, end->err.data, end->err.len);
	for (size_t i = 0; i < all.len; i++)
		if (!all.data[i])
			all.data[i] = ' ';
	for (len = all.len; len && strchr(" \t\r\n", all.data[len - 1]);)
		len--;
	for (from = len; from && len - from < WORDS_BYTES && count < AT_GATE_WORDS;)
		count += (all.data[--from] & 0xC0) != 0x80;
	while (from < len && (all.data[from] & 0xC0) == 0x80)
		from++;
	text = at_arena_strndup(g->arena, len ? all.data + from : "", len - from);
	at_buf_free(&all);
	return text;
}

static bool judge(struct gate *g, const struct at_run_end *end, struct at_error *err)
{
	if (end->timed_out)
		at_fail(err, AT_EREFUSED, "it did not end within %d seconds", AT_GATE_TIMEOUT);
	else if (end->stopped)
		at_fail(err, AT_EREFUSED, "it was stopped");
	else if (end->survivors || end->is_left)
		at_fail(err, AT_EREFUSED, "it left processes behind");
	else if (end->exit)
		return at_fail(err, AT_EREFUSED,
			"gate %s refused the proposed content (exit %d): %s", g->call->name,
			end->exit, last_words(g, end));
	else
		return true;
	return cannot(err, g->call);
}

static bool run(struct gate *g, struct at_error *err)
{
	struct at_run_call call = { .timeout = AT_GATE_TIMEOUT,
		.tmp = g->tmp,
		.go_on = g->call->go_on,
		.user = g->call->user };
	struct at_run_end end;
	bool ok;

	if (!is_argv_vouched_for(g->call, err) || !write_copy(g, err))
		return cannot(err, g->call);
	call.argv = fill_in(g);
	call.entry.hide = g->call->hide;
	call.entry.exec = exec_of(g, err);
	if (!call.entry.exec || !is_apart(g, call.entry.exec, err))
		return cannot(err, g->call);
	ok = at_run_command(&end, g->confine, &call, err);
	ok = ok ? judge(g, &end, err) : cannot(err, g->call);
	at_run_end_free(&end);
	return ok;
}

bool at_gate_run(struct at_confine *confine, const struct at_gate_call *call, struct at_error *err)
{
	struct gate g = { .confine = confine, .call = call, .arena = at_arena_new() };
	struct at_error own = { 0 };
	bool ok;

	err = err ? err : &own;
	*err = (struct at_error){ 0 };
	g.tmp = at_confine_make_tmp(confine, g.arena, err);
	ok = g.tmp ? run(&g, err) : cannot(err, call);
	if (g.tmp)
		at_confine_remove_tmp(confine, g.tmp);
	at_arena_free(g.arena);
	return ok;
}
