#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *test_path(const char *dir, const char *name)
{
	static char ring[8][PATH_MAX];
	static unsigned at;
	char *out = ring[at++ % 8];

	snprintf(out, PATH_MAX, "%s/%s", dir, name);
	return out;
}

const char *test_data(void)
{
	const char *dir = getenv("AT_TEST_DATA");

	if (!dir)
		fail_msg("AT_TEST_DATA is not set: run through meson test");
	return dir;
}

char *test_tree_new(void)
{
	const char *base = getenv("TMPDIR");
	char pattern[PATH_MAX], real[PATH_MAX];

	snprintf(pattern, sizeof(pattern), "%s/at-test-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(pattern) || !realpath(pattern, real))
		fail_msg("no temporary directory: %s", strerror(errno));
	return at_strdup(real);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static int open_up(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)ftw;
	if (kind == FTW_D || kind == FTW_DNR)
		chmod(path, (st->st_mode & 07777) | 0700);
	return 0;
}

void test_tree_remove(char *path)
{
	nftw(path, open_up, 16, FTW_PHYS);
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(path);
}

static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			fail_msg("mkdir %s: %s", path, strerror(errno));
		*slash = '/';
	}
}

void test_write_bytes(const char *dir, const char *path, const void *data, size_t len)
{
	char full[PATH_MAX];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", dir, path);
	make_parents(full);
	file = fopen(full, "wb");
	if (!file || fwrite(data, 1, len, file) != len || fclose(file) != 0)
		fail_msg("cannot write %s: %s", full, strerror(errno));
}

void test_write(const char *dir, const char *path, const char *text)
{
	test_write_bytes(dir, path, text, strlen(text));
}

struct at_buf test_read(const char *dir, const char *path)
{
	char full[PATH_MAX], chunk[65536];
	struct at_buf buf = { 0 };
	size_t got;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", dir ? dir : test_data(), path);
	file = fopen(full, "rb");
	if (!file)
		fail_msg("cannot read %s: %s", full, strerror(errno));
	while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
		at_buf_put(&buf, chunk, got);
	fclose(file);
	return buf;
}

bool test_exists(const char *dir, const char *path)
{
	struct stat st;

	return lstat(test_path(dir, path), &st) == 0;
}

static const char *copy_from, *copy_to;

static int copy_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	char to[PATH_MAX], link[PATH_MAX];
	struct at_buf bytes;
	ssize_t len;

	(void)ftw;
	snprintf(to, sizeof(to), "%s%s", copy_to, path + strlen(copy_from));
	switch (kind) {
	case FTW_D:
		if (mkdir(to, 0755) < 0 && errno != EEXIST)
			return -1;
		return 0;
	case FTW_SL:
		len = readlink(path, link, sizeof(link) - 1);
		if (len < 0)
			return -1;
		link[len] = '\0';
		return symlink(link, to);
	case FTW_F:
		bytes = test_read("", path);
		test_write_bytes("", to, at_buf_text(&bytes), bytes.len);
		at_buf_free(&bytes);
		return chmod(to, (st->st_mode & 07777) | 0600);
	default:
		return -1;
	}
}

void test_copy_tree(const char *from, const char *to)
{
	copy_from = from;
	copy_to = to;
	if (nftw(from, copy_one, 16, FTW_PHYS) != 0)
		fail_msg("cannot copy %s: %s", from, strerror(errno));
}

static uint64_t fingerprint;

static void mix(const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		fingerprint = (fingerprint ^ p[i]) * 1099511628211u;
}

static size_t fingerprint_base;
static uint64_t fingerprint_sum;

static int fingerprint_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	char link[PATH_MAX];
	mode_t mode = st->st_mode;
	ssize_t len;

	(void)ftw;
	fingerprint = 1469598103934665603u;
	mix(path + fingerprint_base, strlen(path + fingerprint_base));
	mix(&mode, sizeof(mode));
	if (kind == FTW_SL && (len = readlink(path, link, sizeof(link))) > 0)
		mix(link, (size_t)len);
	if (kind == FTW_F && S_ISREG(st->st_mode)) {
		struct at_buf bytes = test_read("", path);

		mix(at_buf_text(&bytes), bytes.len);
		at_buf_free(&bytes);
	}
	fingerprint_sum += fingerprint; /* order of the walk does not matter */
	return 0;
}

uint64_t test_tree_fingerprint(const char *dir)
{
	fingerprint_base = strlen(dir);
	fingerprint_sum = 0;
	if (nftw(dir, fingerprint_one, 16, FTW_PHYS) != 0)
		fail_msg("cannot walk %s: %s", dir, strerror(errno));
	return fingerprint_sum;
}
