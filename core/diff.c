#include "core/diff.h"

#include <stdlib.h>
#include <string.h>

#include <git2.h>

#include "core/mem.h"
#include "core/patch.h"
#include "core/safetext.h"

#define TEXT_CAP ((size_t)1 << 30)

/* Where two texts differ: what is equal before and after it, but for the lines shown around
 * a change, need not be compared line by line. */
struct middle {
	size_t start, old_end, new_end; /* bytes; all at line starts, or the end */
	uint32_t lines;                 /* before `start` */
};

struct making {
	struct at_diff *diff;
	struct middle middle;
};

static size_t equal_ahead(struct at_bytes a, struct at_bytes b)
{
	size_t limit = a.len < b.len ? a.len : b.len, at = 0, step = 4096;

	while (at + step <= limit && memcmp(a.data + at, b.data + at, step) == 0)
		at += step;
	while (at < limit && a.data[at] == b.data[at])
		at++;
	return at;
}

/* Bytes equal at the end, at most `limit`. */
static size_t equal_behind(struct at_bytes a, struct at_bytes b, size_t limit)
{
	size_t back = 0, step = 4096;

	while (back + step <= limit
		&& memcmp(a.data + a.len - back - step, b.data + b.len - back - step, step) == 0)
		back += step;
	while (back < limit && a.data[a.len - back - 1] == b.data[b.len - back - 1])
		back++;
	return back;
}

static bool is_line_start(struct at_bytes text, size_t at)
{
	return at == 0 || text.data[at - 1] == '\n';
}

static void find_middle(struct middle *out, struct at_bytes a, struct at_bytes b, unsigned context)
{
	size_t start = equal_ahead(a, b), shorter = a.len < b.len ? a.len : b.len;
	size_t behind = equal_behind(a, b, shorter - start);

	/* To the start of the line that differs, and the lines before it that are shown. */
	for (unsigned newlines = 0; start > 0; start--) {
		if (is_line_start(a, start) && newlines++ == context)
			break;
	}
	for (unsigned newlines = 0; behind > 0; behind--) {
		if (is_line_start(a, a.len - behind) && is_line_start(b, b.len - behind)
			&& newlines++ == context)
			break;
	}
	*out = (struct middle){
		.start = start, .old_end = a.len - behind, .new_end = b.len - behind
	};
	for (const char *p = a.data, *end = a.data + start;
		(p = memchr(p, '\n', (size_t)(end - p))); p++)
		out->lines++;
}

static struct at_diff_line *add_line(struct at_diff *diff, enum at_diff_kind kind)
{
	struct at_diff_line *line;

	diff->lines = at_grow(diff->lines, &diff->cap, diff->count, sizeof(*diff->lines));
	line = &diff->lines[diff->count++];
	*line = (struct at_diff_line){ .kind = kind };
	return line;
}

static int on_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *user)
{
	const struct making *making = user;
	struct at_diff *diff = making->diff;
	struct at_diff_line *line = add_line(diff, AT_DIFF_HUNK);

	line->old_no = (uint32_t)hunk->old_start + making->middle.lines;
	line->new_no = (uint32_t)hunk->new_start + making->middle.lines;
	line->offset = (uint32_t)hunk->old_lines;
	line->len = (uint32_t)hunk->new_lines;
	if (line->old_no + line->offset > diff->last_no)
		diff->last_no = line->old_no + line->offset;
	if (line->new_no + line->len > diff->last_no)
		diff->last_no = line->new_no + line->len;
	diff->hunks = at_grow(diff->hunks, &diff->hunk_cap, diff->hunk_count, sizeof(*diff->hunks));
	diff->hunks[diff->hunk_count++] = (uint32_t)(diff->count - 1);
	return 0;
}

static const struct {
	char origin;
	enum at_diff_kind kind;
} kinds[] = {
	{ GIT_DIFF_LINE_CONTEXT, AT_DIFF_SAME },
	{ GIT_DIFF_LINE_ADDITION, AT_DIFF_ADDED },
	{ GIT_DIFF_LINE_DELETION, AT_DIFF_REMOVED },
	{ GIT_DIFF_LINE_CONTEXT_EOFNL, AT_DIFF_NO_EOL },
	{ GIT_DIFF_LINE_ADD_EOFNL, AT_DIFF_NO_EOL },
	{ GIT_DIFF_LINE_DEL_EOFNL, AT_DIFF_NO_EOL },
};

static int on_line(const git_diff_delta *delta, const git_diff_hunk *hunk,
	const git_diff_line *from, void *user)
{
	const struct making *making = user;
	struct at_diff *diff = making->diff;
	struct at_diff_line *line = NULL;
	struct at_bytes base;
	size_t len = from->content_len;

	for (size_t i = 0; i < AT_LEN(kinds); i++) {
		if (kinds[i].origin == from->origin)
			line = add_line(diff, kinds[i].kind);
	}
	if (!line)
		return -1;
	if (line->kind == AT_DIFF_NO_EOL)
		return 0;
	base = line->kind == AT_DIFF_REMOVED ? diff->old_text : diff->new_text;
	if (from->content < base.data || from->content + len > base.data + base.len)
		return -1; /* the library copied the text: offsets would lie */
	if (len && from->content[len - 1] == '\n')
		len--;
	line->offset = (uint32_t)(from->content - base.data);
	line->len = (uint32_t)len;
	line->old_no = from->old_lineno > 0 ? (uint32_t)from->old_lineno + making->middle.lines : 0;
	line->new_no = from->new_lineno > 0 ? (uint32_t)from->new_lineno + making->middle.lines : 0;
	diff->added += line->kind == AT_DIFF_ADDED;
	diff->removed += line->kind == AT_DIFF_REMOVED;
	return 0;
}

