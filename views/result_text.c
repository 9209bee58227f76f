#include "views/result_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/mem.h"
#include "runner/proposals/canonical.h"
#include "views/out.h"

int at_result_refused(const char *flag, const char *what, const struct at_error *err)
{
	struct at_buf text = { 0 };

	at_buf_printf(&text, "[%s] %s: %s\n", flag, what, err->message);
	if (*err->hint)
		at_buf_printf(&text, "  %s\n", err->hint);
	at_out_notes(&text);
	at_buf_free(&text);
	/* 2 is for what was not asked properly, and for agent sessions. */
	return err->code == AT_EDENIED || err->code == AT_EUSAGE ? 2 : 1;
}

const char *at_result_text(const struct at_client_result *result, const char *key)
{
	uint32_t node = at_json_member(&result->doc, result->result, key);

	return at_json_is(&result->doc, node, AT_JSON_STRING)
		? at_json_string(&result->doc, node, result->arena).data : "";
}

/* ASCII throughout, so that it can go out as it is. */
static void print_json(const struct at_json *doc, uint32_t node)
{
	struct at_buf text = { 0 };

	at_canonical_put(&text, doc, node, AT_CANONICAL_PRETTY);
	at_buf_putc(&text, '\n');
	fwrite(text.data, 1, text.len, stdout);
	at_buf_free(&text);
}

static void print_stream(const struct at_client_result *result, const char *key)
{
	struct at_buf text = { 0 };

	at_buf_puts(&text, at_result_text(result, key));
	if (!text.len)
		return;
	if (text.data[text.len - 1] != '\n')
		at_buf_putc(&text, '\n');
	at_out_text(&text);
	at_buf_free(&text);
}

/* Without the streams, which are for reading. */
static void print_result(const struct at_client_result *result)
{
	struct at_canonical_object rest = { 0 };
	struct at_buf text = { 0 };
	struct at_json doc;

	if (result->result == AT_JSON_NONE)
		return;
	at_json_each(&result->doc, node, result->result) {
		struct at_bytes key = at_json_key(&result->doc, node, result->arena);
		struct at_buf value = { 0 };

		if (at_bytes_equal_text(key, "stdout") || at_bytes_equal_text(key, "stderr"))
			continue;
		at_canonical_put(&value, &result->doc, node, AT_CANONICAL_SPACED);
		at_canonical_set_raw(&rest, key.data, at_buf_bytes(&value));
		at_buf_free(&value);
	}
	at_canonical_object_put(&text, &rest, AT_CANONICAL_SPACED);
	at_canonical_object_free(&rest);
	if (at_json_read(&doc, at_buf_bytes(&text), &at_json_settings_limits, 0, NULL)) {
		print_json(&doc, AT_JSON_ROOT);
		at_json_free(&doc);
	}
	at_buf_free(&text);
	print_stream(result, "stdout");
	print_stream(result, "stderr");
}

int at_result_report(const struct at_session *session, const char *flag, struct at_bytes text,
	at_result_put *put)
{
	struct at_client_result result;
	struct at_buf out = { 0 };
	struct at_error err;
	int status = 1;

	if (!at_client_result_read(&result, text, &err)) {
		status = at_result_refused(flag, "refused", &err);
	} else {
		status = result.exit;
		if (session->options->json)
			print_json(&result.doc, AT_JSON_ROOT);
		else if (result.ok && put)
			put(&out, &result);
		else
			print_result(&result);
		at_out_text(&out);
		if (*result.error) {
			at_fail(&err, AT_EREFUSED, "%s", result.error);
			at_result_refused(flag, "refused", &err);
		}
	}
	at_buf_free(&out);
	at_client_result_free(&result);
	return status;
}

int at_result_whole(struct at_bytes text)
{
	struct at_client_result result;
	struct at_error err;
	int status;

	if (at_client_result_read(&result, text, &err)) {
		print_json(&result.doc, AT_JSON_ROOT);
		status = result.exit;
	} else {
		status = at_result_refused("wait-result", "refused", &err);
	}
	at_client_result_free(&result);
	return status;
}

unsigned at_result_wait(const struct at_session *session, unsigned seconds)
{
	unsigned long given;

	if (!session->options->wait_timeout)
		return seconds;
	given = strtoul(session->options->wait_timeout, NULL, 10);
	return given && given <= 86400 ? (unsigned)given : seconds;
}
