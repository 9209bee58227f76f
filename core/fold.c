#include "core/fold.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

static bool is_ascii(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text >= 0x80)
			return false;
	return true;
}

static void put_ascii(struct at_buf *out, const char *text)
{
	for (; *text; text++)
		at_buf_putc(out, (char)(*text >= 'A' && *text <= 'Z' ? *text | 0x20 : *text));
}

bool at_fold_text(struct at_buf *out, const char *text, bool loose)
{
	const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD
		| (loose ? UTF8PROC_IGNORE : 0);
	utf8proc_uint8_t *folded = NULL;
	utf8proc_ssize_t len;

	if (is_ascii(text)) {
		put_ascii(out, text);
		return true;
	}
	len = utf8proc_map(
		(const utf8proc_uint8_t *)text, (utf8proc_ssize_t)strlen(text), &folded, options);
	if (len < 0)
		return false;
	at_buf_put(out, folded, (size_t)len);
	free(folded);
	return true;
}