static bool has_nul(struct at_bytes text)
{
	return text.len && memchr(text.data, '\0', text.len);
}

static bool start_library(struct at_error *err)
{
	static bool started;

	if (!started && git_libgit2_init() < 0)
		return at_fail(err, AT_EIO, "libgit2 could not be started");
	started = true;
	return true;
}

bool at_diff_make(struct at_diff *out, struct at_bytes old_text, struct at_bytes new_text,
	unsigned context, struct at_error *err)
{
	struct making making = { .diff = out };
	struct middle *middle = &making.middle;
	git_diff_options options;
	int failed;

	*out = (struct at_diff){ .old_text = old_text, .new_text = new_text };
	if (old_text.len >= TEXT_CAP || new_text.len >= TEXT_CAP)
		return at_fail(err, AT_ELIMIT, "a text of 1 GiB or more is not compared");
	if (!out->old_text.data)
		out->old_text.data = "";
	if (!out->new_text.data)
		out->new_text.data = "";
	if (at_bytes_equal(out->old_text, out->new_text))
		return true;
	if (has_nul(old_text) || has_nul(new_text)) {
		add_line(out, AT_DIFF_BINARY);
		return true;
	}
	if (!start_library(err))
		return false;
	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	options.flags = GIT_DIFF_FORCE_TEXT;
	options.context_lines = context;
	find_middle(middle, out->old_text, out->new_text, context);
	failed = git_diff_buffers(out->old_text.data + middle->start,
		middle->old_end - middle->start, "old", out->new_text.data + middle->start,
		middle->new_end - middle->start, "new", &options, NULL, NULL, on_hunk, on_line,
		&making);
	if (failed) {
		const git_error *why = git_error_last();

		return at_fail(err, AT_EIO, "cannot compare the two texts: %s",
			why && why->message ? why->message : "no reason given");
	}
	return true;
}

void at_diff_free(struct at_diff *diff)
{
	free(diff->lines);
	free(diff->hunks);
	free(diff->files);
	*diff = (struct at_diff){ 0 };
}

struct at_bytes at_diff_text(const struct at_diff *diff, size_t at)
{
	const struct at_diff_line *line = &diff->lines[at];

	switch (line->kind) {
	case AT_DIFF_SAME:
	case AT_DIFF_ADDED:
		return (struct at_bytes){ diff->new_text.data + line->offset, line->len };
	case AT_DIFF_REMOVED:
		return (struct at_bytes){ diff->old_text.data + line->offset, line->len };
	default:
		if (diff->is_text && !at_patch_is_own(line))
			return (struct at_bytes){ diff->new_text.data + line->offset, line->len };
		return (struct at_bytes){ "", 0 };
	}
}

char at_diff_sign(enum at_diff_kind kind)
{
	return "@ +-\\! #"[kind];
}

static void print_name(struct at_buf *out, const char *prefix, const char *name,
	enum at_diff_form form)
{
	at_buf_puts(out, prefix);
	if (!name)
		at_buf_puts(out, "/dev/null");
	else if (form == AT_DIFF_SAFE)
		at_safe_text(out, at_bytes_of(name), false);
	else
		at_buf_puts(out, name);
	at_buf_putc(out, '\n');
}

static void print_range(struct at_buf *out, char sign, uint32_t first, uint32_t count)
{
	at_buf_printf(out, "%c%u", sign, first);
	if (count != 1)
		at_buf_printf(out, ",%u", count);
}

static void print_line(const struct at_diff *diff, size_t at, enum at_diff_form form,
	struct at_buf *out)
{
	const struct at_diff_line *line = &diff->lines[at];
	struct at_bytes text = at_diff_text(diff, at);

	switch (line->kind) {
	case AT_DIFF_HUNK:
		at_buf_puts(out, "@@ ");
		print_range(out, '-', line->old_no, line->offset);
		at_buf_putc(out, ' ');
		print_range(out, '+', line->new_no, line->len);
		at_buf_puts(out, " @@\n");
		return;
	case AT_DIFF_NO_EOL:
		at_buf_puts(out, "\\ No newline at end of file\n");
		return;
	case AT_DIFF_BINARY:
		at_buf_puts(out, "Binary files differ\n");
		return;
	case AT_DIFF_FILE:
	case AT_DIFF_NOTE:
		return; /* of a patch: at_patch_print_row() */
	default:
		break;
	}
	at_buf_putc(out, at_diff_sign(line->kind));
	if (form == AT_DIFF_SAFE)
		at_safe_text(out, text, false);
	else
		at_buf_put(out, text.data, text.len);
	at_buf_putc(out, '\n');
}

void at_diff_print(const struct at_diff *diff, const char *old_name, const char *new_name,
	enum at_diff_form form, struct at_buf *out)
{
	if (!diff->count)
		return;
	print_name(out, "--- ", old_name, form);
	print_name(out, "+++ ", new_name, form);
	for (size_t i = 0; i < diff->count; i++)
		print_line(diff, i, form, out);
}
