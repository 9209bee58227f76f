#include "core/write_root.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/path.h"

/* Credentials, and files that make something run later: nothing at, inside or above one
 * may be written by agents. Below the home directory. */
static const char *const home_paths[] = {
	".ssh", ".gnupg", ".aws", ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc",
	".zprofile", ".zshenv", ".gitconfig", ".local/bin", ".config/systemd", ".config/autostart",
	".config/git", ".config/gh", ".config/goose", ".claude", ".config/fish", ".config/gcloud",
	".kube", ".docker", ".azure", ".netrc", ".local/share/systemd", ".pki", ".password-store",
	/* all of the operator's ground: keys, rosters of confined programs, grants */
	".config/agentteams", ".local/state/agentteams", "Library/LaunchAgents", ".vscode",
	".cargo",
};

/* Below the project. Its own root holds them all and may be a write root: denyWrite and
 * the launcher protect them one by one. */
static const char *const control_paths[] = {
	".git", ".claude", ".goose", ".codex", ".github/agents", ".github/hooks", "sandbox",
	".agentteams", "references/security-approvers.txt",
};

/* What a file system without case takes for ASCII, and what HFS+ does not see at all. */
static const struct {
	const char *from, *to;
} folds[] = {
	{ "\xe2\x84\xaa", "k" }, /* KELVIN SIGN */
	{ "\xc5\xbf", "s" },     /* LATIN SMALL LETTER LONG S */
	{ "\xc3\x9f", "ss" }, { "\xe1\xba\x9e", "ss" },
	{ "\xef\xac\x80", "ff" }, { "\xef\xac\x81", "fi" }, { "\xef\xac\x82", "fl" },
	{ "\xef\xac\x83", "ffi" }, { "\xef\xac\x84", "ffl" }, { "\xef\xac\x85", "st" },
	{ "\xef\xac\x86", "st" },
	{ "\xe2\x80\x8c", "" }, { "\xe2\x80\x8d", "" }, { "\xe2\x80\x8e", "" },
	{ "\xe2\x80\x8f", "" }, { "\xe2\x80\xaa", "" }, { "\xe2\x80\xab", "" },
	{ "\xe2\x80\xac", "" }, { "\xe2\x80\xad", "" }, { "\xe2\x80\xae", "" },
	{ "\xe2\x81\xaa", "" }, { "\xe2\x81\xab", "" }, { "\xe2\x81\xac", "" },
	{ "\xe2\x81\xad", "" }, { "\xe2\x81\xae", "" }, { "\xe2\x81\xaf", "" },
	{ "\xef\xbb\xbf", "" },
};

static size_t fold_of(const char *path)
{
	size_t i = 0;

	while (i < AT_LEN(folds) && strncmp(path, folds[i].from, strlen(folds[i].from)) != 0)
		i++;
	return i;
}

/* In place: what replaces is never longer. */
static void fold(char *path)
{
	char *out = path;

	while (*path) {
		size_t i = fold_of(path);

		if (i < AT_LEN(folds)) {
			size_t len = strlen(folds[i].to);

			memmove(out, folds[i].to, len);
			out += len;
			path += strlen(folds[i].from);
			continue;
		}
		*out++ = *path >= 'A' && *path <= 'Z' ? (char)(*path + 32) : *path;
		path++;
	}
	*out = '\0';
}

static bool is_folding(const struct at_root_place *place)
{
	return place->platform == AT_DARWIN || place->platform == AT_WINDOWS;
}

#define FORMS 3

/* A place in every way it may be meant, made comparable. */
struct forms {
	char lexical[PATH_MAX];
	char physical[PATH_MAX]; /* of the lexical form: how a program that normalises sees it */
	char walked[PATH_MAX];   /* as the kernel walks it: "link/.." is above the link's target */
};

static const char *form_of(const struct forms *forms, size_t i)
{
	return i == 0 ? forms->lexical : i == 1 ? forms->physical : forms->walked;
}

/* Else normalising takes out nothing that the kernel would walk through. */
static bool climbs(const char *path)
{
	for (; *path; path += strspn(path, "/")) {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.')
			return true;
		path += len;
	}
	return false;
}

