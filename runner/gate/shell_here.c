/* Here-documents: their marks, and their bodies behind the line. */
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

/* A mark is the word as it is written, without its quotes; nothing in it is expanded. */
void sh_here_mark(struct sh_parser *p, struct sh_redirect *redirect, const struct sh_word *word)
{
	struct sh_text mark = { 0 };
	char quote = '\0';

	for (size_t i = word->at; i < word->end; i++) {
		char c = p->s[i];
		bool is_last = i + 1 >= word->end;

		if (c == '\\' && quote != '\'' && !is_last) {
			if (p->s[++i] == '\n')
				continue;
			redirect->is_quoted = true;
			if (quote == '"' && !strchr("$`\"\\", p->s[i]))
				sh_text_put(p->sh, &mark, "\\", 1);
			sh_text_put(p->sh, &mark, p->s + i, 1);
		} else if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? '\0' : c;
			redirect->is_quoted = true;
		} else if (c == '$' && !quote && !is_last && strchr("'\"", p->s[i + 1])) {
			redirect->is_quoted = true;
		} else {
			sh_text_put(p->sh, &mark, &c, 1);
		}
	}
	if (word->has_cr)
		sh_text_put(p->sh, &mark, "\r", 1);
	redirect->mark = (struct at_bytes){ mark.data ? mark.data : "", mark.len };
	redirect->word = NULL;
	if (p->pending_count == p->pending_cap) {
		size_t cap = p->pending_cap ? p->pending_cap * 2 : 8;
		struct sh_redirect **more = at_arena_alloc(p->sh->arena, cap * sizeof(*more));

		if (p->pending_count)
			memcpy(more, p->pending, p->pending_count * sizeof(*more));
		p->pending = more;
		p->pending_cap = cap;
	}
	p->pending[p->pending_count++] = redirect;
}

/* The next line, without its end; joined with the next one where an unquoted body says so. False
 * at the end of the text. */
static bool read_line(struct sh_parser *p, const struct sh_redirect *redirect, struct sh_text *line)
{
	size_t from = p->i;

	line->len = 0;
	if (p->i >= p->n)
		return false;
	if (redirect->strip_tabs)
		while (p->i < p->n && p->s[p->i] == '\t')
			p->i++;
	while (p->i < p->n && p->s[p->i] != '\n') {
		size_t start = p->i;

		if (p->s[p->i] == '\\' && !redirect->is_quoted && p->i + 1 < p->n) {
			p->i += 2;
			if (p->s[p->i - 1] == '\n')
				continue;
		} else {
			do {
				p->i++;
			} while (p->i < p->n && p->s[p->i] != '\n' && p->s[p->i] != '\\');
		}
		sh_text_put(p->sh, line, p->s + start, p->i - start);
	}
	p->i += p->i < p->n;
	return sh_charge(p->sh, p->i - from);
}

static void read_body(struct sh_parser *p, struct sh_redirect *redirect)
{
	struct sh_text body = { 0 }, line = { 0 };
	struct sh_parser inner = { .sh = p->sh };
	bool is_ended = false;

	while (!is_ended && read_line(p, redirect, &line)) {
		is_ended = line.len == redirect->mark.len
			&& (!line.len || memcmp(line.data, redirect->mark.data, line.len) == 0);
		if (is_ended)
			break;
		sh_text_put(p->sh, &body, line.data, line.len);
		sh_text_put(p->sh, &body, "\n", 1);
	}
	if (!is_ended)
		p->sh->seen.is_cut = true;
	inner.s = body.data ? body.data : "";
	inner.n = body.len;
	if (redirect->is_quoted) {
		redirect->word = sh_new_word(p);
		sh_add_text(p, redirect->word, inner.s, inner.n, true);
	} else if (sh_enter(p->sh)) {
		redirect->word = sh_text_until(&inner, "", SH_HERE);
		sh_leave(p->sh);
	}
}

void sh_read_here(struct sh_parser *p)
{
	size_t count = p->pending_count;

	p->pending_count = 0;
	for (size_t i = 0; i < count && !p->sh->stop; i++)
		read_body(p, p->pending[i]);
}
