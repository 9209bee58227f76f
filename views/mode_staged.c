/* mode_staged.c - --list-staged, --show-staged, --apply-staged, --reject-staged, and the undo of
 * what was applied. (STG-1, STG-4; reference-ledgers 3.7, 3.16) */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/proposals/canonical.h"
#include "runner/serve/staged.h"
#include "views/modes.h"
#include "views/out.h"
#include "views/result_text.h"
#include "views/runner_site.h"

#define GATES_TOLD 5

static void put_gates(struct at_buf *out, const struct at_staged *staged)
{
	unsigned count = 0;

	at_buf_puts(out, "gates[");
	at_json_each(&staged->doc, node, staged->gates) {
		uint32_t name = at_json_member(&staged->doc, node, "gate");
		struct at_bytes text;

		if (!at_json_is(&staged->doc, name, AT_JSON_STRING))
			continue;
		if (count++ == GATES_TOLD) {
			at_buf_puts(out, ", ...");
			break;
		}
		text = at_json_string(&staged->doc, name, staged->arena);
		at_buf_printf(out, "%s%.*s", count > 1 ? ", " : "", (int)text.len, text.data);
	}
	at_buf_putc(out, ']');
}

static void put_line(struct at_buf *out, const struct at_staged *staged)
{
	if (staged->is_malformed) {
		at_buf_printf(out, "  %s  malformed: reject it\n", staged->sid);
		return;
	}
	at_buf_printf(out, "  %s  %s  %s  %s  %lld B  ", staged->sid, staged->agent, staged->kind,
		staged->path, staged->bytes);
	put_gates(out, staged);
	at_buf_printf(out, "  %s %s\n",
		at_staged_is_over(staged, at_time_now()) ? "expired" : "expires",
		staged->expires_text);
}

static void put_json(struct at_buf *out, const struct at_staged *staged, bool *first)
{
	at_buf_puts(out, *first ? "\n  " : ",\n  ");
	at_staged_put_line(out, staged);
	*first = false;
}

/* From the files: they need no key, and nothing of a content is read. */
static void list_files(struct at_buf *out, int dir, const struct at_staged_names *names, bool json)
{
	struct at_error err;
	bool first = true;

	if (json)
		at_buf_puts(out, "{\"staged\": [");
	else if (!names->count)
		at_buf_puts(out, "No staged proposals.\n");
	for (size_t i = 0; i < names->count; i++) {
		struct at_staged staged;

		if (at_staged_read_head(&staged, dir, names->items[i].sid, &err)) {
			if (json)
				put_json(out, &staged, &first);
			else
				put_line(out, &staged);
		}
		at_staged_free(&staged);
	}
	if (json)
		at_buf_puts(out, first ? "]}\n" : "\n]}\n");
}

/* Where the files cannot be seen, as in a sandbox, the runner is asked. */
static int ask(struct at_session *session, const struct at_request_words *words, const char *flag,
	enum at_ask_way way, at_result_put *put)
{
	struct at_buf result = { 0 };
	struct at_error err;
	int status = at_runner_site_ask(&result, session, words, way,
			     at_result_wait(session, AT_CLIENT_WAIT_S), &err)
		? at_result_report(session, flag, at_buf_bytes(&result), put)
		: at_result_refused(flag, "refused", &err);

	at_buf_free(&result);
	return status;
}

int at_mode_list_staged(struct at_session *session)
{
	static const struct at_request_words words = { .kind = AT_ASK_LIST_STAGED };
	struct at_staged_names names = { 0 };
	struct at_buf text = { 0 };
	struct at_error err;
	int dir = at_staged_open_dir(session->project.fd, false, &err);

	if (dir < 0 && err.sys != ENOENT && err.code != AT_ENOENT)
		return ask(session, &words, "list-staged", AT_ASK_QUEUE, NULL);
	if (dir >= 0 && !at_staged_names(&names, dir, &err)) {
		close(dir);
		return at_result_refused("list-staged", "refused", &err);
	}
	list_files(&text, dir, &names, session->options->json);
	at_out_text(&text);
	at_buf_free(&text);
	at_staged_names_free(&names);
	if (dir >= 0)
		close(dir);
	return 0;
}

static int show(const struct at_staged *staged)
{
	struct at_buf text = { 0 };
	struct at_error err;

	if (staged->is_malformed) {
		at_fail(&err, AT_EREFUSED, "staged record %s is malformed", staged->sid);
		return at_result_refused("show-staged", "refused", &err);
	}
	at_canonical_put(&text, &staged->doc, AT_JSON_ROOT, AT_CANONICAL_PRETTY);
	at_buf_putc(&text, '\n');
	at_out_text(&text);
	at_buf_free(&text);
	return 0;
}

int at_mode_show_staged(struct at_session *session)
{
	const struct at_request_words words = { .kind = AT_ASK_SHOW_STAGED,
		.sid = session->options->show_staged };
	struct at_staged staged;
	struct at_error err;
	int dir = at_staged_open_dir(session->project.fd, false, &err), status;

	if (dir < 0 && err.sys != ENOENT && err.code != AT_ENOENT)
		return ask(session, &words, "show-staged", AT_ASK_QUEUE, NULL);
	status = at_staged_read(&staged, dir, words.sid, &err)
		? show(&staged) : at_result_refused("show-staged", "refused", &err);
	at_staged_free(&staged);
	if (dir >= 0)
		close(dir);
	return status;
}

static void put_applied(struct at_buf *out, const struct at_client_result *result)
{
	const char *sum = at_result_text(result, "new_sha256");

	at_buf_printf(out, "[apply-staged] applied %s for %s (%s%s)\n",
		at_result_text(result, "path"), at_result_text(result, "agent"),
		*sum ? "sha256 " : "", *sum ? sum : "deleted");
}

int at_mode_apply_staged(struct at_session *session)
{
	const struct at_request_words words = { .kind = AT_ASK_APPLY_STAGED,
		.sid = session->options->apply_staged };

	return ask(session, &words, "apply-staged", AT_ASK_OPERATOR, put_applied);
}

static void put_rejected(struct at_buf *out, const struct at_client_result *result)
{
	at_buf_printf(out, "[reject-staged] rejected %s from %s\n", at_result_text(result, "path"),
		at_result_text(result, "agent"));
}

int at_mode_reject_staged(struct at_session *session)
{
	const struct at_request_words words = { .kind = AT_ASK_REJECT_STAGED,
		.sid = session->options->reject_staged,
		.reason = session->options->reject_reason };

	return ask(session, &words, "reject-staged", AT_ASK_OPERATOR, put_rejected);
}

static void put_undone(struct at_buf *out, const struct at_client_result *result)
{
	at_buf_printf(out, "undone: %s has its old bytes back (%s of %s)\n",
		at_result_text(result, "path"), at_result_text(result, "undoes"),
		at_result_text(result, "agent"));
}

int at_mode_undo_applied(struct at_session *session)
{
	static const struct at_request_words words = { .kind = AT_ASK_UNDO_APPLIED };
	struct at_error err;

	if (!at_session_may_write_live(session, &err))
		return at_out_error(&err);
	return ask(session, &words, "undo", AT_ASK_OPERATOR, put_undone);
}
