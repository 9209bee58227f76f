#include "core/patch.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/patch_line.h"

enum place {
	OUTSIDE, /* words, or nothing yet */
	HEADER,  /* of a file */
	IN_HUNK, /* lines are counted */
	BEHIND,  /* right after a hunk that has all its lines */
	PLAIN,   /* lines that are not taken apart, up to the next file */
};

void at_patch_init(struct at_patch *patch, size_t size)
{
	*patch = (struct at_patch){ .byte_cap = AT_PATCH_BYTES, .line_cap = AT_PATCH_LINES };
	patch->diff.is_text = true;
	at_buf_reserve(&patch->text, size < AT_PATCH_BYTES ? size + 1 : AT_PATCH_BYTES);
	patch->text.data[0] = '\0';
	patch->diff.old_text = patch->diff.new_text = at_buf_bytes(&patch->text);
}

void at_patch_free(struct at_patch *patch)
{
	at_diff_free(&patch->diff);
	at_buf_free(&patch->text);
}

static struct at_diff_line *add(struct at_patch *p, enum at_diff_kind kind, struct at_bytes text)
{
	struct at_diff *diff = &p->diff;
	struct at_diff_line *line;

	diff->lines = at_grow(diff->lines, &diff->cap, diff->count, sizeof(*diff->lines));
	line = &diff->lines[diff->count++];
	*line = (struct at_diff_line){ .kind = kind,
		.offset = (uint32_t)(text.data - p->text.data),
		.len = (uint32_t)text.len };
	return line;
}

static void add_note(struct at_patch *p, enum at_patch_note note, struct at_bytes text)
{
	add(p, AT_DIFF_NOTE, text)->old_no = note;
	p->faults += note >= AT_NOTE_STRAY;
}

/* A row of our own stands between two lines and has no text. */
static struct at_diff_line *add_own(struct at_patch *p, enum at_patch_note note)
{
	add_note(p, note, (struct at_bytes){ p->text.data + p->indexed, 0 });
	return &p->diff.lines[p->diff.count - 1];
}

static void add_file(struct at_patch *p, struct at_bytes line)
{
	struct at_diff *diff = &p->diff;

	diff->files = at_grow(diff->files, &diff->file_cap, diff->file_count, sizeof(*diff->files));
	diff->files[diff->file_count++] = (uint32_t)diff->count;
	add(p, AT_DIFF_FILE, line);
	p->place = HEADER;
	p->has_old_name = false;
	p->has_file = true;
}

static void add_hunk(struct at_patch *p, const struct patch_hunk *hunk, struct at_bytes line)
{
	struct at_diff *diff = &p->diff;
	struct at_diff_line *row;

	if (!p->has_file)
		add_own(p, AT_NOTE_NO_FILE);
	p->has_file = true; /* said once is enough */
	diff->hunks = at_grow(diff->hunks, &diff->hunk_cap, diff->hunk_count, sizeof(*diff->hunks));
	diff->hunks[diff->hunk_count++] = (uint32_t)diff->count;
	row = add(p, AT_DIFF_HUNK, line);
	row->old_no = p->old_no = hunk->old_first;
	row->new_no = p->new_no = hunk->new_first;
	p->old_left = hunk->old_count;
	p->new_left = hunk->new_count;
	if (hunk->old_first + hunk->old_count > diff->last_no)
		diff->last_no = hunk->old_first + hunk->old_count;
	if (hunk->new_first + hunk->new_count > diff->last_no)
		diff->last_no = hunk->new_first + hunk->new_count;
	p->place = p->old_left || p->new_left ? IN_HUNK : BEHIND;
}

/* Says so when a hunk that ends here has too few lines. */
static void leave_hunk(struct at_patch *p)
{
	struct at_diff_line *row;

	if (p->place == IN_HUNK) {
		row = add_own(p, AT_NOTE_CUT);
		row->new_no = p->old_left;
		row->len = p->new_left;
	}
	p->place = BEHIND;
}

/* A line of a hunk, by its sign; false when the hunk's counts have no room for one. */
static bool index_counted(struct at_patch *p, struct at_bytes line)
{
	char sign = line.len == 0 || line.data[0] == '\r' ? ' ' : line.data[0];
	/* Some mailers take the space of an empty line away; then there is no sign to leave out. */
	size_t skip = line.len > 0 && line.data[0] == sign;
	struct at_bytes text = { line.data + skip, line.len - skip };
	bool is_old = sign == ' ' || sign == '-', is_new = sign == ' ' || sign == '+';
	struct at_diff_line *row;
	enum at_diff_kind kind;

	if ((!is_old && !is_new) || (is_old && !p->old_left) || (is_new && !p->new_left))
		return false;
	kind = is_old && is_new ? AT_DIFF_SAME : is_old ? AT_DIFF_REMOVED : AT_DIFF_ADDED;
	row = add(p, kind, text);
	row->old_no = is_old ? p->old_no++ : 0;
	row->new_no = is_new ? p->new_no++ : 0;
	p->old_left -= is_old;
	p->new_left -= is_new;
	p->diff.added += !is_old;
	p->diff.removed += !is_new;
	if (!p->old_left && !p->new_left)
		p->place = BEHIND;
	return true;
}

