#include "core/patch_line.h"

#include <string.h>

#include "core/safetext.h"

#define HEADER_CAP 64 /* rows of a header that are looked at for names */

bool patch_starts(struct at_bytes line, const char *with)
{
	size_t len = strlen(with);

	return line.len >= len && memcmp(line.data, with, len) == 0;
}

static struct at_bytes after(struct at_bytes line, size_t count)
{
	return (struct at_bytes){ line.data + count, line.len - count };
}

static bool take_text(struct at_bytes *rest, const char *text)
{
	if (!patch_starts(*rest, text))
		return false;
	*rest = after(*rest, strlen(text));
	return true;
}

static bool take_number(struct at_bytes *rest, uint32_t *out)
{
	uint64_t value = 0;
	size_t used = 0;

	for (; used < rest->len && rest->data[used] >= '0' && rest->data[used] <= '9'; used++) {
		value = value * 10 + (uint64_t)(rest->data[used] - '0');
		if (value > UINT32_MAX)
			return false;
	}
	*out = (uint32_t)value;
	*rest = after(*rest, used);
	return used > 0;
}

static bool take_range(struct at_bytes *rest, uint32_t *first, uint32_t *count)
{
	*count = 1;
	if (!take_number(rest, first))
		return false;
	if (take_text(rest, ",") && !take_number(rest, count))
		return false;
	return (uint64_t)*first + *count <= UINT32_MAX;
}

bool patch_parse_hunk(struct patch_hunk *out, struct at_bytes line)
{
	return take_text(&line, "@@ -") && take_range(&line, &out->old_first, &out->old_count)
		&& take_text(&line, " +") && take_range(&line, &out->new_first, &out->new_count)
		&& take_text(&line, " @@");
}

bool patch_is_like_change(struct at_bytes line)
{
	if (line.len == 0 || !strchr("+- ", line.data[0]) || line.data[0] == '\0')
		return false;
	return !(line.len == 3 && patch_starts(line, "-- "));
}

/* What stands after "--- " or "+++ ": up to a tab, where a date may follow. */
static struct at_bytes name_in(struct at_bytes line)
{
	struct at_bytes name = after(line, 4);
	const char *tab = memchr(name.data, '\t', name.len);

	if (tab)
		name.len = (size_t)(tab - name.data);
	while (name.len && name.data[name.len - 1] == '\r')
		name.len--;
	return name;
}

bool patch_names_agree(struct at_bytes first, struct at_bytes old, struct at_bytes new)
{
	struct at_bytes both = after(first, strlen("diff --git "));

	while (both.len && both.data[both.len - 1] == '\r')
		both.len--;
	old = name_in(old);
	new = name_in(new);
	if (!at_bytes_equal_text(old, "/dev/null")
		&& !(both.len > old.len && memcmp(both.data, old.data, old.len) == 0
			&& both.data[old.len] == ' '))
		return false;
	return at_bytes_equal_text(new, "/dev/null")
		|| (both.len > new.len &&memcmp(both.data + both.len - new.len, new.data, new.len)
				== 0
			&& both.data[both.len - new.len - 1] == ' ');
}

bool at_patch_is_own(const struct at_diff_line *line)
{
	return line->kind == AT_DIFF_NOTE && line->old_no >= AT_NOTE_CUT;
}

bool at_patch_is_fault(const struct at_diff_line *line)
{
	return line->kind == AT_DIFF_NOTE && line->old_no >= AT_NOTE_STRAY;
}

void at_patch_note_words(const struct at_diff_line *line, struct at_buf *out)
{
	static const char *const words[] = {
		[AT_NOTE_STRAY] = "in no hunk: ",
		[AT_NOTE_BROKEN] = "no header of a hunk: ",
		[AT_NOTE_NAMES] = "The names of this header are not the same file's: look at each.",
		[AT_NOTE_NO_FILE] = "No header names the file of this hunk.",
		[AT_NOTE_COMBINED] = "A merge's own format: shown as it stands, not taken apart.",
		[AT_NOTE_NO_END] = "The text ends in the middle of a line.",
		[AT_NOTE_TOO_LONG] = "More follows than is shown: what is below here was not read.",
	};

	if (!at_patch_is_fault(line))
		return;
	if (line->old_no == AT_NOTE_CUT)
		at_buf_printf(out,
			"The hunk ends early: %u old and %u new lines of it are missing.",
			line->new_no, line->len);
	else
		at_buf_puts(out, words[line->old_no]);
}

const char *at_patch_note_id(const struct at_diff_line *line)
{
	static const char *const ids[] = {
		[AT_NOTE_STRAY] = "outside-hunk",
		[AT_NOTE_BROKEN] = "broken-hunk-header",
		[AT_NOTE_CUT] = "cut-hunk",
		[AT_NOTE_NAMES] = "names-differ",
		[AT_NOTE_NO_FILE] = "no-file-header",
		[AT_NOTE_COMBINED] = "combined-format",
		[AT_NOTE_NO_END] = "no-newline-at-end",
		[AT_NOTE_TOO_LONG] = "too-long",
	};

	return at_patch_is_fault(line) ? ids[line->old_no] : "";
}

static struct at_bytes without_prefix(
	struct at_bytes name, struct at_bytes first, const char *prefix)
{
	if (patch_starts(first, "diff --git ") && patch_starts(name, prefix))
		return after(name, 2);
	return name;
}

struct at_bytes at_patch_name(const struct at_diff *diff, size_t file)
{
	size_t row = diff->files[file],
	       end = file + 1 < diff->file_count ? diff->files[file + 1] : diff->count;
	struct at_bytes first = at_diff_text(diff, row), name = { NULL, 0 };

	if (end - row > HEADER_CAP)
		end = row + HEADER_CAP;
	for (; row < end && diff->lines[row].kind != AT_DIFF_HUNK; row++) {
		struct at_bytes line = at_diff_text(diff, row);

		if (patch_starts(line, "--- "))
			name = without_prefix(name_in(line), first, "a/");
		else if (patch_starts(line, "rename to "))
			name = after(line, strlen("rename to "));
		else if (patch_starts(line, "+++ ")
			&& !at_bytes_equal_text(name_in(line), "/dev/null"))
			return without_prefix(name_in(line), first, "b/");
	}
	if (name.data)
		return name;
	if (patch_starts(first, "diff --git "))
		return after(first, strlen("diff --git "));
	return first;
}

size_t at_patch_file_at(const struct at_diff *diff, size_t row)
{
	size_t low = 0, high = diff->file_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (diff->files[middle] <= row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void at_patch_print_row(const struct at_diff *diff, size_t row, struct at_buf *out)
{
	const struct at_diff_line *line = &diff->lines[row];

	if (at_patch_is_fault(line)) {
		at_buf_puts(out, "! ");
		at_patch_note_words(line, out);
	}
	if (line->kind == AT_DIFF_SAME || line->kind == AT_DIFF_ADDED
		|| line->kind == AT_DIFF_REMOVED)
		at_buf_putc(out, at_diff_sign(line->kind));
	at_safe_text(out, at_diff_text(diff, row), true);
	at_buf_putc(out, '\n');
}
