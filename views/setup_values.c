/* setup_values.c - the fields of a draft, as they are spelled and as they are read. */
#include <string.h>

#include "core/json_text.h"
#include "views/setup_model.h"

struct at_bytes at_setup_raw(const struct at_setup_model *model, const struct at_field *field)
{
	uint32_t node = model->doc.count ? at_json_member(&model->doc, AT_JSON_ROOT, field->name)
					 : AT_JSON_NONE;

	return node == AT_JSON_NONE ? (struct at_bytes){ "", 0 } : at_json_raw(&model->doc, node);
}

static const void *member(const struct at_setup_model *model, const struct at_field *field)
{
	return (const char *)&model->request + field->offset;
}

/* A line end in JSON is white space between values: it stands in no string. */
void at_setup_one_line(struct at_buf *out, struct at_bytes raw)
{
	for (size_t i = 0; i < raw.len; i++) {
		if (raw.data[i] != '\n' && raw.data[i] != '\r') {
			at_buf_putc(out, raw.data[i]);
			continue;
		}
		while (i + 1 < raw.len && strchr(" \t\r\n", raw.data[i + 1]))
			i++;
		at_buf_putc(out, ' ');
	}
}

void at_setup_show(const struct at_setup_model *model, const struct at_field *field,
	struct at_buf *out)
{
	struct at_bytes raw = at_setup_raw(model, field);

	switch (model->request_ok ? field->type : AT_FIELD_ANY) {
	case AT_FIELD_TEXT:
	case AT_FIELD_TEAM_ID:
		at_buf_puts(out, *(const char *const *)member(model, field));
		return;
	case AT_FIELD_PROFILE:
		at_buf_puts(out, at_profile_name(model->request.profile));
		return;
	case AT_FIELD_BOOL:
		at_buf_puts(out, at_setup_flag(model, field) ? "true" : "false");
		return;
	case AT_FIELD_TEXTS:
	case AT_FIELD_ANY:
		if (!raw.len)
			raw = at_bytes_of(field->fallback);
		at_setup_one_line(out, raw);
		return;
	}
}

const struct at_texts *at_setup_texts(const struct at_setup_model *model,
	const struct at_field *field)
{
	return member(model, field);
}

bool at_setup_flag(const struct at_setup_model *model, const struct at_field *field)
{
	return *(const bool *)member(model, field);
}

void at_setup_list_value(struct at_buf *out, const struct at_texts *texts, size_t index,
	const char *text)
{
	const char *comma = "";

	at_buf_putc(out, '[');
	for (size_t i = 0; i <= texts->count; i++) {
		const char *item = i == index ? text : i < texts->count ? texts->items[i] : NULL;

		if (!item)
			continue;
		at_buf_puts(out, comma);
		at_json_text_quote(out, at_bytes_of(item), false);
		comma = ", ";
	}
	at_buf_putc(out, ']');
}