static void index_header(struct at_patch *p, struct at_bytes line)
{
	const struct at_diff *diff = &p->diff;
	struct at_bytes first, old;
	bool is_new = patch_starts(line, "+++ ");

	if (patch_starts(line, "--- ") && !p->has_old_name) {
		p->old_name = (uint32_t)diff->count;
		p->has_old_name = true;
	}
	add_note(p, AT_NOTE_HEADER, line);
	if (!is_new || !p->has_old_name)
		return;
	first = at_diff_text(diff, diff->files[diff->file_count - 1]);
	old = at_diff_text(diff, p->old_name);
	if (patch_starts(first, "diff --git ") && !patch_names_agree(first, old, line))
		add_own(p, AT_NOTE_NAMES);
	p->place = OUTSIDE; /* a second pair of names is a second file */
}

/* A line that is in no hunk. `next_is_new`: the one after it starts with "+++ ". */
static void index_outside(struct at_patch *p, struct at_bytes line, bool next_is_new)
{
	bool is_pair = patch_starts(line, "--- ") && next_is_new;
	struct patch_hunk hunk;

	if (patch_starts(line, "diff --cc ") || patch_starts(line, "diff --combined ")) {
		add_file(p, line);
		add_own(p, AT_NOTE_COMBINED);
		p->place = PLAIN;
	} else if (patch_starts(line, "diff ")
		|| (is_pair && p->place != HEADER && p->place != PLAIN)) {
		add_file(p, line);
		if (is_pair) {
			p->old_name = (uint32_t)p->diff.count - 1;
			p->has_old_name = true;
		}
	} else if (p->place == PLAIN) {
		add_note(p, AT_NOTE_TEXT, line);
	} else if (patch_starts(line, "@@ ")) {
		if (patch_parse_hunk(&hunk, line)) {
			add_hunk(p, &hunk, line);
			return;
		}
		add_note(p, AT_NOTE_BROKEN, line);
		p->place = BEHIND;
	} else if (p->place == HEADER) {
		index_header(p, line);
	} else if (p->place == BEHIND && patch_is_like_change(line)) {
		add_note(p, AT_NOTE_STRAY, line);
	} else {
		add_note(p, AT_NOTE_TEXT, line);
		p->place = OUTSIDE;
	}
}

static void index_line(struct at_patch *p, struct at_bytes line, bool next_is_new)
{
	if ((p->place == IN_HUNK || p->place == BEHIND) && patch_starts(line, "\\ ")) {
		add(p, AT_DIFF_NO_EOL, line);
		return;
	}
	if (p->place == IN_HUNK) {
		if (index_counted(p, line))
			return;
		leave_hunk(p);
	}
	index_outside(p, line, next_is_new);
}

/* Two lines make a file's header without git's own: the second one has to be there to tell. A
 * hunk may end right there, so that its lines wait too. */
static bool must_wait(const struct at_patch *p, struct at_bytes line, size_t next)
{
	return patch_starts(line, "--- ") && p->text.len - next < 4;
}

static bool is_full(struct at_patch *p)
{
	if (p->diff.count < p->line_cap)
		return false;
	add_own(p, AT_NOTE_TOO_LONG);
	p->ended = true;
	return true;
}

static void index_lines(struct at_patch *p, bool is_end)
{
	const char *text = p->text.data;

	p->diff.old_text = p->diff.new_text = at_buf_bytes(&p->text);
	while (p->indexed < p->text.len && !p->ended) {
		const char *end = memchr(text + p->scanned, '\n', p->text.len - p->scanned);
		struct at_bytes line = { text + p->indexed, 0 };
		size_t next = end ? (size_t)(end - text) + 1 : p->text.len;

		p->scanned = end ? (size_t)(end - text) : p->text.len;
		if (!end && !is_end)
			return;
		line.len = p->scanned - p->indexed;
		if (!is_end && must_wait(p, line, next))
			return;
		if (is_full(p))
			return;
		index_line(p, line,
			patch_starts((struct at_bytes){ text + next, p->text.len - next }, "+++ "));
		p->indexed = p->scanned = next;
	}
}

void at_patch_add(struct at_patch *patch, struct at_bytes more)
{
	size_t room = patch->byte_cap - patch->text.len;
	bool is_long = more.len > room;

	if (patch->ended)
		return;
	at_buf_put(&patch->text, more.data, is_long ? room : more.len);
	index_lines(patch, false);
	if (is_long && !patch->ended) {
		index_lines(patch, true);
		leave_hunk(patch);
		add_own(patch, AT_NOTE_TOO_LONG);
		patch->ended = true;
	}
}

void at_patch_end(struct at_patch *patch)
{
	if (patch->ended)
		return;
	index_lines(patch, true);
	if (patch->ended) /* too many lines */
		return;
	leave_hunk(patch);
	if (patch->text.len && patch->text.data[patch->text.len - 1] != '\n')
		add_own(patch, AT_NOTE_NO_END);
	patch->ended = true;
}

bool at_patch_read(struct at_patch *patch, int fd, size_t most, struct at_error *err)
{
	size_t room = patch->byte_cap - patch->text.len;
	ssize_t got;

	if (patch->ended)
		return true;
	if (!room) { /* is there anything after the last byte that is taken? */
		char more;

		got = read(fd, &more, 1);
		if (got == 1)
			at_patch_add(patch, (struct at_bytes){ &more, 1 });
	} else {
		most = most < room ? most : room;
		at_buf_reserve(&patch->text, most);
		got = read(fd, patch->text.data + patch->text.len, most);
		if (got > 0)
			patch->text.len += (size_t)got;
		patch->text.data[patch->text.len] = '\0';
		index_lines(patch, false);
	}
	if (got == 0)
		at_patch_end(patch);
	if (got < 0 && errno != EINTR && errno != EAGAIN)
		return at_fail_sys(err, errno, "the diff cannot be read any further");
	return true;
}
