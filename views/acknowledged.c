#include "views/acknowledged.h"

#include <string.h>

#include "core/apply.h"

#define LIST "acknowledged"
#define LIST_CAP 65536

static bool read_list(const struct at_session *session, struct at_file *out, struct at_error *err)
{
	memset(out, 0, sizeof(*out));
	return session->state.fd < 0
		|| at_file_read(out, session->state.fd, LIST, LIST_CAP, AT_FILE_MAY_BE_ABSENT, err);
}

/* The line that is `code`, or NULL. */
static const char *find(const char *text, const char *code)
{
	size_t len = strlen(code);

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strcspn(line, "\n") == len && memcmp(line, code, len) == 0)
			return line;
	}
	return NULL;
}

bool at_is_acknowledged(const struct at_session *session, const char *code)
{
	struct at_file list;
	bool found = read_list(session, &list, NULL) && find(at_buf_text(&list.bytes), code);

	at_file_free(&list);
	return found;
}

bool at_acknowledge(struct at_session *session, const char *code, struct at_error *err)
{
	struct at_applied applied;
	struct at_buf text = { 0 };
	struct at_file list;
	struct at_plan plan;
	const char *line;
	bool ok;

	if (!read_list(session, &list, err))
		return false;
	line = find(at_buf_text(&list.bytes), code);
	if (line) {
		at_buf_put(&text, list.bytes.data, (size_t)(line - list.bytes.data));
		line += strlen(code);
		at_buf_puts(&text, line + (*line == '\n'));
	} else {
		at_buf_put(&text, at_buf_text(&list.bytes), list.bytes.len);
		at_buf_printf(&text, "%s\n", code);
	}
	at_plan_init(&plan);
	ok = at_plan_add(&plan, session->state.fd, AT_IN_STATE, LIST, at_buf_bytes(&text), 0600,
		     AT_PLAN_WRITE, "advisories marked as read", err)
		&& at_plan_apply(
			&plan, session->project.fd, &session->state, "acknowledge", &applied, err);
	at_plan_free(&plan);
	at_buf_free(&text);
	at_file_free(&list);
	return ok;
}

size_t at_unacknowledged(const struct at_session *session)
{
	const struct at_manifest *manifest = &session->manifest;
	size_t count = 0;

	for (size_t i = 0; i < manifest->advisory_count; i++)
		count += !at_is_acknowledged(session, manifest->advisories[i].code);
	return count;
}
