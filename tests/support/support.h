/* support.h - what the tests of every folder share.
 *
 * Temporary trees, test data, rows of tables and the honest skip. It knows no module.
 */
#ifndef AT_TEST_SUPPORT_H
#define AT_TEST_SUPPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "core/bytes.h"
#include "core/mem.h"

struct test_group {
	const char *name;
	int (*run)(void);
};
extern const struct test_group test_groups[];

/* Fails naming the row of the table (from 0). */
#define assert_row(row, truth)                                                                     \
	do {                                                                                       \
		if (!(truth))                                                                      \
			fail_msg("row %zu: %s", (size_t)(row), #truth);                            \
	} while (0)

/* Prints the reason and skips the test. */
#define skip_because(...)                                                                          \
	do {                                                                                       \
		print_message("SKIPPED: " __VA_ARGS__);                                            \
		print_message("\n");                                                               \
		skip();                                                                            \
	} while (0)

/* A new empty directory; its path is good until the test ends. test_tree_remove() takes
 * it and everything below away. */
char *test_tree_new(void);
void test_tree_remove(char *path);

/* Writes a file below `dir`, making parents. */
void test_write(const char *dir, const char *path, const char *text);
void test_write_bytes(const char *dir, const char *path, const void *data, size_t len);

/* Reads a whole file (of test data when `dir` is NULL) or fails the test. */
struct at_buf test_read(const char *dir, const char *path);
bool test_exists(const char *dir, const char *path);

/* Copies a tree with modes and links, files made writable for the owner. */
void test_copy_tree(const char *from, const char *to);

/* "DIR/name" in a static ring of buffers. */
const char *test_path(const char *dir, const char *name);

/* The root of the test data. */
const char *test_data(void);

/* A digest of names, kinds, modes and bytes of everything below: equal means untouched. */
uint64_t test_tree_fingerprint(const char *dir);

#endif
