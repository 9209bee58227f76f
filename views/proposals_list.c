#include "views/proposals_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/gate/scan.h"

const char *at_review_state_name(enum at_review_state state)
{
	static const char *const names[] = { "…", "clean", "stale", "over", "refused" };

	return names[state];
}

void at_proposals_open(struct at_proposals_list *list, const struct at_session *session)
{
	struct at_staged_names names = { 0 };
	struct at_error err = { 0 };
	int dir = at_staged_open_dir(session->project.fd, false, &err);

	*list = (struct at_proposals_list){ .session = session, .arena = at_arena_new() };
	if (dir < 0 || !at_staged_names(&names, dir, &err)) {
		if (err.code != AT_ENOENT)
			list->fault = err;
	}
	list->items = at_alloc((names.count + 1) * sizeof(*list->items));
	list->count = names.count;
	for (size_t i = 0; i < names.count; i++) {
		struct at_proposal *item = &list->items[i];

		*item = (struct at_proposal){ .agent = "", .path = "", .kind = "", .why = "" };
		memcpy(item->sid, names.items[i].sid, sizeof(item->sid));
		item->staged_ns = names.items[i].staged_ns;
	}
	at_staged_names_free(&names);
	if (dir >= 0)
		close(dir);
}

void at_proposals_close(struct at_proposals_list *list)
{
	if (!list->arena)
		return;
	free(list->items);
	at_arena_free(list->arena);
	*list = (struct at_proposals_list){ 0 };
}

static enum at_review_state state_of(const struct at_staged *record, const struct at_file *old,
	struct at_time now)
{
	struct at_digest base;
	bool is_absent;

	if (at_staged_is_over(record, now))
		return AT_PROPOSAL_OVER;
	if (!at_artifact_base(&is_absent, &base, record->base))
		return AT_PROPOSAL_REFUSED;
	if (is_absent != !old->exists)
		return AT_PROPOSAL_STALE;
	return is_absent || at_digest_equal(&base, &old->digest) ? AT_PROPOSAL_CLEAN
								  : AT_PROPOSAL_STALE;
}

/* The two sides and the reasons; false where the place is no regular file. */
static bool look(struct at_proposal_shown *out, const struct at_session *session,
	struct at_error *err)
{
	struct at_risk_case what = { .path = out->record.path,
		.rationale = out->record.rationale };
	char full[PATH_MAX];

	out->new = out->record.content;
	if (!at_file_read(&out->old, session->project.fd, out->record.path, AT_FILE_CAP,
		    AT_FILE_MAY_BE_ABSENT, err))
		return false;
	if (out->old.exists)
		what.old = (struct at_bytes){ at_buf_text(&out->old.bytes), out->old.bytes.len };
	what.new = out->new;
	if ((size_t)snprintf(full, sizeof(full), "%s/%s", session->path, out->record.path)
		< sizeof(full))
		what.may_quote = scan_may_quote(full, session->path);
	at_risk_judge(&out->risk, &what);
	return true;
}

bool at_proposal_show(struct at_proposal_shown *out, const struct at_session *session,
	const char *sid, struct at_error *err)
{
	int dir = at_staged_open_dir(session->project.fd, false, err);
	bool done;

	memset(out, 0, sizeof(*out));
	if (dir < 0)
		return false;
	done = at_staged_read(&out->record, dir, sid, err);
	close(dir);
	if (done && out->record.is_malformed)
		return at_fail(err, AT_EPARSE, "the staged record is malformed");
	return done && look(out, session, err);
}

void at_proposal_shown_free(struct at_proposal_shown *shown)
{
	at_staged_free(&shown->record);
	at_file_free(&shown->old);
}

static void read_one(struct at_proposals_list *list, struct at_proposal *item, int dir,
	struct at_time now)
{
	struct at_proposal_shown *shown = at_alloc(sizeof(*shown));
	struct at_buf why = { 0 };

	item->state = AT_PROPOSAL_REFUSED;
	if (at_staged_read(&shown->record, dir, item->sid, NULL) && !shown->record.is_malformed) {
		item->agent = at_arena_strdup(list->arena, shown->record.agent);
		item->path = at_arena_strdup(list->arena, shown->record.path);
		item->kind = at_arena_strdup(list->arena, shown->record.kind);
		item->bytes = shown->record.bytes;
		item->left_s = shown->record.has_expiry
			? shown->record.expires.seconds - now.seconds : 0;
		if (look(shown, list->session, NULL)) {
			item->state = state_of(&shown->record, &shown->old, now);
			item->weight = shown->risk.weight;
			at_risk_put(&why, &shown->risk);
			item->why = at_arena_strdup(list->arena, at_buf_text(&why));
		}
	} else {
		item->why = "the record is malformed";
	}
	at_buf_free(&why);
	at_proposal_shown_free(shown);
	free(shown);
}

