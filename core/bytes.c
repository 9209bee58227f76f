#include "core/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

struct at_bytes at_bytes_of(const char *text)
{
	return (struct at_bytes){ text, strlen(text) };
}

bool at_bytes_equal(struct at_bytes a, struct at_bytes b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool at_bytes_equal_text(struct at_bytes a, const char *text)
{
	return at_bytes_equal(a, at_bytes_of(text));
}

struct at_bytes at_buf_bytes(const struct at_buf *buf)
{
	return (struct at_bytes){ at_buf_text(buf), buf->len };
}

const char *at_buf_text(const struct at_buf *buf)
{
	return buf->data ? buf->data : "";
}

void at_buf_reserve(struct at_buf *buf, size_t more)
{
	size_t need = buf->len + more + 1;

	if (need <= buf->cap)
		return;
	if (need < 64)
		need = 64;
	if (need < buf->cap + buf->cap / 2)
		need = buf->cap + buf->cap / 2;
	buf->data = at_resize(buf->data, need, 1);
	buf->cap = need;
}

void at_buf_put(struct at_buf *buf, const void *data, size_t len)
{
	at_buf_reserve(buf, len);
	if (len)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void at_buf_puts(struct at_buf *buf, const char *text)
{
	at_buf_put(buf, text, strlen(text));
}

void at_buf_putc(struct at_buf *buf, char c)
{
	at_buf_put(buf, &c, 1);
}

void at_buf_pad(struct at_buf *buf, char c, size_t count)
{
	at_buf_reserve(buf, count);
	memset(buf->data + buf->len, c, count);
	buf->len += count;
	buf->data[buf->len] = '\0';
}

void at_buf_printf(struct at_buf *buf, const char *format, ...)
{
	va_list ap, again;
	int len;

	va_start(ap, format);
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	at_buf_reserve(buf, (size_t)len);
	vsnprintf(buf->data + buf->len, (size_t)len + 1, format, again);
	va_end(again);
	buf->len += (size_t)len;
}

void at_buf_free(struct at_buf *buf)
{
	free(buf->data);
	*buf = (struct at_buf){ 0 };
}
