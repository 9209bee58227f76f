#include "core/git_repo.h"

#include <stdlib.h>
#include <string.h>

#include <git2.h>

#include "core/mem.h"

struct at_git {
	git_repository *repo;
	char *top, *dir, *common;
};

static void begin(void)
{
	static bool is_begun;

	if (!is_begun)
		git_libgit2_init();
	is_begun = true;
}

static const char *last_words(void)
{
	const git_error *error = git_error_last();

	return error && error->message ? error->message : "no reason given";
}

static char *without_slash(const char *path)
{
	char *copy = at_strdup(path);
	size_t len = strlen(copy);

	while (len > 1 && copy[len - 1] == '/')
		copy[--len] = '\0';
	return copy;
}

bool at_git_open(struct at_git **out, const char *dir, struct at_error *err)
{
	git_repository *repo = NULL;
	struct at_git *git;

	*out = NULL;
	begin();
	if (git_repository_open_ext(&repo, dir, 0, NULL) != 0) {
		at_fail(err, AT_ENOENT, "`%s` is not a git worktree: %s", dir, last_words());
		at_error_path(err, dir);
		return false;
	}
	if (!git_repository_workdir(repo)) {
		git_repository_free(repo);
		at_fail(err, AT_ENOENT, "`%s` is not a git worktree: the repository is bare", dir);
		at_error_path(err, dir);
		return false;
	}
	git = at_alloc(sizeof(*git));
	git->repo = repo;
	git->top = without_slash(git_repository_workdir(repo));
	git->dir = without_slash(git_repository_path(repo));
	git->common = without_slash(git_repository_commondir(repo));
	*out = git;
	return true;
}

void at_git_free(struct at_git *git)
{
	if (!git)
		return;
	git_repository_free(git->repo);
	free(git->top);
	free(git->dir);
	free(git->common);
	free(git);
}

const char *at_git_top(const struct at_git *git)
{
	return git->top;
}

const char *at_git_dir(const struct at_git *git)
{
	return git->dir;
}

const char *at_git_common_dir(const struct at_git *git)
{
	return git->common;
}

bool at_git_is_ignored(struct at_git *git, const char *path)
{
	int ignored = 0;

	return git_ignore_path_is_ignored(&ignored, git->repo, path) == 0 && ignored;
}

bool at_git_is_blob(struct at_bytes content, const unsigned char id[20])
{
	git_oid now;

	begin();
	return git_odb_hash(&now, content.len ? content.data : "", content.len, GIT_OBJECT_BLOB)
		== 0
		&& memcmp(now.id, id, sizeof(now.id)) == 0;
}
