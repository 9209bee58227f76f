#include "core/git_index.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#define HEADER 12
#define STAT 40 /* ten numbers before the object's name */
#define MODE 24
#define ID 20 /* bytes of a SHA-1 */
#define EXTENDED 0x4000
#define NAME_MASK 0xFFF

struct walk {
	const unsigned char *at, *end;
	unsigned version, object; /* bytes of an object's name */
	char name[PATH_MAX];
	size_t len;
	const unsigned char *entry; /* the one that was read last */
	unsigned flags;
};

static uint32_t number(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Version 4 leaves out what a name shares with the one before it: how much of that to drop, in
 * groups of seven bits. */
static bool drop_tail(struct walk *w)
{
	size_t drop = 0;
	unsigned char c;

	do {
		if (w->at == w->end || drop > PATH_MAX)
			return false;
		c = *w->at++;
		drop = (drop << 7) + (c & 0x7F);
		if (c & 0x80)
			drop++;
	} while (c & 0x80);
	if (drop > w->len)
		return false;
	w->len -= drop;
	return true;
}

/* Reads one entry; the name is in `w` after it. */
static bool next_entry(struct walk *w, uint32_t *mode)
{
	const unsigned char *start = w->at, *nul;
	size_t fixed = STAT + w->object + 2, said, len;
	unsigned flags;

	w->entry = start;
	if ((size_t)(w->end - start) < fixed + 2)
		return false;
	*mode = number(start + MODE);
	flags = (unsigned)start[fixed - 2] << 8 | start[fixed - 1];
	w->flags = flags;
	if (flags & EXTENDED) {
		if (w->version < 3)
			return false;
		fixed += 2;
	}
	w->at = start + fixed;
	if (w->version < 4)
		w->len = 0;
	else if (!drop_tail(w))
		return false;
	nul = memchr(w->at, '\0', (size_t)(w->end - w->at));
	if (!nul)
		return false;
	len = (size_t)(nul - w->at);
	said = flags & NAME_MASK;
	if (w->len + len >= sizeof(w->name) || w->len + len == 0
		|| (said != NAME_MASK && said != w->len + len))
		return false;
	memcpy(w->name + w->len, w->at, len + 1);
	w->len += len;
	w->at = nul + 1;
	if (w->version < 4) { /* one to eight NULs, to a multiple of eight */
		size_t whole = (fixed + len + 8) & ~(size_t)7;

		if (whole > (size_t)(w->end - start))
			return false;
		w->at = start + whole;
	}
	return true;
}

static bool start(struct walk *w, uint32_t *count, struct at_bytes index, unsigned object)
{
	const unsigned char *bytes = (const unsigned char *)index.data;

	if (index.len < HEADER + object || memcmp(bytes, "DIRC", 4) != 0)
		return false;
	w->at = bytes + HEADER;
	w->end = bytes + index.len - object; /* a digest of it all comes last */
	w->object = object;
	w->version = number(bytes + 4);
	w->len = 0;
	*count = number(bytes + 8);
	return w->version >= 2 && w->version <= 4;
}

static bool has(struct at_bytes index, const char *name, unsigned object, bool *is_whole)
{
	struct walk w;
	uint32_t count, mode;
	bool found = false;

	*is_whole = false;
	if (!start(&w, &count, index, object))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!next_entry(&w, &mode))
			return false;
		found |= (mode & 0170000) == 0100000 && strcmp(w.name, name) == 0;
	}
	*is_whole = true;
	return found;
}

bool at_git_index_has(struct at_bytes index, const char *name)
{
	bool is_whole, found = has(index, name, 20, &is_whole);

	if (!is_whole)
		found = has(index, name, 32, &is_whole);
	return is_whole && found;
}

/* What comes after the entries: a name that begins in lower case has to be understood. Of those
 * `sdir` only says that whole directories may be entries; `link` is a split index. */
static bool are_extensions_known(const struct walk *w)
{
	const unsigned char *at = w->at;

	while (w->end - at >= 8) {
		size_t len = number(at + 4);

		if (at[0] >= 'a' && memcmp(at, "sdir", 4) != 0)
			return false;
		if (len > (size_t)(w->end - at) - 8)
			return false;
		at += 8 + len;
	}
	return at == w->end;
}

bool at_git_index_each(struct at_bytes index,
	void (*told)(void *user, const struct at_git_entry *entry), void *user)
{
	struct at_git_entry entry;
	struct walk w;
	uint32_t count;

	if (!start(&w, &count, index, ID))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!next_entry(&w, &entry.mode))
			return false;
		entry.path = w.name;
		entry.len = w.len;
		entry.changed = number(w.entry);
		entry.changed_ns = number(w.entry + 4);
		entry.modified = number(w.entry + 8);
		entry.modified_ns = number(w.entry + 12);
		entry.inode = number(w.entry + 20);
		entry.size = number(w.entry + 36);
		entry.stage = w.flags >> 12 & 3;
		entry.id = w.entry + STAT;
		told(user, &entry);
	}
	return are_extensions_known(&w);
}
