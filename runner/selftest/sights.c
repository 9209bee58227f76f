#include "runner/selftest/sights.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/mem.h"

/* Of the workspace: the first that the path starts with. */
static const struct {
	const char *start, *id;
} protected[] = {
	{ ".claude/settings.json", "CP15" },
	{ ".claude/settings.local.json", "CP15" },
	{ ".claude/agents/worker.md", "CP15" },
	{ ".claude/commands", "CP15" },
	{ ".claude/settings.hooks.example.json", "CP14" },
	{ ".claude/agents/references/", "CP1" },
	{ ".claude/hooks/", "CP1" },
	{ ".codex/", "CP1" },
	{ ".goose/", "CP1" },
	{ "references/", "CP1" },
	{ "sandbox/", "CP14" },
	{ ".agentteams/", "CP14" },
	{ ".git/hooks", "CP9" },
	{ ".git/config", "CP9" },
	{ ".git/info", "CP9" },
	{ ".git/modules/sub/hooks", "CP10" },
	{ ".git/modules/sub/config", "CP10" },
	{ ".git/modules/sub/info", "CP10" },
	{ ".git/worktrees/other/commondir", "CP10" },
	{ ".git/worktrees/other/gitdir", "CP10" },
	{ ".git/worktrees/other/config.worktree", "CP10" },
	{ "CLAUDE.md", "CP13" },
	{ "AGENTS.md", "CP13" },
	{ ".goosehints", "CP13" },
	{ ".github/copilot-instructions.md", "CP13" },
};

/* Of the home and what is outside: files that are not named after their case. */
static const struct {
	const char *start, *id;
} known[] = {
	{ ".bashrc", "W2" },
	{ ".profile", "W2" },
	{ ".zshrc", "W2" },
	{ ".ssh", "Z3" },
	{ ".aws", "L6" },
	{ "real-aws", "L6" },
	{ ".config/systemd", "Z1" },
	{ ".config/autostart", "Z1" },
	{ ".local/bin", "Z2" },
	{ ".config/git", "Z2" },
	{ ".gitconfig", "Z2" },
	{ "secret", "T2" },
};

/* Their directories are private ones inside: what works there reaches a copy. */
static const char *const copies[] = { "W3" };

static struct at_evidence_of_case *find(struct at_sights *s, const char *id)
{
	const struct at_case *one = at_case_find(id);

	return one ? &s->cases[one - at_cases] : NULL;
}

/* "at-W3-tmp" and "w6" are W3's and W6's. */
static struct at_evidence_of_case *by_name(struct at_sights *s, const char *path)
{
	const char *name = strrchr(path, '/');
	size_t best = 0;
	struct at_evidence_of_case *found = NULL;

	name = name ? name + 1 : path;
	if (strncasecmp(name, "at-", 3) == 0)
		name += 3;
	for (size_t i = 0; i < at_case_count; i++) {
		size_t len = strlen(at_cases[i].id);

		if (len <= best || strncasecmp(name, at_cases[i].id, len) != 0
			|| isalnum((unsigned char)name[len]))
			continue;
		best = len;
		found = &s->cases[i];
	}
	return found;
}

struct telling {
	struct at_sights *sights;
	enum at_sight_place place;
};

static void tell(void *user, const char *path, const char *how)
{
	struct telling *t = user;
	struct at_evidence_of_case *of = NULL;

	if (t->place == AT_SIGHT_SCRATCH) {
		for (size_t i = 0; i < AT_LEN(protected) && !of; i++)
			if (strncmp(path, protected[i].start, strlen(protected[i].start)) == 0)
				of = find(t->sights, protected[i].id);
		if (!of)
			return;
	} else {
		of = by_name(t->sights, path);
		for (size_t i = 0; i < AT_LEN(known) && !of; i++)
			if (strncmp(path, known[i].start, strlen(known[i].start)) == 0)
				of = find(t->sights, known[i].id);
	}
	if (!of) {
		snprintf(t->sights->other, sizeof(t->sights->other), "%.70s is %s", path, how);
		return;
	}
	of->host = AT_HOST_TOUCHED;
	snprintf(of->trace, sizeof(of->trace), "%.70s is %s", path, how);
}

void at_sights_add(struct at_sights *sights, enum at_sight_place place,
	const struct at_snapshot *before, const struct at_snapshot *after)
{
	struct telling telling = { sights, place };

	at_snapshot_compare(before, after, tell, &telling);
}

void at_sights_end(struct at_sights *sights)
{
	for (size_t i = 0; i < AT_LEN(copies); i++) {
		struct at_evidence_of_case *of = find(sights, copies[i]);

		if (of && of->host == AT_HOST_NO_SIGHT)
			of->host = AT_HOST_UNTOUCHED;
	}
}
