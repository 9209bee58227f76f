#include "views/gate_lines.h"

#include <stdbool.h>
#include <stdio.h>

#include "core/json_text.h"
#include "core/mem.h"
#include "runner/gate/log_verify.h"

static void put(struct at_buf *out, const char *key, const char *text)
{
	at_buf_printf(out, "%s\"%s\":", out->len ? "," : "{", key);
	at_json_text_quote(out, at_bytes_of(text), true);
}

void gate_lines_add(struct gate_lines *lines, const char *decision, const char *tool,
	const char *reason, const char *checked, bool key)
{
	static const char hash[] =
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	struct at_buf line = { 0 };
	struct at_digest digest;
	char id[32];

	if (!*lines->prev)
		gate_log_genesis(lines->prev);
	snprintf(id, sizeof(id), "toolu_%04zu", ++lines->count);
	put(&line, "tool_use_id", id);
	put(&line, "tool", tool);
	put(&line, "decision", decision);
	put(&line, "reason_id", reason);
	at_buf_puts(&line, ",\"categories\":[],\"lines\":[]");
	put(&line, "checked", checked);
	put(&line, "hook_hash", hash);
	put(&line, "prev_sha", lines->prev);
	if (key)
		put(&line, "input_hmac", hash);
	at_buf_putc(&line, '}');
	digest = at_digest_of(at_buf_bytes(&line));
	at_digest_hex(lines->prev, &digest);
	at_buf_put(&lines->text, line.data, line.len);
	at_buf_putc(&lines->text, '\n');
	at_buf_free(&line);
}

void gate_lines_sample(struct gate_lines *lines)
{
	static const struct {
		const char *decision, *tool, *reason, *checked;
	} rows[] = {
		{ "pass", "Bash", "", "custody" },
		{ "pass", "Edit", "", "custody" },
		{ "ask", "Bash", "pr-merge", "custody" },
		{ "pass", "Bash", "", "none" },
		{ "deny", "Write", "content", "custody" },
		{ "pass", "mcp__files__read", "", "custody" },
		{ "crash-open", "Bash", "time", "none" },
		{ "deny", "Bash", "delete-outside", "custody" },
		{ "crash-deny", "MultiEdit", "input", "custody" },
	};

	for (size_t i = 0; i < 40; i++) {
		size_t r = i % 3 == 0 ? (i / 3) % AT_LEN(rows) : i % 2;

		if (i == 11)
			at_buf_puts(&lines->text, "{\"tool_use_id\":\"toolu_00\nhalf a line\n");
		if (i == 24) /* one that is not there */
			lines->prev[0] = lines->prev[0] == '0' ? '1' : '0';
		gate_lines_add(lines, rows[r].decision, rows[r].tool, rows[r].reason,
			rows[r].checked, i > 30);
	}
}
