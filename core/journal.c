#include "core/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/disk.h"
#include "core/file.h"
#include "core/mem.h"

#define JOURNAL "journal"
#define DRAFT "record" /* a record that is still being written is no state */

static const char *const state_names[] = {
	[AT_ENTRY_INTENT] = "intent",
	[AT_ENTRY_PREPARED] = "prepared",
	[AT_ENTRY_ROLLBACK] = "rollback",
	[AT_ENTRY_DONE] = "done",
	[AT_ENTRY_UNDONE] = "undone",
	[AT_ENTRY_ABANDONED] = "abandoned",
};

bool at_entry_is_half_done(const struct at_entry *entry)
{
	return entry->state <= AT_ENTRY_ROLLBACK;
}

static enum at_entry_state state_of(int journal, const char *id)
{
	int dir = at_file_open_dir(journal, id, NULL);
	enum at_entry_state state = AT_ENTRY_EMPTY;
	struct stat st;

	if (dir < 0)
		return state;
	for (size_t i = AT_ENTRY_INTENT; i < AT_LEN(state_names) && state == AT_ENTRY_EMPTY; i++)
		if (fstatat(dir, state_names[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
			state = (enum at_entry_state)i;
	close(dir);
	return state;
}

/* "20261130T130300Z-17" is number 17: a clock that jumps does not change the order. */
static bool read_id(struct at_entry *out, const char *name)
{
	const char *dash = strchr(name, '-');
	char *end;

	if (!dash || dash[1] < '1' || dash[1] > '9' || strlen(name) >= sizeof(out->id))
		return false;
	*out = (struct at_entry){ .number = strtoul(dash + 1, &end, 10) };
	strcpy(out->id, name);
	return *end == '\0';
}

static int by_number(const void *a, const void *b)
{
	const struct at_entry *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static bool list_open(struct at_entries *out, int journal, struct at_error *err)
{
	int copy = openat(journal, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *item;

	if (!dir) {
		at_fail_sys(err, errno, "cannot list the journal");
		if (copy >= 0)
			close(copy);
		return false;
	}
	while ((item = readdir(dir))) {
		struct at_entry entry;

		if (!read_id(&entry, item->d_name))
			continue;
		entry.state = state_of(journal, entry.id);
		out->items = at_grow(out->items, &out->cap, out->count, sizeof(*out->items));
		out->items[out->count++] = entry;
	}
	closedir(dir);
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), by_number);
	return true;
}

bool at_journal_list(struct at_entries *out, int state_fd, struct at_error *err)
{
	int journal;
	bool ok;

	*out = (struct at_entries){ 0 };
	if (state_fd < 0 || at_file_type(state_fd, JOURNAL) == AT_FILE_ABSENT)
		return true;
	journal = at_file_open_dir(state_fd, JOURNAL, err);
	if (journal < 0)
		return false;
	ok = list_open(out, journal, err);
	close(journal);
	return ok;
}

void at_entries_free(struct at_entries *entries)
{
	free(entries->items);
	*entries = (struct at_entries){ 0 };
}

static bool fail_journal(struct at_error *err, int sys, const struct at_act *act)
{
	at_fail_sys(err, sys, "cannot write the journal in `%s`", act->state_path);
	at_error_path(err, act->state_path);
	at_error_hint(err, "Nothing was changed. Make room or mend its permissions.");
	return false;
}

static bool open_journal(struct at_act *act, struct at_error *err)
{
	int state = act->roots[AT_IN_STATE];

	if (!at_disk_mkdir(state, JOURNAL, 0700)) {
		if (errno != EEXIST)
			return fail_journal(err, errno, act);
	} else if (!at_disk_sync(state)) {
		return fail_journal(err, errno, act);
	}
	act->journal = at_file_open_dir(state, JOURNAL, err);
	return act->journal >= 0;
}

static bool name_entry(struct at_act *act, struct at_error *err)
{
	struct at_entries entries = { 0 };
	time_t now = time(NULL);
	unsigned long last = 0;
	struct tm utc;
	size_t len;

	if (!list_open(&entries, act->journal, err))
		return false;
	if (entries.count)
		last = entries.items[entries.count - 1].number;
	at_entries_free(&entries);
	gmtime_r(&now, &utc);
	len = strftime(act->id, sizeof(act->id), "%Y%m%dT%H%M%SZ", &utc);
	snprintf(act->id + len, sizeof(act->id) - len, "-%lu", last + 1);
	return true;
}

static bool write_side(const struct at_act *act, size_t index, bool old)
{
	const struct at_step *step = &act->steps[index];
	char name[32];

	if (!(old ? &step->old : &step->new)->exists)
		return true;
	snprintf(name, sizeof(name), "%s-%zu", old ? "old" : "new", index);
	return at_disk_create(act->entry, name, old ? step->old_bytes : step->new_bytes, 0600,
		AT_NO_OWNER, AT_NO_GROUP);
}

static bool write_entry(const struct at_act *act)
{
	struct at_buf record = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < act->count; i++)
		ok = write_side(act, i, true) && write_side(act, i, false);
	at_record_write(&record, act);
	ok = ok && at_disk_create(act->entry, DRAFT, at_buf_bytes(&record), 0600, AT_NO_OWNER,
			AT_NO_GROUP)
		&& at_disk_rename(act->entry, DRAFT, state_names[AT_ENTRY_INTENT])
		&& at_disk_sync(act->entry) && at_disk_sync(act->journal);
	at_buf_free(&record);
	return ok;
}

bool at_journal_begin(struct at_act *act, struct at_error *err)
{
	if (!open_journal(act, err) || !name_entry(act, err))
		return false;
	if (!at_disk_mkdir(act->journal, act->id, 0700))
		return fail_journal(err, errno, act);
	act->entry = at_file_open_dir(act->journal, act->id, err);
	if (act->entry >= 0 && write_entry(act))
		return true;
	if (act->entry >= 0)
		fail_journal(err, errno, act);
	at_journal_drop(act->journal, act->id);
	return false;
}

bool at_journal_load(struct at_act *act, const struct at_entry *entry, struct at_error *err)
{
	struct at_file file;
	bool ok;

	act->journal = at_file_open_dir(act->roots[AT_IN_STATE], JOURNAL, err);
	if (act->journal < 0)
		return false;
	act->entry = at_file_open_dir(act->journal, entry->id, err);
	if (act->entry < 0 || !at_file_read(&file, act->entry, state_names[entry->state],
		AT_FILE_CAP, 0, err))
		return false;
	strcpy(act->id, entry->id);
	ok = at_record_read(act, at_buf_bytes(&file.bytes), err);
	if (!ok)
		at_error_path(err, entry->id);
	at_file_free(&file);
	return ok;
}

bool at_journal_bytes(struct at_act *act, size_t index, bool old, struct at_error *err)
{
	struct at_step *step = &act->steps[index];
	const struct at_side *side = old ? &step->old : &step->new;
	struct at_bytes *to = old ? &step->old_bytes : &step->new_bytes;
	struct at_file file;
	char name[32];
	bool ok;

	if (!side->exists || to->data)
		return true;
	snprintf(name, sizeof(name), "%s-%zu", old ? "old" : "new", index);
	if (!at_file_read(&file, act->entry, name, AT_FILE_CAP, 0, err))
		return false;
	ok = at_digest_equal(&file.digest, &side->digest);
	if (ok)
		*to = (struct at_bytes){
			at_arena_strndup(act->arena, at_buf_text(&file.bytes), file.bytes.len),
			file.bytes.len,
		};
	else
		at_fail(err, AT_EPARSE, "`%s` of journal entry %s is damaged: it does not have the "
			"digest that was noted", name, act->id);
	at_file_free(&file);
	return ok;
}

bool at_journal_mark(const struct at_act *act, enum at_entry_state from, enum at_entry_state to,
	struct at_error *err)
{
	if (at_disk_rename(act->entry, state_names[from], state_names[to])
		&& at_disk_sync(act->entry))
		return true;
	return fail_journal(err, errno, act);
}

bool at_journal_mark_other(int journal, const char *id, enum at_entry_state from,
	enum at_entry_state to)
{
	int dir = at_file_open_dir(journal, id, NULL);
	bool ok;

	if (dir < 0)
		return false;
	/* Gone means that an earlier try did it. */
	ok = (at_disk_rename(dir, state_names[from], state_names[to]) || errno == ENOENT)
		&& at_disk_sync(dir);
	close(dir);
	return ok;
}

static void remove_all(int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *item;

	if (!list) {
		if (copy >= 0)
			close(copy);
		return;
	}
	while ((item = readdir(list)))
		if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0)
			at_disk_remove(dir, item->d_name);
	closedir(list);
}

/* The record goes first: without it the rest is litter that the next act sweeps. */
void at_journal_drop(int journal, const char *id)
{
	int dir = at_file_open_dir(journal, id, NULL);

	if (dir < 0)
		return;
	for (size_t i = AT_ENTRY_INTENT; i < AT_LEN(state_names); i++)
		if (faccessat(dir, state_names[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			at_disk_remove(dir, state_names[i]);
	remove_all(dir);
	close(dir);
	at_disk_rmdir(journal, id);
}

void at_journal_prune(int state_fd)
{
	struct at_entries entries;
	int journal;

	if (!at_journal_list(&entries, state_fd, NULL))
		return;
	journal = entries.count > AT_JOURNAL_KEEP ? at_file_open_dir(state_fd, JOURNAL, NULL) : -1;
	for (size_t i = 0; journal >= 0 && i + AT_JOURNAL_KEEP < entries.count; i++)
		if (!at_entry_is_half_done(&entries.items[i]))
			at_journal_drop(journal, entries.items[i].id);
	if (journal >= 0)
		close(journal);
	at_entries_free(&entries);
}
