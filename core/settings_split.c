#include "core/settings_parts.h"

#include <ctype.h>
#include <string.h>

#include "core/mem.h"

/* A reader of one simple command: quotes, backslashes, ~ and the variables a hook line
 * uses. What it cannot know it marks; it runs nothing and matches no files. */
struct reader {
	struct at_settings *s;
	const char *p;
	struct at_buf word;
	struct at_settings_word flags;
	bool has_word;
};

static void put(struct reader *r, char c)
{
	at_buf_putc(&r->word, c);
	r->has_word = true;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* $NAME or ${NAME}; the cursor stands on the dollar sign. */
static void variable(struct reader *r, bool is_quoted)
{
	const char *from = r->p + 1, *to;
	bool has_brace = *from == '{';
	const char *value = NULL;
	size_t len;

	from += has_brace;
	for (to = from; is_name_char(*to); to++)
		;
	len = (size_t)(to - from);
	r->has_word = true;
	if (len == 0 || (has_brace && *to != '}')) {
		r->flags.is_unknown = true; /* $(…), $1, ${x:-y} */
		put(r, *r->p++);
		return;
	}
	if (len == 18 && memcmp(from, "CLAUDE_PROJECT_DIR", len) == 0)
		value = r->s->project;
	else if (len == 4 && memcmp(from, "HOME", len) == 0)
		value = r->s->home;
	if (value) {
		at_buf_puts(&r->word, value);
		r->flags.is_unquoted =
			r->flags.is_unquoted || (!is_quoted && value == r->s->project);
	} else {
		at_buf_put(&r->word, r->p, (size_t)(to - r->p) + has_brace);
		r->flags.is_unknown = true;
	}
	r->p = to + has_brace;
}

static void double_quoted(struct reader *r)
{
	r->has_word = true;
	for (r->p++; *r->p && *r->p != '"';) {
		if (*r->p == '\\' && r->p[1] && strchr("\"\\$`", r->p[1])) {
			r->p++;
			put(r, *r->p++);
		} else if (*r->p == '$') {
			variable(r, true);
		} else {
			r->flags.is_unknown = r->flags.is_unknown || *r->p == '`';
			r->flags.is_open = r->flags.is_open || (*r->p == '~' && r->word.len == 0);
			put(r, *r->p++);
		}
	}
	r->p += *r->p == '"';
}

static void single_quoted(struct reader *r)
{
	r->has_word = true;
	for (r->p++; *r->p && *r->p != '\''; r->p++) {
		r->flags.is_open = r->flags.is_open || *r->p == '$' ||
			(*r->p == '~' && r->word.len == 0);
		put(r, *r->p);
	}
	r->p += *r->p == '\'';
}

static void bare(struct reader *r)
{
	if (*r->p == '\\' && r->p[1]) {
		r->p++;
		put(r, *r->p++);
	} else if (*r->p == '~' && !r->has_word && (r->p[1] == '/' || !r->p[1] ||
			isspace((unsigned char)r->p[1]))) {
		at_buf_puts(&r->word, r->s->home);
		r->has_word = true;
		r->p++;
	} else {
		r->flags.is_unknown = r->flags.is_unknown || strchr("`*?[", *r->p);
		put(r, *r->p++);
	}
}

static bool end_word(struct reader *r, struct at_settings_words *out)
{
	if (!r->has_word)
		return true;
	if (out->count < AT_LEN(out->word)) {
		struct at_settings_word *word = &out->word[out->count++];

		*word = r->flags;
		word->text = at_arena_strndup(r->s->arena, at_buf_text(&r->word), r->word.len);
	}
	r->word.len = 0;
	r->flags = (struct at_settings_word){ 0 };
	r->has_word = false;
	return out->count < AT_LEN(out->word);
}

void at_settings_split(struct at_settings *s, struct at_settings_words *out, const char *command)
{
	struct reader r = { .s = s, .p = command };

	memset(out, 0, sizeof(*out));
	while (*r.p) {
		if (strchr("|&;<>(){}\n", *r.p)) {
			out->is_compound = true;
			break;
		}
		if (isspace((unsigned char)*r.p)) {
			r.p++;
			if (!end_word(&r, out))
				break;
		} else if (*r.p == '#' && !r.has_word) {
			break;
		} else if (*r.p == '"') {
			double_quoted(&r);
		} else if (*r.p == '\'') {
			single_quoted(&r);
		} else if (*r.p == '$') {
			variable(&r, false);
		} else {
			bare(&r);
		}
	}
	end_word(&r, out);
	at_buf_free(&r.word);
}
