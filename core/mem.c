#include "core/mem.h"

#include <stdarg.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*exhausted_hook)(void);

void at_mem_on_exhausted(void (*hook)(void))
{
	exhausted_hook = hook;
}

static void *checked(void *p)
{
	static const char text[] = "atconsole: out of memory\n";

	if (p)
		return p;
	if (exhausted_hook)
		exhausted_hook();
	fwrite(text, 1, sizeof(text) - 1, stderr);
	_Exit(1);
}

void *at_alloc(size_t size)
{
	return checked(calloc(1, size ? size : 1));
}

void *at_resize(void *old, size_t count, size_t size)
{
	return checked(reallocarray(old, count ? count : 1, size));
}

void *at_grow(void *old, size_t *cap, size_t count, size_t size)
{
	if (count < *cap)
		return old;
	*cap = count < 8 ? 16 : count * 2;
	return at_resize(old, *cap, size);
}

char *at_strdup(const char *text)
{
	return checked(strdup(text));
}

struct block {
	struct block *next;
	size_t used, size;
	alignas(max_align_t) char data[];
};

struct at_arena {
	struct block *blocks;
	size_t next_size;
};

struct at_arena *at_arena_new(void)
{
	struct at_arena *arena = at_alloc(sizeof(*arena));

	arena->next_size = 4096;
	return arena;
}

void at_arena_free(struct at_arena *arena)
{
	if (!arena)
		return;
	for (struct block *b = arena->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(arena);
}

static struct block *add_block(struct at_arena *arena, size_t least)
{
	size_t size = arena->next_size;
	struct block *b;

	while (size < least)
		size *= 2;
	if (arena->next_size < (1u << 20))
		arena->next_size *= 2;
	b = at_alloc(sizeof(*b) + size);
	b->size = size;
	b->next = arena->blocks;
	arena->blocks = b;
	return b;
}

void *at_arena_alloc(struct at_arena *arena, size_t size)
{
	struct block *b = arena->blocks;
	size_t need = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	void *p;

	if (!b || b->size - b->used < need)
		b = add_block(arena, need);
	p = b->data + b->used;
	b->used += need;
	return p;
}

char *at_arena_strndup(struct at_arena *arena, const char *text, size_t len)
{
	char *copy = at_arena_alloc(arena, len + 1);

	memcpy(copy, text, len);
	return copy;
}

char *at_arena_strdup(struct at_arena *arena, const char *text)
{
	return at_arena_strndup(arena, text, strlen(text));
}

char *at_arena_printf(struct at_arena *arena, const char *format, ...)
{
	va_list ap, again;
	char *text;
	int len;

	va_start(ap, format);
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	text = at_arena_alloc(arena, (size_t)len + 1);
	vsnprintf(text, (size_t)len + 1, format, again);
	va_end(again);
	return text;
}
