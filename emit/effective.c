#include "emit/effective.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_write.h"
#include "core/mem.h"

void at_effective_init(struct at_effective *effective)
{
	*effective = (struct at_effective){ .arena = at_arena_new() };
}

void at_effective_free(struct at_effective *effective)
{
	free(effective->values);
	free(effective->names);
	free(effective->files);
	free(effective->facts);
	at_arena_free(effective->arena);
	*effective = (struct at_effective){ 0 };
}

static const char *keep(struct at_effective *e, const char *text)
{
	return text ? at_arena_strdup(e->arena, text) : NULL;
}

void at_effective_add(struct at_effective *e, const struct at_effective_value *value)
{
	struct at_effective_value *new;

	e->values = at_grow(e->values, &e->cap, e->count, sizeof(*e->values));
	new = &e->values[e->count++];
	*new = *value;
	new->key = keep(e, value->key);
	new->value = keep(e, value->value);
	new->origin = keep(e, value->origin);
	new->overridden_by = keep(e, value->overridden_by);
	new->remark = keep(e, value->remark ? value->remark : "");
}

void at_effective_add_name(struct at_effective *e, const char *name, const char *origin)
{
	e->names = at_grow(e->names, &e->name_cap, e->name_count, sizeof(*e->names));
	e->names[e->name_count++] = (struct at_effective_name){ keep(e, name), keep(e, origin) };
}

void at_effective_add_file(struct at_effective *e, const struct at_effective_file *file)
{
	e->files = at_grow(e->files, &e->file_cap, e->file_count, sizeof(*e->files));
	e->files[e->file_count] = *file;
	e->files[e->file_count].name = keep(e, file->name);
	e->files[e->file_count++].state = keep(e, file->state);
}

void at_effective_add_fact(struct at_effective *e, const char *name, bool is_bad,
	const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	e->facts = at_grow(e->facts, &e->fact_cap, e->fact_count, sizeof(*e->facts));
	e->facts[e->fact_count++] =
		(struct at_host_fact){ keep(e, name), keep(e, text), is_bad };
}

size_t at_effective_run(const struct at_effective *e, size_t first)
{
	size_t i = first + 1;

	while (i < e->count && strcmp(e->values[i].key, e->values[first].key) == 0 &&
		strcmp(e->values[i].origin, e->values[first].origin) == 0)
		i++;
	return i;
}

void at_effective_print(const struct at_effective *e, struct at_buf *out)
{
	for (size_t i = 0; i < e->file_count; i++)
		at_buf_printf(out, "%-12s %s: %s\n", at_scope_name(e->files[i].scope),
			e->files[i].name, e->files[i].state);
	for (size_t i = 0; i < e->count; i++) {
		const struct at_effective_value *v = &e->values[i];

		at_buf_printf(out, "%s = %s  (%s: %s)", v->key, v->value, at_scope_name(v->scope),
			v->origin);
		if (v->overridden_by)
			at_buf_printf(out, "  does not count: %s", v->overridden_by);
		if (*v->remark)
			at_buf_printf(out, "  %s", v->remark);
		at_buf_putc(out, '\n');
	}
	for (size_t i = 0; i < e->name_count; i++)
		at_buf_printf(
			out, "%s  (by name only; %s)\n", e->names[i].name, e->names[i].origin);
	for (size_t i = 0; i < e->fact_count; i++)
		at_buf_printf(out, "host: %s: %s\n", e->facts[i].name, e->facts[i].text);
}

static void values_to_json(const struct at_effective *e, struct at_json_value *list)
{
	for (size_t i = 0; i < e->count; i++) {
		const struct at_effective_value *v = &e->values[i];
		struct at_json_value *one = at_json_add_object(list, NULL);

		at_json_add_text(one, "key", v->key);
		at_json_add_text(one, "value", v->value);
		at_json_add_text(one, "scope", at_scope_name(v->scope));
		at_json_add_text(one, "origin", v->origin);
		at_json_add_text(one, "overridden_by", v->overridden_by);
		at_json_add_text(one, "remark", v->remark);
	}
}

void at_effective_to_json(const struct at_effective *e, struct at_json_value *out)
{
	struct at_json_value *files = at_json_add_array(out, "files"), *names, *facts;

	for (size_t i = 0; i < e->file_count; i++) {
		struct at_json_value *one = at_json_add_object(files, NULL);

		at_json_add_text(one, "name", e->files[i].name);
		at_json_add_text(one, "scope", at_scope_name(e->files[i].scope));
		at_json_add_bool(one, "exists", e->files[i].exists);
		at_json_add_bool(one, "loads", e->files[i].loads);
		at_json_add_text(one, "state", e->files[i].state);
	}
	values_to_json(e, at_json_add_array(out, "values"));
	names = at_json_add_array(out, "names");
	for (size_t i = 0; i < e->name_count; i++) {
		struct at_json_value *one = at_json_add_object(names, NULL);

		at_json_add_text(one, "name", e->names[i].name);
		at_json_add_text(one, "origin", e->names[i].origin);
	}
	facts = at_json_add_array(out, "host");
	for (size_t i = 0; i < e->fact_count; i++) {
		struct at_json_value *one = at_json_add_object(facts, NULL);

		at_json_add_text(one, "name", e->facts[i].name);
		at_json_add_text(one, "text", e->facts[i].text);
		at_json_add_bool(one, "bad", e->facts[i].is_bad);
	}
}
