/* mode_manual.c - --manual, from the tables. */
#include "views/manual.h"
#include "views/modes.h"
#include "views/out.h"

int at_mode_manual(const struct at_options *options)
{
	struct at_buf text = { 0 };

	(void)options;
	at_manual_print(&text);
	at_out_text(&text);
	at_buf_free(&text);
	return 0;
}
