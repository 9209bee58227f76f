#include "core/wiring.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/bytes.h"
#include "core/json_write.h"
#include "core/mem.h"

const char *at_level_name(enum at_level level)
{
	static const char *const names[] = {
		[AT_OKAY] = "ok", [AT_NOTE] = "note", [AT_WARN] = "warn", [AT_FAIL] = "FAIL",
	};

	return (size_t)level < AT_LEN(names) ? names[level] : "?";
}

void at_wiring_init(struct at_wiring *report)
{
	*report = (struct at_wiring){ .arena = at_arena_new() };
}

void at_wiring_free(struct at_wiring *report)
{
	at_arena_free(report->arena);
	free(report->findings);
	*report = (struct at_wiring){ 0 };
}

__attribute__((format(printf, 2, 0)))
static const char *vformat(struct at_arena *arena, const char *format, va_list ap)
{
	va_list again;
	char *text;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len < 0)
		return "";
	text = at_arena_alloc(arena, (size_t)len + 1);
	vsnprintf(text, (size_t)len + 1, format, ap);
	return text;
}

struct at_finding *at_wiring_add(struct at_wiring *report, const char *id, enum at_level level,
	const char *where, const char *remedy, const char *format, ...)
{
	struct at_finding *f;
	va_list ap;

	report->findings =
		at_grow(report->findings, &report->cap, report->count, sizeof(*report->findings));
	f = &report->findings[report->count++];
	*f = (struct at_finding){
		.id = at_arena_strdup(report->arena, id),
		.level = level,
		.where = at_arena_strdup(report->arena, where ? where : ""),
		.remedy = at_arena_strdup(report->arena, remedy ? remedy : ""),
	};
	va_start(ap, format);
	f->text = vformat(report->arena, format, ap);
	va_end(ap);
	return f;
}

enum at_level at_wiring_worst(const struct at_wiring *report)
{
	enum at_level worst = AT_OKAY;

	for (size_t i = 0; i < report->count; i++)
		if (report->findings[i].level > worst)
			worst = report->findings[i].level;
	return worst;
}

static void print_one(const struct at_finding *f, struct at_buf *out)
{
	at_buf_printf(out, "%-4s %s", at_level_name(f->level), f->id);
	if (*f->where)
		at_buf_printf(out, "  %s", f->where);
	if (f->line)
		at_buf_printf(out, ":%u:%u", f->line, f->column);
	at_buf_printf(out, "\n     %s\n", f->text);
	if (*f->remedy)
		at_buf_printf(out, "     to do: %s\n", f->remedy);
}

void at_wiring_print(const struct at_wiring *report, struct at_buf *out)
{
	for (size_t i = 0; i < report->count; i++)
		print_one(&report->findings[i], out);
}

static void finding_to_json(const struct at_finding *f, struct at_json_value *out)
{
	at_json_add_text(out, "id", f->id);
	at_json_add_text(out, "level", at_level_name(f->level));
	at_json_add_text(out, "where", f->where);
	if (f->line) {
		at_json_add_number(out, "line", f->line);
		at_json_add_number(out, "column", f->column);
	}
	at_json_add_text(out, "text", f->text);
	at_json_add_text(out, "remedy", f->remedy);
}

void at_wiring_to_json(const struct at_wiring *report, struct at_json_value *out)
{
	struct at_json_value *list;

	at_json_add_text(out, "worst", at_level_name(at_wiring_worst(report)));
	at_json_add_bool(out, "file_is_loaded", report->file_is_loaded);
	at_json_add_bool(out, "is_configured", report->is_configured);
	at_json_add_bool(out, "hook_is_wired", report->hook_is_wired);
	at_json_add_bool(out, "undone", report->undone);
	at_json_add_text(out, "undone_by", report->undone_by);
	list = at_json_add_array(out, "findings");
	for (size_t i = 0; i < report->count; i++)
		finding_to_json(&report->findings[i], at_json_add_object(list, NULL));
}
