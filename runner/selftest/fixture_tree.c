/* fixture_tree.c - files, links and variables of runner/selftest/fixture.def. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/selftest/fixture.h"

enum kind { DIR, FILE_, LINK, HARDLINK, ENV };
enum place { SCRATCH, HOME, SIBLING, OUTSIDE, ENVIRONMENT };

#define FILE FILE_ /* the table's word; stdio's is not needed below its header */
static const struct {
	enum kind kind;
	enum place place;
	const char *path, *content;
	mode_t mode;
} rows[] = {
#define AT_FIXTURE(kind, place, path, content, mode) { kind, place, path, content, mode },
#include "runner/selftest/fixture.def"
#undef AT_FIXTURE
};
#undef FILE

const char *at_fixture_secret(struct at_fixture *f)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	unsigned char random[AT_SECRET_LEN];
	char *out;

	if (f->secret_count == AT_SECRETS_MOST
		|| getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return "";
	out = f->secrets[f->secret_count];
	for (size_t i = 0; i < AT_SECRET_LEN; i++)
		out[i] = letters[random[i] & 31];
	f->secret_list[f->secret_count++] = out;
	return out;
}

static bool fail(struct at_error *err, const char *path)
{
	at_fail_sys(err, errno, "cannot make `%s` for the self-test", path);
	at_error_path(err, path);
	return false;
}

bool at_fixture_write(const char *path, struct at_bytes bytes, mode_t mode, struct at_error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	const char *p = bytes.data, *end = p + bytes.len;
	bool ok;

	if (fd < 0)
		return fail(err, path);
	while (p < end) {
		ssize_t put = write(fd, p, (size_t)(end - p));

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			break;
		p += put;
	}
	ok = p == end && fchmod(fd, mode) == 0;
	return (close(fd) == 0 && ok) || fail(err, path);
}

void at_fixture_add_env(struct at_fixture *f, const char *name, const char *value)
{
	f->env = at_grow(f->env, &f->env_cap, f->env_count + 1, sizeof(*f->env));
	f->env[f->env_count++] = at_arena_printf(f->arena, "%s=%s", name, value);
	f->env[f->env_count] = NULL;
}

static bool make_parents(char *path, struct at_error *err)
{
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		if (mkdir(path, 0755) != 0 && errno != EEXIST)
			return fail(err, path);
		*p = '/';
	}
	return true;
}

static const char *place_of(const struct at_fixture *f, enum place place)
{
	return place == SCRATCH    ? f->scratch
		: place == HOME    ? f->home
		: place == SIBLING ? f->sibling
				   : f->outside;
}

/* "@home/x" in full. */
static const char *target_of(const struct at_fixture *f, const char *content)
{
	static const struct {
		const char *word;
		enum place place;
	} words[] = { { "@home", HOME }, { "@outside", OUTSIDE }, { "@scratch", SCRATCH },
		{ "@sibling", SIBLING } };

	for (size_t i = 0; i < AT_LEN(words); i++) {
		size_t len = strlen(words[i].word);

		if (strncmp(content, words[i].word, len) == 0)
			return at_arena_printf(
				f->arena, "%s%s", place_of(f, words[i].place), content + len);
	}
	return content;
}

static bool make_row(struct at_fixture *f, size_t i, struct at_error *err)
{
	const char *content = rows[i].content;
	char path[AT_FIXTURE_PATH + 256];

	if (strcmp(content, "NONCE") == 0)
		content = at_fixture_secret(f);
	if (rows[i].kind == ENV) {
		at_fixture_add_env(f, rows[i].path, content);
		return true;
	}
	snprintf(path, sizeof(path), "%s/%s", place_of(f, rows[i].place), rows[i].path);
	if (!make_parents(path, err))
		return false;
	switch (rows[i].kind) {
	case DIR:
		if (mkdir(path, rows[i].mode) == 0 || errno == EEXIST)
			return true;
		break;
	case FILE_:
		return at_fixture_write(path, at_bytes_of(content), rows[i].mode, err);
	case LINK:
		if (symlink(target_of(f, content), path) == 0)
			return true;
		break;
	case HARDLINK:
		if (link(target_of(f, content), path) == 0)
			return true;
		break;
	case ENV:
		break;
	}
	return fail(err, path);
}

bool at_fixture_make_tree(struct at_fixture *f, struct at_error *err)
{
	const struct {
		const char *path;
		mode_t mode;
	} dirs[] = { { f->top, 0755 }, { f->scratch, 0755 }, { f->home, 0755 },
		{ f->sibling, 0777 }, { f->outside, 0777 } };

	for (size_t i = 0; i < AT_LEN(dirs); i++)
		if (mkdir(dirs[i].path, dirs[i].mode) != 0)
			return fail(err, dirs[i].path);
	for (size_t i = 0; i < AT_LEN(rows); i++)
		if (!make_row(f, i, err))
			return false;
	return true;
}