static bool join(char out[PATH_MAX], const char *path, const struct at_root_place *place)
{
	const char *base = *path == '/' ? "" : *path == '~' ? place->home : place->project;
	int len = snprintf(out, PATH_MAX, "%s%s%s", base, *base ? "/" : "",
		*path == '~' ? path + 1 : path);

	return len >= 0 && len < PATH_MAX;
}

static void fold_all(struct forms *out, const struct at_root_place *place)
{
	if (!is_folding(place))
		return;
	fold(out->lexical);
	fold(out->physical);
	fold(out->walked);
}

static bool make_forms(struct forms *out, const char *path, const struct at_root_place *place)
{
	char raw[PATH_MAX];

	if (!join(raw, path, place) || !at_path_normalise(out->lexical, raw) ||
		!at_path_physical(out->physical, out->lexical) ||
		(climbs(raw) && !at_path_physical(out->walked, raw)))
		return false;
	if (!climbs(raw))
		strcpy(out->walked, out->physical); /* of the same size */
	fold_all(out, place);
	return true;
}

/* The same for one of our own paths, which do not climb, below `base`: the project or the home,
 * which was walked already. What is folded is no place any more. */
static bool make_forms_below(struct forms *out, const char *path, const struct forms *base,
	const struct at_root_place *place)
{
	const char *rest = path + strspn(path, "~/");
	char raw[PATH_MAX];

	if (is_folding(place))
		return make_forms(out, path, place);
	if (!join(raw, path, place) || !at_path_normalise(out->lexical, raw) ||
		!at_path_physical_below(out->physical, base->physical, rest))
		return false;
	if (strcmp(base->walked, base->physical) != 0)
		return at_path_physical_below(out->walked, base->walked, rest);
	strcpy(out->walked, out->physical); /* of the same size */
	return true;
}

/* True when any form of `path` is inside any form of `place`. */
static bool is_any_inside(const struct forms *path, const struct forms *place)
{
	for (size_t i = 0; i < FORMS; i++)
		for (size_t k = 0; k < FORMS; k++)
			if (at_path_is_inside(form_of(path, i), form_of(place, k)))
				return true;
	return false;
}

static bool ends_blank(const char *root)
{
	/* what a reader of the list would not see, or a tool would strip */
	static const char *const blanks[] = { " ", "\t", "\n", "\v", "\f", "\r", "\xc2\x85",
		"\xc2\xa0", "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82",
		"\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87",
		"\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9",
		"\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80" };
	size_t len = strlen(root);

	for (size_t i = 0; i < AT_LEN(blanks); i++) {
		size_t n = strlen(blanks[i]);

		if (n <= len && (memcmp(root, blanks[i], n) == 0 ||
				memcmp(root + len - n, blanks[i], n) == 0))
			return true;
	}
	return false;
}

static bool has_control(const char *root)
{
	for (const unsigned char *p = (const unsigned char *)root; *p; p++)
		if (*p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f))
			return true;
	return false;
}

static bool is_empty(const char *root)
{
	return *root == '\0';
}

/* Shell, Seatbelt and glob syntax: a root travels into all three. */
static bool has_syntax(const char *root)
{
	return root[strcspn(root, "\"'$`\\;&|<>*?[]{}()!#")] != '\0';
}

static bool is_other_home(const char *root)
{
	return root[0] == '~' && root[1] != '\0' && root[1] != '/';
}

static bool is_home_or_slash(const char *root)
{
	const char *rest = *root == '~' ? root + 1 : root;

	return rest[strspn(rest, "/")] == '\0' || strncmp(root, "//", 2) == 0;
}

/* By the text alone; the first that matches is the reason. */
static const struct {
	bool (*hits)(const char *root);
	const char *why;
} text_bans[] = {
	{ is_empty, "it is empty" },
	{ ends_blank, "it has leading or trailing whitespace" },
	{ has_control, "it holds a control character" },
	{ has_syntax, "it holds a forbidden character (of shell, Seatbelt or glob syntax)" },
	{ is_other_home, "it is a ~user path" },
	{ is_home_or_slash, "it is the home or filesystem root" },
};

struct candidate {
	struct forms root, project, home;
	const struct at_root_place *place;
};

