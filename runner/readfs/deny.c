#include "runner/readfs/deny.h"

#include <limits.h>
#include <string.h>

#include "core/mem.h"

/* reference-ledgers 3.14. */
static const char *const equal[] = {
	".git",
	".hg",
	".svn",
	".agentteams",
	".agentteams-queue",
	".ssh",
	".aws",
	".gnupg",
	".kube",
	".docker",
	".env",
	".envrc",
	".netrc",
	".npmrc",
	".pypirc",
	".pgpass",
	".htpasswd",
	".git-credentials",
};
static const char *const ends[] = {
	".key",
	".pem",
	".p12",
	".pfx",
	".jks",
	".keystore",
	".kdbx",
	".tfstate",
	".tfvars",
	".env",
};
static const char *const starts[] = {
	"id_rsa",
	"id_dsa",
	"id_ecdsa",
	"id_ed25519",
	".env.",
	"credentials",
};
static const char *const holds[] = { ".tfstate." };
static const char *const allowed[] = { ".env.example", ".env.sample", ".env.template" };

/* Letters that a folding file system takes for ASCII ones. */
static const struct {
	const char *bytes, *as;
} folds[] = {
	{ "\xe2\x84\xaa", "k" }, /* U+212A */
	{ "\xc5\xbf", "s" }, /* U+017F */
	{ "\xc3\x9f", "ss" }, /* U+00DF */
	{ "\xe1\xba\x9e", "ss" } /* U+1E9E */
};

static bool is_listed(const char *name, size_t len)
{
	for (size_t i = 0; i < AT_LEN(allowed); i++)
		if (strcmp(name, allowed[i]) == 0)
			return false;
	for (size_t i = 0; i < AT_LEN(equal); i++)
		if (strcmp(name, equal[i]) == 0)
			return true;
	for (size_t i = 0; i < AT_LEN(ends); i++) {
		size_t tail = strlen(ends[i]);

		if (len >= tail && strcmp(name + len - tail, ends[i]) == 0)
			return true;
	}
	for (size_t i = 0; i < AT_LEN(starts); i++)
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return true;
	for (size_t i = 0; i < AT_LEN(holds); i++)
		if (strstr(name, holds[i]))
			return true;
	return false;
}

static const char *fold_at(const char *p, size_t left, size_t *taken)
{
	for (size_t i = 0; i < AT_LEN(folds); i++) {
		*taken = strlen(folds[i].bytes);
		if (left >= *taken && memcmp(p, folds[i].bytes, *taken) == 0)
			return folds[i].as;
	}
	return NULL;
}

/* Lower case. `foreign` keeps bytes that are no ASCII; without, they vanish, as the invisible
 * ones do in a folding file system. */
static size_t fold(char out[NAME_MAX + 1], const char *name, size_t len, bool foreign)
{
	size_t n = 0, taken;

	for (size_t i = 0; i < len; i++) {
		const char *as = fold_at(name + i, len - i, &taken);

		if (as) {
			while (*as)
				out[n++] = *as++;
			i += taken - 1;
		} else if (name[i] >= 'A' && name[i] <= 'Z') {
			out[n++] = (char)(name[i] - 'A' + 'a');
		} else if (foreign || (unsigned char)name[i] < 0x80) {
			out[n++] = name[i];
		}
	}
	out[n] = '\0';
	return n;
}

static bool is_segment_denied(const char *name, size_t len)
{
	char folded[NAME_MAX + 1];
	size_t n;

	if (len > NAME_MAX) /* no file has such a name */
		return true;
	n = fold(folded, name, len, true);
	if (is_listed(folded, n))
		return true;
	n = fold(folded, name, len, false);
	return is_listed(folded, n);
}

bool at_readfs_is_denied(const char *path)
{
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len && is_segment_denied(path, len))
			return true;
		path += len + (path[len] == '/');
	}
	return false;
}
