#include "views/setup_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "views/setup_cards.h"

/* Fields that say where agents reach; they stand first. */
static const char *const reach[] = { "workspace_write_roots", "coordination_write_roots",
	"protected_read_paths" };

static void add(struct at_setup_rows *rows, struct at_setup_row row)
{
	rows->items = at_grow(rows->items, &rows->cap, rows->count, sizeof(row));
	rows->items[rows->count++] = row;
}

static void add_heading(struct at_setup_rows *rows, const char *text)
{
	add(rows, (struct at_setup_row){ .text = text, .style = AT_STYLE_ACCENT });
}

/* One row of at most `room` cells ends before this byte: at a space where there is one. */
static size_t row_end(const char *text, size_t len, int room)
{
	size_t cut = (size_t)room;

	if (len <= cut)
		return len;
	for (size_t at = cut; at > cut / 4; at--) {
		if (text[at] == ' ')
			return at;
	}
	while (cut > 1 && ((unsigned char)text[cut] & 0xc0) == 0x80)
		cut--;
	return cut;
}

/* Text over as many rows as it takes, `label` before the first. */
static void add_wrapped(struct at_setup_rows *rows, enum at_style style, const char *label,
	const char *text)
{
	int indent = 4 + (int)strlen(label), room = rows->width - indent;
	size_t len = strlen(text), at = 0;

	if (room < 8)
		room = 8;
	do {
		size_t part = row_end(text + at, len - at, room);

		add(rows, (struct at_setup_row){ .style = style,
			.text = at_arena_printf(rows->arena, "    %-*s%.*s", (int)strlen(label),
				at ? "" : label, (int)part, text + at) });
		at += part;
		at += text[at] == ' ';
	} while (at < len);
}

static void add_error(struct at_setup_rows *rows, const struct at_error *e)
{
	struct at_buf text = { 0 };

	if (e->line)
		at_buf_printf(&text, "line %u column %u: ", e->line, e->column);
	at_buf_printf(&text, "%s%s%s", e->message, *e->hint ? " " : "", e->hint);
	add_wrapped(rows, AT_STYLE_ERROR, "! ", at_buf_text(&text));
	at_buf_free(&text);
}

static bool is_about(const struct at_error *e, const char *field)
{
	return e->code != AT_OK && strcmp(e->field, field) == 0;
}

/* What is wrong with a field stands under it. */
static void add_troubles(struct at_setup_rows *rows, const struct at_field *field,
	const struct at_error *refusal)
{
	if (is_about(&rows->model->error, field->name))
		add_error(rows, &rows->model->error);
	if (is_about(refusal, field->name))
		add_error(rows, refusal);
	if (at_setup_field_is_stale(rows->model, field))
		add_wrapped(rows, AT_STYLE_MARK, "! ",
			"changed on disk meanwhile; a save puts what stands here. - takes the one on disk");
}

static void add_card(struct at_setup_rows *rows, enum at_profile profile)
{
	struct at_buf here = { 0 };

	at_profile_here(&here, rows->model, profile);
	add_wrapped(rows, AT_STYLE_DIM, "buys    ", at_profile_cards[profile].buys);
	add_wrapped(rows, AT_STYLE_DIM, "cannot  ", at_profile_cards[profile].cannot);
	add_wrapped(rows, AT_STYLE_DIM, "here    ", at_buf_text(&here));
	at_buf_free(&here);
}

static void add_field(struct at_setup_rows *rows, const struct at_field *field,
	const struct at_error *refusal)
{
	add(rows, (struct at_setup_row){ .kind = AT_SETUP_FIELD, .field = field });
	if (field->type == AT_FIELD_TEXTS && rows->model->request_ok) {
		size_t count = at_setup_texts(rows->model, field)->count;

		for (size_t i = 0; i < count; i++)
			add(rows,
				(struct at_setup_row){
					.kind = AT_SETUP_ITEM, .field = field, .index = i });
	}
	add_troubles(rows, field, refusal);
}

static bool is_reach(const struct at_field *field)
{
	for (size_t i = 0; i < AT_LEN(reach); i++) {
		if (strcmp(field->name, reach[i]) == 0)
			return true;
	}
	return false;
}

