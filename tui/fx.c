#include "tui/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/mem.h"

struct at_view *at_view_new(const struct at_view_class *class, const void *arg,
	struct at_error *err)
{
	struct at_view *view = at_alloc(sizeof(*view));

	view->class = class;
	view->state = at_alloc(class->state_size ? class->state_size : 1);
	if (class->open && !class->open(view, arg, err)) {
		at_view_free(view);
		return NULL;
	}
	return view;
}

void at_view_free(struct at_view *view)
{
	if (!view)
		return;
	if (view->class->close)
		view->class->close(view);
	free(view->state);
	free(view);
}

void at_view_layout(struct at_view *view, int width, int height)
{
	view->width = width;
	view->height = height;
	if (view->class->layout)
		view->class->layout(view, width, height);
}

static struct at_fx_item *add(struct at_fx *fx, enum at_fx_kind kind)
{
	if (!fx->arena)
		fx->arena = at_arena_new();
	fx->items = at_grow(fx->items, &fx->cap, fx->count, sizeof(*fx->items));
	fx->items[fx->count] = (struct at_fx_item){ .kind = kind };
	return &fx->items[fx->count++];
}

static const char *copy(struct at_fx *fx, const char *text)
{
	return text ? at_arena_strdup(fx->arena, text) : NULL;
}

void at_fx_clear(struct at_fx *fx)
{
	fx->count = 0;
	at_arena_free(fx->arena);
	fx->arena = NULL;
}

void at_fx_free(struct at_fx *fx)
{
	at_fx_clear(fx);
	free(fx->items);
	*fx = (struct at_fx){ 0 };
}

void at_fx_simple(struct at_fx *fx, enum at_fx_kind kind)
{
	add(fx, kind);
}

void at_fx_redraw(struct at_fx *fx)
{
	add(fx, AT_FX_REDRAW);
}

void at_fx_message(struct at_fx *fx, const char *format, ...)
{
	struct at_fx_item *item = add(fx, AT_FX_MESSAGE);
	char line[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	item->text = copy(fx, line);
}

void at_fx_error(struct at_fx *fx, const struct at_error *err)
{
	struct at_fx_item *item = add(fx, AT_FX_MESSAGE);

	item->is_error = true;
	item->text = err->hint[0] ?
		at_arena_printf(fx->arena, "%s  %s", err->message, err->hint) :
		at_arena_strdup(fx->arena, err->message);
}

void at_fx_push(struct at_fx *fx, const struct at_view_class *class, const void *arg)
{
	struct at_fx_item *item = add(fx, AT_FX_PUSH);

	item->class = class;
	item->arg = arg;
}

void at_fx_replace(struct at_fx *fx, const struct at_view_class *class, const void *arg)
{
	at_fx_push(fx, class, arg);
	fx->items[fx->count - 1].kind = AT_FX_REPLACE;
}

static void add_ask(struct at_fx *fx, enum at_fx_kind kind, const struct at_ask *ask)
{
	struct at_fx_item *item = add(fx, kind);
	const char **lines = at_arena_alloc(fx->arena, (ask->line_count + 1) * sizeof(*lines));

	for (size_t i = 0; i < ask->line_count; i++)
		lines[i] = copy(fx, ask->lines[i]);
	item->ask = *ask;
	item->ask.lines = lines;
	item->ask.title = copy(fx, ask->title);
	item->ask.yes = copy(fx, ask->yes);
	item->ask.word = copy(fx, ask->word);
	item->ask.value = copy(fx, ask->value);
}

void at_fx_confirm(struct at_fx *fx, const struct at_ask *ask)
{
	add_ask(fx, AT_FX_CONFIRM, ask);
}

void at_fx_prompt(struct at_fx *fx, const struct at_ask *ask)
{
	add_ask(fx, AT_FX_PROMPT, ask);
}

void at_fx_do(struct at_fx *fx, int code, const void *data)
{
	struct at_fx_item *item = add(fx, AT_FX_DO);

	item->code = code;
	item->data = data;
}

const struct at_fx_item *at_fx_find(const struct at_fx *fx, enum at_fx_kind kind)
{
	for (size_t i = 0; i < fx->count; i++) {
		if (fx->items[i].kind == kind)
			return &fx->items[i];
	}
	return NULL;
}
