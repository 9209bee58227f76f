/* bytes.h - a run of bytes, borrowed or owned.
 *
 * `struct at_bytes` borrows and may hold anything, NUL included. `struct at_buf` owns
 * and grows. Neither knows what the bytes mean.
 */
#ifndef AT_BYTES_H
#define AT_BYTES_H

#include <stdbool.h>
#include <stddef.h>

struct at_bytes {
	const char *data;
	size_t len;
};

struct at_buf {
	char *data; /* always one byte longer than len, that byte NUL; NULL while empty */
	size_t len, cap;
};

struct at_bytes at_bytes_of(const char *text); /* strlen of it, borrowed */
bool at_bytes_equal(struct at_bytes a, struct at_bytes b);
bool at_bytes_equal_text(struct at_bytes a, const char *text);

/* The whole buffer, borrowed until it grows or is freed. */
struct at_bytes at_buf_bytes(const struct at_buf *buf);

void at_buf_put(struct at_buf *buf, const void *data, size_t len);
void at_buf_puts(struct at_buf *buf, const char *text);
void at_buf_putc(struct at_buf *buf, char c);
void at_buf_pad(struct at_buf *buf, char c, size_t count);
void at_buf_printf(struct at_buf *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void at_buf_reserve(struct at_buf *buf, size_t more);
void at_buf_free(struct at_buf *buf); /* leaves it empty and usable */

/* The text of a buffer, never NULL. Borrowed. */
const char *at_buf_text(const struct at_buf *buf);

#endif
