/* The text of a result file. (reference-ledgers 3.5) */
#include <string.h>
#include <time.h>

#include "runner/serve/runner_impl.h"

#define STREAM_CUT 16384u
#define UNDECLARED_CUT 200u

int64_t at_clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t at_steady_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void at_job_free(struct at_job *job)
{
	at_check_free(&job->check);
	at_canonical_object_free(&job->row);
	at_canonical_object_free(&job->result);
	at_buf_free(&job->record);
	at_buf_free(&job->gates);
	at_json_free(&job->own_doc);
	at_queued_free(&job->claim);
	at_arena_free(job->arena);
	*job = (struct at_job){ 0 };
}

static void put(struct at_buf *out, const struct at_job *job, const char *id,
	struct at_bytes result, const char *error, bool cut)
{
	struct at_canonical_object answer = { 0 };
	int status = job->exit ? job->exit : job->refused ? 1 : 0;

	at_canonical_set_text(&answer, "id", at_bytes_of(id));
	if (job->is_known)
		at_canonical_set_text(
			&answer, "kind", at_bytes_of(at_request_kind_name(job->asked.kind)));
	at_canonical_set_bool(&answer, "ok", !job->refused);
	if (result.len)
		at_canonical_set_raw(&answer, "result", result);
	if (error) {
		at_canonical_set_text(&answer, "error", at_bytes_of(error));
		at_canonical_set_text(&answer, "error_id", at_bytes_of(job->err.id));
	}
	if (status)
		at_canonical_set_number(&answer, "exit", status);
	if (cut)
		at_canonical_set_bool(&answer, "result_cut", true);
	at_canonical_set_number(&answer, "queue_wait_ms", job->claim.waited_ms);
	at_canonical_set_number(&answer, "serve_ms", at_steady_ms() - job->begun_ms);
	at_canonical_object_put(out, &answer, AT_CANONICAL_SPACED);
	at_buf_putc(out, '\n');
	at_canonical_object_free(&answer);
}

/* A boundary between characters at or before `most`. */
static struct at_bytes cut_text(struct at_bytes text, size_t most)
{
	if (text.len <= most)
		return text;
	while (most && ((unsigned char)text.data[most] & 0xc0) == 0x80)
		most--;
	return (struct at_bytes){ text.data, most };
}

static void cut_list(struct at_buf *out, const struct at_json *doc, uint32_t list)
{
	uint32_t count = 0, all = doc->nodes[list].count;

	at_buf_putc(out, '[');
	at_json_each(doc, node, list) {
		if (count == UNDECLARED_CUT)
			break;
		if (count++)
			at_buf_puts(out, ", ");
		at_canonical_put(out, doc, node, AT_CANONICAL_SPACED);
	}
	if (all > count)
		at_buf_printf(out, "%s\"... and %u more\"", count ? ", " : "", all - count);
	at_buf_putc(out, ']');
}

static void cut_member(struct at_canonical_object *out, const struct at_json *doc, const char *key,
	struct at_arena *arena)
{
	uint32_t node = at_json_member(doc, AT_JSON_ROOT, key);
	struct at_buf list = { 0 };

	if (at_json_is(doc, node, AT_JSON_STRING)) {
		at_canonical_set_text(
			out, key, cut_text(at_json_string(doc, node, arena), STREAM_CUT));
	} else if (at_json_is(doc, node, AT_JSON_ARRAY)) {
		cut_list(&list, doc, node);
		at_canonical_set_raw(out, key, at_buf_bytes(&list));
		at_buf_free(&list);
	}
}

/* The same result, short: false where that is no use. */
static bool cut(struct at_buf *out, struct at_canonical_object *result)
{
	static const struct at_json_limits limits = { (size_t)64 << 20, 40 };
	struct at_buf whole = { 0 };
	struct at_arena *arena;
	struct at_json doc;

	at_canonical_object_put(&whole, result, AT_CANONICAL_SPACED);
	if (!at_json_read(&doc, at_buf_bytes(&whole), &limits, 0, NULL)) {
		at_buf_free(&whole);
		return false;
	}
	arena = at_arena_new();
	cut_member(result, &doc, "stdout", arena);
	cut_member(result, &doc, "stderr", arena);
	cut_member(result, &doc, "undeclared_writes", arena);
	at_canonical_set_bool(result, "truncated", true);
	at_canonical_object_put(out, result, AT_CANONICAL_SPACED);
	at_arena_free(arena);
	at_json_free(&doc);
	at_buf_free(&whole);
	return true;
}

void at_job_answer(struct at_buf *out, struct at_job *job, const char *id)
{
	struct at_buf result = { 0 };
	size_t from = out->len;
	const char *error = job->refused ? job->err.message : NULL;

	if (job->result.count)
		at_canonical_object_put(&result, &job->result, AT_CANONICAL_SPACED);
	put(out, job, id, at_buf_bytes(&result), error, false);
	if (out->len - from > AT_RESULT_CAP) {
		out->len = from;
		at_buf_free(&result);
		if (cut(&result, &job->result))
			put(out, job, id, at_buf_bytes(&result), error, true);
	}
	if (out->len == from || out->len - from > AT_RESULT_CAP) {
		out->len = from;
		put(out, job, id, (struct at_bytes){ NULL, 0 },
			"result too large to return; see the ledger", true);
	}
	at_buf_free(&result);
}
