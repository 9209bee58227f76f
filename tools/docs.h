/* docs.h - man pages and completions, printed from the tables that the program itself reads.
 *
 * A tool of the build, not installed. It holds the words around the tables and no fact that a
 * table has. (UI-8)
 */
#ifndef AT_DOCS_H
#define AT_DOCS_H

#include "core/bytes.h"

/* man_gate.c */
void at_docs_man_gate(struct at_buf *out); /* agentteams-gate(1) */

/* man.c */
void at_docs_man(struct at_buf *out);        /* atconsole(1) */
void at_docs_man_config(struct at_buf *out); /* atconsole-config(5) */

/* roff.c: text as roff shows it, nothing in it a request; and the macros around it. */
void at_roff_put(struct at_buf *out, const char *text);
void at_roff_head(struct at_buf *out, const char *name, const char *section, const char *what);
void at_roff_section(struct at_buf *out, const char *title);
void at_roff_paragraph(struct at_buf *out, const char *text);
void at_roff_item(struct at_buf *out, const char *tag, const char *text); /* tag in bold */
void at_roff_example(struct at_buf *out, const char *const *lines); /* up to NULL, as they are */

/* completions.c */
void at_docs_bash(struct at_buf *out);
void at_docs_zsh(struct at_buf *out);
void at_docs_fish(struct at_buf *out);

#endif
