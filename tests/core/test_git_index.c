/* An index of git is read by us alone: what is in it, and what no broken one may do. */
#include "support/support.h"

#include <string.h>

#include "core/git_index.h"

struct entry {
	const char *name;
	unsigned mode, flags; /* the flags without the length */
	unsigned drop;        /* version 4: of the name before it; the rest of `name` follows */
};

static void put32(struct at_buf *out, unsigned n)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		at_buf_putc(out, (char)(n >> shift));
}

static void build(struct at_buf *out, unsigned version, unsigned object,
	const struct entry *entries, size_t count)
{
	at_buf_puts(out, "DIRC");
	put32(out, version);
	put32(out, (unsigned)count);
	for (size_t i = 0; i < count; i++) {
		size_t start = out->len, len = strlen(entries[i].name);
		unsigned flags = entries[i].flags | (unsigned)len;

		at_buf_pad(out, 1, 24);
		put32(out, entries[i].mode);
		at_buf_pad(out, 1, 12);
		at_buf_pad(out, 7, object);
		at_buf_putc(out, (char)(flags >> 8));
		at_buf_putc(out, (char)flags);
		if (flags & 0x4000)
			at_buf_pad(out, 0, 2);
		if (version == 4)
			at_buf_putc(out, (char)entries[i].drop);
		at_buf_put(out, entries[i].name + (version == 4 && i ? 2 : 0),
			len + 1 - (version == 4 && i ? 2 : 0));
		while (version < 4 && (out->len - start) % 8)
			at_buf_putc(out, 0);
	}
	at_buf_pad(out, 9, object);
}

static const struct entry some[] = {
	{ "d/a", 0100644, 0, 0 },
	{ "d/file", 0100755, 0, 1 }, /* version 4 keeps "d/" of the one before */
	{ "d/link", 0120000, 0, 4 },
	{ "d/mod", 0160000, 0, 4 },
	{ "d/new", 0100644, 0x4000, 3 },
};

static bool has(struct at_buf *index, const char *name)
{
	return at_git_index_has(at_buf_bytes(index), name);
}

/* GATE-5: every version, both kinds of names for objects; a link or a submodule is no manifest. */
static void gate_5_index_versions(void **state)
{
	for (unsigned version = 3; version <= 4; version++) {
		for (unsigned object = 20; object <= 32; object += 12) {
			struct at_buf index = { 0 };

			build(&index, version, object, some, AT_LEN(some));
			assert_row(version, has(&index, "d/a") && has(&index, "d/file"));
			assert_row(version, has(&index, "d/new"));
			assert_row(version, !has(&index, "d/link") && !has(&index, "d/mod"));
			assert_row(version, !has(&index, "d") && !has(&index, "d/fil"));
			assert_row(version, !has(&index, "file") && !has(&index, ""));
			index.data[7] = 5;
			assert_row(version, !has(&index, "d/a"));
			index.data[7] = 2; /* knows no further flags */
			assert_row(version, !has(&index, "d/a"));
			at_buf_free(&index);
		}
	}
}

/* GATE-5: cut or changed at any byte, it is read to its end and never past it. */
static void gate_5_broken_index(void **state)
{
	for (unsigned version = 3; version <= 4; version++) {
		struct at_buf index = { 0 };

		build(&index, version, 20, some, AT_LEN(some));
		for (size_t len = 0; len < index.len; len++) {
			struct at_buf cut = { 0 };

			at_buf_put(&cut, index.data, len);
			if (has(&cut, "d/new")) /* the last one, whole */
				fail_msg("version %u, cut at %zu", version, len);
			at_buf_free(&cut);
		}
		for (size_t i = 0; i < index.len; i++) {
			static const unsigned char other[] = { 0, 1, 0x7F, 0x80, 0xFF };
			char was = index.data[i];

			for (size_t k = 0; k < sizeof(other); k++) {
				index.data[i] = (char)other[k];
				has(&index, "d/new");
			}
			index.data[i] = was;
		}
		at_buf_free(&index);
	}
}

struct told {
	size_t count;
	struct at_buf names;
	bool is_right;
};

static void tell(void *user, const struct at_git_entry *entry)
{
	struct told *told = user;

	at_buf_printf(&told->names, "%s:%o ", entry->path, entry->mode);
	told->is_right &= strlen(entry->path) == entry->len && entry->size == 0x01010101
		&& entry->modified == 0x01010101 && entry->id[0] == 7 && entry->id[19] == 7;
	told->count++;
}

/* RUN-3: every entry is told, and an index that has some elsewhere is no whole one. */
static void run_3_index_entries(void **state)
{
	static const struct {
		const char *extension; /* a name and a length of 4 */
		bool ok;
	} rows[] = { { "", true }, { "TREE\0\0\0\4aaaa", true }, { "sdir\0\0\0\4aaaa", true },
		{ "link\0\0\0\4aaaa", false }, { "TREE\0\0\0\5aaaa", false },
		{ "TREE\0\0\0\3aaaa", false } };

	for (unsigned version = 3; version <= 4; version++)
		for (size_t i = 0; i < AT_LEN(rows); i++) {
			struct told told = { .is_right = true };
			struct at_buf index = { 0 };

			build(&index, version, 20, some, AT_LEN(some));
			index.len -= 20;
			at_buf_put(&index, rows[i].extension, i ? 12 : 0);
			at_buf_pad(&index, 9, 20);
			assert_row(i,
				at_git_index_each(at_buf_bytes(&index), tell, &told) == rows[i].ok);
			assert_int_equal(told.count, AT_LEN(some));
			assert_true(told.is_right);
			assert_string_equal(at_buf_text(&told.names),
				"d/a:100644 d/file:100755 d/link:120000 d/mod:160000 d/new:100644 ");
			at_buf_free(&told.names);
			at_buf_free(&index);
		}
}

int test_git_index(void);
int test_git_index(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate_5_index_versions),
		cmocka_unit_test(gate_5_broken_index),
		cmocka_unit_test(run_3_index_entries),
	};

	return cmocka_run_group_tests_name("git_index", tests, NULL, NULL);
}