static void add_kept(struct at_setup_rows *rows)
{
	const struct at_json *doc = &rows->model->doc;
	struct at_buf value = { 0 };
	bool first = true;

	if (!doc->count)
		return;
	at_json_each(doc, i, AT_JSON_ROOT) {
		struct at_bytes key = at_json_key(doc, i, rows->arena), raw = at_json_raw(doc, i);
		const struct at_field *field =
			strlen(key.data) == key.len ? at_request_field(key.data) : NULL;

		if (field && field->type != AT_FIELD_ANY)
			continue;
		if (first)
			add_heading(rows, "Kept as it is, for others");
		first = false;
		value.len = 0;
		at_setup_one_line(
			&value, (struct at_bytes){ raw.data, raw.len > 400 ? 400 : raw.len });
		add(rows,
			(struct at_setup_row){ .kind = AT_SETUP_KEPT,
				.field = field,
				.text = at_arena_printf(rows->arena, "%s  %s%s", key.data,
					at_buf_text(&value), raw.len > 400 ? " …" : "") });
	}
	at_buf_free(&value);
}

static void add_choices(struct at_setup_rows *rows, const struct at_error *refusal, bool cards)
{
	const struct at_field *profile = at_request_field("privilege_profile");

	add_heading(rows, "Profile: how far agents are trusted");
	for (int p = AT_COOPERATIVE; p <= AT_EXCLUSIVE; p++) {
		add(rows, (struct at_setup_row){ .kind = AT_SETUP_PROFILE, .field = profile,
			.index = (size_t)p });
		if (cards)
			add_card(rows, (enum at_profile)p);
	}
	add_troubles(rows, profile, refusal);
}

void at_setup_rows_make(struct at_setup_rows *rows, const struct at_setup_model *model,
	const struct at_setup_roots *roots, const struct at_error *refusal, int width, bool cards)
{
	at_setup_rows_free(rows);
	rows->arena = at_arena_new();
	rows->model = model;
	rows->roots = roots;
	rows->width = width;
	rows->cards = cards;
	if (model->error.code != AT_OK && !*model->error.field)
		add_error(rows, &model->error);
	add_choices(rows, refusal, cards);
	add_heading(rows, "Reach: what agents may write, and may not read");
	for (size_t i = 0; i < AT_LEN(reach); i++)
		add_field(rows, at_request_field(reach[i]), refusal);
	add_heading(rows, "Framework, for this run");
	for (int id = 0; id < AT_FRAMEWORK_COUNT; id++)
		add(rows, (struct at_setup_row){ .kind = AT_SETUP_FRAMEWORK, .index = (size_t)id });
	add_heading(rows, "Options");
	for (size_t i = 0; i < at_request_field_count; i++) {
		const struct at_field *field = &at_request_fields[i];

		if (field->type != AT_FIELD_ANY && field->type != AT_FIELD_PROFILE
			&& !is_reach(field))
			add_field(rows, field, refusal);
	}
	add_kept(rows);
}

void at_setup_rows_free(struct at_setup_rows *rows)
{
	free(rows->items);
	at_arena_free(rows->arena);
	*rows = (struct at_setup_rows){ 0 };
}

static void put_state(const struct at_setup_rows *rows, const struct at_field *field,
	struct at_line *out)
{
	if (at_setup_field_is_changed(rows->model, field))
		at_line_text(out, AT_STYLE_MARK,
			rows->model->session->brief.exists ? "  changed" : "  drafted");
	else if (!at_setup_raw(rows->model, field).len)
		at_line_text(out, AT_STYLE_DIM, "  default");
}

static void put_field(const struct at_setup_rows *rows, const struct at_field *field,
	struct at_line *out)
{
	struct at_buf value = { 0 };
	bool is_flag = field->type == AT_FIELD_BOOL && rows->model->request_ok;
	bool on = is_flag && at_setup_flag(rows->model, field);

