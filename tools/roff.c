#include "tools/docs.h"

#include "core/mem.h"
#include "core/utf8.h"

void at_roff_put(struct at_buf *out, const char *text)
{
	static const struct {
		int32_t code;
		const char *as;
	} rows[] = {
		{ '\\', "\\e" },
		{ '-', "\\-" },
		{ '\'', "\\(aq" },
		{ '`', "\\(ga" },
		{ '^', "\\(ha" },
		{ '~', "\\(ti" },
		{ 0x2026, "..." },
		{ 0x2192, "\\(->" },
		{ 0x00b7, "\\(bu" },
	};
	struct at_bytes bytes = at_bytes_of(text);
	int32_t code;

	for (size_t at = 0, used, i; (used = at_utf8_next(bytes, at, &code)) > 0; at += used) {
		for (i = 0; i < AT_LEN(rows) && rows[i].code != code; i++)
			;
		if (at == 0 && code == '.')
			at_buf_puts(out, "\\&."); /* else a request */
		else if (i < AT_LEN(rows))
			at_buf_puts(out, rows[i].as);
		else if (code >= 0x20 && code < 0x7f)
			at_buf_putc(out, (char)code);
		else if (code == '\n')
			at_buf_puts(out, "\n.br\n\\&");
		else if (code > 0x9f)
			at_buf_printf(out, "\\[u%04X]", (unsigned)code);
	}
}

void at_roff_head(struct at_buf *out, const char *name, const char *section, const char *what)
{
	at_buf_printf(out, ".TH %s %s \"\" \"atconsole " AT_VERSION "\"\n", name, section);
	at_roff_section(out, "NAME");
	at_roff_put(out, name);
	at_buf_puts(out, " \\- ");
	at_roff_put(out, what);
	at_buf_putc(out, '\n');
}

void at_roff_section(struct at_buf *out, const char *title)
{
	at_buf_printf(out, ".SH %s\n", title);
}

void at_roff_paragraph(struct at_buf *out, const char *text)
{
	at_buf_puts(out, ".PP\n");
	at_roff_put(out, text);
	at_buf_putc(out, '\n');
}

void at_roff_item(struct at_buf *out, const char *tag, const char *text)
{
	at_buf_puts(out, ".TP\n.B \"");
	for (; *tag; tag++) {
		char one[2] = { *tag, '\0' };

		if (*tag == '"')
			at_buf_puts(out, "\\(dq");
		else
			at_roff_put(out, one);
	}
	at_buf_puts(out, "\"\n");
	at_roff_put(out, text);
	at_buf_putc(out, '\n');
}

void at_roff_example(struct at_buf *out, const char *const *lines)
{
	at_buf_puts(out, ".PP\n.nf\n");
	for (; *lines; lines++) {
		at_buf_puts(out, "    ");
		at_roff_put(out, *lines);
		at_buf_putc(out, '\n');
	}
	at_buf_puts(out, ".fi\n");
}
