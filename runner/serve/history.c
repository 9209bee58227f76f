#include "runner/serve/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "runner/proposals/site.h"

static const char *const writes[] = { "apply-proposal", "apply-staged", "apply-direct",
	"delete-proposal" };

static bool copy_text(char *out, size_t size, const struct at_json *row, const char *key,
	struct at_arena *arena)
{
	uint32_t node = at_json_member(row, AT_JSON_ROOT, key);
	struct at_bytes text;

	*out = '\0';
	if (!at_json_is(row, node, AT_JSON_STRING))
		return false;
	text = at_json_string(row, node, arena);
	if (text.len >= size)
		return false;
	memcpy(out, text.data, text.len + 1);
	return true;
}

/* "absent", no member, null: not there. */
static bool take_side(bool *is_absent, struct at_digest *out, const struct at_json *row,
	const char *key, struct at_arena *arena)
{
	char text[AT_DIGEST_HEX];

	*is_absent = !copy_text(text, sizeof(text), row, key, arena) || strcmp(text, "absent") == 0;
	return *is_absent || at_digest_from_hex(out, text);
}

static bool take_written(struct at_written *out, const struct at_json *row, struct at_arena *arena)
{
	char path[PATH_MAX];

	*out = (struct at_written){ .path = NULL };
	if (!copy_text(out->action, sizeof(out->action), row, "action", arena)
		|| !copy_text(out->agent, sizeof(out->agent), row, "agent", arena)
		|| !copy_text(path, sizeof(path), row, "path", arena)
		|| !take_side(&out->base_is_absent, &out->base, row, "base", arena)
		|| !take_side(&out->new_is_absent, &out->new, row, "new", arena))
		return false;
	copy_text(out->sid, sizeof(out->sid), row, "sid", arena);
	out->path = at_strdup(path);
	return true;
}

/* A row that says what is there already: nothing is written, nothing can be undone. */
static bool changes_nothing(const struct at_written *w)
{
	return w->base_is_absent == w->new_is_absent
		&& (w->base_is_absent || at_digest_equal(&w->base, &w->new));
}

static void push(struct at_history *h, const struct at_written *written)
{
	if (h->count == AT_HISTORY_KEPT) {
		free(h->stack[0].path);
		memmove(h->stack, h->stack + 1, (AT_HISTORY_KEPT - 1) * sizeof(*h->stack));
		h->count--;
	}
	h->stack[h->count++] = *written;
}

static void pop_into(struct at_history *h, struct at_written *out)
{
	free(out->path);
	*out = h->stack[--h->count];
}

static bool is_write(const char *action)
{
	for (size_t i = 0; i < AT_LEN(writes); i++)
		if (strcmp(writes[i], action) == 0)
			return true;
	return false;
}

static void note_write(struct at_history *h, const struct at_json *row, struct at_arena *arena)
{
	struct at_written written;

	if (!take_written(&written, row, arena))
		return;
	snprintf(h->settled, sizeof(h->settled), "%s", written.sid);
	if (changes_nothing(&written)) {
		free(written.path);
		return;
	}
	push(h, &written);
	h->last_is_write = true;
}

/* A refusal that names a path takes back the write row before it; one that names a sid, the
 * staging. */
static void note_refusal(struct at_history *h, const char *path)
{
	struct at_written gone = { .path = NULL };

	if (h->undone.path && h->last_is_undo && strcmp(h->undone.path, path) == 0) {
		push(h, &h->undone);
		h->undone.path = NULL;
	} else if (h->count && strcmp(h->stack[h->count - 1].path, path) == 0) {
		pop_into(h, &gone);
		free(gone.path);
	}
}

static void forget_staged(struct at_history *h, const char *sid)
{
	for (size_t i = 0; i < h->staged_count; i++) {
		if (strcmp(h->staged[i], sid) != 0)
			continue;
		memmove(h->staged[i], h->staged[i + 1],
			(h->staged_count - i - 1) * sizeof(h->staged[0]));
		h->staged_count--;
		return;
	}
}

static void note_staged(struct at_history *h, const char *sid)
{
	if (h->staged_count == AT_HISTORY_STAGED)
		forget_staged(h, h->staged[0]);
	snprintf(h->staged[h->staged_count++], sizeof(h->staged[0]), "%s", sid);
}

static void note(struct at_history *h, const struct at_json *row, struct at_arena *arena)
{
	char action[40], path[PATH_MAX], sid[33];
	size_t len;

	copy_text(action, sizeof(action), row, "action", arena);
	copy_text(sid, sizeof(sid), row, "sid", arena);
	len = strlen(action);
	if (len > 8 && strcmp(action + len - 8, "-refused") == 0
		&& copy_text(path, sizeof(path), row, "path", arena))
		note_refusal(h, path);
	h->last_is_write = h->last_is_undo = false;
	*h->settled = '\0';
	snprintf(h->settled_action, sizeof(h->settled_action), "%s", action);
	if (strcmp(action, "stage-proposal") == 0) {
		note_staged(h, sid);
		return;
	}
	/* Refusals may stand within a group of staged ones; anything else came after it. */
	if (strcmp(action, "stage-proposal-refused") != 0)
		h->staged_count = 0;
	else if (*sid)
		forget_staged(h, sid);
	if (is_write(action)) {
		note_write(h, row, arena);
	} else if (strcmp(action, "undo-applied") == 0 && h->count) {
		pop_into(h, &h->undone);
		h->last_is_write = h->last_is_undo = true;
	} else if (strcmp(action, "reject-staged") == 0 || strcmp(action, "expire-staged") == 0) {
		snprintf(h->settled, sizeof(h->settled), "%s", sid);
	}
}

bool at_history_row(void *context, const struct at_json *row, size_t number, struct at_error *err)
{
	struct at_arena *arena = at_arena_new();

	(void)number;
	(void)err;
	note(context, row, arena);
	at_arena_free(arena);
	return true;
}

void at_history_note(struct at_history *history, struct at_bytes row)
{
	static const struct at_json_limits limits = { (size_t)16 << 20, 40 };
	struct at_json doc;

	if (!at_json_read(&doc, row, &limits, 0, NULL))
		return;
	at_history_row(history, &doc, 0, NULL);
	at_json_free(&doc);
}

void at_history_free(struct at_history *history)
{
	for (unsigned i = 0; i < history->count; i++)
		free(history->stack[i].path);
	free(history->undone.path);
	*history = (struct at_history){ .count = 0 };
}