	at_line_text(out, on ? AT_STYLE_MARK : AT_STYLE_DIM, !is_flag ? "" : on ? "[x] " : "[ ] ");
	at_line_text(out, AT_STYLE_NORMAL, field->name);
	if (field->type == AT_FIELD_TEXTS && rows->model->request_ok) {
		size_t count = at_setup_texts(rows->model, field)->count;

		at_line_textf(out, AT_STYLE_DIM, count ? "  %zu" : "  none", count);
	} else if (!is_flag) {
		at_setup_show(rows->model, field, &value);
		at_line_text(out, AT_STYLE_NORMAL, "  ");
		if (value.len)
			at_line_add(out, AT_STYLE_NORMAL, at_buf_bytes(&value));
		else
			at_line_text(out, AT_STYLE_DIM, "none");
	}
	put_state(rows, field, out);
	at_buf_free(&value);
}

static const struct at_setup_root *root_of(const struct at_setup_rows *rows,
	const struct at_setup_row *row)
{
	return at_setup_root_find(rows->roots, row->field,
		at_setup_texts(rows->model, row->field)->items[row->index]);
}

static void put_item(const struct at_setup_rows *rows, const struct at_setup_row *row,
	struct at_line *out)
{
	const struct at_setup_root *root = root_of(rows, row);
	const char *text = at_setup_texts(rows->model, row->field)->items[row->index];

	at_line_text(out, AT_STYLE_DIM, "  - ");
	at_line_text(
		out, AT_STYLE_NORMAL, strcmp(text, ".") == 0 && root ? ". (the project)" : text);
	if (!root)
		return;
	if (root->ban)
		at_line_textf(out, AT_STYLE_ERROR, "  BANNED: %s", root->ban);
	else if (root->external)
		at_line_textf(out, root->accepted ? AT_STYLE_WIDENS : AT_STYLE_ERROR, "  %s",
			root->accepted ? "OUTSIDE, accepted" : "OUTSIDE, not accepted");
}

void at_setup_row_line(const struct at_setup_rows *rows, size_t at, struct at_line *out)
{
	const struct at_setup_row *row = &rows->items[at];
	const struct at_session *session = rows->model->session;
	struct at_buf here = { 0 };
	bool chosen;

	switch (row->kind) {
	case AT_SETUP_TEXT:
		at_line_text(out, row->style, row->text);
		return;
	case AT_SETUP_KEPT:
		at_line_text(out, AT_STYLE_DIM, row->text);
		return;
	case AT_SETUP_FIELD:
		put_field(rows, row->field, out);
		return;
	case AT_SETUP_ITEM:
		put_item(rows, row, out);
		return;
	case AT_SETUP_PROFILE:
		chosen = rows->model->request_ok
			&& rows->model->request.profile == (enum at_profile)row->index;
		at_line_text(out, chosen ? AT_STYLE_MARK : AT_STYLE_DIM, chosen ? "(*) " : "( ) ");
		at_line_text(out, chosen ? AT_STYLE_TITLE : AT_STYLE_NORMAL,
			at_profile_name((enum at_profile)row->index));
		if (chosen)
			put_state(rows, row->field, out);
		return;
	case AT_SETUP_FRAMEWORK:
		chosen = session->manifest.framework == (enum at_framework_id)row->index;
		at_framework_here(&here, session, (enum at_framework_id)row->index);
		at_line_text(out, chosen ? AT_STYLE_MARK : AT_STYLE_DIM, chosen ? "(*) " : "( ) ");
		at_line_text(out, chosen ? AT_STYLE_TITLE : AT_STYLE_NORMAL,
			at_framework_name((enum at_framework_id)row->index));
		at_line_textf(out, AT_STYLE_DIM, "  %s", at_buf_text(&here));
		at_buf_free(&here);
		return;
	}
}

size_t at_setup_rows_find(const struct at_setup_rows *rows, const struct at_setup_row *like)
{
	size_t best = rows->count;

	for (size_t i = 0; i < rows->count; i++) {
		const struct at_setup_row *row = &rows->items[i];

		if (row->kind == like->kind && row->field == like->field
			&& row->index == like->index)
			return i;
		/* The item is gone: the last one before it, or its list. */
		if (row->field && row->field == like->field && row->kind != AT_SETUP_TEXT)
			best = i;
	}
	return best;
}
