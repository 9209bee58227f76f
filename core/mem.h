/* mem.h - memory that is there or the program is not.
 *
 * Running out of memory ends the program, after the hook (which restores the
 * terminal) has run; nothing else in this program ends it from a library. An arena
 * owns everything that belongs to one loaded document and is freed at once. Secrets
 * never go here.
 */
#ifndef AT_MEM_H
#define AT_MEM_H

#include <stddef.h>

#define AT_LEN(array) (sizeof(array) / sizeof((array)[0]))

/* Zeroed memory of `size` bytes, owned by the caller, to be given to free(). */
void *at_alloc(size_t size);

/* Resizes to `count` items of `size` bytes; new bytes are not zeroed. */
void *at_resize(void *old, size_t count, size_t size);

/* Makes room for item `count` (from 0) in an array that doubles; `*cap` is its
 * capacity in items. Returns the array, perhaps moved. */
void *at_grow(void *old, size_t *cap, size_t count, size_t size);

char *at_strdup(const char *text);

/* Called once before the program ends for want of memory. */
void at_mem_on_exhausted(void (*hook)(void));

struct at_arena;

struct at_arena *at_arena_new(void);
void at_arena_free(struct at_arena *arena); /* NULL is fine */

/* Zeroed and aligned for anything; valid until the arena is freed. */
void *at_arena_alloc(struct at_arena *arena, size_t size);
char *at_arena_strdup(struct at_arena *arena, const char *text);
char *at_arena_strndup(struct at_arena *arena, const char *text, size_t len); /* adds a NUL */
char *at_arena_printf(struct at_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