static int by_risk(const void *a, const void *b)
{
	const struct at_proposal *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->staged_ns != y->staged_ns)
		return x->staged_ns < y->staged_ns ? -1 : 1;
	return strcmp(x->sid, y->sid);
}

bool at_proposals_work(struct at_proposals_list *list, size_t most)
{
	struct at_time now = list->session->clock ? (struct at_time){ list->session->clock, 0 }
						  : at_time_now();
	int dir;

	if (list->read == list->count)
		return false;
	dir = at_staged_open_dir(list->session->project.fd, false, NULL);
	for (; list->read < list->count && most--; list->read++)
		read_one(list, &list->items[list->read], dir, now);
	if (dir >= 0)
		close(dir);
	if (list->read < list->count)
		return true;
	qsort(list->items, list->count, sizeof(*list->items), by_risk);
	return false;
}

static int by_sid(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool at_proposals_are_still(const struct at_proposals_list *list)
{
	struct at_staged_names names = { 0 };
	int dir = at_staged_open_dir(list->session->project.fd, false, NULL);
	const char **mine = at_alloc((list->count + 1) * sizeof(*mine));
	bool same = dir < 0 ? list->count == 0 : at_staged_names(&names, dir, NULL);

	for (size_t i = 0; i < list->count; i++)
		mine[i] = list->items[i].sid;
	qsort(mine, list->count, sizeof(*mine), by_sid);
	same = same && names.count == list->count;
	for (size_t i = 0; same && i < names.count; i++) {
		const char *sid = names.items[i].sid;

		same = bsearch(&sid, mine, list->count, sizeof(*mine), by_sid) != NULL;
	}
	at_staged_names_free(&names);
	if (dir >= 0)
		close(dir);
	free(mine);
	return same;
}

static void put_gates(struct at_buf *out, const struct at_staged *record)
{
	struct at_arena *arena = at_arena_new();
	bool any = false;

	if (at_json_is(&record->doc, record->gates, AT_JSON_ARRAY))
		at_json_each(&record->doc, i, record->gates) {
			uint32_t name = at_json_member(&record->doc, i, "gate");
			struct at_bytes raw = at_json_raw(
				&record->doc, at_json_member(&record->doc, i, "exit"));

			if (!at_json_is(&record->doc, name, AT_JSON_STRING))
				continue;
			at_buf_printf(out, "%s%s exit %.*s", any ? ", " : "gates: ",
				at_json_string(&record->doc, name, arena).data, (int)raw.len,
				raw.data);
			any = true;
		}
	at_buf_puts(out, any ? "\n" : "gates: none\n");
	at_arena_free(arena);
}

static void put_reasons(struct at_buf *out, const struct at_risk_report *risk)
{
	if (!risk->count)
		at_buf_puts(out, "No reason to look twice was found. That is not the same as safe.\n");
	for (size_t i = 0; i < risk->count; i++) {
		const struct at_risk_reason *r = &risk->reasons[i];

		at_buf_printf(out, "! %s", r->text);
		if (r->line)
			at_buf_printf(out, ", line %zu", r->line);
		at_buf_putc(out, '\n');
	}
	if (risk->more)
		at_buf_printf(out, "… %zu more reasons\n", risk->more);
}

void at_proposal_detail(struct at_buf *out, const struct at_proposal *item,
	const struct at_proposal_shown *shown)
{
	const struct at_staged *r = &shown->record;

	at_buf_printf(out, "%s  %s\n", r->kind, r->path);
	at_buf_printf(out, "%s: %s\n", at_review_state_name(item->state),
		item->state == AT_PROPOSAL_CLEAN   ? "the file is what the agent saw"
			: item->state == AT_PROPOSAL_STALE
			? "the file changed since: it cannot be applied, reject it"
			: item->state == AT_PROPOSAL_OVER ? "its 24 hours are over: reject it"
							  : "it cannot be applied");
	put_reasons(out, &shown->risk);
	at_buf_printf(out, "by %s: %.*s\n", r->agent, (int)r->rationale.len, r->rationale.data);
	put_gates(out, r);
	at_buf_printf(out, "%lld bytes, expires %s, id %s\n", r->bytes, r->expires_text, r->sid);
}
