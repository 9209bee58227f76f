#include "runner/serve/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/disk.h"
#include "core/file.h"
#include "core/mem.h"
#include "runner/proposals/site.h"
#include "runner/serve/serve.h"
#include "runner/serve/socket.h"
#include "runner/serve/wake.h"

#define STEP_MS 200 /* between two looks, where nothing wakes us */

static bool fail_no_runner(struct at_error *err)
{
	at_fail(err, AT_EREFUSED, "no runner is serving this project (no fresh " AT_RUNNER_HEARTBEAT
		"); the operator starts one outside any agent session: "
		"atconsole --serve-requests --project P --description B");
	at_error_name(err, "no-runner");
	return false;
}

bool at_client_queue(char id[AT_QUEUE_ID], int root, struct at_bytes request,
	struct at_error *err)
{
	struct at_runner_sight sight;
	char temp[64], name[48], other[AT_QUEUE_ID];
	bool ok;
	int dir;

	at_runner_look(&sight, root);
	if (!sight.is_fresh)
		return fail_no_runner(err);
	dir = at_file_open_dir(root, AT_QUEUE_REQUESTS, err);
	if (dir < 0)
		return false;
	/* The temp's name tells nothing of the id: whoever sees it cannot be there first. */
	at_queue_new_id(id);
	at_queue_new_id(other);
	snprintf(temp, sizeof(temp), ".%s.tmp", other);
	snprintf(name, sizeof(name), "%s.json", id);
	ok = at_disk_put(dir, temp, request, 0600) && at_disk_move(dir, temp, name);
	if (!ok) {
		at_fail_sys(err, errno, "cannot queue the request in `" AT_QUEUE_REQUESTS "`");
		unlinkat(dir, temp, 0);
	}
	close(dir);
	return ok;
}

static int64_t steady_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Empty: the runner may let the result go. */
static void acknowledge(int root, const char *id)
{
	int dir = at_file_open_dir(root, AT_QUEUE_ACKS, NULL);

	if (dir < 0)
		return;
	at_disk_put(dir, id, (struct at_bytes){ "", 0 }, 0600);
	close(dir);
}

/* True when it is there, or an error is set. */
static bool look(struct at_buf *out, int dir, const char *name, struct at_error *err)
{
	struct at_file file;

	if (!at_file_read(&file, dir, name, AT_RESULT_CAP, AT_FILE_MAY_BE_ABSENT
			| AT_FILE_NO_DIGEST, err))
		return true;
	if (file.exists)
		at_buf_put(out, at_buf_text(&file.bytes), file.bytes.len);
	at_file_free(&file);
	return out->len > 0;
}

bool at_client_wait(struct at_buf *result, int root, const char *id, unsigned seconds,
	struct at_error *err)
{
	int64_t until = steady_ms() + (int64_t)seconds * 1000;
	struct at_wake *wake = NULL;
	char name[48];
	bool done;
	int dir;

	*err = (struct at_error){ 0 };
	if (!at_is_lower_hex(at_bytes_of(id), AT_QUEUE_ID - 1)) {
		at_fail(err, AT_EUSAGE, "`%s` is no id of a request", id);
		return false;
	}
	dir = at_file_open_dir(root, AT_QUEUE_RESULTS, err);
	if (dir < 0)
		return false;
	snprintf(name, sizeof(name), "%s.json", id);
	if (!at_wake_open(&wake, &dir, 1, false, err)) {
		close(dir);
		return false;
	}
	while (!(done = look(result, dir, name, err)) && steady_ms() < until) {
		int64_t left = until - steady_ms();

		at_wake_wait(wake, NULL, 0,
			(int)(left < STEP_MS ? left > 0 ? left : 1 : STEP_MS));
	}
	at_wake_close(wake);
	close(dir);
	if (!done) {
		at_fail(err, AT_EREFUSED, "no result for %s within %us; wait longer with "
			"--wait-result", id, seconds);
		at_error_name(err, "no-result");
		return false;
	}
	if (err->code)
		return false;
	acknowledge(root, id);
	return true;
}

bool at_client_operator(struct at_buf *result, const struct at_state *state,
	struct at_bytes request, unsigned seconds, struct at_error *err)
{
	int fd = state->fd < 0 ? -1 : at_socket_make(state->fd, false);
	bool ok;

	if (fd < 0) {
		fail_no_runner(err);
		err->code = AT_ENOENT;
		return false;
	}
	ok = at_socket_write(fd, request, 5000) && shutdown(fd, SHUT_WR) == 0
		&& at_socket_read(result, fd, AT_RESULT_CAP + 4096, (int)seconds * 1000)
		&& result->len;
	close(fd);
	if (ok)
		return true;
	at_fail(err, AT_EREFUSED, "the runner did not answer within %us; what it did is in the "
		"ledger", seconds);
	at_error_name(err, "no-result");
	return false;
}

static const char *text_of(const struct at_client_result *r, const char *key)
{
	uint32_t node = at_json_member(&r->doc, AT_JSON_ROOT, key);

	return at_json_is(&r->doc, node, AT_JSON_STRING)
		? at_json_string(&r->doc, node, r->arena).data : "";
}

bool at_client_result_read(struct at_client_result *out, struct at_bytes text,
	struct at_error *err)
{
	static const struct at_json_limits limits = { AT_RESULT_CAP + 4096, 40 };
	uint32_t node;

	*out = (struct at_client_result){ .exit = 1, .result = AT_JSON_NONE,
		.arena = at_arena_new(), .id = "", .kind = "", .error = "", .error_id = "" };
	if (!at_json_read(&out->doc, text, &limits, 0, err))
		return false;
	out->ok = at_json_is(&out->doc, at_json_member(&out->doc, AT_JSON_ROOT, "ok"),
		AT_JSON_TRUE);
	node = at_json_member(&out->doc, AT_JSON_ROOT, "exit");
	if (at_json_is(&out->doc, node, AT_JSON_NUMBER))
		out->exit = at_bytes_equal_text(at_json_raw(&out->doc, node), "3") ? 3 : 1;
	else
		out->exit = out->ok ? 0 : 1;
	out->id = text_of(out, "id");
	out->kind = text_of(out, "kind");
	out->error = text_of(out, "error");
	out->error_id = text_of(out, "error_id");
	out->result = at_json_member(&out->doc, AT_JSON_ROOT, "result");
	return true;
}

void at_client_result_free(struct at_client_result *result)
{
	at_json_free(&result->doc);
	at_arena_free(result->arena);
	*result = (struct at_client_result){ .result = AT_JSON_NONE };
}