static bool is_slash(char *why, size_t size, const struct candidate *c)
{
	for (size_t i = 0; i < FORMS; i++)
		if (strcmp(form_of(&c->root, i), "/") == 0)
			return snprintf(why, size, "it leads to the filesystem root"), true;
	return false;
}

static bool holds_home(char *why, size_t size, const struct candidate *c)
{
	if (!is_any_inside(&c->home, &c->root))
		return false;
	snprintf(why, size, "it is the home directory or an ancestor of it");
	return true;
}

static bool meets_home_path(char *why, size_t size, const struct candidate *c)
{
	char path[PATH_MAX];
	struct forms forms;

	for (size_t i = 0; i < AT_LEN(home_paths); i++) {
		snprintf(path, sizeof(path), "~/%s", home_paths[i]);
		if (!make_forms_below(&forms, path, &c->home, c->place))
			continue;
		if (is_any_inside(&c->root, &forms))
			snprintf(why, size, "it is at or inside the protected path ~/%s",
				home_paths[i]);
		else if (is_any_inside(&forms, &c->root))
			snprintf(why, size, "it is above the protected path ~/%s", home_paths[i]);
		else
			continue;
		return true;
	}
	return false;
}

/* Form by form: "link/.." may read as the project and lead above it. */
static bool holds_project(char *why, size_t size, const struct candidate *c)
{
	for (size_t i = 0; i < FORMS; i++) {
		for (size_t k = 0; k < FORMS; k++) {
			const char *root = form_of(&c->root, i), *project = form_of(&c->project, k);

			if (strcmp(root, project) == 0 || !at_path_is_inside(project, root))
				continue;
			snprintf(why, size, "it is an ancestor of the project");
			return true;
		}
	}
	return false;
}

static bool is_in_control_plane(char *why, size_t size, const struct candidate *c)
{
	struct forms forms;

	for (size_t i = 0; i < AT_LEN(control_paths); i++) {
		if (!make_forms_below(&forms, control_paths[i], &c->project, c->place) ||
			!is_any_inside(&c->root, &forms))
			continue;
		snprintf(why, size, "it is inside the project control plane (%s)",
			control_paths[i]);
		return true;
	}
	return false;
}

/* By the place. */
static bool (*const place_bans[])(char *why, size_t size, const struct candidate *c) = {
	is_in_control_plane, is_slash, holds_home, meets_home_path, holds_project,
};

const char *at_write_root_ban(char *why, size_t size, const char *root,
	const struct at_root_place *place)
{
	struct candidate c = { .place = place };

	for (size_t i = 0; i < AT_LEN(text_bans); i++) {
		if (!text_bans[i].hits(root))
			continue;
		snprintf(why, size, "%s", text_bans[i].why);
		return why;
	}
	if (!make_forms(&c.root, root, place) || !make_forms(&c.project, place->project, place) ||
		!make_forms(&c.home, place->home, place)) {
		snprintf(why, size, "it cannot be resolved (too long, or a loop of links)");
		return why;
	}
	for (size_t i = 0; i < AT_LEN(place_bans); i++)
		if (place_bans[i](why, size, &c))
			return why;
	return NULL;
}

bool at_write_root_is_external(const char *root, const struct at_root_place *place)
{
	/* case is kept: a doubtful root had better be asked about */
	struct at_root_place exact = { place->project, place->home, AT_LINUX };
	struct forms forms, project;

	if (*root == '~')
		return true;
	if (!make_forms(&forms, root, &exact) || !make_forms(&project, place->project, &exact))
		return true;
	if (*root != '/') {
		char text[PATH_MAX];

		if (!at_path_normalise(text, root) || !at_path_is_inside(text, "."))
			return true;
	}
	return !at_path_is_inside(forms.physical, project.physical) ||
		!at_path_is_inside(forms.walked, project.physical) ||
		!(at_path_is_inside(forms.lexical, project.lexical) ||
			at_path_is_inside(forms.lexical, project.physical));
}

bool at_write_root_compare_form(char out[PATH_MAX], const char *root,
	const struct at_root_place *place)
{
	return at_path_absolute(out, root, place->project, place->home);
}
